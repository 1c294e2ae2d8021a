//! The terms of a symmetric net: multisets of colours, and conditions, once the variables have
//! values.

use std::collections::BTreeMap;

use model::guarded_commands::Span;

use super::sorts::{Declarations, MOST_COLOURS, Sort, SortId, unknown, unsupported};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics};
use crate::petri::xml::Element;

/// The values of variables, by number.
pub(super) type Binding = [u64];

/// Colours with their multiplicities.
pub(super) type Bag = BTreeMap<u64, i64>;

/// A term, and the sort of its colours.
#[derive(Clone, Debug)]
pub(super) struct Term {
    kind: TermKind,
    pub(super) sort: SortId,
}

#[derive(Clone, Debug)]
enum TermKind {
    Variable(usize),
    Constant(u64),
    /// A successor or predecessor at some distance, modulo the size of the sort.
    Shifted(Box<Term>, i64, u64),
    /// The parts of a tuple, each with the number of its colours.
    Tuple(Vec<(Term, u64)>),
    /// Every colour.
    All(u64),
    NumberOf(i64, Box<Term>),
    Add(Vec<Term>),
    Subtract(Vec<Term>),
    /// For each colour, its element of a partition.
    ElementOf(Box<Term>, Vec<u64>),
}

/// A condition.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    Constant(bool),
    Not(Box<Condition>),
    And(Vec<Condition>),
    Or(Vec<Condition>),
    /// Two terms, each with an offset for its colour, and the accepted results of comparing them.
    Compare((Term, i64), (Term, i64), fn(i64, i64) -> bool),
}

/// A reader of terms, with the declarations.
pub(super) struct TermReader<'a> {
    pub(super) declarations: &'a mut Declarations,
    pub(super) diagnostics: &'a mut Diagnostics,
}

