//! Tokens of Promela, and the table of their texts.
//!
//! The preprocessor and the parser work on the same tokens. A [`Token`] does not hold its text but
//! the number of it, a [`Symbol`], because macros and inlines copy tokens many times over. Keywords
//! are plain names until preprocessing is done: `#define Place byte` may give them another name,
//! and `#define skip` another meaning. [`Symbols::keyword`] finds them afterwards.

use std::collections::HashMap;
use std::fmt;

use model::guarded_commands::Span;

use super::origin::OriginId;

macro_rules! tokens {
    (
        $(#[doc = $about:literal])* classes { $($(#[$note:meta])* $class:ident = $called:literal,)* }
        keywords { $($keyword:ident = $word:literal,)* }
        punctuation { $($mark:ident = $spelling:literal,)* }
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(super) enum TokenKind { $($(#[$note])* $class,)* $($keyword,)* $($mark,)* }

        /// Reserved words.
        pub(super) const KEYWORDS: &[(&str, TokenKind)] = &[$(($word, TokenKind::$keyword)),*];

        /// Punctuation, longer spellings first, so that the first match is the longest.
        pub(super) const PUNCTUATION: &[(&str, TokenKind)] = &[$(($spelling, TokenKind::$mark)),*];

        impl TokenKind {
            /// The name of a token in a list of expected tokens.
            pub(super) fn describe(self) -> &'static str {
                match self {
                    $(TokenKind::$class => $called,)*
                    $(TokenKind::$keyword => concat!("`", $word, "`"),)*
                    $(TokenKind::$mark => concat!("`", $spelling, "`"),)*
                }
            }
        }
    };
}

tokens! {
    /// The kind of a token.
    classes {
        Name = "a name",
        Number = "a number",
        /// `'c'`, which is a number.
        Character = "a character",
        String = "a string",
        /// The end of a line that ends a statement. The preprocessor does not make it.
        LineEnd = "the end of the line",
        /// The end of the tokens. Every token after the last one is this.
        End = "the end of the text",
        /// A run of characters that are no token.
        Unknown = "unknown characters",
        /// A `/*` without its `*/`.
        OpenComment = "a comment",
        /// A `"` without its second one in this line.
        OpenString = "a string",
        /// A `'` that begins no character.
        OpenCharacter = "a character",
        /// Letters directly after the digits of a number.
        BadNumber = "a number",
    }
    keywords {
        Active = "active",
        Assert = "assert",
        Atomic = "atomic",
        Bit = "bit",
        Bool = "bool",
        Break = "break",
        Byte = "byte",
        CCode = "c_code",
        CDecl = "c_decl",
        CExpr = "c_expr",
        CState = "c_state",
        CTrack = "c_track",
        DProctype = "D_proctype",
        Chan = "chan",
        Do = "do",
        Else = "else",
        Empty = "empty",
        Enabled = "enabled",
        Eval = "eval",
        False = "false",
        Fi = "fi",
        For = "for",
        Full = "full",
        GetPriority = "get_priority",
        Goto = "goto",
        Hidden = "hidden",
        If = "if",
        Init = "init",
        Inline = "inline",
        Int = "int",
        Len = "len",
        Local = "local",
        Ltl = "ltl",
        Mtype = "mtype",
        NonEmpty = "nempty",
        Never = "never",
        NonFull = "nfull",
        NoTrace = "notrace",
        NonProgress = "np_",
        Od = "od",
        Of = "of",
        PcValue = "pc_value",
        Pid = "pid",
        Printf = "printf",
        Printm = "printm",
        Priority = "priority",
        Proctype = "proctype",
        Provided = "provided",
        Return = "return",
        Run = "run",
        DStep = "d_step",
        Select = "select",
        SetPriority = "set_priority",
        Short = "short",
        Show = "show",
        Skip = "skip",
        Timeout = "timeout",
        Trace = "trace",
        True = "true",
        Typedef = "typedef",
        Unless = "unless",
        Unsigned = "unsigned",
        ExclusiveReceive = "xr",
        ExclusiveSend = "xs",
    }
    punctuation {
        ColonColon = "::",
        Arrow = "->",
        MinusMinus = "--",
        PlusPlus = "++",
        LessLess = "<<",
        LessEqual = "<=",
        GreaterGreater = ">>",
        GreaterEqual = ">=",
        EqualEqual = "==",
        BangEqual = "!=",
        BangBang = "!!",
        QuestionQuestion = "??",
        AmpersandAmpersand = "&&",
        BarBar = "||",
        DotDot = "..",
        HashHash = "##",
        Ampersand = "&",
        At = "@",
        Backslash = "\\",
        Bang = "!",
        Bar = "|",
        Caret = "^",
        CloseBrace = "}",
        CloseBracket = "]",
        CloseParenthesis = ")",
        Colon = ":",
        Comma = ",",
        Dot = ".",
        Equal = "=",
        Greater = ">",
        Hash = "#",
        Less = "<",
        Minus = "-",
        OpenBrace = "{",
        OpenBracket = "[",
        OpenParenthesis = "(",
        Percent = "%",
        Plus = "+",
        Question = "?",
        Semicolon = ";",
        Slash = "/",
        Star = "*",
        Tilde = "~",
    }
}

impl TokenKind {
    /// Whether only mistakes make this kind.
    pub(super) fn is_mistake(self) -> bool {
        use TokenKind::*;
        matches!(self, Unknown | OpenComment | OpenString | OpenCharacter | BadNumber)
    }

    /// Whether this kind can only begin a part of a file, and be no part of a body.
    pub(super) fn begins_item(self) -> bool {
        use TokenKind::*;
        matches!(
            self,
            Active | Proctype | DProctype | Init | Never | Ltl | Trace | NoTrace | Typedef | Inline
        )
    }
}

/// Number of a text in [`Symbols`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Symbol(u32);

/// The space between a token and the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Space {
    /// Anything, so that the two are not one word.
    pub(super) any: bool,
    /// A line break of any kind, also one in a comment or behind a `\`.
    pub(super) new_line: bool,
    /// A line break that ends a directive. The first token of a text has it, too.
    pub(super) starts_line: bool,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) symbol: Symbol,
    /// Its place in the text of the model.
    pub(super) span: Span,
    pub(super) origin: OriginId,
    pub(super) before: Space,
    /// A name that is no macro call, because it stands in the expansion of its own macro.
    pub(super) painted: bool,
}

impl Token {
    /// A token with only a space before it.
    pub(super) fn new(kind: TokenKind, symbol: Symbol, span: Span) -> Self {
        let before = Space { any: true, ..Space::default() };
        Self { kind, symbol, span, origin: OriginId::TEXT, before, painted: false }
    }
}

/// The texts of tokens by number. The first numbers belong to the keywords.
pub(super) struct Symbols {
    texts: Vec<Box<str>>,
    numbers: HashMap<Box<str>, Symbol>,
}

impl fmt::Debug for Symbols {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Symbols").field("texts", &self.texts.len()).finish()
    }
}

