//! A search of any kind, chosen by a plan, and its counts.

use super::executable::Executable;
use super::{CheckError, Plan, SearchPlan, WhenFull};
use crate::explore::depth::DepthSearch;
use crate::explore::nested_depth::NestedDepth;
use crate::explore::partition::PartitionSearch;
use crate::explore::sweep::{Order, SweepSearch, WorkerFigures};
use crate::explore::{Counters, Course, InnerActions, Search};
use crate::property::soundness::SearchKind;
use crate::store::external::disk::Disk;
use crate::store::layer::LayerFull;
use crate::store::pages::OutOfMemory;

/// A search of any kind.
#[derive(Debug)]
pub(super) enum AnySearch {
    Sweep(Box<SweepSearch>),
    Depth(Box<DepthSearch>),
    Partition(Box<PartitionSearch>),
    NestedDepth(Box<NestedDepth>),
}

/// Counts of a search, and the memory that it held.
#[derive(Clone, Debug)]
pub(super) struct SearchFigures {
    pub(super) counters: Counters,
    pub(super) distinct: Option<u64>,
    pub(super) estimated_distinct: u64,
    pub(super) peak_bytes: usize,
    pub(super) course: Option<Course>,
    pub(super) workers: Vec<WorkerFigures>,
}

impl SearchFigures {
    fn of<Q: Search>(search: &Q) -> Self {
        Self {
            counters: search.counters(),
            distinct: search.distinct(),
            estimated_distinct: search.estimated_distinct(),
            peak_bytes: search.peak_bytes(),
            course: search.course(),
            workers: search.workers().to_vec(),
        }
    }
}

fn no_memory(error: OutOfMemory) -> CheckError {
    CheckError::NoMemory(LayerFull::System(error))
}

/// The actions whose steps are counted apart, where states are.
fn inner_actions<M: Executable>(model: &M) -> InnerActions {
    if model.intermediate().is_none() {
        return InnerActions::default();
    }
    InnerActions::new(&model.structure().map_or_else(Vec::new, |structure| structure.inner_actions()))
}

impl AnySearch {
    /// Creates a search of this kind for the model, by this plan.
    ///
    /// # Errors
    /// There is no memory to begin.
    pub(super) fn new<M: Executable>(
        kind: SearchKind,
        plan: &Plan,
        model: &M,
        disk: &Disk,
    ) -> Result<Self, CheckError> {
        let shape = model.shape();
        let inner = inner_actions(model);
        Ok(match kind {
            SearchKind::Layers(order) => {
                let search = SweepSearch::new(shape, order, plan.limits).map_err(no_memory)?;
                let mut search = search.with_threads(plan.threads).with_inner(inner);
                if plan.course {
                    let actions = model.structure().map_or(0, |structure| structure.actions());
                    search = search.with_course(actions);
                }
                let is_whole = match plan.search {
                    SearchPlan::Breadth(when_full) => when_full == WhenFull::Stop,
                    // Another search follows when memory is full. A run that is saved goes on.
                    SearchPlan::Adaptive => plan.checkpoint.is_none() && order == Order::Constant,
                    _ => false,
                };
                if !is_whole {
                    search = search.spill_to(plan.spilling(disk));
                }
                Self::Sweep(Box::new(search))
            }
            SearchKind::Depth => {
                let search = DepthSearch::new(shape, plan.limits).map_err(no_memory)?;
                Self::Depth(Box::new(search.with_inner(inner)))
            }
            SearchKind::Partitions => {
                let search = PartitionSearch::new(shape, plan.limits, disk.clone()).map_err(no_memory)?;
                let search = search.with_threads(plan.threads).with_inner(inner);
                Self::Partition(Box::new(search.with_states_in_memory(plan.disk.in_memory)))
            }
        })
    }

    /// Creates a nested depth-first search for the product of a model with an automaton.
    ///
    /// # Errors
    /// There is no memory to begin.
    pub(super) fn nested_depth<M: Executable>(plan: &Plan, product: &M) -> Result<Self, CheckError> {
        let search = NestedDepth::new(product.shape(), plan.limits).map_err(no_memory)?;
        Ok(Self::NestedDepth(Box::new(search.with_inner(inner_actions(product)))))
    }

    /// Counts so far, and the memory held so far.
    pub(super) fn figures(&self) -> SearchFigures {
        match self {
            Self::Sweep(search) => SearchFigures::of(&**search),
            Self::Depth(search) => SearchFigures::of(&**search),
            Self::Partition(search) => SearchFigures::of(&**search),
            Self::NestedDepth(search) => SearchFigures::of(&**search),
        }
    }

    /// Whether the search supports checkpoints.
    pub(super) fn can_be_saved(&self) -> bool {
        match self {
            Self::Sweep(search) => search.can_be_saved(),
            Self::Depth(search) => search.can_be_saved(),
            Self::Partition(search) => search.can_be_saved(),
            Self::NestedDepth(search) => search.can_be_saved(),
        }
    }
}
