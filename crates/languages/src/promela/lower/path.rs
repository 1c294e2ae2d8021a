//! Steps: paths through atomic sequences as single actions.
//!
//! A process in an atomic sequence goes on alone until the sequence ends or until it is blocked. So
//! states inside of a sequence need not be stored: an action is the whole path from one state to the
//! next that other processes can see. Statements after the first one are tested by
//! [`Effect::Guard`], in the state that the path has reached. A path that may be blocked at a
//! location is an action as well, which requires that no statement there is executable.
//!
//! A loop has no longest path. A path through it ends in an *intermediate* location, a copy in which
//! the process keeps control. The same happens before an assertion that fails, so that the violation
//! is a state, and where there would be too many paths. Searches store these states, and do not count
//! them. Loops that constants control are unrolled, and so are others if that makes few actions.
//!
//! A `d_step` is such a path, too: its choices are deterministic, and being blocked is an error.

use std::collections::BTreeMap;

use model::guarded_commands::{Action, ActionId, Effect, Expression as Value, LocationId, Participant, Span};

use super::super::graph::{Control, Edge, EdgeKind, LocationNumber};
use super::super::program::Basic;
use super::known::Known;
use super::ready::Handshake;
use super::step::{Way, is_true, set};
use super::system::{ABSENT, Where, may_block};
use super::value::{View, and, not, or};
use super::{Lowering, Missing};

/// Most actions that start at one location before paths are cut shorter, and most statements of all
/// of them.
const MOST: (usize, usize) = (24, 400);
/// Most statements that are tried for them.
const MOST_TRIED: usize = 500;
/// How long paths are, the first choice that gives few enough actions.
const LENGTHS: [Length; 5] = [
    Length { statements: 256, visits: 32 },
    Length { statements: 64, visits: 1 },
    Length { statements: 16, visits: 1 },
    Length { statements: 4, visits: 1 },
    Length { statements: 1, visits: 1 },
];

/// How long a path may be.
#[derive(Clone, Copy, Debug)]
struct Length {
    statements: usize,
    /// How often it comes to one location.
    visits: usize,
}

/// A place where steps start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    slot: usize,
    location: LocationNumber,
    /// Its number in the guarded commands.
    from: Where,
}

/// The beginning of a step.
#[derive(Clone)]
struct Path {
    parts: Vec<Part>,
    /// The location of each process that has moved; `None` if it does not exist any more.
    moved: Vec<(usize, Option<LocationNumber>)>,
    effects: Vec<Effect>,
    count: Option<u32>,
    statements: Vec<Span>,
    /// How often the path came to each location.
    visits: BTreeMap<(usize, LocationNumber), usize>,
    known: Known,
}

/// A process that takes part.
#[derive(Clone)]
struct Part {
    slot: usize,
    from: Where,
    guards: Vec<Value>,
    span: Span,
}

/// Steps from one start, found so far.
struct Found {
    actions: Vec<(Action, Option<Missing>)>,
    /// Intermediate locations that are new, and need steps of their own.
    starts: Vec<Start>,
    length: Length,
    /// Number of statements of all actions.
    statements: usize,
    /// Number of statements that were tried.
    tried: usize,
    is_too_many: bool,
}

impl Found {
    fn new(length: Length) -> Self {
        let (actions, starts) = Default::default();
        Self { actions, starts, length, statements: 0, tried: 0, is_too_many: false }
    }
}

