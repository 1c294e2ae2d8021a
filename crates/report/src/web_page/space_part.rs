//! The state space: its drawing, the state-space report, and the terminal states.

use std::cmp::Ordering;
use std::fmt;

use super::findings::names;
use crate::markup::Escaped;
use crate::quantities::Count;
use crate::run_record::{RunRecord, ValueRecord};
use crate::space::SpaceLayerRecord;
use crate::space_drawing::{shows_states, svg_in_page};
use crate::survey::{BoundsRecord, SurveyRecord};

/// Number of states of a list that are shown.
const SHOWN_STATES: usize = 100;
/// Number of layers in the table.
const SHOWN_LAYERS: usize = 1_000;
/// Number of variables whose bounds are shown.
const SHOWN_BOUNDS: usize = 1_000;

/// The drawing of the state space, with a placeholder for the animated sweep.
pub struct Drawing<'a>(pub &'a RunRecord);

impl fmt::Display for Drawing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(space) = &self.0.space else { return Ok(()) };
        let part = if space.complete { "" } else { " Some states and transitions are missing." };
        let each = match shows_states(space) {
            true => "Each circle is a state; hover over it to see its variables.",
            false => "Each circle is a layer; its area is proportional to the number of states.",
        };
        write!(
            f,
            "<p class=\"lead\">Bands are layers, with more progress further down. {each} Solid edges lead forward, dotted ones \
             are stationary, dashed ones are regress edges.{part}</p>\
             <div id=\"sweep-view\"></div>\
             <div class=\"drawing\" tabindex=\"0\" role=\"region\" aria-label=\"Picture of the state space\">{}</div>",
            svg_in_page(space)
        )?;
        layer_table(f, &space.by_layers())
    }
}

/// Writes the layers as a table.
fn layer_table(f: &mut fmt::Formatter<'_>, layers: &[SpaceLayerRecord]) -> fmt::Result {
    f.write_str(
        "<details class=\"numbers\"><summary>Show as a table</summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" \
         aria-label=\"Layers\"><table class=\"plain\"><caption>Layers</caption><thead><tr><th scope=\"col\">progress</th>\
         <th scope=\"col\">states</th><th scope=\"col\">forward</th><th scope=\"col\">stationary</th>\
         <th scope=\"col\">regress</th></tr></thead><tbody>",
    )?;
    for (number, layer) in layers.iter().enumerate().take(SHOWN_LAYERS) {
        let steps = |order: Ordering| {
            let some = layer.edges.iter().filter(|edge| (edge.to as usize).cmp(&number) == order);
            Count(some.map(|edge| edge.count).fold(0, u64::saturating_add))
        };
        let progress = layer.value.clone().unwrap_or_else(|| layer.progress.to_string());
        write!(
            f,
            "<tr><th scope=\"row\"><code class=\"name\">{}</code></th><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            Escaped(&progress),
            Count(layer.states),
            steps(Ordering::Greater),
            steps(Ordering::Equal),
            steps(Ordering::Less)
        )?;
    }
    f.write_str("</tbody></table></div>")?;
    if layers.len() > SHOWN_LAYERS {
        write!(f, "<p>{} others are in the run record.</p>", Count((layers.len() - SHOWN_LAYERS) as u64))?;
    }
    f.write_str("</details>")
}

/// The state-space report.
pub struct Survey<'a>(pub &'a RunRecord);

impl fmt::Display for Survey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(survey) = &self.0.search.survey else { return Ok(()) };
        facts(f, survey)?;
        let so_far = if self.0.search.complete { "" } else { " so far" };
        let lists = [("Never taken", &survey.never_taken), ("Never reached", &survey.never_reached)];
        for (heading, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            write!(f, "<h3>{heading}{so_far}: {}</h3>", Count(list.len() as u64))?;
            names(f, list.iter().map(String::as_str), list.len())?;
        }
        if let Some(live) =
            survey.live.as_ref().filter(|live| !live.is_empty() && (live.len() as u64) < survey.actions)
        {
            write!(f, "<h3>Live actions: {}</h3>", Count(live.len() as u64))?;
            names(f, live.iter().map(String::as_str), live.len())?;
        }
        bounds(f, &survey.bounds)
    }
}

fn facts(f: &mut fmt::Formatter<'_>, survey: &SurveyRecord) -> fmt::Result {
    let count = |number: Option<u64>| number.map(|number| Count(number).to_string());
    let yes = |flag: bool| if flag { "yes" } else { "no" }.to_owned();
    let live = survey
        .live
        .as_ref()
        .map(|live| format!("{} of {} actions", Count(live.len() as u64), Count(survey.actions)));
    let rows = [
        ("Strongly connected components", count(survey.components)),
        ("Terminal components", count(survey.terminal_components)),
        ("Home states", count(survey.home_states)),
        ("Is the initial state a home state?", survey.initial_is_home.map(yes)),
        ("Live", live),
        ("Home states and live actions", survey.unknown.clone()),
    ];
    f.write_str("<dl class=\"facts\">")?;
    for (name, value) in rows.into_iter().filter_map(|(name, value)| Some((name, value?))) {
        write!(f, "<div><dt>{name}</dt><dd>{}</dd></div>", Escaped(&value))?;
    }
    f.write_str("</dl>")
}

fn bounds(f: &mut fmt::Formatter<'_>, bounds: &[BoundsRecord]) -> fmt::Result {
    if bounds.is_empty() {
        return Ok(());
    }
    write!(
        f,
        "<details><summary>Values of {} variables</summary><div class=\"scroll\"><table class=\"plain\"><thead><tr>\
         <th scope=\"col\">variable</th><th scope=\"col\">least</th><th scope=\"col\">greatest</th></tr></thead><tbody>",
        Count(bounds.len() as u64)
    )?;
    for BoundsRecord { name, least, greatest } in bounds.iter().take(SHOWN_BOUNDS) {
        let name = Escaped(name);
        write!(
            f,
            "<tr><th scope=\"row\"><code class=\"name\">{name}</code></th><td>{least}</td><td>{greatest}</td></tr>"
        )?;
    }
    f.write_str("</tbody></table></div></details>")
}

/// The states without successors, if they were requested.
pub struct TerminalStates<'a>(pub &'a RunRecord);

impl fmt::Display for TerminalStates<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = self.0.search.terminal_states.as_ref().filter(|table| !table.states.is_empty());
        let Some(table) = table else {
            return f.write_str("<p>There are none.</p>");
        };
        let total = table.states.len();
        write!(f, "<p>{} in all.</p><ol class=\"states\">", Count(total as u64))?;
        for state in table.first(SHOWN_STATES) {
            f.write_str("<li>")?;
            values(f, &state)?;
            f.write_str("</li>")?;
        }
        f.write_str("</ol>")?;
        match total.saturating_sub(SHOWN_STATES) {
            0 => Ok(()),
            more => write!(f, "<p>{} others are in the run record.</p>", Count(more as u64)),
        }
    }
}

fn values(f: &mut fmt::Formatter<'_>, state: &[ValueRecord]) -> fmt::Result {
    let shown = state.iter().filter(|value| value.value != "0");
    for ValueRecord { variable, value } in shown {
        write!(f, "<span class=\"value\">{} = {}</span> ", Escaped(variable), Escaped(value))?;
    }
    let zeros = state.iter().any(|value| value.value == "0");
    f.write_str(if zeros { "<small>all others are 0</small>" } else { "" })
}
