//! Directives: the lines that begin with `#`, and which parts of a file they leave out.

use std::rc::Rc;

use super::Preprocessor;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::promela::tokens::{Token, TokenKind};
use crate::spelling::did_you_mean;

/// All directives that are known, for advice.
const DIRECTIVES: [&str; 14] = [
    "define", "undef", "include", "if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif",
    "error", "warning", "line",
];

/// An `#if` with its branches.
pub(super) struct Group {
    pub(super) start: Token,
    /// The lines of the current branch count.
    pub(super) is_active: bool,
    /// A branch whose lines count was found, or none of them can.
    is_decided: bool,
    has_else: bool,
}

impl Preprocessor<'_> {
    /// Carries out the directive at which the current file stands.
    pub(super) fn directive(&mut self) {
        let Some(file) = self.files.last_mut() else { return };
        let lexed = Rc::clone(&file.file);
        let rest = &lexed.tokens[file.next + 1..];
        let length = rest.iter().position(|token| token.before.starts_line).unwrap_or(rest.len());
        file.next += 1 + length;
        let is_skipping = file.is_skipping();
        let Some((word, line)) = rest[..length].split_first() else { return };
        let text = self.symbols.text(word.symbol).to_owned();
        if is_skipping && !matches!(text.as_str(), "elif" | "elifdef" | "elifndef" | "else" | "endif") {
            if matches!(text.as_str(), "if" | "ifdef" | "ifndef") {
                let start = self.placed(*word);
                self.open(start, None);
            }
            return;
        }
        let word = self.placed(*word);
        let line: Vec<Token> = line.iter().map(|token| self.placed(*token)).collect();
        match text.as_str() {
            "define" => self.define(word, &line),
            "undef" => {
                if let Some((name, _)) = self.macro_name(word, &line) {
                    self.macros.remove(&name.symbol);
                }
            }
            "include" => self.include(word, line),
            "if" => {
                let holds = self.condition(word, line);
                self.open(word, Some(holds));
            }
            "ifdef" | "ifndef" => {
                let name = self.macro_name(word, &line);
                let is_defined = name.is_some_and(|(name, _)| self.macros.contains_key(&name.symbol));
                self.open(word, Some(is_defined == (text == "ifdef")));
            }
            "elif" | "elifdef" | "elifndef" => self.else_if(word, line, &text),
            "else" => self.other_branch(word),
            "endif" => self.close(word),
            "error" | "warning" => self.message(word, &line, text == "error"),
            // Where a text that was preprocessed already comes from, and advice to compilers.
            "line" | "pragma" | "ident" => {}
            _ if word.kind == TokenKind::Number => {}
            _ => {
                let near = did_you_mean(&text, DIRECTIVES);
                let help =
                    near.unwrap_or_else(|| "a line that begins with `#` is for the preprocessor".to_owned());
                let message =
                    format!("unknown directive `#{}`", self.symbols.quoted(word.symbol).replace('`', ""));
                self.bad_directive(word, message, help);
            }
        }
    }

    /// Reports a directive that is malformed or misplaced.
    pub(super) fn bad_directive(&mut self, at: Token, message: impl Into<String>, help: impl Into<String>) {
        let error = Diagnostic::error(codes::BAD_DIRECTIVE, at.span, message, "in this directive");
        self.complain(at, error.help(help));
    }

    /// Opens a group. Without a condition, none of its branches counts.
    fn open(&mut self, start: Token, holds: Option<bool>) {
        let Some(file) = self.files.last_mut() else { return };
        let is_active = holds == Some(true);
        file.groups.push(Group { start, is_active, is_decided: holds != Some(false), has_else: false });
    }

    /// The group that is open in the current file, for a further branch of it.
    fn group(&mut self, word: Token) -> Option<&mut Group> {
        let is_open = self.files.last().is_some_and(|file| !file.groups.is_empty());
        if !is_open {
            let text = self.symbols.text(word.symbol);
            let message = format!("`#{text}` without an `#if` before it");
            self.bad_directive(word, message, "remove it, or open the group with `#if` or `#ifdef`");
        }
        self.files.last_mut().and_then(|file| file.groups.last_mut())
    }

    /// `#elif` and the like.
    fn else_if(&mut self, word: Token, line: Vec<Token>, text: &str) {
        let Some(group) = self.group(word) else { return };
        let has_else = group.has_else;
        group.is_active = false;
        if has_else {
            let message = format!("`#{text}` after the `#else` of its group");
            return self.bad_directive(word, message, "`#else` is the last branch");
        }
        if group.is_decided {
            return;
        }
        let holds = if text == "elif" {
            self.condition(word, line)
        } else {
            let name = self.macro_name(word, &line);
            let is_defined = name.is_some_and(|(name, _)| self.macros.contains_key(&name.symbol));
            is_defined == (text == "elifdef")
        };
        if let Some(group) = self.files.last_mut().and_then(|file| file.groups.last_mut()) {
            (group.is_active, group.is_decided) = (holds, holds);
        }
    }

    /// `#else`
    fn other_branch(&mut self, word: Token) {
        let Some(group) = self.group(word) else { return };
        let is_second = std::mem::replace(&mut group.has_else, true);
        group.is_active = !group.is_decided;
        group.is_decided = true;
        if is_second {
            self.bad_directive(word, "a second `#else` in one group", "remove one of them");
        }
    }

    /// `#endif`
    fn close(&mut self, word: Token) {
        if self.group(word).is_some()
            && let Some(file) = self.files.last_mut()
        {
            file.groups.pop();
        }
    }

    /// `#error` and `#warning`
    fn message(&mut self, word: Token, line: &[Token], is_error: bool) {
        let mut text = String::new();
        for token in line.iter().take(50) {
            if token.before.any && !text.is_empty() {
                text.push(' ');
            }
            text.push_str(self.symbols.text(token.symbol));
        }
        let span = line.last().map_or(word.span, |last| word.span.to(last.span));
        if is_error {
            let message = format!("`#error` was reached: {text}");
            let error =
                Diagnostic::error(codes::ERROR_DIRECTIVE, span, message, "the model refuses itself here");
            self.complain(word, error.help("give values to the names that the `#if` before it tests"));
        } else {
            let message = format!("`#warning` was reached: {text}");
            self.warn(word, Diagnostic::warning(codes::WARNING_DIRECTIVE, span, message, "warned here"));
        }
    }
}
