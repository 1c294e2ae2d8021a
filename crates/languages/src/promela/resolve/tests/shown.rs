//! Programs as short texts, for comparison.

use super::super::super::program::{
    AfterRun, Basic, Expression, ExpressionKind, Formula, Initial, Leaf, LeafId, LeafKind, Node, NodeKind,
    Place, Program, ReceiveArgument,
};
use super::super::super::syntax::{BinaryOperator, UnaryOperator};

/// A leaf with its type, dimensions and initial value.
pub(super) fn leaf(leaf: &Leaf) -> String {
    let kind = match leaf.kind {
        LeafKind::Integer(integer) => format!("{}{}", if integer.signed { "i" } else { "u" }, integer.bits),
        LeafKind::Message(kind) => format!("mtype{kind}"),
        LeafKind::Channel => "chan".to_owned(),
    };
    let dimensions: String = leaf.dimensions.iter().map(|length| format!("[{length}]")).collect();
    let none = Program::default();
    let shown = Shown(&none, 0);
    let initial = match &leaf.initial {
        Initial::Value(value) => shown.expression(value),
        Initial::List(values) => format!("{{{}}}", shown.list(values)),
        Initial::Channels { capacity, fields, .. } => format!("[{capacity}] of {}", fields.len()),
    };
    format!("{kind} {}{dimensions} = {initial}", leaf.name)
}

/// Shows parts of a program from the view of one proctype.
pub(super) struct Shown<'p>(pub(super) &'p Program, pub(super) usize);

