//! The lexer, for questions and for DVE files.
//!
//! All tokens are made before parsing starts. That takes memory proportional to the text, and lets
//! the parser look anywhere, which recovery after an error needs. The lexer does not stop at a
//! mistake: it reports characters that are no token and passes them on as [`TokenKind::Unknown`].

use model::guarded_commands::Span;

use super::syntax::Purpose;
use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics};

/// The kind of a token, with the value of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Word,
    Number(i64),
    /// A text in quotation marks: a name, or in formulas an expression. Models have none.
    Quoted,
    /// Characters that are no token; the lexer has reported them.
    Unknown,
    /// The end of the text. Every token after the last one is this.
    End,
    // Keywords.
    Accept,
    And,
    Assert,
    Async,
    Byte,
    Channel,
    Commit,
    Const,
    Effect,
    False,
    Guard,
    Imply,
    Init,
    Int,
    Not,
    Or,
    Process,
    Property,
    State,
    Sync,
    System,
    Trans,
    True,
    // Punctuation.
    Ampersand,
    AmpersandAmpersand,
    Arrow,
    At,
    Bang,
    BangEqual,
    Bar,
    BarBar,
    Caret,
    CloseBrace,
    CloseBracket,
    CloseParenthesis,
    Colon,
    Comma,
    Dot,
    Equal,
    EqualEqual,
    Greater,
    GreaterEqual,
    GreaterGreater,
    Less,
    LessEqual,
    LessLess,
    Minus,
    OpenBrace,
    OpenBracket,
    OpenParenthesis,
    Percent,
    Plus,
    Question,
    Semicolon,
    Slash,
    Star,
    Tilde,
    // Operators that only formulas have.
    Always,
    Equivalent,
    Eventually,
    Implies,
}

use TokenKind::*;

/// Reserved words, in order for the binary search.
const KEYWORDS: &[(&str, TokenKind)] = &[
    ("accept", Accept),
    ("and", And),
    ("assert", Assert),
    ("async", Async),
    ("byte", Byte),
    ("channel", Channel),
    ("commit", Commit),
    ("const", Const),
    ("effect", Effect),
    ("false", False),
    ("guard", Guard),
    ("imply", Imply),
    ("init", Init),
    ("int", Int),
    ("not", Not),
    ("or", Or),
    ("process", Process),
    ("property", Property),
    ("state", State),
    ("sync", Sync),
    ("system", System),
    ("trans", Trans),
    ("true", True),
];

/// Longer spellings come first, so that the first match is the longest.
const PUNCTUATION: &[(&str, TokenKind)] = &[
    ("&&", AmpersandAmpersand),
    ("->", Arrow),
    ("!=", BangEqual),
    ("||", BarBar),
    ("==", EqualEqual),
    (">=", GreaterEqual),
    (">>", GreaterGreater),
    ("<=", LessEqual),
    ("<<", LessLess),
    ("&", Ampersand),
    ("@", At),
    ("!", Bang),
    ("|", Bar),
    ("^", Caret),
    ("}", CloseBrace),
    ("]", CloseBracket),
    (")", CloseParenthesis),
    (":", Colon),
    (",", Comma),
    (".", Dot),
    ("=", Equal),
    (">", Greater),
    ("<", Less),
    ("-", Minus),
    ("{", OpenBrace),
    ("[", OpenBracket),
    ("(", OpenParenthesis),
    ("%", Percent),
    ("+", Plus),
    ("?", Question),
    (";", Semicolon),
    ("/", Slash),
    ("*", Star),
    ("~", Tilde),
];

/// Punctuation of formulas only, which takes precedence there. `and` and `or` have a third
/// spelling.
const FORMULA_PUNCTUATION: &[(&str, TokenKind)] = &[
    ("<->", Equivalent),
    ("<=>", Equivalent),
    ("=>", Implies),
    ("[]", Always),
    ("<>", Eventually),
    ("/\\", AmpersandAmpersand),
    ("\\/", BarBar),
];

