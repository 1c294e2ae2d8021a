//! Building formulas so that a part about one state stays one expression.

use model::guarded_commands::{BinaryOperator, Span, UnaryOperator};

use super::formula::Reader;
use crate::diagnostic::Checked;
use crate::question::syntax::{
    BinaryTemporal, Connective, Expression, ExpressionKind, Formula, FormulaKind, Runs,
};

impl<'text> Reader<'text, '_, '_> {
    pub(super) fn temporal(
        &mut self,
        runs: Runs,
        operator: BinaryTemporal,
        left: Formula<'text>,
        right: Formula<'text>,
    ) -> Checked<Formula<'text>> {
        let (span, depth) = (left.span.to(right.span), 1 + left.depth.max(right.depth));
        let kind = FormulaKind::Binary { runs, operator, left: Box::new(left), right: Box::new(right) };
        self.shallow(Formula { kind, span, depth })
    }

    /// Builds `left operator right` within one state.
    pub(super) fn model(
        &mut self,
        operator: BinaryOperator,
        left: Expression<'text>,
        right: Expression<'text>,
    ) -> Checked<Formula<'text>> {
        let (span, depth) = (left.span.to(right.span), 1 + left.depth.max(right.depth));
        let kind = ExpressionKind::Binary { operator, left: Box::new(left), right: Box::new(right) };
        self.parser.shallow(Expression { kind, span, depth }).map(state)
    }

    /// Connects two formulas: to one expression if both are expressions of the model.
    pub(super) fn connected(
        &mut self,
        connective: Connective,
        left: Formula<'text>,
        right: Formula<'text>,
    ) -> Checked<Formula<'text>> {
        let (left, right) = match both(left, right) {
            Both::States(left, right) if self.names.is_some() => {
                return self.connected_states(connective, left, right);
            }
            Both::States(left, right) => (state(left), state(right)),
            Both::Formulas(left, right) => (left, right),
        };
        let regroups = self.names.is_some() && regroups(connective, &left, &right);
        match left.kind {
            // `(F p and q) and r` is `F p and (q and r)`. So `q and r` is one proposition, in which
            // `q` guards `r` against errors.
            FormulaKind::Connected { left: first, right: second, .. } if regroups => {
                let rest = self.connected(connective, *second, right)?;
                self.connected(connective, *first, rest)
            }
            kind => {
                let left = Formula { kind, ..left };
                let (span, depth) = (left.span.to(right.span), 1 + left.depth.max(right.depth));
                let (left, right) = (Box::new(left), Box::new(right));
                self.shallow(Formula {
                    kind: FormulaKind::Connected { connective, left, right },
                    span,
                    depth,
                })
            }
        }
    }

    pub(super) fn connected_states(
        &mut self,
        connective: Connective,
        left: Expression<'text>,
        right: Expression<'text>,
    ) -> Checked<Formula<'text>> {
        match connective {
            Connective::And => self.model(BinaryOperator::And, left, right),
            Connective::Or => self.model(BinaryOperator::Or, left, right),
            Connective::Implies => self.model(BinaryOperator::Imply, left, right),
            // A truth value may be any number, but its negation is 0 or 1.
            Connective::Equivalent => {
                let (left, right) = (self.negated(left)?, self.negated(right)?);
                self.model(BinaryOperator::Equal, left, right)
            }
        }
    }

    pub(super) fn negated(&mut self, expression: Expression<'text>) -> Checked<Expression<'text>> {
        let span = expression.span;
        self.prefix_of_state(UnaryOperator::Not, span, expression)
    }

    pub(super) fn prefix_of_state(
        &mut self,
        operator: UnaryOperator,
        span: Span,
        operand: Expression<'text>,
    ) -> Checked<Expression<'text>> {
        let depth = 1 + operand.depth;
        let kind = ExpressionKind::Unary { operator, operand: Box::new(operand) };
        self.parser.shallow(Expression { kind, span, depth })
    }
}

/// Whether the second half of `left` and `right` can become one expression.
fn regroups(connective: Connective, left: &Formula<'_>, right: &Formula<'_>) -> bool {
    let is_state = |formula: &Formula<'_>| matches!(formula.kind, FormulaKind::State(_));
    match &left.kind {
        FormulaKind::Connected { connective: inner, left: first, right: second } => {
            let is_associative = matches!(connective, Connective::And | Connective::Or);
            // If `left` is in parentheses, the two parts are not adjacent.
            let is_bare = left.span == first.span.to(second.span);
            *inner == connective && is_associative && is_bare && is_state(second) && is_state(right)
        }
        _ => false,
    }
}

/// Two formulas, as expressions if both are.
pub(super) enum Both<'text> {
    States(Expression<'text>, Expression<'text>),
    Formulas(Formula<'text>, Formula<'text>),
}

pub(super) fn both<'text>(left: Formula<'text>, right: Formula<'text>) -> Both<'text> {
    match (left.kind, right.kind) {
        (FormulaKind::State(left), FormulaKind::State(right)) => Both::States(left, right),
        (left_kind, right_kind) => {
            Both::Formulas(Formula { kind: left_kind, ..left }, Formula { kind: right_kind, ..right })
        }
    }
}

pub(super) fn state(expression: Expression<'_>) -> Formula<'_> {
    let span = expression.span;
    Formula { kind: FormulaKind::State(expression), span, depth: 1 }
}
