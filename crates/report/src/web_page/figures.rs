//! Key figures: states, memory, time; and the transitions by direction.

use std::fmt;

use crate::markup::Escaped;
use crate::quantities::{About, Bytes, Count, Percent, Seconds};
use crate::run_record::{ReductionRecord, RunRecord, TransitionsRecord};

/// The plan of the search in one line.
pub fn about(record: &RunRecord) -> String {
    let RunRecord { model, plan, .. } = record;
    let mut items: Vec<String> = Vec::new();
    items.extend(model.path.contains('/').then(|| model.path.clone()));
    items.extend(model.language.clone());
    items.extend(plan.engine.map(|engine| format!("engine {}", engine.name())));
    items.extend(plan.execution.clone());
    items.extend((plan.threads > 1).then(|| format!("{} threads", plan.threads)));
    items.extend(match plan.reduction {
        ReductionRecord::None => None,
        ReductionRecord::Stubborn => Some("partial-order reduction (stubborn sets)".into()),
    });
    items.extend(model.constants.iter().map(|(name, value)| format!("{name} = {value}")));
    items.iter().map(|item| format!("<span>{}</span>", Escaped(item))).collect()
}

/// A figure with its name and a note.
struct Figure {
    name: &'static str,
    value: Option<String>,
    note: Option<String>,
}

/// The known key figures of a run.
pub struct Figures<'a>(pub &'a RunRecord);

impl fmt::Display for Figures<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<dl class=\"figures\">")?;
        let all = [self.states(), self.shape(), self.cost()];
        for Figure { name, value, note } in all.into_iter().flatten() {
            let Some(value) = value else { continue };
            write!(f, "<div><dt>{name}</dt><dd>{}", Escaped(&value))?;
            if let Some(note) = note {
                write!(f, "<small>{}</small>", Escaped(&note))?;
            }
            f.write_str("</dd></div>")?;
        }
        f.write_str("</dl>")
    }
}

fn figure(name: &'static str, value: Option<String>, note: Option<String>) -> Figure {
    Figure { name, value, note }
}

fn count(number: Option<u64>) -> Option<String> {
    number.map(|number| Count(number).to_string())
}

fn positive(number: Option<u64>) -> Option<u64> {
    number.filter(|&number| number > 0)
}

