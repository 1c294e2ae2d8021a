//! Invented run records for pages in which every part of a page has content.

use engine::check::Engine;
use report::{
    ActionRecord, AnswerRecord, ChangeRecord, ComponentRecord, DiagnosticRecord, ExpectedRecord,
    MeasureOrigin, PlanRecord, ProfilePointRecord, ProfileRecord, PropertyKindRecord, PropertyRecord,
    RateRecord, RunRecord, SeverityRecord, SpaceEdgeRecord, SpaceRecord, SpaceStateRecord, StepRecord,
    SweepProfileRecord, TraceKind, TraceRecord, ValueRecord,
};

pub fn value(variable: &str, value: impl ToString) -> ValueRecord {
    ValueRecord { variable: variable.into(), value: value.to_string() }
}

/// An empty run, to be filled in.
pub fn empty(path: &str) -> RunRecord {
    RunRecord::new(path, PlanRecord::new(Engine::Sweep, "compiled"))
}

pub fn property(name: &str, verdict: AnswerRecord, trace: Option<usize>) -> PropertyRecord {
    let (name, kind) = (name.into(), PropertyKindRecord::Invariant);
    PropertyRecord { name, kind, verdict, reason: None, trace }
}

/// A trace of a sender, a link and a receiver, optionally with a loop.
pub fn trace(steps: usize, loop_start: Option<usize>) -> TraceRecord {
    let change =
        |variable: &str, from: String, to: String| ChangeRecord { variable: variable.into(), from, to };
    let step = |i: usize| {
        let (n, next) = (i.to_string(), (i + 1).to_string());
        let (action, participants, channel, changes): (_, &[&str], _, _) = match i % 4 {
            0 => (
                "Sender: ready -> waiting | Link: empty -> full (frame)",
                &["Sender", "Link"],
                Some("frame"),
                vec![
                    change("Sender", "ready".into(), "waiting".into()),
                    change("Link", "empty".into(), "full".into()),
                ],
            ),
            1 => (
                "Link: full -> empty (queue)",
                &["Link"],
                Some("queue"),
                vec![
                    change("queue.length", "0".into(), "1".into()),
                    change("Link", "full".into(), "empty".into()),
                ],
            ),
            2 => (
                "Receiver: idle -> busy (queue)",
                &["Receiver"],
                Some("queue"),
                vec![change("queue.length", "1".into(), "0".into()), change("Receiver.got", n, next)],
            ),
            _ => (
                "Sender: waiting -> ready",
                &["Sender"],
                None,
                vec![change("Sender", "waiting".into(), "ready".into()), change("Sender.sent", n, next)],
            ),
        };
        StepRecord {
            action: action.into(),
            changes,
            number: (i % 4) as u32,
            participants: participants.iter().map(|name| (*name).into()).collect(),
            channel: channel.map(Into::into),
        }
    };
    TraceRecord {
        kind: if loop_start.is_some() { TraceKind::Lasso } else { TraceKind::Finite },
        loop_start,
        replayed: true,
        steps: (0..steps).map(step).collect(),
        initial: vec![
            value("Sender", "ready"),
            value("Link", "empty"),
            value("queue.length", 0),
            value("Receiver.got", 2),
            value("Sender.sent", 3),
            value("limit", 16),
        ],
        length: None,
        component: None,
    }
}

/// A sweep over this number of layers, with a peak in the middle and some persistent states.
pub fn sweep(number: u64, layers: u64, persistent: u64) -> SweepProfileRecord {
    let mut met = 100 * (number - 1);
    let point = |i: u64| {
        let hill = (layers - i) * i * 4_000 / (layers * layers) + 3 + i * 7919 % 37;
        met += hill;
        ProfilePointRecord {
            progress: i * 3,
            layers: 1,
            expanded: hill,
            largest_layer: hill,
            current: hill,
            future: hill * 2 / 3 + i % 11,
            persistent: persistent * i / layers,
            met,
            value: None,
        }
    };
    SweepProfileRecord { number, layers, points: (0..layers).map(point).collect() }
}

