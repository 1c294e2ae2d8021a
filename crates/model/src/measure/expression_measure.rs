//! A measure made of expressions of the model, compared from left to right or component by
//! component.
//!
//! The expressions are packed into one: each minus its least value, shifted to its bits, the most
//! significant first. So a progress value is a 63-bit integer, the order of the integers is the
//! lexicographic order of the tuples, and executing a measure is evaluating an expression. A
//! product measure has a spare bit above each expression, by which its values are
//! [compared](Comparison) component by component; as integers they are still in lexicographic
//! order.
//!
//! Nothing can fail at run time. The ranges of the expressions are proved before the search, and
//! measures without a proof are refused: a measure that is too wide for its word, or that may have
//! no value in some state (a division by zero, an index out of range), would not be a function of
//! the state.

use serde::{Deserialize, Serialize};

use crate::guarded_commands::{BinaryOperator, Expression, GuardedCommands, Span};
use crate::state_layout::CellRange;
use crate::value_ranges::{declared_ranges, expression_range, first_hazard, proved_ranges};

use super::comparison::{Comparison, MeasureKind};

/// Bits of a progress value: those of an `i64` that is not negative.
const BITS: u32 = 63;

/// Expressions as one progress value.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ExpressionMeasure {
    packed: Expression,
    components: Vec<Expression>,
    parts: Vec<PackedComponent>,
    kind: MeasureKind,
    guards: u64,
}

/// Number of values from which on an expression counts as bounded only if its bounds are tighter
/// than its type.
const WIDE: u64 = 255;

/// The bits of one expression in the progress value.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct PackedComponent {
    low: i64,
    high: i64,
    /// Whether the bounds are tighter than the types of the variables.
    is_bounded: bool,
    bits: u32,
    shift: u32,
}

/// The reason why expressions are not a measure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MeasureError {
    /// There are no expressions.
    #[error("a measure has at least one expression")]
    Empty,
    /// The expressions can have too many different values.
    #[error("the measure needs {} bits, and a progress value has {BITS}: {}", total_bits(.ranges, *.kind), listed(.ranges))]
    TooWide {
        /// The values of each expression.
        ranges: Vec<CellRange>,
        /// The comparison; component by component takes one more bit for each.
        kind: MeasureKind,
    },
    /// The expression may have no value in a reachable state.
    #[error("the measure may have no value: {reason}")]
    MayFail {
        /// Number of the expression, from zero.
        component: usize,
        /// Where in the text it was read from.
        span: Span,
        /// The operation that may fail.
        reason: String,
    },
}

fn needed_bits(range: CellRange) -> u32 {
    64 - range.high.abs_diff(range.low).leading_zeros()
}

/// Bits of an expression, with a guard bit if it needs one.
fn place_bits(range: CellRange, kind: MeasureKind) -> u32 {
    let bits = needed_bits(range);
    bits + u32::from(bits > 0 && kind == MeasureKind::Product)
}

fn total_bits(ranges: &[CellRange], kind: MeasureKind) -> u32 {
    ranges.iter().map(|range| place_bits(*range, kind)).sum()
}

fn listed(ranges: &[CellRange]) -> String {
    let one = |(number, range): (usize, &CellRange)| {
        format!("number {} runs from {} to {}", number + 1, range.low, range.high)
    };
    ranges.iter().enumerate().map(one).collect::<Vec<_>>().join(", ")
}

impl ExpressionMeasure {
    /// Packs the expressions, the most significant first.
    ///
    /// # Errors
    /// If they do not fit into a progress value, or may have no value.
    pub fn new(model: &GuardedCommands, components: &[Expression]) -> Result<Self, MeasureError> {
        Self::of_kind(model, components, MeasureKind::Lexicographic)
    }

