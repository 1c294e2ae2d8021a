//! Declarations to variables: sizes, initial values, and the names of the model.
//!
//! This module fixes the order of cells: global variables, then the queues of channels, then for
//! each process its location and its variables. Sizes are bounded, because a typing error like
//! `byte a[1000000000]` should be a message and not exhaust memory.

use std::collections::{BTreeMap, BTreeSet};

use model::guarded_commands::{GuardedCommands, Location, LocationId, LocationKind, ProcessId, Shape, Span};

use super::constants::{self, Replacements};
use super::syntax::{self, Declaration, Initial, Mutability};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, Reported};
use crate::names::{ChannelNames, Names, ProcessNames, Queue, Symbol, Symbols};
use crate::question::resolve::Resolver;
use crate::question::syntax::{Expression, Name};

/// The longest array and the largest channel capacity.
const LONGEST_ARRAY: i64 = 65_536;

/// The largest state, in cells.
const LARGEST_STATE: usize = 1 << 20;

/// The model under construction.
pub(crate) struct Declarations<'file, 'run> {
    pub(crate) commands: GuardedCommands,
    pub(crate) names: Names,
    /// The processes that are part of the model.
    pub(crate) members: Vec<(ProcessId, &'file syntax::Process<'file>)>,
    /// The process that is a property of the model.
    pub(crate) property: Option<&'file syntax::Process<'file>>,
    pub(crate) diagnostics: &'run mut Diagnostics,
}

impl<'file, 'run> Declarations<'file, 'run> {
    /// Declares everything in `file` except the transitions.
    pub(crate) fn new(
        file: &'file syntax::File<'file>,
        replacements: &Replacements<'_>,
        diagnostics: &'run mut Diagnostics,
    ) -> Self {
        constants::check(file, replacements, diagnostics);
        let (commands, names) = Default::default();
        let mut declarations = Self { commands, names, members: Vec::new(), property: None, diagnostics };
        for variable in &file.variables {
            declarations.global(variable, replacements);
        }
        for channel in &file.channels {
            declarations.channel(channel);
        }
        let property = file.system.and_then(|system| system.property);
        declarations.names.property = property.map(|name| name.text.to_owned());
        let mut known = BTreeSet::new();
        for process in &file.processes {
            if !declarations.unique(process.name, &mut known, "process") {
                continue;
            }
            if property.is_some_and(|name| name.text == process.name.text) {
                declarations.property = Some(process);
            } else {
                declarations.process(process);
            }
        }
        declarations
    }

    fn global(&mut self, declaration: &Declaration<'_>, replacements: &Replacements<'_>) {
        let known = self.names.globals.contains_key(declaration.name.text);
        if known {
            self.declared_twice(declaration.name, "variable or constant");
        } else {
            let symbol = match constants::replaced(declaration, replacements, self.diagnostics) {
                Some(value) => value.map(Symbol::Constant),
                None => self.symbol(declaration, None, None),
            };
            let symbol = symbol.unwrap_or_else(Symbol::Broken);
            self.names.globals.insert(declaration.name.text.to_owned(), symbol);
        }
    }

    fn process(&mut self, process: &'file syntax::Process<'file>) {
        let locations = self.locations(process);
        let initial = locations.get(process.initial.text).copied();
        if initial.is_none() {
            unknown_location(process, process.initial, self.diagnostics);
        }
        let committed = self.known_names(process, &process.committed);
        let described = process.locations.iter().map(|name| Location {
            name: name.text.to_owned(),
            kind: if committed.contains(&name.text) {
                LocationKind::Committed
            } else {
                LocationKind::Ordinary
            },
            span: name.span,
        });
        let described = described.collect();
        let initial = initial.unwrap_or(LocationId(0));
        let id = self.commands.add_process(process.name.text, described, initial, process.name.span);
        let mut symbols = Symbols::new();
        for declaration in &process.variables {
            self.local(declaration, Some(id), &mut symbols);
        }
        let location = self.commands.process(id).location;
        let known = ProcessNames { location, locations, symbols };
        self.names.processes.insert(process.name.text.to_owned(), known);
        self.members.push((id, process));
    }

    /// Adds a variable or constant of a process to the ones before it.
    pub(crate) fn local(
        &mut self,
        declaration: &Declaration<'_>,
        process: Option<ProcessId>,
        symbols: &mut Symbols,
    ) {
        if symbols.contains_key(declaration.name.text) {
            return self.declared_twice(declaration.name, "variable or constant");
        }
        let symbol = self.symbol(declaration, process, Some(symbols)).unwrap_or_else(Symbol::Broken);
        symbols.insert(declaration.name.text.to_owned(), symbol);
    }

