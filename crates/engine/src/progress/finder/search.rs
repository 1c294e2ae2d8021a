//! Measures built component by component, several side by side.

mod candidates;
mod sums;
mod windows;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::progress::linear_changes::LinearChanges;
use crate::progress::static_measure::{control_orders, static_measure};
use model::guarded_commands::{CellId, Expression, GuardedCommands};
use model::state_layout::StateLayout;

use super::FinderOptions;
use super::flows::Flows;
use super::functionals::{Functional, Size, SuggestedSums, suggested_sums};
use super::learned_orders::Ranking;
use super::sample::Sample;
use super::simulation::{Aim, Cost, Kind, Ordered, Sweep, simulate};

/// Bits of a progress value.
const BITS: u32 = 63;
/// Single candidates that are tried for each measure in each step.
const SIMULATED: usize = 12;
/// The best extensions on the tiny sample, which are compared on the small one.
const COMPARED: usize = 20;
/// Measures that are built side by side.
const BEAM: usize = 8;
/// Measures that are tried on the large sample.
const VALIDATED: usize = 12;
/// Measures that are polished.
const POLISHED: usize = 3;
/// Steps at the most.
const MOST_STEPS: usize = 10;
/// Steps without gain before the search for more components ends.
const PATIENCE: usize = 2;
/// How much worse than the best one a measure may be to be proposed as well.
const WORSE: f64 = 1.5;
/// The price, of which one is that of full exploration, from which on a measure is not worth it.
const WORTHWHILE: f64 = 0.85;
/// The same where memory is all that counts: work that is done twice is no reason to keep everything.
const WORTHWHILE_FOR_MEMORY: f64 = 2.0;
/// What must not be held at the peak of a sweep that is worth it.
const SAVED: f64 = 0.03;
/// How much more than that it may cost on the small sample.
const HOPELESS: f64 = 1.12;
/// What a further component must gain.
const GAIN: f64 = 0.98;

/// A measure, and what it costs on the large sample.
#[derive(Clone, Debug)]
pub struct Found {
    /// Components, the one that counts most first.
    pub components: Vec<Expression>,
    /// The cost on the sample.
    pub cost: Cost,
    /// How many leading components were never seen to fall.
    pub monotone: usize,
    /// The better sweep.
    pub kind: Kind,
}

/// One more component.
#[derive(Clone, Debug)]
struct Candidate {
    subject: Subject,
    ranking: Ranking,
    form: Form,
    /// The expression, if it is given.
    given: Option<Expression>,
    bits: u32,
}

/// What a component is about.
#[derive(Clone, Debug)]
enum Subject {
    /// The values of a cell, by their ranks.
    Cell(usize),
    /// A weighted sum of cells. Its ranking says only how many steps raise and lower it.
    Sum(Arc<Functional>),
}

/// How a component is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Ascending,
    Descending,
    Levels,
    Order,
    /// As the model's text has it.
    Static,
    /// A weighted sum.
    Sum,
}

impl Candidate {
    /// Its cell; sums come after all.
    fn cell(&self) -> usize {
        match self.subject {
            Subject::Cell(cell) => cell,
            Subject::Sum(_) => usize::MAX,
        }
    }
}

/// A search for a measure, step by step. Orders of values are learned from the large sample; candidates are compared on the
/// tiny one, the best of them on the small one, and the best measures on the large one.
pub struct Finder<'a> {
    model: &'a GuardedCommands,
    layout: &'a StateLayout,
    tiny: &'a Sample,
    small: &'a Sample,
    large: &'a Sample,
    aim: Aim,
    /// Whether windows are tried.
    windows: bool,
    /// By cell, the values that occur.
    values: Vec<Vec<u32>>,
    /// Cells that are alike.
    families: Vec<Vec<usize>>,
    /// Components that the model's text suggests, to be taken together.
    suggested: Vec<Vec<Candidate>>,
    /// Weighted sums that the incidence matrix suggests.
    sums: Vec<Candidate>,
    /// Sums that are close to the distance from the initial state.
    distances: Vec<Candidate>,
    /// Places that share tokens.
    flows: Flows,
}

/// A measure so far.
#[derive(Clone)]
struct Prefix {
    price: f64,
    tiny: Ordered,
    small: Ordered,
    chosen: Vec<Candidate>,
    bits: u32,
    /// By kind of step in the large sample, whether it leaves all components as they are.
    is_stationary: Vec<bool>,
}

