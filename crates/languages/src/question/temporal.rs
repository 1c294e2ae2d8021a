//! The meaning of a formula: temporal operators over numbered propositions.
//!
//! Some operators are expanded (`f W g` is `g R (f or g)`), which doubles an operand, and doubling
//! it 256 times would exhaust memory. So sizes are counted before anything is built.

use logic::ctl::Ctl;
use logic::ltl::Ltl;
use model::guarded_commands::{Span, UnaryOperator};

use super::ctl::CtlFormula;
use super::formula_text::{proposition, shown};
use super::ltl::LtlFormula;
use super::parse::formula::{Logic, formula as parse_formula};
use super::proposition::{Literal, Propositions, too_many};
use super::resolve::Resolver;
use super::syntax::{
    BinaryTemporal, Connective, Expression, ExpressionKind, Formula, FormulaKind, Runs, UnaryTemporal,
};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, too_long};
use crate::names::Names;

/// Bytes of the longest formula. Longer texts are not formulas.
const LARGEST_TEXT: usize = 1 << 20;

/// The most operators of a formula after expansion.
const LARGEST_FORMULA: usize = 100_000;

/// Reads a formula of linear temporal logic about a model.
pub(crate) fn ltl(text: &str, names: &Names) -> Result<LtlFormula, Vec<Diagnostic>> {
    let mut propositions = ModelAtoms { names, text, propositions: Propositions::default() };
    let Read { formula, text, warnings } =
        read(text, Logic::Linear, Some(names), &mut propositions, |translation, formula| {
            translation.ltl(formula)
        })?;
    Ok(LtlFormula { formula, propositions: propositions.propositions.into_list(), text, warnings })
}

/// Reads a formula of computation tree logic about a model.
pub(crate) fn ctl(text: &str, names: &Names) -> Result<CtlFormula, Vec<Diagnostic>> {
    let mut propositions = ModelAtoms { names, text, propositions: Propositions::default() };
    let Read { formula, text, warnings } =
        read(text, Logic::Branching, Some(names), &mut propositions, |translation, formula| {
            translation.ctl(formula)
        })?;
    Ok(CtlFormula { formula, propositions: propositions.propositions.into_list(), text, warnings })
}

/// Reads a formula of linear temporal logic without a model: its propositions are names.
pub(crate) fn ltl_over_names(text: &str) -> Result<(Ltl, Vec<String>), Vec<Diagnostic>> {
    let mut atoms = NameAtoms { text, names: Vec::new() };
    let Read { formula, .. } =
        read(text, Logic::Linear, None, &mut atoms, |translation, formula| translation.ltl(formula))?;
    Ok((formula, atoms.names))
}

/// Reads a formula of computation tree logic without a model: its propositions are names.
pub(crate) fn ctl_over_names(text: &str) -> Result<(Ctl, Vec<String>), Vec<Diagnostic>> {
    let mut atoms = NameAtoms { text, names: Vec::new() };
    let Read { formula, .. } =
        read(text, Logic::Branching, None, &mut atoms, |translation, formula| translation.ctl(formula))?;
    Ok((formula, atoms.names))
}

/// A translated formula and its number of operators.
type Counted<T> = Checked<(T, usize)>;

/// A formula that was read.
struct Read<T> {
    formula: T,
    /// The formula as Sweepline understands it.
    text: String,
    warnings: Vec<Diagnostic>,
}

/// Reads a formula.
fn read<T>(
    text: &str,
    logic: Logic,
    names: Option<&Names>,
    atoms: &mut dyn Atoms,
    translate: fn(&mut Translation<'_>, &Formula<'_>) -> Counted<T>,
) -> Result<Read<T>, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::default();
    if text.len() > LARGEST_TEXT {
        let error = too_long("the formula", text, LARGEST_TEXT);
        return Err(vec![Diagnostic { code: codes::FORMULA_TOO_LARGE, ..error }]);
    }
    let parsed = parse_formula(text, logic, names, &mut diagnostics);
    let parsed = diagnostics.check(parsed)?;
    let translated = translate(&mut Translation { atoms, diagnostics: &mut diagnostics }, &parsed);
    let (formula, _) = diagnostics.check(translated)?;
    Ok(Read { formula, text: shown(&parsed, text), warnings: diagnostics.into_warnings() })
}

/// Numbers the parts of a formula that are about one state.
trait Atoms {
    fn literal(&mut self, expression: &Expression<'_>, diagnostics: &mut Diagnostics) -> Checked<Literal>;
}

/// Expressions of a model.
struct ModelAtoms<'a> {
    names: &'a Names,
    text: &'a str,
    propositions: Propositions,
}

