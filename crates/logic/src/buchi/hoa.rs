//! Automata as text, in the Hanoi Omega-Automata format, version 1 (Babiak and others, *The Hanoi
//! Omega-Automata Format*, CAV 2015).
//!
//! Other tools read it (Spot's `autfilt`, Owl), so that an automaton can be drawn, compared and
//! reduced elsewhere. An automaton whose states accept is written as such; any other has its sets
//! on its edges.

use std::fmt::Write;

use super::{Buchi, Cube};

impl Buchi {
    /// The automaton as text. A proposition without a name is called `p` and its number.
    pub fn hoa(&self, names: &[String], title: &str) -> String {
        let mut text = String::new();
        self.write_hoa(names, title, &mut text).expect("a string takes any text");
        text
    }

    fn write_hoa(&self, names: &[String], title: &str, out: &mut String) -> std::fmt::Result {
        let by_states = self.accepts_by_states();
        writeln!(out, "HOA: v1")?;
        if !title.is_empty() {
            writeln!(out, "name: {}", quoted(title))?;
        }
        writeln!(out, "States: {}", self.states.len())?;
        for state in &self.initial {
            writeln!(out, "Start: {state}")?;
        }
        self.write_propositions(names, out)?;
        let sets = self.acceptance_sets;
        match sets {
            0 => writeln!(out, "acc-name: all\nAcceptance: 0 t")?,
            1 => writeln!(out, "acc-name: Buchi\nAcceptance: 1 Inf(0)")?,
            _ => {
                let each: Vec<String> = (0..sets).map(|set| format!("Inf({set})")).collect();
                writeln!(out, "acc-name: generalized-Buchi {sets}\nAcceptance: {sets} {}", each.join("&"))?;
            }
        }
        let acceptance = if by_states { "state-acc" } else { "trans-acc" };
        writeln!(out, "properties: trans-labels explicit-labels {acceptance}\n--BODY--")?;
        for (state, edges) in self.states.iter().enumerate() {
            let of_state = edges.first().filter(|_| by_states).map_or(0, |edge| edge.accepting);
            writeln!(out, "State: {state}{}", sets_of(of_state))?;
            for edge in edges {
                let of_edge = if by_states { 0 } else { edge.accepting };
                writeln!(out, "[{}] {}{}", label(edge.label), edge.target, sets_of(of_edge))?;
            }
        }
        writeln!(out, "--END--")
    }

    fn write_propositions(&self, names: &[String], out: &mut String) -> std::fmt::Result {
        let used = self.all_edges().fold(0, |used, (_, edge)| used | edge.label.holds | edge.label.fails);
        let count = names.len().max((u64::BITS - used.leading_zeros()) as usize);
        write!(out, "AP: {count}")?;
        for number in 0..count {
            match names.get(number) {
                Some(name) => write!(out, " {}", quoted(name))?,
                None => write!(out, " \"p{number}\"")?,
            }
        }
        writeln!(out)
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn sets_of(accepting: u32) -> String {
    if accepting == 0 {
        return String::new();
    }
    let sets: Vec<String> =
        (0..u32::BITS).filter(|set| accepting >> set & 1 == 1).map(|set| set.to_string()).collect();
    format!(" {{{}}}", sets.join(" "))
}

fn label(cube: Cube) -> String {
    if cube == Cube::TRUE {
        return "t".to_owned();
    }
    let literals: Vec<String> = (0..u64::BITS)
        .filter_map(|number| match (cube.holds >> number & 1, cube.fails >> number & 1) {
            (1, _) => Some(number.to_string()),
            (_, 1) => Some(format!("!{number}")),
            _ => None,
        })
        .collect();
    literals.join("&")
}

#[cfg(test)]
mod tests {
    use super::super::Edge;
    use super::*;

    #[test]
    fn sets_stand_on_edges_unless_states_accept() {
        let label = Cube { holds: 1, fails: 2 };
        let mut automaton = Buchi {
            states: vec![
                vec![
                    Edge { label, target: 1, accepting: 0 },
                    Edge { label: Cube::TRUE, target: 0, accepting: 0b11 },
                ],
                vec![Edge { label: Cube::TRUE, target: 1, accepting: 0b11 }],
            ],
            initial: vec![0, 1],
            acceptance_sets: 2,
        };
        let names = ["busy".to_owned(), "say \"done\"".to_owned()];
        assert_eq!(
            automaton.hoa(&names, "a title"),
            "HOA: v1\nname: \"a title\"\nStates: 2\nStart: 0\nStart: 1\nAP: 2 \"busy\" \"say \\\"done\\\"\"\n\
             acc-name: generalized-Buchi 2\nAcceptance: 2 Inf(0)&Inf(1)\n\
             properties: trans-labels explicit-labels trans-acc\n--BODY--\n\
             State: 0\n[0&!1] 1\n[t] 0 {0 1}\nState: 1\n[t] 1 {0 1}\n--END--\n"
        );
        automaton.acceptance_sets = 1;
        automaton.states[0].iter_mut().for_each(|edge| edge.accepting = 0);
        automaton.states[1][0].accepting = 1;
        assert_eq!(
            automaton.hoa(&[], ""),
            "HOA: v1\nStates: 2\nStart: 0\nStart: 1\nAP: 2 \"p0\" \"p1\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n\
             properties: trans-labels explicit-labels state-acc\n--BODY--\n\
             State: 0\n[0&!1] 1\n[t] 0\nState: 1 {0}\n[t] 1\n--END--\n"
        );
    }
}
