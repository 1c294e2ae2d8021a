//! Statements.

use model::guarded_commands::Span;

use super::{Expected, Parser};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic};
use crate::promela::syntax::{Expression, ExpressionKind, Name, Statement, StatementKind};
use crate::promela::tokens::TokenKind;

/// The name of all that can begin a statement in a list of expected tokens.
pub(super) const STATEMENT: Expected = Expected::Class("a statement");

impl Parser<'_> {
    /// A declaration, `xr` or `xs`, which mean nothing here, or a statement with its escape.
    pub(super) fn step(&mut self) -> Checked<Option<Statement>> {
        let start = self.token();
        if matches!(start.kind, TokenKind::ExclusiveReceive | TokenKind::ExclusiveSend) {
            self.advance();
            self.separated(Self::reference)?;
            return Ok(None);
        }
        if self.at_declaration() {
            if self.at_mtypes() {
                let message = "names of messages must be declared outside of processes";
                let error =
                    Diagnostic::error(codes::UNEXPECTED_TOKEN, start.span, message, "inside of a body");
                return Err(self.report(start, error.help("move this declaration before the process")));
            }
            let declaration = self.declaration(false)?;
            let span = declaration.span;
            let kind = StatementKind::Declaration(declaration);
            return Ok(Some(Statement { labels: Vec::new(), kind, span }));
        }
        let main = self.statement()?;
        if self.kind() != TokenKind::Unless {
            return Ok(Some(main));
        }
        self.advance();
        let at = self.token();
        let escape = self.nested(Self::statement)?;
        let is_block = |kind: &StatementKind| {
            use StatementKind::{Atomic, Block, Deterministic};
            matches!(kind, Block(_) | Atomic(_) | Deterministic(_))
        };
        if let Some(label) = main.labels.first().filter(|_| !is_block(&main.kind)) {
            let help = "enclose statement and escape in a block: `label: { statement unless { … } }`";
            self.misplaced_label(label, start, "a statement with `unless` that is no block", help);
        }
        if let Some(label) = escape.labels.first() {
            let help = "no jump can lead to the first statement of an escape; label the next one";
            self.misplaced_label(label, at, "an escape", help);
        }
        let span = main.span.to(escape.span);
        let kind = StatementKind::Unless { main: Box::new(main), escape: Box::new(escape) };
        Ok(Some(Statement { labels: Vec::new(), kind, span }))
    }

    /// `{name ":"} statement`
    fn statement(&mut self) -> Checked<Statement> {
        let first = self.token();
        let mut labels: Vec<Name> = Vec::new();
        while self.at_label() {
            let label = self.advance();
            labels.push(self.name_of(label));
            self.advance();
        }
        let start = self.token();
        let is_exclusive = matches!(start.kind, TokenKind::ExclusiveReceive | TokenKind::ExclusiveSend);
        if let Some(label) = labels.last()
            && (is_exclusive || self.at_declaration())
        {
            let label = label.clone();
            let help = "label the next statement; a declaration is no place to jump to";
            self.misplaced_label(&label, first, "a declaration", help);
            return self.step().map(|step| step.unwrap_or_else(|| skip(label.span)));
        }
        if let Some(label) = labels.last().map(|label| label.span)
            && self.lacks_statement()
        {
            // A label at the end of a sequence.
            return Ok(Statement { labels, ..skip(label) });
        }
        let kind = self.plain_statement()?;
        Ok(Statement { labels, kind, span: self.since(start.span) })
    }

    /// Whether a label follows. After the name of a process, `:` is about a variable of it.
    fn at_label(&self) -> bool {
        self.kind() == TokenKind::Name
            && self.kind_after(1) == TokenKind::Colon
            && !self.declared.has_proctype(self.text(self.token()))
    }

    /// Whether no statement begins here, so that a label before it stands alone.
    fn lacks_statement(&self) -> bool {
        use TokenKind::*;
        matches!(self.kind(), Semicolon | Arrow | LineEnd | CloseBrace | ColonColon | Fi | Od | Unless | End)
    }

    fn plain_statement(&mut self) -> Checked<StatementKind> {
        match self.kind() {
            TokenKind::OpenBrace => Ok(StatementKind::Block(self.block()?)),
            TokenKind::Atomic => {
                self.advance();
                Ok(StatementKind::Atomic(self.block()?))
            }
            TokenKind::DStep => {
                self.advance();
                Ok(StatementKind::Deterministic(self.block()?))
            }
            TokenKind::If => {
                self.advance();
                Ok(StatementKind::If(self.nested(|parser| parser.choices(TokenKind::Fi))?))
            }
            TokenKind::Do => {
                self.advance();
                Ok(StatementKind::Do(self.nested(|parser| parser.choices(TokenKind::Od))?))
            }
            TokenKind::Else => {
                self.advance();
                Ok(StatementKind::Else)
            }
            TokenKind::Break => {
                self.advance();
                Ok(StatementKind::Break)
            }
            TokenKind::Goto => {
                self.advance();
                Ok(StatementKind::Goto(self.name()?))
            }
            TokenKind::For => self.repetition(),
            TokenKind::Select => self.selection(),
            TokenKind::Return => self.return_statement(),
            TokenKind::Assert => {
                self.advance();
                Ok(StatementKind::Assert(self.condition()?))
            }
            TokenKind::Printf => self.print(),
            TokenKind::Printm => {
                self.advance();
                let argument = self.parenthesized(Self::expression)?;
                Ok(StatementKind::PrintMessage(argument))
            }
            TokenKind::SetPriority => {
                self.advance();
                let (process, priority) = self.parenthesized(|parser| {
                    let process = parser.expression()?;
                    parser.expect(TokenKind::Comma)?;
                    Ok((process, parser.expression()?))
                })?;
                Ok(StatementKind::SetPriority(process, priority))
            }
            TokenKind::Name => self.named_statement(),
            kind if begins_expression(kind) => Ok(StatementKind::Expression(self.condition()?)),
            _ => {
                self.note(STATEMENT);
                self.cursor.expected.retain(|expected| *expected == STATEMENT);
                Err(self.unexpected())
            }
        }
    }

    /// A part in parentheses.
    pub(super) fn parenthesized<T>(&mut self, inner: impl FnOnce(&mut Self) -> Checked<T>) -> Checked<T> {
        self.expect(TokenKind::OpenParenthesis)?;
        let read = self.nested(inner)?;
        self.expect(TokenKind::CloseParenthesis)?;
        Ok(read)
    }

    /// `"printf" "(" string {"," expression} ")"`
    fn print(&mut self) -> Checked<StatementKind> {
        self.advance();
        self.parenthesized(|parser| {
            let token = parser.expect(TokenKind::String)?;
            let quoted = parser.text(token);
            let format = quoted.strip_prefix('"').unwrap_or(quoted);
            let format = format.strip_suffix('"').unwrap_or(format).to_owned();
            let mut arguments = Vec::new();
            while parser.eat(TokenKind::Comma) {
                arguments.push(parser.expression()?);
            }
            Ok(StatementKind::Print { format, arguments })
        })
    }

    /// A statement that begins with a name.
    fn named_statement(&mut self) -> Checked<StatementKind> {
        if self.at_inline_call() {
            return self.call(None);
        }
        let next = self.kind_after(1);
        if matches!(next, TokenKind::Name | TokenKind::OpenBrace) && self.similar_word().is_some() {
            return Err(self.unknown_type());
        }
        let (reference, depth) = self.reference()?;
        match self.kind() {
            TokenKind::Equal => {
                self.advance();
                if self.at_inline_call() {
                    return self.call(Some(reference));
                }
                let value = self.condition()?;
                Ok(StatementKind::Assign { target: reference, value })
            }
            TokenKind::PlusPlus => {
                self.advance();
                Ok(StatementKind::Increment(reference))
            }
            TokenKind::MinusMinus => {
                self.advance();
                Ok(StatementKind::Decrement(reference))
            }
            TokenKind::Bang | TokenKind::BangBang => self.send(reference),
            TokenKind::Question | TokenKind::QuestionQuestion
                if self.kind_after(1) != TokenKind::OpenBracket =>
            {
                self.receive(reference)
            }
            _ => {
                let is_name = reference.parts.len() == 1;
                let first = self.named_from(reference, depth)?;
                let condition = self.condition_from(first)?;
                if is_name {
                    self.note(Expected::Token(TokenKind::Equal));
                }
                Ok(StatementKind::Expression(condition))
            }
        }
    }
}

/// The statement that does nothing.
fn skip(span: Span) -> Statement {
    let kind = StatementKind::Expression(Expression { kind: ExpressionKind::Number(1), span });
    Statement { labels: Vec::new(), kind, span }
}

/// Whether a token other than a name can begin an expression.
fn begins_expression(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        Number
            | Character
            | True
            | False
            | Skip
            | Timeout
            | NonProgress
            | OpenParenthesis
            | Len
            | Empty
            | NonEmpty
            | Full
            | NonFull
            | Enabled
            | PcValue
            | GetPriority
            | Run
            | Bang
            | BangBang
            | Minus
            | Tilde
    )
}
