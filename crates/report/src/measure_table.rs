//! The measures of a model on the terminal: a table, the reason for the choice, proofs and doubts.

use std::fmt;

use crate::measure_search::EffortRecord;
use crate::measures_record::{CandidateOrigin, CandidateRecord, MeasuresRecord, PlaceRecord};
use crate::quantities::{Count, Percent, Seconds};
use crate::terminal::Detail;

/// The text for the terminal.
#[derive(Clone, Copy, Debug)]
pub struct MeasureTable<'a> {
    /// What is shown.
    pub record: &'a MeasuresRecord,
    /// How much of it: quiet is the best measure alone, verbose has measures in full.
    pub detail: Detail,
}

/// Of the measures that were found, this many are shown.
const SHOWN: usize = 5;

/// The columns, all but the last one flush right.
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
                "A measure that never falls holds at least {share}: the largest strongly connected component has {component} states."
            )?;
        }
        for candidate in self.shown().filter(|candidate| self.is_explained(candidate)) {
            write!(f, "{}", proof_text(candidate))?;
        }
        let effort = match record.effort {
            EffortRecord::Quick => "quick",
            EffortRecord::Thorough => "thorough",
            EffortRecord::Exact => "exact",
        };
        let seconds = Seconds(record.seconds.unwrap_or_default());
        writeln!(f, "\nLooked for {seconds} ({effort}, seed {}).", record.seed)
    }
}

impl MeasureTable<'_> {
    fn table(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = vec![HEADINGS.map(String::from)];
        lines.extend(self.shown().map(|candidate| self.line(candidate)));
        lines.push(
            ["-", "full", "0 %", "1", "100 %", "1.00", "1.00", "none: all states are kept"].map(String::from),
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
            more => writeln!(f, "({more} more of those that were found; -v shows them)"),
        }
    }

    /// The candidates that are shown: they are often much alike.
    fn shown(&self) -> impl Iterator<Item = &CandidateRecord> {
        let all = self.detail == Detail::Verbose;
        let is_shown =
            move |one: &&CandidateRecord| all || one.number <= SHOWN || one.origin != CandidateOrigin::Found;
        self.record.candidates.iter().filter(is_shown)
    }

    /// Whether a proof is worth its lines: the best measure's, and those of measures that somebody wrote.
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
        // What was given up costs more than it had cost by then.
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

/// What the model's text says about a measure, if somebody asked.
fn proof_text(candidate: &CandidateRecord) -> String {
    let number = candidate.number;
    if candidate.proved == Some(true) {
        let raised = candidate.raised.iter().map(|one| match one.places.is_empty() {
            true => format!("    {} never changes where the ones before it stay\n", one.component),
            false => format!("    {} is raised in {}\n", one.component, lines_text(&one.places)),
        });
        return format!("Measure {number} is proved never to fall:\n{}", raised.collect::<String>());
    }
    match &candidate.doubt {
        // Of a measure that was found, everybody sees that it falls; of one's own, one wants to know where.
        Some(doubt) if candidate.origin != CandidateOrigin::Found => format!(
            "Measure {number} is not proved: `{}`, in {}, may lower {}.\n",
            doubt.action,
            lines_text(&doubt.places),
            doubt.component,
        ),
        _ => String::new(),
    }
}

/// Each line once.
fn lines_text(places: &[PlaceRecord]) -> String {
    let mut lines: Vec<usize> = places.iter().map(|place| place.line).collect();
    lines.dedup();
    let list: Vec<String> = lines.iter().map(usize::to_string).collect();
    format!("{} {}", if list.len() == 1 { "line" } else { "lines" }, list.join(", "))
}
