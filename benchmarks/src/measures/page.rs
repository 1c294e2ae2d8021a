//! The page: the goals, the paper's instances, what was missed and why, and the table of all instances.

use std::fmt::Write;

use anyhow::Result;
use oracles::Instance;
use serde_json::Value;

use super::bound::Bounds;
use super::row::{Measure, Row};
use super::summary::{self, Goal, Reached};
use super::{Failed, LARGE, LEAST_STATES, Options, PAPER};
use crate::table::{self, Align, Table};

/// Characters of a measure that are shown.
const MEASURE_WIDTH: usize = 60;

/// An estimate that was exceeded by this factor did not hold.
const EXCEEDED: f64 = 1.5;

/// Everything the page tells.
pub struct Page<'a> {
    pub rows: &'a [Row],
    pub failed: &'a [Failed],
    pub left_out: &'a [Instance],
    pub goals: &'a [Goal],
    /// Instances whose runs were read from kept records.
    pub earlier: usize,
    pub options: &'a Options,
}

impl Page<'_> {
    pub fn text<A: FnMut(&str) -> Result<Value>>(&self, bounds: &mut Bounds<A>) -> String {
        let parts = [
            self.head(),
            self.trouble(),
            self.summary(),
            self.paper(),
            self.missed(),
            self.costly(bounds),
            self.instances(),
        ];
        parts.concat()
    }

    fn head(&self) -> String {
        let words = self.options.words();
        let mut text = format!(
            "# The automatic measure search\n\n\
             Written by `cargo run --release -p benchmarks -- measures{words} --write`. {}; two threads \
             search for measures, everything else uses one.\n\
             {} instances of BEEM above {} states, each explored in full (`explore --engine breadth`) and \
             by a sweep with an automatic measure \
             (`explore --engine sweep --measure auto`), in turn; above a million states the best of {} \
             runs of each.\n",
            table::machine(),
            self.rows.len() + self.failed.len(),
            table::grouped(LEAST_STATES),
            self.options.repetitions,
        );
        if !self.left_out.is_empty() {
            let names: Vec<&str> = self.left_out.iter().map(|instance| instance.name.as_str()).collect();
            let _ = writeln!(
                text,
                "Left out because they have more than {} states (`--all` includes them): {}.",
                table::grouped(self.options.most_states),
                names.join(", "),
            );
        }
        if self.earlier > 0 {
            let _ = writeln!(
                text,
                "{} of them were measured by earlier, stopped runs of the same program.",
                self.earlier
            );
        }
        text + "\n*Explored* and *peak* (the peak number of states in memory) are relative to the number \
        of states and include abandoned measures; *time* is the time of the whole run, including the \
        measure search, relative to that of `breadth`.\n"
    }

    /// Instances whose figures cannot be used. They are not in the summary.
    fn trouble(&self) -> String {
        let wrong = self.rows.iter().filter_map(|row| Some((&row.name, "WRONG", row.wrong.as_ref()?)));
        let failed = self.failed.iter().map(|failed| (&failed.name, "FAILED", &failed.why));
        let lines: String =
            wrong.chain(failed).map(|(name, what, why)| format!("- **{what}** {name}: {why}\n")).collect();
        if lines.is_empty() {
            let proved = self.rows.iter().filter(|row| matches!(row.measure, Measure::Proved(_))).count();
            format!(
                "Both engines agree on every instance: on the number of states (within 5 % if a sweep can \
                 only estimate it) and of deadlocks. {proved} measures were proved monotone; no regress \
                 edge contradicts a proof.\n"
            )
        } else {
            format!("\nNot in the summary:\n{lines}")
        }
    }

    fn summary(&self) -> String {
        let mut table = Table::new(&[
            ("over all these instances", Align::Left),
            ("must", Align::Right),
            ("aim", Align::Right),
            ("measured", Align::Left),
        ]);
        for goal in self.goals {
            table.row(vec![goal.title.into(), goal.must.clone(), goal.aim.clone(), goal.measured.clone()]);
        }
        let sound: Vec<&Row> = self.rows.iter().filter(|row| row.wrong.is_none()).collect();
        format!("\n## Summary\n\n{}{}", table.markdown(), against_predictions(&sound))
    }

    fn paper(&self) -> String {
        let mut table = Table::new(&[
            ("instance", Align::Left),
            ("states", Align::Right),
            ("revisits, paper", Align::Right),
            ("revisits, ours", Align::Right),
            ("peak, paper", Align::Right),
            ("peak, ours", Align::Right),
            ("peak / states, paper", Align::Right),
            ("peak / states, ours", Align::Right),
        ]);
        let published = PAPER.iter().filter(|published| self.options.selection.takes(published.name));
        if published.clone().next().is_none() {
            return String::new();
        }
        for published in published {
            let row = self.rows.iter().find(|row| row.name == published.name && row.wrong.is_none());
            let ours = |show: &dyn Fn(&Row) -> String| row.map_or_else(|| "-".into(), show);
            table.row(vec![
                published.name.into(),
                table::grouped(published.states),
                format!("{:.3}", published.revisits),
                ours(&|row| format!("{:.3}", row.explored())),
                table::grouped(published.peak),
                ours(&|row| table::grouped(row.work.peak)),
                format!("{:.4}", published.peak as f64 / published.states as f64),
                ours(&|row| format!("{:.4}", row.peak())),
            ]);
        }
        format!(
            "\n## Comparison with the paper\n\nEvangelista and Kristensen (SPIN 2012, table 3) derived \
             their measures from the full state space. Their peak \
             counts states in memory only: most of the queue of future layers and the persistent states are on disk. Ours counts them all.\n\n{}",
            table.markdown()
        )
    }

    /// A line for each aim that is missed.
    fn missed(&self) -> String {
        let mut text = String::from("\n## Missed goals\n\n");
        let missed = self.goals.iter().filter(|goal| goal.reached != Reached::Aim);
        for goal in missed {
            let must = match goal.reached {
                Reached::Open => {
                    let _ = writeln!(text, "- {}: no instance to judge by.", goal.title);
                    continue;
                }
                Reached::Neither => format!("the must of {} is **missed** as well", goal.must),
                Reached::Must | Reached::Aim => format!("the must of {} is met", goal.must),
            };
            let costly: Vec<String> =
                goal.costly.iter().map(|one| format!("{} ({})", one.name, one.figure)).collect();
            let _ = writeln!(
                text,
                "- {}: aim {}, measured {}; {must}. The costliest: {}.",
                goal.title,
                goal.aim,
                goal.measured,
                costly.join(", "),
            );
        }
        if self.goals.iter().all(|goal| goal.reached == Reached::Aim) {
            text.push_str("None.\n");
        }
        text + &self.pace()
    }

    /// What an expansion takes in a sweep and in full exploration, which is what times come down to.
    fn pace(&self) -> String {
        let swept =
            |row: &&Row| row.states > LARGE && row.wrong.is_none() && !matches!(row.measure, Measure::None);
        let mut paces: Vec<f64> = self.rows.iter().filter(swept).map(Row::pace).collect();
        if paces.is_empty() {
            return String::new();
        }
        paces.sort_by(f64::total_cmp);
        let at = |share: usize| paces[(paces.len() - 1) * share / 100];
        format!(
            "\nAbove a million states and without the measure search, an expansion of a sweep takes {:.2} \
             × the time of one of `breadth` in the median ({:.2} to \
             {:.2} between the first and the last decile). `breadth` prefetches its index, so a table \
             larger than the cache costs it little; a sweep evaluates the measure and writes each future \
             state twice. So a sweep is fast if it avoids re-expansions and finds its measure quickly.\n",
            at(50),
            at(10),
            at(90),
        )
    }

    /// The instances that were named as costly, with what is known about the reasons.
    fn costly<A: FnMut(&str) -> Result<Value>>(&self, bounds: &mut Bounds<A>) -> String {
        let missed =
            self.goals.iter().filter(|goal| matches!(goal.reached, Reached::Must | Reached::Neither));
        let named: Vec<&str> =
            missed.flat_map(|goal| &goal.costly).map(|costly| costly.name.as_str()).collect();
        let rows: Vec<&Row> = self.rows.iter().filter(|row| named.contains(&row.name.as_str())).collect();
        if rows.is_empty() {
            return String::new();
        }
        let mut table = Table::new(&[
            ("instance", Align::Left),
            ("states", Align::Right),
            ("peak", Align::Right),
            ("explored", Align::Right),
            ("time", Align::Right),
            ("lower bound", Align::Right),
            ("why", Align::Left),
        ]);
        for row in rows {
            let bound = bounds.of(row);
            table.row(vec![
                row.name.clone(),
                table::grouped(row.states),
                format!("{:.3}", row.peak()),
                format!("{:.2}", row.explored()),
                format!("{:.2}", row.time()),
                bound.map_or_else(String::new, |bound| format!("{bound:.3}")),
                reasons(row, bound).join("; "),
            ]);
        }
        format!(
            "\nThe instances named above. The *lower bound* is the least peak of a monotone measure: the \
             share of the largest strongly connected component. It is known up to {} states. \
             Measures with regress edges can go below it.\n\n{}",
            table::grouped(self.options.exact_states),
            table.markdown()
        )
    }

    fn instances(&self) -> String {
        let mut table = Table::new(&[
            ("instance", Align::Left),
            ("states", Align::Right),
            ("measure", Align::Left),
            ("basis", Align::Left),
            ("regress", Align::Right),
            ("sweeps", Align::Right),
            ("explored / states", Align::Right),
            ("peak / states", Align::Right),
            ("mean layer", Align::Right),
            ("peak, predicted → actual", Align::Right),
            ("explored, predicted → actual", Align::Right),
            ("time / breadth", Align::Right),
            ("breadth s", Align::Right),
            ("sweep s", Align::Right),
            ("finding s", Align::Right),
            ("attempts", Align::Right),
            ("outcome", Align::Left),
        ]);
        for row in self.rows {
            let (measure, basis) = match &row.measure {
                Measure::None => ("none", "-"),
                Measure::Proved(text) => (text.as_str(), "proved"),
                Measure::Estimated(text) => (text.as_str(), "estimated"),
            };
            let (peak, explored) = against_prediction(row);
            table.row(vec![
                row.name.clone(),
                table::grouped(row.states),
                cut(measure),
                basis.into(),
                format!("{:.2} %", row.regress_share * 100.0),
                table::grouped(row.sweeps),
                format!("{:.2}", row.explored()),
                format!("{:.3}", row.peak()),
                table::grouped(row.mean_layer().round() as u64),
                peak,
                explored,
                format!("{:.2}", row.time()),
                format!("{:.2}", row.seconds.breadth),
                format!("{:.2}", row.seconds.sweep),
                format!("{:.2}", row.seconds.finding),
                row.attempts.to_string(),
                if row.wrong.is_some() { "WRONG" } else { "agrees" }.into(),
            ]);
        }
        format!(
            "\n## All instances\n\n*Regress* is the share of regress edges, *mean layer* the mean number \
             of states in a layer. These, *sweeps* and the comparison with predictions refer to the run \
             that was kept, after the given number of *attempts*.\n\n{}",
            table.markdown()
        )
    }
}

