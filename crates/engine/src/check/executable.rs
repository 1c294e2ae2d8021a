//! Executable models: what a search needs of a model to run it on packed states.
//!
//! The [driver](super::drive) calls these methods in a fixed order: `load` if a run resumes, then
//! `prepare` and `initial`, and `expand` whenever the transition system could not expand a state.
//! `expand` may give states another layout. After that, the transition system and everything that
//! depended on the layout are out of date: `shape`, `bits` and `spare_bits` are read again, and
//! `prepare` is called again.

use std::io;

use super::semantics::Semantics;
use super::structure::Structure;
pub use crate::explore::search::Translation;
use crate::progress::{Comparison, ExpressionMeasure};
use crate::reduce::Kept;
use crate::reduce::gain::Gain;
use crate::store::saved::{Loader, Saver};
use model::guarded_commands::ActionId;
use model::records::RecordShape;
use model::successor_batch::SuccessorBatch;
use model::transition_system::{ExecutionError, TransitionSystem};

/// A model that can be searched: its states can be packed, and its steps executed on packed states.
pub trait Executable: Semantics {
    /// The model as a search sees it. It does not borrow the model, whose layout may change while
    /// the search holds it.
    type System: TransitionSystem;

    /// Shape of packed states in the current layout.
    fn shape(&self) -> RecordShape;

    /// Number of bits of a state that are in use; of states of varying length, the mean.
    fn bits(&self) -> usize;

    /// The progress values of the model. `None` if it has no progress measure.
    fn progress(&self) -> Option<ProgressValues>;

    /// Makes the model executable with the current layout.
    fn prepare(&self, predicates: &[Self::Predicate]) -> Result<Self::System, ExecutionError>;

    /// Appends the packed initial states, each with a number by which
    /// [`replay`](Semantics::replay) finds it again.
    fn initial(&self, batch: &mut SuccessorBatch);

    /// Expands a state that the system could not expand: appends its successors, or gives states
    /// another layout.
    fn expand(&mut self, state: &[u64], batch: &mut SuccessorBatch) -> Expanded<Self::Fault>;

    /// Unpacks a state.
    fn decode(&self, state: &[u64]) -> Self::State;

    /// How a search tells intermediate states apart. `None` if there are none, or they are not told
    /// apart.
    fn intermediate(&self) -> Option<Intermediate<Self::Predicate>> {
        None
    }

    /// Number of predicates that a search evaluates besides those of properties.
    fn own_predicates(&self) -> usize {
        usize::from(matches!(self.intermediate(), Some(Intermediate::Where(_))))
    }

    /// Bits in one word of every packed state that are always zero in the current layout: the word,
    /// and the lowest bit.
    fn spare_bits(&self, _bits: u32) -> Option<(usize, u32)> {
        None
    }

    /// Reduces the model from now on: leaves out steps that `_kept` does not need, unless a sample
    /// shows no gain and the reduction may be given up. Returns `false` if this kind of model has no
    /// reduction.
    fn reduce(&mut self, _kept: Kept, _may_give_up: bool) -> bool {
        false
    }

    /// Follows this measure from now on. Returns `false` if the model brings its own, or none.
    fn follow(&mut self, _measure: &ExpressionMeasure) -> bool {
        false
    }

    /// What a sample showed, if the reduction was given up because of it: all steps are taken.
    fn given_up(&self) -> Option<Gain> {
        None
    }

    /// The processes and cells of the model, if it consists of them.
    fn structure(&self) -> Option<&dyn Structure> {
        None
    }

    /// Saves the current layout.
    fn save(&self, _to: &mut Saver) -> io::Result<()> {
        Ok(())
    }

    /// Restores the layout that was saved.
    fn load(&mut self, _from: &mut Loader) -> io::Result<()> {
        Ok(())
    }

    /// Number of words of a packed state; of states of varying length, the mean.
    fn words(&self) -> usize {
        match self.shape() {
            RecordShape::Fixed(words) => words,
            RecordShape::Prefixed => self.bits().div_ceil(64),
        }
    }
}

/// What is known of the progress values of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgressValues {
    /// Number of bits of a value, if known.
    pub bits: Option<u32>,
    /// The comparison of values.
    pub comparison: Comparison,
}

/// A step for which a model has no room. A larger model can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgrown {
    /// The action.
    pub action: ActionId,
    /// The state in which it is enabled, by cells.
    pub state: Vec<i64>,
}

/// The result of [`Executable::expand`].
pub enum Expanded<F> {
    /// The successors are in the batch. A step that is a run-time error is not among them.
    Successors(Option<(ActionId, F)>),
    /// The state has a step for which the model has no room.
    Outgrown(Outgrown),
    /// States have another layout now. The translation converts them.
    Widened(Translation),
}

/// How a search tells intermediate states apart, which it does not count.
#[derive(Clone, Debug)]
pub enum Intermediate<P> {
    /// By this predicate.
    Where(P),
    /// By these bits in the truth of a state.
    Marked(u64),
}
