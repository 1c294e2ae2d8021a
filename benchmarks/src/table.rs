//! Tables in Markdown that also read well on a terminal, and the numbers in them.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};

/// Names go to the left, numbers to the right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

/// A table that is filled row by row.
pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(columns: &[(&str, Align)]) -> Table {
        Table {
            columns: columns.iter().map(|(title, align)| (title.to_string(), *align)).collect(),
            rows: vec![],
        }
    }

    pub fn row(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.columns.len(), "a row has a cell for each column");
        self.rows.push(cells);
    }

    pub fn markdown(&self) -> String {
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|at| {
                let cells = self.rows.iter().map(|row| row[at].chars().count());
                cells.chain([self.columns[at].0.chars().count(), 3]).max().unwrap_or(3)
            })
            .collect();
        let mut text = String::new();
        let titles: Vec<String> = self.columns.iter().map(|(title, _)| title.clone()).collect();
        self.line(&mut text, &titles, &widths);
        for ((_, align), width) in self.columns.iter().zip(&widths) {
            let end = if *align == Align::Right { ":" } else { "-" };
            let _ = write!(text, "| {}{end} ", "-".repeat(width - 1));
        }
        text.push_str("|\n");
        for row in &self.rows {
            self.line(&mut text, row, &widths);
        }
        text
    }

    fn line(&self, text: &mut String, cells: &[String], widths: &[usize]) {
        for ((cell, (_, align)), width) in cells.iter().zip(&self.columns).zip(widths) {
            let _ = match align {
                Align::Left => write!(text, "| {cell:<width$} "),
                Align::Right => write!(text, "| {cell:>width$} "),
            };
        }
        text.push_str("|\n");
    }
}

/// 11845035 as `11,845,035`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Bytes as whole megabytes (10⁶ bytes).
pub fn megabytes(bytes: u64) -> String {
    grouped((bytes + 500_000) / 1_000_000)
}

/// Bytes as mebibytes (2²⁰ bytes).
pub fn mebibytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / f64::from(1 << 20))
}

/// Three digits that count: `0.00123`, `1.23`, `123`.
pub fn short(value: f64) -> String {
    let digits = match value.abs() {
        0.0 => 0,
        large if large >= 100.0 => 0,
        medium if medium >= 10.0 => 1,
        small => (2 - small.log10().floor() as i32).unsigned_abs() as usize,
    };
    format!("{value:.digits$}")
}

/// A factor such as `3.4×`.
pub fn factor(value: f64) -> String {
    if value >= 10.0 { format!("{value:.0}×") } else { format!("{value:.2}×") }
}

/// The arithmetic mean; `None` of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The one in the middle, or the mean of the two there; `None` of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = sorted.get(sorted.len() / 2)?;
    let lower = sorted.get((sorted.len() - 1) / 2)?;
    Some(f64::midpoint(*lower, *upper))
}

/// The mean that suits ratios; `None` of nothing.
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let sum: f64 = values.iter().map(|value| value.ln()).sum();
    Some((sum / values.len() as f64).exp())
}

/// The smallest; `None` of nothing.
pub fn least(values: &[f64]) -> Option<f64> {
    values.iter().copied().reduce(f64::min)
}

/// The largest; `None` of nothing.
pub fn greatest(values: &[f64]) -> Option<f64> {
    values.iter().copied().reduce(f64::max)
}

/// Puts a page into `benchmarks/results`.
pub fn write_page(name: &str, text: &str) -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let path = folder.join(name);
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// One line on the machine, for the head of a page.
pub fn machine() -> String {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpuinfo
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or("unknown processor", |(_, name)| name.trim());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{model}, {cores} cores, {}", std::env::consts::OS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(&[("model", Align::Left), ("n", Align::Right)]);
        table.row(vec!["peterson.4".into(), "1,119".into()]);
        assert_eq!(
            table.markdown(),
            "| model      |     n |\n| ---------- | ----: |\n| peterson.4 | 1,119 |\n"
        );
    }

    #[test]
    fn digits_are_grouped_by_three() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1,000");
        assert_eq!(grouped(11845035), "11,845,035");
    }

    #[test]
    fn numbers_have_three_digits_that_count() {
        let shown = [0.0, 0.0123, 0.999, 1.0, 27.74, 217.5].map(short);
        assert_eq!(shown, ["0", "0.0123", "0.999", "1.00", "27.7", "218"]);
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        assert_eq!(median(&[9.0, 1.0, 2.0, 4.0]), Some(3.0));
        assert_eq!(median(&[9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[]), None);
        assert_eq!(mean(&[1.0, 4.0, 4.0]), Some(3.0));
    }

    #[test]
    fn the_geometric_mean_of_a_factor_and_its_inverse_is_one() {
        assert!((geometric_mean(&[4.0, 0.25]).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(geometric_mean(&[]), None);
        assert_eq!(least(&[2.0, 0.5, 3.0]), Some(0.5));
        assert_eq!((greatest(&[2.0, 0.5, 3.0]), greatest(&[])), (Some(3.0), None));
    }
}
