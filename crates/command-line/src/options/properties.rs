//! Options about what to check.

use clap::Args;
use engine::property::fairness::Fairness;
use engine::property::linear::{DeadEnds, Runs};
use languages::petri::contest::Examination;

use super::choice::{choice, default_name};

/// The properties to check.
#[derive(Debug, Args)]
#[command(next_help_heading = "What to check")]
pub struct PropertyOptions {
    /// Check a property that the model file declares; may be repeated
    #[arg(long = "property", value_name = "NAME")]
    pub properties: Vec<String>,
    /// Check that an expression is true in every reachable state; may be repeated
    #[arg(long = "invariant", value_name = "EXPR", allow_hyphen_values = true)]
    pub invariants: Vec<String>,
    /// Check that an expression is true in some reachable state; may be repeated
    #[arg(long = "reach", value_name = "EXPR", allow_hyphen_values = true)]
    pub reachable: Vec<String>,
    /// Check that a CTL formula holds in the initial state; may be repeated
    ///
    /// Operators are `EX AX EF AF EG AG`, `E[f U g]` and `A[f U g]`, also with `W` and `R`. In
    /// `EF e`, `AG e`, `AG EF e` and `EF AG e` an operator extends to the end of the formula or of
    /// its parenthesis: `AG p or q` is `AG (p or q)`.
    #[arg(long = "ctl", value_name = "FORMULA", allow_hyphen_values = true)]
    pub formulas: Vec<String>,
    /// Check that an LTL formula holds of every run; may be repeated
    ///
    /// Operators are written as in SPIN (`[] <> U V W X ! && || -> <->`) or as words
    /// (`G F X U R W M not and or`). Propositions are expressions of the model: `G (P.waiting -> F P.critical)`.
    #[arg(long = "ltl", value_name = "FORMULA", allow_hyphen_values = true)]
    pub linear: Vec<String>,
    /// Check that an automaton accepts no run; may be repeated
    ///
    /// The file is in the Hanoi format (HOA), a never claim, an automaton of LoLA, or one of the
    /// thesis.
    #[arg(long = "automaton", value_name = "FILE")]
    pub automata: Vec<String>,
    /// How finite runs count in --ltl, --automaton and property processes
    #[arg(long, value_name = "RULE", value_parser = choice::<DeadEnds>(), default_value = default_name::<DeadEnds>())]
    pub dead_ends: DeadEnds,
    /// Consider only weakly fair runs: a process that stays enabled eventually takes a step
    ///
    /// Applies to --ltl, --automaton and property processes.
    #[arg(long)]
    pub fairness: bool,
    /// Check that a safety automaton allows every sequence of visible actions; may be repeated
    ///
    /// Lines are `initial a`, `final a b`, `a -> b : EVENT`, or `a -> b` for a silent step. An
    /// event is a move (`Client: waiting -> broken`), a channel, or an action as traces show it;
    /// `*` matches any text. All other actions are internal.
    #[arg(long = "safety-automaton", value_name = "FILE")]
    pub services: Vec<String>,
    /// Where runs may end, for --safety-automaton [default: deadlock]
    ///
    /// `prefix`: anywhere, so that final states do not matter; `deadlock`: in deadlocks; EXPR:
    /// where it is true.
    #[arg(long, value_name = "prefix|deadlock|EXPR", requires = "services", allow_hyphen_values = true)]
    pub halt: Option<String>,
    /// Check that an expression can always become true again: --ctl "AG EF (EXPR)"; may be repeated
    #[arg(long = "home", value_name = "EXPR", allow_hyphen_values = true)]
    pub homes: Vec<String>,
    /// Check the properties in a file of the Model Checking Contest or of LoLA; may be repeated
    ///
    /// With --property, only the properties that it names. The model must be a Petri net.
    #[arg(long = "properties", value_name = "FILE")]
    pub property_files: Vec<String>,
    /// Answer an examination of the Model Checking Contest; needs --contest-output
    #[arg(long, value_name = "EXAMINATION", value_parser = choice::<Examination>(), ignore_case = true, requires = "contest_output")]
    pub examination: Option<Examination>,
    /// Print answers to --properties or --examination in the format of the Model Checking Contest
    #[arg(long)]
    pub contest_output: bool,
    /// Check that every reachable state has a successor
    #[arg(long, conflicts_with = "no_deadlock")]
    pub deadlock: bool,
    /// Do not check for deadlocks
    #[arg(long)]
    pub no_deadlock: bool,
}

impl PropertyOptions {
    /// The runs that linear-time properties are about.
    pub fn runs(&self) -> Runs {
        let fairness = if self.fairness { Fairness::Weak } else { Fairness::Unfair };
        Runs { dead_ends: self.dead_ends, fairness }
    }

    /// Whether no property is named.
    pub fn is_empty(&self) -> bool {
        let Self { properties, invariants, reachable, formulas, linear, automata, services, homes, .. } =
            self;
        let files = &self.property_files;
        let texts = [properties, invariants, reachable, formulas, linear, automata, services, homes, files];
        texts.into_iter().all(Vec::is_empty) && !self.deadlock
    }
}
