//! Our times next to what was measured for others, and next to the limit: successors compiled by hand
//! around a plain table, which is what a checker could do if it cost nothing.
//!
//! The figures of the others are constants, not measured here: they come from one machine of the class
//! named below, and are worth comparing only on a machine like it.

use std::fmt::Write;

use anyhow::Result;

use crate::binary::Sweepline;
use crate::measure::Pinning;
use crate::table::{self, Align, Table};

const SOURCE: &str = "The others' figures were measured on 2026-11-15 on a nearly idle machine with 2 virtual cores and 24 GiB, one thread each: \
SPIN 6.5.2 (`-DNOREDUCE -DSAFETY -O2`, the benchmark's translations, so other state counts), LTSmin of 2024-10 with compiled DVE models (tree and table storage), \
and the *limit*: successor functions compiled from C++ around a plain hash table, then with batches of 64, prefetching and huge pages (for needham.4 on a variant with 5.5 million states).";

/// Wall seconds and peak resident megabytes.
#[derive(Debug, Clone, Copy)]
struct Figure(f64, u64);

/// One model, as the others managed it.
struct Known {
    name: &'static str,
    states: u64,
    spin: Option<Figure>,
    ltsmin_tree: Figure,
    ltsmin_table: Figure,
    limit_plain: Figure,
    limit_tuned: Figure,
}

const KNOWN: &[Known] = &[
    Known {
        name: "peterson.4",
        states: 1_119_560,
        spin: Some(Figure(0.70, 75)),
        ltsmin_tree: Figure(0.79, 25),
        ltsmin_table: Figure(0.91, 169),
        limit_plain: Figure(0.34, 38),
        limit_tuned: Figure(0.17, 39),
    },
    Known {
        name: "bakery.6",
        states: 11_845_035,
        spin: Some(Figure(11.8, 800)),
        ltsmin_tree: Figure(13.2, 169),
        ltsmin_table: Figure(13.0, 1321),
        limit_plain: Figure(5.4, 334),
        limit_tuned: Figure(2.0, 335),
    },
    Known {
        name: "brp.4",
        states: 12_068_447,
        spin: Some(Figure(11.9, 849)),
        ltsmin_tree: Figure(13.0, 166),
        ltsmin_table: Figure(11.7, 1190),
        limit_plain: Figure(4.9, 292),
        limit_tuned: Figure(2.0, 293),
    },
    Known {
        name: "elevator2.3",
        states: 7_667_712,
        spin: Some(Figure(14.5, 503)),
        ltsmin_tree: Figure(9.7, 168),
        ltsmin_table: Figure(10.7, 1320),
        limit_plain: Figure(4.5, 277),
        limit_tuned: Figure(2.6, 279),
    },
    Known {
        name: "iprotocol.4",
        states: 3_290_916,
        spin: Some(Figure(11.4, 642)),
        ltsmin_tree: Figure(3.4, 86),
        ltsmin_table: Figure(4.0, 1078),
        limit_plain: Figure(1.4, 158),
        limit_tuned: Figure(0.86, 159),
    },
    Known {
        name: "needham.4",
        states: 6_525_019,
        spin: Some(Figure(6.0, 406)),
        ltsmin_tree: Figure(6.4, 98),
        ltsmin_table: Figure(8.2, 931),
        limit_plain: Figure(2.5, 278),
        limit_tuned: Figure(1.4, 279),
    },
    Known {
        name: "rether.6",
        states: 5_919_694,
        spin: Some(Figure(0.45, 151)),
        ltsmin_tree: Figure(4.6, 87),
        ltsmin_table: Figure(6.3, 1655),
        limit_plain: Figure(1.8, 321),
        limit_tuned: Figure(1.3, 323),
    },
    Known {
        name: "leader_election.5",
        states: 4_803_952,
        spin: None,
        ltsmin_tree: Figure(15.8, 393),
        ltsmin_table: Figure(20.1, 6072),
        limit_plain: Figure(4.5, 901),
        limit_tuned: Figure(4.1, 901),
    },
    Known {
        name: "firewire_tree.4",
        states: 169_992,
        spin: None,
        ltsmin_tree: Figure(0.35, 41),
        ltsmin_table: Figure(0.56, 398),
        limit_plain: Figure(0.11, 38),
        limit_tuned: Figure(0.13, 39),
    },
];