impl TokenKind {
    /// The name of a token in a list of expected tokens.
    pub(crate) fn describe(self) -> String {
        match self {
            Word => "a name".to_owned(),
            Number(_) => "a number".to_owned(),
            Quoted => "a text in quotation marks".to_owned(),
            Unknown => "unknown characters".to_owned(),
            End => "the end of the text".to_owned(),
            fixed => {
                let spelt =
                    self::fixed().chain(FORMULA_PUNCTUATION.iter().copied()).find(|(_, kind)| *kind == fixed);
                format!("`{}`", spelt.map_or("", |(spelling, _)| spelling))
            }
        }
    }
}

/// A token and its span.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

/// The tokens of a text.
#[derive(Debug)]
pub(crate) struct Tokens {
    /// The last one is [`TokenKind::End`].
    pub(crate) tokens: Vec<Token>,
    /// The places of measures: the rest of line comments that begin with `progress:`.
    pub(crate) measures: Vec<Span>,
}

/// Splits `text` into tokens, starting at byte `start`.
pub(crate) fn tokens(text: &str, start: usize, purpose: Purpose, diagnostics: &mut Diagnostics) -> Tokens {
    let (tokens, measures) = Default::default();
    let mut lexer = Lexer { text, at: start, purpose, unknown: None, tokens, measures, diagnostics };
    // Some editors write a byte order mark at the start.
    if start == 0 && text.starts_with('\u{feff}') {
        lexer.at = '\u{feff}'.len_utf8();
    }
    while lexer.step() {}
    lexer.end_unknown();
    lexer.tokens.push(Token { kind: End, span: Span::new(text.len(), text.len()) });
    Tokens { tokens: lexer.tokens, measures: lexer.measures }
}

/// The spellings of all tokens that have only one, words first.
pub(crate) fn fixed() -> impl Iterator<Item = (&'static str, TokenKind)> {
    KEYWORDS.iter().chain(PUNCTUATION).copied()
}

/// Whether `word` can be a name: letters, digits and `_`, no leading digit, not reserved.
pub(crate) fn is_name(word: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    word.bytes().all(is_word)
        && word.bytes().next().is_some_and(|first| !first.is_ascii_digit())
        && KEYWORDS.binary_search_by_key(&word, |(keyword, _)| keyword).is_err()
}

struct Lexer<'text, 'run> {
    text: &'text str,
    at: usize,
    purpose: Purpose,
    /// The start of the current run of unknown characters. Binary data is one finding, not
    /// thousands.
    unknown: Option<usize>,
    tokens: Vec<Token>,
    measures: Vec<Span>,
    diagnostics: &'run mut Diagnostics,
}

impl Lexer<'_, '_> {
    /// Reads one token, comment, space or unknown character; false at the end.
    fn step(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let Some(first) = rest.chars().next() else { return false };
        if first.is_ascii_whitespace() {
            // Spaces between unknown characters do not end the run.
            self.at += 1;
        } else if !self.word_or_number(rest, first) && !self.symbol(rest) {
            self.unknown.get_or_insert(self.at);
            self.at += first.len_utf8();
        }
        true
    }

    fn word_or_number(&mut self, rest: &str, first: char) -> bool {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let length = rest.bytes().position(|byte| !is_word(byte)).unwrap_or(rest.len());
        let spelling = &rest[..length];
        if first.is_ascii_digit() {
            let kind = self.number(spelling);
            self.push(kind, length);
        } else if length > 0 {
            let keyword = KEYWORDS.binary_search_by_key(&spelling, |(keyword, _)| keyword);
            self.push(keyword.map_or(Word, |found| KEYWORDS[found].1), length);
        }
        length > 0
    }

    /// The value of a number. A malformed one is reported and becomes zero, since the grammar is
    /// not at fault.
    fn number(&mut self, spelling: &str) -> TokenKind {
        let span = Span::new(self.at, self.at + spelling.len());
        if spelling.bytes().any(|byte| !byte.is_ascii_digit()) {
            let message = "a number must consist of digits only";
            let error =
                Diagnostic::error(codes::MALFORMED_NUMBER, span, message, "not a number and not a name");
            self.diagnostics.report(error.help("names start with a letter or `_`; numbers are decimal"));
            return Number(0);
        }
        // Values of a model fit in 32 bits; a measure may compute with larger ones.
        let largest = match self.purpose {
            Purpose::Model | Purpose::Expression | Purpose::Formula => i64::from(i32::MAX),
            Purpose::Measure => i64::MAX,
        };
        match spelling.parse::<i64>() {
            Ok(value) if value <= largest => Number(value),
            _ => {
                let message = format!("the number is larger than {largest}");
                let error = Diagnostic::error(codes::NUMBER_TOO_LARGE, span, message, "too large");
                self.diagnostics.report(error.help("a `byte` holds 0 to 255, an `int` -32768 to 32767"));
                Number(0)
            }
        }
    }