    /// Packs the expressions as a vector that is compared component by component.
    ///
    /// # Errors
    /// If they, with a bit more for each, do not fit into a progress value, or may have no value.
    pub fn product(model: &GuardedCommands, components: &[Expression]) -> Result<Self, MeasureError> {
        Self::of_kind(model, components, MeasureKind::Product)
    }

    /// Packs the expressions. With a single one that is not constant, both kinds are the same.
    ///
    /// # Errors
    /// If they do not fit into a progress value, or may have no value.
    pub fn of_kind(
        model: &GuardedCommands,
        components: &[Expression],
        kind: MeasureKind,
    ) -> Result<Self, MeasureError> {
        if components.is_empty() {
            return Err(MeasureError::Empty);
        }
        let proved = proved_ranges(model);
        for (component, expression) in components.iter().enumerate() {
            if let Some(hazard) = first_hazard(model, &proved, expression) {
                let reason = hazard.describe(model);
                return Err(MeasureError::MayFail { component, span: hazard.span, reason });
            }
        }
        let ranges: Vec<CellRange> =
            components.iter().map(|one| expression_range(model, &proved, one)).collect();
        let variable = ranges.iter().filter(|range| needed_bits(**range) > 0).count();
        // A single number needs no guard.
        let packing = if variable > 1 { kind } else { MeasureKind::Lexicographic };
        if total_bits(&ranges, packing) > BITS {
            return Err(MeasureError::TooWide { ranges, kind: packing });
        }
        let mut parts = Vec::with_capacity(components.len());
        let mut packed = None;
        let (mut shift, mut guards) = (0, 0);
        let declared = declared_ranges(model);
        for (expression, range) in components.iter().zip(&ranges).rev() {
            let CellRange { low, high } = *range;
            let by_type = expression_range(model, &declared, expression);
            let is_bounded = high.abs_diff(low) < WIDE || by_type.low < low || by_type.high > high;
            let part = PackedComponent { low, high, is_bounded, bits: needed_bits(*range), shift };
            shift += place_bits(*range, packing);
            if shift > part.shift + part.bits {
                guards |= 1 << (part.shift + part.bits);
            }
            parts.push(part);
            // An expression with a single value takes no bits.
            if part.bits > 0 {
                let value = part.place(expression);
                packed = Some(match packed {
                    None => value,
                    Some(rest) => Expression::binary(BinaryOperator::BitOr, value, rest),
                });
            }
        }
        parts.reverse();
        let (packed, components) = (packed.unwrap_or(Expression::Constant(0)), components.to_vec());
        Ok(Self { packed, components, parts, kind, guards })
    }

    /// The expression whose value is the progress value.
    pub fn packed(&self) -> &Expression {
        &self.packed
    }

    /// The expressions, the most significant first.
    pub fn components(&self) -> &[Expression] {
        &self.components
    }

    /// What the progress value changes by, if the expressions change by these amounts; `None` if that
    /// exceeds 64 bits.
    pub fn packed_change(&self, changes: &[i64]) -> Option<i64> {
        let shifted = |(part, change): (&PackedComponent, &i64)| match part.bits {
            // An expression with a single value takes no bits.
            0 => 0,
            _ => i128::from(*change) << part.shift,
        };
        i64::try_from(self.parts.iter().zip(changes).map(shifted).sum::<i128>()).ok()
    }

    /// How the values of the expressions are compared.
    pub fn kind(&self) -> MeasureKind {
        self.kind
    }

    /// How progress values are compared.
    pub fn comparison(&self) -> Comparison {
        match self.guards {
            0 => Comparison::Total,
            guards => Comparison::ComponentWise { guards },
        }
    }

    /// The bits above the expressions that are zero in all values, as a set of bits. Empty for
    /// lexicographic measures, and if at most one expression is not constant.
    pub fn guards(&self) -> u64 {
        self.guards
    }

    /// Number of bits of a value.
    pub fn bits(&self) -> u32 {
        self.parts.iter().map(|part| part.shift + part.bits).max().unwrap_or(0)
    }

