//! Every diagnostic code of this crate, in one list.
//!
//! People search for a code and scripts match on it, so it keeps its meaning once published and is
//! never reused. One list makes that checkable. The hundreds give the phase: `E01xx` the text
//! cannot be read, `E02xx` a name or a type does not fit, `E03xx` the text is understood but not
//! supported, `W04xx` it is accepted but unlikely to be meant.
//!
//! E0207 (an array without an index) is retired: such a name is read as the first element, with
//! W0405.

macro_rules! codes {
    ($($name:ident = $code:literal: $explanation:literal;)*) => {
        $(#[doc = $explanation] pub const $name: &str = $code;)*

        /// All codes with a line of explanation each, in order.
        pub const ALL: &[(&str, &str)] = &[$(($code, $explanation)),*];
    };
}

codes! {
    UNKNOWN_CHARACTER = "E0101": "A character that no token of the language starts with.";
    UNCLOSED_COMMENT = "E0102": "A `/*` without its `*/`.";
    NUMBER_TOO_LARGE = "E0103": "A number above 2147483647, or above 9223372036854775807 in a measure.";
    MALFORMED_NUMBER = "E0104": "Letters directly after the digits of a number.";
    UNEXPECTED_TOKEN = "E0105": "The grammar allows something else at this place.";
    NESTED_TOO_DEEPLY = "E0106": "An expression or a formula with more than 256 levels.";
    REPEATED_SECTION = "E0107": "A section that is allowed once in a process or transition is repeated.";
    MISSING_SECTION = "E0108": "A process without `state` or `init`, or a model without `system`.";
    TEXT_TOO_LARGE = "E0109": "A text of more than 64 MiB, or a state space of more than 1 GiB.";
    REPEATED_MEASURE = "E0110": "A second `// progress:` comment.";
    NO_STATES = "E0111": "A state space or an automaton without a state.";
    INCOMPLETE_STATE = "E0112": "A line of a state space or automaton that ends too early.";
    BAD_PROGRESS_VALUE = "E0113": "A progress value that is not a number from 0 to 4294967295.";
    BAD_PROPOSITION_COUNT = "E0114": "A number of propositions that is no number, or not the number of those that follow.";
    BAD_PROPOSITION = "E0115": "Something that cannot be the name of a proposition.";
    INCOMPLETE_ARC = "E0116": "An action or a label without a successor.";
    BAD_LABEL = "E0117": "A label of an automaton that is not `true` and not made of propositions.";
    BAD_AUTOMATON_STATE = "E0118": "A state of an automaton whose name holds a `/`, or several initial states.";
    EMPTY_FORMULA = "E0119": "A formula without a text.";
    MISSING_OPERAND = "E0120": "An operator of a formula without its operand.";
    UNBALANCED = "E0121": "A parenthesis or bracket that is not closed, or closes nothing.";
    UNCLOSED_QUOTATION = "E0122": "A `\"` or `'` without its second one.";
    FORMULA_TOO_LARGE = "E0123": "A formula of more than 1 MiB, or of more than 100,000 operators after expansion.";
    BAD_HEADER = "E0124": "A header of an automaton that is missing, repeated or malformed.";
    BAD_CLAIM = "E0125": "A statement that a never claim cannot have.";
    BAD_SERVICE_LINE = "E0126": "A line of a service automaton that is malformed.";
    MALFORMED_XML = "E0127": "A text that is not well-formed XML.";
    NOT_A_NET = "E0128": "An XML text without the expected Petri net or properties.";
    MISSING_PART = "E0129": "An element of a net or of a property without a part that it must have.";
    BAD_TOKEN_COUNT = "E0130": "A number of tokens, or the weight of an arc, that is not a number from 0 to 4294967295.";
    BAD_DIRECTIVE = "E0131": "A line with `#` that the preprocessor does not understand, or an `#if` that does not end.";
    BAD_MACRO_CALL = "E0132": "A macro with the wrong number of arguments, or a `##` that makes no token.";
    BAD_INCLUDE = "E0133": "A file that cannot be included.";
    ERROR_DIRECTIVE = "E0134": "The text contains an `#error` for the values that were given.";
    EXPANSION_TOO_LARGE = "E0135": "Macros, included files or inlines that produce too many tokens.";
    BAD_INLINE = "E0136": "An inline that calls itself, with the wrong number of arguments, or a `return` outside of one.";
    MISPLACED_LABEL = "E0137": "A label where no label can stand.";
    MISPLACED_PROBE = "E0138": "`full`, `empty`, `nfull` or `nempty` as a part of an expression that they cannot be in.";

    UNKNOWN_NAME = "E0201": "No variable or constant of this name is visible here.";
    UNKNOWN_PROCESS = "E0202": "No process has this name.";
    UNKNOWN_LOCATION = "E0203": "The process has no state of this name.";
    UNKNOWN_CHANNEL = "E0204": "No channel has this name.";
    DECLARED_TWICE = "E0205": "Two things of one kind share a name in one scope.";
    NOT_AN_ARRAY = "E0206": "A scalar is indexed.";
    INDEX_OUT_OF_RANGE = "E0208": "A constant index outside its array.";
    NOT_ASSIGNABLE = "E0209": "The target of an assignment or a `?` is a constant.";
    NOT_CONSTANT = "E0210": "A value that must be known before the run depends on the state, or cannot be computed.";
    MESSAGE_MISMATCH = "E0211": "Sender, receiver and channel disagree on the number of values in a message.";
    BAD_INITIAL_VALUE = "E0212": "A list for a scalar or a number for an array.";
    BAD_SIZE = "E0213": "The length of an array or the capacity of a channel is outside the limits.";
    CHANNEL_WITHOUT_TYPE = "E0214": "A buffered channel does not say what its messages are.";
    UNKNOWN_CONSTANT = "E0215": "A value was given for something that is no single global constant.";
    CONSTANT_OUT_OF_RANGE = "E0216": "A value was given that the type of the constant does not hold.";
    UNKNOWN_STATE = "E0217": "No line of the state space or automaton defines this state.";
    UNKNOWN_PROPOSITION = "E0218": "The first state of the space does not have this proposition.";
    MISSING_PROPOSITION = "E0219": "A state does not say whether a proposition holds that the first state has.";
    VALUE_ORDERED_TWICE = "E0220": "An order names a value twice.";
    ORDER_TOO_WIDE = "E0221": "The values of an order are 4,096 or more apart.";
    BAD_BUFFER_CELL = "E0222": "Not the length of a buffered channel, and not one part of a message in it.";
    MISSING_QUANTIFIER = "E0223": "A temporal operator without `A` or `E` in a formula of computation tree logic.";
    PATH_QUANTIFIER = "E0224": "An `A` or `E` in a formula of linear temporal logic.";
    QUANTIFIER_ALONE = "E0225": "An `A` or `E` without a temporal operator.";
    TEMPORAL_OPERAND = "E0226": "A temporal formula where a number should be.";
    UNKNOWN_SET = "E0227": "An acceptance set, a proposition or an alias that an automaton does not declare.";
    UNKNOWN_EVENT = "E0228": "An event of a service automaton that matches no action of the model.";
    TWO_EVENTS = "E0229": "An action of the model that matches two events of a service automaton.";
    UNKNOWN_NODE = "E0230": "No place, transition or unit of the net has this name.";
    BAD_ARC = "E0231": "An arc that does not lead from a place to a transition or back.";

    STRUCTURE_AS_VALUE = "E0280": "A structure is used as a whole where a single value should be.";
    UNKNOWN_FIELD = "E0281": "The structure has no field of this name, or the variable is no structure.";
    UNKNOWN_TYPE = "E0282": "No typedef and no kind of messages of this name is declared before.";
    UNKNOWN_LABEL = "E0283": "The proctype has no label of this name.";
    SECOND_ELSE = "E0284": "A second `else` in a selection.";
    MISPLACED_BREAK = "E0285": "A `break` outside of a loop.";
    NOT_A_CHANNEL = "E0286": "A channel operation on something that is not a channel.";
    MISPLACED_RUN = "E0287": "A `run` where no process can be created, or a second one in one expression.";
    ARGUMENT_MISMATCH = "E0288": "A `run` with another number of arguments than the proctype has parameters.";
    BAD_PARAMETER = "E0289": "A parameter of a proctype that is an array or has an initial value.";
    BAD_LOOP = "E0290": "A `for` or `select` over something that it cannot run over.";
    ENDLESS_GOTO = "E0291": "Jumps that lead in a circle, without a statement between them.";
    NO_PROCESS = "E0292": "A program without a process that exists at the start.";
    STORED_TWICE = "E0293": "A receive that assigns one variable twice.";
    EMPTY_SEQUENCE = "E0294": "A block or an option without a statement.";
    BAD_WIDTH = "E0295": "The width of an `unsigned` variable is missing, misplaced, or not from 1 to 31.";
    OUTSIDE_PROCESS = "E0296": "`_pid` or `_priority` where no process is executed.";

    SYNCHRONOUS_SYSTEM = "E0301": "`system sync` is not supported.";
    PROPERTY_CHANGES_MODEL = "E0302": "The property process has variables, effects or synchronisations.";
    STATE_TOO_LARGE = "E0303": "A state of more than 1,048,576 cells.";
    TOO_MANY_ACTIONS = "E0304": "Pairing senders with receivers gives more actions than fit in memory.";
    UNDECIDED_FORMULA = "E0305": "A formula of temporal logic that is not `EF f`, `AG f`, `AG EF f` or `EF AG f`.";
    TOO_MANY_PROPOSITIONS = "E0306": "A formula or automaton with more than 64 propositions.";
    OTHER_ACCEPTANCE = "E0307": "An automaton with another acceptance condition than Büchi with at most 32 sets.";
    ALTERNATING_AUTOMATON = "E0308": "An alternating automaton, which is in several states at once.";
    AUTOMATON_TOO_LARGE = "E0309": "An automaton with more than 1,048,576 states or edges, or with a label of too many cases.";
    UNSUPPORTED_NET = "E0310": "A kind of net, of arc, of term or of property that is not supported.";
    NET_TOO_LARGE = "E0311": "A net with more nodes or arcs than fit in memory, perhaps after unfolding its colours.";
    EMBEDDED_C = "E0312": "C code in a Promela model.";
    TRACE_ASSERTION = "E0313": "A `trace` or `notrace` assertion.";

    ONE_SIDED_CHANNEL = "W0401": "An unbuffered channel on which no sender meets a receiver of another process.";
    INITIAL_VALUE_WRAPS = "W0402": "An initial value that its type cannot hold.";
    SURPLUS_INITIAL_VALUES = "W0403": "An array with fewer elements than initial values.";
    NEARLY_A_MEASURE = "W0404": "A comment that looks like a progress measure and is none.";
    BARE_ARRAY = "W0405": "The name of an array without an index, which means its first element.";
    MACRO_REDEFINED = "W0406": "A macro that is defined twice with different meanings.";
    WARNING_DIRECTIVE = "W0407": "The text contains a `#warning`.";
    UNUSED_MACRO = "W0408": "A value for a macro that the model does not mention.";

    VARIABLE_AS_SIZE = "W0480": "A size that is given by a global variable: its initial value counts.";
    HIDDEN_VARIABLE = "W0481": "A `hidden` variable that is assigned: it is a part of the state all the same.";
    DUBIOUS_ELSE = "W0482": "An `else` beside an option that begins with a channel operation.";
    LONE_ELSE = "W0483": "An `else` that is not the first statement of an option.";
    IGNORED_INITIAL_VALUE = "W0484": "An initial value of a structure, which has no meaning.";
    MISFIT_MESSAGE = "W0485": "A message with another number of values than its channel has fields.";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn codes_are_unique_and_listed_in_order() {
        let numbers: Vec<&str> = ALL.iter().map(|(code, _)| &code[1..]).collect();
        let sorted: BTreeSet<&str> = numbers.iter().copied().collect();
        assert_eq!(numbers, sorted.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn the_letter_tells_the_severity_and_the_number_the_phase() {
        for (code, explanation) in ALL {
            let warning = code.starts_with("W04");
            let error = ["E01", "E02", "E03"].iter().any(|phase| code.starts_with(phase));
            assert!((warning ^ error) && code.len() == 5, "{code}");
            assert!(explanation.ends_with('.'), "{code} is explained by a sentence");
        }
    }
}