    fn symbol(&mut self, rest: &str) -> bool {
        let in_formula = self.purpose == Purpose::Formula;
        if rest.starts_with("//") || (in_formula && rest.starts_with('#')) {
            self.end_unknown();
            let length = rest.find('\n').unwrap_or(rest.len());
            if !in_formula {
                self.line_comment(&rest[..length]);
            }
            self.at += length;
            return true;
        }
        if let Some(body) = rest.strip_prefix("/*") {
            self.end_unknown();
            let length = body.find("*/").map(|end| end + "/**/".len());
            if length.is_none() {
                let span = Span::new(self.at, self.at + 2);
                let message = "this comment is never closed";
                let error = Diagnostic::error(codes::UNCLOSED_COMMENT, span, message, "opened here");
                self.diagnostics.report(error.help("close it with `*/`"));
            }
            self.at += length.unwrap_or(rest.len());
            return true;
        }
        if self.purpose != Purpose::Model
            && let Some(quoted) = rest.strip_prefix('"')
        {
            self.quoted(quoted);
            return true;
        }
        let only_here = if in_formula { FORMULA_PUNCTUATION } else { &[] };
        // No model that this lexer reads has it, but questions about others do.
        let is_foreign = |kind: TokenKind| kind == At && self.purpose == Purpose::Model;
        let mut all = only_here.iter().chain(PUNCTUATION).filter(|(_, kind)| !is_foreign(*kind));
        let found = all.find(|(spelling, _)| rest.starts_with(spelling));
        if let Some((spelling, kind)) = found {
            self.push(*kind, spelling.len());
        }
        found.is_some()
    }

    /// A quoted text, starting after the opening quotation mark. There are no escapes: expressions
    /// contain no quotation marks.
    fn quoted(&mut self, rest: &str) {
        let Some(length) = rest.find('"') else {
            self.end_unknown();
            let span = Span::new(self.at, self.at + 1);
            let message = "this quotation is never closed";
            let error = Diagnostic::error(codes::UNCLOSED_QUOTATION, span, message, "opened here");
            self.diagnostics.report(error.help("close it with `\"`"));
            self.tokens.push(Token { kind: Unknown, span });
            self.at = self.text.len();
            return;
        };
        self.push(Quoted, length + 2);
    }

    /// Notes the progress measure that a comment declares: `// progress: x + 1`.
    fn line_comment(&mut self, comment: &str) {
        let said = comment[2..].trim_start();
        let Some(measure) = said.strip_prefix("progress:") else {
            return self.nearly_a_measure(said, comment);
        };
        let end = self.at + comment.trim_end().len();
        let start = self.at + comment.len() - measure.trim_start().len();
        self.measures.push(Span::new(start.min(end), end));
    }

    /// Warns about `// Progress : x`, whose writer meant to declare a measure.
    fn nearly_a_measure(&mut self, said: &str, comment: &str) {
        const WORD: &str = "progress";
        let Some((word, rest)) = said.split_at_checked(WORD.len()) else { return };
        if word.eq_ignore_ascii_case(WORD) && rest.trim_start().starts_with(':') {
            let start = self.at + comment.len() - said.len();
            let span = Span::new(start, start + said.len() - rest.len());
            let message = "this comment is nearly a progress measure, and declares none";
            let warning = Diagnostic::warning(codes::NEARLY_A_MEASURE, span, message, "not read");
            self.diagnostics
                .warn(warning.help("a measure is declared by `// progress: EXPR`, in this spelling"));
        }
    }

    fn push(&mut self, kind: TokenKind, length: usize) {
        self.end_unknown();
        self.tokens.push(Token { kind, span: Span::new(self.at, self.at + length) });
        self.at += length;
    }

