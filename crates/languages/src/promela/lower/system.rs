//! The parts of the state: processes, variables and channels.
//!
//! Promela creates processes while it runs; guarded commands have a fixed number of them. So each
//! combination of a pid and a proctype that can occur is a *slot*: a process of the guarded commands
//! whose location 0 means that the process does not exist. Which combinations occur is found by
//! running the model ([`created`](super::created)). Locals of a slot without a process are 0, so equal
//! states have equal cells.
//!
//! A channel that a `chan` variable is declared with has a number, from 1 on. Most such variables are
//! never assigned: they take no cells, and every use of them is a use of one known channel.

use std::collections::BTreeMap;

use model::guarded_commands::{
    CellId, GuardedCommands, IntegerType, Location, LocationId, LocationKind, ProcessId, Shape, Span,
    VariableId,
};

use super::super::graph::{Control, EdgeKind, Graph, LocationNumber};
use super::super::program::{Basic, Initial, Leaf, LeafId, LeafKind, Program};
use super::created::{CreatedProcesses, Runs};

/// Number of a location of a process in the guarded commands. Processes that do not exist are at
/// [`ABSENT`].
pub(super) type Where = u32;

pub(super) const ABSENT: Where = 0;

/// A process that may exist.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) pid: u32,
    pub(super) proctype: usize,
    pub(super) process: ProcessId,
    pub(super) location: CellId,
    pub(super) locals: Vec<Storage>,
    pub(super) priority: Option<CellId>,
    /// Locations in which this process keeps control of an atomic sequence.
    pub(super) intermediate: BTreeMap<LocationNumber, Where>,
}

/// Where a leaf is stored.
#[derive(Clone, Copy, Debug)]
pub(super) enum Storage {
    Variable(VariableId),
    /// A `chan` leaf that is never assigned. Its elements are the channels from this number on.
    Channels(usize),
}

/// A channel.
#[derive(Debug)]
pub(super) struct Channel {
    pub(super) name: String,
    pub(super) capacity: u32,
    pub(super) fields: Vec<LeafKind>,
    /// The buffer; `None` for a rendezvous channel.
    pub(super) queue: Option<VariableId>,
    /// The leaf that it was declared with.
    pub(super) leaf: LeafId,
    /// The slot that it lives and dies with.
    pub(super) owner: Option<usize>,
}

impl Channel {
    /// The value of a variable that names the channel with this index.
    pub(super) fn number(index: usize) -> i64 {
        index as i64 + 1
    }
}

/// The guarded commands with what the lowering knows of them.
#[derive(Debug)]
pub(super) struct System<'p> {
    pub(super) program: &'p Program,
    pub(super) graphs: &'p [Graph<'p>],
    pub(super) created: &'p CreatedProcesses,
    pub(super) runs: Runs,
    pub(super) commands: GuardedCommands,
    pub(super) slots: Vec<Slot>,
    pub(super) globals: Vec<Storage>,
    pub(super) channels: Vec<Channel>,
    /// The number of processes that exist.
    pub(super) count: CellId,
    /// `_last`
    pub(super) last: Option<CellId>,
    /// For each proctype and each location of its graph, its number in the guarded commands, if
    /// another process can see a process there.
    pub(super) visible: Vec<Vec<Option<Where>>>,
}

