//! Properties: assertions, never claims, `ltl` blocks, and labels that speak of cycles.
//!
//! A never claim is an automaton whose guards are read in the state before the step that it is paired
//! with, as [`BuchiAutomaton`] has it. Its states are the locations of its control-flow graph; the
//! location behind its closing brace accepts everything. Names of processes in claims and formulas
//! are those of [`View::default`]: nobody's locals.

use logic::ltl::Ltl;
use model::guarded_commands::{
    BuchiAutomaton, DeclaredProperty, DeclaredPropertyKind, Expression as Value, Span,
};

use super::super::graph::{self, Edge, EdgeKind, Graph};
use super::super::program::{self, Basic, Claim, Expression, NamedFormula};
use super::value::{View, and, not, or};
use super::{Lowered, Lowering, MissingProcesses};
use crate::diagnostic::{Checked, Diagnostics};
use crate::question::proposition::{Literal, Propositions};
use crate::{DeclaredFormula, LtlFormula};

/// The property that no assertion fails.
pub(crate) const ASSERTIONS: &str = "assertions";
/// The property that every infinite run is at a progress label infinitely often.
pub(crate) const PROGRESS: &str = "non-progress";
/// The property that no run is at an accept label infinitely often.
pub(crate) const ACCEPTANCE: &str = "acceptance";

/// Calls `visit` with the expressions of a formula.
pub(super) fn for_each_proposition(formula: &program::Formula, visit: &mut impl FnMut(&Expression)) {
    use program::Formula;
    match formula {
        Formula::Proposition(expression) => visit(expression),
        Formula::Not(f) | Formula::Next(f) | Formula::Always(f) | Formula::Eventually(f) => {
            for_each_proposition(f, visit);
        }
        Formula::And(f, g)
        | Formula::Or(f, g)
        | Formula::Implies(f, g)
        | Formula::Equivalent(f, g)
        | Formula::Until(f, g)
        | Formula::WeakUntil(f, g)
        | Formula::Release(f, g) => {
            for_each_proposition(f, visit);
            for_each_proposition(g, visit);
        }
    }
}

impl Lowering<'_, '_> {
    /// Adds the properties of the program.
    pub(super) fn finish(
        mut self,
        missing: MissingProcesses,
        diagnostics: &mut Diagnostics,
    ) -> Checked<Lowered> {
        let valid_end = self.valid_end();
        let mut properties: Vec<DeclaredProperty> = self.assertions().into_iter().collect();
        let program = self.system.program;
        properties.extend(program.never.iter().map(|claim| self.claim(claim)));
        let optional = self.label_properties();
        let formulas = program.formulas.iter().map(|one| self.formula(one, diagnostics));
        let formulas = formulas.collect::<Checked<Vec<DeclaredFormula>>>()?;
        let names = self.names();
        self.name_values();
        self.system.commands.properties = properties;
        Ok(Lowered { commands: self.system.commands, formulas, optional, valid_end, names, missing })
    }

    /// The property that no process is at an assertion that it could execute and that is false.
    fn assertions(&self) -> Option<DeclaredProperty> {
        let mut failing = Vec::new();
        let mut span = Span::default();
        let view = |slot| View { slot: Some(slot), no_timeout: false, ..View::default() };
        for slot in 0..self.system.slots.len() {
            for (number, location) in self.system.graph(slot).locations.iter().enumerate() {
                let fails = or(location.edges.iter().map(|edge| {
                    let EdgeKind::Basic(Basic::Assert(condition)) = edge.kind else {
                        return Value::Constant(0);
                    };
                    if span == Span::default() {
                        span = edge.span;
                    }
                    let mut side = self.side_conditions(slot, number, edge, view(slot));
                    side.push(self.has_highest_priority(slot));
                    and(side.into_iter().chain([not(self.value(condition, view(slot)))]))
                }));
                if fails == Value::Constant(0) {
                    continue;
                }
                let cell = self.system.slots[slot].location;
                let copies = self.system.slots[slot].intermediate.get(&number).copied();
                let numbers = self.system.visible(slot, number).into_iter().chain(copies);
                let here = or(numbers.map(|number| Value::cell_equals(cell, i64::from(number))));
                failing.push(and([here, fails]));
            }
        }
        let is_any = span != Span::default();
        // Also in an intermediate state: it exists because the assertion fails there.
        let kind = DeclaredPropertyKind::Invariant(not(or(failing)));
        is_any.then(|| DeclaredProperty { name: ASSERTIONS.into(), kind, span })
    }

