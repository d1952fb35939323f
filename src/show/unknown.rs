//! How views write what is not known: by the expression that would have to be known.

use std::borrow::Cow;

use crate::value::{HOLE_END, HOLE_START, Symbol, Text, cause::Cause};

/// What is not known, in words: `var.x`.
#[must_use]
pub(super) fn words(symbol: &Symbol) -> String {
    match symbol.expression() {
        Some(expression) => expression.split_whitespace().collect::<Vec<_>>().join(" "),
        None if symbol.cause == Cause::Value => "?".to_owned(),
        None => symbol.cause.word().to_owned(),
    }
}

/// What is not known, where a text stands for it: `${var.x}`.
#[must_use]
pub(super) fn placeholder(symbol: &Symbol) -> String {
    format!("${{{}}}", words(symbol))
}

/// A text with what is not known in its place: `arn:aws:iam::${var.account}:role/web`.
#[must_use]
pub(super) fn filled(text: &Text) -> String {
    let mut rest = &*text.text;
    let mut filled = String::with_capacity(rest.len());
    while let Some((before, after)) = rest.split_once(HOLE_START) {
        filled.push_str(before);
        let (index, after) = after.split_once(HOLE_END).unwrap_or((after, ""));
        let hole = index.parse().ok().and_then(|it: usize| text.holes.get(it));
        filled.push_str(&hole.map_or_else(|| "${?}".to_owned(), placeholder));
        rest = after;
    }
    filled + rest
}

/// A key of a mapping, which may hold what is not known and has no name for it.
#[must_use]
pub(super) fn key(key: &str) -> Cow<'_, str> {
    if key.contains(HOLE_START) {
        Cow::Owned(filled(&Text::computed(key)))
    } else {
        Cow::Borrowed(key)
    }
}

#[cfg(test)]
mod tests {
    use super::{filled, key, words};
    use crate::value::{Symbol, Text, cause::Cause};

    #[test]
    fn what_is_not_known_is_shown_in_its_place() {
        let holes = [Symbol::new("root", "var.a"), Symbol::new("root", "f(\n  var.b\n)")];
        let text =
            Text { holes: holes.into(), ..Text::computed("x\u{e000}0\u{e001}-\u{e000}1\u{e001}y") };
        assert_eq!(filled(&text), "x${var.a}-${f( var.b )}y");
        assert_eq!(key("team-\u{e000}3\u{e001}"), "team-${?}");
        let secret = Symbol::new("place", "a Secret").because(Cause::Secret);
        assert_eq!((&*words(&secret), &*words(&Symbol::new("place", "1"))), ("secret", "?"));
    }
}
