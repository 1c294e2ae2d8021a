//! Options that several commands share: of the model, what is asked, how to search, when to stop, where results go.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use engine::check::Reduction;
use engine::progress::finder::Prefer;
use engine::property::fairness::Fairness;
use engine::property::linear::{DeadEnds, Runs};
use languages::format::{FORMATS, Format};
use languages::petri::contest::Examination;
use report::{Detail, TraceView};

use crate::amounts::{duration, memory_size};

/// What belongs to the model rather than to what is done with it.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "The model")]
pub struct ModelOptions {
    /// A value for a global constant of the model, as if it stood in the file; may be repeated
    #[arg(short = 'D', long = "define", value_name = "NAME=VALUE", value_parser = constant)]
    pub constants: Vec<(String, i64)>,
    /// What the model is written in [default: as the file's ending tells; dve for stdin]
    #[arg(long, value_name = "LANGUAGE", value_enum)]
    pub language: Option<LanguageChoice>,
}

/// A language of models, from the table of formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LanguageChoice(pub &'static Format);

impl ValueEnum for LanguageChoice {
    fn value_variants<'a>() -> &'a [Self] {
        static CHOICES: LazyLock<Vec<LanguageChoice>> =
            LazyLock::new(|| FORMATS.into_iter().map(LanguageChoice).collect());
        &CHOICES
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name).help(self.0.summary))
    }
}

/// What is asked.
#[derive(Debug, Args)]
#[command(next_help_heading = "What to check")]
pub struct QuestionOptions {
    /// A property that the model file declares; may be repeated
    #[arg(long = "property", value_name = "NAME")]
    pub properties: Vec<String>,
    /// An expression that is true in every reachable state; may be repeated
    #[arg(long = "invariant", value_name = "EXPR", allow_hyphen_values = true)]
    pub invariants: Vec<String>,
    /// An expression that is true in some reachable state; may be repeated
    #[arg(long = "reach", value_name = "EXPR", allow_hyphen_values = true)]
    pub reachable: Vec<String>,
    /// A formula of computation tree logic that is true in the initial state; may be repeated
    ///
    /// Operators are `EX AX EF AF EG AG`, `E[f U g]` and `A[f U g]`, also with `W` and `R`. In `EF e`, `AG e`, `AG EF e` and `EF AG e` an
    /// operator reaches to the end of the formula, or of the parenthesis that it stands in: `AG p or q` is `AG (p or q)`.
    #[arg(long = "ctl", value_name = "FORMULA", allow_hyphen_values = true)]
    pub formulas: Vec<String>,
    /// A formula of linear temporal logic that is true of every run; may be repeated
    ///
    /// Operators are written as in SPIN (`[] <> U V W X ! && || -> <->`) or as words (`G F X U R W M not and or`), propositions as
    /// expressions of the model: `G (P.waiting -> F P.critical)`.
    #[arg(long = "ltl", value_name = "FORMULA", allow_hyphen_values = true)]
    pub linear: Vec<String>,
    /// A file with an automaton that accepts no run: HOA, a never claim, an automaton of LoLA, or a file of the thesis; may be repeated
    #[arg(long = "automaton", value_name = "FILE")]
    pub automata: Vec<String>,
    /// What becomes of runs that cannot go on, for --ltl, --automaton and property processes
    #[arg(long, value_name = "RULE", value_enum, default_value_t)]
    pub dead_ends: DeadEndsChoice,
    /// Only runs in which no process that can always move rests for ever, for --ltl, --automaton and property processes
    #[arg(long)]
    pub fairness: bool,
    /// A file with an automaton over visible actions that allows every sequence of them; may be repeated
    ///
    /// Lines are `initial a`, `final a b`, `a -> b : EVENT`, or `a -> b` for a silent step. An event is a move (`Client: waiting -> broken`), a channel, or
    /// an action as traces show it; `*` stands for any text. All other actions are internal.
    #[arg(long = "safety-automaton", value_name = "FILE")]
    pub services: Vec<String>,
    /// Where runs end, for --safety-automaton: nowhere, in deadlocks, or where an expression is true [default: deadlock]
    #[arg(long, value_name = "prefix|deadlock|EXPR", requires = "services", allow_hyphen_values = true)]
    pub halt: Option<String>,
    /// An expression that can become true again whatever happened: short for --ctl "AG EF (EXPR)"; may be repeated
    #[arg(long = "home", value_name = "EXPR", allow_hyphen_values = true)]
    pub homes: Vec<String>,
    /// A file with properties of a Petri net, as the Model Checking Contest or LoLA write them; may be repeated
    ///
    /// All of them are checked, or with --property those that it names.
    #[arg(long = "properties", value_name = "FILE")]
    pub property_files: Vec<String>,
    /// A question about a whole Petri net, as the Model Checking Contest asks it; with --contest-output
    #[arg(long, value_name = "EXAMINATION", value_enum, ignore_case = true, requires = "contest_output")]
    pub examination: Option<ExaminationChoice>,
    /// Answer the properties of --properties, or the --examination, in the words of the Model Checking Contest
    #[arg(long)]
    pub contest_output: bool,
    /// Every reachable state has a successor
    #[arg(long, conflicts_with = "no_deadlock")]
    pub deadlock: bool,
    /// Do not look for deadlocks
    #[arg(long)]
    pub no_deadlock: bool,
}

