//! Levels of a small graph: how far each strongly connected component lies from the first ones.
//!
//! The graph is that of the values of a cell, or of the locations of a process. Its levels are an
//! order that no edge decreases, and that every edge between two components increases.

use logic::strong_components::components_by_edges;

/// For each node, the number of edges between strongly connected components on a longest path to
/// its own one.
pub fn levels(leaving: &[Vec<usize>]) -> Vec<usize> {
    let components = components_by_edges(leaving.len(), |node, edge| leaving[node].get(edge).copied()).of;
    let mut of_component = vec![0; leaving.len()];
    // Terminal components have the least numbers.
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); leaving.len()];
    components.iter().enumerate().for_each(|(node, component)| members[*component as usize].push(node));
    for component in (0..members.len()).rev() {
        for target in members[component].iter().flat_map(|node| &leaving[*node]) {
            let other = components[*target] as usize;
            if other != component {
                of_component[other] = of_component[other].max(of_component[component] + 1);
            }
        }
    }
    components.into_iter().map(|component| of_component[component as usize]).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// No edge decreases the level, and exactly those between two components increase it.
        #[test]
        fn levels_increase_between_components(
            nodes in 1..9usize, edges in prop::collection::vec((0..9usize, 0..9usize), 0..20),
        ) {
            let mut leaving = vec![Vec::new(); nodes];
            edges.iter().for_each(|(from, to)| leaving[from % nodes].push(to % nodes));
            let mut reaches = vec![vec![false; nodes]; nodes];
            for (start, reached) in reaches.iter_mut().enumerate() {
                let mut open = vec![start];
                while let Some(node) = open.pop() {
                    if !std::mem::replace(&mut reached[node], true) {
                        open.extend(&leaving[node]);
                    }
                }
            }
            let levels = levels(&leaving);
            for one in 0..nodes {
                for &to in &leaving[one] {
                    prop_assert!(levels[one] <= levels[to]);
                    prop_assert_eq!(reaches[to][one], levels[one] == levels[to]);
                }
            }
        }
    }
}
