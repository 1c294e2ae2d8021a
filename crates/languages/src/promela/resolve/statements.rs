//! Statements of a body: each becomes one node, declarations and loops sometimes none or several.

use model::guarded_commands::Span;

use super::super::graph::is_skip;
use super::super::program::{Basic, Expression, Label, Node, NodeKind};
use super::super::syntax::{self, Choice, Statement, StatementKind};
use super::expressions::{Expressions, unknown_label};
use super::labels::Labels;
use super::late::NewLocals;
use super::names::Signature;
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Reported};

/// Resolves the body of a proctype or of a claim.
pub(super) struct Statements<'a, 'file> {
    pub(super) expressions: Expressions<'a, 'file>,
    pub(super) labels: &'a Labels<'file>,
    /// The proctype, if the body is no claim.
    pub(super) signature: Option<&'a Signature<'file>>,
    /// Name of the body in messages.
    pub(super) name: &'a str,
    pub(super) locals: NewLocals,
    /// Whether declarations are no steps, because no statement precedes them.
    pub(super) at_start: bool,
    /// How many loops are around the current statement.
    pub(super) loops: usize,
}

/// Where a sequence stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opening {
    Body,
    Option,
    /// A block that is itself the first statement of an option.
    FirstBlock,
    Block,
}

impl<'a, 'file> Statements<'a, 'file> {
    pub(super) fn new(
        expressions: Expressions<'a, 'file>,
        labels: &'a Labels<'file>,
        signature: Option<&'a Signature<'file>>,
        name: &'a str,
    ) -> Self {
        let locals = NewLocals::default();
        Self { expressions, labels, signature, name, locals, at_start: true, loops: 0 }
    }

    /// The nodes of a whole body. Errors are reported, and their statements left out.
    pub(super) fn body(&mut self, statements: &'file [Statement]) -> Vec<Node> {
        self.expressions.scope.open();
        let nodes = self.sequence(statements, Opening::Body);
        self.expressions.scope.close();
        nodes
    }

    /// The nodes of a loop body, in a block of its own.
    pub(super) fn loop_body(&mut self, statements: &'file [Statement]) -> Vec<Node> {
        self.at_start = false;
        self.expressions.scope.open();
        self.loops += 1;
        // The condition of the loop comes first, so labels and `else` have no special place.
        let mut nodes = self.sequence(statements, Opening::Body);
        self.loops -= 1;
        self.expressions.scope.close();
        // The body is the rest of an option, but SPIN drops no redundant skips there.
        for node in &mut nodes {
            if is_skip(node) {
                node.kind = NodeKind::Basic(Basic::Print { format: String::new(), arguments: Vec::new() });
            }
        }
        nodes
    }

    fn sequence(&mut self, statements: &'file [Statement], opening: Opening) -> Vec<Node> {
        let mut nodes = Vec::new();
        for (number, statement) in statements.iter().enumerate() {
            let first = number == 0 && matches!(opening, Opening::Option | Opening::FirstBlock);
            if number == 0 && opening != Opening::Body {
                self.check_labels(statement);
            }
            // The error is reported; the other statements may have more.
            let _ = self.statement(statement, first, &mut nodes);
        }
        nodes
    }

    /// A label before the first statement of an option or a block has no location of its own. Only a
    /// loop has one, to which it comes back.
    fn check_labels(&mut self, statement: &Statement) {
        let is_loop = matches!(
            statement.kind,
            StatementKind::Do(_) | StatementKind::ForRange { .. } | StatementKind::ForEach { .. }
        );
        if let (Some(label), false) = (statement.labels.first(), is_loop) {
            self.misplaced_label(label, "stands before the first statement of an option or a block");
        }
    }

    fn misplaced_label(&mut self, label: &syntax::Name, problem: &str) -> Reported {
        let message = format!("the label `{}` {problem}", label.text);
        let error = Diagnostic::error(codes::MISPLACED_LABEL, label.span, message, "not here");
        let help = "put it before the whole selection or block, or put `skip;` before it";
        self.expressions.diagnostics.report(error.help(help))
    }

    /// Appends the nodes of a statement. `first` tells whether it is the first one of an option.
    fn statement(&mut self, statement: &'file Statement, first: bool, nodes: &mut Vec<Node>) -> Checked<()> {
        if self.signature.is_none() {
            self.check_claim(statement)?;
        }
        if let StatementKind::Declaration(declaration) = &statement.kind {
            if let Some(label) = statement.labels.first() {
                self.misplaced_label(label, "stands before a declaration");
            }
            return self.declaration(declaration, nodes);
        }
        self.at_start = false;
        if let StatementKind::Unless { main, escape } = &statement.kind {
            return self.unless(statement, main, escape, first, nodes);
        }
        let kind = self.kind(statement, first, nodes)?;
        nodes.push(Node { labels: self.labels_of(statement), kind, span: statement.span });
        Ok(())
    }

