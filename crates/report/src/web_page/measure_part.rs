//! The progress measure: its origin, its estimated cost and its actual cost.

use std::fmt;

use crate::markup::Escaped;
use crate::measure_rows;
use crate::measure_search::{ExpectedRecord, FinderRecord, MeasureSearchRecord};
use crate::quantities::{Count, Percent, Seconds};
use crate::run_record::{MeasureOrigin, RunRecord};
use crate::terminal::Detail;

/// The measure of a run.
pub struct MeasurePart<'a>(pub &'a RunRecord);

impl fmt::Display for MeasurePart<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let measure = &self.0.plan.measure;
        match &measure.expression {
            Some(expression) => write!(f, "<pre class=\"expression\">{}</pre>", Escaped(expression))?,
            None => f.write_str("<p>None: all states are one layer, and all are stored.</p>")?,
        }
        f.write_str("<dl class=\"facts\">")?;
        let origin = match measure.origin {
            MeasureOrigin::User => "the user, on the command line or in the model",
            MeasureOrigin::Derived => "the automatic measure search",
            MeasureOrigin::None => "none",
        };
        let is_there = measure.expression.is_some();
        if is_there {
            fact(f, "Origin", origin)?;
        }
        let monotone = match (measure.monotone, measure.proved) {
            (_, Some(true)) => "yes, proved from the text of the model",
            (Some(true), _) => "yes, the search found no regress edge",
            (Some(false), _) => "no, there are regress edges",
            (None, _) => "unknown",
        };
        if is_there {
            fact(f, "Monotone", monotone)?;
        }
        // The table below has the expected cost.
        let rows =
            measure_rows::rows(self.0, Detail::Verbose).into_iter().filter(|(name, _)| *name != "expected");
        for (name, value) in rows.filter_map(|(name, value)| Some((name, value?))) {
            fact(f, &capital(name), &value)?;
        }
        f.write_str("</dl>")?;
        if let Some(expected) = &measure.expected {
            self.comparison(f, expected)?;
        }
        self.0.measure_search.as_ref().map_or(Ok(()), |search| proposals(f, search))
    }
}

impl MeasurePart<'_> {
    /// Writes the estimated next to the actual cost.
    fn comparison(&self, f: &mut fmt::Formatter<'_>, expected: &ExpectedRecord) -> fmt::Result {
        let search = &self.0.search;
        let distinct = search.states.distinct.or(search.states.distinct_estimate).filter(|&all| all > 0);
        let share =
            |part: Option<u64>, all: Option<u64>| Some(part? as f64 / all.filter(|&all| all > 0)? as f64);
        let percent = |share: Option<f64>| share.map_or("unknown".into(), |share| Percent(share).to_string());
        let revisits = share(search.states.explored, distinct);
        let revisits = revisits.map_or("unknown".into(), |revisits| format!("{revisits:.2}"));
        let back = share(search.transitions.regress, search.transitions.total);
        let rows = [
            (
                "Peak share of states in memory",
                Percent(expected.peak_share).to_string(),
                percent(share(search.states.peak_stored, distinct)),
            ),
            ("Expansions per state", format!("{:.2}", expected.revisits), revisits),
            ("Regress edges", Percent(expected.regress_share).to_string(), percent(back)),
        ];
        f.write_str(
            "<div class=\"scroll\"><table class=\"plain\"><caption>Estimated and actual cost</caption><thead><tr>\
             <th scope=\"col\"></th><th scope=\"col\">expected</th><th scope=\"col\">actual</th></tr></thead><tbody>",
        )?;
        for (name, expected, actual) in rows {
            let (expected, actual) = (Escaped(&expected), Escaped(&actual));
            write!(f, "<tr><th scope=\"row\">{name}</th><td>{expected}</td><td>{actual}</td></tr>")?;
        }
        f.write_str("</tbody></table></div>")
    }
}

fn fact(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    write!(f, "<div><dt>{}</dt><dd>{}</dd></div>", Escaped(name), Escaped(value))
}

fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// Writes the candidates, search by search.
fn proposals(f: &mut fmt::Formatter<'_>, search: &MeasureSearchRecord) -> fmt::Result {
    for (number, FinderRecord { seconds, proposals, sample, .. }) in search.searches.iter().enumerate() {
        if proposals.is_empty() {
            continue;
        }
        write!(
            f,
            "<details><summary>Search {} for measures: {} proposals in {}, judged on {} states</summary>\
             <div class=\"scroll\"><table class=\"plain\"><thead><tr><th scope=\"col\">measure</th><th scope=\"col\">in memory</th>\
             <th scope=\"col\">expansions</th><th scope=\"col\">regress edges</th><th scope=\"col\">layers</th></tr></thead><tbody>",
            number + 1,
            Count(proposals.len() as u64),
            Seconds(*seconds),
            Count(sample.states)
        )?;
        for proposal in proposals {
            let ExpectedRecord { peak_share, revisits, regress_share, layers } = proposal.expected;
            write!(
                f,
                "<tr><th scope=\"row\"><code class=\"name\">{}</code></th><td>{}</td><td>{revisits:.2}</td><td>{}</td><td>{}</td></tr>",
                Escaped(&proposal.summary),
                Escaped(&Percent(peak_share).to_string()),
                Escaped(&Percent(regress_share).to_string()),
                Count(layers)
            )?;
        }
        f.write_str("</tbody></table></div></details>")?;
    }
    Ok(())
}
