//! Finds progress measures without building the state space.
//!
//! A sample of the state space is drawn, orders of values are learned from the changes in it, and measures are built from them
//! component by component. What a measure is worth is not guessed: the sweep is simulated on the sample, with everything that it would hold and
//! expand. Measures proved by the model's text alone are candidates like any others.
//!
//! The same model, preference and seed give the same measures.

mod distance;
mod flows;
mod functionals;
mod learned_orders;
mod sample;
mod search;
mod simulation;

use crate::store::layer::LayerFull;
use model::guarded_commands::{Expression, GuardedCommands};
use model::random::Random;
use model::state_layout::StateLayout;
use model::transition_system::TransitionSystem;

pub use simulation::{Aim, Cost, Kind};

use sample::Sample;
use search::Finder;
use simulation::{Ordered, Sweep, simulate};

/// What a measure is to save.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prefer {
    /// Memory, at the price of states that are expanded more than once.
    Memory,
    /// Memory, as long as few states are expanded more than once.
    #[default]
    Balanced,
    /// Time: next to no state is expanded twice.
    Time,
}

impl Prefer {
    /// The aim that goes with it.
    pub fn aim(self) -> Aim {
        let alpha = match self {
            Self::Memory => 1.0,
            Self::Balanced => 3.0,
            Self::Time => 8.0,
        };
        Aim::Product { alpha }
    }
}

/// States at the most whose steps are all looked at.
const EXACT: usize = 5_000_000;
/// Bytes that a state of a sample takes, about, and those for each of its words.
const STATE: usize = 200;
const WORD: usize = 24;
/// Bytes for a sample at the least: what is learned from a small one is worth little, and a process takes as much for other things.
const LEAST: usize = 24 << 20;

/// How much is tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// A fifth of a second or so.
    #[default]
    Quick,
    /// A second or so, for models that turn out to be large.
    Thorough,
    /// All states, for models that fit into memory with all their steps: the yardstick.
    Exact,
}

impl Effort {
    /// Expansions of the sample on which all candidates are compared, of the one on which the better ones are, and of the one
    /// on which the best measures are.
    fn sizes(self) -> [usize; 3] {
        match self {
            Self::Quick => [5_000, 40_000, 80_000],
            Self::Thorough => [12_000, 100_000, 300_000],
            Self::Exact => [12_000, 100_000, EXACT],
        }
    }
}

/// Whether a small model, of which the sample is the whole, is swept as well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SmallModels {
    /// They are explored in full.
    #[default]
    Explored,
    /// They are swept like others.
    Swept,
}

/// How a measure is looked for.
#[derive(Clone, Copy, Debug)]
pub struct FinderOptions {
    /// What it is to be good at.
    pub aim: Aim,
    /// How much is tried.
    pub effort: Effort,
    /// For the random choices of the sample.
    pub seed: u64,
    /// What becomes of models that are smaller than the sample.
    pub small: SmallModels,
    /// Bytes for the sample, about. Where they are few, it is smaller.
    pub memory: usize,
    /// Whether the sweep may remember layers behind its front.
    pub windows: bool,
}

impl FinderOptions {
    /// States of the samples, of so many words each.
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

/// A measure that was found or judged.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// Components, the one that counts most first.
    pub components: Vec<Expression>,
    /// What a sweep over the sample costs.
    pub cost: Cost,
    /// How many leading components never fell in the sample.
    pub monotone: usize,
    /// The sweep that was simulated.
    pub kind: Kind,
}

/// What a search for measures gave.
#[derive(Clone, Debug)]
pub struct Findings {
    /// Measures that are better than none, the best one first.
    pub proposals: Vec<Proposal>,
    /// What they were judged on.
    pub sample: SampleFacts,
}

/// What a sample was.
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
    /// States of the largest strongly connected component. No measure that never falls holds less at its peak.
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

/// Looks for measures of the model, whose states have this layout. A model smaller than the sample gets none: it is
/// explored at once.
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
    let draw = |size, seed| Sample::draw(model, system, layout, size, &mut Random::new(seed));
    let (large, small, tiny) = std::thread::scope(|scope| {
        let large = scope.spawn(|| draw(many, options.seed));
        let (small, tiny) = (draw(few, !options.seed), draw(least, options.seed ^ 1));
        // A panic is a defect, here as there.
        (large.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), small, tiny)
    });
    let (large, small, tiny) = (large?, small?, tiny?);
    if small.is_empty() || (small.complete && options.small == SmallModels::Explored) {
        return Ok(Findings { proposals: Vec::new(), sample: SampleFacts::of(&small) });
    }
    let small = if large.complete && large.len() <= few { large.clone() } else { small };
    let found = Finder::new(model, layout, [&tiny, &small, &large], options).find();
    let proposals = found.into_iter().map(|one| Proposal {
        components: one.components,
        cost: one.cost,
        monotone: one.monotone,
        kind: one.kind,
    });
    Ok(Findings { proposals: proposals.collect(), sample: SampleFacts::of(&large) })
}

/// What a measure costs on the sample: the one that the system evaluates as its progress.
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
    let sample = Sample::draw(model, system, layout, many, &mut random)?;
    if sample.is_empty() {
        return Ok((Cost::default(), SampleFacts::of(&sample)));
    }
    let mut keys = Vec::with_capacity(sample.len());
    system.expander().progress(sample.words(), &mut keys);
    let mut ordered = Ordered::by_keys(keys);
    ordered.close_gaps();
    let cost = simulate(&sample, &ordered, Sweep::Flat, options.aim, f64::INFINITY);
    Ok((cost, SampleFacts::of(&sample)))
}
