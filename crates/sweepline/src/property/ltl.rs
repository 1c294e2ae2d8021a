//! Linear temporal logic: what a run should do.
//!
//! A run is an infinite sequence of states; a proposition is true or false in each of them. Six operators are enough, and
//! everything else is made of them: `F f` is `true U f`, `G f` is `false R f`, `f W g` is `g R (f or g)`.

/// The number of a proposition: the bit of [`Truth::holds`] that tells whether it holds.
///
/// [`Truth::holds`]: crate::model::transition_system::Truth::holds
pub type Proposition = u8;

/// A formula of linear temporal logic.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ltl {
    /// Always true.
    True,
    /// Never true.
    False,
    /// True in the first state.
    Proposition(Proposition),
    /// Not so.
    Not(Box<Ltl>),
    /// Both.
    And(Box<Ltl>, Box<Ltl>),
    /// At least one.
    Or(Box<Ltl>, Box<Ltl>),
    /// True of the run that begins with the next state.
    Next(Box<Ltl>),
    /// The second becomes true, and until then the first is.
    Until(Box<Ltl>, Box<Ltl>),
    /// The second is true up to and including the state in which the first is; for ever, if it never is.
    Release(Box<Ltl>, Box<Ltl>),
}

impl Ltl {
    /// `not f`
    pub fn negation(f: Self) -> Self {
        Self::Not(Box::new(f))
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

    /// `X f`
    pub fn next(f: Self) -> Self {
        Self::Next(Box::new(f))
    }

    /// `f U g`
    pub fn until(f: Self, g: Self) -> Self {
        Self::Until(Box::new(f), Box::new(g))
    }

    /// `f R g`
    pub fn release(f: Self, g: Self) -> Self {
        Self::Release(Box::new(f), Box::new(g))
    }

    /// `f W g`: `f U g`, or `f` for ever.
    pub fn weak_until(f: Self, g: Self) -> Self {
        Self::release(g.clone(), Self::or(f, g))
    }

    /// `f M g`: `f R g`, and `f` does become true.
    pub fn strong_release(f: Self, g: Self) -> Self {
        Self::until(g.clone(), Self::and(f, g))
    }

    /// `F f`
    pub fn finally(f: Self) -> Self {
        Self::until(Self::True, f)
    }

    /// `G f`
    pub fn globally(f: Self) -> Self {
        Self::release(Self::False, f)
    }
}
