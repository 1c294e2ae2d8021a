//! Options whose values are names, such as `--engine sweep`.
//!
//! The value of such an option is an enum of the library. One table for each enum gives the names
//! and their help; clap's parser, the help, the man pages and the run record all read that table.
//! So the library needs no clap, and each choice is written once.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use engine::check::Reduction;
use engine::progress::finder::Prefer;
use engine::property::linear::DeadEnds;
use languages::format::{FORMATS, Format};
use languages::petri::contest::Examination;
use report::TraceView;
use sweepline::execution::Execution;
use sweepline::planning::{EngineRequest, UnguidedEngine};

/// A type whose values have names on the command line.
pub trait Choice: Copy + PartialEq + Send + Sync + 'static {
    /// The table of all values.
    fn table() -> Vec<Row<Self>>;

    /// The name of a value.
    fn option_name(self) -> &'static str {
        let row = Self::table().into_iter().find(|(value, ..)| *value == self);
        row.map_or("", |(_, name, _)| name)
    }
}

/// A value with its name and one line of help.
pub type Row<T> = (T, &'static str, &'static str);

/// The parser of an option with named values.
pub fn choice<T: Choice>() -> impl TypedValueParser<Value = T> {
    let names = T::table().into_iter().map(|(_, name, help)| PossibleValue::new(name).help(help));
    // clap compares names with or without their case, as the option asks for.
    let value = |text: String| {
        let row = T::table().into_iter().find(|(_, name, _)| name.eq_ignore_ascii_case(&text));
        row.map(|(value, ..)| value).ok_or("clap accepts only names in the table")
    };
    PossibleValuesParser::new(names).try_map(value)
}

/// The name of the default value.
pub fn default_name<T: Choice + Default>() -> &'static str {
    T::default().option_name()
}

/// The table of the languages crate: a new language needs no change here.
impl Choice for &'static Format {
    fn table() -> Vec<Row<Self>> {
        FORMATS.into_iter().map(|format| (format, format.name, format.summary)).collect()
    }
}

impl Choice for EngineRequest {
    fn table() -> Vec<Row<Self>> {
        vec![
            (
                Self::Auto,
                "auto",
                "A sweep if there is a progress measure, else breadth-first search; small models breadth-first, unless they declare a measure",
            ),
            (
                Self::Sweep,
                "sweep",
                "Sweep-line search: by progress, and states behind the front are forgotten; spills to disk when memory is full",
            ),
            (
                Self::SweepDisk,
                "sweep-disk",
                "Sweep-line search that keeps nearly all states ahead of the front on disk",
            ),
            (
                Self::Unguided(UnguidedEngine::Breadth),
                "breadth",
                "Breadth-first search with all states in memory; shortest counterexamples",
            ),
            (Self::Unguided(UnguidedEngine::Depth), "depth", "Depth-first search with all states in memory"),
            (
                Self::Unguided(UnguidedEngine::BreadthDisk),
                "breadth-disk",
                "Breadth-first search with all states on disk; shortest counterexamples",
            ),
            (
                Self::Unguided(UnguidedEngine::Partition),
                "partition",
                "Partitioned search; inactive partitions are kept on disk",
            ),
        ]
    }
}

impl Choice for Prefer {
    fn table() -> Vec<Row<Self>> {
        vec![
            (Self::Memory, "memory", "Least memory, even if states are expanded several times"),
            (Self::Balanced, "balanced", "Little memory, as long as few states are expanded more than once"),
            (Self::Time, "time", "Least time: almost no state is expanded twice"),
        ]
    }
}

impl Choice for Reduction {
    fn table() -> Vec<Row<Self>> {
        vec![
            (Self::None, "none", "All steps are explored"),
            (
                Self::Stubborn,
                "stubborn",
                "Stubborn sets, unless a sample shows no gain; preserves deadlocks, invariants, reachability, and LTL without X",
            ),
            (Self::StubbornAlways, "stubborn-always", "Stubborn sets, whether they pay or not"),
        ]
    }
}

impl Choice for Execution {
    fn table() -> Vec<Row<Self>> {
        vec![
            (Self::Compiled, "compiled", "Compile the model to machine code"),
            (Self::Interpreted, "interpreted", "Interpret the model; many times slower"),
        ]
    }
}

impl Choice for DeadEnds {
    fn table() -> Vec<Row<Self>> {
        vec![
            (Self::Repeated, "repeated", "The last state repeats forever"),
            (Self::Ignored, "ignored", "Only infinite runs count"),
        ]
    }
}

impl Choice for TraceView {
    fn table() -> Vec<Row<Self>> {
        vec![
            (Self::Diff, "diff", "What each step changes"),
            (Self::Full, "full", "The whole state after each step"),
            (Self::Actions, "actions", "The names of the steps"),
            (Self::None, "none", "Nothing"),
        ]
    }
}

impl Choice for Examination {
    fn table() -> Vec<Row<Self>> {
        vec![
            (Self::StateSpace, "StateSpace", "Numbers of markings, firings and tokens"),
            (Self::ReachabilityDeadlock, "ReachabilityDeadlock", "Is a dead marking reachable?"),
            (Self::OneSafe, "OneSafe", "Does no place ever hold two tokens?"),
            (Self::StableMarking, "StableMarking", "Is there a place whose marking never changes?"),
            (Self::QuasiLiveness, "QuasiLiveness", "Can every transition fire at least once?"),
            (Self::Liveness, "Liveness", "Can every transition always fire again?"),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_library() {
        for (execution, name, _) in Execution::table() {
            assert_eq!(execution.name(), name);
        }
        for (reduction, name, _) in Reduction::table() {
            assert_eq!(reduction.name(), name);
        }
        for (examination, name, _) in Examination::table() {
            assert_eq!(examination.name(), name);
        }
    }
}
