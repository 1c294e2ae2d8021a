//! XML as a stream of small trees.
//!
//! Nets are large and flat. So a document is read tag by tag, and only the content of one place,
//! one arc or one property becomes a tree. Every element has the span of its opening tag, to which
//! findings point. Names have no prefix: formats are distinguished by their root element, not by
//! their name space.

use std::borrow::Cow;

use model::guarded_commands::Span;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, escape};

use crate::codes;
use crate::diagnostic::Diagnostic;

/// Levels of the deepest tree. Formulas of the contest stay below a hundred.
const DEEPEST: usize = 512;

/// An element with its content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
    pub(super) children: Vec<Element>,
    /// All text directly inside.
    pub(super) text: String,
    /// The span of the opening tag.
    pub(super) span: Span,
    /// The span of the text.
    pub(super) text_span: Span,
}

impl Element {
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The first child of this name.
    pub(super) fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The value of an attribute that must exist.
    pub(super) fn required(&self, name: &str) -> Result<&str, Diagnostic> {
        self.attribute(name).ok_or_else(|| {
            let message = format!("a `{}` without the attribute `{name}`", self.name);
            let error = Diagnostic::error(codes::MISSING_PART, self.span, message, "expected an attribute");
            error.help(format!("write `<{} {name}=\"…\">`", self.name))
        })
    }

    /// The error about an element that lacks something.
    pub(super) fn incomplete(&self, expected: &str) -> Diagnostic {
        let message = format!("a `{}` without {expected}", self.name);
        let error =
            Diagnostic::error(codes::MISSING_PART, self.span, message, format!("expected {expected}"));
        error.help("see the standard of the format, or how the tool that wrote the file writes it elsewhere")
    }
}

/// The next item of a document.
#[derive(Debug)]
pub(super) enum Piece {
    /// An opening tag; its children are not read yet.
    Opening(Element),
    Closing,
    Text(String, Span),
    End,
}

/// A cursor over a document.
pub(super) struct Document<'text> {
    text: &'text str,
    reader: Reader<&'text [u8]>,
    /// Bytes before the document: some editors write a byte order mark.
    skipped: u64,
    /// Number of open elements.
    open: usize,
}

impl<'text> Document<'text> {
    pub(super) fn new(text: &'text str) -> Self {
        let document = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader = Reader::from_str(document);
        // `<a/>` is read as `<a></a>`, so that there is one kind of element.
        reader.config_mut().expand_empty_elements = true;
        Self { text, reader, skipped: (text.len() - document.len()) as u64, open: 0 }
    }

    /// The span between two positions of the reader.
    fn span(&self, start: u64, end: u64) -> Span {
        // The reader counts bytes, and an error may be inside a character.
        let place = |at: u64| usize::try_from(at + self.skipped).unwrap_or(usize::MAX);
        Span::new(self.text.floor_char_boundary(place(start)), self.text.ceil_char_boundary(place(end)))
    }

