//! Petri nets: places that hold tokens, and transitions that move them.
//!
//! Two formats are read into one [`Net`]: PNML ([`pnml`]), the interchange format of ISO/IEC 15909-2 with the extensions that TAPAAL and the
//! Model Checking Contest use, and the nets of LoLA ([`lola`]).
//!
//! A net becomes a [`Model`] by [`lower`]: every place is a variable, every transition an action of its name. Where [`bounds`] proves
//! how many tokens a place can hold, the variable is no wider than that. Expressions, measures and formulas speak of places by name:
//!
//! ```
//! use languages::{Language, ReadOptions, read_model_with};
//!
//! let text = "PLACE idle, p-busy; MARKING idle: 2; TRANSITION start CONSUME idle; PRODUCE p-busy;";
//! let options = ReadOptions { language: Language::Lola, ..ReadOptions::default() };
//! let model = read_model_with(text, &options).expect("a net");
//! assert!(model.expression("idle + \"p-busy\" == 2").is_ok());
//! ```
//!
//! **Quoted names.** A name that is no word of letters, digits and `_`, or that is a reserved word, stands in double quotes: `"p-busy"`. In a formula something in quotes is the
//! name if the net has a place of that name, and an expression otherwise.

pub mod bounds;
pub mod contest;
pub(crate) mod lola;
mod lower;
mod net;
mod pnml;
mod test_order;
mod xml;

use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::{Language, Model};

pub use net::{Fairness, Net, NetArc, NetPlace, NetTransition, Unit};

/// Spans are 32 bits wide; a net of this size does not fit in memory as a model.
const LARGEST_TEXT: usize = 1 << 30;

/// Reads a net and makes it a model.
pub(crate) fn read(
    text: &str,
    language: Language,
    constants: &[(String, i64)],
) -> Result<Model, Vec<Diagnostic>> {
    let help = "a Petri net has no constants: change its text instead";
    crate::state_space::refuse_constants(constants, help)?;
    if text.len() > LARGEST_TEXT {
        return Err(vec![too_long(text)]);
    }
    let net = if language == Language::Lola { lola::net(text)? } else { pnml::net(text)? };
    Ok(lower::model(Arc::new(net), language))
}

fn too_long(text: &str) -> Diagnostic {
    use model::guarded_commands::Span;
    let message = format!("the net is longer than {LARGEST_TEXT} bytes");
    let span = Span::new(text.floor_char_boundary(LARGEST_TEXT), text.len());
    let error = Diagnostic::error(crate::codes::TEXT_TOO_LARGE, span, message, "from here on");
    error.help("leave out the graphics, or make the net smaller")
}
