//! What names mean: the symbol table and the expressions it gives meaning to.
//!
//! DVE has four kinds of names that never meet in one place of the grammar (variables, channels, processes,
//! states of a process), so each kind has its own table and a state may share its name with a variable. Variables
//! are looked up in the own process first, then in the whole model.
//!
//! In progress measures they do meet, because a measure may speak of everything that a state holds: a variable hides a
//! process of its name, and both hide a channel. `process P` and `channel c` say which one is meant.
//!
//! The table outlives reading the file: an invariant on the command line is resolved against it.

use std::collections::BTreeMap;

use model::guarded_commands::{
    BinaryOperator, CellId, Expression, IntegerType, LocationId, Span, Target, UnaryOperator, VariableId,
};

use super::fold;
use super::syntax::{self, BufferCell, ExpressionKind, Name, Purpose};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, Reported};
use crate::spelling::did_you_mean;

/// A variable or constant.
#[derive(Clone, Debug)]
pub(crate) enum Symbol {
    /// Its declaration is wrong and was reported; uses of it are not at fault.
    Broken(Reported),
    Constant(i64),
    ConstantArray {
        variable: VariableId,
        values: Vec<i64>,
    },
    Scalar {
        cell: CellId,
        integer: IntegerType,
    },
    Array {
        variable: VariableId,
        first_cell: CellId,
        length: u32,
        integer: IntegerType,
    },
}

/// Variables and constants of one process or of the whole model.
pub(crate) type Symbols = BTreeMap<String, Symbol>;

/// A process as others see it.
#[derive(Clone, Debug)]
pub(crate) struct ProcessScope {
    /// The cell that holds its location.
    pub(crate) location: CellId,
    pub(crate) locations: BTreeMap<String, LocationId>,
    pub(crate) symbols: Symbols,
}

/// A channel.
#[derive(Clone, Debug)]
pub(crate) struct ChannelScope {
    pub(crate) name: String,
    pub(crate) span: Span,
    /// The types of a message's parts, if the channel is typed.
    pub(crate) fields: Option<Vec<IntegerType>>,
    pub(crate) buffer: Option<Buffer>,
}

/// The queue behind a buffered channel.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    pub(crate) queue: VariableId,
    /// The cell that counts its messages.
    pub(crate) length: CellId,
    pub(crate) capacity: u32,
}

/// All names that an expression can use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    pub(crate) globals: Symbols,
    pub(crate) processes: BTreeMap<String, ProcessScope>,
    /// Those without a buffer too.
    pub(crate) channels: BTreeMap<String, Checked<ChannelScope>>,
    /// The process that is a property, not a part of the model, if there is one.
    pub(crate) property: Option<String>,
}

/// A place for an assignment together with its type.
pub(crate) struct TypedPlace {
    pub(crate) place: Target,
    pub(crate) integer: IntegerType,
}

/// Gives meaning to the names seen from inside one process, or from outside of all.
pub(crate) struct Resolver<'scope, 'run> {
    pub(crate) scope: &'scope Scope,
    /// The names that hide the global ones.
    pub(crate) locals: Option<&'scope Symbols>,
    pub(crate) purpose: Purpose,
    pub(crate) diagnostics: &'run mut Diagnostics,
}

impl<'scope, 'run> Resolver<'scope, 'run> {
    /// Expressions as they stand in a model: seen from inside a process that has `locals`, or from outside of all.
    pub(crate) fn new(
        scope: &'scope Scope,
        locals: Option<&'scope Symbols>,
        diagnostics: &'run mut Diagnostics,
    ) -> Self {
        Self { scope, locals, purpose: Purpose::Model, diagnostics }
    }

    /// Expressions as they stand in a progress measure.
    pub(crate) fn for_measures(scope: &'scope Scope, diagnostics: &'run mut Diagnostics) -> Self {
        Self { scope, locals: None, purpose: Purpose::Measure, diagnostics }
    }

