//! An order of values that is not the order of numbers.
//!
//! Control locations and sequence numbers modulo something have an order in which a model runs
//! through them, which is seldom that of their numbers. It is kept as a table from value to rank. A
//! value that the order does not name ranks above all others.

use serde::{Deserialize, Serialize};

/// Limit on the span of the values of one order: its table has an entry for each.
pub const WIDEST_ORDER: u64 = 1 << 12;

/// Values with ranks from zero on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueOrder {
    low: i64,
    /// By value, from `low` on; the last entry is for all values that are not named.
    ranks: Box<[i64]>,
}

impl ValueOrder {
    /// The values of the first class have rank zero, those of the next one rank one, and so on. A
    /// value named twice has the rank at which it is named first. `None` if the values lie more
    /// than [`WIDEST_ORDER`] apart, or if there are none.
    pub fn new<C: AsRef<[i64]>>(classes: &[C]) -> Option<Self> {
        let values = || classes.iter().flat_map(|class| class.as_ref()).copied();
        let (low, high) = (values().min()?, values().max()?);
        let span = high.abs_diff(low);
        if span >= WIDEST_ORDER {
            return None;
        }
        let others = classes.len() as i64;
        let mut ranks = vec![others; span as usize + 2].into_boxed_slice();
        for (rank, class) in classes.iter().enumerate().rev() {
            for value in class.as_ref() {
                ranks[value.abs_diff(low) as usize] = rank as i64;
            }
        }
        Some(Self { low, ranks })
    }

    /// The rank of a value.
    #[inline]
    pub fn rank(&self, value: i64) -> i64 {
        let others = self.ranks.len() - 1;
        // Values below the least one wrap around to a large number.
        self.ranks[(value.wrapping_sub(self.low) as u64).min(others as u64) as usize]
    }

    /// The rank of all values that are not named: the number of classes.
    pub fn others(&self) -> i64 {
        self.ranks[self.ranks.len() - 1]
    }

    /// The least value that is named.
    pub fn low(&self) -> i64 {
        self.low
    }

    /// The greatest value that is named.
    pub fn high(&self) -> i64 {
        self.low.wrapping_add(self.ranks.len() as i64 - 2)
    }

    /// The table: ranks from the least value on, and one entry more, for all values that are not
    /// named.
    pub fn table(&self) -> &[i64] {
        &self.ranks
    }

    /// The values of each rank, ascending.
    pub fn classes(&self) -> Vec<Vec<i64>> {
        let mut classes = vec![Vec::new(); self.others() as usize];
        for value in self.low..=self.high() {
            if let Some(class) = classes.get_mut(self.rank(value) as usize) {
                class.push(value);
            }
        }
        classes
    }

    /// The ranks of the values from `low` to `high`: the least and the greatest.
    pub fn ranks_between(&self, low: i64, high: i64) -> (i64, i64) {
        let (first, last) = (low.max(self.low), high.min(self.high()));
        let beyond = (low < first || high > last).then_some(self.others());
        let ranks = || (first..=last).map(|value| self.rank(value)).chain(beyond);
        let others = self.others();
        (ranks().min().unwrap_or(others), ranks().max().unwrap_or(others))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_rank_of_their_class() {
        let order = ValueOrder::new(&[vec![3], vec![-1, 5], vec![0]]).unwrap();
        let ranks: Vec<i64> =
            [3, -1, 5, 0, 1, 4, -2, 6, i64::MIN, i64::MAX].map(|value| order.rank(value)).into();
        assert_eq!(ranks, [0, 1, 1, 2, 3, 3, 3, 3, 3, 3]);
        assert_eq!(order.classes(), [vec![3], vec![-1, 5], vec![0]]);
        assert_eq!((order.low(), order.high(), order.others()), (-1, 5, 3));
        assert_eq!(order.ranks_between(3, 3), (0, 0));
        assert_eq!(order.ranks_between(-1, 0), (1, 2));
        assert_eq!(order.ranks_between(2, 5), (0, 3));
        assert_eq!(order.ranks_between(5, 9), (1, 3));
        assert_eq!(order.ranks_between(7, 9), (3, 3));
        assert_eq!(order.ranks_between(i64::MIN, i64::MAX), (0, 3));
    }

    #[test]
    fn an_order_is_neither_empty_nor_wide() {
        assert_eq!(ValueOrder::new::<Vec<i64>>(&[]), None);
        assert_eq!(ValueOrder::new(&[vec![0, i64::MAX]]), None);
        assert_eq!(ValueOrder::new(&[vec![i64::MIN, i64::MAX]]), None);
        let widest = ValueOrder::new(&[vec![i64::MAX - 4095], vec![i64::MAX]]).unwrap();
        assert_eq!((widest.rank(i64::MAX), widest.rank(i64::MIN)), (1, 2));
        assert_eq!(widest.classes(), [[i64::MAX - 4095], [i64::MAX]]);
    }
}
