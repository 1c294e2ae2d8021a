//! Operands of expressions: numbers, references, calls, and what is known about other processes.

use model::guarded_commands::Span;

use super::expression::Operand;
use super::{Expected, Parser};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic};
use crate::promela::syntax::{Expression, ExpressionKind, Name, Probe, Reference, ReferencePart};
use crate::promela::tokens::{Token, TokenKind, character};

/// The name of all that can begin an operand in a list of expected tokens.
const EXPRESSION: Expected = Expected::Class("an expression");

impl Parser<'_> {
    pub(super) fn operand(&mut self) -> Checked<Operand> {
        let start = self.span();
        let fixed = |kind| Operand::leaf(kind, start);
        let operand = match self.kind() {
            TokenKind::Number
            | TokenKind::Character
            | TokenKind::True
            | TokenKind::False
            | TokenKind::Skip => {
                let token = self.advance();
                fixed(ExpressionKind::Number(self.number(token)))
            }
            TokenKind::Timeout => {
                self.advance();
                fixed(ExpressionKind::Timeout)
            }
            TokenKind::NonProgress => {
                self.advance();
                fixed(ExpressionKind::NonProgress)
            }
            TokenKind::OpenParenthesis => return self.parenthesis(),
            TokenKind::Len => return self.probe(Probe::Len),
            TokenKind::Empty => return self.probe(Probe::Empty),
            TokenKind::NonEmpty => return self.probe(Probe::NonEmpty),
            TokenKind::Full => return self.probe(Probe::Full),
            TokenKind::NonFull => return self.probe(Probe::NonFull),
            TokenKind::Enabled => return self.about_process(ExpressionKind::Enabled),
            TokenKind::PcValue => return self.about_process(ExpressionKind::ProgramCounter),
            TokenKind::GetPriority => return self.about_process(ExpressionKind::Priority),
            TokenKind::Run => return self.run(),
            TokenKind::Name => return self.named(),
            _ => {
                self.note(EXPRESSION);
                return Err(self.unexpected());
            }
        };
        Ok(operand)
    }

    /// The value of a number, a character, `true`, `false` or `skip`.
    pub(super) fn number(&mut self, token: Token) -> i64 {
        match token.kind {
            TokenKind::Character => character(self.text(token)),
            TokenKind::True | TokenKind::Skip => 1,
            TokenKind::False => 0,
            _ => {
                let text = self.text(token);
                // Of a malformed number, the lexer has reported the letters.
                let digits = text.bytes().take_while(u8::is_ascii_digit).count();
                if let Ok(value) = text[..digits].parse::<i32>() {
                    return i64::from(value);
                }
                let message = format!("the number is larger than {}", i32::MAX);
                let error = Diagnostic::error(codes::NUMBER_TOO_LARGE, token.span, message, "too large");
                self.report(token, error.help("an `int` holds -2147483648 to 2147483647"));
                0
            }
        }
    }

    /// `"(" expression ")"`, or `"(" expression "->" expression ":" expression ")"`
    fn parenthesis(&mut self) -> Checked<Operand> {
        let start = self.advance().span;
        let inner = self.nested(|parser| {
            let first = parser.chain(0)?;
            if !parser.eat(TokenKind::Arrow) {
                return Ok(first);
            }
            let first = parser.without_probe(first)?;
            let second = parser.value()?;
            parser.expect(TokenKind::Colon)?;
            let third = parser.value()?;
            let depth = 1 + first.depth.max(second.depth).max(third.depth);
            let [first, second, third] = [first, second, third].map(|one| Box::new(one.expression));
            let kind = ExpressionKind::Conditional(first, second, third);
            parser.shallow(Operand { depth, ..Operand::leaf(kind, start) })
        })?;
        let end = self.expect(TokenKind::CloseParenthesis)?.span;
        let Operand { expression, depth, probe } = inner;
        Ok(Operand { expression: Expression { span: start.to(end), ..expression }, depth, probe })
    }

    /// `("len" | "empty" | "nempty" | "full" | "nfull") "(" reference ")"`
    fn probe(&mut self, probe: Probe) -> Checked<Operand> {
        let word = self.advance();
        self.expect(TokenKind::OpenParenthesis)?;
        let (channel, depth) = self.nested(Self::reference)?;
        let end = self.expect(TokenKind::CloseParenthesis)?.span;
        let span = word.span.to(end);
        let operand = Operand::leaf(ExpressionKind::Probe(probe, channel), span);
        let is_len = probe == Probe::Len;
        Ok(Operand { depth: depth + 1, probe: (!is_len).then_some(word), ..operand })
    }

    /// `("enabled" | "pc_value" | "get_priority") "(" expression ")"`
    fn about_process(&mut self, kind: fn(Box<Expression>) -> ExpressionKind) -> Checked<Operand> {
        let start = self.advance().span;
        self.expect(TokenKind::OpenParenthesis)?;
        let process = self.nested(Self::value)?;
        let end = self.expect(TokenKind::CloseParenthesis)?.span;
        let depth = process.depth + 1;
        Ok(Operand { depth, ..Operand::leaf(kind(Box::new(process.expression)), start.to(end)) })
    }

    /// `"run" name "(" arguments ")" ["priority" number]`
    fn run(&mut self) -> Checked<Operand> {
        let start = self.advance().span;
        let proctype = self.name()?;
        self.expect(TokenKind::OpenParenthesis)?;
        let (mut arguments, mut depth) = (Vec::new(), 0);
        if !self.at(TokenKind::CloseParenthesis) {
            for argument in self.nested(|parser| parser.separated(Self::value))? {
                depth = depth.max(argument.depth);
                arguments.push(argument.expression);
            }
        }
        self.expect(TokenKind::CloseParenthesis)?;
        let priority = self.priority()?.map(Box::new);
        let span = start.to(self.previous_span());
        let kind = ExpressionKind::Run { proctype, arguments, priority };
        self.shallow(Operand { depth: depth + 1, ..Operand::leaf(kind, span) })
    }

    /// `["priority" number]`
    pub(super) fn priority(&mut self) -> Checked<Option<Expression>> {
        if !self.eat(TokenKind::Priority) {
            return Ok(None);
        }
        let token = self.expect(TokenKind::Number)?;
        let kind = ExpressionKind::Number(self.number(token));
        Ok(Some(Expression { kind, span: token.span }))
    }

    /// What begins with a name: a reference, a poll, or what is known about another process.
    fn named(&mut self) -> Checked<Operand> {
        let (reference, depth) = self.reference()?;
        self.named_from(reference, depth)
    }

    /// Completes an operand that begins with a reference.
    pub(super) fn named_from(&mut self, reference: Reference, depth: usize) -> Checked<Operand> {
        let is_one_name = reference.parts.len() == 1;
        match self.kind() {
            TokenKind::At if is_one_name => self.remote(reference, depth),
            TokenKind::Colon if is_one_name && self.may_be_process(&reference.parts[0].name) => {
                self.remote(reference, depth)
            }
            TokenKind::Question | TokenKind::QuestionQuestion
                if self.kind_after(1) == TokenKind::OpenBracket =>
            {
                self.poll(reference, depth)
            }
            _ => {
                let span = reference.span;
                let operand = Operand::leaf(ExpressionKind::Reference(reference), span);
                self.shallow(Operand { depth, ..operand })
            }
        }
    }

    /// Whether `name : …` is about a variable of a process. In a formula nothing else can follow.
    fn may_be_process(&self, name: &Name) -> bool {
        self.in_formula || self.declared.has_proctype(&name.text)
    }

    /// `"@" name`, or `":" name ["[" expression "]"]`, after the process.
    fn remote(&mut self, process: Reference, depth: usize) -> Checked<Operand> {
        let start = process.span;
        let ReferencePart { name: proctype, index: pid } =
            process.parts.into_iter().next().expect("a reference has a part");
        let is_location = self.advance().kind == TokenKind::At;
        let (kind, depth) = if is_location {
            let label = self.name()?;
            (ExpressionKind::RemoteLocation { proctype, pid, label }, depth)
        } else {
            let (part, inner) = self.part()?;
            let span = part.name.span.to(self.previous_span());
            let variable = Reference { parts: vec![part], span };
            (ExpressionKind::RemoteVariable { proctype, pid, variable }, depth.max(inner))
        };
        let span = start.to(self.previous_span());
        self.shallow(Operand { depth: depth + 1, ..Operand::leaf(kind, span) })
    }

    /// `reference = name ["[" expression "]"] {"." name ["[" expression "]"]}`, with its depth.
    pub(super) fn reference(&mut self) -> Checked<(Reference, usize)> {
        let start = self.span();
        let (first, mut depth) = self.part()?;
        let mut parts = vec![first];
        while self.kind() == TokenKind::Dot {
            self.advance();
            let (part, inner) = self.part()?;
            depth = depth.max(inner);
            parts.push(part);
        }
        let span = start.to(self.previous_span());
        Ok((Reference { parts, span }, depth))
    }

    /// `name ["[" expression "]"]`
    fn part(&mut self) -> Checked<(ReferencePart, usize)> {
        let name = self.name()?;
        if self.kind() != TokenKind::OpenBracket
            || (self.in_formula && self.kind_after(1) == TokenKind::CloseBracket)
        {
            return Ok((ReferencePart { name, index: None }, 1));
        }
        self.advance();
        let index = self.nested(Self::value)?;
        self.expect(TokenKind::CloseBracket)?;
        Ok((ReferencePart { name, index: Some(Box::new(index.expression)) }, index.depth + 1))
    }

    /// A part of the text between the place where something starts and the token taken last.
    pub(super) fn since(&self, start: Span) -> Span {
        start.to(self.previous_span())
    }
}
