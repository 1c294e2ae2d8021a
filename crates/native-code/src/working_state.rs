//! The state while an action's effects run: changed cells are in registers, the others still in the
//! old state.
//!
//! A written cell is first only a value in a register. Later effects read it from there, and it is
//! packed into its word when the action is done. So several writes to one word cost one read and
//! one write, and intermediate values need not fit into the field. An index that is not known
//! before the run needs the packed words: for an array within one word these are still registers.
//! Only an array across several words makes the code store the new state early; from then on it
//! reads and writes words in memory.
//!
//! The order in which effects read and write is that of [`model::meaning`], of which this is a
//! domain.

use std::collections::BTreeMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value, types};
use model::guarded_commands::{
    Cell, CellId, Effect, Expression, LocationId, Overflow, ProcessId, Span, Target, VariableId,
};
use model::interval::CellRange;
use model::meaning::{Destination, Requirement, StateDomain, execute_effect};
use model::state_layout::Field;

use crate::expressions::Translator;

/// The changes that the effects so far have made.
#[derive(Debug, Default)]
pub struct WorkingState {
    /// Cells that were written and are not packed yet.
    cells: BTreeMap<CellId, Value>,
    /// Changed words, in registers.
    words: BTreeMap<u32, Value>,
    /// The address of the new state.
    successor: Option<Value>,
    /// The same address, once all words of the new state are stored there.
    memory: Option<Value>,
    /// The block behind the action, for guards between effects and stated errors.
    after: Option<Block>,
}

/// No code follows: the step ends in a run-time error.
pub struct Ended;

impl WorkingState {
    /// The unchanged state, whose successor goes to this address. A guard between effects that is
    /// false leads to the block `after`.
    pub fn to(successor: Value, after: Option<Block>) -> Self {
        Self { successor: Some(successor), after, ..Self::default() }
    }
}

