//! From XML to formulas whose atoms are expressions.

use model::guarded_commands::{BinaryOperator, CellId, Expression, Span};

use super::tree::{State, Tree, connected, negated};
use super::{ContestProperty, ContestQuestion, logic};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, Reported};
use crate::lowering::fold;
use crate::petri::lower::enabled;
use crate::petri::net::Net;
use crate::petri::xml::{Document, Element, Piece};
use crate::spelling::did_you_mean;

/// Reads the properties of a file.
pub(super) fn properties(
    text: &str,
    net: Option<&Net>,
    diagnostics: &mut Diagnostics,
) -> Checked<Vec<ContestProperty>> {
    let Some(net) = net else {
        return Err(diagnostics.report(not_a_net(text)));
    };
    let mut document = Document::new(text);
    let mut reader = Reader { net, diagnostics };
    let mut properties = Vec::new();
    let mut inside = false;
    loop {
        let piece = document.next().map_err(|error| reader.diagnostics.report(error))?;
        match piece {
            Piece::Opening(element) if element.name == "property-set" && !inside => inside = true,
            Piece::Opening(element) if element.name == "property" && inside => {
                let element = document.rest_of(element).map_err(|error| reader.diagnostics.report(error))?;
                // Errors in one property do not hide those in the next.
                if let Ok(property) = reader.property(&element) {
                    properties.push(property);
                }
            }
            Piece::Opening(element) => return Err(reader.not_properties(&element)),
            Piece::Text(..) | Piece::Closing => {}
            Piece::End => break,
        }
    }
    if inside { Ok(properties) } else { Err(reader.not_properties(&Element::default())) }
}

/// The error about a model that is no net.
pub(crate) fn not_a_net(text: &str) -> Diagnostic {
    let message = "properties in files are about Petri nets, and the model is none";
    let error = Diagnostic::error(codes::NOT_A_NET, Span::new(0, text.len()), message, "about a net");
    error.help("ask about this model by an expression or a formula")
}

struct Reader<'a> {
    net: &'a Net,
    diagnostics: &'a mut Diagnostics,
}