/// How far the estimates of all measures can be trusted.
fn against_predictions(rows: &[&Row]) -> String {
    let show = |what, spread: summary::Spread| {
        format!("{what} {:.2} in the median, 90 % at most {:.2}", spread.median, spread.most)
    };
    let peak = summary::spread(rows, |row, expected| kept_shares(row).0 / expected.peak_share);
    let explored = summary::spread(rows, |row, expected| kept_shares(row).1 / expected.revisits);
    match (peak, explored) {
        (Some(peak), Some(explored)) => format!(
            "\nActual / predicted, for the instances with a measure: {}; {}.\n",
            show("peak", peak),
            show("explored", explored)
        ),
        _ => String::new(),
    }
}

/// What was promised for the peak and for expansions, and what came.
fn against_prediction(row: &Row) -> (String, String) {
    let (peak, explored) = kept_shares(row);
    match row.expected {
        None => ("-".into(), "-".into()),
        Some(expected) => (
            format!("{:.3} → {peak:.3}", expected.peak_share),
            format!("{:.2} → {explored:.2}", expected.revisits),
        ),
    }
}

fn kept_shares(row: &Row) -> (f64, f64) {
    let states = row.states as f64;
    (row.kept.peak as f64 / states, row.kept.explored as f64 / states)
}