/// A state space of `phases` layers with two counters each; the last layer has regress edges.
pub fn space(phases: u64, top: u64) -> SpaceRecord {
    let width = top + 1;
    let number = |phase: u64, a: u64, b: u64| ((phase * width + a) * width + b) as u32;
    let mut space = SpaceRecord { complete: true, ..SpaceRecord::default() };
    for (phase, a, b) in
        (0..phases).flat_map(|p| (0..width).flat_map(move |a| (0..width).map(move |b| (p, a, b))))
    {
        let values = vec![value("phase", phase), value("a", a), value("b", b)];
        let initial = (phase, a, b) == (0, 0, 0);
        space.states.push(SpaceStateRecord { progress: phase * 10, values, initial, value: None });
        let mut edge = |to: u32, action: &str| {
            space.edges.push(SpaceEdgeRecord { from: number(phase, a, b), to, action: action.into() });
        };
        if a < top {
            edge(number(phase, a + 1, b), "raise a");
        }
        if b < top {
            edge(number(phase, a, b + 1), "raise b");
        }
        if phase + 1 < phases && a == b {
            edge(number(phase + 1, 0, a), "go on");
        }
        if phase + 1 == phases && a == top && b == top {
            edge(number(1, top, 0), "begin again");
        }
    }
    space
}

/// A run with content in every part.
pub fn rich() -> RunRecord {
    let mut run = empty("models/stop_and_wait.dve");
    run.exit_code = 1;
    run.model.language = Some("dve".into());
    (run.model.variables, run.model.state_bits) = (Some(12), Some(92));
    run.plan = PlanRecord::new(Engine::Sweep, "compiled")
        .with_measure("(Sender.sent, Receiver.got, order(Link: empty < full))", MeasureOrigin::Derived);
    run.plan.measure.monotone = Some(false);
    run.plan.measure.expected =
        Some(ExpectedRecord { peak_share: 0.021, revisits: 1.2, regress_share: 0.004, layers: 118 });
    run.properties = vec![
        property("Receiver.got <= Sender.sent", AnswerRecord::Violated, Some(0)),
        property("limit == 16", AnswerRecord::Holds, None),
        PropertyRecord {
            kind: PropertyKindRecord::Ltl,
            ..property("G F Receiver.busy", AnswerRecord::Violated, Some(1))
        },
        PropertyRecord {
            reason: Some("the limit of 10,000,000 states is reached".into()),
            ..property("queue.length < 4", AnswerRecord::Unknown, None)
        },
    ];
    run.traces = vec![
        trace(14, None),
        trace(19, Some(7)),
        TraceRecord {
            kind: TraceKind::Component,
            component: Some(ComponentRecord {
                size: Some(240),
                states: (0..12).map(|i| vec![value("Sender", "waiting"), value("Receiver.got", i)]).collect(),
            }),
            ..trace(5, None)
        },
    ];
    run.diagnostics = vec![DiagnosticRecord {
        code: "W0107".into(),
        severity: SeverityRecord::Warning,
        message: "`limit == 16` holds for a trivial reason: nothing changes `limit`".into(),
        line: Some(12),
        column: Some(4),
        help: Some("check that the property says what is meant".into()),
        source: Some("models/stop_and_wait.dve".into()),
    }];
    search(&mut run);
    run.space = Some(space(6, 2));
    run
}

