//! A formula over paths and states, before its logic is known.

use model::guarded_commands::{BinaryOperator, Expression, Span};

use crate::lowering::fold;

/// A formula as written.
#[derive(Clone, Debug)]
pub(in crate::petri) enum Tree {
    /// A part about one state.
    State(State),
    Not(Box<Tree>),
    And(Vec<Tree>),
    Or(Vec<Tree>),
    All(Box<Tree>),
    Exists(Box<Tree>),
    Next(Box<Tree>),
    Finally(Box<Tree>),
    Globally(Box<Tree>),
    Until(Box<Tree>, Box<Tree>),
}

/// A statement about one state.
#[derive(Clone, Debug)]
pub(in crate::petri) struct State {
    pub(in crate::petri) expression: Expression,
    /// The statement as text.
    pub(in crate::petri) text: String,
    pub(in crate::petri) span: Span,
    /// Whether the statement is only that no transition can fire.
    pub(in crate::petri) is_deadlock: bool,
}

/// The negation. That of a statement about one state is about one state, too.
pub(in crate::petri) fn negated(tree: Tree) -> Tree {
    match tree {
        Tree::State(state) => Tree::State(State {
            expression: state.expression.negated(),
            text: format!("!({})", state.text),
            is_deadlock: false,
            ..state
        }),
        Tree::Not(inner) => *inner,
        tree => Tree::Not(Box::new(tree)),
    }
}

/// Connects several formulas; those about one state become one.
pub(in crate::petri) fn connected(operator: BinaryOperator, trees: Vec<Tree>, span: Span) -> Tree {
    let (mut states, mut others) = (Vec::new(), Vec::new());
    for tree in trees {
        match tree {
            Tree::State(state) => states.push(state),
            tree => others.push(tree),
        }
    }
    let (word, neutral) = if operator == BinaryOperator::And { (" && ", 1) } else { (" || ", 0) };
    let state = match states.len() {
        0 if !others.is_empty() => None,
        1 => states.pop(),
        _ => {
            let texts: Vec<String> = states.iter().map(|state| format!("({})", state.text)).collect();
            let expressions = states.into_iter().map(|state| state.expression).collect();
            let expression = fold::balanced(operator, expressions).unwrap_or(Expression::Constant(neutral));
            Some(State { expression, text: texts.join(word), span, is_deadlock: false })
        }
    };
    let state = state.map(Tree::State);
    if others.is_empty() {
        return state.unwrap_or(Tree::And(Vec::new()));
    }
    others.extend(state);
    match others.len() {
        1 => others.swap_remove(0),
        _ if operator == BinaryOperator::And => Tree::And(others),
        _ => Tree::Or(others),
    }
}

/// Quantifies over the runs of a formula. A quantifier around a negation becomes the negated dual
/// quantifier, so that both logics see the operator inside.
pub(in crate::petri) fn quantified(every: bool, path: Tree) -> Tree {
    match path {
        Tree::Not(inner) => Tree::Not(Box::new(quantified(!every, *inner))),
        path if every => Tree::All(Box::new(path)),
        path => Tree::Exists(Box::new(path)),
    }
}
