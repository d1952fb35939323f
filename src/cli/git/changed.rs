//! What differs between two texts of a file, and which file of a state became which of another.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    time::{Duration, Instant},
};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

/// How long the comparison of one file may take before it is rougher.
const TIME: Duration = Duration::from_secs(1);
/// So many pairs of files are compared by their lines; of more only equal ones are found.
const PAIRS: usize = 10_000;

/// The lines of `new` that differ from `old`, counted from 0. Where lines went away, the two that now meet. How
/// lines are broken does not matter.
#[must_use]
pub(super) fn lines(old: &str, new: &str) -> Vec<Range<usize>> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let deadline = Some(Instant::now() + TIME);
    let changes = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, deadline);
    let changes = changes.into_iter().filter_map(|it| match it {
        DiffOp::Equal { .. } => None,
        DiffOp::Delete { new_index, .. } => Some(new_index.saturating_sub(1)..new_index + 1),
        DiffOp::Insert { new_index, new_len, .. } | DiffOp::Replace { new_index, new_len, .. } => {
            Some(new_index..new_index + new_len)
        }
    });
    changes.collect()
}

/// Paths with their texts.
pub(super) type Texts<'a> = [(&'a str, &'a str)];

/// The new path of each file that was renamed, by its old one: files that are gone, and files that came with the
/// same text, or with one of which at least half the lines are the same.
#[must_use]
pub(super) fn renamed(gone: &Texts<'_>, came: &Texts<'_>) -> HashMap<String, String> {
    let mut found: HashMap<String, String> = HashMap::new();
    let mut taken = HashSet::new();
    let mut pair = |from: &str, to: &str| {
        if !found.contains_key(from) && !taken.contains(to) {
            taken.insert(to.to_owned());
            found.insert(from.to_owned(), to.to_owned());
        }
    };
    let mut by_text: HashMap<&str, Vec<&str>> = HashMap::new();
    for (path, text) in came {
        by_text.entry(text).or_default().push(path);
    }
    for (from, text) in gone {
        let alike = by_text.get_mut(text).filter(|it| !it.is_empty());
        if let Some(it) = alike {
            pair(from, it.remove(0));
        }
    }
    if gone.len() * came.len() > PAIRS {
        return found;
    }
    let mut alike = Vec::new();
    for (from, old) in gone {
        let close = came.iter().map(|(to, new)| (likeness(old, new), *from, *to));
        alike.extend(close.filter(|(it, ..)| *it >= 50));
    }
    alike.sort_by(|a, b| b.cmp(a));
    for (_, from, to) in alike {
        pair(from, to);
    }
    found
}

/// How many in a hundred lines two texts share.
fn likeness(old: &str, new: &str) -> usize {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for line in old.lines() {
        *counts.entry(line).or_default() += 1;
    }
    let shared = new.lines().filter(|it| match counts.get_mut(it) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    });
    shared.count() * 200 / (old.lines().count() + new.lines().count()).max(1)
}

#[cfg(test)]
mod tests {
    use super::{lines, renamed};

    #[test]
    fn changed_lines_are_those_of_the_new_text() {
        for (old, new, wanted) in [
            ("a\nb\nc\n", "a\nb\nc\n", None),
            ("a\nb\nc\n", "a\r\nb\r\nc\r\n", None),
            ("a\nb\nc\n", "a\nB\nc\n", Some(1..2)),
            ("a\nb\nc\n", "x\na\nb\nc\n", Some(0..1)),
            ("a\nb\nc\n", "a\nc\n", Some(0..2)),
            ("a\nb\n", "b\n", Some(0..1)),
            ("", "a\nb\n", Some(0..2)),
        ] {
            let wanted: Vec<_> = wanted.into_iter().collect();
            assert_eq!(lines(old, new), wanted, "{old:?} {new:?}");
        }
    }

    #[test]
    fn a_renamed_file_is_one_of_much_the_same_text() {
        let gone = [("a.tf", "1\n2\n3\n4\n"), ("b.tf", "x\ny\n"), ("c.tf", "p\nq\nr\n")];
        let came = [("new/a.tf", "1\n2\n3\n5\n"), ("new/b.tf", "x\ny\n"), ("d.tf", "p\n")];
        let found = renamed(&gone, &came);
        assert_eq!(found.get("a.tf").map(String::as_str), Some("new/a.tf"));
        assert_eq!(found.get("b.tf").map(String::as_str), Some("new/b.tf"));
        assert_eq!(found.get("c.tf").map(String::as_str), Some("d.tf"));
        assert_eq!(renamed(&[("c.tf", "p\nq\nr\n\n")], &came[2..]).len(), 0);
    }
}
