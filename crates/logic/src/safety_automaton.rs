//! Safety automata: the finite behaviour that a service allows its users to see.
//!
//! A protocol conforms to its service if every sequence of visible actions is one that the service
//! allows. The service is given as a nondeterministic automaton over event names, possibly with
//! silent steps ([`EventAutomaton`]). To run beside a model without choices, it is made
//! deterministic (subsets of states, closed under silent steps) and minimised (Moore's partition
//! refinement); the result is a [`ServiceAutomaton`]. (Gallasch, Billington, Vanit-Anunchai and
//! Kristensen, *Checking safety properties on-the-fly with the sweep-line method*, STTT 2007.)
//!
//! An event is illegal if no run of the given automaton can have it here. Everything that follows
//! would be illegal too, so the "bad" state of the complete automaton is not stored. A state from
//! which no final state is reachable is legal as long as the system does not terminate: finite
//! words say nothing about infinite runs.
//!
//! The components of the automaton, in topological order, are a monotone progress measure. See
//! [`ServiceAutomaton::ranks`].

use std::collections::HashMap;

use serde::Serialize;

use super::strong_components::strong_components;

/// A nondeterministic automaton over events.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EventAutomaton {
    /// Names of its events.
    pub events: Vec<String>,
    /// Number of states.
    pub states: u32,
    /// Initial states.
    pub initial: Vec<u32>,
    /// Its steps.
    pub transitions: Vec<EventStep>,
    /// Final states.
    pub final_states: Vec<u32>,
}

/// A step of an automaton over events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct EventStep {
    /// The state before.
    pub from: u32,
    /// The number of the event; `None` for a silent step.
    pub event: Option<u32>,
    /// The state after.
    pub to: u32,
}

/// A deterministic automaton: for each state and event, one step or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceAutomaton {
    events: Vec<String>,
    /// For each state, a step for each event.
    steps: Vec<Vec<Option<u32>>>,
    is_final: Vec<bool>,
}

/// The deterministic automaton would need too many subsets of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("made deterministic, the automaton has more than {0} states")]
pub struct ServiceTooLarge(pub usize);

/// Subsets are exponentially many in the worst case.
const MOST_STATES: usize = 100_000;

impl EventAutomaton {
    /// The smallest deterministic automaton with the same legal sequences.
    pub fn determinised(&self) -> Result<ServiceAutomaton, ServiceTooLarge> {
        Ok(Subsets::of(self)?.minimal())
    }

    /// A set of states, with all that silent steps reach from it: in order, without repetition.
    fn closed(&self, silent: &[Vec<u32>], mut states: Vec<u32>) -> Vec<u32> {
        let mut met = vec![false; self.states as usize];
        states.iter().for_each(|&state| met[state as usize] = true);
        let mut at = 0;
        while let Some(&state) = states.get(at) {
            at += 1;
            for &next in &silent[state as usize] {
                if !std::mem::replace(&mut met[next as usize], true) {
                    states.push(next);
                }
            }
        }
        states.sort_unstable();
        states.dedup();
        states
    }
}

/// A deterministic automaton on the way to the smallest one. The first state is the initial one.
struct Subsets<'a> {
    events: &'a [String],
    steps: Vec<Vec<Option<u32>>>,
    is_final: Vec<bool>,
}

impl<'a> Subsets<'a> {
    fn of(automaton: &'a EventAutomaton) -> Result<Self, ServiceTooLarge> {
        let states = automaton.states as usize;
        let mut silent = vec![Vec::new(); states];
        let mut visible = vec![vec![Vec::new(); states]; automaton.events.len()];
        for step in &automaton.transitions {
            match step.event {
                None => silent[step.from as usize].push(step.to),
                Some(event) => visible[event as usize][step.from as usize].push(step.to),
            }
        }
        let mut found = vec![automaton.closed(&silent, automaton.initial.clone())];
        let mut numbers = HashMap::from([(found[0].clone(), 0)]);
        let mut steps: Vec<Vec<Option<u32>>> = Vec::new();
        while let Some(subset) = found.get(steps.len()).cloned() {
            let mut row = Vec::new();
            for of_event in &visible {
                let targets = subset.iter().flat_map(|&state| of_event[state as usize].iter().copied());
                let next = automaton.closed(&silent, targets.collect());
                row.push((!next.is_empty()).then(|| {
                    *numbers.entry(next).or_insert_with_key(|next| {
                        found.push(next.clone());
                        found.len() as u32 - 1
                    })
                }));
            }
            steps.push(row);
            if found.len() > MOST_STATES {
                return Err(ServiceTooLarge(MOST_STATES));
            }
        }
        let is_final = |subset: &Vec<u32>| subset.iter().any(|state| automaton.final_states.contains(state));
        Ok(Self { events: &automaton.events, steps, is_final: found.iter().map(is_final).collect() })
    }

