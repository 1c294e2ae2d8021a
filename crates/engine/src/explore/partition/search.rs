//! The partitioned search as a [`Search`]: how it begins, is supplied, is repacked, and what it
//! reports.

use model::successor_batch::SuccessorBatch;
use model::transition_system::TransitionSystem;

use crate::explore::expansion::BATCH;
use crate::explore::observer::{Observer, Successors};
use crate::explore::origin::initial_origin;
use crate::explore::search::{Counters, Held, Monitor, Search, SearchEnd, StopReason};
use crate::store::layer::LayerFull;
use crate::store::recent_states::RecentStates;
use crate::store::records::{RecordShape, with_records};

use super::PartitionSearch;
use super::partitions::Partitions;

impl Search for PartitionSearch {
    fn run<O: Observer>(
        &mut self,
        system: &dyn TransitionSystem,
        observer: &mut O,
        monitor: &mut dyn Monitor,
    ) -> SearchEnd {
        with_records!(self.layer.shape(), records => self.run_by_threads(records, system, observer, monitor))
    }

    fn start<O: Observer>(
        &mut self,
        _system: &dyn TransitionSystem,
        initial: &SuccessorBatch,
        observer: &mut O,
    ) -> Result<(), LayerFull> {
        let origins = observer.wants_origins();
        self.partitions = Partitions::new(&self.disk, initial.shape(), origins, self.allowance());
        for number in 0..initial.len() {
            let sent = self.partitions.send(initial.state(number), initial_origin(initial.action(number)));
            self.failure = self.failure.take().or(sent.err().map(StopReason::from));
        }
        Ok(())
    }

    fn supply<O: Observer>(
        &mut self,
        system: &dyn TransitionSystem,
        batch: &SuccessorBatch,
        successors: Successors,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        self.counters.erroneous += u64::from(successors == Successors::WithError);
        let taken = with_records!(self.layer.shape(), records => {
            let Self { layer, front, scratch, partitions, .. } = &mut *self;
            scratch.route(records, batch, 0, (layer, partitions, front.partition));
            self.take(records, &mut *system.expander(), batch, Some(successors), observer)
        });
        match taken {
            Ok(None) => Ok(()),
            Ok(Some(end)) => Err(end),
            Err(reason) => {
                self.failure = Some(reason.clone());
                Err(SearchEnd::Stopped(reason))
            }
        }
    }

    fn repack(
        &mut self,
        width: usize,
        translate: &mut dyn FnMut(&[u64], &mut Vec<u64>),
    ) -> Result<usize, LayerFull> {
        let shape = RecordShape::Fixed(width);
        self.scratch.batch = SuccessorBatch::new(shape, self.most_states.min(BATCH));
        self.scratch.recent = RecentStates::new(shape);
        self.scratch.steps.repack(width, &mut *translate);
        if self.partitions.len() == 1
            && self.partitions.are_empty()
            && self.front.candidates.is_none()
            && let Ok(peak) = self.layer.repack(width, &mut *translate)
        {
            self.partitions = self.partitions.of_shape(shape);
            return Ok(peak + self.bytes() - self.layer.bytes());
        }
        // A layer without room for two copies of itself can still be read.
        if let Err(error) = self.pour_together(width, &mut *translate) {
            self.failure = self.failure.take().or(Some(error.into()));
        }
        let peak = self.bytes();
        self.unload(shape)?;
        Ok(peak)
    }

    fn troubled(&self) -> &[u64] {
        self.layer.state(self.front.cursor)
    }

    /// Number of all states, in memory or not.
    fn stored(&self) -> usize {
        self.records as usize
    }

    fn distinct(&self) -> Option<u64> {
        Some(self.records)
    }

    fn waiting(&self) -> u64 {
        (self.layer.len() - self.front.cursor) as u64 + self.partitions.queued()
    }

    fn counters(&self) -> Counters {
        let mut counters = self.counters;
        let here = self.layer.len() as u64;
        counters.peak = Held { current: counters.peak.current.max(here), ..Held::default() };
        counters.largest_layer = counters.largest_layer.max(here);
        counters
    }

    fn bytes(&self) -> usize {
        self.layer.bytes() + self.fixed_bytes() + self.partitions.bytes()
    }

    fn peak_bytes(&self) -> usize {
        self.peak_bytes.max(self.bytes())
    }
}
