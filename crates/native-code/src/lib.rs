//! Guarded commands compiled to machine code.
//!
//! The principal type in this crate is [`Compiled`], an [`Execution`] like
//! [`Interpreted`](model::interpreted_model::Interpreted), only some hundred times faster:
//!
//! ```
//! use engine::check::{Plan, check};
//! use native_code::Compiled;
//!
//! let text = "process P { byte x; state s; init s; trans s -> s { guard x < 9; effect x = x + 1; }; } system async;";
//! let model = languages::read_model(text).expect("a correct model");
//! let outcome = check(&model.commands, &Compiled, &[], &Plan::default(), &mut ())?;
//! assert_eq!(outcome.figures.distinct, Some(10));
//! # Ok::<(), engine::check::CheckError>(())
//! ```
//!
//! One function computes all successors of a state: it reads each process's location, jumps to the
//! actions that start there, tests their guards and writes packed successors directly into the
//! search's batch (`successors.rs`). Fields are read and written in registers (`working_state.rs`,
//! `expressions.rs`). Models with very many actions are split into several functions, because the
//! compile time of one grows faster than its length. If a step is an error, or a value does not fit
//! its field, the function rejects the state, and the caller asks the interpreter for the reason.

mod code_memory;
mod expressions;
mod successors;
mod working_state;

use code_memory::{CompiledFunctions, compile};
use model::guarded_commands::GuardedCommands;
use model::interpreter::actions_by_location;
use model::records::RecordShape;
use model::state_layout::StateLayout;
use model::successor_batch::SuccessorBatch;
use model::transition_system::{
    Execution, ExecutionError, Expander, Expansion, StateFunctions, TransitionSystem, Truth,
};

/// Executes models as machine code.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compiled;

impl Execution for Compiled {
    fn prepare<'m>(
        &self,
        model: &'m GuardedCommands,
        layout: &StateLayout,
        functions: StateFunctions<'_>,
    ) -> Result<Box<dyn TransitionSystem + 'm>, ExecutionError> {
        let functions = compile(model, layout, functions)?;
        let most_successors = most_successors(model);
        Ok(Box::new(CompiledModel { functions, words: layout.words(), most_successors }))
    }

    fn name(&self) -> &'static str {
        "compiled"
    }
}

/// A model as machine code.
#[derive(Debug)]
pub struct CompiledModel {
    functions: CompiledFunctions,
    words: usize,
    most_successors: usize,
}

/// A bound on the successors of a state: the sum over processes of the most actions of one
/// location.
fn most_successors(model: &GuardedCommands) -> usize {
    actions_by_location(model)
        .iter()
        .map(|locations| locations.iter().map(Vec::len).max().unwrap_or(0))
        .sum::<usize>()
}

impl CompiledModel {
    /// Number of whole states in these words.
    #[inline]
    fn count(&self, states: &[u64]) -> usize {
        let count = states.len() / self.words;
        assert_eq!(count * self.words, states.len(), "the states have another layout");
        count
    }
}

impl TransitionSystem for CompiledModel {
    fn shape(&self) -> RecordShape {
        RecordShape::Fixed(self.words)
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(self)
    }
}

/// Machine code needs no scratch space: all threads share the model.
impl Expander for &CompiledModel {
    #[inline]
    fn expand(&mut self, states: &[u64], batch: &mut SuccessorBatch) -> Expansion {
        assert_eq!(batch.shape(), RecordShape::Fixed(self.words), "the batch is for another layout");
        let mut expanded = 0;
        for state in states.chunks_exact(self.words) {
            if batch.is_full() {
                break;
            }
            let (words, actions) = batch.spare(self.most_successors);
            // SAFETY: `state` has the layout's words, and there is room for as many successors as a
            // state can have.
            match unsafe { self.functions.successors(state.as_ptr(), words, actions) } {
                // SAFETY: the function wrote this many successors.
                Some(count) => unsafe { batch.commit_state(count) },
                None => return Expansion { states: expanded, trouble: true },
            }
            expanded += 1;
        }
        Expansion { states: expanded, trouble: false }
    }

    #[inline]
    fn predicates(&mut self, states: &[u64], truths: &mut Vec<Truth>) {
        let count = self.count(states);
        truths.reserve(count);
        // SAFETY: these are `count` whole states, there is room for as many truths, and the
        // function writes them all.
        unsafe {
            let out = truths.as_mut_ptr().add(truths.len());
            self.functions.predicates(states, out);
            truths.set_len(truths.len() + count);
        }
    }

    #[inline]
    fn progress(&mut self, states: &[u64], values: &mut Vec<u64>) {
        let count = self.count(states);
        values.reserve(count);
        // SAFETY: these are `count` whole states, there is room for as many values, and the
        // function writes them all.
        unsafe {
            let out = values.as_mut_ptr().add(values.len());
            self.functions.progress(states, out);
            values.set_len(values.len() + count);
        }
    }
}
