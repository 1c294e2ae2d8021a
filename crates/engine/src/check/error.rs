//! Errors: why a run could not be made or finished.

use std::io;
use std::path::PathBuf;

use super::executable::Outgrown;
use super::identity::Difference;
use crate::property::intermediate::TooManyPredicates;
use crate::property::soundness::Unsound;
use crate::store::layer::LayerFull;
use crate::verdict::replay::ReplayError;
use model::transition_system::{ExecutionError, MAX_ACTIONS, MAX_PREDICATES};

/// A run that could not be made or finished.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// More expressions than a search evaluates together.
    #[error("at most {MAX_PREDICATES} expressions can be checked in one run, and there are {0}")]
    TooManyPredicates(usize),
    /// A property cannot be checked together with others.
    #[error("`{0}` needs a search of its own")]
    NeedsOwnSearch(String),
    /// More actions than action numbers.
    #[error("a model has at most {MAX_ACTIONS} actions, and this one has {0}")]
    TooManyActions(usize),
    /// The search cannot decide the property.
    #[error(transparent)]
    Unsound(#[from] Unsound),
    /// The model could not be made executable.
    #[error(transparent)]
    Execution(#[from] ExecutionError),
    /// There is no memory to begin.
    #[error("the search cannot begin: {0}")]
    NoMemory(LayerFull),
    /// This search cannot be saved.
    #[error("this search cannot be saved: checkpoints are for sweeps and breadth-first searches")]
    NotSaved,
    /// A search for a formula, or in a product with an automaton, cannot be saved.
    #[error("a search beside an automaton, or for a formula of temporal logic, cannot be saved")]
    TemporalNotSaved,
    /// A checkpoint cannot be read.
    #[error("the checkpoint cannot be used: {0}")]
    Checkpoint(io::Error),
    /// A checkpoint belongs to another run.
    #[error("the checkpoint belongs to another run: {0}")]
    AnotherRun(Difference),
    /// Two runs must not save to one folder.
    #[error("another run is saving to `{}`", .0.display())]
    FolderInUse(PathBuf),
    /// The trace log cannot be read back.
    #[error("the trace log cannot be read: {0}")]
    TraceLog(#[from] io::Error),
    /// The actions of a search are not a run of the model. This is a defect of Sweepline.
    #[error("a trace does not replay: {0}")]
    Replay(#[from] ReplayError),
    /// The model has no room for a step, and a larger one can be made.
    #[error("the model has no room for a step")]
    Outgrown(Outgrown),
    /// A trace does not show what it should. This is a defect of Sweepline.
    #[error("the trace for `{0}` does not show what the search saw")]
    WrongTrace(String),
}

/// The cause of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The model, the properties or the plan: a changed one can be checked.
    Input,
    /// The machine: memory, disk, or another process.
    Environment,
    /// A defect of Sweepline.
    Defect,
}

impl CheckError {
    /// The cause of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::TooManyPredicates(_)
            | Self::NeedsOwnSearch(_)
            | Self::TooManyActions(_)
            | Self::Unsound(_)
            | Self::Outgrown(_)
            | Self::Execution(ExecutionError::NotSupported(_))
            | Self::NotSaved
            | Self::TemporalNotSaved
            | Self::AnotherRun(_) => ErrorKind::Input,
            Self::Execution(ExecutionError::NoMemory(_))
            | Self::NoMemory(_)
            | Self::Checkpoint(_)
            | Self::FolderInUse(_)
            | Self::TraceLog(_) => ErrorKind::Environment,
            Self::Execution(ExecutionError::Defect(_)) | Self::Replay(_) | Self::WrongTrace(_) => {
                ErrorKind::Defect
            }
        }
    }
}

impl From<TooManyPredicates> for CheckError {
    fn from(TooManyPredicates(number): TooManyPredicates) -> Self {
        Self::TooManyPredicates(number)
    }
}
