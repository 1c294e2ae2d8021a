//! Variables and channels.

use super::{Expected, Parser};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic};
use crate::promela::syntax::{
    BinaryOperator, Declaration, Declarator, Expression, ExpressionKind, Initial, Type, UnaryOperator,
};
use crate::promela::tokens::TokenKind;

/// The name of all types in a list of expected tokens.
const TYPE: Expected = Expected::Class("a type");

impl Parser<'_> {
    /// Whether a declaration of variables begins here.
    pub(super) fn at_declaration(&mut self) -> bool {
        use TokenKind::*;
        match self.kind() {
            Hidden | Show | Local => true,
            Bit | Bool | Byte | Pid | Short | Int | Unsigned | Mtype | Chan => true,
            Name => self.declared.typedefs.contains(&self.token().symbol),
            _ => false,
        }
    }

    /// `["hidden" | "show" | "local"] type declarator {"," declarator}`
    pub(super) fn declaration(&mut self, is_parameter: bool) -> Checked<Declaration> {
        let start = self.span();
        let hidden = self.eat(TokenKind::Hidden);
        if !hidden && !self.eat(TokenKind::Show) {
            self.eat(TokenKind::Local);
        }
        let kind = self.type_name()?;
        let mut variables = vec![self.declarator()?];
        while self.at(TokenKind::Comma) {
            // `byte a, byte b`: another declaration.
            let comma = self.cursor.next;
            self.advance();
            if is_parameter && self.at_declaration() {
                self.cursor.next = comma;
                break;
            }
            variables.push(self.declarator()?);
        }
        Ok(Declaration { hidden, kind, variables, span: self.since(start) })
    }

    fn type_name(&mut self) -> Checked<Type> {
        let kind = match self.kind() {
            TokenKind::Bit => Type::Bit,
            TokenKind::Bool => Type::Bool,
            TokenKind::Byte => Type::Byte,
            TokenKind::Pid => Type::Pid,
            TokenKind::Short => Type::Short,
            TokenKind::Int => Type::Int,
            TokenKind::Unsigned => Type::Unsigned,
            TokenKind::Chan => Type::Chan,
            TokenKind::Mtype => {
                self.advance();
                let kind = if self.kind() == TokenKind::Colon {
                    self.advance();
                    Some(self.name()?)
                } else {
                    None
                };
                return Ok(Type::Mtype(kind));
            }
            TokenKind::Name if self.declared.typedefs.contains(&self.token().symbol) => {
                let token = self.advance();
                return Ok(Type::Named(self.name_of(token)));
            }
            TokenKind::Name => {
                return Err(self.unknown_type());
            }
            _ => {
                self.note(TYPE);
                return Err(self.unexpected());
            }
        };
        self.advance();
        Ok(kind)
    }

    /// `name [":" number | "[" expression "]"] ["=" initial]`
    fn declarator(&mut self) -> Checked<Declarator> {
        let name = self.name()?;
        let start = name.span;
        let width = if self.eat(TokenKind::Colon) {
            let token = self.expect(TokenKind::Number)?;
            Some(Expression { kind: ExpressionKind::Number(self.number(token)), span: token.span })
        } else {
            None
        };
        let length = if width.is_none() { self.bracketed()? } else { None };
        let initial = if self.eat(TokenKind::Equal) { Some(self.initial()?) } else { None };
        Ok(Declarator { name, width, length, initial, span: self.since(start) })
    }

    /// `["[" expression "]"]`
    pub(super) fn bracketed(&mut self) -> Checked<Option<Expression>> {
        if !self.eat(TokenKind::OpenBracket) {
            return Ok(None);
        }
        let inside = self.nested(Self::expression)?;
        self.expect(TokenKind::CloseBracket)?;
        Ok(Some(inside))
    }

    /// `expression | "{" expression {"," expression} "}" | "[" expression "]" "of" "{" type {"," type} "}"`
    fn initial(&mut self) -> Checked<Initial> {
        let start = self.span();
        if self.eat(TokenKind::OpenBrace) {
            let values = self.nested(|parser| parser.separated(Self::expression))?;
            self.expect(TokenKind::CloseBrace)?;
            return Ok(Initial::List(values));
        }
        let at = self.token();
        let Some(capacity) = self.bracketed()? else { return Ok(Initial::Value(self.expression()?)) };
        self.expect(TokenKind::Of)?;
        if !self.is_constant(&capacity) {
            let help = match &capacity.kind {
                ExpressionKind::Reference(reference) if reference.parts.len() == 1 => {
                    format!(
                        "is a `#define {}` missing? variables are no constants",
                        reference.parts[0].name.text
                    )
                }
                _ => "write a number, or a macro for one".to_owned(),
            };
            let message = "the capacity of a channel must be a constant";
            let error = Diagnostic::error(codes::NOT_CONSTANT, capacity.span, message, "not a constant");
            self.report(at, error.help(help));
        }
        self.expect(TokenKind::OpenBrace)?;
        let fields = self.separated(Self::field)?;
        self.expect(TokenKind::CloseBrace)?;
        Ok(Initial::Channel { capacity, fields, span: self.since(start) })
    }

    /// The type of a part of a message.
    fn field(&mut self) -> Checked<Type> {
        let at = self.token();
        let kind = self.type_name()?;
        if matches!(kind, Type::Unsigned) {
            let message = "an `unsigned` cannot be a part of a message";
            let error = Diagnostic::error(codes::UNEXPECTED_TOKEN, at.span, message, "without a width");
            self.report(at, error.help("use `byte`, `short` or `int`"));
            if self.eat(TokenKind::Colon) {
                self.expect(TokenKind::Number)?;
            }
        }
        Ok(kind)
    }

    /// Whether an expression consists of numbers, names of messages and arithmetic.
    fn is_constant(&self, expression: &Expression) -> bool {
        use BinaryOperator::*;
        match &expression.kind {
            ExpressionKind::Number(_) => true,
            ExpressionKind::Reference(reference) => {
                let part = &reference.parts[0];
                reference.parts.len() == 1
                    && part.index.is_none()
                    && self.declared.has_message(&part.name.text)
            }
            ExpressionKind::Unary(UnaryOperator::Negate, operand) => self.is_constant(operand),
            ExpressionKind::Binary(Add | Subtract | Multiply | Divide | Remainder, left, right) => {
                self.is_constant(left) && self.is_constant(right)
            }
            _ => false,
        }
    }
}
