//! The C preprocessor, on tokens.
//!
//! SPIN passes every model through `gcc -E`, and models rely on it: macros with half a statement in
//! them, `#ifdef` around processes, included files. This preprocessor gives the same tokens, with
//! four differences:
//!
//! - It works on Promela's tokens, so `0..N` is three of them, and `N` is expanded.
//! - Tokens keep the span of the outermost call: findings and traces have a place in the text of
//!   the model.
//! - There are no system headers, and no predefined macros but `__LINE__`.
//! - The work is limited. A macro that doubles itself sixty times is an error after a second.
//!
//! Expansion follows the standard (C11, 6.10.3) as gcc implements it: a stack of token lists, one
//! for each macro that is being expanded. While a list is on the stack, its macro is not expanded
//! again. A name for which that is so is painted, and never expanded later. Random programs were
//! expanded both by gcc and here, with the same result.
//!
//! [`expand`] holds the stack, [`substitute`] puts arguments in, [`define`] reads definitions,
//! [`directives`] decides which lines count, [`condition`] computes `#if`, and [`inclusion`] reads
//! other files.

mod condition;
mod define;
mod directives;
mod expand;
mod inclusion;
mod substitute;

use std::collections::HashMap;
use std::rc::Rc;

use model::guarded_commands::Span;

use self::define::Macro;
use self::directives::Group;
use self::expand::Context;
use super::lexer::LexedFile;
use super::origin::{Origin, OriginId, Origins};
use super::tokens::{Symbol, Symbols, Token, TokenKind};
use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics, Reported};

/// Tokens that macros and included files may produce, and calls that they may take.
const MOST_WORK: usize = 4_000_000;

/// Reads an included file. It takes the name of the including file, empty for the model itself, and
/// the name in the directive. It returns a name for messages and the text, or the reason why there
/// is none.
pub(crate) type Include<'run> = &'run dyn Fn(&str, &str) -> Result<(String, String), String>;

/// What the preprocessor makes of a text.
#[derive(Debug)]
pub(super) struct Preprocessed {
    /// With keywords, and with mistakes of the lexer, which are not reported yet.
    pub(super) tokens: Vec<Token>,
    pub(super) symbols: Symbols,
    pub(super) origins: Origins,
    /// The text of the model, for the numbers of its lines.
    pub(super) text: Rc<LexedFile>,
    /// One of the errors, if there was any.
    pub(super) failed: Option<Reported>,
    /// An error after which the tokens are not those that were meant.
    pub(super) lost: Option<Reported>,
}

/// Preprocesses a text. `definitions` are names with the text of their values, which count as if
/// the text began with a `#define` for each.
pub(super) fn preprocess(
    text: &str,
    definitions: &[(String, String)],
    include: Include<'_>,
    diagnostics: &mut Diagnostics,
) -> Preprocessed {
    let mut symbols = Symbols::new();
    let text = Rc::new(LexedFile::new(String::new(), text, &mut symbols));
    let words = Words { line: symbols.number("__LINE__"), defined: symbols.number("defined") };
    let mut preprocessor = Preprocessor {
        symbols,
        origins: Origins::default(),
        macros: HashMap::new(),
        files: Vec::new(),
        lexed: vec![Rc::clone(&text)],
        stack: Stack::default(),
        words,
        failed: None,
        lost: None,
        include,
        diagnostics,
    };
    preprocessor.define_outside(definitions);
    preprocessor.files.push(OpenFile::new(Rc::clone(&text), None));
    let mut tokens = Vec::new();
    while let Some(token) = preprocessor.next_expanded() {
        let token = preprocessor.finished(token);
        tokens.push(token);
    }
    preprocessor.report_unused(definitions);
    let Preprocessor { symbols, origins, failed, lost, .. } = preprocessor;
    Preprocessed { tokens, symbols, origins, text, failed, lost }
}

/// A file that is being read.
struct OpenFile {
    file: Rc<LexedFile>,
    next: usize,
    /// The `#include` in the text of the model; `None` for that text itself.
    included: Option<Span>,
    /// The open `#if`s.
    groups: Vec<Group>,
    /// The origin of the line that was read last, for included files.
    last_line: Option<(u32, OriginId)>,
    /// The next token is on another line than the one before it, although the line break is inside
    /// of a macro call.
    owes_line: bool,
}

impl OpenFile {
    fn new(file: Rc<LexedFile>, included: Option<Span>) -> Self {
        Self { file, next: 0, included, groups: Vec::new(), last_line: None, owes_line: false }
    }

    fn is_skipping(&self) -> bool {
        self.groups.last().is_some_and(|group| !group.is_active)
    }
}

