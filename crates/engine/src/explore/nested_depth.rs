//! Nested depth-first search: finds accepting cycles by two depth-first searches, one inside the
//! other.
//!
//! Most model checkers use this search, so it is the baseline for the sweep. All states are in
//! memory. The outer search colours states cyan while they are on its path, and blue when it has
//! left them. When it leaves an accepting state, the inner search starts there. It looks for a
//! state on the outer path, among the blue states, and colours them red. A step of the outer search
//! to a state on its own path closes a cycle. If one of the two states accepts, the search ends
//! there with an accepting cycle. A state is expanded at most twice. (Courcoubetis, Vardi, Wolper
//! and Yannakakis 1992, with the early termination of Schwoon and Esparza 2005.)
//!
//! The system is a product with an automaton: the lowest predicate says whether a state accepts.

use std::convert::Infallible;

use super::inner_steps::{INTERMEDIATE, InnerActions};
use super::observer::{Observer, Record, Successors};
use super::search::{
    CompleteSearch, Counters, Held, Limits, Monitor, Search, SearchEnd, Snapshot, StopReason, consult,
};
use crate::store::layer::{Inserted, Layer, LayerFull};
use crate::store::pages::OutOfMemory;
use crate::store::records::{RecordShape, with_records};
use model::guarded_commands::ActionId;
use model::successor_batch::SuccessorBatch;
use model::transition_system::{Expander, TransitionSystem, Truth};

/// Number of expansions between two calls of the monitor.
const PER_LOOK: u64 = 1 << 14;

const WHITE: u8 = 0;
const CYAN: u8 = 1;
const BLUE: u8 = 2;
const RED: u8 = 3;
const COLOUR: u8 = 3;
/// A flag beside the colour. It is known once the outer search has entered the state.
const ACCEPTING: u8 = 4;

/// A run that the automaton accepts: a lasso.
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
    /// The action that led to this state.
    action: u32,
    /// Index of its first step, and of the next one to take.
    first: usize,
    next: usize,
}

/// A path, and the steps of its states that remain to be taken.
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

/// The active one of the two searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Outer,
    Inner,
}

/// A nested depth-first search that holds all states.
#[derive(Debug)]
pub struct NestedDepth {
    states: Layer,
    colours: Vec<u8>,
    /// Initial states from which the outer search has not started, the next one last.
    roots: Vec<(u32, u32)>,
    outer: Path,
    inner: Path,
    stage: Stage,
    /// A state at the end of a path whose steps remain to be computed.
    unexpanded: Option<u32>,
    found: Option<DepthCycle>,
    undefined: Option<u32>,
    batch: SuccessorBatch,
    /// The truth of the predicates in the state at work.
    truths: Vec<Truth>,
    limits: Limits,
    counters: Counters,
    inner_actions: InnerActions,
    /// The number of expansions at which the monitor is called next.
    next_look: u64,
    peak_bytes: usize,
}

impl NestedDepth {
    /// Creates a search over states of this shape.
    pub fn new(shape: RecordShape, limits: Limits) -> Result<Self, OutOfMemory> {
        Ok(Self {
            states: Layer::new(shape, limits.memory)?,
            colours: Vec::new(),
            roots: Vec::new(),
            outer: Path::default(),
            inner: Path::default(),
            stage: Stage::Outer,
            unexpanded: None,
            found: None,
            undefined: None,
            batch: SuccessorBatch::new(shape, 1),
            truths: Vec::new(),
            limits,
            counters: Counters { sweeps: 1, layers: 1, ..Counters::default() },
            inner_actions: InnerActions::default(),
            next_look: PER_LOOK,
            peak_bytes: 0,
        })
    }

    /// Counts steps by these actions apart.
    pub fn with_inner(self, inner_actions: InnerActions) -> Self {
        Self { inner_actions, ..self }
    }

    /// The accepting cycle that ended the search.
    pub fn found(&self) -> Option<&DepthCycle> {
        self.found.as_ref()
    }

    /// The state that ended the search because a predicate has no value in it.
    pub fn undefined_at(&self) -> Option<Record> {
        self.undefined.map(Record::from)
    }

