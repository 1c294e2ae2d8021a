//! Expressions in registers: every value is a 64-bit integer, every condition a branch.
//!
//! Tests that the ranges of the cells make superfluous are left out of the code: for an index that
//! is always in range, for a value that always fits its type, for a divisor that is never zero.

use std::collections::HashMap;
use std::sync::Arc;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, MemFlagsData, Value, types};
use cranelift_frontend::{FunctionBuilder, Variable};
use model::guarded_commands::{
    BinaryOperator, Expression, GuardedCommands, IntegerType, UnaryOperator, VariableId,
};
use model::interval::CellRange;
use model::meaning::Requirement;
use model::state_layout::{Field, StateLayout};
use model::transition_system::Truth;
use model::value_order::ValueOrder;
use model::value_ranges::expression_range;

use crate::working_state::WorkingState;

/// Tables that the code reads. It contains their addresses, so they must live as long as it does.
#[derive(Debug, Default)]
pub struct Tables {
    /// For arrays across several words: the position of each element, `word offset << 8 | shift`.
    pub elements: HashMap<VariableId, Box<[u32]>>,
    /// Orders of values.
    pub orders: Vec<Arc<ValueOrder>>,
}

/// Translates one function.
pub struct Translator<'a, 'f> {
    pub(crate) model: &'a GuardedCommands,
    pub(crate) layout: &'a StateLayout,
    pub(crate) tables: &'a mut Tables,
    pub(crate) builder: &'a mut FunctionBuilder<'f>,
    /// Parameters of the function; the first is the address of the state.
    pub(crate) parameters: Vec<Value>,
    /// The block that rejects the state.
    pub(crate) trouble: Block,
    /// The changes that the effects so far have made.
    pub(crate) working: WorkingState,
}

impl<'a, 'f> Translator<'a, 'f> {
    /// A translator at the beginning of the function.
    pub fn new(
        model: &'a GuardedCommands,
        layout: &'a StateLayout,
        tables: &'a mut Tables,
        builder: &'a mut FunctionBuilder<'f>,
    ) -> Self {
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        let parameters = builder.block_params(entry).to_vec();
        let trouble = builder.create_block();
        builder.set_cold_block(trouble);
        Self { model, layout, tables, builder, parameters, trouble, working: WorkingState::default() }
    }

    /// A function that writes, for each state from the first address up to the second, the
    /// predicates that are true and those that have no value to the third.
    pub fn translate_predicates(self, predicates: &[Expression]) {
        self.translate_loop(size_of::<Truth>(), |this, truth| this.write_truth(predicates, truth));
    }

    /// Writes the truth of the predicates in the present state.
    fn write_truth(&mut self, predicates: &[Expression], truth: Value) {
        let holds = self.builder.declare_var(types::I64);
        let undefined = self.builder.declare_var(types::I64);
        let none = self.constant(0);
        self.builder.def_var(holds, none);
        self.builder.def_var(undefined, none);
        for (number, predicate) in predicates.iter().enumerate() {
            let next = self.builder.create_block();
            let truth = self.truth(predicate);
            let bit = self.builder.ins().ishl_imm_s(truth, number as i64);
            self.include(holds, bit);
            self.builder.ins().jump(next, &[]);
            // Each predicate has a trouble block of its own.
            self.builder.switch_to_block(self.trouble);
            let bit = self.constant(1 << number);
            self.include(undefined, bit);
            self.builder.ins().jump(next, &[]);
            self.trouble = self.builder.create_block();
            self.builder.set_cold_block(self.trouble);
            self.builder.switch_to_block(next);
        }
        for (set, offset) in
            [(holds, std::mem::offset_of!(Truth, holds)), (undefined, std::mem::offset_of!(Truth, undefined))]
        {
            let set = self.builder.use_var(set);
            self.builder.ins().store(MemFlagsData::trusted(), set, truth, offset as i32);
        }
    }