/// The questions of the contest that are about a whole net.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExaminationChoice {
    /// How many markings, steps and tokens are there?
    #[value(name = "StateSpace")]
    StateSpace,
    /// Is a dead marking reachable?
    #[value(name = "ReachabilityDeadlock")]
    ReachabilityDeadlock,
    /// Does no place ever hold two tokens?
    #[value(name = "OneSafe")]
    OneSafe,
    /// Is there a place whose marking never changes?
    #[value(name = "StableMarking")]
    StableMarking,
    /// Can every transition fire some time?
    #[value(name = "QuasiLiveness")]
    QuasiLiveness,
    /// Can every transition always fire some time later?
    #[value(name = "Liveness")]
    Liveness,
}

impl From<ExaminationChoice> for Examination {
    fn from(choice: ExaminationChoice) -> Self {
        match choice {
            ExaminationChoice::StateSpace => Self::StateSpace,
            ExaminationChoice::ReachabilityDeadlock => Self::ReachabilityDeadlock,
            ExaminationChoice::OneSafe => Self::OneSafe,
            ExaminationChoice::StableMarking => Self::StableMarking,
            ExaminationChoice::QuasiLiveness => Self::QuasiLiveness,
            ExaminationChoice::Liveness => Self::Liveness,
        }
    }
}

/// What becomes of runs that cannot go on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DeadEndsChoice {
    /// The last state is repeated for ever
    #[default]
    Repeated,
    /// They are no runs: only infinite ones count
    Ignored,
}

impl From<DeadEndsChoice> for DeadEnds {
    fn from(choice: DeadEndsChoice) -> Self {
        match choice {
            DeadEndsChoice::Ignored => Self::Ignored,
            DeadEndsChoice::Repeated => Self::Repeated,
        }
    }
}

impl QuestionOptions {
    /// The runs that linear-time properties are about.
    pub fn runs(&self) -> Runs {
        let fairness = if self.fairness { Fairness::Weak } else { Fairness::Unfair };
        Runs { dead_ends: self.dead_ends.into(), fairness }
    }

    /// Whether nothing in particular is asked.
    pub fn is_empty(&self) -> bool {
        let Self { properties, invariants, reachable, formulas, linear, automata, services, homes, .. } =
            self;
        let files = &self.property_files;
        let texts = [properties, invariants, reachable, formulas, linear, automata, services, homes, files];
        texts.into_iter().all(Vec::is_empty) && !self.deadlock
    }
}

