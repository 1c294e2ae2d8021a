//! Witness paths: paths that show why a formula is true, or false, as far as a path can.
//!
//! A path shows `EX`, `EU` and `EG` when they are true. When they are false, only all paths
//! together show it. The search passes through negations, one true part of a disjunction, and one
//! false part of a conjunction. So a false `AG f` is shown by a path to a state without `f`. A
//! false `A[f U g]` is shown by a path that leaves `f` too early, or never reaches `g`.
//!
//! The last state of a path may have to satisfy another temporal formula. Then a path for that
//! formula continues from there, and so on, level by level. A false `AG (request -> AF answer)` is
//! shown by a path to a request, followed by a path that never reaches an answer. If several
//! formulas must be true in one state, the first one for which there is a path is shown. That the
//! others are true is stated but not shown, and so are the formulas of the states before the last
//! one.
//!
//! Paths are searched for breadth-first inside the nodes in which the formula is true, so those of
//! `EU` are shortest. A path for `EG` ends in a node without successors or returns to one of its
//! nodes. It is the first such path that the search finds. The search tree may contain none, or be
//! so deep that looking for one takes too long. Then a walk as long as possible gives the path.

use std::collections::{HashMap, VecDeque};
use std::io;

use crate::store::bit_vector::BitVector;
use crate::store::compact_graph::{CompactGraph, Edge};

use super::evaluation::Evaluation;
use logic::ctl::Ctl;

/// Most steps back through the tree in search of a loop.
const PATIENCE: usize = 1 << 22;

/// A path through the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphPath {
    /// The number of the initial state.
    pub initial: u32,
    /// The actions up to the end, or up to where the loop begins.
    pub stem: Vec<u32>,
    /// The actions of the loop.
    pub cycle: Vec<u32>,
    /// The claims of the path: at least one level, the outermost first.
    pub levels: Vec<Level>,
}

/// A part of a path, up to where the next level begins, or to the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// The number of steps before this part.
    pub from: usize,
    /// The claim of this part.
    pub shows: Shown,
}

/// The claim of a part of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The first formula is true in all states but the last, the second in the last.
    Until(Ctl, Ctl),
    /// The formula is true after one step. Nothing is claimed of the first state.
    Next(Ctl),
    /// The formula is true in all states, and the loop repeats forever.
    ForEver(Ctl),
    /// The formula is true in all states, and the last one has no successors.
    UntilTheEnd(Ctl),
    /// The formula is true in the first state. No further state is needed.
    Here(Ctl),
}

/// A path that shows why the formula is true, or false, in an initial node. `None` if there is no
/// such path or its search takes more than `most` nodes.
pub fn path(
    evaluation: &mut Evaluation<'_>,
    formula: &Ctl,
    (initial, node): (u32, u64),
    most: usize,
) -> io::Result<Option<GraphPath>> {
    let truth = evaluation.nodes(formula)?.get(node);
    let found = show(evaluation, formula, truth, node, most)?;
    Ok(found.map(|Found { stem, cycle, levels }| GraphPath { initial, stem, cycle, levels }))
}

/// A path that ends in a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphLasso {
    /// The number of the initial state.
    pub initial: u32,
    /// The actions up to where the loop begins.
    pub stem: Vec<u32>,
    /// The actions of the loop.
    pub cycle: Vec<u32>,
}

/// A path that returns to a set of nodes again and again, given the nodes that [allow
/// it](Evaluation::recurring). `None` if its search takes more than `most` nodes. The path leads
/// from one of them to the nearest, until it reaches one for the second time.
pub fn recurring_path(
    graph: &CompactGraph,
    recurring: &BitVector,
    most: usize,
) -> io::Result<Option<GraphLasso>> {
    let everywhere = BitVector::new(graph.nodes(), true);
    let tree = || Tree::new(graph, &everywhere, most);
    for &(initial, root) in graph.initial() {
        let Some((mut stem, mut node)) = tree().path_to(root, recurring)? else { continue };
        let mut places = HashMap::new();
        while places.len() <= most {
            if let Some(place) = places.insert(node, stem.len()) {
                let cycle = stem.split_off(place);
                return Ok(Some(GraphLasso { initial, stem, cycle }));
            }
            let Some((actions, next)) = tree().path_on_to(node, recurring)? else { break };
            stem.extend(actions);
            node = next;
        }
    }
    Ok(None)
}

/// A path from the root node of a search.
struct Found {
    stem: Vec<u32>,
    cycle: Vec<u32>,
    levels: Vec<Level>,
}

