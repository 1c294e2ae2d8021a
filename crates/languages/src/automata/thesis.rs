//! The automata of the thesis of 2017 as Büchi automata.
//!
//! Their labels are propositions without anything between them, so the names must be known in
//! advance. They are those of the state space, or the variables of a model in another language.

use std::collections::BTreeMap;

use logic::buchi::{Buchi, Cube, Edge};
use model::guarded_commands::Span;

use super::{AutomatonFormat, AutomatonWithPropositions};
use crate::Model;
use crate::diagnostic::Diagnostic;
use crate::question::proposition::{Proposition, too_many};
use crate::state_space::Automaton;

/// Reads an automaton about the propositions of a model. Its propositions have no span.
pub(super) fn read(text: &str, model: &Model) -> Result<AutomatonWithPropositions, Vec<Diagnostic>> {
    let names = model.proposition_names();
    let read = Automaton::read(text, &names)?;
    let (automaton, names) = read.buchi().ok_or_else(|| vec![too_many(Span::default())])?;
    let propositions = names
        .into_iter()
        .map(|text| {
            let expression = model.expression(&text)?;
            Ok(Proposition { text, expression, span: Span::default() })
        })
        .collect::<Result<_, Vec<Diagnostic>>>()?;
    let (format, states) = (AutomatonFormat::Thesis, read.states);
    Ok(AutomatonWithPropositions { format, automaton, states, propositions, warnings: Vec::new() })
}

impl Automaton {
    /// The automaton for infinite runs, in which edges out of acceptance states accept, and the
    /// propositions of its labels. Labels that contradict themselves have no edge. None, if there
    /// are more than 64 propositions.
    ///
    /// ```
    /// use languages::Automaton;
    ///
    /// let propositions = ["p".to_owned(), "q".to_owned()];
    /// let automaton = Automaton::read("0\n1\n0 true 0 q 1\n1 q 1\n", &propositions).expect("an automaton");
    /// let (buchi, names) = automaton.buchi().expect("few propositions");
    /// assert_eq!(names, ["q"]);
    /// assert!(buchi.accepts_by_states());
    /// assert_eq!(buchi.states[1][0].label.holds, 1);
    /// ```
    pub fn buchi(&self) -> Option<(Buchi, Vec<String>)> {
        let mut numbers = BTreeMap::new();
        let mut names = Vec::new();
        let mut states = Vec::with_capacity(self.states.len());
        for (transitions, accepting) in self.transitions.iter().zip(&self.accepting) {
            let mut edges = Vec::with_capacity(transitions.len());
            for transition in transitions {
                let mut label = Some(Cube::TRUE);
                for literal in &transition.label {
                    let number = *numbers.entry(literal.proposition).or_insert_with(|| {
                        names.push(self.propositions[literal.proposition].clone());
                        names.len() - 1
                    });
                    let number = u8::try_from(number).ok().filter(|number| u32::from(*number) < u64::BITS)?;
                    let cube = if literal.holds { Cube::proposition(number) } else { Cube::negated(number) };
                    label = label.and_then(|label| label.and(cube));
                }
                let target = u32::try_from(transition.target).ok()?;
                edges.extend(label.map(|label| Edge { label, target, accepting: u32::from(*accepting) }));
            }
            states.push(edges);
        }
        let initial = vec![u32::try_from(self.initial).ok()?];
        Some((Buchi { states, initial, acceptance_sets: 1 }, names))
    }
}
