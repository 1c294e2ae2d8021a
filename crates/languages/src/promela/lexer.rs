//! The lexer: from the text of one file to tokens, before preprocessing.
//!
//! It reports nothing. A character that is no token may stand behind an `#if 0` or in an `#error`,
//! where it does no harm, so mistakes become tokens of their own kinds, and the preprocessor
//! reports those that remain. Line breaks matter twice: they end directives, and they may end
//! statements. The two differ for a `\` before the break and for comments of several lines, see
//! [`Space`].

use model::guarded_commands::Span;

use super::tokens::{PUNCTUATION, Space, Symbols, Token, TokenKind};

/// The tokens of a file.
#[derive(Debug)]
pub(super) struct LexedFile {
    /// Its name for messages, empty for the text of the model.
    pub(super) name: String,
    /// Spans point into `text`.
    pub(super) tokens: Vec<Token>,
    text: String,
    length: usize,
    line_starts: Vec<u32>,
}

impl LexedFile {
    /// Splits a text into tokens.
    pub(super) fn new(name: String, text: &str, symbols: &mut Symbols) -> Self {
        let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let line_starts = std::iter::once(0).chain(starts);
        let line_starts = line_starts.map(|start| u32::try_from(start).unwrap_or(u32::MAX)).collect();
        let tokens = tokens(text, symbols);
        let length = text.len();
        // Only messages about included files quote lines.
        let text = if name.is_empty() { String::new() } else { text.to_owned() };
        Self { name, tokens, text, length, line_starts }
    }

    /// The length of the text in bytes.
    pub(super) fn end(&self) -> usize {
        self.length
    }

    /// The number of the line at a byte, from 1.
    pub(super) fn line_at(&self, at: u32) -> u32 {
        u32::try_from(self.line_starts.partition_point(|start| *start <= at)).unwrap_or(u32::MAX)
    }

    /// The text of an included file's line.
    pub(super) fn line(&self, number: u32) -> &str {
        let start = number.checked_sub(1).and_then(|index| self.line_starts.get(index as usize));
        let rest = start.and_then(|start| self.text.get(*start as usize..));
        rest.and_then(|rest| rest.lines().next()).unwrap_or("")
    }
}

/// The tokens of a text.
pub(super) fn tokens(text: &str, symbols: &mut Symbols) -> Vec<Token> {
    let before = Space { any: true, new_line: true, starts_line: true };
    let mut lexer = Lexer { text, at: 0, before, tokens: Vec::new(), symbols };
    // Some editors write a byte order mark at the start.
    if text.starts_with('\u{feff}') {
        lexer.at = '\u{feff}'.len_utf8();
    }
    while lexer.at < text.len() {
        lexer.step();
    }
    lexer.tokens
}

struct Lexer<'run> {
    text: &'run str,
    at: usize,
    /// What was skipped since the last token.
    before: Space,
    tokens: Vec<Token>,
    symbols: &'run mut Symbols,
}

impl Lexer<'_> {
    /// Reads one token, comment, space or unknown character.
    fn step(&mut self) {
        let rest = &self.text[self.at..];
        match rest.as_bytes()[0] {
            b'\n' => self.skip(1, Space { any: true, new_line: true, starts_line: true }),
            // SPIN ignores null characters.
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c | 0 => self.skip(1, Space { any: true, ..Space::default() }),
            b'\\' if let Some(length) = joined_lines(rest) => {
                self.skip(length, Space { any: true, new_line: true, starts_line: false });
            }
            b'/' if rest.starts_with("//") => self.line_comment(rest),
            b'/' if rest.starts_with("/*") => self.block_comment(rest),
            // The end of a comment inside a comment. SPIN ignores it, and models contain it.
            b'*' if rest.starts_with("*/") => self.skip(2, Space { any: true, ..Space::default() }),
            // SPIN's lexer looks for a second `-` first, and for the `>` in any case.
            b'-' if rest.starts_with("-->") => self.push(TokenKind::Arrow, 3),
            b'"' => self.string(rest),
            b'\'' => self.character(rest),
            b'0'..=b'9' => self.number(rest),
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => self.push(TokenKind::Name, word_length(rest)),
            _ => match PUNCTUATION.iter().find(|(spelling, _)| rest.starts_with(spelling)) {
                Some((spelling, kind)) => self.push(*kind, spelling.len()),
                None => self.unknown(rest),
            },
        }
    }

    fn skip(&mut self, length: usize, space: Space) {
        self.at += length;
        self.before.any |= space.any;
        self.before.new_line |= space.new_line;
        self.before.starts_line |= space.starts_line;
    }

    fn push(&mut self, kind: TokenKind, length: usize) {
        let symbol = self.symbols.number(&self.text[self.at..self.at + length]);
        let span = Span::new(self.at, self.at + length);
        let before = std::mem::take(&mut self.before);
        self.tokens.push(Token { before, ..Token::new(kind, symbol, span) });
        self.at += length;
    }

    /// Skips a `//` comment. A `\` at the end of its line continues it.
    fn line_comment(&mut self, rest: &str) {
        let mut length = 0;
        let mut space = Space { any: true, ..Space::default() };
        loop {
            let line = &rest[length..];
            let end = line.find('\n').unwrap_or(line.len());
            length += end;
            if length == rest.len() || !line[..end].trim_end().ends_with('\\') {
                return self.skip(length, space);
            }
            space.new_line = true;
            length += 1;
        }
    }

    fn block_comment(&mut self, rest: &str) {
        let Some(length) = rest[2..].find("*/").map(|end| end + "/**/".len()) else {
            // The token has the place of the `/*`, and the rest of the text is the comment.
            self.push(TokenKind::OpenComment, 2);
            self.at = self.text.len();
            return;
        };
        let new_line = rest[..length].contains('\n');
        self.skip(length, Space { any: true, new_line, starts_line: false });
    }

    fn string(&mut self, rest: &str) {
        let bytes = rest.as_bytes();
        let mut length = 1;
        loop {
            match bytes.get(length) {
                Some(b'"') => return self.push(TokenKind::String, length + 1),
                Some(b'\\') if let Some(joined) = joined_lines(&rest[length..]) => length += joined,
                // The byte after a `\` may begin a longer character, whose other bytes follow.
                Some(b'\\') if bytes.get(length + 1).is_some_and(u8::is_ascii) => length += 2,
                None | Some(b'\n') => {
                    let length = rest[..length].trim_end().len();
                    return self.push(TokenKind::OpenString, length);
                }
                Some(_) => length += 1,
            }
        }
    }

    fn character(&mut self, rest: &str) {
        let bytes = rest.as_bytes();
        let is_plain = |at: usize| bytes.get(at).is_some_and(|byte| (b' '..=b'~').contains(byte));
        if bytes.get(1) == Some(&b'\\') && is_plain(2) && bytes.get(3) == Some(&b'\'') {
            self.push(TokenKind::Character, 4);
        } else if is_plain(1) && bytes.get(2) == Some(&b'\'') {
            self.push(TokenKind::Character, 3);
        } else {
            self.push(TokenKind::OpenCharacter, 1);
        }
    }

    fn number(&mut self, rest: &str) {
        let length = word_length(rest);
        let is_decimal = rest[..length].bytes().all(|byte| byte.is_ascii_digit());
        self.push(if is_decimal { TokenKind::Number } else { TokenKind::BadNumber }, length);
    }

    /// Reads a run of characters that are no token, so that binary data is one finding.
    fn unknown(&mut self, rest: &str) {
        let is_unknown = |character: char| {
            !character.is_ascii() || character == '$' || character == '`' || character.is_ascii_control()
        };
        let known = rest.find(|character: char| !is_unknown(character) || character.is_ascii_whitespace());
        self.push(TokenKind::Unknown, known.unwrap_or(rest.len()).max(1));
    }
}

