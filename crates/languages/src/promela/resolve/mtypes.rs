//! Names of messages, and how they are numbered.
//!
//! A list is numbered from its end, and a second list of the same kind goes on: after
//! `mtype = { A, B }` and `mtype = { C, D }`, the numbers are B=1, A=2, D=3, C=4.

use super::super::program::{LeafKind, MessageKind};
use super::super::syntax::{self, Item, MtypeDeclaration};
use super::constants::LARGEST_BYTE;
use super::declarations::Declarations;
use super::names::{Message, Names, guess};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics};

impl<'file> Declarations<'file, '_> {
    /// Collects the kinds of messages. Variables may be declared before the names of their kind.
    pub(super) fn message_kinds(&mut self, file: &'file syntax::File) {
        self.names.message_kinds.push(MessageKind::default());
        for item in &file.items {
            let Item::Mtype(MtypeDeclaration { kind: Some(name), .. }) = item else { continue };
            if !self.names.kind_names.contains_key(name.text.as_str()) {
                self.names.kind_names.insert(&name.text, self.names.message_kinds.len());
                self.names.message_kinds.push(MessageKind::default());
            }
        }
    }

    pub(super) fn messages(&mut self, declaration: &'file MtypeDeclaration, item: usize) {
        let kind = declaration.kind.as_ref().and_then(|kind| self.names.kind_names.get(kind.text.as_str()));
        let kind = kind.copied().unwrap_or(0);
        for message in declaration.names.iter().rev() {
            if self.names.messages.contains_key(message.text.as_str()) {
                self.declared_twice(message, "message");
                continue;
            }
            let names = &mut self.names.message_kinds[kind].names;
            names.push(message.text.clone());
            if names.len() > LARGEST_BYTE as usize {
                let text = format!("there are more than {LARGEST_BYTE} messages of one kind");
                let error = Diagnostic::error(codes::BAD_SIZE, message.span, text, "one too many");
                self.diagnostics.report(error.help("a message is stored in a byte: use `byte` constants"));
                return;
            }
            let value = names.len() as i64;
            self.names.messages.insert(&message.text, Message { value, item });
        }
    }
}

/// The type of a variable of a kind of messages.
pub(super) fn message_kind(
    names: &Names<'_>,
    kind: Option<&syntax::Name>,
    diagnostics: &mut Diagnostics,
) -> Checked<LeafKind> {
    let Some(kind) = kind else { return Ok(LeafKind::Message(0)) };
    names.kind_names.get(kind.text.as_str()).copied().map(LeafKind::Message).ok_or_else(|| {
        let message = format!("no messages of the kind `{}` are declared", kind.text);
        let help = guess(diagnostics, &kind.text, names.kind_names.keys().copied());
        let error = Diagnostic::error(codes::UNKNOWN_TYPE, kind.span, message, "unknown kind");
        diagnostics.report(error.help_if_any(help))
    })
}