/// What in the figures themselves explains that an instance is costly.
fn reasons(row: &Row, bound: Option<f64>) -> Vec<String> {
    let mut reasons = Vec::new();
    match (&row.measure, row.attempts - 1) {
        (Measure::None, 0) => reasons.push("no measure was worthwhile".into()),
        (Measure::None, abandoned) => {
            reasons.push(format!("explored in full after the sweep was abandoned ({abandoned} ×)"));
        }
        (_, 0) => {}
        (_, abandoned) => reasons.push(format!("another measure was tried before ({abandoned} ×)")),
    }
    if let Some(expected) = row.expected {
        let (peak, explored) = kept_shares(row);
        if peak > EXCEEDED * expected.peak_share {
            reasons.push(format!("the sample predicted a peak of {:.3}", expected.peak_share));
        } else if peak > 0.1 {
            reasons.push("the sample predicted this peak".into());
        }
        if explored > 1.0 + EXCEEDED * (expected.revisits - 1.0).max(0.05) {
            reasons.push(format!("the sample promised {:.2} expansions a state", expected.revisits));
        } else if explored >= EXCEEDED {
            reasons.push("the sample predicted as many expansions".into());
        }
    }
    if bound.is_some_and(|bound| bound > 0.5) {
        reasons.push("most states are in one component".into());
    }
    // Layers that are far from a cache's size cost time.
    if row.measure != Measure::None && !(100.0..100_000.0).contains(&row.mean_layer()) {
        reasons.push(format!("layers of {} states", table::grouped(row.mean_layer().round() as u64)));
    }
    let finding = row.seconds.finding / row.seconds.sweep;
    if finding > 0.2 {
        reasons.push(format!("finding takes {:.0} % of the run", finding * 100.0));
    }
    reasons
}

