//! Control-flow graphs: the locations of a proctype, and the basic statements between them.
//!
//! Locations are those of SPIN, because they are part of the state: a statement, a selection and a
//! block each have one. The location of a selection offers the first statements of all options,
//! through nested selections and blocks; so the first statement of an option has no location of its
//! own, unless the flow comes back to it. `goto` and `break` behind another statement cost no step:
//! that statement leads to their target.
//!
//! What makes an edge executable besides its own statement is the other edges of its location:
//! `else` and the choice in a `d_step` need that none of those before it is, and the statements of
//! `{ main } unless { escape }` that no escape is. [`Edge::not_if`] lists them.
//!
//! Sequences may be long, so locations wait in a work list; recursion follows nesting only.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use model::guarded_commands::Span;

use super::program::{Basic, Expression, ExpressionKind, Node, NodeKind};

/// Number of a location in its graph.
pub(crate) type LocationNumber = usize;

/// The graph of a proctype or of a claim.
#[derive(Debug)]
pub(crate) struct Graph<'p> {
    pub(crate) locations: Vec<Location<'p>>,
    pub(crate) entry: LocationNumber,
    /// The location behind the last statement.
    pub(crate) end: LocationNumber,
    pub(crate) labels: BTreeMap<&'p str, LocationNumber>,
}

/// A control location.
#[derive(Debug, Default)]
pub(crate) struct Location<'p> {
    pub(crate) edges: Vec<Edge<'p>>,
    /// The sequences in which a process is that is here.
    pub(crate) inside: Inside,
    pub(crate) labels: Vec<&'p str>,
    pub(crate) span: Span,
}

/// The sequences that a statement is part of: the outermost `atomic`, and the `d_step`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Inside {
    pub(crate) atomic: Option<u32>,
    pub(crate) deterministic: Option<u32>,
}

/// A basic statement at a location.
#[derive(Clone, Debug)]
pub(crate) struct Edge<'p> {
    pub(crate) kind: EdgeKind<'p>,
    /// Edges of the same location. This one is executable only if none of them is.
    pub(crate) not_if: Vec<usize>,
    pub(crate) target: LocationNumber,
    /// The sequences that the statement is part of.
    pub(crate) inside: Inside,
    pub(crate) span: Span,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum EdgeKind<'p> {
    Basic(&'p Basic),
    Else,
    /// `goto` or `break` as the first statement of an option or a block.
    Jump,
    /// The death of a process that has reached its end.
    End,
}

/// What happens with control after an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    /// It is free.
    Free,
    /// The process keeps it as long as it can move.
    Atomic,
    /// The process must go on.
    Deterministic,
}

impl Graph<'_> {
    /// What happens with control when a process has taken this edge.
    pub(crate) fn control(&self, edge: &Edge<'_>) -> Control {
        let target = self.locations[edge.target].inside;
        if edge.inside.deterministic.is_some() && edge.inside.deterministic == target.deterministic {
            Control::Deterministic
        } else if edge.inside.atomic.is_some() && target.atomic.is_some() {
            // Also if it is another sequence, which a jump has entered.
            Control::Atomic
        } else {
            Control::Free
        }
    }
}

/// Builds the graph of a body. `referenced` are labels that remote references mention.
pub(crate) fn build<'p>(body: &'p [Node], end: Span, referenced: &BTreeSet<String>) -> Graph<'p> {
    let mut builder = Builder::new(referenced);
    builder.collect_labels(body);
    let last = builder.add_location(end);
    builder.graph.end = last;
    builder.graph.locations[last].edges.push(Edge {
        kind: EdgeKind::End,
        not_if: Vec::new(),
        target: last,
        inside: Inside::default(),
        span: end,
    });
    builder.graph.entry = if body.is_empty() {
        last
    } else {
        let whole = builder.sequence(body, last, &Context::default());
        builder.plan_rest(&whole);
        builder.beginning(&whole, 0)
    };
    while let Some((number, place)) = builder.waiting.pop() {
        builder.finish(number, &place);
    }
    let labels: Vec<&'p str> = builder.labels.keys().copied().collect();
    for label in labels {
        let number = builder.labels_resolved(label);
        builder.graph.labels.insert(label, number);
    }
    for (label, number) in &builder.graph.labels {
        builder.graph.locations[*number].labels.push(label);
    }
    builder.graph
}

/// A sequence of statements, where it leads, and what is around it.
struct Sequence<'p> {
    nodes: &'p [Node],
    after: LocationNumber,
    context: Context<'p>,
    /// The body of an option, in which redundant skips are dropped.
    is_option: bool,
}

