//! Where tokens come from that do not stand in the text of the model.
//!
//! Every token has a span in the text of the model. For a token of a macro, of an inline or of an
//! included file, that is the place of the call or of the `#include`. A message about such a token
//! must also say what stands there after expansion, since its reader does not see it.

use std::collections::BTreeMap;
use std::rc::Rc;

use model::guarded_commands::Span;

use super::lexer::LexedFile;
use super::tokens::{Symbol, Symbols, Token};
use crate::diagnostic::Diagnostic;

/// Number of an origin in [`Origins`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct OriginId(u32);

impl OriginId {
    /// The text of the model itself.
    pub(super) const TEXT: Self = Self(0);
}

/// Where a token comes from.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    /// The expansion of a macro that is called in the text of the model.
    Macro { name: Symbol, defined: Place },
    /// An included file.
    File { file: Rc<LexedFile>, line: u32 },
    /// The body of an inline, for the call in this line.
    Inline { name: Symbol, line: u32 },
}

/// The line of a definition.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// Before the text, for all of it.
    Outside,
    /// In a line of the text of the model.
    Text(u32),
    /// In a line of an included file.
    File(Rc<LexedFile>, u32),
}

/// All origins of a run but [`OriginId::TEXT`].
#[derive(Debug, Default)]
pub(super) struct Origins(Vec<Origin>);

impl Origins {
    /// Adds an origin.
    pub(super) fn add(&mut self, origin: Origin) -> OriginId {
        self.0.push(origin);
        OriginId(u32::try_from(self.0.len()).expect("expansion is limited to fewer tokens"))
    }

    /// The origin with this number, `None` for the text of the model.
    pub(super) fn get(&self, id: OriginId) -> Option<&Origin> {
        id.0.checked_sub(1).and_then(|at| self.0.get(at as usize))
    }

    /// The end of a message about a token with this origin, empty for the text of the model.
    pub(super) fn explain(&self, id: OriginId, symbols: &Symbols) -> String {
        match self.get(id) {
            None => String::new(),
            Some(Origin::Macro { name, defined }) => {
                let defined = match defined {
                    Place::Outside => "defined outside of the text".to_owned(),
                    Place::Text(line) => format!("defined in line {line}"),
                    Place::File(file, line) => format!("defined in file `{}`, line {line}", file.name),
                };
                format!(", in the expansion of macro {}, {defined}", symbols.quoted(*name))
            }
            Some(Origin::File { file, line }) => {
                let text: String = file.line(*line).trim().chars().take(80).collect();
                format!(", in file `{}`, line {line}: `{text}`", file.name)
            }
            Some(Origin::Inline { name, line }) => {
                format!(", in inline {} as called in line {line}", symbols.quoted(*name))
            }
        }
    }
}

/// Where the tokens of a text come from, by their places in it.
///
/// The tree has places but no tokens. A message about a part of it can ask here what stands at its
/// place after expansion.
#[derive(Debug, Default)]
pub(crate) struct Expansions {
    calls: BTreeMap<(u32, u32), OriginId>,
    origins: Origins,
    symbols: Symbols,
}

impl Expansions {
    /// The expansions that made these tokens.
    pub(super) fn new(tokens: &[Token], origins: Origins, symbols: Symbols) -> Self {
        let mut calls = BTreeMap::new();
        for token in tokens.iter().filter(|token| token.origin != OriginId::TEXT) {
            calls.entry((token.span.start, token.span.end)).or_insert(token.origin);
        }
        Self { calls, origins, symbols }
    }

    /// The end of a message about this place, if it is exactly the call of a macro, or an
    /// `#include`.
    fn explain(&self, span: Span) -> Option<String> {
        let origin = *self.calls.get(&(span.start, span.end))?;
        match self.origins.get(origin)? {
            // Of the lines of a file, only the first is known.
            Origin::File { file, .. } => Some(format!(", in file `{}`", file.name)),
            _ => Some(self.origins.explain(origin, &self.symbols)),
        }
    }

    /// Completes messages about places that a macro or an included file made.
    pub(crate) fn explained(&self, mut findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
        for finding in &mut findings {
            let origin = self.explain(finding.span);
            finding.message.push_str(origin.as_deref().unwrap_or(""));
        }
        findings
    }
}
