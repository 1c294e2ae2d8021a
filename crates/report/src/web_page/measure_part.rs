//! The progress measure: what it is, who proposed it, what it promised and what it did.

use std::fmt;

use crate::markup::Escaped;
use crate::measure_search::{ExpectedRecord, FinderRecord, MeasureSearchRecord};
use crate::measure_story;
use crate::quantities::{Count, Percent, Seconds};
use crate::run_record::{MeasureOrigin, RunRecord};
use crate::terminal::Detail;

/// The measure of a run, and how good it was.
pub struct MeasurePart<'a>(pub &'a RunRecord);

impl fmt::Display for MeasurePart<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let measure = &self.0.plan.measure;
        match &measure.expression {
            Some(expression) => write!(f, "<pre class=\"expression\">{}</pre>", Escaped(expression))?,
            None => f.write_str("<p>None: all states are one layer, and nothing is forgotten.</p>")?,
        }
        f.write_str("<dl class=\"facts\">")?;
        let origin = match measure.origin {
            MeasureOrigin::User => "the user, on the command line or in the model",
            MeasureOrigin::Derived => "an analysis of the model",
            MeasureOrigin::None => "nobody",
        };
        let is_there = measure.expression.is_some();
        if is_there {
            fact(f, "Proposed by", origin)?;
        }
        let falls = match (measure.monotone, measure.proved) {
            (_, Some(true)) => "never: the model's text proves it",
            (Some(true), _) => "never: no step that was met goes back",
            (Some(false), _) => "yes: some steps go back",
            (None, _) => "not known",
        };
        if is_there {
            fact(f, "Does it fall?", falls)?;
        }
        // The summary repeats the expression, which stands above.
        let story =
            measure_story::rows(self.0, Detail::Verbose).into_iter().filter(|(name, _)| *name != "expected");
        for (name, value) in story.filter_map(|(name, value)| Some((name, value?))) {
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
    /// What the estimate said beside what happened.
    fn comparison(&self, f: &mut fmt::Formatter<'_>, expected: &ExpectedRecord) -> fmt::Result {
        let search = &self.0.search;
        let distinct = search.states.distinct.or(search.states.distinct_estimate).filter(|&all| all > 0);
        let share =
            |part: Option<u64>, all: Option<u64>| Some(part? as f64 / all.filter(|&all| all > 0)? as f64);
        let percent =
            |share: Option<f64>| share.map_or("not known".into(), |share| Percent(share).to_string());
        let revisits = share(search.states.explored, distinct);
        let revisits = revisits.map_or("not known".into(), |revisits| format!("{revisits:.2}"));
        let back = share(search.transitions.regress, search.transitions.total);
        let rows = [
            (
                "Most held, of all states",
                Percent(expected.peak_share).to_string(),
                percent(share(search.states.peak_stored, distinct)),
            ),
            ("Expansions a state", format!("{:.2}", expected.revisits), revisits),
            ("Steps that go back", Percent(expected.regress_share).to_string(), percent(back)),
        ];
        f.write_str(
            "<div class=\"scroll\"><table class=\"plain\"><caption>What was expected, and what happened</caption><thead><tr>\
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

/// The measures that were considered, search by search.
fn proposals(f: &mut fmt::Formatter<'_>, search: &MeasureSearchRecord) -> fmt::Result {
    for (number, FinderRecord { seconds, proposals, sample, .. }) in search.searches.iter().enumerate() {
        if proposals.is_empty() {
            continue;
        }
        write!(
            f,
            "<details><summary>Search {} for measures: {} proposals in {}, judged on {} states</summary>\
             <div class=\"scroll\"><table class=\"plain\"><thead><tr><th scope=\"col\">measure</th><th scope=\"col\">held</th>\
             <th scope=\"col\">expansions</th><th scope=\"col\">steps back</th><th scope=\"col\">layers</th></tr></thead><tbody>",
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
