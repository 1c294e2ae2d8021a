//! A comparison of engines as a table for the terminal and as CSV.

use std::fmt;

use crate::comparison::{ComparedRun, ComparisonRecord};
use crate::quantities::{About, Bytes, Count, Seconds};
use crate::run_record::EngineRecord;

/// The columns of the table; the first one is left-aligned, all others right-aligned.
const HEADINGS: [&str; 10] = [
    "engine",
    "states",
    "explored",
    "peak",
    "RSS",
    "I/Os per state",
    "time",
    "time ratio",
    "peak ratio",
    "RSS ratio",
];

/// The columns of the CSV.
const CSV_HEADINGS: [&str; 20] = [
    "model",
    "engine",
    "searched_by",
    "exit_code",
    "complete",
    "stopped",
    "distinct",
    "distinct_estimate",
    "explored",
    "peak_stored",
    "transitions",
    "deadlocks",
    "states_written",
    "states_read",
    "ios_per_state",
    "wall_seconds",
    "peak_rss_bytes",
    "time_ratio",
    "peak_stored_ratio",
    "peak_rss_ratio",
];

/// Text for an unknown figure.
const UNKNOWN: &str = "-";

/// The table for the terminal, with a block for each model.
#[derive(Clone, Copy, Debug)]
pub struct ComparisonTable<'a> {
    /// The comparison.
    pub record: &'a ComparisonRecord,
}

/// A line of the table.
enum Line {
    /// A complete run.
    Figures([String; HEADINGS.len()]),
    /// An incomplete run: the engine and the reason.
    Stopped(String, String),
}

impl fmt::Display for ComparisonTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let blocks = self.record.runs.chunk_by(|one, next| one.model == next.model);
        for (number, runs) in blocks.enumerate() {
            if number > 0 {
                writeln!(f)?;
            }
            block(runs, f)?;
        }
        if !self.record.disagreements.is_empty() {
            writeln!(f, "\nTHE ENGINES DISAGREE. At least one of them is wrong:")?;
        }
        for disagreement in &self.record.disagreements {
            writeln!(f, "    {}", disagreement.sentence())?;
        }
        Ok(())
    }
}

/// Writes the runs of one model.
fn block(runs: &[ComparedRun], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "{}", runs.first().map_or("", |run| &run.model))?;
    let mut lines = vec![Line::Figures(HEADINGS.map(String::from))];
    lines.extend(runs.iter().map(line));
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| match line {
            Line::Figures(cells) => Some(&cells[column]),
            Line::Stopped(engine, _) => (column == 0).then_some(engine),
        });
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: [usize; HEADINGS.len()] = std::array::from_fn(width);
    for line in &lines {
        match line {
            Line::Figures([engine, figures @ ..]) => {
                write!(f, "{engine:<0$}", widths[0])?;
                for (figure, width) in figures.iter().zip(&widths[1..]) {
                    write!(f, "  {figure:>width$}")?;
                }
                writeln!(f)?;
            }
            Line::Stopped(engine, why) => writeln!(f, "{engine:<0$}  {why}", widths[0])?,
        }
    }
    Ok(())
}

fn line(run: &ComparedRun) -> Line {
    let engine = match &run.searched_by {
        Some(search) if search.name() != run.engine => format!("{} ({})", run.engine, search.name()),
        _ => run.engine.clone(),
    };
    let ComparedRun { states, resources, ratios, .. } = run;
    if !run.complete {
        return Line::Stopped(engine, stopped(run));
    }
    let distinct = states.distinct.map(|states| Count(states).to_string());
    let estimated = || states.distinct_estimate.map(|states| About(states).to_string());
    Line::Figures([
        engine,
        known(distinct.or_else(estimated)),
        known(states.explored.map(Count)),
        known(states.peak_stored.map(Count)),
        known(resources.peak_rss_bytes.map(Bytes)),
        known(run.ios_per_state.map(|ios| format!("{ios:.2}"))),
        known(resources.wall_seconds.map(Seconds)),
        known(ratios.time.map(Ratio)),
        known(ratios.peak_stored.map(Ratio)),
        known(ratios.peak_rss.map(Ratio)),
    ])
}

