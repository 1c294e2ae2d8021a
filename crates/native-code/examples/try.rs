//! Experiment.
use std::time::Instant;
use sweepline::check::{Engine, OnRuntimeError, Packing, Plan, check, check_automatically, find_measures};
use sweepline::explore::sweep::Nesting;
use sweepline::progress::{
    ExpressionMeasure,
    finder::{Aim, Effort, FinderOptions, Kind, SmallModels},
};
use sweepline_native_code::Compiled;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let effort = if args[1] == "t" { Effort::Thorough } else { Effort::Quick };
    let alpha: f64 = args[2].parse().unwrap();
    let modes = &args[3];
    let seed: u64 = std::env::var("SEED").map_or(0, |s| s.parse().unwrap());
    for path in &args[4..] {
        let text = std::fs::read_to_string(path).unwrap();
        let name = std::path::Path::new(path).file_stem().unwrap().to_str().unwrap().to_string();
        let model = languages::read_model_with(&text, &languages::ReadOptions::default()).unwrap().commands;
        let options = FinderOptions { aim: Aim::Product { alpha }, effort, seed, small: SmallModels::Swept };
        let mut base = 0.0;
        let mut distinct = 0;
        let explore = Plan { explore_all: true, on_runtime_error: OnRuntimeError::GoOn, ..Plan::default() };
        if modes.contains('a') {
            for mode in modes.chars() {
                let start = cpu();
                if mode == 'b' {
                    let outcome = check(&model, &Compiled, &[], &explore, &mut ()).unwrap();
                    base = cpu() - start;
                    distinct = outcome.counters.explored;
                    print!("{name:18} {distinct} {base:.2}s |");
                } else {
                    let auto =
                        check_automatically(&model, &Compiled, &[], &explore, &options, &mut ()).unwrap();
                    let seconds = cpu() - start;
                    let c = auto.outcome.counters;
                    let d = distinct as f64;
                    let find: f64 = auto.searches.iter().map(|s| s.time.as_secs_f64()).sum();
                    print!(
                        " find {find:.3} s: {:.3} x{:.2} t{:.2} est {:.2}",
                        c.peak.total() as f64 / d,
                        c.explored as f64 / d,
                        seconds / base,
                        auto.outcome.estimated_distinct as f64 / d
                    );
                    for a in &auto.attempts {
                        print!(
                            " [{:?} pred {:.3} {:.2} x{:.2} {:.2}s {}]",
                            a.end,
                            a.proposal.as_ref().map_or(1.0, |p| p.cost.peak_share()),
                            a.proposal.as_ref().map_or(1.0, |p| p.cost.revisits()),
                            a.counters.explored as f64 / a.different as f64,
                            a.time.as_secs_f64(),
                            a.proposal.as_ref().map_or(String::new(), |p| p
                                .components
                                .iter()
                                .map(|e| show(&model, e))
                                .collect::<Vec<_>>()
                                .join(" "))
                        );
                    }
                }
            }
            println!();
            continue;
        }
        let before = cpu();
        let search = find_measures(&model, &Compiled, Packing::Auto, &options).unwrap();
        let finding = cpu() - before;
        let sample = search.findings.sample;
        let Some(found) = search.findings.proposals.first() else {
            println!("{name:18} complete={} {} NONE find {finding:.3}", sample.complete, sample.expanded);
            continue;
        };
        let text: Vec<String> = found.components.iter().map(|e| show(&model, e)).collect();
        print!(
            "{name:18} find {finding:.3} pred {:.3} {:.2} mono {}/{} |",
            found.cost.peak_share(),
            found.cost.revisits(),
            found.monotone,
            found.components.len()
        );
        let measure = ExpressionMeasure::new(&model, &found.components).unwrap();
        for mode in modes.chars() {
            let mut plan =
                Plan { engine: if mode == 'b' { Engine::Breadth } else { Engine::Sweep }, ..explore.clone() };
            plan.measure = Some(measure.clone());
            if mode == 'm' {
                plan.nesting = Nesting {
                    parts: measure.lowest_bit(found.monotone).map_or(0, |b| 1 << b),
                    monotone: measure.lowest_bit(found.monotone),
                };
            }
            if mode == 'n' {
                plan.nesting =
                    Nesting { parts: measure.parts(), monotone: measure.lowest_bit(found.monotone) };
            }
            let _ = Kind::Flat;
            if distinct > 0 {
                plan.limits.states = 4 * distinct;
            }
            let start = Instant::now();
            let outcome = check(&model, &Compiled, &[], &plan, &mut ()).unwrap();
            let seconds = start.elapsed().as_secs_f64();
            if mode == 'b' {
                distinct = outcome.counters.explored;
                base = seconds;
                print!(" {distinct} {seconds:.2}s |");
                continue;
            }
            let d = if distinct > 0 { distinct as f64 } else { outcome.counters.explored as f64 };
            let c = outcome.counters;
            print!(
                " {mode}: {:.3} x{:.2} t{:.2} sweeps {}+{} layers {} pers {} {}|",
                c.peak.total() as f64 / d,
                c.explored as f64 / d,
                (seconds + finding) / base,
                c.sweeps,
                c.local_sweeps,
                c.layers,
                c.persistent,
                if outcome.complete { "" } else { "INCOMPLETE" }
            );
        }
        println!(" {}", text.join(" "));
    }
}
fn show(
    model: &sweepline::model::guarded_commands::GuardedCommands,
    e: &sweepline::model::guarded_commands::Expression,
) -> String {
    use sweepline::model::guarded_commands::Expression::*;
    match e {
        Cell(c) => format!("{}+", model.cell_name(*c)),
        Unary(_, x) => show(model, x).replace('+', "-"),
        Rank(x, o) => format!("{}/{}", show(model, x).replace('+', ""), o.others()),
        _ => "?".into(),
    }
}
fn cpu() -> f64 {
    std::fs::read_to_string("/proc/self/schedstat")
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .parse::<f64>()
        .unwrap()
        * 1e-9
}
