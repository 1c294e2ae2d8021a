//! Sets of actions, as bits.
//!
//! A model of processes has some dozen or hundred actions, and a closure contains a good part of
//! them: unions of words are much cheaper than lists of numbers. A net has thousands of transitions,
//! and most sets contain a few. So a set that does not change stores only words that are not zero,
//! and is never longer than the list.

/// The word of an action, and its bit there.
#[inline]
pub fn place(action: u32) -> (usize, u64) {
    ((action / 64) as usize, 1 << (action % 64))
}

/// A set of actions that changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActionSet {
    words: Vec<u64>,
}

impl ActionSet {
    /// The empty set, for actions below this number.
    pub fn new(actions: usize) -> Self {
        Self { words: vec![0; actions.div_ceil(64)] }
    }

    /// The actions for which the list has `true`.
    pub fn of(list: &[bool]) -> Self {
        let mut set = Self::new(list.len());
        for (action, _) in (0..).zip(list).filter(|(_, is_member)| **is_member) {
            set.insert(action);
        }
        set
    }

    /// Adds an action.
    #[inline]
    pub fn insert(&mut self, action: u32) {
        let (word, bit) = place(action);
        self.words[word] |= bit;
    }

    /// Whether the action is a member.
    #[inline]
    pub fn contains(&self, action: u32) -> bool {
        let (word, bit) = place(action);
        self.words[word] & bit != 0
    }

    /// Removes all members.
    #[inline]
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Takes over the members of another set of as many actions.
    #[inline]
    pub fn copy_from(&mut self, other: &Self) {
        self.words.copy_from_slice(&other.words);
    }

    /// The words, action 0 in the lowest bit of the first.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The words, to be changed.
    #[inline]
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }
}

/// Sets of actions that do not change, by number: each the words that are not zero, with their
/// places.
#[derive(Clone, Debug, Default)]
pub struct SparseSets {
    ends: Vec<u32>,
    words: Vec<(u32, u64)>,
}

impl SparseSets {
    /// Appends a set. The actions ascend.
    pub fn push(&mut self, actions: impl IntoIterator<Item = u32>) {
        let start = self.words.len();
        for action in actions {
            let (word, bit) = place(action);
            match self.words[start..].last_mut() {
                Some((last, bits)) if *last == word as u32 => *bits |= bit,
                _ => self.words.push((word as u32, bit)),
            }
        }
        self.ends.push(self.words.len() as u32);
    }

    /// The words of a set that are not zero.
    #[inline]
    pub fn of(&self, number: usize) -> &[(u32, u64)] {
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.words[start as usize..self.ends[number] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_sets_contain_what_was_pushed() {
        let lists: [&[u32]; 4] = [&[0, 1, 63, 64, 200], &[], &[5], &[127, 128]];
        let mut sets = SparseSets::default();
        lists.iter().for_each(|list| sets.push(list.iter().copied()));
        for (number, list) in lists.iter().enumerate() {
            let mut set = ActionSet::new(201);
            for (word, bits) in sets.of(number) {
                assert_ne!(*bits, 0);
                set.words_mut()[*word as usize] |= bits;
            }
            let members: Vec<u32> = (0..201).filter(|action| set.contains(*action)).collect();
            assert_eq!(&members, list);
        }
        assert_eq!(sets.of(0).len(), 3, "one word for each 64 actions");
    }
}