    /// A function that writes the progress value of each state from the first address up to the
    /// second to the third. The value is zero if there is no measure, or, against its promise, no
    /// value.
    pub fn translate_progress(self, measure: Option<&Expression>) {
        self.translate_loop(size_of::<u64>(), |this, place| {
            let store = this.builder.create_block();
            let value = this.builder.append_block_param(store, types::I64);
            let progress = match measure {
                Some(measure) => this.value(measure),
                None => this.constant(0),
            };
            this.builder.ins().jump(store, &[BlockArg::Value(progress)]);
            this.builder.switch_to_block(this.trouble);
            let none = this.constant(0);
            this.builder.ins().jump(store, &[BlockArg::Value(none)]);
            this.trouble = this.builder.create_block();
            this.builder.set_cold_block(this.trouble);
            this.builder.switch_to_block(store);
            this.builder.ins().store(MemFlagsData::trusted(), value, place, 0);
        });
    }

    /// A function that goes through the states from the first address up to the second. `write`
    /// translates what it writes for each, with this many bytes, from the third address on.
    fn translate_loop(mut self, bytes: usize, write: impl FnOnce(&mut Self, Value)) {
        let [first, end, results] = [self.parameters[0], self.parameters[1], self.parameters[2]];
        let [state, place] = [first, results].map(|start| {
            let variable = self.builder.declare_var(types::I64);
            self.builder.def_var(variable, start);
            variable
        });
        let (head, body, after) =
            (self.builder.create_block(), self.builder.create_block(), self.builder.create_block());
        self.builder.ins().jump(head, &[]);
        self.builder.switch_to_block(head);
        let at = self.builder.use_var(state);
        let is_end = self.builder.ins().icmp(IntCC::Equal, at, end);
        self.builder.ins().brif(is_end, after, &[], body, &[]);

        self.builder.switch_to_block(body);
        self.parameters[0] = at;
        let to = self.builder.use_var(place);
        write(&mut self, to);
        let next = self.builder.ins().iadd_imm_s(to, bytes as i64);
        self.builder.def_var(place, next);
        let next = self.builder.ins().iadd_imm_s(at, self.layout.words() as i64 * 8);
        self.builder.def_var(state, next);
        self.builder.ins().jump(head, &[]);
        self.builder.switch_to_block(after);
        self.builder.ins().return_(&[]);
        // The last trouble block belongs to no expression and is never reached.
        self.builder.switch_to_block(self.trouble);
        self.builder.ins().return_(&[]);
    }

    fn include(&mut self, set: Variable, bit: Value) {
        let old = self.builder.use_var(set);
        let new = self.builder.ins().bor(old, bit);
        self.builder.def_var(set, new);
    }

    pub(crate) fn constant(&mut self, value: i64) -> Value {
        self.builder.ins().iconst(types::I64, value)
    }

    pub(crate) fn range(&self, expression: &Expression) -> CellRange {
        expression_range(self.model, self.layout.proved_ranges(), expression)
    }

    /// Goes to the trouble block if the condition is true, and to a new block otherwise.
    pub(crate) fn trouble_if(&mut self, condition: Value) {
        let next = self.builder.create_block();
        self.builder.ins().brif(condition, self.trouble, &[], next, &[]);
        self.builder.switch_to_block(next);
    }

    /// The value of an expression.
    pub(crate) fn value(&mut self, expression: &Expression) -> Value {
        match expression {
            Expression::Constant(value) => self.constant(*value),
            Expression::Cell(cell) => self.read_cell(*cell),
            Expression::Element { array, index, .. } => {
                let (value, range) = (self.value(index), self.range(index));
                self.check(value, range, Requirement::Index(*array));
                self.read_element(*array, value)
            }
            Expression::Unary(operator, operand) => {
                let value = self.value(operand);
                match operator {
                    UnaryOperator::Negate => self.builder.ins().ineg(value),
                    UnaryOperator::Complement => self.builder.ins().bnot(value),
                    UnaryOperator::Not => self.compare_constant(IntCC::Equal, value, 0),
                }
            }
            Expression::Binary { operator, left, right, .. } => self.binary(*operator, left, right),
            Expression::Conditional { condition, then, otherwise } => {
                self.conditional(condition, then, otherwise)
            }
            Expression::Rank(operand, order) => self.rank(operand, order),
        }
    }

