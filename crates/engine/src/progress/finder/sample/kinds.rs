//! Kinds of steps: steps that make the same changes are of one kind.

use crate::store::layer::{Inserted, Layer, LayerFull};
use crate::store::records::{RecordShape, with_records};
use model::state_layout::{Field, StateLayout};

/// A change of one cell by steps of one kind: contents of its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Number of the kind.
    pub kind: u32,
    /// Steps of this kind.
    pub steps: u32,
    /// Content before the step.
    pub from: u32,
    /// Content after the step.
    pub to: u32,
}

/// Counts steps by what they change.
pub(super) struct Kinds {
    /// By bit of a state, the cell whose field it is in.
    cells: Vec<u32>,
    fields: Vec<Field>,
    /// For each kind the fields that change, before and after; all others are zero.
    records: Layer,
    /// By kind, its steps.
    pub steps: Vec<u32>,
    /// By kind, its steps that are only for tests.
    pub tests: Vec<u32>,
    record: Vec<u64>,
}

impl Kinds {
    pub fn new(layout: &StateLayout) -> Result<Self, LayerFull> {
        let mut cells = vec![0; 64 * layout.words()];
        for (cell, field) in layout.fields().iter().enumerate().filter(|(_, field)| field.bits > 0) {
            let first = 64 * field.word as usize + field.shift as usize;
            cells[first..first + field.bits as usize].fill(cell as u32);
        }
        Ok(Self {
            cells,
            fields: layout.fields().to_vec(),
            records: Layer::new(RecordShape::Fixed(2 * layout.words()), usize::MAX)?,
            steps: Vec::new(),
            tests: Vec::new(),
            record: Vec::new(),
        })
    }

    /// Counts a step between these states.
    pub fn count(&mut self, before: &[u64], after: &[u64]) -> Result<(), LayerFull> {
        let kind = self.kind(before, after)?;
        self.steps[kind] += 1;
        Ok(())
    }

    /// Counts a step that nothing is learned from.
    pub fn count_test(&mut self, before: &[u64], after: &[u64]) -> Result<(), LayerFull> {
        let kind = self.kind(before, after)?;
        self.tests[kind] += 1;
        Ok(())
    }

    /// The number of the kind of a step.
    fn kind(&mut self, before: &[u64], after: &[u64]) -> Result<usize, LayerFull> {
        self.record.clear();
        for (word, (before, after)) in before.iter().zip(after).enumerate() {
            let mut different = before ^ after;
            let mut changed = 0;
            while different != 0 {
                let cell = self.cells[64 * word + different.trailing_zeros() as usize];
                let field = self.fields[cell as usize];
                changed |= field.mask() << field.shift;
                different &= !changed;
            }
            self.record.extend([before & changed, after & changed]);
        }
        let inserted =
            with_records!(self.records.shape(), shape => self.records.insert(shape, &self.record)?);
        if let Inserted::New(_) = inserted {
            self.steps.push(0);
            self.tests.push(0);
        }
        let (Inserted::New(kind) | Inserted::Known(kind)) = inserted;
        Ok(kind as usize)
    }

    /// By cell, its changes.
    pub fn changes(&self) -> Vec<Vec<Change>> {
        let mut changes = vec![Vec::new(); self.fields.len()];
        for (kind, &steps) in self.steps.iter().enumerate() {
            let record = self.records.state(kind);
            for (cell, field) in self.fields.iter().enumerate().filter(|(_, field)| field.bits > 0) {
                let content = |word: u64| (word >> field.shift & field.mask()) as u32;
                let word = 2 * field.word as usize;
                let [from, to] = [record[word], record[word + 1]].map(content);
                if from != to {
                    changes[cell].push(Change { kind: kind as u32, steps, from, to });
                }
            }
        }
        changes
    }
}
