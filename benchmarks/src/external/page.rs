//! The page: what was measured and how, the averages beside the paper's, the tables of all instances, and what they do not show.

use std::fmt::Write;

use super::row::{self, Quantity, Ratio, Row, Run, States};
use super::{LeftOut, Options, PAPER, Search};
use crate::table::{self, Align, Table};

/// Characters of a measure that are shown.
const MEASURE_WIDTH: usize = 80;

/// The averages, in the order of the paper's table 4.
const SUMMARY: [&Ratio; 8] = [
    &row::PEAK,
    &row::TIME,
    &row::PARTITION_IO,
    &row::BREADTH_IO,
    &row::PARTITION_TIME,
    &row::BREADTH_TIME,
    &row::ARRAY_TIME,
    &row::ARRAY_IO,
];

/// Everything the page tells.
pub struct Page<'a> {
    pub rows: &'a [Row],
    pub left_out: &'a [LeftOut],
    pub options: &'a Options,
}

impl Page<'_> {
    pub fn text(&self) -> String {
        let parts =
            [self.head(), self.trouble(), self.summary(), self.sweeps(), self.others(), self.measures()];
        parts.concat() + LIMITS
    }

    fn head(&self) -> String {
        let (words, limit) = (self.options.words(), self.options.selection.time_limit);
        let mut text = format!(
            "# The queue on disk, as in the SPIN 2012 paper\n\n\
             Written by `cargo run --release -p benchmarks -- external{words} --write`. {}.\n\n\
             The experiment of Evangelista and Kristensen, *Combining the Sweep-Line Method with the Use of an External-Memory Priority \
             Queue* (SPIN 2012, section 4), on {} of the {} instances of its table 3. For each instance, \
             Sweepline finds one measure (`progress MODEL --save FILE`), which all sweeps use (`explore \
             --measure @FILE`). Then the engines explore the model one \
             after the other, once each: `sweep`, `sweep-disk`, then `partition` and `breadth-disk` with as much memory for \
             states as `sweep-disk` took, but at least 4 MiB, and `sweep-disk` again with the paper's queue (`--queue array`) in place of the radix heap.\n\n\
             *Peak* is the peak number of states in memory. *I/Os* are states written and read per state \
             of the model. *Time* is the wall time of the whole run, without the measure search. A run \
             that took more than {limit} s was stopped: \
             its figures are lower bounds (`>`, or `<` where others are compared with it) and are in no \
             average. A run that ran out of memory has no figures and is in no average, either.\n",
            table::machine(),
            self.rows.len(),
            PAPER.len(),
        );
        if !self.left_out.is_empty() {
            let names: Vec<String> =
                self.left_out.iter().map(|one| format!("{} ({})", one.name, one.why)).collect();
            let _ = writeln!(text, "\nLeft out: {}.", names.join("; "));
        }
        text
    }

    /// Runs without figures, and engines that disagree. What is wrong is in no average.
    fn trouble(&self) -> String {
        let mut lines = String::new();
        for row in self.rows {
            if let Some(wrong) = &row.wrong {
                let _ = writeln!(lines, "- **WRONG** {}: {wrong}", row.name);
            }
            for (search, run) in Search::ALL.iter().zip(&row.runs) {
                if !matches!(run, Run::Finished(_)) {
                    let _ = writeln!(lines, "- {}, {}: {}", row.name, search.name(), run.brief());
                }
            }
            let (ours, theirs) = (row.states.number(), row.published);
            if ours != theirs {
                let (ours, theirs) = (table::grouped(ours), table::grouped(theirs));
                let _ = writeln!(lines, "- {}: {ours} states here, {theirs} in the paper", row.name);
            }
        }
        let agreement = if self.rows.iter().any(|row| row.wrong.is_some()) {
            ""
        } else {
            "\nAll complete runs agree on the number of deadlocks and, if they know it, of states.\n"
        };
        if lines.is_empty() { agreement.into() } else { format!("{agreement}\n{lines}") }
    }

    fn summary(&self) -> String {
        let mut table = Table::new(&[
            ("ratio", Align::Left),
            ("instances", Align::Right),
            ("mean", Align::Right),
            ("median", Align::Right),
            ("geometric mean", Align::Right),
            ("least", Align::Right),
            ("greatest", Align::Right),
            ("paper, mean", Align::Right),
        ]);
        for ratio in SUMMARY {
            let sound = self.rows.iter().filter(|row| row.wrong.is_none());
            let values: Vec<f64> = sound.filter_map(|row| row.ratio(ratio).exact()).collect();
            let show = |value: Option<f64>| value.map_or("–".into(), table::short);
            table.row(vec![
                ratio.title.into(),
                values.len().to_string(),
                show(table::mean(&values)),
                show(table::median(&values)),
                show(table::geometric_mean(&values)),
                show(table::least(&values)),
                show(values.iter().copied().reduce(f64::max)),
                ratio.paper.map_or("–".into(), |paper| format!("{paper:.2}")),
            ]);
        }
        format!(
            "\n## Summary\n\n{}\nThe paper's figures (its table 4) are arithmetic means over 60 pairs of an instance and a measure; its 2.50 is the \
             inverse of a mean, 0.40. A geometric mean is 0 if an engine wrote nothing on some instance.\n",
            table.markdown()
        )
    }

    fn sweeps(&self) -> String {
        let mut table = Table::new(&[
            ("instance", Align::Left),
            ("states", Align::Right),
            ("peak, sweep", Align::Right),
            ("peak, sweep-disk", Align::Right),
            (row::PEAK.title, Align::Right),
            ("sweep s", Align::Right),
            ("sweep-disk s", Align::Right),
            (row::TIME.title, Align::Right),
            (row::ARRAY_TIME.title, Align::Right),
            (row::ARRAY_IO.title, Align::Right),
        ]);
        let whole = |value: f64| table::grouped(value as u64);
        let seconds = |value: f64| format!("{value:.2}");
        for row in self.rows {
            table.row(vec![
                row.name.clone(),
                states(row.states),
                row.figure(Quantity::Peak, Search::Sweep).show(whole),
                row.figure(Quantity::Peak, Search::SweepDisk).show(whole),
                row.ratio(&row::PEAK).to_string(),
                row.figure(Quantity::Seconds, Search::Sweep).show(seconds),
                row.figure(Quantity::Seconds, Search::SweepDisk).show(seconds),
                row.ratio(&row::TIME).to_string(),
                row.ratio(&row::ARRAY_TIME).to_string(),
                row.ratio(&row::ARRAY_IO).to_string(),
            ]);
        }
        format!("\n## Sweeps, in memory and on disk\n\n{}", table.markdown())
    }

    fn others(&self) -> String {
        let mut table = Table::new(&[
            ("instance", Align::Left),
            ("I/Os, sweep-disk", Align::Right),
            ("I/Os, partition", Align::Right),
            ("I/Os, breadth-disk", Align::Right),
            (row::PARTITION_IO.title, Align::Right),
            (row::BREADTH_IO.title, Align::Right),
            (row::PARTITION_TIME.title, Align::Right),
            (row::BREADTH_TIME.title, Align::Right),
        ]);
        for row in self.rows {
            let io = |search| row.figure(Quantity::StateIo, search).to_string();
            table.row(vec![
                row.name.clone(),
                io(Search::SweepDisk),
                io(Search::Partition),
                io(Search::BreadthDisk),
                row.ratio(&row::PARTITION_IO).to_string(),
                row.ratio(&row::BREADTH_IO).to_string(),
                row.ratio(&row::PARTITION_TIME).to_string(),
                row.ratio(&row::BREADTH_TIME).to_string(),
            ]);
        }
        format!("\n## Against other searches on disk\n\n{}", table.markdown())
    }

    fn measures(&self) -> String {
        let mut table = Table::new(&[("instance", Align::Left), ("measure", Align::Left)]);
        for row in self.rows {
            let mut measure: String = row.measure.chars().take(MEASURE_WIDTH).collect();
            if measure.len() < row.measure.len() {
                measure.push('…');
            }
            table.row(vec![row.name.clone(), format!("`{}`", measure.replace('|', "\\|"))]);
        }
        format!("\n## Measures\n\n{}", table.markdown())
    }
}

