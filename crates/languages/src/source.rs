//! From byte offsets to lines and columns.
//!
//! This crate counts byte offsets ([`Span`]), which are cheap to keep and to compare. People and
//! editors count lines and columns. The translation is needed only for output, so it is a table
//! built on demand and not a pair of numbers in every node.

use model::guarded_commands::Span;

/// A position in a text; both numbers start at 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// The line starts of a text.
///
/// ```
/// use languages::{Position, Source};
///
/// let source = Source::new("byte x;\nbyte ü, y;");
/// assert_eq!(source.position(16), Position { line: 2, column: 8 });
/// ```
#[derive(Clone, Debug)]
pub struct Source<'text> {
    text: &'text str,
    line_starts: Vec<usize>,
}

impl<'text> Source<'text> {
    /// Finds the lines of `text`.
    pub fn new(text: &'text str) -> Self {
        let after_newlines =
            text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { text, line_starts: std::iter::once(0).chain(after_newlines).collect() }
    }

    /// The position of the byte at `offset`. An offset past the end has the position of the end;
    /// one inside a character has the position of that character.
    pub fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let line = self.line_starts.partition_point(|start| *start <= offset);
        let start = self.line_starts[line - 1];
        let before = self.text[start..].char_indices().take_while(|(at, _)| start + at < offset);
        let inside_character = usize::from(!self.text.is_char_boundary(offset));
        Position { line, column: before.count() + 1 - inside_character }
    }

    /// The position at which a span begins.
    pub fn start_of(&self, span: Span) -> Position {
        self.position(span.start as usize)
    }

    /// One line, counted from 1, without its line break.
    pub fn line(&self, number: usize) -> Option<&'text str> {
        let start = *self.line_starts.get(number.checked_sub(1)?)?;
        self.text[start..].lines().next().or(Some(""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: usize, column: usize) -> Position {
        Position { line, column }
    }

    #[test]
    fn columns_count_characters_and_lines_start_after_the_break() {
        let source = Source::new("añb\n\nc");
        let positions: Vec<Position> = (0..8).map(|offset| source.position(offset)).collect();
        assert_eq!(
            positions,
            [at(1, 1), at(1, 2), at(1, 2), at(1, 3), at(1, 4), at(2, 1), at(3, 1), at(3, 2)]
        );
    }

    #[test]
    fn offsets_past_the_end_have_the_position_of_the_end() {
        assert_eq!(Source::new("ab").position(99), at(1, 3));
        assert_eq!(Source::new("").position(0), at(1, 1));
    }

    #[test]
    fn lines_come_without_their_break() {
        let source = Source::new("one\r\ntwo\n");
        assert_eq!(source.line(1), Some("one"));
        assert_eq!(source.line(2), Some("two"));
        assert_eq!(source.line(3), Some(""));
        assert_eq!(source.line(4), None);
        assert_eq!(source.line(0), None);
    }
}