/// A measure with some more components.
struct Extension {
    price: f64,
    /// What it extends.
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
    ) -> Self {
        let values = (0..large.cells())
            .map(|cell| {
                let mut seen: Vec<u32> = Vec::new();
                for sample in [tiny, small, large] {
                    let changes = sample.changes(cell).iter().map(|change| change.to);
                    let first = sample.column(cell).next();
                    for value in first.into_iter().chain(changes) {
                        if let Err(place) = seen.binary_search(&value) {
                            seen.insert(place, value);
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
            windows: options.windows,
            values,
            families: families(model),
            suggested: Vec::new(),
            sums: Vec::new(),
            distances: Vec::new(),
            flows: Flows::default(),
        };
        let control = control_orders(model);
        let proved: Vec<Expression> = static_measure(model).into_iter().map(|one| one.expression).collect();
        let mut suggested: Vec<Vec<Candidate>> =
            vec![finder.given(model, &control), finder.given(model, &proved)];
        suggested.extend(suggested.concat().into_iter().map(|one| vec![one]).collect::<Vec<_>>());
        suggested.retain(|list| !list.is_empty());
        let changes = LinearChanges::new(model);
        let SuggestedSums { lists, distances } = suggested_sums(&changes, large);
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

    /// Builds measures component by component, some side by side, and gives the best ones first.
    pub fn find(&self) -> Vec<Found> {
        let mut beam = vec![Prefix {
            price: 1.0,
            tiny: Ordered::constant(self.tiny),
            small: Ordered::constant(self.small),
            chosen: Vec::new(),
            bits: 0,
            is_stationary: vec![true; self.large.kinds()],
        }];
        let mut met: Vec<(f64, Vec<Candidate>)> = Vec::new();
        let mut best = self.worthwhile().max(1.0);
        let mut without_gain = 0;
        for _ in 0..MOST_STEPS {
            let next = self.extended(&beam);
            let Some(least) = next.first().map(|prefix| prefix.price) else { break };
            without_gain = if least < best * GAIN { 0 } else { without_gain + 1 };
            best = best.min(least);
            met.extend(next.iter().map(|prefix| (prefix.price, prefix.chosen.clone())));
            beam = next;
            if without_gain > PATIENCE {
                break;
            }
        }
        met.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.len().cmp(&other.1.len())));
        met.retain(|one| one.0 < HOPELESS * self.worthwhile());
        met.truncate(VALIDATED);
        let best: Vec<_> = met.iter().take(POLISHED).collect();
        met.extend(side_by_side(best, |mine| mine.into_iter().map(|one| self.polished(one)).collect()));
        // A small sample has not enough of the ways back to tell what they are worth.
        met.extend(self.distances.iter().filter(|_| self.windows).map(|one| (1.0, vec![one.clone()])));
        self.validated(met)
    }

    /// The measure without what it does not need, in the best order of neighbours.
    fn polished(&self, (price, chosen): &(f64, Vec<Candidate>)) -> (f64, Vec<Candidate>) {
        let (mut price, mut chosen) = (*price, chosen.clone());
        let mut number = 0;
        while number < chosen.len() {
            let mut without = chosen.clone();
            without.remove(number);
            if self.improves(&mut price, &without, 1.0) {
                chosen = without;
            } else {
                number += 1;
            }
        }
        for number in (1..chosen.len()).rev() {
            let mut swapped = chosen.clone();
            swapped.swap(number - 1, number);
            if self.improves(&mut price, &swapped, GAIN) {
                chosen = swapped;
            }
        }
        (price, chosen)
    }

    /// Whether the measure is better on the small sample.
    fn improves(&self, price: &mut f64, chosen: &[Candidate], gain: f64) -> bool {
        let ordered = self.ordered(self.small, chosen);
        let chosen: Vec<&Candidate> = chosen.iter().collect();
        let new = self.price(self.small, &ordered, &chosen, *price * gain);
        let is_better = new <= *price * gain;
        if is_better {
            *price = new;
        }
        is_better
    }

    /// The best ones by their cost on the large sample.
    fn validated(&self, met: Vec<(f64, Vec<Candidate>)>) -> Vec<Found> {
        let mut found: Vec<(f64, Found)> = side_by_side(met, |mine| {
            let mut found: Vec<(f64, Found)> = Vec::new();
            for (_, chosen) in mine {
                let limit = found.iter().map(|one| one.0).fold(self.worthwhile(), f64::min) * WORSE;
                found.extend(self.validate(&chosen, limit));
            }
            found
        });
        // What costs the same is the same, written otherwise: the shorter one stays.
        found.sort_by_key(|(_, one)| one.components.len());
        let mut costs: Vec<Cost> = Vec::new();
        found.retain(|(_, one)| {
            let is_new = !costs.contains(&one.cost);
            costs.push(one.cost);
            is_new
        });
        found.sort_by(|one, other| one.0.total_cmp(&other.0));
        let worst = found.first().map_or(0.0, |best| best.0 * WORSE);
        found.into_iter().filter(|one| one.0 <= worst).map(|(_, found)| found).collect()
    }

    /// The price from which on a measure is not worth it.
    fn worthwhile(&self) -> f64 {
        match self.aim {
            Aim::Product { alpha } if alpha <= 1.0 => WORTHWHILE_FOR_MEMORY,
            _ => WORTHWHILE,
        }
    }

    /// Whether a component rises so much more often than it falls that it is tried.
    fn is_promising(&self, ranking: &Ranking) -> bool {
        match self.aim {
            Aim::Product { alpha } if alpha <= 1.0 => ranking.rising > ranking.falling,
            _ => ranking.rising > 2 * ranking.falling,
        }
    }

    /// The measure with its price on the large sample, if it is worth it.
    fn validate(&self, chosen: &[Candidate], limit: f64) -> Option<(f64, Found)> {
        let monotone = chosen.iter().take_while(|one| one.ranking.falling == 0).count();
        let ordered = self.ordered(self.large, chosen);
        let flat = simulate(self.large, &ordered, Sweep::Flat, self.aim, limit);
        let mut best = (self.aim.price(&flat), flat, Kind::Flat);
        // Where only the first components never fall, the groups that they make can be swept one by one.
        if flat.regress > 0 && monotone > 0 {
            let groups = self.ordered(self.large, &chosen[..monotone]);
            let nested = simulate(self.large, &ordered, Sweep::Nested(&groups), self.aim, limit);
            let price = self.aim.price(&nested);
            if price < best.0 {
                best = (price, nested, Kind::Nested);
            }
        }
        if flat.regress > 0 {
            let chosen: Vec<&Candidate> = chosen.iter().collect();
            best = self.with_best_window(&ordered, &chosen, best);
        }
        let (price, cost, kind) = best;
        let components = chosen.iter().map(|one| self.expression(one)).collect();
        (price < self.worthwhile() && cost.peak_share() < 1.0 - SAVED)
            .then_some((price, Found { components, cost, monotone, kind }))
    }

    /// A sample in the order of these components.
    fn ordered(&self, sample: &Sample, components: &[Candidate]) -> Ordered {
        let mut ordered = Ordered::constant(sample);
        components.iter().for_each(|candidate| self.refine(sample, &mut ordered, candidate));
        ordered.close_gaps();
        ordered
    }

    /// The best extensions of the prefixes, best first: those that are good on the tiny sample are compared on the small one.
    fn extended(&self, beam: &[Prefix]) -> Vec<Prefix> {
        let prefixes: Vec<(usize, &Prefix)> = beam.iter().enumerate().collect();
        let lists = side_by_side(prefixes, |mine| {
            let lists = |(from, prefix)| self.shortlist(prefix).into_iter().map(move |added| (from, added));
            mine.into_iter().flat_map(lists).collect()
        });
        let few = self.compared(self.tiny, COMPARED, lists, beam, |prefix| &prefix.tiny);
        let few = few.into_iter().map(|one| (one.from, one.added)).collect();
        let best = self.compared(self.small, BEAM, few, beam, |prefix| &prefix.small);
        best.into_iter().map(|one| self.prefix(&beam[one.from], one)).collect()
    }

    /// The best few on a sample, best first. `base` is its order by what is extended.
    fn compared(
        &self,
        sample: &Sample,
        count: usize,
        extensions: Vec<(usize, Vec<Candidate>)>,
        beam: &[Prefix],
        base: impl Fn(&Prefix) -> &Ordered + Sync,
    ) -> Vec<Extension> {
        let found = side_by_side(extensions, |mine| {
            let mut best: Vec<Extension> = Vec::new();
            for (from, added) in mine {
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
            // Otherwise it never changes here.
            Subject::Cell(cell) if !sample.changes(*cell).is_empty() => {
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
            () => Size::Large,
        }
    }
}

/// Inserts an extension among the best few.
fn keep_best(best: &mut Vec<Extension>, count: usize, one: Extension) {
    // The same by another way is no news.
    let is_known = best.iter().any(|other| other.price == one.price);
    if one.price.is_finite() && !is_known {
        let place = best.partition_point(|other| other.price <= one.price);
        best.insert(place, one);
        best.truncate(count);
    }
}

/// Does the work in two halves, side by side. What comes of it depends on the halves, not on which is ready first.
fn side_by_side<T: Send, R: Send>(items: Vec<T>, work: impl Fn(Vec<T>) -> Vec<R> + Sync) -> Vec<R> {
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for (number, item) in items.into_iter().enumerate() {
        if number % 2 == 0 { first.push(item) } else { second.push(item) }
    }
    if second.is_empty() {
        return work(first);
    }
    std::thread::scope(|scope| {
        let other = scope.spawn(|| work(second));
        let mut results = work(first);
        // A panic is a defect, here as there.
        results.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        results
    })
}

/// Cells that are alike: the same variable of several processes, locations of processes whose names differ in a number,
/// the elements of an array.
fn families(model: &GuardedCommands) -> Vec<Vec<usize>> {
    let mut families: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for cell in 0..model.cells.len() {
        let name = model.cell_name(CellId(cell as u32));
        let stem: String = name.chars().map(|one| if one.is_ascii_digit() { '#' } else { one }).collect();
        families.entry(stem).or_default().push(cell);
    }
    families.into_values().filter(|family| family.len() > 1).collect()
}
