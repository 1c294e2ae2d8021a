//! Searches with those who observe them, compiled here, once.
//!
//! A search is generic over its observers, so that what is not asked for costs nothing; and whoever drives a search is generic
//! over the kind of model. Called from there directly, each search would be compiled again for each model, in each
//! crate that has one, which took most of the time of builds. These methods are not generic: the compiler keeps them in this crate.

use crate::explore::depth::DepthSearch;
use crate::explore::observer::Successors;
use crate::explore::partition::PartitionSearch;
use crate::explore::sweep::SweepSearch;
use crate::explore::{Monitor, Search, SearchEnd};
use crate::store::layer::LayerFull;
use model::successor_batch::SuccessorBatch;
use model::transition_system::TransitionSystem;

use super::ctl::GraphObservers;
use super::run::Observers;

/// A search that these observers watch. The methods are those of [`Search`].
pub(super) trait ObservedBy<O>: Search {
    fn start_observed(
        &mut self,
        system: &dyn TransitionSystem,
        initial: &SuccessorBatch,
        observer: &mut O,
    ) -> Result<(), LayerFull>;

    fn run_observed(
        &mut self,
        system: &dyn TransitionSystem,
        observer: &mut O,
        monitor: &mut dyn Monitor,
    ) -> SearchEnd;

    fn supply_observed(
        &mut self,
        system: &dyn TransitionSystem,
        batch: &SuccessorBatch,
        successors: Successors,
        observer: &mut O,
    ) -> Result<(), SearchEnd>;
}

macro_rules! observed {
    ($($search:ty, by $observers:ty;)*) => {$(
        impl ObservedBy<$observers> for $search {
            fn start_observed(
                &mut self,
                system: &dyn TransitionSystem,
                initial: &SuccessorBatch,
                observer: &mut $observers,
            ) -> Result<(), LayerFull> {
                self.start(system, initial, observer)
            }

            fn run_observed(
                &mut self,
                system: &dyn TransitionSystem,
                observer: &mut $observers,
                monitor: &mut dyn Monitor,
            ) -> SearchEnd {
                self.run(system, observer, monitor)
            }

            fn supply_observed(
                &mut self,
                system: &dyn TransitionSystem,
                batch: &SuccessorBatch,
                successors: Successors,
                observer: &mut $observers,
            ) -> Result<(), SearchEnd> {
                self.supply(system, batch, successors, observer)
            }
        }
    )*};
}

observed! {
    SweepSearch, by Observers;
    DepthSearch, by Observers;
    PartitionSearch, by Observers;
    SweepSearch, by GraphObservers;
}