/// What is remembered behind the front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowChoice {
    /// The component that counts; the first one has number 1.
    pub component: usize,
    /// How far it may fall.
    pub reach: u64,
}

impl WindowChoice {
    fn parse(text: &str) -> Result<Self, String> {
        let (component, reach) = text.split_once(':').unwrap_or(("1", text));
        match (component.parse(), reach.parse()) {
            (Ok(component), Ok(reach)) if component > 0 => Ok(Self { component, reach }),
            _ => Err("expected a number like 17, or a component and a number like 2:17".into()),
        }
    }
}

/// How to search, and when to stop.
#[derive(Debug, Default, Args)]
pub struct SearchOptions {
    /// In which order states are met
    #[arg(long, value_name = "ENGINE", value_enum, default_value_t, help_heading = "How to search")]
    pub engine: EngineChoice,
    /// What progress is: an expression, or `(a, b)` of which the first counts most; `none` for no measure
    ///
    /// Without it, and with `auto`, the measure is the one that the model declares in a line `// progress: EXPR`; if there
    /// is none, one is looked for, as by `sweepline progress`, and small models are explored in full. `@FILE` reads a measure
    /// from a file. The name of a process alone is the number of the state that it is in.
    #[arg(
        long,
        value_name = "EXPR|@FILE|auto|none",
        allow_hyphen_values = true,
        help_heading = "How to search"
    )]
    pub measure: Option<String>,
    /// What a measure that is looked for is to save [default: balanced]
    #[arg(long, value_name = "WHAT", value_enum, help_heading = "How to search")]
    pub prefer: Option<PreferChoice>,
    /// Where the random choices of the search for a measure begin [default: 0]
    #[arg(long, value_name = "N", help_heading = "How to search")]
    pub seed: Option<u64>,
    /// Stop at the first step after which progress is less than before, and show it
    #[arg(long, help_heading = "How to search")]
    pub expect_monotone: bool,
    /// Forget the initial state as any other, as in the papers, to reproduce their figures
    #[arg(long, help_heading = "How to search")]
    pub unpinned: bool,
    /// Remember states behind the front as long as the measure, or its component K, is less than the greatest so far by no more than N
    ///
    /// A step that falls by no more then leads to a state that is known, and starts no sweep. Temporal logic does without it. A measure
    /// that is looked for comes with its window.
    #[arg(long, value_name = "N|K:N", value_parser = WindowChoice::parse, help_heading = "How to search")]
    pub window: Option<WindowChoice>,
    /// How the model is executed [default: compiled; interpreted for state spaces with many arcs]
    #[arg(long, value_name = "HOW", value_enum, help_heading = "How to search")]
    pub execution: Option<ExecutionChoice>,
    /// Which steps are left out because the questions do not need them; counts are then those of what is left
    #[arg(long, value_name = "WHICH", value_enum, default_value_t, help_heading = "How to search")]
    pub reduction: ReductionChoice,
    /// List all states without successors
    #[arg(long, help_heading = "Output")]
    pub terminal_states: bool,
    /// Memory for states, like 512MiB or 2GiB [default: four fifths of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = memory_size, help_heading = "Limits")]
    pub memory: Option<usize>,
    /// Where to keep what traces need, and states for which there is no room [default: the directory for temporary files]
    #[arg(long, value_name = "DIR", help_heading = "Limits")]
    pub disk: Option<PathBuf>,
    /// Bytes on disk for states at the most, like 50GiB [default: as much as there is room]
    #[arg(long, value_name = "SIZE", value_parser = memory_size, help_heading = "Limits")]
    pub disk_limit: Option<usize>,
    /// What states that lie ahead are in on disk
    #[arg(long, value_name = "QUEUE", value_enum, default_value_t, hide = true)]
    pub queue: QueueChoice,
    /// Save the run to this folder from time to time, and when it is stopped; `sweepline resume DIR` goes on from there
    #[arg(long, value_name = "DIR", help_heading = "Checkpoints")]
    pub checkpoint: Option<PathBuf>,
    /// Time between two checkpoints [default: 5m]; SIGUSR1 asks for one at once
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "checkpoint", help_heading = "Checkpoints")]
    pub checkpoint_every: Option<Duration>,
    /// Stop after this time, like 30s or 10m
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Limits")]
    pub time_limit: Option<Duration>,
    /// Stop when this many states were stored, with those that a sweep has forgotten
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    pub state_limit: Option<u64>,
}