    /// One of two branches, of which the other one is not evaluated.
    fn conditional(&mut self, condition: &Expression, then: &Expression, otherwise: &Expression) -> Value {
        let [if_true, if_false, end] = [(); 3].map(|()| self.builder.create_block());
        let result = self.builder.append_block_param(end, types::I64);
        self.branch(condition, if_true, if_false);
        for (block, branch) in [(if_true, then), (if_false, otherwise)] {
            self.builder.switch_to_block(block);
            let value = self.value(branch);
            self.builder.ins().jump(end, &[BlockArg::Value(value)]);
        }
        self.builder.switch_to_block(end);
        result
    }

    /// Reads the table of the order, whose last entry is for all values that are not in it.
    fn rank(&mut self, operand: &Expression, order: &Arc<ValueOrder>) -> Value {
        let value = self.value(operand);
        let CellRange { low, high } = self.range(operand);
        let mut entry = self.builder.ins().iadd_imm_s(value, order.low().wrapping_neg());
        if low < order.low() || high > order.high() {
            let others = self.constant(order.table().len() as i64 - 1);
            entry = self.builder.ins().umin(entry, others);
        }
        let offset = self.builder.ins().ishl_imm_s(entry, 3);
        let table = self.constant(order.table().as_ptr() as i64);
        self.tables.orders.push(Arc::clone(order));
        let address = self.builder.ins().iadd(table, offset);
        let flags = MemFlagsData::trusted().with_readonly().with_can_move();
        self.builder.ins().load(types::I64, flags, address, 0)
    }

    /// 1 if the expression is not 0, otherwise 0.
    fn truth(&mut self, expression: &Expression) -> Value {
        let value = self.value(expression);
        let range = self.range(expression);
        if range.low >= 0 && range.high <= 1 {
            value
        } else {
            self.compare_constant(IntCC::NotEqual, value, 0)
        }
    }

    fn compare_constant(&mut self, condition: IntCC, value: Value, constant: i64) -> Value {
        let flag = self.builder.ins().icmp_imm_s(condition, value, constant);
        self.builder.ins().uextend(types::I64, flag)
    }

    fn binary(&mut self, operator: BinaryOperator, left: &Expression, right: &Expression) -> Value {
        use BinaryOperator as Op;
        if let Op::And | Op::Or | Op::Imply = operator {
            return self.logical(operator, left, right);
        }
        let (a, b) = (self.value(left), self.value(right));
        if let Some(condition) = condition_code(operator) {
            let flag = self.builder.ins().icmp(condition, a, b);
            return self.builder.ins().uextend(types::I64, flag);
        }
        match operator {
            Op::Add => self.builder.ins().iadd(a, b),
            Op::Subtract => self.builder.ins().isub(a, b),
            Op::Multiply => self.builder.ins().imul(a, b),
            Op::Divide | Op::Remainder => {
                let ranges = (self.range(left), self.range(right));
                self.divide(operator, (a, b), ranges)
            }
            Op::BitAnd => self.builder.ins().band(a, b),
            Op::BitOr => self.builder.ins().bor(a, b),
            Op::BitXor => self.builder.ins().bxor(a, b),
            Op::ShiftLeft | Op::ShiftRight => {
                let count = self.range(right);
                if count.low < 0 || count.high > 63 {
                    let outside = self.builder.ins().icmp_imm_s(IntCC::UnsignedGreaterThan, b, 63);
                    self.trouble_if(outside);
                }
                if operator == Op::ShiftLeft {
                    self.builder.ins().ishl(a, b)
                } else {
                    self.builder.ins().sshr(a, b)
                }
            }
            _ => unreachable!("comparisons and logical operators are done"),
        }
    }

