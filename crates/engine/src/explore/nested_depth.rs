//! Accepting cycles by two depth-first searches, one inside of the other, everything in memory.
//!
//! The search that most model checkers use, and the one to compare the sweep with. The outer search colours states cyan while they are on its path, blue when it has left them; when it leaves
//! an accepting state, the inner one looks from there for a state on the path, among those that are blue, and colours them red. A step of the outer search to a state on its
//! path closes an accepting cycle at once, if one of the two accepts. (Courcoubetis, Vardi, Wolper and Yannakakis 1992, with the early
//! ends of Schwoon and Esparza 2005.) A state is expanded twice at the most.

use super::search::{
    CompleteSearch, Counters, Held, Limits, Monitor, SearchEnd, Snapshot, StopReason, Translation,
};
use crate::store::layer::{Inserted, Layer, LayerFull};
use crate::store::pages::OutOfMemory;
use crate::store::records::{RecordShape, with_records};
use model::guarded_commands::ActionId;
use model::successor_batch::SuccessorBatch;

/// Expansions between two looks of the monitor.
const PER_LOOK: u64 = 1 << 14;

const WHITE: u8 = 0;
const CYAN: u8 = 1;
const BLUE: u8 = 2;
const RED: u8 = 3;
const COLOUR: u8 = 3;
/// Beside the colour.
const ACCEPTING: u8 = 4;

/// What the search asks of a product.
pub trait Expander {
    /// The successors of a state, in place of what is in the batch, or another layout of states.
    ///
    /// # Errors
    /// If the search is to end here.
    fn successors(&mut self, state: &[u64], batch: &mut SuccessorBatch) -> Result<Expanded, SearchEnd>;

    /// Whether the state accepts.
    fn is_accepting(&self, state: &[u64]) -> bool;
}

/// How an expansion went.
pub enum Expanded {
    /// The successors are there.
    Done,
    /// States have so many words from now on, and this translates them.
    Widened(usize, Translation),
}

/// A run that is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DepthCycle {
    /// The number of the initial state, then the steps to the cycle.
    pub stem: Vec<ActionId>,
    /// The steps of the cycle.
    pub cycle: Vec<ActionId>,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    state: u32,
    /// The step that led here.
    action: u32,
    /// Where its steps begin, and the next of them.
    first: usize,
    next: usize,
}

/// A path, and the steps of its states that are still to be taken.
#[derive(Debug, Default)]
struct Path {
    frames: Vec<Frame>,
    steps: Vec<(u32, u32)>,
}

impl Path {
    /// The state at the end of the path, and its next step.
    fn next_step(&mut self) -> Option<(u32, Option<(u32, u32)>)> {
        let frame = self.frames.last_mut()?;
        let step = self.steps.get(frame.next).copied();
        frame.next += usize::from(step.is_some());
        Some((frame.state, step))
    }

    fn leave(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.steps.truncate(frame.first);
        }
    }

    fn bytes(&self) -> usize {
        self.frames.capacity() * size_of::<Frame>() + self.steps.capacity() * 8
    }
}

/// The search.
#[derive(Debug)]
pub struct NestedDepth {
    states: Layer,
    colours: Vec<u8>,
    outer: Path,
    inner: Path,
    batch: SuccessorBatch,
    limits: Limits,
    counters: Counters,
    peak_bytes: usize,
}

fn full(full: LayerFull) -> SearchEnd {
    SearchEnd::Stopped(StopReason::Memory(full))
}

impl NestedDepth {
    /// Over states of this shape.
    pub fn new(shape: RecordShape, limits: Limits) -> Result<Self, OutOfMemory> {
        Ok(Self {
            states: Layer::new(shape, limits.memory)?,
            colours: Vec::new(),
            outer: Path::default(),
            inner: Path::default(),
            batch: SuccessorBatch::new(shape, 1),
            limits,
            counters: Counters { sweeps: 1, layers: 1, ..Counters::default() },
            peak_bytes: 0,
        })
    }