impl Shown<'_> {
    pub(super) fn nodes(&self, nodes: &[Node]) -> String {
        nodes.iter().map(|node| self.node(node)).collect::<Vec<_>>().join("; ")
    }

    fn node(&self, node: &Node) -> String {
        let labels: String = node.labels.iter().map(|label| format!("{}: ", label.name)).collect();
        let options = |choices: &[Vec<Node>]| {
            let options: Vec<String> = choices.iter().map(|option| self.nodes(option)).collect();
            options.join(" :: ")
        };
        let text = match &node.kind {
            NodeKind::Basic(basic) => self.basic(basic),
            NodeKind::Else => "else".to_owned(),
            NodeKind::Goto(label) => format!("goto {label}"),
            NodeKind::Break => "break".to_owned(),
            NodeKind::If(choices) => format!("if :: {} fi", options(choices)),
            NodeKind::Do(choices) => format!("do :: {} od", options(choices)),
            NodeKind::Block(nodes) => format!("{{ {} }}", self.nodes(nodes)),
            NodeKind::Atomic(nodes) => format!("atomic {{ {} }}", self.nodes(nodes)),
            NodeKind::Deterministic(nodes) => format!("d_step {{ {} }}", self.nodes(nodes)),
            NodeKind::Unless { main, escape } => format!("{} unless {}", self.node(main), self.node(escape)),
        };
        labels + &text
    }

    fn basic(&self, basic: &Basic) -> String {
        match basic {
            Basic::Condition(condition) => self.expression(condition),
            Basic::Assign(assignments) => {
                let one = |(place, value): &(Place, Expression)| {
                    format!("{} = {}", self.place(place), self.expression(value))
                };
                format!("[{}]", assignments.iter().map(one).collect::<Vec<_>>().join(", "))
            }
            Basic::Assert(condition) => format!("assert {}", self.expression(condition)),
            Basic::Print { format, arguments } => format!("print {format:?} {}", self.list(arguments)),
            Basic::Send { channel, sorted, arguments } => {
                let operator = if *sorted { "!!" } else { "!" };
                format!("{}{operator}{}", self.place(channel), self.list(arguments))
            }
            Basic::Receive { channel, any, copies, arguments } => {
                let operator = if *any { "??" } else { "?" };
                let arguments = self.received(arguments);
                let arguments = if *copies { format!("<{arguments}>") } else { arguments };
                format!("{}{operator}{arguments}", self.place(channel))
            }
            Basic::Run { proctype, arguments, priority, then } => {
                let name = &self.0.proctypes[proctype.0].name;
                let priority = priority.iter().map(|one| format!(" priority {}", self.expression(one)));
                let priority: String = priority.collect();
                let then = match then {
                    AfterRun::Condition(condition) => self.expression(condition),
                    AfterRun::Assign(place, value) => {
                        format!("{} = {}", self.place(place), self.expression(value))
                    }
                };
                format!("run {name}({}){priority} then {then}", self.list(arguments))
            }
            Basic::SetPriority { pid, priority } => {
                format!("set_priority({}, {})", self.expression(pid), self.expression(priority))
            }
        }
    }

    fn received(&self, arguments: &[ReceiveArgument]) -> String {
        let one = |argument: &ReceiveArgument| match argument {
            ReceiveArgument::Equal(value) => format!("=={}", self.expression(value)),
            ReceiveArgument::Store(place) => self.place(place),
            ReceiveArgument::Ignore => "_".to_owned(),
        };
        arguments.iter().map(one).collect::<Vec<_>>().join(",")
    }

    fn list(&self, values: &[Expression]) -> String {
        values.iter().map(|value| self.expression(value)).collect::<Vec<_>>().join(",")
    }

    fn place(&self, place: &Place) -> String {
        let name = match place.leaf {
            LeafId::Global(leaf) => self.0.globals.get(leaf).map_or("?", |leaf| &leaf.name),
            LeafId::Local(leaf) => &self.0.proctypes[self.1].locals[leaf].name,
        };
        format!("{name}{}", self.indices(&place.indices))
    }

    fn indices(&self, indices: &[Expression]) -> String {
        indices.iter().map(|index| format!("[{}]", self.expression(index))).collect()
    }

    pub(super) fn expression(&self, expression: &Expression) -> String {
        match &expression.kind {
            ExpressionKind::Number(value) => value.to_string(),
            ExpressionKind::Read(place) => self.place(place),
            ExpressionKind::Unary(operator, operand) => {
                let operator = match operator {
                    UnaryOperator::Not => "!",
                    UnaryOperator::Negate => "-",
                    UnaryOperator::Complement => "~",
                };
                format!("{operator}{}", self.expression(operand))
            }
            ExpressionKind::Binary(operator, left, right) => {
                format!("({} {} {})", self.expression(left), symbol(*operator), self.expression(right))
            }
            ExpressionKind::Conditional(condition, yes, no) => {
                let [condition, yes, no] = [condition, yes, no].map(|part| self.expression(part));
                format!("({condition} -> {yes} : {no})")
            }
            ExpressionKind::Length(place) => format!("len({})", self.place(place)),
            ExpressionKind::Empty(place) => format!("empty({})", self.place(place)),
            ExpressionKind::NonEmpty(place) => format!("nempty({})", self.place(place)),
            ExpressionKind::Full(place) => format!("full({})", self.place(place)),
            ExpressionKind::NonFull(place) => format!("nfull({})", self.place(place)),
            ExpressionKind::Poll { channel, any, arguments } => {
                let operator = if *any { "??" } else { "?" };
                format!("{}{operator}[{}]", self.place(channel), self.received(arguments))
            }
            ExpressionKind::Enabled(pid) => format!("enabled({})", self.expression(pid)),
            ExpressionKind::ProgramCounter(pid) => format!("pc_value({})", self.expression(pid)),
            ExpressionKind::Priority(pid) => format!("get_priority({})", self.expression(pid)),
            ExpressionKind::RemoteLocation { proctype, pid, label } => {
                format!("{}@{label}", self.remote(proctype.0, pid.as_deref()))
            }
            ExpressionKind::RemoteVariable { proctype, pid, local, indices } => {
                let name = &self.0.proctypes[proctype.0].locals[*local].name;
                format!("{}:{name}{}", self.remote(proctype.0, pid.as_deref()), self.indices(indices))
            }
            ExpressionKind::Timeout => "timeout".to_owned(),
            ExpressionKind::NonProgress => "np_".to_owned(),
            ExpressionKind::Pid => "_pid".to_owned(),
            ExpressionKind::ProcessCount => "_nr_pr".to_owned(),
            ExpressionKind::Last => "_last".to_owned(),
            ExpressionKind::OwnPriority => "_priority".to_owned(),
            ExpressionKind::Created => "created".to_owned(),
        }
    }

    fn remote(&self, proctype: usize, pid: Option<&Expression>) -> String {
        let pid: String = pid.iter().map(|pid| format!("[{}]", self.expression(pid))).collect();
        format!("{}{pid}", self.0.proctypes[proctype].name)
    }

    pub(super) fn formula(&self, formula: &Formula) -> String {
        let unary = |operator: &str, operand: &Formula| format!("{operator} {}", self.formula(operand));
        let binary = |operator: &str, left: &Formula, right: &Formula| {
            format!("({} {operator} {})", self.formula(left), self.formula(right))
        };
        match formula {
            Formula::Proposition(proposition) => self.expression(proposition),
            Formula::Not(operand) => unary("!", operand),
            Formula::Next(operand) => unary("X", operand),
            Formula::Always(operand) => unary("[]", operand),
            Formula::Eventually(operand) => unary("<>", operand),
            Formula::And(left, right) => binary("&&", left, right),
            Formula::Or(left, right) => binary("||", left, right),
            Formula::Implies(left, right) => binary("->", left, right),
            Formula::Equivalent(left, right) => binary("<->", left, right),
            Formula::Until(left, right) => binary("U", left, right),
            Formula::WeakUntil(left, right) => binary("W", left, right),
            Formula::Release(left, right) => binary("V", left, right),
        }
    }
}

fn symbol(operator: BinaryOperator) -> &'static str {
    match operator {
        BinaryOperator::Or => "||",
        BinaryOperator::And => "&&",
        BinaryOperator::BitOr => "|",
        BinaryOperator::BitXor => "^",
        BinaryOperator::BitAnd => "&",
        BinaryOperator::Equal => "==",
        BinaryOperator::NotEqual => "!=",
        BinaryOperator::Less => "<",
        BinaryOperator::LessOrEqual => "<=",
        BinaryOperator::Greater => ">",
        BinaryOperator::GreaterOrEqual => ">=",
        BinaryOperator::ShiftLeft => "<<",
        BinaryOperator::ShiftRight => ">>",
        BinaryOperator::Add => "+",
        BinaryOperator::Subtract => "-",
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        BinaryOperator::Remainder => "%",
    }
}
