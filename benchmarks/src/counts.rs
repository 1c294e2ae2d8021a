//! State and transition counts next to those of the BEEM benchmark, for every instance it explored to the
//! end. A disagreement is an error unless it is explained here.

use std::fmt::Write;

use anyhow::{Result, bail};
use oracles::Instance;

use crate::binary::{Exploration, Sweepline};
use crate::measure::Pinning;
use crate::table::{self, Align, Table};

/// Why a count of ours may differ from the benchmark's.
const OVERFLOW: &str = "an overflow is an error there and is truncated here";

/// The command line of `counts`.
#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    selection: crate::Selection,
    /// Only instances with at most this many states
    #[arg(long, value_name = "N")]
    max_states: Option<u64>,
}

/// What came of one instance.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Agrees,
    Explained(&'static str),
    Differs,
    Unknown(String),
}

/// Runs the comparison.
pub fn run(options: &Options) -> Result<()> {
    let beem = crate::beem()?;
    let sweepline = Sweepline::build(Pinning::None)?;
    let mut instances = beem.instances()?;
    instances.retain(|instance| {
        instance.complete
            && instance.states <= options.max_states.unwrap_or(u64::MAX)
            && options.selection.takes(&instance.name)
    });
    instances.sort_by_key(|instance| instance.states);

    let mut results = Vec::new();
    for instance in instances {
        let run = sweepline.explore(&beem.dve(&instance.name), options.selection.time_limit());
        let outcome = judge(&instance, &run);
        if !matches!(outcome, Outcome::Agrees) {
            eprintln!("{}: {}", instance.name, describe(&outcome));
        }
        results.push((instance, run.ok(), outcome));
    }
    let page = page(&results);
    println!("{page}");
    if options.selection.write {
        table::write_page("counts.md", &page)?;
    }
    let wrong = results.iter().filter(|(.., outcome)| *outcome == Outcome::Differs).count();
    if wrong > 0 {
        bail!("{wrong} counts differ without an explanation");
    }
    Ok(())
}

fn judge(instance: &Instance, run: &Result<Exploration>) -> Outcome {
    let states = match run.as_ref().map(Exploration::all_states) {
        Ok(Ok(states)) => states,
        Ok(Err(error)) => return Outcome::Unknown(format!("{error:#}")),
        Err(error) => return Outcome::Unknown(format!("{error:#}")),
    };
    let transitions = run.as_ref().ok().and_then(|run| run.transitions);
    if states == instance.states && (instance.edges.is_none() || transitions == instance.edges) {
        return Outcome::Agrees;
    }
    if states == instance.expected_states() && states != instance.states {
        return Outcome::Explained(OVERFLOW);
    }
    Outcome::Differs
}

fn describe(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Agrees => "agrees".into(),
        Outcome::Explained(why) => format!("explained: {why}"),
        Outcome::Differs => "**differs**".into(),
        Outcome::Unknown(why) => format!("unknown: {why}"),
    }
}

fn page(results: &[(Instance, Option<Exploration>, Outcome)]) -> String {
    let mut page = String::from("# State counts compared with BEEM's\n\n");
    let count = |wanted: fn(&Outcome) -> bool| results.iter().filter(|(.., outcome)| wanted(outcome)).count();
    let _ = writeln!(
        page,
        "{} instances that the benchmark explored completely: {} agree, {} differ for a known reason, {} \
         differ, {} are unknown.\n\
         Transitions are compared if the benchmark counted them. Explored with `--engine breadth`, one \
         thread.\n",
        results.len(),
        count(|outcome| matches!(outcome, Outcome::Agrees)),
        count(|outcome| matches!(outcome, Outcome::Explained(_))),
        count(|outcome| matches!(outcome, Outcome::Differs)),
        count(|outcome| matches!(outcome, Outcome::Unknown(_))),
    );
    let mut table = Table::new(&[
        ("instance", Align::Left),
        ("states, BEEM", Align::Right),
        ("states, ours", Align::Right),
        ("transitions, BEEM", Align::Right),
        ("transitions, ours", Align::Right),
        ("seconds", Align::Right),
        ("MB", Align::Right),
        ("outcome", Align::Left),
    ]);
    let number = |value: Option<u64>| value.map_or_else(|| "-".into(), table::grouped);
    for (instance, run, outcome) in results {
        table.row(vec![
            instance.name.clone(),
            table::grouped(instance.states),
            number(run.as_ref().and_then(|run| run.distinct_states)),
            number(instance.edges),
            number(run.as_ref().and_then(|run| run.transitions)),
            run.as_ref().map_or_else(|| "-".into(), |run| format!("{:.2}", run.wall_seconds)),
            run.as_ref().map_or_else(|| "-".into(), |run| table::megabytes(run.peak_rss_bytes)),
            describe(outcome),
        ]);
    }
    page.push_str(&table.markdown());
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(name: &str, states: u64, transitions: Option<u64>) -> Instance {
        Instance { name: name.into(), states, complete: true, edges: transitions, levels: None }
    }

    fn found(states: u64, transitions: u64) -> Result<Exploration> {
        Ok(Exploration {
            complete: true,
            distinct_states: Some(states),
            transitions: Some(transitions),
            deadlocks: Some(0),
            threads: 1,
            wall_seconds: 0.1,
            process_seconds: 0.1,
            peak_rss_bytes: 1,
            errors: vec![],
            peak_stored: None,
            peak_layer: None,
            layers: None,
            states_written: None,
            states_read: None,
            said: String::new(),
            record: serde_json::Value::Null,
        })
    }

    #[test]
    fn transitions_count_only_where_they_are_known() {
        assert_eq!(judge(&instance("a.1", 80, Some(212)), &found(80, 212)), Outcome::Agrees);
        assert_eq!(judge(&instance("a.1", 80, Some(212)), &found(80, 213)), Outcome::Differs);
        assert_eq!(judge(&instance("a.1", 80, None), &found(80, 213)), Outcome::Agrees);
    }

    #[test]
    fn an_explanation_covers_one_count_only() {
        let anderson = instance("anderson.1", 347_039, None);
        assert!(matches!(judge(&anderson, &found(352_664, 704_302)), Outcome::Explained(_)));
        assert_eq!(judge(&anderson, &found(352_665, 704_302)), Outcome::Differs);
    }

    #[test]
    fn a_cut_off_search_is_unknown_not_different() {
        let run = found(70, 200).map(|run| Exploration { complete: false, ..run });
        assert!(matches!(judge(&instance("a.1", 80, None), &run), Outcome::Unknown(_)));
    }
}
