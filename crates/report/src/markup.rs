//! Text from models inside HTML, SVG and scripts.
//!
//! Names come from untrusted files. They must stay text: no markup, no end of a script, and no
//! characters that are invisible or change the direction of the surrounding text.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

/// Text escaped for the content of an element or a quoted attribute.
#[derive(Clone, Copy, Debug)]
pub struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = visible(self.0);
        let mut rest: &str = &text;
        while let Some(place) = rest.find(['&', '<', '>', '"', '\'']) {
            let (before, special) = rest.split_at(place);
            f.write_str(before)?;
            f.write_str(match special.as_bytes()[0] {
                b'&' => "&amp;",
                b'<' => "&lt;",
                b'>' => "&gt;",
                b'"' => "&quot;",
                _ => "&#39;",
            })?;
            rest = &special[1..];
        }
        f.write_str(rest)
    }
}

/// The text with invisible and bidirectional characters written as numbers. XML does not allow
/// control characters, either.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let shown = |character: char| match is_hidden(character) {
        true => character.escape_unicode().to_string(),
        false => character.to_string(),
    };
    Cow::Owned(text.chars().map(shown).collect())
}

fn is_hidden(character: char) -> bool {
    let turns = matches!(character, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}');
    let nothing = matches!(character, '\u{feff}' | '\u{fffe}' | '\u{ffff}');
    turns || nothing || (character.is_control() && !matches!(character, '\n' | '\t'))
}

/// The first characters of a text, for narrow places.
pub fn cut(text: &str, most: usize) -> String {
    let text = visible(text);
    match text.char_indices().nth(most) {
        Some(_) => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
        None => text.into_owned(),
    }
}

/// A value as JSON for a script element. No text in it can end the element.
pub fn script_json(value: &impl Serialize) -> String {
    let json =
        serde_json::to_string(value).expect("plain data has no keys but strings, and no writer that fails");
    let mut safe = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '<' => safe.push_str("\\u003c"),
            '>' => safe.push_str("\\u003e"),
            '&' => safe.push_str("\\u0026"),
            '\u{2028}' => safe.push_str("\\u2028"),
            '\u{2029}' => safe.push_str("\\u2029"),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_text() {
        let hostile = r#"</script><b a="1" b='2'>&"#;
        let escaped = "&lt;/script&gt;&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;";
        assert_eq!(Escaped(hostile).to_string(), escaped);
        assert_eq!(Escaped("größer als π").to_string(), "größer als π");
    }

    #[test]
    fn what_hides_or_turns_text_is_shown_as_its_number() {
        assert_eq!(visible("a\u{202e}b\u{2028}\u{0}\n"), "a\\u{202e}b\\u{2028}\\u{0}\n");
        assert!(matches!(visible("plain"), Cow::Borrowed("plain")));
    }

    #[test]
    fn json_cannot_end_its_script() {
        let json = script_json(&["</script><!--\u{2028}&"]);
        assert_eq!(json, r#"["\u003c/script\u003e\u003c!--\u2028\u0026"]"#);
        assert_eq!(serde_json::from_str::<Vec<String>>(&json).unwrap()[0], "</script><!--\u{2028}&");
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        assert_eq!(cut("äöüß", 4), "äöüß");
        assert_eq!(cut("äöüßx", 4), "äöü…");
    }
}