fn search(run: &mut RunRecord) {
    let moment = |i: u64| RateRecord { seconds: i as f64 * 0.25, explored: i * i * 2_000 + i * 150_000 };
    run.resources.rate = Some((1..=40).map(moment).collect());
    let search = &mut run.search;
    search.stopped = Some("the limit of 10,000,000 states is reached".into());
    let states = &mut search.states;
    (states.distinct, states.explored, states.peak_stored) =
        (Some(11_845_035), Some(13_120_777), Some(301_190));
    (states.peak_layer, states.persistent) = (Some(42_017), Some(612));
    let steps = &mut search.transitions;
    (steps.total, steps.forward, steps.stationary, steps.regress) =
        (Some(40_400_559), Some(31_200_447), Some(9_137_501), Some(62_611));
    (search.sweeps, search.layers) = (Some(3), Some(131));
    search.profile =
        Some(ProfileRecord { sweeps: vec![sweep(1, 131, 300), sweep(2, 70, 500), sweep(3, 24, 612)] });
    let names = [
        "Sender: ready -> waiting",
        "Link: full -> empty",
        "Receiver: idle -> busy",
        "Link: lose",
        "Sender: give up",
    ];
    let fired = [20_113_201, 12_000_400, 7_224_347, 1_062_611, 0];
    let actions = names.iter().zip(fired).zip(0..);
    search.actions = Some(
        actions
            .map(|((name, fired), number)| ActionRecord { number, action: (*name).into(), fired })
            .collect(),
    );
    (search.io.states_written, search.io.bytes_written) = (Some(48_000), Some(1 << 20));
    (search.io.states_read, search.io.bytes_read) = (Some(48_000), Some(1 << 20));
    let resources = &mut run.resources;
    (resources.wall_seconds, resources.cpu_seconds) = (Some(10.2), Some(9.8));
    (resources.peak_rss_bytes, resources.peak_state_bytes) = (Some(48 << 20), Some(21 << 20));
}

/// Names that try to break out of their markup.
pub fn hostile_names() -> Vec<String> {
    let mut names: Vec<String> = [
        "<script>alert(1)</script>",
        "</script><script>alert(2)</script>",
        "<img src=x onerror=alert(3)>",
        "\"><svg onload=alert(4)>",
        "' onmouseover='alert(5)",
        "{{data}} {{script}} <!-- --> ]]>",
        "a\u{202e}desrever\u{202c}b",
        "line\u{2028}paragraph\u{2029}end\u{0}\u{1b}[31m",
        "&lt;b&gt;&amp;",
        "javascript:alert(6)",
    ]
    .map(String::from)
    .into();
    names.push("long".repeat(2_500));
    names
}

/// A run in which every name is hostile.
pub fn hostile() -> RunRecord {
    let mut run = rich();
    let names = hostile_names();
    let name = |i: usize| names[i % names.len()].clone();
    run.model.path = names.concat();
    run.model.constants.insert(name(0), 1);
    run.plan.measure.expression = Some(names.concat());
    run.search.stopped = Some(name(1));
    for (i, property) in run.properties.iter_mut().enumerate() {
        (property.name, property.reason) = (name(i), Some(name(i + 2)));
    }
    for (i, action) in run.search.actions.iter_mut().flatten().enumerate() {
        action.action = name(i);
    }
    run.search.actions.iter_mut().for_each(|actions| {
        actions.extend((0..names.len()).map(|i| ActionRecord {
            number: i as u32,
            action: name(i),
            fired: 0,
        }));
    });
    for diagnostic in &mut run.diagnostics {
        (diagnostic.message, diagnostic.help, diagnostic.source) = (name(0), Some(name(1)), Some(name(2)));
        diagnostic.code = name(3);
    }
    for (i, step) in run.traces.iter_mut().flat_map(|trace| &mut trace.steps).enumerate() {
        step.action = name(i);
        step.channel = step.channel.take().map(|_| name(i + 1));
        step.participants.iter_mut().for_each(|participant| *participant = name(i + 2));
        for change in &mut step.changes {
            (change.variable, change.from, change.to) = (name(i + 3), name(i + 4), name(i + 5));
        }
    }
    for value in run.traces.iter_mut().flat_map(|trace| &mut trace.initial) {
        (value.variable, value.value) = (name(0), name(1));
    }
    let space = run.space.as_mut().unwrap();
    for (i, state) in space.states.iter_mut().enumerate() {
        (state.values[0].variable, state.values[0].value) = (name(i), name(i + 1));
        state.value = Some(name(i / 9));
    }
    space.edges.iter_mut().enumerate().for_each(|(i, edge)| edge.action = name(i));
    let points = run
        .search
        .profile
        .iter_mut()
        .flat_map(|profile| &mut profile.sweeps)
        .flat_map(|sweep| &mut sweep.points);
    points.enumerate().for_each(|(i, point)| point.value = Some(name(i)));
    run
}
