//! What stands outside of processes: proctypes, claims, formulas, types, variables, inlines.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::inline::Inline;
use super::{Expected, Parser};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic};
use crate::promela::syntax::{
    Declaration, Expression, ExpressionKind, File, Item, LtlBlock, MtypeDeclaration, Name, Never, Proctype,
    Typedef,
};
use crate::promela::tokens::{Symbol, TokenKind};

/// The names that decide how a text is read.
#[derive(Default)]
pub(super) struct Declared {
    pub(super) typedefs: BTreeSet<Symbol>,
    pub(super) inlines: BTreeMap<Symbol, Rc<Inline>>,
    proctypes: BTreeSet<String>,
    messages: BTreeSet<String>,
}

impl Declared {
    pub(super) fn has_proctype(&self, name: &str) -> bool {
        self.proctypes.contains(name)
    }

    /// Whether a name is that of a message, a constant.
    pub(super) fn has_message(&self, name: &str) -> bool {
        self.messages.contains(name)
    }
}

impl Parser<'_> {
    /// `file = { proctype | init | never | ltl | trace | typedef | inline | mtypes | declaration | ";" }`
    pub(super) fn file(&mut self) -> File {
        let mut file = File::default();
        while !self.at(TokenKind::End) && !self.diagnostics.is_full() {
            let start = self.cursor.next;
            match self.item() {
                Ok(item) => file.items.extend(item),
                Err(_) => self.skip_item(start),
            }
        }
        file
    }

    /// Skips to the next part of the file, after an error in one that began at `start`.
    fn skip_item(&mut self, start: usize) {
        // A declaration ends at its `;`, all else at the brace that closes its body.
        let is_declaration = !self.cursor.tokens[start].kind.begins_item();
        if self.cursor.next == start {
            self.advance();
        }
        let mut braces = 0_usize;
        for token in &self.cursor.tokens[start..self.cursor.next] {
            match token.kind {
                TokenKind::OpenBrace => braces += 1,
                TokenKind::CloseBrace => braces = braces.saturating_sub(1),
                _ => {}
            }
        }
        loop {
            match self.kind() {
                TokenKind::End => return,
                kind if kind.begins_item() => return,
                TokenKind::OpenBrace => braces += 1,
                TokenKind::CloseBrace => {
                    braces = braces.saturating_sub(1);
                    if braces == 0 && !is_declaration {
                        self.advance();
                        return;
                    }
                }
                TokenKind::Semicolon if braces == 0 && is_declaration => return,
                _ => {}
            }
            self.advance();
        }
    }

    fn item(&mut self) -> Checked<Option<Item>> {
        let kind = self.kind();
        Ok(Some(match kind {
            TokenKind::Semicolon | TokenKind::Arrow => {
                self.advance();
                return Ok(None);
            }
            TokenKind::Active | TokenKind::Proctype | TokenKind::DProctype => {
                Item::Proctype(self.proctype()?)
            }
            TokenKind::Init => Item::Proctype(self.init()?),
            TokenKind::Never => Item::Never(self.never()?),
            TokenKind::Ltl => Item::Ltl(self.ltl()?),
            TokenKind::Trace | TokenKind::NoTrace => {
                self.refuse_trace()?;
                return Ok(None);
            }
            TokenKind::Typedef => Item::Typedef(self.typedef()?),
            TokenKind::Inline => {
                self.inline()?;
                return Ok(None);
            }
            _ if self.at_mtypes() => Item::Mtype(self.mtypes()?),
            _ if self.at_declaration() => Item::Declaration(self.declaration(false)?),
            _ => {
                self.note(Expected::Class("a declaration"));
                self.note(Expected::Class("a process"));
                self.cursor.expected.retain(|expected| *expected != Expected::Token(TokenKind::End));
                // `boolean b` is a declaration with a wrong type.
                if kind == TokenKind::Name && self.kind_after(1) == TokenKind::Name {
                    return Err(self.unknown_type());
                }
                return Err(self.unexpected());
            }
        }))
    }

    /// `["active" ["[" expression "]"]] ("proctype" | "D_proctype") name "(" parameters ")"
    /// ["priority" number] ["provided" "(" condition ")"] body`
    fn proctype(&mut self) -> Checked<Proctype> {
        let mut active = None;
        let start = self.token();
        if self.eat(TokenKind::Active) {
            let one = Expression { kind: ExpressionKind::Number(1), span: start.span };
            active = Some(self.bracketed()?.unwrap_or(one));
        }
        if !self.eat(TokenKind::Proctype) && !self.eat(TokenKind::DProctype) {
            return Err(self.unexpected());
        }
        let name = self.name()?;
        self.declared.proctypes.insert(name.text.clone());
        self.expect(TokenKind::OpenParenthesis)?;
        let parameters = self.parameters()?;
        self.expect(TokenKind::CloseParenthesis)?;
        let priority = self.priority()?;
        let provided = if self.eat(TokenKind::Provided) {
            self.expect(TokenKind::OpenParenthesis)?;
            let condition = self.condition()?;
            self.expect(TokenKind::CloseParenthesis)?;
            Some(condition)
        } else {
            None
        };
        let (body, end) = self.body()?;
        let end = end.span;
        Ok(Proctype { name, active, parameters, priority, provided, body, end })
    }

    /// `[declaration { (";" | ",") declaration }]`
    fn parameters(&mut self) -> Checked<Vec<Declaration>> {
        let mut parameters: Vec<Declaration> = Vec::new();
        while !self.at(TokenKind::CloseParenthesis) {
            if !self.at_declaration() {
                self.note(Expected::Class("a parameter"));
                if self.kind() == TokenKind::Name && self.kind_after(1) == TokenKind::Name {
                    return Err(self.unknown_type());
                }
                return Err(self.unexpected());
            }
            let start = self.token();
            let declaration = self.declaration(true)?;
            if let Some(variable) = declaration.variables.iter().find(|variable| variable.initial.is_some()) {
                let message = format!("parameter `{}` cannot have an initial value", variable.name.text);
                let error =
                    Diagnostic::error(codes::UNEXPECTED_TOKEN, variable.span, message, "with a value");
                self.report(start, error.help("give the value in `run` instead"));
            }
            parameters.push(declaration);
            if !self.eat(TokenKind::Semicolon) && !self.eat(TokenKind::Comma) {
                break;
            }
        }
        Ok(parameters)
    }

    /// `"init" ["priority" number] body`
    fn init(&mut self) -> Checked<Proctype> {
        let span = self.advance().span;
        let name = Name { text: "init".to_owned(), span };
        let active = Some(Expression { kind: ExpressionKind::Number(1), span });
        let priority = self.priority()?;
        let (body, end) = self.body()?;
        let (parameters, provided, end) = (Vec::new(), None, end.span);
        Ok(Proctype { name, active, parameters, priority, provided, body, end })
    }

    /// `"never" [name] body`
    fn never(&mut self) -> Checked<Never> {
        let start = self.advance().span;
        let name = if self.at(TokenKind::Name) { Some(self.name()?) } else { None };
        let (body, end) = self.body()?;
        Ok(Never { name, body, span: start.to(end.span), end: end.span })
    }

    /// `"ltl" [name] "{" formula "}"`
    fn ltl(&mut self) -> Checked<LtlBlock> {
        self.advance();
        let name = if self.at(TokenKind::Name) { Some(self.name()?) } else { None };
        let open = self.expect(TokenKind::OpenBrace)?.span;
        self.in_formula = true;
        let formula = self.formula();
        self.in_formula = false;
        let formula = formula?;
        while self.kind() == TokenKind::Semicolon {
            self.advance();
        }
        let close = self.expect(TokenKind::CloseBrace)?.span;
        let mut span = open.to(close);
        // Both braces may come from one macro.
        if open.end <= close.start {
            (span.start, span.end) = (open.end, close.start);
        }
        Ok(LtlBlock { name, formula, span })
    }

    /// `("trace" | "notrace") body`
    fn refuse_trace(&mut self) -> Checked<()> {
        let word = self.advance();
        let message = format!("`{}` assertions are not supported", self.text(word));
        let error = Diagnostic::error(codes::TRACE_ASSERTION, word.span, message, "not supported");
        self.report(
            word,
            error.help("write it as a `never` claim, or remove it and check the rest of the model"),
        );
        if self.at(TokenKind::OpenBrace) {
            self.skip_braces();
        }
        Ok(())
    }

    /// Skips a part in braces.
    fn skip_braces(&mut self) {
        let mut braces = 0_usize;
        loop {
            match self.kind() {
                TokenKind::End => return,
                TokenKind::OpenBrace => braces += 1,
                TokenKind::CloseBrace => braces -= 1,
                _ => {}
            }
            self.advance();
            if braces == 0 {
                return;
            }
        }
    }

    /// `"typedef" name "{" declaration {";" declaration} "}"`
    fn typedef(&mut self) -> Checked<Typedef> {
        self.advance();
        let token = self.expect(TokenKind::Name)?;
        let name = self.name_of(token);
        self.expect(TokenKind::OpenBrace)?;
        let mut fields = Vec::new();
        while !self.at(TokenKind::CloseBrace) || fields.is_empty() {
            if !self.at_declaration() {
                self.note(Expected::Class("a declaration"));
                if self.kind() == TokenKind::Name && self.kind_after(1) == TokenKind::Name {
                    return Err(self.unknown_type());
                }
                return Err(self.unexpected());
            }
            fields.push(self.declaration(false)?);
            let is_last = !self.eat_separators()
                && self.previous().is_none_or(|last| last.kind != TokenKind::CloseBrace);
            if is_last {
                break;
            }
        }
        self.expect(TokenKind::CloseBrace)?;
        // The type is known after its declaration: it cannot contain itself.
        self.declared.typedefs.insert(token.symbol);
        Ok(Typedef { name, fields })
    }

    /// Whether a list of messages begins here, and not a variable of such a type.
    pub(super) fn at_mtypes(&self) -> bool {
        let begins = |kind| matches!(kind, TokenKind::Equal | TokenKind::OpenBrace);
        let is_kind = self.kind_after(1) == TokenKind::Colon;
        self.kind() == TokenKind::Mtype && begins(self.kind_after(if is_kind { 3 } else { 1 }))
    }

    /// `"mtype" [":" name] ["="] "{" {name [","]} "}"`
    pub(super) fn mtypes(&mut self) -> Checked<MtypeDeclaration> {
        self.advance();
        let kind = if self.eat(TokenKind::Colon) { Some(self.name()?) } else { None };
        self.eat(TokenKind::Equal);
        self.expect(TokenKind::OpenBrace)?;
        let mut names: Vec<Name> = Vec::new();
        while names.is_empty() || !self.at(TokenKind::CloseBrace) {
            let name = self.name()?;
            self.declared.messages.insert(name.text.clone());
            names.push(name);
            // Lines end statements, and not the names in a list.
            while self.eat(TokenKind::Comma) || self.kind() == TokenKind::LineEnd {
                if self.kind() == TokenKind::LineEnd {
                    self.advance();
                }
            }
        }
        self.expect(TokenKind::CloseBrace)?;
        Ok(MtypeDeclaration { kind, names })
    }
}
