//! The output of `sweepline progress`: a table of measures, the reason for the choice, and proofs
//! of monotonicity.

use std::fmt;

use crate::measure_search::EffortRecord;
use crate::measures_record::{CandidateOrigin, CandidateRecord, MeasuresRecord, PlaceRecord};
use crate::quantities::{Count, Percent, Seconds};
use crate::terminal::Detail;

/// The table of measures for the terminal.
#[derive(Clone, Copy, Debug)]
pub struct MeasureTable<'a> {
    /// The measures.
    pub record: &'a MeasuresRecord,
    /// The level of detail: quiet shows only the best measure, verbose shows all measures in full.
    pub detail: Detail,
}

/// Number of found measures that are shown.
const SHOWN: usize = 5;

/// The columns; all but the last one are right-aligned.
const HEADINGS: [&str; 8] = ["no.", "basis", "regress", "layers", "peak", "expanded", "time", "measure"];

impl fmt::Display for MeasureTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let record = self.record;
        let (Some(sample), Some(reason)) = (&record.sample, &record.reason) else { return Ok(()) };
        if self.detail == Detail::Quiet {
            let chosen = record.candidates.iter().find(|one| Some(one.number) == record.chosen);
            return writeln!(f, "{}", chosen.map_or("none", |one| &one.proposal.expression));
        }
        self.table(f)?;
        writeln!(f, "\n{reason}")?;
        if let Some(component) = sample.largest_component {
            let share = Percent(component as f64 / sample.expanded.max(1) as f64);
            let component = Count(component);
            writeln!(
                f,
                "A monotone measure stores at least {share}: the largest strongly connected component has {component} states."
            )?;
        }
        for candidate in self.shown().filter(|candidate| self.is_explained(candidate)) {
            write!(f, "{}", proof_text(candidate))?;
        }
        let effort = match record.effort {
            EffortRecord::Beside => "beside the search",
            EffortRecord::Quick => "quick",
            EffortRecord::Thorough => "thorough",
            EffortRecord::Exact => "exact",
        };
        let seconds = Seconds(record.seconds.unwrap_or_default());
        writeln!(f, "\nSearch time {seconds} ({effort}, seed {}).", record.seed)
    }
}

impl MeasureTable<'_> {
    fn table(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = vec![HEADINGS.map(String::from)];
        lines.extend(self.shown().map(|candidate| self.line(candidate)));
        lines.push(
            ["-", "full", "0 %", "1", "100 %", "1.00", "1.00", "none: all states are stored"]
                .map(String::from),
        );
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..HEADINGS.len() - 1).map(width).collect();
        for line in &lines {
            for (column, width) in widths.iter().enumerate() {
                write!(f, "{:>width$}  ", line[column])?;
            }
            writeln!(f, "{}", line[HEADINGS.len() - 1])?;
        }
        match self.record.candidates.len() - self.shown().count() {
            0 => Ok(()),
            more => writeln!(f, "({more} more found; -v lists them)"),
        }
    }

    /// The candidates that are shown. Many are similar, so without `-v` only some are.
    fn shown(&self) -> impl Iterator<Item = &CandidateRecord> {
        let all = self.detail == Detail::Verbose;
        let is_shown =
            move |one: &&CandidateRecord| all || one.number <= SHOWN || one.origin != CandidateOrigin::Found;
        self.record.candidates.iter().filter(is_shown)
    }

    /// Whether the proof of a candidate is shown: for the best one, and for those of the user.
    fn is_explained(&self, candidate: &CandidateRecord) -> bool {
        self.detail == Detail::Verbose
            || candidate.origin != CandidateOrigin::Found
            || Some(candidate.number) == self.record.chosen
    }

    fn line(&self, candidate: &CandidateRecord) -> [String; 8] {
        let proposal = &candidate.proposal;
        let expected = &proposal.expected;
        let measure = if self.detail == Detail::Verbose { &proposal.expression } else { &proposal.summary };
        let origin = match candidate.origin {
            CandidateOrigin::Found => "",
            CandidateOrigin::Judged => " (yours)",
            CandidateOrigin::Declared => " (declared)",
        };
        let nested = if proposal.nested.is_some() { " (nested)" } else { "" };
        let window = proposal.window.map_or(String::new(), |window| format!(" (window {window})"));
        // The simulation of an abandoned candidate gives lower bounds.
        let more = if proposal.given_up { ">" } else { "" };
        [
            candidate.number.to_string(),
            if candidate.proved == Some(true) { "proved".into() } else { "estimated".into() },
            Percent(expected.regress_share).to_string(),
            Count(expected.layers).to_string(),
            format!("{more}{}", Percent(expected.peak_share)),
            format!("{more}{:.2}", expected.revisits),
            format!("{more}{:.2}", candidate.relative_time),
            format!("{measure}{nested}{window}{origin}"),
        ]
    }
}

/// The proof that a measure is monotone, or an action that may decrease it.
fn proof_text(candidate: &CandidateRecord) -> String {
    let number = candidate.number;
    if candidate.proved == Some(true) {
        let raised = candidate.raised.iter().map(|one| match one.places.is_empty() {
            true => {
                format!("    {} never changes while the components before it stay equal\n", one.component)
            }
            false => format!("    {} is increased in {}\n", one.component, lines_text(&one.places)),
        });
        return format!("Measure {number} is proved monotone:\n{}", raised.collect::<String>());
    }
    match &candidate.doubt {
        // The table shows the regress edges of a found measure; for the user's own, the place
        // helps.
        Some(doubt) if candidate.origin != CandidateOrigin::Found => format!(
            "Measure {number} is not proved monotone: `{}`, in {}, may decrease {}.\n",
            doubt.action,
            lines_text(&doubt.places),
            doubt.component,
        ),
        _ => String::new(),
    }
}

/// The lines of the places, each one once.
fn lines_text(places: &[PlaceRecord]) -> String {
    let mut lines: Vec<usize> = places.iter().map(|place| place.line).collect();
    lines.dedup();
    let list: Vec<String> = lines.iter().map(usize::to_string).collect();
    format!("{} {}", if list.len() == 1 { "line" } else { "lines" }, list.join(", "))
}
