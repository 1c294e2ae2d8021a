//! The statistics at the end of a run.
//!
//! A search that stores all states uses the words of SPIN's statistics (states stored and matched,
//! transitions, state vector), which the field knows how to read. A sweep uses those of its papers:
//! states explored, the peak and its parts, layers, sweeps, and the three kinds of transitions. One
//! more line says how much memory it saved.

use crate::measure_rows;
use crate::quantities::{About, Bytes, Count, Seconds, States};
use crate::run_record::{
    AnswerRecord, EngineRecord, GraphRecord, PropertyKindRecord, ReductionRecord, RunRecord,
};
use crate::terminal::Detail;

/// With fewer stored states, the memory is mostly the initial capacity of the tables.
const MANY: u64 = 1000;

/// A name and, if it is known, a value.
type Row = (&'static str, Option<String>);

/// The lines for this level of detail; lines without a value are left out.
pub fn rows(record: &RunRecord, detail: Detail) -> impl Iterator<Item = (&'static str, String)> {
    let RunRecord { model, search, resources, .. } = record;
    let mut rows: Vec<Row> = vec![("search", Some(search_row(record)))];
    rows.push(("reduction", reduction_row(record)));
    rows.extend(measure_rows::rows(record, detail));
    rows.push(("state vector", state_vector_row(record)));
    rows.extend(if record.plan.is_sweep() { sweep_rows(record) } else { full_rows(record) });
    rows.extend([
        ("deadlocks", count(search.deadlocks.filter(|_| search.complete))),
        ("run-time errors", count(search.erroneous.filter(|&number| number > 0))),
        ("graph", search.graph.as_ref().map(graph_row)),
        ("memory", memory_row(record)),
        ("on disk", disk_row(record)),
        ("time", time_row(record)),
    ]);
    if detail == Detail::Verbose {
        rows.push(("CPU time", resources.cpu_seconds.map(|seconds| Seconds(seconds).to_string())));
        rows.push(("disk", resources.disk_bytes.map(|bytes| Bytes(bytes).to_string())));
        rows.push(("words per state", count(model.state_words)));
        rows.push(("threads", Some(threads_row(record))));
        if record.plan.is_sweep() {
            rows.push(("persistent", count(search.states.persistent)));
        } else {
            rows.push(("states explored", count(search.states.explored)));
        }
    }
    rows.into_iter().filter_map(|(name, value)| Some((name, value?)))
}

/// The reduction, if there is one.
fn reduction_row(record: &RunRecord) -> Option<String> {
    match record.plan.reduction {
        ReductionRecord::None => {
            let sample = record.plan.reduction_given_up?;
            Some(format!("stubborn sets, given up: a sample of {} shows no gain", States(sample.states)))
        }
        ReductionRecord::Stubborn => Some("stubborn sets; all counts are of the reduced state space".into()),
    }
}

/// The search in one line, for `explore -q`.
pub fn one_line(record: &RunRecord) -> Option<String> {
    let search = &record.search;
    let transitions = match search.transitions.total? {
        1 => "1 transition".into(),
        many => format!("{} transitions", Count(many)),
    };
    let transitions = match record.plan.reduction {
        ReductionRecord::Stubborn => format!("{transitions} of the reduced state space"),
        ReductionRecord::None => transitions,
    };
    if !record.plan.is_sweep() {
        return Some(format!("{}, {transitions}", States(search.states.distinct?)));
    }
    let states = match search.states.distinct {
        Some(states) => States(states).to_string(),
        None => format!("{} explored", States(search.states.explored?)),
    };
    let sweeps = search.sweeps.filter(|&sweeps| sweeps > 1);
    let sweeps = sweeps.map_or(String::new(), |sweeps| format!(" in {} sweeps", Count(sweeps)));
    let stored = States(search.states.peak_stored?);
    Some(format!("{states}{sweeps}, {transitions}, {stored} stored at most"))
}

/// States that spilled to disk, if there were any.
fn disk_row(record: &RunRecord) -> Option<String> {
    let written = record.search.io.states_written.filter(|&written| written > 0)?;
    let (read, bytes) = (record.search.io.states_read?, record.resources.disk_bytes?);
    Some(format!("{} written, {} read; {} at most", States(written), Count(read), Bytes(bytes)))
}

/// The recorded graph, with its size and the size by the formula of the literature.
pub fn graph_row(graph: &GraphRecord) -> String {
    let (states, steps) = (States(graph.nodes), Count(graph.edges));
    let passes = match graph.passes {
        0 => String::new(),
        1 => "; read once".into(),
        many => format!("; read {} times", Count(many)),
    };
    let (bits, formula) = (Count(graph.bits), Count(graph.formula_bits));
    format!("{states}, {steps} transitions in {bits} bits (by the formula {formula}){passes}")
}

fn full_rows(record: &RunRecord) -> Vec<Row> {
    let search = &record.search;
    vec![
        ("states stored", count(search.states.distinct)),
        ("intermediate", count(search.states.intermediate)),
        ("states matched", count(search.states.matched)),
        ("transitions", count(search.transitions.total)),
        ("levels", count(search.levels)),
        ("stack depth", count(search.stack_depth)),
    ]
}

fn sweep_rows(record: &RunRecord) -> Vec<Row> {
    let search = &record.search;
    vec![
        ("states explored", count(search.states.explored)),
        ("intermediate", count(search.states.intermediate)),
        ("distinct states", distinct_row(record)),
        ("states stored", peak_row(record)),
        ("memory saved", saving_row(record)),
        ("largest layer", count(search.states.peak_layer)),
        ("layers", count(search.layers)),
        ("sweeps", count(search.sweeps)),
        ("transitions", transitions_row(record)),
    ]
}

/// The search: engine, measure, execution, and how it ended.
/// Number of threads, and the share of their work if they shared it.
fn threads_row(record: &RunRecord) -> String {
    let mut row = record.plan.threads.to_string();
    if let Some(workers) = &record.search.workers {
        let parts = workers.iter().map(|worker| {
            format!("{} and {} of waiting", States(worker.states), Seconds(worker.waiting_seconds))
        });
        row = format!("{row}: {}", parts.collect::<Vec<_>>().join("; "));
    }
    row
}

fn search_row(record: &RunRecord) -> String {
    let RunRecord { plan, search, properties, .. } = record;
    let violated = |kind| {
        properties.iter().any(|property| property.kind == kind && property.verdict == AnswerRecord::Violated)
    };
    let end = match &search.stopped {
        _ if violated(PropertyKindRecord::Monotone) && !search.complete => {
            "stopped when progress decreased".into()
        }
        Some(reason) => format!("incomplete, {reason}"),
        None if search.complete => "complete".into(),
        None if violated(PropertyKindRecord::NoRuntimeError) => "stopped at the run-time error".into(),
        None => "stopped when all verdicts were known".into(),
    };
    let execution = plan.execution.as_deref().unwrap_or("unknown");
    let engine = match (&plan.measure.expression, &plan.measure.summary) {
        // The measure has a line of its own.
        (Some(_), _) if record.measure_search.is_some() => "sweep".into(),
        (Some(_), Some(measure)) | (Some(measure), None) => {
            let window = plan.measure.window.map_or(String::new(), |window| format!(", window {window}"));
            format!("sweep by {measure}{window}")
        }
        (None, _) => match plan.engine {
            Some(EngineRecord::Breadth) => "breadth-first".into(),
            Some(EngineRecord::BreadthDisk) => "breadth-first on disk".into(),
            Some(EngineRecord::Depth) => "depth-first".into(),
            Some(EngineRecord::Partition) => "partitioned".into(),
            Some(EngineRecord::Sweep | EngineRecord::SweepDisk) => "sweep".into(),
            None => "unknown".into(),
        },
    };
    format!("{engine}, {execution}: {end}")
}

/// Number of distinct states; an estimate if a dropped state may have been visited again.
fn distinct_row(record: &RunRecord) -> Option<String> {
    let RunRecord { search, .. } = record;
    // In the first sweep, no state is expanded twice.
    let again = search.sweeps.unwrap_or(0) + search.local_sweeps.unwrap_or(0) > 1;
    let estimate = || search.states.distinct_estimate.filter(|_| again);
    count(search.states.distinct).or_else(|| Some(About(estimate()?).to_string()))
}

fn peak_row(record: &RunRecord) -> Option<String> {
    let states = &record.search.states;
    let (peak, held) = (Count(states.peak_stored?), states.peak?);
    let (current, future, persistent) = (Count(held.current), Count(held.future), Count(held.persistent));
    Some(format!("{peak} at most: {current} current, {future} future, {persistent} persistent"))
}

/// The memory saved by dropping layers. A state that is expanded twice counts twice, so this
/// compares with storing every visit.
fn saving_row(record: &RunRecord) -> Option<String> {
    let states = &record.search.states;
    let peak = states.peak_stored?;
    // A search that stops early stores states that it never expanded, and saves nothing.
    let explored = states.explored.filter(|&explored| explored > peak)?;
    let share = 100.0 * peak as f64 / explored as f64;
    // Rounded down, so that 100 % means all.
    let saved = ((100.0 - share).max(0.0) * 100.0).floor() / 100.0;
    let (peak, explored) = (Count(peak), Count(explored));
    Some(format!("{saved} %: at most {peak} of {explored} explored states in memory"))
}

fn transitions_row(record: &RunRecord) -> Option<String> {
    let steps = &record.search.transitions;
    let (total, forward) = (Count(steps.total?), Count(steps.forward?));
    let (stationary, regress) = (Count(steps.stationary?), Count(steps.regress?));
    Some(format!("{total}: {forward} forward, {stationary} stationary, {regress} regress"))
}

fn count(number: Option<u64>) -> Option<String> {
    number.map(|number| Count(number).to_string())
}

fn state_vector_row(record: &RunRecord) -> Option<String> {
    let (bits, words) = (record.model.state_bits?, record.model.state_words?);
    let variables = record.model.variables.map_or(String::new(), |number| match number {
        1 => ", 1 variable".into(),
        many => format!(", {many} variables"),
    });
    Some(format!("{} bytes ({bits} bits{variables})", words * 8))
}

fn memory_row(record: &RunRecord) -> Option<String> {
    let bytes = record.resources.peak_state_bytes?;
    let stored = record.search.states.peak_stored.filter(|&stored| stored > 0)?;
    // For few states, or small layers, most of the memory is spare capacity: a price per state
    // would mislead.
    let per_state = match record.plan.is_sweep() || stored < MANY {
        true => String::new(),
        false => format!(", {:.1} bytes per state", bytes as f64 / stored as f64),
    };
    let process = record.resources.peak_rss_bytes;
    let process = process.map_or(String::new(), |bytes| format!("; {} peak for the process", Bytes(bytes)));
    Some(format!("{} for states{per_state}{process}", Bytes(bytes)))
}

fn time_row(record: &RunRecord) -> Option<String> {
    let seconds = record.resources.wall_seconds?;
    let explored = record.search.states.explored?;
    let rate = if seconds > 0.0 { (explored as f64 / seconds) as u64 } else { explored };
    Some(format!("{}, {} states/s", Seconds(seconds), Count(rate)))
}
