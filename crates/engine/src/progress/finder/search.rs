//! Beam search for a measure: tuples are built component by component, several side by side.
//!
//! A measure is a tuple of expressions, and its worth is known only after the sweep was simulated
//! with it (`simulation.rs`). There are too many tuples to try them all: each cell alone has up to
//! four orders of its values. So the search extends the best tuples of the previous step, the
//! *beam*, by one component, or by the same component for each member of a family of cells that are
//! alike.
//!
//! Simulation costs time in proportion to the sample. Hence three samples of growing size:
//! - Orders of values and the numbers of steps that increase or decrease them are learned from the
//!   *large* sample. They rank the candidates of a step, and only a shortlist is simulated
//!   (`candidates.rs`).
//! - The shortlist is simulated on the *tiny* sample, and the best extensions on the *small* one.
//! - At the end, the best tuples are polished on the small sample and simulated on the large one,
//!   which alone decides what is proposed and with which kind of sweep (`validation.rs`,
//!   `windows.rs`).
//!
//! Expressions that the text of the model suggests (control flow, proved orders, sums of the
//! incidence matrix) are candidates for the first component. Later components refine only the steps
//! that leave the tuple as it is.
//!
//! A beam rather than a greedy search, because the best single component need not be part of the
//! best tuple: a counter that increases rarely, and never decreases, saves little alone and can
//! save much in front of another order. All numbers that bound the search are in `tuning.rs`. The
//! work is done in two halves on two threads; the result depends on the halves, not on which of
//! them ends first.

mod beside;
mod candidates;
mod sums;
mod tuning;
mod validation;
mod windows;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::progress::linear_changes::LinearChanges;
use crate::progress::static_measure::{control_orders, static_measure};
use model::guarded_commands::{CellId, Expression, GuardedCommands};
use model::state_layout::StateLayout;

use super::flows::Flows;
use super::functionals::{Functional, Size, SuggestedSums, suggested_sums};
use super::learned_orders::Ranking;
use super::sample::Sample;
use super::simulation::{Aim, Bound, Cost, Kind, Ordered};
use super::{FinderOptions, Tested};
use beside::side_by_side;
pub use beside::{Beside, Threads};
use tuning::Tuning;
pub(super) use tuning::{LEAST_LAYER, LEAST_TESTS, MOST_EXPANSIONS, MOST_HELD};

/// A measure, and its cost on the large sample.
#[derive(Clone, Debug)]
pub struct Found {
    /// Components, the most significant first.
    pub components: Vec<Expression>,
    /// The cost on the sample.
    pub cost: Cost,
    /// The number of leading components that never decrease in the sample.
    pub monotone: usize,
    /// The cheapest kind of sweep.
    pub kind: Kind,
    /// What other steps say of it.
    pub tested: Tested,
}

/// A component that could extend a measure.
#[derive(Clone, Debug)]
struct Candidate {
    subject: Subject,
    ranking: Ranking,
    form: Form,
    /// The expression, if the text of the model suggests it.
    given: Option<Expression>,
    bits: u32,
}

/// The values that a component is computed from.
#[derive(Clone, Debug)]
enum Subject {
    /// The values of a cell, by their ranks.
    Cell(usize),
    /// A weighted sum of cells. Its ranking only counts the steps that increase and decrease it.
    Sum(Arc<Functional>),
}

/// The form of a component's expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Ascending,
    Descending,
    Levels,
    Order,
    /// As suggested by the text of the model.
    Static,
    /// A weighted sum.
    Sum,
}

impl Candidate {
    /// The number of its cell; sums sort after all cells.
    fn cell(&self) -> usize {
        match self.subject {
            Subject::Cell(cell) => cell,
            Subject::Sum(_) => usize::MAX,
        }
    }
}

/// A search for a measure on three samples.
pub struct Finder<'a> {
    model: &'a GuardedCommands,
    layout: &'a StateLayout,
    tiny: &'a Sample,
    small: &'a Sample,
    large: &'a Sample,
    aim: Aim,
    tuning: Tuning,
    /// Whether windows are tried.
    windows: bool,
    /// By cell, the values that occur in the samples.
    values: Vec<Vec<u32>>,
    /// Families of cells that are alike.
    families: Vec<Vec<usize>>,
    /// Lists of components that the text of the model suggests, each to be taken as a whole.
    suggested: Vec<Vec<Candidate>>,
    /// Weighted sums that the incidence matrix suggests.
    sums: Vec<Candidate>,
    /// Sums that approximate the distance from the initial state.
    distances: Vec<Candidate>,
    /// Places that share tokens.
    flows: Flows,
    /// Some of the states that a search has met, and the number of all of them.
    explored: Option<(&'a Sample, usize)>,
    threads: Threads,
    /// Once this is set, the search ends soon, and its result is of no use.
    stop: &'a AtomicBool,
}

/// An unfinished measure.
#[derive(Clone)]
struct Prefix {
    price: f64,
    tiny: Ordered,
    small: Ordered,
    chosen: Vec<Candidate>,
    bits: u32,
    /// By kind of step in the large sample, whether it leaves all components unchanged.
    is_stationary: Vec<bool>,
}

