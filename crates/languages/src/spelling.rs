//! "Did you mean …?": the nearest known name to an unknown one.
//!
//! Nearness is the number of single-character edits, where swapping two neighbours counts as one
//! (the restricted Damerau–Levenshtein distance). A suggestion needs at least two thirds of the
//! name to be right: a far-fetched one is worse than none.

/// The longest name that is compared, in bytes. The table is quadratic, and names of this length
/// are not misspelt.
const LONGEST: usize = 64;

/// The candidate nearest to `name`, if one is near enough. Of several the first wins.
pub fn nearest<'n>(name: &str, candidates: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    if name.len() > LONGEST {
        return None;
    }
    let allowed = (name.len() / 3).max(1);
    let mut best = None;
    for candidate in candidates {
        if candidate == name || candidate.is_empty() || candidate.len() > LONGEST {
            continue;
        }
        let distance = distance(name, candidate);
        // At least one character must be right: `t` is no misspelling of `v`.
        if distance <= allowed.min(candidate.len() - 1) && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Help that offers the nearest candidate.
pub(crate) fn did_you_mean<'n>(name: &str, candidates: impl IntoIterator<Item = &'n str>) -> Option<String> {
    nearest(name, candidates).map(|candidate| format!("did you mean `{candidate}`?"))
}

/// The number of edits between two names. A change of case alone counts as none.
fn distance(left: &str, right: &str) -> usize {
    if left.eq_ignore_ascii_case(right) {
        return 0;
    }
    let right: Vec<char> = right.chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    let mut previous = None;
    for (row, character) in left.chars().enumerate() {
        let mut current = vec![row + 1];
        for (column, other) in right.iter().enumerate() {
            let replaced = last[column] + usize::from(character != *other);
            let mut least = replaced.min(last[column + 1] + 1).min(current[column] + 1);
            if column > 0 && previous == Some(*other) && right[column - 1] == character {
                least = least.min(before_last[column - 1] + 1);
            }
            current.push(least);
        }
        before_last = std::mem::replace(&mut last, current);
        previous = Some(character);
    }
    last[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_and_swaps_are_counted() {
        assert_eq!(distance("number", "number"), 0);
        assert_eq!(distance("nubmer", "number"), 1);
        assert_eq!(distance("numbr", "number"), 1);
        assert_eq!(distance("NUMBER", "number"), 0);
        assert_eq!(distance("", "abc"), 3);
    }

    #[test]
    fn only_near_names_are_offered() {
        let names = ["choosing", "number", "max"];
        assert_eq!(nearest("chosing", names), Some("choosing"));
        assert_eq!(nearest("mx", names), Some("max"));
        assert_eq!(nearest("elected", names), None);
        assert_eq!(nearest("t", ["v", "T", ""]), Some("T"));
        assert_eq!(nearest(&"x".repeat(1_000_000), names), None);
    }
}
