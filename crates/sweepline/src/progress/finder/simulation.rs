//! The sweep on a sample, to see what a measure would cost.
//!
//! This is the generalised sweep, nested or not, with everything that it holds counted. Steps to states that the sample did
//! not expand are ignored.

use super::sample::Sample;

/// Expansions for each state of the sample after which a measure is given up.
const GIVEN_UP: f64 = 4.0;

/// Memory that nobody misses, as a share of all states.
const FLOOR: f64 = 0.03;
/// Keys that are counted in a set of bits.
const WIDEST_SET: u64 = 1 << 24;

/// What a sweep over the sample takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// States of the sample.
    pub states: usize,
    /// States held at one time, at the most.
    pub peak: usize,
    /// Expansions.
    pub explored: usize,
    /// Steps that were taken, and those of them that led to smaller progress.
    pub steps: usize,
    /// Steps to smaller progress.
    pub regress: usize,
    /// Different progress values.
    pub layers: usize,
    /// Whether it was given up before the end.
    pub is_given_up: bool,
}

impl Cost {
    /// States held, as a share of all.
    pub fn peak_share(&self) -> f64 {
        self.peak as f64 / self.states as f64
    }

    /// How often a state is expanded, in the mean.
    pub fn revisits(&self) -> f64 {
        (self.explored as f64 / self.states as f64).max(1.0)
    }

    /// Steps to smaller progress, as a share of all.
    pub fn regress_share(&self) -> f64 {
        self.regress as f64 / self.steps.max(1) as f64
    }
}

/// What a measure is to be good at.
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
    /// The price of a run; the constant measure's is one.
    pub fn price(self, cost: &Cost) -> f64 {
        match self {
            _ if cost.is_given_up => f64::INFINITY,
            Self::Bounded { regress } if cost.regress_share() > regress => f64::INFINITY,
            _ => self.least_price(cost),
        }
    }

    /// A run that has cost this much will not be cheaper.
    fn least_price(self, cost: &Cost) -> f64 {
        match self {
            Self::Product { alpha } => {
                // A layer of its own for each state takes about twice the time.
                let layers = 1.0 + cost.layers as f64 / cost.states as f64;
                let work = if cost.explored <= cost.states { 1.0 } else { cost.revisits().powf(alpha) };
                (cost.peak_share() + FLOOR) / (1.0 + FLOOR) * work * layers
            }
            Self::Bounded { .. } => cost.peak_share(),
        }
    }
}

/// States of a sample in the order of a measure.
#[derive(Clone, Debug)]
pub struct Ordered {
    /// The rank of each state.
    ranks: Vec<u32>,
    /// Number of ranks.
    layers: usize,
    /// The rank of each state by the leading components that never fall, if there are such, and their number.
    groups: Option<Vec<u32>>,
    monotone: usize,
    components: usize,
}

impl Ordered {
    /// All states are equal.
    pub fn constant(sample: &Sample) -> Self {
        Self { ranks: vec![0; sample.len()], layers: 1, groups: None, monotone: 0, components: 0 }
    }

    /// Refines the order by a component, given as a value for each state; values are smaller than `values`.
    pub fn refined(&self, component: &[u32], values: usize, never_falls: bool) -> Self {
        let pairs = self.ranks.iter().zip(component);
        let keys: Vec<u64> =
            pairs.map(|(rank, value)| u64::from(*rank) * values as u64 + u64::from(*value)).collect();
        let (ranks, layers) = dense_ranks(&keys, self.layers as u64 * values as u64);
        let components = self.components + 1;
        let is_monotone = never_falls && self.monotone == self.components;
        let (groups, monotone) = match is_monotone {
            true => (Some(ranks.clone()), components),
            false => (self.groups.clone(), self.monotone),
        };
        Self { ranks, layers, groups, monotone, components }
    }

    /// The order of these keys, one for each state.
    pub fn by_keys(keys: &[u64]) -> Self {
        let (ranks, layers) = dense_ranks(keys, keys.iter().max().map_or(0, |last| last.saturating_add(1)));
        Self { ranks, layers, groups: None, monotone: 0, components: 1 }
    }

    /// How many leading components never fall.
    pub fn monotone(&self) -> usize {
        self.monotone
    }
}

/// Ranks without gaps, in the order of the keys, which are smaller than `end`; and their number.
fn dense_ranks(keys: &[u64], end: u64) -> (Vec<u32>, usize) {
    if end > WIDEST_SET {
        let mut sorted = keys.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let rank = |key: &u64| sorted.partition_point(|other| other < key) as u32;
        return (keys.iter().map(rank).collect(), sorted.len());
    }
    let mut present = vec![0u64; end as usize / 64 + 1];
    keys.iter().for_each(|key| present[(key / 64) as usize] |= 1 << (key % 64));
    let mut count = 0;
    let mut before = Vec::with_capacity(present.len());
    for word in &present {
        before.push(count);
        count += word.count_ones();
    }
    let rank = |key: &u64| {
        let word = (key / 64) as usize;
        before[word] + (present[word] & ((1 << (key % 64)) - 1)).count_ones()
    };
    (keys.iter().map(rank).collect(), count as usize)
}

