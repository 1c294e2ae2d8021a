//! Promela models have the states, the transitions and the verdicts that SPIN computed.
//!
//! The ordinary tests take the models up to 100,000 states; `SWEEPLINE_SLOW_TESTS=1` takes all that
//! SPIN explored completely. Rows whose note names a run-time error have a verdict and no count: SPIN
//! continues with an undefined value there.

use engine::check::{
    AutomaticPlan, CheckError, Engine, OnRuntimeError, Outcome, Plan, Start, check, check_automatically,
};
use engine::explore::sweep::Threads;
use engine::progress::finder::{FinderOptions, SmallModels};
use engine::property::Property;
use engine::property::fairness::Fairness;
use engine::property::linear::Runs;
use engine::verdict::Verdict;
use languages::format::PROMELA;
use languages::{Model, ReadOptions, read_model_with};
use native_code::Compiled;
use oracles::{Promela, PromelaAnswer};
use sweepline::properties::PropertyReader;

/// Models that we refuse and SPIN reads.
const REFUSED: [&str; 2] = [
    // `notrace` is not supported.
    "nimble-code_Spin/Examples/leader_trace.pml",
    // `always !ttt` with `#define ttt pK == false && …`: SPIN reads `(always !pK) == false`.
    "rkolovanov_promela-algorithms/models/2-processes-peterson.pml",
];

/// Rows with another verdict of ours: file, property. Fairness excludes no run of a model that ends.
/// SPIN finds the violation without fairness, and not with it.
const OTHER_READING: [(&str, &str); 1] = [("probes/ltl_stutter.pml", "s3")];

/// A model, its text, and how it was read.
struct Read {
    text: String,
    options: ReadOptions,
    model: Model,
}

fn read(promela: &Promela, answer: &PromelaAnswer) -> Result<Read, String> {
    let path = promela.path(&answer.file);
    let bytes = std::fs::read(&path).map_err(|error| error.to_string())?;
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect());
    let define = |define: &String| match define.split_once('=') {
        Some((name, value)) => (name.to_owned(), value.to_owned()),
        None => (define.clone(), "1".to_owned()),
    };
    let macros = answer.defines.iter().map(define).collect();
    let folder = path.parent().map(std::path::Path::to_owned);
    let options = ReadOptions { format: &PROMELA, macros, folder, ..ReadOptions::default() };
    let model = read_model_with(&text, &options);
    let model = model.map_err(|found| found.iter().map(|one| format!("{one}; ")).collect::<String>())?;
    Ok(Read { text, options, model })
}

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Breadth,
    Threads,
    Sweep,
}

impl Read {
    /// Decides properties, with a larger model as often as the model has no room for a step.
    fn check(
        &mut self,
        way: Way,
        plan: &Plan,
        properties: impl Fn(&Model) -> Vec<Property>,
    ) -> Result<Outcome, String> {
        loop {
            let (commands, asked) = (&self.model.commands, properties(&self.model));
            let outcome = match way {
                Way::Breadth => check(commands, &Compiled, &asked, plan, &mut ()),
                Way::Threads => {
                    let three = std::num::NonZero::new(3).unwrap();
                    let threads = Threads { shared_from: 64, ..Threads::new(three) };
                    check(commands, &Compiled, &asked, &Plan { threads, ..plan.clone() }, &mut ())
                }
                Way::Sweep => {
                    let sweep = Plan { search: Engine::Sweep.into(), ..plan.clone() };
                    let finder = FinderOptions { small: SmallModels::Swept, ..FinderOptions::default() };
                    let automatic = AutomaticPlan { finder, start: Start::Finder };
                    check_automatically(commands, &Compiled, &asked, (&sweep, &automatic), &mut ())
                        .map(|run| run.outcome)
                }
            };
            let outgrown = match outcome {
                Err(CheckError::Outgrown(outgrown)) => outgrown,
                outcome => return outcome.map_err(|error| error.to_string()),
            };
            let options = self.model.options_for(outgrown.action, &outgrown.state, &self.options);
            self.options = options.ok_or("the model cannot be larger")?;
            self.model = read_model_with(&self.text, &self.options).map_err(|found| format!("{found:?}"))?;
        }
    }
}