    /// Division that rounds towards zero. The machine's own instruction would stop the program for
    /// a zero divisor, and for the least integer divided by -1.
    fn divide(
        &mut self,
        operator: BinaryOperator,
        (a, b): (Value, Value),
        ranges: (CellRange, CellRange),
    ) -> Value {
        let (left, right) = ranges;
        if right.contains(0) {
            let zero = self.builder.ins().icmp_imm_s(IntCC::Equal, b, 0);
            self.trouble_if(zero);
        }
        let is_division = operator == BinaryOperator::Divide;
        let positive = CellRange { low: 0, high: i64::from(i32::MAX) };
        if positive.covers(left) && positive.covers(right) {
            // Narrow and unsigned is several times faster.
            let a = self.builder.ins().ireduce(types::I32, a);
            let b = self.builder.ins().ireduce(types::I32, b);
            let result =
                if is_division { self.builder.ins().udiv(a, b) } else { self.builder.ins().urem(a, b) };
            return self.builder.ins().uextend(types::I64, result);
        }
        if !right.contains(-1) {
            return if is_division { self.builder.ins().sdiv(a, b) } else { self.builder.ins().srem(a, b) };
        }
        let minus_one = self.builder.ins().icmp_imm_s(IntCC::Equal, b, -1);
        let one = self.constant(1);
        let divisor = self.builder.ins().select(minus_one, one, b);
        if is_division {
            let negated = self.builder.ins().ineg(a);
            let quotient = self.builder.ins().sdiv(a, divisor);
            self.builder.ins().select(minus_one, negated, quotient)
        } else {
            self.builder.ins().srem(a, divisor)
        }
    }

    fn logical(&mut self, operator: BinaryOperator, left: &Expression, right: &Expression) -> Value {
        if is_total(right) && right.size() <= 8 {
            // The right operand cannot fail, and evaluating it is cheaper than a branch.
            let (a, b) = (self.truth(left), self.truth(right));
            return match operator {
                BinaryOperator::And => self.builder.ins().band(a, b),
                BinaryOperator::Or => self.builder.ins().bor(a, b),
                _ => {
                    let not_a = self.builder.ins().bxor_imm_s(a, 1);
                    self.builder.ins().bor(not_a, b)
                }
            };
        }
        let end = self.builder.create_block();
        let result = self.builder.append_block_param(end, types::I64);
        let more = self.builder.create_block();
        let a = self.truth(left);
        let (decided, shortcut) = match operator {
            BinaryOperator::And => (IntCC::Equal, 0),
            BinaryOperator::Or => (IntCC::NotEqual, 1),
            _ => (IntCC::Equal, 1),
        };
        let is_decided = self.builder.ins().icmp_imm_s(decided, a, 0);
        let shortcut = self.constant(shortcut);
        self.builder.ins().brif(is_decided, end, &[BlockArg::Value(shortcut)], more, &[]);
        self.builder.switch_to_block(more);
        let b = self.truth(right);
        self.builder.ins().jump(end, &[BlockArg::Value(b)]);
        self.builder.switch_to_block(end);
        result
    }

    /// Goes to one of two blocks, by the truth of the expression.
    pub(crate) fn branch(&mut self, expression: &Expression, if_true: Block, if_false: Block) {
        match expression {
            Expression::Unary(UnaryOperator::Not, operand) => self.branch(operand, if_false, if_true),
            Expression::Binary { operator: BinaryOperator::And, left, right, .. } => {
                let more = self.builder.create_block();
                self.branch(left, more, if_false);
                self.builder.switch_to_block(more);
                self.branch(right, if_true, if_false);
            }
            Expression::Binary { operator: BinaryOperator::Or, left, right, .. } => {
                let more = self.builder.create_block();
                self.branch(left, if_true, more);
                self.builder.switch_to_block(more);
                self.branch(right, if_true, if_false);
            }
            Expression::Binary { operator: BinaryOperator::Imply, left, right, .. } => {
                let more = self.builder.create_block();
                self.branch(left, more, if_true);
                self.builder.switch_to_block(more);
                self.branch(right, if_true, if_false);
            }
            Expression::Binary { operator, left, right, .. } if condition_code(*operator).is_some() => {
                let condition = condition_code(*operator).unwrap_or(IntCC::Equal);
                let (a, b) = (self.value(left), self.value(right));
                let flag = self.builder.ins().icmp(condition, a, b);
                self.builder.ins().brif(flag, if_true, &[], if_false, &[]);
            }
            _ => {
                let value = self.value(expression);
                self.builder.ins().brif(value, if_true, &[], if_false, &[]);
            }
        }
    }

