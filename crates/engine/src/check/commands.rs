//! Guarded commands as a subject: layouts that widen, and the interpreter as the judge of traces.

use std::cell::OnceCell;
use std::io;
use std::sync::Arc;

use crate::progress::ExpressionMeasure;
use crate::progress::step_changes::{StepChanges, SystemWithChanges};
use crate::property::survey::Survey;
use crate::reduce::Kept;
use crate::reduce::gain::{Gain, sample};
use crate::reduce::independence::Independence;
use crate::reduce::reduced_system::ReducedSystem;
use crate::reduce::stubborn_sets::StubbornSets;
use crate::store::saved::{Loader, Saver};
use crate::verdict::replay::{ReplayError, ReplayedTrace, replay};
use crate::verdict::trace_log::LoggedRun;
use model::guarded_commands::{Action, ActionId, Expression, GuardedCommands, Shape, Strength};
use model::interpreter::{Interpreter, RuntimeError};
use model::observed_ranges::observed_ranges;
use model::records::RecordShape;
use model::state_layout::{CellRange, Field, Repacking, StateLayout};
use model::successor_batch::SuccessorBatch;
use model::transition_system::{Execution, ExecutionError, MAX_ACTIONS, StateFunctions, TransitionSystem};
use model::value_ranges::proved_ranges;

use super::executable::{Executable, Expanded, Intermediate, Outgrown, ProgressValues};
use super::semantics::Semantics;
use super::structure::Structure;
use super::{CheckError, Packing, Plan};
use crate::store::fingerprint::Fingerprint;

/// Guarded commands, an execution, and the current layout of states.
pub struct CommandsSubject<'m> {
    model: &'m GuardedCommands,
    interpreter: Interpreter<'m>,
    execution: &'m dyn Execution,
    measure: Option<ExpressionMeasure>,
    packing: PackedRanges,
    reduction: Option<Reducing>,
    /// How steps change the progress value, once that was asked for.
    changes: OnceCell<Option<Arc<StepChanges>>>,
}

/// A reduction of the model.
struct Reducing {
    facts: Arc<Independence>,
    kept: Kept,
    /// Whether the reduction is given up if a sample shows no gain.
    may_give_up: bool,
    /// What the sample shows. It is taken when the model is first made executable, and saved: a run
    /// that resumes must not decide again, in another layout.
    gain: OnceCell<Gain>,
}

impl Reducing {
    /// What the sample shows, if the reduction is given up because of it.
    fn given_up(&self) -> Option<Gain> {
        self.gain.get().copied().filter(Gain::is_too_small)
    }
}

/// A layout together with the ranges from which it was made.
struct PackedRanges {
    proved: Vec<CellRange>,
    wanted: Vec<CellRange>,
    layout: StateLayout,
}

impl PackedRanges {
    fn choose(model: &GuardedCommands, packing: Packing) -> Self {
        let proved = proved_ranges(model);
        let layout = StateLayout::proved(model, &proved);
        if packing == Packing::Proved || (packing == Packing::Auto && layout.words() == 1) {
            return Self { wanted: proved.clone(), proved, layout };
        }
        let wanted = observed_ranges(model);
        let tight = StateLayout::observed(model, &wanted, &proved);
        if packing == Packing::Observed || tight.words() < layout.words() {
            Self { proved, wanted, layout: tight }
        } else {
            Self { wanted: proved.clone(), proved, layout }
        }
    }

    /// Widens the ranges for values that do not fit. Returns `false` if all values fit.
    fn widen(&mut self, successors: &[(ActionId, Vec<i64>)]) -> bool {
        let mut fits = true;
        let Self { proved, wanted, layout } = self;
        for (_, state) in successors {
            for (cell, &value) in state.iter().enumerate() {
                if !layout.fields()[cell].capacity().covers(CellRange::exactly(value)) {
                    fits = false;
                    // A value that outgrew its field is likely to grow further. Each widening costs
                    // a pass over all states.
                    let grown = wanted[cell].join(CellRange::exactly(value));
                    wanted[cell] = grown.doubled(proved[cell]).doubled(proved[cell]);
                }
            }
        }
        !fits
    }

    /// A layout for the widened ranges. Values that fitted so far must fit again, even where the
    /// old fields were larger than their ranges.
    fn next_layout(&mut self, model: &GuardedCommands) -> StateLayout {
        for ((range, field), proved) in self.wanted.iter_mut().zip(self.layout.fields()).zip(&self.proved) {
            let held = field.capacity();
            let held = CellRange { low: held.low.max(proved.low), high: held.high.min(proved.high) };
            *range = range.join(held);
        }
        StateLayout::observed(model, &self.wanted, &self.proved)
    }
}

