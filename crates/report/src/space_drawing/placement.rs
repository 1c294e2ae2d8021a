//! Placement of the states in a drawing.
//!
//! This is the layered drawing of Sugiyama, Tagawa and Toda (1981), with the layers given by
//! progress. A layer with stationary edges has several rows, by the number of steps from where the
//! layer is entered. Passes down and up order each row by the mean position of the neighbours,
//! which leaves few crossings. Then each state moves as close to its neighbours as the order and
//! the minimum distance allow. Edges over several rows have no bends: with up to two thousand
//! states, bends add more ink than clarity.

use std::collections::{BTreeMap, VecDeque};

use crate::space::SpaceRecord;

/// Maximum width of a row, in pixels.
const WIDTH: f64 = 1_000.0;
/// Minimum width of a row, in pixels, so that bands look like bands.
const LEAST_WIDTH: f64 = 640.0;
/// Width of the column with the names of layers, in pixels.
pub const GUTTER: f64 = 132.0;
/// Number of passes over all rows, alternately down and up.
const PASSES: usize = 16;

/// Sizes in pixels, which depend on the number of states.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// Radius of the circle of a state.
    pub radius: f64,
    /// Distance between states in a row.
    pub across: f64,
    /// Distance between rows.
    pub down: f64,
}

impl Scale {
    /// Sizes for this number of states.
    fn least(states: usize) -> Self {
        match states {
            0..=80 => Self { radius: 11.0, across: 46.0, down: 58.0 },
            81..=400 => Self { radius: 7.0, across: 25.0, down: 42.0 },
            _ => Self { radius: 4.5, across: 15.0, down: 30.0 },
        }
    }

    fn most_in_line(self) -> usize {
        (WIDTH / self.across) as usize
    }

    /// Larger sizes, for short rows.
    fn stretched(self, room: f64, widest: usize) -> Self {
        let across = (room / widest as f64).clamp(self.across, self.across * 2.6);
        Self { across, radius: (across * 0.25).clamp(self.radius, self.radius * 1.35), ..self }
    }
}

/// A position in the picture, in pixels.
#[derive(Clone, Copy, Debug, Default)]
pub struct Point {
    /// Distance from the left.
    pub x: f64,
    /// Distance from the top.
    pub y: f64,
}

/// A layer in the picture.
#[derive(Clone, Copy, Debug)]
pub struct Band {
    /// Distance from the top.
    pub top: f64,
    /// Height.
    pub height: f64,
}

/// Positions of states and layers.
#[derive(Debug)]
pub struct Placement {
    /// The sizes.
    pub scale: Scale,
    /// The states.
    pub states: Vec<Point>,
    /// The layers, in the order of progress.
    pub bands: Vec<Band>,
    /// The whole picture.
    pub width: f64,
    /// The whole picture.
    pub height: f64,
}

/// Places all states. `layers` is the index of the layer of each state; `edges` must be in range.
pub fn place(space: &SpaceRecord, layers: &[usize], edges: &[(usize, usize)]) -> Placement {
    let scale = Scale::least(layers.len());
    let neighbours = Neighbours::new(layers.len(), edges);
    let rows = rows(space, layers, &neighbours);
    let mut order: Vec<Vec<usize>> = rows.values().cloned().collect();
    reduce_crossings(&mut order, &neighbours);
    let lines = into_lines(&rows, &order, scale.most_in_line());
    let widest = lines.iter().map(|(_, line)| line.len()).max().unwrap_or(1);
    let room = (widest as f64 * scale.across).clamp(LEAST_WIDTH, WIDTH);
    let scale = scale.stretched(room, widest);
    let mut xs = across(&lines, &neighbours, scale, room);
    let (mut ys, mut bands) = (vec![0.0; layers.len()], Vec::new());
    let (mut y, mut last) = (10.0, None);
    for (layer, line) in &lines {
        if last != Some(*layer) {
            y += if last.is_some() { 10.0 } else { 0.0 };
            bands.push(Band { top: y, height: 0.0 });
            last = Some(*layer);
        }
        for &state in line {
            ys[state] = y + scale.down / 2.0;
        }
        y += scale.down;
        if let Some(band) = bands.last_mut() {
            band.height = y - band.top;
        }
    }
    xs.iter_mut().for_each(|x| *x += GUTTER);
    let states = xs.into_iter().zip(ys).map(|(x, y)| Point { x, y }).collect();
    // Regress edges need space on the right.
    Placement { scale, states, bands, width: GUTTER + room + 70.0, height: y + 10.0 }
}

/// Predecessors and successors of each state.
struct Neighbours {
    all: Vec<Vec<usize>>,
    successors: Vec<Vec<usize>>,
}

impl Neighbours {
    fn new(states: usize, edges: &[(usize, usize)]) -> Self {
        let (mut all, mut successors) = (vec![Vec::new(); states], vec![Vec::new(); states]);
        for &(from, to) in edges.iter().filter(|(from, to)| from != to) {
            all[from].push(to);
            all[to].push(from);
            successors[from].push(to);
        }
        Self { all, successors }
    }
}