    /// The lowest bit of each expression, as a set of bits.
    pub fn parts(&self) -> u64 {
        self.parts.iter().filter(|part| part.bits > 0).map(|part| 1 << part.shift).sum()
    }

    /// The lowest bit of the first `components` expressions; `None` for none.
    pub fn lowest_bit(&self, components: usize) -> Option<u32> {
        self.parts[..components.min(self.parts.len())].last().map(|part| part.shift)
    }

    /// The values of the expressions that make up this progress value.
    pub fn unpack(&self, progress: u64) -> Vec<i64> {
        let value = |part: &PackedComponent| {
            let mask = u64::MAX.unbounded_shl(part.bits);
            part.low.wrapping_add((progress.unbounded_shr(part.shift) & !mask) as i64)
        };
        self.parts.iter().map(value).collect()
    }

    /// The share of progress made, from 0 to 1, if the bounds of the first expression are tighter
    /// than its type. It counts values, not the states that have them. `None` for vectors.
    pub fn share(&self, progress: u64) -> Option<f64> {
        let varying = || self.parts.iter().zip(self.unpack(progress)).filter(|(part, _)| part.bits > 0);
        let is_known = varying().next().is_some_and(|(first, _)| first.is_bounded);
        if !is_known || self.comparison() != Comparison::Total {
            return None;
        }
        let (mut share, mut unit) = (0.0, 1.0);
        for (part, value) in varying() {
            unit /= part.values();
            share += unit * value.abs_diff(part.low) as f64;
        }
        Some(share.clamp(0.0, 1.0))
    }

    /// The values of the expressions as text: `3`, or `(3, 1)`, or `[3, 1]`.
    pub fn show(&self, progress: u64) -> String {
        let values: Vec<String> = self.unpack(progress).iter().map(i64::to_string).collect();
        match (&values[..], self.kind) {
            ([value], _) => value.clone(),
            (_, MeasureKind::Lexicographic) => format!("({})", values.join(", ")),
            (_, MeasureKind::Product) => format!("[{}]", values.join(", ")),
        }
    }
}

impl PackedComponent {
    /// Number of values.
    fn values(self) -> f64 {
        self.high.abs_diff(self.low) as f64 + 1.0
    }

