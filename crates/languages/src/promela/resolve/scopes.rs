//! What is visible at one place of the text.
//!
//! A local name is visible from its declaration to the end of its block, and hides names further
//! out. A global name is visible from its declaration on, except for formulas, which may stand
//! before the declarations that they use.

use std::collections::BTreeMap;

use super::super::program::{LeafId, ProctypeId};
use super::types::Shape;
use crate::diagnostic::Checked;

/// A declared variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variable {
    /// Its first leaf.
    pub(super) leaf: LeafId,
    pub(super) shape: Shape,
    /// The length of an array.
    pub(super) length: Option<u32>,
}

/// What executes the expressions of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// The initial values of globals, before there is any process.
    Start,
    Process(ProctypeId),
    Claim,
    Formula,
}

#[derive(Debug)]
pub(super) struct Scope<'file> {
    pub(super) owner: Owner,
    /// The number of the item in the file. What later items declare is not visible.
    pub(super) item: usize,
    /// The names of each block, outermost first. A broken declaration is visible too, so that its
    /// uses are no errors of their own.
    blocks: Vec<BTreeMap<&'file str, Checked<Variable>>>,
}

impl<'file> Scope<'file> {
    pub(super) fn new(owner: Owner, item: usize) -> Self {
        Self { owner, item, blocks: Vec::new() }
    }

    pub(super) fn open(&mut self) {
        self.blocks.push(BTreeMap::new());
    }

    pub(super) fn close(&mut self) {
        self.blocks.pop();
    }

    /// Makes a name visible in the innermost block. False if the block has it already.
    pub(super) fn declare(&mut self, name: &'file str, variable: Checked<Variable>) -> bool {
        let Some(block) = self.blocks.last_mut() else { return true };
        let is_new = !block.contains_key(name);
        block.entry(name).or_insert(variable);
        is_new
    }

    pub(super) fn find(&self, name: &str) -> Option<Checked<Variable>> {
        self.blocks.iter().rev().find_map(|block| block.get(name)).copied()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'file str> {
        self.blocks.iter().rev().flat_map(|block| block.keys().copied())
    }
}