/// The states by layer and by their depth within it.
fn rows(
    space: &SpaceRecord,
    layers: &[usize],
    neighbours: &Neighbours,
) -> BTreeMap<(usize, usize), Vec<usize>> {
    let mut depth: Vec<Option<usize>> = vec![None; layers.len()];
    let mut is_entered: Vec<bool> = space.states.iter().map(|state| state.initial).collect();
    for (from, successors) in neighbours.successors.iter().enumerate() {
        for &to in successors {
            is_entered[to] |= layers[from] != layers[to];
        }
    }
    let entered = (0..layers.len()).filter(|&state| is_entered[state]);
    let mut waiting: VecDeque<usize> = entered.collect();
    for &state in &waiting {
        depth[state] = Some(0);
    }
    while let Some(state) = waiting.pop_front() {
        for &next in &neighbours.successors[state] {
            if layers[next] == layers[state] && depth[next].is_none() {
                depth[next] = depth[state].map(|steps| steps + 1);
                waiting.push_back(next);
            }
        }
    }
    let mut rows: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (state, &layer) in layers.iter().enumerate() {
        rows.entry((layer, depth[state].unwrap_or(0))).or_default().push(state);
    }
    rows
}

/// Orders each row by the mean position of the neighbours.
fn reduce_crossings(rows: &mut [Vec<usize>], neighbours: &Neighbours) {
    let states = neighbours.all.len();
    let (mut row_of, mut offset) = (vec![0; states], vec![0.0; states]);
    for (number, row) in rows.iter().enumerate() {
        spread(row, &mut offset);
        row.iter().for_each(|&state| row_of[state] = number);
    }
    for pass in 0..PASSES {
        let is_down = pass % 2 == 0;
        for step in 0..rows.len() {
            let number = if is_down { step } else { rows.len() - 1 - step };
            let counts = |other: &usize| (row_of[*other] < number) == is_down && row_of[*other] != number;
            let mut keyed: Vec<(f64, usize)> = rows[number]
                .iter()
                .map(|&state| {
                    let places = neighbours.all[state].iter().filter(|other| counts(other));
                    (mean(places.map(|&other| offset[other])).unwrap_or(offset[state]), state)
                })
                .collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            rows[number] = keyed.into_iter().map(|(_, state)| state).collect();
            spread(&rows[number], &mut offset);
        }
    }
}

/// Positions of a row, centred in the picture.
fn spread(row: &[usize], offset: &mut [f64]) {
    for (place, &state) in row.iter().enumerate() {
        offset[state] = place as f64 - (row.len() - 1) as f64 / 2.0;
    }
}

fn mean(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = numbers.fold((0.0, 0), |(sum, count), number| (sum + number, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// Wraps rows that are too long, keeping neighbours close.
fn into_lines(
    rows: &BTreeMap<(usize, usize), Vec<usize>>,
    order: &[Vec<usize>],
    most: usize,
) -> Vec<(usize, Vec<usize>)> {
    let mut lines = Vec::new();
    for ((layer, _), row) in rows.keys().zip(order) {
        let count = row.len().div_ceil(most).max(1);
        for line in 0..count {
            lines.push((*layer, row.iter().skip(line).step_by(count).copied().collect()));
        }
    }
    lines
}

/// Horizontal position of each state.
fn across(lines: &[(usize, Vec<usize>)], neighbours: &Neighbours, scale: Scale, room: f64) -> Vec<f64> {
    let mut xs = vec![room / 2.0; neighbours.all.len()];
    for (_, line) in lines {
        let begin = (room - (line.len() - 1) as f64 * scale.across) / 2.0;
        for (place, &state) in line.iter().enumerate() {
            xs[state] = begin + place as f64 * scale.across;
        }
    }
    for pass in 0..8 {
        for step in 0..lines.len() {
            let line = &lines[if pass % 2 == 0 { step } else { lines.len() - 1 - step }].1;
            let wishes: Vec<f64> = line
                .iter()
                .map(|&state| mean(neighbours.all[state].iter().map(|&other| xs[other])).unwrap_or(xs[state]))
                .collect();
            for (&state, x) in line.iter().zip(nearest(&wishes, scale.across, room)) {
                xs[state] = x;
            }
        }
    }
    xs
}

/// Positions in the given order, `gap` apart and within the width, with the least sum of squared
/// distances to the desired positions. Neighbours that would overlap are pooled and share their
/// mean.
fn nearest(wishes: &[f64], gap: f64, room: f64) -> Vec<f64> {
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for (place, wish) in wishes.iter().enumerate() {
        let mut pool = (wish - place as f64 * gap, 1);
        while let Some(&(before, count)) = pools.last().filter(|(before, _)| *before > pool.0) {
            let total = count + pool.1;
            pool = ((before * count as f64 + pool.0 * pool.1 as f64) / total as f64, total);
            pools.pop();
        }
        pools.push(pool);
    }
    let least = gap / 2.0;
    let most = (room - gap / 2.0 - (wishes.len().saturating_sub(1)) as f64 * gap).max(least);
    let starts = pools.into_iter().flat_map(|(start, count)| std::iter::repeat_n(start, count));
    starts.enumerate().map(|(place, start)| start.clamp(least, most) + place as f64 * gap).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_keep_their_order_and_their_distance() {
        let places = nearest(&[50.0, 50.0, 50.0, 300.0], 10.0, 200.0);
        assert_eq!(places[..3], [40.0, 50.0, 60.0]);
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= 10.0), "{places:?}");
        assert!(places[3] <= 195.0, "{places:?}");
    }

    #[test]
    fn a_ladder_is_drawn_without_crossings() {
        // Two chains whose states alternate in the wrong order.
        let edges: Vec<(usize, usize)> = (0..8).map(|state| (state, state + 2)).collect();
        let neighbours = Neighbours::new(10, &edges);
        let mut rows: Vec<Vec<usize>> = (0..5)
            .map(|row| if row % 2 == 0 { vec![2 * row, 2 * row + 1] } else { vec![2 * row + 1, 2 * row] })
            .collect();
        reduce_crossings(&mut rows, &neighbours);
        assert!(rows.iter().all(|row| row[0] % 2 == rows[0][0] % 2), "{rows:?}");
    }
}
