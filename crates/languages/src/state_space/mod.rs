//! Explicit state spaces: one line for every state.
//!
//! The format is that of the thesis of 2017 (sections 7.4.1 and 8.1), which CPN Tools can write. A
//! line is
//!
//! ```text
//! state progress count proposition … action successor …
//! ```
//!
//! with exactly `count` propositions, each `p` (it holds) or `!p` (it does not), followed by any
//! number of actions, each with its target state; `*` is an action without a name. The first line
//! is the initial state. A target may be defined before or after its use. Blank lines and Windows
//! line ends are accepted.
//!
//! Every line must list the propositions of the first one, in any order: a missing proposition
//! could be false or forgotten, and guessing would make the verdict a guess. Names of states and
//! actions are any words; those of propositions must be names in expressions. Progress values are 0
//! to 4294967295.
//!
//! As a [`Model`] a space is one process, `space`, whose locations are the states, with a variable
//! of one bit for each proposition and one, `progress`, for the progress value. So `p and not q`,
//! or `p && !q`, is an expression about it, and `space.100` is true in state 100. If a proposition
//! has one of these two names, ours is extended by `_` until it is free.
//!
//! Texts of up to a gigabyte are read. A space takes about 150 bytes for each state and 8 for each
//! arc. As a model it takes up to 500 bytes for each arc, because every arc is an action.

mod automaton;
mod lower;
mod product;
mod read;
mod words;

use std::io;

use crate::Model;
use crate::diagnostic::Diagnostic;
use crate::format::refuse_constants;

pub use automaton::{Automaton, Literal, Transition};
pub use product::{ACCEPTING, ProductError, model_state};

/// The name of an action without a name.
pub const INTERNAL: &str = "*";

/// A state space, in memory as in its file.
///
/// ```
/// use languages::StateSpace;
///
/// let space = StateSpace::read("1 0 1 !p * 2\n2 1 1 p back 1\n").expect("two states");
/// assert_eq!(space.propositions, ["p"]);
/// assert_eq!(space.states[1].arcs[0].target, 0);
/// let model = space.model();
/// assert!(model.ctl("EF p").is_ok());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateSpace {
    /// The propositions, in the order of the first line.
    pub propositions: Vec<String>,
    /// The distinct names of actions. Arcs refer to them by number: there are few names and many
    /// arcs.
    pub actions: Vec<String>,
    /// The states; the first one is initial.
    pub states: Vec<StateRow>,
}

/// One state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateRow {
    /// The name of the state.
    pub id: Box<str>,
    /// The progress value.
    pub progress: u32,
    /// Which propositions hold, in the order of [`StateSpace::propositions`].
    pub truths: Box<[bool]>,
    /// The steps that leave it, in order.
    pub arcs: Box<[Arc]>,
}

/// A step from one state to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arc {
    /// The number of the action in [`StateSpace::actions`].
    pub action: u32,
    /// The number of the state in [`StateSpace::states`].
    pub target: u32,
}

impl StateSpace {
    /// Reads a state space.
    ///
    /// # Errors
    /// What is wrong with the text, at most twenty findings in the order of the text.
    pub fn read(text: &str) -> Result<Self, Vec<Diagnostic>> {
        read::space(text)
    }

    /// Whether the first line of a text looks like that of a state space. The test is cheap, and
    /// wrong only about texts that are nearly one.
    ///
    /// ```
    /// assert!(languages::StateSpace::is_likely("\n1 0 1 !p * 2\n2 1 1 p\n"));
    /// assert!(!languages::StateSpace::is_likely("byte x = 0;\nsystem async;\n"));
    /// ```
    pub fn is_likely(text: &str) -> bool {
        let Some(first) = words::lines(text).find(|line| !line.is_blank()) else { return false };
        let mut line = first.map(|word| word.text);
        let _name = line.next();
        let is_progress = line.next().is_some_and(|word| word.parse::<u32>().is_ok());
        let Some(count) = line.next().and_then(|word| word.parse::<usize>().ok()) else { return false };
        let rest = line.count();
        is_progress && rest >= count && (rest - count).is_multiple_of(2)
    }

    /// Writes the space in the format that [`read`](Self::read) reads.
    ///
    /// # Errors
    /// The writer fails.
    pub fn write(&self, writer: &mut dyn io::Write) -> io::Result<()> {
        for state in &self.states {
            write!(writer, "{} {} {}", state.id, state.progress, self.propositions.len())?;
            for (proposition, holds) in self.propositions.iter().zip(&state.truths) {
                write!(writer, " {}{proposition}", if *holds { "" } else { "!" })?;
            }
            for arc in &state.arcs {
                let target = &self.states[arc.target as usize].id;
                write!(writer, " {} {target}", self.actions[arc.action as usize])?;
            }
            writeln!(writer)?;
        }
        Ok(())
    }
}

/// The longest text of a state space, in bytes.
pub(crate) const LARGEST_TEXT: usize = 1 << 30;

/// Reads a state space as a model.
pub(crate) fn read_model(text: &str, constants: &[(String, i64)]) -> Result<Model, Vec<Diagnostic>> {
    let help = "a state space has no constants: dump it again from a model with other values";
    refuse_constants(constants, help)?;
    Ok(StateSpace::read(text)?.model())
}
