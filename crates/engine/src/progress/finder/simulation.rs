//! Simulation of the sweep on a sample, to estimate the cost of a measure.
//!
//! This is the generalised sweep, nested, with a window behind the front, or plain. It counts
//! everything that the sweep would hold. Steps to states that the sample did not expand are
//! ignored.

mod ordered;

use std::sync::atomic::{AtomicBool, Ordering};

use super::sample::Sample;
pub use ordered::{Ordered, Positions};

/// Expansions per state of the sample after which the simulation gives up.
const GIVEN_UP: f64 = 4.0;

/// Memory that is not worth saving, as a share of all states.
const FLOOR: f64 = 0.03;
/// The cost of a sweep over the sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// States of the sample.
    pub states: usize,
    /// Peak number of states held.
    pub peak: usize,
    /// Expansions.
    pub explored: usize,
    /// Steps that were taken.
    pub steps: usize,
    /// Regress edges: steps to smaller progress.
    pub regress: usize,
    /// Distinct progress values.
    pub layers: usize,
    /// Whether the simulation gave up.
    pub is_given_up: bool,
}

impl Cost {
    /// The peak as a share of all states.
    pub fn peak_share(&self) -> f64 {
        self.peak as f64 / self.states.max(1) as f64
    }

    /// Expansions per state.
    pub fn revisits(&self) -> f64 {
        (self.explored as f64 / self.states.max(1) as f64).max(1.0)
    }

    /// Regress edges as a share of all steps.
    pub fn regress_share(&self) -> f64 {
        self.regress as f64 / self.steps.max(1) as f64
    }
}

/// The objective of a measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Aim {
    /// Memory times work, where work counts more the greater α is.
    Product {
        /// The exponent of work.
        alpha: f64,
    },
    /// Memory, with at most this share of regress edges.
    Bounded {
        /// The bound.
        regress: f64,
    },
}

impl Aim {
    /// The price of a sweep. The constant measure has the price one.
    pub fn price(self, cost: &Cost) -> f64 {
        match self {
            _ if cost.is_given_up => f64::INFINITY,
            Self::Bounded { regress } if cost.regress_share() > regress => f64::INFINITY,
            _ => self.least_price(cost),
        }
    }

    /// A lower bound of the price of a sweep that has cost this much so far.
    fn least_price(self, cost: &Cost) -> f64 {
        match self {
            Self::Product { alpha } => {
                // Small layers take time, though a sample has more of them per state than the
                // model.
                let layers = 1.0 + 0.5 * cost.layers as f64 / cost.states as f64;
                let work = if cost.explored <= cost.states { 1.0 } else { cost.revisits().powf(alpha) };
                (cost.peak_share() + FLOOR) / (1.0 + FLOOR) * work * layers
            }
            // Of two measures with the same peak, the one with fewer layers is cheaper.
            Self::Bounded { .. } => cost.peak_share() * (1.0 + 0.1 * cost.layers as f64 / cost.states as f64),
        }
    }
}

/// The kind of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Regress edges are followed in the next sweep.
    Flat,
    /// Regress edges are followed before the leading monotone components increase.
    Nested,
    /// Regress edges lead into a window of layers, in which the first component that decreases is
    /// at most this far below its maximum.
    Window(u64),
}

/// How a simulated sweep treats regress edges.
#[derive(Clone, Copy, Debug)]
pub enum Sweep<'a> {
    /// They are followed in the next sweep.
    Flat,
    /// Each of these groups is swept on its own.
    Nested(&'a Ordered),
    /// Layers stay in memory while their positions are at most `reach` below the greatest so far.
    Window {
        /// The positions of states.
        positions: &'a Positions,
        /// The width of the window.
        reach: u64,
        /// The treatment of steps that leave the window.
        beyond: Beyond,
    },
}

/// The treatment of steps that leave the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// They lead to persistent states, and to another sweep.
    Persists,
    /// They lead to visited states, by paths that the sample need not contain.
    WasMet,
}

/// What ends a simulation before the sweep ends.
#[derive(Clone, Copy, Debug)]
pub struct Bound<'a> {
    /// The objective.
    pub aim: Aim,
    /// The price from which on the measure is of no interest.
    pub limit: f64,
    /// Once this is set, no measure is of interest.
    pub stop: &'a AtomicBool,
}

/// Simulates the sweep until its end, or until a bound is exceeded. The order must have no gaps.
pub fn simulate(sample: &Sample, ordered: &Ordered, sweep: Sweep<'_>, bound: Bound<'_>) -> Cost {
    Simulation::new(sample, ordered, sweep).run(bound)
}

/// The status of a state, in the two lowest bits beside its layer.
const UNSEEN: u32 = 0;
const WAITING: u32 = 1;
const PRESENT: u32 = 2;
const PERSISTENT: u32 = 3;

const NONE: u32 = u32::MAX;

