//! `#include "file"`.

use std::rc::Rc;

use super::{OpenFile, Preprocessor};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::promela::lexer::LexedFile;
use crate::promela::tokens::{Token, TokenKind};

/// Files that include one another, at most.
const DEEPEST: usize = 64;

/// What an `#include` costs of the work that is allowed, in tokens: a file is short, but not free.
const COST: usize = 200;

impl Preprocessor<'_> {
    /// Continues reading in the file that an `#include` names.
    pub(super) fn include(&mut self, word: Token, line: Vec<Token>) {
        let line = match line.first() {
            Some(name) if name.kind == TokenKind::Name => self.expanded(line),
            _ => line,
        };
        let Some(name) = line.first().copied().filter(|name| name.kind == TokenKind::String) else {
            let is_system = line.first().is_some_and(|first| first.kind == TokenKind::Less);
            let help = if is_system {
                "files in `<` and `>` belong to C compilers and are not read; write the name as a string"
            } else {
                "write `#include \"file\"`"
            };
            let at = line.first().copied().unwrap_or(word);
            return self.bad_directive(at, "expected the name of a file in quotation marks", help);
        };
        let quoted = self.symbols.text(name.symbol);
        let path = quoted.get(1..quoted.len() - 1).unwrap_or("").to_owned();
        if self.files.len() > DEEPEST {
            let message = format!("files that include one another more than {DEEPEST} levels deep");
            let help =
                "does a file include itself? enclose its contents in `#ifndef`, `#define` and `#endif`";
            return self.not_included(name, message, help);
        }
        self.spend(COST, name);
        let including = self.files.last().map_or("", |file| file.file.name.as_str());
        match (self.include)(including, &path) {
            Ok((file_name, text)) => {
                let place =
                    self.files.last().and_then(|file| file.included).unwrap_or(word.span.to(name.span));
                let file = self.lexed_file(file_name, &text);
                self.files.push(OpenFile::new(file, Some(place)));
            }
            Err(reason) => {
                let message = format!("file `{path}` cannot be read: {reason}");
                self.not_included(name, message, "names are relative to the folder of the including file");
            }
        }
    }

    fn not_included(&mut self, name: Token, message: String, help: &str) {
        let error = Diagnostic::error(codes::BAD_INCLUDE, name.span, message, "included here");
        self.complain(name, error.help(help));
    }

    /// The tokens of an included file, which is split once.
    fn lexed_file(&mut self, name: String, text: &str) -> Rc<LexedFile> {
        // Only the text of the model has no name.
        let name = if name.is_empty() { "?".to_owned() } else { name };
        if let Some(known) = self.lexed.iter().skip(1).find(|file| file.name == name) {
            return Rc::clone(known);
        }
        let file = Rc::new(LexedFile::new(name, text, &mut self.symbols));
        self.lexed.push(Rc::clone(&file));
        file
    }
}
