//! A checkpoint is refused by every run but its own: by another model, other properties, another plan.

use std::path::Path;
use std::time::Duration;

use engine::check::checkpoint::Checkpointing;
use engine::check::{
    CheckError, Difference, DiskUse, OnRuntimeError, Outcome, Packing, Plan, Reduction, SweepPlan,
    SweepStorage, TerminalList, check,
};
use engine::explore::search::{Limits, Snapshot};
use engine::explore::sweep::{Initial, Nesting, OnRegress, Retention};
use engine::explore::{Monitor, StopReason};
use engine::progress::ExpressionMeasure;
use engine::property::linear::LinearProperty;
use engine::property::service::{Halt, ServiceProperty};
use engine::property::{BranchingProperty, Property, PropertyKind};
use engine::store::ahead::QueueKind;
use engine::store::external::array_heap::Parameters;
use engine::verdict::Verdict;
use logic::ctl::Ctl;
use logic::ltl::Ltl;
use logic::ltl_to_buchi::Limits as FormulaLimits;
use logic::safety_automaton::EventAutomaton;
use model::guarded_commands::{
    Action, Assignment, BinaryOperator, CellId, Effect, Expression, GuardedCommands, IntegerType, Location,
    LocationId, LocationKind, Participant, Shape, Span, Target,
};
use model::interpreted_model::Interpreted;

/// Two numbers that count round and round, each by a process of its own.
fn counters(modulus: i64) -> GuardedCommands {
    let mut model = GuardedCommands::default();
    for name in ["x", "y"] {
        model.add_variable(name, None, Shape::Scalar(IntegerType::BYTE), &[], Span::default());
    }
    for (cell, name) in ["P", "Q"].into_iter().enumerate() {
        let location = Location { name: "l".into(), kind: LocationKind::Ordinary, span: Span::default() };
        let process = model.add_process(name, vec![location], LocationId(0), Span::default());
        let (from, to, guards) = (LocationId(0), LocationId(0), Vec::new());
        let participant = Participant { process, from, to, guards, span: Span::default() };
        let cell = CellId(cell as u32);
        let next = Expression::binary(BinaryOperator::Add, Expression::Cell(cell), Expression::Constant(1));
        let value = Expression::binary(BinaryOperator::Remainder, next, Expression::Constant(modulus));
        let effects = vec![Effect::Assign(vec![Assignment { target: Target::Cell(cell), value }])];
        model.actions.push(Action { participants: vec![participant], effects, channel: None, name: None });
    }
    model
}

/// `x == value`.
fn x_is(value: i64) -> Expression {
    Expression::cell_equals(CellId(0), value)
}

fn named(name: &str, kind: PropertyKind) -> Property {
    Property::new(name, kind)
}

fn asked(kind: PropertyKind) -> Vec<Property> {
    vec![named("asked", kind)]
}

struct InterruptsAt(u32);

impl Monitor for InterruptsAt {
    fn look(&mut self, _: &Snapshot) -> Option<StopReason> {
        self.0 = self.0.saturating_sub(1);
        (self.0 == 0).then_some(StopReason::Interrupted)
    }
}

fn run(
    model: &GuardedCommands,
    properties: &[Property],
    plan: &Plan,
    folder: &Path,
    resumes: bool,
    looks: u32,
) -> Result<Outcome, CheckError> {
    let checkpoint = Checkpointing {
        directory: folder.join("saved"),
        every: Duration::from_secs(3600),
        about: String::new(),
        resumes,
    };
    let plan = Plan { checkpoint: Some(checkpoint), ..plan.clone() };
    check(model, &Interpreted, properties, &plan, &mut InterruptsAt(looks))
}

/// Interrupts a run, and resumes it as another one.
fn difference(
    (model, properties, plan): (&GuardedCommands, &[Property], &Plan),
    (other_model, other_properties, other_plan): (&GuardedCommands, &[Property], &Plan),
) -> Difference {
    let place = tempfile::tempdir().unwrap();
    let first = run(model, properties, plan, place.path(), false, 2).unwrap();
    assert_eq!(first.stopped, Some(StopReason::Interrupted), "the run is long enough to be interrupted");
    let refused = match run(other_model, other_properties, other_plan, place.path(), true, u32::MAX) {
        Err(CheckError::AnotherRun(difference)) => difference,
        other => panic!("{:?}", other.map(|outcome| outcome.verdicts)),
    };
    // The checkpoint is still there for the run that it belongs to.
    let last = run(model, properties, plan, place.path(), true, u32::MAX).unwrap();
    assert!(last.stopped.is_none() && last.verdicts.iter().all(|one| !matches!(one, Verdict::Unknown(_))));
    refused
}

/// The difference that other questions about the same model make.
fn other_questions(properties: &[Property], others: &[Property]) -> Difference {
    let (model, plan) = (counters(250), Plan::default());
    difference((&model, properties, &plan), (&model, others, &plan))
}

#[test]
fn another_expression_is_another_run_whatever_is_asked_of_it() {
    let kinds: [fn(Expression) -> PropertyKind; 4] = [
        |goal| PropertyKind::Invariant(goal.negated()),
        PropertyKind::Reachable,
        PropertyKind::AlwaysPossible,
        PropertyKind::PossiblyForEver,
    ];
    for kind in kinds {
        // Resumed with the second, a search would not see the states that decide it: they are forgotten.
        let (one, other) = (asked(kind(x_is(251))), asked(kind(x_is(1))));
        assert_eq!(other_questions(&one, &other), Difference::Property("asked".into()));
    }
}

