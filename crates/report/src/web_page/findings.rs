//! Errors and warnings, and actions that were never taken.

use std::fmt;

use crate::markup::Escaped;
use crate::profile_record::ActionRecord;
use crate::quantities::Count;
use crate::run_record::{DiagnosticRecord, RunRecord, SeverityRecord};

/// Number of names of a list that are shown without unfolding.
const SHOWN: usize = 12;
/// Maximum number of names of a list that are shown.
const MOST: usize = 1_000;

/// The diagnostics of a run.
pub struct Findings<'a>(pub &'a RunRecord);

impl fmt::Display for Findings<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<ul class=\"findings\">")?;
        self.0.diagnostics.iter().try_for_each(|finding| diagnostic(f, finding))?;
        f.write_str("</ul>")
    }
}

fn diagnostic(f: &mut fmt::Formatter<'_>, finding: &DiagnosticRecord) -> fmt::Result {
    let DiagnosticRecord { code, severity, message, line, column, help, source } = finding;
    let (class, sign) = match severity {
        SeverityRecord::Error => ("error", "✗"),
        SeverityRecord::Warning => ("warning", "⚠"),
    };
    write!(
        f,
        "<li class=\"{class}\"><p><strong><span aria-hidden=\"true\">{sign}</span> {} {}</strong> {}</p>",
        severity.name(),
        Escaped(code),
        Escaped(message)
    )?;
    if let Some(source) = source {
        let place = match (line, column) {
            (Some(line), Some(column)) => format!(":{line}:{column}"),
            (Some(line), None) => format!(":{line}"),
            _ => String::new(),
        };
        write!(f, "<p class=\"place\">{}{place}</p>", Escaped(source))?;
    }
    if let Some(help) = help {
        write!(f, "<p class=\"help\"><strong>help</strong> {}</p>", Escaped(help))?;
    }
    f.write_str("</li>")
}

/// A warning about actions that were never taken, before the table of all actions.
pub struct NeverFired<'a>(pub &'a RunRecord);

impl fmt::Display for NeverFired<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let actions = self.0.search.actions.iter().flatten();
        let never: Vec<&ActionRecord> = actions.filter(|action| action.fired == 0).collect();
        if !never.is_empty() {
            let so_far = if self.0.search.complete { "" } else { " so far" };
            let count = match never.len() {
                1 => "1 action was".into(),
                many => format!("{} actions were", Count(many as u64)),
            };
            write!(
                f,
                "<div class=\"notice warning\"><p><strong><span aria-hidden=\"true\">⚠</span> {count} never taken{so_far}.</strong></p>"
            )?;
            names(f, never.iter().map(|action| action.action.as_str()), never.len())?;
            f.write_str("</div>")?;
        }
        f.write_str("<div id=\"actions-view\"></div>")
    }
}

/// A list of names; the end of a long one is folded.
pub fn names<'a>(
    f: &mut fmt::Formatter<'_>,
    mut names: impl Iterator<Item = &'a str>,
    count: usize,
) -> fmt::Result {
    let item = |f: &mut fmt::Formatter<'_>, name: &str| {
        write!(f, "<li><code class=\"name\">{}</code></li>", Escaped(name))
    };
    f.write_str("<ul class=\"names\">")?;
    names.by_ref().take(SHOWN).try_for_each(|name| item(f, name))?;
    f.write_str("</ul>")?;
    if count > SHOWN {
        write!(f, "<details><summary>{} more</summary><ul class=\"names\">", Count((count - SHOWN) as u64))?;
        names.take(MOST - SHOWN).try_for_each(|name| item(f, name))?;
        f.write_str("</ul>")?;
        if count > MOST {
            write!(f, "<p>{} others are in the run record.</p>", Count((count - MOST) as u64))?;
        }
        f.write_str("</details>")?;
    }
    Ok(())
}
