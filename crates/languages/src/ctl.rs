//! Formulas of computation tree logic, in the forms that the sweep-line method decides.
//!
//! `EF f` and `AG f` are decided while states are explored; `AG EF f` and `EF AG f` need the strongly connected
//! components without a way out, which a sweep finds when progress is monotonic (thesis 2017, section 5).
//! [`Model::ctl`](crate::Model::ctl) reads them, and says about any other formula what can be asked instead.

use std::fmt;

use sweepline::model::guarded_commands::Expression;

/// The temporal part of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CtlForm {
    /// `EF f`: a state where `f` holds can be reached.
    Ef,
    /// `AG f`: `f` holds in every reachable state.
    Ag,
    /// `AG EF f`: from every reachable state, one where `f` holds can be reached.
    AgEf,
    /// `EF AG f`: a state can be reached from where on `f` holds always.
    EfAg,
}

impl fmt::Display for CtlForm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Ef => "EF",
            Self::Ag => "AG",
            Self::AgEf => "AG EF",
            Self::EfAg => "EF AG",
        })
    }
}

/// A formula about a model.
#[derive(Clone, Debug, PartialEq)]
pub struct CtlFormula {
    /// The temporal operators.
    pub form: CtlForm,
    /// What they are about: an expression over one state, true if it is not 0.
    pub operand: Expression,
    /// The operand as written.
    pub operand_text: String,
}

/// The formula as it is understood: where an operator reaches further than a word, parentheses show it.
impl fmt::Display for CtlFormula {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operand = self.operand_text.split_whitespace().collect::<Vec<_>>().join(" ");
        if is_one(&operand) {
            write!(formatter, "{} {operand}", self.form)
        } else {
            write!(formatter, "{} ({operand})", self.form)
        }
    }
}

/// Whether nobody can read only a part of it as the operand: a name, or something in parentheses.
fn is_one(operand: &str) -> bool {
    let name = operand.trim_start_matches('!').replace("->", "");
    if name.chars().all(|one| one.is_alphanumeric() || "_.[]".contains(one)) {
        return true;
    }
    let mut open = 0_usize;
    let closed = operand.char_indices().find_map(|(at, one)| {
        match one {
            '(' => open += 1,
            ')' => open = open.saturating_sub(1),
            _ => {}
        }
        (open == 0).then_some(at)
    });
    operand.starts_with('(') && closed == Some(operand.len() - 1)
}
