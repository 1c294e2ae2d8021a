//! The identity of a run: everything that must be equal for it to resume from a checkpoint.
//!
//! A checkpoint holds states that were tested and then forgotten. Resumed with another property,
//! the search would test only the remaining states, and its verdict would be wrong. So a checkpoint
//! carries a hash of everything that a verdict depends on: the model, each property, each part of
//! the plan, and the version of Sweepline. The hashes are kept apart, so that a refusal names the
//! part that differs.
//!
//! A field of [`Plan`] that this file does not mention causes a compile error, and so does a kind of
//! property without an [identity](PropertyKind::identify).

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{DiskUse, Executable, Plan, SearchPlan, SweepPlan, WhenFull};
use crate::property::Property;
#[cfg(doc)]
use crate::property::PropertyKind;
use crate::store::fingerprint::Fingerprint;

/// The identity of a run, as hashes of its parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RunIdentity {
    version: String,
    model: u64,
    /// The name and the hash of each property.
    properties: Vec<(String, u64)>,
    /// The name and the hash of each part of the plan.
    plan: Vec<(String, u64)>,
}

/// The first difference between a run and the one that made a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The version of Sweepline differs. The checkpoint was made by this one.
    Version(String),
    /// The model differs.
    Model,
    /// There are more properties, or fewer.
    PropertyCount {
        /// The number of properties when the checkpoint was made.
        saved: usize,
        /// The number of properties now.
        now: usize,
    },
    /// The property of this name differs from the one that was checked.
    Property(String),
    /// This part of the plan differs.
    Plan(String),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version(version) => write!(f, "it was made by version {version} of this program"),
            Self::Model => write!(f, "the model has changed"),
            Self::PropertyCount { saved, now } => {
                write!(f, "it was made for {saved} properties, and there are {now}")
            }
            Self::Property(name) => write!(f, "the property `{name}` has changed"),
            Self::Plan(part) => write!(f, "the {part} has changed"),
        }
    }
}

impl RunIdentity {
    /// The identity of a run that checks these properties of the model by this plan.
    pub(super) fn new<M: Executable>(model: &M, properties: &[Property<M::Predicate>], plan: &Plan) -> Self {
        let mut fingerprint = Fingerprint::default();
        model.identify(&mut fingerprint);
        Self {
            version: env!("CARGO_PKG_VERSION").into(),
            model: fingerprint.value(),
            properties: properties.iter().map(|one| (one.name.clone(), of_property(model, one))).collect(),
            plan: of_plan(plan).into_iter().map(|(part, hash)| (part.to_owned(), hash)).collect(),
        }
    }

    /// The first part in which this run differs from the one that was saved.
    pub(super) fn difference(&self, saved: &Self) -> Option<Difference> {
        let Self { version, model, properties, plan } = self;
        if *version != saved.version {
            return Some(Difference::Version(saved.version.clone()));
        }
        if *model != saved.model {
            return Some(Difference::Model);
        }
        if properties.len() != saved.properties.len() {
            let (saved, now) = (saved.properties.len(), properties.len());
            return Some(Difference::PropertyCount { saved, now });
        }
        let differs = |(now, before): &(&(String, u64), &(String, u64))| now != before;
        if let Some((now, _)) = properties.iter().zip(&saved.properties).find(differs) {
            return Some(Difference::Property(now.0.clone()));
        }
        let part = plan.iter().zip(&saved.plan).find(differs);
        part.map(|(now, _)| Difference::Plan(now.0.clone()))
    }
}

/// The hash of everything that a property specifies.
fn of_property<M: Executable>(model: &M, property: &Property<M::Predicate>) -> u64 {
    let Property { name, kind, spelling } = property;
    let mut fingerprint = Fingerprint::default();
    fingerprint.add(&(name, spelling));
    kind.identify(&mut fingerprint);
    for predicate in kind.predicates() {
        model.identify_predicate(predicate, &mut fingerprint);
    }
    fingerprint.value()
}

