//! Texts by number: in a long trace, the same names and values come again and again.

use std::collections::HashMap;

use crate::markup::visible;

/// Texts, each once, in the order in which they came.
#[derive(Debug, Default)]
pub struct Interned<'a> {
    numbers: HashMap<&'a str, usize>,
    texts: Vec<String>,
}

impl<'a> Interned<'a> {
    /// The number of a text.
    pub fn number(&mut self, text: &'a str) -> usize {
        *self.numbers.entry(text).or_insert_with(|| {
            self.texts.push(visible(text).into_owned());
            self.texts.len() - 1
        })
    }

    /// All texts, by number; what cannot be seen in them is written as its number.
    pub fn into_texts(self) -> Vec<String> {
        self.texts
    }
}
