//! Formulas of computation tree logic, as far as this version decides them: `EF f`, `AG f`, `AG EF f`, `EF AG f`.
//!
//! These four are the forms that the sweep-line method decides (thesis 2017, sections 4.2 and 5): the first two
//! while states are explored, the others from the strongly connected components of a space with monotonic progress.
//!
//! An operator is a word of its own, so `EFfort` is a variable; `AGEF` and `EFAG` are one word for two. An operator
//! takes everything up to the end or to the parenthesis that closes it: `AG p or q` is `AG (p or q)`. All other
//! CTL is recognised, so that it can be refused with advice and not with a remark about an unexpected token.

use sweepline::model::guarded_commands::Span;

use super::Parser;
use super::expression::binary_operator;
use crate::codes;
use crate::ctl::CtlForm;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, Reported};
use crate::dve::syntax::Expression;
use crate::dve::tokens::TokenKind;

/// What to write instead of any other formula.
const FORMS: &str = "this version decides `EF f`, `AG f`, `AG EF f` and `EF AG f`, where `f` is an expression over \
                     one state; `not EF f` is `AG not f`, and a conjunction can be checked part by part";

/// Operators of temporal logics that are recognised and refused.
const UNDECIDED: &[&str] =
    &["A", "AF", "AR", "AU", "AW", "AX", "E", "EG", "ER", "EU", "EW", "EX", "F", "G", "X"];

/// Operators between two formulas.
const UNTIL: &[&str] = &["U", "W", "R"];

/// One temporal operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Ef,
    Ag,
}

/// A formula as written.
pub(crate) struct Formula<'text> {
    pub(crate) form: CtlForm,
    pub(crate) operand: Expression<'text>,
    /// Where the operand stands, with its parentheses.
    pub(crate) place: Span,
}

/// Reads a formula that makes up the whole text.
pub(crate) fn formula<'text>(text: &'text str, diagnostics: &mut Diagnostics) -> Checked<Formula<'text>> {
    let mut parser = Parser::new(text, diagnostics);
    parser.refuse_undecided()?;
    let whole = Span::new(0, text.len());
    let mut operators = Vec::new();
    let (operand, place) = parser.temporal(&mut operators)?;
    parser.refuse_combination()?;
    parser.expect(TokenKind::End)?;
    let form = match operators.as_slice() {
        [Operator::Ef] => CtlForm::Ef,
        [Operator::Ag] => CtlForm::Ag,
        [Operator::Ag, Operator::Ef] => CtlForm::AgEf,
        [Operator::Ef, Operator::Ag] => CtlForm::EfAg,
        [] => return Err(parser.refuse(operand.span, "a formula without a temporal operator", STATE)),
        _ => return Err(parser.refuse(whole, "temporal operators nested in another way", FORMS)),
    };
    Ok(Formula { form, operand, place })
}

/// What to write around an expression over one state.
const STATE: &str =
    "write `AG f` if every reachable state should satisfy it, `EF f` if some reachable state should";

