//! How a run ends for whoever started it: one small number that scripts can rely on.

/// The exit codes of the program.
///
/// A violation that was found stays found, whatever else happened in the same run; success is only what is
/// neither violated nor unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Every checked property holds.
    Holds,
    /// At least one property is violated.
    Violated,
    /// The command line, the model or a property is wrong; nothing was checked.
    BadInput,
    /// No violation was found, but something is undecided.
    Unknown,
    /// This program did something wrong.
    Defect,
}

impl Exit {
    /// The number that the process returns.
    pub fn code(self) -> u8 {
        match self {
            Self::Holds => 0,
            Self::Violated => 1,
            Self::BadInput => 2,
            Self::Unknown => 3,
            Self::Defect => 4,
        }
    }
}
