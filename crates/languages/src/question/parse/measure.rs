//! Progress measures: one expression, a tuple `(a, b, c)` of which the first counts most, or a
//! vector `[a, b, c]`, compared component by component.
//!
//! A leading parenthesis does not tell an expression from a tuple: `(a) + b` is an expression. A
//! tuple has a comma directly inside its first parenthesis. No expression begins with a bracket.
//! Lists do not nest: `(a, (b, c))` compares like `(a, b, c)`, so the flat form loses nothing.
//!
//! A file declares its measure in a comment, `// progress: x + y`, so that other tools still read
//! the file.
//!
//! The forms that only measures have are here too: `order(x: 0 < 1, 2)`, `process P`,
//! `channel c.length` and `c[0].1`. DVE has no calls, so a name before a parenthesis is free for
//! the first; `process` and `channel` are reserved words. No other text changes its meaning, and a
//! variable may be called `order`.

use model::guarded_commands::Span;
use model::measure::MeasureKind;

use super::{Expected, Parser};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics};
use crate::names::NameSyntax;
use crate::question::syntax::{
    BufferCell, Expression, ExpressionKind, Measure, Name, OrderValue, Purpose, Rank,
};
use crate::question::tokens::TokenKind;

/// The word at the start of an order.
pub(super) const ORDER_WORD: &str = "order";

/// Advice about an order that cannot be read.
pub(super) const ORDER: &str = "an order is written `order(x: 0 < 1, 2 < 5)`: ranks rise at each `<`, and a comma separates values of equal rank";

/// Reads a measure that makes up the part of `text` at `span`.
pub(crate) fn measure<'text>(
    text: &'text str,
    span: Span,
    syntax: &'static dyn NameSyntax,
    diagnostics: &mut Diagnostics,
) -> Checked<(Vec<Expression<'text>>, MeasureKind)> {
    let part = text.get(..span.end as usize).unwrap_or(text);
    let mut parser = Parser::starting_at(span.start as usize, part, Purpose::Measure, diagnostics);
    parser.syntax = syntax;
    let components = parser.components()?;
    parser.expect(TokenKind::End)?;
    Ok(components)
}

/// Reads the measure that the comments of a file declare at `places`; more than one is an error.
pub(crate) fn declared<'text>(
    text: &'text str,
    places: &[Span],
    syntax: &'static dyn NameSyntax,
    diagnostics: &mut Diagnostics,
) -> Option<Measure<'text>> {
    let (first, others) = places.split_first()?;
    for other in others {
        let message = "a second progress measure";
        let error = Diagnostic::error(codes::REPEATED_MEASURE, *other, message, "the model has one already");
        let help = "keep one `// progress:` comment; several values are compared in order as `(a, b)`, or each by itself as `[a, b]`";
        diagnostics.report(error.help(help));
    }
    let (components, kind) = measure(text, *first, syntax, diagnostics).ok()?;
    let text = &text[first.start as usize..first.end as usize];
    Some(Measure { text, span: *first, components, kind })
}