/// A statement of a sequence.
type Place<'p> = (Rc<Sequence<'p>>, usize);

/// What is around a statement.
#[derive(Clone, Default)]
struct Context<'p> {
    inside: Inside,
    /// The target of `break`.
    loop_exit: Option<LocationNumber>,
    escape: Option<Rc<Escape<'p>>>,
}

/// The escape of an `unless` around a statement.
struct Escape<'p> {
    node: &'p Node,
    after: LocationNumber,
    /// What is around the `unless`, with the escapes further out.
    context: Context<'p>,
}

struct Builder<'p, 'r> {
    graph: Graph<'p>,
    referenced: &'r BTreeSet<String>,
    labels: BTreeMap<&'p str, &'p Node>,
    /// Locations by the address of their node.
    numbers: BTreeMap<*const Node, LocationNumber>,
    /// Nodes whose location has been put on the work list.
    planned: BTreeSet<*const Node>,
    waiting: Vec<(LocationNumber, Place<'p>)>,
    /// Numbers of `atomic` and `d_step` sequences, by the address of their node.
    regions: BTreeMap<*const Node, u32>,
}

impl<'p, 'r> Builder<'p, 'r> {
    fn new(referenced: &'r BTreeSet<String>) -> Self {
        Self {
            graph: Graph { locations: Vec::new(), entry: 0, end: 0, labels: BTreeMap::new() },
            referenced,
            labels: BTreeMap::new(),
            numbers: BTreeMap::new(),
            planned: BTreeSet::new(),
            waiting: Vec::new(),
            regions: BTreeMap::new(),
        }
    }

    fn collect_labels(&mut self, nodes: &'p [Node]) {
        for node in nodes {
            for label in &node.labels {
                self.labels.entry(&label.name).or_insert(node);
            }
            match &node.kind {
                NodeKind::If(options) | NodeKind::Do(options) => {
                    options.iter().for_each(|option| self.collect_labels(option));
                }
                NodeKind::Block(nodes) | NodeKind::Atomic(nodes) | NodeKind::Deterministic(nodes) => {
                    self.collect_labels(nodes);
                }
                NodeKind::Unless { main, escape } => {
                    self.collect_labels(std::slice::from_ref(main));
                    self.collect_labels(std::slice::from_ref(escape));
                }
                NodeKind::Basic(_) | NodeKind::Else | NodeKind::Goto(_) | NodeKind::Break => {}
            }
        }
    }

    fn add_location(&mut self, span: Span) -> LocationNumber {
        self.graph.locations.push(Location { span, ..Location::default() });
        self.graph.locations.len() - 1
    }

    fn number_of(&mut self, node: &'p Node) -> LocationNumber {
        if let Some(number) = self.numbers.get(&std::ptr::from_ref(node)) {
            return *number;
        }
        // A loop with an escape is one location, to which the loop comes back.
        let number = match &node.kind {
            NodeKind::Unless { main, .. } if matches!(main.kind, NodeKind::Do(_)) => self.number_of(main),
            _ => self.add_location(node.span),
        };
        self.numbers.insert(node, number);
        number
    }

    /// Whether a jump behind another statement is part of that statement's step.
    fn is_free(&self, node: &Node) -> bool {
        let keeps_place = |name: &str| {
            ["end", "accept", "progress"].iter().any(|one| name.starts_with(one))
                || self.referenced.contains(name)
        };
        match &node.kind {
            NodeKind::Goto(_) => !node.labels.iter().any(|label| keeps_place(&label.name)),
            NodeKind::Break => node.labels.is_empty(),
            _ => false,
        }
    }

    /// The location of a label. A label of a jump that costs no step stands for the target; a cycle
    /// of such jumps has a location of its own, with a step.
    fn labels_resolved(&mut self, label: &str) -> LocationNumber {
        let mut node = self.labels[label];
        let mut passed = BTreeSet::new();
        while let NodeKind::Goto(next) = &node.kind
            && self.is_free(node)
            && passed.insert(std::ptr::from_ref(node))
        {
            node = self.labels[next.as_str()];
        }
        self.number_of(node)
    }

    /// The location of a statement, which is built later.
    fn location(&mut self, sequence: &Rc<Sequence<'p>>, index: usize) -> LocationNumber {
        let node = &sequence.nodes[index];
        let number = self.number_of(node);
        if self.planned.insert(node) {
            self.waiting.push((number, (Rc::clone(sequence), index)));
        }
        number
    }

    /// Plans all statements that may be reached in other ways than from the first one: through
    /// labels, or not at all.
    fn plan_rest(&mut self, sequence: &Rc<Sequence<'p>>) {
        for (index, node) in sequence.nodes.iter().enumerate() {
            let is_alone = index > 0 && !self.is_free(node) && !is_redundant(sequence, index);
            if is_alone || !node.labels.is_empty() {
                self.location(sequence, index);
            }
        }
    }

