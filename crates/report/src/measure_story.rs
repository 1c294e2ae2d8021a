//! Which measure a run came by, and why, in the lines of the statistics.

use crate::measure_search::{AttemptEndRecord, AttemptRecord, ExpectedRecord, MeasureSearchRecord};
use crate::quantities::{About, Count, Percent, Seconds, States};
use crate::run_record::RunRecord;
use crate::terminal::Detail;

/// The rows about a measure, if one was looked for.
pub fn rows(record: &RunRecord, detail: Detail) -> Vec<(&'static str, Option<String>)> {
    let Some(search) = &record.measure_search else { return Vec::new() };
    let proved = if record.plan.measure.proved == Some(true) { "; proved never to fall" } else { "" };
    let expected = search.attempts.last().and_then(|kept| kept.expected);
    let mut rows = vec![
        ("measure", measure_row(search).map(|row| row + proved)),
        ("expected", expected.as_ref().map(expected_text)),
        ("remembered", search.attempts.last().and_then(remembered)),
    ];
    let nexts = (1..search.attempts.len()).map(|next| &search.attempts[next..]);
    let pairs = search.attempts.iter().zip(nexts);
    rows.extend(pairs.map(|(attempt, rest)| ("given up", Some(given_up(attempt, rest)))));
    if detail == Detail::Verbose {
        let attempts = search.attempts.iter().map(|attempt| ("attempt", Some(attempt_text(attempt))));
        rows.extend(attempts);
    }
    rows
}

/// The measure that the answers come by.
fn measure_row(search: &MeasureSearchRecord) -> Option<String> {
    let (kept, last) = (search.attempts.last()?, search.searches.last()?);
    let effort = format!("in {} from {}", Seconds(search.seconds), States(last.sample.expanded));
    let proposed = search.searches.iter().any(|search| !search.proposals.is_empty());
    let swept = search.attempts.iter().any(|attempt| attempt.measure.is_some());
    Some(match &kept.summary {
        Some(measure) => {
            let window = kept.window.map_or(String::new(), |window| format!(", window {window}"));
            format!("{measure}{window}, found {effort}")
        }
        _ if swept => "none in the end: all states are kept".into(),
        _ if proposed => "none: what is asked is decided on all states".into(),
        _ if last.sample.complete => "none; small: all states are kept".into(),
        _ => format!("none found {effort}: all states are kept"),
    })
}

fn expected_text(expected: &ExpectedRecord) -> String {
    format!("{} in memory, {:.2} expansions a state", Percent(expected.peak_share), expected.revisits)
}

/// That the estimate was wrong, and what was done about it.
fn remembered(attempt: &AttemptRecord) -> Option<String> {
    let actual = attempt.explored as f64 / attempt.different.max(1) as f64;
    let from = Count(attempt.remembers_from?);
    Some(format!(
        "all states after {from} expansions: too many were expanded again ({actual:.2} times in the end)"
    ))
}

/// Why an attempt was given up, and what came after it.
fn given_up(attempt: &AttemptRecord, rest: &[AttemptRecord]) -> String {
    let explored = States(attempt.explored);
    let why = match attempt.end {
        AttemptEndRecord::BetterMeasure => format!("after {explored}, for a measure that promised more"),
        AttemptEndRecord::Memory => format!("after {explored}, when memory was short"),
        // The last one is kept, and it has no next one.
        AttemptEndRecord::Kept => format!("after {explored}"),
    };
    let next = match rest {
        // It has the line above.
        [AttemptRecord { measure: Some(_), .. }] => "the measure above",
        [next, ..] => name(next),
        [] => "nothing",
    };
    format!("{}: {why}; went on with {next}", name(attempt))
}

fn attempt_text(attempt: &AttemptRecord) -> String {
    let AttemptRecord { explored, different, peak_stored, seconds, .. } = attempt;
    let (name, seconds) = (name(attempt), Seconds(*seconds));
    let (explored, different, stored) = (Count(*explored), About(*different), Count(*peak_stored));
    format!("{name}: {explored} expansions of {different} states, {stored} stored at most, {seconds}")
}

fn name(attempt: &AttemptRecord) -> &str {
    let search = if attempt.engine == "partition" { "partitions on disk" } else { "full exploration" };
    attempt.summary.as_deref().unwrap_or(search)
}
