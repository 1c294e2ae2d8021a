//! Unfolding a symmetric net: a place for each colour of a place, a transition for each assignment
//! of its variables that satisfies its condition.
//!
//! Values are chosen variable by variable, and each part of a condition is tested as soon as its
//! variables have values, so that `x = y` costs no more than necessary. Instances that need a token
//! which no step can produce are left out, and so are places that are never marked. A first pass
//! finds the places that can be marked at all, by firing every transition without removing tokens.
//! Otherwise nets with tables of data in their places would not fit in memory. A place of dots
//! keeps its name; others are called `p(a,1)`, and transitions `t(a,1)` with the values of their
//! variables in the order of declaration. Limits keep the result in memory. An error reports them,
//! because the file alone does not show how large its net is.

use std::collections::{HashMap, HashSet};

use model::guarded_commands::Span;

use super::place_transition::{NodeId, count, ends, node_names};
use super::read::{Node, WrittenNet};
use super::sorts::{Declarations, Sort, SortId};
use super::terms::{Bag, Condition, Term, TermReader};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, Reported};
use crate::petri::net::{Fairness, Net, NetArc, NetPlace, NetTransition};
use crate::petri::xml::Element;

/// The most places of the unfolded net.
const MOST_PLACES: usize = 1 << 20;
/// The most transitions of the unfolded net.
const MOST_TRANSITIONS: usize = 1 << 20;
/// The most arcs of the unfolded net.
const MOST_ARCS: usize = 1 << 24;
/// The most values that are tried.
const MOST_TRIALS: u64 = 1 << 27;

/// The unfolded net. After a reported error it lacks what could not be read.
pub(super) fn net(written: &WrittenNet, diagnostics: &mut Diagnostics) -> Net {
    let net = Net { name: written.name.clone(), claimed_safe: written.claimed_safe, ..Net::default() };
    let declarations = Declarations::read(&written.declarations, diagnostics);
    let names = node_names(written, diagnostics);
    let (used, places, possible, numbers) = (HashSet::new(), Vec::new(), Vec::new(), Vec::new());
    let mut unfolding =
        Unfolding { declarations, net, used, places, possible, numbers, arcs: 0, trials: 0, diagnostics };
    // The error was reported.
    let _ = unfolding.run(written, &names);
    unfolding.net
}

/// A coloured place.
struct ColouredPlace {
    sort: SortId,
    /// The place of the first colour; the others follow.
    first: u32,
}

/// A coloured transition.
struct ColouredTransition<'n> {
    node: &'n Node,
    arcs: Vec<ColouredArc>,
    /// The variables, in the order of declaration.
    variables: Vec<usize>,
    /// The variables, in the order in which they get values.
    order: Vec<usize>,
    /// The tests before the first variable and after each of them.
    tests: Vec<Vec<Test>>,
}

/// A test that an instance must pass.
#[derive(Clone)]
enum Test {
    /// A part of the condition.
    Condition(Condition),
    /// The places of these tokens, counted from that of the first colour, can be marked.
    Marked(u32, Term),
}

impl Test {
    fn passes(&self, binding: &[u64], possible: &[bool]) -> bool {
        match self {
            Self::Condition(condition) => condition.holds(binding),
            Self::Marked(first, term) => {
                let needed = term.bag(binding).into_iter().filter(|(_, weight)| *weight > 0);
                needed.into_iter().all(|(colour, _)| possible[*first as usize + colour as usize])
            }
        }
    }
}

/// An arc of a coloured transition.
struct ColouredArc {
    first: u32,
    term: Term,
    to_transition: bool,
}

struct Unfolding<'a> {
    declarations: Declarations,
    net: Net,
    /// Names of unfolded nodes: two coloured ones may lead to the same.
    used: HashSet<String>,
    places: Vec<ColouredPlace>,
    /// Whether a place of the unfolded net can be marked, as far as is known.
    possible: Vec<bool>,
    /// The numbers of the places that can be marked.
    numbers: Vec<Option<u32>>,
    arcs: usize,
    trials: u64,
    diagnostics: &'a mut Diagnostics,
}