    /// The location behind a statement.
    fn after(&mut self, sequence: &Rc<Sequence<'p>>, index: usize) -> LocationNumber {
        self.beginning(sequence, index + 1)
    }

    /// The location of what follows from a place in a sequence on. Jumps there cost no step.
    fn beginning(&mut self, sequence: &Rc<Sequence<'p>>, mut next: usize) -> LocationNumber {
        while next < sequence.nodes.len() && is_redundant(sequence, next) {
            next += 1;
        }
        let Some(node) = sequence.nodes.get(next) else { return sequence.after };
        if let Some(target) = self.jump_target(node, &sequence.context) {
            if matches!(node.kind, NodeKind::Unless { .. }) {
                // The statements inside are reached in other ways.
                self.location(sequence, next);
            }
            return target;
        }
        self.location(sequence, next)
    }

    /// Where a statement leads without a step: a jump, or an `unless` whose block begins with one.
    fn jump_target(&mut self, node: &'p Node, context: &Context<'p>) -> Option<LocationNumber> {
        match &node.kind {
            NodeKind::Goto(label) if self.is_free(node) => Some(self.labels_resolved(label)),
            NodeKind::Break if self.is_free(node) => {
                Some(context.loop_exit.expect("resolving refuses a break outside of a loop"))
            }
            NodeKind::Unless { main, .. } => match &main.kind {
                NodeKind::Block(nodes) => self.jump_target(&nodes[0], context),
                _ => None,
            },
            _ => None,
        }
    }

    /// The edges of a location.
    fn finish(&mut self, number: LocationNumber, (sequence, index): &Place<'p>) {
        let context = &sequence.context;
        let mut edges = self.edges(sequence, *index);
        join_else(&mut edges);
        let mut next = context.escape.clone();
        while let Some(escape) = next {
            let around = self.sequence(std::slice::from_ref(escape.node), escape.after, &escape.context);
            let escapes = self.edges(&around, 0);
            guard_by(&mut edges, escapes);
            next = escape.context.escape.clone();
        }
        for edge in &mut edges {
            edge.not_if.sort_unstable();
            edge.not_if.dedup();
        }
        if context.inside.deterministic.is_some() {
            choose_first(&mut edges);
        }
        let location = &mut self.graph.locations[number];
        location.edges = edges;
        location.inside = context.inside;
    }

    fn sequence(
        &mut self,
        nodes: &'p [Node],
        after: LocationNumber,
        context: &Context<'p>,
    ) -> Rc<Sequence<'p>> {
        Rc::new(Sequence { nodes, after, context: context.clone(), is_option: false })
    }

