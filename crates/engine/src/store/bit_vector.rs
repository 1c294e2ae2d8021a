//! One bit for each of many things that are numbered.

/// Bits in a word.
const WORD: u64 = 64;

/// A vector of bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BitVector {
    /// Bits behind the last one are zero.
    words: Vec<u64>,
    len: u64,
}

impl BitVector {
    /// So many bits, all of them the same.
    pub fn new(len: u64, bit: bool) -> Self {
        let mut vector = Self { words: Vec::new(), len };
        vector.words.resize(len.div_ceil(WORD) as usize, if bit { u64::MAX } else { 0 });
        vector.clear_rest();
        vector
    }

    fn clear_rest(&mut self) {
        let used = self.len % WORD;
        if let Some(last) = self.words.last_mut().filter(|_| used > 0) {
            *last &= u64::MAX >> (WORD - used);
        }
    }

    /// Appends a bit.
    #[inline]
    pub fn push(&mut self, bit: bool) {
        if self.len.is_multiple_of(WORD) {
            self.words.push(0);
        }
        self.len += 1;
        if bit {
            self.set(self.len - 1, true);
        }
    }

    /// Number of bits.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are no bits.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bit with this number.
    #[inline]
    pub fn get(&self, number: u64) -> bool {
        debug_assert!(number < self.len);
        self.words[(number / WORD) as usize] >> (number % WORD) & 1 != 0
    }

    /// Changes the bit with this number.
    #[inline]
    pub fn set(&mut self, number: u64, bit: bool) {
        debug_assert!(number < self.len);
        let word = &mut self.words[(number / WORD) as usize];
        let mask = 1 << (number % WORD);
        *word = if bit { *word | mask } else { *word & !mask };
    }

    /// Number of bits that are set.
    pub fn ones(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Each bit turned around.
    #[must_use]
    pub fn complement(&self) -> Self {
        let mut vector = Self { words: self.words.iter().map(|word| !word).collect(), len: self.len };
        vector.clear_rest();
        vector
    }

    /// Two vectors of one length, bit by bit. The function must make nothing of nothing.
    #[must_use]
    pub fn combine(&self, other: &Self, combine: impl Fn(u64, u64) -> u64) -> Self {
        debug_assert!(self.len == other.len && combine(0, 0) == 0);
        let words = self.words.iter().zip(&other.words).map(|(one, other)| combine(*one, *other));
        Self { words: words.collect(), len: self.len }
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.words.capacity() * 8
    }
}

/// How many bits are set before each place. Takes as much memory as the bits.
#[derive(Debug)]
pub struct Ranks {
    bits: BitVector,
    before: Vec<u64>,
}

impl Ranks {
    /// Counts the bits.
    pub fn new(bits: BitVector) -> Self {
        let add = |sum: &mut u64, word: &u64| {
            let before = *sum;
            *sum += u64::from(word.count_ones());
            Some(before)
        };
        let before = bits.words.iter().scan(0, add).collect();
        Self { bits, before }
    }

    /// The bits.
    pub fn bits(&self) -> &BitVector {
        &self.bits
    }

    /// Number of bits that are set before this one.
    #[inline]
    pub fn rank(&self, number: u64) -> u64 {
        let word = (number / WORD) as usize;
        let below = self.bits.words[word] & !(u64::MAX << (number % WORD));
        self.before[word] + u64::from(below.count_ones())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bits_are_those_of_a_vector(bits in prop::collection::vec(any::<bool>(), 0..300)) {
            let mut vector = BitVector::default();
            bits.iter().for_each(|bit| vector.push(*bit));
            let all = |vector: &BitVector| (0..vector.len()).map(|number| vector.get(number)).collect::<Vec<_>>();
            prop_assert_eq!(all(&vector), bits.clone());
            prop_assert_eq!(all(&vector.complement()), bits.iter().map(|bit| !bit).collect::<Vec<_>>());
            prop_assert_eq!(vector.ones() + vector.complement().ones(), bits.len() as u64);
            let none = vector.combine(&vector.complement(), |one, other| one & other);
            prop_assert_eq!(&none, &BitVector::new(vector.len(), false));
            let every = vector.combine(&vector.complement(), |one, other| one | other);
            prop_assert_eq!(&every, &BitVector::new(vector.len(), true));
            let ranks = Ranks::new(vector);
            for number in 0..bits.len() {
                let expected = bits[..number].iter().filter(|bit| **bit).count();
                prop_assert_eq!(ranks.rank(number as u64), expected as u64);
            }
        }
    }
}