/// The layout with which a search begins.
pub fn layout_for(model: &GuardedCommands, packing: Packing) -> StateLayout {
    PackedRanges::choose(model, packing).layout
}

impl<'m> CommandsSubject<'m> {
    /// Creates a subject, and chooses a layout for the model.
    pub fn new(model: &'m GuardedCommands, execution: &'m dyn Execution, plan: &Plan) -> Self {
        Self {
            model,
            interpreter: Interpreter::new(model),
            execution,
            measure: plan.search.measure().cloned(),
            packing: PackedRanges::choose(model, plan.packing),
            reduction: None,
            changes: OnceCell::new(),
        }
    }

    /// How steps change the progress value, if it is worth knowing.
    fn step_changes(&self) -> Option<Arc<StepChanges>> {
        let measure = self.measure.as_ref()?;
        self.changes.get_or_init(|| StepChanges::new(self.model, measure).map(Arc::new)).clone()
    }

    fn encode_into(&self, batch: &mut SuccessorBatch, states: &[(ActionId, Vec<i64>)]) {
        let mut packed = vec![0; self.packing.layout.words()];
        for (action, state) in states {
            self.packing
                .layout
                .encode(state, &mut packed)
                .expect("the layout holds these states: widen made sure");
            batch.push(*action, &packed);
        }
    }
}

impl Semantics for CommandsSubject<'_> {
    type Predicate = Expression;
    type State = Vec<i64>;
    type Run = ReplayedTrace;
    type Fault = RuntimeError;

    fn steps(&self, state: &Vec<i64>) -> Vec<(ActionId, Option<Vec<i64>>)> {
        self.interpreter.successors(state).into_iter().map(|(action, next)| (action, next.ok())).collect()
    }

    fn holds(&self, predicate: &Expression, state: &Vec<i64>) -> Result<bool, RuntimeError> {
        self.interpreter.evaluate(predicate, state).map(|value| value != 0)
    }

    fn replay(&self, run: &LoggedRun) -> Result<ReplayedTrace, ReplayError> {
        replay(&self.interpreter, run.actions.iter().copied())
    }

    fn states(run: &ReplayedTrace) -> Vec<&Vec<i64>> {
        let trace = run.trace();
        std::iter::once(&trace.initial).chain(trace.steps.iter().map(|step| &step.state)).collect()
    }

    fn last_state(run: &ReplayedTrace) -> &Vec<i64> {
        let trace = run.trace();
        trace.steps.last().map_or(&trace.initial, |step| &step.state)
    }

    fn identify(&self, fingerprint: &mut Fingerprint) {
        fingerprint.add(self.model);
    }

    fn identify_predicate(&self, predicate: &Expression, fingerprint: &mut Fingerprint) {
        fingerprint.add(predicate);
    }
}

impl<'m> Executable for CommandsSubject<'m> {
    type System = Box<dyn TransitionSystem + 'm>;

    fn shape(&self) -> RecordShape {
        RecordShape::Fixed(self.packing.layout.words())
    }

    fn bits(&self) -> usize {
        self.packing.layout.bits()
    }

    fn progress(&self) -> Option<ProgressValues> {
        let values = |measure: &ExpressionMeasure| ProgressValues {
            bits: Some(measure.bits()),
            comparison: measure.comparison(),
        };
        self.measure.as_ref().map(values)
    }

    fn prepare(&self, predicates: &[Expression]) -> Result<Self::System, ExecutionError> {
        if self.model.actions.len() > MAX_ACTIONS {
            let actions = self.model.actions.len();
            return Err(ExecutionError::NotSupported(CheckError::TooManyActions(actions).to_string()));
        }
        let progress = self.measure.as_ref().map(ExpressionMeasure::packed);
        let functions = StateFunctions { predicates, progress };
        let layout = &self.packing.layout;
        let system = self.execution.prepare(self.model, layout, functions)?;
        let system = match &self.reduction {
            None => system,
            Some(one) if one.given_up().is_some() => system,
            Some(Reducing { facts, kept, may_give_up, gain }) => {
                let sets = StubbornSets::new(self.model, facts.clone(), layout, *kept, predicates);
                let reduced = ReducedSystem::new(system, sets, self.measure.is_some());
                let sample = || {
                    let mut initial = SuccessorBatch::new(layout.shape(), 1);
                    self.initial(&mut initial);
                    sample(&reduced, &initial)
                };
                if *may_give_up && gain.get_or_init(sample).is_too_small() {
                    reduced.into_full()
                } else {
                    Box::new(reduced)
                }
            }
        };
        Ok(match self.step_changes() {
            None => system,
            Some(changes) => Box::new(SystemWithChanges::new(system, changes)),
        })
    }

