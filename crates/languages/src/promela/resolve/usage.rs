//! What the bodies do with variables, for findings that only the whole program can give.

use std::collections::{BTreeMap, BTreeSet};

use model::guarded_commands::Span;

use super::super::program::{Initial, LeafId, LeafKind, Mentions, ProctypeId};
use super::names::Names;
use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics, Reported};

/// A leaf of the whole program.
type Leaf = (Option<ProctypeId>, usize);

#[derive(Debug, Default)]
pub(super) struct Usage {
    pub(super) mentions: Mentions,
    assigned: BTreeSet<Leaf>,
    /// Unknown names that were reported. Of the uses in one proctype, the first is enough.
    unknown: BTreeMap<(Option<ProctypeId>, String), Reported>,
    /// Labels in remote references.
    referenced: BTreeSet<(ProctypeId, String)>,
    /// Messages whose number of values does not fit the declaration of their channel.
    misfits: Vec<Misfit>,
}

#[derive(Debug)]
struct Misfit {
    channel: Leaf,
    wanted: usize,
    found: usize,
    span: Span,
}

impl Usage {
    /// Notes that a leaf is assigned by a process of this type.
    pub(super) fn assign(&mut self, proctype: Option<ProctypeId>, leaf: LeafId) {
        self.assigned.insert(identity(proctype, leaf));
    }

    /// Reports an unknown name, unless that was done for this proctype.
    pub(super) fn unknown(
        &mut self,
        proctype: Option<ProctypeId>,
        name: &str,
        report: impl FnOnce() -> Reported,
    ) -> Reported {
        *self.unknown.entry((proctype, name.to_owned())).or_insert_with(report)
    }

    /// Notes a remote reference to a label.
    pub(super) fn refer(&mut self, proctype: ProctypeId, label: &str) {
        self.referenced.insert((proctype, label.to_owned()));
    }

    pub(super) fn is_referenced(&self, proctype: ProctypeId, label: &str) -> bool {
        self.referenced.contains(&(proctype, label.to_owned()))
    }

    /// The fields of a channel, if its declaration shows them.
    pub(super) fn fields<'n>(
        &self,
        names: &'n Names<'_>,
        proctype: Option<ProctypeId>,
        channel: LeafId,
    ) -> Option<&'n [LeafKind]> {
        let (proctype, leaf) = identity(proctype, channel);
        let leaves = proctype.map_or(&names.leaves, |proctype| &names.signature(proctype).locals);
        match &leaves.get(leaf)?.initial {
            Initial::Channels { fields, .. } => Some(fields),
            Initial::Value(_) | Initial::List(_) => None,
        }
    }

    /// Notes a message, if its number of values does not fit the declaration of its channel.
    pub(super) fn message(
        &mut self,
        names: &Names<'_>,
        proctype: Option<ProctypeId>,
        channel: LeafId,
        found: usize,
        span: Span,
    ) {
        let wanted = self.fields(names, proctype, channel).map(<[_]>::len);
        if let Some(wanted) = wanted.filter(|wanted| *wanted != found) {
            self.misfits.push(Misfit { channel: identity(proctype, channel), wanted, found, span });
        }
    }

    /// Reports what the whole program shows.
    pub(super) fn report(&self, names: &Names<'_>, diagnostics: &mut Diagnostics) {
        for misfit in &self.misfits {
            // A variable that is assigned may be another channel by then.
            if !self.assigned.contains(&misfit.channel) {
                let Misfit { wanted, found, .. } = misfit;
                let message = format!("a message of {found} values on a channel of {wanted}");
                let label = "does not fit the channel";
                let warning = Diagnostic::warning(codes::MISFIT_MESSAGE, misfit.span, message, label);
                let help = "give a value for each field; `_` receives one that is not needed";
                diagnostics.warn(warning.help(help));
            }
        }
        for (number, leaf) in names.leaves.iter().enumerate() {
            if leaf.hidden && self.assigned.contains(&(None, number)) {
                let message =
                    format!("the hidden variable `{}` is assigned, and is part of the state", leaf.name);
                let label = "not a constant";
                let warning = Diagnostic::warning(codes::HIDDEN_VARIABLE, leaf.span, message, label);
                diagnostics.warn_once(warning.help("SPIN leaves it out of the state, so its counts differ"));
            }
        }
    }
}

fn identity(proctype: Option<ProctypeId>, leaf: LeafId) -> Leaf {
    match leaf {
        LeafId::Global(leaf) => (None, leaf),
        LeafId::Local(leaf) => (proctype, leaf),
    }
}
