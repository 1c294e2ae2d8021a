//! Labels of edges: whether several cubes cover one, and how to merge and shorten the labels of
//! parallel edges.

use super::{Cube, Edge};

/// Whether the cube is true only where one of the others is.
///
/// Splits the cube at a proposition until one of the others covers it. Covering is a hard question
/// in general. Here the cubes are few, and they are not split further if their sizes show that they
/// cannot suffice.
pub(super) fn is_covered(cube: Cube, others: &[Cube]) -> bool {
    if others.iter().any(|&other| cube.implies(other)) {
        return true;
    }
    let meeting: Vec<Cube> = others.iter().copied().filter(|other| other.and(cube).is_some()).collect();
    let free = |other: &Cube| (other.holds | other.fails) & !(cube.holds | cube.fails);
    let share: f64 = meeting.iter().map(|other| 0.5_f64.powi(free(other).count_ones() as i32)).sum();
    let Some(first) = meeting.first().filter(|_| share >= 1.0) else { return false };
    let bit = 1 << free(first).trailing_zeros();
    [Cube { holds: cube.holds | bit, ..cube }, Cube { fails: cube.fails | bit, ..cube }]
        .into_iter()
        .all(|half| is_covered(half, &meeting))
}

/// Edges out of one state, fewer and with shorter labels: `p and q` beside `not p` becomes `q`. An
/// edge is dropped if another one with the same target and at least its acceptance sets covers it.
pub(super) fn shorten(edges: &mut Vec<Edge>) {
    edges.sort_unstable();
    edges.dedup();
    loop {
        drop_covered(edges);
        let Some((at, label)) = shorter_label(edges) else { return };
        edges[at].label = label;
    }
}

fn drop_covered(edges: &mut Vec<Edge>) {
    let mut at = 0;
    while at < edges.len() {
        let edge = &edges[at];
        let is_covered = edges.iter().enumerate().any(|(other_at, other)| {
            other_at != at
                && other.target == edge.target
                && edge.label.implies(other.label)
                && edge.accepting & !other.accepting == 0
        });
        if is_covered {
            edges.remove(at);
        } else {
            at += 1;
        }
    }
}

/// An edge whose label has a superfluous literal: where it is false, another edge does the same.
fn shorter_label(edges: &[Edge]) -> Option<(usize, Cube)> {
    for (at, edge) in edges.iter().enumerate() {
        for other in edges {
            if other.target != edge.target || edge.accepting & !other.accepting != 0 {
                continue;
            }
            let opposite = edge.label.holds & other.label.fails | edge.label.fails & other.label.holds;
            if opposite.count_ones() != 1 {
                continue;
            }
            let without = |cube: Cube| Cube { holds: cube.holds & !opposite, fails: cube.fails & !opposite };
            if without(edge.label).implies(without(other.label)) {
                return Some((at, without(edge.label)));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::random::Random;

    fn random_cube(random: &mut Random) -> Cube {
        let (holds, fails) = (random.below(16) as u64, random.below(16) as u64);
        Cube { holds: holds & !fails, fails: fails & !holds }
    }

    #[test]
    fn cubes_cover_what_each_letter_says() {
        let mut random = Random::new(5);
        let mut covered = 0;
        for _ in 0..3_000 {
            let cube = random_cube(&mut random);
            let others: Vec<Cube> = (0..random.below(8)).map(|_| random_cube(&mut random)).collect();
            let expected = (0..16)
                .filter(|&letter| cube.is_true_of(letter))
                .all(|letter| others.iter().any(|other| other.is_true_of(letter)));
            assert_eq!(is_covered(cube, &others), expected, "{cube:?} {others:?}");
            covered += u32::from(expected && !others.iter().any(|&other| cube.implies(other)));
        }
        assert!(covered > 20, "{covered}");
    }

    #[test]
    fn shorter_labels_read_the_same_letters() {
        let mut random = Random::new(6);
        for _ in 0..2_000 {
            let edges: Vec<Edge> = (0..random.below(7))
                .map(|_| Edge {
                    label: random_cube(&mut random),
                    target: random.below(2) as u32,
                    accepting: random.below(2) as u32,
                })
                .collect();
            let mut short = edges.clone();
            shorten(&mut short);
            assert!(short.len() <= edges.len());
            for letter in 0..16 {
                let best = |edges: &[Edge], target| {
                    let steps = edges.iter().filter(|edge| edge.target == target);
                    steps.filter(|edge| edge.label.is_true_of(letter)).map(|edge| edge.accepting).max()
                };
                for target in 0..2 {
                    assert_eq!(best(&short, target), best(&edges, target), "{edges:?} {short:?}");
                }
            }
        }
    }
}
