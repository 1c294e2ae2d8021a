//! Strongly connected components of a graph in memory, by Tarjan's algorithm (SIAM J. Computing
//! 1972) without recursion.
//!
//! For automata, whose cycles decide what they accept, for the progress of a service, and for
//! orders of values in a search for measures. The components of a layer of the state space are
//! computed elsewhere: only the terminal ones count there, and the graph is stored differently.
//! Time and memory are linear in the graph.

/// The component of each node of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrongComponents {
    /// The component of each node. Numbers never increase along an edge, so component 0 is
    /// terminal.
    pub of: Vec<u32>,
    /// The number of components.
    pub count: usize,
}

impl StrongComponents {
    /// For each node the number of its component, counted from the other end. It never decreases
    /// along an edge, and increases along each edge between two components.
    pub fn ranks(&self) -> Vec<u64> {
        self.of.iter().map(|component| self.count as u64 - 1 - u64::from(*component)).collect()
    }
}

/// The number of a node that the walk has not visited.
const UNSEEN: u32 = u32::MAX;

/// The components of a graph that is given by the successors of its nodes.
pub fn strong_components(successors: &[Vec<u32>]) -> StrongComponents {
    components_by_edges(successors.len(), |node, edge| successors[node].get(edge).map(|to| *to as usize))
}

/// The components of a graph whose edges are computed: `target` gives the target of a node's edge
/// by its number, and `None` after the last one.
pub fn components_by_edges(nodes: usize, target: impl Fn(usize, usize) -> Option<usize>) -> StrongComponents {
    let mut walk = Walk {
        target,
        numbers: vec![UNSEEN; nodes],
        low: vec![0; nodes],
        next_number: 0,
        open: Vec::new(),
        path: Vec::new(),
        found: StrongComponents { of: vec![UNSEEN; nodes], count: 0 },
    };
    for root in 0..nodes {
        if walk.numbers[root] == UNSEEN {
            walk.visit(root);
            walk.finish_path();
        }
    }
    walk.found
}

/// A depth-first walk through the graph.
struct Walk<F> {
    target: F,
    /// Numbers in the order of the walk.
    numbers: Vec<u32>,
    /// The least number of an open node that can be reached.
    low: Vec<u32>,
    next_number: u32,
    /// Nodes whose component is not complete.
    open: Vec<usize>,
    /// The path of the walk: nodes, and how many of their edges were followed.
    path: Vec<(usize, usize)>,
    found: StrongComponents,
}

impl<F: Fn(usize, usize) -> Option<usize>> Walk<F> {
    fn visit(&mut self, node: usize) {
        self.numbers[node] = self.next_number;
        self.low[node] = self.next_number;
        self.next_number += 1;
        self.open.push(node);
        self.path.push((node, 0));
    }

    fn finish_path(&mut self) {
        while let Some((node, followed)) = self.path.last_mut() {
            let node = *node;
            if let Some(target) = (self.target)(node, *followed) {
                *followed += 1;
                if self.numbers[target] == UNSEEN {
                    self.visit(target);
                } else if self.found.of[target] == UNSEEN {
                    self.low[node] = self.low[node].min(self.numbers[target]);
                }
                continue;
            }
            self.path.pop();
            if self.low[node] == self.numbers[node] {
                self.close(node);
            } else if let Some(&(parent, _)) = self.path.last() {
                self.low[parent] = self.low[parent].min(self.low[node]);
            }
        }
    }

    /// Makes the open nodes from `root` on a component.
    fn close(&mut self, root: usize) {
        while let Some(node) = self.open.pop() {
            self.found.of[node] = self.found.count as u32;
            if node == root {
                break;
            }
        }
        self.found.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::random::Random;

    fn reaches(successors: &[Vec<u32>], from: u32, to: u32) -> bool {
        let mut seen = vec![false; successors.len()];
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut seen[node as usize], true) {
                open.extend(&successors[node as usize]);
            }
        }
        seen[to as usize]
    }

    #[test]
    fn nodes_of_a_component_reach_each_other_and_numbers_never_increase() {
        let mut random = Random::new(4);
        for _ in 0..500 {
            let nodes = 1 + random.below(9);
            let mut successors = vec![Vec::new(); nodes];
            for _ in 0..random.below(16) {
                let from = random.below(nodes);
                successors[from].push(random.below(nodes) as u32);
            }
            let components = strong_components(&successors);
            for from in 0..nodes as u32 {
                for to in 0..nodes as u32 {
                    let (there, back) = (reaches(&successors, from, to), reaches(&successors, to, from));
                    let (first, second) = (components.of[from as usize], components.of[to as usize]);
                    assert_eq!(first == second, there && back, "{successors:?}");
                    assert!(!there || first >= second, "{successors:?}");
                }
            }
        }
    }
}
