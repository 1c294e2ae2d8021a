//! Models whose number of processes is a parameter, which a DVE constant cannot be.
//!
//! The text goes to standard output and states its own answers, as the files in `models/` do: the counts follow
//! from closed formulas, so that a run on a generated model checks itself.

use std::fmt::Write;

use anyhow::Result;
use clap::{Args, Subcommand};

/// Options of `generate`.
#[derive(Args)]
pub struct Options {
    #[command(subcommand)]
    family: Family,
}

#[derive(Subcommand)]
enum Family {
    /// Two-phase commit as in the survey of the sweep-line method: 1 + 2 * 3^n states
    #[command(name = "two_phase_commit")]
    TwoPhaseCommit {
        /// Number of workers
        #[arg(value_parser = clap::value_parser!(u32).range(1..=36))]
        workers: u32,
    },
}

/// Prints a model.
pub fn run(options: &Options) -> Result<()> {
    match options.family {
        Family::TwoPhaseCommit { workers } => print!("{}", two_phase_commit(workers)),
    }
    Ok(())
}

/// The model `two_phase_commit_survey` with any number of workers.
///
/// While votes come in, a worker has not voted, voted yes or voted no: 3^n states. After that only those that
/// voted yes wait for a decision or have acknowledged it: again 3^n, since every worker said no, waits or is done.
fn two_phase_commit(workers: u32) -> String {
    let (threes, twos) = (3_u64.pow(workers), 2_u64.pow(workers));
    format!(
        "// Two-phase commit with {workers} workers, as in the survey of the sweep-line method (Jensen, Kristensen, Mailund 2012).\n\
         // A sweep stores {stored} states at most in its first sweep, and one more in the second.\n\
         //\n\
         // progress: Coordinator\n\
         // expect: states {states}\n\
         // expect: transitions {transitions}\n\
         // expect: deadlocks 0\n\
         \n{processes}",
        stored = threes + twos,
        states = 1 + 2 * threes,
        transitions = 1 + u64::from(workers) * threes + 2 * twos,
        processes = two_phase_commit_processes(workers),
    )
}

/// Everything but the comment at the beginning.
fn two_phase_commit_processes(workers: u32) -> String {
    let each = |separator: &str, part: &dyn Fn(u32) -> String| {
        (0..workers).map(part).collect::<Vec<_>>().join(separator)
    };
    let mut text = format!(
        "\
// votes
const byte YES = 1;
const byte NO = 2;
// decisions
const byte COMMIT = 1;
const byte ABORT = 2;

// messages on their way, by worker; 0 where there is none
byte can_commit[{workers}];
byte vote[{workers}];
byte decision[{workers}];
byte acknowledged[{workers}];
byte awaited;  // acknowledgements that the coordinator waits for

process Coordinator {{
    state idle, waiting_votes, waiting_acknowledgements;
    init idle;
    trans
        idle -> waiting_votes {{
            effect {ask}; }},
        // collect votes: all say yes
        waiting_votes -> waiting_acknowledgements {{
            guard {all_yes};
            effect {commit},
                awaited = {workers},
                {forget}; }},
        // collect votes: all have voted, and one says no
        -> waiting_acknowledgements {{
            guard {all_voted},
                {some_no};
            effect {abort},
                awaited = {count_yes},
                {forget}; }},
        waiting_acknowledgements -> idle {{
            guard {acknowledged} == awaited;
            effect {clear}, awaited = 0; }};
}}
",
        ask = each(", ", &|i| format!("can_commit[{i}] = 1")),
        all_yes = each(" and ", &|i| format!("vote[{i}] == YES")),
        commit = each(", ", &|i| format!("decision[{i}] = COMMIT")),
        forget = each(", ", &|i| format!("vote[{i}] = 0")),
        all_voted = each(" and ", &|i| format!("vote[{i}] != 0")),
        some_no = each(" or ", &|i| format!("vote[{i}] == NO")),
        abort = each(", ", &|i| format!("decision[{i}] = ABORT * (vote[{i}] == YES)")),
        count_yes = each(" + ", &|i| format!("(vote[{i}] == YES)")),
        acknowledged = each(" + ", &|i| format!("acknowledged[{i}]")),
        clear = each(", ", &|i| format!("acknowledged[{i}] = 0")),
    );
    for i in 0..workers {
        write!(
            text,
            "
process Worker_{i} {{
    state idle, waiting;
    init idle;
    trans
        idle -> waiting {{ guard can_commit[{i}] == 1; effect can_commit[{i}] = 0, vote[{i}] = YES; }},
        idle -> idle {{ guard can_commit[{i}] == 1; effect can_commit[{i}] = 0, vote[{i}] = NO; }},
        waiting -> idle {{ guard decision[{i}] == COMMIT; effect decision[{i}] = 0, acknowledged[{i}] = 1; }},
        waiting -> idle {{ guard decision[{i}] == ABORT; effect decision[{i}] = 0, acknowledged[{i}] = 1; }};
}}
"
        )
        .expect("writing to a string cannot fail");
    }
    text.push_str("\nsystem async;\n");
    text
}

#[cfg(test)]
mod tests {
    use super::{two_phase_commit, two_phase_commit_processes};

    #[test]
    fn with_two_workers_the_generated_processes_are_those_of_the_model_file() {
        let file = include_str!("../../models/dve/two_phase_commit_survey.dve");
        let (_, processes) = file.split_once("\n\n").expect("an empty line ends the first comment");
        assert_eq!(processes, two_phase_commit_processes(2));
    }

    #[test]
    fn the_survey_counts_nineteen_states_for_two_workers() {
        let text = two_phase_commit(2);
        assert!(text.contains("// expect: states 19\n// expect: transitions 27\n"), "{text}");
        assert!(text.contains("stores 13 states"), "{text}");
    }
}