impl<'a> Translator<'a, '_> {
    /// Runs one effect on the working state.
    ///
    /// # Errors
    /// Whatever comes after it is never reached.
    pub(crate) fn effect(&mut self, effect: &'a Effect) -> Result<(), Ended> {
        let indices = effect.targets().filter_map(Target::index);
        effect.values().chain(indices).for_each(|expression| self.prepare_elements(expression));
        execute_effect(self, effect)
    }

    /// Packs the arrays of which an unknown element will be read. This must happen before the
    /// expression is evaluated: some operands may be skipped at run time, and an array that is
    /// packed there would be packed on one path only.
    fn prepare_elements(&mut self, expression: &Expression) {
        expression.operands().for_each(|operand| self.prepare_elements(operand));
        if let Expression::Element { array, .. } = expression {
            self.pack_array(*array);
            if !self.is_in_one_word(*array) && !self.working.words.is_empty() {
                self.go_to_memory();
            }
        }
    }

    /// The value that a cell holds after an assignment: cut to its type, or trouble if it must not
    /// be cut.
    fn assigned(&mut self, value: Value, range: CellRange, cell: CellId) -> Value {
        let Cell { declared, overflow, .. } = self.model.cells[cell.index()];
        match overflow {
            Overflow::Wraps | Overflow::IsExcluded => self.wrapped(value, range, declared),
            Overflow::IsError if declared.range().covers(range) => value,
            Overflow::IsError => {
                self.trouble_outside(value, declared.range());
                value
            }
        }
    }

    /// The present value of a cell.
    pub(crate) fn read_cell(&mut self, cell: CellId) -> Value {
        if let Some(&value) = self.working.cells.get(&cell) {
            return value;
        }
        let field = self.layout.field(cell);
        if field.bits == 0 {
            return self.constant(field.base);
        }
        let word = self.word(field.word);
        self.unpack(word, field)
    }

    /// The present value of an element. The index is in range, and the array is
    /// [prepared](Self::prepare_elements).
    pub(crate) fn read_element(&mut self, array: VariableId, index: Value) -> Value {
        let first = self.first_field(array);
        if first.bits == 0 {
            return self.constant(first.base);
        }
        let (word, shift) = if self.is_in_one_word(array) {
            (self.word(first.word), self.shift_in_word(first, index))
        } else {
            let (address, shift) = self.element_address(array, index);
            (self.builder.ins().load(types::I64, MemFlagsData::trusted(), address, 0), shift)
        };
        let content = self.builder.ins().ushr(word, shift);
        self.unpack(content, Field { shift: 0, ..first })
    }

    fn write_element(&mut self, array: VariableId, index: Value, value: Value) {
        self.pack_array(array);
        let first = self.first_field(array);
        let checked = (0..self.model.variable(array).cell_count() as u32).any(|offset| {
            self.layout.field(CellId(self.model.variable(array).first_cell.0 + offset)).checked
        });
        let content = self.content(value, Field { checked, ..first });
        if first.bits == 0 {
            return;
        }
        let mask = self.constant(first.mask() as i64);
        if self.is_in_one_word(array) {
            let shift = self.shift_in_word(first, index);
            let old = self.word(first.word);
            let new = self.replace(old, mask, content, shift);
            self.set_word(first.word, new);
        } else {
            self.go_to_memory();
            let (address, shift) = self.element_address(array, index);
            let old = self.builder.ins().load(types::I64, MemFlagsData::trusted(), address, 0);
            let new = self.replace(old, mask, content, shift);
            self.builder.ins().store(MemFlagsData::trusted(), new, address, 0);
        }
    }

    fn replace(&mut self, word: Value, mask: Value, content: Value, shift: Value) -> Value {
        let mask = self.builder.ins().ishl(mask, shift);
        let content = self.builder.ins().ishl(content, shift);
        let kept = self.builder.ins().band_not(word, mask);
        self.builder.ins().bor(kept, content)
    }

    /// The content of a field for a value; trouble if the value does not fit.
    fn content(&mut self, value: Value, field: Field) -> Value {
        let content = if field.base == 0 { value } else { self.builder.ins().iadd_imm_s(value, -field.base) };
        if field.checked {
            let mask = self.constant(field.mask() as i64);
            let too_large = self.builder.ins().icmp(IntCC::UnsignedGreaterThan, content, mask);
            self.trouble_if(too_large);
        }
        content
    }

    /// Packs the pending cells and stores the successor's words that are not in memory yet.
    pub(crate) fn finish_state(&mut self) {
        let cells = std::mem::take(&mut self.working.cells);
        self.pack(cells);
        self.go_to_memory();
        self.working = WorkingState::default();
    }

    /// Packs the cells into their words, one read and one write for each word.
    fn pack(&mut self, cells: BTreeMap<CellId, Value>) {
        let mut by_word: BTreeMap<u32, Vec<(Field, Value)>> = BTreeMap::new();
        for (cell, value) in cells {
            let field = self.layout.field(cell);
            by_word.entry(field.word).or_default().push((field, value));
        }
        for (number, writes) in by_word {
            let cleared = writes.iter().fold(0, |mask, (field, _)| mask | field.mask() << field.shift);
            let old = self.word(number);
            let mut word = self.builder.ins().band_imm_s(old, !cleared as i64);
            for (field, value) in writes {
                let content = self.content(value, field);
                if field.bits > 0 {
                    let content = self.builder.ins().ishl_imm_s(content, i64::from(field.shift));
                    word = self.builder.ins().bor(word, content);
                }
            }
            self.set_word(number, word);
        }
    }

    /// Packs the pending cells of an array, before an unknown one of them is read or written.
    fn pack_array(&mut self, array: VariableId) {
        let variable = self.model.variable(array);
        let first = variable.first_cell.0;
        let mut pending = BTreeMap::new();
        for cell in first..first + variable.cell_count() as u32 {
            if let Some(value) = self.working.cells.remove(&CellId(cell)) {
                pending.insert(CellId(cell), value);
            }
        }
        self.pack(pending);
    }

    fn word(&mut self, number: u32) -> Value {
        if let Some(memory) = self.working.memory {
            return self.builder.ins().load(types::I64, MemFlagsData::trusted(), memory, number as i32 * 8);
        }
        match self.working.words.get(&number) {
            Some(&value) => value,
            None => self.state_word(number),
        }
    }

    fn set_word(&mut self, number: u32, value: Value) {
        match self.working.memory {
            Some(memory) => {
                self.builder.ins().store(MemFlagsData::trusted(), value, memory, number as i32 * 8);
            }
            None => {
                self.working.words.insert(number, value);
            }
        }
    }

    fn go_to_memory(&mut self) {
        let Some(successor) = self.working.successor.filter(|_| self.working.memory.is_none()) else {
            return;
        };
        for word in 0..self.layout.words() as u32 {
            let value = self.word(word);
            self.builder.ins().store(MemFlagsData::trusted(), value, successor, word as i32 * 8);
        }
        self.working.memory = Some(successor);
    }

    fn first_field(&self, array: VariableId) -> Field {
        self.layout.field(self.model.variable(array).first_cell)
    }

    /// Whether the elements are contiguous in one word.
    fn is_in_one_word(&self, array: VariableId) -> bool {
        let variable = self.model.variable(array);
        let first = self.first_field(array);
        (0..variable.cell_count() as u32).all(|offset| {
            let field = self.layout.field(CellId(variable.first_cell.0 + offset));
            field.word == first.word
                && u32::from(field.shift) == u32::from(first.shift) + offset * u32::from(first.bits)
        })
    }

    fn shift_in_word(&mut self, first: Field, index: Value) -> Value {
        let distance = self.builder.ins().imul_imm_s(index, i64::from(first.bits));
        self.builder.ins().iadd_imm_s(distance, i64::from(first.shift))
    }

    /// Address of the word that holds an element, and the element's shift in it.
    fn element_address(&mut self, array: VariableId, index: Value) -> (Value, Value) {
        let variable = self.model.variable(array);
        let layout = self.layout;
        let table = self.tables.elements.entry(array).or_insert_with(|| {
            (0..variable.cell_count() as u32)
                .map(|offset| layout.field(CellId(variable.first_cell.0 + offset)))
                .map(|field| (field.word * 8) << 8 | u32::from(field.shift))
                .collect()
        });
        let table = table.as_ptr() as i64;
        let table = self.constant(table);
        let offset = self.builder.ins().ishl_imm_s(index, 2);
        let entry = self.builder.ins().iadd(table, offset);
        let flags = MemFlagsData::trusted().with_readonly();
        let position = self.builder.ins().uload32(flags, entry, 0);
        let shift = self.builder.ins().band_imm_s(position, 255);
        let offset = self.builder.ins().ushr_imm_s(position, 8);
        let base = self.working.memory.unwrap_or(self.parameters[0]);
        (self.builder.ins().iadd(base, offset), shift)
    }
}