    fn initial(&self, batch: &mut SuccessorBatch) {
        self.encode_into(batch, &[(ActionId(0), self.model.initial_state())]);
    }

    fn expand(&mut self, state: &[u64], batch: &mut SuccessorBatch) -> Expanded<RuntimeError> {
        let cells = self.decode(state);
        let successors = self.interpreter.successors(&cells);
        let mut good = Vec::with_capacity(successors.len());
        let mut error = None;
        for (action, result) in successors {
            match result {
                Ok(state) => good.push((action, state)),
                Err(_) if self.model.outgrowing.binary_search(&action).is_ok() => {
                    return Expanded::Outgrown(Outgrown { action, state: cells });
                }
                Err(found) => error = error.or(Some((action, found))),
            }
        }
        if self.packing.widen(&good) {
            let new = self.packing.next_layout(self.model);
            let old = std::mem::replace(&mut self.packing.layout, new);
            let repacking = Repacking::new(&old, &self.packing.layout);
            return Expanded::Widened(Box::new(move |state, packed| repacking.apply(state, packed)));
        }
        self.encode_into(batch, &good);
        Expanded::Successors(error)
    }

    fn decode(&self, state: &[u64]) -> Vec<i64> {
        let mut cells = Vec::new();
        self.packing.layout.decode(state, &mut cells);
        cells
    }

    fn spare_bits(&self, bits: u32) -> Option<(usize, u32)> {
        self.packing.layout.spare_bits(bits)
    }

    fn reduce(&mut self, kept: Kept, may_give_up: bool) -> bool {
        let facts = Arc::new(Independence::new(self.model));
        self.reduction = Some(Reducing { facts, kept, may_give_up, gain: OnceCell::new() });
        true
    }

    fn follow(&mut self, measure: &ExpressionMeasure) -> bool {
        self.measure = Some(measure.clone());
        self.changes = OnceCell::new();
        true
    }

    fn given_up(&self) -> Option<Gain> {
        self.reduction.as_ref()?.given_up()
    }

    fn structure(&self) -> Option<&dyn Structure> {
        Some(self)
    }

    fn intermediate(&self) -> Option<Intermediate<Expression>> {
        self.model.intermediate().map(Intermediate::Where)
    }

    fn save(&self, to: &mut Saver) -> io::Result<()> {
        let gain = self.reduction.as_ref().and_then(|one| one.gain.get());
        to.put(&(&self.packing.wanted, &self.packing.layout, gain))
    }

    fn load(&mut self, from: &mut Loader) -> io::Result<()> {
        let gain: Option<Gain>;
        (self.packing.wanted, self.packing.layout, gain) = from.get()?;
        if let (Some(one), Some(gain)) = (&mut self.reduction, gain) {
            one.gain = OnceCell::from(gain);
        }
        Ok(())
    }
}

impl Structure for CommandsSubject<'_> {
    fn actions(&self) -> usize {
        self.model.actions.len()
    }

    fn processes_of_actions(&self) -> Vec<Vec<u32>> {
        let of = |action: &Action| action.participants.iter().map(|one| one.process.0).collect();
        self.model.actions.iter().map(of).collect()
    }

    fn fair_actions(&self) -> Vec<(ActionId, Strength)> {
        self.model.fair_actions.clone()
    }

    fn inner_actions(&self) -> Vec<bool> {
        self.model.actions.iter().map(|action| self.model.enters_intermediate(action)).collect()
    }

    fn fields(&self) -> &[Field] {
        self.packing.layout.fields()
    }

    fn cells(&self, state: &[u64]) -> Option<Vec<i64>> {
        Some(self.decode(state))
    }

    fn survey(&self) -> Option<Survey> {
        let locations = |cell: usize| match self.model.variable(self.model.cells[cell].variable).shape {
            Shape::Location(process) => Some(self.model.process(process).locations.len()),
            _ => None,
        };
        Some(Survey::new(self.fields(), self.model.actions.len(), locations))
    }
}
