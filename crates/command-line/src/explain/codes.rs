//! Every code of the command line's own findings, in one list.
//!
//! Codes below 100 are about files, options and the run itself. The languages number theirs from
//! `E0101`; run-time errors of a model are `E05xx`. A published code keeps its meaning and is never
//! reused.

macro_rules! codes {
    ($($name:ident = $code:literal: $summary:literal;)*) => {
        $(#[doc = $summary] pub const $name: &str = $code;)*

        /// All codes with a one-line summary each, in order.
        pub const ALL: &[(&str, &str)] = &[$(($code, $summary)),*];
    };
}

codes! {
    NO_SUCH_FILE = "E0001": "An input file does not exist.";
    IS_A_DIRECTORY = "E0002": "A directory is named where a file is expected.";
    UNREADABLE = "E0003": "A file cannot be read.";
    BINARY = "E0004": "A file is binary where text is expected.";
    NOT_UTF8 = "E0005": "A text is not in UTF-8.";
    UNKNOWN_PROPERTY = "E0006": "The model declares no property of this name.";
    UNWRITABLE = "E0007": "An output file cannot be written; found before the search.";
    BAD_DIRECTORY = "E0008": "The directory for temporary files cannot be used.";
    TOO_MANY_EXPRESSIONS = "E0009": "There are more expressions than one run can check.";
    NOT_EXECUTABLE = "E0010": "The model cannot be made executable.";
    NOT_A_TRACE = "E0011": "A file is not a saved trace.";
    NO_LONGER_A_RUN = "E0012": "A saved trace is not a run of the model.";
    RESULT_LOST = "E0013": "A result could not be written after the search.";
    SEARCH_FAILED = "E0014": "The trace log could not be created or read back.";
    DEFECT = "E0015": "A bug in Sweepline.";
    TOO_LARGE = "E0016": "A file is too large to be read.";
    UNSOUND = "E0017": "This search cannot decide this property.";
    BAD_MEASURE = "E0018": "A progress measure may have no value, or has too many values.";
    NO_MEASURE = "E0019": "An option needs a progress measure, and there is none.";

    NOTHING_TO_CHECK = "W0020": "There is no property to check.";
    STATE_LIMIT = "W0021": "The search reached the state limit.";
    TIME_LIMIT = "W0022": "The search reached the time limit.";
    MEMORY_LIMIT = "W0023": "The search reached the memory limit.";
    INTERRUPTED = "W0024": "The user interrupted the search.";
    OBSERVER_FAILED = "W0025": "States or the trace log could not be written to disk.";
    SEVERAL_TRACES = "W0026": "There are several traces, and one of them was saved.";
    NO_TRACE = "W0027": "There is no trace to save.";
    NOT_SHORTENED = "W0028": "A limit stopped the search for a shortest counterexample.";

    TOO_MANY_STATES = "E0029": "The state space exceeds the limit of the output format.";
    BAD_PROPOSITION = "E0030": "This cannot be a proposition of a state space or automaton.";
    STEPS_LEFT_OUT = "W0031": "Steps that are run-time errors are missing in the converted model.";
    // E0032 belonged to versions without LTL on the thesis' command line.
    NOT_A_STATE_SPACE = "E0033": "The command line of the thesis reads only explicit state spaces.";
    BEYOND_SAFETY = "E0034": "`-s` cannot decide this formula, and `-c` can.";
    SWEEP_WOULD_HELP = "W0035": "A search that keeps all states ran out of memory.";
    MODEL_FROM_STDIN = "E0036": "The model of a saved trace came from stdin and must be named.";
    NOT_FROM_ALL_STATES = "E0037": "The state space is too large for `progress --exact`.";
    NO_MEASURE_TO_SAVE = "W0038": "There is no measure to save.";
    ENGINE_NOT_STARTED = "E0039": "The process of a compared engine could not be started.";
    ENGINE_LOST = "E0040": "The process of a compared engine ended without a run record.";
    NO_CHECKPOINT = "E0041": "The folder has no usable checkpoint.";
    OLDER_CHECKPOINT = "W0042": "The last checkpoint is damaged; the one before it is used.";
    ANOTHER_RUN = "E0043": "A checkpoint belongs to another run, or its inputs have changed.";
    CHECKPOINT_IN_USE = "E0044": "The folder has a checkpoint of another run.";
    FORMULA_TOO_LARGE = "E0045": "The automaton of a formula or safety automaton is too large.";
    NOT_TRUE_OR_FALSE = "E0046": "The answer to a property is a number.";
    NOT_ASKED = "E0047": "`--contest-output` has no properties and no examination.";
    FAIRNESS_OF_NOTHING = "E0048": "`--fairness` without a linear-time property.";
    NOT_KEPT = "E0049": "The partial-order reduction does not preserve this property.";
    FAIRNESS_IGNORED = "W0050": "Fair transitions of a net do not affect a branching-time formula.";
    NO_RUN_RECORD = "E0051": "A file is not a run record.";
    VACUOUS = "W0052": "A property holds vacuously.";
    NO_WINDOW = "E0053": "`--window` does not fit the measure.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_ordered_and_below_those_of_the_languages() {
        assert!(ALL.iter().map(|(code, _)| &code[1..]).is_sorted_by(|left, right| left < right));
        assert!(ALL.iter().all(|(code, _)| code.len() == 5 && code[1..].starts_with("00")));
    }
}
