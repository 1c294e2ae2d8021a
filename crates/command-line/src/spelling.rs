//! The name that was probably meant.

/// The candidate nearest to `name`, if one is near enough to be a slip of the fingers.
pub fn nearest<'n>(name: &str, candidates: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let allowed = (name.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(&name.to_lowercase(), &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["assert P.critical", "assert Q.critical", "progress"];
        assert_eq!(nearest("assert Q.critcal", names), Some("assert Q.critical"));
        assert_eq!(nearest("PROGRESS", names), Some("progress"));
        assert_eq!(nearest("elected", names), None);
    }
}