impl Unfolding<'_> {
    fn run(&mut self, written: &WrittenNet, names: &HashMap<&str, NodeId>) -> Checked<()> {
        for place in &written.places {
            self.place(place)?;
        }
        let mut arcs: Vec<Vec<ColouredArc>> = written.transitions.iter().map(|_| Vec::new()).collect();
        for arc in &written.arcs {
            let (place, transition, to_transition) = ends(arc, names, self.diagnostics)?;
            if arc.inhibits {
                return Err(self.coloured_inhibitor(arc.span));
            }
            let ColouredPlace { sort, first } = self.places[place as usize];
            let term = self.inscription(arc.inscription.as_ref(), sort, arc.span)?;
            arcs[transition as usize].push(ColouredArc { first, term, to_transition });
        }
        self.used.clear();
        let mut transitions = Vec::with_capacity(arcs.len());
        for (transition, arcs) in written.transitions.iter().zip(arcs) {
            transitions.push(self.coloured_transition(transition, arcs)?);
        }
        self.find_possible(&transitions)?;
        self.keep_possible();
        for transition in &transitions {
            self.net.transition_groups.entry(transition.node.id.clone()).or_default();
            self.each_instance(transition, &mut |unfolding, binding| {
                unfolding.instance(transition, binding)
            })?;
        }
        Ok(())
    }

    fn terms(&mut self) -> TermReader<'_> {
        TermReader { declarations: &mut self.declarations, diagnostics: self.diagnostics }
    }

    fn place(&mut self, node: &Node) -> Checked<()> {
        let sort = match node.part("type") {
            Some(part) => {
                let described = self.terms().structure(part)?;
                self.declarations.sort_of(described, self.diagnostics)?
            }
            None => self.dot(node.span)?,
        };
        let size = self.declarations.size(sort);
        if self.net.places.len() as u64 + size > MOST_PLACES as u64 {
            return Err(self.too_large(node.span, "places", MOST_PLACES));
        }
        let tokens = match (node.part("hlinitialMarking"), node.part("initialMarking")) {
            (Some(part), _) => self.initial(part, sort)?,
            (None, Some(part)) => Bag::from([(0, i64::from(count(part, self.diagnostics)?))]),
            (None, None) => Bag::new(),
        };
        let is_dot = *self.declarations.sort(sort) == Sort::Dot;
        let first = self.net.places.len() as u32;
        for colour in 0..size {
            let tokens = tokens.get(&colour).copied().unwrap_or(0);
            let Ok(tokens) = u32::try_from(tokens) else { return Err(self.too_many_tokens(node.span)) };
            let name = if is_dot {
                node.id.clone()
            } else {
                format!("{}({})", node.id, self.declarations.shown(sort, colour))
            };
            let name = self.unused(name);
            self.net.add_place(NetPlace { name, tokens, span: node.span }, &node.id);
        }
        self.net.place_groups.entry(node.id.clone()).or_default();
        self.places.push(ColouredPlace { sort, first });
        Ok(())
    }

    /// The initial tokens. A marking without a term, or with an empty one, has none.
    fn initial(&mut self, part: &Element, sort: SortId) -> Checked<Bag> {
        if part.child("structure").is_none_or(|structure| structure.children.is_empty()) {
            return Ok(Bag::new());
        }
        let element = self.terms().structure(part)?;
        let term = self.terms().tokens(element, sort)?;
        let mut variable = false;
        term.variables(&mut |_| variable = true);
        if variable {
            return Err(self
                .diagnostics
                .report(element.incomplete("constants only: a marking has no variables")));
        }
        Ok(term.bag(&[]))
    }

    fn dot(&mut self, span: Span) -> Checked<SortId> {
        let dot = Element { name: "dot".into(), span, ..Element::default() };
        self.declarations.sort_of(&dot, self.diagnostics)
    }

    fn inscription(&mut self, part: Option<&Element>, sort: SortId, span: Span) -> Checked<Term> {
        let implied = Element { name: "dotconstant".into(), span, ..Element::default() };
        match part {
            Some(part) => {
                let element = self.terms().structure(part)?;
                self.terms().tokens(element, sort)
            }
            None => self.terms().tokens(&implied, sort),
        }
    }

    /// Prepares the choice of values for a transition's variables.
    fn coloured_transition<'n>(
        &mut self,
        node: &'n Node,
        arcs: Vec<ColouredArc>,
    ) -> Checked<ColouredTransition<'n>> {
        let condition = match node.part("condition") {
            Some(part) if part.child("structure").is_some_and(|structure| !structure.children.is_empty()) => {
                let element = self.terms().structure(part)?;
                self.terms().condition(element)?
            }
            _ => Condition::Constant(true),
        };
        // Variables at places with few tokens come first: they leave the fewest choices for the
        // others.
        let marked = |arc: &ColouredArc| self.marked_colours(arc);
        let mut inputs: Vec<(usize, &ColouredArc)> =
            arcs.iter().filter(|arc| arc.to_transition).map(|arc| (marked(arc), arc)).collect();
        inputs.sort_by_key(|(marked, _)| *marked);
        let mut order = Vec::new();
        let mut note = |number: usize| {
            if !order.contains(&number) {
                order.push(number);
            }
        };
        inputs.iter().for_each(|(_, arc)| arc.term.variables(&mut note));
        arcs.iter().for_each(|arc| arc.term.variables(&mut note));
        condition.variables(&mut note);
        let mut tests: Vec<Vec<Test>> = vec![Vec::new(); order.len() + 1];
        // Each test follows the last of its variables.
        let place =
            |number: usize| order.iter().position(|known| *known == number).map_or(0, |place| place + 1);
        for part in condition.into_conjuncts() {
            let mut last = 0;
            part.variables(&mut |number| last = last.max(place(number)));
            tests[last].push(Test::Condition(part));
        }
        for (_, arc) in inputs {
            let mut last = 0;
            arc.term.variables(&mut |number| last = last.max(place(number)));
            tests[last].push(Test::Marked(arc.first, arc.term.clone()));
        }
        let mut variables = order.clone();
        variables.sort_unstable();
        Ok(ColouredTransition { node, arcs, variables, order, tests })
    }

    /// Number of colours of the place that are marked initially.
    fn marked_colours(&self, arc: &ColouredArc) -> usize {
        let first = arc.first as usize;
        let places = &self.net.places[first..first + self.declarations.size(arc.term.sort) as usize];
        places.iter().filter(|place| place.tokens > 0).count()
    }

    /// Removes the places that are never marked.
    fn keep_possible(&mut self) {
        let mut numbers = 0..;
        let possible = self.possible.iter();
        self.numbers = possible.map(|possible| if *possible { numbers.next() } else { None }).collect();
        let places = std::mem::take(&mut self.net.places).into_iter().zip(&self.numbers);
        self.net.places = places.filter(|(_, number)| number.is_some()).map(|(place, _)| place).collect();
        for group in self.net.place_groups.values_mut() {
            *group = group.iter().filter_map(|place| self.numbers[*place as usize]).collect();
        }
    }

    /// Calls `found` with each choice of values that passes all tests.
    fn each_instance(
        &mut self,
        transition: &ColouredTransition<'_>,
        found: &mut dyn FnMut(&mut Self, &[u64]) -> Checked<()>,
    ) -> Checked<()> {
        let mut binding = vec![0; self.declarations.variables().len()];
        if !transition.tests[0].iter().all(|test| test.passes(&binding, &self.possible)) {
            return Ok(());
        }
        self.choose(&transition.order, &transition.tests[1..], &mut binding, found)
    }

    fn choose(
        &mut self,
        variables: &[usize],
        tests: &[Vec<Test>],
        binding: &mut Vec<u64>,
        found: &mut dyn FnMut(&mut Self, &[u64]) -> Checked<()>,
    ) -> Checked<()> {
        let ([variable, rest @ ..], [here, later @ ..]) = (variables, tests) else {
            return found(self, binding);
        };
        for value in 0..self.declarations.size(self.declarations.variables()[*variable].1) {
            binding[*variable] = value;
            self.trials += 1;
            if self.trials > MOST_TRIALS {
                return Err(self.too_large(Span::default(), "values to be tried", MOST_TRIALS as usize));
            }
            if here.iter().all(|test| test.passes(binding, &self.possible)) {
                self.choose(rest, later, binding, found)?;
            }
        }
        Ok(())
    }

    /// Finds the places that can be marked, if tokens are never removed.
    fn find_possible(&mut self, transitions: &[ColouredTransition<'_>]) -> Checked<()> {
        self.possible = self.net.places.iter().map(|place| place.tokens > 0).collect();
        loop {
            let mut changed = false;
            for transition in transitions {
                self.each_instance(transition, &mut |unfolding, binding| {
                    for arc in transition.arcs.iter().filter(|arc| !arc.to_transition) {
                        for (colour, weight) in arc.term.bag(binding) {
                            let possible = &mut unfolding.possible[arc.first as usize + colour as usize];
                            changed |= weight > 0 && !*possible;
                            *possible |= weight > 0;
                        }
                    }
                    Ok(())
                })?;
            }
            if !changed {
                return Ok(());
            }
        }
    }

    fn instance(&mut self, transition: &ColouredTransition<'_>, binding: &[u64]) -> Checked<()> {
        let ColouredTransition { node, arcs, variables, .. } = transition;
        if self.net.transitions.len() >= MOST_TRANSITIONS {
            return Err(self.too_large(node.span, "transitions", MOST_TRANSITIONS));
        }
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for arc in arcs {
            let list = if arc.to_transition { &mut inputs } else { &mut outputs };
            for (colour, weight) in arc.term.bag(binding) {
                let Ok(weight) = u32::try_from(weight) else { return Err(self.too_many_tokens(node.span)) };
                // A place without a number is never marked, and no arc of this instance leads
                // there.
                if let Some(place) = self.numbers[arc.first as usize + colour as usize].filter(|_| weight > 0)
                {
                    list.push(NetArc { place, weight });
                }
            }
        }
        self.arcs += inputs.len() + outputs.len();
        if self.arcs > MOST_ARCS {
            return Err(self.too_large(node.span, "arcs", MOST_ARCS));
        }
        let shown = |variable: &usize| {
            self.declarations.shown(self.declarations.variables()[*variable].1, binding[*variable])
        };
        let values: Vec<String> = variables.iter().map(shown).collect();
        let name =
            if values.is_empty() { node.id.clone() } else { format!("{}({})", node.id, values.join(",")) };
        let name = self.unused(name);
        let (inhibitors, fairness, span) = (Vec::new(), Fairness::None, node.span);
        let transition = NetTransition { name, inputs, outputs, inhibitors, fairness, span };
        self.net.add_transition(transition, &node.id);
        Ok(())
    }

    /// The name, extended until no other node of its kind has it.
    fn unused(&mut self, mut name: String) -> String {
        while !self.used.insert(name.clone()) {
            name.push('_');
        }
        name
    }

    fn too_large(&mut self, span: Span, what: &str, most: usize) -> Reported {
        let message = format!("the unfolded net has more than {most} {what}");
        let error = Diagnostic::error(codes::NET_TOO_LARGE, span, message, "too large from here on");
        self.diagnostics.report(error.help("take a smaller instance, with fewer colours"))
    }

    fn too_many_tokens(&mut self, span: Span) -> Reported {
        let message = format!("more than {} tokens of one colour", u32::MAX);
        let error = Diagnostic::error(codes::BAD_TOKEN_COUNT, span, message, "around here");
        self.diagnostics.report(error.help("write fewer tokens"))
    }

    fn coloured_inhibitor(&mut self, span: Span) -> Reported {
        let message = "inhibitor arcs of symmetric nets are not supported";
        let error = Diagnostic::error(codes::UNSUPPORTED_NET, span, message, "an inhibitor arc");
        self.diagnostics.report(error.help("add a place that counts what is missing"))
    }
}
