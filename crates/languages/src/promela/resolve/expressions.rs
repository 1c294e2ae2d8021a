//! Expressions: names become leaves, and what SPIN refuses is refused.
//!
//! Two rules of the grammar need care. The probes `full`, `empty`, `nfull` and `nempty` may only
//! stand alone or below `&&` and `||`: partial-order reduction in SPIN relies on it, and `!full(c)`
//! is no `nfull(c)` for a rendezvous channel. And an expression may create one process, before
//! anything else of it is evaluated. So `run` cannot stand where evaluation may stop before it.

use model::guarded_commands::Span;

use super::super::program::{Expression, ExpressionKind, LeafId, Place, ProctypeId};
use super::super::syntax::{self, BinaryOperator, Probe};
use super::constants::{Constants, LARGEST_BYTE};
use super::names::{Names, guess};
use super::scopes::{Owner, Scope};
use super::usage::Usage;
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, Reported};

/// Resolves the expressions of one place of the text.
pub(super) struct Expressions<'a, 'file> {
    pub(super) names: &'a Names<'file>,
    pub(super) scope: Scope<'file>,
    pub(super) usage: &'a mut Usage,
    pub(super) diagnostics: &'a mut Diagnostics,
    runs: Runs,
}

/// A `run` in an expression.
pub(super) struct RunCall {
    pub(super) proctype: ProctypeId,
    pub(super) arguments: Vec<Expression>,
    pub(super) priority: Option<Expression>,
}

/// What the expression may do with `run`.
enum Runs {
    /// Nothing; the text says where it stands.
    Forbidden(&'static str),
    Allowed,
    Found(RunCall),
}

/// Where an expression stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// Alone, or below `&&` and `||`.
    Whole,
    /// Below another operator, or as an argument.
    Operand,
}

impl<'a, 'file> Expressions<'a, 'file> {
    pub(super) fn new(
        names: &'a Names<'file>,
        scope: Scope<'file>,
        usage: &'a mut Usage,
        diagnostics: &'a mut Diagnostics,
    ) -> Self {
        Self { names, scope, usage, diagnostics, runs: Runs::Forbidden("here") }
    }

    /// A value: no probe, no `run`.
    pub(super) fn value(&mut self, expression: &syntax::Expression) -> Checked<Expression> {
        self.expression(expression, Position::Operand)
    }

    /// A condition, or the right side of an assignment: no `run`.
    pub(super) fn condition(&mut self, expression: &syntax::Expression) -> Checked<Expression> {
        self.expression(expression, Position::Whole)
    }

    /// An expression that may create a process.
    pub(super) fn with_run(
        &mut self,
        expression: &syntax::Expression,
    ) -> Checked<(Expression, Option<RunCall>)> {
        let before = std::mem::replace(&mut self.runs, Runs::Allowed);
        let value = self.expression(expression, Position::Whole);
        match std::mem::replace(&mut self.runs, before) {
            Runs::Found(call) => Ok((value?, Some(call))),
            Runs::Allowed | Runs::Forbidden(_) => Ok((value?, None)),
        }
    }

