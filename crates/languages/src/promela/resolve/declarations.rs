//! The first pass: everything that has a name outside of expressions.
//!
//! The pass reads the items in the order of the text, because lengths use constants and types that
//! stand before them. It goes through the bodies of proctypes, too: it declares their variables and
//! collects their labels. So the second pass can resolve references to variables and labels of
//! proctypes that are declared further down.
//!
//! Initial values of locals are left to the second pass, which knows the scopes. Channels have no
//! expression in theirs, and are complete after this pass.

use std::collections::{BTreeMap, BTreeSet};

use model::guarded_commands::{IntegerType, Span};

use super::super::program::{Expression, Initial, LeafId, LeafKind, ProctypeId};
use super::super::syntax::{self, Declaration, Declarator, Item, StatementKind, Type};
use super::constants::{Constants, LARGEST_BYTE, LONGEST_ARRAY};
use super::expressions::Expressions;
use super::labels::{Labels, Visit};
use super::mtypes::message_kind;
use super::names::{Global, Names, Signature, guess};
use super::references::LONGEST_LIST;
use super::scopes::{Owner, Scope, Variable};
use super::types::{ArrayOfStructures, DEEPEST, Declared, Shape, Size};
use super::usage::Usage;
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, Reported};

/// The largest state in elements, as for other languages.
const LARGEST_STATE: u64 = 1 << 20;

/// The most bytes in names of leaves. Only a text that is made for it comes near.
const MOST_LETTERS: u64 = 1 << 26;

pub(super) struct Declarations<'file, 'run> {
    pub(super) names: Names<'file>,
    pub(super) usage: Usage,
    pub(super) diagnostics: &'run mut Diagnostics,
    /// The number of the current item.
    item: usize,
    size: Size,
}

/// What a declaration declares.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Global,
    Field,
    Parameter,
    Local,
}

impl<'file, 'run> Declarations<'file, 'run> {
    pub(super) fn new(file: &'file syntax::File, diagnostics: &'run mut Diagnostics) -> Self {
        let (names, usage, size) = Default::default();
        let mut declarations = Self { names, usage, diagnostics, item: 0, size };
        declarations.message_kinds(file);
        for (number, item) in file.items.iter().enumerate() {
            declarations.item = number;
            declarations.declare_item(item);
        }
        declarations
    }

    fn declare_item(&mut self, item: &'file Item) {
        match item {
            Item::Mtype(declaration) => self.messages(declaration, self.item),
            Item::Typedef(typedef) => self.typedef(typedef),
            Item::Declaration(declaration) => {
                for declarator in &declaration.variables {
                    self.global(declaration, declarator);
                }
            }
            Item::Proctype(proctype) => self.proctype(proctype),
            Item::Never(_) | Item::Ltl(_) => {}
        }
    }

    fn typedef(&mut self, typedef: &'file syntax::Typedef) {
        let name = &typedef.name;
        let fields = self.fields(typedef);
        if self.names.types.find(&name.text).is_some() {
            self.declared_twice(name, "typedef");
            return;
        }
        let checked = fields.and_then(|fields| {
            let depth = fields.iter().map(|field| self.names.types.size(field).depth).max();
            let (code, problem) = match depth {
                Some(depth) if depth < DEEPEST => return Ok(fields),
                Some(_) => (codes::NESTED_TOO_DEEPLY, format!("more than {DEEPEST} levels of structures")),
                None => (codes::UNEXPECTED_TOKEN, "no field".to_owned()),
            };
            let message = format!("the typedef `{}` has {problem}", name.text);
            Err(self.diagnostics.report(Diagnostic::error(code, name.span, message, "not a structure")))
        });
        match checked {
            Ok(fields) => self.names.types.insert(&name.text, fields),
            Err(reported) => self.names.types.insert_broken(&name.text, reported),
        }
    }

    fn fields(&mut self, typedef: &'file syntax::Typedef) -> Checked<Vec<Declared>> {
        let mut fields: Vec<Declared> = Vec::new();
        let mut known = BTreeSet::new();
        let mut failed = Ok(());
        for declaration in &typedef.fields {
            for declarator in &declaration.variables {
                if !known.insert(declarator.name.text.as_str()) {
                    failed = Err(self.declared_twice(&declarator.name, "field"));
                }
                match self.declared(declaration, declarator, Role::Field, typedef) {
                    Ok(field) => fields.push(field),
                    Err(reported) => failed = Err(reported),
                }
            }
        }
        failed.map(|()| fields)
    }

    fn global(&mut self, declaration: &'file Declaration, declarator: &'file Declarator) {
        let declared = self.declared(declaration, declarator, Role::Global, None);
        let variable = declared.and_then(|declared| {
            self.room_for(&declared)?;
            let leaf = LeafId::Global(self.names.leaves.len());
            self.names.types.flatten(&declared, &mut self.names.leaves);
            Ok(Variable { leaf, shape: declared.shape, length: declared.length })
        });
        let name = declarator.name.text.as_str();
        if self.names.globals.contains_key(name) {
            self.declared_twice(&declarator.name, "global variable");
        } else {
            self.names.globals.insert(name, Global { variable, item: self.item });
        }
    }

