//! The state-space report that users of CPN Tools know: bounds, dead actions, unreachable
//! locations, home states, live actions.

use std::fmt;

use engine::property::survey::Surveyed;
use model::guarded_commands::{ActionId, CellId, GuardedCommands};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::quantities::Count;

/// Number of lines of a list that are shown without `-v`.
const SHOWN: usize = 40;
/// Why home states and live actions are unknown if there are regress edges.
const NOT_MONOTONE: &str = "unknown: the measure is not monotone, so a strongly connected component may \
    span several layers; --measure none stores all states";
/// Why they are unknown after an incomplete search.
const INCOMPLETE: &str = "unknown: not all states were visited";

/// Report on a state space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SurveyRecord {
    /// Bounds of each variable, or place.
    pub bounds: Vec<BoundsRecord>,
    /// Locations of processes that the search did not reach.
    pub never_reached: Vec<String>,
    /// Number of actions, or transitions.
    pub actions: u64,
    /// Actions that the search never took; dead if the search is complete.
    pub never_taken: Vec<String>,
    /// Number of strongly connected components, `null` if it is unknown.
    pub components: Option<u64>,
    /// Number of terminal ones, which no transition leaves.
    pub terminal_components: Option<u64>,
    /// Number of home states, which are reachable from every state.
    pub home_states: Option<u64>,
    /// Whether the initial state is a home state.
    pub initial_is_home: Option<bool>,
    /// Live actions: from every state, a state is reachable in which the action is enabled.
    pub live: Option<Vec<String>>,
    /// Why components, home states and live actions are unknown.
    pub unknown: Option<String>,
}

/// Bounds of a variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct BoundsRecord {
    /// The variable, or the place.
    pub name: String,
    /// Its least value.
    pub least: i64,
    /// Its greatest value.
    pub greatest: i64,
}

impl SurveyRecord {
    pub(crate) fn new(commands: &GuardedCommands, surveyed: &Surveyed, is_complete: bool) -> Self {
        let cells = || (0..surveyed.ranges.len()).map(|cell| CellId(cell as u32));
        let is_number = |cell: &CellId| surveyed.occurring[cell.index()].is_none();
        let bounds = cells().filter(is_number).filter_map(|cell| {
            let range = surveyed.ranges[cell.index()]?;
            Some(BoundsRecord { name: commands.cell_name(cell), least: range.low, greatest: range.high })
        });
        let never_reached = cells().flat_map(|cell| {
            let occurring = surveyed.occurring[cell.index()].iter().flatten().enumerate();
            let missing = occurring.filter(|(_, occurs)| !**occurs);
            missing.map(move |(value, _)| {
                format!("{}: {}", commands.cell_name(cell), commands.value_name(cell, value as i64))
            })
        });
        let named = |flags: &[bool], wanted: bool| -> Vec<String> {
            let actions = flags.iter().enumerate().filter(|(_, flag)| **flag == wanted);
            actions.map(|(action, _)| commands.action_name(ActionId(action as u32))).collect()
        };
        let ends = surveyed.ends.as_ref().filter(|_| is_complete);
        let unknown = match (ends, is_complete) {
            (Some(_), _) => None,
            (None, true) => Some(NOT_MONOTONE.to_owned()),
            (None, false) => Some(INCOMPLETE.to_owned()),
        };
        Self {
            bounds: bounds.collect(),
            never_reached: never_reached.collect(),
            actions: surveyed.occurs.len() as u64,
            never_taken: named(&surveyed.occurs, false),
            components: ends.map(|ends| ends.components),
            terminal_components: ends.map(|ends| ends.terminal),
            home_states: ends.map(|ends| ends.home_states),
            initial_is_home: ends.map(|ends| ends.initial_is_home),
            live: ends.map(|ends| named(&ends.live, true)),
            unknown,
        }
    }
}

/// The report for the terminal.
pub(crate) struct SurveyText<'a> {
    pub(crate) survey: &'a SurveyRecord,
    pub(crate) is_complete: bool,
    /// Whether long lists are shown in full.
    pub(crate) is_long: bool,
}

impl fmt::Display for SurveyText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let survey = self.survey;
        let so_far = if self.is_complete { "" } else { " so far" };
        if !survey.bounds.is_empty() {
            let width = survey.bounds.iter().map(|one| one.name.chars().count()).max().unwrap_or(0).max(16);
            writeln!(f, "{:width$}  {:>11} {:>11}", format!("values{so_far}"), "least", "greatest")?;
            let shown = if self.is_long { survey.bounds.len() } else { SHOWN.min(survey.bounds.len()) };
            for BoundsRecord { name, least, greatest } in &survey.bounds[..shown] {
                writeln!(f, "{name:width$}  {least:>11} {greatest:>11}")?;
            }
            self.rest(f, survey.bounds.len() - shown)?;
            writeln!(f)?;
        }
        self.list(f, &format!("never taken{so_far}"), &survey.never_taken)?;
        if !survey.never_reached.is_empty() {
            self.list(f, &format!("never reached{so_far}"), &survey.never_reached)?;
        }
        if let Some(unknown) = &survey.unknown {
            return writeln!(f, "home states, live actions: {unknown}");
        }
        if let (Some(components), Some(terminal)) = (survey.components, survey.terminal_components) {
            let all = Count(components);
            writeln!(f, "strongly connected components: {all}, terminal ones: {}", Count(terminal))?;
        }
        if let Some(states) = survey.home_states {
            let initial = match survey.initial_is_home {
                Some(true) => ", the initial state among them",
                _ if states > 0 => ", not the initial state",
                _ => "",
            };
            writeln!(
                f,
                "home states: {}{initial}",
                if states == 0 { "none".to_owned() } else { Count(states).to_string() }
            )?;
        }
        match &survey.live {
            Some(live) if live.len() as u64 == survey.actions && !live.is_empty() => {
                writeln!(f, "live actions: all {}", Count(live.len() as u64))
            }
            Some(live) => self.list(f, "live actions", live),
            None => Ok(()),
        }
    }
}

impl SurveyText<'_> {
    fn list(&self, f: &mut fmt::Formatter<'_>, heading: &str, names: &[String]) -> fmt::Result {
        if names.is_empty() {
            return writeln!(f, "{heading}: none");
        }
        writeln!(f, "{heading}: {}", Count(names.len() as u64))?;
        let shown = if self.is_long { names.len() } else { SHOWN.min(names.len()) };
        names[..shown].iter().try_for_each(|name| writeln!(f, "  {name}"))?;
        self.rest(f, names.len() - shown)
    }

    fn rest(&self, f: &mut fmt::Formatter<'_>, more: usize) -> fmt::Result {
        if more == 0 { Ok(()) } else { writeln!(f, "  ...    {} more; -v lists them", Count(more as u64)) }
    }
}