    pub(super) fn expression(
        &mut self,
        expression: &syntax::Expression,
        position: Position,
    ) -> Checked<Expression> {
        let span = expression.span;
        let kind = match &expression.kind {
            syntax::ExpressionKind::Number(value) => ExpressionKind::Number(*value),
            syntax::ExpressionKind::Reference(reference) => return self.read(reference),
            syntax::ExpressionKind::Unary(operator, operand) => {
                ExpressionKind::Unary(*operator, Box::new(self.value(operand)?))
            }
            syntax::ExpressionKind::Binary(operator, left, right) => {
                return self.binary(*operator, left, right, position, span);
            }
            syntax::ExpressionKind::Conditional(condition, yes, no) => {
                let condition = self.value(condition);
                let yes = self.lazily(|this| this.value(yes));
                let no = self.lazily(|this| this.value(no));
                ExpressionKind::Conditional(Box::new(condition?), Box::new(yes?), Box::new(no?))
            }
            syntax::ExpressionKind::Timeout => ExpressionKind::Timeout,
            syntax::ExpressionKind::NonProgress => {
                self.usage.mentions.non_progress = true;
                ExpressionKind::NonProgress
            }
            syntax::ExpressionKind::Probe(probe, channel) => self.probe(*probe, channel, position, span)?,
            syntax::ExpressionKind::Poll { channel, any, arguments } => {
                let place = self.channel(channel);
                let arguments = self.without_run("in a poll", |this| this.poll_arguments(arguments));
                let (channel, mut arguments) = (place?, arguments?);
                self.complete_poll(&channel, &mut arguments, span);
                ExpressionKind::Poll { channel, any: *any, arguments }
            }
            syntax::ExpressionKind::Run { proctype, arguments, priority } => {
                return self.run(proctype, arguments, priority.as_deref(), span);
            }
            syntax::ExpressionKind::Enabled(pid) => ExpressionKind::Enabled(Box::new(self.value(pid)?)),
            syntax::ExpressionKind::ProgramCounter(pid) => {
                ExpressionKind::ProgramCounter(Box::new(self.value(pid)?))
            }
            syntax::ExpressionKind::Priority(pid) => {
                self.usage.mentions.priorities = true;
                ExpressionKind::Priority(Box::new(self.value(pid)?))
            }
            syntax::ExpressionKind::RemoteLocation { proctype, pid, label } => {
                let (proctype, pid) = self.remote(proctype, pid.as_deref())?;
                self.label(proctype, label)?;
                ExpressionKind::RemoteLocation { proctype, pid, label: label.text.clone() }
            }
            syntax::ExpressionKind::RemoteVariable { proctype, pid, variable } => {
                let (proctype, pid) = self.remote(proctype, pid.as_deref())?;
                self.remote_variable(proctype, pid, variable)?
            }
        };
        Ok(Expression::new(kind, span))
    }

    fn binary(
        &mut self,
        operator: BinaryOperator,
        left: &syntax::Expression,
        right: &syntax::Expression,
        position: Position,
        span: Span,
    ) -> Checked<Expression> {
        let is_lazy = matches!(operator, BinaryOperator::And | BinaryOperator::Or);
        let below = if is_lazy { position } else { Position::Operand };
        let left = self.expression(left, below);
        let right = if is_lazy {
            self.lazily(|this| this.expression(right, below))
        } else {
            self.expression(right, below)
        };
        let kind = ExpressionKind::Binary(operator, Box::new(left?), Box::new(right?));
        Ok(Expression::new(kind, span))
    }

    /// Resolves a part that is not always evaluated.
    fn lazily<T>(&mut self, part: impl FnOnce(&mut Self) -> T) -> T {
        if matches!(self.runs, Runs::Forbidden(_)) {
            return part(self);
        }
        self.without_run("in a part of an expression that is not always evaluated", part)
    }

    /// Resolves a part that cannot create a process.
    pub(super) fn without_run<T>(&mut self, place: &'static str, part: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.runs, Runs::Forbidden(place));
        let result = part(self);
        self.runs = before;
        result
    }

    fn probe(
        &mut self,
        probe: Probe,
        channel: &syntax::Reference,
        position: Position,
        span: Span,
    ) -> Checked<ExpressionKind> {
        let place = self.channel(channel);
        if probe != Probe::Len && position == Position::Operand {
            let message = "a probe of a channel is an operand of something else than `&&` or `||`";
            let error = Diagnostic::error(codes::MISPLACED_PROBE, span, message, "not as an operand");
            let help = "write `nfull(c)` for `!full(c)`, `nempty(c)` for `!empty(c)`, or use `len(c)`";
            return Err(self.diagnostics.report(error.help(help)));
        }
        let place = place?;
        Ok(match probe {
            Probe::Len => ExpressionKind::Length(place),
            Probe::Empty => ExpressionKind::Empty(place),
            Probe::NonEmpty => ExpressionKind::NonEmpty(place),
            Probe::Full => ExpressionKind::Full(place),
            Probe::NonFull => ExpressionKind::NonFull(place),
        })
    }