struct Simulation<'a> {
    sample: &'a Sample,
    /// By state, the group that is swept on its own.
    groups: Option<&'a [u64]>,
    /// By state: its layer, and its status.
    states: Vec<u32>,
    /// By layer, the first waiting state; by state, the next one.
    first_waiting: Vec<u32>,
    next_waiting: Vec<u32>,
    /// Persistent states that are not expanded yet.
    roots: Vec<u32>,
    /// Persistent states of the group.
    pinned: Vec<u32>,
    cost: Cost,
    future: usize,
    /// Future states that are not counted, since only the sample has them so early.
    uncounted: usize,
    persistent: usize,
    window: Option<Window>,
}

/// The layers of the window behind the front.
struct Window {
    /// By layer.
    positions: Vec<u64>,
    reach: u64,
    beyond: Beyond,
    /// By layer, the first state in the window; the next ones are linked as waiting ones are.
    first_kept: Vec<u32>,
    kept: usize,
    /// The least layer in the window, and the greatest one visited.
    floor: usize,
    head: usize,
    /// The least layer behind the front with a waiting state.
    back: Option<usize>,
}

impl Window {
    fn new(ordered: &Ordered, positions: &Positions, reach: u64, beyond: Beyond) -> Self {
        let layers = ordered.end as usize;
        let mut by_layer = vec![0; layers];
        ordered.keys.iter().zip(&positions.0).for_each(|(layer, at)| by_layer[*layer as usize] = *at);
        let first_kept = vec![NONE; layers];
        Self { positions: by_layer, reach, beyond, first_kept, kept: 0, floor: 0, head: 0, back: None }
    }
}

impl<'a> Simulation<'a> {
    fn new(sample: &'a Sample, ordered: &'a Ordered, sweep: Sweep<'a>) -> Self {
        let groups = if let Sweep::Nested(groups) = sweep { Some(&groups.keys[..]) } else { None };
        let window = match sweep {
            Sweep::Window { positions, reach, beyond } => {
                Some(Window::new(ordered, positions, reach, beyond))
            }
            _ => None,
        };
        Self {
            sample,
            groups,
            window,
            states: ordered.keys.iter().map(|layer| (*layer as u32) << 2).collect(),
            first_waiting: vec![NONE; ordered.end as usize],
            next_waiting: vec![NONE; sample.len()],
            roots: Vec::new(),
            pinned: Vec::new(),
            cost: Cost { states: sample.len(), layers: ordered.end as usize, ..Cost::default() },
            future: 0,
            uncounted: 0,
            persistent: 0,
        }
    }

    fn run(mut self, bound: Bound<'_>) -> Cost {
        // The initial state could not be expanded.
        if self.states.is_empty() {
            return self.cost;
        }
        self.persist(0);
        let mut next = self.sweep_roots(None);
        self.await_roots(next.unwrap_or(0));
        let (mut open, mut members) = (Vec::new(), Vec::new());
        let most = (GIVEN_UP * self.cost.states as f64) as usize;
        while let Some(layer) = next {
            self.expand_layer(layer, &mut open, &mut members);
            let is_stopped = bound.stop.load(Ordering::Relaxed);
            if self.cost.explored > most || is_stopped || bound.aim.least_price(&self.cost) > bound.limit {
                self.cost.is_given_up = true;
                break;
            }
            let back = self.window.as_mut().and_then(|window| window.back.take());
            let ahead = back.or_else(|| {
                (layer + 1..self.first_waiting.len()).find(|next| self.first_waiting[*next] != NONE)
            });
            if ahead.is_none() {
                self.forget_window();
            }
            next = match (ahead, self.groups) {
                (Some(ahead), Some(groups)) => {
                    let [here, there] =
                        [members[0], self.first_waiting[ahead]].map(|one| groups[one as usize]);
                    let again = if here == there { None } else { self.sweep_roots(Some((groups, here))) };
                    if here != there && again.is_none() {
                        self.forget(here);
                    }
                    again.or(Some(ahead))
                }
                (Some(ahead), None) => Some(ahead),
                (None, _) => self.sweep_roots(None),
            };
        }
        // States that were not visited are not part of what was swept.
        if self.window.as_ref().is_some_and(|window| window.beyond == Beyond::WasMet) {
            self.cost.states = self.cost.states.min(self.cost.explored);
        }
        self.cost
    }

    fn wait(&mut self, state: u32, layer: usize) {
        self.next_waiting[state as usize] = self.first_waiting[layer];
        self.first_waiting[layer] = state;
    }

    /// Makes the roots of the sample wait. The sweep would reach them by steps that the sample does
    /// not contain, mostly shortly before it expands them, so they are not counted until then.
    fn await_roots(&mut self, first: usize) {
        for &root in self.sample.roots() {
            let layer = (self.states[root as usize] >> 2) as usize;
            if layer < first {
                // Some step on the way to it is a regress edge.
                self.cost.regress += 1;
                self.persist(root);
            } else {
                self.states[root as usize] |= WAITING;
                self.wait(root, layer);
                self.future += 1;
                self.uncounted += 1;
            }
        }
    }