/// A measure with some more components.
struct Extension {
    price: f64,
    /// The number of the extended measure in the beam.
    from: usize,
    added: Vec<Candidate>,
    ordered: Ordered,
}

impl<'a> Finder<'a> {
    /// A search on these samples.
    pub fn new(
        model: &'a GuardedCommands,
        layout: &'a StateLayout,
        [tiny, small, large]: [&'a Sample; 3],
        options: &FinderOptions,
        Beside { explored, threads, stop }: Beside<'a>,
    ) -> Self {
        let values = (0..large.cells())
            .map(|cell| {
                let mut seen: Vec<u32> = Vec::new();
                let mut last = None;
                for sample in [tiny, small, large].into_iter().chain(explored.map(|(sample, _)| sample)) {
                    for value in sample.occurring(cell) {
                        // Neighbours mostly have the same value.
                        if last.replace(value) == Some(value) {
                            continue;
                        }
                        if let Err(position) = seen.binary_search(&value) {
                            seen.insert(position, value);
                        }
                    }
                }
                seen
            })
            .collect();
        let mut finder = Self {
            model,
            layout,
            tiny,
            small,
            large,
            aim: options.aim,
            tuning: Tuning::new(options.aim, options.effort),
            windows: options.windows && explored.is_none(),
            values,
            families: families(model),
            suggested: Vec::new(),
            sums: Vec::new(),
            distances: Vec::new(),
            flows: Flows::default(),
            explored,
            threads,
            stop,
        };
        let control = control_orders(model);
        let proved: Vec<Expression> = static_measure(model).into_iter().map(|one| one.expression).collect();
        let mut suggested: Vec<Vec<Candidate>> =
            vec![finder.given(model, &control), finder.given(model, &proved)];
        suggested.extend(suggested.concat().into_iter().map(|one| vec![one]).collect::<Vec<_>>());
        suggested.retain(|list| !list.is_empty());
        // Each of these may take some milliseconds.
        if finder.is_stopped() {
            return finder;
        }
        let changes = LinearChanges::new(model);
        let only_monotone = finder.tuning.only_monotone;
        let SuggestedSums { lists, distances } = suggested_sums(&changes, large, only_monotone);
        if finder.is_stopped() {
            return finder;
        }
        finder.distances = distances.into_iter().map(|sum| finder.sum(Arc::new(sum), |_| true)).collect();
        for list in lists {
            let list: Vec<Candidate> =
                list.into_iter().map(|sum| finder.sum(Arc::new(sum), |_| true)).collect();
            finder.sums.extend(list.iter().cloned());
            suggested.push(list);
        }
        finder.flows = Flows::new(model, &changes, large);
        finder.suggested = suggested;
        finder
    }

    /// The best measures, best first.
    pub fn find(&self) -> Vec<Found> {
        if self.is_stopped() {
            return Vec::new();
        }
        let mut beam = vec![Prefix {
            price: 1.0,
            tiny: Ordered::constant(self.tiny),
            small: Ordered::constant(self.small),
            chosen: Vec::new(),
            bits: 0,
            is_stationary: vec![true; self.large.kinds()],
        }];
        let mut met: Vec<(f64, Vec<Candidate>)> = Vec::new();
        let mut best = self.tuning.worthwhile.max(1.0);
        let mut without_gain = 0;
        for _ in 0..self.tuning.most_steps {
            let next = self.extended(&beam);
            let Some(least) = next.first().map(|prefix| prefix.price) else { break };
            without_gain = if least < best * self.tuning.gain { 0 } else { without_gain + 1 };
            best = best.min(least);
            met.extend(next.iter().map(|prefix| (prefix.price, prefix.chosen.clone())));
            beam = next;
            if without_gain > self.tuning.patience || self.is_stopped() {
                break;
            }
        }
        met.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.len().cmp(&other.1.len())));
        met.retain(|one| one.0 < self.tuning.hopeless * self.tuning.worthwhile);
        met.truncate(self.tuning.validated);
        let best: Vec<_> = met.iter().take(self.tuning.polished).collect();
        met.extend(side_by_side(self.threads, best, |mine| {
            mine.into_iter().map(|one| self.polished(one)).collect()
        }));
        // A small sample has too few regress edges to judge these.
        met.extend(self.distances.iter().filter(|_| self.windows).map(|one| (1.0, vec![one.clone()])));
        self.validated(met)
    }

    /// Whether the result is of no use any more.
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The bound of a simulation that ends at a price.
    fn bound(&self, limit: f64) -> Bound<'a> {
        Bound { aim: self.aim, limit, stop: self.stop }
    }

    /// A sample in the order of these components.
    fn ordered(&self, sample: &Sample, components: &[Candidate]) -> Ordered {
        let mut ordered = Ordered::constant(sample);
        components.iter().for_each(|candidate| self.refine(sample, &mut ordered, candidate));
        ordered.close_gaps();
        ordered
    }

    /// The best extensions of the beam, best first: those that are good on the tiny sample are
    /// compared on the small one.
    fn extended(&self, beam: &[Prefix]) -> Vec<Prefix> {
        let prefixes: Vec<(usize, &Prefix)> = beam.iter().enumerate().collect();
        let lists = side_by_side(self.threads, prefixes, |mine| {
            let lists = |(from, prefix)| self.shortlist(prefix).into_iter().map(move |added| (from, added));
            mine.into_iter().flat_map(lists).collect()
        });
        let few = self.compared(self.tiny, self.tuning.compared, lists, beam, |prefix| &prefix.tiny);
        let few = few.into_iter().map(|one| (one.from, one.added)).collect();
        let best = self.compared(self.small, self.tuning.beam, few, beam, |prefix| &prefix.small);
        best.into_iter().map(|one| self.prefix(&beam[one.from], one)).collect()
    }

    /// The best `count` extensions on a sample, best first. `base` is the sample in the order of
    /// the measure that is extended.
    fn compared(
        &self,
        sample: &Sample,
        count: usize,
        extensions: Vec<(usize, Vec<Candidate>)>,
        beam: &[Prefix],
        base: impl Fn(&Prefix) -> &Ordered + Sync,
    ) -> Vec<Extension> {
        let found = side_by_side(self.threads, extensions, |mine| {
            let mut best: Vec<Extension> = Vec::new();
            for (from, added) in mine {
                if self.is_stopped() {
                    break;
                }
                let prefix = &beam[from];
                let mut ordered = base(prefix).clone();
                added.iter().for_each(|candidate| self.refine(sample, &mut ordered, candidate));
                ordered.close_gaps();
                let limit = best.get(count - 1).map_or(f64::INFINITY, |one| one.price);
                let chosen: Vec<&Candidate> = prefix.chosen.iter().chain(&added).collect();
                let price = self.price(sample, &ordered, &chosen, limit);
                keep_best(&mut best, count, Extension { price, from, added, ordered });
            }
            best
        });
        let mut best = Vec::new();
        found.into_iter().for_each(|one| keep_best(&mut best, count, one));
        best
    }

    fn prefix(&self, base: &Prefix, extension: Extension) -> Prefix {
        let Extension { price, added, ordered, .. } = extension;
        let mut prefix = Prefix { price, small: ordered, ..base.clone() };
        for candidate in added {
            self.refine(self.tiny, &mut prefix.tiny, &candidate);
            match &candidate.subject {
                Subject::Cell(cell) => {
                    let rank = candidate.ranking.lookup();
                    for change in self.large.changes(*cell) {
                        prefix.is_stationary[change.kind as usize] &= rank(change.from) == rank(change.to);
                    }
                }
                Subject::Sum(sum) => {
                    sum.deltas.iter().for_each(|(kind, _)| prefix.is_stationary[*kind as usize] = false);
                }
            }
            prefix.bits += candidate.bits;
            prefix.chosen.push(candidate);
        }
        prefix.tiny.close_gaps();
        prefix
    }

    fn refine(&self, sample: &Sample, ordered: &mut Ordered, candidate: &Candidate) {
        match &candidate.subject {
            // A cell that never changes in this sample refines nothing.
            Subject::Cell(cell) if sample.is_changed(*cell) => {
                let column = sample.column(*cell);
                ordered.refine(column.map(candidate.ranking.lookup()), candidate.ranking.classes());
            }
            Subject::Cell(_) => {}
            Subject::Sum(sum) => {
                let column = sum.column(sample, self.size(sample));
                ordered.refine(column.values.iter().copied(), column.end);
            }
        }
    }

    fn size(&self, sample: &Sample) -> Size {
        match () {
            () if std::ptr::eq(sample, self.tiny) => Size::Tiny,
            () if std::ptr::eq(sample, self.small) => Size::Small,
            () if self.explored.is_some_and(|(explored, _)| std::ptr::eq(sample, explored)) => Size::Explored,
            () => Size::Large,
        }
    }
}

/// Inserts an extension among the best few.
fn keep_best(best: &mut Vec<Extension>, count: usize, one: Extension) {
    // Equal prices: the same measure in another form.
    let is_known = best.iter().any(|other| other.price == one.price);
    if one.price.is_finite() && !is_known {
        let position = best.partition_point(|other| other.price <= one.price);
        best.insert(position, one);
        best.truncate(count);
    }
}

/// Families of cells that are alike: the same variable of several processes, locations of processes
/// whose names differ in a number, the elements of an array.
fn families(model: &GuardedCommands) -> Vec<Vec<usize>> {
    let mut families: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for cell in 0..model.cells.len() {
        let name = model.cell_name(CellId(cell as u32));
        let stem: String = name.chars().map(|one| if one.is_ascii_digit() { '#' } else { one }).collect();
        families.entry(stem).or_default().push(cell);
    }
    families.into_values().filter(|family| family.len() > 1).collect()
}
