//! PNML, the Petri Net Markup Language (ISO/IEC 15909-2).
//!
//! [`read`] takes the document apart into nodes, arcs and declarations, as they are written; [`place_transition`] makes a net of them, and [`unfold`] one of a symmetric net, whose tokens have colours.
//! Pages only structure the drawing, so their nodes are read as if they stood on one; reference places and transitions stand for what they refer to.
//!
//! Beyond the standard: inhibitor arcs, as TAPAAL (`type="inhibitor"`) and others (`<type value="inhibitor"/>`) write them, and the nested units of
//! the contest (`<toolspecific tool="nupn">`). Graphics and what else is for other tools is passed over.
//!
//! A node is called by its `id`, because properties do; its `<name>` is for people and need not be unique.

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
