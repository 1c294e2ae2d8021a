//! Conformance to a service: an automaton allows every sequence of visible actions.
//!
//! Some actions of a model are events that its users see, all others are internal. A run violates
//! the service in one of two ways. An *illegal event* is one that no run of the automaton has at
//! this point. All that follows is illegal, too, so the violating run ends with it. A *premature
//! end* is a run that halts where the automaton has no final state. The user defines what counts as
//! halting, see [`Halt`]. A model that takes internal actions forever violates nothing: that is a
//! question of linear time.
//!
//! The search moves a deterministic automaton along with the model. The automaton as the user gave
//! it judges every violating run again, one set of states after the other. So a mistake in the
//! determinisation cannot become a verdict. (Gallasch, Billington, Vanit-Anunchai and Kristensen,
//! *Checking safety properties on-the-fly with the sweep-line method*, STTT 2007.)

use std::collections::BTreeSet;

use logic::safety_automaton::{EventAutomaton, ServiceAutomaton, ServiceTooLarge};
use model::guarded_commands::{ActionId, Expression};

/// The states in which a run counts as ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Halt<P = Expression> {
    /// No states: only events can violate the service.
    Prefix,
    /// States without successors.
    #[default]
    Deadlock,
    /// States where the predicate is true, whether or not they have successors.
    When(P),
}

/// A service to which a model is to conform.
#[derive(Clone, Debug)]
pub struct ServiceProperty<P = Expression> {
    given: EventAutomaton,
    automaton: ServiceAutomaton,
    /// The event of each action.
    events: Vec<Option<u32>>,
    halt: Halt<P>,
}

impl<P> ServiceProperty<P> {
    /// Creates the property that a model conforms to the automaton, given the event of each action.
    /// An action that is `None`, or has no entry, is internal.
    ///
    /// # Errors
    /// The automaton is too large once it is deterministic.
    pub fn new(
        automaton: EventAutomaton,
        events: Vec<Option<u32>>,
        halt: Halt<P>,
    ) -> Result<Self, ServiceTooLarge> {
        let deterministic = automaton.determinised()?;
        Ok(Self { given: automaton, automaton: deterministic, events, halt })
    }

    /// The same with other states in which runs end.
    pub fn halting(self, halt: Halt<P>) -> Self {
        Self { halt, ..self }
    }

    /// The automaton as the user gave it.
    pub fn given(&self) -> &EventAutomaton {
        &self.given
    }

    /// The automaton that moves along with the model.
    pub fn automaton(&self) -> &ServiceAutomaton {
        &self.automaton
    }

    /// The states in which runs end.
    pub fn halt(&self) -> &Halt<P> {
        &self.halt
    }

    /// The predicates that are evaluated in every state.
    pub fn predicates(&self) -> &[P] {
        match &self.halt {
            Halt::Prefix | Halt::Deadlock => &[],
            Halt::When(predicate) => std::slice::from_ref(predicate),
        }
    }

    /// The event of each action; `None` for internal actions.
    pub fn events(&self) -> &[Option<u32>] {
        &self.events
    }

    /// The event of an action; `None` if it is internal.
    pub fn event(&self, action: ActionId) -> Option<u32> {
        self.events.get(action.0 as usize).copied().flatten()
    }

    /// The number of the first step, from zero, that is an event which the given automaton does not
    /// allow.
    pub fn illegal_step(&self, actions: impl IntoIterator<Item = ActionId>) -> Option<usize> {
        self.ends_of(actions).err()
    }

    /// Whether a run may end with these actions, by the given automaton.
    pub fn may_end(&self, actions: impl IntoIterator<Item = ActionId>) -> bool {
        let is_final = |state: &u32| self.given.final_states.contains(state);
        self.ends_of(actions).is_ok_and(|states| states.iter().any(is_final))
    }

    /// Describes how a run violates the service.
    pub fn reason(&self, actions: &[ActionId]) -> String {
        let illegal = self.illegal_step(actions.iter().copied()).and_then(|step| self.event(actions[step]));
        match illegal {
            Some(event) => format!("illegal event `{}`", self.given.events[event as usize]),
            None => "premature end".into(),
        }
    }

    /// All states in which the given automaton may be after these actions. The error is the number
    /// of the step that it does not have.
    fn ends_of(&self, actions: impl IntoIterator<Item = ActionId>) -> Result<BTreeSet<u32>, usize> {
        let mut states = self.with_silent_steps(self.given.initial.iter().copied().collect());
        for (step, action) in actions.into_iter().enumerate() {
            let Some(event) = self.event(action) else { continue };
            states = self.with_silent_steps(self.targets(&states, Some(event)));
            if states.is_empty() {
                return Err(step);
            }
        }
        Ok(states)
    }

    fn targets(&self, states: &BTreeSet<u32>, event: Option<u32>) -> BTreeSet<u32> {
        let steps = self.given.transitions.iter();
        steps.filter(|step| step.event == event && states.contains(&step.from)).map(|step| step.to).collect()
    }

    fn with_silent_steps(&self, mut states: BTreeSet<u32>) -> BTreeSet<u32> {
        loop {
            let known = states.len();
            states.extend(self.targets(&states, None));
            if states.len() == known {
                return states;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::safety_automaton::EventStep;

    /// A service with one message at a time. The choice between the two branches is silent.
    fn messages() -> ServiceProperty<()> {
        let step = |from, event, to| EventStep { from, event, to };
        let automaton = EventAutomaton {
            events: ["send", "receive", "lose"].map(str::to_owned).to_vec(),
            states: 4,
            initial: vec![0],
            transitions: vec![
                step(0, Some(0), 1),
                step(0, Some(0), 2),
                step(1, Some(1), 3),
                step(2, Some(2), 3),
                step(3, None, 0),
            ],
            final_states: vec![0],
        };
        let events = vec![Some(0), None, Some(1), Some(2)];
        ServiceProperty::new(automaton, events, Halt::Deadlock).unwrap()
    }

    #[test]
    fn internal_actions_say_nothing_and_an_illegal_one_is_found() {
        let service = messages();
        let [send, internal, receive, lose] = [0, 1, 2, 3].map(ActionId);
        assert_eq!(service.illegal_step([send, internal, receive, send, lose]), None);
        assert!(service.may_end([]) && service.may_end([internal]));
        assert!(!service.may_end([send, internal]));
        assert!(service.may_end([send, receive, internal]));
        assert_eq!(service.illegal_step([internal, send, internal, send, receive]), Some(3));
        assert_eq!(service.reason(&[internal, receive]), "illegal event `receive`");
        assert_eq!(service.reason(&[send, internal]), "premature end");
        assert!(!service.may_end([send, send]));
        // Actions that are not listed are internal.
        assert_eq!(service.event(ActionId(99)), None);
    }
}
