//! What names mean in an expression: syntax trees to expressions over cells.
//!
//! Variables are looked up in the own process first, then in the whole model. Processes, locations
//! and channels have tables of their own (see [`names`](crate::names)), and the grammar tells which
//! one is meant.
//!
//! In progress measures these tables meet, because a measure may speak of everything that a state
//! holds. There a variable hides a process of its name, and both hide a channel. `process P` and
//! `channel c` say which one is meant.

use model::guarded_commands::{BinaryOperator, CellId, Expression, LocationId, Span, UnaryOperator};

use super::syntax::{self, BufferCell, ExpressionKind, Name, Purpose};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics};
use crate::lowering::fold;
use crate::names::{Names, ProcessNames, Symbol, Symbols};
use crate::spelling::did_you_mean;

/// Gives names their meaning, as seen from inside one process or from outside of all.
pub(crate) struct Resolver<'names, 'run> {
    pub(crate) names: &'names Names,
    /// The names that hide the global ones.
    pub(crate) locals: Option<&'names Symbols>,
    pub(crate) purpose: Purpose,
    pub(crate) diagnostics: &'run mut Diagnostics,
}

impl<'names, 'run> Resolver<'names, 'run> {
    /// Resolves expressions of a model: seen from inside a process with `locals`, or from outside
    /// of all.
    pub(crate) fn new(
        names: &'names Names,
        locals: Option<&'names Symbols>,
        diagnostics: &'run mut Diagnostics,
    ) -> Self {
        Self { names, locals, purpose: Purpose::Model, diagnostics }
    }

    /// Resolves expressions of a progress measure.
    pub(crate) fn for_measures(names: &'names Names, diagnostics: &'run mut Diagnostics) -> Self {
        Self { names, locals: None, purpose: Purpose::Measure, diagnostics }
    }

    /// Resolves an expression to one over cells, with constant parts computed.
    pub(crate) fn expression(&mut self, expression: &syntax::Expression<'_>) -> Checked<Expression> {
        let span = expression.span;
        match &expression.kind {
            ExpressionKind::Number(value) => Ok(Expression::Constant(*value)),
            ExpressionKind::Variable { name, index: None } if let Some(process) = self.bare(*name) => {
                Ok(Expression::Cell(process.location))
            }
            ExpressionKind::Variable { name, index } if self.is_buffer(*name) => match index {
                Some(index) => self.message(*name, index, None, span),
                None => self.whole_buffer(*name),
            },
            ExpressionKind::Variable { name, index } => {
                let symbol = self.visible(*name);
                self.read(symbol, *name, index.as_deref(), span)
            }
            ExpressionKind::Foreign { process, name, index } => {
                let symbol =
                    self.process(*process).and_then(|known| self.variable_of(*process, known, *name));
                self.read(symbol, *name, index.as_deref(), span)
            }
            ExpressionKind::At { process, location }
                if !self.names.processes.contains_key(process.text) && self.is_buffer(*process) =>
            {
                self.buffer_length(*process, *location)
            }
            ExpressionKind::At { process, location } => {
                let known = self.process(*process)?;
                let number = self.location(*process, known, *location)?;
                let (cell, number) =
                    (Expression::Cell(known.location), Expression::Constant(i64::from(number.0)));
                Ok(fold::binary(BinaryOperator::Equal, cell, number, span))
            }
            ExpressionKind::Unary { operator, operand } => {
                Ok(fold::unary(*operator, self.expression(operand)?))
            }
            ExpressionKind::Binary { operator, left, right } => {
                // Both sides are resolved before either `?`: two unknown names are two findings.
                let (left, right) = (self.expression(left), self.expression(right));
                Ok(fold::binary(*operator, left?, right?, span))
            }
            ExpressionKind::Process(name) => Ok(Expression::Cell(self.process(*name)?.location)),
            ExpressionKind::Buffer { channel, cell: BufferCell::Named(cell) } => {
                self.buffer_length(*channel, *cell)
            }
            ExpressionKind::Buffer { channel, cell: BufferCell::Message { index, part } } => {
                self.message(*channel, index, part.as_deref(), span)
            }
            ExpressionKind::Rank(rank) => self.rank(rank),
        }
    }

