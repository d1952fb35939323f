//! Where pods can run: `karplint show placement`.

pub(crate) mod json;
pub(crate) mod markdown;
pub(crate) mod text;

/// How many names of a group are shown.
const NAMED: usize = 6;

/// Some names: "a, b, c and 4 others".
pub(super) fn named(names: &[String]) -> String {
    match names.get(NAMED..) {
        Some(others) if others.len() > 1 => {
            format!("{} and {} others", names[..NAMED].join(", "), others.len())
        }
        _ => names.join(", "),
    }
}
