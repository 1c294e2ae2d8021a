//! Checks of a Rust model, with verdicts that a test can assert.

use std::fmt;

use crate::check::{CheckError, Engine, Outcome, Plan, SearchPlan, SweepPlan, check_each};
use crate::explore::search::Limits;
use crate::explore::sweep::{OnRegress, Retention};
use crate::explore::{Counters, Monitor};
use crate::property::{Property, PropertyKind};
use crate::verdict::{Evidence, Verdict};

use super::changes::compact;
use super::encoding::StateTooLong;
use super::subject::RustSubject;
use super::{Model, Path, Predicate, Properties};

/// Number of states of a component that are shown.
const SHOWN: usize = 8;

/// Checks all properties of the model: by the sweep if it has progress, breadth-first otherwise.
///
/// # Panics
/// As [`Checker::run`].
pub fn check<M: Model>(model: &M) -> Checked<'_, M> {
    Checker::new(model).run()
}

/// A check with settings.
#[must_use = "a checker does nothing before it is run"]
pub struct Checker<'m, M: Model> {
    model: &'m M,
    engine: Engine,
    /// The settings of the sweep, if the engine is one.
    sweep: SweepPlan,
    plan: Plan,
}

impl<'m, M: Model> Checker<'m, M> {
    /// Creates a check of the model by the sweep if it has progress, breadth-first otherwise.
    pub fn new(model: &'m M) -> Self {
        let plan = Plan { limits: Limits::of_this_machine(), ..Plan::default() };
        Self { model, engine: Engine::Sweep, sweep: SweepPlan::default(), plan }
    }

    /// Selects the engine. [`Engine::Breadth`] gives shortest traces.
    pub fn engine(mut self, engine: Engine) -> Self {
        self.engine = engine;
        self
    }

    /// Sets limits at which the check stops.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.plan.limits = limits;
        self
    }

    /// Stops the check when more than this many states were stored.
    pub fn max_states(mut self, states: u64) -> Self {
        self.plan.limits.states = states;
        self
    }

    /// Explores all states, even when all properties are decided earlier.
    pub fn all_states(mut self) -> Self {
        self.plan.explore_all = true;
        self
    }

    /// Stops at a regress edge: a step that lowers progress.
    pub fn expect_monotone(mut self) -> Self {
        self.sweep.on_regress = OnRegress::Stop;
        self
    }

    /// Keeps a window behind the front of the sweep: layers whose progress is at most `reach` below
    /// the maximum reached so far. This is for cyclic models in which the step that closes a cycle
    /// lowers progress by at most `reach`. A regress edge into the window starts no new sweep.
    pub fn window(mut self, reach: u64) -> Self {
        self.sweep.retention = Retention::Window { bit: 0, reach };
        self
    }

    /// Checks the model.
    ///
    /// # Panics
    /// If the model panics or has no initial state, if a state cannot be encoded, or where
    /// [`run_watched`](Self::run_watched) returns an error.
    #[track_caller]
    pub fn run(self) -> Checked<'m, M> {
        match self.run_watched(&mut ()) {
            Ok(checked) => checked,
            Err(error @ (CheckError::Replay(_) | CheckError::WrongTrace(_))) => {
                panic!(
                    "{error}: are the model's steps and properties functions of the state, in a fixed order?"
                )
            }
            Err(CheckError::Unsound(unsound)) => panic!("{unsound}: {}", unsound.advice()),
            Err(error) => panic!("{error}"),
        }
    }

    /// Checks the model while a monitor watches, which may stop it.
    ///
    /// # Errors
    /// The run could not be made or finished.
    pub fn run_watched(mut self, monitor: &mut dyn Monitor) -> Result<Checked<'m, M>, CheckError> {
        let properties = Properties::of(self.model).list;
        if self.engine.is_sweep() && !RustSubject::new(self.model, self.engine).has_progress() {
            self.engine = Engine::Breadth;
        }
        let settings = self.sweep;
        self.plan.search = SearchPlan::from(self.engine)
            .changed(|sweep| *sweep = SweepPlan { storage: sweep.storage, ..settings });
        let subject = || RustSubject::new(self.model, self.engine);
        let outcome = check_each(subject, &properties, &self.plan, monitor)?;
        Ok(Checked { model: self.model, engine: self.engine, properties, outcome })
    }
}

