//! How long a run takes before its search begins: reading the model, proving and observing ranges, compiling.

use std::path::Path;

use anyhow::Result;
use clap::Args;

use crate::Selection;
use crate::binary::Sweepline;
use crate::measure::Pinning;
use crate::table::{self, Align, Table};

/// The models that are listed; the others are only counted.
const LISTED: usize = 15;

/// Options of `compile`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    selection: Selection,
}

/// Prepares every model of the benchmark, property variants included.
pub fn run(options: &Options) -> Result<()> {
    let beem = crate::beem()?;
    let sweepline = Sweepline::build(Pinning::None)?;
    let mut times: Vec<(String, f64)> = Vec::new();
    for file in beem.model_files()? {
        let name = name(&file);
        if options.selection.takes(&name) {
            let prepared = sweepline.prepare(&file, options.selection.time_limit())?;
            times.push((name, prepared.wall_seconds));
        }
    }
    let page = page(times);
    println!("{page}");
    if options.selection.write {
        table::write_page("compile.md", &page)?;
    }
    Ok(())
}

fn name(file: &Path) -> String {
    file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// The slowest models, and what all of them took.
fn page(mut times: Vec<(String, f64)>) -> String {
    times.sort_by(|left, right| right.1.total_cmp(&left.1));
    let total: f64 = times.iter().map(|(_, seconds)| seconds).sum();
    let mut table = Table::new(&[("model", Align::Left), ("seconds", Align::Right)]);
    for (name, seconds) in times.iter().take(LISTED) {
        table.row(vec![name.clone(), format!("{seconds:.3}")]);
    }
    format!(
        "# Time before the search\n\nReading, analysing and compiling all {} models of BEEM takes \
         {total:.1} s, {:.0} ms in the \
         mean. The slowest:\n\n{}",
        times.len(),
        total / times.len().max(1) as f64 * 1000.0,
        table.markdown(),
    )
}