impl SearchOptions {
    /// What contradicts each other, as a sentence.
    pub fn contradiction(&self) -> Option<&'static str> {
        let has_layers = self.engine.has_layers();
        let asked = self.measure.as_deref().map(str::trim);
        let has_measure = asked.is_some_and(|measure| measure != "none");
        let finds = has_layers && asked.is_none_or(|measure| measure == "auto");
        if !finds && self.prefer.is_some() {
            Some("--prefer is for a measure that is looked for, and here none is; leave it out")
        } else if !finds && self.seed.is_some() {
            Some("--seed is for a measure that is looked for, and here none is; leave it out")
        } else if !has_layers && has_measure {
            Some("--measure is for a sweep, and --engine asks for another search; leave one of them out")
        } else if !has_layers && self.expect_monotone {
            Some("--expect-monotone is for a sweep, and --engine asks for another search; leave one out")
        } else if !has_layers && self.window.is_some() {
            Some("--window is for a sweep, and --engine asks for another search; leave one out")
        } else if !has_layers && self.unpinned {
            Some("--unpinned is for a sweep, and --engine asks for another search; leave one out")
        } else if self.checkpoint.is_some()
            && matches!(self.engine, EngineChoice::Depth | EngineChoice::Partition)
        {
            Some("--checkpoint is for sweeps and breadth-first searches; choose another --engine")
        } else {
            None
        }
    }
}

/// Where the results go.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputOptions {
    /// Write the run record; - for stdout, which moves the text for people to stderr
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the run as a web page, one file that needs no network; - for stdout
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Leave out of the record what was held layer by layer, and how often actions were taken
    #[arg(long)]
    pub no_course: bool,
    /// Print the answers only
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print whole traces and more statistics
    #[arg(short, long)]
    pub verbose: bool,
}

impl OutputOptions {
    /// How much is said.
    pub fn detail(&self) -> Detail {
        match (self.quiet, self.verbose) {
            (true, _) => Detail::Quiet,
            (_, true) => Detail::Verbose,
            _ => Detail::Normal,
        }
    }
}

/// The searches that can be asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum EngineChoice {
    /// A sweep where there is a measure, else breadth-first; small models breadth-first, unless they declare one
    #[default]
    Auto,
    /// By progress, forgetting what lies behind; also small models, where a measure is found. What lies ahead goes to disk when there is no room
    Sweep,
    /// The same, with nearly all states that lie ahead on disk
    SweepDisk,
    /// Breadth-first, everything in memory: shortest traces
    Breadth,
    /// Depth-first, everything in memory
    Depth,
    /// Breadth-first, all states on disk: shortest traces
    BreadthDisk,
    /// Partitioned, what is not at work on disk
    Partition,
}

impl EngineChoice {
    /// Whether the search may follow a measure.
    pub fn has_layers(self) -> bool {
        match self {
            Self::Auto | Self::Sweep | Self::SweepDisk => true,
            Self::Breadth | Self::Depth | Self::BreadthDisk | Self::Partition => false,
        }
    }
}

/// What a value of an option is called on the command line.
pub fn option_name(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or(String::new(), |value| value.get_name().into())
}

/// The queues on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum QueueChoice {
    /// The external radix heap
    #[default]
    Radix,
    /// The external array heap of the paper, with its parameters
    Array,
}