impl Reader<'_> {
    fn not_properties(&mut self, element: &Element) -> Reported {
        let message = "there are no properties at this place";
        let error = Diagnostic::error(codes::NOT_A_NET, element.span, message, "expected `<property-set>`");
        self.diagnostics
            .report(error.help("a file holds `<property-set><property>…</property></property-set>`"))
    }

    fn property(&mut self, element: &Element) -> Checked<ContestProperty> {
        let name = self.part(element, "id")?.text.trim().to_owned();
        let formula = self.part(element, "formula")?;
        let formula = self.only_child(formula)?;
        let question = if formula.name == "place-bound" {
            ContestQuestion::Bound(self.sum(formula)?.0)
        } else {
            let tree = self.tree(formula)?;
            let linear = name.contains("LTL").then_some(true).or(name.contains("CTL").then_some(false));
            logic::question(&tree, linear, self.net.has_fair_transitions(), element.span, self.diagnostics)?
        };
        Ok(ContestProperty { name, question, span: element.span })
    }

    fn part<'e>(&mut self, element: &'e Element, name: &str) -> Checked<&'e Element> {
        let missing = || element.incomplete(&format!("its `{name}`"));
        element.child(name).ok_or_else(|| self.diagnostics.report(missing()))
    }

    fn only_child<'e>(&mut self, element: &'e Element) -> Checked<&'e Element> {
        match element.children.as_slice() {
            [child] => Ok(child),
            _ => Err(self.diagnostics.report(element.incomplete("exactly one formula inside"))),
        }
    }

    fn trees(&mut self, element: &Element) -> Checked<Vec<Tree>> {
        element.children.iter().map(|child| self.tree(child)).collect()
    }

    fn inside(&mut self, element: &Element) -> Checked<Box<Tree>> {
        let child = self.only_child(element)?;
        self.tree(child).map(Box::new)
    }

    fn tree(&mut self, element: &Element) -> Checked<Tree> {
        let span = element.span;
        let state = |expression, text: String| State { expression, text, span, is_deadlock: false };
        Ok(match element.name.as_str() {
            "all-paths" => Tree::All(self.inside(element)?),
            "exists-path" => Tree::Exists(self.inside(element)?),
            "finally" => Tree::Finally(self.inside(element)?),
            "globally" => Tree::Globally(self.inside(element)?),
            "next" => Tree::Next(self.inside(element)?),
            "until" => {
                let (before, reach) = (self.part(element, "before")?, self.part(element, "reach")?);
                Tree::Until(self.inside(before)?, self.inside(reach)?)
            }
            "negation" => negated(*self.inside(element)?),
            "conjunction" => connected(BinaryOperator::And, self.trees(element)?, span),
            "disjunction" => connected(BinaryOperator::Or, self.trees(element)?, span),
            "imply" | "implication" if element.children.len() == 2 => {
                let mut trees = self.trees(element)?;
                let then = trees.pop().into_iter();
                let trees = trees.into_iter().map(negated).chain(then).collect();
                connected(BinaryOperator::Or, trees, span)
            }
            "true" => Tree::State(state(Expression::Constant(1), "true".into())),
            "false" => Tree::State(state(Expression::Constant(0), "false".into())),
            "deadlock" => {
                let fires = self.net.transitions.iter().map(enabled).collect();
                let fires = fold::any(fires);
                let state = state(fires.negated(), "deadlock".into());
                Tree::State(State { is_deadlock: true, ..state })
            }
            "is-fireable" => {
                let (expression, text) = self.fireable(element)?;
                Tree::State(state(expression, text))
            }
            "integer-le" => self.comparison(element, BinaryOperator::LessOrEqual, "<=")?,
            "integer-lt" => self.comparison(element, BinaryOperator::Less, "<")?,
            "integer-ge" => self.comparison(element, BinaryOperator::GreaterOrEqual, ">=")?,
            "integer-gt" => self.comparison(element, BinaryOperator::Greater, ">")?,
            "integer-eq" => self.comparison(element, BinaryOperator::Equal, "==")?,
            "integer-ne" => self.comparison(element, BinaryOperator::NotEqual, "!=")?,
            _ => return Err(self.unknown(element, "a formula")),
        })
    }

    fn comparison(&mut self, element: &Element, operator: BinaryOperator, sign: &str) -> Checked<Tree> {
        let [left, right] = element.children.as_slice() else {
            return Err(self.diagnostics.report(element.incomplete("exactly two numbers")));
        };
        let ((left, left_text), (right, right_text)) = (self.number(left)?, self.number(right)?);
        let expression = Expression::binary(operator, left, right);
        let text = format!("{left_text} {sign} {right_text}");
        Ok(Tree::State(State { expression, text, span: element.span, is_deadlock: false }))
    }

    fn number(&mut self, element: &Element) -> Checked<(Expression, String)> {
        let (operator, sign) = match element.name.as_str() {
            "tokens-count" => return self.sum(element),
            "integer-constant" => {
                let text = element.text.trim();
                let Ok(value) = text.parse::<i32>() else {
                    let message = format!("`{text}` is no number of 32 bits");
                    let error =
                        Diagnostic::error(codes::NUMBER_TOO_LARGE, element.span, message, "too large");
                    return Err(self
                        .diagnostics
                        .report(error.help("write a smaller number, in decimal digits")));
                };
                return Ok((Expression::Constant(i64::from(value)), text.to_owned()));
            }
            "integer-sum" => (BinaryOperator::Add, "+"),
            "integer-difference" => (BinaryOperator::Subtract, "-"),
            "integer-product" => (BinaryOperator::Multiply, "*"),
            _ => return Err(self.unknown(element, "a number")),
        };
        let operands: Checked<Vec<_>> = element.children.iter().map(|child| self.number(child)).collect();
        let (values, texts): (Vec<Expression>, Vec<String>) = operands?.into_iter().unzip();
        let value = values.into_iter().reduce(|left, right| Expression::binary(operator, left, right));
        let value = value.ok_or_else(|| self.diagnostics.report(element.incomplete("numbers inside")))?;
        Ok((value, format!("({})", texts.join(&format!(" {sign} ")))))
    }

    /// The sum of the tokens on all places named inside.
    fn sum(&mut self, element: &Element) -> Checked<(Expression, String)> {
        let mut cells = Vec::new();
        let mut names = Vec::new();
        for child in &element.children {
            if child.name != "place" {
                return Err(self.unknown(child, "a `place`"));
            }
            let name = child.text.trim();
            let Some(places) = self.net.places_named(name) else {
                return Err(self.unknown_node(child, "place"));
            };
            cells.extend(places.iter().map(|place| Expression::Cell(CellId(*place))));
            names.push(name);
        }
        let sum = fold::sum(cells);
        Ok((sum, format!("tokens-count({})", names.join(", "))))
    }

    /// The condition that any of the transitions named inside can fire.
    fn fireable(&mut self, element: &Element) -> Checked<(Expression, String)> {
        let mut fires = Vec::new();
        let mut names = Vec::new();
        for child in &element.children {
            if child.name != "transition" {
                return Err(self.unknown(child, "a `transition`"));
            }
            let name = child.text.trim();
            let Some(transitions) = self.net.transitions_named(name) else {
                return Err(self.unknown_node(child, "transition"));
            };
            fires.extend(transitions.iter().map(|number| enabled(&self.net.transitions[*number as usize])));
            names.push(name);
        }
        let fires = fold::any(fires);
        Ok((fires, format!("is-fireable({})", names.join(", "))))
    }

    fn unknown(&mut self, element: &Element, expected: &str) -> Reported {
        let message = format!("`{}` is not supported here", element.name);
        let label = format!("expected {expected}");
        let error = Diagnostic::error(codes::UNSUPPORTED_NET, element.span, message, label);
        self.diagnostics.report(error.help("the elements that are read are those of the contest of 2021"))
    }

    fn unknown_node(&mut self, element: &Element, kind: &str) -> Reported {
        let name = element.text.trim();
        let message = format!("the net has no {kind} `{name}`");
        let error = Diagnostic::error(codes::UNKNOWN_NODE, element.span, message, format!("unknown {kind}"));
        let help = if kind == "place" {
            did_you_mean(name, self.net.place_names())
        } else {
            did_you_mean(name, self.net.transition_names())
        };
        self.diagnostics
            .report(error.help(help.unwrap_or_else(|| "is this the file for another net?".into())))
    }
}
