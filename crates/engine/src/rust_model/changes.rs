//! Changes from one state to the next, as `Debug` prints them.
//!
//! Pretty `Debug` has one line for each leaf of a value, and lines that open and close the
//! enclosing values. Two such texts are read back as trees and compared. Fields are compared by
//! name, map entries by key, lists of the same length by position, sets and other lists as
//! multisets. Text that is not such a tree is shown as it is.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::str::Lines;

/// Most lines of changes. Beyond this number, the whole state is easier to read.
const MANY: usize = 24;

/// A part of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Leaf(String),
    Group { head: String, open: char, items: Vec<Item> },
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Item {
    /// The name of a field, or the key of a map.
    name: Option<Name>,
    part: Part,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    Field(String),
    Key(String),
}

/// The lines to print below a step.
pub(super) fn changes(before: &str, after: &str) -> Vec<String> {
    if before == after {
        return vec!["(nothing changes)".into()];
    }
    let mut lines = Vec::new();
    if let (Some(old), Some(new)) = (parse(before), parse(after)) {
        compare("", &old, &new, &mut lines);
    }
    if lines.is_empty() || lines.len() > MANY { vec![compact(after)] } else { lines }
}

/// The text on one line, if it is a tree.
pub(super) fn compact(text: &str) -> String {
    parse(text).map_or_else(|| text.to_owned(), |part| on_one_line(&part))
}

fn parse(text: &str) -> Option<Part> {
    let mut lines = text.lines();
    let item = read_item(lines.next()?.trim(), &mut lines)?;
    (lines.next().is_none() && item.name.is_none()).then_some(item.part)
}

/// Reads the item that begins with this line.
fn read_item(line: &str, lines: &mut Lines<'_>) -> Option<Item> {
    let line = line.strip_suffix(',').unwrap_or(line);
    let (name, rest) = split_name(line);
    let Some(open) = rest.chars().last().filter(|last| "{[(".contains(*last)) else {
        return Some(Item { name, part: Part::Leaf(rest.to_owned()) });
    };
    let close = match open {
        '{' => '}',
        '[' => ']',
        _ => ')',
    };
    let head = rest[..rest.len() - 1].trim_end().to_owned();
    let mut items = Vec::new();
    let end = loop {
        let line = lines.next()?.trim();
        if let Some(end) = line.strip_prefix(close) {
            break end;
        }
        items.push(read_item(line, lines)?);
    };
    let part = Part::Group { head, open, items };
    match end.strip_prefix(": ") {
        // The item so far was the key of a map.
        Some(value) => {
            let Item { name: None, part: value } = read_item(value, lines)? else { return None };
            Some(Item { name: Some(Name::Key(on_one_line(&part))), part: value })
        }
        None => Some(Item { name, part }),
    }
}

fn split_name(line: &str) -> (Option<Name>, &str) {
    let Some((name, rest)) = line.split_once(": ") else { return (None, line) };
    if name.starts_with(|first: char| first.is_alphabetic() || first == '_')
        && name.chars().all(|one| one.is_alphanumeric() || one == '_')
    {
        return (Some(Name::Field(name.to_owned())), rest);
    }
    let quotes = name.matches('"').count();
    if quotes % 2 == 1 { (None, line) } else { (Some(Name::Key(name.to_owned())), rest) }
}

fn on_one_line(part: &Part) -> String {
    let Part::Group { head, open, items } = part else {
        let Part::Leaf(text) = part else { unreachable!("a part is a group or a leaf") };
        return text.clone();
    };
    let items: Vec<String> = items
        .iter()
        .map(|item| match &item.name {
            Some(Name::Field(name) | Name::Key(name)) => format!("{name}: {}", on_one_line(&item.part)),
            None => on_one_line(&item.part),
        })
        .collect();
    let items = items.join(", ");
    match (open, head.is_empty()) {
        ('{', true) => format!("{{{items}}}"),
        ('{', false) => format!("{head} {{ {items} }}"),
        ('[', _) => format!("{head}[{items}]"),
        _ => format!("{head}({items})"),
    }
}

fn compare(path: &str, old: &Part, new: &Part, lines: &mut Vec<String>) {
    if old == new {
        return;
    }
    match (old, new) {
        (
            Part::Group { head: old_head, open: old_open, items: old_items },
            Part::Group { head, open, items },
        ) if old_head == head && old_open == open && !is_small(new) => {
            compare_items(path, *open, old_items, items, lines)
        }
        _ => lines.push(line(path, &format!("{} → {}", on_one_line(old), on_one_line(new)))),
    }
}

/// Whether the part is easier to read as a whole, such as `Some(1)`.
fn is_small(part: &Part) -> bool {
    matches!(part, Part::Group { open: '(', items, .. } if items.iter().all(|item| matches!(item.part, Part::Leaf(_))))
}

