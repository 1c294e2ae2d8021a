//! The interpreter as a transition system: unpack, interpret, pack.
//!
//! For models or machines without machine code, and as the second opinion in differential tests.

use super::guarded_commands::{Expression, GuardedCommands};
use super::interpreter::Interpreter;
use super::records::RecordShape;
use super::state_layout::StateLayout;
use super::successor_batch::SuccessorBatch;
use super::transition_system::{
    Execution, ExecutionError, Expander, Expansion, StateFunctions, TransitionSystem, Truth,
};

/// Executes models by interpretation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interpreted;

impl Execution for Interpreted {
    fn prepare<'m>(
        &self,
        model: &'m GuardedCommands,
        layout: &StateLayout,
        functions: StateFunctions<'_>,
    ) -> Result<Box<dyn TransitionSystem + 'm>, ExecutionError> {
        Ok(Box::new(InterpretedModel {
            interpreter: Interpreter::new(model),
            layout: layout.clone(),
            predicates: functions.predicates.to_vec(),
            progress: functions.progress.cloned(),
        }))
    }

    fn name(&self) -> &'static str {
        "interpreted"
    }
}

/// A model executed by the interpreter on packed states.
#[derive(Debug)]
pub struct InterpretedModel<'m> {
    interpreter: Interpreter<'m>,
    layout: StateLayout,
    predicates: Vec<Expression>,
    progress: Option<Expression>,
}

impl TransitionSystem for InterpretedModel<'_> {
    fn shape(&self) -> RecordShape {
        RecordShape::Fixed(self.layout.words())
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        let packed = vec![0; self.layout.words()];
        Box::new(InterpretingExpander { model: self, cells: Vec::new(), packed })
    }
}

/// The interpreter with buffers for one unpacked and one packed state.
struct InterpretingExpander<'s, 'm> {
    model: &'s InterpretedModel<'m>,
    cells: Vec<i64>,
    packed: Vec<u64>,
}

impl Expander for InterpretingExpander<'_, '_> {
    fn expand(&mut self, states: &[u64], batch: &mut SuccessorBatch) -> Expansion {
        let Self { model: InterpretedModel { interpreter, layout, .. }, cells, packed } = self;
        let mut expanded = 0;
        for state in states.chunks_exact(layout.words()) {
            if batch.is_full() {
                break;
            }
            layout.decode(state, cells);
            let mut trouble = false;
            interpreter.for_each_successor(cells, |action, successor| {
                match successor.map(|cells| layout.encode(cells, packed)) {
                    Ok(Ok(())) => batch.push(action, packed),
                    _ => trouble = true,
                }
            });
            if trouble {
                batch.discard_unfinished();
                return Expansion { states: expanded, trouble };
            }
            batch.end_state();
            expanded += 1;
        }
        Expansion { states: expanded, trouble: false }
    }

    fn predicates(&mut self, states: &[u64], truths: &mut Vec<Truth>) {
        let Self { model: InterpretedModel { interpreter, layout, predicates, .. }, cells, .. } = self;
        truths.extend(states.chunks_exact(layout.words()).map(|state| {
            layout.decode(state, cells);
            let mut truth = Truth::default();
            for (number, predicate) in predicates.iter().enumerate() {
                match interpreter.evaluate(predicate, cells) {
                    Ok(0) => {}
                    Ok(_) => truth.holds |= 1 << number,
                    Err(_) => truth.undefined |= 1 << number,
                }
            }
            truth
        }));
    }

    fn progress(&mut self, states: &[u64], values: &mut Vec<u64>) {
        let Self { model: InterpretedModel { interpreter, layout, progress, .. }, cells, .. } = self;
        let Some(measure) = progress else {
            return values.extend(states.chunks_exact(layout.words()).map(|_| 0));
        };
        values.extend(states.chunks_exact(layout.words()).map(|state| {
            layout.decode(state, cells);
            interpreter.evaluate(measure, cells).map_or(0, |value| value as u64)
        }));
    }
}