    /// The numbers of a process's locations.
    pub(crate) fn locations(&mut self, process: &syntax::Process<'_>) -> BTreeMap<String, LocationId> {
        let mut known = BTreeSet::new();
        let mut locations = BTreeMap::new();
        for (number, name) in process.locations.iter().enumerate() {
            if self.unique(*name, &mut known, "state") {
                locations.insert(name.text.to_owned(), LocationId(number as u32));
            }
        }
        locations
    }

    /// The texts of `names`, each of which must be a location of `process`.
    fn known_names<'text>(
        &mut self,
        process: &syntax::Process<'text>,
        names: &[Name<'text>],
    ) -> BTreeSet<&'text str> {
        let known: BTreeSet<&str> = process.locations.iter().map(|name| name.text).collect();
        for name in names.iter().filter(|name| !known.contains(name.text)) {
            unknown_location(process, *name, self.diagnostics);
        }
        names.iter().map(|name| name.text).filter(|name| known.contains(name)).collect()
    }

    /// Declares one variable or constant.
    fn symbol(
        &mut self,
        declaration: &Declaration<'_>,
        process: Option<ProcessId>,
        locals: Option<&Symbols>,
    ) -> Checked<Symbol> {
        let mut resolver = Resolver::new(&self.names, locals, self.diagnostics);
        let length = match &declaration.length {
            Some(length) => Some(array_length(&mut resolver, length)?),
            None => None,
        };
        let initial = initial_values(&mut resolver, declaration, length)?;
        let (name, integer) = (declaration.name, declaration.integer);
        if let (Mutability::Constant, None) = (declaration.mutability, length) {
            return Ok(Symbol::Constant(initial.first().copied().unwrap_or(0)));
        }
        let shape = match length {
            Some(length) => Shape::Array { element: integer, length },
            None => Shape::Scalar(integer),
        };
        self.room_for(length.unwrap_or(1) as usize, name)?;
        let variable = self.commands.add_variable(name.text, process, shape, &initial, name.span);
        let first_cell = self.commands.variable(variable).first_cell;
        Ok(match (length, declaration.mutability) {
            (None, _) => Symbol::Scalar { cell: first_cell, integer },
            (Some(length), Mutability::Variable) => Symbol::Array { variable, first_cell, length, integer },
            (Some(length), Mutability::Constant) => {
                let mut values = initial;
                values.resize(length as usize, 0);
                Symbol::ConstantArray { variable, values }
            }
        })
    }

    fn channel(&mut self, channel: &syntax::Channel<'_>) {
        if self.names.channels.contains_key(channel.name.text) {
            self.declared_twice(channel.name, "channel");
        } else {
            let known = self.channel_names(channel);
            self.names.channels.insert(channel.name.text.to_owned(), known);
        }
    }

    fn channel_names(&mut self, channel: &syntax::Channel<'_>) -> Checked<ChannelNames> {
        let mut resolver = Resolver::new(&self.names, None, self.diagnostics);
        let capacity = match &channel.capacity {
            None => 0,
            Some(capacity) => {
                let value = resolver.constant(capacity)?;
                size(value, 0, capacity.span, "the capacity of a channel", self.diagnostics)?
            }
        };
        let queue = match &channel.fields {
            _ if capacity == 0 => None,
            Some(fields) => {
                self.room_for(1 + fields.len().saturating_mul(capacity as usize), channel.name)?;
                let shape = Shape::Queue { fields: fields.clone(), capacity };
                let variable =
                    self.commands.add_variable(channel.name.text, None, shape, &[], channel.name.span);
                Some(Queue { variable, length: self.commands.variable(variable).first_cell, capacity })
            }
            None => {
                let message = format!("the buffered channel `{}` has no message type", channel.name.text);
                let error = Diagnostic::error(
                    codes::CHANNEL_WITHOUT_TYPE,
                    channel.name.span,
                    message,
                    "what are its messages?",
                );
                return Err(self.diagnostics.report(
                    error.help(format!("write `channel {{byte}} {}[{capacity}];`", channel.name.text)),
                ));
            }
        };
        let (name, span, fields) = (channel.name.text.to_owned(), channel.name.span, channel.fields.clone());
        Ok(ChannelNames { name, span, fields, queue })
    }

    fn room_for(&mut self, cells: usize, name: Name<'_>) -> Checked<()> {
        if self.commands.cells.len().saturating_add(cells) <= LARGEST_STATE {
            return Ok(());
        }
        let message = format!("a state of this model has more than {LARGEST_STATE} cells");
        let label = format!("with the {cells} of `{}`", name.text);
        Err(self.diagnostics.report(Diagnostic::error(codes::STATE_TOO_LARGE, name.span, message, label)))
    }

    /// Adds a name to `known`, or reports that it is there already.
    fn unique<'text>(&mut self, name: Name<'text>, known: &mut BTreeSet<&'text str>, kind: &str) -> bool {
        let is_new = known.insert(name.text);
        if !is_new {
            self.declared_twice(name, kind);
        }
        is_new
    }

    fn declared_twice(&mut self, name: Name<'_>, kind: &str) {
        let message = format!("a second {kind} `{}`", name.text);
        let label = "the name is taken";
        self.diagnostics.report(Diagnostic::error(codes::DECLARED_TWICE, name.span, message, label));
    }
}

