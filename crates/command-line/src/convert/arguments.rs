//! The options of `convert`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::options::ModelOptions;

/// `sweepline convert`.
#[derive(Debug, Args)]
pub struct ConvertArguments {
    /// Model file, or - for stdin
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    #[command(flatten)]
    pub definitions: ModelOptions,
    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub to: Format,
    /// Output file; - for stdout
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: PathBuf,
    /// Label states with a proposition, true where the expression is true; may be repeated
    #[arg(long = "proposition", value_name = "NAME=EXPR", value_parser = named_expression)]
    pub propositions: Vec<(String, String)>,
    /// Progress measure, as for `check`; `auto` is the measure that the model declares, if any
    #[arg(long, value_name = "EXPR|@FILE|auto|none", allow_hyphen_values = true)]
    pub measure: Option<String>,
    /// Refuse larger state spaces [default: 2,000 for dot, 100,000 for graphml, 200,000 for svg,
    /// 1,000,000 for ss and aut, none for graph]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: Option<u32>,
    /// Formula whose violations the automaton accepts, for --to hoa
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true)]
    pub ltl: Option<String>,
    /// Write the run record of --to graph; - for stdout
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// Formats of converted models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Explicit state space, one state per line, in the format of the thesis
    Ss,
    /// Drawing for Graphviz, grouped by layers
    Dot,
    /// All steps with their actions, in Aldebaran's format, for CADP, mCRL2 and others
    Aut,
    /// All states with their values and all steps, for tools that draw and analyse graphs
    Graphml,
    /// Picture of the layers, one band each; with more than 2,000 states, one circle per layer
    Svg,
    /// All steps between states, without the states: a compact file, written by a sweep
    Graph,
    /// Automaton of the runs that violate a formula, in the Hanoi format; needs --ltl
    Hoa,
}

impl ConvertArguments {
    /// Options that contradict each other, as a sentence.
    pub fn contradiction(&self) -> Option<&'static str> {
        let (hoa, graph) = (self.to == Format::Hoa, self.to == Format::Graph);
        if hoa && self.ltl.is_none() {
            Some("--to hoa writes the automaton of a formula; name it by --ltl FORMULA")
        } else if !hoa && self.ltl.is_some() {
            Some("--ltl is for --to hoa; drop it")
        } else if !graph && self.json.is_some() {
            Some("--json is for --to graph; drop it")
        } else if hoa && (!self.propositions.is_empty() || self.measure.is_some() || self.limit.is_some()) {
            Some("--proposition, --measure and --limit are about states, and --to hoa writes none; drop them")
        } else if self.to == Format::Aut && (!self.propositions.is_empty() || self.measure.is_some()) {
            Some("--proposition and --measure are about states, and --to aut writes only steps; drop them")
        } else {
            None
        }
    }

    /// The files that the command writes, with the options that name them.
    pub fn written_files(&self) -> Vec<(&'static str, Option<&PathBuf>)> {
        vec![("--json", self.json.as_ref()), ("--output", Some(&self.output))]
    }
}

/// Parses `NAME=EXPR`. The first `=` ends the name.
fn named_expression(text: &str) -> Result<(String, String), String> {
    let (name, expression) = text.split_once('=').ok_or("expected NAME=EXPR, like done=x == 3")?;
    Ok((name.trim().into(), expression.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_equals_sign_ends_the_name() {
        assert_eq!(named_expression("p=x == 3"), Ok(("p".into(), "x == 3".into())));
        assert!(named_expression("p").is_err());
    }
}