impl<'p> System<'p> {
    pub(super) fn new(program: &'p Program, graphs: &'p [Graph<'p>], created: &'p CreatedProcesses) -> Self {
        let mut system = Self {
            program,
            graphs,
            created,
            runs: Runs::of(program),
            commands: GuardedCommands::default(),
            slots: Vec::new(),
            globals: Vec::new(),
            channels: Vec::new(),
            count: CellId(0),
            last: None,
            visible: Vec::new(),
        };
        for (graph, proctype) in graphs.iter().zip(&program.proctypes) {
            system.visible.push(number_visible(graph, proctype.provided.is_some()));
        }
        let assigned = assigned_leaves(program);
        for (number, is_assigned) in assigned.globals.iter().enumerate() {
            let storage = system.add_leaf(LeafId::Global(number), *is_assigned, None, "");
            system.globals.push(storage);
        }
        let count = system.add_scalar("_nr_pr", IntegerType::BYTE, None, program.active.len() as i64);
        system.count = count;
        system.last = program.mentions.last.then(|| system.add_scalar("_last", IntegerType::BYTE, None, 0));
        for (pid, proctype) in created.slots(program) {
            system.add_slot(pid, proctype, &assigned);
        }
        system
    }

    fn add_scalar(
        &mut self,
        name: &str,
        kind: IntegerType,
        owner: Option<ProcessId>,
        initial: i64,
    ) -> CellId {
        let variable =
            self.commands.add_variable(name, owner, Shape::Scalar(kind), &[initial], Span::default());
        self.commands.variable(variable).first_cell
    }

    fn add_leaf(&mut self, id: LeafId, is_assigned: bool, owner: Option<usize>, prefix: &str) -> Storage {
        let leaf = self.leaf(id, owner);
        let process = owner.map(|slot| self.slots[slot].process);
        let mut first_channel = None;
        if let Initial::Channels { capacity, fields, span } = &leaf.initial {
            first_channel = Some(self.channels.len());
            for element in 0..leaf.elements() {
                let name = match leaf.dimensions.is_empty() {
                    true => leaf.name.clone(),
                    false => format!("{}[{element}]", leaf.name),
                };
                let types = fields.iter().map(|field| field.integer()).collect();
                let queue = (*capacity > 0).then(|| {
                    let shape = Shape::Queue { fields: types, capacity: *capacity };
                    self.commands.add_variable(name.clone(), process, shape, &[], *span)
                });
                let name = format!("{prefix}{name}");
                self.channels.push(Channel {
                    name,
                    capacity: *capacity,
                    fields: fields.clone(),
                    queue,
                    leaf: id,
                    owner,
                });
            }
            if !is_assigned {
                return Storage::Channels(self.channels.len() - leaf.elements() as usize);
            }
        }
        let kind = leaf.kind.integer();
        let shape = match leaf.dimensions.is_empty() {
            true => Shape::Scalar(kind),
            false => Shape::Array { element: kind, length: leaf.elements() },
        };
        // Numbers of channels are known; other initial values are evaluated later, in order.
        let initial: Vec<i64> = match (first_channel, owner) {
            (Some(first), None) => (first..self.channels.len()).map(Channel::number).collect(),
            _ => Vec::new(),
        };
        Storage::Variable(self.commands.add_variable(leaf.name.clone(), process, shape, &initial, leaf.span))
    }

    fn add_slot(&mut self, pid: u32, proctype: usize, assigned: &Assigned) {
        let declared = &self.program.proctypes[proctype];
        let exists = self.program.active.get(pid as usize).is_some_and(|active| active.0 == proctype);
        let is_only = self.created.slots(self.program).iter().filter(|slot| slot.1 == proctype).count() == 1;
        let name = if is_only { declared.name.clone() } else { format!("{}[{pid}]", declared.name) };
        let graph = &self.graphs[proctype];
        let absent = Location { name: "absent".into(), kind: LocationKind::Ordinary, span: declared.span };
        let mut locations = vec![absent];
        for (number, location) in graph.locations.iter().enumerate() {
            if self.visible[proctype][number].is_some() {
                let name =
                    location.labels.first().map_or_else(|| format!("s{number}"), |label| (*label).to_owned());
                locations.push(Location { name, kind: LocationKind::Ordinary, span: location.span });
            }
        }
        let entry = self.visible[proctype][graph.entry].expect("the first location is visible");
        let initial = LocationId(if exists { entry } else { ABSENT });
        let process = self.commands.add_process(name.clone(), locations, initial, declared.span);
        let location = self.commands.process(process).location;
        let slot = self.slots.len();
        self.slots.push(Slot {
            pid,
            proctype,
            process,
            location,
            locals: Vec::new(),
            priority: None,
            intermediate: BTreeMap::new(),
        });
        let prefix = format!("{name}.");
        for (number, is_assigned) in assigned.locals[proctype].iter().enumerate() {
            let storage = self.add_leaf(LeafId::Local(number), *is_assigned, Some(slot), &prefix);
            self.slots[slot].locals.push(storage);
        }
        if self.program.mentions.priorities {
            let initial = if exists { i64::from(declared.priority) } else { 0 };
            let cell = self.add_scalar("_priority", IntegerType::BYTE, Some(process), initial);
            self.slots[slot].priority = Some(cell);
        }
    }

    /// The slot of a process, if such a process can exist.
    pub(super) fn slot_of(&self, pid: u32, proctype: usize) -> Option<usize> {
        self.slots.iter().position(|slot| (slot.pid, slot.proctype) == (pid, proctype))
    }

    /// Where a leaf is stored, seen from a slot.
    pub(super) fn storage(&self, leaf: LeafId, slot: Option<usize>) -> Storage {
        match leaf {
            LeafId::Global(number) => self.globals[number],
            LeafId::Local(number) => self.slots[slot.expect("claims have no locals")].locals[number],
        }
    }

    /// The declaration of a leaf, seen from a slot.
    pub(super) fn leaf(&self, leaf: LeafId, slot: Option<usize>) -> &'p Leaf {
        match leaf {
            LeafId::Global(number) => &self.program.globals[number],
            LeafId::Local(number) => {
                let slot = &self.slots[slot.expect("claims have no locals")];
                &self.program.proctypes[slot.proctype].locals[number]
            }
        }
    }

