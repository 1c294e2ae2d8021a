//! The sweep on a sample, to see what a measure would cost.
//!
//! This is the generalised sweep, nested or not, with everything that it holds counted. Steps to states that the sample did
//! not expand are ignored.

use super::sample::Sample;

/// Expansions for each state of the sample after which a measure is given up.
const GIVEN_UP: f64 = 4.0;

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

    /// The price of a run: memory times work, where work counts more the greater α is.
    pub fn price(&self, alpha: f64) -> f64 {
        if self.is_given_up { f64::INFINITY } else { self.peak_share() * self.revisits().powf(alpha) }
    }
}

/// States of a sample in the order of a measure.
#[derive(Clone, Debug)]
pub struct Ordered {
    /// The rank of each state.
    ranks: Vec<u32>,
    /// Number of ranks.
    layers: usize,
    /// The rank of each state by the leading components that never fall, if there are such.
    monotone: Option<Vec<u32>>,
    /// Whether all components so far never fall.
    is_monotone: bool,
    order: Vec<u32>,
}

impl Ordered {
    /// All states are equal.
    pub fn constant(sample: &Sample) -> Self {
        Self {
            ranks: vec![0; sample.len()],
            layers: 1,
            monotone: None,
            is_monotone: true,
            order: (0..sample.len() as u32).collect(),
        }
    }

    /// Refines the order by a component, given as a value for each state; values are smaller than `values`.
    pub fn refined(&self, component: &[u32], values: usize, never_falls: bool) -> Self {
        let count = self.ranks.len();
        // By value first, then, in that order, by the rank so far: both by counting.
        let by_value = counting_sort(&self.order, values, |state| component[state as usize]);
        let order = counting_sort(&by_value, self.layers, |state| self.ranks[state as usize]);
        let mut ranks = vec![0; count];
        let mut rank = 0;
        for pair in order.windows(2) {
            let [one, next] = [pair[0] as usize, pair[1] as usize];
            rank += u32::from(self.ranks[one] != self.ranks[next] || component[one] != component[next]);
            ranks[next] = rank;
        }
        let is_monotone = self.is_monotone && never_falls;
        let monotone = if is_monotone { Some(ranks.clone()) } else { self.monotone.clone() };
        Self { ranks, layers: rank as usize + 1, monotone, is_monotone, order }
    }

    /// Number of different progress values.
    pub fn layers(&self) -> usize {
        self.layers
    }
}

fn counting_sort(states: &[u32], keys: usize, key: impl Fn(u32) -> u32) -> Vec<u32> {
    let mut places = vec![0u32; keys + 1];
    for state in states {
        places[key(*state) as usize + 1] += 1;
    }
    for i in 1..places.len() {
        places[i] += places[i - 1];
    }
    let mut sorted = vec![0; states.len()];
    for &state in states {
        let place = &mut places[key(state) as usize];
        sorted[*place as usize] = state;
        *place += 1;
    }
    sorted
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
pub fn simulate(sample: &Sample, ordered: &Ordered, kind: Kind, alpha: f64, limit: f64) -> Cost {
    let groups = ordered.monotone.as_deref().filter(|_| kind == Kind::Nested);
    Simulation::new(sample, ordered, groups).run(alpha, limit)
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

    fn run(mut self, alpha: f64, limit: f64) -> Cost {
        self.persist(0);
        let mut next = self.sweep_roots(None);
        let (mut open, mut members) = (Vec::new(), Vec::new());
        let most = (GIVEN_UP * self.cost.states as f64) as usize;
        while let Some(layer) = next {
            self.expand_layer(layer, &mut open, &mut members);
            if self.cost.explored > most || self.cost.price(alpha) > limit {
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
