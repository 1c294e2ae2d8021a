//! Soundness: the only place that decides which search may check which property.
//!
//! | property | breadth | breadth-disk | depth, partition | sweep | sweep, monotone |
//! |---|---|---|---|---|---|
//! | deadlock, invariant, reachability, conformance to a service | yes | yes | yes | yes | yes |
//! | `AG EF p`, `EF AG p`, by components of layers | yes | no | no | no | yes |
//! | linear time, by cycles of layers or on the recorded graph | yes | yes | depth | yes | yes |
//! | any CTL formula, on the recorded graph | yes | yes | no | yes | yes |
//!
//! The last column is for a monotone measure, the one before it for any measure. Linear-time
//! properties are checked on the [recorded graph](crate::store::compact_graph) if layers do not fit
//! into memory.
//!
//! With a [reduction](crate::reduce), of guarded commands only:
//!
//! | property | preserved by the reduction |
//! |---|---|
//! | deadlock, invariant, reachability | yes |
//! | linear time, by a formula without `X` | yes, of all runs; of fair runs, no |
//! | linear time, by an automaton | no: it may not be stutter-invariant |
//! | `AG EF p`, `EF AG p`, computation tree logic, conformance to a service | no |
//! | listed terminal states | yes |
//! | counts of states, monotone progress | no |
//!
//! Terminal strongly connected components decide `AG EF p` and `EF AG p`. When progress is
//! monotone, a component lies in one layer, and that layer is enough to find it. Otherwise a
//! component may span layers, most of which are deleted. Regress edges are found one by one, so the
//! last column is checked while the search runs. The first regress edge ends the search, and the
//! property is checked again, as a formula on the recorded graph.

use crate::explore::sweep::Order;

use super::fairness::{Fairness, MOST_CONDITIONS, MOST_STRONG};
use super::{Property, PropertyKind};
use logic::ltl::Ltl;

/// A property that a search cannot decide.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsound {
    /// Depth-first search has no layers.
    #[error(
        "`{0}` is decided by the strongly connected components of a layer, and a depth-first search has no layers"
    )]
    ComponentsByDepth(String),
    /// All partitions but one are on disk.
    #[error(
        "`{0}` is decided by the strongly connected components of a layer, and a partitioned search has one partition in memory: a component may span several"
    )]
    ComponentsByPartition(String),
    /// Partitions are not searched for cycles.
    #[error("`{0}` is decided by accepting cycles, and the engine `{1}` does not search for cycles")]
    Cycles(String, &'static str),
    /// The graph is recorded in the order of layers.
    #[error(
        "a CTL formula is decided on the graph that a search by layers records, and this search has no layers"
    )]
    GraphWithoutLayers,
    /// Steps are reported layer by layer.
    #[error(
        "a state-space report lists the actions that occur and the terminal components, which needs a search by layers, and this search has no layers"
    )]
    SurveyWithoutLayers,
    /// Progress is not monotone.
    #[error(
        "`{0}` is decided by the strongly connected components of a layer, and the measure is not monotone: a component may span several layers, most of which are deleted"
    )]
    ComponentsAcrossLayers(String),
    /// Fairness refers to processes, and the model has none.
    #[error("`{0}` is restricted to fair runs, and this model has no processes")]
    NoProcesses(String),
    /// There are too many fairness conditions.
    #[error(
        "`{0}` is restricted to fair runs, and this model has more than {MOST_CONDITIONS} fairness conditions: processes with actions, or fair actions"
    )]
    TooManyFair(String),
    /// There are too many strongly fair actions, each of which doubles the product.
    #[error(
        "`{0}` is restricted to fair runs, and this model has more than {MOST_STRONG} strongly fair actions"
    )]
    TooManyStrong(String),
    /// A reduction does not preserve what the property refers to.
    #[error("`{0}` cannot be decided with partial-order reduction, {1}")]
    Reduced(String, NotKept),
    /// A reduced state space is not the full state space.
    #[error(
        "partial-order reduction leaves out states, and this run needs all of them: to count or to survey them, or to check that the measure is monotone"
    )]
    ReducedCounts,
    /// Only guarded commands are reduced.
    #[error("partial-order reduction (stubborn sets) needs a model of guarded commands")]
    NotGuardedCommands,
}