    /// An expression over cells, with constant parts computed.
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
                    self.process(*process).and_then(|scope| self.variable_of(*process, scope, *name));
                self.read(symbol, *name, index.as_deref(), span)
            }
            ExpressionKind::At { process, location }
                if !self.scope.processes.contains_key(process.text) && self.is_buffer(*process) =>
            {
                self.buffer_length(*process, *location)
            }
            ExpressionKind::At { process, location } => {
                let scope = self.process(*process)?;
                let number = self.location(*process, scope, *location)?;
                let (cell, number) =
                    (Expression::Cell(scope.location), Expression::Constant(i64::from(number.0)));
                Ok(fold::binary(BinaryOperator::Equal, cell, number, span))
            }
            ExpressionKind::Unary { operator, operand } => {
                Ok(fold::unary(*operator, self.expression(operand)?))
            }
            ExpressionKind::Binary { operator, left, right } => {
                // Both sides before either `?`: two unknown names are two findings.
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

    /// An expression as a truth value: there `~` negates, because that is what it means to people who write formulas, and because the
    /// complement of 0 and of 1 are both true.
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

    /// Expressions in order; one bad one spoils the list, but all are looked at.
    pub(crate) fn expressions(&mut self, expressions: &[syntax::Expression<'_>]) -> Checked<Vec<Expression>> {
        let read: Vec<Checked<Expression>> = expressions.iter().map(|one| self.expression(one)).collect();
        read.into_iter().collect()
    }

    /// An expression whose value is known before the run.
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

    /// The target of an assignment.
    pub(crate) fn place(&mut self, place: &syntax::Place<'_>) -> Checked<TypedPlace> {
        let (symbol, index) = (self.visible(place.name), place.index.as_ref());
        let index = index.map(|index| self.expression(index)).transpose();
        match (symbol?, index?) {
            (Symbol::Broken(reported), _) => Err(*reported),
            (Symbol::Scalar { cell, integer }, None) => {
                Ok(TypedPlace { place: Target::Cell(*cell), integer: *integer })
            }
            (Symbol::Array { variable, first_cell, length, integer }, Some(index)) => {
                let place = match index {
                    Expression::Constant(value) => {
                        let offset = self.offset(value, *length, place.name, place.span)?;
                        Target::Cell(CellId(first_cell.0 + offset))
                    }
                    index => Target::Element { array: *variable, index, span: place.span },
                };
                Ok(TypedPlace { place, integer: *integer })
            }
            (Symbol::Scalar { .. }, Some(_)) => self.not_an_array(place.name),
            (Symbol::Array { .. }, None) => self.array_without_index(place.name),
            (Symbol::Constant(_) | Symbol::ConstantArray { .. }, _) => {
                let message = format!("`{}` is a constant", place.name.text);
                let error =
                    Diagnostic::error(codes::NOT_ASSIGNABLE, place.span, message, "cannot be assigned");
                Err(self.diagnostics.report(error.help("declare it without `const`")))
            }
        }
    }

    /// Reads what `name` was found to mean. The index is resolved even if the name is unknown: it may hold
    /// mistakes of its own.
    fn read(
        &mut self,
        symbol: Checked<&'scope Symbol>,
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
            (Symbol::Array { .. } | Symbol::ConstantArray { .. }, None) => self.array_without_index(name),
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

    /// The process whose location's number its name alone stands for. In DVE it stands for nothing: a location is
    /// tested by `P.s`. Measures want it, because a process that walks through its states in the order of declaration
    /// makes progress.
    pub(super) fn bare(&self, name: Name<'_>) -> Option<&'scope ProcessScope> {
        let hidden = self.scope.globals.contains_key(name.text);
        self.scope.processes.get(name.text).filter(|_| self.purpose == Purpose::Measure && !hidden)
    }

    fn visible(&mut self, name: Name<'_>) -> Checked<&'scope Symbol> {
        let scope = self.scope;
        let own = self.locals.and_then(|locals| locals.get(name.text));
        if let Some(symbol) = own.or_else(|| scope.globals.get(name.text)) {
            return Ok(symbol);
        }
        let own = self.locals.into_iter().flatten().map(|(name, _)| name.as_str());
        let known = own.chain(scope.globals.keys().map(String::as_str));
        let help = self.elsewhere(name.text).or_else(|| did_you_mean(name.text, known));
        let message = format!("no variable or constant `{}` here", name.text);
        let error = Diagnostic::error(codes::UNKNOWN_NAME, name.span, message, "unknown name");
        Err(self.diagnostics.report(error.help_if_any(help)))
    }

    /// Where an unknown name does exist.
    fn elsewhere(&self, name: &str) -> Option<String> {
        if let Some(process) = self.scope.processes.get(name) {
            let first = process.locations.iter().find(|(_, location)| location.0 == 0);
            let first = first.map_or("state", |(location, _)| location.as_str());
            return Some(format!("`{name}` is a process: `{name}.{first}` is 1 while it is in `{first}`"));
        }
        self.scope.processes.iter().find_map(|(process, scope)| {
            if scope.symbols.contains_key(name) {
                Some(format!("process `{process}` has one: write `{process}->{name}`"))
            } else if scope.locations.contains_key(name) {
                Some(format!("it is a state of process `{process}`: write `{process}.{name}`"))
            } else {
                None
            }
        })
    }

    pub(super) fn process(&mut self, name: Name<'_>) -> Checked<&'scope ProcessScope> {
        let scope = self.scope;
        if let Some(process) = scope.processes.get(name.text) {
            return Ok(process);
        }
        let help = match &scope.property {
            Some(property) if property == name.text => {
                Some("it is the property of this model, and what it watches cannot depend on it".to_owned())
            }
            _ => did_you_mean(name.text, scope.processes.keys().map(String::as_str)),
        };
        let message = format!("no process `{}` in this model", name.text);
        let error = Diagnostic::error(codes::UNKNOWN_PROCESS, name.span, message, "unknown process");
        Err(self.diagnostics.report(error.help_if_any(help)))
    }

    fn variable_of(
        &mut self,
        process: Name<'_>,
        scope: &'scope ProcessScope,
        name: Name<'_>,
    ) -> Checked<&'scope Symbol> {
        if let Some(symbol) = scope.symbols.get(name.text) {
            return Ok(symbol);
        }
        let help = if scope.locations.contains_key(name.text) {
            Some(format!("states are tested with a dot: `{}.{}`", process.text, name.text))
        } else {
            did_you_mean(name.text, scope.symbols.keys().map(String::as_str))
        };
        let message = format!("process `{}` has no variable `{}`", process.text, name.text);
        let error = Diagnostic::error(codes::UNKNOWN_NAME, name.span, message, "unknown name");
        Err(self.diagnostics.report(error.help_if_any(help)))
    }

    pub(super) fn location(
        &mut self,
        process: Name<'_>,
        scope: &ProcessScope,
        name: Name<'_>,
    ) -> Checked<LocationId> {
        if let Some(location) = scope.locations.get(name.text) {
            return Ok(*location);
        }
        let help = if scope.symbols.contains_key(name.text) {
            Some(format!("variables are read with an arrow: `{}->{}`", process.text, name.text))
        } else {
            did_you_mean(name.text, scope.locations.keys().map(String::as_str))
        };
        let message = format!("process `{}` has no state `{}`", process.text, name.text);
        let error = Diagnostic::error(codes::UNKNOWN_LOCATION, name.span, message, "unknown state");
        Err(self.diagnostics.report(error.help_if_any(help)))
    }

    pub(super) fn offset(&mut self, index: i64, length: u32, array: Name<'_>, span: Span) -> Checked<u32> {
        if let Some(offset) = u32::try_from(index).ok().filter(|offset| *offset < length) {
            return Ok(offset);
        }
        let message = format!("index {index} is outside of `{}`", array.text);
        let label = format!("the last index is {}", length.saturating_sub(1));
        Err(self.diagnostics.report(Diagnostic::error(codes::INDEX_OUT_OF_RANGE, span, message, label)))
    }

    fn not_an_array<T>(&mut self, name: Name<'_>) -> Checked<T> {
        let message = format!("`{}` is not an array", name.text);
        let error = Diagnostic::error(codes::NOT_AN_ARRAY, name.span, message, "has no elements");
        Err(self.diagnostics.report(error.help("remove the index")))
    }

    fn array_without_index<T>(&mut self, name: Name<'_>) -> Checked<T> {
        let message = format!("`{}` is an array", name.text);
        let error = Diagnostic::error(codes::ARRAY_WITHOUT_INDEX, name.span, message, "which element?");
        Err(self.diagnostics.report(error.help(format!("write `{}[…]`", name.text))))
    }
}

/// `value` cut to `from` before it is stored as `to`. Only widening needs an operator: storing cuts by itself.
pub(crate) fn narrowed(value: Expression, from: IntegerType, to: IntegerType) -> Expression {
    if from.signed || from.bits >= to.bits {
        return value;
    }
    fold::binary(BinaryOperator::BitAnd, value, Expression::Constant(from.max()), Span::default())
}