fn states(states: States) -> String {
    match states {
        States::Counted(states) => table::grouped(states),
        States::Published(states) => format!("{} (paper)", table::grouped(states)),
    }
}

const LIMITS: &str = "\n## What this does not show\n\n\
- *The cost of a disk.* Files of this size mostly stay in the page cache. Times include compression, \
system calls and copies, but hardly any waiting for a device. With slower I/O, ratios of times approach \
ratios of I/Os.\n\
- *The paper's selection.* Its averages are over 60 pairs of an instance and a measure, selected because \
the sweep on disk needed at most a fifth of the memory of the sweep. This page has the available \
instances of its table 3, each with one measure, without selection. The paper derived its measures from \
the whole state space; ours are found on a sample.\n\
- *The same algorithms.* Only the ideas are the paper's. `partition` selects bits of the packed state \
instead of variables, `breadth-disk` uses delayed duplicate detection with sorted files, and all files \
are compressed, so bytes per state differ from the paper's.\n\
- *Noise.* Every search ran once, on a machine with other cores for the thread that writes files. States \
and I/Os are deterministic, times are not.\n";

#[cfg(test)]
mod tests {
    use super::super::row::Counts;
    use super::*;
    use crate::binary::Exploration;
    use clap::Parser;
    use std::time::Duration;

    #[derive(Parser)]
    struct CommandLine {
        #[command(flatten)]
        options: Options,
    }

    fn run(complete: bool, distinct: u64) -> Run {
        let record = format!(
            r#"{{"format": "sweepline-run/1", "search": {{"complete": {complete}, "deadlocks": 0,
                "states": {{"distinct": {distinct}, "peak_stored": 50}},
                "io": {{"states_written": 10, "states_read": 20}}}}, "resources": {{"wall_seconds": 2.0}}}}"#
        );
        Run::new(Exploration::from_record(&record).unwrap(), Duration::from_secs(2))
    }

    #[test]
    fn averages_leave_out_what_is_wrong_and_what_did_not_finish() {
        let counts = Counts { expected: Some(100), published: 100 };
        let row = |last: Run| {
            let runs = [run(true, 100), run(true, 100), run(true, 100), run(true, 100), last];
            Row::new("a.1", "x".into(), counts, runs)
        };
        let rows = [row(run(true, 100)), row(run(true, 99)), row(run(false, 5))];
        let options = CommandLine::parse_from(["external"]).options;
        let left_out = [LeftOut { name: "plc.4", why: "its model is not here".into() }];
        let text = Page { rows: &rows, left_out: &left_out, options: &options }.text();
        let line = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap().to_owned();
        assert!(line("| peak, sweep / sweep-disk").contains("|         2 | 1.00 |"), "{text}");
        assert!(line("| time, array heap").contains("|         1 | 1.00 |"), "{text}");
        assert!(text.contains("**WRONG** a.1: states: sweep 100"), "{text}");
        assert!(text.contains("a.1, sweep-disk, array heap: not finished after 2 s"), "{text}");
        assert!(text.contains("Left out: plc.4 (its model is not here)."), "{text}");
    }
}