    fn proctype(&mut self, proctype: &'file syntax::Proctype) {
        if self.names.proctype_names.contains_key(proctype.name.text.as_str()) {
            self.declared_twice(&proctype.name, "proctype");
            return;
        }
        let mut signature = Signature::new(proctype, self.item);
        if let Some(priority) = &proctype.priority {
            self.usage.mentions.priorities = true;
            let value = self.constants(|constants| constants.size(priority, 1, LARGEST_BYTE, "a priority"));
            signature.priority = value.map_or(1, |value| value as u8);
        }
        if let Some(active) = &proctype.active {
            let what = "the number of active processes";
            let value = self.constants(|constants| constants.size(active, 0, LARGEST_BYTE, what));
            signature.active = value.unwrap_or(1);
        }
        let mut body = Body { signature, seen: BTreeMap::new() };
        for declaration in &proctype.parameters {
            for declarator in &declaration.variables {
                let parameter = self.local(declaration, declarator, Role::Parameter, &mut body);
                body.signature.has_broken_parameters |= parameter.is_err();
            }
        }
        body.signature.parameters = body.signature.locals.len();
        Visit::body(&proctype.body, |statement, _| {
            if let StatementKind::Declaration(declaration) = &statement.kind {
                for declarator in &declaration.variables {
                    // The error is reported, and kept for the uses of the name.
                    let _ = self.local(declaration, declarator, Role::Local, &mut body);
                }
            }
        });
        body.signature.labels = Labels::of(&proctype.body, self.diagnostics);
        self.names.proctype_names.insert(&proctype.name.text, ProctypeId(self.names.proctypes.len()));
        self.names.proctypes.push(body.signature);
    }

    fn local(
        &mut self,
        declaration: &'file Declaration,
        declarator: &'file Declarator,
        role: Role,
        body: &mut Body<'file>,
    ) -> Checked<()> {
        let seen = body.seen.entry(&declarator.name.text).or_insert(0);
        *seen += 1;
        let suffix = if *seen > 1 { format!("'{seen}") } else { String::new() };
        let declared = self.declared(declaration, declarator, role, None);
        let variable = declared.and_then(|mut declared| {
            declared.name.push_str(&suffix);
            self.room_for(&declared)?;
            let leaf = LeafId::Local(body.signature.locals.len());
            self.names.types.flatten(&declared, &mut body.signature.locals);
            Ok(Variable { leaf, shape: declared.shape, length: declared.length })
        });
        body.signature.declare(declarator, variable);
        variable.map(|_| ())
    }

