//! What the rows come to, beside the goals that were set before anything was measured.
//!
//! The *best third* has a third of the instances, rounded up. A median of an even number is the mean of the middle two.

use super::LARGE;
use super::row::{Expected, Row};

/// How many instances are named where an aim is missed.
const NAMED: usize = 5;

/// One goal, and how far it was reached.
#[derive(Clone, Debug)]
pub struct Goal {
    pub title: &'static str,
    pub must: String,
    pub aim: String,
    pub measured: String,
    pub reached: Reached,
    /// Those that cost most, the worst one first.
    pub costly: Vec<Costly>,
}

/// How far a goal was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    Aim,
    Must,
    Neither,
    /// There is no instance to judge by.
    Open,
}

/// An instance and its figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Costly {
    pub name: String,
    pub figure: String,
}

/// A figure of each row, the smallest one first.
struct Ranked<'a>(Vec<(f64, &'a Row)>);

impl<'a> Ranked<'a> {
    fn new(rows: &[&'a Row], figure: impl Fn(&Row) -> f64) -> Self {
        let mut ranked = Self(rows.iter().map(|row| (figure(row), *row)).collect());
        ranked.sort();
        ranked
    }

    fn sort(&mut self) {
        self.0.sort_by(|a, b| a.0.total_cmp(&b.0));
    }

    fn best_third(&self) -> Ranked<'a> {
        Ranked(self.0[..self.0.len().div_ceil(3)].to_vec())
    }

    fn median(&self) -> Option<f64> {
        let figures = &self.0;
        let middle = figures.len() / 2;
        match figures.len() {
            0 => None,
            odd if odd % 2 == 1 => Some(figures[middle].0),
            _ => Some(f64::midpoint(figures[middle - 1].0, figures[middle].0)),
        }
    }

    fn largest(&self) -> Option<f64> {
        self.0.last().map(|(figure, _)| *figure)
    }

    fn costly(&self, unit: &str, above: f64) -> Vec<Costly> {
        let worst = self.0.iter().rev().take_while(|(figure, _)| *figure > above).take(NAMED);
        worst
            .map(|(figure, row)| Costly { name: row.name.clone(), figure: format!("{figure:.2}{unit}") })
            .collect()
    }

    /// A goal for which less is better.
    fn at_most(&self, title: &'static str, (must, aim): (f64, f64), measured: Option<f64>) -> Goal {
        Goal {
            title,
            must: format!("{must:.2}"),
            aim: format!("{aim:.2}"),
            measured: measured.map_or_else(|| "-".into(), |measured| format!("{measured:.3}")),
            reached: reached(measured.map(|measured| (measured <= aim, measured <= must))),
            costly: self.costly("", aim),
        }
    }
}

/// From whether the aim is met and whether the must is.
fn reached(met: Option<(bool, bool)>) -> Reached {
    match met {
        None => Reached::Open,
        Some((true, _)) => Reached::Aim,
        Some((_, true)) => Reached::Must,
        Some(_) => Reached::Neither,
    }
}

/// The goals, in the order in which they were set.
pub fn goals(rows: &[&Row]) -> Vec<Goal> {
    let large: Vec<&Row> = rows.iter().copied().filter(|row| row.states > LARGE).collect();
    let peak = Ranked::new(rows, Row::peak);
    let explored = Ranked::new(rows, Row::explored);
    let time = Ranked::new(&large, Row::time);
    let (small_peaks, short_times) = (peak.best_third(), time.best_third());
    let mut worst_time = time.at_most(
        "worst time / time of `breadth`, switching included, instances above 1 million states",
        (2.0, 1.5),
        time.largest(),
    );
    if let Some((_, worst)) = time.0.last() {
        worst_time.measured += &format!(" ({})", worst.name);
    }
    vec![
        peak.at_most("median peak / states", (0.16, 0.10), peak.median()),
        small_peaks.at_most("best third, peak / states at most", (0.08, 0.05), small_peaks.largest()),
        explored.at_most("median explored / states", (1.15, 1.05), explored.median()),
        time.at_most(
            "median time / time of `breadth` (finding included), instances above 1 million states",
            (1.0, 0.8),
            time.median(),
        ),
        short_times.at_most("the same, median of the best third", (0.65, 0.45), short_times.median()),
        saving(rows),
        worst_time,
        finding(rows, &large),
    ]
}

