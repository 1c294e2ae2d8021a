//! The default on two threads next to LTSmin on two threads.
//!
//! LTSmin's times are constants, like those of `limit`: measured earlier, on a machine of the same class.

use super::row::{Row, Way};
use crate::table::{self, Align, Table};

/// Wall seconds of LTSmin of 2024-10 with compiled DVE models, tree storage and two threads, on a machine
/// with 2 virtual cores and 24 GiB, 2026-11-15.
const SECONDS: [(&str, f64); 7] = [
    ("bakery.6", 7.0),
    ("brp.4", 6.3),
    ("elevator2.3", 5.8),
    ("iprotocol.4", 1.8),
    ("needham.4", 3.3),
    ("rether.6", 2.4),
    ("leader_election.5", 8.9),
];

/// Speed relative to LTSmin's, the geometric mean.
const MUST: f64 = 5.0;

/// The section of the page.
pub fn section(rows: &[&Row]) -> String {
    let mut table = Table::new(&[
        ("instance", Align::Left),
        ("states", Align::Right),
        ("LTSmin s", Align::Right),
        ("default, 2 threads s", Align::Right),
        ("faster", Align::Right),
    ]);
    let mut ratios = Vec::new();
    for (name, theirs) in SECONDS {
        let Some(row) = rows.iter().find(|row| row.name == name) else { continue };
        let ours = row.run(Way::DefaultOnTwo).seconds;
        ratios.push(theirs / ours);
        table.row(vec![
            name.into(),
            table::grouped(row.states),
            format!("{theirs:.1}"),
            format!("{ours:.2}"),
            table::factor(theirs / ours),
        ]);
    }
    let mut text = String::from(
        "\n## Two threads, compared with LTSmin\n\n\
         LTSmin's times were measured earlier (2026-11-15) on a machine of the same class, with 2 virtual \
         cores and 24 GiB, not in this run: LTSmin of 2024-10, compiled DVE models, tree storage, two \
         threads. They do not include compiling the model; ours do.\n\n",
    );
    let Some(mean) = table::geometric_mean(&ratios) else {
        return text + "None of these instances was measured.\n";
    };
    text += &table.markdown();
    let missed = if mean < MUST { ", **missed**" } else { "" };
    let part = match ratios.len() {
        all if all == SECONDS.len() => String::new(),
        some => format!(", over {some} of {} instances", SECONDS.len()),
    };
    text + &format!("\nGeometric mean: {}{part} (must: {MUST}×{missed}).\n", table::factor(mean))
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::made_up;
    use super::*;

    #[test]
    fn the_geometric_mean_is_compared_with_the_must() {
        let rows = [("needham.4", 0.25), ("rether.6", 0.3), ("other.1", 9.0)];
        let rows = rows.map(|(name, on_two)| made_up(name, 7_000_000, 1.0, on_two, 0.3));
        let rows: Vec<&Row> = rows.iter().collect();
        let text = section(&rows);
        assert!(text.contains("6.60×") && text.contains("4.00×"), "3.3 s in 0.5 s, 2.4 s in 0.6 s: {text}");
        assert!(text.contains("Geometric mean: 5.14×, over 2 of 7 instances (must: 5×)."), "{text}");
        assert!(section(&rows[1..]).contains("(must: 5×, **missed**)"));
        assert!(section(&[]).contains("None of these instances"));
    }
}