impl<'text> Parser<'text, '_> {
    /// `formula = { "EF" | "AG" | "AGEF" | "EFAG" } ( expression | "(" formula ")" )`
    fn temporal(&mut self, operators: &mut Vec<Operator>) -> Checked<(Expression<'text>, Span)> {
        let span = self.span();
        let found = self.operators_at(self.next);
        if !found.is_empty() {
            operators.extend(found);
            self.advance();
            return self.nested(span, |parser| parser.temporal(operators));
        }
        if !self.at_parenthesised_operator() {
            self.refuse_operator_inside()?;
            let operand = self.expression()?;
            let end = self.tokens.get(self.next.saturating_sub(1)).map_or(span.end, |token| token.span.end);
            return Ok((operand, Span { start: span.start, end }));
        }
        self.advance();
        let operand = self.nested(span, |parser| parser.temporal(operators))?;
        self.refuse_combination()?;
        self.expect(TokenKind::CloseParenthesis)?;
        Ok(operand)
    }

    /// The temporal operators that the token at this place stands for.
    fn operators_at(&self, place: usize) -> &'static [Operator] {
        match self.word_at(place) {
            // What an operand of `==` or the owner of a state is cannot be an operator.
            Some(_) if self.continues_expression(place + 1) => &[],
            Some("EF") => &[Operator::Ef],
            Some("AG") => &[Operator::Ag],
            Some("AGEF") => &[Operator::Ag, Operator::Ef],
            Some("EFAG") => &[Operator::Ef, Operator::Ag],
            _ => &[],
        }
    }

    /// Whether parentheses open here and the first thing inside is a temporal operator.
    fn at_parenthesised_operator(&self) -> bool {
        let is_open = |place: &usize| self.kind_at(*place) == TokenKind::OpenParenthesis;
        let inside = (self.next..).find(|place| !is_open(place)).unwrap_or(self.next);
        inside > self.next && !self.operators_at(inside).is_empty()
    }

    fn word_at(&self, place: usize) -> Option<&'text str> {
        let token = self.tokens.get(place).filter(|token| token.kind == TokenKind::Word)?;
        Some(self.spelling(token.span))
    }

    /// Whether the token can follow a variable. A minus is taken for the sign of an operand.
    fn continues_expression(&self, place: usize) -> bool {
        let kind = self.kind_at(place);
        let is_suffix = matches!(kind, TokenKind::Dot | TokenKind::Arrow | TokenKind::OpenBracket);
        is_suffix || (binary_operator(kind).is_some() && kind != TokenKind::Minus)
    }

    /// Whether the token can start an operand but can not follow a variable.
    fn starts_operand(&self, place: usize) -> bool {
        matches!(
            self.kind_at(place),
            TokenKind::Word
                | TokenKind::Number(_)
                | TokenKind::OpenParenthesis
                | TokenKind::Bang
                | TokenKind::Not
                | TokenKind::Tilde
                | TokenKind::True
                | TokenKind::False
        )
    }

    /// Reports a text that is empty, or any operator that no supported form has, wherever it stands.
    fn refuse_undecided(&mut self) -> Checked<()> {
        if self.kind() == TokenKind::End {
            return Err(self.refuse(self.span(), "the formula is empty", FORMS));
        }
        for place in 0..self.tokens.len() {
            let Some(word) = self.word_at(place) else { continue };
            let between = UNTIL.contains(&word) && place > 0 && !self.starts_formula(place);
            let before = UNDECIDED.contains(&word);
            if (before || between) && self.starts_operand(place + 1) {
                let message = format!("the temporal operator `{word}` is not decided");
                return Err(self.refuse(self.tokens[place].span, &message, FORMS));
            }
        }
        Ok(())
    }

    /// Whether what stands before this place leaves room for a formula to start here.
    fn starts_formula(&self, place: usize) -> bool {
        let before = self.kind_at(place - 1);
        let ends_operand = matches!(
            before,
            TokenKind::Word
                | TokenKind::Number(_)
                | TokenKind::CloseParenthesis
                | TokenKind::CloseBracket
                | TokenKind::True
                | TokenKind::False
        );
        !ends_operand
    }

    /// Reports a temporal operator inside of the expression over one state that starts here.
    fn refuse_operator_inside(&mut self) -> Checked<()> {
        let mut open = 0_usize;
        for place in self.next..self.tokens.len() {
            match self.kind_at(place) {
                TokenKind::OpenParenthesis => open += 1,
                // The parenthesis around the expression: behind it, something else begins.
                TokenKind::CloseParenthesis if open == 0 => break,
                TokenKind::CloseParenthesis => open -= 1,
                _ if !self.operators_at(place).is_empty() && self.starts_operand(place + 1) => {
                    let span = self.tokens[place].span;
                    return Err(self.refuse(span, "a temporal formula as part of an expression", FORMS));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Reports an operator behind a temporal formula.
    fn refuse_combination(&mut self) -> Checked<()> {
        if binary_operator(self.kind()).is_none() {
            return Ok(());
        }
        Err(self.refuse(self.span(), "temporal formulas cannot be combined", FORMS))
    }

    fn refuse(&mut self, span: Span, message: &str, help: &str) -> Reported {
        let error = Diagnostic::error(codes::UNDECIDED_FORMULA, span, message, "not a form that is decided");
        self.diagnostics.report(error.help(help))
    }
}