    /// Looks for a cycle. The second part is how it ended.
    pub fn run<E: Expander>(
        &mut self,
        initial: &SuccessorBatch,
        product: &mut E,
        monitor: &mut dyn Monitor,
    ) -> (Option<DepthCycle>, SearchEnd) {
        let mut roots = Vec::new();
        for i in 0..initial.len() {
            match self.number(initial.state(i), product) {
                Ok(root) => roots.push((root, initial.action(i).0)),
                Err(end) => return (None, end),
            }
        }
        for (root, action) in roots {
            match self.search_from(root, action, product, monitor) {
                Ok(None) => {}
                Ok(found) => return (found, SearchEnd::Decided),
                Err(end) => return (None, end),
            }
        }
        (None, SearchEnd::Complete(CompleteSearch::attest()))
    }

    fn search_from<E: Expander>(
        &mut self,
        root: u32,
        action: u32,
        product: &mut E,
        monitor: &mut dyn Monitor,
    ) -> Result<Option<DepthCycle>, SearchEnd> {
        if self.colours[root as usize] & COLOUR != WHITE {
            return Ok(None);
        }
        self.enter_outer(root, action, product, monitor)?;
        while let Some((state, step)) = self.outer.next_step() {
            let accepts = self.colours[state as usize] & ACCEPTING;
            match step {
                Some((target, action)) => {
                    let colour = self.colours[target as usize];
                    if colour & COLOUR == CYAN && (accepts | colour) & ACCEPTING != 0 {
                        return Ok(Some(self.cycle(target, action)));
                    }
                    if colour & COLOUR == WHITE {
                        self.enter_outer(target, action, product, monitor)?;
                    }
                }
                None => {
                    if accepts != 0 {
                        let found = self.search_inner(state, product, monitor)?;
                        if found.is_some() {
                            return Ok(found);
                        }
                    }
                    self.colour(state, if accepts != 0 { RED } else { BLUE });
                    self.outer.leave();
                }
            }
        }
        Ok(None)
    }

    /// From an accepting state at the end of the path to a state on it.
    fn search_inner<E: Expander>(
        &mut self,
        seed: u32,
        product: &mut E,
        monitor: &mut dyn Monitor,
    ) -> Result<Option<DepthCycle>, SearchEnd> {
        self.inner.frames.clear();
        self.inner.steps.clear();
        self.enter_inner(seed, 0, product, monitor)?;
        while let Some((_, step)) = self.inner.next_step() {
            let Some((target, action)) = step else {
                self.inner.leave();
                continue;
            };
            match self.colours[target as usize] & COLOUR {
                CYAN => return Ok(Some(self.cycle(target, action))),
                BLUE => {
                    self.colour(target, RED);
                    self.enter_inner(target, action, product, monitor)?;
                }
                _ => {}
            }
        }
        Ok(None)
    }

    fn colour(&mut self, state: u32, colour: u8) {
        let before = &mut self.colours[state as usize];
        *before = *before & ACCEPTING | colour;
    }

    fn enter_outer<E: Expander>(
        &mut self,
        state: u32,
        action: u32,
        product: &mut E,
        monitor: &mut dyn Monitor,
    ) -> Result<(), SearchEnd> {
        self.colour(state, CYAN);
        let first = self.outer.steps.len();
        self.outer.frames.push(Frame { state, action, first, next: first });
        self.counters.depth = self.counters.depth.max(self.outer.frames.len() as u64);
        let mut steps = std::mem::take(&mut self.outer.steps);
        let expanded = self.expand(state, &mut steps, product, monitor);
        self.outer.steps = steps;
        expanded
    }

    fn enter_inner<E: Expander>(
        &mut self,
        state: u32,
        action: u32,
        product: &mut E,
        monitor: &mut dyn Monitor,
    ) -> Result<(), SearchEnd> {
        let first = self.inner.steps.len();
        self.inner.frames.push(Frame { state, action, first, next: first });
        let mut steps = std::mem::take(&mut self.inner.steps);
        let expanded = self.expand(state, &mut steps, product, monitor);
        self.inner.steps = steps;
        expanded
    }

