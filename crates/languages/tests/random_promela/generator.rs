//! Random programs that depend on a seed only.
//!
//! Each program uses some of the features, so that every pair of them meets often, and programs stay
//! small. What SPIN refuses is avoided where that is easy: `else` beside channel operations, `unless`
//! as a guard, jumps to labels that do not exist.

use super::program::{Kind, Process, Program, Statement};

/// A feature that a program may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    Atomic,
    Deterministic,
    Unless,
    Timeout,
    Else,
    Goto,
    EndLabel,
    Rendezvous,
    Buffer,
    ChannelVariable,
    Assertion,
    For,
    Select,
    Skips,
    LateDeclaration,
    Inline,
    Remote,
    Last,
    Run,
    Provided,
    NestedSelection,
}

const FEATURES: [Feature; 21] = [
    Feature::Atomic,
    Feature::Deterministic,
    Feature::Unless,
    Feature::Timeout,
    Feature::Else,
    Feature::Goto,
    Feature::EndLabel,
    Feature::Rendezvous,
    Feature::Buffer,
    Feature::ChannelVariable,
    Feature::Assertion,
    Feature::For,
    Feature::Select,
    Feature::Skips,
    Feature::LateDeclaration,
    Feature::Inline,
    Feature::Remote,
    Feature::Last,
    Feature::Run,
    Feature::Provided,
    Feature::NestedSelection,
];

/// The deepest nesting of statements.
const DEEPEST: usize = 4;

/// A program, and the features that it may use.
pub fn random_program(seed: u64) -> (Program, Vec<Feature>) {
    let mut generator = Generator::new(seed);
    let program = generator.program();
    (program, generator.features)
}

struct Channel {
    name: String,
    capacity: usize,
    /// Whether it has a second field.
    is_pair: bool,
}

struct Generator {
    random: u64,
    features: Vec<Feature>,
    channels: Vec<Channel>,
    /// Variables of one element, and arrays of two.
    scalars: Vec<String>,
    arrays: Vec<String>,
    /// Labels of the current process that have a place, and those that jumps or references need.
    placed: Vec<String>,
    needed: Vec<String>,
    locals: usize,
    loops: usize,
    depth: usize,
    in_deterministic: bool,
}

impl Generator {
    fn new(seed: u64) -> Self {
        let random = (seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut generator = Self {
            random,
            features: Vec::new(),
            channels: Vec::new(),
            scalars: Vec::new(),
            arrays: Vec::new(),
            placed: Vec::new(),
            needed: Vec::new(),
            locals: 0,
            loops: 0,
            depth: 0,
            in_deterministic: false,
        };
        for feature in FEATURES {
            if generator.one_in(3) {
                generator.features.push(feature);
            }
        }
        generator
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) as usize % limit
    }

    fn one_in(&mut self, chance: usize) -> bool {
        self.below(chance) == 0
    }

    fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }

    fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }

    /// Whether to use a feature here.
    fn uses(&mut self, feature: Feature, chance: usize) -> bool {
        self.has(feature) && self.one_in(chance)
    }

    fn program(&mut self) -> Program {
        let mut declarations = vec!["mtype = { red, green, blue }".to_owned()];
        for number in 0..1 + self.below(3) {
            let declaration = self.variable(&format!("g{number}"));
            declarations.push(declaration);
        }
        if self.one_in(4) {
            declarations.push("typedef T { byte a; bit b[2] }".into());
            declarations.push("T t".into());
            self.scalars.push("t.a".into());
            self.arrays.push("t.b".into());
        }
        self.declare_channels(&mut declarations);
        if self.has(Feature::Inline) {
            declarations.push("inline cut(v, e) { v = e; if :: v > 1 -> v = 0 :: else fi }".into());
            declarations.push("inline low(v) { byte q = v; q = q & 1; return q }".into());
        }
        let has_init = self.has(Feature::Run);
        let count = 1 + self.below(3);
        let mut processes: Vec<Process> = (0..count).map(|number| self.proctype(number, has_init)).collect();
        if has_init {
            let init = self.init(&processes);
            processes.push(init);
        }
        if self.has(Feature::Remote) {
            let is_there = processes[0].body.iter().any(|one| one.label.as_deref() == Some("L0"));
            if !is_there {
                let label = Some("L0".to_owned());
                processes[0].body.push(Statement { label, ..Statement::plain("skip") });
            }
        }
        Program { declarations, processes }
    }

    fn variable(&mut self, name: &str) -> String {
        let kind = self.pick(&["bit", "bool", "byte", "byte", "short", "int", "mtype", "unsigned"]);
        let initial = self.pick(&["", "", " = 1", " = 3", " = 0 - 1"]);
        if kind != "unsigned" && self.one_in(4) {
            self.arrays.push(name.into());
            return format!("{kind} {name}[2]{initial}");
        }
        self.scalars.push(name.into());
        match kind {
            "unsigned" => format!("unsigned {name} : {}{initial}", 2 + self.below(3)),
            kind => format!("{kind} {name}{initial}"),
        }
    }

    fn declare_channels(&mut self, declarations: &mut Vec<String>) {
        for (feature, letter) in [(Feature::Rendezvous, 'r'), (Feature::Buffer, 'c')] {
            if !self.has(feature) {
                continue;
            }
            for number in 0..1 + self.below(2) {
                let capacity = if letter == 'r' { 0 } else { 1 + self.below(3) };
                let is_pair = self.one_in(2);
                let fields = if is_pair { "byte, bit" } else { "byte" };
                let is_array = self.one_in(5);
                let (length, index) = if is_array { ("[2]", "[1]") } else { ("", "") };
                declarations.push(format!("chan {letter}{number}{length} = [{capacity}] of {{ {fields} }}"));
                let name = format!("{letter}{number}{index}");
                if !is_array && self.uses(Feature::ChannelVariable, 2) {
                    declarations.push(format!("chan v{letter}{number} = {name}"));
                    self.channels.push(Channel { name: format!("v{name}"), capacity, is_pair });
                }
                self.channels.push(Channel { name, capacity, is_pair });
            }
        }
    }

    fn proctype(&mut self, number: usize, has_init: bool) -> Process {
        let globals = (self.scalars.len(), self.arrays.len());
        let active = if has_init && self.one_in(2) { 0 } else { 1 + self.below(2) };
        let active = if active > 0 { format!("active [{active}] ") } else { String::new() };
        let (parameters, provided) = match (self.uses(Feature::Run, 2), self.uses(Feature::Provided, 2)) {
            (true, _) => ("byte p", ""),
            (false, true) => ("", " provided (g0 != 1 || _pid == 0)"),
            (false, false) => ("", ""),
        };
        let provided = if self.scalars.iter().any(|name| name == "g0") { provided } else { "" };
        if !parameters.is_empty() {
            self.scalars.push("p".into());
        }
        let mut body = Vec::new();
        for number in 0..self.below(3) {
            let declaration = self.variable(&format!("x{number}"));
            body.push(Statement::plain(declaration));
        }
        let length = 1 + self.below(5);
        body.append(&mut self.sequence(length));
        self.place_labels(&mut body);
        self.scalars.truncate(globals.0);
        self.arrays.truncate(globals.1);
        Process { head: format!("{active}proctype P{number}({parameters}){provided}"), body }
    }

    fn init(&mut self, proctypes: &[Process]) -> Process {
        let mut runs = Vec::new();
        for (number, proctype) in proctypes.iter().enumerate() {
            let argument = if proctype.head.contains("byte p") { self.place() } else { String::new() };
            runs.push(Statement::plain(format!("run P{number}({argument})")));
        }
        let mut body = if self.one_in(2) { vec![Kind::Block("atomic ".into(), runs).into()] } else { runs };
        let length = self.below(3);
        body.append(&mut self.sequence(length));
        self.place_labels(&mut body);
        Process { head: "init".into(), body }
    }

    /// Gives each label that is needed and has no place a `skip` at the end.
    fn place_labels(&mut self, body: &mut Vec<Statement>) {
        let needed = std::mem::take(&mut self.needed);
        let placed = std::mem::take(&mut self.placed);
        for label in needed.into_iter().filter(|label| !placed.contains(label)) {
            body.push(Statement { label: Some(label), ..Statement::plain("skip") });
        }
    }

    fn sequence(&mut self, length: usize) -> Vec<Statement> {
        let visible = (self.scalars.len(), self.arrays.len());
        let mut sequence = Vec::new();
        while sequence.len() < length.max(1) {
            if !self.in_deterministic && self.uses(Feature::LateDeclaration, 8) {
                let name = format!("y{}", self.locals);
                self.locals += 1;
                let declaration = self.variable(&name);
                sequence.push(Statement::plain(declaration));
            }
            let mut statement = self.statement();
            let may_have_label = !sequence.is_empty() && !matches!(statement.kind, Kind::Unless(..));
            if may_have_label && !self.in_deterministic && self.one_in(4) {
                statement.label = self.new_label();
            }
            sequence.push(statement);
        }
        self.scalars.truncate(visible.0);
        self.arrays.truncate(visible.1);
        sequence
    }

    fn new_label(&mut self) -> Option<String> {
        let ends = self.uses(Feature::EndLabel, 2);
        let number = self.below(3);
        let label = if ends { format!("end{number}") } else { format!("L{number}") };
        let is_used = ends || self.has(Feature::Goto);
        (is_used && !self.placed.contains(&label)).then(|| {
            self.placed.push(label.clone());
            label
        })
    }

    fn jump(&mut self) -> Statement {
        let label = format!("L{}", self.below(3));
        if !self.needed.contains(&label) {
            self.needed.push(label.clone());
        }
        Statement::plain(format!("goto {label}"))
    }

    fn statement(&mut self) -> Statement {
        self.depth += 1;
        let nested = if self.depth < DEEPEST { self.nested() } else { None };
        self.depth -= 1;
        nested.unwrap_or_else(|| self.basic())
    }

    fn nested(&mut self) -> Option<Statement> {
        let length = 1 + self.below(3);
        let free = !self.in_deterministic;
        if free && self.uses(Feature::Atomic, 7) {
            return Some(Kind::Block("atomic ".into(), self.sequence(length)).into());
        }
        if free && self.uses(Feature::Deterministic, 9) {
            let loops = std::mem::take(&mut self.loops);
            self.in_deterministic = true;
            let mut body = self.sequence(length);
            self.in_deterministic = false;
            self.loops = loops;
            let guard = self.condition();
            body.insert(0, Statement::plain(guard));
            return Some(Kind::Block("d_step ".into(), body).into());
        }
        if free && self.uses(Feature::Unless, 7) {
            return Some(self.unless(length));
        }
        if self.one_in(7) {
            return Some(self.selection("if"));
        }
        if free && self.loops < 2 && self.one_in(8) {
            return Some(self.selection("do"));
        }
        if free && self.loops < 2 && self.uses(Feature::For, 8) {
            let variable = self.scalar()?;
            let (low, high) = (self.below(2), self.below(3));
            self.loops += 1;
            let body = self.sequence(length);
            self.loops -= 1;
            return Some(Kind::Block(format!("for ({variable} : {low} .. {high}) "), body).into());
        }
        self.one_in(20).then(|| Kind::Block(String::new(), self.sequence(length)).into())
    }

    fn unless(&mut self, length: usize) -> Statement {
        let main = if self.one_in(4) {
            self.selection("do")
        } else {
            let head = if self.uses(Feature::Atomic, 3) { "atomic " } else { "" };
            Kind::Block(head.into(), self.sequence(length)).into()
        };
        let mut escape = self.sequence(1);
        let guard = match self.channel_operation() {
            Some(operation) if self.one_in(2) => operation,
            _ => self.condition(),
        };
        escape.insert(0, Statement::plain(guard));
        let head = if self.uses(Feature::Atomic, 3) { "atomic " } else { "" };
        let escape: Statement = Kind::Block(head.into(), escape).into();
        Kind::Unless(Box::new(main), Box::new(escape)).into()
    }

    fn selection(&mut self, keyword: &'static str) -> Statement {
        let is_loop = keyword == "do";
        self.loops += usize::from(is_loop);
        let mut options: Vec<Vec<Statement>> = (0..1 + self.below(3)).map(|_| self.option()).collect();
        if self.in_deterministic || self.uses(Feature::Else, 2) {
            let mut otherwise = vec![Statement::plain("else")];
            if self.one_in(2) {
                otherwise.append(&mut self.sequence(1));
            }
            options.push(otherwise);
        }
        for option in &mut options {
            let last = option.last().is_some_and(|last| last.is("skip") || last.is("else"));
            if is_loop && (option.len() == 1 && last || self.one_in(3)) {
                option.push(Statement::plain("break"));
            } else if !self.in_deterministic && self.uses(Feature::Goto, 5) {
                option.push(self.jump());
            }
        }
        self.loops -= usize::from(is_loop);
        let mut selection: Statement = Kind::Selection(keyword, options).into();
        allow_else(&mut selection);
        selection
    }

    fn option(&mut self) -> Vec<Statement> {
        let length = self.below(3);
        let first = match self.below(10) {
            0 | 1 if self.has(Feature::NestedSelection) && self.depth < DEEPEST => {
                self.depth += 1;
                let keyword = if !self.in_deterministic && self.one_in(4) { "do" } else { "if" };
                let inner = self.selection(keyword);
                self.depth -= 1;
                inner
            }
            2 => Statement::plain("skip"),
            3 if !self.in_deterministic && self.has(Feature::Goto) => self.jump(),
            4 | 5 if !self.in_deterministic => match self.channel_operation() {
                Some(operation) => Statement::plain(operation),
                None => Statement::plain(self.condition()),
            },
            6 => {
                let change = self.change();
                Statement::plain(change)
            }
            _ => Statement::plain(self.condition()),
        };
        let mut option = vec![first];
        if length > 0 {
            option.append(&mut self.sequence(length));
        }
        option
    }

    fn basic(&mut self) -> Statement {
        let free = !self.in_deterministic;
        if free
            && self.uses(Feature::Select, 8)
            && let Some(variable) = self.scalar()
        {
            let high = 1 + self.below(2);
            return Statement::plain(format!("select ({variable} : {} .. {high})", self.below(2)));
        }
        if self.uses(Feature::Skips, 3) {
            return Statement::plain(self.pick(&["skip", "true", "printf(\"x\\n\")", "1"]));
        }
        if free && self.uses(Feature::Goto, 9) {
            return self.jump();
        }
        if self.uses(Feature::Assertion, 9) {
            let condition = self.condition();
            return Statement::plain(format!("assert({condition})"));
        }
        if free
            && self.one_in(3)
            && let Some(operation) = self.channel_operation()
        {
            return Statement::plain(operation);
        }
        if free && self.uses(Feature::Inline, 6) {
            let (variable, value) = (self.place(), self.expression(1));
            return Statement::plain(match self.one_in(2) {
                true => format!("cut({variable}, {value})"),
                false => format!("{variable} = low({value})"),
            });
        }
        if free && self.one_in(5) {
            return Statement::plain(self.condition());
        }
        Statement::plain(self.change())
    }

    fn change(&mut self) -> String {
        let place = self.place();
        match self.below(6) {
            0 | 1 => format!("{place} = {}", self.below(4)),
            2 => format!("{place} = ({place} + 1) % {}", 2 + self.below(2)),
            3 => format!("{place} = 1 - {place}"),
            4 => format!("{place} = ({}) & 3", self.expression(2)),
            _ if self.loops == 0 => format!("{place}{}", self.pick(&["++", "--"])),
            _ => format!("{place} = {}", self.below(2)),
        }
    }

    fn scalar(&mut self) -> Option<String> {
        let plain: Vec<&String> = self.scalars.iter().filter(|name| !name.contains('.')).collect();
        let (count, random) = (plain.len(), self.random as usize >> 8);
        (count > 0).then(|| plain[random % count].clone())
    }

    /// A variable, or an element of an array.
    fn place(&mut self) -> String {
        let number = self.below(self.scalars.len() + self.arrays.len());
        if let Some(scalar) = self.scalars.get(number) {
            return scalar.clone();
        }
        let array = self.arrays[number - self.scalars.len()].clone();
        match self.scalars.last().cloned() {
            Some(index) if self.one_in(3) => format!("{array}[{index} & 1]"),
            _ => format!("{array}[{}]", self.below(2)),
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.one_in(3) {
            return self.below(4).to_string();
        }
        match self.below(9) {
            0 => "_nr_pr".into(),
            1 => "_pid".into(),
            2 if self.has(Feature::Last) => "_last".into(),
            3 => {
                let (condition, then) = (self.comparison(), self.expression(depth - 1));
                format!("({condition} -> {then} : {})", self.expression(depth - 1))
            }
            4 => format!("{}({})", self.pick(&["-", "~", "!"]), self.expression(depth - 1)),
            5 | 6 => {
                let (left, right) = (self.expression(depth - 1), self.expression(depth - 1));
                format!("({left} {} {right})", self.pick(&["+", "-", "*", "&", "|", "^", "<<", ">>"]))
            }
            _ => self.place(),
        }
    }

    fn comparison(&mut self) -> String {
        let place = self.place();
        format!("{place} {} {}", self.pick(&["==", "!=", "<", ">", "<="]), self.below(3))
    }

    fn condition(&mut self) -> String {
        let free = !self.in_deterministic;
        if free && self.uses(Feature::Timeout, 6) {
            return self.pick(&["timeout", "(timeout || g0 == 1)", "timeout"]).replace("g0", &self.place());
        }
        if free && self.uses(Feature::Remote, 6) {
            return format!("P0[{}]@L0", self.below(2));
        }
        if !self.channels.is_empty() && self.one_in(6) {
            let number = self.below(self.channels.len());
            let test = self.pick(&["empty", "nempty", "full", "nfull"]);
            let Channel { name, capacity, is_pair } = &self.channels[number];
            return match (test, capacity) {
                ("full", 1..) => format!("{name}??[1{}]", if *is_pair { ", _" } else { "" }),
                _ => format!("{test}({name})"),
            };
        }
        let left = self.comparison();
        match self.below(4) {
            0 => format!("({left} && {})", self.comparison()),
            1 => format!("({left} || {})", self.comparison()),
            _ => left,
        }
    }

    fn channel_operation(&mut self) -> Option<String> {
        if self.channels.is_empty() {
            return None;
        }
        let number = self.below(self.channels.len());
        let Channel { name, capacity, is_pair } = &self.channels[number];
        let (name, is_buffer, is_pair) = (name.clone(), *capacity > 0, *is_pair);
        if self.one_in(2) {
            let operator = if is_buffer && self.one_in(4) { "!!" } else { "!" };
            let mut message = self.expression(1);
            if is_pair {
                message = format!("{message}, {}", self.expression(1));
            }
            return Some(format!("{name}{operator}{message}"));
        }
        let mut arguments = self.argument();
        if is_pair {
            let second = self.argument();
            let second = if second == arguments { "_".into() } else { second };
            arguments = format!("{arguments}, {second}");
        }
        let operator = if self.one_in(4) { "??" } else { "?" };
        Some(match is_buffer && self.one_in(5) {
            true => format!("{name}{operator}<{arguments}>"),
            false => format!("{name}{operator}{arguments}"),
        })
    }

    fn argument(&mut self) -> String {
        match self.below(6) {
            0 => "_".into(),
            1 => self.below(3).to_string(),
            // SPIN reads `_last` in the middle of the handshake.
            2 => format!("eval({})", self.place()),
            _ => self.place(),
        }
    }
}

/// Replaces `else` where SPIN refuses it: beside channel operations, and beside another one.
fn allow_else(selection: &mut Statement) {
    let is_else = |one: &Statement| one.is("else");
    let uses_channel = |one: &Statement| {
        matches!(&one.kind, Kind::Plain(text) if text.starts_with(['r', 'c', 'v'])
            && text.contains(['!', '?'])
            && !text.contains("!=")
            && !text.contains("?["))
    };
    let mut firsts = selection.firsts();
    let mut is_refused = firsts.iter().any(|one| uses_channel(one));
    for first in &mut firsts {
        if is_else(first) {
            if is_refused {
                first.kind = Kind::Plain("_pid == 0".into());
            }
            is_refused = true;
        }
    }
}