impl Atoms for ModelAtoms<'_> {
    fn literal(&mut self, expression: &Expression<'_>, diagnostics: &mut Diagnostics) -> Checked<Literal> {
        let (expression, holds) = without_negation(expression);
        let meaning = Resolver::new(self.names, None, diagnostics).truth(expression)?;
        let text = proposition(self.text, expression.span);
        let literal = self.propositions.literal(&text, meaning, expression.span, diagnostics)?;
        Ok(literal.when(holds))
    }
}

/// Names, and other texts about one state, as written.
struct NameAtoms<'a> {
    text: &'a str,
    names: Vec<String>,
}

impl Atoms for NameAtoms<'_> {
    fn literal(&mut self, expression: &Expression<'_>, diagnostics: &mut Diagnostics) -> Checked<Literal> {
        if let ExpressionKind::Number(value) = expression.kind {
            return Ok(Literal::Constant(value != 0));
        }
        let name = match expression.kind {
            ExpressionKind::Variable { name, index: None } => name.text.to_owned(),
            _ => proposition(self.text, expression.span),
        };
        let known = self.names.iter().position(|known| *known == name);
        if known.is_none() {
            self.names.push(name);
        }
        match u8::try_from(known.unwrap_or(self.names.len() - 1)) {
            Ok(number) if u32::from(number) < u64::BITS => Ok(Literal::Proposition { number, holds: true }),
            _ => Err(diagnostics.report(too_many(expression.span))),
        }
    }
}

/// The expression inside all negations, and whether their number is even.
fn without_negation<'e, 'text>(expression: &'e Expression<'text>) -> (&'e Expression<'text>, bool) {
    let (mut expression, mut holds) = (expression, true);
    while let ExpressionKind::Unary { operator: UnaryOperator::Not | UnaryOperator::Complement, operand } =
        &expression.kind
    {
        (expression, holds) = (operand, !holds);
    }
    (expression, holds)
}

struct Translation<'a> {
    atoms: &'a mut dyn Atoms,
    diagnostics: &'a mut Diagnostics,
}

impl Translation<'_> {
    fn ltl(&mut self, formula: &Formula<'_>) -> Counted<Ltl> {
        match &formula.kind {
            FormulaKind::State(expression) => {
                Ok((ltl_literal(self.atoms.literal(expression, self.diagnostics)?), 1))
            }
            FormulaKind::Not(operand) => {
                let (operand, size) = self.ltl(operand)?;
                Ok((Ltl::negation(operand), 1 + size))
            }
            FormulaKind::Unary { operator, operand, .. } => {
                let (f, size) = self.ltl(operand)?;
                Ok(match operator {
                    UnaryTemporal::Next => (Ltl::next(f), 1 + size),
                    UnaryTemporal::Finally => (Ltl::finally(f), 2 + size),
                    UnaryTemporal::Globally => (Ltl::globally(f), 2 + size),
                })
            }
            FormulaKind::Connected { connective, left, right } => {
                let (left, right) = (self.ltl(left), self.ltl(right));
                let ((f, left), (g, right)) = (left?, right?);
                let size = connected_size(*connective, left, right);
                self.bounded(size, formula.span)?;
                let built = match connective {
                    Connective::And => Ltl::and(f, g),
                    Connective::Or => Ltl::or(f, g),
                    Connective::Implies => Ltl::implies(f, g),
                    Connective::Equivalent => Ltl::equivalent(f, g),
                };
                Ok((built, size))
            }
            FormulaKind::Binary { operator, left, right, .. } => {
                let (left, right) = (self.ltl(left), self.ltl(right));
                let ((f, left), (g, right)) = (left?, right?);
                let size = match operator {
                    BinaryTemporal::Until | BinaryTemporal::Release => 1 + left + right,
                    BinaryTemporal::WeakUntil | BinaryTemporal::StrongRelease => 2 + left + 2 * right,
                };
                self.bounded(size, formula.span)?;
                let built = match operator {
                    BinaryTemporal::Until => Ltl::until(f, g),
                    BinaryTemporal::Release => Ltl::release(f, g),
                    BinaryTemporal::WeakUntil => Ltl::weak_until(f, g),
                    BinaryTemporal::StrongRelease => Ltl::strong_release(f, g),
                };
                Ok((built, size))
            }
        }
    }

    fn ctl(&mut self, formula: &Formula<'_>) -> Counted<Ctl> {
        match &formula.kind {
            FormulaKind::State(expression) => {
                Ok((ctl_literal(self.atoms.literal(expression, self.diagnostics)?), 1))
            }
            FormulaKind::Not(operand) => {
                let (operand, size) = self.ctl(operand)?;
                Ok((Ctl::negation(operand), 1 + size))
            }
            FormulaKind::Unary { runs, operator, operand } => {
                let (f, size) = self.ctl(operand)?;
                let built = match (operator, runs) {
                    (UnaryTemporal::Next, Runs::Some) => Ctl::exists_next(f),
                    (UnaryTemporal::Next, _) => Ctl::always_next(f),
                    (UnaryTemporal::Finally, Runs::Some) => Ctl::exists_finally(f),
                    (UnaryTemporal::Finally, _) => Ctl::always_finally(f),
                    (UnaryTemporal::Globally, Runs::Some) => Ctl::exists_globally(f),
                    (UnaryTemporal::Globally, _) => Ctl::always_globally(f),
                };
                Ok((built, 4 + size))
            }
            FormulaKind::Connected { connective, left, right } => {
                let (left, right) = (self.ctl(left), self.ctl(right));
                let ((f, left), (g, right)) = (left?, right?);
                let size = connected_size(*connective, left, right);
                self.bounded(size, formula.span)?;
                let built = match connective {
                    Connective::And => Ctl::and(f, g),
                    Connective::Or => Ctl::or(f, g),
                    Connective::Implies => Ctl::implies(f, g),
                    Connective::Equivalent => Ctl::equivalent(f, g),
                };
                Ok((built, size))
            }
            FormulaKind::Binary { runs, operator, left, right } => {
                let (left, right) = (self.ctl(left), self.ctl(right));
                let ((f, left), (g, right)) = (left?, right?);
                let size = branching_size(*runs, *operator, left, right);
                self.bounded(size, formula.span)?;
                let built = match (operator, runs) {
                    (BinaryTemporal::Until, Runs::Some) => Ctl::exists_until(f, g),
                    (BinaryTemporal::Until, _) => Ctl::always_until(f, g),
                    (BinaryTemporal::Release, Runs::Some) => Ctl::exists_release(f, g),
                    (BinaryTemporal::Release, _) => Ctl::always_release(f, g),
                    (BinaryTemporal::WeakUntil, Runs::Some) => Ctl::exists_weak_until(f, g),
                    (BinaryTemporal::WeakUntil, _) => Ctl::always_weak_until(f, g),
                    (BinaryTemporal::StrongRelease, Runs::Some) => {
                        Ctl::exists_until(g.clone(), Ctl::and(f, g))
                    }
                    (BinaryTemporal::StrongRelease, _) => Ctl::always_until(g.clone(), Ctl::and(f, g)),
                };
                Ok((built, size))
            }
        }
    }

    fn bounded(&mut self, size: usize, span: Span) -> Checked<()> {
        if size <= LARGEST_FORMULA {
            return Ok(());
        }
        let message = format!("expanded, the formula has more than {LARGEST_FORMULA} operators");
        let error = Diagnostic::error(codes::FORMULA_TOO_LARGE, span, message, "too large");
        let help = "`<->`, `W` and `M` repeat their operands: nest fewer of them, or check parts one by one";
        Err(self.diagnostics.report(error.help(help)))
    }
}