    /// Takes one step of the outer search.
    fn step_outer(&mut self) -> Result<(), SearchEnd> {
        let Some((state, step)) = self.outer.next_step() else {
            let Some((root, action)) = self.roots.pop() else {
                return Err(SearchEnd::Complete(CompleteSearch::attest()));
            };
            if self.colours[root as usize] & COLOUR == WHITE {
                self.enter(root, action);
            }
            return Ok(());
        };
        let accepts = self.colours[state as usize] & ACCEPTING;
        match step {
            Some((target, action)) => {
                let colour = self.colours[target as usize];
                if colour & COLOUR == CYAN && (accepts | colour) & ACCEPTING != 0 {
                    return Err(self.close_cycle(target, action));
                }
                if colour & COLOUR == WHITE {
                    self.enter(target, action);
                }
            }
            None if accepts != 0 => {
                self.stage = Stage::Inner;
                self.enter(state, 0);
            }
            None => {
                self.colour(state, BLUE);
                self.outer.leave();
            }
        }
        Ok(())
    }

    /// Takes one step of the inner search, which begins in the last state of the outer path.
    fn step_inner(&mut self) -> Result<(), SearchEnd> {
        match self.inner.next_step() {
            None => {
                self.stage = Stage::Outer;
                if let Some(seed) = self.outer.frames.last() {
                    self.colour(seed.state, RED);
                }
                self.outer.leave();
            }
            Some((_, None)) => self.inner.leave(),
            Some((_, Some((target, action)))) => match self.colours[target as usize] & COLOUR {
                CYAN => return Err(self.close_cycle(target, action)),
                BLUE => {
                    self.colour(target, RED);
                    self.enter(target, action);
                }
                _ => {}
            },
        }
        Ok(())
    }

    fn colour(&mut self, state: u32, colour: u8) {
        let before = &mut self.colours[state as usize];
        *before = *before & ACCEPTING | colour;
    }

    /// Appends a state to the path of the active search.
    fn enter(&mut self, state: u32, action: u32) {
        if self.stage == Stage::Outer {
            self.colour(state, CYAN);
        }
        let path = self.path_at_work();
        let first = path.steps.len();
        path.frames.push(Frame { state, action, first, next: first });
        self.counters.depth = self.counters.depth.max(self.outer.frames.len() as u64);
        self.unexpanded = Some(state);
    }

    fn path_at_work(&mut self) -> &mut Path {
        match self.stage {
            Stage::Outer => &mut self.outer,
            Stage::Inner => &mut self.inner,
        }
    }

    /// Computes the steps of the state that was entered.
    fn expand<O: Observer>(
        &mut self,
        state: u32,
        expander: &mut dyn Expander,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        let words = self.states.state(state as usize);
        if self.stage == Stage::Outer {
            self.truths.clear();
            expander.predicates(words, &mut self.truths);
            let truth = self.truths.first().copied().unwrap_or_default();
            if truth.undefined != 0 {
                self.undefined = Some(state);
                return Err(SearchEnd::Decided);
            }
            self.colours[state as usize] |= ACCEPTING * (truth.holds & 1) as u8;
            self.counters.intermediate += u64::from(truth.holds & INTERMEDIATE != 0);
        }
        let mut batch = std::mem::take(&mut self.batch);
        batch.clear();
        let expanded = match expander.expand(words, &mut batch).trouble {
            true => Err(SearchEnd::Trouble(Record::from(state))),
            false => self.take(state, &batch, observer),
        };
        self.batch = batch;
        expanded
    }

    /// Takes over the successors of the state that was entered.
    fn take<O: Observer>(
        &mut self,
        state: u32,
        batch: &SuccessorBatch,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        self.unexpanded = None;
        for i in 0..batch.len() {
            let (target, action) = (batch.state(i), batch.action(i));
            let number = self.number(target, Some(Record::from(state)), action, observer)?;
            self.path_at_work().steps.push((number, action.0));
        }
        self.counters.explored += 1;
        self.counters.transitions += batch.len() as u64;
        self.counters.into_intermediate += self.inner_actions.count_batch(batch);
        if self.states.len() as u64 > self.limits.states {
            return Err(SearchEnd::Stopped(StopReason::StateLimit(self.limits.states)));
        }
        Ok(())
    }

