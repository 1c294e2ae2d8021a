//! Walks over statements and expressions of a program.

use super::super::program::{
    AfterRun, Basic, Expression, ExpressionKind, Node, NodeKind, Place, ReceiveArgument,
};

/// Calls `visit` with every basic statement, in the order of the text.
pub(super) fn for_each_basic<'p>(nodes: &'p [Node], visit: &mut impl FnMut(&'p Basic)) {
    for node in nodes {
        match &node.kind {
            NodeKind::Basic(basic) => visit(basic),
            NodeKind::If(options) | NodeKind::Do(options) => {
                options.iter().for_each(|option| for_each_basic(option, visit));
            }
            NodeKind::Block(nodes) | NodeKind::Atomic(nodes) | NodeKind::Deterministic(nodes) => {
                for_each_basic(nodes, visit);
            }
            NodeKind::Unless { main, escape } => {
                for_each_basic(std::slice::from_ref(main), visit);
                for_each_basic(std::slice::from_ref(escape), visit);
            }
            NodeKind::Else | NodeKind::Goto(_) | NodeKind::Break => {}
        }
    }
}

/// Calls `visit` with every place that the statement assigns to.
pub(super) fn for_each_target<'p>(basic: &'p Basic, visit: &mut impl FnMut(&'p Place)) {
    match basic {
        Basic::Assign(assignments) => assignments.iter().for_each(|(place, _)| visit(place)),
        Basic::Receive { arguments, .. } => arguments.iter().for_each(|argument| {
            if let ReceiveArgument::Store(place) = argument {
                visit(place);
            }
        }),
        Basic::Run { then: AfterRun::Assign(place, _), .. } => visit(place),
        Basic::Run { .. }
        | Basic::Condition(_)
        | Basic::Assert(_)
        | Basic::Print { .. }
        | Basic::Send { .. }
        | Basic::SetPriority { .. } => {}
    }
}

/// Calls `visit` with the expressions of a statement, without those inside of others.
pub(super) fn for_each_expression<'p>(basic: &'p Basic, visit: &mut impl FnMut(&'p Expression)) {
    let place = |place: &'p Place, visit: &mut dyn FnMut(&'p Expression)| {
        place.indices.iter().for_each(visit);
    };
    match basic {
        Basic::Assign(assignments) => assignments.iter().for_each(|(target, value)| {
            place(target, visit);
            visit(value);
        }),
        Basic::Condition(one) | Basic::Assert(one) => visit(one),
        Basic::Print { arguments, .. } => arguments.iter().for_each(visit),
        Basic::Send { channel, arguments, .. } => {
            place(channel, visit);
            arguments.iter().for_each(visit);
        }
        Basic::Receive { channel, arguments, .. } => {
            place(channel, visit);
            for argument in arguments {
                match argument {
                    ReceiveArgument::Equal(value) => visit(value),
                    ReceiveArgument::Store(target) => place(target, visit),
                    ReceiveArgument::Ignore => {}
                }
            }
        }
        Basic::Run { arguments, priority, then, .. } => {
            arguments.iter().for_each(&mut *visit);
            priority.iter().for_each(&mut *visit);
            match then {
                AfterRun::Condition(condition) => visit(condition),
                AfterRun::Assign(target, value) => {
                    place(target, visit);
                    visit(value);
                }
            }
        }
        Basic::SetPriority { pid, priority } => {
            visit(pid);
            visit(priority);
        }
    }
}

/// Calls `visit` with an expression and all expressions inside of it.
pub(super) fn for_each_subexpression<'p>(one: &'p Expression, visit: &mut dyn FnMut(&'p Expression)) {
    visit(one);
    let inside = |list: &'p [Expression], visit: &mut dyn FnMut(&'p Expression)| {
        list.iter().for_each(|one| for_each_subexpression(one, visit));
    };
    match &one.kind {
        ExpressionKind::Number(_)
        | ExpressionKind::Timeout
        | ExpressionKind::NonProgress
        | ExpressionKind::Pid
        | ExpressionKind::ProcessCount
        | ExpressionKind::Last
        | ExpressionKind::OwnPriority
        | ExpressionKind::Created => {}
        ExpressionKind::Read(place)
        | ExpressionKind::Length(place)
        | ExpressionKind::Empty(place)
        | ExpressionKind::NonEmpty(place)
        | ExpressionKind::Full(place)
        | ExpressionKind::NonFull(place) => inside(&place.indices, visit),
        ExpressionKind::Unary(_, operand)
        | ExpressionKind::Enabled(operand)
        | ExpressionKind::ProgramCounter(operand)
        | ExpressionKind::Priority(operand) => for_each_subexpression(operand, visit),
        ExpressionKind::Binary(_, left, right) => {
            for_each_subexpression(left, visit);
            for_each_subexpression(right, visit);
        }
        ExpressionKind::Conditional(condition, then, otherwise) => {
            for_each_subexpression(condition, visit);
            for_each_subexpression(then, visit);
            for_each_subexpression(otherwise, visit);
        }
        ExpressionKind::Poll { channel, arguments, .. } => {
            inside(&channel.indices, visit);
            for argument in arguments {
                if let ReceiveArgument::Equal(value) = argument {
                    for_each_subexpression(value, visit);
                }
            }
        }
        ExpressionKind::RemoteLocation { pid, .. } => {
            pid.iter().for_each(|pid| for_each_subexpression(pid, visit));
        }
        ExpressionKind::RemoteVariable { pid, indices, .. } => {
            pid.iter().for_each(|pid| for_each_subexpression(pid, visit));
            inside(indices, visit);
        }
    }
}