/// How many instances save much memory for little work.
fn saving(rows: &[&Row]) -> Goal {
    let (must, aim) = (0.55, 0.70);
    let (saves, others): (Vec<&Row>, Vec<&Row>) =
        rows.iter().copied().partition(|row| row.peak() < 0.5 && row.explored() < 1.5);
    let share = share(saves.len(), rows.len());
    let mut others = Ranked::new(&others, |row| row.peak() * row.explored()).0;
    others.reverse();
    let named = others.iter().take(NAMED).map(|(_, row)| Costly {
        name: row.name.clone(),
        figure: format!("{:.2} at {:.2} ×", row.peak(), row.explored()),
    });
    Goal {
        title: "share with peak < 50 % and explored < 1.5 ×",
        must: percent(must),
        aim: percent(aim),
        measured: share.map_or_else(|| "-".into(), percent),
        reached: reached(share.map(|share| (share >= aim, share >= must))),
        costly: named.collect(),
    }
}

/// How long it takes to find a measure: every instance has to be within one bound or the other.
fn finding(rows: &[&Row], large: &[&Row]) -> Goal {
    let seconds = Ranked::new(rows, |row| row.seconds.finding);
    let is_aim = |row: &&&Row| row.is_found_within(1.0, 0.05);
    let quick = share(large.iter().filter(is_aim).count(), large.len());
    let slow: Vec<&Row> = rows.iter().filter(|row| !is_aim(row)).copied().collect();
    let mut measured = String::from("-");
    if let (Some(median), Some((worst, row))) = (seconds.median(), seconds.0.last()) {
        measured = format!("median {median:.2} s, worst {worst:.2} s ({})", row.name);
    }
    if let Some(quick) = quick {
        measured += &format!("; {} of those above 1 million states below 1 s or 5 %", percent(quick));
    }
    let is_must = rows.iter().all(|row| row.is_found_within(3.0, 0.1));
    Goal {
        title: "finding",
        must: "3 s or 10 % of the run".into(),
        aim: "1 s or 5 %".into(),
        measured,
        reached: reached((!rows.is_empty()).then_some((slow.is_empty(), is_must))),
        costly: Ranked::new(&slow, |row| row.seconds.finding).costly(" s", 0.0),
    }
}

/// How far a figure of many rows spreads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    pub median: f64,
    /// Nine of ten are at most this.
    pub most: f64,
}