impl Default for Symbols {
    fn default() -> Self {
        Self::new()
    }
}

impl Symbols {
    /// A table with the keywords.
    pub(super) fn new() -> Self {
        let mut symbols = Self { texts: Vec::new(), numbers: HashMap::new() };
        for (word, _) in KEYWORDS {
            symbols.number(word);
        }
        symbols
    }

    /// The number of a text.
    pub(super) fn number(&mut self, text: &str) -> Symbol {
        if let Some(known) = self.numbers.get(text) {
            return *known;
        }
        let symbol = Symbol(u32::try_from(self.texts.len()).expect("a model has less than 4 GiB of text"));
        self.texts.push(text.into());
        self.numbers.insert(text.into(), symbol);
        symbol
    }

    /// The text with this number.
    pub(super) fn text(&self, symbol: Symbol) -> &str {
        &self.texts[symbol.0 as usize]
    }

    /// The keyword that this text is.
    pub(super) fn keyword(&self, symbol: Symbol) -> Option<TokenKind> {
        KEYWORDS.get(symbol.0 as usize).map(|(_, kind)| *kind)
    }

    /// A text for a message, cut if it is long.
    pub(super) fn quoted(&self, symbol: Symbol) -> String {
        /// A generated file may contain a name of any length.
        const LONGEST: usize = 40;
        let text = self.text(symbol);
        match text.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("`{}…`", &text[..end]),
            None => format!("`{text}`"),
        }
    }
}

/// The value of `'c'`.
pub(super) fn character(text: &str) -> i64 {
    let inside = text.get(1..text.len().saturating_sub(1)).unwrap_or("").as_bytes();
    i64::from(match inside {
        [b'\\', b'n'] => b'\n',
        [b'\\', b'r'] => b'\r',
        [b'\\', b't'] => b'\t',
        [b'\\', b'f'] => 0x0c,
        [b'\\', other] | [other, ..] => *other,
        [] => 0,
    })
}

/// Whether `word` can be the name of a macro.
pub(super) fn is_word(word: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    word.bytes().all(is_part) && word.bytes().next().is_some_and(|first| !first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_punctuation_comes_first() {
        assert!(PUNCTUATION.is_sorted_by_key(|(spelling, _)| std::cmp::Reverse(spelling.len())));
    }

    #[test]
    fn keywords_are_found_by_their_number() {
        let mut symbols = Symbols::new();
        let (never, other) = (symbols.number("never"), symbols.number("nevermore"));
        assert_eq!(symbols.keyword(never), Some(TokenKind::Never));
        assert_eq!(symbols.keyword(other), None);
        assert_eq!(symbols.text(other), "nevermore");
        assert_eq!(symbols.number("nevermore"), other);
    }

    #[test]
    fn long_texts_are_cut_in_messages() {
        let mut symbols = Symbols::new();
        let long = symbols.number(&"ü".repeat(100));
        assert_eq!(symbols.quoted(long), format!("`{}…`", "ü".repeat(40)));
    }
}
