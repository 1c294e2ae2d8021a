//! The packed form of a state: every cell a bit field in a 64-bit word, no field across two words.
//!
//! A declared type is only an upper bound. Each cell gets the bits that its [`CellRange`] needs, so
//! that copying, hashing, comparing and storing a state touch as few words as possible. A range is
//! either proved, and then stores need no test, or only observed. Then a store that does not fit is
//! detected and the layout is widened: never a wrong value, never a silent wrap.

use serde::{Deserialize, Serialize};

use crate::guarded_commands::{CellId, GuardedCommands, Shape};
pub use crate::interval::CellRange;
use crate::records::RecordShape;

/// Number of cells up to which spare bits are distributed cell by cell.
const ROOM_BY_CELL: usize = 500;

/// The bit field of a cell in a packed state. It holds the value minus `base`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Number of the word.
    pub word: u32,
    /// Lowest bit in the word.
    pub shift: u8,
    /// Width; zero for a cell that never changes.
    pub bits: u8,
    /// The value of a content of zero.
    pub base: i64,
    /// Whether a store must test that the value fits, because that is not proved.
    pub checked: bool,
}

impl Field {
    /// The content's bits, at the bottom of a word.
    pub fn mask(&self) -> u64 {
        if self.bits == 0 { 0 } else { u64::MAX >> (64 - self.bits) }
    }

    /// The values that fit.
    pub fn capacity(&self) -> CellRange {
        CellRange { low: self.base, high: self.base.saturating_add_unsigned(self.mask()) }
    }
}

/// A value that does not fit into its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoesNotFit {
    /// The cell.
    pub cell: CellId,
    /// The value.
    pub value: i64,
}

/// The packed form of the states of one model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StateLayout {
    fields: Vec<Field>,
    words: usize,
    bits: usize,
    /// The proved ranges of the cells, whatever their fields can hold.
    proved: Vec<CellRange>,
}

impl StateLayout {
    /// A layout for ranges that are proved.
    pub fn proved(model: &GuardedCommands, ranges: &[CellRange]) -> Self {
        Self::pack(model, ranges, ranges)
    }

    /// Contiguous bits of one word that no field uses: the word, and the lowest of them.
    pub fn spare_bits(&self, bits: u32) -> Option<(usize, u32)> {
        let mut used = vec![0; self.words];
        for field in self.fields.iter().filter(|field| field.bits > 0) {
            let end = u32::from(field.shift) + u32::from(field.bits);
            let word = &mut used[field.word as usize];
            *word = end.max(*word);
        }
        let (word, used) = used.into_iter().enumerate().min_by_key(|(_, used)| *used)?;
        (used + bits <= 64).then_some((word, used))
    }

    /// A layout for the values in `wanted`, where only `proved` is certain. Bits that would be
    /// unused are given to the cells that may need them, so that widening is rare.
    pub fn observed(model: &GuardedCommands, wanted: &[CellRange], proved: &[CellRange]) -> Self {
        let tight = Self::pack(model, wanted, proved);
        let mut roomy = wanted.to_vec();
        let mut best = tight;
        // One more bit for each unproved cell, as long as that costs no word: all cells first, then
        // one by one.
        loop {
            let trial: Vec<CellRange> =
                roomy.iter().zip(proved).map(|(range, limit)| range.doubled(*limit)).collect();
            let packed = Self::pack(model, &trial, proved);
            if trial == roomy || packed.words > best.words {
                break;
            }
            (roomy, best) = (trial, packed);
        }
        let cells = if roomy.len() <= ROOM_BY_CELL { 0..roomy.len() } else { 0..0 };
        for cell in cells {
            let before = roomy[cell];
            roomy[cell] = before.doubled(proved[cell]);
            if roomy[cell] == before {
                continue;
            }
            let packed = Self::pack(model, &roomy, proved);
            if packed.words > best.words {
                roomy[cell] = before;
            } else {
                best = packed;
            }
        }
        best
    }

    /// Number of 64-bit words of a state.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Shape of packed states.
    pub fn shape(&self) -> RecordShape {
        RecordShape::Fixed(self.words)
    }

    /// Number of bits that are used.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// The fields, by cell.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// For each cell, a range that it is proved not to leave.
    pub fn proved_ranges(&self) -> &[CellRange] {
        &self.proved
    }

    /// The field of one cell.
    pub fn field(&self, cell: CellId) -> Field {
        self.fields[cell.index()]
    }

    /// Packs `cells` into `packed`.
    pub fn encode(&self, cells: &[i64], packed: &mut [u64]) -> Result<(), DoesNotFit> {
        packed.fill(0);
        for (number, (field, &value)) in self.fields.iter().zip(cells).enumerate() {
            let content = value.wrapping_sub(field.base) as u64;
            if content > field.mask() {
                return Err(DoesNotFit { cell: CellId(number as u32), value });
            }
            if field.bits > 0 {
                packed[field.word as usize] |= content << field.shift;
            }
        }
        Ok(())
    }

