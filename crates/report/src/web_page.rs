//! A run as one self-contained web page, which needs no network and no other file.
//!
//! All text is generated here, so that the page can be read, printed and searched without scripts.
//! Scripts in the browser draw charts, traces and the animated sweep from data in the page. The
//! content security policy allows exactly the page's own script and style, by their hashes, and no
//! loading. If a name of a model ever got through as markup, it would still have no effect.

mod answers;
mod content_hash;
mod figures;
mod findings;
mod interned;
mod measure_part;
mod page_data;
mod space_part;
mod thinning;
mod trace_data;

use std::fmt::{self, Display};

use crate::markup::{Escaped, script_json};
use crate::run_record::RunRecord;
use crate::space_drawing;

use answers::{Answers, Banner, Limits};
use content_hash::content_hash;
use figures::{EdgeKinds, Figures};
use findings::{Findings, NeverFired};
use measure_part::MeasurePart;
use page_data::PageData;
use space_part::{Drawing, Survey, TerminalStates};

/// The frame of the page, with placeholders in double braces.
const FRAME: &str = include_str!("web_page/page.html");

/// All scripts, each after the ones that it uses.
const SCRIPT: &str = concat!(
    include_str!("web_page/script/page.js"),
    include_str!("web_page/script/chart.js"),
    include_str!("web_page/script/profile.js"),
    include_str!("web_page/script/rate.js"),
    include_str!("web_page/script/actions.js"),
    include_str!("web_page/script/trace.js"),
    include_str!("web_page/script/trace_list.js"),
    include_str!("web_page/script/sequence.js"),
    include_str!("web_page/script/sweep.js"),
    include_str!("web_page/script/sweep_view.js"),
    include_str!("web_page/script/start.js"),
);

/// The page of a run, as the text of an HTML file.
///
/// ```
/// use report::{PlanRecord, RunRecord, page};
/// use engine::check::Engine;
///
/// let record = RunRecord::new("<lamp>.dve", PlanRecord::new(Engine::Breadth, "compiled"));
/// let html = page(&record);
/// assert!(html.starts_with("<!doctype html>") && html.contains("<h1>&lt;lamp&gt;.dve</h1>"));
/// ```
pub fn page(record: &RunRecord) -> String {
    let style =
        [include_str!("web_page/page.css"), include_str!("web_page/panels.css"), space_drawing::STYLE]
            .concat();
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'",
        content_hash(SCRIPT),
        content_hash(&style)
    );
    let banner = Banner(record);
    let fill = |name: &str| match name {
        "policy" => policy.clone(),
        "title" => format!("{} · {}", Escaped(file_name(record)), banner.words()),
        "style" => style.clone(),
        "model" => Escaped(file_name(record)).to_string(),
        "about" => figures::about(record),
        "contents" => Contents(record).to_string(),
        "parts" => Parts(record).to_string(),
        "data" => script_json(&PageData::new(record)),
        "script" => SCRIPT.into(),
        _ => unreachable!("the frame has no other names"),
    };
    filled(FRAME, fill)
}

/// File name of the model without its folder, which the line below has.
fn file_name(record: &RunRecord) -> &str {
    let path = &record.model.path;
    path.rsplit('/').find(|name| !name.is_empty()).unwrap_or(path)
}

/// Fills in the frame in one pass, so that braces in the inserted text are not placeholders.
fn filled(frame: &str, fill: impl Fn(&str) -> String) -> String {
    let mut text = String::new();
    let mut rest = frame;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").expect("braces in the frame come in pairs");
        text.push_str(before);
        text.push_str(&fill(name));
        rest = after;
    }
    text + rest
}