/// The hashes of the parts of a plan that a search depends on, each with its name.
fn of_plan(plan: &Plan) -> Vec<(&'static str, u64)> {
    let Plan {
        search,
        reduction,
        // Results do not depend on the number of threads.
        threads: _,
        // A run may resume with other limits: that is a reason to resume.
        limits: _,
        on_runtime_error,
        explore_all,
        packing,
        // Shortening begins after the search has ended.
        traces: _,
        terminal_states,
        survey,
        // The course, layer by layer, is saved with the search.
        course: _,
        // The files may have moved, and there may be more memory.
        disk: DiskUse { directory: _, limit: _, queue, in_memory: _ },
        checkpoint: _,
    } = plan;
    let (when_full, sweep) = match search {
        SearchPlan::Breadth(when_full) => (*when_full, SweepPlan::default()),
        SearchPlan::Sweep(sweep) => (WhenFull::default(), sweep.clone()),
        SearchPlan::Adaptive | SearchPlan::Depth | SearchPlan::BreadthDisk | SearchPlan::Partition => {
            Default::default()
        }
    };
    // The engine says where a sweep stores its states.
    let SweepPlan { measure, initial, on_regress, nesting, retention, storage: _ } = &sweep;
    vec![
        ("engine", Fingerprint::of(&(search.engine(), matches!(search, SearchPlan::Adaptive)))),
        ("progress measure", Fingerprint::of(measure)),
        ("treatment of initial states", Fingerprint::of(initial)),
        ("treatment of regress edges", Fingerprint::of(on_regress)),
        ("nesting", Fingerprint::of(nesting)),
        ("window", Fingerprint::of(retention)),
        ("reduction", Fingerprint::of(reduction)),
        ("treatment of run-time errors", Fingerprint::of(on_runtime_error)),
        ("choice to explore all states", Fingerprint::of(explore_all)),
        ("packing of states", Fingerprint::of(packing)),
        ("list of terminal states", Fingerprint::of(terminal_states)),
        ("survey", Fingerprint::of(survey)),
        ("queue on disk", Fingerprint::of(queue)),
        ("use of the disk", Fingerprint::of(&when_full)),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::check::CommandsSubject;
    use crate::property::fairness::Fairness;
    use crate::property::linear::{DeadEnds, LinearProperty, Runs};
    use crate::property::service::Halt;
    use crate::property::service::ServiceProperty;
    use crate::property::{BranchingProperty, PropertyKind};
    use logic::ctl::Ctl;
    use logic::ltl::Ltl;
    use logic::ltl_to_buchi::Limits;
    use logic::safety_automaton::EventAutomaton;
    use model::guarded_commands::{CellId, Expression, GuardedCommands};
    use model::interpreted_model::Interpreted;

    /// Varies every part of every kind of property: no two have the same hash.
    #[test]
    fn every_part_of_every_question_counts() {
        let cell = |number| Expression::Cell(CellId(number));
        let until = |f, g| Ltl::until(Ltl::Proposition(f), Ltl::Proposition(g));
        let linear = |formula, propositions, fairness| {
            let property = LinearProperty::of_formula(formula, propositions, &Limits::default()).unwrap();
            property.of_runs(Runs { fairness, ..Runs::default() })
        };
        let first = linear(until(0, 1), vec![cell(0), cell(1)], Fairness::Unfair);
        let branching = |formula| BranchingProperty { formula, propositions: vec![cell(0)] };
        let service = |final_states: Vec<u32>, events, halt| {
            let automaton =
                EventAutomaton { states: 2, initial: vec![0], final_states, ..EventAutomaton::default() };
            ServiceProperty::new(automaton, events, halt).unwrap()
        };
        let mut kinds = vec![PropertyKind::DeadlockFree];
        for number in 0..2 {
            kinds.push(PropertyKind::ProperEnd(cell(number)));
            kinds.push(PropertyKind::Invariant(cell(number)));
            kinds.push(PropertyKind::Assertion(cell(number)));
            kinds.push(PropertyKind::Reachable(cell(number)));
            kinds.push(PropertyKind::AlwaysPossible(cell(number)));
            kinds.push(PropertyKind::PossiblyForEver(cell(number)));
        }
        let automaton = LinearProperty::of_automaton(first.automaton(), vec![cell(0), cell(1)]);
        let other_runs = Runs { dead_ends: DeadEnds::Ignored, ..Runs::default() };
        for one in [
            first.clone().of_runs(other_runs),
            first,
            automaton,
            linear(until(1, 0), vec![cell(0), cell(1)], Fairness::Unfair),
            linear(until(0, 1), vec![cell(1), cell(0)], Fairness::Unfair),
            linear(until(0, 1), vec![cell(0), cell(1)], Fairness::Weak),
        ] {
            kinds.push(PropertyKind::Linear(Box::new(one)));
        }
        for formula in [Ctl::Proposition(0), Ctl::exists_finally(Ctl::Proposition(0))] {
            kinds.push(PropertyKind::Branching(Box::new(branching(formula))));
        }
        for one in [
            service(vec![0], vec![None], Halt::Deadlock),
            service(vec![1], vec![None], Halt::Deadlock),
            service(vec![0], vec![None, None], Halt::Deadlock),
            service(vec![0], vec![None], Halt::Prefix),
            service(vec![0], vec![None], Halt::When(cell(0))),
            service(vec![0], vec![None], Halt::When(cell(1))),
        ] {
            kinds.push(PropertyKind::Service(Box::new(one)));
        }
        let (model, plan) = (GuardedCommands::default(), Plan::default());
        let subject = CommandsSubject::new(&model, &Interpreted, &plan);
        let mut hashes = HashSet::new();
        for kind in kinds {
            let property = Property::new("asked", kind);
            assert_eq!(of_property(&subject, &property), of_property(&subject, &property.clone()));
            assert!(hashes.insert(of_property(&subject, &property)), "{property:?}");
            let renamed = Property { name: "renamed".into(), ..property };
            assert!(hashes.insert(of_property(&subject, &renamed)), "{renamed:?}");
        }
    }

    #[test]
    fn a_checkpoint_of_another_version_is_another_run() {
        let now = RunIdentity {
            version: "2".into(),
            model: 0,
            properties: vec![("p".into(), 1)],
            plan: vec![("engine".into(), 3)],
        };
        assert_eq!(now.difference(&now), None);
        let saved = RunIdentity { version: "1".into(), model: 7, ..now.clone() };
        assert_eq!(now.difference(&saved), Some(Difference::Version("1".into())));
        let saved = RunIdentity { plan: vec![("engine".into(), 4)], ..now.clone() };
        assert_eq!(now.difference(&saved), Some(Difference::Plan("engine".into())));
    }
}