#[test]
fn another_kind_of_question_or_another_name_is_another_run() {
    let changed = Difference::Property("asked".into());
    let deadlock = asked(PropertyKind::DeadlockFree);
    let invariant = asked(PropertyKind::Invariant(x_is(251).negated()));
    let reachable = asked(PropertyKind::Reachable(x_is(251).negated()));
    assert_eq!(other_questions(&deadlock, &invariant), changed);
    assert_eq!(other_questions(&invariant, &deadlock), changed);
    assert_eq!(other_questions(&invariant, &reachable), changed);
    let renamed = [named("renamed", PropertyKind::DeadlockFree)];
    assert_eq!(other_questions(&deadlock, &renamed), Difference::Property("renamed".into()));
}

#[test]
fn more_or_fewer_questions_are_another_run_and_the_changed_one_is_named() {
    let invariant = |name: &str, value| named(name, PropertyKind::Invariant(x_is(value).negated()));
    let (one, two) = (invariant("one", 251), invariant("two", 252));
    let both = [one.clone(), two.clone()];
    let count = |saved, now| Difference::PropertyCount { saved, now };
    assert_eq!(other_questions(&both, std::slice::from_ref(&one)), count(2, 1));
    assert_eq!(other_questions(std::slice::from_ref(&one), &both), count(1, 2));
    assert_eq!(other_questions(std::slice::from_ref(&one), &[]), count(1, 0));
    assert_eq!(other_questions(&both, &[one, invariant("two", 1)]), Difference::Property("two".into()));
}

#[test]
fn another_model_is_another_run() {
    let (model, other, plan) = (counters(250), counters(249), Plan::default());
    let properties = asked(PropertyKind::DeadlockFree);
    assert_eq!(difference((&model, &properties, &plan), (&other, &properties, &plan)), Difference::Model);
}

/// Formulas, automata and services are not saved, so that none can take the place of what was.
#[test]
fn questions_that_are_not_saved_do_not_resume() {
    let formula = Ltl::until(Ltl::True, Ltl::Proposition(0));
    let linear = LinearProperty::of_formula(formula, vec![x_is(1)], &FormulaLimits::default()).unwrap();
    let automaton = LinearProperty::of_automaton(linear.automaton(), vec![x_is(1)]);
    let branching = BranchingProperty { formula: Ctl::Proposition(0), propositions: vec![x_is(1)] };
    let service = EventAutomaton { states: 1, initial: vec![0], ..EventAutomaton::default() };
    let service = ServiceProperty::new(service, Vec::new(), Halt::Deadlock).unwrap();
    let (model, plan) = (counters(250), Plan::default());
    let saved = asked(PropertyKind::Invariant(x_is(251).negated()));
    for kind in [
        PropertyKind::Linear(Box::new(linear)),
        PropertyKind::Linear(Box::new(automaton)),
        PropertyKind::Branching(Box::new(branching)),
        PropertyKind::Service(Box::new(service)),
    ] {
        let place = tempfile::tempdir().unwrap();
        run(&model, &saved, &plan, place.path(), false, 2).unwrap();
        let resumed = run(&model, &asked(kind), &plan, place.path(), true, u32::MAX);
        assert!(matches!(resumed, Err(CheckError::TemporalNotSaved)));
    }
}

#[test]
fn another_plan_is_another_run_and_other_limits_are_not() {
    let model = counters(250);
    let measure = |cell| Some(ExpressionMeasure::new(&model, &[Expression::Cell(CellId(cell))]).unwrap());
    let by = |settings: SweepPlan| Plan { search: settings.into(), ..Plan::default() };
    let first = SweepPlan { measure: measure(0), ..SweepPlan::default() };
    let sweep = by(first.clone());
    let queue = QueueKind::Array(Parameters { in_memory: 50, written: 20, runs: 3 });
    let changes = [
        ("engine", by(SweepPlan { storage: SweepStorage::Disk, ..first.clone() })),
        ("progress measure", by(SweepPlan { measure: measure(1), ..first.clone() })),
        ("treatment of initial states", by(SweepPlan { initial: Initial::Forgotten, ..first.clone() })),
        ("treatment of regress edges", by(SweepPlan { on_regress: OnRegress::Stop, ..first.clone() })),
        ("nesting", by(SweepPlan { nesting: Nesting { parts: 4, monotone: None }, ..first.clone() })),
        ("window", by(SweepPlan { retention: Retention::Window { bit: 0, reach: 3 }, ..first.clone() })),
        ("reduction", Plan { reduction: Reduction::Stubborn, ..sweep.clone() }),
        ("treatment of run-time errors", Plan { on_runtime_error: OnRuntimeError::GoOn, ..sweep.clone() }),
        ("choice to explore all states", Plan { explore_all: true, ..sweep.clone() }),
        ("packing of states", Plan { packing: Packing::Observed, ..sweep.clone() }),
        ("list of terminal states", Plan { terminal_states: TerminalList::Listed, ..sweep.clone() }),
        ("survey", Plan { survey: true, ..sweep.clone() }),
        ("queue on disk", Plan { disk: DiskUse { queue, ..DiskUse::default() }, ..sweep.clone() }),
    ];
    let properties = asked(PropertyKind::Invariant(x_is(251).negated()));
    for (part, plan) in changes {
        let differs = difference((&model, &properties, &sweep), (&model, &properties, &plan));
        assert_eq!(differs, Difference::Plan(part.into()));
    }
    let place = tempfile::tempdir().unwrap();
    run(&model, &properties, &sweep, place.path(), false, 2).unwrap();
    let limits = Limits { states: 10_000_000, memory: 1 << 30, ..Limits::default() };
    let disk = DiskUse { limit: 1 << 30, in_memory: 1 << 20, ..DiskUse::default() };
    let plan = Plan { limits, disk, course: true, ..sweep };
    assert!(run(&model, &properties, &plan, place.path(), true, u32::MAX).unwrap().complete);
}