    fn persist(&mut self, state: u32) {
        self.states[state as usize] |= PERSISTENT;
        self.persistent += 1;
        self.roots.push(state);
    }

    /// Makes roots wait, all of them or those of a group, and returns their least layer.
    fn sweep_roots(&mut self, group: Option<(&[u64], u64)>) -> Option<usize> {
        let roots = std::mem::take(&mut self.roots);
        let mut least = None;
        for root in roots {
            if group.is_some_and(|(groups, here)| groups[root as usize] != here) {
                self.roots.push(root);
                continue;
            }
            let layer = (self.states[root as usize] >> 2) as usize;
            self.wait(root, layer);
            if self.groups.is_some() {
                self.pinned.push(root);
            }
            least = Some(least.map_or(layer, |least: usize| least.min(layer)));
        }
        least
    }

    /// No step leads back to the group that the sweep has left, so its persistent states are
    /// dropped.
    fn forget(&mut self, group: u64) {
        let Some(groups) = self.groups else { return };
        let mut pinned = std::mem::take(&mut self.pinned);
        pinned.retain(|state| {
            let stays = groups[*state as usize] != group;
            if !stays {
                self.states[*state as usize] &= !PERSISTENT;
                self.persistent -= 1;
            }
            stays
        });
        self.pinned = pinned;
    }

    /// Advances to a layer and drops the layers that left the window. Returns the least layer of
    /// the window.
    fn advance(&mut self, layer: usize) -> usize {
        let Some(window) = &mut self.window else { return layer };
        window.head = window.head.max(layer);
        let least = window.positions[window.head].saturating_sub(window.reach);
        while window.positions[window.floor] < least {
            Self::forget_layer(&mut self.states, &self.next_waiting, window);
            window.floor += 1;
        }
        window.floor
    }

    /// Drops the least layer of the window.
    fn forget_layer(states: &mut [u32], next: &[u32], window: &mut Window) {
        let mut state = std::mem::replace(&mut window.first_kept[window.floor], NONE);
        while state != NONE {
            states[state as usize] &= !3;
            window.kept -= 1;
            state = next[state as usize];
        }
    }

    /// The sweep ends.
    fn forget_window(&mut self) {
        let Some(window) = &mut self.window else { return };
        while window.floor < window.first_kept.len() {
            Self::forget_layer(&mut self.states, &self.next_waiting, window);
            window.floor += 1;
        }
        (window.floor, window.head) = (0, 0);
    }

    fn expand_layer(&mut self, layer: usize, open: &mut Vec<u32>, members: &mut Vec<u32>) {
        let sample = self.sample;
        let floor = self.advance(layer);
        members.clear();
        let mut current = 0;
        let mut waiting = std::mem::replace(&mut self.first_waiting[layer], NONE);
        while waiting != NONE {
            let word = &mut self.states[waiting as usize];
            if *word & 3 == WAITING {
                *word = *word & !3 | PRESENT;
                self.future -= 1;
                current += 1;
                if self.uncounted > 0 && sample.roots().binary_search(&waiting).is_ok() {
                    self.uncounted -= 1;
                }
            }
            open.push(waiting);
            waiting = self.next_waiting[waiting as usize];
        }
        while let Some(state) = open.pop() {
            members.push(state);
            let successors = sample.inner_successors(state as usize);
            self.cost.steps += successors.len();
            for &next in successors {
                let word = self.states[next as usize];
                let to = (word >> 2) as usize;
                self.cost.regress += usize::from(to < layer);
                if word & 3 != UNSEEN {
                    continue;
                }
                if to > layer || (to < layer && to >= floor) {
                    self.states[next as usize] |= WAITING;
                    self.wait(next, to);
                    self.future += 1;
                    if let Some(window) = self.window.as_mut().filter(|_| to < layer) {
                        window.back = Some(window.back.map_or(to, |back| back.min(to)));
                    }
                } else if to == layer {
                    self.states[next as usize] |= PRESENT;
                    current += 1;
                    open.push(next);
                } else if self.window.as_ref().is_none_or(|window| window.beyond == Beyond::Persists) {
                    self.persist(next);
                }
            }
        }
        self.cost.explored += members.len();
        let kept = self.window.as_ref().map_or(0, |window| window.kept);
        let held = current + self.future - self.uncounted + self.persistent + kept;
        self.cost.peak = self.cost.peak.max(held);
        for state in members.iter() {
            let word = &mut self.states[*state as usize];
            if *word & 3 != PRESENT {
                continue;
            }
            match &mut self.window {
                Some(window) => {
                    self.next_waiting[*state as usize] = window.first_kept[layer];
                    window.first_kept[layer] = *state;
                    window.kept += 1;
                }
                None => *word &= !3,
            }
        }
    }
}