    /// Reads the next tag or text.
    pub(super) fn next(&mut self) -> Result<Piece, Diagnostic> {
        loop {
            let start = self.reader.buffer_position();
            let event = match self.reader.read_event() {
                Ok(event) => event,
                Err(error) => {
                    let at = self.reader.error_position();
                    return Err(malformed(self.span(at, self.reader.buffer_position().max(at)), &error));
                }
            };
            let place = self.span(start, self.reader.buffer_position());
            let text: Cow<'_, str> = match event {
                Event::Start(tag) => {
                    self.open += 1;
                    return opening(&tag, place).map(Piece::Opening);
                }
                Event::End(_) => {
                    self.open = self.open.saturating_sub(1);
                    return Ok(Piece::Closing);
                }
                Event::Eof if self.open > 0 => {
                    return Err(malformed(place, &"the text ends inside of an element"));
                }
                Event::Eof => return Ok(Piece::End),
                Event::Text(text) => text.decode().map_err(|error| malformed(place, &error))?,
                Event::CData(text) => text.decode().map_err(|error| malformed(place, &error))?,
                Event::GeneralRef(reference) => {
                    let name = reference.decode().map_err(|error| malformed(place, &error))?;
                    let meant = format!("&{name};");
                    escape::unescape(&meant).map_err(|error| malformed(place, &error))?.into_owned().into()
                }
                // Comments, declarations and processing instructions.
                _ => continue,
            };
            return Ok(Piece::Text(text.into_owned(), place));
        }
    }

    /// Reads all of an element that was opened.
    pub(super) fn rest_of(&mut self, opened: Element) -> Result<Element, Diagnostic> {
        let mut stack = vec![opened];
        loop {
            match self.next()? {
                Piece::Opening(element) if stack.len() >= DEEPEST => return Err(too_deep(element.span)),
                Piece::Opening(element) => stack.push(element),
                Piece::Text(text, place) => {
                    if let Some(element) = stack.last_mut() {
                        if element.text.trim().is_empty() {
                            element.text_span = place;
                        }
                        element.text.push_str(&text);
                    }
                }
                Piece::Closing | Piece::End => {
                    let Some(done) = stack.pop() else { return Ok(Element::default()) };
                    match stack.last_mut() {
                        Some(parent) => parent.children.push(done),
                        None => return Ok(done),
                    }
                }
            }
        }
    }

    /// Skips the rest of an element that was opened.
    pub(super) fn skip(&mut self) -> Result<(), Diagnostic> {
        let outside = self.open.saturating_sub(1);
        while self.open > outside {
            self.next()?;
        }
        Ok(())
    }
}

fn opening(tag: &BytesStart<'_>, span: Span) -> Result<Element, Diagnostic> {
    let mut attributes = Vec::new();
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| malformed(span, &error))?;
        let name = String::from_utf8_lossy(attribute.key.local_name().into_inner()).into_owned();
        let value = String::from_utf8_lossy(&attribute.value);
        let value = escape::unescape(&value).map_err(|error| malformed(span, &error))?.into_owned();
        attributes.push((name, value));
    }
    let name = String::from_utf8_lossy(tag.local_name().into_inner()).into_owned();
    Ok(Element { name, attributes, span, ..Element::default() })
}

fn malformed(span: Span, problem: &dyn std::fmt::Display) -> Diagnostic {
    let message = format!("this is not XML: {problem}");
    let error = Diagnostic::error(codes::MALFORMED_XML, span, message, "not well-formed");
    error.help("was the file cut off, or written by hand?")
}

fn too_deep(span: Span) -> Diagnostic {
    let message = format!("elements inside of each other, more than {DEEPEST} levels deep");
    let error = Diagnostic::error(codes::NESTED_TOO_DEEPLY, span, message, "nested too deeply");
    error.help("split the formula into several")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> Result<Element, Diagnostic> {
        let mut document = Document::new(text);
        loop {
            match document.next()? {
                Piece::Opening(element) => return document.rest_of(element),
                Piece::End => return Ok(Element::default()),
                _ => {}
            }
        }
    }

    #[test]
    fn elements_have_text_attributes_and_places() {
        let text =
            "<?xml version=\"1.0\"?><!-- c --><x:a i=\"1&lt;2\"> <b/>x &amp; <![CDATA[<y>]]>&#65;</x:a>";
        let element = tree(text).unwrap();
        assert_eq!((element.name.as_str(), element.attribute("i")), ("a", Some("1<2")));
        assert_eq!(element.text.trim(), "x & <y>A");
        assert_eq!(element.children[0].name, "b");
        assert_eq!(&text[element.span.start as usize..element.span.end as usize], "<x:a i=\"1&lt;2\">");
    }

    #[test]
    fn malformed_xml_is_reported() {
        for text in ["<a>", "<a></b>", "<a", "<a b></a>", "<a>&nothing;</a>", "<a b=\"&x;\"/>", "</a>"] {
            assert_eq!(tree(text).unwrap_err().code, codes::MALFORMED_XML, "{text}");
        }
        let deep = "<a>".repeat(100_000);
        assert_eq!(tree(&deep).unwrap_err().code, codes::NESTED_TOO_DEEPLY);
    }
}
