//! Expressions, by precedence climbing.
//!
//! One table gives all binary operators their strength. All of them group to the left, as in
//! DiVinE's grammar. Depth is limited twice: during descent, because parentheses and prefix
//! operators use the parser's stack; and on the result, because a long `a + a + …` makes a deep
//! tree without any descent, and every later stage recurses over trees.

use model::guarded_commands::{BinaryOperator, Span, UnaryOperator};

use super::{Expected, Parser};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Reported};
use crate::question::syntax::{Expression, ExpressionKind, Name, Purpose};
use crate::question::tokens::{self, TokenKind};

/// Levels of the deepest expression that is accepted. Hand-written and generated models stay far
/// below.
pub(crate) const DEEPEST: usize = 256;

/// The name of the twenty binary operators in a list of expected tokens.
pub(super) const OPERATOR: Expected = Expected::Class("an operator");

/// The strength of a binary operator, loosest first, and its meaning.
pub(super) fn binary_operator(kind: TokenKind) -> Option<(u8, BinaryOperator)> {
    Some(match kind {
        TokenKind::Imply => (1, BinaryOperator::Imply),
        TokenKind::Or | TokenKind::BarBar => (2, BinaryOperator::Or),
        TokenKind::And | TokenKind::AmpersandAmpersand => (3, BinaryOperator::And),
        TokenKind::Bar => (4, BinaryOperator::BitOr),
        TokenKind::Caret => (5, BinaryOperator::BitXor),
        TokenKind::Ampersand => (6, BinaryOperator::BitAnd),
        TokenKind::EqualEqual => (7, BinaryOperator::Equal),
        TokenKind::BangEqual => (7, BinaryOperator::NotEqual),
        TokenKind::Less => (8, BinaryOperator::Less),
        TokenKind::LessEqual => (8, BinaryOperator::LessOrEqual),
        TokenKind::Greater => (8, BinaryOperator::Greater),
        TokenKind::GreaterEqual => (8, BinaryOperator::GreaterOrEqual),
        TokenKind::LessLess => (9, BinaryOperator::ShiftLeft),
        TokenKind::GreaterGreater => (9, BinaryOperator::ShiftRight),
        TokenKind::Plus => (10, BinaryOperator::Add),
        TokenKind::Minus => (10, BinaryOperator::Subtract),
        TokenKind::Star => (11, BinaryOperator::Multiply),
        TokenKind::Slash => (11, BinaryOperator::Divide),
        TokenKind::Percent => (11, BinaryOperator::Remainder),
        _ => return None,
    })
}

/// The strength of prefix operators and operands, above that of all binary operators.
pub(crate) const TIGHTEST: u8 = 12;

/// The strength of an operator and its spelling; of two spellings, the word.
pub(crate) fn spelling(operator: BinaryOperator) -> (u8, &'static str) {
    let spellings = tokens::fixed().filter_map(|(spelling, kind)| Some((spelling, binary_operator(kind)?)));
    let mut spellings = spellings.filter(|(_, (_, meaning))| *meaning == operator);
    let (spelling, (strength, _)) = spellings.next().expect("every operator has a token");
    (strength, spelling)
}

