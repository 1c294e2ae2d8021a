//! The page: goals, all instances, early answers, LTSmin, and what was left out.

use super::early::{Answer, LOCK, LOCK_SECONDS};
use super::row::{Row, Way};
use super::{LeftOut, ltsmin, summary};
use crate::table::{self, Align, Table};

/// Everything that the page tells.
pub struct Page<'a> {
    pub rows: &'a [Row],
    pub early: &'a [Answer],
    pub skipped: &'a [LeftOut],
    pub failed: &'a [LeftOut],
    /// Resident bytes of a process that does nothing.
    pub least_resident: u64,
}

impl Page<'_> {
    pub fn text(&self, words: &str) -> String {
        let right: Vec<&Row> = self.rows.iter().filter(|row| row.wrong.is_empty()).collect();
        let parts = [
            self.head(words),
            self.trouble(),
            "## Summary\n\n".into(),
            summary::table(&right, self.early),
            self.instances(),
            self.early_answers(),
            ltsmin::section(&right),
            self.left_out(),
        ];
        parts.concat()
    }

    fn head(&self, words: &str) -> String {
        format!(
            "# The default compared with full exploration\n\n\
             Written by `cargo run --release -p benchmarks -- default{words} --write`. {}.\n\n\
             {} oracle instances (BEEM models and Petri nets), each explored by `explore --engine breadth` \
             and by `explore` with its default engine, with `--threads 1` and `--threads 2`. Times and \
             resident memory are those of whole processes, measured from outside: reading and compiling \
             the model, the measure search and the end of the process are included. The runs of an \
             instance take turns. The shortest run of each counts: of 5 if full exploration takes less \
             than 1 s, of 3 if less than 5 s, else of 1, unless `--repetitions` says otherwise.\n\n\
             The kernel reports at least {} MiB resident for a process that this benchmark starts.\n\n",
            table::machine(),
            self.rows.len(),
            table::mebibytes(self.least_resident),
        )
    }

    /// Contradictions and failures, or that there are none.
    fn trouble(&self) -> String {
        let wrong = self
            .rows
            .iter()
            .flat_map(|row| row.wrong.iter().map(|wrong| format!("- **WRONG** {}: {wrong}\n", row.name)));
        let failed = self.failed.iter().map(|one| format!("- **FAILED** {}: {}\n", one.name, one.why));
        let lines: String = wrong.chain(failed).collect();
        if lines.is_empty() {
            return "All runs are complete. Every number of states that a run knows is that of the oracle. \
                    The runs of an instance agree on deadlocks, and on transitions if no state was \
                    expanded twice.\n\n"
                .into();
        }
        format!("{lines}\nInstances with contradictions are not part of the summary.\n\n")
    }

    fn instances(&self) -> String {
        let mut table = Table::new(&[
            ("instance", Align::Left),
            ("states", Align::Right),
            ("breadth s", Align::Right),
            ("default, 1 thread", Align::Right),
            ("default, 2 threads", Align::Right),
            ("breadth, 2 threads", Align::Right),
            ("share of two runs", Align::Right),
            ("breadth MiB", Align::Right),
            ("default MiB", Align::Right),
            ("change", Align::Left),
            ("peak / states", Align::Right),
            ("expansions / states", Align::Right),
            ("runs", Align::Right),
        ]);
        let ratio = |ratio: Option<f64>| ratio.map_or_else(|| "-".into(), |ratio| format!("{ratio:.2}"));
        for row in self.rows {
            let (breadth, work) = (row.run(Way::Breadth), row.work());
            table.row(vec![
                row.name.clone(),
                table::grouped(row.states),
                format!("{:.2}", breadth.seconds),
                ratio(Some(row.time(Way::Default))),
                ratio(Some(row.time(Way::DefaultOnTwo))),
                ratio(Some(row.time(Way::BreadthOnTwo))),
                ratio(row.ceiling()),
                table::mebibytes(breadth.resident),
                ratio(Some(row.memory())),
                row.run(Way::Default).change.text(),
                work.map_or_else(|| "-".into(), |(_, peak)| format!("{peak:.3}")),
                ratio(work.map(|(explored, _)| explored)),
                row.repetitions.to_string(),
            ]);
        }
        format!(
            "\n## All instances\n\n\
             Times are multiples of *breadth s*, full exploration on one thread; *default MiB* is a \
             multiple of *breadth MiB*. *Share of two runs* is the rate of `breadth` on two threads as a \
             share of the rate of two independent runs on one thread each, started together; `-` if the \
             two need more than 16 GiB. The last columns are about the default on one thread. *Change* \
             is `stayed` if it stayed with full exploration, else the time when it changed to a sweep and \
             the predicted and the actual peak as shares of all states; `-` if the record does not say. Peak and \
             expansions include abandoned measures.\n\n{}",
            table.markdown()
        )
    }

    fn early_answers(&self) -> String {
        let mut table = Table::new(&[
            ("model", Align::Left),
            ("property", Align::Left),
            ("expanded", Align::Right),
            ("breadth ms", Align::Right),
            ("default ms", Align::Right),
            ("ratio", Align::Right),
        ]);
        for answer in self.early {
            let milliseconds = |seconds: f64| format!("{:.1}", seconds * 1e3);
            table.row(vec![
                answer.name.clone(),
                format!("`{}`", answer.question.replace('|', "\\|")),
                table::grouped(answer.explored),
                milliseconds(answer.breadth),
                milliseconds(answer.default),
                format!("{:.2}", answer.ratio()),
            ]);
        }
        let lock = self.early.iter().find(|answer| answer.name == LOCK).map_or_else(String::new, |lock| {
            let missed = if lock.default < LOCK_SECONDS { "" } else { ", **missed**" };
            format!(
                "\nThe six-step bug of `{LOCK}` is found in {:.1} ms (must: less than {:.0} ms{missed}).\n",
                lock.default * 1e3,
                LOCK_SECONDS * 1e3,
            )
        });
        format!(
            "\n## Answers within the first 10,000 states\n\n\
             `check` with a property that a state near the initial one decides: an invariant that is \
             violated, or a state that is reached. The default engine, on all cores, is compared with \
             `--engine breadth --threads 1`; the shortest of ten runs of each counts. Of each family of \
             BEEM, the largest instance is taken that full exploration decides by expanding fewer than \
             10,000 states; families with the shortest paths come first.\n\n{}{lock}",
            table.markdown()
        )
    }

    fn left_out(&self) -> String {
        if self.skipped.is_empty() {
            return String::new();
        }
        let lines: String = self.skipped.iter().map(|one| format!("- {}: {}\n", one.name, one.why)).collect();
        format!("\n## Skipped\n\nFull exploration on one thread needs too much time or memory.\n\n{lines}")
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::made_up;
    use super::*;

    fn text(row: Row, failed: &[LeftOut]) -> String {
        let lock = Answer {
            name: LOCK.into(),
            question: "--invariant \"a || b\"".into(),
            explored: 56,
            breadth: 0.0101,
            default: 0.0301,
            wrong: None,
        };
        let skipped = [LeftOut { name: "huge.1".into(), why: "no result after 900 s".into() }];
        let page = Page { rows: &[row], early: &[lock], skipped: &skipped, failed, least_resident: 3 << 20 };
        page.text(" --only a")
    }

    #[test]
    fn the_page_has_all_sections() {
        let text = text(made_up("a.1", 5_000_000, 1.5, 0.7, 0.3), &[]);
        for part in [
            "default --only a --write",
            "at least 3.0 MiB",
            "All runs are complete",
            "1.500 (a.1) **missed**",
            "stayed",
            "found in 30.1 ms (must: less than 20 ms, **missed**)",
            "a \\|\\| b",
            "- huge.1: no result after 900 s",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn contradictions_and_failures_are_named_and_do_not_count() {
        let mut row = made_up("a.1", 100, 1.5, 0.7, 0.3);
        row.wrong.push("99 states, not 100".into());
        let text = text(row, &[LeftOut { name: "b.1".into(), why: "no run record".into() }]);
        assert!(
            text.contains("**WRONG** a.1: 99 states") && text.contains("**FAILED** b.1: no run"),
            "{text}"
        );
        assert!(!text.contains("(a.1)"), "{text}");
    }
}