    fn run(
        &mut self,
        name: &syntax::Name,
        arguments: &[syntax::Expression],
        priority: Option<&syntax::Expression>,
        span: Span,
    ) -> Checked<Expression> {
        let problem = match &self.runs {
            Runs::Allowed => None,
            Runs::Found(_) => Some("there is a second `run` in one expression".to_owned()),
            Runs::Forbidden(place) => Some(format!("no process can be created {place}")),
        };
        if let Some(message) = problem {
            let error = Diagnostic::error(codes::MISPLACED_RUN, span, message, "cannot `run` here");
            let help = "create the process in a statement of its own: `pid p = run P();`";
            return Err(self.diagnostics.report(error.help(help)));
        }
        let place = "in the arguments of another `run`";
        let arguments = self.without_run(place, |this| this.arguments(arguments));
        let priority = priority.map(|priority| self.priority(priority)).transpose();
        let proctype = self.names.proctype(name, self.diagnostics)?;
        let (arguments, priority) = (arguments?, priority?);
        let signature = self.names.signature(proctype);
        let parameters = &signature.locals[..signature.parameters];
        let wanted: u64 = parameters.iter().map(|leaf| u64::from(leaf.elements())).sum();
        if arguments.len() as u64 != wanted && !signature.has_broken_parameters {
            let message = format!("`{}` has {wanted} parameters, not {}", name.text, arguments.len());
            let error = Diagnostic::error(codes::ARGUMENT_MISMATCH, span, message, "does not fit");
            let help = "structures count as many as they have fields";
            return Err(self.diagnostics.report(error.help(help)));
        }
        self.runs = Runs::Found(RunCall { proctype, arguments, priority });
        Ok(Expression::new(ExpressionKind::Created, span))
    }

    /// A constant priority.
    fn priority(&mut self, priority: &syntax::Expression) -> Checked<Expression> {
        self.usage.mentions.priorities = true;
        let value = self.constants().size(priority, 1, LARGEST_BYTE, "a priority")?;
        Ok(Expression::number(i64::from(value), priority.span))
    }

    pub(super) fn constants(&mut self) -> Constants<'_, 'file> {
        Constants { names: self.names, scope: &self.scope, diagnostics: self.diagnostics }
    }

    fn remote(
        &mut self,
        proctype: &syntax::Name,
        pid: Option<&syntax::Expression>,
    ) -> Checked<(ProctypeId, Option<Box<Expression>>)> {
        let pid = pid.map(|pid| self.value(pid)).transpose();
        let proctype = self.names.proctype(proctype, self.diagnostics)?;
        Ok((proctype, pid?.map(Box::new)))
    }

    /// Checks that a proctype has a label.
    fn label(&mut self, proctype: ProctypeId, label: &syntax::Name) -> Checked<()> {
        let signature = self.names.signature(proctype);
        if signature.labels.contains(&label.text) {
            self.usage.refer(proctype, &label.text);
            return Ok(());
        }
        let known = signature.labels.names();
        Err(unknown_label(signature.name(), label, known, self.diagnostics))
    }

    fn remote_variable(
        &mut self,
        proctype: ProctypeId,
        pid: Option<Box<Expression>>,
        reference: &syntax::Reference,
    ) -> Checked<ExpressionKind> {
        let signature = self.names.signature(proctype);
        let name = &reference.parts[0].name;
        let Some(variable) = signature.by_name.get(name.text.as_str()) else {
            let message = format!("the proctype `{}` has no variable `{}`", signature.name(), name.text);
            let error = Diagnostic::error(codes::UNKNOWN_NAME, name.span, message, "unknown name");
            let help = guess(self.diagnostics, &name.text, signature.by_name.keys().copied());
            return Err(self.diagnostics.report(error.help_if_any(help)));
        };
        let access = self.follow((*variable)?, reference)?;
        let Place { leaf, indices, .. } = self.single(access, reference)?.0;
        let (LeafId::Global(local) | LeafId::Local(local)) = leaf;
        Ok(ExpressionKind::RemoteVariable { proctype, pid, local, indices })
    }

