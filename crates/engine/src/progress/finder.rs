//! Finds progress measures without building the state space.
//!
//! The finder draws a sample of the state space, learns orders of values from the changes in it,
//! and builds measures from them component by component. The worth of a measure is not guessed: the
//! sweep is simulated on the sample, with everything that it would hold and expand. Measures that
//! are proved by the model's text alone are candidates like any others.
//!
//! The same model, preference and seed give the same measures.

mod beside;
mod distance;
mod flows;
mod functionals;
mod learned_orders;
mod sample;
mod search;
mod simulation;

use std::sync::atomic::AtomicBool;

use crate::store::layer::LayerFull;
use model::guarded_commands::{Expression, GuardedCommands};
use model::random::Random;
use model::state_layout::StateLayout;
use model::transition_system::TransitionSystem;

pub use beside::{RunningSearch, Tested, find_beside};
pub use simulation::{Aim, Cost, Kind};

use sample::{Knowledge, Sample, Source};
use search::{Beside, Finder, Found, Threads};
use simulation::{Bound, Ordered, Sweep, simulate};

/// The objective of a measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prefer {
    /// Memory, even if states are expanded more than once.
    Memory,
    /// Memory, as long as few states are expanded more than once.
    #[default]
    Balanced,
    /// Time: hardly any state is expanded twice.
    Time,
}

impl Prefer {
    /// The objective as a price.
    pub fn aim(self) -> Aim {
        let alpha = match self {
            Self::Memory => 1.0,
            Self::Balanced => 3.0,
            Self::Time => 8.0,
        };
        Aim::Product { alpha }
    }
}

/// Limit on the states of a sample that is the whole state space.
const EXACT: usize = 5_000_000;
/// About the bytes of a state of a sample, and of each of its words.
const STATE: usize = 200;
const WORD: usize = 24;
/// Least bytes for a sample: little is learned from a smaller one, and the process needs as much
/// for other things.
const LEAST: usize = 24 << 20;

/// The effort of the search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// About a tenth of a second on one thread, beside a search that goes on meanwhile.
    Beside,
    /// About a fifth of a second.
    #[default]
    Quick,
    /// About a second, for models that turn out to be large.
    Thorough,
    /// All states, for models that fit into memory with all their steps. This is the yardstick.
    Exact,
}

impl Effort {
    /// Expansions of the three samples: the one on which all candidates are compared, the one for
    /// the better ones, and the one for the best measures.
    fn sizes(self) -> [usize; 3] {
        match self {
            Self::Beside => [2_000, 10_000, 30_000],
            Self::Quick => [5_000, 40_000, 80_000],
            Self::Thorough => [12_000, 100_000, 300_000],
            Self::Exact => [12_000, 100_000, EXACT],
        }
    }
}

/// What happens to a model that is smaller than the sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SmallModels {
    /// It is explored in full.
    #[default]
    Explored,
    /// It is swept like others.
    Swept,
}

/// Options of the search for a measure.
#[derive(Clone, Copy, Debug)]
pub struct FinderOptions {
    /// The objective.
    pub aim: Aim,
    /// The effort of the search.
    pub effort: Effort,
    /// The random seed of the sample.
    pub seed: u64,
    /// What happens to models that are smaller than the sample.
    pub small: SmallModels,
    /// About the bytes that the sample may take; a small limit makes it smaller.
    pub memory: usize,
    /// Whether the sweep may remember layers behind its front.
    pub windows: bool,
}

impl FinderOptions {
    /// Sizes of the samples, for states of this many words.
    fn sizes(&self, words: usize) -> [usize; 3] {
        let sizes = self.effort.sizes();
        let (bytes, memory) = (sizes[2] * (STATE + WORD * words), self.memory.max(LEAST));
        sizes.map(|size| match memory < bytes {
            true => (size as f64 * memory as f64 / bytes as f64) as usize,
            false => size,
        })
    }
}

impl Default for FinderOptions {
    fn default() -> Self {
        Self {
            aim: Prefer::default().aim(),
            effort: Effort::default(),
            seed: 0,
            small: SmallModels::default(),
            memory: usize::MAX,
            windows: true,
        }
    }
}