    /// The number of a state. A new state is stored.
    fn number<O: Observer>(
        &mut self,
        state: &[u64],
        parent: Option<Record>,
        action: ActionId,
        observer: &mut O,
    ) -> Result<u32, LayerFull> {
        match with_records!(self.states.shape(), records => self.states.insert(records, state))? {
            Inserted::Known(number) => Ok(number),
            Inserted::New(number) => {
                self.colours.push(WHITE);
                observer.stored(parent, action);
                Ok(number)
            }
        }
    }

    /// Notes the lasso: to a state on the outer path, on to the end of both paths, and back by this
    /// action.
    fn close_cycle(&mut self, target: u32, action: u32) -> SearchEnd {
        let frames = &self.outer.frames;
        let place = frames.iter().position(|frame| frame.state == target).unwrap_or(0);
        let action_of = |frame: &Frame| ActionId(frame.action);
        let inner = self.inner.frames.iter().skip(1).map(action_of);
        let cycle = frames[place + 1..].iter().map(action_of).chain(inner);
        self.found = Some(DepthCycle {
            stem: frames[..=place].iter().map(action_of).collect(),
            cycle: cycle.chain([ActionId(action)]).collect(),
        });
        SearchEnd::Decided
    }

    /// Searches until the search ends for any reason.
    fn run_with<O: Observer>(
        &mut self,
        expander: &mut dyn Expander,
        observer: &mut O,
        monitor: &mut dyn Monitor,
    ) -> Result<Infallible, SearchEnd> {
        loop {
            if self.counters.explored >= self.next_look {
                self.next_look += PER_LOOK;
                self.peak_bytes = self.peak_bytes.max(self.bytes());
                if let Some(reason) = consult(&Snapshot::of(self, observer), observer, &self.limits, monitor)
                {
                    return Err(SearchEnd::Stopped(reason));
                }
            }
            match (self.unexpanded, self.stage) {
                (Some(state), _) => self.expand(state, expander, observer)?,
                (None, Stage::Outer) => self.step_outer()?,
                (None, Stage::Inner) => self.step_inner()?,
            }
        }
    }
}

impl Search for NestedDepth {
    fn run<O: Observer>(
        &mut self,
        system: &dyn TransitionSystem,
        observer: &mut O,
        monitor: &mut dyn Monitor,
    ) -> SearchEnd {
        let mut expander = system.expander();
        let Err(end) = self.run_with(&mut *expander, observer, monitor);
        end
    }

    fn start<O: Observer>(
        &mut self,
        _system: &dyn TransitionSystem,
        initial: &SuccessorBatch,
        observer: &mut O,
    ) -> Result<(), LayerFull> {
        for i in 0..initial.len() {
            let action = initial.action(i);
            let number = self.number(initial.state(i), None, action, observer)?;
            self.roots.push((number, action.0));
        }
        self.roots.reverse();
        Ok(())
    }

    fn supply<O: Observer>(
        &mut self,
        _system: &dyn TransitionSystem,
        batch: &SuccessorBatch,
        successors: Successors,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        self.counters.erroneous += u64::from(successors == Successors::WithError);
        match self.unexpanded {
            Some(state) => self.take(state, batch, observer),
            None => Ok(()),
        }
    }

    fn repack(
        &mut self,
        width: usize,
        translate: &mut dyn FnMut(&[u64], &mut Vec<u64>),
    ) -> Result<usize, LayerFull> {
        self.batch = SuccessorBatch::new(RecordShape::Fixed(width), 1);
        let peak = self.states.repack(width, translate)?;
        self.peak_bytes = self.peak_bytes.max(peak);
        Ok(peak)
    }

    fn troubled(&self) -> &[u64] {
        self.unexpanded.map_or(&[], |state| self.states.state(state as usize))
    }

    fn stored(&self) -> usize {
        self.states.len()
    }

    fn distinct(&self) -> Option<u64> {
        Some(self.states.len() as u64)
    }

    fn waiting(&self) -> u64 {
        self.outer.steps.len() as u64
    }

    fn counters(&self) -> Counters {
        let states = self.states.len() as u64;
        let peak = Held { current: states, ..Held::default() };
        Counters { peak, largest_layer: states, ..self.counters }
    }

    fn bytes(&self) -> usize {
        self.states.bytes() + self.colours.capacity() + self.outer.bytes() + self.inner.bytes()
    }

    fn peak_bytes(&self) -> usize {
        self.peak_bytes.max(self.bytes())
    }
}