fn compare_items(path: &str, open: char, old: &[Item], new: &[Item], lines: &mut Vec<String>) {
    let named = |items: &[Item]| items.iter().all(|item| item.name.is_some());
    if named(old) && named(new) {
        let find = |items: &[Item], name: &Option<Name>| items.iter().position(|item| item.name == *name);
        for item in old {
            let path = below(path, item.name.as_ref(), 0);
            match find(new, &item.name) {
                Some(place) => compare(&path, &item.part, &new[place].part, lines),
                None => lines.push(line(&path, &format!("− {}", on_one_line(&item.part)))),
            }
        }
        for item in new.iter().filter(|item| find(old, &item.name).is_none()) {
            let path = below(path, item.name.as_ref(), 0);
            lines.push(line(&path, &format!("+ {}", on_one_line(&item.part))));
        }
    } else if old.len() == new.len() && open != '{' {
        for (place, (old, new)) in old.iter().zip(new).enumerate() {
            compare(&below(path, None, place), &old.part, &new.part, lines);
        }
    } else {
        let so_far = lines.len();
        let mut counts: BTreeMap<String, i64> = BTreeMap::new();
        old.iter().for_each(|item| *counts.entry(on_one_line(&item.part)).or_default() -= 1);
        new.iter().for_each(|item| *counts.entry(on_one_line(&item.part)).or_default() += 1);
        for (text, count) in counts {
            let sign = if count < 0 { "−" } else { "+" };
            for _ in 0..count.abs() {
                lines.push(line(path, &format!("{sign} {text}")));
            }
        }
        // The same elements in another order.
        if lines.len() == so_far {
            lines.push(line(
                path,
                &new.iter().map(|item| on_one_line(&item.part)).collect::<Vec<_>>().join(", "),
            ));
        }
    }
}

fn below(path: &str, name: Option<&Name>, place: usize) -> String {
    let mut path = path.to_owned();
    match name {
        Some(Name::Field(name)) if path.is_empty() => path.push_str(name),
        Some(Name::Field(name)) => path.extend([".", name]),
        Some(Name::Key(key)) => path.extend(["[", key, "]"]),
        None => write!(path, "[{place}]").expect("a string can be written to"),
    }
    path
}

fn line(path: &str, change: &str) -> String {
    if path.is_empty() { change.to_owned() } else { format!("{path}: {change}") }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    #[derive(Clone, Debug)]
    #[allow(dead_code, reason = "shown by Debug")]
    enum Role {
        Follower,
        Leader { votes: BTreeSet<u8>, at: (u8, u8) },
    }

    #[derive(Clone, Debug)]
    #[allow(dead_code, reason = "shown by Debug")]
    struct Cluster {
        roles: Vec<Role>,
        logs: BTreeMap<(u8, u8), Vec<u8>>,
        name: Option<String>,
        network: BTreeSet<(u8, &'static str)>,
    }

    fn cluster() -> Cluster {
        Cluster {
            roles: vec![Role::Follower, Role::Leader { votes: BTreeSet::from([1]), at: (0, 0) }],
            logs: BTreeMap::from([((0, 1), vec![1, 2])]),
            name: Some("a: b".into()),
            network: BTreeSet::from([(1, "x: {"), (2, "y")]),
        }
    }

    fn shown(change: impl FnOnce(&mut Cluster)) -> Vec<String> {
        let mut after = cluster();
        change(&mut after);
        changes(&format!("{:#?}", cluster()), &format!("{after:#?}"))
    }

    #[test]
    fn a_whole_state_fits_on_a_line_like_debug_without_indentation() {
        let text = compact(&format!("{:#?}", cluster()));
        assert_eq!(text, format!("{:?}", cluster()));
    }

    #[test]
    fn only_what_changed_is_shown() {
        assert_eq!(
            shown(|c| c.roles[0] = Role::Leader { votes: BTreeSet::new(), at: (1, 2) }),
            ["roles[0]: Follower → Leader { votes: {}, at: (1, 2) }"]
        );
        assert_eq!(shown(|c| c.logs.get_mut(&(0, 1)).unwrap()[1] = 7), ["logs[(0, 1)][1]: 2 → 7"]);
        assert_eq!(shown(|c| c.name = Some("c".into())), ["name: Some(\"a: b\") → Some(\"c\")"]);
        assert_eq!(shown(|c| c.name = None), ["name: Some(\"a: b\") → None"]);
        assert_eq!(
            shown(|c| c.network = BTreeSet::from([(0, "z"), (2, "y")])),
            ["network: + (0, \"z\")", "network: − (1, \"x: {\")"]
        );
        assert_eq!(
            shown(|c| c.logs = BTreeMap::from([((3, 3), vec![])])),
            ["logs[(0, 1)]: − [1, 2]", "logs[(3, 3)]: + []"]
        );
    }

    #[test]
    fn other_text_is_shown_as_it_is() {
        assert_eq!(changes("a | b", "a | c"), ["a | b → a | c"]);
        assert_eq!(changes("{\nx", "{\ny"), ["{\ny"]);
        assert_eq!(changes("x", "x"), ["(nothing changes)"]);
    }
}