/// The length of the word at the start of a text.
fn word_length(text: &str) -> usize {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.bytes().position(|byte| !is_part(byte)).unwrap_or(text.len())
}

/// The length of a `\` with the line break after it, if a text begins with them. Compilers allow
/// spaces between the two.
fn joined_lines(text: &str) -> Option<usize> {
    let after = text.strip_prefix('\\')?.trim_start_matches([' ', '\t', '\r']);
    after.starts_with('\n').then(|| text.len() - after.len() + 1)
}

#[cfg(test)]
mod tests {
    use super::TokenKind::*;
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        tokens(text, &mut Symbols::new()).iter().map(|token| token.kind).collect()
    }

    fn new_lines(text: &str) -> Vec<(bool, bool)> {
        let lexed = tokens(text, &mut Symbols::new());
        lexed.iter().skip(1).map(|token| (token.before.new_line, token.before.starts_line)).collect()
    }

    #[test]
    fn the_longest_punctuation_wins() {
        assert_eq!(kinds("c!!x"), [Name, BangBang, Name]);
        assert_eq!(kinds("0..N"), [Number, DotDot, Name]);
        assert_eq!(kinds(":::"), [ColonColon, Colon]);
        assert_eq!(kinds("<->[]"), [Less, Arrow, OpenBracket, CloseBracket]);
        assert_eq!(kinds("x --> y--"), [Name, Arrow, Name, MinusMinus]);
        assert_eq!(kinds("a##b"), [Name, HashHash, Name]);
    }

    #[test]
    fn odd_files_are_read() {
        assert_eq!(kinds("\u{feff}a\r\n\tb\0 // \u{fffd}\n/* \u{e9}\n**/ c */ d"), [Name; 4]);
    }

    #[test]
    fn joined_lines_and_comments_end_no_directive() {
        assert_eq!(new_lines("a \\\n b"), [(true, false)]);
        assert_eq!(new_lines("a \\ \r\n b"), [(true, false)]);
        assert_eq!(new_lines("a /* \n */ b"), [(true, false)]);
        assert_eq!(new_lines("a // \\\n x \n b"), [(true, true)]);
        assert_eq!(new_lines("a\nb c"), [(true, true), (false, false)]);
    }

    #[test]
    fn characters_and_strings_have_escapes() {
        assert_eq!(kinds(r"'a' '\n' '\\' '\''"), [Character; 4]);
        assert_eq!(kinds(r#""a\"b\\" c"#), [String, Name]);
        assert_eq!(kinds("\"a\\\nb\""), [String]);
        assert_eq!(kinds("don't\n\"open\\é\nx"), [Name, OpenCharacter, Name, OpenString, Name]);
    }

    #[test]
    fn mistakes_become_tokens() {
        assert_eq!(kinds("0x10 12"), [BadNumber, Number]);
        assert_eq!(kinds("\u{1}\u{2}é§"), [Unknown]);
        assert_eq!(kinds("a /* b"), [Name, OpenComment]);
        assert_eq!(kinds("\""), [OpenString]);
        assert_eq!(kinds("\\"), [Backslash]);
        assert_eq!(kinds("\"\\"), [OpenString]);
    }
}