/// The command line of `limit`.
#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    selection: crate::Selection,
    /// How often each model runs; the best run counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    repetitions: u32,
}

/// Runs the benchmark.
pub fn run(options: &Options) -> Result<()> {
    let beem = crate::beem()?;
    let sweepline = Sweepline::build(Pinning::detect())?;
    let mut results = Vec::new();
    for known in KNOWN.iter().filter(|known| options.selection.takes(known.name)) {
        eprint!("{} ", known.name);
        match best_run(&sweepline, &beem, known, options) {
            Ok(ours) => {
                eprintln!("{:.2} s, {} MB", ours.0, ours.1);
                results.push((known, ours));
            }
            Err(error) => eprintln!("left out: {error:#}"),
        }
    }
    let page = page(&results, options.repetitions);
    println!("{page}");
    if options.selection.write {
        table::write_page("limit.md", &page)?;
    }
    Ok(())
}

fn best_run(sweepline: &Sweepline, beem: &oracles::Beem, known: &Known, options: &Options) -> Result<Figure> {
    let mut best = Figure(f64::INFINITY, u64::MAX);
    for _ in 0..options.repetitions {
        let run = sweepline.explore(&beem.dve(known.name), options.selection.time_limit())?;
        let states = run.all_states()?;
        anyhow::ensure!(states == known.states, "{states} states, the others have {}", known.states);
        best = Figure(best.0.min(run.wall_seconds), best.1.min(run.peak_rss_bytes / 1_000_000));
    }
    Ok(best)
}

fn page(results: &[(&Known, Figure)], repetitions: u32) -> String {
    let mut page = String::from("# Sweepline compared with a lower bound\n\n");
    let _ = writeln!(
        page,
        "Wall seconds / peak resident MB. Ours: {}; best of {repetitions}, one thread, reading and compiling the model included.\n{SOURCE}\n\
         The last columns: our time as a multiple of the tuned limit's; LTSmin's (tree) time and memory as multiples of ours.\n",
        table::machine(),
    );
    let mut table = Table::new(&[
        ("model", Align::Left),
        ("states", Align::Right),
        ("ours", Align::Right),
        ("limit, tuned", Align::Right),
        ("limit, plain", Align::Right),
        ("LTSmin tree", Align::Right),
        ("LTSmin table", Align::Right),
        ("SPIN", Align::Right),
        ("of limit", Align::Right),
        ("faster than LTSmin", Align::Right),
        ("smaller than LTSmin", Align::Right),
    ]);
    let show = |Figure(seconds, megabytes): Figure| format!("{seconds:.2} / {megabytes}");
    for (known, ours) in results {
        table.row(vec![
            known.name.into(),
            table::grouped(known.states),
            show(*ours),
            show(known.limit_tuned),
            show(known.limit_plain),
            show(known.ltsmin_tree),
            show(known.ltsmin_table),
            known.spin.map_or_else(|| "-".into(), show),
            table::factor(ours.0 / known.limit_tuned.0),
            table::factor(known.ltsmin_tree.0 / ours.0),
            table::factor(known.ltsmin_tree.1 as f64 / ours.1 as f64),
        ]);
    }
    page.push_str(&table.markdown());

    let of_limit: Vec<f64> = results.iter().map(|(known, ours)| ours.0 / known.limit_tuned.0).collect();
    let faster: Vec<f64> = results.iter().map(|(known, ours)| known.ltsmin_tree.0 / ours.0).collect();
    if let (Some(limit), Some(ltsmin)) = (table::geometric_mean(&of_limit), table::geometric_mean(&faster)) {
        let _ = writeln!(
            page,
            "\nGeometric means: {} the tuned limit's time, {} LTSmin's speed.",
            table::factor(limit),
            table::factor(ltsmin)
        );
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_relates_our_time_to_the_limit() {
        let peterson = KNOWN.iter().find(|known| known.name == "peterson.4").unwrap();
        let page = page(&[(peterson, Figure(0.34, 50))], 1);
        assert!(page.contains("2.00×"), "twice the tuned limit of 0.17 s: {page}");
        assert!(page.contains("0.50×"), "LTSmin needs half of our 50 MB: {page}");
    }
}
