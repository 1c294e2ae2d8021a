//! The course of a search: the states it held, layer by layer, and how often each action was taken.
//!
//! There may be millions of layers. When there are too many points, neighbours are joined in pairs.
//! So a course takes little memory, and each layer takes little time.

use serde::{Deserialize, Serialize};

use super::search::Held;

/// Most points of one sweep.
const MOST_POINTS: usize = 512;
/// Most sweeps that are recorded; later ones are left out.
const MOST_SWEEPS: usize = 32;

/// The course of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Course {
    /// The first sweeps, in order.
    pub sweeps: Vec<SweepCourse>,
    /// Number of times that each action was taken, by action number.
    pub taken: Vec<u64>,
    /// Number of expansions in layers before the current one.
    explored: u64,
}

/// The course of one sweep.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepCourse {
    /// The number of the sweep, from one.
    pub number: u64,
    /// Number of layers that it expanded.
    pub layers: u64,
    /// The layers of the sweep in order of progress, or groups of neighbouring layers.
    pub points: Vec<CoursePoint>,
    /// Number of layers in a whole group.
    layers_per_point: u64,
}

/// A layer, or several neighbouring ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoursePoint {
    /// The progress value of the first of them.
    pub progress: u64,
    /// Number of layers.
    pub layers: u64,
    /// Number of states expanded in these layers.
    pub expanded: u64,
    /// Number of states of the largest of these layers.
    pub largest: u64,
    /// The states held at the end of a layer, at the maximum over these layers.
    pub held: Held,
    /// Number of different states visited up to the last of these layers, as far as known.
    pub met: u64,
}

/// A layer at its end.
#[derive(Clone, Copy, Debug)]
pub struct EndedLayer {
    /// The sweep, from one.
    pub sweep: u64,
    /// The progress value of the layer.
    pub progress: u64,
    /// Number of states of the layer.
    pub states: u64,
    /// The states held now.
    pub held: Held,
    /// Number of different states visited so far.
    pub met: u64,
    /// Number of expansions so far.
    pub explored: u64,
}

impl Course {
    /// Creates an empty course for a model with this many actions.
    pub fn new(actions: usize) -> Self {
        Self { taken: vec![0; actions], ..Self::default() }
    }

    /// Counts actions that were taken. Ignores actions that the model does not have.
    #[inline]
    pub fn take(&mut self, actions: &[u32]) {
        for action in actions {
            if let Some(taken) = self.taken.get_mut(*action as usize) {
                *taken += 1;
            }
        }
    }

    /// Adds numbers of times that each action was taken.
    pub fn add_taken(&mut self, taken: &[u32]) {
        for (total, more) in self.taken.iter_mut().zip(taken) {
            *total += u64::from(*more);
        }
    }

    /// Number of actions.
    pub fn actions(&self) -> usize {
        self.taken.len()
    }

    /// Adds a layer at its end.
    pub fn end_layer(&mut self, layer: EndedLayer) {
        let expanded = layer.explored - self.explored;
        self.explored = layer.explored;
        if self.sweeps.last().is_none_or(|sweep| sweep.number != layer.sweep) {
            if self.sweeps.len() >= MOST_SWEEPS {
                return;
            }
            self.sweeps.push(SweepCourse {
                number: layer.sweep,
                layers_per_point: 1,
                ..SweepCourse::default()
            });
        }
        let before = self.sweeps.iter().rev().find_map(|sweep| sweep.points.last());
        let met = before.map_or(0, |point| point.met).max(layer.met);
        let point = CoursePoint {
            progress: layer.progress,
            layers: 1,
            expanded,
            largest: layer.states,
            held: layer.held,
            met,
        };
        if let Some(sweep) = self.sweeps.last_mut() {
            sweep.add(point);
        }
    }

    /// Whether there were more expansions than those of the layers that ended.
    pub fn is_behind(&self, explored: u64) -> bool {
        explored > self.explored
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        let points: usize = self.sweeps.iter().map(|sweep| sweep.points.capacity()).sum();
        points * size_of::<CoursePoint>() + self.taken.capacity() * size_of::<u64>()
    }
}

impl SweepCourse {
    fn add(&mut self, point: CoursePoint) {
        self.layers += 1;
        match self.points.last_mut() {
            Some(last) if last.layers < self.layers_per_point => last.join(&point),
            _ => self.points.push(point),
        }
        if self.points.len() > MOST_POINTS {
            for pair in 0..self.points.len().div_ceil(2) {
                let mut point = self.points[2 * pair];
                if let Some(next) = self.points.get(2 * pair + 1) {
                    point.join(next);
                }
                self.points[pair] = point;
            }
            self.points.truncate(self.points.len().div_ceil(2));
            self.layers_per_point *= 2;
        }
    }
}

impl CoursePoint {
    /// Joins the point with the one after it.
    fn join(&mut self, next: &Self) {
        self.layers += next.layers;
        self.expanded += next.expanded;
        self.largest = self.largest.max(next.largest);
        if next.held.total() > self.held.total() {
            self.held = next.held;
        }
        self.met = next.met;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(sweep: u64, layer: u64) -> EndedLayer {
        let held = Held { current: layer % 7, future: 1, persistent: 2 };
        EndedLayer { sweep, progress: layer, states: layer % 7, held, met: 10 * layer, explored: 3 * layer }
    }

    #[test]
    fn many_layers_are_joined_and_none_is_lost() {
        let mut course = Course::new(2);
        for layer in 1..=100_000 {
            course.end_layer(ended(1, layer));
        }
        let sweep = &course.sweeps[0];
        assert!(sweep.points.len() > MOST_POINTS / 2 && sweep.points.len() <= MOST_POINTS);
        assert_eq!(sweep.layers, 100_000);
        assert_eq!(sweep.points.iter().map(|point| point.layers).sum::<u64>(), 100_000);
        assert_eq!(sweep.points.iter().map(|point| point.expanded).sum::<u64>(), 300_000);
        assert!(sweep.points.is_sorted_by(|one, other| one.progress < other.progress && one.met < other.met));
        assert!(sweep.points.iter().all(|point| point.held.total() == 9 && point.largest == 6));
        // All groups have equal size, except the last one.
        let full = sweep.points[0].layers;
        assert!(sweep.points[..sweep.points.len() - 1].iter().all(|point| point.layers == full));
    }

    #[test]
    fn sweeps_are_told_apart_and_what_was_met_is_never_less() {
        let mut course = Course::new(0);
        course.end_layer(ended(1, 5));
        course.end_layer(EndedLayer { explored: 20, ..ended(2, 1) });
        assert_eq!(course.sweeps.len(), 2);
        assert_eq!(course.sweeps[1].points[0].met, 50);
        assert_eq!(course.sweeps[1].points[0].expanded, 5);
        for sweep in 3..100 {
            course.end_layer(EndedLayer { explored: 20 + sweep, ..ended(sweep, 1) });
        }
        assert_eq!(course.sweeps.len(), MOST_SWEEPS);
    }

    #[test]
    fn actions_of_others_are_not_counted() {
        let mut course = Course::new(2);
        course.take(&[0, 1, 1, 7]);
        assert_eq!(course.taken, [1, 2]);
    }
}
