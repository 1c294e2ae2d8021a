//! Answers within the first 10,000 states: what the preparations of the default cost if there is little
//! to search.
//!
//! The lock with the six-step bug, and properties of BEEM that a state near the initial one decides. Of
//! each family of models, the instance with the most states is taken, because that is where the
//! default prepares most in vain.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use oracles::{Beem, PropertyKind};

use super::row::{Measurement, Way};
use crate::Selection;
use crate::binary::Exploration;

/// An answer is early if full exploration expands fewer states.
const FEW: u64 = 10_000;

/// Rows at most, with the lock.
const ROWS: usize = 15;

/// Runs of each.
const REPETITIONS: u32 = 10;

/// The name of the lock, whose bug must be found in [`LOCK_SECONDS`].
pub const LOCK: &str = "broken_lock";

/// Time of the whole process.
pub const LOCK_SECONDS: f64 = 0.020;

/// A question that is answered early.
struct Question {
    name: String,
    model: PathBuf,
    /// The option of `check`, and its value.
    words: [String; 2],
    verdict: &'static str,
}

/// The shortest times to an answer.
pub struct Answer {
    pub name: String,
    /// The property, as an option of `check`.
    pub question: String,
    /// Expansions of full exploration.
    pub explored: u64,
    pub breadth: f64,
    pub default: f64,
    /// Which run gave another answer.
    pub wrong: Option<String>,
}

impl Answer {
    pub fn ratio(&self) -> f64 {
        self.default / self.breadth
    }
}

/// Measures all questions that are selected.
pub fn answers(measurement: &Measurement<'_>, selection: &Selection) -> Result<Vec<Answer>> {
    let lock = Question {
        name: LOCK.into(),
        model: crate::workspace_root().join("models/dve/broken_lock.dve"),
        words: ["--invariant".into(), "inside <= 1".into()],
        verdict: "violated",
    };
    let mut questions: Vec<Question> =
        Some(lock).filter(|lock| selection.takes(&lock.name)).into_iter().collect();
    if let Some(beem) = Beem::find_or_say_skipped("early answers on models of BEEM") {
        questions.extend(early_questions(measurement, &beem, selection)?);
    }
    questions.truncate(ROWS);
    questions.iter().map(|question| answer(measurement, question)).collect()
}

/// The questions about BEEM that full exploration answers early, those with the shortest path first.
fn early_questions(
    measurement: &Measurement<'_>,
    beem: &Beem,
    selection: &Selection,
) -> Result<Vec<Question>> {
    let states: BTreeMap<String, u64> =
        beem.instances()?.into_iter().map(|instance| (instance.name, instance.states)).collect();
    let mut of_family: BTreeMap<String, (u64, usize, Question)> = BTreeMap::new();
    for property in beem.properties()? {
        let Some(shortest) = property.shortest.filter(|_| property.verdict == Some(true)) else { continue };
        if property.kind != PropertyKind::Reach || !selection.takes(&property.instance) {
            continue;
        }
        let model = beem.dve(&property.instance);
        let words = ["--reach".to_owned(), property.formula];
        let limit = ["--state-limit".to_owned(), FEW.to_string()];
        // A few formulas name macros that the models do not have.
        let found = check(measurement, &model, &[&words[..], &limit].concat(), Some(Way::Breadth));
        let run = match found {
            Ok(run) => run,
            Err(error) => {
                eprintln!("left out: {}, {}: {error:#}", property.instance, words.join(" "));
                continue;
            }
        };
        if verdict(&run) != "holds" || explored(&run)? >= FEW {
            continue;
        }
        let size = states.get(&property.instance).copied().unwrap_or(0);
        let family = property.instance.split('.').next().unwrap_or_default().to_owned();
        if of_family.get(&family).is_none_or(|(largest, ..)| size > *largest) {
            let question = Question { name: property.instance, model, words, verdict: "holds" };
            of_family.insert(family, (size, shortest, question));
        }
    }
    let mut questions: Vec<_> = of_family.into_values().collect();
    questions.sort_by_key(|(_, shortest, _)| *shortest);
    Ok(questions.into_iter().map(|(.., question)| question).collect())
}

fn answer(measurement: &Measurement<'_>, question: &Question) -> Result<Answer> {
    let (mut breadth, mut default) = (f64::INFINITY, f64::INFINITY);
    let (mut wrong, mut few) = (None, 0);
    for _ in 0..REPETITIONS {
        for (way, shortest) in [(Some(Way::Breadth), &mut breadth), (None, &mut default)] {
            let run = check(measurement, &question.model, &question.words, way)
                .with_context(|| format!("{}, {}", question.name, question.words.join(" ")))?;
            if verdict(&run) != question.verdict {
                let engine = if way.is_some() { "breadth" } else { "the default" };
                wrong = Some(format!("{} by {engine}, not {}", verdict(&run), question.verdict));
            }
            if way.is_some() {
                few = explored(&run)?;
            }
            *shortest = shortest.min(run.process_seconds);
        }
    }
    let [option, value] = &question.words;
    let asked = format!("{option} \"{value}\"");
    Ok(Answer { name: question.name.clone(), question: asked, explored: few, breadth, default, wrong })
}

/// Without a way, as a user runs it: on as many threads as the program likes.
fn check(
    measurement: &Measurement<'_>,
    model: &Path,
    words: &[String],
    way: Option<Way>,
) -> Result<Exploration> {
    let chosen = way.map_or_else(Vec::new, |way| way.words());
    let threads = if way.is_some() { 1 } else { u32::MAX };
    measurement.sweepline.ask("check", model, &[words, &chosen].concat(), threads, measurement.time_limit)
}

fn verdict(run: &Exploration) -> &str {
    run.record["properties"][0]["verdict"].as_str().unwrap_or("no verdict")
}

fn explored(run: &Exploration) -> Result<u64> {
    run.record["search"]["states"]["explored"].as_u64().context("the record has no expansions")
}