/// The spread of a figure over the rows for which something was predicted.
pub fn spread(rows: &[&Row], figure: impl Fn(&Row, Expected) -> f64) -> Option<Spread> {
    let predicted = rows.iter().filter_map(|row| Some((figure(row, row.expected?), *row)));
    let mut ranked = Ranked(predicted.collect());
    ranked.sort();
    let tenth = ranked.0.len() / 10;
    let (most, _) = ranked.0.iter().rev().nth(tenth)?;
    Some(Spread { median: ranked.median()?, most: *most })
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::made_up;
    use super::*;

    /// Seven instances, four of them above a million states.
    fn rows() -> Vec<Row> {
        vec![
            made_up("a.1", 100_000, 0.02, 1.0, 3.0),
            made_up("a.2", 200_000, 0.04, 1.1, 5.0),
            made_up("b.1", 300_000, 0.06, 1.2, 1.0),
            made_up("c.1", 2_000_000, 0.12, 1.3, 0.5),
            made_up("c.2", 4_000_000, 0.49, 1.6, 0.7),
            made_up("d.1", 6_000_000, 0.80, 1.0, 0.9),
            made_up("d.2", 8_000_000, 1.00, 2.0, 1.7),
        ]
    }

    fn goal(rows: &[Row], title: &str) -> Goal {
        let all = goals(&rows.iter().collect::<Vec<_>>());
        all.into_iter().find(|goal| goal.title.starts_with(title)).unwrap()
    }

    #[test]
    fn the_median_is_in_the_middle() {
        let mut rows = rows();
        assert_eq!(goal(&rows, "median peak").measured, "0.120");
        assert_eq!(goal(&rows, "median peak").reached, Reached::Must);
        assert_eq!(goal(&rows, "median explored").measured, "1.200");
        assert_eq!(goal(&rows, "median explored").reached, Reached::Neither);
        rows.pop();
        assert_eq!(goal(&rows, "median peak").measured, "0.090", "between 0.06 and 0.12");
    }

    #[test]
    fn the_best_third_is_rounded_up() {
        let rows = rows();
        assert_eq!(goal(&rows, "best third").measured, "0.060", "the third of seven");
        assert_eq!(goal(&rows[..6], "best third").measured, "0.040", "the second of six");
        assert_eq!(goal(&rows[..6], "best third").reached, Reached::Aim);
    }

    #[test]
    fn times_count_above_a_million_states_only() {
        let rows = rows();
        assert_eq!(goal(&rows, "median time").measured, "0.800", "between 0.7 and 0.9");
        assert_eq!(goal(&rows, "median time").reached, Reached::Aim);
        assert_eq!(goal(&rows, "the same").measured, "0.600", "between 0.5 and 0.7");
        let worst = goal(&rows, "worst time");
        assert_eq!(worst.measured, "1.700 (d.2)");
        assert_eq!(worst.reached, Reached::Must);
        assert_eq!(goal(&rows[..3], "median time").reached, Reached::Open);
    }

    #[test]
    fn saving_needs_little_memory_and_little_work() {
        let saving = goal(&rows(), "share");
        assert_eq!(saving.measured, "57 %", "four of seven: c.2 works too much");
        assert_eq!(saving.reached, Reached::Must);
        let names: Vec<&str> = saving.costly.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["d.2", "d.1", "c.2"]);
    }

    #[test]
    fn finding_may_take_long_where_the_run_is_longer() {
        let mut rows = rows();
        assert_eq!(goal(&rows, "finding").reached, Reached::Aim);
        rows[6].seconds.finding = 1.2;
        let slow = goal(&rows, "finding");
        assert_eq!(slow.reached, Reached::Must);
        assert_eq!(slow.costly, [Costly { name: "d.2".into(), figure: "1.20 s".into() }]);
        assert!(slow.measured.starts_with("median 0.50 s, worst 1.20 s (d.2); 75 % of those above"));
        rows[6].seconds.sweep = 30.0;
        assert_eq!(goal(&rows, "finding").reached, Reached::Aim);
        rows[0].seconds.finding = 4.0;
        assert_eq!(goal(&rows, "finding").reached, Reached::Neither);
    }

    #[test]
    fn the_spread_leaves_out_rows_without_a_prediction() {
        let mut rows: Vec<Row> =
            (1..=20).map(|at| made_up("a", 100_000, 0.01 * f64::from(at), 1.0, 1.0)).collect();
        let peak_of =
            |rows: &[Row]| spread(&rows.iter().collect::<Vec<_>>(), |row, _| (row.peak() * 100.0).round());
        assert_eq!(peak_of(&rows), Some(Spread { median: 10.5, most: 18.0 }));
        rows[18].expected = None;
        rows[19].expected = None;
        assert_eq!(peak_of(&rows), Some(Spread { median: 9.5, most: 17.0 }));
        assert_eq!(spread(&[], |_, _| 1.0), None);
    }

    #[test]
    fn nothing_measured_leaves_every_goal_open() {
        assert!(goals(&[]).iter().all(|goal| goal.reached == Reached::Open));
    }

    #[test]
    fn the_worst_are_named_first() {
        let peak = goal(&rows(), "median peak");
        let named: Vec<_> = peak.costly.iter().map(|one| (one.name.as_str(), one.figure.as_str())).collect();
        assert_eq!(named[..2], [("d.2", "1.00"), ("d.1", "0.80")]);
        assert_eq!(named.len(), 4, "the others are below the aim");
    }
}