impl TermReader<'_> {
    /// The content of an operator's `subterm`s. A tool may leave out the tags.
    fn operands<'e>(&self, element: &'e Element) -> Vec<&'e Element> {
        let inner = |child: &'e Element| match (child.name.as_str(), child.children.as_slice()) {
            ("subterm", [only]) => only,
            _ => child,
        };
        element.children.iter().map(inner).collect()
    }

    fn only_operand<'e>(&mut self, element: &'e Element) -> Checked<&'e Element> {
        match self.operands(element).as_slice() {
            [only] => Ok(*only),
            _ => Err(self.diagnostics.report(element.incomplete("exactly one term inside"))),
        }
    }

    /// The term in the `structure` of a marking or an inscription.
    pub(super) fn structure<'e>(&mut self, part: &'e Element) -> Checked<&'e Element> {
        match part.child("structure").map(|structure| structure.children.as_slice()) {
            Some([only]) => Ok(only),
            _ => Err(self.diagnostics.report(part.incomplete("a `structure` with one term"))),
        }
    }

    /// A term for tokens on a place of this sort.
    pub(super) fn tokens(&mut self, element: &Element, sort: SortId) -> Checked<Term> {
        let term = self.term(element)?;
        if term.sort == sort {
            return Ok(term);
        }
        let message = "the tokens have another sort than their place";
        let error = Diagnostic::error(codes::UNSUPPORTED_NET, element.span, message, "of another sort");
        Err(self.diagnostics.report(error.help("use the sort that the `type` of the place names")))
    }

    pub(super) fn term(&mut self, element: &Element) -> Checked<Term> {
        let span = element.span;
        let declared = |attribute: &str| element.required(attribute).map(str::to_owned);
        match element.name.as_str() {
            "subterm" => {
                let inner = self.only_operand(element)?;
                self.term(inner)
            }
            "dotconstant" => {
                let dot = Element { name: "dot".into(), span, ..Element::default() };
                let sort = self.declarations.sort_of(&dot, self.diagnostics)?;
                Ok(Term { kind: TermKind::Constant(0), sort })
            }
            "variable" => {
                let name = declared("refvariable").map_err(|error| self.diagnostics.report(error))?;
                let Some(number) = self.declarations.variable(&name) else {
                    return Err(unknown("variable", &name, span, self.diagnostics));
                };
                let sort = self.declarations.variables()[number].1;
                Ok(Term { kind: TermKind::Variable(number), sort })
            }
            "useroperator" => {
                let name = declared("declaration").map_err(|error| self.diagnostics.report(error))?;
                match self.declarations.constant(&name) {
                    Some((sort, colour)) => Ok(Term { kind: TermKind::Constant(colour), sort }),
                    None => Err(unknown("constant", &name, span, self.diagnostics)),
                }
            }
            "finiteintrangeconstant" => self.range_constant(element),
            "all" => {
                let sort = self.only_operand(element)?;
                let sort = self.declarations.sort_of(sort, self.diagnostics)?;
                Ok(Term { kind: TermKind::All(self.declarations.size(sort)), sort })
            }
            "successor" | "predecessor" => {
                let inner = self.only_operand(element)?;
                let inner = self.term(inner)?;
                let (sort, size) = (inner.sort, self.declarations.size(inner.sort));
                let step = if element.name == "successor" { 1 } else { -1 };
                Ok(Term { kind: TermKind::Shifted(Box::new(inner), step, size), sort })
            }
            "tuple" => {
                let parts = self.operands(element).into_iter().map(|part| self.term(part));
                let parts: Checked<Vec<Term>> = parts.collect();
                self.tuple(parts?, span)
            }
            "numberof" => self.number_of(element),
            "add" | "subtract" => {
                let parts = self.operands(element).into_iter().map(|part| self.term(part));
                let parts: Vec<Term> = parts.collect::<Checked<_>>()?;
                let Some(sort) = parts.first().map(|part| part.sort) else {
                    return Err(self.diagnostics.report(element.incomplete("terms inside")));
                };
                let add = element.name == "add";
                Ok(Term { kind: if add { TermKind::Add(parts) } else { TermKind::Subtract(parts) }, sort })
            }
            "partitionelementof" => {
                let name = declared("refpartition").map_err(|error| self.diagnostics.report(error))?;
                let Some((sort, elements)) = self.declarations.partition_named(&name).cloned() else {
                    return Err(unknown("partition", &name, span, self.diagnostics));
                };
                let inner = self.only_operand(element)?;
                let inner = self.term(inner)?;
                Ok(Term { kind: TermKind::ElementOf(Box::new(inner), elements), sort })
            }
            _ => Err(unsupported(element, "a term", self.diagnostics)),
        }
    }

    fn tuple(&mut self, parts: Vec<Term>, span: Span) -> Checked<Term> {
        let sorts: Vec<SortId> = parts.iter().map(|part| part.sort).collect();
        let sort = self.declarations.product(sorts, span, self.diagnostics)?;
        let parts = parts.into_iter();
        let parts = parts.map(|part| {
            let size = self.declarations.size(part.sort);
            (part, size)
        });
        Ok(Term { kind: TermKind::Tuple(parts.collect()), sort })
    }

    fn range_constant(&mut self, element: &Element) -> Checked<Term> {
        let value = element.required("value").map_err(|error| self.diagnostics.report(error))?;
        let range = self.only_operand(element)?;
        let sort = self.declarations.sort_of(range, self.diagnostics)?;
        match (self.declarations.sort(sort), value.trim().parse::<i64>()) {
            (Sort::Range { start, end }, Ok(value)) if (*start..=*end).contains(&value) => {
                Ok(Term { kind: TermKind::Constant((value - start).unsigned_abs()), sort })
            }
            _ => Err(self.diagnostics.report(element.incomplete("a value inside of its range"))),
        }
    }

    /// A multiple of a multiset. Without a multiset it is a number of dots.
    fn number_of(&mut self, element: &Element) -> Checked<Term> {
        let (mut number, mut tokens) = (1, None);
        for operand in self.operands(element) {
            if operand.name != "numberconstant" {
                tokens = Some(self.term(operand)?);
                continue;
            }
            let text = operand.required("value").map_err(|error| self.diagnostics.report(error))?;
            match text.trim().parse::<u32>() {
                Ok(value) => number = i64::from(value),
                Err(_) => {
                    let message = format!("`{text}` is not a number from 0 to {}", u32::MAX);
                    let label = "expected a number of tokens";
                    let error = Diagnostic::error(codes::BAD_TOKEN_COUNT, operand.span, message, label);
                    return Err(self.diagnostics.report(error.help("write it in decimal digits")));
                }
            }
        }
        let Some(tokens) = tokens else {
            return Err(self.diagnostics.report(element.incomplete("the term that is counted")));
        };
        Ok(Term { sort: tokens.sort, kind: TermKind::NumberOf(number, Box::new(tokens)) })
    }

    pub(super) fn condition(&mut self, element: &Element) -> Checked<Condition> {
        let many = |reader: &mut Self| -> Checked<Vec<Condition>> {
            reader.operands(element).into_iter().map(|one| reader.condition(one)).collect()
        };
        let compare: fn(i64, i64) -> bool = match element.name.as_str() {
            "subterm" => {
                let inner = self.only_operand(element)?;
                return self.condition(inner);
            }
            "and" => return Ok(Condition::And(many(self)?)),
            "or" => return Ok(Condition::Or(many(self)?)),
            "not" => {
                let inner = self.only_operand(element)?;
                return Ok(Condition::Not(Box::new(self.condition(inner)?)));
            }
            "imply" => {
                let mut parts = many(self)?;
                let then = parts.pop();
                let negated = parts.into_iter().map(|part| Condition::Not(Box::new(part)));
                return Ok(Condition::Or(negated.chain(then).collect()));
            }
            "booleanconstant" => return Ok(Condition::Constant(element.attribute("value") == Some("true"))),
            "equality" => |a, b| a == b,
            "inequality" => |a, b| a != b,
            "lessthan" | "ltp" => |a, b| a < b,
            "lessthanorequal" => |a, b| a <= b,
            "greaterthan" | "gtp" => |a, b| a > b,
            "greaterthanorequal" => |a, b| a >= b,
            _ => return Err(unsupported(element, "a condition", self.diagnostics)),
        };
        let operands = self.operands(element);
        let [left, right] = operands.as_slice() else {
            return Err(self.diagnostics.report(element.incomplete("exactly two terms")));
        };
        let (left, right) = (self.term(left)?, self.term(right)?);
        // Numbers of two ranges are compared as numbers.
        let start = |term: &Term| match self.declarations.sort(term.sort) {
            Sort::Range { start, .. } => *start,
            _ => 0,
        };
        let (left, right) = ((left.clone(), start(&left)), (right.clone(), start(&right)));
        Ok(Condition::Compare(left, right, compare))
    }
}