    fn place(self, expression: &Expression) -> Expression {
        let positive = match self.low {
            0 => expression.clone(),
            low => {
                Expression::binary(BinaryOperator::Subtract, expression.clone(), Expression::Constant(low))
            }
        };
        let shift = Expression::Constant(i64::from(self.shift));
        if self.shift == 0 {
            positive
        } else {
            Expression::binary(BinaryOperator::ShiftLeft, positive, shift)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::guarded_commands::{
        Action, Assignment, CellId, Effect, IntegerType, Location, LocationId, LocationKind, Participant,
        Shape, Target, VariableId,
    };
    use crate::interpreter::Interpreter;

    /// Three variables of these types and an array of four bytes, all of which run through many
    /// values.
    fn model(types: [IntegerType; 3]) -> GuardedCommands {
        let mut model = GuardedCommands::default();
        for (name, integer) in ["x", "y", "z"].into_iter().zip(types) {
            model.add_variable(name, None, Shape::Scalar(integer), &[], Span::default());
        }
        let byte = IntegerType::BYTE;
        model.add_variable("a", None, Shape::Array { element: byte, length: 4 }, &[], Span::default());
        let location = Location { name: "l".into(), kind: LocationKind::Ordinary, span: Span::default() };
        let process = model.add_process("P", vec![location], LocationId(0), Span::default());
        let at = LocationId(0);
        let participant =
            Participant { process, from: at, to: at, guards: Vec::new(), span: Span::default() };
        let run = |cell: u32| {
            let sum = Expression::binary(
                BinaryOperator::Add,
                Expression::Cell(CellId(cell)),
                Expression::Constant(1),
            );
            let value = Expression::binary(BinaryOperator::Multiply, sum, Expression::Constant(-3));
            Effect::Assign(vec![Assignment { target: Target::Cell(CellId(cell)), value }])
        };
        let effects = (0..7).map(run).collect();
        model.actions.push(Action { participants: vec![participant], effects, channel: None, name: None });
        model
    }

    fn cell(number: u32) -> Expression {
        Expression::Cell(CellId(number))
    }

    proptest! {
        /// The order of packed values is the order of tuples, and the tuples can be had back.
        #[test]
        fn packing_keeps_the_order(
            bits in prop::array::uniform3(1..=20u8), signed in any::<[bool; 3]>(),
            pairs in prop::collection::vec((any::<[i64; 3]>(), any::<[i64; 3]>()), 50),
        ) {
            let types = [0, 1, 2].map(|i| IntegerType { bits: bits[i], signed: signed[i] });
            let model = model(types);
            let measure = ExpressionMeasure::new(&model, &[cell(0), cell(1), cell(2)]).unwrap();
            let interpreter = Interpreter::new(&model);
            let value = |tuple: [i64; 3]| {
                let mut state = model.initial_state();
                state[..3].copy_from_slice(&tuple);
                interpreter.evaluate(measure.packed(), &state).unwrap() as u64
            };
            for (a, b) in pairs {
                let [a, b] = [a, b].map(|tuple| [0, 1, 2].map(|i| types[i].wrap(tuple[i] % 5)));
                prop_assert_eq!(value(a).cmp(&value(b)), a.cmp(&b));
                prop_assert_eq!(measure.unpack(value(a)), a.to_vec());
            }
        }
    }

    proptest! {
        /// One subtraction compares all components of a vector, and numbers are an order that
        /// agrees with it.
        #[test]
        fn vectors_are_compared_component_by_component(
            bits in prop::array::uniform3(0..=20u8), signed in any::<[bool; 3]>(),
            pairs in prop::collection::vec((any::<[i64; 3]>(), any::<[i64; 3]>()), 50), spread in 1..9i64,
        ) {
            let types = [0, 1, 2].map(|i| IntegerType { bits: bits[i].max(1), signed: signed[i] });
            let model = model(types);
            // No bits stand for a component that is constant.
            let component = |i: usize| if bits[i] == 0 { Expression::Constant(5) } else { cell(i as u32) };
            let measure = ExpressionMeasure::product(&model, &[0, 1, 2].map(component)).unwrap();
            let interpreter = Interpreter::new(&model);
            let value = |tuple: [i64; 3]| {
                let mut state = model.initial_state();
                state[..3].copy_from_slice(&tuple);
                interpreter.evaluate(measure.packed(), &state).unwrap() as u64
            };
            let order = measure.comparison();
            for (a, b) in pairs {
                let tuple = |tuple: [i64; 3]| [0, 1, 2].map(|i| types[i].wrap(tuple[i] % spread));
                let [a, b] = [tuple(a), tuple(b)];
                let shown = |tuple: [i64; 3]| [0, 1, 2].map(|i| if bits[i] == 0 { 5 } else { tuple[i] });
                let at_most = shown(a).iter().zip(&shown(b)).all(|(a, b)| a <= b);
                prop_assert_eq!(order.is_at_most(value(a), value(b)), at_most);
                prop_assert_eq!(order.is_below(value(a), value(b)), at_most && shown(a) != shown(b));
                prop_assert_eq!(value(a).cmp(&value(b)), shown(a).cmp(&shown(b)));
                prop_assert_eq!(measure.unpack(value(a)), shown(a).to_vec());
                prop_assert_eq!(value(a) & measure.guards(), 0);
            }
        }
    }

    #[test]
    fn the_share_of_the_way_is_known_where_a_bound_is() {
        let commands = model([2, 3, 8].map(|bits| IntegerType { bits, signed: false }));
        let tuple = ExpressionMeasure::new(&commands, &[Expression::Constant(7), cell(0), cell(1)]).unwrap();
        assert_eq!(tuple.share(0), Some(0.0));
        assert_eq!(tuple.share(0b10_100), Some(0.625));
        assert_eq!(tuple.share(0b11_111), Some(31.0 / 32.0));
        // Of a byte, nothing but its type is known; it does not matter behind another one.
        assert_eq!(ExpressionMeasure::new(&commands, &[cell(2)]).unwrap().share(3), None);
        let later = ExpressionMeasure::new(&commands, &[cell(0), cell(2)]).unwrap();
        assert_eq!(later.share(0x280), Some(0.625));
        let part = Expression::binary(BinaryOperator::Remainder, cell(2), Expression::Constant(200));
        assert_eq!(ExpressionMeasure::new(&commands, &[part]).unwrap().share(100), Some(0.5));
        let vector = ExpressionMeasure::product(&commands, &[cell(0), cell(1)]).unwrap();
        assert_eq!(vector.share(0), None);
    }

    #[test]
    fn a_vector_has_a_guard_above_each_component() {
        let types = [3, 2, 1].map(|bits| IntegerType { bits, signed: false });
        let commands = model(types);
        let vector =
            ExpressionMeasure::product(&commands, &[cell(0), Expression::Constant(7), cell(1)]).unwrap();
        assert_eq!((vector.guards(), vector.parts()), (0b100_0100, 0b1001));
        assert_eq!(vector.show(0b10_1011), "[5, 7, 3]");
        let tuple = ExpressionMeasure::new(&commands, &[cell(0), cell(1)]).unwrap();
        assert_eq!((tuple.guards(), tuple.comparison()), (0, Comparison::Total));
        // One component is compared as ever.
        let single = ExpressionMeasure::product(&commands, &[cell(0), Expression::Constant(7)]).unwrap();
        assert_eq!((single.comparison(), single.show(5)), (Comparison::Total, "[5, 7]".into()));
        let wide = [31, 31, 1].map(|bits| IntegerType { bits, signed: false });
        let commands = model(wide);
        assert!(ExpressionMeasure::new(&commands, &[cell(0), cell(1), cell(2)]).is_ok());
        let refused = ExpressionMeasure::product(&commands, &[cell(0), cell(1)]).unwrap_err().to_string();
        assert!(refused.contains("needs 64 bits"), "{refused}");
    }

    #[test]
    fn what_may_go_wrong_is_refused_before_the_search() {
        let int = IntegerType { bits: 32, signed: true };
        let model = model([int, int, IntegerType::BYTE]);
        let element = |index| Expression::Element {
            array: VariableId(3),
            index: Box::new(index),
            span: Span::new(3, 7),
        };
        let refused = |components: &[Expression]| ExpressionMeasure::new(&model, components).unwrap_err();
        assert_eq!(refused(&[]), MeasureError::Empty);
        let wide = refused(&[cell(0), cell(1)]).to_string();
        assert!(wide.contains("needs 64 bits") && wide.contains("-2147483648 to 2147483647"), "{wide}");
        let index = refused(&[cell(2), element(cell(2))]);
        assert!(matches!(&index, MeasureError::MayFail { component: 1, span: Span { start: 3, .. }, .. }));
        assert!(index.to_string().contains("`a` has 4 elements"), "{index}");
        let divided = Expression::binary(BinaryOperator::Divide, cell(0), cell(2));
        assert!(refused(&[divided]).to_string().contains("zero included"));
        let masked = Expression::binary(BinaryOperator::BitAnd, cell(2), Expression::Constant(3));
        assert!(ExpressionMeasure::new(&model, &[element(masked)]).is_ok());
        let constant = ExpressionMeasure::new(&model, &[Expression::Constant(7)]).unwrap();
        assert_eq!((constant.packed(), constant.show(0)), (&Expression::Constant(0), "7".into()));
    }
}
