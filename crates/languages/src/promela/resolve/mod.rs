//! From the syntax tree to a resolved program.
//!
//! Two passes over the file. The [first](declarations) declares everything that has a name: types,
//! messages, globals, proctypes with their variables and labels. The second one resolves the bodies,
//! in which each [expression](expressions) and [statement](statements) is translated on its own.
//! What SPIN refuses is refused here, unless it can only be seen in the control-flow graph.
//!
//! Findings do not stop a pass: a statement with an error is left out. So the program is only
//! complete if no error was reported, and it is only returned then.

mod claims;
mod constants;
mod declarations;
mod desugar;
mod expressions;
mod initial;
mod labels;
mod late;
mod messages;
mod mtypes;
mod names;
mod references;
mod scopes;
mod statements;
mod steps;
#[cfg(test)]
mod tests;
mod types;
mod usage;

use model::guarded_commands::Span;

use super::program::{Proctype, ProctypeId, Program};
use super::syntax;
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics};
use claims::Claims;
use constants::LARGEST_BYTE;
use declarations::Declarations;
use expressions::Expressions;
use late::NewLocals;
use names::{Names, Signature};
use scopes::{Owner, Scope};
use statements::Statements;
use usage::Usage;

/// Resolves a file.
pub(crate) fn resolve(file: &syntax::File, diagnostics: &mut Diagnostics) -> Checked<Program> {
    let Declarations { names, mut usage, diagnostics, .. } = Declarations::new(file, diagnostics);
    let mut proctypes = Vec::with_capacity(names.proctypes.len());
    for (number, signature) in names.proctypes.iter().enumerate() {
        proctypes.push(body(ProctypeId(number), signature, &names, &mut usage, diagnostics));
    }
    let mut claims = Claims::new(&names, &mut usage, diagnostics);
    for (number, item) in file.items.iter().enumerate() {
        match item {
            syntax::Item::Never(never) => claims.never(never, number),
            syntax::Item::Ltl(block) => claims.ltl(block),
            _ => {}
        }
    }
    let Claims { never, formulas, .. } = claims;
    for (number, signature) in names.proctypes.iter().enumerate() {
        let is_referenced = |label: &str| usage.is_referenced(ProctypeId(number), label);
        signature.labels.check_circles(is_referenced, diagnostics);
    }
    usage.report(&names, diagnostics);
    let active = active(&names, diagnostics);
    diagnostics.so_far()?;
    let Names { leaves: globals, message_kinds, .. } = names;
    Ok(Program { globals, proctypes, active, message_kinds, never, formulas, mentions: usage.mentions })
}

fn body<'file>(
    id: ProctypeId,
    signature: &Signature<'file>,
    names: &Names<'file>,
    usage: &mut Usage,
    diagnostics: &mut Diagnostics,
) -> Proctype {
    let syntax = signature.syntax;
    let scope = Scope::new(Owner::Process(id), signature.item);
    let mut expressions = Expressions::new(names, scope, usage, diagnostics);
    // The parameters are not visible in the condition, as in SPIN.
    let provided = syntax.provided.as_ref().and_then(|condition| expressions.condition(condition).ok());
    expressions.scope.open();
    for declarator in syntax.parameters.iter().flat_map(|declaration| &declaration.variables) {
        let Some(variable) = signature.variable(declarator) else { continue };
        if !expressions.scope.declare(&declarator.name.text, variable) {
            let message = format!("a second parameter `{}`", declarator.name.text);
            let label = "the name is taken";
            let span = declarator.name.span;
            expressions.diagnostics.report(Diagnostic::error(codes::DECLARED_TWICE, span, message, label));
        }
    }
    let mut statements = Statements::new(expressions, &signature.labels, Some(signature), signature.name());
    let nodes = statements.body(&syntax.body);
    let NewLocals { initial, counters } = statements.locals;
    let mut locals = signature.locals.clone();
    for (leaf, initial) in initial {
        locals[leaf].initial = initial;
    }
    locals.extend(counters);
    Proctype {
        name: signature.name().to_owned(),
        locals,
        parameters: signature.parameters,
        priority: signature.priority,
        provided,
        body: nodes,
        span: syntax.name.span,
        end: syntax.end,
    }
}

/// The processes at the start.
fn active(names: &Names<'_>, diagnostics: &mut Diagnostics) -> Vec<ProctypeId> {
    let mut active = Vec::new();
    for (number, signature) in names.proctypes.iter().enumerate() {
        active.extend((0..signature.active).map(|_| ProctypeId(number)));
        if active.len() > LARGEST_BYTE as usize {
            let message = format!("more than {LARGEST_BYTE} processes exist at the start");
            let span = signature.syntax.name.span;
            let error = Diagnostic::error(codes::BAD_SIZE, span, message, "with those of this proctype");
            diagnostics.report(error.help(format!("SPIN has at most {LARGEST_BYTE} processes, too")));
            return active;
        }
    }
    if active.is_empty() && !diagnostics.has_errors() {
        let span = names.proctypes.first().map_or(Span::new(0, 0), |first| first.syntax.name.span);
        let message = "no process exists at the start";
        let error = Diagnostic::error(codes::NO_PROCESS, span, message, "not active");
        diagnostics.report(error.help("write `active proctype`, or an `init { … }` that runs processes"));
    }
    active
}