    /// Unpacks a state.
    pub fn decode(&self, packed: &[u64], cells: &mut Vec<i64>) {
        cells.clear();
        cells.extend(self.fields.iter().map(|field| {
            let content =
                if field.bits == 0 { 0 } else { packed[field.word as usize] >> field.shift & field.mask() };
            field.base.wrapping_add_unsigned(content)
        }));
    }

    /// Fields of the needed widths, placed first-fit by falling size. Arrays stay in one piece
    /// where that costs no word, because an index into a single word is cheaper than a look-up of
    /// the element's place.
    fn pack(model: &GuardedCommands, ranges: &[CellRange], proved: &[CellRange]) -> Self {
        let together = Self::place(&groups(model, ranges, true), ranges, proved);
        if together.words <= together.bits.div_ceil(64).max(1) {
            return together;
        }
        let apart = Self::place(&groups(model, ranges, false), ranges, proved);
        if apart.words < together.words { apart } else { together }
    }

    fn place(groups: &[Group], ranges: &[CellRange], proved: &[CellRange]) -> Self {
        let mut fields: Vec<Field> = ranges
            .iter()
            .zip(proved)
            .map(|(range, proved)| Field {
                word: 0,
                shift: 0,
                bits: 0,
                base: range.low,
                checked: !range.covers(*proved),
            })
            .collect();
        let mut used: Vec<u8> = vec![0];
        // For each size, the words before this one are too full for it, now and later.
        let mut first_fit = [0; 65];
        let mut total = 0;
        for group in groups {
            let size = group.bits * group.cells.len() as u8;
            let start = &mut first_fit[usize::from(size)];
            while used.get(*start).is_some_and(|&bits| bits + size > 64) {
                *start += 1;
            }
            let word = *start;
            if word == used.len() {
                used.push(0);
            }
            for &cell in &group.cells {
                let field = &mut fields[cell];
                let shift = used[word];
                *field =
                    Field { word: word as u32, shift, bits: group.bits, base: group.base, checked: false };
                field.checked = !field.capacity().covers(proved[cell]);
                used[word] += group.bits;
            }
            total += usize::from(size);
        }
        Self { fields, words: used.len(), bits: total, proved: proved.to_vec() }
    }
}

/// The way from one layout to a wider one: bits that move together are moved together.
#[derive(Clone, Debug)]
pub struct Repacking {
    words: usize,
    moves: Vec<Move>,
    /// Fields whose base changes: the number to add to the content.
    rebased: Vec<(Field, Field, u64)>,
}

/// Bits of an old word that go to a new word, rotated.
#[derive(Clone, Copy, Debug)]
struct Move {
    from: u32,
    to: u32,
    left: u32,
    mask: u64,
}

impl Repacking {
    /// From `old` to `new`, where every field of `new` can hold what the one of `old` holds.
    pub fn new(old: &StateLayout, new: &StateLayout) -> Self {
        let mut repacking = Self { words: new.words, moves: Vec::new(), rebased: Vec::new() };
        for (a, b) in old.fields.iter().zip(&new.fields) {
            if a.base != b.base {
                repacking.rebased.push((*a, *b, a.base.wrapping_sub(b.base) as u64));
            } else if a.bits > 0 {
                let left = u32::from(b.shift).wrapping_sub(u32::from(a.shift)) & 63;
                let mask = a.mask() << a.shift;
                let same = |one: &&mut Move| (one.from, one.to, one.left) == (a.word, b.word, left);
                match repacking.moves.iter_mut().find(same) {
                    Some(one) => one.mask |= mask,
                    None => repacking.moves.push(Move { from: a.word, to: b.word, left, mask }),
                }
            }
        }
        repacking
    }

    /// The new form of a state.
    pub fn apply(&self, old: &[u64], new: &mut Vec<u64>) {
        new.clear();
        new.resize(self.words, 0);
        for one in &self.moves {
            new[one.to as usize] |= (old[one.from as usize] & one.mask).rotate_left(one.left);
        }
        for (a, b, difference) in &self.rebased {
            let content = if a.bits == 0 { 0 } else { old[a.word as usize] >> a.shift & a.mask() };
            let content = content.wrapping_add(*difference);
            debug_assert!(content <= b.mask());
            if b.bits > 0 {
                new[b.word as usize] |= content << b.shift;
            }
        }
    }
}

/// Cells of one width that are placed in one word.
struct Group {
    bits: u8,
    base: i64,
    cells: Vec<usize>,
}

