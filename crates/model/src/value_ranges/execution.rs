//! Effects on intervals: every value that an effect may store is joined into the range of its cell.

use super::knowledge::{Facts, Known};
use super::{Analysis, Doubts};
use crate::guarded_commands::{CellId, Expression, LocationId, ProcessId, Span, VariableId};
use crate::interval::CellRange;
use crate::meaning::{Destination, Requirement, StateDomain};

/// One action in the midst of its effects.
pub(super) struct IntervalStep<'a, 'm> {
    pub analysis: &'a mut Analysis<'m>,
    pub known: Known<'m>,
    /// Collects possible errors and overflows, if the caller asks for them.
    pub doubts: Option<Doubts>,
}

/// A guard between effects is false wherever the step can get to, or the step always ends in an error.
pub(super) struct NoSuccessor;

impl IntervalStep<'_, '_> {
    fn range(&self, expression: &Expression) -> CellRange {
        self.analysis.facts().range(expression, &self.known)
    }

    /// Joins the values that a store of `value` may leave in the cell into its range, and returns
    /// them.
    fn store(&mut self, cell: CellId, value: CellRange) -> CellRange {
        let whole = self.analysis.model.cells[cell.index()].declared.range();
        let fits = whole.covers(value);
        if let Some(doubts) = self.doubts.as_mut().filter(|_| !fits) {
            doubts.may_outgrow.push(cell);
        }
        let stored = if fits { value } else { whole };
        self.analysis.join(cell, stored);
        stored
    }

    fn write_cell(&mut self, cell: CellId, value: CellRange) {
        let stored = self.store(cell, value);
        self.known.forget_cells(|other| other == cell);
        self.known.set_cell(cell, stored);
        let model = self.analysis.model;
        self.known.forget_elements(model, model.cells[cell.index()].variable);
    }

    /// Drops what guards said about the messages of a queue, which have moved, and changes its
    /// length.
    fn change_length(&mut self, queue: VariableId, by: i64) {
        let model = self.analysis.model;
        let length = model.variable(queue).first_cell;
        let is_content = |cell: CellId| cell != length && model.cells[cell.index()].variable == queue;
        self.known.forget_cells(is_content);
        self.known.forget_elements(model, queue);
        let before = self.range(&Expression::Cell(length));
        self.write_cell(length, CellRange { low: before.low + by, high: before.high + by });
    }
}

impl<'m> StateDomain<'m> for IntervalStep<'_, 'm> {
    type Value = CellRange;
    type Destination = Destination<CellRange>;
    type Stop = NoSuccessor;

    fn evaluate(&mut self, expression: &Expression) -> Result<CellRange, NoSuccessor> {
        if let Some(doubts) = &mut self.doubts {
            doubts.may_err |= self.analysis.facts().may_err(expression, &self.known);
        }
        Ok(self.range(expression))
    }

    fn guard(&mut self, condition: &'m Expression) -> Result<(), NoSuccessor> {
        let facts = Facts { model: self.analysis.model, ranges: &self.analysis.ranges };
        if let Some(doubts) = &mut self.doubts {
            doubts.may_err |= facts.may_err(condition, &self.known);
        }
        if facts.assume(condition, true, &mut self.known) { Ok(()) } else { Err(NoSuccessor) }
    }

    fn fail(&mut self, _: &'m str, _: Span) -> NoSuccessor {
        if let Some(doubts) = &mut self.doubts {
            doubts.may_err = true;
        }
        NoSuccessor
    }

    fn require(&mut self, value: &CellRange, requirement: Requirement, _: Span) -> Result<(), NoSuccessor> {
        if let Some(doubts) = &mut self.doubts {
            doubts.may_err |= !requirement.allowed(self.analysis.model).covers(*value);
        }
        Ok(())
    }

    fn cell_destination(&mut self, cell: CellId) -> Destination<CellRange> {
        Destination::Cell(cell)
    }

    fn element_destination(&mut self, array: VariableId, index: CellRange) -> Destination<CellRange> {
        Destination::Element(array, index)
    }

    fn write(&mut self, destination: Destination<CellRange>, value: CellRange) -> Result<(), NoSuccessor> {
        match destination {
            Destination::Cell(cell) => self.write_cell(cell, value),
            Destination::Element(array, index) => {
                let model = self.analysis.model;
                for cell in model.elements(array, index) {
                    self.store(cell, value);
                    self.known.forget_cells(|other| other == cell);
                }
                self.known.forget_elements(model, array);
            }
        }
        Ok(())
    }

    fn push(&mut self, queue: VariableId, message: Vec<CellRange>) -> Result<(), NoSuccessor> {
        let variable = self.analysis.model.variable(queue);
        let fields = message.len();
        for (field, value) in message.into_iter().enumerate() {
            for cell in (1 + field..variable.cell_count()).step_by(fields) {
                self.store(CellId(variable.first_cell.0 + cell as u32), value);
            }
        }
        self.change_length(queue, 1);
        Ok(())
    }

    fn pop(&mut self, queue: VariableId, fields: usize) -> Result<Vec<CellRange>, NoSuccessor> {
        let variable = self.analysis.model.variable(queue);
        let first = variable.first_cell.0 + 1;
        let end = variable.first_cell.0 + variable.cell_count() as u32;
        for cell in first..end {
            // A queue may hold messages in the initial state.
            let next = cell + fields as u32;
            let moved = if next < end { self.analysis.ranges[next as usize] } else { CellRange::exactly(0) };
            self.analysis.join(CellId(cell), moved.join(CellRange::exactly(0)));
        }
        self.change_length(queue, -1);
        Ok(self.analysis.ranges[first as usize..][..fields].to_vec())
    }

    fn move_to(&mut self, process: ProcessId, location: LocationId) {
        let reached = &mut self.analysis.reached[process.0 as usize][location.0 as usize];
        self.analysis.changed |= !*reached;
        *reached = true;
        let cell = self.analysis.model.process(process).location;
        self.analysis.join(cell, CellRange::exactly(i64::from(location.0)));
    }
}
