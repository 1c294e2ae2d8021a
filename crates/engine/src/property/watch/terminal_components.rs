//! Properties that the terminal strongly connected components of a layer decide: `AG EF p` is
//! violated by one where `p` is true nowhere, and `EF AG p` is shown by one where it is true
//! everywhere.

use serde::{Deserialize, Serialize};

use super::super::components::LayerComponents;
use super::answers::{Answers, Owners};

/// Predicates whose truth in a terminal component is an answer.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct ComponentWatch {
    pub(super) layer: LayerComponents,
    owners: Owners,
    /// Predicates that a component decides in which they are true nowhere.
    nowhere: u64,
    /// Predicates that a component decides in which they are true everywhere.
    everywhere: u64,
}

impl ComponentWatch {
    /// Watches for a component in which the predicate is true nowhere.
    pub(super) fn add_nowhere(&mut self, predicate: u32, property: usize) {
        self.nowhere |= self.owners.add(predicate, property);
    }

    /// Watches for a component in which the predicate is true everywhere.
    pub(super) fn add_everywhere(&mut self, predicate: u32, property: usize) {
        self.everywhere |= self.owners.add(predicate, property);
    }

    /// Predicates that are not decided yet.
    #[inline(always)]
    pub(super) fn open(&self) -> u64 {
        self.nowhere | self.everywhere
    }

    /// Notes what the components of the layer decide, when the layer is complete.
    pub(super) fn decide(&mut self, answers: &mut Answers) {
        for component in self.layer.terminal() {
            let news = (self.nowhere & !component.some) | (self.everywhere & component.all);
            self.nowhere &= !news;
            self.everywhere &= !news;
            self.owners.settle(news, component.first, answers);
        }
    }
}
