//! A short notation for trees: every operator in parentheses, every sequence in braces.

use crate::promela::syntax::{
    Choice, Declaration, Expression, ExpressionKind, File, Formula, Initial, Item, ReceiveArgument,
    Reference, Statement, StatementKind, Type,
};

/// All items, with `;` between them.
pub(super) fn file(file: &File) -> String {
    let items: Vec<String> = file.items.iter().map(item).collect();
    items.join("; ")
}

fn item(item: &Item) -> String {
    match item {
        Item::Proctype(process) => {
            let mut text = String::new();
            if let Some(active) = process.active.as_ref().filter(|_| process.name.text != "init") {
                text += &format!("active[{}] ", expression(active));
            }
            text += &process.name.text;
            let parameters: Vec<String> = process.parameters.iter().map(declaration).collect();
            if !parameters.is_empty() {
                text += &format!("({})", parameters.join(", "));
            }
            if let Some(priority) = &process.priority {
                text += &format!(" priority {}", expression(priority));
            }
            if let Some(provided) = &process.provided {
                text += &format!(" provided {}", expression(provided));
            }
            format!("{text}: {}", sequence(&process.body))
        }
        Item::Never(claim) => {
            let name = claim.name.as_ref().map_or("", |name| name.text.as_str());
            format!("never {name}: {}", sequence(&claim.body))
        }
        Item::Ltl(block) => {
            let name = block.name.as_ref().map_or("", |name| name.text.as_str());
            format!("ltl {name}: {}", formula(&block.formula))
        }
        Item::Typedef(definition) => {
            let fields: Vec<String> = definition.fields.iter().map(declaration).collect();
            format!("typedef {}: {}", definition.name.text, fields.join(", "))
        }
        Item::Mtype(messages) => {
            let kind = messages.kind.as_ref().map_or(String::new(), |kind| format!(":{}", kind.text));
            let names: Vec<&str> = messages.names.iter().map(|name| name.text.as_str()).collect();
            format!("mtype{kind} = {}", names.join(" "))
        }
        Item::Declaration(one) => declaration(one),
    }
}

fn type_name(kind: &Type) -> String {
    match kind {
        Type::Mtype(Some(kind)) => format!("mtype:{}", kind.text),
        Type::Mtype(None) => "mtype".to_owned(),
        Type::Named(name) => name.text.clone(),
        simple => format!("{simple:?}").to_lowercase(),
    }
}

fn declaration(one: &Declaration) -> String {
    let hidden = if one.hidden { "hidden " } else { "" };
    let variables: Vec<String> = one
        .variables
        .iter()
        .map(|variable| {
            let mut text = variable.name.text.clone();
            if let Some(width) = &variable.width {
                text += &format!(":{}", expression(width));
            }
            if let Some(length) = &variable.length {
                text += &format!("[{}]", expression(length));
            }
            match &variable.initial {
                None => {}
                Some(Initial::Value(value)) => text += &format!("={}", expression(value)),
                Some(Initial::List(values)) => text += &format!("={{{}}}", expressions(values)),
                Some(Initial::Channel { capacity, fields, .. }) => {
                    let fields: Vec<String> = fields.iter().map(type_name).collect();
                    text += &format!("=[{}]{{{}}}", expression(capacity), fields.join(","));
                }
            }
            text
        })
        .collect();
    format!("{hidden}{} {}", type_name(&one.kind), variables.join(","))
}

pub(super) fn sequence(statements: &[Statement]) -> String {
    let statements: Vec<String> = statements.iter().map(statement).collect();
    format!("{{{}}}", statements.join("; "))
}

fn choices(choices: &[Choice]) -> String {
    choices.iter().map(|choice| sequence(&choice.body)).collect()
}

fn statement(one: &Statement) -> String {
    let labels: String = one.labels.iter().map(|label| format!("{}: ", label.text)).collect();
    labels + &plain_statement(&one.kind)
}

fn plain_statement(kind: &StatementKind) -> String {
    match kind {
        StatementKind::Declaration(one) => declaration(one),
        StatementKind::Expression(one) => expression(one),
        StatementKind::Else => "else".to_owned(),
        StatementKind::Break => "break".to_owned(),
        StatementKind::Goto(label) => format!("goto {}", label.text),
        StatementKind::Assign { target, value } => format!("{} = {}", reference(target), expression(value)),
        StatementKind::Increment(target) => format!("{}++", reference(target)),
        StatementKind::Decrement(target) => format!("{}--", reference(target)),
        StatementKind::Assert(condition) => format!("assert {}", expression(condition)),
        StatementKind::Print { format, arguments } => format!("print <{format}> {}", expressions(arguments)),
        StatementKind::PrintMessage(message) => format!("printm {}", expression(message)),
        StatementKind::Send { channel, sorted, arguments } => {
            let operator = if *sorted { "!!" } else { "!" };
            format!("{}{operator}{}", reference(channel), expressions(arguments))
        }
        StatementKind::Receive { channel, any, copies, arguments } => {
            let operator = if *any { "??" } else { "?" };
            let (open, close) = if *copies { ("<", ">") } else { ("", "") };
            format!("{}{operator}{open}{}{close}", reference(channel), receive_arguments(arguments))
        }
        StatementKind::SetPriority(process, priority) => {
            format!("priority {} {}", expression(process), expression(priority))
        }
        StatementKind::If(options) => format!("if{}", choices(options)),
        StatementKind::Do(options) => format!("do{}", choices(options)),
        StatementKind::Block(inner) => sequence(inner),
        StatementKind::Atomic(inner) => format!("atomic{}", sequence(inner)),
        StatementKind::Deterministic(inner) => format!("d_step{}", sequence(inner)),
        StatementKind::ForRange { variable, low, high, body } => {
            let (low, high) = (expression(low), expression(high));
            format!("for {}:{low}..{high}{}", reference(variable), sequence(body))
        }
        StatementKind::ForEach { variable, collection, body } => {
            format!("for {} in {}{}", reference(variable), reference(collection), sequence(body))
        }
        StatementKind::Select { variable, low, high, plain } => {
            let word = if *plain { "select plain" } else { "select" };
            format!("{word} {}:{}..{}", reference(variable), expression(low), expression(high))
        }
        StatementKind::Unless { main, escape } => format!("{} unless {}", statement(main), statement(escape)),
    }
}