    fn claim(&self, claim: &Claim) -> DeclaredProperty {
        let graph = graph::build(&claim.body, claim.end, &std::collections::BTreeSet::new());
        let mut transitions = Vec::new();
        for (number, location) in graph.locations.iter().enumerate() {
            for edge in &location.edges {
                match edge.kind {
                    EdgeKind::End => transitions.push((number as u32, number as u32, Value::Constant(1))),
                    EdgeKind::Basic(Basic::Assert(condition)) => {
                        let holds = self.value(condition, View::default());
                        let side = self.claim_guard(&graph, number, edge);
                        let fails = and([side.clone(), not(holds)]);
                        transitions.push((number as u32, edge.target as u32, side));
                        transitions.push((number as u32, graph.end as u32, fails));
                    }
                    _ => {
                        let guard = self.claim_guard(&graph, number, edge);
                        transitions.push((number as u32, edge.target as u32, guard));
                    }
                }
            }
        }
        transitions.retain(|(_, _, guard)| *guard != Value::Constant(0));
        let is_accepting = |number: &usize| {
            let labels = &graph.locations[*number].labels;
            *number == graph.end || labels.iter().any(|label| label.starts_with("accept"))
        };
        let accepting = (0..graph.locations.len()).filter(is_accepting).map(|number| number as u32).collect();
        let name = |(number, location): (usize, &graph::Location<'_>)| {
            location.labels.first().map_or_else(|| format!("S{number}"), |label| (*label).to_owned())
        };
        let states = graph.locations.iter().enumerate().map(name).collect();
        let automaton = BuchiAutomaton { states, initial: graph.entry as u32, accepting, transitions };
        DeclaredProperty {
            name: claim.name.clone(),
            kind: DeclaredPropertyKind::NoAcceptedRun(automaton),
            span: claim.span,
        }
    }

    /// When a claim can take an edge.
    fn claim_guard(&self, graph: &Graph<'_>, location: usize, edge: &Edge<'_>) -> Value {
        let own = match edge.kind {
            EdgeKind::Basic(Basic::Condition(condition)) => self.value(condition, View::default()),
            _ => Value::Constant(1),
        };
        let edges = &graph.locations[location].edges;
        let others = edge.not_if.iter().map(|other| not(self.claim_guard(graph, location, &edges[*other])));
        and(others.chain([own]))
    }

    /// The properties that labels in processes stand for.
    fn label_properties(&self) -> Vec<DeclaredProperty> {
        let mut found = Vec::new();
        let at_any = |prefix: &str| {
            let slots = 0..self.system.slots.len();
            or(slots.flat_map(|slot| {
                let locations = self.system.graph(slot).locations.iter().enumerate();
                locations
                    .filter(|(_, location)| location.labels.iter().any(|label| label.starts_with(prefix)))
                    .map(move |(number, _)| self.at(slot, number, View::default()))
                    .collect::<Vec<_>>()
            }))
        };
        let one = Value::Constant(1);
        let states = |first: &str, second: &str| vec![first.to_owned(), second.to_owned()];
        let mut add = |name: &str, states, transitions| {
            let automaton = BuchiAutomaton { states, initial: 0, accepting: vec![1], transitions };
            let kind = DeclaredPropertyKind::NoAcceptedRun(automaton);
            found.push(DeclaredProperty { name: name.into(), kind, span: Span::default() });
        };
        let progress = at_any("progress");
        if progress != Value::Constant(0) {
            let none = not(progress);
            let transitions = vec![(0, 0, one), (0, 1, none.clone()), (1, 1, none)];
            add(PROGRESS, states("any", "no_progress"), transitions);
        }
        let accept = at_any("accept");
        if accept != Value::Constant(0) {
            let other = not(accept.clone());
            let transitions =
                vec![(0, 1, accept.clone()), (0, 0, other.clone()), (1, 1, accept), (1, 0, other)];
            add(ACCEPTANCE, states("other", "accept"), transitions);
        }
        found
    }

    fn formula(&self, named: &NamedFormula, diagnostics: &mut Diagnostics) -> Checked<DeclaredFormula> {
        let mut propositions = Propositions::default();
        let formula = self.temporal(&named.formula, &mut propositions, diagnostics)?;
        let text = self.text.get(named.span.start as usize..named.span.end as usize).unwrap_or_default();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (propositions, warnings) = (propositions.into_list(), Vec::new());
        let formula = LtlFormula { formula, propositions, text, warnings };
        Ok(DeclaredFormula { name: named.name.clone(), formula, span: named.span })
    }

    fn temporal(
        &self,
        formula: &program::Formula,
        propositions: &mut Propositions,
        diagnostics: &mut Diagnostics,
    ) -> Checked<Ltl> {
        use program::Formula;
        let mut below = |formula| self.temporal(formula, propositions, diagnostics);
        Ok(match formula {
            Formula::Proposition(expression) => {
                let value = self.value(expression, View::default());
                let text = self.statement_text(expression.span);
                match propositions.literal(&text, value, expression.span, diagnostics)? {
                    Literal::Constant(true) => Ltl::True,
                    Literal::Constant(false) => Ltl::False,
                    Literal::Proposition { number, holds: true } => Ltl::Proposition(number),
                    Literal::Proposition { number, holds: false } => Ltl::negation(Ltl::Proposition(number)),
                }
            }
            Formula::Not(f) => Ltl::negation(below(f)?),
            Formula::And(f, g) => Ltl::and(below(f)?, below(g)?),
            Formula::Or(f, g) => Ltl::or(below(f)?, below(g)?),
            Formula::Implies(f, g) => Ltl::implies(below(f)?, below(g)?),
            Formula::Equivalent(f, g) => Ltl::equivalent(below(f)?, below(g)?),
            Formula::Next(f) => Ltl::next(below(f)?),
            Formula::Always(f) => Ltl::globally(below(f)?),
            Formula::Eventually(f) => Ltl::finally(below(f)?),
            Formula::Until(f, g) => Ltl::until(below(f)?, below(g)?),
            Formula::WeakUntil(f, g) => Ltl::weak_until(below(f)?, below(g)?),
            Formula::Release(f, g) => Ltl::release(below(f)?, below(g)?),
        })
    }
}