/// A section of the page.
struct Part {
    id: &'static str,
    /// The entry in the table of contents.
    short: &'static str,
    heading: &'static str,
    is_there: fn(&RunRecord) -> bool,
    body: fn(&RunRecord, &mut fmt::Formatter<'_>) -> fmt::Result,
}

/// The sections, in the order of the page: verdicts, evidence, cost.
const PARTS: [Part; 12] = [
    Part {
        id: "answers",
        short: "Verdicts",
        heading: "Verdicts",
        is_there: |_| true,
        body: |run, f| Answers(run).fmt(f),
    },
    Part {
        id: "findings",
        short: "Warnings",
        heading: "Warnings and errors",
        is_there: |run| !run.diagnostics.is_empty(),
        body: |run, f| Findings(run).fmt(f),
    },
    Part {
        id: "figures",
        short: "Figures",
        heading: "Figures",
        is_there: |run| run.search.transitions.total.is_some() || run.resources.wall_seconds.is_some(),
        body: |run, f| Figures(run).fmt(f),
    },
    Part {
        id: "traces",
        short: "Traces",
        heading: "Traces",
        is_there: |run| !run.traces.is_empty(),
        body: |_, f| f.write_str("<div id=\"trace-views\"></div>"),
    },
    Part {
        id: "profile",
        short: "Memory",
        heading: "States in memory",
        is_there: |run| run.search.profile.as_ref().is_some_and(|profile| !profile.sweeps.is_empty()),
        body: |_, f| f.write_str(PROFILE_NOTE),
    },
    Part {
        id: "space",
        short: "State space",
        heading: "The state space by layers",
        is_there: |run| {
            run.space.as_ref().is_some_and(|space| !(space.states.is_empty() && space.layers.is_empty()))
        },
        body: |run, f| Drawing(run).fmt(f),
    },
    Part {
        id: "edges",
        short: "Transitions",
        heading: "Transitions by direction",
        is_there: |run| EdgeKinds(&run.search.transitions).tells_something(),
        body: |run, f| EdgeKinds(&run.search.transitions).fmt(f),
    },
    Part {
        id: "rate",
        short: "Speed",
        heading: "Speed",
        is_there: |run| run.resources.rate.as_ref().is_some_and(|rate| !rate.is_empty()),
        body: |_, f| {
            f.write_str("<p class=\"lead\">Expansions per second, between one sample and the next.</p><div id=\"rate-view\"></div>")
        },
    },
    Part {
        id: "actions",
        short: "Actions",
        heading: "Actions",
        is_there: |run| run.search.actions.as_ref().is_some_and(|actions| !actions.is_empty()),
        body: |run, f| NeverFired(run).fmt(f),
    },
    Part {
        id: "measure",
        short: "Measure",
        heading: "The progress measure",
        is_there: |run| run.plan.engine.is_some() || run.plan.measure.expression.is_some(),
        body: |run, f| MeasurePart(run).fmt(f),
    },
    Part {
        id: "survey",
        short: "Survey",
        heading: "State-space report",
        is_there: |run| run.search.survey.is_some(),
        body: |run, f| Survey(run).fmt(f),
    },
    Part {
        id: "terminal",
        short: "Terminal states",
        heading: "Terminal states",
        is_there: |run| run.search.terminal_states.is_some(),
        body: |run, f| TerminalStates(run).fmt(f),
    },
];

const PROFILE_NOTE: &str = "<p class=\"lead\">States in memory during the sweep, layer by layer in the order of \
    progress, compared with full exploration.</p><div id=\"profile-view\"></div>";

/// Links to the sections of the page.
struct Contents<'a>(&'a RunRecord);

impl Display for Contents<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        PARTS
            .iter()
            .filter(|part| (part.is_there)(self.0))
            .try_for_each(|Part { id, short, .. }| write!(f, "<li><a href=\"#{id}\">{short}</a></li>"))
    }
}

/// All sections of the page, after the banner and the limits of the run.
struct Parts<'a>(&'a RunRecord);

impl Display for Parts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", Banner(self.0), Limits(self.0))?;
        for Part { id, heading, is_there, body, .. } in &PARTS {
            if is_there(self.0) {
                write!(
                    f,
                    "<section id=\"{id}\" aria-labelledby=\"{id}-heading\"><h2 id=\"{id}-heading\">{heading}</h2>"
                )?;
                body(self.0, f)?;
                f.write_str("</section>\n")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_in_inserted_text_stay_as_they_are() {
        let text = filled("a {{title}} b {{data}} c", |name| format!("[{name} {{{{data}}}}]"));
        assert_eq!(text, "a [title {{data}}] b [data {{data}}] c");
    }
}