impl Found {
    fn new(stem: Vec<u32>, cycle: Vec<u32>, shows: Shown) -> Self {
        Self { stem, cycle, levels: vec![Level { from: 0, shows }] }
    }

    fn is_here(&self) -> bool {
        matches!(self.levels[..], [Level { shows: Shown::Here(_), .. }])
    }

    /// Continues with a path for the formula of the last state, unless that state alone shows it.
    fn then(mut self, next: Option<Self>) -> Self {
        if let Some(next) = next.filter(|next| !next.is_here()) {
            let before = self.stem.len();
            self.stem.extend(next.stem);
            self.cycle = next.cycle;
            self.levels
                .extend(next.levels.into_iter().map(|level| Level { from: level.from + before, ..level }));
        }
        self
    }
}

fn show(
    evaluation: &mut Evaluation<'_>,
    formula: &Ctl,
    truth: bool,
    node: u64,
    most: usize,
) -> io::Result<Option<Found>> {
    let shown = |formula: &Ctl| if truth { formula.clone() } else { Ctl::negation(formula.clone()) };
    Ok(match (formula, truth) {
        (Ctl::Not(f), _) => show(evaluation, f, !truth, node, most)?,
        (Ctl::True | Ctl::False | Ctl::Proposition(_), _) => {
            Some(Found::new(Vec::new(), Vec::new(), Shown::Here(shown(formula))))
        }
        (Ctl::Or(f, g), true) | (Ctl::And(f, g), false) => {
            for part in [f, g] {
                if evaluation.nodes(part)?.get(node) == truth
                    && let Some(found) = show(evaluation, part, truth, node, most)?
                {
                    return Ok(Some(found));
                }
            }
            None
        }
        (Ctl::ExistsNext(f), true) => {
            let goal = evaluation.nodes(f)?;
            let mut edges = Vec::new();
            evaluation.graph().row(node, &mut edges)?;
            let step = edges.iter().find(|edge| goal.get(edge.target));
            let Some(step) = step else { return Ok(None) };
            let next = show(evaluation, f, true, step.target, most)?;
            Some(Found::new(vec![step.action], Vec::new(), Shown::Next((**f).clone())).then(next))
        }
        (Ctl::ExistsUntil(f, g), true) => {
            let (inside, goal) = (evaluation.nodes(formula)?, evaluation.nodes(g)?);
            let found = Tree::new(evaluation.graph(), &inside, most).path_to(node, &goal)?;
            let Some((stem, end)) = found else { return Ok(None) };
            let next = show(evaluation, g, true, end, most)?;
            Some(Found::new(stem, Vec::new(), Shown::Until((**f).clone(), (**g).clone())).then(next))
        }
        (Ctl::ExistsGlobally(f), true) => {
            let inside = evaluation.nodes(formula)?;
            let graph = evaluation.graph();
            let found = match Tree::new(graph, &inside, most).lasso(node)? {
                Some(found) => Some(found),
                None => walk(graph, &inside, node, most)?,
            };
            found.map(|(stem, cycle)| {
                let f = (**f).clone();
                let shows = if cycle.is_empty() { Shown::UntilTheEnd(f) } else { Shown::ForEver(f) };
                Found::new(stem, cycle, shows)
            })
        }
        (Ctl::And(f, g), true) | (Ctl::Or(f, g), false) => {
            let mut here = Some(Found::new(Vec::new(), Vec::new(), Shown::Here(shown(formula))));
            for part in [f, g] {
                match show(evaluation, part, truth, node, most)? {
                    Some(found) if !found.is_here() => return Ok(Some(found)),
                    Some(_) => {}
                    None => here = None,
                }
            }
            here
        }
        (Ctl::ExistsNext(_) | Ctl::ExistsUntil(..) | Ctl::ExistsGlobally(_), false) => None,
    })
}

/// A breadth-first search tree inside a set of nodes.
struct Tree<'a> {
    graph: &'a CompactGraph,
    inside: &'a BitVector,
    /// For each visited node, its parent and the action from there; the root is its own parent.
    parents: HashMap<u64, Edge>,
    queue: VecDeque<u64>,
    edges: Vec<Edge>,
    most: usize,
}

impl<'a> Tree<'a> {
    fn new(graph: &'a CompactGraph, inside: &'a BitVector, most: usize) -> Self {
        let (parents, queue, edges) = <_>::default();
        Self { graph, inside, parents, queue, edges, most }
    }

