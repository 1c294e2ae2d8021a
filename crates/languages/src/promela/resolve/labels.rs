//! Labels of a body, where jumps lead, and jumps that lead in a circle.
//!
//! A label belongs to its block, so an inline with a label can be called twice. A jump leads to the
//! label of its own block or of the nearest block around it; only if there is none, to the last one
//! elsewhere in the body. For the program, labels get unique names: the second `L` is `L'2`. Remote
//! references mean the first one.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ptr;

use model::guarded_commands::Span;

use super::super::syntax::{Name, Statement, StatementKind};
use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics};

/// Labels that mean something for the search. A jump with such a label is a step.
const SPECIAL: [&str; 3] = ["accept", "end", "progress"];

/// The labels of a proctype or a claim.
#[derive(Debug, Default)]
pub(super) struct Labels<'file> {
    places: BTreeMap<&'file str, Vec<Place>>,
    /// The unique name of each label, and of the label to which each jump leads. Names are told
    /// apart by their addresses: those of an inline that is called twice have one place in the text.
    unique: HashMap<*const Name, String>,
    /// For each label of a jump that is no step: where it leads.
    jumps: BTreeMap<String, (String, Span)>,
}

#[derive(Debug)]
struct Place {
    /// The blocks around it, outermost first.
    blocks: Vec<u32>,
    unique: String,
}

/// Visits all statements of a body in the order of the text, with the numbers of the blocks around.
pub(super) struct Visit<V> {
    visitor: V,
    blocks: Vec<u32>,
    last: u32,
}

impl<'file, V: FnMut(&'file Statement, &[u32])> Visit<V> {
    pub(super) fn body(statements: &'file [Statement], visitor: V) {
        Self { visitor, blocks: Vec::new(), last: 0 }.all(statements);
    }

    fn all(&mut self, statements: &'file [Statement]) {
        for statement in statements {
            self.one(statement);
        }
    }

    fn one(&mut self, statement: &'file Statement) {
        (self.visitor)(statement, &self.blocks);
        match &statement.kind {
            StatementKind::If(choices) | StatementKind::Do(choices) => {
                for choice in choices {
                    self.all(&choice.body);
                }
            }
            StatementKind::Block(body)
            | StatementKind::Atomic(body)
            | StatementKind::Deterministic(body)
            | StatementKind::ForRange { body, .. }
            | StatementKind::ForEach { body, .. } => {
                self.last += 1;
                self.blocks.push(self.last);
                self.all(body);
                self.blocks.pop();
            }
            StatementKind::Unless { main, escape } => {
                self.one(main);
                self.one(escape);
            }
            StatementKind::Declaration(_)
            | StatementKind::Expression(_)
            | StatementKind::Else
            | StatementKind::Break
            | StatementKind::Goto(_)
            | StatementKind::Assign { .. }
            | StatementKind::Increment(_)
            | StatementKind::Decrement(_)
            | StatementKind::Assert(_)
            | StatementKind::Print { .. }
            | StatementKind::PrintMessage(_)
            | StatementKind::Send { .. }
            | StatementKind::Receive { .. }
            | StatementKind::SetPriority(..)
            | StatementKind::Select { .. } => {}
        }
    }
}

impl<'file> Labels<'file> {
    /// The labels of a body. Reports those that occur twice in one block.
    pub(super) fn of(body: &'file [Statement], diagnostics: &mut Diagnostics) -> Self {
        let mut labels = Self::default();
        Visit::body(body, |statement, blocks| {
            for label in &statement.labels {
                labels.add(label, blocks, diagnostics);
            }
        });
        Visit::body(body, |statement, blocks| {
            if let StatementKind::Goto(target) = &statement.kind
                && let Some(unique) = labels.nearest(&target.text, blocks).map(str::to_owned)
            {
                labels.jump(statement, target, unique);
            }
        });
        labels
    }

    fn add(&mut self, label: &'file Name, blocks: &[u32], diagnostics: &mut Diagnostics) {
        let known = self.places.entry(&label.text).or_default();
        // Blocks come in order, so an equal one was the last, or is around the last.
        if known.iter().rev().any(|place| place.blocks == blocks) {
            let message = format!("a second label `{}` in one block", label.text);
            let text = "the name is taken";
            diagnostics.report(Diagnostic::error(codes::DECLARED_TWICE, label.span, message, text));
        }
        let unique = match known.len() {
            0 => label.text.clone(),
            number => format!("{}'{}", label.text, number + 1),
        };
        self.unique.insert(ptr::from_ref(label), unique.clone());
        known.push(Place { blocks: blocks.to_vec(), unique });
    }

    /// The label to which a jump from inside of these blocks leads.
    fn nearest(&self, label: &str, blocks: &[u32]) -> Option<&str> {
        let places = self.places.get(label)?;
        let around = places.iter().filter(|place| blocks.starts_with(&place.blocks));
        let nearest = around.max_by_key(|place| place.blocks.len());
        nearest.or(places.last()).map(|place| place.unique.as_str())
    }

    fn jump(&mut self, statement: &'file Statement, target: &'file Name, unique: String) {
        if !statement.labels.iter().any(|label| is_special(&label.text)) {
            for label in &statement.labels {
                self.jumps.insert(self.unique(label).to_owned(), (unique.clone(), target.span));
            }
        }
        self.unique.insert(ptr::from_ref(target), unique);
    }

    /// The unique name of a label before a statement.
    pub(super) fn unique<'a>(&'a self, label: &'a Name) -> &'a str {
        self.target(label).unwrap_or(&label.text)
    }

    /// The unique name of the label to which a jump leads, if there is one.
    pub(super) fn target(&self, target: &Name) -> Option<&str> {
        self.unique.get(&ptr::from_ref(target)).map(String::as_str)
    }

    pub(super) fn contains(&self, label: &str) -> bool {
        self.places.contains_key(label)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'file str> {
        self.places.keys().copied()
    }

    /// Reports jumps that lead in a circle. A remote reference to a label makes its jump a step.
    pub(super) fn check_circles(&self, is_referenced: impl Fn(&str) -> bool, diagnostics: &mut Diagnostics) {
        let mut finished: BTreeSet<&str> = BTreeSet::new();
        for start in self.jumps.keys() {
            let mut path = BTreeSet::new();
            let mut label = start.as_str();
            while !finished.contains(label) && !is_referenced(label) && path.insert(label) {
                let Some((target, span)) = self.jumps.get(label) else { break };
                if path.contains(target.as_str()) {
                    let message = format!("the jump to `{target}` leads in a circle");
                    let error = Diagnostic::error(codes::ENDLESS_GOTO, *span, message, "never ends");
                    diagnostics.report(error.help("put a statement into the circle, such as `skip`"));
                }
                label = target;
            }
            finished.append(&mut path);
        }
    }
}

fn is_special(label: &str) -> bool {
    SPECIAL.iter().any(|special| label.starts_with(special))
}
