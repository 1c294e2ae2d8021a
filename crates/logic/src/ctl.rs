//! Computation tree logic: what can and what must happen from a state on.
//!
//! A path is *maximal*: it is infinite, or it ends in a state without successors. Three temporal
//! operators suffice, `EX`, `E[f U g]` and `EG`; the others are built from them. In a state without
//! successors `EX f` is false, `AX f` is true, and `EG f` equals `f`.

use serde::Serialize;

use crate::ltl::Proposition;

/// A formula of computation tree logic.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Ctl {
    /// Always true.
    True,
    /// Never true.
    False,
    /// True in the state.
    Proposition(Proposition),
    /// Negation.
    Not(Box<Ctl>),
    /// Conjunction.
    And(Box<Ctl>, Box<Ctl>),
    /// Disjunction.
    Or(Box<Ctl>, Box<Ctl>),
    /// `EX f`: true in some successor.
    ExistsNext(Box<Ctl>),
    /// `E[f U g]`: on some path the second becomes true, and until then the first is.
    ExistsUntil(Box<Ctl>, Box<Ctl>),
    /// `EG f`: true all along some maximal path.
    ExistsGlobally(Box<Ctl>),
}

impl Ctl {
    /// The same formula about the paths without the states in which the proposition holds. It says
    /// nothing about such states themselves. A path that ends among them, without a successor
    /// outside, counts as a path that ends before.
    pub fn skipping(&self, skipped: Proposition) -> Self {
        let inside = || Self::Proposition(skipped);
        let here = |f: &Self| Self::and(Self::negation(inside()), f.skipping(skipped));
        match self {
            Self::True | Self::False | Self::Proposition(_) => self.clone(),
            Self::Not(f) => Self::negation(f.skipping(skipped)),
            Self::And(f, g) => Self::and(f.skipping(skipped), g.skipping(skipped)),
            Self::Or(f, g) => Self::or(f.skipping(skipped), g.skipping(skipped)),
            Self::ExistsNext(f) => Self::exists_next(Self::exists_until(inside(), here(f))),
            Self::ExistsUntil(f, g) => Self::exists_until(Self::or(inside(), f.skipping(skipped)), here(g)),
            Self::ExistsGlobally(f) => Self::exists_globally(Self::or(inside(), f.skipping(skipped))),
        }
    }

    /// `not f`
    pub fn negation(f: Self) -> Self {
        match f {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Not(f) => *f,
            f => Self::Not(Box::new(f)),
        }
    }

    /// `f and g`
    pub fn and(f: Self, g: Self) -> Self {
        Self::And(Box::new(f), Box::new(g))
    }

    /// `f or g`
    pub fn or(f: Self, g: Self) -> Self {
        Self::Or(Box::new(f), Box::new(g))
    }

    /// `f -> g`
    pub fn implies(f: Self, g: Self) -> Self {
        Self::or(Self::negation(f), g)
    }

    /// `f <-> g`
    pub fn equivalent(f: Self, g: Self) -> Self {
        Self::or(Self::and(f.clone(), g.clone()), Self::and(Self::negation(f), Self::negation(g)))
    }

    /// `EX f`
    pub fn exists_next(f: Self) -> Self {
        Self::ExistsNext(Box::new(f))
    }

    /// `AX f`
    pub fn always_next(f: Self) -> Self {
        Self::negation(Self::exists_next(Self::negation(f)))
    }

    /// `E[f U g]`
    pub fn exists_until(f: Self, g: Self) -> Self {
        Self::ExistsUntil(Box::new(f), Box::new(g))
    }

    /// `EG f`
    pub fn exists_globally(f: Self) -> Self {
        Self::ExistsGlobally(Box::new(f))
    }

    /// `EF f`
    pub fn exists_finally(f: Self) -> Self {
        Self::exists_until(Self::True, f)
    }

    /// `AG f`
    pub fn always_globally(f: Self) -> Self {
        Self::negation(Self::exists_finally(Self::negation(f)))
    }

    /// `AF f`
    pub fn always_finally(f: Self) -> Self {
        Self::negation(Self::exists_globally(Self::negation(f)))
    }

    /// `E[f W g]`: `E[f U g]` or `EG f`.
    pub fn exists_weak_until(f: Self, g: Self) -> Self {
        Self::or(Self::exists_until(f.clone(), g), Self::exists_globally(f))
    }

    /// `E[f R g]`
    pub fn exists_release(f: Self, g: Self) -> Self {
        Self::or(Self::exists_until(g.clone(), Self::and(f, g.clone())), Self::exists_globally(g))
    }

    /// `A[f U g]`: on every maximal path `g` holds at some point, and `f` holds until then.
    pub fn always_until(f: Self, g: Self) -> Self {
        Self::and(
            Self::always_weak_until(f, g.clone()),
            Self::negation(Self::exists_globally(Self::negation(g))),
        )
    }

    /// `A[f W g]`: no path leaves `f` before `g`.
    pub fn always_weak_until(f: Self, g: Self) -> Self {
        let neither = Self::and(Self::negation(f), Self::negation(g.clone()));
        Self::negation(Self::exists_until(Self::negation(g), neither))
    }

    /// `A[f R g]`: no path leaves `g` while there was no `f`.
    pub fn always_release(f: Self, g: Self) -> Self {
        Self::negation(Self::exists_until(Self::negation(f), Self::negation(g)))
    }
}