    /// Merges states that no sequence distinguishes. States are numbered in breadth-first order.
    fn minimal(self) -> ServiceAutomaton {
        let mut classes: Vec<u32> = self.is_final.iter().map(|&is_final| is_final.into()).collect();
        let mut count = 0;
        loop {
            let mut numbers = HashMap::new();
            let refined: Vec<u32> = (0..self.steps.len())
                .map(|state| {
                    let row: Vec<Option<u32>> =
                        self.steps[state].iter().map(|step| step.map(|to| classes[to as usize])).collect();
                    let known = numbers.len() as u32;
                    *numbers.entry((classes[state], row)).or_insert(known)
                })
                .collect();
            classes = refined;
            if numbers.len() == count {
                return self.with_classes(&classes);
            }
            count = numbers.len();
        }
    }

    fn with_classes(self, classes: &[u32]) -> ServiceAutomaton {
        let mut numbers: HashMap<u32, u32> = HashMap::from([(classes[0], 0)]);
        let mut members = vec![0];
        let mut steps: Vec<Vec<Option<u32>>> = Vec::new();
        while let Some(&member) = members.get(steps.len()) {
            let row: Vec<Option<u32>> = self.steps[member]
                .iter()
                .map(|step| {
                    step.map(|to| {
                        *numbers.entry(classes[to as usize]).or_insert_with(|| {
                            members.push(to as usize);
                            members.len() as u32 - 1
                        })
                    })
                })
                .collect();
            steps.push(row);
        }
        let is_final = members.iter().map(|&member| self.is_final[member]).collect();
        ServiceAutomaton { events: self.events.to_vec(), steps, is_final }
    }
}

impl ServiceAutomaton {
    /// Names of its events. The caller must reject other events.
    pub fn events(&self) -> &[String] {
        &self.events
    }

    /// The number of an event.
    pub fn event(&self, name: &str) -> Option<u32> {
        self.events.iter().position(|event| event == name).map(|number| number as u32)
    }

    /// Number of states.
    pub fn states(&self) -> u32 {
        self.steps.len() as u32
    }

    /// The initial state.
    pub fn initial(&self) -> u32 {
        0
    }

    /// The state after an event; `None` if the event is illegal here.
    pub fn step(&self, state: u32, event: u32) -> Option<u32> {
        self.steps[state as usize][event as usize]
    }

    /// Whether a behaviour may end here.
    pub fn is_final(&self, state: u32) -> bool {
        self.is_final[state as usize]
    }

