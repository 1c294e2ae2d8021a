//! The data for the scripts of the page.
//!
//! This is a view of the record and not an interface: it changes with the scripts. Texts are
//! indices into a common list. Progress values are texts, because numbers in scripts are exact only
//! to 2⁵³.

use serde::Serialize;

use super::interned::Interned;
use super::thinning::{thin_profile, thin_rate};
use super::trace_data::TraceData;
use crate::markup::visible;
use crate::profile_record::{ProfilePointRecord, ProfileRecord, SweepProfileRecord};
use crate::run_record::RunRecord;
use crate::space::SpaceRecord;
use crate::space_drawing::shows_states;

/// Maximum number of actions in the table, the most frequent ones first.
const MOST_ACTIONS: usize = 10_000;

/// All data of a page.
#[derive(Debug, Serialize)]
pub struct PageData {
    texts: Vec<String>,
    profile: Vec<SweepData>,
    left_out_sweeps: usize,
    rate: Vec<(f64, u64)>,
    actions: Vec<(u32, usize, u64)>,
    left_out_actions: usize,
    traces: Vec<TraceData>,
    space: Option<SpaceData>,
}

/// A sweep of the profile.
#[derive(Debug, Serialize)]
struct SweepData {
    number: u64,
    layers: u64,
    points: Vec<PointData>,
}

/// A point of the profile.
#[derive(Debug, Serialize)]
struct PointData {
    progress: String,
    layers: u64,
    expanded: u64,
    largest: u64,
    current: u64,
    future: u64,
    persistent: u64,
    met: u64,
}

/// The graph of the animated sweep.
#[derive(Debug, Serialize)]
struct SpaceData {
    /// Index of the layer of each state.
    layer: Vec<usize>,
    /// Progress value of each layer.
    progress: Vec<String>,
    initial: Vec<usize>,
    /// Source and target, alternating.
    edges: Vec<u32>,
}

impl PageData {
    /// The data of a run.
    pub fn new(record: &RunRecord) -> Self {
        let mut texts = Interned::default();
        let search = &record.search;
        let profile = search.profile.as_ref().map(thin_profile).unwrap_or_default();
        let all_sweeps = search.profile.as_ref().map_or(0, |profile| profile.sweeps.len());
        let mut actions: Vec<_> = search.actions.iter().flatten().collect();
        if actions.len() > MOST_ACTIONS {
            actions.sort_by_key(|action| std::cmp::Reverse(action.fired));
        }
        let left_out_actions = actions.len().saturating_sub(MOST_ACTIONS);
        actions.truncate(MOST_ACTIONS);
        let actions = actions
            .into_iter()
            .map(|action| (action.number, texts.number(&action.action), action.fired))
            .collect();
        let traces = TraceData::all(record, &mut texts);
        Self {
            left_out_sweeps: all_sweeps - profile.sweeps.len(),
            profile: SweepData::all(&profile),
            rate: thin_rate(record.resources.rate.as_deref().unwrap_or_default())
                .into_iter()
                .map(|moment| (moment.seconds, moment.explored))
                .collect(),
            actions,
            left_out_actions,
            traces,
            space: record.space.as_ref().filter(|space| shows_states(space)).map(SpaceData::new),
            texts: texts.into_texts(),
        }
    }
}

impl SweepData {
    fn all(profile: &ProfileRecord) -> Vec<Self> {
        let sweep = |sweep: &SweepProfileRecord| Self {
            number: sweep.number,
            layers: sweep.layers,
            points: sweep.points.iter().map(PointData::new).collect(),
        };
        profile.sweeps.iter().map(sweep).collect()
    }
}

impl PointData {
    fn new(point: &ProfilePointRecord) -> Self {
        Self {
            progress: shown(point.value.as_ref(), point.progress),
            layers: point.layers,
            expanded: point.expanded,
            largest: point.largest_layer,
            current: point.current,
            future: point.future,
            persistent: point.persistent,
            met: point.met,
        }
    }
}

impl SpaceData {
    fn new(space: &SpaceRecord) -> Self {
        let layers = space.by_layers();
        let values: Vec<u64> = layers.iter().map(|layer| layer.progress).collect();
        let layer_of = |progress: u64| values.binary_search(&progress).unwrap_or_default();
        let states = space.states.len() as u32;
        let mut pairs: Vec<(u32, u32)> = space.edges.iter().map(|edge| (edge.from, edge.to)).collect();
        pairs.retain(|&(from, to)| from < states && to < states);
        pairs.sort_unstable();
        pairs.dedup();
        Self {
            layer: space.states.iter().map(|state| layer_of(state.progress)).collect(),
            progress: layers.iter().map(|layer| shown(layer.value.as_ref(), layer.progress)).collect(),
            initial: (0..space.states.len()).filter(|&state| space.states[state].initial).collect(),
            edges: pairs.into_iter().flat_map(|(from, to)| [from, to]).collect(),
        }
    }
}

/// A progress value in the notation of the measure.
fn shown(value: Option<&String>, progress: u64) -> String {
    value.map_or_else(|| progress.to_string(), |value| visible(value).into_owned())
}
