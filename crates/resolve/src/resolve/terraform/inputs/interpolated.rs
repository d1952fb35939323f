//! What code puts into texts, found in its text: values do not tell which variables they were put together from.

use std::ops::Range;

use crate::hash::HashMap;

/// The interpolations of a text, `${local.name}`, as far as their first brace that closes.
pub(super) fn interpolations_in(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let opened = text.match_indices("${");
    // A brace closes all that are open before it, and is looked for once.
    let closed = opened.scan(None, |known: &mut Option<usize>, (at, _)| {
        let end = match *known {
            Some(end) if end > at => end,
            _ => at + text.get(at..)?.find('}')?,
        };
        *known = Some(end);
        Some((at, end))
    });
    // Of those that are open at once the innermost counts.
    let mut closed = closed.peekable();
    std::iter::from_fn(move || {
        let (mut at, end) = closed.next()?;
        while let Some((inner, _)) = closed.next_if(|it| it.1 == end) {
            at = inner;
        }
        Some((at..end + 1, text.get(at + 2..end).unwrap_or_default()))
    })
}

/// What the locals of a file are called, each with the line that says what it is.
pub(super) fn locals_in(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = text.lines().scan(false, |is_inside, line| {
        *is_inside = line.starts_with("locals") || *is_inside && !line.starts_with('}');
        Some(is_inside.then_some(line))
    });
    lines.flatten().filter_map(|it| {
        let (name, value) = it.split_once('=')?;
        Some((name.trim(), value))
    })
}

/// The variables that an expression refers to, also by way of locals.
pub(super) fn variables_in<'t>(text: &'t str, locals: &HashMap<&'t str, &'t str>) -> Vec<&'t str> {
    const DEEPEST: usize = 4;
    let (mut found, mut texts) = (Vec::new(), vec![text]);
    for _ in 0..DEEPEST {
        let mut next = Vec::new();
        for text in texts {
            found.extend(names_after(text, "var."));
            next.extend(names_after(text, "local.").filter_map(|it| locals.get(it)));
        }
        texts = next;
    }
    found
}

/// The names behind a prefix, where no longer word ends with that.
fn names_after<'t>(text: &'t str, prefix: &'static str) -> impl Iterator<Item = &'t str> {
    text.match_indices(prefix).filter_map(move |(at, _)| {
        let is_of_name = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-');
        let rest = text.get(at + prefix.len()..)?;
        let length = rest.find(|it| !is_of_name(it)).unwrap_or(rest.len());
        let before = text.get(..at)?.chars().next_back();
        let is_whole = before.is_none_or(|it| !is_of_name(it) && it != '.');
        rest.get(..length).filter(|it| is_whole && !it.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::{interpolations_in, locals_in, variables_in};
    use crate::hash::HashMap;

    #[test]
    fn variables_are_found_in_what_is_put_into_a_text() {
        let text =
            "locals {\n  prefix = \"shop-${var.stage}\"\n  name   = local.prefix\n}\nx = 1\n";
        let locals: HashMap<&str, &str> = locals_in(text).collect();
        for (expression, wanted) in [
            ("var.stage", vec!["stage"]),
            ("local.name", vec!["stage"]),
            ("lower(var.a)", vec!["a"]),
            ("local.x", vec![]),
            ("module.var.stage", vec![]),
            ("local.prefixes", vec![]),
        ] {
            assert_eq!(variables_in(expression, &locals), wanted, "{expression}");
        }
        let found: Vec<&str> = interpolations_in(text).map(|it| it.1).collect();
        assert_eq!(found, ["var.stage"]);
        let found: Vec<&str> = interpolations_in("${a ${b} ${c} ${").map(|it| it.1).collect();
        assert_eq!(found, ["b", "c"]);
    }
}
