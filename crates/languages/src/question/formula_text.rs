//! The text of a formula as Sweepline understands it: in one spelling, with parentheses wherever an
//! operator might seem to reach further than it does.

use model::guarded_commands::Span;

use super::syntax::{BinaryTemporal, Connective, Formula, FormulaKind, Runs, UnaryTemporal};

/// Writes the formula that was read from `text`.
pub(super) fn shown(formula: &Formula<'_>, text: &str) -> String {
    match &formula.kind {
        FormulaKind::State(expression) => plain(text, expression.span),
        FormulaKind::Not(operand) => format!("!{}", operand_shown(operand, text)),
        FormulaKind::Connected { connective, left, right } => {
            let sign = match connective {
                Connective::And => "&&",
                Connective::Or => "||",
                Connective::Implies => "->",
                Connective::Equivalent => "<->",
            };
            format!("{} {sign} {}", operand_shown(left, text), operand_shown(right, text))
        }
        FormulaKind::Unary { runs, operator, operand } => {
            let letter = match operator {
                UnaryTemporal::Next => 'X',
                UnaryTemporal::Finally => 'F',
                UnaryTemporal::Globally => 'G',
            };
            format!("{}{letter} {}", quantifier(*runs), operand_shown(operand, text))
        }
        FormulaKind::Binary { runs, operator, left, right } => {
            let letter = match operator {
                BinaryTemporal::Until => 'U',
                BinaryTemporal::Release => 'R',
                BinaryTemporal::WeakUntil => 'W',
                BinaryTemporal::StrongRelease => 'M',
            };
            let inside = format!("{} {letter} {}", operand_shown(left, text), operand_shown(right, text));
            match runs {
                Runs::This => inside,
                Runs::Some | Runs::Every => format!("{}[{inside}]", quantifier(*runs)),
            }
        }
    }
}

fn quantifier(runs: Runs) -> &'static str {
    match runs {
        Runs::This => "",
        Runs::Some => "E",
        Runs::Every => "A",
    }
}

/// Writes an operand, in parentheses unless it can only be read as a whole.
fn operand_shown(formula: &Formula<'_>, text: &str) -> String {
    let shown = shown(formula, text);
    let is_one = match &formula.kind {
        FormulaKind::State(_) => is_one(&shown),
        FormulaKind::Not(_) | FormulaKind::Unary { .. } => true,
        FormulaKind::Binary { runs, .. } => *runs != Runs::This,
        FormulaKind::Connected { .. } => false,
    };
    if is_one { shown } else { format!("({shown})") }
}

/// Whether an expression is a name, or is enclosed in parentheses or quotation marks.
fn is_one(expression: &str) -> bool {
    let name = expression.trim_start_matches('!').replace("->", "");
    name.chars().all(|one| one.is_alphanumeric() || "_.[]".contains(one)) || inside(expression).is_some()
}

/// The content of the parentheses or quotation marks that enclose a whole expression.
fn inside(expression: &str) -> Option<&str> {
    if let Some(quoted) = expression.strip_prefix('"') {
        return quoted.strip_suffix('"').filter(|quoted| !quoted.contains('"'));
    }
    let mut open = 0_usize;
    let closed = expression.char_indices().find_map(|(at, one)| {
        match one {
            '(' => open += 1,
            ')' => open = open.saturating_sub(1),
            _ => {}
        }
        (open == 0).then_some(at)
    });
    let within = expression.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    within.filter(|_| closed == Some(expression.len() - 1))
}

/// The text of a proposition: a part of the text without enclosing parentheses and quotation marks.
pub(crate) fn proposition(text: &str, span: Span) -> String {
    let plain = plain(text, span);
    let mut shown = plain.as_str();
    while let Some(within) = inside(shown) {
        shown = within.trim();
    }
    shown.to_owned()
}

/// A part of the text on one line, without comments.
pub(super) fn plain(text: &str, span: Span) -> String {
    let mut rest = text.get(span.start as usize..span.end as usize).unwrap_or_default();
    let mut kept = String::new();
    while let Some(start) = rest.find(['#', '/', '"']) {
        kept.push_str(&rest[..start]);
        let comment = &rest[start..];
        let length = if let Some(quoted) = comment.strip_prefix('"') {
            // A comment sign inside a quotation is part of the quotation.
            let length = quoted.find('"').map_or(comment.len(), |end| end + 2);
            kept.push_str(&comment[..length]);
            Some(length)
        } else if comment.starts_with('#') || comment.starts_with("//") {
            comment.find('\n')
        } else if comment.starts_with("/*") {
            comment.find("*/").map(|end| end + 2)
        } else {
            kept.push('/');
            Some(1)
        };
        rest = &comment[length.unwrap_or(comment.len())..];
    }
    kept.push_str(rest);
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_left_out() {
        let plain = |text: &str| plain(text, Span::new(0, text.len()));
        assert_eq!(plain("a  # or b\n and /* c */ d // e"), "a and d");
        assert_eq!(plain("a / b /\\ c"), "a / b /\\ c");
        assert_eq!(plain("a /* b"), "a");
        assert_eq!(plain("\"a // b\" or c"), "\"a // b\" or c");
        assert_eq!(plain("a or \"b"), "a or \"b");
    }

    #[test]
    fn propositions_have_no_parentheses_around_them() {
        let shown = |text: &str| proposition(text, Span::new(0, text.len()));
        assert_eq!(shown("( (x == 1))"), "x == 1");
        assert_eq!(shown("(x) == (1)"), "(x) == (1)");
        assert_eq!(shown(")("), ")(");
        assert_eq!(shown("()"), "");
        assert_eq!(shown("(\"x == 1\")"), "x == 1");
        assert_eq!(shown("\"x\" or \"y\""), "\"x\" or \"y\"");
        assert_eq!(shown("\""), "\"");
    }

    #[test]
    fn names_and_parentheses_are_one() {
        assert!(["p", "!P.s", "P->v", "a[1]", "(p and q)", "((p) or q)"].iter().all(|text| is_one(text)));
        assert!(["p and q", "(p) or (q)", "- p"].iter().all(|text| !is_one(text)));
    }
}