impl<'text> Parser<'text, '_> {
    pub(crate) fn expression(&mut self) -> Checked<Expression<'text>> {
        self.binary(0)
    }

    /// Reads a chain of operators at least as strong as `weakest`.
    fn binary(&mut self, weakest: u8) -> Checked<Expression<'text>> {
        let mut left = self.prefixed()?;
        while let Some((strength, operator)) = binary_operator(self.kind()).filter(|found| found.0 >= weakest)
        {
            self.advance();
            let right = self.binary(strength + 1)?;
            let span = left.span.to(right.span);
            let depth = 1 + left.depth.max(right.depth);
            let kind = ExpressionKind::Binary { operator, left: Box::new(left), right: Box::new(right) };
            left = self.shallow(Expression { kind, span, depth })?;
        }
        self.expect_operator();
        Ok(left)
    }

    /// Notes that an operator could follow.
    pub(super) fn expect_operator(&mut self) {
        // After an operand, `.` and the like are possible too, but rarely the ones that are
        // missing.
        let suffixes = [TokenKind::Dot, TokenKind::Arrow, TokenKind::OpenBracket].map(Expected::Token);
        self.expected.retain(|expected| !suffixes.contains(expected));
        self.note(OPERATOR);
    }

    /// Reads a prefix operator with its operand, or an operand.
    fn prefixed(&mut self) -> Checked<Expression<'text>> {
        let operator = match self.kind() {
            TokenKind::Minus => UnaryOperator::Negate,
            TokenKind::Tilde => UnaryOperator::Complement,
            TokenKind::Not | TokenKind::Bang => UnaryOperator::Not,
            _ => return self.operand(),
        };
        let start = self.span();
        self.advance();
        let operand = self.nested(start, Self::prefixed)?;
        let (span, depth) = (start.to(operand.span), operand.depth + 1);
        let kind = ExpressionKind::Unary { operator, operand: Box::new(operand) };
        self.shallow(Expression { kind, span, depth })
    }

    /// `operand = number | "true" | "false" | "(" expression ")" |
    /// named`, and in measures `order` and `qualified`. [`NameSyntax`](crate::names::NameSyntax) reads `named`.
    pub(super) fn operand(&mut self) -> Checked<Expression<'text>> {
        let span = self.span();
        let number = |value| Expression { kind: ExpressionKind::Number(value), span, depth: 1 };
        match self.kind() {
            TokenKind::Number(value) => {
                self.advance();
                Ok(number(value))
            }
            TokenKind::True | TokenKind::False => {
                let value = i64::from(self.kind() == TokenKind::True);
                self.advance();
                Ok(number(value))
            }
            TokenKind::OpenParenthesis => {
                self.advance();
                let inner = self.nested(span, Self::expression)?;
                let end = self.expect(TokenKind::CloseParenthesis)?;
                Ok(Expression { span: span.to(end), ..inner })
            }
            TokenKind::Process | TokenKind::Channel if self.purpose == Purpose::Measure => self.qualified(),
            TokenKind::Quoted => Ok(self.quoted_name()),
            TokenKind::Word if self.at_order() => self.order(),
            TokenKind::Word => self.named(),
            _ => {
                self.note(Expected::Class("an expression"));
                Err(self.unexpected())
            }
        }
    }

    /// Reads a variable whose name is quoted because it is no word.
    pub(super) fn quoted_name(&mut self) -> Expression<'text> {
        let span = self.span();
        self.advance();
        let inside = Span { start: span.start + 1, end: span.end - 1 };
        let name = Name { text: self.spelling(inside), span };
        Expression { kind: ExpressionKind::Variable { name, index: None }, span, depth: 1 }
    }

    /// Reads an operand that begins with a name, in the notation of the model's language.
    pub(super) fn named(&mut self) -> Checked<Expression<'text>> {
        let syntax = self.syntax;
        syntax.operand(self)
    }

    /// Completes the variable `name`, which was just read, with its index; in a measure it may be a
    /// message of a queue.
    pub(crate) fn variable(&mut self, name: Name<'text>) -> Checked<Expression<'text>> {
        let index = match self.bracketed()? {
            Some(index) if self.at_part() => return self.buffered(name, name.span, index),
            index => index,
        };
        self.with_index(name.span, index, |index| ExpressionKind::Variable { name, index })
    }

    /// Completes an operand that began at `start` with the index that may follow.
    pub(crate) fn indexed(
        &mut self,
        start: Span,
        kind: impl FnOnce(Option<Box<Expression<'text>>>) -> ExpressionKind<'text>,
    ) -> Checked<Expression<'text>> {
        let index = self.bracketed()?;
        self.with_index(start, index, kind)
    }

    fn with_index(
        &mut self,
        start: Span,
        index: Option<Expression<'text>>,
        kind: impl FnOnce(Option<Box<Expression<'text>>>) -> ExpressionKind<'text>,
    ) -> Checked<Expression<'text>> {
        let span = start.to(self.previous_span());
        let depth = 1 + index.as_ref().map_or(0, |index| index.depth);
        self.shallow(Expression { kind: kind(index.map(Box::new)), span, depth })
    }

    /// Returns the expression, unless it is too deep.
    pub(super) fn shallow(&mut self, expression: Expression<'text>) -> Checked<Expression<'text>> {
        if expression.depth > DEEPEST { Err(self.too_deep(expression.span)) } else { Ok(expression) }
    }

    /// Reads the name after a dot. Most states of a state space have numbers as names.
    pub(crate) fn location_name(&mut self) -> Checked<Name<'text>> {
        let span = self.span();
        if let TokenKind::Number(_) = self.kind() {
            self.advance();
            return Ok(Name { text: self.spelling(span), span });
        }
        self.name()
    }

    /// Reads `[expression]`, if there is one.
    pub(crate) fn bracketed(&mut self) -> Checked<Option<Expression<'text>>> {
        let start = self.span();
        if !self.eat(TokenKind::OpenBracket) {
            return Ok(None);
        }
        let index = self.nested(start, Self::expression)?;
        self.expect(TokenKind::CloseBracket)?;
        Ok(Some(index))
    }

    /// Reads a part inside an operator, parenthesis or bracket that was opened at `start`.
    pub(super) fn nested<T>(
        &mut self,
        start: Span,
        inner: impl FnOnce(&mut Self) -> Checked<T>,
    ) -> Checked<T> {
        if self.nesting >= DEEPEST {
            return Err(self.too_deep(start));
        }
        self.nesting += 1;
        let read = inner(self);
        self.nesting -= 1;
        read
    }

    fn too_deep(&mut self, span: Span) -> Reported {
        let message = format!("an expression with more than {DEEPEST} levels");
        let error = Diagnostic::error(codes::NESTED_TOO_DEEPLY, span, message, "nested too deeply");
        self.diagnostics.report(error.help("split it over variables or several guards"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Diagnostics;
    use crate::question::parse::expression_at;

    /// The tree with every operator in parentheses.
    fn show(expression: &Expression<'_>) -> String {
        match &expression.kind {
            ExpressionKind::Number(value) => value.to_string(),
            ExpressionKind::Variable { name, index: None } => name.text.to_owned(),
            ExpressionKind::Variable { name, index: Some(index) } => {
                format!("{}[{}]", name.text, show(index))
            }
            ExpressionKind::Foreign { process, name, index } => {
                let index = index.as_ref().map_or_else(String::new, |index| format!("[{}]", show(index)));
                format!("{}->{}{index}", process.text, name.text)
            }
            ExpressionKind::At { process, location } => format!("{}.{}", process.text, location.text),
            ExpressionKind::Unary { operator, operand } => format!("{operator:?}({})", show(operand)),
            ExpressionKind::Binary { operator, left, right } => {
                format!("({} {operator:?} {})", show(left), show(right))
            }
            other => format!("{other:?}"),
        }
    }

    fn parsed<'text>(text: &'text str, diagnostics: &mut Diagnostics) -> Checked<Expression<'text>> {
        expression_at(text, Span::new(0, text.len()), crate::names::ARROW_AND_DOT, diagnostics)
    }

    fn tree(text: &str) -> String {
        let mut diagnostics = Diagnostics::default();
        let parsed = parsed(text, &mut diagnostics);
        diagnostics.check(parsed).map(|expression| show(&expression)).unwrap()
    }

    fn code(text: &str) -> &'static str {
        let mut diagnostics = Diagnostics::default();
        let parsed = parsed(text, &mut diagnostics);
        diagnostics.check(parsed).map(|_| ()).unwrap_err()[0].code
    }

    #[test]
    fn each_level_binds_tighter_than_the_one_before() {
        let ladder = ["imply", "or", "and", "|", "^", "&", "==", "<", "<<", "+", "*"];
        for pair in ladder.windows(2) {
            let tight_right = tree(&format!("a {} b {} c", pair[0], pair[1]));
            let tight_left = tree(&format!("a {} b {} c", pair[1], pair[0]));
            assert!(tight_right.ends_with("c))"), "{tight_right}");
            assert!(tight_left.starts_with("((a"), "{tight_left}");
        }
    }

    #[test]
    fn operators_are_spelt_as_they_are_read() {
        assert_eq!(spelling(BinaryOperator::Or), (2, "or"));
        assert_eq!(spelling(BinaryOperator::BitOr), (4, "|"));
        let strengths = tokens::fixed().filter_map(|(_, kind)| binary_operator(kind));
        assert_eq!(strengths.map(|(strength, _)| strength).max(), Some(TIGHTEST - 1));
    }

    #[test]
    fn operators_of_one_level_group_to_the_left() {
        assert_eq!(tree("a - b + c"), "((a Subtract b) Add c)");
        assert_eq!(tree("a / b % c * d"), "(((a Divide b) Remainder c) Multiply d)");
        assert_eq!(tree("a != b == c"), "((a NotEqual b) Equal c)");
        assert_eq!(tree("a imply b imply c"), "((a Imply b) Imply c)");
    }

    #[test]
    fn prefix_operators_bind_tightest() {
        assert_eq!(tree("not a == b"), "(Not(a) Equal b)");
        assert_eq!(tree("- -a * ~b"), "(Negate(Negate(a)) Multiply Complement(b))");
        assert_eq!(tree("!(a && b) || true"), "(Not((a And b)) Or 1)");
    }

    #[test]
    fn other_processes_are_read_by_dot_and_arrow() {
        assert_eq!(tree("P.s + P->v > P->a[i+1]"), "((P.s Add P->v) Greater P->a[(i Add 1)])");
    }

    #[test]
    fn depth_is_limited_however_it_is_made() {
        let chain = |terms: usize| vec!["a"; terms].join("+");
        assert!(tree(&chain(DEEPEST)).starts_with('('));
        assert_eq!(code(&chain(DEEPEST + 1)), codes::NESTED_TOO_DEEPLY);
        assert_eq!(code(&chain(100_000)), codes::NESTED_TOO_DEEPLY);
        for opening in ["(", "-", "!", "a[", "not ", "1+(", "P->a["] {
            assert_eq!(code(&opening.repeat(100_000)), codes::NESTED_TOO_DEEPLY, "{opening}");
        }
    }
}