/// What a measure that is looked for is to save.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PreferChoice {
    /// Memory, at the price of states that are expanded more than once
    Memory,
    /// Memory, as long as few states are expanded more than once
    #[default]
    Balanced,
    /// Time: next to no state is expanded twice
    Time,
}

impl PreferChoice {
    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Balanced => "balanced",
            Self::Time => "time",
        }
    }
}

impl From<PreferChoice> for Prefer {
    fn from(choice: PreferChoice) -> Self {
        match choice {
            PreferChoice::Memory => Self::Memory,
            PreferChoice::Balanced => Self::Balanced,
            PreferChoice::Time => Self::Time,
        }
    }
}

/// The reductions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ReductionChoice {
    /// All steps are taken
    #[default]
    None,
    /// Those of stubborn sets: for deadlocks, invariants, reachability, and formulas of LTL without X
    Stubborn,
}

impl From<ReductionChoice> for Reduction {
    fn from(choice: ReductionChoice) -> Self {
        match choice {
            ReductionChoice::None => Self::None,
            ReductionChoice::Stubborn => Self::Stubborn,
        }
    }
}

/// The ways to execute a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ExecutionChoice {
    /// As machine code
    #[default]
    Compiled,
    /// By the interpreter: slow, for comparison
    Interpreted,
}

impl ExecutionChoice {
    /// The name in run records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Compiled => "compiled",
            Self::Interpreted => "interpreted",
        }
    }
}

/// The views of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ViewChoice {
    /// What each step changes
    #[default]
    Diff,
    /// The whole state after each step
    Full,
    /// The steps' names
    Actions,
    /// Nothing
    None,
}

impl From<ViewChoice> for TraceView {
    fn from(choice: ViewChoice) -> Self {
        match choice {
            ViewChoice::Diff => Self::Diff,
            ViewChoice::Full => Self::Full,
            ViewChoice::Actions => Self::Actions,
            ViewChoice::None => Self::None,
        }
    }
}

/// The formats that traces are converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceFormatChoice {
    /// The Informal Trace Format of Apalache and Quint: JSON with all states
    Itf,
}

/// The formats that models are converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormatChoice {
    /// An explicit state space, one line per state, in the format of the thesis
    Ss,
    /// A drawing for Graphviz, grouped by layers
    Dot,
    /// All steps with their actions, in Aldebaran's format, for CADP, mCRL2 and others
    Aut,
    /// All states with their values and all steps, for tools that draw and analyse graphs
    Graphml,
    /// A picture of the layers, one band each; of more than 2,000 states, one circle a layer
    Svg,
    /// All steps between states, without the states: a compact file, written by a sweep
    Graph,
    /// The automaton of the runs that violate a formula, in the Hanoi format; needs --ltl
    Hoa,
}

/// Reads `NAME=VALUE` with a number.
fn constant(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, like PACKETS=6")?;
    if name.trim().is_empty() {
        return Err("expected the name of a constant before the `=`".into());
    }
    let value = value.trim().parse().map_err(|_| format!("expected a number behind `{name}=`"))?;
    Ok((name.trim().into(), value))
}

/// Reads `NAME=EXPR`.
pub fn named_expression(text: &str) -> Result<(String, String), String> {
    let (name, expression) = text.split_once('=').ok_or("expected NAME=EXPR, like done=x == 3")?;
    Ok((name.trim().into(), expression.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_names_with_numbers() {
        assert_eq!(constant("N=5"), Ok(("N".into(), 5)));
        assert_eq!(constant("N = -7"), Ok(("N".into(), -7)));
        for text in ["", "N", "=5", "N=", "N=five", "N=99999999999999999999", "N=1=2"] {
            assert!(constant(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_first_equals_sign_ends_the_name() {
        assert_eq!(named_expression("p=x == 3"), Ok(("p".into(), "x == 3".into())));
        assert!(named_expression("p").is_err());
    }
}
