//! Petri nets: places that hold tokens, and transitions that move them.
//!
//! Two formats are read into one [`Net`]: PNML, the interchange format of ISO/IEC 15909-2 with the
//! extensions of TAPAAL and the Model Checking Contest, and the nets of LoLA ([`lola`]).
//!
//! A net becomes a [`Model`]: every place is a variable, every transition an action of its name.
//! Where [`bounds`] proves how many tokens a place can hold, the variable is no wider than that.
//! Expressions, measures and formulas refer to places by name:
//!
//! ```
//! use languages::{ReadOptions, format, read_model_with};
//!
//! let text = "PLACE idle, p-busy; MARKING idle: 2; TRANSITION start CONSUME idle; PRODUCE p-busy;";
//! let options = ReadOptions { format: &format::LOLA, ..ReadOptions::default() };
//! let model = read_model_with(text, &options).expect("a net");
//! assert!(model.expression("idle + \"p-busy\" == 2").is_ok());
//! ```
//!
//! **Quoted names.** A name that is no word of letters, digits and `_`, or that is a reserved word,
//! is written in double quotes: `"p-busy"`. In a formula, a text in quotes is a name if the net has
//! a place of that name, and an expression otherwise.
//!
//! Properties of the Model Checking Contest are read by [`contest::properties`], tasks of LoLA by
//! [`lola::task`].

pub mod bounds;
pub mod contest;
pub mod lola;
mod lower;
mod net;
mod pnml;
mod test_order;
mod xml;

use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::{Format, Model, format};

pub use net::{Fairness, Net, NetArc, NetPlace, NetTransition, Unit};

/// The longest text of a net, in bytes. A longer one does not fit in memory as a model.
pub(crate) const LARGEST_TEXT: usize = 1 << 30;

/// Reads a net in PNML.
pub(crate) fn read_pnml(text: &str, constants: &[(String, i64)]) -> Result<Model, Vec<Diagnostic>> {
    read(text, constants, &format::PNML, pnml::net)
}

/// Reads a net of LoLA.
pub(crate) fn read_lola(text: &str, constants: &[(String, i64)]) -> Result<Model, Vec<Diagnostic>> {
    read(text, constants, &format::LOLA, lola::net)
}

/// Reads a net and makes it a model.
fn read(
    text: &str,
    constants: &[(String, i64)],
    format: &'static Format,
    net: fn(&str) -> Result<Net, Vec<Diagnostic>>,
) -> Result<Model, Vec<Diagnostic>> {
    format::refuse_constants(constants, "a Petri net has no constants: change its text instead")?;
    Ok(lower::model(Arc::new(net(text)?), format))
}
