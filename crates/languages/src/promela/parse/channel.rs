//! Sends, receives and polls.

use super::expression::Operand;
use super::{Expected, Parser};
use crate::diagnostic::Checked;
use crate::promela::syntax::{ExpressionKind, ReceiveArgument, Reference, StatementKind};
use crate::promela::tokens::TokenKind;

impl Parser<'_> {
    /// `("!" | "!!") (expression {"," expression} | expression "(" expression {"," expression} ")")`
    pub(super) fn send(&mut self, channel: Reference) -> Checked<StatementKind> {
        let sorted = self.advance().kind == TokenKind::BangBang;
        let mut arguments = vec![self.expression()?];
        if self.kind() == TokenKind::OpenParenthesis {
            arguments.extend(self.parenthesized(|parser| parser.separated(Self::expression))?);
        } else {
            while self.eat(TokenKind::Comma) {
                arguments.push(self.expression()?);
            }
        }
        Ok(StatementKind::Send { channel, sorted, arguments })
    }

    /// `("?" | "??") (arguments | "<" arguments ">")`
    pub(super) fn receive(&mut self, channel: Reference) -> Checked<StatementKind> {
        let any = self.advance().kind == TokenKind::QuestionQuestion;
        let copies = self.eat(TokenKind::Less);
        let mut arguments = Vec::new();
        self.receive_arguments(&mut arguments)?;
        if copies {
            self.expect(TokenKind::Greater)?;
        }
        Ok(StatementKind::Receive { channel, any, copies, arguments })
    }

    /// `("?" | "??") "[" arguments "]"`
    pub(super) fn poll(&mut self, channel: Reference, depth: usize) -> Checked<Operand> {
        let start = channel.span;
        let any = self.advance().kind == TokenKind::QuestionQuestion;
        self.expect(TokenKind::OpenBracket)?;
        let mut arguments = Vec::new();
        self.receive_arguments(&mut arguments)?;
        self.expect(TokenKind::CloseBracket)?;
        let kind = ExpressionKind::Poll { channel, any, arguments };
        self.shallow(Operand { depth: depth + 1, ..Operand::leaf(kind, self.since(start)) })
    }

    /// `arguments = argument {"," argument} | argument "(" arguments ")" | "(" arguments ")"`
    fn receive_arguments(&mut self, arguments: &mut Vec<ReceiveArgument>) -> Checked<()> {
        loop {
            if self.kind() == TokenKind::OpenParenthesis {
                return self.parenthesized(|parser| parser.receive_arguments(arguments));
            }
            let argument = self.receive_argument()?;
            arguments.push(argument);
            if self.kind() == TokenKind::OpenParenthesis {
                return self.parenthesized(|parser| parser.receive_arguments(arguments));
            }
            if !self.eat(TokenKind::Comma) {
                return Ok(());
            }
        }
    }

    /// `reference | "_" | "eval" "(" expression ")" | ["-"] number | "true" | "false" | "skip"`
    fn receive_argument(&mut self) -> Checked<ReceiveArgument> {
        let start = self.token();
        match start.kind {
            TokenKind::Name => {
                let (reference, _) = self.reference()?;
                let is_ignored = self.text(start) == "_" && reference.parts.len() == 1;
                Ok(if is_ignored && reference.parts[0].index.is_none() {
                    ReceiveArgument::Ignore
                } else {
                    ReceiveArgument::Reference(reference)
                })
            }
            TokenKind::Eval => {
                self.advance();
                Ok(ReceiveArgument::Eval(self.parenthesized(Self::expression)?))
            }
            TokenKind::Minus => {
                self.advance();
                let token = self.expect(TokenKind::Number)?;
                let value = -self.number(token);
                Ok(ReceiveArgument::Constant(value, self.since(start.span)))
            }
            TokenKind::Number
            | TokenKind::Character
            | TokenKind::True
            | TokenKind::False
            | TokenKind::Skip => {
                self.advance();
                Ok(ReceiveArgument::Constant(self.number(start), start.span))
            }
            _ => {
                self.note(Expected::Class("a variable"));
                self.note(Expected::Class("a constant"));
                self.note(Expected::Token(TokenKind::Eval));
                Err(self.unexpected())
            }
        }
    }
}