struct Preprocessor<'run> {
    symbols: Symbols,
    origins: Origins,
    macros: HashMap<Symbol, Rc<Macro>>,
    /// The file that is being read, last, and those that include it.
    files: Vec<OpenFile>,
    /// All files that were read. The first one is the text of the model.
    lexed: Vec<Rc<LexedFile>>,
    stack: Stack,
    words: Words,
    /// One of the errors, if there was any.
    failed: Option<Reported>,
    /// An error after which parsing is of no use: a file is missing, or an expansion did not end.
    lost: Option<Reported>,
    include: Include<'run>,
    diagnostics: &'run mut Diagnostics,
}

/// The state of expansion.
#[derive(Default)]
struct Stack {
    contexts: Vec<Context>,
    /// Number of arguments in arguments.
    nesting: usize,
    /// What was spent of [`MOST_WORK`].
    work: usize,
    /// `defined` is an operator.
    in_condition: bool,
    /// A macro of no tokens began a line. The next token does so instead.
    owes_line: bool,
}

/// Names with a meaning of their own.
struct Words {
    line: Symbol,
    defined: Symbol,
}

impl Preprocessor<'_> {
    /// The next token of the files, with directives carried out.
    fn next_of_files(&mut self) -> Option<Token> {
        loop {
            let file = self.files.last_mut()?;
            let Some(token) = file.file.tokens.get(file.next).copied() else {
                self.close_file();
                continue;
            };
            if token.kind == TokenKind::Hash && token.before.starts_line {
                self.directive();
                continue;
            }
            file.next += 1;
            if file.is_skipping() {
                continue;
            }
            let owed = std::mem::take(&mut file.owes_line);
            let mut token = self.placed(token);
            token.before.new_line |= owed;
            return Some(token);
        }
    }

    /// A token of the current file with a span in the text of the model.
    fn placed(&mut self, token: Token) -> Token {
        let Some(file) = self.files.last_mut() else { return token };
        let Some(span) = file.included else { return token };
        let line = file.file.line_at(token.span.start);
        let origin = match file.last_line {
            Some((last, origin)) if last == line => origin,
            _ => self.origins.add(Origin::File { file: Rc::clone(&file.file), line }),
        };
        file.last_line = Some((line, origin));
        Token { span, origin, ..token }
    }

    fn close_file(&mut self) {
        let open = self.files.last_mut().map_or_else(Vec::new, |file| std::mem::take(&mut file.groups));
        for group in open {
            let message = "this conditional group is never closed";
            let error = Diagnostic::error(codes::BAD_DIRECTIVE, group.start.span, message, "opened here");
            self.complain(group.start, error.help("close it with `#endif`"));
        }
        self.files.pop();
    }

    /// Completes a token for the parser.
    fn finished(&mut self, mut token: Token) -> Token {
        token.before.new_line |= std::mem::take(&mut self.stack.owes_line);
        if token.kind == TokenKind::Name {
            token.kind = self.symbols.keyword(token.symbol).unwrap_or(token.kind);
        }
        token
    }

    /// Reports an error about a token, and says where the token comes from.
    fn complain(&mut self, token: Token, mut error: Diagnostic) {
        let is_loss = [codes::BAD_INCLUDE, codes::ERROR_DIRECTIVE, codes::EXPANSION_TOO_LARGE];
        let is_loss = is_loss.contains(&error.code);
        error.message.push_str(&self.origins.explain(token.origin, &self.symbols));
        let reported = self.diagnostics.report(error);
        self.failed = Some(reported);
        if is_loss {
            self.lost = Some(reported);
        }
    }

    /// Reports a warning about a token, and says where the token comes from.
    fn warn(&mut self, token: Token, mut warning: Diagnostic) {
        warning.message.push_str(&self.origins.explain(token.origin, &self.symbols));
        self.diagnostics.warn(warning);
    }

    /// Accounts for tokens that are about to be produced. After an error, no more tokens follow.
    fn spend(&mut self, tokens: usize, token: Token) {
        let had_enough = self.is_spent();
        self.stack.work += tokens;
        if self.is_spent() && !had_enough {
            let message = format!("macros and included files produce more than {MOST_WORK} tokens");
            let error = Diagnostic::error(codes::EXPANSION_TOO_LARGE, token.span, message, "up to here");
            self.complain(
                token,
                error.help("look for a macro that calls another one twice, many times over"),
            );
        }
    }

    fn is_spent(&self) -> bool {
        self.stack.work > MOST_WORK
    }
}

#[cfg(test)]
mod tests;