/// The domain of machine code: a value is a register, with the range that is proved of it.
impl<'a> StateDomain<'a> for Translator<'a, '_> {
    type Value = (Value, CellRange);
    type Destination = Destination<Value>;
    type Stop = Ended;

    fn evaluate(&mut self, expression: &Expression) -> Result<(Value, CellRange), Ended> {
        Ok((self.value(expression), self.range(expression)))
    }

    /// What was written so far lies where the next successor goes, and does not count.
    fn guard(&mut self, condition: &'a Expression) -> Result<(), Ended> {
        let after = self.working.after.expect("an action with guards between effects has a block behind it");
        let is_true = self.builder.create_block();
        self.branch(condition, is_true, after);
        self.builder.switch_to_block(is_true);
        Ok(())
    }

    fn fail(&mut self, _: &'a str, _: Span) -> Ended {
        self.builder.ins().jump(self.trouble, &[]);
        Ended
    }

    fn require(
        &mut self,
        &(value, range): &(Value, CellRange),
        requirement: Requirement,
        _: Span,
    ) -> Result<(), Ended> {
        self.check(value, range, requirement);
        Ok(())
    }

    fn cell_destination(&mut self, cell: CellId) -> Destination<Value> {
        Destination::Cell(cell)
    }

    fn element_destination(
        &mut self,
        array: VariableId,
        (index, _): (Value, CellRange),
    ) -> Destination<Value> {
        Destination::Element(array, index)
    }

    fn write(
        &mut self,
        destination: Destination<Value>,
        (value, range): (Value, CellRange),
    ) -> Result<(), Ended> {
        match destination {
            Destination::Cell(cell) => {
                let value = self.assigned(value, range, cell);
                self.working.cells.insert(cell, value);
            }
            Destination::Element(array, index) => {
                let first = self.model.variable(array).first_cell;
                let value = self.assigned(value, range, first);
                self.write_element(array, index, value);
            }
        }
        Ok(())
    }

    /// Every slot takes the message if it is the next free one, and otherwise keeps its content.
    fn push(&mut self, queue: VariableId, message: Vec<(Value, CellRange)>) -> Result<(), Ended> {
        let variable = self.model.variable(queue);
        let length_cell = variable.first_cell;
        let slots = (variable.cell_count() - 1) / message.len().max(1);
        let length = self.read_cell(length_cell);
        for slot in 0..slots {
            let is_next = self.builder.ins().icmp_imm_s(IntCC::Equal, length, slot as i64);
            for (field, &(value, range)) in message.iter().enumerate() {
                let cell = CellId(length_cell.0 + 1 + (slot * message.len() + field) as u32);
                let value = self.wrapped(value, range, self.model.cells[cell.index()].declared);
                let old = self.read_cell(cell);
                let value = self.builder.ins().select(is_next, value, old);
                self.working.cells.insert(cell, value);
            }
        }
        let longer = self.builder.ins().iadd_imm_s(length, 1);
        self.working.cells.insert(length_cell, longer);
        Ok(())
    }

    /// All other messages move up by one slot, and the last slot becomes zero.
    fn pop(&mut self, queue: VariableId, fields: usize) -> Result<Vec<(Value, CellRange)>, Ended> {
        let variable = self.model.variable(queue);
        let length_cell = variable.first_cell;
        let first = length_cell.0 + 1;
        let end = length_cell.0 + variable.cell_count() as u32;
        let old: Vec<Value> = (first..end).map(|cell| self.read_cell(CellId(cell))).collect();
        let zero = self.constant(0);
        for (from, cell) in (fields..).zip(first..end) {
            self.working.cells.insert(CellId(cell), old.get(from).copied().unwrap_or(zero));
        }
        let length = self.read_cell(length_cell);
        let shorter = self.builder.ins().iadd_imm_s(length, -1);
        self.working.cells.insert(length_cell, shorter);
        let ranges = &self.layout.proved_ranges()[first as usize..];
        Ok(old.into_iter().zip(ranges.iter().copied()).take(fields).collect())
    }

    fn move_to(&mut self, process: ProcessId, location: LocationId) {
        let value = self.constant(i64::from(location.0));
        self.working.cells.insert(self.model.process(process).location, value);
    }
}
