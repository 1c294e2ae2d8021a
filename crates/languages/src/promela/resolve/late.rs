//! Declarations in bodies. At the start they give initial values; further down they are steps.
//!
//! A step assigns the initial value, or 0: to a variable or the first element of an array. That of a
//! structure assigns nothing. A channel exists from the start, so its declaration is no step.

use std::collections::BTreeMap;

use super::super::program::{Basic, Expression, Initial, Leaf, LeafId, LeafKind, Node, Place};
use super::super::syntax;
use super::scopes::Variable;
use super::statements::{Statements, basic};
use super::types::Shape;
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic};

/// What a body adds to the locals of its proctype.
#[derive(Debug, Default)]
pub(super) struct NewLocals {
    /// Initial values by the number of the leaf.
    pub(super) initial: BTreeMap<usize, Initial>,
    /// Hidden counters, behind the declared leaves.
    pub(super) counters: Vec<Leaf>,
}

impl<'file> Statements<'_, 'file> {
    pub(super) fn declaration(
        &mut self,
        declaration: &'file syntax::Declaration,
        nodes: &mut Vec<Node>,
    ) -> Checked<()> {
        let mut failed = Ok(());
        for declarator in &declaration.variables {
            let known = self.signature.and_then(|signature| signature.variable(declarator));
            let Some(variable) = known else { continue };
            let resolved = variable.and_then(|variable| self.declarator(declarator, variable, nodes));
            if let Err(reported) = resolved {
                failed = Err(reported);
            }
            if !self.expressions.scope.declare(&declarator.name.text, variable) {
                let name = &declarator.name;
                let message = format!("a second variable `{}` in one block", name.text);
                let text = "the name is taken";
                let error = Diagnostic::error(codes::DECLARED_TWICE, name.span, message, text);
                failed = Err(self.expressions.diagnostics.report(error));
            }
        }
        failed
    }

    /// The initial value of a local: at the start of a body it belongs to the leaf, and further down
    /// it is a step.
    fn declarator(
        &mut self,
        declarator: &'file syntax::Declarator,
        variable: Variable,
        nodes: &mut Vec<Node>,
    ) -> Checked<()> {
        let LeafId::Local(leaf) = variable.leaf else { return Ok(()) };
        if let (Some(syntax::Initial::Channel { .. }), Shape::Leaf(LeafKind::Channel)) =
            (&declarator.initial, variable.shape)
        {
            return Ok(());
        }
        let initial = self.expressions.initial(declarator, variable.shape, variable.length)?;
        let span = declarator.span;
        match (variable.shape, initial) {
            (Shape::Leaf(_), initial) if self.at_start => {
                self.locals.initial.insert(leaf, initial);
            }
            (Shape::Structure(_), _) if self.at_start => {}
            (Shape::Leaf(_), Initial::Value(value)) => {
                let first = variable.length.map(|_| Expression::number(0, span));
                let place = Place { leaf: variable.leaf, indices: first.into_iter().collect(), span };
                nodes.push(basic(Basic::Assign(vec![(place, value)]), span));
            }
            (Shape::Structure(_), _) => nodes.push(basic(Basic::Assign(Vec::new()), span)),
            (Shape::Leaf(_), Initial::List(_) | Initial::Channels { .. }) => {
                let message = "a list of initial values stands after the first statement of the body";
                let error = Diagnostic::error(codes::BAD_INITIAL_VALUE, span, message, "not a step");
                let help = "move the declaration to the start of the body, or assign the elements one by one";
                return Err(self.expressions.diagnostics.report(error.help(help)));
            }
        }
        Ok(())
    }
}