/// The verdicts of a check, and its counts.
#[must_use = "verdicts that are not read find nothing: call `assert_holds`"]
pub struct Checked<'m, M: Model> {
    model: &'m M,
    engine: Engine,
    properties: Vec<Property<Predicate<M>>>,
    outcome: Outcome<Path<M>, M::State, StateTooLong>,
}

impl<M: Model> Checked<'_, M> {
    /// Asserts that every property holds; for a model without any, that every state was explored.
    ///
    /// # Panics
    /// If the assertion fails. The message contains the counterexample.
    #[track_caller]
    pub fn assert_holds(&self) {
        if let Some(failure) = self.failure() {
            panic!("{failure}");
        }
    }

    /// Asserts that the property is violated, and returns the counterexample. For seeded errors.
    ///
    /// # Panics
    /// If it is not violated, or if there is no trace that shows it.
    #[track_caller]
    pub fn assert_violated(&self, name: &str) -> &Path<M> {
        match (self.verdict(name), self.path(name)) {
            (Verdict::Violated(_), Some(path)) => path,
            _ => panic!("`{name}` is not violated by a run\n{self}"),
        }
    }

    /// Whether every property holds; see [`assert_holds`](Self::assert_holds).
    pub fn holds(&self) -> bool {
        let all = self.outcome.verdicts.iter().all(|verdict| matches!(verdict, Verdict::Holds(_)));
        all && (self.outcome.complete || !self.properties.is_empty())
    }

    /// The verdict for a property.
    ///
    /// # Panics
    /// If there is no property of that name.
    #[track_caller]
    pub fn verdict(&self, name: &str) -> &Verdict<Path<M>, M::State> {
        let Some(number) = self.properties.iter().position(|property| property.name == name) else {
            let names: Vec<&str> = self.properties.iter().map(|property| property.name.as_str()).collect();
            panic!("there is no property `{name}`, but there are {names:?}");
        };
        &self.outcome.verdicts[number]
    }

    /// The counterexample or witness of a property. `None` if the verdict rests on all states.
    ///
    /// # Panics
    /// If there is no property of that name.
    #[track_caller]
    pub fn path(&self, name: &str) -> Option<&Path<M>> {
        path_of(self.verdict(name))
    }

    /// Whether every reachable state was explored.
    pub fn is_complete(&self) -> bool {
        self.outcome.complete
    }

    /// Number of different states visited. `None` if there was a regress edge: then states may have
    /// been forgotten and visited again.
    pub fn distinct(&self) -> Option<u64> {
        self.outcome.figures.distinct
    }

    /// Number of expanded states, including repeated expansions.
    pub fn explored(&self) -> u64 {
        self.counters().explored
    }

    /// Number of computed steps.
    pub fn transitions(&self) -> u64 {
        self.counters().transitions
    }

    /// Peak number of states held at one time.
    pub fn peak(&self) -> u64 {
        self.counters().peak.total()
    }

    /// Number of different states without steps, where known.
    pub fn deadlocks(&self) -> Option<u64> {
        self.outcome.figures.deadlocks
    }

    /// The engine that was used.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// The counters of the search.
    pub fn counters(&self) -> &Counters {
        &self.outcome.figures.counters
    }

    /// Everything that is known after the run.
    pub fn outcome(&self) -> &Outcome<Path<M>, M::State, StateTooLong> {
        &self.outcome
    }

    /// The reason why [`assert_holds`](Self::assert_holds) would fail.
    fn failure(&self) -> Option<String> {
        if self.holds() {
            return None;
        }
        let mut answers = self.properties.iter().zip(&self.outcome.verdicts);
        // A violation says more than a property that is undecided because of it.
        let found = answers
            .clone()
            .find(|(_, verdict)| matches!(verdict, Verdict::Violated(_)))
            .or_else(|| answers.find(|(_, verdict)| !matches!(verdict, Verdict::Holds(_))));
        let mut text = match found {
            Some((property, verdict)) => self.explain(property, verdict),
            None => "not all states were explored\n".into(),
        };
        if let Some(error) = &self.outcome.error {
            text += &format!("the model leads to a state that cannot be stored: {}\n", error.error);
            text += &format!("after\n{}", error.trace.display(self.model));
        }
        if let Some(regress) = &self.outcome.regress {
            text +=
                &format!("the last step makes progress fall from {} to {}:\n", regress.before, regress.after);
            text += &regress.trace.display(self.model).to_string();
        }
        Some(format!("{text}{self}"))
    }

    fn explain(&self, property: &Property<Predicate<M>>, verdict: &Verdict<Path<M>, M::State>) -> String {
        let claim = format!("`{}` ({})", property.name, kind(property));
        match verdict {
            Verdict::Unknown(reason) => format!("{claim} is not decided: {reason}\n"),
            Verdict::Violated(Evidence::Component(path, component)) => {
                let mut text =
                    format!("{claim} does not hold: it is out of reach after\n{}", path.display(self.model));
                if component.states.len() > 1 {
                    text += &format!("which moves forever among {} states", component.states.len());
                    text += if component.complete { ":\n" } else { " and more:\n" };
                    for state in component.states.iter().take(SHOWN) {
                        text += &format!("     {}\n", compact(&self.model.show_state(state)));
                    }
                }
                text
            }
            Verdict::Violated(Evidence::Trace(path, _)) => {
                let reason = match property.kind {
                    PropertyKind::AlwaysPossible(_) => "does not hold: it is out of reach after",
                    _ => "does not hold after",
                };
                format!("{claim} {reason}\n{}", path.display(self.model))
            }
            Verdict::Violated(Evidence::Lasso(path, start)) => {
                let path = path.display(self.model);
                format!(
                    "{claim} does not hold: this run repeats what follows its state {start} forever:\n{path}"
                )
            }
            Verdict::Violated(Evidence::Search(_)) => match property.kind {
                PropertyKind::Reachable(_) => format!("{claim} does not hold: no reachable state has it\n"),
                _ => format!("{claim} does not hold\n"),
            },
            Verdict::Holds(_) => format!("{claim} holds\n"),
        }
    }
}

