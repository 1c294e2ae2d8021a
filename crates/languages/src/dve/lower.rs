//! A DVE file to guarded commands.
//!
//! Transitions become actions in [`rendezvous`](crate::lowering::rendezvous); those that use a
//! buffered channel or none are actions by themselves.

use model::guarded_commands::{GuardedCommands, ProcessId};

use super::constants::Replacements;
use super::declare::Declarations;
use super::property;
use super::syntax::{self, Process, Timing};
use super::transition::TransitionReader;
use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::lowering::rendezvous::Halves;
use crate::names::Names;
use crate::question::DeclaredMeasure;
use crate::question::resolve::Resolver;
use crate::question::syntax::Measure;

/// The meaning of a file.
pub(crate) struct Lowered {
    pub(crate) commands: GuardedCommands,
    pub(crate) names: Names,
    pub(crate) progress: Option<DeclaredMeasure>,
    pub(crate) progress_errors: Vec<Diagnostic>,
}

/// Lowers a file. The result is valid only if nothing was reported.
pub(crate) fn file(
    file: &syntax::File<'_>,
    replacements: &Replacements<'_>,
    diagnostics: &mut Diagnostics,
) -> Lowered {
    if let Some(system) = file.system.filter(|system| system.timing == Timing::Synchronous) {
        let message = "synchronous systems are not supported";
        let error =
            Diagnostic::error(codes::SYNCHRONOUS_SYSTEM, system.span, message, "every process moves at once");
        let help = "use `system async;`, in which one process or one pair of processes moves at a time";
        diagnostics.report(error.help(help));
    }
    let mut declarations = Declarations::new(file, replacements, diagnostics);
    let mut halves = Halves::default();
    for (id, process) in declarations.members.clone() {
        add_process(id, process, &mut declarations, &mut halves);
    }
    let Declarations { commands, names, diagnostics, .. } = &mut declarations;
    let actions = halves.actions(commands, names, diagnostics);
    commands.actions = actions;
    property::declare(file, &mut declarations);
    let mut progress_errors = file.measure_errors.clone();
    let progress = file.measure.as_ref().and_then(|measure| {
        let declared = declared(measure, &declarations.names, declarations.diagnostics);
        declared.map_err(|errors| progress_errors.extend(errors)).ok()
    });
    Lowered { commands: declarations.commands, names: declarations.names, progress, progress_errors }
}

/// The measure that the file declares.
fn declared(
    measure: &Measure<'_>,
    names: &Names,
    diagnostics: &mut Diagnostics,
) -> Result<DeclaredMeasure, Vec<Diagnostic>> {
    let mut own = Diagnostics::default();
    let components = Resolver::for_measures(names, &mut own).expressions(&measure.components);
    let components = own.check(components)?;
    own.into_warnings().into_iter().for_each(|warning| diagnostics.warn_once(warning));
    Ok(DeclaredMeasure { text: measure.text.to_owned(), span: measure.span, components, kind: measure.kind })
}

/// Adds the transitions of a process. One with an error makes no action; the whole model is refused
/// in the end.
fn add_process(
    id: ProcessId,
    process: &Process<'_>,
    declarations: &mut Declarations<'_, '_>,
    halves: &mut Halves,
) {
    let Some(known) = declarations.names.processes.get(process.name.text) else { return };
    let channels = &declarations.names.channels;
    let resolver = Resolver::new(&declarations.names, Some(&known.symbols), declarations.diagnostics);
    let mut reader = TransitionReader { id, process, known, channels, resolver };
    for transition in &process.transitions {
        if let Ok(half) = reader.transition(transition) {
            halves.add(half);
        }
    }
}
