//! Büchi automata from other tools, about the propositions of a model.
//!
//! Four notations are read, and the first word tells which: the Hanoi format, version 1, of Spot
//! and related tools (`HOA:`); SPIN's never claims (`never`); the automata of LoLA, about Petri
//! nets (`buechi`); and otherwise the file of the thesis of 2017, which
//! [`Automaton`](crate::Automaton) describes. The fifth source is the property process of a DVE
//! file. All become a [`Buchi`], whose edges are cubes of numbered propositions. A label that is no
//! cube becomes several edges.
//!
//! Service automata read events instead of states. [`ServiceText`] is their text, and
//! [`ServiceOfModel`] connects it to the actions of a model.

mod acceptance;
mod declared;
mod hoa;
mod hoa_tokens;
mod label;
mod service_automaton;
mod thesis;
mod visible_events;

use logic::buchi::{Buchi, Edge};
use model::guarded_commands::Span;

use crate::Model;
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, too_long};
use crate::petri::contest::not_a_net;
use crate::petri::lola;
use crate::question::proposition::Proposition;
pub(crate) use label::{Label, place_of};

pub use service_automaton::{ServiceText, ServiceTransition};
pub use visible_events::ServiceOfModel;

/// Bytes of the longest automaton file.
pub(crate) const LARGEST_TEXT: usize = 64 << 20;

/// The most states, and the most edges, of an automaton.
const LARGEST_AUTOMATON: usize = 1 << 20;

/// The notation of an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AutomatonFormat {
    /// The Hanoi format, version 1.
    Hoa,
    /// A never claim of Promela.
    NeverClaim,
    /// An automaton of LoLA, about a Petri net.
    Lola,
    /// The file of the thesis of 2017.
    Thesis,
    /// The property process of a DVE file.
    PropertyProcess,
}

/// A Büchi automaton about a model.
#[derive(Clone, Debug, PartialEq)]
pub struct AutomatonWithPropositions {
    /// The notation it was written in.
    pub format: AutomatonFormat,
    /// The automaton.
    pub automaton: Buchi,
    /// The names of its states.
    pub states: Vec<String>,
    /// The expressions of its propositions, at most 64.
    pub propositions: Vec<Proposition>,
    /// Warnings, in the order of the text. Those about a property process are among those of its
    /// model.
    pub warnings: Vec<Diagnostic>,
}

impl AutomatonFormat {
    /// Recognises the notation of a text by its first word: `HOA:`, `never`, `buechi`, or otherwise
    /// the thesis.
    pub fn of(text: &str) -> Self {
        let mut rest = text.trim_start_matches('\u{feff}').trim_start();
        loop {
            let comment = if let Some(inside) = rest.strip_prefix("/*") {
                inside.split_once("*/").map_or("", |(_, behind)| behind)
            } else if rest.starts_with("//") || rest.starts_with('#') {
                rest.split_once('\n').map_or("", |(_, behind)| behind)
            } else {
                break;
            };
            rest = comment.trim_start();
        }
        let word = rest.split(|one: char| one.is_whitespace() || one == '{').next().unwrap_or_default();
        match word {
            "never" => Self::NeverClaim,
            "buechi" => Self::Lola,
            _ if word.starts_with("HOA:") => Self::Hoa,
            _ => Self::Thesis,
        }
    }
}

/// Reads an automaton about a model.
pub(crate) fn read(text: &str, model: &Model) -> Result<AutomatonWithPropositions, Vec<Diagnostic>> {
    if text.len() > LARGEST_TEXT {
        return Err(vec![too_long("the automaton", text, LARGEST_TEXT)]);
    }
    match AutomatonFormat::of(text) {
        AutomatonFormat::Hoa => hoa::read(text, model),
        AutomatonFormat::NeverClaim => crate::promela::never_claim::read(text, model),
        AutomatonFormat::Lola => match model.net() {
            Some(net) => lola::automaton(text, net),
            None => Err(vec![not_a_net(text)]),
        },
        AutomatonFormat::Thesis | AutomatonFormat::PropertyProcess => thesis::read(text, model),
    }
}

pub(crate) use declared::property_process;
pub(crate) use visible_events::read as service;

/// An automaton under construction, with limits on its size.
pub(crate) struct Growing {
    pub(crate) automaton: Buchi,
    edges: usize,
}

impl Growing {
    pub(crate) fn with_sets(acceptance_sets: u32) -> Self {
        Self { automaton: Buchi { acceptance_sets, ..Buchi::default() }, edges: 0 }
    }

    /// Makes sure that a state of this number exists.
    pub(crate) fn state(&mut self, number: usize, span: Span, diagnostics: &mut Diagnostics) -> Checked<u32> {
        if number >= LARGEST_AUTOMATON {
            return Err(diagnostics.report(too_large(span)));
        }
        if self.automaton.states.len() <= number {
            self.automaton.states.resize_with(number + 1, Vec::new);
        }
        Ok(u32::try_from(number).expect("the largest automaton is smaller"))
    }

    /// Adds an edge for each cube of `label` between two existing states.
    pub(crate) fn edge(
        &mut self,
        (from, target): (u32, u32),
        label: &Label,
        accepting: u32,
        span: Span,
        diagnostics: &mut Diagnostics,
    ) -> Checked<()> {
        let cubes = label.cubes();
        let cubes = cubes.filter(|cubes| self.edges + cubes.len() <= LARGEST_AUTOMATON);
        let Some(cubes) = cubes else { return Err(diagnostics.report(too_large(span))) };
        self.edges += cubes.len();
        let edges = &mut self.automaton.states[from as usize];
        edges.extend(cubes.into_iter().map(|label| Edge { label, target, accepting }));
        Ok(())
    }
}

fn too_large(span: Span) -> Diagnostic {
    let message = "the automaton is too large";
    let error = Diagnostic::error(codes::AUTOMATON_TOO_LARGE, span, message, "from here on");
    error.help("it may have 1,048,576 states and edges, and a label 1,024 cases: is there a smaller one?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_tells_the_format() {
        let of = AutomatonFormat::of;
        assert_eq!(of("HOA: v1"), AutomatonFormat::Hoa);
        assert_eq!(of("\u{feff} /* by hand */\n HOA:v1"), AutomatonFormat::Hoa);
        assert_eq!(of("// a claim\n# here\nnever{"), AutomatonFormat::NeverClaim);
        assert_eq!(of("buechi{ a: TRUE => a }"), AutomatonFormat::Lola);
        assert_eq!(of("never /* F p */ {"), AutomatonFormat::NeverClaim);
        for text in ["", "0\n1\n", "nevermore", "/* never", "hoa: v1", "//"] {
            assert_eq!(of(text), AutomatonFormat::Thesis, "{text}");
        }
    }
}
