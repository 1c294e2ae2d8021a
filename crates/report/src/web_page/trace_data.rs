//! Traces in the form that the scripts of the page read.

use serde::Serialize;

use super::interned::Interned;
use crate::run_record::{
    ComponentRecord, LengthRecord, RunRecord, StepRecord, TraceKind, TraceRecord, ValueRecord,
};
use crate::terminal::{component_heading, heading};

/// A trace.
#[derive(Debug, Serialize)]
pub struct TraceData {
    heading: String,
    kind: TraceKind,
    replayed: bool,
    by_progress: bool,
    loop_start: Option<usize>,
    /// Variable and value, alternating.
    initial: Vec<usize>,
    steps: Vec<StepData>,
    component: Option<ComponentData>,
}

/// A step. The field names are short, because there may be many steps.
#[derive(Debug, Serialize)]
struct StepData {
    /// The action.
    a: usize,
    /// Variable, value before and value after, alternating.
    c: Vec<usize>,
    /// The participants.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    p: Vec<usize>,
    /// The channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    h: Option<usize>,
    /// 1 if a message is sent to the channel, -1 if one is received from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    d: Option<i8>,
}

/// A terminal component.
#[derive(Debug, Serialize)]
struct ComponentData {
    heading: String,
    /// Number of states that are not in the list, if it is known.
    more: Option<u64>,
    states: Vec<Vec<usize>>,
}

impl TraceData {
    /// All traces of a run.
    pub fn all<'a>(record: &'a RunRecord, texts: &mut Interned<'a>) -> Vec<Self> {
        let numbered = record.traces.iter().enumerate();
        numbered.map(|(number, trace)| Self::new(record, number, trace, texts)).collect()
    }

    fn new<'a>(record: &RunRecord, number: usize, trace: &'a TraceRecord, texts: &mut Interned<'a>) -> Self {
        let shown = record.properties.iter().find(|property| property.trace == Some(number));
        let words = shown.map(|property| heading(property, trace));
        let words = words.unwrap_or_else(|| format!("Trace {}", number + 1));
        Self {
            heading: crate::markup::visible(words.trim_end_matches(':')).into_owned(),
            kind: trace.kind,
            replayed: trace.replayed,
            by_progress: trace.length == Some(LengthRecord::SubjectToProgress) && !trace.steps.is_empty(),
            loop_start: trace.loop_start,
            initial: values(&trace.initial, texts),
            steps: trace.steps.iter().map(|step| StepData::new(step, texts)).collect(),
            component: trace.component.as_ref().map(|component| ComponentData::new(component, texts)),
        }
    }
}

impl StepData {
    fn new<'a>(step: &'a StepRecord, texts: &mut Interned<'a>) -> Self {
        let mut changes = Vec::with_capacity(3 * step.changes.len());
        for change in &step.changes {
            changes.extend([&change.variable, &change.from, &change.to].map(|text| texts.number(text)));
        }
        Self {
            a: texts.number(&step.action),
            c: changes,
            p: step.participants.iter().map(|name| texts.number(name)).collect(),
            h: step.channel.as_ref().map(|name| texts.number(name)),
            d: direction(step),
        }
    }
}

/// Direction of a buffered message: whether the channel gets longer or shorter.
fn direction(step: &StepRecord) -> Option<i8> {
    let channel = step.channel.as_ref().filter(|_| step.participants.len() == 1)?;
    let is_length = |name: &str| name.strip_prefix(channel.as_str()) == Some(".length");
    let change = step.changes.iter().find(|change| is_length(&change.variable))?;
    let (from, to): (i64, i64) = (change.from.parse().ok()?, change.to.parse().ok()?);
    Some((to - from).signum() as i8)
}

fn values<'a>(state: &'a [ValueRecord], texts: &mut Interned<'a>) -> Vec<usize> {
    let mut numbers = Vec::with_capacity(2 * state.len());
    for value in state {
        numbers.extend([&value.variable, &value.value].map(|text| texts.number(text)));
    }
    numbers
}

impl ComponentData {
    fn new<'a>(component: &'a ComponentRecord, texts: &mut Interned<'a>) -> Self {
        Self {
            heading: component_heading(component),
            more: component.size.map(|size| size.saturating_sub(component.states.len() as u64)),
            states: component.states.iter().map(|state| values(state, texts)).collect(),
        }
    }
}
