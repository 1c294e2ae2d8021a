//! Promela programs as trees, as text, and with parts deleted.

use std::fmt::Write;

#[derive(Clone, Debug)]
pub struct Program {
    /// Declarations of message names, types, variables and channels.
    pub declarations: Vec<String>,
    pub processes: Vec<Process>,
}

#[derive(Clone, Debug)]
pub struct Process {
    /// All before the body: `active [2] proctype P0()`.
    pub head: String,
    pub body: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub struct Statement {
    pub label: Option<String>,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub enum Kind {
    /// A basic statement, a declaration, or a jump.
    Plain(String),
    /// `{ … }`, `atomic { … }`, `d_step { … }`, and `for (…) { … }`, by what stands before the brace.
    Block(String, Vec<Statement>),
    /// `if` or `do`.
    Selection(&'static str, Vec<Vec<Statement>>),
    Unless(Box<Statement>, Box<Statement>),
}

impl Statement {
    pub fn plain(text: impl Into<String>) -> Self {
        Kind::Plain(text.into()).into()
    }

    pub fn is(&self, text: &str) -> bool {
        matches!(&self.kind, Kind::Plain(own) if own == text)
    }

    /// The statements that it may begin with.
    pub fn firsts(&mut self) -> Vec<&mut Self> {
        if matches!(self.kind, Kind::Plain(_)) {
            return vec![self];
        }
        match &mut self.kind {
            Kind::Plain(_) => Vec::new(),
            Kind::Block(head, _) if head.starts_with("for") => Vec::new(),
            Kind::Block(_, body) => body.first_mut().map_or(Vec::new(), Self::firsts),
            Kind::Selection(_, options) => {
                options.iter_mut().filter_map(|option| option.first_mut()).flat_map(Self::firsts).collect()
            }
            Kind::Unless(main, escape) => main.firsts().into_iter().chain(escape.firsts()).collect(),
        }
    }

    /// The statement that it begins with, if there is only one.
    fn guard(&self) -> Option<&str> {
        match &self.kind {
            Kind::Plain(text) => Some(text),
            Kind::Block(_, body) => body.first()?.guard(),
            Kind::Selection(..) | Kind::Unless(..) => None,
        }
    }

    fn write(&self, depth: usize, text: &mut String) {
        let margin = "  ".repeat(depth);
        if let Some(label) = &self.label {
            let _ = write!(text, "{label}: ");
        }
        match &self.kind {
            Kind::Plain(own) => text.push_str(own),
            Kind::Block(head, body) => {
                let _ = write!(text, "{head}{{\n{margin}  ");
                write_sequence(body, depth + 1, text);
                let _ = write!(text, "\n{margin}}}");
            }
            Kind::Selection(keyword, options) => {
                text.push_str(keyword);
                for option in options {
                    let _ = write!(text, "\n{margin}:: ");
                    write_sequence(option, depth + 1, text);
                }
                let end = if *keyword == "if" { "fi" } else { "od" };
                let _ = write!(text, "\n{margin}{end}");
            }
            Kind::Unless(main, escape) => {
                main.write(depth, text);
                text.push_str(" unless ");
                escape.write(depth, text);
            }
        }
    }

    /// Smaller statements and sequences to stand in its place.
    fn smaller(&self) -> Vec<Vec<Self>> {
        let mut found = Vec::new();
        if self.label.is_some() {
            found.push(vec![Self { label: None, ..self.clone() }]);
        }
        let like = |kind| vec![Self { label: self.label.clone(), kind }];
        match &self.kind {
            Kind::Plain(_) => {}
            Kind::Block(head, body) => {
                found.push(body.clone());
                if !head.is_empty() {
                    found.push(like(Kind::Block(String::new(), body.clone())));
                }
                let smaller = smaller_sequences(body);
                found.extend(smaller.into_iter().map(|body| like(Kind::Block(head.clone(), body))));
            }
            Kind::Selection(keyword, options) => {
                found.extend(options.iter().cloned());
                for (number, option) in options.iter().enumerate() {
                    if options.len() > 1 {
                        let mut fewer = options.clone();
                        fewer.remove(number);
                        found.push(like(Kind::Selection(keyword, fewer)));
                    }
                    for smaller in smaller_sequences(option) {
                        let mut changed = options.clone();
                        changed[number] = smaller;
                        found.push(like(Kind::Selection(keyword, changed)));
                    }
                }
            }
            Kind::Unless(main, escape) => {
                found.push(vec![(**main).clone()]);
                found.push(vec![(**escape).clone()]);
                let single = |mut sequence: Vec<Self>| match sequence.len() {
                    1 => sequence.pop().map(Box::new),
                    _ => None,
                };
                let mains = main.smaller().into_iter().filter_map(single);
                found.extend(mains.map(|main| like(Kind::Unless(main, escape.clone()))));
                // SPIN has oddities where an escape begins with a jump or with another `unless`.
                let escapes = escape.smaller().into_iter().filter_map(single);
                let escapes = escapes.filter(|smaller| smaller.guard() == escape.guard());
                found.extend(escapes.map(|escape| like(Kind::Unless(main.clone(), escape))));
            }
        }
        found
    }
}

impl From<Kind> for Statement {
    fn from(kind: Kind) -> Self {
        Self { label: None, kind }
    }
}

/// The sequence with a statement less, or with a smaller one.
fn smaller_sequences(sequence: &[Statement]) -> Vec<Vec<Statement>> {
    let mut found = Vec::new();
    let replaced = |number: usize, by: Vec<Statement>| {
        let mut changed = sequence.to_vec();
        changed.splice(number..=number, by);
        changed
    };
    for (number, statement) in sequence.iter().enumerate() {
        if sequence.len() > 1 {
            found.push(replaced(number, Vec::new()));
        }
        found.extend(statement.smaller().into_iter().map(|smaller| replaced(number, smaller)));
    }
    found
}

fn write_sequence(sequence: &[Statement], depth: usize, text: &mut String) {
    for (number, statement) in sequence.iter().enumerate() {
        if number > 0 {
            let _ = write!(text, ";\n{}", "  ".repeat(depth));
        }
        statement.write(depth, text);
    }
}

impl Program {
    pub fn text(&self) -> String {
        let mut text = String::new();
        for declaration in &self.declarations {
            let _ = writeln!(text, "{declaration};");
        }
        for process in &self.processes {
            let _ = write!(text, "{} {{\n  ", process.head);
            write_sequence(&process.body, 1, &mut text);
            text.push_str("\n}\n");
        }
        text
    }

    /// All programs with one part less. Many of them are wrong.
    pub fn smaller(&self) -> Vec<Self> {
        let mut found = Vec::new();
        for number in 0..self.processes.len() {
            let mut fewer = self.clone();
            fewer.processes.remove(number);
            found.push(fewer);
        }
        for (number, process) in self.processes.iter().enumerate() {
            for body in smaller_sequences(&process.body) {
                let mut changed = self.clone();
                changed.processes[number].body = body;
                found.push(changed);
            }
        }
        for number in 0..self.declarations.len() {
            let mut fewer = self.clone();
            fewer.declarations.remove(number);
            found.push(fewer);
        }
        found
    }
}
