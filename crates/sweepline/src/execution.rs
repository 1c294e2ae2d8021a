//! How a model is executed: as machine code, or by the interpreter.
//!
//! Machine code is many times faster, and is the default where the feature `native-code` is on. The
//! interpreter defines the meaning of a model and starts at once. It is the better choice for a
//! model with many actions that each run about once, such as an explicit state space read from a
//! file.
//!
//! Each method of [`Execution`] does what the function of the same name in the engine does.

use engine::check::{
    Automatic, AutomaticPlan, CheckError, CommandsSubject, MeasureSearch, Outcome, Packing, Plan, check,
    check_automatically, find_measures, judge_measure, record_graph,
};
use engine::explore::Monitor;
use engine::progress::ExpressionMeasure;
use engine::progress::finder::{Cost, FinderOptions, SampleFacts};
use engine::property::Property;
use engine::store::compact_graph::RecordedGraph;
use model::guarded_commands::{Expression, GuardedCommands};
use model::interpreted_model::Interpreted;
use model::transition_system;

/// Number of arcs from which an explicit state space is interpreted. Each arc is an action, and
/// compiling an action takes longer than executing it once. A sweep without regress edges executes
/// it exactly once.
#[cfg(all(feature = "model-files", feature = "native-code"))]
const COMPILED_ARCS: usize = 2_000;

/// A way to execute a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Execution {
    /// Machine code from Cranelift.
    #[cfg(feature = "native-code")]
    #[default]
    Compiled,
    /// The interpreter.
    #[cfg_attr(not(feature = "native-code"), default)]
    Interpreted,
}

impl Execution {
    /// What the engine executes models with.
    pub fn implementation(self) -> &'static dyn transition_system::Execution {
        match self {
            #[cfg(feature = "native-code")]
            Self::Compiled => &native_code::Compiled,
            Self::Interpreted => &Interpreted,
        }
    }

    /// The execution that suits a model: compiled, except for large explicit state spaces.
    #[cfg(feature = "model-files")]
    pub fn suited_to(model: &languages::Model) -> Self {
        #[cfg(feature = "native-code")]
        if model.is_state_space() && model.commands.actions.len() > COMPILED_ARCS {
            return Self::Interpreted;
        }
        #[cfg(not(feature = "native-code"))]
        let _ = model;
        Self::default()
    }

    /// Name in run records and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            #[cfg(feature = "native-code")]
            Self::Compiled => "compiled",
            Self::Interpreted => "interpreted",
        }
    }

    /// Checks the properties of a model.
    ///
    /// # Errors
    /// The run could not be made or finished.
    pub fn check(
        self,
        commands: &GuardedCommands,
        properties: &[Property],
        plan: &Plan,
        monitor: &mut dyn Monitor,
    ) -> Result<Outcome, CheckError> {
        check(commands, self.implementation(), properties, plan, monitor)
    }

    /// Checks the properties, and looks for a progress measure.
    ///
    /// # Errors
    /// The run could not be made or finished.
    pub fn check_automatically(
        self,
        commands: &GuardedCommands,
        properties: &[Property],
        plans: (&Plan, &AutomaticPlan),
        monitor: &mut dyn Monitor,
    ) -> Result<Automatic, CheckError> {
        check_automatically(commands, self.implementation(), properties, plans, monitor)
    }

    /// Explores a model and returns the graph of its states.
    ///
    /// # Errors
    /// The run could not be made or finished.
    pub fn record_graph(
        self,
        commands: &GuardedCommands,
        propositions: &[Expression],
        plan: &Plan,
        monitor: &mut dyn Monitor,
    ) -> Result<(Outcome, Option<RecordedGraph>), CheckError> {
        let subject = CommandsSubject::new(commands, self.implementation(), plan);
        record_graph(subject, propositions, plan, monitor)
    }

    /// Searches for progress measures.
    ///
    /// # Errors
    /// The model cannot be made executable, or there is no memory.
    pub fn find_measures(
        self,
        commands: &GuardedCommands,
        options: &FinderOptions,
    ) -> Result<MeasureSearch, CheckError> {
        find_measures(commands, self.implementation(), Packing::default(), options)
    }

    /// Estimates the cost of a sweep with a measure, on a sample of the state space.
    ///
    /// # Errors
    /// As [`find_measures`](Self::find_measures).
    pub fn judge_measure(
        self,
        commands: &GuardedCommands,
        measure: &ExpressionMeasure,
        options: &FinderOptions,
    ) -> Result<(Cost, SampleFacts), CheckError> {
        judge_measure(commands, self.implementation(), Packing::default(), measure, options)
    }
}
