//! Strongly connected components of a small graph in memory, by Tarjan's algorithm without recursion.
//!
//! For automata, whose cycles decide what they accept, and for the progress of a service. (The components of a layer of the state space are a matter
//! of their own: there only the terminal ones count, and the graph is stored otherwise.) Time and memory are linear in the graph.

/// Which node is in which component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrongComponents {
    /// The component of each node. Numbers never rise along an edge: the first component is one that nothing leads out of.
    pub of: Vec<u32>,
    /// How many there are.
    pub count: usize,
}

impl StrongComponents {
    /// For each node the number of its component, counted from the other end: it never falls along an edge, and rises along each one between two components.
    pub fn ranks(&self) -> Vec<u64> {
        self.of.iter().map(|component| self.count as u64 - 1 - u64::from(*component)).collect()
    }
}

/// No number yet.
const UNSEEN: u32 = u32::MAX;

/// The components of a graph that is given by the successors of its nodes.
pub fn strong_components(successors: &[Vec<u32>]) -> StrongComponents {
    let mut walk = Walk {
        successors,
        numbers: vec![UNSEEN; successors.len()],
        low: vec![0; successors.len()],
        next_number: 0,
        open: Vec::new(),
        path: Vec::new(),
        found: StrongComponents { of: vec![UNSEEN; successors.len()], count: 0 },
    };
    for root in 0..successors.len() as u32 {
        if walk.numbers[root as usize] == UNSEEN {
            walk.visit(root);
            walk.go();
        }
    }
    walk.found
}

struct Walk<'a> {
    successors: &'a [Vec<u32>],
    /// Numbers in the order of the walk.
    numbers: Vec<u32>,
    /// The least number of an open node that can be reached.
    low: Vec<u32>,
    next_number: u32,
    /// Nodes whose component is not complete.
    open: Vec<u32>,
    /// The path of the walk: nodes, and how many of their edges were taken.
    path: Vec<(u32, usize)>,
    found: StrongComponents,
}

impl Walk<'_> {
    fn visit(&mut self, node: u32) {
        self.numbers[node as usize] = self.next_number;
        self.low[node as usize] = self.next_number;
        self.next_number += 1;
        self.open.push(node);
        self.path.push((node, 0));
    }

    fn go(&mut self) {
        while let Some((node, taken)) = self.path.last_mut() {
            let at = *node as usize;
            if let Some(&target) = self.successors[at].get(*taken) {
                *taken += 1;
                if self.numbers[target as usize] == UNSEEN {
                    self.visit(target);
                } else if self.found.of[target as usize] == UNSEEN {
                    self.low[at] = self.low[at].min(self.numbers[target as usize]);
                }
                continue;
            }
            self.path.pop();
            if self.low[at] == self.numbers[at] {
                self.close(at as u32);
            } else if let Some(&(parent, _)) = self.path.last() {
                self.low[parent as usize] = self.low[parent as usize].min(self.low[at]);
            }
        }
    }

    fn close(&mut self, root: u32) {
        while let Some(node) = self.open.pop() {
            self.found.of[node as usize] = self.found.count as u32;
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
    fn a_component_is_what_reaches_each_other_and_numbers_never_rise() {
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
