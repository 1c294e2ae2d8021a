//! What is known after a check of a model file.

use std::fmt;

use engine::check;
use engine::verdict::replay::ReplayedTrace;
use engine::verdict::{Evidence, Verdict};
use model::guarded_commands::{CellId, GuardedCommands};

/// Everything that a check found.
///
/// Every trace was replayed on the interpreter, and `Holds` without a trace comes only from a
/// complete search.
#[derive(Clone, Debug)]
#[must_use = "the verdicts are in the outcome"]
pub struct Outcome {
    answers: Vec<(String, Verdict, Option<Trace>)>,
    error: Option<(String, Trace)>,
    figures: Figures,
}

/// What the search counted.
#[derive(Clone, Debug)]
struct Figures {
    complete: bool,
    stopped: Option<String>,
    states: Option<u64>,
    explored: u64,
    transitions: u64,
    deadlocks: Option<u64>,
    peak_states: u64,
    peak_bytes: u64,
}

impl Outcome {
    pub(crate) fn new(names: Vec<String>, found: check::Outcome, commands: &GuardedCommands) -> Self {
        let answer = |(name, verdict): (String, Verdict)| {
            let trace = run_of(&verdict).map(|run| Trace::new(run, commands));
            (name, verdict, trace)
        };
        let error = found.error.map(|error| (error.error.to_string(), Trace::new(&error.trace, commands)));
        Self {
            answers: names.into_iter().zip(found.verdicts).map(answer).collect(),
            error,
            figures: Figures {
                complete: found.complete,
                stopped: found.stopped.map(|reason| reason.to_string()),
                states: found.figures.distinct,
                explored: found.figures.counters.model_states(),
                transitions: found.figures.counters.model_transitions(),
                deadlocks: found.figures.deadlocks,
                peak_states: found.figures.counters.peak.total(),
                peak_bytes: found.figures.peak_state_bytes,
            },
        }
    }

    /// Whether every question has the answer *holds*.
    pub fn holds(&self) -> bool {
        self.error.is_none() && self.answers.iter().all(|(_, verdict, _)| verdict.is_holding())
    }

    /// The verdict on the question with this text or name.
    pub fn verdict(&self, name: &str) -> Option<&Verdict> {
        self.answers.iter().find(|(of, ..)| of == name).map(|(_, verdict, _)| verdict)
    }

    /// All questions with their verdicts, in the order in which they were asked.
    pub fn verdicts(&self) -> impl Iterator<Item = (&str, &Verdict)> {
        self.answers.iter().map(|(name, verdict, _)| (name.as_str(), verdict))
    }

    /// The counterexample or the witness of a question, if its verdict rests on one.
    pub fn trace(&self, name: &str) -> Option<&Trace> {
        self.answers.iter().find(|(of, ..)| of == name).and_then(|(_, _, trace)| trace.as_ref())
    }

    /// The first run-time error of the model, with the run that leads to it.
    pub fn runtime_error(&self) -> Option<(&str, &Trace)> {
        self.error.as_ref().map(|(message, trace)| (message.as_str(), trace))
    }

    /// Whether the search visited every reachable state.
    pub fn is_complete(&self) -> bool {
        self.figures.complete
    }

    /// Why the search was cut short, if it was.
    pub fn stopped(&self) -> Option<&str> {
        self.figures.stopped.as_deref()
    }

    /// Number of distinct states that were visited, where the search can know it.
    pub fn states(&self) -> Option<u64> {
        self.figures.states
    }

    /// Number of state expansions, without those inside atomic sequences.
    pub fn explored(&self) -> u64 {
        self.figures.explored
    }

    /// Number of transitions. A path through an atomic sequence counts once.
    pub fn transitions(&self) -> u64 {
        self.figures.transitions
    }

    /// Number of distinct states without successors, where that is known.
    pub fn deadlocks(&self) -> Option<u64> {
        self.figures.deadlocks
    }

    /// Greatest number of states held at one time.
    pub fn peak_states(&self) -> u64 {
        self.figures.peak_states
    }

    /// Greatest number of bytes for states, their index and buffers.
    pub fn peak_bytes(&self) -> u64 {
        self.figures.peak_bytes
    }
}

fn run_of(verdict: &Verdict) -> Option<&ReplayedTrace> {
    match verdict {
        Verdict::Holds(evidence) | Verdict::Violated(evidence) => match evidence {
            Evidence::Trace(run, _) | Evidence::Lasso(run, _) | Evidence::Component(run, _) => Some(run),
            Evidence::Search(_) => None,
        },
        Verdict::Unknown(_) => None,
    }
}

/// A run of the model, in names and values of its file. Its `Display` shows what each step changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    initial: Vec<(String, String)>,
    steps: Vec<Step>,
}

/// A step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// The action.
    pub action: String,
    /// What the action changes: the variable, its value before, its value after.
    pub changes: Vec<(String, String, String)>,
}

impl Trace {
    fn new(run: &ReplayedTrace, commands: &GuardedCommands) -> Self {
        let trace = run.trace();
        let named = |cell: CellId, value: i64| (commands.cell_name(cell), commands.value_name(cell, value));
        let cells = trace.initial.iter().enumerate();
        let initial = cells.map(|(cell, value)| named(CellId(cell as u32), *value)).collect();
        let step = |(number, step): (usize, &engine::verdict::trace::Step)| {
            let change = |change: engine::verdict::trace::Change| {
                let (name, before) = named(change.cell, change.from);
                (name, before, commands.value_name(change.cell, change.to))
            };
            let changes = trace.changes(number).into_iter().map(change).collect();
            Step { action: commands.action_name(step.action), changes }
        };
        Self { initial, steps: trace.steps.iter().enumerate().map(step).collect() }
    }

    /// Names and values of all variables in the initial state.
    pub fn initial(&self) -> &[(String, String)] {
        &self.initial
    }

    /// The steps, in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values: Vec<String> =
            self.initial.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        writeln!(f, "   0  {}", values.join(", "))?;
        for (number, Step { action, changes }) in self.steps.iter().enumerate() {
            writeln!(f, "{:4}  {action}", number + 1)?;
            let change =
                |(name, before, after): &(String, String, String)| format!("{name}: {before} -> {after}");
            let changes: Vec<String> = changes.iter().map(change).collect();
            if !changes.is_empty() {
                writeln!(f, "      {}", changes.join(", "))?;
            }
        }
        Ok(())
    }
}