fn receive_arguments(arguments: &[ReceiveArgument]) -> String {
    let arguments: Vec<String> = arguments
        .iter()
        .map(|argument| match argument {
            ReceiveArgument::Reference(one) => reference(one),
            ReceiveArgument::Constant(value, _) => value.to_string(),
            ReceiveArgument::Eval(value) => format!("eval {}", expression(value)),
            ReceiveArgument::Ignore => "_".to_owned(),
        })
        .collect();
    arguments.join(",")
}

fn reference(one: &Reference) -> String {
    let parts: Vec<String> = one
        .parts
        .iter()
        .map(|part| match &part.index {
            Some(index) => format!("{}[{}]", part.name.text, expression(index)),
            None => part.name.text.clone(),
        })
        .collect();
    parts.join(".")
}

fn expressions(list: &[Expression]) -> String {
    let list: Vec<String> = list.iter().map(expression).collect();
    list.join(",")
}

fn process(name: &str, pid: Option<&Expression>) -> String {
    pid.map_or_else(|| name.to_owned(), |pid| format!("{name}[{}]", expression(pid)))
}

fn expression(one: &Expression) -> String {
    match &one.kind {
        ExpressionKind::Number(value) => value.to_string(),
        ExpressionKind::Reference(one) => reference(one),
        ExpressionKind::Unary(operator, operand) => format!("{operator:?}({})", expression(operand)),
        ExpressionKind::Binary(operator, left, right) => {
            format!("({} {operator:?} {})", expression(left), expression(right))
        }
        ExpressionKind::Conditional(condition, first, second) => {
            format!("({} -> {} : {})", expression(condition), expression(first), expression(second))
        }
        ExpressionKind::Timeout => "timeout".to_owned(),
        ExpressionKind::NonProgress => "np_".to_owned(),
        ExpressionKind::Probe(probe, channel) => format!("{probe:?}({})", reference(channel)),
        ExpressionKind::Poll { channel, any, arguments } => {
            let operator = if *any { "??" } else { "?" };
            format!("{}{operator}[{}]", reference(channel), receive_arguments(arguments))
        }
        ExpressionKind::Run { proctype, arguments, priority } => {
            let priority =
                priority.as_ref().map_or(String::new(), |one| format!(" priority {}", expression(one)));
            format!("run {}({}){priority}", proctype.text, expressions(arguments))
        }
        ExpressionKind::Enabled(process) => format!("enabled({})", expression(process)),
        ExpressionKind::ProgramCounter(process) => format!("pc({})", expression(process)),
        ExpressionKind::Priority(process) => format!("priority({})", expression(process)),
        ExpressionKind::RemoteLocation { proctype, pid, label } => {
            format!("{}@{}", process(&proctype.text, pid.as_deref()), label.text)
        }
        ExpressionKind::RemoteVariable { proctype, pid, variable } => {
            format!("{}:{}", process(&proctype.text, pid.as_deref()), reference(variable))
        }
    }
}

fn formula(one: &Formula) -> String {
    let binary = |left: &Formula, operator: &str, right: &Formula| {
        format!("({} {operator} {})", formula(left), formula(right))
    };
    match one {
        Formula::Proposition(one) => format!("<{}>", expression(one)),
        Formula::Not(inner) => format!("!{}", formula(inner)),
        Formula::Next(inner) => format!("X{}", formula(inner)),
        Formula::Always(inner) => format!("G{}", formula(inner)),
        Formula::Eventually(inner) => format!("F{}", formula(inner)),
        Formula::And(left, right) => binary(left, "&&", right),
        Formula::Or(left, right) => binary(left, "||", right),
        Formula::Implies(left, right) => binary(left, "->", right),
        Formula::Equivalent(left, right) => binary(left, "<->", right),
        Formula::Until(left, right) => binary(left, "U", right),
        Formula::WeakUntil(left, right) => binary(left, "W", right),
        Formula::Release(left, right) => binary(left, "V", right),
    }
}