/// A measure for a cell.
fn cut(measure: &str) -> String {
    let mut text: String = measure.chars().take(MEASURE_WIDTH).collect();
    if text.len() < measure.len() {
        text.push('…');
    }
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::made_up;
    use super::super::summary;
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct CommandLine {
        #[command(flatten)]
        options: Options,
    }

    fn page(rows: &[Row], failed: &[Failed]) -> String {
        let options = CommandLine::parse_from(["measures"]).options;
        let sound: Vec<&Row> = rows.iter().filter(|row| row.wrong.is_none()).collect();
        let goals = summary::goals(&sound);
        let mut bounds = Bounds { exact_states: 300_000, ask: |_: &str| anyhow::bail!("not there") };
        Page { rows, failed, left_out: &[], goals: &goals, earlier: 0, options: &options }.text(&mut bounds)
    }

    fn line<'p>(page: &'p str, start: &str) -> &'p str {
        page.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("no {start} in {page}"))
    }

    #[test]
    fn our_figures_stand_beside_the_papers() {
        let page = page(&[made_up("peterson.4", 1_119_560, 0.25, 1.5, 0.7)], &[]);
        let paper = page.split("## Comparison with the paper").nth(1).unwrap();
        let cells: Vec<&str> = line(paper, "| peterson.4").split('|').map(str::trim).collect();
        assert_eq!(cells[3..5], ["5.286", "1.500"]);
        assert_eq!(cells[7..9], ["0.0342", "0.2500"]);
        assert!(line(paper, "| bakery.6").contains(" - "), "not measured");
    }

    #[test]
    fn a_missed_aim_names_its_instances_with_their_bounds() {
        let mut costly = made_up("phils.4", 40_000, 1.0, 1.0, 1.0);
        (costly.measure, costly.expected, costly.component) = (Measure::None, None, Some(1.0));
        let page = page(&[costly], &[]);
        assert!(!page.contains("Actual / predicted"), "nothing was predicted");
        let missed = line(&page, "- median peak / states: aim 0.10, measured 1.000");
        assert!(
            missed.contains("the must of 0.16 is **missed** as well") && missed.contains("phils.4 (1.00)")
        );
        let row = line(&page, "| phils.4");
        assert!(row.contains("no measure was worthwhile; most states are in one component"), "{row}");
    }

    #[test]
    fn wrong_and_failed_instances_are_named_and_not_summed_up() {
        let mut wrong = made_up("a.1", 40_000, 1.0, 1.0, 1.0);
        wrong.wrong = Some("deadlocks: 1 by the sweep, 2 by breadth".into());
        let failed = Failed { name: "b.1".into(), why: "no result after 900 s".into() };
        let page = page(&[wrong, made_up("c.1", 40_000, 0.03, 1.0, 1.0)], &[failed]);
        assert!(page.contains("- **WRONG** a.1: deadlocks: 1 by the sweep, 2 by breadth\n"));
        assert!(page.contains("- **FAILED** b.1: no result after 900 s\n"));
        assert!(line(&page, "| median peak / states").contains("0.030"));
        assert!(!page.contains("Both engines agree"));
    }

    #[test]
    fn a_long_measure_is_cut_and_cannot_end_its_cell() {
        assert_eq!(cut("(a | b)"), "(a \\| b)");
        let long = cut(&"x".repeat(70));
        assert_eq!(long.chars().count(), MEASURE_WIDTH + 1);
        assert!(long.ends_with('…'));
    }
}