impl Figures<'_> {
    fn states(&self) -> Vec<Figure> {
        let states = &self.0.search.states;
        let distinct = match (states.distinct, states.distinct_estimate) {
            (Some(known), _) => Some(Count(known).to_string()),
            (None, Some(guess)) => Some(About(guess).to_string()),
            (None, None) => None,
        };
        let all = states.distinct.or(states.distinct_estimate).filter(|&all| all > 0);
        let share = states.peak_stored.zip(all).map(|(peak, all)| {
            let about = if states.distinct.is_none() { "about " } else { "" };
            format!("{about}{} of the distinct states", Percent(peak as f64 / all as f64))
        });
        let again = states.explored.zip(all).filter(|(explored, all)| explored > all);
        let again =
            again.map(|(explored, all)| format!("{:.2} expansions per state", explored as f64 / all as f64));
        vec![
            figure("Distinct states", distinct, None),
            figure("Explored", count(states.explored), again),
            figure("Peak in memory", count(states.peak_stored), share),
            figure("Persistent states", count(positive(states.persistent)), None),
            figure("Matched", count(states.matched), Some("transitions to known states".into())),
        ]
    }

    fn shape(&self) -> Vec<Figure> {
        let search = &self.0.search;
        // Without a measure, all states are one layer.
        let is_swept = self.0.plan.measure.expression.is_some();
        let largest = search.states.peak_layer.map(|most| format!("largest: {} states", Count(most)));
        let local = positive(search.local_sweeps).map(|local| format!("and {} local sweeps", Count(local)));
        let graph = search.graph.as_ref();
        let deadlocks = search.deadlocks.filter(|_| search.complete);
        vec![
            figure("Transitions", count(search.transitions.total), None),
            figure("Layers", count(search.layers.filter(|_| is_swept)), largest),
            figure("Sweeps", count(search.sweeps.filter(|_| is_swept)), local),
            figure("Levels", count(search.levels), Some("breadth-first".into())),
            figure("Stack depth", count(search.stack_depth), Some("peak number of entries".into())),
            figure("Deadlocks", count(deadlocks), None),
            figure(
                "Run-time errors",
                count(positive(search.erroneous)),
                Some("states with a failing action".into()),
            ),
            figure("Recorded graph", graph.map(|graph| format!("{} bits", Count(graph.bits))), None),
        ]
    }

    fn cost(&self) -> Vec<Figure> {
        let RunRecord { model, search, resources, .. } = self.0;
        let bytes = |number: Option<u64>| number.map(|number| Bytes(number).to_string());
        let cpu = resources.cpu_seconds.map(|seconds| format!("{} CPU time", Seconds(seconds)));
        let rate = search.states.explored.zip(resources.wall_seconds.filter(|&seconds| seconds > 0.0));
        let rate = rate.map(|(explored, seconds)| Count((explored as f64 / seconds) as u64).to_string());
        let process = resources.peak_rss_bytes.map(|bytes| format!("{} for the process", Bytes(bytes)));
        let bits = model.variables.map(|number| format!("{} variables", Count(number)));
        let io = &search.io;
        let moved = |states: Option<u64>, bytes: Option<u64>| {
            (count(positive(states)), bytes.map(|bytes| Bytes(bytes).to_string()))
        };
        let (written, written_bytes) = moved(io.states_written, io.bytes_written);
        let (read, read_bytes) = moved(io.states_read, io.bytes_read);
        vec![
            figure("Time", resources.wall_seconds.map(|seconds| Seconds(seconds).to_string()), cpu),
            figure("States per second", rate, None),
            figure("Memory for states", bytes(resources.peak_state_bytes), process),
            figure("State vector", model.state_bits.map(|bits| format!("{bits} bits")), bits),
            figure("States written", written, written_bytes),
            figure("States read", read, read_bytes),
            figure("On disk", bytes(positive(resources.disk_bytes)), Some("peak".into())),
        ]
    }
}

/// The transitions by direction, as a bar and as a list.
pub struct EdgeKinds<'a>(pub &'a TransitionsRecord);

impl EdgeKinds<'_> {
    /// Whether there are several layers. Without a measure, all transitions are stationary.
    pub fn tells_something(&self) -> bool {
        let TransitionsRecord { forward, regress, .. } = self.0;
        [forward, regress].into_iter().flatten().any(|&number| number > 0)
    }
}

impl fmt::Display for EdgeKinds<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TransitionsRecord { total, forward, stationary, regress } = self.0;
        let kinds = [
            ("forward", "to more progress", forward),
            ("stationary", "within a layer", stationary),
            ("regress", "to less progress", regress),
        ];
        let total = total.unwrap_or(0);
        let share = |number: u64| number as f64 / total.max(1) as f64;
        f.write_str(
            "<svg class=\"kinds\" viewBox=\"0 0 1000 24\" preserveAspectRatio=\"none\" aria-hidden=\"true\">",
        )?;
        let mut x = 0.0;
        for (name, _, number) in kinds {
            let width = 1000.0 * share(number.unwrap_or(0));
            write!(f, "<rect class=\"{name}\" x=\"{x:.2}\" y=\"0\" width=\"{width:.2}\" height=\"24\"/>")?;
            x += width;
        }
        f.write_str("</svg><dl class=\"kinds\">")?;
        for (name, note, number) in kinds {
            let number = number.map_or("unknown".into(), |number| {
                format!("{} <small>{}</small>", Count(number), Escaped(&Percent(share(number)).to_string()))
            });
            write!(f, "<div class=\"{name}\"><dt>{name} <small>{note}</small></dt><dd>{number}</dd></div>")?;
        }
        f.write_str("</dl>")
    }
}