    /// The first steps of a sequence.
    fn first_edges(&mut self, sequence: &Rc<Sequence<'p>>) -> Vec<Edge<'p>> {
        self.plan_rest(sequence);
        self.edges(sequence, 0)
    }

    /// The steps that a statement begins with, where it stands in its sequence.
    fn edges(&mut self, sequence: &Rc<Sequence<'p>>, index: usize) -> Vec<Edge<'p>> {
        let node = &sequence.nodes[index];
        let context = &sequence.context;
        let edge = |kind, target| {
            vec![Edge { kind, not_if: Vec::new(), target, inside: context.inside, span: node.span }]
        };
        match &node.kind {
            NodeKind::Basic(basic) => edge(EdgeKind::Basic(basic), self.after(sequence, index)),
            NodeKind::Else => edge(EdgeKind::Else, self.after(sequence, index)),
            NodeKind::Goto(label) => edge(EdgeKind::Jump, self.labels_resolved(label)),
            NodeKind::Break => {
                edge(EdgeKind::Jump, context.loop_exit.expect("resolving refuses a break outside of a loop"))
            }
            NodeKind::Block(nodes) => {
                let after = self.after(sequence, index);
                let inner = self.sequence(nodes, after, context);
                self.first_edges(&inner)
            }
            NodeKind::Atomic(nodes) => {
                let after = self.after(sequence, index);
                let mut context = context.clone();
                if context.inside.atomic.is_none() {
                    context.inside.atomic = Some(self.region(node));
                }
                let inner = self.sequence(nodes, after, &context);
                self.first_edges(&inner)
            }
            NodeKind::Deterministic(nodes) => {
                let after = self.after(sequence, index);
                let mut context = context.clone();
                let is_outermost = context.inside.deterministic.is_none();
                if is_outermost {
                    context.inside.deterministic = Some(self.region(node));
                    // Escapes apply at the guard only, which is part of the location around it.
                    context.escape = None;
                }
                let inner = self.sequence(nodes, after, &context);
                let mut edges = self.first_edges(&inner);
                if is_outermost {
                    choose_first(&mut edges);
                }
                edges
            }
            NodeKind::If(options) => {
                let after = self.after(sequence, index);
                self.options(options, after, context)
            }
            NodeKind::Do(options) => {
                let exit = self.after(sequence, index);
                let head = self.location(sequence, index);
                let context = Context { loop_exit: Some(exit), ..context.clone() };
                self.options(options, head, &context)
            }
            NodeKind::Unless { main, escape } => {
                let after = self.after(sequence, index);
                let around = Escape { node: escape, after, context: context.clone() };
                let inner = Context { escape: Some(Rc::new(around)), ..context.clone() };
                let main = self.sequence(std::slice::from_ref(main), after, &inner);
                let mut edges = self.first_edges(&main);
                let escape = self.sequence(std::slice::from_ref(escape), after, context);
                let escapes = self.first_edges(&escape);
                guard_by(&mut edges, escapes);
                edges
            }
        }
    }

    /// The first steps of all options, those that begin with `else` last.
    fn options(
        &mut self,
        options: &'p [Vec<Node>],
        after: LocationNumber,
        context: &Context<'p>,
    ) -> Vec<Edge<'p>> {
        let mut edges = Vec::new();
        let (otherwise, others): (Vec<_>, Vec<_>) =
            options.iter().partition(|option| matches!(option[0].kind, NodeKind::Else));
        for option in others.into_iter().chain(otherwise) {
            let sequence =
                Rc::new(Sequence { nodes: option, after, context: context.clone(), is_option: true });
            let first = self.first_edges(&sequence);
            if !is_never(&option[0]) {
                append(&mut edges, first);
            }
        }
        edges
    }

    fn region(&mut self, node: &Node) -> u32 {
        let next = self.regions.len() as u32;
        *self.regions.entry(node).or_insert(next)
    }
}

/// Appends edges behind others of the same location.
fn append<'p>(edges: &mut Vec<Edge<'p>>, more: Vec<Edge<'p>>) {
    let offset = edges.len();
    edges.extend(more.into_iter().map(|mut edge| {
        edge.not_if.iter_mut().for_each(|place| *place += offset);
        edge
    }));
}

/// Makes `else` executable only if none of the edges before it is. Those are the options of all
/// selections that are joined with its own; what stands on the other side of an `unless` is not.
fn join_else(edges: &mut [Edge<'_>]) {
    for (place, edge) in edges.iter_mut().enumerate() {
        // One that was joined before depends on others already.
        if matches!(edge.kind, EdgeKind::Else) && edge.not_if.is_empty() {
            edge.not_if.extend(0..place);
        }
    }
}

/// Appends escapes. The edges so far are executable only if none of them is.
fn guard_by<'p>(edges: &mut Vec<Edge<'p>>, mut escapes: Vec<Edge<'p>>) {
    join_else(edges);
    join_else(&mut escapes);
    let guarded = edges.len();
    append(edges, escapes);
    for place in 0..guarded {
        let all = guarded..edges.len();
        edges[place].not_if.extend(all);
    }
}

/// Makes each edge executable only if none before it is.
fn choose_first(edges: &mut [Edge<'_>]) {
    for (place, edge) in edges.iter_mut().enumerate() {
        edge.not_if.extend(0..place);
        edge.not_if.sort_unstable();
        edge.not_if.dedup();
    }
}

/// Whether the statement is the constant 0: an option that begins with it does not exist.
fn is_never(node: &Node) -> bool {
    matches!(
        &node.kind,
        NodeKind::Basic(Basic::Condition(Expression { kind: ExpressionKind::Number(0), .. }))
    )
}

pub(crate) fn is_skip(node: &Node) -> bool {
    matches!(&node.kind, NodeKind::Basic(Basic::Condition(Expression { kind: ExpressionKind::Number(value), .. })) if *value != 0)
}

/// Whether SPIN drops the statement: a skip inside an option, without a label, behind another skip
/// or a `printf`, and not the last statement.
fn is_redundant(sequence: &Sequence<'_>, index: usize) -> bool {
    let nodes = sequence.nodes;
    sequence.is_option
        && index > 0
        && index + 1 < nodes.len()
        && nodes[index].labels.is_empty()
        && is_skip(&nodes[index])
        && (is_skip(&nodes[index - 1])
            || matches!(&nodes[index - 1].kind, NodeKind::Basic(Basic::Print { .. })))
}