    /// A progress value for each state: the number of its strongly connected component in
    /// topological order. It never decreases along a step, and increases along each step that
    /// leaves a component.
    pub fn ranks(&self) -> Vec<u64> {
        let successors: Vec<Vec<u32>> =
            self.steps.iter().map(|row| row.iter().flatten().copied().collect()).collect();
        strong_components(&successors).ranks()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::random::Random;

    fn random_automaton(random: &mut Random) -> EventAutomaton {
        let states = 1 + random.below(5);
        let pick = |random: &mut Random| random.below(states) as u32;
        EventAutomaton {
            events: vec!["a".to_owned(), "b".to_owned()],
            states: states as u32,
            initial: (0..1 + random.below(2)).map(|_| pick(random)).collect(),
            transitions: (0..random.below(10))
                .map(|_| EventStep {
                    from: pick(random),
                    event: [None, Some(0), Some(1)][random.below(3)],
                    to: pick(random),
                })
                .collect(),
            final_states: (0..1 + random.below(2)).map(|_| pick(random)).collect(),
        }
    }

    /// The states in which the nondeterministic automaton can be after this word.
    fn ends(automaton: &EventAutomaton, word: &[u32]) -> Vec<u32> {
        let mut met: Vec<(u32, usize)> = automaton.initial.iter().map(|&state| (state, 0)).collect();
        let mut at = 0;
        while let Some(&(state, read)) = met.get(at) {
            at += 1;
            for step in automaton.transitions.iter().filter(|step| step.from == state) {
                let after = match step.event {
                    None => read,
                    Some(event) if word.get(read) == Some(&event) => read + 1,
                    Some(_) => continue,
                };
                if !met.contains(&(step.to, after)) {
                    met.push((step.to, after));
                }
            }
        }
        met.into_iter().filter(|(_, read)| *read == word.len()).map(|(state, _)| state).collect()
    }

    /// All words up to a length.
    fn words(longest: usize) -> Vec<Vec<u32>> {
        let mut words = vec![Vec::new()];
        let mut at = 0;
        while words[at].len() < longest {
            for event in 0..2 {
                words.push([words[at].clone(), vec![event]].concat());
            }
            at += 1;
        }
        words
    }

    #[test]
    fn the_service_allows_what_some_run_allows() {
        let mut random = Random::new(9);
        let words = words(6);
        for _ in 0..300 {
            let automaton = random_automaton(&mut random);
            let service = automaton.determinised().unwrap();
            for word in &words {
                let end = word.iter().try_fold(service.initial(), |state, &event| service.step(state, event));
                let expected = ends(&automaton, word);
                let may_end = expected.iter().any(|state| automaton.final_states.contains(state));
                assert_eq!(end.is_some(), !expected.is_empty(), "{automaton:?} {word:?}");
                assert_eq!(end.is_some_and(|end| service.is_final(end)), may_end, "{automaton:?} {word:?}");
            }
        }
    }

    #[test]
    fn no_two_states_are_alike_and_ranks_never_fall() {
        let mut random = Random::new(10);
        let words = words(6);
        for _ in 0..300 {
            let service = random_automaton(&mut random).determinised().unwrap();
            let ends_from = |start: u32| -> Vec<Option<bool>> {
                let run =
                    |word: &Vec<u32>| word.iter().try_fold(start, |state, &event| service.step(state, event));
                words.iter().map(|word| run(word).map(|state| service.is_final(state))).collect()
            };
            let ranks = service.ranks();
            for state in 0..service.states() {
                if service.states() <= 6 {
                    let alike = (0..state).find(|&other| ends_from(other) == ends_from(state));
                    assert_eq!(alike, None, "{service:?}");
                }
                for next in (0..2).filter_map(|event| service.step(state, event)) {
                    assert!(ranks[state as usize] <= ranks[next as usize], "{service:?}");
                }
            }
        }
    }

    #[test]
    fn a_connection_is_opened_used_and_closed_once() {
        let step = |from, event, to| EventStep { from, event, to };
        let automaton = EventAutomaton {
            events: ["open", "send", "close"].map(str::to_owned).to_vec(),
            states: 4,
            initial: vec![0],
            transitions: vec![
                step(0, Some(0), 1),
                step(1, Some(1), 1),
                step(1, None, 2),
                step(2, Some(2), 3),
            ],
            final_states: vec![0, 3],
        };
        let service = automaton.determinised().unwrap();
        assert_eq!(service.states(), 3);
        assert_eq!(service.ranks(), [0, 1, 2]);
        let [open, send, close] = ["open", "send", "close"].map(|name| service.event(name).unwrap());
        assert_eq!(service.event("reset"), None);
        let opened = service.step(service.initial(), open).unwrap();
        assert_eq!(service.step(opened, send), Some(opened));
        assert!(service.is_final(service.initial()) && !service.is_final(opened));
        let closed = service.step(opened, close).unwrap();
        assert!(service.is_final(closed));
        assert_eq!(service.step(closed, open), None);
    }
}
