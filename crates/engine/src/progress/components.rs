//! Strongly connected components of small graphs, and how far they lie from the first ones.

/// For each node the number of its strongly connected component (Tarjan 1972, without recursion), which is greater than the
/// numbers of those that can be reached from it. `target` gives a node's edges by number, until there are no more.
pub fn components(nodes: usize, target: impl Fn(usize, usize) -> Option<usize>) -> Vec<usize> {
    const UNSEEN: usize = usize::MAX;
    let (mut index, mut lowest, mut component) = (vec![UNSEEN; nodes], vec![0; nodes], vec![UNSEEN; nodes]);
    let (mut seen, mut found) = (0, 0);
    let (mut open, mut path) = (Vec::new(), Vec::new());
    for root in 0..nodes {
        if index[root] == UNSEEN {
            path.push((root, 0));
        }
        while let Some((node, edge)) = path.pop() {
            if edge == 0 {
                (index[node], lowest[node]) = (seen, seen);
                seen += 1;
                open.push(node);
            } else if let Some(met) = target(node, edge - 1)
                && component[met] == UNSEEN
            {
                // The target before this one was just finished, or had been met.
                lowest[node] = lowest[node].min(lowest[met]);
            }
            match target(node, edge) {
                Some(next) => {
                    path.push((node, edge + 1));
                    if index[next] == UNSEEN {
                        path.push((next, 0));
                    }
                }
                None if lowest[node] == index[node] => {
                    while let Some(member) = open.pop() {
                        component[member] = found;
                        if member == node {
                            break;
                        }
                    }
                    found += 1;
                }
                None => {}
            }
        }
    }
    component
}

/// For each node, the number of edges between strongly connected components on a longest path to its own one.
pub fn levels(leaving: &[Vec<usize>]) -> Vec<usize> {
    let components = components(leaving.len(), |node, edge| leaving[node].get(edge).copied());
    let mut of_component = vec![0; leaving.len()];
    // Components come last ones first.
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); leaving.len()];
    components.iter().enumerate().for_each(|(node, component)| members[*component].push(node));
    for component in (0..members.len()).rev() {
        for target in members[component].iter().flat_map(|node| &leaving[*node]) {
            let other = components[*target];
            if other != component {
                of_component[other] = of_component[other].max(of_component[component] + 1);
            }
        }
    }
    components.into_iter().map(|component| of_component[component]).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// As by reachability: two nodes are in one component if each reaches the other; no edge lowers a level, and one that
        /// leaves a component raises it.
        #[test]
        fn components_are_what_reaches_each_other(
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
            let numbers = components(nodes, |node, edge| leaving[node].get(edge).copied());
            let levels = levels(&leaving);
            for one in 0..nodes {
                for other in 0..nodes {
                    prop_assert_eq!(numbers[one] == numbers[other], reaches[one][other] && reaches[other][one]);
                }
                for &to in &leaving[one] {
                    prop_assert!(numbers[one] >= numbers[to] && levels[one] <= levels[to]);
                    prop_assert_eq!(numbers[one] == numbers[to], levels[one] == levels[to]);
                }
            }
        }
    }
}
