//! temporary
#![allow(clippy::print_stdout, clippy::unwrap_used)]
use sweepline::check::*;
use sweepline::model::interpreted_model::Interpreted;
fn main() {
    let mut args = std::env::args().skip(1);
    let path = args.next().unwrap();
    let mode = args.next().unwrap_or_default();
    let t0 = std::time::Instant::now();
    let text = std::fs::read_to_string(&path).unwrap();
    let model = match languages::read_model(&text) {
        Ok(m) => m,
        Err(d) => {
            println!("{d:?}");
            return;
        }
    };
    let t1 = t0.elapsed();
    let plan = Plan {
        on_runtime_error: OnRuntimeError::GoOn,
        engine: if mode.contains('d') { Engine::Depth } else { Engine::Breadth },
        packing: if mode.contains('p') {
            Packing::Proved
        } else if mode.contains('o') {
            Packing::Observed
        } else {
            Packing::Auto
        },
        ..Plan::default()
    };
    let t2 = std::time::Instant::now();
    let out = if mode.contains('i') {
        check(&model.commands, &Interpreted, &[], &plan, &mut ())
    } else {
        check(&model.commands, &sweepline_native_code::Compiled, &[], &plan, &mut ())
    }
    .unwrap();
    let t = t2.elapsed();
    println!(
        "{path} states {} edges {} deadlocks {} err {} levels {} words {} bits {} widen {} parse {:?} run {:?} {:.1} ns/edge {:.2}M/s bytes/state {:.1} complete {} actions {}",
        out.distinct,
        out.counters.transitions,
        out.counters.deadlocks,
        out.counters.erroneous,
        out.counters.depth,
        out.layout.words(),
        out.layout.bits(),
        out.widenings,
        t1,
        t,
        t.as_nanos() as f64 / out.counters.transitions as f64,
        out.distinct as f64 / t.as_secs_f64() / 1e6,
        out.peak_state_bytes as f64 / out.distinct as f64,
        out.complete,
        model.commands.actions.len()
    );
}