    /// Goes to the trouble block if a value in this range does not meet the requirement.
    pub(crate) fn check(&mut self, value: Value, range: CellRange, requirement: Requirement) {
        let allowed = requirement.allowed(self.model);
        if !allowed.covers(range) {
            self.trouble_outside(value, allowed);
        }
    }

    /// Goes to the trouble block if a value is not in the range.
    pub(crate) fn trouble_outside(&mut self, value: Value, allowed: CellRange) {
        // One unsigned comparison tests both ends: values below the least one become very large.
        let above = match allowed.low {
            0 => value,
            low => self.builder.ins().iadd_imm_s(value, low.wrapping_neg()),
        };
        let largest = allowed.high.wrapping_sub(allowed.low);
        let outside = self.builder.ins().icmp_imm_s(IntCC::UnsignedGreaterThan, above, largest);
        self.trouble_if(outside);
    }

    /// A value cut to a type, unless its range shows that it fits.
    pub(crate) fn wrapped(&mut self, value: Value, range: CellRange, declared: IntegerType) -> Value {
        if declared.range().covers(range) {
            return value;
        }
        let unused = 64 - i64::from(declared.bits);
        if declared.signed {
            let up = self.builder.ins().ishl_imm_s(value, unused);
            self.builder.ins().sshr_imm_s(up, unused)
        } else {
            self.builder.ins().band_imm_s(value, declared.max())
        }
    }

    /// The content of a field, shifted down and with its base added.
    pub(crate) fn unpack(&mut self, word: Value, field: Field) -> Value {
        let mut value = word;
        if field.shift > 0 {
            value = self.builder.ins().ushr_imm_s(value, i64::from(field.shift));
        }
        if field.bits + field.shift < 64 {
            value = self.builder.ins().band_imm_s(value, field.mask() as i64);
        }
        if field.base == 0 { value } else { self.builder.ins().iadd_imm_s(value, field.base) }
    }

    /// A word of the state that is being expanded.
    pub(crate) fn state_word(&mut self, word: u32) -> Value {
        // Nothing writes to the state while its successors are computed.
        let flags = MemFlagsData::trusted().with_readonly().with_can_move();
        self.builder.ins().load(types::I64, flags, self.parameters[0], word as i32 * 8)
    }
}

/// The comparison instruction for an operator.
fn condition_code(operator: BinaryOperator) -> Option<IntCC> {
    Some(match operator {
        BinaryOperator::Equal => IntCC::Equal,
        BinaryOperator::NotEqual => IntCC::NotEqual,
        BinaryOperator::Less => IntCC::SignedLessThan,
        BinaryOperator::LessOrEqual => IntCC::SignedLessThanOrEqual,
        BinaryOperator::Greater => IntCC::SignedGreaterThan,
        BinaryOperator::GreaterOrEqual => IntCC::SignedGreaterThanOrEqual,
        _ => return None,
    })
}

/// Whether the expression has a value in every state, by its form alone.
fn is_total(expression: &Expression) -> bool {
    !expression.has_subexpression(&mut |one| match one {
        Expression::Element { .. } => true,
        Expression::Binary { operator, .. } => operator.is_partial(),
        _ => false,
    })
}
