//! Exit codes, on which scripts can rely.

/// The exit codes of the program.
///
/// A violation takes precedence over everything else in the run. Success means that no property is
/// violated or unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Every checked property holds.
    Holds,
    /// At least one property is violated.
    Violated,
    /// The command line, the model or a property is wrong; nothing was checked.
    BadInput,
    /// No violation was found, but a verdict is unknown.
    Unknown,
    /// A defect in Sweepline.
    Defect,
}

impl Exit {
    /// The exit code of the process.
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