    fn labels_of(&self, statement: &Statement) -> Vec<Label> {
        let label = |name: &syntax::Name| Label { name: self.labels.unique(name).to_owned() };
        statement.labels.iter().map(label).collect()
    }

    fn kind(&mut self, statement: &'file Statement, first: bool, nodes: &mut Vec<Node>) -> Checked<NodeKind> {
        let span = statement.span;
        Ok(match &statement.kind {
            StatementKind::Else if first => NodeKind::Else,
            // Alone at its location, nothing else is executable there.
            StatementKind::Else => {
                let message = "this `else` begins no option, and is always executable";
                let warning = Diagnostic::warning(codes::LONE_ELSE, span, message, "means `skip`");
                let help = "write `if :: condition -> … :: else -> … fi`";
                self.expressions.diagnostics.warn(warning.help(help));
                NodeKind::Basic(Basic::Condition(Expression::number(1, span)))
            }
            StatementKind::Break if self.loops > 0 => NodeKind::Break,
            StatementKind::Break => {
                let message = "there is no loop around this `break`";
                let error = Diagnostic::error(codes::MISPLACED_BREAK, span, message, "leaves no loop");
                return Err(self
                    .expressions
                    .diagnostics
                    .report(error.help("use `goto` to leave other parts")));
            }
            StatementKind::Goto(label) => {
                let Some(target) = self.labels.target(label) else {
                    let (known, diagnostics) = (self.labels.names(), &mut *self.expressions.diagnostics);
                    return Err(unknown_label(self.name, label, known, diagnostics));
                };
                NodeKind::Goto(target.to_owned())
            }
            StatementKind::If(choices) => NodeKind::If(self.choices(choices)?),
            StatementKind::Do(choices) => {
                self.loops += 1;
                let choices = self.choices(choices);
                self.loops -= 1;
                NodeKind::Do(choices?)
            }
            StatementKind::Block(body) => NodeKind::Block(self.block(body, first, span)?),
            StatementKind::Atomic(body) => NodeKind::Atomic(self.block(body, first, span)?),
            StatementKind::Deterministic(body) => NodeKind::Deterministic(self.block(body, first, span)?),
            StatementKind::ForRange { variable, low, high, body } => {
                self.for_range(variable, (low, high), body, span, nodes)?
            }
            StatementKind::ForEach { variable, collection, body } => {
                self.for_each(variable, collection, body, span, nodes)?
            }
            StatementKind::Select { variable, low, high, plain } => {
                self.select(variable, (low, high), *plain, statement, nodes)?
            }
            _ => NodeKind::Basic(self.basic(statement)?),
        })
    }

    fn block(&mut self, body: &'file [Statement], first: bool, span: Span) -> Checked<Vec<Node>> {
        self.expressions.scope.open();
        let nodes = self.sequence(body, if first { Opening::FirstBlock } else { Opening::Block });
        self.expressions.scope.close();
        self.not_empty(nodes, span)
    }

    fn choices(&mut self, choices: &'file [Choice]) -> Checked<Vec<Vec<Node>>> {
        let mut resolved = Vec::with_capacity(choices.len());
        let mut failed = Ok(());
        for choice in choices {
            let nodes = self.sequence(&choice.body, Opening::Option);
            match self.not_empty(nodes, choice.span) {
                Ok(nodes) => resolved.push(nodes),
                Err(reported) => failed = Err(reported),
            }
        }
        failed?;
        let firsts = resolved.iter().filter_map(|nodes| nodes.first());
        if let Some(second) = firsts.filter(|node| matches!(node.kind, NodeKind::Else)).nth(1) {
            let message = "there is a second `else` in one selection";
            let error = Diagnostic::error(codes::SECOND_ELSE, second.span, message, "the second one");
            let help = "join the options: the statements after `else` may be an `if`";
            return Err(self.expressions.diagnostics.report(error.help(help)));
        }
        self.check_else(&resolved);
        Ok(resolved)
    }