impl<'p> Lowering<'p, '_> {
    /// Makes all actions.
    pub(super) fn make_actions(&mut self) {
        let mut waiting: Vec<Start> = Vec::new();
        for slot in 0..self.system.slots.len() {
            for location in 0..self.system.graph(slot).locations.len() {
                if let Some(from) = self.system.visible(slot, location) {
                    waiting.push(Start { slot, location, from });
                }
            }
        }
        waiting.reverse();
        while let Some(start) = waiting.pop() {
            let mut actions = Vec::new();
            for length in LENGTHS {
                let mut found = Found::new(length);
                self.steps_from(start, &mut found);
                waiting.append(&mut found.starts);
                actions = found.actions;
                if !found.is_too_many {
                    break;
                }
            }
            for (action, missing) in actions {
                if let Some(missing) = missing {
                    self.missing.insert(ActionId(self.system.commands.actions.len() as u32), missing);
                }
                self.system.commands.actions.push(action);
            }
        }
    }

    fn steps_from(&mut self, start: Start, found: &mut Found) {
        let path = Path {
            parts: vec![Part {
                slot: start.slot,
                from: start.from,
                guards: Vec::new(),
                span: Span::default(),
            }],
            moved: Vec::new(),
            effects: Vec::new(),
            count: None,
            statements: Vec::new(),
            visits: BTreeMap::from([((start.slot, start.location), 1)]),
            known: Known::default(),
        };
        self.extend(&path, start.slot, start.location, found);
    }

    /// Continues a path by all statements of a process.
    fn extend(&mut self, path: &Path, slot: usize, location: LocationNumber, found: &mut Found) {
        let graph = self.system.graph(slot);
        for edge in &graph.locations[location].edges {
            if found.is_too_many {
                return;
            }
            found.tried += 1;
            if found.tried > MOST_TRIED && found.length.statements > 1 {
                found.is_too_many = true;
                return;
            }
            let view = path.view(slot);
            for way in self.ways(slot, location, edge, view) {
                let mut next = path.clone();
                let missing = way.missing.map(|(run, proctype)| {
                    let run = self.system.runs.number(run);
                    Missing { run, proctype, pid: path.count }
                });
                let fails = way.fails;
                let Some((controller, control)) = self.take(&mut next, slot, edge, way) else { continue };
                if fails {
                    self.add_action(next, None, missing, found);
                    continue;
                }
                match control {
                    Control::Free => self.add_action(next, None, None, found),
                    kept => self.go_on(next, controller, kept, found),
                }
            }
        }
    }

    /// Adds a statement to a path. Returns the process that has control afterwards.
    fn take(
        &self,
        path: &mut Path,
        slot: usize,
        edge: &'p Edge<'p>,
        way: Way<'p>,
    ) -> Option<(usize, Control)> {
        let is_first = path.moved.is_empty();
        path.statements.push(edge.span);
        path.count = way.count;
        let conditions = self.decided(path, way.conditions)?;
        if is_first {
            path.parts[0].guards = conditions;
            path.parts[0].span = edge.span;
        } else {
            path.require(conditions);
        }
        let mut keeps = (slot, self.system.graph(slot).control(edge));
        path.moved.push((slot, (!way.dies).then_some(edge.target)));
        if let Some(Handshake { slot: partner, location, edge, conditions, .. }) = way.partner {
            path.statements.push(edge.span);
            keeps = (partner, self.system.graph(partner).control(edge));
            let conditions = self.decided(path, conditions)?;
            if path.parts.iter().any(|part| part.slot == partner) {
                path.require(conditions);
            } else {
                let from = self.system.visible(partner, location)?;
                let mut guards = conditions;
                if !is_first {
                    path.require(std::mem::take(&mut guards));
                }
                path.parts.push(Part { slot: partner, from, guards, span: edge.span });
            }
            path.moved.push((partner, Some(edge.target)));
        }
        if let Some(born) = way.born {
            path.parts.push(Part { slot: born, from: ABSENT, guards: Vec::new(), span: edge.span });
            let entry = self.system.graph(born).entry;
            path.moved.push((born, Some(entry)));
        }
        let mut effects = way.effects;
        // A `d_step` is one step, in which the value does not change. Of a handshake, the receiver is
        // the last to move.
        if let (Some(last), (mover, Control::Free | Control::Atomic)) = (self.system.last, keeps) {
            let change = set(last, Value::Constant(i64::from(self.system.slots[mover].pid)));
            effects.push(Effect::Assign(vec![change]));
        }
        for effect in effects {
            let effect = path.known.in_effect(&self.system.commands, effect);
            path.effects.push(effect);
        }
        Some(keeps)
    }

    /// Conditions with what the path knows, which knows them to be true from then on. `None` if one
    /// is false.
    fn decided(&self, path: &mut Path, conditions: Vec<Value>) -> Option<Vec<Value>> {
        let mut open = Vec::with_capacity(conditions.len());
        for condition in conditions {
            let condition = path.known.in_expression(&self.system.commands, condition);
            match condition {
                Value::Constant(0) => return None,
                Value::Constant(_) => {}
                condition => {
                    path.known.assume(&condition);
                    open.push(condition);
                }
            }
        }
        Some(open)
    }

    /// Continues a path whose last process keeps control.
    fn go_on(&mut self, mut path: Path, slot: usize, control: Control, found: &mut Found) {
        let location = path.location(slot).expect("a process that keeps control exists");
        let graph = self.system.graph(slot);
        let edges = &graph.locations[location].edges;
        let span = graph.locations[location].span;
        let view = path.view(slot);
        let is_provided = self.system.program.proctypes[self.system.slots[slot].proctype].provided.is_some();
        let can_go_on = if may_block(graph, location) || is_provided {
            let ready = self.is_any_ready(slot, location, view);
            path.known.in_expression(&self.system.commands, ready)
        } else {
            Value::Constant(1)
        };
        if !is_true(&can_go_on) {
            let mut blocked = path.clone();
            blocked.require(vec![not(can_go_on.clone())]);
            if control == Control::Deterministic {
                let reason = "no statement is executable here, inside of a `d_step`".into();
                blocked.effects.push(Effect::Fail { reason, span });
            }
            self.add_action(blocked, None, None, found);
        }
        let failing = or(edges.iter().map(|edge| match edge.kind {
            EdgeKind::Basic(Basic::Assert(condition)) => {
                let side = self.side_conditions(slot, location, edge, view);
                and(side.into_iter().chain([not(self.value(condition, view))]))
            }
            _ => Value::Constant(0),
        }));
        let failing = path.known.in_expression(&self.system.commands, failing);
        let visits = path.visits.entry((slot, location)).or_default();
        *visits += 1;
        if *visits > found.length.visits || path.statements.len() >= found.length.statements {
            path.require(vec![can_go_on]);
            return self.add_action(path, Some((slot, location)), None, found);
        }
        if failing != Value::Constant(0) {
            let mut failed = path.clone();
            failed.require(vec![failing.clone()]);
            self.add_action(failed, Some((slot, location)), None, found);
            if is_true(&failing) {
                return;
            }
            path.require(vec![not(failing)]);
        }
        self.extend(&path, slot, location, found);
    }

    /// Makes an action of a path. `kept` is a process that keeps control, at its location.
    fn add_action(
        &mut self,
        path: Path,
        kept: Option<(usize, LocationNumber)>,
        missing: Option<Missing>,
        found: &mut Found,
    ) {
        found.statements += path.statements.len();
        let is_much = found.actions.len() >= MOST.0 || found.statements > MOST.1;
        if is_much && found.length.statements > 1 {
            found.is_too_many = true;
            return;
        }
        let never = |effect: &Effect| matches!(effect, Effect::Guard(Value::Constant(0)));
        if path.effects.iter().any(never) {
            return;
        }
        let mut participants = Vec::with_capacity(path.parts.len());
        for part in &path.parts {
            let to = match (kept, path.location(part.slot)) {
                (Some((slot, location)), _) if slot == part.slot => {
                    let (number, is_new) = self.system.intermediate(slot, location);
                    if is_new {
                        found.starts.push(Start { slot, location, from: number });
                    }
                    number
                }
                (_, None) => ABSENT,
                (_, Some(location)) => match self.system.visible(part.slot, location) {
                    Some(number) => number,
                    // The path fails before it gets there.
                    None => part.from,
                },
            };
            participants.push(Participant {
                process: self.system.slots[part.slot].process,
                from: LocationId(part.from),
                to: LocationId(to),
                guards: part.guards.clone(),
                span: part.span,
            });
        }
        let name = self.step_name(&path);
        let action = Action { participants, effects: path.effects, channel: None, name: Some(name) };
        found.actions.push((action, missing));
    }

    /// The name of a step: who moves, the line, and the text of the statements.
    fn step_name(&self, path: &Path) -> String {
        let names = path.parts.iter().filter(|part| part.from != ABSENT);
        let names: Vec<&str> = names
            .map(|part| self.system.commands.process(self.system.slots[part.slot].process).name.as_str())
            .collect();
        let mut texts: Vec<String> = Vec::new();
        for span in &path.statements {
            let text = match self.statement_text(*span) {
                // The place of the step in which a process dies.
                brace if brace == "}" => "-end-".to_owned(),
                text => text,
            };
            if texts.last() != Some(&text) {
                texts.push(text);
            }
        }
        const SHOWN: usize = 4;
        let more = texts.len().saturating_sub(SHOWN);
        texts.truncate(SHOWN);
        let line = self.lines.position(path.statements[0].start as usize).line;
        let more = if more > 0 { format!("; … {more} more") } else { String::new() };
        format!("{} (line {line}): {}{more}", names.join(", "), texts.join("; "))
    }
}

impl Path {
    fn view(&self, slot: usize) -> View<'_> {
        View {
            slot: Some(slot),
            moved: &self.moved,
            no_timeout: !self.moved.is_empty(),
            created: None,
            count: self.count,
        }
    }

    /// Where a process is now that has moved.
    fn location(&self, slot: usize) -> Option<LocationNumber> {
        self.moved.iter().rev().find(|(moved, _)| *moved == slot).and_then(|(_, location)| *location)
    }

    fn require(&mut self, conditions: Vec<Value>) {
        let conditions = conditions.into_iter().filter(|condition| !is_true(condition));
        self.effects.extend(conditions.map(Effect::Guard));
    }
}