/// The aspects of behaviour that a reduction does not preserve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotKept {
    /// Branching time: the states in which runs diverge.
    #[error("which does not preserve branching time")]
    Branching,
    /// Stuttering: the number of times that a state is repeated.
    #[error(
        "which preserves only stutter-invariant properties: formulas with `X`, and automata, may count how often a state is repeated"
    )]
    Repetitions,
    /// The set of fair runs.
    #[error("which does not preserve fairness")]
    FairRuns,
    /// The order of actions.
    #[error("which does not preserve the order of actions")]
    Events,
}

/// Advice on a property that a search cannot decide. The words are those of the library; a user
/// interface names its own options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Advice {
    /// Use another engine.
    #[error("use {}", listed(.0))]
    Engines(&'static [&'static str]),
    /// Have fewer strongly fair actions.
    #[error(
        "make some of them weakly fair, or not fair at all, and write the assumption into the formula: `([]<> p) -> …`"
    )]
    FewerStrong,
    /// Check the property on all runs.
    #[error("check it on all runs, or write the assumption into the formula: `([]<> p) -> …`")]
    AllRuns,
    /// Check without a reduction.
    #[error(
        "check without partial-order reduction; it preserves deadlocks, invariants, reachability, and LTL formulas without `X`"
    )]
    NoReduction,
    /// Use another measure.
    #[error(
        "use a coarser measure that is monotone, or the engine `breadth`, which keeps all states in one layer"
    )]
    CoarserMeasure,
}

/// The names of the engines, as a list in words.
fn listed(engines: &[&str]) -> String {
    match engines {
        [] => String::new(),
        [one] => format!("the engine `{one}`"),
        [others @ .., last] => {
            let others: Vec<String> = others.iter().map(|one| format!("`{one}`")).collect();
            format!("the engine {} or `{last}`", others.join(", "))
        }
    }
}

impl Unsound {
    /// Advice on what to do instead.
    pub fn advice(&self) -> Advice {
        match self {
            Self::ComponentsByDepth(_) | Self::ComponentsByPartition(_) => {
                Advice::Engines(&["sweep", "sweep-disk", "breadth"])
            }
            Self::Cycles(..) => Advice::Engines(&["sweep", "sweep-disk", "breadth", "breadth-disk", "depth"]),
            Self::GraphWithoutLayers | Self::SurveyWithoutLayers => {
                Advice::Engines(&["breadth", "sweep", "sweep-disk"])
            }
            Self::TooManyStrong(_) => Advice::FewerStrong,
            Self::NoProcesses(_) | Self::TooManyFair(_) => Advice::AllRuns,
            Self::Reduced(..) | Self::ReducedCounts | Self::NotGuardedCommands => Advice::NoReduction,
            Self::ComponentsAcrossLayers(_) => Advice::CoarserMeasure,
        }
    }
}

/// The order in which a search visits states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchKind {
    /// Layer by layer.
    Layers(Order),
    /// Depth-first.
    Depth,
    /// Partition by partition.
    Partitions,
}

/// Refuses properties that this search cannot decide.
pub fn require_sound<P>(properties: &[Property<P>], search: SearchKind) -> Result<(), Unsound> {
    match (needs_monotone(properties), search) {
        (Some(name), SearchKind::Depth) => Err(Unsound::ComponentsByDepth(name.into())),
        (Some(name), SearchKind::Partitions) => Err(Unsound::ComponentsByPartition(name.into())),
        _ => Ok(()),
    }
}

/// Refuses properties that a reduction does not preserve.
pub fn require_kept<P>(properties: &[Property<P>]) -> Result<(), Unsound> {
    for Property { name, kind, .. } in properties {
        let lost = match kind {
            PropertyKind::DeadlockFree
            | PropertyKind::ProperEnd(_)
            | PropertyKind::Invariant(_)
            | PropertyKind::Assertion(_)
            | PropertyKind::Reachable(_) => continue,
            PropertyKind::Linear(linear) if linear.runs().fairness != Fairness::Unfair => NotKept::FairRuns,
            PropertyKind::Linear(linear) if linear.formula().is_some_and(Ltl::is_next_free) => continue,
            PropertyKind::Linear(_) => NotKept::Repetitions,
            PropertyKind::AlwaysPossible(_)
            | PropertyKind::PossiblyForEver(_)
            | PropertyKind::Branching(_) => NotKept::Branching,
            PropertyKind::Service(_) => NotKept::Events,
        };
        return Err(Unsound::Reduced(name.clone(), lost));
    }
    Ok(())
}

/// The name of a property that can be decided only if progress is monotone.
pub fn needs_monotone<P>(properties: &[Property<P>]) -> Option<&str> {
    let property = properties.iter().find(|property| property.kind.is_about_components())?;
    Some(&property.name)
}