    /// Warns of an `else` beside channel operations, as SPIN does: for it, a rendezvous receive never
    /// counts as executable.
    fn check_else(&mut self, choices: &[Vec<Node>]) {
        let firsts = || choices.iter().filter_map(|nodes| nodes.first());
        let uses_channel =
            |node: &Node| matches!(node.kind, NodeKind::Basic(Basic::Send { .. } | Basic::Receive { .. }));
        let Some(otherwise) = firsts().find(|node| matches!(node.kind, NodeKind::Else)) else { return };
        if firsts().any(uses_channel) {
            let message = "an `else` stands beside an option that begins with a channel operation";
            let label = "a rendezvous receive does not count";
            let warning = Diagnostic::warning(codes::DUBIOUS_ELSE, otherwise.span, message, label);
            let help = "test the channel instead, by `nempty(c)`, `nfull(c)` or `c?[m]`";
            self.expressions.diagnostics.warn(warning.help(help));
        }
    }

    fn not_empty(&mut self, nodes: Vec<Node>, span: Span) -> Checked<Vec<Node>> {
        if !nodes.is_empty() {
            return Ok(nodes);
        }
        // What is left out because of an error is no second one.
        self.expressions.diagnostics.so_far()?;
        let message = "there is no statement in this block or option";
        let error = Diagnostic::error(codes::EMPTY_SEQUENCE, span, message, "nothing to execute");
        Err(self.expressions.diagnostics.report(error.help("write `skip` for a step without effect")))
    }

    fn unless(
        &mut self,
        statement: &'file Statement,
        main: &'file Statement,
        escape: &'file Statement,
        first: bool,
        nodes: &mut Vec<Node>,
    ) -> Checked<()> {
        let mut lifted = self.labels_of(statement);
        let main = self.part(main, first, nodes);
        let mut before = Vec::new();
        let escape_labels = escape.labels.first();
        if let (Some(label), false) = (escape_labels, matches!(escape.kind, StatementKind::Do(_))) {
            self.misplaced_label(label, "stands before the first statement of an escape");
        }
        let escape = self.part(escape, false, &mut before);
        let (mut main, mut escape) = (main?, escape?);
        if !before.is_empty() {
            let span = escape.span;
            before.push(escape);
            escape = Node { labels: Vec::new(), kind: NodeKind::Block(before), span };
        }
        let span = statement.span;
        // A loop has a location of its own, a block gets one around the whole construct, as in SPIN.
        let wrap: Option<fn(Vec<Node>) -> NodeKind> = match &mut main.kind {
            NodeKind::Do(_) => {
                main.labels.splice(0..0, lifted.drain(..));
                None
            }
            kind => {
                lifted.append(&mut main.labels);
                match kind {
                    _ if lifted.is_empty() => None,
                    NodeKind::Block(_) => Some(NodeKind::Block),
                    NodeKind::Atomic(body) => {
                        *kind = NodeKind::Block(std::mem::take(body));
                        Some(NodeKind::Atomic)
                    }
                    NodeKind::Deterministic(body) => {
                        *kind = NodeKind::Block(std::mem::take(body));
                        Some(NodeKind::Deterministic)
                    }
                    _ => {
                        let name = lifted.first().map_or("", |label| label.name.as_str());
                        let message = format!("the label `{name}` stands before a statement with an escape");
                        let error = Diagnostic::error(codes::MISPLACED_LABEL, span, message, "not here");
                        let help = format!("write `{name}: {{ … }} unless {{ … }}`");
                        return Err(self.expressions.diagnostics.report(error.help(help)));
                    }
                }
            }
        };
        let kind = NodeKind::Unless { main: Box::new(main), escape: Box::new(escape) };
        let inner = |labels| Node { labels, kind, span };
        nodes.push(match wrap {
            None => inner(Vec::new()),
            Some(wrap) => Node { labels: lifted, kind: wrap(vec![inner(Vec::new())]), span },
        });
        Ok(())
    }

    /// One node of an `unless`; what a loop needs before it goes to `before`.
    fn part(&mut self, statement: &'file Statement, first: bool, before: &mut Vec<Node>) -> Checked<Node> {
        let mut nodes = Vec::new();
        self.statement(statement, first, &mut nodes)?;
        let last = nodes.pop();
        before.append(&mut nodes);
        match last {
            Some(node) => Ok(node),
            None => self.not_empty(Vec::new(), statement.span).and(Ok(skip(statement.span))),
        }
    }
}

pub(super) fn basic(basic: Basic, span: Span) -> Node {
    Node { labels: Vec::new(), kind: NodeKind::Basic(basic), span }
}

pub(super) fn skip(span: Span) -> Node {
    basic(Basic::Condition(Expression::number(1, span)), span)
}