impl Group {
    fn new(range: CellRange, cells: Vec<usize>) -> Self {
        let bits = range.bits();
        // Reading needs no addition when the values fit without a base.
        let base = if range.low >= 0 && range.high < 1 << bits { 0 } else { range.low };
        Self { bits, base, cells }
    }
}

/// All cells that need bits, widest group first. The elements of an array get the same width and
/// base.
fn groups(model: &GuardedCommands, ranges: &[CellRange], arrays_in_one_piece: bool) -> Vec<Group> {
    let mut groups = Vec::new();
    for variable in &model.variables {
        let first = variable.first_cell.index();
        let cells: Vec<usize> = (first..first + variable.cell_count()).collect();
        if let Shape::Array { .. } = variable.shape
            && let Some(range) = cells.iter().map(|&cell| ranges[cell]).reduce(CellRange::join)
        {
            let in_a_word = 64 / usize::from(range.bits().max(1));
            let piece = if arrays_in_one_piece { in_a_word } else { 1 };
            groups.extend(cells.chunks(piece).map(|chunk| Group::new(range, chunk.to_vec())));
        } else {
            groups.extend(cells.into_iter().map(|cell| Group::new(ranges[cell], vec![cell])));
        }
    }
    groups.retain(|group| group.bits > 0);
    groups.sort_by_key(|group| std::cmp::Reverse(usize::from(group.bits) * group.cells.len()));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guarded_commands::{IntegerType, Span};

    fn bytes(count: usize) -> GuardedCommands {
        let mut model = GuardedCommands::default();
        for number in 0..count {
            model.add_variable(
                format!("v{number}"),
                None,
                Shape::Scalar(IntegerType::BYTE),
                &[],
                Span::default(),
            );
        }
        model
    }

    #[test]
    fn decode_inverts_encode() {
        let mut model = bytes(9);
        let shape = Shape::Array { element: IntegerType::SHORT, length: 20 };
        model.add_variable("a", None, shape, &[], Span::default());
        let ranges: Vec<CellRange> =
            (0..29).map(|i| CellRange { low: -i % 7, high: 3 * i + i64::from(i > 20) * 1000 }).collect();
        let layout = StateLayout::proved(&model, &ranges);
        for pick in 0..5 {
            let cells: Vec<i64> = ranges.iter().map(|r| r.low + (r.high - r.low) * pick / 4).collect();
            let mut packed = vec![0; layout.words()];
            layout.encode(&cells, &mut packed).unwrap();
            let mut back = Vec::new();
            layout.decode(&packed, &mut back);
            assert_eq!(back, cells);
        }
    }

    #[test]
    fn a_value_that_does_not_fit_is_an_error() {
        let model = bytes(2);
        let ranges = [CellRange { low: 0, high: 3 }, CellRange { low: 5, high: 5 }];
        let layout = StateLayout::proved(&model, &ranges);
        assert_eq!(layout.words(), 1);
        let mut packed = [0];
        assert_eq!(layout.encode(&[4, 5], &mut packed), Err(DoesNotFit { cell: CellId(0), value: 4 }));
        assert_eq!(layout.encode(&[3, 6], &mut packed), Err(DoesNotFit { cell: CellId(1), value: 6 }));
        assert_eq!(layout.encode(&[3, 5], &mut packed), Ok(()));
    }

    #[test]
    fn repacking_is_decoding_and_encoding() {
        let model = bytes(40);
        let narrow: Vec<CellRange> = (0..40).map(|i| CellRange { low: i % 3, high: i % 3 + i % 7 }).collect();
        let wide: Vec<CellRange> = (0..40).map(|i| CellRange { low: -(i % 4), high: 20 + i % 9 }).collect();
        let (old, new) = (StateLayout::proved(&model, &narrow), StateLayout::proved(&model, &wide));
        let cells: Vec<i64> =
            narrow.iter().enumerate().map(|(i, r)| r.low + i as i64 % (r.high - r.low + 1)).collect();
        let (mut packed, mut expected, mut moved) = (vec![0; old.words()], vec![0; new.words()], Vec::new());
        old.encode(&cells, &mut packed).unwrap();
        new.encode(&cells, &mut expected).unwrap();
        Repacking::new(&old, &new).apply(&packed, &mut moved);
        assert_eq!(moved, expected);
    }

    #[test]
    fn eight_small_bytes_share_a_word_and_spare_bits_are_given_away() {
        let model = bytes(9);
        let small = vec![CellRange { low: 0, high: 4 }; 9];
        let proved = vec![CellRange { low: 0, high: 255 }; 9];
        let layout = StateLayout::observed(&model, &small, &proved);
        assert_eq!(layout.words(), 1);
        assert!(layout.fields().iter().all(|field| field.bits >= 6 && (field.checked || field.bits == 8)));
    }
}
