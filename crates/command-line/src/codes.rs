//! Every code of the command line's own findings, in one list.
//!
//! The languages number their findings from `E0101`, the run-time errors of a model are `E05xx`; what is below 100
//! is about files, options and the run itself. A code keeps its meaning once published and is never reused.

macro_rules! codes {
    ($($name:ident = $code:literal: $explanation:literal;)*) => {
        $(#[doc = $explanation] pub const $name: &str = $code;)*

        /// All codes with a line of explanation each, in order.
        pub const ALL: &[(&str, &str)] = &[$(($code, $explanation)),*];
    };
}

codes! {
    NO_SUCH_FILE = "E0001": "A file that is to be read does not exist.";
    IS_A_DIRECTORY = "E0002": "A directory is named where a file is expected.";
    UNREADABLE = "E0003": "A file cannot be read.";
    BINARY = "E0004": "A file that should be text is not.";
    NOT_UTF8 = "E0005": "A text is not in UTF-8.";
    UNKNOWN_PROPERTY = "E0006": "The model declares no property of this name.";
    UNWRITABLE = "E0007": "A result cannot be written where it should go; noticed before the search.";
    BAD_DIRECTORY = "E0008": "The directory for temporary data cannot be used.";
    TOO_MANY_EXPRESSIONS = "E0009": "More expressions than one run can check.";
    NOT_EXECUTABLE = "E0010": "The model could not be made executable.";
    NOT_A_TRACE = "E0011": "A file is not a saved trace.";
    NO_LONGER_A_RUN = "E0012": "A saved trace is not a run of the model.";
    RESULT_LOST = "E0013": "A result could not be written after the search.";
    SEARCH_FAILED = "E0014": "The search could not begin, or its results could not be read back.";
    DEFECT = "E0015": "This program did something wrong.";
    TOO_LARGE = "E0016": "A file is larger than anything this program reads.";
    UNSOUND = "E0017": "This search cannot decide this property.";
    BAD_MEASURE = "E0018": "A progress measure that may have no value, or too many different ones.";
    NO_MEASURE = "E0019": "A sweep is asked for, and nothing says what progress is.";

    NOTHING_TO_CHECK = "W0020": "There is no property to check.";
    STATE_LIMIT = "W0021": "The search reached its limit of states.";
    TIME_LIMIT = "W0022": "The search reached its limit of time.";
    MEMORY_LIMIT = "W0023": "The search reached its limit of memory.";
    INTERRUPTED = "W0024": "The user stopped the search.";
    OBSERVER_FAILED = "W0025": "Something beside the search could not go on, such as the trace log on a full disk.";
    SEVERAL_TRACES = "W0026": "There are more traces than the one that is saved.";
    NO_TRACE = "W0027": "There is no trace to save.";
    NOT_SHORTENED = "W0028": "The second search, for a shorter trace, was stopped by a limit.";

    TOO_MANY_STATES = "E0029": "A state space has more states than are written or drawn.";
    BAD_PROPOSITION = "E0030": "Something that cannot be a proposition of a state space.";
    STEPS_LEFT_OUT = "W0031": "Steps that are run-time errors are missing in a converted model.";
    // E0032 was said by versions without LTL on the thesis' command line.
    NOT_A_STATE_SPACE = "E0033": "The thesis' command line is for explicit state spaces.";
    BEYOND_SAFETY = "E0034": "A formula for `-c` was asked about by `-s`.";
    SWEEP_WOULD_HELP = "W0035": "A search that keeps all states ran out of memory.";
    MODEL_FROM_STDIN = "E0036": "The model of a saved trace came from stdin and has to be named.";
    NOT_FROM_ALL_STATES = "E0037": "Measures cannot be derived from all states.";
    NO_MEASURE_TO_SAVE = "W0038": "There is no measure to save.";
    ENGINE_NOT_STARTED = "E0039": "An engine to be compared could not be started in a process of its own.";
    ENGINE_LOST = "E0040": "A compared engine's process ended without a run record.";
    NO_CHECKPOINT = "E0041": "A folder has no checkpoint that can be used.";
    OLDER_CHECKPOINT = "W0042": "The last checkpoint is damaged, and the one before it is used.";
    ANOTHER_RUN = "E0043": "A checkpoint belongs to another run, or its model or properties have changed.";
    CHECKPOINT_IN_USE = "E0044": "A folder for checkpoints has one of another run.";
    FORMULA_TOO_LARGE = "E0045": "The automaton of a formula, or of a service, would be too large.";
    NOT_TRUE_OR_FALSE = "E0046": "A property that asks for a number.";
    NOT_ASKED = "E0047": "Contest output without properties and without an examination.";
    FAIRNESS_OF_NOTHING = "E0048": "`--fairness` without a property of linear time.";
    NOT_KEPT = "E0049": "A reduction does not keep what is asked for.";
    FAIRNESS_IGNORED = "W0050": "A net has fair transitions, and a formula of branching time speaks of all runs.";
    NO_RUN_RECORD = "E0051": "A file that should be a run record is none.";
    TRIVIALLY_TRUE = "W0052": "A property holds for a trivial reason.";
    NO_WINDOW = "E0053": "`--window` for a measure that has no such component, or values of which none is the greatest.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_in_order_and_below_those_of_the_languages() {
        assert!(ALL.iter().map(|(code, _)| &code[1..]).is_sorted_by(|left, right| left < right));
        assert!(ALL.iter().all(|(code, _)| code.len() == 5 && code[1..].starts_with("00")));
    }
}
