//! The order in which transitions are tested.
//!
//! Machine code evaluates a test that adjacent actions share only once, and skips all of them where
//! it fails. So transitions with the same test on a place are adjacent, with this test first, and
//! each such group is arranged again by the remaining tests. Most tests fail in most markings: of
//! the hundreds of transitions of a net, those that share an empty place cost one test.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::net::{Net, NetArc};

/// Levels of groups within groups.
const DEEPEST: usize = 6;

/// A transition with the tests of its inputs in the order of evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ordered {
    /// Number of the transition in the net.
    pub(super) transition: usize,
    /// Its inputs.
    pub(super) inputs: Vec<NetArc>,
}

/// All transitions of a net, with those that share tests adjacent.
pub(super) fn ordered(net: &Net) -> Vec<Ordered> {
    let all = net.transitions.iter().enumerate();
    let all = all.map(|(transition, one)| Ordered { transition, inputs: one.inputs.clone() }).collect();
    let mut arranged = Vec::with_capacity(net.transitions.len());
    arrange(all, 0, &mut arranged);
    arranged
}

/// Appends transitions whose first `depth` tests are the same.
fn arrange(transitions: Vec<Ordered>, depth: usize, arranged: &mut Vec<Ordered>) {
    let mut askers: HashMap<NetArc, Vec<usize>> = HashMap::new();
    for (number, one) in transitions.iter().enumerate() {
        for input in &one.inputs[depth..] {
            askers.entry(*input).or_default().push(number);
        }
    }
    let mut counts: HashMap<NetArc, usize> = askers.iter().map(|(test, list)| (*test, list.len())).collect();
    // The most common test first; of equals, that of the first place.
    let mut tests: BinaryHeap<(usize, Reverse<NetArc>)> =
        counts.iter().map(|(test, count)| (*count, Reverse(*test))).collect();
    let mut left: Vec<Option<Ordered>> = transitions.into_iter().map(Some).collect();
    while let Some((count, Reverse(test))) = tests.pop() {
        let now = counts[&test];
        if count < 2 || depth >= DEEPEST {
            break;
        }
        if now < count {
            tests.push((now, Reverse(test)));
            continue;
        }
        let mut group = Vec::with_capacity(count);
        for mut one in askers[&test].iter().filter_map(|number| left[*number].take()) {
            for input in &one.inputs[depth..] {
                if let Some(count) = counts.get_mut(input) {
                    *count -= 1;
                }
            }
            if let Some(at) = one.inputs.iter().position(|input| *input == test) {
                one.inputs[depth..=at].rotate_right(1);
            }
            group.push(one);
        }
        arrange(group, depth + 1, arranged);
    }
    arranged.extend(left.into_iter().flatten());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::petri::lola;

    fn names(text: &str) -> Vec<String> {
        let net = lola::net(text).unwrap();
        let shown = |one: &Ordered| {
            let inputs: Vec<&str> =
                one.inputs.iter().map(|arc| net.places[arc.place as usize].name.as_str()).collect();
            format!("{} {}", net.transitions[one.transition].name, inputs.join(" "))
        };
        ordered(&net).iter().map(shown).collect()
    }

    #[test]
    fn transitions_with_a_common_test_are_adjacent() {
        let text = "PLACE p, q, r; MARKING; TRANSITION a CONSUME p; PRODUCE; TRANSITION b CONSUME q, r; PRODUCE; \
            TRANSITION c CONSUME p, r; PRODUCE; TRANSITION d CONSUME r: 2; PRODUCE; TRANSITION e CONSUME q, r; PRODUCE; \
            TRANSITION f CONSUME; PRODUCE;";
        assert_eq!(names(text), ["b r q", "e r q", "c r p", "a p", "d r", "f "]);
    }

    #[test]
    fn many_common_tests_are_no_trouble() {
        let places: Vec<String> = (0..2_000).map(|number| format!("p{number}")).collect();
        let places = places.join(", ");
        let transition = |name: char| format!("TRANSITION {name} CONSUME {places}; PRODUCE;");
        let text = format!("PLACE {places}; MARKING; {} {}", transition('a'), transition('b'));
        assert_eq!(names(&text).len(), 2);
    }
}
