//! Interned texts: a long trace repeats the same names and values.

use std::collections::HashMap;

use crate::markup::visible;

/// Distinct texts, in the order of their first occurrence.
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

    /// All texts by number, with invisible characters written as numbers.
    pub fn into_texts(self) -> Vec<String> {
        self.texts
    }
}