fn ltl_literal(literal: Literal) -> Ltl {
    match literal {
        Literal::Constant(true) => Ltl::True,
        Literal::Constant(false) => Ltl::False,
        Literal::Proposition { number, holds: true } => Ltl::Proposition(number),
        Literal::Proposition { number, holds: false } => Ltl::negation(Ltl::Proposition(number)),
    }
}

fn ctl_literal(literal: Literal) -> Ctl {
    match literal {
        Literal::Constant(true) => Ctl::True,
        Literal::Constant(false) => Ctl::False,
        Literal::Proposition { number, holds: true } => Ctl::Proposition(number),
        Literal::Proposition { number, holds: false } => Ctl::negation(Ctl::Proposition(number)),
    }
}

/// The operators of a connected formula. Its operands are within bounds, so nothing overflows.
fn connected_size(connective: Connective, left: usize, right: usize) -> usize {
    match connective {
        Connective::And | Connective::Or => 1 + left + right,
        Connective::Implies => 2 + left + right,
        Connective::Equivalent => 5 + 2 * (left + right),
    }
}

/// An upper bound on the operators that the constructors of [`Ctl`] make of `E[f U g]` and the
/// like.
fn branching_size(runs: Runs, operator: BinaryTemporal, left: usize, right: usize) -> usize {
    match (operator, runs) {
        (BinaryTemporal::Until, Runs::Some) => 1 + left + right,
        (BinaryTemporal::Until, _) => 10 + left + 3 * right,
        (BinaryTemporal::Release, Runs::Some) => 4 + left + 3 * right,
        (BinaryTemporal::Release, _) => 4 + left + right,
        (BinaryTemporal::WeakUntil, Runs::Some) => 3 + 2 * left + right,
        (BinaryTemporal::WeakUntil, _) => 6 + left + 2 * right,
        (BinaryTemporal::StrongRelease, Runs::Some) => 2 + left + 2 * right,
        (BinaryTemporal::StrongRelease, _) => 13 + 3 * left + 4 * right,
    }
}
