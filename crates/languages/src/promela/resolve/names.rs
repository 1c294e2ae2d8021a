//! All names of a file but those of blocks: what the first pass collects and the second one uses.

use std::collections::{BTreeMap, HashMap};
use std::ptr;

use model::guarded_commands::Span;

use super::super::program::{Leaf, LeafId, MessageKind, ProctypeId};
use super::super::syntax;
use super::labels::Labels;
use super::scopes::{Scope, Variable};
use super::types::Types;
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, Reported};
use crate::spelling::did_you_mean;

#[derive(Debug, Default)]
pub(super) struct Names<'file> {
    pub(super) types: Types<'file>,
    /// The kind of plain `mtype` first.
    pub(super) message_kinds: Vec<MessageKind>,
    /// The kinds by their names, but for that of plain `mtype`.
    pub(super) kind_names: BTreeMap<&'file str, usize>,
    pub(super) messages: BTreeMap<&'file str, Message>,
    pub(super) globals: BTreeMap<&'file str, Global>,
    /// The leaves of the globals.
    pub(super) leaves: Vec<Leaf>,
    pub(super) proctypes: Vec<Signature<'file>>,
    pub(super) proctype_names: BTreeMap<&'file str, ProctypeId>,
}

/// The name of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    pub(super) value: i64,
    /// The number of the item that declares it.
    pub(super) item: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Global {
    pub(super) variable: Checked<Variable>,
    /// The number of the item that declares it.
    pub(super) item: usize,
}

/// What others must know of a proctype before its body is resolved.
#[derive(Debug)]
pub(super) struct Signature<'file> {
    pub(super) syntax: &'file syntax::Proctype,
    /// The number of the item in the file.
    pub(super) item: usize,
    pub(super) priority: u8,
    /// The number of processes at the start.
    pub(super) active: u32,
    pub(super) labels: Labels<'file>,
    /// All leaves. Initial values are filled in with the body.
    pub(super) locals: Vec<Leaf>,
    /// The number of leaves that are parameters.
    pub(super) parameters: usize,
    /// Whether a parameter is missing among the locals, because its declaration is wrong.
    pub(super) has_broken_parameters: bool,
    /// The variables by their declarators. An inline that is expanded twice declares the same name
    /// at the same place of the text twice, so neither of these tells declarators apart.
    declared: HashMap<*const syntax::Declarator, Checked<Variable>>,
    /// The first variable of each name, which is the one that remote references mean.
    pub(super) by_name: BTreeMap<&'file str, Checked<Variable>>,
}

/// What a name stands for in an expression.
pub(super) enum Named {
    Variable(Checked<Variable>),
    Message(i64),
}

impl<'file> Names<'file> {
    /// Finds what a name stands for. Variables hide messages.
    pub(super) fn find(&self, name: &str, scope: &Scope<'file>) -> Option<Named> {
        if let Some(local) = scope.find(name) {
            return Some(Named::Variable(local));
        }
        if let Some(global) = self.globals.get(name).filter(|global| global.item <= scope.item) {
            return Some(Named::Variable(global.variable));
        }
        let message = self.messages.get(name).filter(|message| message.item <= scope.item);
        message.map(|message| Named::Message(message.value))
    }

    /// Reports a name that [`find`](Self::find) does not know.
    pub(super) fn unknown(
        &self,
        name: &str,
        span: Span,
        scope: &Scope<'file>,
        diagnostics: &mut Diagnostics,
    ) -> Reported {
        let is_later = self.globals.contains_key(name) || self.messages.contains_key(name);
        let help = if is_later {
            Some(format!("`{name}` is declared further down: move its declaration before its first use"))
        } else if self.proctype_names.contains_key(name) {
            Some(format!(
                "`{name}` is a proctype: `run {name}(…)` creates a process, `{name}@L` refers to one"
            ))
        } else if self.types.find(name).is_some() {
            Some(format!("`{name}` is a typedef: declare a variable of it"))
        } else {
            let globals = self.globals.keys().chain(self.messages.keys()).copied();
            let is_macro = || !name.contains(|one: char| one.is_ascii_lowercase());
            let missing = || is_macro().then(|| format!("is `#define {name} …` missing?"));
            guess(diagnostics, name, scope.names().chain(globals)).or_else(missing)
        };
        let message = format!("no variable or message `{name}` is visible here");
        let error = Diagnostic::error(codes::UNKNOWN_NAME, span, message, "unknown name");
        diagnostics.report(error.help_if_any(help))
    }

    /// The leaf of a global variable without structure.
    pub(super) fn global_leaf(&self, variable: Variable) -> Option<&Leaf> {
        match variable.leaf {
            LeafId::Global(leaf) => self.leaves.get(leaf),
            LeafId::Local(_) => None,
        }
    }

    /// The proctype of a name, or an error about it.
    pub(super) fn proctype(&self, name: &syntax::Name, diagnostics: &mut Diagnostics) -> Checked<ProctypeId> {
        if let Some(id) = self.proctype_names.get(name.text.as_str()) {
            return Ok(*id);
        }
        let help = guess(diagnostics, &name.text, self.proctype_names.keys().copied());
        let message = format!("no proctype `{}`", name.text);
        let error = Diagnostic::error(codes::UNKNOWN_PROCESS, name.span, message, "unknown proctype");
        Err(diagnostics.report(error.help_if_any(help)))
    }

    pub(super) fn signature(&self, id: ProctypeId) -> &Signature<'file> {
        &self.proctypes[id.0]
    }
}

impl<'file> Signature<'file> {
    pub(super) fn new(syntax: &'file syntax::Proctype, item: usize) -> Self {
        Self {
            syntax,
            item,
            priority: 1,
            active: 0,
            labels: Labels::default(),
            locals: Vec::new(),
            parameters: 0,
            has_broken_parameters: false,
            declared: HashMap::new(),
            by_name: BTreeMap::new(),
        }
    }

    pub(super) fn name(&self) -> &'file str {
        &self.syntax.name.text
    }

    pub(super) fn declare(&mut self, declarator: &'file syntax::Declarator, variable: Checked<Variable>) {
        self.declared.insert(ptr::from_ref(declarator), variable);
        self.by_name.entry(&declarator.name.text).or_insert(variable);
    }

    /// The variable of a declarator in the parameters or the body.
    pub(super) fn variable(&self, declarator: &'file syntax::Declarator) -> Option<Checked<Variable>> {
        self.declared.get(&ptr::from_ref(declarator)).copied()
    }
}

/// Help that offers the nearest candidate, unless the error is dropped anyway.
pub(super) fn guess<'n>(
    diagnostics: &Diagnostics,
    name: &str,
    candidates: impl IntoIterator<Item = &'n str>,
) -> Option<String> {
    if diagnostics.is_full() { None } else { did_you_mean(name, candidates) }
}