    /// The next node to be expanded, unless there are too many. Its steps are in `edges`.
    fn next(&mut self) -> io::Result<Option<u64>> {
        let Some(node) = self.queue.pop_front().filter(|_| self.parents.len() <= self.most) else {
            return Ok(None);
        };
        self.graph.row(node, &mut self.edges)?;
        Ok(Some(node))
    }

    fn begin(&mut self, root: u64) {
        self.parents.insert(root, Edge { action: 0, target: root });
        self.queue.push_back(root);
    }

    /// Adds the target of a step, if it is inside and new.
    fn add(&mut self, from: u64, edge: Edge) {
        if self.inside.get(edge.target) && !self.parents.contains_key(&edge.target) {
            self.parents.insert(edge.target, Edge { action: edge.action, target: from });
            self.queue.push_back(edge.target);
        }
    }

    /// The actions from an ancestor to a node; `None` if it is not an ancestor.
    fn actions(&self, ancestor: u64, mut node: u64) -> Option<Vec<u32>> {
        let mut actions = Vec::new();
        while node != ancestor {
            let Edge { action, target: parent } = self.parents[&node];
            if parent == node {
                return None;
            }
            actions.push(action);
            node = parent;
        }
        actions.reverse();
        Some(actions)
    }

    /// Whether the tree leads from `ancestor` to `node`, as far as `patience` allows to find out.
    fn is_ancestor(&self, ancestor: u64, mut node: u64, patience: &mut usize) -> bool {
        while node != ancestor {
            let parent = self.parents[&node].target;
            if parent == node || *patience == 0 {
                return false;
            }
            *patience -= 1;
            node = parent;
        }
        true
    }

    /// A path inside to one of the goal nodes, with that node.
    fn path_to(mut self, root: u64, goal: &BitVector) -> io::Result<Option<(Vec<u32>, u64)>> {
        self.begin(root);
        while let Some(node) = self.next()? {
            if goal.get(node) {
                return Ok(self.actions(root, node).map(|actions| (actions, node)));
            }
            for edge in std::mem::take(&mut self.edges) {
                self.add(node, edge);
            }
        }
        Ok(None)
    }

    /// A path inside of one step or more to one of the goal nodes, with that node.
    fn path_on_to(mut self, root: u64, goal: &BitVector) -> io::Result<Option<(Vec<u32>, u64)>> {
        self.begin(root);
        while let Some(node) = self.next()? {
            for edge in std::mem::take(&mut self.edges) {
                if goal.get(edge.target) {
                    let before = self.actions(root, node).unwrap_or_default();
                    return Ok(Some((before.into_iter().chain([edge.action]).collect(), edge.target)));
                }
                self.add(node, edge);
            }
        }
        Ok(None)
    }

    /// A path inside to a node without successors, or one that returns to itself.
    fn lasso(mut self, root: u64) -> io::Result<Option<(Vec<u32>, Vec<u32>)>> {
        self.begin(root);
        let mut patience = PATIENCE;
        while let Some(node) = self.next()? {
            let edges = std::mem::take(&mut self.edges);
            if edges.is_empty() {
                return Ok(self.actions(root, node).map(|stem| (stem, Vec::new())));
            }
            for edge in edges.iter().filter(|edge| self.inside.get(edge.target)) {
                if self.parents.contains_key(&edge.target) {
                    if self.is_ancestor(edge.target, node, &mut patience) {
                        let cycle = self.actions(edge.target, node).unwrap_or_default();
                        let cycle = cycle.into_iter().chain([edge.action]).collect();
                        return Ok(self.actions(root, edge.target).map(|stem| (stem, cycle)));
                    }
                    if patience == 0 {
                        return Ok(None);
                    }
                }
                self.add(node, *edge);
            }
        }
        Ok(None)
    }
}

/// Walks on inside until there is no step, or until a node repeats.
fn walk(
    graph: &CompactGraph,
    inside: &BitVector,
    root: u64,
    most: usize,
) -> io::Result<Option<(Vec<u32>, Vec<u32>)>> {
    let (mut places, mut actions, mut edges) = (HashMap::new(), Vec::new(), Vec::new());
    let mut node = root;
    while places.len() <= most {
        if let Some(place) = places.insert(node, actions.len()) {
            let cycle = actions.split_off(place);
            return Ok(Some((actions, cycle)));
        }
        graph.row(node, &mut edges)?;
        match edges.iter().find(|edge| inside.get(edge.target)) {
            Some(edge) => {
                actions.push(edge.action);
                node = edge.target;
            }
            None => return Ok(edges.is_empty().then_some((actions, Vec::new()))),
        }
    }
    Ok(None)
}