    /// Reports the unknown characters before the current position, if there are any.
    fn end_unknown(&mut self) {
        let Some(start) = self.unknown.take() else { return };
        let run = self.text[start..self.at].trim_end();
        let first = run.chars().next().unwrap_or_default();
        let message = match run.chars().nth(1) {
            None => format!("unknown character {first:?}"),
            Some(_) => format!("unknown characters, the first is {first:?}"),
        };
        let span = Span::new(start, start + run.len());
        let error = Diagnostic::error(codes::UNKNOWN_CHARACTER, span, message, "not part of the language");
        self.diagnostics.report(error);
        self.tokens.push(Token { kind: Unknown, span });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        let mut diagnostics = Diagnostics::default();
        let kinds =
            tokens(text, 0, Purpose::Model, &mut diagnostics).tokens.iter().map(|token| token.kind).collect();
        diagnostics.check(Ok(())).unwrap();
        kinds
    }

    fn findings(text: &str) -> Vec<(&'static str, u32, u32)> {
        let mut diagnostics = Diagnostics::default();
        tokens(text, 0, Purpose::Model, &mut diagnostics);
        let errors = diagnostics.check(Ok(())).err().unwrap_or_default();
        errors.iter().map(|error| (error.code, error.span.start, error.span.end)).collect()
    }

    #[test]
    fn keywords_are_sorted_for_the_search() {
        assert!(KEYWORDS.is_sorted_by_key(|(spelling, _)| spelling));
    }

    #[test]
    fn the_longest_punctuation_wins() {
        assert_eq!(kinds("a->b"), [Word, Arrow, Word, End]);
        assert_eq!(kinds("a<<=b"), [Word, LessLess, Equal, Word, End]);
        assert_eq!(kinds("c!!x"), [Word, Bang, Bang, Word, End]);
        assert_eq!(kinds("x-- >1"), [Word, Minus, Minus, Greater, Number(1), End]);
    }

    #[test]
    fn comments_and_spaces_separate_tokens() {
        assert_eq!(kinds("a//b\n/* c\n * d **/e//"), [Word, Word, End]);
        assert_eq!(kinds("\u{feff}\r\n\tint"), [Int, End]);
    }

    #[test]
    fn keywords_inside_names_are_names() {
        assert_eq!(kinds("channel_K commited init0 _"), [Word, Word, Word, Word, End]);
    }

    #[test]
    fn line_comments_that_begin_with_progress_are_measures() {
        let measures = |text: &str| -> Vec<String> {
            let found = tokens(text, 0, Purpose::Model, &mut Diagnostics::default()).measures;
            found.iter().map(|span| text[span.start as usize..span.end as usize].to_owned()).collect()
        };
        assert_eq!(measures("// progress: x + 1 \r\n\t//progress:y"), ["x + 1", "y"]);
        assert_eq!(measures("// progress:  \nx"), [""]);
        assert_eq!(measures("/* // progress: x */ // no progress: x\n// progress x"), [""; 0]);
    }

    #[test]
    fn names_are_words_that_are_not_reserved() {
        assert!(["p", "_1", "accepting"].iter().all(|word| is_name(word)));
        assert!(["", "1p", "a-b", "state", "true", "ü", "*"].iter().all(|word| !is_name(word)));
    }

    #[test]
    fn a_run_of_garbage_is_one_finding() {
        assert_eq!(findings("a \0\u{1} \u{fffd}@ b"), [(codes::UNKNOWN_CHARACTER, 2, 9)]);
        assert_eq!(findings("§"), [(codes::UNKNOWN_CHARACTER, 0, 2)]);
    }

    #[test]
    fn bad_numbers_and_open_comments_are_found() {
        assert_eq!(findings("2147483647"), []);
        assert_eq!(findings("x = 2147483648"), [(codes::NUMBER_TOO_LARGE, 4, 14)]);
        assert_eq!(findings("99999999999999999999"), [(codes::NUMBER_TOO_LARGE, 0, 20)]);
        let number = |text| tokens(text, 0, Purpose::Measure, &mut Diagnostics::default()).tokens[0].kind;
        assert_eq!(number("9223372036854775807"), Number(i64::MAX));
        assert_eq!(findings("12ab"), [(codes::MALFORMED_NUMBER, 0, 4)]);
        assert_eq!(findings("a /* b"), [(codes::UNCLOSED_COMMENT, 2, 4)]);
    }
}