    fn declared<'t>(
        &mut self,
        declaration: &'file Declaration,
        declarator: &'file Declarator,
        role: Role,
        typedef: impl Into<Option<&'t syntax::Typedef>>,
    ) -> Checked<Declared> {
        let shape = self.shape(&declaration.kind, declarator, typedef.into());
        let length = declarator.length.as_ref().map(|length| {
            let what = "the length of an array";
            self.constants(|constants| constants.size(length, 1, LONGEST_ARRAY, what))
        });
        let (shape, length) = (shape?, length.transpose()?);
        let initial = self.initial(declarator, shape, length, role)?;
        let (name, hidden) = (declarator.name.text.clone(), declaration.hidden);
        Ok(Declared { name, shape, length, initial, hidden, span: declarator.name.span })
    }

    fn shape(
        &mut self,
        kind: &Type,
        declarator: &Declarator,
        typedef: Option<&syntax::Typedef>,
    ) -> Checked<Shape> {
        if let Type::Unsigned = kind {
            let Some(width) = &declarator.width else {
                return Err(self.bad_width(declarator.name.span, "an `unsigned` variable has no width"));
            };
            let value = self.constants(|constants| constants.value(width))?;
            if !(1..=31).contains(&value) {
                return Err(
                    self.bad_width(width.span, &format!("a width must be 1 to 31, and this is {value}"))
                );
            }
            let integer = IntegerType { bits: value as u8, signed: false };
            return Ok(Shape::Leaf(LeafKind::Integer(integer)));
        }
        if let Some(width) = &declarator.width {
            return Err(self.bad_width(width.span, "only `unsigned` variables have a width"));
        }
        self.shape_of(kind, typedef)
    }

    fn bad_width(&mut self, span: Span, message: &str) -> Reported {
        let error = Diagnostic::error(codes::BAD_WIDTH, span, message, "the number of bits");
        self.diagnostics.report(error.help("write `unsigned x : 5` for a variable of 5 bits"))
    }

    /// The shape of every type but `unsigned`.
    fn shape_of(&mut self, kind: &Type, typedef: Option<&syntax::Typedef>) -> Checked<Shape> {
        let integer = |bits, signed| LeafKind::Integer(IntegerType { bits, signed });
        Ok(Shape::Leaf(match kind {
            Type::Bit | Type::Bool => integer(1, false),
            Type::Byte | Type::Pid => integer(8, false),
            Type::Short => integer(16, true),
            Type::Int => integer(32, true),
            Type::Unsigned => integer(31, false),
            Type::Mtype(kind) => message_kind(&self.names, kind.as_ref(), self.diagnostics)?,
            Type::Chan => LeafKind::Channel,
            Type::Named(name) => {
                let known = self.names.types.find(&name.text);
                return known.unwrap_or_else(|| Err(self.unknown_type(name, typedef))).map(Shape::Structure);
            }
        }))
    }

    fn unknown_type(&mut self, name: &syntax::Name, typedef: Option<&syntax::Typedef>) -> Reported {
        let (message, help) = match typedef {
            Some(typedef) if typedef.name.text == name.text => {
                let help = "a structure has a fixed size: use an array of structures, and indices";
                (format!("the typedef `{}` contains itself", name.text), Some(help.to_owned()))
            }
            _ => {
                let help = guess(self.diagnostics, &name.text, self.names.types.names());
                (format!("no typedef `{}` is declared before", name.text), help)
            }
        };
        let error = Diagnostic::error(codes::UNKNOWN_TYPE, name.span, message, "unknown type");
        self.diagnostics.report(error.help_if_any(help))
    }

    fn initial(
        &mut self,
        declarator: &Declarator,
        shape: Shape,
        length: Option<u32>,
        role: Role,
    ) -> Checked<Initial> {
        if role == Role::Parameter && (length.is_some() || declarator.initial.is_some()) {
            let (what, help) = match length {
                Some(_) => ("an array", "pass its elements, or make the array global"),
                None => ("a variable with an initial value", "give the value in `run`"),
            };
            let message = format!("the parameter `{}` is {what}", declarator.name.text);
            let error = Diagnostic::error(codes::BAD_PARAMETER, declarator.span, message, "not a parameter");
            return Err(self.diagnostics.report(error.help(help)));
        }
        match &declarator.initial {
            Some(syntax::Initial::Channel { capacity, fields, span })
                if shape == Shape::Leaf(LeafKind::Channel) =>
            {
                self.channel(capacity, fields, *span)
            }
            _ if role == Role::Local => Ok(Initial::Value(Expression::number(0, declarator.name.span))),
            _ => {
                let scope = Scope::new(Owner::Start, self.item);
                let names = &self.names;
                Expressions::new(names, scope, &mut self.usage, self.diagnostics)
                    .initial(declarator, shape, length)
            }
        }
    }

    fn channel(&mut self, capacity: &syntax::Expression, fields: &[Type], span: Span) -> Checked<Initial> {
        let what = "the capacity of a channel";
        let capacity = self.constants(|constants| constants.size(capacity, 0, LARGEST_BYTE, what));
        let mut kinds = Vec::new();
        for field in fields {
            if let Type::Unsigned = field {
                return Err(self.bad_width(span, "`unsigned` cannot be a field of a message"));
            }
            match self.shape_of(field, None)? {
                Shape::Leaf(kind) => kinds.push(kind),
                Shape::Structure(id) => {
                    let structure = self.names.types.structure(id);
                    let problem = if structure.size.elements > LONGEST_LIST {
                        format!("`{}` has more than {LONGEST_LIST} elements", structure.name)
                    } else {
                        match self.names.types.kinds(id, &mut kinds) {
                            Ok(()) => continue,
                            Err(ArrayOfStructures(field)) => {
                                format!(
                                    "`{}` has the field `{field}`, an array of structures",
                                    structure.name
                                )
                            }
                        }
                    };
                    let message = format!("{problem}, and cannot be part of a message");
                    let error =
                        Diagnostic::error(codes::STRUCTURE_AS_VALUE, span, message, "in this message");
                    let help = "send the fields that are needed one by one";
                    return Err(self.diagnostics.report(error.help(help)));
                }
            }
        }
        Ok(Initial::Channels { capacity: capacity?, fields: kinds, span })
    }

    fn constants<T>(&mut self, compute: impl FnOnce(&mut Constants<'_, 'file>) -> T) -> T {
        let scope = Scope::new(Owner::Start, self.item);
        let diagnostics = &mut *self.diagnostics;
        compute(&mut Constants { names: &self.names, scope: &scope, diagnostics })
    }

    /// Checks that the program stays small enough with one more variable.
    fn room_for(&mut self, declared: &Declared) -> Checked<()> {
        let size = self.size.beside(self.names.types.size(declared));
        if size.elements > LARGEST_STATE || size.letters > MOST_LETTERS {
            let message = format!("the variables of this program have more than {LARGEST_STATE} elements");
            let label = format!("with those of `{}`", declared.name);
            let error = Diagnostic::error(codes::STATE_TOO_LARGE, declared.span, message, label);
            return Err(self.diagnostics.report(error.help("make the arrays shorter")));
        }
        self.size = size;
        Ok(())
    }

    pub(super) fn declared_twice(&mut self, name: &syntax::Name, kind: &str) -> Reported {
        let message = format!("a second {kind} `{}`", name.text);
        let label = "the name is taken";
        self.diagnostics.report(Diagnostic::error(codes::DECLARED_TWICE, name.span, message, label))
    }
}

/// A proctype in the first pass.
struct Body<'file> {
    signature: Signature<'file>,
    /// How many variables have each name so far.
    seen: BTreeMap<&'file str, u32>,
}