    pub(super) fn graph(&self, slot: usize) -> &'p Graph<'p> {
        &self.graphs[self.slots[slot].proctype]
    }

    /// The number of a location that other processes can see a process at.
    pub(super) fn visible(&self, slot: usize, location: LocationNumber) -> Option<Where> {
        self.visible[self.slots[slot].proctype][location]
    }

    /// The number of the location in which the process has control of an atomic sequence; `true` if
    /// it is new.
    pub(super) fn intermediate(&mut self, slot: usize, location: LocationNumber) -> (Where, bool) {
        if let Some(number) = self.slots[slot].intermediate.get(&location) {
            return (*number, false);
        }
        let span = self.graph(slot).locations[location].span;
        let process = &mut self.commands.processes[self.slots[slot].process.0 as usize];
        let number = process.locations.len() as Where;
        let name = format!("s{location}'");
        process.locations.push(Location { name, kind: LocationKind::Intermediate, span });
        let cell = process.location;
        self.commands.cells[cell.index()].declared = IntegerType::unsigned_up_to(number);
        self.slots[slot].intermediate.insert(location, number);
        (number, true)
    }
}

/// Numbers the locations at which a process can stand while another one moves: all but those inside
/// of an atomic sequence where it can always go on.
fn number_visible(graph: &Graph<'_>, may_lose_control: bool) -> Vec<Option<Where>> {
    let mut is_visible = vec![false; graph.locations.len()];
    is_visible[graph.entry] = true;
    for location in &graph.locations {
        for edge in &location.edges {
            // A sender gives control to the receiver.
            let hands_over = matches!(edge.kind, EdgeKind::Basic(Basic::Send { .. }));
            is_visible[edge.target] |= match graph.control(edge) {
                Control::Free => true,
                Control::Atomic => may_lose_control || hands_over || may_block(graph, edge.target),
                Control::Deterministic => false,
            };
        }
    }
    let mut next = ABSENT;
    is_visible
        .into_iter()
        .map(|is_visible| {
            next += u32::from(is_visible);
            is_visible.then_some(next)
        })
        .collect()
}

/// Whether a process at this location may have no executable statement.
pub(super) fn may_block(graph: &Graph<'_>, location: LocationNumber) -> bool {
    // An edge that is held back by others needs one of those to be executable.
    !graph.locations[location].edges.iter().any(|edge| match edge.kind {
        EdgeKind::Else | EdgeKind::Jump => true,
        EdgeKind::End => false,
        EdgeKind::Basic(basic) => is_always_executable(basic),
    })
}

fn is_always_executable(basic: &Basic) -> bool {
    use super::super::program::ExpressionKind;
    match basic {
        Basic::Assign(_) | Basic::Assert(_) | Basic::Print { .. } | Basic::SetPriority { .. } => true,
        Basic::Condition(condition) => matches!(condition.kind, ExpressionKind::Number(value) if value != 0),
        Basic::Send { .. } | Basic::Receive { .. } | Basic::Run { .. } => false,
    }
}

/// For each leaf, whether anything assigns to it after its declaration.
struct Assigned {
    globals: Vec<bool>,
    /// By proctype.
    locals: Vec<Vec<bool>>,
}

fn assigned_leaves(program: &Program) -> Assigned {
    let mut assigned = Assigned {
        globals: vec![false; program.globals.len()],
        locals: program
            .proctypes
            .iter()
            .map(|proctype| (0..proctype.locals.len()).map(|number| number < proctype.parameters).collect())
            .collect(),
    };
    for (number, proctype) in program.proctypes.iter().enumerate() {
        super::walk::for_each_basic(&proctype.body, &mut |basic| {
            super::walk::for_each_target(basic, &mut |place| match place.leaf {
                LeafId::Global(leaf) => assigned.globals[leaf] = true,
                LeafId::Local(leaf) => assigned.locals[number][leaf] = true,
            });
        });
    }
    assigned
}