/// Reports a state that `process` does not have.
pub(crate) fn unknown_location(
    process: &syntax::Process<'_>,
    name: Name<'_>,
    diagnostics: &mut Diagnostics,
) -> Reported {
    let message = format!("process `{}` has no state `{}`", process.name.text, name.text);
    let help = crate::spelling::did_you_mean(name.text, process.locations.iter().map(|known| known.text));
    let error = Diagnostic::error(codes::UNKNOWN_LOCATION, name.span, message, "unknown state");
    diagnostics.report(error.help_if_any(help))
}

fn array_length(resolver: &mut Resolver<'_, '_>, length: &Expression<'_>) -> Checked<u32> {
    let value = resolver.constant(length)?;
    size(value, 1, length.span, "the length of an array", resolver.diagnostics)
}

fn size(value: i64, least: i64, span: Span, what: &str, diagnostics: &mut Diagnostics) -> Checked<u32> {
    if let (true, Ok(size)) = ((least..=LONGEST_ARRAY).contains(&value), u32::try_from(value)) {
        return Ok(size);
    }
    let message = format!("{what} must be {least} to {LONGEST_ARRAY}, and this is {value}");
    Err(diagnostics.report(Diagnostic::error(codes::BAD_SIZE, span, message, "outside of the limits")))
}

/// The initial values as they are stored. Cells without one start at zero.
fn initial_values(
    resolver: &mut Resolver<'_, '_>,
    declaration: &Declaration<'_>,
    length: Option<u32>,
) -> Checked<Vec<i64>> {
    let (listed, span): (&[Expression<'_>], Span) = match &declaration.initial {
        None => return Ok(Vec::new()),
        Some(Initial::Value(value)) => (std::slice::from_ref(value), value.span),
        Some(Initial::List(values, span)) => (values, *span),
    };
    let is_list = matches!(declaration.initial, Some(Initial::List(..)));
    let problem = match length {
        None if is_list => Some("a list as the initial value of a single variable"),
        Some(_) if !is_list => Some("a single initial value for an array"),
        _ => None,
    };
    if let Some(message) = problem {
        let label = format!("does not fit `{}`", declaration.name.text);
        let error = Diagnostic::error(codes::BAD_INITIAL_VALUE, span, message, label);
        let help = "a variable takes `= 1`, an array of three `= {1, 2, 3}`";
        return Err(resolver.diagnostics.report(error.help(help)));
    }
    let room = length.unwrap_or(1) as usize;
    if let Some(surplus) = listed.get(room) {
        // Every instance of BEEM's `anderson` has one value too many, which is no reason to refuse
        // it.
        let message = format!("{} initial values for {room} elements", listed.len());
        let warning =
            Diagnostic::warning(codes::SURPLUS_INITIAL_VALUES, surplus.span, message, "ignored from here on");
        resolver.diagnostics.warn(warning);
    }
    let mut values = Vec::with_capacity(listed.len());
    for expression in listed.iter().take(room) {
        let value = resolver.constant(expression)?;
        let stored = declaration.integer.wrap(value);
        if stored != value {
            let (least, most) = (declaration.integer.min(), declaration.integer.max());
            let message = format!("the initial value {value} does not fit and becomes {stored}");
            let label = format!("`{}` holds {least} to {most}", declaration.name.text);
            let warning = Diagnostic::warning(codes::INITIAL_VALUE_WRAPS, expression.span, message, label);
            resolver.diagnostics.warn(warning);
        }
        values.push(stored);
    }
    Ok(values)
}
