//! Machine code without the code generator beside it.
//!
//! Once a model is compiled, the code generator is not needed any more, but the pages of its own code stay resident: five
//! megabytes, a quarter of all memory of a run with a million small states. They are as they are in the program's
//! file, so the kernel may forget them, and fetches again what is needed after all.

use model::guarded_commands::GuardedCommands;
use model::state_layout::StateLayout;
use model::transition_system::{Execution, ExecutionError, StateFunctions, TransitionSystem};
use native_code::Compiled;

/// [`Compiled`], and afterwards nothing stays resident that only compiling needed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lean;

impl Execution for Lean {
    fn prepare<'m>(
        &self,
        model: &'m GuardedCommands,
        layout: &StateLayout,
        functions: StateFunctions<'_>,
    ) -> Result<Box<dyn TransitionSystem + 'm>, ExecutionError> {
        let system = Compiled.prepare(model, layout, functions)?;
        forget_program_pages();
        give_heap_back();
        Ok(system)
    }

    fn name(&self) -> &'static str {
        Compiled.name()
    }
}

/// Lets the kernel take back pages that are as they are in their files: this program's code and constants, and those of
/// the libraries. Where that is not possible, nothing happens.
#[cfg(target_os = "linux")]
fn forget_program_pages() {
    let Ok(maps) = std::fs::read_to_string("/proc/self/maps") else { return };
    for line in maps.lines() {
        let mut fields = line.split_whitespace();
        let (Some(range), Some(access), Some(offset)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let is_file = fields.nth(2).is_some_and(|path| path.starts_with('/'));
        // Code is never written. Of what is only read, just the beginning of a file is as it was: the rest may hold
        // addresses that the loader filled in.
        let is_unchanged =
            access == "r-xp" || (access == "r--p" && offset.bytes().all(|digit| digit == b'0'));
        let mut ends = range.split('-').filter_map(|end| usize::from_str_radix(end, 16).ok());
        if let (true, true, Some(start), Some(end)) = (is_file, is_unchanged, ends.next(), ends.next()) {
            // SAFETY: a private mapping of a file that nobody wrote to: the next access brings the same bytes back.
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

/// What is unused on the heap goes back to the system.
pub fn give_heap_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the function may be called at any time; it touches only memory that is not allocated.
    unsafe {
        libc::malloc_trim(0);
    }
}
