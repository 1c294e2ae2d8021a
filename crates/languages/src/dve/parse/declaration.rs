//! Variables, constants and channels.

use model::guarded_commands::IntegerType;

use crate::diagnostic::Checked;
use crate::dve::syntax::{Channel, Declaration, Initial, Mutability};
use crate::question::parse::Parser;
use crate::question::tokens::TokenKind;

impl<'text> Parser<'text, '_> {
    /// Whether a declaration of variables or constants starts here.
    pub(super) fn at_declaration(&mut self) -> bool {
        self.at(TokenKind::Const) || self.at(TokenKind::Byte) || self.at(TokenKind::Int)
    }

    /// `declaration = [ "const" ] type declarator { "," declarator } ";"`
    pub(super) fn declarations(&mut self, declared: &mut Vec<Declaration<'text>>) {
        let mutability = if self.eat(TokenKind::Const) { Mutability::Constant } else { Mutability::Variable };
        let Ok(integer) = self.integer_type() else { return self.skip_section() };
        loop {
            match self.declarator(mutability, integer) {
                Ok(declaration) => declared.push(declaration),
                Err(_) => self.skip_to(&[TokenKind::Comma, TokenKind::Semicolon, TokenKind::CloseBrace]),
            }
            if !self.eat(TokenKind::Comma) {
                return self.end_section();
            }
        }
    }

    /// `type = "byte" | "int"`
    fn integer_type(&mut self) -> Checked<IntegerType> {
        if self.eat(TokenKind::Byte) {
            Ok(IntegerType::BYTE)
        } else if self.eat(TokenKind::Int) {
            Ok(IntegerType::SHORT)
        } else {
            Err(self.unexpected())
        }
    }

    /// `declarator = name [ "[" expression "]" ] [ "=" ( expression | "{" expression { ","
    /// expression } "}" ) ]`
    fn declarator(&mut self, mutability: Mutability, integer: IntegerType) -> Checked<Declaration<'text>> {
        let name = self.name()?;
        let length = self.bracketed()?;
        let initial = if self.eat(TokenKind::Equal) { Some(self.initial()?) } else { None };
        Ok(Declaration { mutability, integer, name, length, initial })
    }

    fn initial(&mut self) -> Checked<Initial<'text>> {
        let start = self.span();
        if !self.eat(TokenKind::OpenBrace) {
            return Ok(Initial::Value(self.expression()?));
        }
        let values = self.separated(Self::expression)?;
        let end = self.expect(TokenKind::CloseBrace)?;
        Ok(Initial::List(values, start.to(end)))
    }

    /// `channels = "channel" [ "{" type { "," type } "}" ] name [ "[" expression "]" ] { "," … }
    /// ";"`
    pub(super) fn channels(&mut self, declared: &mut Vec<Channel<'text>>) {
        self.advance();
        let fields = match self.at(TokenKind::OpenBrace).then(|| self.message_type()).transpose() {
            Ok(fields) => fields,
            Err(_) => return self.skip_section(),
        };
        loop {
            match self.channel(fields.as_ref()) {
                Ok(channel) => declared.push(channel),
                Err(_) => self.skip_to(&[TokenKind::Comma, TokenKind::Semicolon, TokenKind::CloseBrace]),
            }
            if !self.eat(TokenKind::Comma) {
                return self.end_section();
            }
        }
    }

    fn message_type(&mut self) -> Checked<Vec<IntegerType>> {
        self.expect(TokenKind::OpenBrace)?;
        let fields = self.separated(Self::integer_type)?;
        self.expect(TokenKind::CloseBrace)?;
        Ok(fields)
    }

    fn channel(&mut self, fields: Option<&Vec<IntegerType>>) -> Checked<Channel<'text>> {
        Ok(Channel { name: self.name()?, fields: fields.cloned(), capacity: self.bracketed()? })
    }
}
