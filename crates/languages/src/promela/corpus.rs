//! The oracles' models: what SPIN reads is read here, and what it refuses for its syntax is
//! refused.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use oracles::{Promela, PromelaAnswer};

use super::parse::parse;
use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics};

/// The text of a file. Comments may be in any encoding.
fn text(path: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()
}

/// What is wrong with a model.
fn findings(promela: &Promela, answer: &PromelaAnswer) -> Vec<Diagnostic> {
    let path = promela.path(&answer.file);
    let text = text(&path);
    let define = |define: &String| match define.split_once('=') {
        Some((name, value)) => (name.to_owned(), value.to_owned()),
        None => (define.clone(), "1".to_owned()),
    };
    let defines: Vec<(String, String)> = answer.defines.iter().map(define).collect();
    let include = |including: &str, name: &str| {
        let including = if including.is_empty() { path.as_path() } else { Path::new(including) };
        let included = including.parent().map_or_else(|| PathBuf::from(name), |folder| folder.join(name));
        let bytes = std::fs::read(&included).map_err(|error| error.to_string())?;
        Ok((included.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()))
    };
    let mut diagnostics = Diagnostics::default();
    let file = parse(&text, &defines, &include, &mut diagnostics);
    diagnostics.check(file).err().unwrap_or_default()
}

fn shown(promela: &Promela, answer: &PromelaAnswer, findings: &[Diagnostic]) -> String {
    let text = text(&promela.path(&answer.file));
    let source = crate::Source::new(&text);
    let mut shown = answer.instance();
    for finding in findings {
        let position = source.start_of(finding.span);
        let help = finding.help.as_deref().unwrap_or("");
        shown += &format!("\n    {}:{} {finding} ({help})", position.line, position.column);
    }
    shown
}

/// The models, each with its definitions once.
pub(super) fn models(promela: &Promela) -> Vec<PromelaAnswer> {
    let mut seen = BTreeSet::new();
    let answers = promela.answers().unwrap().into_iter();
    answers.filter(|answer| seen.insert((answer.file.clone(), answer.defines.clone()))).collect()
}

/// Models that SPIN reads and we refuse, with the code and the reason.
const REFUSED: [(&str, &str); 2] = [
    // `notrace` is not supported.
    ("nimble-code_Spin/Examples/leader_trace.pml", codes::TRACE_ASSERTION),
    // `always !ttt` with `#define ttt pK == false && …`: SPIN reads `(always !pK) == false`.
    ("rkolovanov_promela-algorithms/models/2-processes-peterson.pml", codes::TEMPORAL_OPERAND),
];

#[test]
fn every_model_that_spin_reads_is_read() {
    let Some(promela) = Promela::find_or_say_skipped("reading the models that SPIN reads") else { return };
    let mut failures = Vec::new();
    for answer in models(&promela).iter().filter(|answer| answer.supported == "yes") {
        let findings = findings(&promela, answer);
        let known = REFUSED.iter().find(|(file, _)| *file == answer.file);
        let is_known = known.is_some_and(|(_, code)| findings.len() == 1 && findings[0].code == *code);
        if !findings.is_empty() && !is_known {
            failures.push(shown(&promela, answer, &findings));
        }
    }
    assert!(failures.is_empty(), "{} models:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_model_with_a_syntax_error_is_refused() {
    let Some(promela) = Promela::find_or_say_skipped("refusing the models that SPIN refuses") else { return };
    let mut failures = Vec::new();
    for answer in models(&promela) {
        let findings = findings(&promela, &answer);
        let is_refused = match answer.supported.as_str() {
            "no: embedded C" => findings.iter().any(|finding| finding.code == codes::EMBEDDED_C),
            "no: SPIN refuses it" => !answer.note.contains("syntax error") || !findings.is_empty(),
            _ => true,
        };
        if !is_refused {
            failures.push(shown(&promela, &answer, &findings));
        }
    }
    assert!(failures.is_empty(), "{} models:\n{}", failures.len(), failures.join("\n"));
}