    /// Resolves an expression as a truth value. There `~` negates: writers of formulas mean that,
    /// and the complements of 0 and 1 are both true.
    pub(crate) fn truth(&mut self, expression: &syntax::Expression<'_>) -> Checked<Expression> {
        match &expression.kind {
            ExpressionKind::Unary { operator: UnaryOperator::Not | UnaryOperator::Complement, operand } => {
                Ok(fold::unary(UnaryOperator::Not, self.truth(operand)?))
            }
            ExpressionKind::Binary {
                operator: operator @ (BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Imply),
                left,
                right,
            } => {
                let (left, right) = (self.truth(left), self.truth(right));
                Ok(fold::binary(*operator, left?, right?, expression.span))
            }
            _ => self.expression(expression),
        }
    }

    /// Resolves expressions in order. One error spoils the list, but all are resolved.
    pub(crate) fn expressions(&mut self, expressions: &[syntax::Expression<'_>]) -> Checked<Vec<Expression>> {
        let read: Vec<Checked<Expression>> = expressions.iter().map(|one| self.expression(one)).collect();
        read.into_iter().collect()
    }

    /// Resolves an expression that must be constant.
    pub(crate) fn constant(&mut self, expression: &syntax::Expression<'_>) -> Checked<i64> {
        match self.expression(expression)? {
            Expression::Constant(value) => Ok(value),
            _ => {
                let message = "this value must be known before the run";
                let error =
                    Diagnostic::error(codes::NOT_CONSTANT, expression.span, message, "not a constant");
                let help = "use numbers, names declared with `const`, and operators whose result is defined";
                Err(self.diagnostics.report(error.help(help)))
            }
        }
    }

    /// Reads the variable or constant that `name` refers to. The index is resolved even if the name
    /// is unknown, because it may have errors of its own.
    fn read(
        &mut self,
        symbol: Checked<&'names Symbol>,
        name: Name<'_>,
        index: Option<&syntax::Expression<'_>>,
        span: Span,
    ) -> Checked<Expression> {
        let index = index.map(|index| self.expression(index)).transpose();
        match (symbol?, index?) {
            (Symbol::Broken(reported), _) => Err(*reported),
            (Symbol::Constant(value), None) => Ok(Expression::Constant(*value)),
            (Symbol::Scalar { cell, .. }, None) => Ok(Expression::Cell(*cell)),
            (Symbol::Constant(_) | Symbol::Scalar { .. }, Some(_)) => self.not_an_array(name),
            (Symbol::Array { first_cell, .. }, None) => {
                self.bare_array(name);
                Ok(Expression::Cell(*first_cell))
            }
            (Symbol::ConstantArray { values, .. }, None) => {
                self.bare_array(name);
                Ok(Expression::Constant(values.first().copied().unwrap_or(0)))
            }
            (Symbol::Array { first_cell, length, .. }, Some(Expression::Constant(index))) => {
                let offset = self.offset(index, *length, name, span)?;
                Ok(Expression::Cell(CellId(first_cell.0 + offset)))
            }
            (Symbol::ConstantArray { values, .. }, Some(Expression::Constant(index))) => {
                let offset = self.offset(index, values.len() as u32, name, span)?;
                Ok(Expression::Constant(values[offset as usize]))
            }
            (Symbol::Array { variable, .. } | Symbol::ConstantArray { variable, .. }, Some(index)) => {
                Ok(Expression::Element { array: *variable, index: Box::new(index), span })
            }
        }
    }

    /// The process whose name alone is the number of its location. DVE has no such expression: a
    /// location is tested by `P.s`. In measures it is useful, because a process that passes its
    /// states in the order of declaration makes progress.
    pub(super) fn bare(&self, name: Name<'_>) -> Option<&'names ProcessNames> {
        let hidden = self.names.globals.contains_key(name.text);
        self.names.processes.get(name.text).filter(|_| self.purpose == Purpose::Measure && !hidden)
    }

    pub(crate) fn visible(&mut self, name: Name<'_>) -> Checked<&'names Symbol> {
        let names = self.names;
        let own = self.locals.and_then(|locals| locals.get(name.text));
        if let Some(symbol) = own.or_else(|| names.globals.get(name.text)) {
            return Ok(symbol);
        }
        let own = self.locals.into_iter().flatten().map(|(name, _)| name.as_str());
        let known = own.chain(names.globals.keys().map(String::as_str));
        let help = self.elsewhere(name.text).or_else(|| did_you_mean(name.text, known));
        let message = format!("no variable or constant `{}` here", name.text);
        let error = Diagnostic::error(codes::UNKNOWN_NAME, name.span, message, "unknown name");
        Err(self.diagnostics.report(error.help_if_any(help)))
    }

    /// Advice on where an unknown name does exist.
    fn elsewhere(&self, name: &str) -> Option<String> {
        if let Some(process) = self.names.processes.get(name) {
            let first = process.locations.iter().find(|(_, location)| location.0 == 0);
            let first = first.map_or("state", |(location, _)| location.as_str());
            let test = self.names.syntax.location(name, first);
            return Some(format!("`{name}` is a process: `{test}` is 1 while it is in `{first}`"));
        }
        self.names.processes.iter().find_map(|(process, known)| {
            if known.symbols.contains_key(name) {
                let written = self.names.syntax.variable(process, name);
                Some(format!("process `{process}` has one: write `{written}`"))
            } else if known.locations.contains_key(name) {
                let written = self.names.syntax.location(process, name);
                Some(format!("it is a state of process `{process}`: write `{written}`"))
            } else {
                None
            }
        })
    }

    pub(super) fn process(&mut self, name: Name<'_>) -> Checked<&'names ProcessNames> {
        let names = self.names;
        if let Some(process) = names.processes.get(name.text) {
            return Ok(process);
        }
        let help = match &names.property {
            Some(property) if property == name.text => {
                Some("it is the property of this model, and the model cannot depend on it".to_owned())
            }
            _ => did_you_mean(name.text, names.processes.keys().map(String::as_str)),
        };
        let message = format!("no process `{}` in this model", name.text);
        let error = Diagnostic::error(codes::UNKNOWN_PROCESS, name.span, message, "unknown process");
        Err(self.diagnostics.report(error.help_if_any(help)))
    }

    fn variable_of(
        &mut self,
        process: Name<'_>,
        known: &'names ProcessNames,
        name: Name<'_>,
    ) -> Checked<&'names Symbol> {
        if let Some(symbol) = known.symbols.get(name.text) {
            return Ok(symbol);
        }
        let help = if known.locations.contains_key(name.text) {
            let written = self.names.syntax.location(process.text, name.text);
            Some(format!("it is a state, which is tested by `{written}`"))
        } else {
            did_you_mean(name.text, known.symbols.keys().map(String::as_str))
        };
        let message = format!("process `{}` has no variable `{}`", process.text, name.text);
        let error = Diagnostic::error(codes::UNKNOWN_NAME, name.span, message, "unknown name");
        Err(self.diagnostics.report(error.help_if_any(help)))
    }

    pub(super) fn location(
        &mut self,
        process: Name<'_>,
        known: &ProcessNames,
        name: Name<'_>,
    ) -> Checked<LocationId> {
        if let Some(location) = known.locations.get(name.text) {
            return Ok(*location);
        }
        let help = if known.symbols.contains_key(name.text) {
            let written = self.names.syntax.variable(process.text, name.text);
            Some(format!("it is a variable, which is read by `{written}`"))
        } else {
            did_you_mean(name.text, known.locations.keys().map(String::as_str))
        };
        let message = format!("process `{}` has no state `{}`", process.text, name.text);
        let error = Diagnostic::error(codes::UNKNOWN_LOCATION, name.span, message, "unknown state");
        Err(self.diagnostics.report(error.help_if_any(help)))
    }

    pub(crate) fn offset(&mut self, index: i64, length: u32, array: Name<'_>, span: Span) -> Checked<u32> {
        if let Some(offset) = u32::try_from(index).ok().filter(|offset| *offset < length) {
            return Ok(offset);
        }
        let message = format!("index {index} is outside of `{}`", array.text);
        let label = format!("the last index is {}", length.saturating_sub(1));
        Err(self.diagnostics.report(Diagnostic::error(codes::INDEX_OUT_OF_RANGE, span, message, label)))
    }

    pub(crate) fn not_an_array<T>(&mut self, name: Name<'_>) -> Checked<T> {
        let message = format!("`{}` is not an array", name.text);
        let error = Diagnostic::error(codes::NOT_AN_ARRAY, name.span, message, "has no elements");
        Err(self.diagnostics.report(error.help("remove the index")))
    }

    /// Warns that the name of an array without an index is read as its first element. DiVinE reads
    /// it that way, and published models (UPPAAL's train gate, translated) rely on it.
    pub(crate) fn bare_array(&mut self, name: Name<'_>) {
        let message = format!("the array `{0}` has no index, and is read as `{0}[0]`", name.text);
        let warning = Diagnostic::warning(codes::BARE_ARRAY, name.span, message, "means the first element");
        self.diagnostics.warn_once(warning.help(format!("write `{}[0]`", name.text)));
    }
}
