//! Lines of the statistics about the measure: which one the run used, and how it was found.

use crate::measure_search::{AttemptEndRecord, AttemptRecord, ExpectedRecord, MeasureSearchRecord};
use crate::quantities::{About, Count, Percent, Seconds, States};
use crate::run_record::{EngineRecord, MeasureChangeRecord, RunRecord};
use crate::terminal::Detail;

/// The lines about the measure search; none if there was no search.
pub fn rows(record: &RunRecord, detail: Detail) -> Vec<(&'static str, Option<String>)> {
    let Some(search) = &record.measure_search else { return Vec::new() };
    let proved = if record.plan.measure.proved == Some(true) { "; proved monotone" } else { "" };
    let expected = search.attempts.last().and_then(|kept| kept.expected);
    let mut rows = vec![
        ("measure", measure_row(record, search).map(|row| row + proved)),
        ("expected", expected.as_ref().map(expected_text)),
    ];
    let changes = record.plan.earlier_changes.iter().chain(&record.plan.change);
    rows.extend(changes.map(|change| ("changed", Some(changed_text(change)))));
    rows.push(("fallback", search.attempts.last().and_then(fallback)));
    let nexts = (1..search.attempts.len()).map(|next| &search.attempts[next..]);
    let pairs = search.attempts.iter().zip(nexts);
    rows.extend(pairs.map(|(attempt, rest)| ("abandoned", Some(abandoned(attempt, rest)))));
    if detail == Detail::Verbose {
        let attempts = search.attempts.iter().map(|attempt| ("attempt", Some(attempt_text(attempt))));
        rows.extend(attempts);
    }
    rows
}

/// The measure of the attempt that gave the verdicts, or why there is none.
fn measure_row(record: &RunRecord, search: &MeasureSearchRecord) -> Option<String> {
    let kept = search.attempts.last()?;
    let Some(last) = search.searches.last() else {
        // The run resumed after the change, or ended before a search for a measure did.
        let resumed = record.plan.measure.summary.clone();
        return Some(resumed.unwrap_or_else(|| "none; small model, all states are stored".into()));
    };
    let effort = format!("in {} from {}", Seconds(search.seconds), States(last.sample.expanded));
    let proposed = search.searches.iter().any(|search| !search.proposals.is_empty());
    let swept = search.attempts.iter().any(|attempt| attempt.measure.is_some());
    Some(match &kept.summary {
        Some(measure) => {
            let window = kept.window.map_or(String::new(), |window| format!(", window {window}"));
            format!("{measure}{window}, found {effort}")
        }
        _ if swept => "none in the end: all states are stored".into(),
        _ if proposed => "none worth a sweep: all states are stored".into(),
        _ if last.sample.complete => "none; small model, all states are stored".into(),
        _ => format!("none found {effort}: all states are stored"),
    })
}

/// When full exploration became a sweep, or when a sweep got another measure.
fn changed_text(change: &MeasureChangeRecord) -> String {
    let when = change.seconds.map_or(String::new(), |seconds| format!("{} and ", Seconds(seconds)));
    let what =
        if change.between_sweeps { "to another measure" } else { "from full exploration to the sweep" };
    format!("{what} after {when}{}", States(change.explored))
}

fn expected_text(expected: &ExpectedRecord) -> String {
    let (share, revisits) = (Percent(expected.peak_share), expected.revisits);
    format!("{share} of states in memory, {revisits:.2} expansions per state")
}

/// That the sweep stopped dropping states because the estimate was wrong.
fn fallback(attempt: &AttemptRecord) -> Option<String> {
    let actual = attempt.explored as f64 / attempt.different.max(1) as f64;
    let from = Count(attempt.remembers_from?);
    Some(format!(
        "all states are kept from expansion {from} on: too many re-expansions ({actual:.2} per state in the end)"
    ))
}

/// Why an attempt was abandoned, and which one followed.
fn abandoned(attempt: &AttemptRecord, rest: &[AttemptRecord]) -> String {
    let explored = States(attempt.explored);
    let why = match attempt.end {
        AttemptEndRecord::BetterMeasure => format!("after {explored}, for a more promising measure"),
        AttemptEndRecord::Memory => format!("after {explored}, at the memory limit"),
        // The last attempt is kept, and no other follows.
        AttemptEndRecord::Kept => format!("after {explored}"),
    };
    let next = match rest {
        // Its measure is in the line `measure`.
        [AttemptRecord { measure: Some(_), .. }] => "the measure above",
        [next, ..] => name(next),
        [] => "nothing",
    };
    format!("{} {why}; continued with {next}", name(attempt))
}

fn attempt_text(attempt: &AttemptRecord) -> String {
    let AttemptRecord { explored, different, peak_stored, seconds, .. } = attempt;
    let (name, seconds) = (name(attempt), Seconds(*seconds));
    let (explored, different, stored) = (Count(*explored), About(*different), Count(*peak_stored));
    format!("{name}: {explored} expansions of {different} states, {stored} stored at most, {seconds}")
}

fn name(attempt: &AttemptRecord) -> &str {
    let search = match attempt.engine {
        EngineRecord::Partition => "partitioned search",
        _ => "full exploration",
    };
    attempt.summary.as_deref().unwrap_or(search)
}