fn reader(model: &Model, is_fair: bool) -> PropertyReader<'_> {
    let fairness = if is_fair { Fairness::Weak } else { Fairness::Unfair };
    PropertyReader { model, runs: Runs { fairness, ..Runs::default() } }
}

/// Invalid ends, and assertions.
fn safety(model: &Model) -> Vec<Property> {
    let reader = reader(model, false);
    let assertions = model.commands.properties.iter().filter(|one| one.name == "assertions");
    let assertions = assertions.map(|one| reader.declared(one).unwrap());
    [reader.no_deadlock()].into_iter().chain(assertions).collect()
}

fn is_violated(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Violated(_))
}

/// Compares a state space. `None` if it agrees.
fn compare_space(promela: &Promela, answer: &PromelaAnswer, way: Way) -> Option<String> {
    let wrong = |what: String| Some(format!("{} ({way:?}): {what}", answer.instance()));
    let mut read = match read(promela, answer) {
        Ok(read) => read,
        Err(errors) => return wrong(errors),
    };
    let plan = Plan { explore_all: true, on_runtime_error: OnRuntimeError::GoOn, ..Plan::default() };
    let outcome = match read.check(way, &plan, safety) {
        Ok(outcome) => outcome,
        Err(error) => return wrong(error),
    };
    let counters = &outcome.figures.counters;
    let once = counters.model_states() == outcome.figures.distinct.unwrap_or(0);
    let mut differences = Vec::new();
    if !outcome.complete {
        differences.push(format!("not complete: {:?}", outcome.stopped));
    }
    let states = outcome.figures.distinct;
    if states != answer.states && !(states.is_none() && way == Way::Sweep) {
        differences.push(format!("{states:?} states instead of {:?}", answer.states));
    }
    let transitions = counters.model_transitions() + 1;
    if once && answer.atomic_steps == Some(0) && answer.transitions != Some(transitions) {
        differences.push(format!("{transitions} transitions instead of {:?}", answer.transitions));
    }
    let expected = [&answer.invalid_end_state, &answer.assertion_violated];
    for (verdict, expected) in outcome.verdicts.iter().zip(expected) {
        let is_known = expected == "yes" || expected == "no";
        if is_known && is_violated(verdict) != (expected == "yes") {
            differences.push(format!("{verdict:?} instead of {expected}"));
        }
    }
    if differences.is_empty() { None } else { wrong(differences.join(", ")) }
}

/// Whether SPIN explored the model as it is: not cut off, and without run-time errors.
fn is_comparable(answer: &PromelaAnswer) -> bool {
    answer.property == "none"
        && answer.supported == "yes"
        && answer.is_complete
        && answer.states.is_some()
        && !answer.note.contains("run-time error")
        && !REFUSED.contains(&answer.file.as_str())
}

fn compare_spaces(way: Way, states: std::ops::RangeInclusive<u64>) {
    let what = format!("state spaces of Promela models ({way:?})");
    let Some(promela) = Promela::find_or_say_skipped(&what) else { return };
    let answers = promela.answers().unwrap();
    let chosen: Vec<&PromelaAnswer> = answers
        .iter()
        .filter(|answer| is_comparable(answer) && answer.states.is_some_and(|one| states.contains(&one)))
        .collect();
    let wrong: Vec<String> =
        chosen.iter().filter_map(|answer| compare_space(&promela, answer, way)).collect();
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), chosen.len(), wrong.join("\n"));
    eprintln!("{what}: {} agree", chosen.len());
}

/// The property of a row.
fn property(model: &Model, answer: &PromelaAnswer) -> Result<Property, String> {
    let reader = reader(model, answer.is_fair);
    if let Some(formula) = model.formulas.iter().find(|one| one.name == answer.property) {
        return reader.declared_formula(formula).map_err(|error| format!("{error:?}"));
    }
    let declared = model.commands.properties.iter().chain(&model.optional);
    // A claim may have a name.
    let is_claim = |name: &str| name != "assertions" && answer.property == "never";
    let found = declared.into_iter().find(|one| one.name == answer.property || is_claim(&one.name));
    let found = found.ok_or_else(|| format!("there is no property `{}`", answer.property))?;
    reader.declared(found).map_err(|error| format!("{error:?}"))
}