impl<'text> Parser<'text, '_> {
    /// `measure = expression | "(" expression "," expression { "," expression } ")" | "["
    /// expression { "," expression } "]"`
    fn components(&mut self) -> Checked<(Vec<Expression<'text>>, MeasureKind)> {
        if self.eat(TokenKind::OpenBracket) {
            let components = self.separated(Self::expression)?;
            self.expect(TokenKind::CloseBracket)?;
            // A single component is compared in one way only.
            let kind = if components.len() > 1 { MeasureKind::Product } else { MeasureKind::Lexicographic };
            return Ok((components, kind));
        }
        if !self.at_list() {
            return Ok((vec![self.expression()?], MeasureKind::Lexicographic));
        }
        self.expect(TokenKind::OpenParenthesis)?;
        let components = self.separated(Self::expression)?;
        self.expect(TokenKind::CloseParenthesis)?;
        Ok((components, MeasureKind::Lexicographic))
    }

    /// Whether a parenthesis with a comma directly inside opens here.
    fn at_list(&self) -> bool {
        let mut open = 0_usize;
        for token in &self.tokens[self.next..] {
            match token.kind {
                TokenKind::OpenParenthesis | TokenKind::OpenBracket => open += 1,
                TokenKind::CloseParenthesis | TokenKind::CloseBracket => open = open.saturating_sub(1),
                TokenKind::Comma if open == 1 => return true,
                _ => {}
            }
            if open == 0 {
                return false;
            }
        }
        false
    }

    /// Whether an order begins here.
    pub(super) fn at_order(&self) -> bool {
        self.purpose == Purpose::Measure
            && self.spelling(self.span()) == ORDER_WORD
            && self.kind_at(self.next + 1) == TokenKind::OpenParenthesis
    }

    /// Whether an order has just been opened, or a token that only orders have is expected.
    pub(super) fn in_order(&self) -> bool {
        let marks = [TokenKind::Colon, TokenKind::Less, TokenKind::Number(0)].map(Expected::Token);
        let opened = match self.tokens[..self.next] {
            [.., word, open] => {
                open.kind == TokenKind::OpenParenthesis && self.spelling(word.span) == ORDER_WORD
            }
            _ => false,
        };
        let expects_mark = marks.iter().any(|mark| self.expected.contains(mark));
        self.purpose == Purpose::Measure && (opened || expects_mark)
    }

    /// `order = "order" "(" expression ":" class { "<" class } ")"`, `class = value { "," value }`
    pub(super) fn order(&mut self) -> Checked<Expression<'text>> {
        let start = self.span();
        self.advance();
        self.expect(TokenKind::OpenParenthesis)?;
        let alone = self.name_alone();
        let operand = self.nested(start, Self::expression)?;
        self.expect(TokenKind::Colon)?;
        let first = self.span();
        let mut classes = vec![self.separated(Self::order_value)?];
        while self.eat(TokenKind::Less) {
            classes.push(self.separated(Self::order_value)?);
        }
        let values = first.to(self.previous_span());
        let end = self.expect(TokenKind::CloseParenthesis)?;
        let (depth, span) = (1 + operand.depth, start.to(end));
        let rank = Rank { operand: Box::new(operand), alone, classes, span: values };
        self.shallow(Expression { kind: ExpressionKind::Rank(rank), span, depth })
    }

    /// The name that makes up an order's whole operand: the `P` of `P: …` or `process P: …`.
    fn name_alone(&self) -> Option<Name<'text>> {
        let place = self.next + usize::from(self.kind() == TokenKind::Process);
        let is_alone = self.kind_at(place) == TokenKind::Word && self.kind_at(place + 1) == TokenKind::Colon;
        is_alone.then(|| self.tokens[place].span).map(|span| Name { text: self.spelling(span), span })
    }

    /// `value = name | [ "-" ] number`
    fn order_value(&mut self) -> Checked<OrderValue<'text>> {
        let start = self.span();
        let is_negative = self.eat(TokenKind::Minus);
        let number = match self.kind() {
            TokenKind::Number(number) => Some(if is_negative { -number } else { number }),
            TokenKind::Word if !is_negative => None,
            _ => {
                self.note(Expected::Token(TokenKind::Number(0)));
                self.note(Expected::Token(TokenKind::Word));
                return Err(self.unexpected());
            }
        };
        self.advance();
        let span = start.to(self.previous_span());
        Ok(OrderValue { name: Name { text: self.spelling(span), span }, number })
    }

    /// `qualified = "process" name | "channel" name ( "." name | message )`
    pub(super) fn qualified(&mut self) -> Checked<Expression<'text>> {
        let (start, keyword) = (self.span(), self.kind());
        self.advance();
        let name = self.name()?;
        let leaf = |kind, end| Ok(Expression { kind, span: start.to(end), depth: 1 });
        if keyword == TokenKind::Process {
            return leaf(ExpressionKind::Process(name), name.span);
        }
        if self.eat(TokenKind::Dot) {
            let cell = self.name()?;
            let kind = ExpressionKind::Buffer { channel: name, cell: BufferCell::Named(cell) };
            return leaf(kind, cell.span);
        }
        match self.bracketed()? {
            Some(index) => self.buffered(name, start, index),
            None => Err(self.unexpected()),
        }
    }

    /// Whether a part of a message follows.
    pub(super) fn at_part(&self) -> bool {
        self.purpose == Purpose::Measure && self.kind() == TokenKind::Dot
    }

    /// `message = "[" expression "]" [ "." number ]`, after its index.
    pub(super) fn buffered(
        &mut self,
        channel: Name<'text>,
        start: Span,
        index: Expression<'text>,
    ) -> Checked<Expression<'text>> {
        let part = if self.at_part() { Some(Box::new(self.part()?)) } else { None };
        let (depth, index) = (1 + index.depth, Box::new(index));
        let kind = ExpressionKind::Buffer { channel, cell: BufferCell::Message { index, part } };
        self.shallow(Expression { kind, span: start.to(self.previous_span()), depth })
    }

    fn part(&mut self) -> Checked<Expression<'text>> {
        self.advance();
        let (span, kind) = (self.span(), self.kind());
        let TokenKind::Number(number) = kind else {
            self.note(Expected::Class("the number of a message's part"));
            return Err(self.unexpected());
        };
        self.advance();
        Ok(Expression { kind: ExpressionKind::Number(number), span, depth: 1 })
    }
}
