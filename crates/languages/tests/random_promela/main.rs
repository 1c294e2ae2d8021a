//! Random Promela programs have the counts and the verdicts that SPIN finds.
//!
//! A program that differs is made smaller, and written to a file. Programs that SPIN refuses, or that
//! have run-time errors, are left out.

mod exploration;
mod generator;
mod program;
mod spin;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use self::program::Program;

/// What an exploration finds.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Answer {
    states: u64,
    /// `None` if SPIN counts some of them as atomic steps.
    transitions: Option<u64>,
    has_invalid_end: bool,
    fails_assertion: bool,
}

/// How a program compares.
enum Comparison {
    /// SPIN gives no answer.
    LeftOut,
    Agrees,
    Differs(String),
}

fn compare(folder: &Path, program: &Program) -> Comparison {
    let text = program.text();
    std::fs::write(folder.join("model.pml"), &text).expect("the folder can be written to");
    let Some(expected) = spin::explore(folder) else { return Comparison::LeftOut };
    match exploration::explore(&text) {
        Ok(mut found) => {
            found.transitions = found.transitions.filter(|_| expected.transitions.is_some());
            if found == expected {
                Comparison::Agrees
            } else {
                Comparison::Differs(format!("{found:?} instead of {expected:?}"))
            }
        }
        Err(reason) => Comparison::Differs(format!("{reason} instead of {expected:?}")),
    }
}

/// The smallest program that still differs, of those that deleting leads to.
fn shrunk(folder: &Path, mut program: Program, mut difference: String) -> (Program, String) {
    'again: loop {
        for smaller in program.smaller() {
            if let Comparison::Differs(now) = compare(folder, &smaller) {
                (program, difference) = (smaller, now);
                continue 'again;
            }
        }
        return (program, difference);
    }
}

/// A folder of its own for each thread.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("random_promela").join(name);
    std::fs::create_dir_all(&folder).expect("the target directory can be written to");
    folder
}

#[test]
fn random_programs_have_the_counts_and_the_verdicts_of_spin() {
    if !spin::is_installed() {
        eprintln!("skipped: random Promela programs (install spin and gcc)");
        return;
    }
    let wanted = std::env::var_os("SWEEPLINE_SLOW_TESTS").is_some();
    let seeds = if wanted { 0..4_000 } else { 0..30 };
    if !wanted {
        eprintln!("skipped: most random Promela programs (set SWEEPLINE_SLOW_TESTS=1)");
    }
    let next = AtomicU64::new(seeds.start);
    let compared = Mutex::new(BTreeMap::<String, u64>::new());
    let failures = Mutex::new(Vec::new());
    let work = |thread: usize| {
        let folder = folder(&thread.to_string());
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return;
            }
            let (program, features) = generator::random_program(seed);
            match compare(&folder, &program) {
                Comparison::LeftOut => {}
                Comparison::Agrees => {
                    let mut compared = compared.lock().unwrap();
                    let names = features.iter().map(|feature| format!("{feature:?}"));
                    for name in names.chain(["all".into()]) {
                        *compared.entry(name).or_default() += 1;
                    }
                }
                Comparison::Differs(difference) => {
                    let (program, difference) = shrunk(&folder, program, difference);
                    let file = self::folder("failures").join(format!("{seed}.pml"));
                    std::fs::write(&file, program.text()).unwrap();
                    failures.lock().unwrap().push(format!("seed {seed}, {}: {difference}", file.display()));
                }
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            // Expressions are nested deeply in the programs that have many escapes.
            let builder = std::thread::Builder::new().stack_size(64 << 20);
            let work = &work;
            builder.spawn_scoped(scope, move || work(thread)).unwrap();
        }
    });
    let compared = compared.into_inner().unwrap();
    eprintln!("programs that agree, by feature: {compared:?}");
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let all = compared.get("all").copied().unwrap_or(0);
    assert!(all * 3 > seeds.end, "SPIN answers for only {all} of {} programs", seeds.end);
}
