//! Phases of a run, as a monitor sees them. A run may look for a measure, sweep, and then work on
//! the graph that it recorded.

use std::fmt;

use crate::progress::ExpressionMeasure;

/// A part of the work of a run.
#[derive(Clone, Copy, Debug)]
pub enum Phase<'a> {
    /// The measure finder runs, before the search or beside it.
    FindingMeasure(Finding),
    /// States are visited in the order of this measure.
    Sweeping(&'a ExpressionMeasure),
    /// States are visited, and none is forgotten.
    Exploring,
    /// States are visited in partitions, of which one is in memory.
    Partitioning,
    /// A property that needs a search of its own is decided, in the order of the previous search.
    Checking(&'a str),
    /// A shorter trace is searched for.
    Shortening,
    /// Cycles that pass through several layers are searched for.
    FindingCycles,
    /// The recorded steps are numbered and become a graph.
    NumberingSteps,
    /// A formula is evaluated on that graph, from the last layer to the first.
    ReversePass,
    /// Runs of states on disk are merged, until the monitor is called again.
    MergingRuns,
}

/// When the measure finder runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Before the search.
    First,
    /// After a search that ran out of memory.
    Again,
    /// Beside the search, which continues.
    Beside,
}

impl fmt::Display for Phase<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FindingMeasure(Finding::First) => write!(f, "looking for a measure"),
            Self::FindingMeasure(Finding::Again) => write!(f, "looking for a measure again"),
            Self::FindingMeasure(Finding::Beside) => write!(f, "looking for a measure (beside the search)"),
            Self::Sweeping(_) => write!(f, "sweeping"),
            Self::Exploring => write!(f, "exploring"),
            Self::Partitioning => write!(f, "exploring by partitions"),
            Self::Checking(name) => write!(f, "checking `{name}`"),
            Self::Shortening => write!(f, "looking for a shorter trace"),
            Self::FindingCycles => write!(f, "looking for cycles across layers"),
            Self::NumberingSteps => write!(f, "numbering steps"),
            Self::ReversePass => write!(f, "reverse pass"),
            Self::MergingRuns => write!(f, "merging runs"),
        }
    }
}
