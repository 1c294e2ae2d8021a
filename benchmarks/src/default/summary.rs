//! The goals that were set in advance, and what was measured.

use super::early::Answer;
use super::row::{Row, Way};
use crate::table::{self, Align, Table};

/// Shorter runs are mostly the start of the process, and small stores are mostly the program.
const MEDIUM: u64 = 3_000_000;

const LARGE: u64 = 10_000_000;

/// One line of the summary.
struct Goal {
    title: &'static str,
    must: f64,
    aim: f64,
    /// The best is the largest figure, not the smallest.
    more_is_better: bool,
    measured: Option<f64>,
    /// What else there is to say about the figure.
    note: String,
}

impl Goal {
    /// A goal for which less is better.
    fn at_most(title: &'static str, (must, aim): (f64, f64), measured: Option<f64>) -> Goal {
        Goal { title, must, aim, more_is_better: false, measured, note: String::new() }
    }

    fn at_least(title: &'static str, (must, aim): (f64, f64), measured: Option<f64>) -> Goal {
        Goal { more_is_better: true, ..Goal::at_most(title, (must, aim), measured) }
    }

    fn with_note(self, note: Option<String>) -> Goal {
        Goal { note: note.map_or_else(String::new, |note| format!(" ({note})")), ..self }
    }

    fn text(&self) -> String {
        let Some(measured) = self.measured else { return "-".into() };
        let is_missed = if self.more_is_better { measured < self.must } else { measured > self.must };
        let missed = if is_missed { " **missed**" } else { "" };
        format!("{measured:.3}{}{missed}", self.note)
    }
}

/// The table of all goals. Rows with contradictions must not be among `rows`.
pub fn table(rows: &[&Row], early: &[Answer]) -> String {
    let mut table = Table::new(&[
        ("goal", Align::Left),
        ("measured", Align::Right),
        ("must", Align::Right),
        ("aim", Align::Right),
    ]);
    for goal in goals(rows, early) {
        let bound = |bound: f64| format!("{bound:.2}");
        table.row(vec![goal.title.into(), goal.text(), bound(goal.must), bound(goal.aim)]);
    }
    table.markdown()
}

fn goals(rows: &[&Row], early: &[Answer]) -> [Goal; 7] {
    let above = |least: u64, figure: &dyn Fn(&Row) -> Option<f64>| -> Vec<f64> {
        rows.iter().filter(|row| row.states > least).filter_map(|row| figure(row)).collect()
    };
    let default = |row: &Row| Some(row.time(Way::Default));
    let times = above(0, &default);
    let worst = rows.iter().max_by(|a, b| a.time(Way::Default).total_cmp(&b.time(Way::Default)));
    let early: Vec<&Answer> = early.iter().filter(|answer| answer.wrong.is_none()).collect();
    let early_times: Vec<f64> = early.iter().map(|answer| answer.ratio()).collect();
    let early_note = early.iter().max_by(|a, b| a.ratio().total_cmp(&b.ratio())).map(|answer| {
        let median = table::median(&early_times).unwrap_or(f64::NAN);
        format!("the worst, {}; median {median:.3}", answer.name)
    });
    [
        Goal::at_most("default, 1 thread / breadth, time, median", (1.05, 1.0), table::median(&times)),
        Goal::at_most("the same, worst", (1.3, 1.15), table::greatest(&times))
            .with_note(worst.map(|row| row.name.clone())),
        Goal::at_most(
            "the same, instances above 10 million states, median",
            (1.0, 0.85),
            table::median(&above(LARGE, &default)),
        ),
        Goal::at_most(
            "resident memory / breadth, instances above 3 million states, geometric mean",
            (0.42, 0.33),
            table::geometric_mean(&above(MEDIUM, &|row| Some(row.memory()))),
        ),
        Goal::at_most(
            "a violation within the first 10,000 states: time / breadth's",
            (1.2, 1.05),
            table::greatest(&early_times),
        )
        .with_note(early_note),
        Goal::at_most(
            "default, 2 threads / breadth, 1 thread, median above 3 million states",
            (0.65, 0.55),
            table::median(&above(MEDIUM, &|row| Some(row.time(Way::DefaultOnTwo)))),
        ),
        Goal::at_least(
            "breadth, 2 threads / 1 thread: share of what two independent one-thread runs reach, median \
             above 3 million states",
            (0.85, 0.92),
            table::median(&above(MEDIUM, &Row::ceiling)),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::made_up;
    use super::*;

    fn answer(breadth: f64, default: f64) -> Answer {
        let (name, question) = ("lock".into(), String::new());
        Answer { name, question, explored: 9, breadth, default, wrong: None }
    }

    #[test]
    fn every_goal_counts_the_instances_that_are_large_enough() {
        let rows = [
            made_up("small", 500_000, 1.2, 1.5, 1.0),
            made_up("medium", 5_000_000, 1.0, 0.7, 0.5),
            made_up("large", 20_000_000, 0.8, 0.5, 0.32),
        ];
        let rows: Vec<&Row> = rows.iter().collect();
        let texts = goals(&rows, &[answer(0.01, 0.011), answer(0.01, 0.02)]).map(|goal| goal.text());
        assert_eq!(
            texts,
            [
                "1.000",
                "1.200 (small)",
                "0.800",
                "0.400",
                "2.000 (the worst, lock; median 1.550) **missed**",
                "0.600",
                "0.900",
            ]
        );
    }

    #[test]
    fn a_share_below_its_must_is_missed_and_nothing_is_not() {
        let goal = |measured| Goal::at_least("share", (0.85, 0.92), measured).text();
        assert_eq!(goal(Some(0.84)), "0.840 **missed**");
        assert_eq!(goal(None), "-");
        assert!(table(&[], &[]).lines().skip(2).all(|line| line.contains(" - |")));
    }
}