/// A measure that was found or evaluated.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// Components, the most significant first.
    pub components: Vec<Expression>,
    /// The cost of a sweep over the sample.
    pub cost: Cost,
    /// The number of leading components that never decrease in the sample.
    pub monotone: usize,
    /// The kind of sweep that was simulated.
    pub kind: Kind,
    /// What steps that it was not learned from say of the measure.
    pub tested: Tested,
}

/// The result of a search for measures.
#[derive(Clone, Debug)]
pub struct Findings {
    /// Measures that are better than none, best first.
    pub proposals: Vec<Proposal>,
    /// The sample that they were evaluated on.
    pub sample: SampleFacts,
}

impl Findings {
    fn new(found: Vec<Found>, large: &Sample) -> Self {
        let proposals = found.into_iter().map(|one| Proposal {
            components: one.components,
            cost: one.cost,
            monotone: one.monotone,
            kind: one.kind,
            tested: one.tested,
        });
        Self { proposals: proposals.collect(), sample: SampleFacts::of(large) }
    }
}

/// Figures of a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleFacts {
    /// Expanded states.
    pub expanded: usize,
    /// Steps from them.
    pub steps: usize,
    /// Different states, leaves included.
    pub states: usize,
    /// Whether this is the whole state space.
    pub complete: bool,
    /// States of the largest strongly connected component. No monotone measure holds fewer at its
    /// peak.
    pub largest_component: usize,
}

impl SampleFacts {
    fn of(sample: &Sample) -> Self {
        Self {
            expanded: sample.len(),
            steps: sample.steps(),
            states: sample.states,
            complete: sample.complete,
            largest_component: sample.largest_component(),
        }
    }
}

/// Searches measures of the model, whose states have this layout. A model smaller than the sample
/// gets none: it is explored at once.
///
/// # Errors
/// If there is no memory for the sample.
pub fn find(
    model: &GuardedCommands,
    layout: &StateLayout,
    system: &dyn TransitionSystem,
    options: &FinderOptions,
) -> Result<Findings, LayerFull> {
    let [least, few, many] = options.sizes(layout.words());
    let stop = AtomicBool::new(false);
    let source = Source { model, layout, system, explored: &[], stop: &stop };
    let draw = |size, seed| Sample::draw(&source, size, Knowledge::Kinds, &mut Random::new(seed));
    let (large, small, tiny) = std::thread::scope(|scope| {
        let large = scope.spawn(|| draw(many, options.seed));
        let (small, tiny) = (draw(few, !options.seed), draw(least, options.seed ^ 1));
        // A panic is a defect on either thread.
        (large.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), small, tiny)
    });
    let (large, small, tiny) = (large?, small?, tiny?);
    if small.is_empty() || (small.complete && options.small == SmallModels::Explored) {
        return Ok(Findings { proposals: Vec::new(), sample: SampleFacts::of(&small) });
    }
    let small = if large.complete && large.len() <= few { large.clone() } else { small };
    let samples = [&tiny, &small, &large];
    let beside = Beside { explored: None, threads: Threads::Two, stop: &stop };
    let found = Finder::new(model, layout, samples, options, beside).find();
    Ok(Findings::new(found, &large))
}

/// The cost on the sample of the measure that the system evaluates as its progress.
///
/// # Errors
/// If there is no memory for the sample.
pub fn judge(
    model: &GuardedCommands,
    layout: &StateLayout,
    system: &dyn TransitionSystem,
    options: &FinderOptions,
) -> Result<(Cost, SampleFacts), LayerFull> {
    let [.., many] = options.sizes(layout.words());
    let mut random = Random::new(options.seed);
    let stop = AtomicBool::new(false);
    let source = Source { model, layout, system, explored: &[], stop: &stop };
    let sample = Sample::draw(&source, many, Knowledge::Kinds, &mut random)?;
    if sample.is_empty() {
        return Ok((Cost::default(), SampleFacts::of(&sample)));
    }
    let mut keys = Vec::with_capacity(sample.len());
    system.expander().progress(sample.words(), &mut keys);
    let mut ordered = Ordered::by_keys(keys);
    ordered.close_gaps();
    let bound = Bound { aim: options.aim, limit: f64::INFINITY, stop: &stop };
    let cost = simulate(&sample, &ordered, Sweep::Flat, bound);
    Ok((cost, SampleFacts::of(&sample)))
}