    /// Appends the steps of a state.
    fn expand<E: Expander>(
        &mut self,
        state: u32,
        steps: &mut Vec<(u32, u32)>,
        product: &mut E,
        monitor: &mut dyn Monitor,
    ) -> Result<(), SearchEnd> {
        let mut batch = std::mem::take(&mut self.batch);
        loop {
            batch.clear();
            match product.successors(self.states.state(state as usize), &mut batch)? {
                Expanded::Done => break,
                Expanded::Widened(width, translate) => {
                    batch = SuccessorBatch::new(RecordShape::Fixed(width), 1);
                    let peak = self.states.repack(width, translate).map_err(full)?;
                    self.peak_bytes = self.peak_bytes.max(peak);
                }
            }
        }
        for i in 0..batch.len() {
            steps.push((self.number(batch.state(i), product)?, batch.action(i).0));
        }
        self.counters.explored += 1;
        self.counters.transitions += batch.len() as u64;
        self.batch = batch;
        if self.states.len() as u64 > self.limits.states {
            return Err(SearchEnd::Stopped(StopReason::StateLimit(self.limits.states)));
        }
        if self.counters.explored.is_multiple_of(PER_LOOK) { self.look(monitor) } else { Ok(()) }
    }

    fn number<E: Expander>(&mut self, state: &[u64], product: &E) -> Result<u32, SearchEnd> {
        let inserted = with_records!(self.states.shape(), records => self.states.insert(records, state));
        match inserted.map_err(full)? {
            Inserted::Known(number) => Ok(number),
            Inserted::New(number) => {
                self.colours.push(if product.is_accepting(state) { ACCEPTING } else { WHITE });
                Ok(number)
            }
        }
    }

    /// The run to a state on the path, on to the end of both paths, and by this action back to it.
    fn cycle(&self, target: u32, action: u32) -> DepthCycle {
        let frames = &self.outer.frames;
        let place = frames.iter().position(|frame| frame.state == target).unwrap_or(0);
        let action_of = |frame: &Frame| ActionId(frame.action);
        let inner = self.inner.frames.iter().skip(1).map(action_of);
        let cycle = frames[place + 1..].iter().map(action_of).chain(inner);
        DepthCycle {
            stem: frames[..=place].iter().map(action_of).collect(),
            cycle: cycle.chain([ActionId(action)]).collect(),
        }
    }

    /// The number of the initial state, then the steps to the state that is being expanded.
    pub fn path(&self) -> Vec<ActionId> {
        let inner = self.inner.frames.iter().skip(1);
        self.outer.frames.iter().chain(inner).map(|frame| ActionId(frame.action)).collect()
    }

    fn look(&mut self, monitor: &mut dyn Monitor) -> Result<(), SearchEnd> {
        let bytes = self.bytes();
        self.peak_bytes = self.peak_bytes.max(bytes);
        if bytes > self.limits.memory {
            return Err(full(LayerFull::Budget));
        }
        let snapshot = Snapshot {
            stored: self.states.len() as u64,
            waiting: self.outer.steps.len() as u64,
            progress: 0,
            counters: self.counters(),
            bytes: bytes as u64,
        };
        monitor.look(&snapshot).map_or(Ok(()), |reason| Err(SearchEnd::Stopped(reason)))
    }

    /// What was counted.
    pub fn counters(&self) -> Counters {
        let states = self.states.len() as u64;
        let peak = Held { current: states, ..Held::default() };
        Counters { peak, largest_layer: states, ..self.counters }
    }

    /// Number of states.
    pub fn states(&self) -> u64 {
        self.states.len() as u64
    }

    /// The most bytes of memory that were held.
    pub fn peak_bytes(&self) -> usize {
        self.peak_bytes.max(self.bytes())
    }

    fn bytes(&self) -> usize {
        self.states.bytes() + self.colours.capacity() + self.outer.bytes() + self.inner.bytes()
    }
}