impl Term {
    /// The value of the term, a multiset, with these values of variables.
    pub(super) fn bag(&self, binding: &Binding) -> Bag {
        match &self.kind {
            TermKind::Variable(number) => Bag::from([(binding[*number], 1)]),
            TermKind::Constant(colour) => Bag::from([(*colour, 1)]),
            TermKind::All(size) => (0..*size).map(|colour| (colour, 1)).collect(),
            TermKind::Shifted(inner, step, size) => {
                let shift = |colour: u64| (colour as i64 + step).rem_euclid(*size as i64) as u64;
                inner.bag(binding).into_iter().map(|(colour, count)| (shift(colour), count)).collect()
            }
            TermKind::ElementOf(inner, elements) => {
                let mut bag = Bag::new();
                for (colour, count) in inner.bag(binding) {
                    *bag.entry(elements.get(colour as usize).copied().unwrap_or(0)).or_default() += count;
                }
                bag
            }
            TermKind::Tuple(parts) => parts.iter().fold(Bag::from([(0, 1)]), |tuples, (part, size)| {
                let part = part.bag(binding);
                let longer = |(tuple, count): (u64, i64)| {
                    let part = part.iter();
                    part.map(move |(colour, more)| (tuple * size + colour, count.saturating_mul(*more)))
                };
                tuples.into_iter().flat_map(longer).take(MOST_COLOURS as usize).collect()
            }),
            TermKind::NumberOf(number, inner) => {
                let bag = inner.bag(binding).into_iter();
                bag.map(|(colour, count)| (colour, count.saturating_mul(*number))).collect()
            }
            TermKind::Add(parts) => sum(parts, binding, |_| 1),
            // A difference may subtract tokens that are not there.
            TermKind::Subtract(parts) => sum(parts, binding, |number| if number == 0 { 1 } else { -1 })
                .into_iter()
                .filter(|(_, count)| *count > 0)
                .collect(),
        }
    }

    /// The only colour, if the term has a single one.
    fn colour(&self, binding: &Binding) -> Option<u64> {
        match &self.kind {
            TermKind::Variable(number) => Some(binding[*number]),
            TermKind::Constant(colour) => Some(*colour),
            _ => self.bag(binding).into_keys().next(),
        }
    }

    /// Calls `visit` with each variable.
    pub(super) fn variables(&self, visit: &mut dyn FnMut(usize)) {
        match &self.kind {
            TermKind::Variable(number) => visit(*number),
            TermKind::Constant(_) | TermKind::All(_) => {}
            TermKind::Shifted(inner, ..) | TermKind::NumberOf(_, inner) | TermKind::ElementOf(inner, _) => {
                inner.variables(visit);
            }
            TermKind::Tuple(parts) => parts.iter().for_each(|(part, _)| part.variables(visit)),
            TermKind::Add(parts) | TermKind::Subtract(parts) => {
                parts.iter().for_each(|part| part.variables(visit));
            }
        }
    }
}

fn sum(parts: &[Term], binding: &Binding, sign: impl Fn(usize) -> i64) -> Bag {
    let mut bag = Bag::new();
    for (number, part) in parts.iter().enumerate() {
        for (colour, count) in part.bag(binding) {
            let total = bag.entry(colour).or_default();
            *total = total.saturating_add(count.saturating_mul(sign(number)));
        }
    }
    bag
}

impl Condition {
    pub(super) fn holds(&self, binding: &Binding) -> bool {
        match self {
            Self::Constant(value) => *value,
            Self::Not(inner) => !inner.holds(binding),
            Self::And(parts) => parts.iter().all(|part| part.holds(binding)),
            Self::Or(parts) => parts.iter().any(|part| part.holds(binding)),
            Self::Compare((left, left_start), (right, right_start), compare) => {
                match (left.colour(binding), right.colour(binding)) {
                    (Some(left), Some(right)) => {
                        compare(left as i64 + left_start, right as i64 + right_start)
                    }
                    _ => false,
                }
            }
        }
    }

    /// Calls `visit` with each variable.
    pub(super) fn variables(&self, visit: &mut dyn FnMut(usize)) {
        match self {
            Self::Constant(_) => {}
            Self::Not(inner) => inner.variables(visit),
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.variables(visit)),
            Self::Compare((left, _), (right, _), _) => {
                left.variables(visit);
                right.variables(visit);
            }
        }
    }

    /// The parts of a conjunction, which can be tested one by one.
    pub(super) fn into_conjuncts(self) -> Vec<Condition> {
        match self {
            Self::And(parts) => parts.into_iter().flat_map(Self::into_conjuncts).collect(),
            other => vec![other],
        }
    }
}
