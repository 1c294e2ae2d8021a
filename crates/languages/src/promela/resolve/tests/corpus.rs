//! The oracles' models: what SPIN accepts is accepted here, and what it refuses is refused.

use std::path::{Path, PathBuf};

use oracles::{Promela, PromelaAnswer};

use super::super::super::corpus::models;
use super::super::super::parse::parse;
use super::super::super::program::Program;
use super::super::resolve;
use crate::diagnostic::{Diagnostic, Diagnostics};

/// Models that we accept and SPIN refuses: one for a jump to a `d_step`, one without a reason.
const ACCEPTED: [&str; 2] = [
    "tier4_awkernel/specification/awkernel_async_lib/src/task/wake_workers_no_std/wake_workers.pml",
    "RFCNLP_RFCNLP/tutorials/src/tcp.harness.files/harness3.pml",
];

/// What a model resolves to; `None` if it is not even read.
fn read(promela: &Promela, answer: &PromelaAnswer) -> (String, Option<Result<Program, Vec<Diagnostic>>>) {
    let path = promela.path(&answer.file);
    let bytes = std::fs::read(&path).unwrap();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let include = |including: &str, name: &str| {
        let including = if including.is_empty() { path.as_path() } else { Path::new(including) };
        let included = including.parent().map_or_else(|| PathBuf::from(name), |folder| folder.join(name));
        let bytes = std::fs::read(&included).map_err(|error| error.to_string())?;
        Ok((included.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()))
    };
    let define = |define: &String| match define.split_once('=') {
        Some((name, value)) => (name.to_owned(), value.to_owned()),
        None => (define.clone(), "1".to_owned()),
    };
    let defines: Vec<(String, String)> = answer.defines.iter().map(define).collect();
    let mut diagnostics = Diagnostics::default();
    let file = parse(&text, &defines, &include, &mut diagnostics);
    let Ok(file) = diagnostics.check(file) else { return (text, None) };
    let program = resolve(&file, &mut diagnostics);
    (text, Some(diagnostics.check(program)))
}

fn shown(answer: &PromelaAnswer, text: &str, findings: &[Diagnostic]) -> String {
    let source = crate::Source::new(text);
    let mut shown = answer.instance();
    for finding in findings {
        let position = source.start_of(finding.span);
        let help = finding.help.as_deref().unwrap_or("");
        shown += &format!("\n    {}:{} {finding} ({help})", position.line, position.column);
    }
    shown
}

#[test]
fn every_model_that_spin_accepts_is_resolved() {
    let Some(promela) = Promela::find_or_say_skipped("resolving the models that SPIN accepts") else {
        return;
    };
    let (mut failures, mut resolved) = (Vec::new(), 0);
    for answer in models(&promela).iter().filter(|answer| answer.supported == "yes") {
        match read(&promela, answer) {
            (_, Some(Ok(_))) => resolved += 1,
            (text, Some(Err(errors))) => failures.push(shown(answer, &text, &errors)),
            // The tests of the parser say what it does not read.
            (_, None) => {}
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(resolved > 250, "only {resolved} models are resolved");
}

#[test]
fn every_model_that_spin_refuses_is_refused() {
    let Some(promela) = Promela::find_or_say_skipped("refusing the models that SPIN refuses") else { return };
    let mut accepted = Vec::new();
    for answer in models(&promela).iter().filter(|answer| answer.supported != "yes") {
        if let (_, Some(Ok(_))) = read(&promela, answer)
            && !ACCEPTED.contains(&answer.file.as_str())
        {
            accepted.push(format!("{}: {}", answer.instance(), answer.note));
        }
    }
    assert!(accepted.is_empty(), "{}", accepted.join("\n"));
}
