//! Promela, SPIN's language. So far only its never claims are read, as automata about any model.

pub(crate) mod never_claim;