fn compare_verdict(promela: &Promela, answer: &PromelaAnswer, way: Way) -> Option<String> {
    let wrong = |what: String| {
        let fair = if answer.is_fair { ", fair runs" } else { "" };
        Some(format!("{} {}{fair} ({way:?}): {what}", answer.instance(), answer.property))
    };
    let mut read = match read(promela, answer) {
        Ok(read) => read,
        Err(errors) => return wrong(errors),
    };
    if let Err(error) = property(&read.model, answer) {
        return wrong(error);
    }
    let plan = Plan { on_runtime_error: OnRuntimeError::GoOn, ..Plan::default() };
    let asked = |model: &Model| vec![property(model, answer).unwrap()];
    let is_other = answer.is_fair && OTHER_READING.contains(&(&answer.file, &answer.property));
    let expected = (answer.verdict == "violated") != is_other;
    match read.check(way, &plan, asked) {
        Ok(outcome) if is_violated(&outcome.verdicts[0]) == expected => None,
        Ok(outcome) => wrong(format!("{:?} instead of {}", outcome.verdicts[0], answer.verdict)),
        Err(error) => wrong(error),
    }
}

fn compare_verdicts(way: Way, states: std::ops::RangeInclusive<u64>) {
    let what = format!("properties of Promela models ({way:?})");
    let Some(promela) = Promela::find_or_say_skipped(&what) else { return };
    let answers = promela.answers().unwrap();
    let size = |answer: &PromelaAnswer| {
        let space = |one: &&PromelaAnswer| {
            is_comparable(one) && (&one.file, &one.defines) == (&answer.file, &answer.defines)
        };
        answers.iter().find(space).and_then(|space| space.states)
    };
    let is_chosen = |answer: &&PromelaAnswer| {
        answer.property != "none"
            && answer.supported == "yes"
            && ["holds", "violated"].contains(&answer.verdict.as_str())
            && !REFUSED.contains(&answer.file.as_str())
            && size(answer).is_some_and(|size| states.contains(&size))
    };
    let chosen: Vec<&PromelaAnswer> = answers.iter().filter(is_chosen).collect();
    let wrong: Vec<String> =
        chosen.iter().filter_map(|answer| compare_verdict(&promela, answer, way)).collect();
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), chosen.len(), wrong.join("\n"));
    eprintln!("{what}: {} agree", chosen.len());
}

fn slow_tests(what: &str) -> bool {
    let wanted = std::env::var_os("SWEEPLINE_SLOW_TESTS").is_some();
    if !wanted {
        eprintln!("skipped: {what} (set SWEEPLINE_SLOW_TESTS=1)");
    }
    wanted
}

#[test]
fn spaces_up_to_100_000_states_agree() {
    compare_spaces(Way::Breadth, 0..=100_000);
}

#[test]
fn spaces_agree_with_threads() {
    compare_spaces(Way::Threads, 1000..=50_000);
}

#[test]
fn spaces_agree_when_they_are_swept() {
    compare_spaces(Way::Sweep, 0..=20_000);
}

#[test]
fn larger_spaces_agree() {
    if slow_tests("Promela models above 100,000 states") {
        compare_spaces(Way::Breadth, 100_001..=u64::MAX);
    }
}

#[test]
fn properties_of_runs_agree() {
    compare_verdicts(Way::Breadth, 0..=100_000);
}

#[test]
fn properties_of_runs_agree_when_models_are_swept() {
    compare_verdicts(Way::Sweep, 0..=10_000);
}

#[test]
fn properties_of_runs_of_larger_models_agree() {
    if slow_tests("properties of Promela models above 100,000 states") {
        compare_verdicts(Way::Breadth, 100_001..=u64::MAX);
    }
}