/// Which sweep is simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Regress edges are followed in the next sweep.
    Flat,
    /// They are followed before the leading components that never fall go on.
    Nested,
}

/// Sweeps over the sample, unless the price exceeds a limit before the end.
pub fn simulate(sample: &Sample, ordered: &Ordered, kind: Kind, aim: Aim, limit: f64) -> Cost {
    let groups = ordered.groups.as_deref().filter(|_| kind == Kind::Nested);
    Simulation::new(sample, ordered, groups).run(aim, limit)
}

/// The state of a state, in the two lowest bits beside its layer.
const UNSEEN: u32 = 0;
const WAITING: u32 = 1;
const PRESENT: u32 = 2;
const PERSISTENT: u32 = 3;

const NONE: u32 = u32::MAX;

struct Simulation<'a> {
    sample: &'a Sample,
    /// By state, the group that is swept on its own.
    groups: Option<&'a [u32]>,
    /// By state: its layer, and where it is.
    states: Vec<u32>,
    /// By layer, the first state that waits; by state, the next one.
    first_waiting: Vec<u32>,
    next_waiting: Vec<u32>,
    /// Persistent states that are to be expanded.
    roots: Vec<u32>,
    /// Persistent states of the group.
    pinned: Vec<u32>,
    cost: Cost,
    future: usize,
    persistent: usize,
}

impl<'a> Simulation<'a> {
    fn new(sample: &'a Sample, ordered: &'a Ordered, groups: Option<&'a [u32]>) -> Self {
        Self {
            sample,
            groups,
            states: ordered.ranks.iter().map(|layer| layer << 2).collect(),
            first_waiting: vec![NONE; ordered.layers],
            next_waiting: vec![NONE; sample.len()],
            roots: Vec::new(),
            pinned: Vec::new(),
            cost: Cost { states: sample.len(), layers: ordered.layers, ..Cost::default() },
            future: 0,
            persistent: 0,
        }
    }

    fn run(mut self, aim: Aim, limit: f64) -> Cost {
        self.persist(0);
        let mut next = self.sweep_roots(None);
        let (mut open, mut members) = (Vec::new(), Vec::new());
        let most = (GIVEN_UP * self.cost.states as f64) as usize;
        while let Some(layer) = next {
            self.expand_layer(layer, &mut open, &mut members);
            if self.cost.explored > most || aim.least_price(&self.cost) > limit {
                self.cost.is_given_up = true;
                break;
            }
            let ahead = (layer + 1..self.first_waiting.len()).find(|next| self.first_waiting[*next] != NONE);
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
        self.cost
    }

    fn wait(&mut self, state: u32, layer: usize) {
        self.next_waiting[state as usize] = self.first_waiting[layer];
        self.first_waiting[layer] = state;
    }

    fn persist(&mut self, state: u32) {
        self.states[state as usize] |= PERSISTENT;
        self.persistent += 1;
        self.roots.push(state);
    }

    /// Makes roots wait, all or those of a group, and gives the least layer of them.
    fn sweep_roots(&mut self, group: Option<(&[u32], u32)>) -> Option<usize> {
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

    /// Nothing leads back to the group that is left: its persistent states may go.
    fn forget(&mut self, group: u32) {
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

    fn expand_layer(&mut self, layer: usize, open: &mut Vec<u32>, members: &mut Vec<u32>) {
        let sample = self.sample;
        members.clear();
        let mut current = 0;
        let mut waiting = std::mem::replace(&mut self.first_waiting[layer], NONE);
        while waiting != NONE {
            let word = &mut self.states[waiting as usize];
            if *word & 3 == WAITING {
                *word = *word & !3 | PRESENT;
                self.future -= 1;
                current += 1;
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
                if to > layer {
                    self.states[next as usize] |= WAITING;
                    self.wait(next, to);
                    self.future += 1;
                } else if to == layer {
                    self.states[next as usize] |= PRESENT;
                    current += 1;
                    open.push(next);
                } else {
                    self.persist(next);
                }
            }
        }
        self.cost.explored += members.len();
        self.cost.peak = self.cost.peak.max(current + self.future + self.persistent);
        for state in members.iter() {
            let word = &mut self.states[*state as usize];
            if *word & 3 == PRESENT {
                *word &= !3;
            }
        }
    }
}
