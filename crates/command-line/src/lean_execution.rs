//! Machine code without the code generator beside it.
//!
//! Once a model is compiled, the code generator is not needed any more, but the pages of its own code stay resident: five
//! megabytes, a quarter of all memory of a run with a million small states. They are part of the program's file,
//! unchanged, so the kernel may forget them, and fetches again what is needed after all.

use native_code::{Compiled, CompiledModel};
use sweepline::model::guarded_commands::{Expression, GuardedCommands};
use sweepline::model::state_layout::StateLayout;
use sweepline::model::transition_system::{Execution, ExecutionError};

/// [`Compiled`], and afterwards the program's code is no longer resident.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lean;

impl Execution for Lean {
    type System<'m> = CompiledModel;

    fn prepare(
        &self,
        model: &GuardedCommands,
        layout: &StateLayout,
        predicates: &[Expression],
    ) -> Result<CompiledModel, ExecutionError> {
        let system = Compiled.prepare(model, layout, predicates)?;
        forget_program_pages();
        Ok(system)
    }

    fn name(&self) -> &'static str {
        Compiled.name()
    }
}

/// Lets the kernel take back the pages of this program's code. Where that is not possible, nothing happens.
#[cfg(target_os = "linux")]
fn forget_program_pages() {
    use std::os::unix::ffi::OsStrExt;
    let Ok(program) = std::env::current_exe() else { return };
    let Ok(maps) = std::fs::read("/proc/self/maps") else { return };
    for line in maps.split(|&byte| byte == b'\n') {
        // `start-end permissions offset device inode path`. Executable and not writable: as it is in the file.
        let is_code = line.windows(6).any(|window| window == b" r-xp ");
        if !is_code || !line.ends_with(program.as_os_str().as_bytes()) {
            continue;
        }
        let Some(range) =
            line.split(|&byte| byte == b' ').next().and_then(|range| std::str::from_utf8(range).ok())
        else {
            continue;
        };
        let mut ends = range.split('-').filter_map(|end| usize::from_str_radix(end, 16).ok());
        if let (Some(start), Some(end)) = (ends.next(), ends.next()) {
            // SAFETY: a private, unwritten mapping of a file: the next access brings the same bytes back.
            let _ = unsafe {
                rustix::mm::madvise(
                    std::ptr::with_exposed_provenance_mut(start),
                    end - start,
                    rustix::mm::Advice::LinuxDontNeed,
                )
            };
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn forget_program_pages() {}
