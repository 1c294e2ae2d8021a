//! The names that questions about a Promela model can use.
//!
//! Globals and message names stand for themselves, `P:x` and `P[1]:x` for a local of a process, and
//! `P@L` and `P[1]@L` for the test whether a process is at a label.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::guarded_commands::{LocationId, Shape, VariableId};

use super::super::program::{LeafId, LeafKind, MessageKind};
use super::Lowering;
use super::system::{Storage, System};
use crate::diagnostic::Checked;
use crate::names::{ChannelNames, NameSyntax, Names, ProcessNames, Queue, Symbol, Symbols};
use crate::question::parse::Parser;
use crate::question::syntax::{Expression, ExpressionKind, Name};
use crate::question::tokens::TokenKind;

impl Lowering<'_, '_> {
    /// All names of the model.
    pub(super) fn names(&self) -> Names {
        let mut names = Names { syntax: COLON_AND_AT, ..Names::default() };
        for kind in &self.system.program.message_kinds {
            for (number, name) in kind.names.iter().enumerate() {
                names.globals.insert(name.clone(), Symbol::Constant(number as i64 + 1));
            }
        }
        for number in 0..self.system.program.globals.len() {
            self.add_leaf(LeafId::Global(number), None, &mut names.globals);
        }
        for channel in self.system.channels.iter().filter(|channel| channel.owner.is_none()) {
            let queue = channel.queue.map(|variable| Queue {
                variable,
                length: self.system.commands.variable(variable).first_cell,
                capacity: channel.capacity,
            });
            let fields = Some(channel.fields.iter().map(|field| field.integer()).collect());
            let name = channel.name.clone();
            let known = ChannelNames { name: name.clone(), span: Default::default(), fields, queue };
            names.channels.insert(name, Ok(known));
        }
        for (number, slot) in self.system.slots.iter().enumerate() {
            let mut symbols = Symbols::new();
            for local in 0..slot.locals.len() {
                self.add_leaf(LeafId::Local(local), Some(number), &mut symbols);
            }
            let mut locations = BTreeMap::new();
            for (label, location) in &self.system.graph(number).labels {
                if let Some(at) = self.system.visible(number, *location) {
                    locations.insert((*label).to_owned(), LocationId(at));
                }
            }
            let name = self.system.commands.process(slot.process).name.clone();
            let process = ProcessNames { location: slot.location, locations, symbols };
            names.processes.insert(name, process);
        }
        names
    }

    /// Gives names to the values of cells that hold messages or channels.
    pub(super) fn name_values(&mut self) {
        let of_kind = |kind: &MessageKind| -> Arc<[String]> {
            ["0".to_owned()].into_iter().chain(kind.names.iter().cloned()).collect()
        };
        let messages: Vec<Arc<[String]>> = self.system.program.message_kinds.iter().map(of_kind).collect();
        let channels = self.system.channels.iter().map(|channel| channel.name.clone());
        let channels: Arc<[String]> = ["0".to_owned()].into_iter().chain(channels).collect();
        let names = |kind: LeafKind| match kind {
            LeafKind::Message(kind) => messages.get(kind).cloned(),
            LeafKind::Channel => Some(Arc::clone(&channels)),
            LeafKind::Integer(_) => None,
        };
        let mut named = Vec::new();
        let mut add = |variable: VariableId, names: Option<Arc<[String]>>, system: &System<'_>| {
            let variable = system.commands.variable(variable);
            let first = variable.first_cell.index();
            named.extend((first..first + variable.cell_count()).map(|cell| (cell, names.clone())));
        };
        let globals = (0..self.system.globals.len()).map(|leaf| (LeafId::Global(leaf), None));
        let locals =
            self.system.slots.iter().enumerate().flat_map(|(slot, one)| {
                (0..one.locals.len()).map(move |leaf| (LeafId::Local(leaf), Some(slot)))
            });
        for (leaf, slot) in globals.chain(locals) {
            if let Storage::Variable(variable) = self.system.storage(leaf, slot) {
                add(variable, names(self.system.leaf(leaf, slot).kind), &self.system);
            }
        }
        for channel in &self.system.channels {
            let Some(queue) = channel.queue else { continue };
            let first = self.system.commands.variable(queue).first_cell.index() + 1;
            for place in 0..channel.capacity as usize * channel.fields.len() {
                named.push((first + place, names(channel.fields[place % channel.fields.len()])));
            }
        }
        for (cell, names) in named {
            self.system.commands.cells[cell].names = names;
        }
    }

    fn add_leaf(&self, leaf: LeafId, slot: Option<usize>, symbols: &mut Symbols) {
        if let Storage::Variable(variable) = self.system.storage(leaf, slot) {
            let name = self.system.leaf(leaf, slot).name.clone();
            symbols.insert(name, self.symbol(variable));
        }
    }

    fn symbol(&self, variable: VariableId) -> Symbol {
        let known = self.system.commands.variable(variable);
        let first_cell = known.first_cell;
        match known.shape {
            Shape::Array { element, length } => {
                Symbol::Array { variable, first_cell, length, integer: element }
            }
            _ => {
                let integer = self.system.commands.cells[first_cell.index()].declared;
                Symbol::Scalar { cell: first_cell, integer }
            }
        }
    }
}

/// The notation of Promela.
pub(super) const COLON_AND_AT: &dyn NameSyntax = &ColonAndAt;

#[derive(Debug)]
struct ColonAndAt;

impl NameSyntax for ColonAndAt {
    /// `name [ "[" number "]" ] ( ":" name | "@" label ) | name [ index ]`
    fn operand<'text>(&self, parser: &mut Parser<'text, '_>) -> Checked<Expression<'text>> {
        let first = parser.name()?;
        let ahead = [parser.kind_ahead(0), parser.kind_ahead(1), parser.kind_ahead(2), parser.kind_ahead(3)];
        let has_pid = matches!(
            ahead,
            [
                TokenKind::OpenBracket,
                TokenKind::Number(_),
                TokenKind::CloseBracket,
                TokenKind::Colon | TokenKind::At
            ]
        );
        let mut process = first;
        if has_pid {
            (0..3).for_each(|_| parser.advance());
            let span = first.span.to(parser.previous_span());
            process = Name { text: parser.spelling(span), span };
        }
        if parser.eat(TokenKind::At) {
            let location = parser.name()?;
            let (kind, span) = (ExpressionKind::At { process, location }, first.span.to(location.span));
            return Ok(Expression { kind, span, depth: 1 });
        }
        if parser.eat(TokenKind::Colon) {
            let name = parser.name()?;
            return parser.indexed(first.span, |index| ExpressionKind::Foreign { process, name, index });
        }
        parser.variable(first)
    }

    fn variable(&self, process: &str, variable: &str) -> String {
        format!("{process}:{variable}")
    }

    fn location(&self, process: &str, location: &str) -> String {
        format!("{process}@{location}")
    }
}
