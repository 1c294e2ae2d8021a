use std::time::Instant;
use sweepline::check::{Engine, OnRuntimeError, Plan, check};
use sweepline::explore::search::Limits;
use sweepline::explore::sweep::Nesting;
use sweepline::model::observed_ranges::observed_ranges;
use sweepline::model::state_layout::StateLayout;
use sweepline::model::transition_system::{Execution, StateFunctions};
use sweepline::model::value_ranges::proved_ranges;
use sweepline::progress::{ExpressionMeasure, finder};
use sweepline_native_code::Compiled;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let size: usize = args[1].parse().unwrap();
    let alpha: f64 = args[2].parse().unwrap();
    let modes = &args[3];
    for path in &args[4..] {
        let text = std::fs::read_to_string(path).unwrap();
        let name = std::path::Path::new(path).file_stem().unwrap().to_str().unwrap().to_string();
        let model = languages::read_model_with(&text, &languages::ReadOptions::default()).unwrap().commands;
        let start = Instant::now();
        let proved = proved_ranges(&model);
        let mut layout = StateLayout::proved(&model, &proved);
        if layout.words() > 1 {
            let wanted = observed_ranges(&model);
            layout = StateLayout::observed(&model, &wanted, &proved);
        }
        let system = Compiled.prepare(&model, &layout, StateFunctions::default()).unwrap();
        let compiled = start.elapsed().as_secs_f64();
        let before = cpu();
        let (sample, found) =
            finder::find(&model, &system, &layout, size, finder::Preference { alpha }).unwrap();
        let finding = cpu() - before;
        let Some(found) = found else {
            println!("{name:18} complete={} {} NONE find {finding:.3}", sample.complete, sample.len());
            continue;
        };
        let n = sample.len() as f64;
        let text: Vec<String> = found.components.iter().map(|e| show(&model, e)).collect();
        print!(
            "{name:18} find {finding:.3}+{compiled:.3} pred {:.3} {:.2} mono {}/{} |",
            found.cost.peak as f64 / n,
            found.cost.explored as f64 / n,
            found.monotone,
            found.components.len()
        );
        let measure = ExpressionMeasure::new(&model, &found.components).unwrap();
        let mut distinct = 0;
        let mut base = 0.0;
        for mode in modes.chars() {
            let mut plan = Plan {
                engine: if mode == 'b' { Engine::Breadth } else { Engine::Sweep },
                explore_all: true,
                on_runtime_error: OnRuntimeError::GoOn,
                ..Plan::default()
            };
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
            plan.limits = Limits { states: 4 * distinct.max(1_000_000), ..Limits::default() };
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
                (seconds + finding + compiled) / base,
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
