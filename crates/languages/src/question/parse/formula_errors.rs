//! Errors in formulas: what was found, and what to write instead.

use model::guarded_commands::Span;

use super::Expected;
use super::expression::DEEPEST;
use super::formula::Reader;
use super::operator_words::{between, prefixes};
use crate::codes;
use crate::diagnostic::{Diagnostic, Reported};
use crate::question::syntax::UnaryTemporal;
use crate::question::tokens::TokenKind;

impl Reader<'_, '_, '_> {
    /// Reports the current token, where an operator or the end was expected.
    pub(super) fn misplaced(&mut self) -> Reported {
        let span = self.parser.span();
        match self.parser.kind() {
            TokenKind::CloseParenthesis | TokenKind::CloseBracket => {
                let message = format!("{} closes nothing", self.parser.kind().describe());
                let error = Diagnostic::error(codes::UNBALANCED, span, message, "not opened before");
                self.parser.diagnostics.report(error.help("remove it, or open it before"))
            }
            TokenKind::Word if self.word().and_then(between).is_some() => self.missing_quantifier(span),
            _ => self.parser.unexpected(),
        }
    }

    /// Reports the current token, where an operand was expected.
    pub(super) fn missing_operand(&mut self) -> Reported {
        let kind = self.parser.kind();
        let ends = [TokenKind::End, TokenKind::CloseParenthesis, TokenKind::CloseBracket];
        if !ends.contains(&kind) && self.infix().is_none() && kind != TokenKind::Word {
            self.parser.note(Expected::Class("a formula"));
            return self.parser.unexpected();
        }
        let before =
            self.parser.next.checked_sub(1).map(|_| self.parser.spelling(self.parser.previous_span()));
        let message = match before {
            Some(before) => format!("an operand is missing after `{before}`"),
            None => "an operand is missing at the start".to_owned(),
        };
        let error =
            Diagnostic::error(codes::MISSING_OPERAND, self.parser.span(), message, "expected an operand");
        let help =
            "an operand is an expression, a formula in parentheses, or an operator with its own operand";
        self.parser.diagnostics.report(error.help(help))
    }

    pub(super) fn number_expected(&mut self, operator: Span) -> Reported {
        let spelling = self.parser.spelling(operator);
        let message = format!("`{spelling}` cannot be applied to a temporal formula");
        let error = Diagnostic::error(codes::TEMPORAL_OPERAND, operator, message, "takes numbers");
        let help = match spelling {
            "&" | "|" | "^" => format!(
                "`{spelling}` works bit by bit: write `&&` or `||` between formulas, and parentheses around an expression that has `{spelling}`"
            ),
            _ => "formulas are connected by `!`, `&&`, `||`, `->` and `<->`".to_owned(),
        };
        self.parser.diagnostics.report(error.help(help))
    }

    pub(super) fn quantifier_in_linear_time(&mut self, span: Span) -> Reported {
        let spelling = self.parser.spelling(span);
        let message = format!("the path quantifier of `{spelling}` has no meaning in linear time");
        let error = Diagnostic::error(codes::PATH_QUANTIFIER, span, message, "a formula about one run");
        let help = "formulas with `A` and `E` are computation tree logic; one of linear temporal logic is about every run, as in `G F p`";
        self.parser.diagnostics.report(error.help(help))
    }

    pub(super) fn missing_quantifier(&mut self, span: Span) -> Reported {
        let spelling = self.parser.spelling(span);
        let message = format!("`{spelling}` has no path quantifier");
        let error = Diagnostic::error(codes::MISSING_QUANTIFIER, span, message, "on which paths?");
        let one = prefixes(spelling).and_then(|all| all.first().map(|prefix| letter(prefix.operator)));
        let help = match (spelling, one) {
            ("[]" | "<>", _) => format!("write `A{spelling}` for all paths or `E{spelling}` for some"),
            (_, Some(one)) => format!("write `A{one}` for all paths or `E{one}` for some, each time"),
            (_, None) => format!("write `A[f {spelling} g]` for all paths or `E[f {spelling} g]` for some"),
        };
        self.parser
            .diagnostics
            .report(error.help(format!("{help}; a formula without quantifiers is linear temporal logic")))
    }

    pub(super) fn quantifier_alone(&mut self, span: Span) -> Reported {
        let spelling = self.parser.spelling(span);
        let message = format!("the path quantifier `{spelling}` has no temporal operator");
        let error = Diagnostic::error(codes::QUANTIFIER_ALONE, span, message, "what about the paths?");
        let help = format!("write `{spelling}X f`, `{spelling}F f`, `{spelling}G f` or `{spelling}[f U g]`");
        self.parser.diagnostics.report(error.help(help))
    }

    pub(super) fn too_deep(&mut self, span: Span) -> Reported {
        let message = format!("a formula with more than {DEEPEST} levels");
        let error = Diagnostic::error(codes::NESTED_TOO_DEEPLY, span, message, "nested too deeply");
        self.parser.diagnostics.report(error.help("check its parts one by one"))
    }
}

/// The letter of an operator after a quantifier.
fn letter(operator: UnaryTemporal) -> &'static str {
    match operator {
        UnaryTemporal::Next => "X",
        UnaryTemporal::Finally => "F",
        UnaryTemporal::Globally => "G",
    }
}