fn known(figure: Option<impl fmt::Display>) -> String {
    figure.map_or(UNKNOWN.into(), |figure| figure.to_string())
}

/// Why a run is incomplete, and how far it got.
fn stopped(run: &ComparedRun) -> String {
    let why = run.stopped.as_deref().unwrap_or("unknown reason");
    let reached = [
        run.states.explored.map(|explored| format!("{} explored", Count(explored))),
        run.resources.wall_seconds.filter(|_| run.states.explored.is_some()).map(|s| Seconds(s).to_string()),
    ];
    let reached: Vec<String> = reached.into_iter().flatten().collect();
    match reached.is_empty() {
        true => format!("incomplete: {why}"),
        false => format!("incomplete: {why} ({})", reached.join(", ")),
    }
}

/// A ratio with two significant digits.
struct Ratio(f64);

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ratio = self.0;
        let mut places = 2;
        while places < 6 && ratio < 10_f64.powi(1 - places) {
            places += 1;
        }
        write!(f, "{ratio:.0$}", usize::try_from(places).unwrap_or(2))
    }
}

impl ComparisonRecord {
    /// The runs as CSV (RFC 4180, with LF line ends): a line of headings, then a line for each run.
    /// An unknown figure is empty.
    pub fn csv(&self) -> String {
        let headings = CSV_HEADINGS.map(String::from);
        let lines = std::iter::once(headings).chain(self.runs.iter().map(csv_cells));
        lines.map(|cells| cells.map(|cell| quoted(&cell)).join(",") + "\n").collect()
    }
}

fn csv_cells(run: &ComparedRun) -> [String; CSV_HEADINGS.len()] {
    fn cell(value: Option<impl ToString>) -> String {
        value.map_or(String::new(), |value| value.to_string())
    }
    [
        run.model.clone(),
        run.engine.clone(),
        cell(run.searched_by.map(EngineRecord::name)),
        cell(run.exit_code),
        run.complete.to_string(),
        cell(run.stopped.as_ref()),
        cell(run.states.distinct),
        cell(run.states.distinct_estimate),
        cell(run.states.explored),
        cell(run.states.peak_stored),
        cell(run.transitions.total),
        cell(run.deadlocks),
        cell(run.io.states_written),
        cell(run.io.states_read),
        cell(run.ios_per_state),
        cell(run.resources.wall_seconds),
        cell(run.resources.peak_rss_bytes),
        cell(run.ratios.time),
        cell(run.ratios.peak_stored),
        cell(run.ratios.peak_rss),
    ]
}

/// The cell, in quotes if necessary.
fn quoted(cell: &str) -> String {
    match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_have_two_significant_digits() {
        let shown: Vec<String> =
            [0.0, 0.00061, 0.0123, 0.5, 1.0, 12.345].map(|ratio| Ratio(ratio).to_string()).into();
        assert_eq!(shown, ["0.000000", "0.00061", "0.012", "0.50", "1.00", "12.35"]);
    }

    #[test]
    fn cells_are_quoted_if_necessary() {
        assert_eq!(quoted("plain"), "plain");
        assert_eq!(quoted("a, \"b\""), "\"a, \"\"b\"\"\"");
        assert_eq!(quoted("two\nlines"), "\"two\nlines\"");
    }

    #[test]
    fn an_incomplete_run_has_a_reason_and_no_figures() {
        let mut record = ComparisonRecord::default();
        record.add(ComparedRun::without_record("m, n.dve", "sweep-disk", None, "killed"));
        let text = ComparisonTable { record: &record }.to_string();
        assert!(text.ends_with("\nsweep-disk  incomplete: killed\n"), "{text}");
        let csv = record.csv();
        assert_eq!(csv.lines().nth(1), Some("\"m, n.dve\",sweep-disk,,,false,killed,,,,,,,,,,,,,,"));
        assert!(csv.starts_with("model,engine,searched_by,"));
    }
}
