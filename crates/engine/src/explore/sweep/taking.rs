//! What becomes of the successors of a batch: those that stay in the layer, those ahead, and those behind.

use crate::explore::observer::{Observer, Step, Successors};
use crate::explore::origin::origin;
use crate::explore::search::{RegressEdge, SearchEnd};
use crate::progress::Comparison;
use crate::store::hash::hash_state;
use crate::store::layer::{Inserted, LayerFull, Width};
use model::successor_batch::SuccessorBatch;
use model::transition_system::{Expander, Truth};

use super::sorted_successors::Behind;
use super::{OnRegress, Order, SweepSearch, out_of_memory};

impl SweepSearch {
    /// Shows the states at the cursor to the observer, stores the successors in the batch, moves the cursor.
    #[inline(always)]
    pub(super) fn take<W: Width, O: Observer>(
        &mut self,
        width: W,
        expander: &mut dyn Expander,
        batch: &SuccessorBatch,
        kind: Option<Successors>,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        // With their kinds, which were counted when they were measured, also if this state ends the search.
        self.counters.transitions += batch.len() as u64;
        if let Some(course) = &mut self.course {
            course.take(batch.actions(0..batch.len()));
        }
        let mut start = 0;
        for (number, &end) in batch.ends().iter().enumerate() {
            let steps = (end - start) as usize;
            start = end;
            let place = self.cursor + number;
            let successors = kind.unwrap_or(Successors::Steps(steps));
            self.counters.deadlocks += u64::from(successors == Successors::Steps(0));
            if self.is_measured() {
                self.revisits.expanded(hash_state(&self.layer.state(place)[..width.get()]));
            }
            let record = self.front.record(place);
            let state = self.layer.state(place);
            let truth = if observer.wants_truth() { expander.predicates(state) } else { Truth::default() };
            if observer.taken(record, state, truth, successors).is_break() {
                return Err(SearchEnd::Decided);
            }
        }
        self.store_leaving(width, batch, observer)?;
        if self.layer.len() + self.staying.numbers.len() > self.most.current {
            self.split_and_announce(width)?;
        }
        if let Err(full) = self.store_staying(width, batch, observer) {
            self.store_with_more_room(width, batch, observer, full)?;
        }
        self.queue.taken += batch.ends().len() as u64;
        if !self.is_sweep_counted && !batch.ends().is_empty() {
            self.is_sweep_counted = true;
            self.counters.sweeps += 1;
        }
        self.cursor += batch.ends().len();
        self.counters.explored += batch.ends().len() as u64;
        Ok(())
    }

    /// Makes room in the layer for the successors that stay in it.
    #[cold]
    pub(super) fn split_and_announce<W: Width>(&mut self, width: W) -> Result<(), SearchEnd> {
        if self.can_split() {
            self.split_layer(width)?;
            self.layer.announce(width, &self.staying.words);
        }
        Ok(())
    }

    /// Makes room in the layer for the successors that stay in it, at the cost of what is remembered behind or by way of the disk, and stores them.
    #[cold]
    pub(super) fn store_with_more_room<W: Width, O: Observer>(
        &mut self,
        width: W,
        batch: &SuccessorBatch,
        observer: &mut O,
        full: LayerFull,
    ) -> Result<(), SearchEnd> {
        if self.window.is_open() {
            self.close_window(width)?;
            self.grant_layer(observer.bytes());
            self.layer.announce(width, &self.staying.words);
            if self.store_staying(width, batch, observer).is_ok() {
                return Ok(());
            }
        }
        if !self.can_split() {
            return Err(out_of_memory(full));
        }
        self.split_and_announce(width)?;
        self.store_staying(width, batch, observer).map_err(out_of_memory)
    }

    /// Stores the successors in other layers: ahead, or, for the next sweep, behind.
    #[inline(always)]
    pub(super) fn store_leaving<W: Width, O: Observer>(
        &mut self,
        width: W,
        batch: &SuccessorBatch,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        let (ends, comparison) = (batch.ends(), self.comparison);
        let mut number = 0;
        for i in self.leaving.drain(..).map(|i| i as usize) {
            let value = self.values[i];
            while ends[number] as usize <= i {
                number += 1;
            }
            let record = self.front.record(self.cursor + number);
            observer.step(Step {
                from: record,
                action: batch.action(i),
                target: batch.state(i),
                number: None,
            });
            observer.progress_step(self.front.value, value);
            let origin = origin(record, batch.action(i));
            if comparison.is_below(self.front.value, value) {
                self.future.append(width, value, batch.state(i), origin);
            } else if comparison == Comparison::Total && value >= self.front.floor {
                self.window.announce(width, value, batch.state(i), (i as u32, origin));
            } else {
                if let Order::Progress { regress: OnRegress::Stop, .. } = self.order {
                    let (action, before) = (batch.action(i), self.front.value);
                    return Err(SearchEnd::Regress(RegressEdge {
                        from: record,
                        action,
                        before,
                        after: value,
                    }));
                }
                if self.nesting.monotone.is_some_and(|bit| value >> bit < self.front.value >> bit) {
                    self.nesting.monotone = None;
                }
                self.behind.words.extend_from_slice(batch.state(i));
                self.behind.origins.push((value, origin));
            }
        }
        self.values.clear();
        let future = &mut self.future;
        self.window.unknown(
            width,
            |number| batch.state(number as usize),
            |value, state, origin| {
                future.append(width, value, state, origin);
            },
        );
        if self.behind.origins.is_empty() { Ok(()) } else { self.persist(width) }
    }

    /// Makes what lies behind persistent.
    pub(super) fn persist<W: Width>(&mut self, width: W) -> Result<(), SearchEnd> {
        let Behind { words, origins } = &mut self.behind;
        if let Some(far) = &mut self.disk.persistent {
            far.sift(width, words, origins);
        }
        let inserted = self.persistent.insert(width, words, origins.drain(..));
        words.clear();
        inserted.map_err(out_of_memory)
    }

    /// Stores the successors in the current layer.
    #[inline(always)]
    pub(super) fn store_staying<W: Width, O: Observer>(
        &mut self,
        width: W,
        batch: &SuccessorBatch,
        observer: &mut O,
    ) -> Result<(), LayerFull> {
        let (ends, first, front) = (batch.ends(), self.cursor, self.front);
        let mut number = 0;
        let mut numbers = self.staying.numbers.iter().map(|i| *i as usize);
        let (is_split, wants_origins) = (self.disk.current.is_some(), self.wants_origins);
        let disk = &mut self.disk;
        self.layer.insert_announced(width, &self.staying.words, |inserted| {
            let i = numbers.next().expect("each of them has a number");
            while ends[number] as usize <= i {
                number += 1;
            }
            let (parent, action) = (front.record(first + number), batch.action(i));
            let number = match inserted {
                Inserted::New(_) if is_split => {
                    if wants_origins {
                        disk.propose(origin(parent, action));
                    }
                    None
                }
                Inserted::New(place) => {
                    observer.stored(Some(parent), action);
                    Some(front.record(place as usize))
                }
                // What an earlier sweep expanded has no number here, nor has what only may be new.
                Inserted::Known(place) if is_split || (place as usize) < front.known => None,
                Inserted::Known(place) => Some(front.record(place as usize)),
            };
            observer.step(Step { from: parent, action, target: batch.state(i), number });
        })?;
        self.staying.words.clear();
        self.staying.numbers.clear();
        Ok(())
    }
}
