//! The parameters of an `ApplicationSet`'s element, and a template filled in with them.

use std::collections::BTreeMap;

use crate::{
    resolve::gitops::fill::Filling,
    source::Span,
    value::{Symbol, Value},
};

/// The known parameters of an element, by path.
pub(super) type Params = BTreeMap<String, Value>;

/// How many nodes the copies of a template may have together.
const MAX_NODES: usize = 1_000_000;

/// A template with the parameters of an element in place.
#[must_use]
pub(super) fn filled(template: &Value, params: &Params, go: bool) -> Value {
    let lookup = |symbol: &Symbol, _: Span| {
        let path = parameter(&symbol.text, go)?;
        params.get(&path).cloned()
    };
    Filling { lookup: &lookup, before_reading: None }.fill(template)
}

/// Whether so many copies of a value would be too much: aliases can make a small file large.
#[must_use]
pub(super) fn is_large(value: &Value, copies: usize) -> bool {
    let mut room = MAX_NODES / copies.max(1);
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        if room == 0 {
            return true;
        }
        room -= 1;
        open.extend(value.items());
        open.extend(value.entries().iter().map(|it| &it.value));
    }
    false
}

/// The path of the parameter that a placeholder names: `{{x.y}}`, or with Go templates `{{ .x.y }}` and
/// `{{ index .x "y" }}`. None for anything that computes.
fn parameter(mark: &str, go: bool) -> Option<String> {
    let inner = mark.strip_prefix("{{")?.strip_suffix("}}")?;
    let inner = inner.trim_start_matches('-').trim_end_matches('-').trim();
    if !go {
        let plain = |it: char| it.is_alphanumeric() || "._-/[]".contains(it);
        let bare = !inner.is_empty() && !inner.starts_with('.') && inner.chars().all(plain);
        return bare.then(|| inner.to_owned());
    }
    let path = |text: &str| {
        let path = text.strip_prefix('.')?;
        let plain = |it: char| it.is_alphanumeric() || it == '_' || it == '.';
        (!path.is_empty() && path.chars().all(plain)).then(|| path.to_owned())
    };
    let Some(rest) = inner.strip_prefix("index ") else { return path(inner) };
    let mut words = rest.split_whitespace();
    let mut found = path(words.next()?)?;
    for word in words {
        let text = word.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
        let key = text.or_else(|| word.parse::<u32>().ok().map(|_| word))?;
        found = format!("{found}.{key}");
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::parameter;

    #[test]
    fn placeholders_name_parameters() {
        let cases = [
            ("{{name}}", false, Some("name")),
            ("{{ values.chart-version }}", false, Some("values.chart-version")),
            ("{{metadata.labels.a.io/b}}", false, Some("metadata.labels.a.io/b")),
            ("{{ .name }}", false, None),
            ("{{path[0]}}", false, Some("path[0]")),
            ("{{ .name }}", true, Some("name")),
            ("{{- .a.b -}}", true, Some("a.b")),
            ("{{ name }}", true, None),
            ("{{ .a | quote }}", true, None),
            ("{{ if .a }}", true, None),
            ("{{ index .metadata.labels \"a.io/b\" }}", true, Some("metadata.labels.a.io/b")),
            ("{{ index .path.segments 1 }}", true, Some("path.segments.1")),
            ("{{ default \"x\" .a }}", true, None),
            ("${name}", false, None),
        ];
        for (mark, go, expected) in cases {
            assert_eq!(parameter(mark, go).as_deref(), expected, "{mark}");
        }
    }
}
