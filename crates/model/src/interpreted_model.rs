//! The interpreter behind the waist: unpack, interpret, pack.
//!
//! For models or machines without machine code, and as the other side of differential tests.

use super::guarded_commands::{Expression, GuardedCommands};
use super::interpreter::Interpreter;
use super::state_layout::StateLayout;
use super::successor_batch::SuccessorBatch;
use super::transition_system::{
    Execution, ExecutionError, Expansion, StateFunctions, TransitionSystem, Truth,
};

/// Executes models by interpretation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interpreted;

impl Execution for Interpreted {
    type System<'m> = InterpretedModel<'m>;

    fn prepare<'m>(
        &self,
        model: &'m GuardedCommands,
        layout: &StateLayout,
        functions: StateFunctions<'_>,
    ) -> Result<InterpretedModel<'m>, ExecutionError> {
        Ok(InterpretedModel {
            interpreter: Interpreter::new(model),
            layout: layout.clone(),
            predicates: functions.predicates.to_vec(),
            progress: functions.progress.cloned(),
        })
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
    fn state_words(&self) -> usize {
        self.layout.words()
    }

    fn expand(&self, states: &[u64], batch: &mut SuccessorBatch) -> Expansion {
        let (mut cells, mut packed) = (Vec::new(), vec![0; self.layout.words()]);
        let mut expanded = 0;
        for state in states.chunks_exact(self.layout.words()) {
            if batch.is_full() {
                break;
            }
            self.layout.decode(state, &mut cells);
            let mut trouble = false;
            self.interpreter.for_each_successor(&cells, |action, successor| {
                match successor.map(|cells| self.layout.encode(cells, &mut packed)) {
                    Ok(Ok(())) => batch.push(action, &packed),
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

    fn predicates(&self, state: &[u64]) -> Truth {
        let mut cells = Vec::new();
        self.layout.decode(state, &mut cells);
        let mut truth = Truth::default();
        for (number, predicate) in self.predicates.iter().enumerate() {
            match self.interpreter.evaluate(predicate, &cells) {
                Ok(0) => {}
                Ok(_) => truth.holds |= 1 << number,
                Err(_) => truth.undefined |= 1 << number,
            }
        }
        truth
    }
    fn progress(&self, states: &[u64], values: &mut Vec<u64>) {
        let Some(measure) = &self.progress else {
            return values.extend(states.chunks_exact(self.layout.words()).map(|_| 0));
        };
        let mut cells = Vec::new();
        values.extend(states.chunks_exact(self.layout.words()).map(|state| {
            self.layout.decode(state, &mut cells);
            self.interpreter.evaluate(measure, &cells).map_or(0, |value| value as u64)
        }));
    }
}
