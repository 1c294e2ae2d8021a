//! `for` and `select`: the loops and selections that they stand for, step by step as in SPIN.
//!
//! The assignment before the loop is a step of its own, in the sequence around the loop. A label of
//! the statement belongs to the loop: a jump to it does not start again.

use model::guarded_commands::{IntegerType, Span};

use super::super::program::{
    Basic, Expression, ExpressionKind, Initial, Leaf, LeafId, LeafKind, Node, NodeKind, Place,
    ReceiveArgument,
};
use super::super::syntax::{self, BinaryOperator, Reference, Statement};
use super::references::Access;
use super::statements::{Statements, basic};
use super::steps::{plus, read};
use super::types::Shape;
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Reported};

/// The widest range of constants that becomes a selection.
const WIDEST_SELECTION: i64 = 32;

/// The bounds of a range as they are written.
type Bounds<'file> = (&'file syntax::Expression, &'file syntax::Expression);

impl<'file> Statements<'_, 'file> {
    /// `i = low; do :: i <= high -> body; i = i + 1 :: else -> break od`
    pub(super) fn for_range(
        &mut self,
        variable: &Reference,
        bounds: Bounds<'file>,
        body: &'file [Statement],
        span: Span,
        nodes: &mut Vec<Node>,
    ) -> Checked<NodeKind> {
        let counter = self.counter(variable);
        let (low, high) = (self.expressions.value(bounds.0), self.expressions.value(bounds.1));
        let body = self.loop_body(body);
        let (counter, low, high) = (counter?, low?, high?);
        Ok(counted(&counter, (low, high), BinaryOperator::LessOrEqual, body, span, nodes))
    }

    /// `for (i in array)`, or `for (m in channel)` for a structure `m`.
    pub(super) fn for_each(
        &mut self,
        variable: &Reference,
        collection: &Reference,
        body: &'file [Statement],
        span: Span,
        nodes: &mut Vec<Node>,
    ) -> Checked<NodeKind> {
        let structure = self.expressions.structure(variable);
        let over = match &structure {
            Ok(Some(message)) => self.messages(message, collection, span),
            Ok(None) => self.indices(variable, collection, span),
            Err(reported) => Err(*reported),
        };
        let body = self.loop_body(body);
        let Over { counter, high, operator, mut first } = over?;
        first.extend(body);
        let low = Expression::number(0, span);
        Ok(counted(&counter, (low, high), operator, first, span, nodes))
    }

    /// `for (i in array)` runs over `0 .. length - 1`.
    fn indices(&mut self, variable: &Reference, collection: &Reference, span: Span) -> Checked<Over> {
        let counter = self.counter(variable);
        let collection = match self.expressions.access(collection)? {
            Access { whole: Some(length), .. } => length,
            Access { place, .. } => {
                let message = "`for … in` runs over an array, or over a channel of structures";
                let help =
                    "use `for (i : low .. high)` for a range; for a channel, the variable is a structure";
                return Err(self.bad_loop(place.span, message, "neither of them", help));
            }
        };
        let high = Expression::number(i64::from(collection) - 1, span);
        Ok(Over { counter: counter?, high, operator: BinaryOperator::LessOrEqual, first: Vec::new() })
    }

    /// `for (m in channel)` takes each message out and puts it back:
    /// `k = 0; do :: k < len(c) -> c?m; c!m; body; k = k + 1 :: else -> break od`
    fn messages(&mut self, message: &Access, collection: &Reference, span: Span) -> Checked<Over> {
        let channel = self.expressions.channel(collection);
        let places = self.expressions.elements(message);
        let (channel, places) = (channel?, places?);
        let fits = match self.declared(&channel) {
            Some((0, _)) => Err("it has no buffer"),
            Some((_, fields)) if !self.is_of(message, &fields) => Err("its messages are something else"),
            _ => Ok(()),
        };
        if let Err(problem) = fits {
            let text = format!("the loop cannot run over this channel: {problem}");
            let help = "declare it as `chan c = [n] of { T }`, with the typedef `T` of the variable";
            return Err(self.bad_loop(channel.span, &text, "not this channel", help));
        }
        for place in &places {
            self.expressions.assigned(place);
        }
        let arguments = places.iter().cloned().map(ReceiveArgument::Store).collect();
        let receive = Basic::Receive { channel: channel.clone(), any: false, copies: false, arguments };
        let arguments = places.iter().map(read).collect();
        let send = Basic::Send { channel: channel.clone(), sorted: false, arguments };
        let first = vec![basic(receive, span), basic(send, span)];
        let high = Expression::new(ExpressionKind::Length(channel), span);
        Ok(Over { counter: self.hidden_counter(span)?, high, operator: BinaryOperator::Less, first })
    }

    /// Capacity and fields of a channel, where its declaration is known.
    fn declared(&self, channel: &Place) -> Option<(u32, Vec<LeafKind>)> {
        let leaf = match channel.leaf {
            LeafId::Global(leaf) => self.expressions.names.leaves.get(leaf),
            LeafId::Local(leaf) => self.signature.and_then(|signature| signature.locals.get(leaf)),
        };
        match &leaf?.initial {
            Initial::Channels { capacity, fields, .. } => Some((*capacity, fields.clone())),
            Initial::Value(_) | Initial::List(_) => None,
        }
    }

    fn is_of(&self, message: &Access, fields: &[LeafKind]) -> bool {
        let mut kinds = Vec::new();
        match message.shape {
            Shape::Leaf(_) => false,
            Shape::Structure(id) => {
                self.expressions.names.types.kinds(id, &mut kinds).is_ok() && kinds == fields
            }
        }
    }

    /// A byte that the program does not see, and that is part of the state.
    fn hidden_counter(&mut self, span: Span) -> Checked<Place> {
        let Some(signature) = self.signature else {
            return Err(self.bad_loop(span, "there are no loops over channels here", "not here", "use `do`"));
        };
        let number = self.locals.counters.len();
        let name = if number == 0 { "for'".to_owned() } else { format!("for'{}", number + 1) };
        self.locals.counters.push(Leaf {
            name,
            kind: LeafKind::Integer(IntegerType::BYTE),
            dimensions: Vec::new(),
            hidden: false,
            initial: Initial::Value(Expression::number(0, span)),
            span,
        });
        let leaf = LeafId::Local(signature.locals.len() + number);
        Ok(Place { leaf, indices: Vec::new(), span })
    }

    pub(super) fn select(
        &mut self,
        variable: &'file Reference,
        bounds: Bounds<'file>,
        plain: bool,
        statement: &'file Statement,
        nodes: &mut Vec<Node>,
    ) -> Checked<NodeKind> {
        let span = statement.span;
        let counter = self.counter(variable);
        let (low, high) = (self.expressions.value(bounds.0), self.expressions.value(bounds.1));
        let (counter, low, high) = (counter?, low?, high?);
        let assign = |value| basic(Basic::Assign(vec![(counter.clone(), value)]), span);
        let below = || {
            let kind = ExpressionKind::Binary(
                BinaryOperator::Less,
                Box::new(read(&counter)),
                Box::new(high.clone()),
            );
            basic(Basic::Condition(Expression::new(kind, span)), span)
        };
        let next = || assign(plus(BinaryOperator::Add, read(&counter), span));
        let stop = || Node { labels: Vec::new(), kind: NodeKind::Break, span };
        let is_plain_name = match variable.parts.as_slice() {
            [part] => part.index.is_none() && !part.name.text.contains('_'),
            _ => false,
        };
        let numbers = match (&low.kind, &high.kind) {
            (ExpressionKind::Number(low), ExpressionKind::Number(high)) if plain && is_plain_name => {
                Some((*low, *high))
            }
            _ => None,
        };
        Ok(match numbers {
            Some((least, most)) if least > most => {
                let message = format!("the range {least} .. {most} is empty");
                return Err(self.bad_loop(
                    span,
                    &message,
                    "nothing to select",
                    "give the smaller number first",
                ));
            }
            Some((least, most)) if most - least <= WIDEST_SELECTION => {
                let values = (least..=most).map(|value| vec![assign(Expression::number(value, span))]);
                NodeKind::If(values.collect())
            }
            Some(_) => {
                nodes.push(assign(low.clone()));
                NodeKind::Do(vec![vec![below(), next()], vec![stop()]])
            }
            None => {
                nodes.push(assign(low.clone()));
                NodeKind::Do(vec![vec![stop()], vec![below(), next()]])
            }
        })
    }

    /// The scalar that a loop counts with.
    fn counter(&mut self, variable: &Reference) -> Checked<Place> {
        let (place, kind) = self.expressions.target(variable)?;
        if kind == LeafKind::Channel {
            let message = "a loop counts with a number, and this is a channel";
            return Err(self.bad_loop(place.span, message, "a channel", "use a `byte` or an `int`"));
        }
        Ok(place)
    }

    fn bad_loop(&mut self, span: Span, message: &str, label: &str, help: &str) -> Reported {
        let error = Diagnostic::error(codes::BAD_LOOP, span, message, label);
        self.expressions.diagnostics.report(error.help(help))
    }
}

/// What a `for … in` runs over.
struct Over {
    counter: Place,
    high: Expression,
    operator: BinaryOperator,
    /// What precedes the body in each round.
    first: Vec<Node>,
}

/// Appends `counter = low`, and gives the loop
/// `do :: counter operator high -> body; counter = counter + 1 :: else -> break od`.
fn counted(
    counter: &Place,
    (low, high): (Expression, Expression),
    operator: BinaryOperator,
    body: Vec<Node>,
    span: Span,
    nodes: &mut Vec<Node>,
) -> NodeKind {
    nodes.push(basic(Basic::Assign(vec![(counter.clone(), low)]), span));
    let condition = ExpressionKind::Binary(operator, Box::new(read(counter)), Box::new(high));
    let mut round = vec![basic(Basic::Condition(Expression::new(condition, span)), span)];
    round.extend(body);
    let next = plus(BinaryOperator::Add, read(counter), span);
    round.push(basic(Basic::Assign(vec![(counter.clone(), next)]), span));
    let plain = |kind| Node { labels: Vec::new(), kind, span };
    NodeKind::Do(vec![round, vec![plain(NodeKind::Else), plain(NodeKind::Break)]])
}
