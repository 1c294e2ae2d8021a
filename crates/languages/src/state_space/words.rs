//! Lines and words with their spans, for formats that have no other syntax.

use model::guarded_commands::Span;

/// A word and its span.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'text> {
    pub(super) text: &'text str,
    pub(super) span: Span,
}

/// The words of one line, in order.
#[derive(Clone, Debug)]
pub(super) struct Words<'text> {
    /// The rest of the line.
    rest: &'text str,
    /// The offset of the rest.
    at: usize,
}

impl Words<'_> {
    /// The end of the line after its last word: the place of a missing word.
    pub(super) fn end(&self) -> Span {
        let end = self.at + self.rest.trim_ascii_end().len();
        Span::new(end, end)
    }

    /// Whether the rest is only space.
    pub(super) fn is_blank(&self) -> bool {
        self.rest.trim_ascii().is_empty()
    }
}

impl<'text> Iterator for Words<'text> {
    type Item = Word<'text>;

    fn next(&mut self) -> Option<Word<'text>> {
        let trimmed = self.rest.trim_ascii_start();
        let start = self.at + self.rest.len() - trimmed.len();
        let length = trimmed.bytes().position(|byte| byte.is_ascii_whitespace()).unwrap_or(trimmed.len());
        if length == 0 {
            return None;
        }
        let (text, rest) = trimmed.split_at(length);
        (self.rest, self.at) = (rest, start + length);
        Some(Word { text, span: Span::new(start, start + length) })
    }
}

/// The lines of `text`, including blank ones, without a byte order mark.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Words<'_>> + Clone {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut at = mark;
    text[mark..].split_inclusive('\n').map(move |line| {
        let words = Words { rest: line, at };
        at += line.len();
        words
    })
}

/// A word, cut to a length that a message can show.
pub(super) fn shown(word: &str) -> String {
    const LONGEST: usize = 40;
    let mut shown: String = word.chars().take(LONGEST).collect();
    if shown.len() < word.len() {
        shown.push('…');
    }
    format!("`{shown}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_their_spans() {
        let text = "\u{feff}a  bc\r\n\n\td ";
        let found: Vec<Vec<(&str, u32)>> =
            lines(text).map(|line| line.map(|word| (word.text, word.span.start)).collect()).collect();
        assert_eq!(found, [vec![("a", 3), ("bc", 6)], vec![], vec![("d", 12)]]);
    }

    #[test]
    fn a_missing_word_has_the_place_after_the_last_one() {
        let mut line = lines("a b \r\n").next().unwrap();
        assert_eq!(line.end(), Span::new(3, 3));
        assert_eq!(line.by_ref().count(), 2);
        assert!(line.is_blank());
        assert_eq!(line.end(), Span::new(3, 3));
    }
}