fn path_of<M: Model>(verdict: &Verdict<Path<M>, M::State>) -> Option<&Path<M>> {
    match verdict {
        Verdict::Holds(evidence) | Verdict::Violated(evidence) => match evidence {
            Evidence::Trace(path, _) | Evidence::Component(path, _) | Evidence::Lasso(path, _) => Some(path),
            Evidence::Search(_) => None,
        },
        Verdict::Unknown(_) => None,
    }
}

fn kind<M: Model>(property: &Property<Predicate<M>>) -> &'static str {
    match &property.kind {
        PropertyKind::Invariant(_) => "always",
        PropertyKind::Reachable(_) => "sometimes",
        kind => kind.name(),
    }
}

/// One line for each property, and one with counts.
impl<M: Model> fmt::Display for Checked<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (property, verdict) in self.properties.iter().zip(&self.outcome.verdicts) {
            let answer = match verdict {
                Verdict::Holds(_) => "holds",
                Verdict::Violated(_) => "VIOLATED",
                Verdict::Unknown(_) => "unknown",
            };
            write!(f, "{answer:<9} {} ({}", property.name, kind(property))?;
            match path_of(verdict) {
                Some(path) => writeln!(f, ", {} steps)", path.len())?,
                None => writeln!(f, ")")?,
            }
        }
        let counters = self.counters();
        write!(f, "{} states explored", counters.explored)?;
        if let Some(distinct) = self.distinct().filter(|distinct| *distinct != counters.explored) {
            write!(f, " of {distinct} met")?;
        }
        write!(f, ", {} transitions, {} states stored at the peak", counters.transitions, self.peak())?;
        if self.engine.is_sweep() {
            write!(f, ", {} layers, {} sweeps", counters.layers, counters.sweeps)?;
        }
        let bytes = self.outcome.figures.state_bits.div_ceil(8);
        write!(f, ", {bytes} bytes a state")?;
        if let Some(reason) = &self.outcome.stopped {
            write!(f, "; stopped: {reason}")?;
        }
        Ok(())
    }
}

impl<M: Model> fmt::Debug for Checked<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
