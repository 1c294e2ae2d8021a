//! The structure of models that consist of processes and cells, as guarded commands do.
//!
//! Fairness, surveys and counts of actions need it. All other checks do without.

use crate::property::survey::Survey;
use model::guarded_commands::{ActionId, Strength};
use model::state_layout::Field;

/// The processes, actions and cells of a model.
pub trait Structure {
    /// Number of actions.
    fn actions(&self) -> usize;

    /// The numbers of the processes that take part in each action. Empty for models without
    /// processes.
    fn processes_of_actions(&self) -> Vec<Vec<u32>>;

    /// Actions that the model itself declares fair.
    fn fair_actions(&self) -> Vec<(ActionId, Strength)>;

    /// For each action, whether it leads to an intermediate state. Empty if there are none.
    fn inner_actions(&self) -> Vec<bool> {
        Vec::new()
    }

    /// The positions of the cells in a state in the current layout. Empty if states do not consist
    /// of cells.
    fn fields(&self) -> &[Field] {
        &[]
    }

    /// The values of the cells of a state. `None` if states do not consist of cells.
    fn cells(&self, _state: &[u64]) -> Option<Vec<i64>> {
        None
    }

    /// An observer that surveys values and actions, if states consist of cells.
    fn survey(&self) -> Option<Survey> {
        None
    }
}
