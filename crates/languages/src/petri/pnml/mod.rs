//! PNML, the Petri Net Markup Language (ISO/IEC 15909-2).
//!
//! [`read`] splits the document into nodes, arcs and declarations, as written. [`place_transition`]
//! makes a net of them; [`unfold`] does so for a symmetric net, whose tokens have colours. Pages
//! only structure the drawing, so their nodes are read as if they were on one page. Reference
//! places and transitions are replaced by their targets.
//!
//! Beyond the standard, the reader accepts inhibitor arcs, as TAPAAL (`type="inhibitor"`) and
//! others (`<type value="inhibitor"/>`) write them, and the nested units of the contest
//! (`<toolspecific tool="nupn">`). Graphics and other tool-specific parts are skipped.
//!
//! The name of a node is its `id`, because properties use it. Its `<name>` is for people and need
//! not be unique.

mod place_transition;
mod read;
mod sorts;
mod terms;
#[cfg(test)]
mod tests;
mod unfold;

use crate::diagnostic::{Diagnostic, Diagnostics};

use super::net::Net;
use read::NetKind;

/// Reads a document with one net.
pub(super) fn net(text: &str) -> Result<Net, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::default();
    let written = read::document(text).map_err(|error| vec![error])?;
    let net = match written.kind {
        NetKind::PlaceTransition => place_transition::net(&written, &mut diagnostics),
        NetKind::Symmetric => unfold::net(&written, &mut diagnostics),
    };
    diagnostics.check(Ok(net))
}