    /// The value of a variable, of the name of a message, or of a predefined name.
    fn read(&mut self, reference: &syntax::Reference) -> Checked<Expression> {
        if let Some(value) = self.predefined(reference) {
            return Ok(Expression::new(value?, reference.span));
        }
        if let Some(value) = self.message_name(reference) {
            return Ok(Expression::number(value, reference.span));
        }
        let (place, _) = self.place(reference)?;
        Ok(Expression::new(ExpressionKind::Read(place), reference.span))
    }

    fn predefined(&mut self, reference: &syntax::Reference) -> Option<Checked<ExpressionKind>> {
        let name = &reference.parts[0].name;
        let kind = match name.text.as_str() {
            "_pid" => ExpressionKind::Pid,
            "_nr_pr" => ExpressionKind::ProcessCount,
            "_last" => {
                self.usage.mentions.last = true;
                ExpressionKind::Last
            }
            "_priority" => {
                self.usage.mentions.priorities = true;
                ExpressionKind::OwnPriority
            }
            "_" => {
                let message = "`_` has no value: it only takes values that are not needed";
                let error = Diagnostic::error(codes::UNKNOWN_NAME, name.span, message, "cannot be read");
                return Some(Err(self.diagnostics.report(error.help("use a variable of its own"))));
            }
            _ => return None,
        };
        if reference.parts.len() > 1 || reference.parts[0].index.is_some() {
            return Some(Err(self.not_an_array(name)));
        }
        let is_own = matches!(kind, ExpressionKind::Pid | ExpressionKind::OwnPriority);
        if is_own && !matches!(self.scope.owner, Owner::Process(_)) {
            let message = format!("`{}` belongs to a process, and this is outside of all", name.text);
            let error = Diagnostic::error(codes::OUTSIDE_PROCESS, name.span, message, "of which process?");
            let help = "store it in a global variable, and use that one here";
            return Some(Err(self.diagnostics.report(error.help(help))));
        }
        Some(Ok(kind))
    }

    /// A list of values in which structures stand for their elements.
    pub(super) fn arguments(&mut self, arguments: &[syntax::Expression]) -> Checked<Vec<Expression>> {
        let mut values = Vec::with_capacity(arguments.len());
        let mut failed = Ok(());
        for argument in arguments {
            match self.argument(argument) {
                Ok(mut flattened) => values.append(&mut flattened),
                Err(reported) => failed = Err(reported),
            }
        }
        failed.map(|()| values)
    }

    fn argument(&mut self, argument: &syntax::Expression) -> Checked<Vec<Expression>> {
        if let syntax::ExpressionKind::Reference(reference) = &argument.kind
            && let Some(access) = self.structure(reference)?
        {
            let places = self.elements(&access)?;
            let read = |place: Place| {
                let span = place.span;
                Expression::new(ExpressionKind::Read(place), span)
            };
            return Ok(places.into_iter().map(read).collect());
        }
        Ok(vec![self.value(argument)?])
    }
}

/// Reports a label that a body does not have.
pub(super) fn unknown_label<'n>(
    owner: &str,
    label: &syntax::Name,
    known: impl Iterator<Item = &'n str>,
    diagnostics: &mut Diagnostics,
) -> Reported {
    let message = format!("`{owner}` has no label `{}`", label.text);
    let help = guess(diagnostics, &label.text, known);
    let error = Diagnostic::error(codes::UNKNOWN_LABEL, label.span, message, "unknown label");
    diagnostics.report(error.help_if_any(help))
}
