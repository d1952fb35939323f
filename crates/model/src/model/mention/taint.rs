//! Texts that may make pods tolerate a taint: they name its key, and no value but its own.

/// Part of the key under which tolerations are written, whatever the tool.
const TOLERATION: &str = "olerations";
/// What a written value ends with.
const ENDS: &[char] = &[' ', '\t', ',', '}', ']', ':', ')', ';', '"', '\'', '`', '|', '\\'];
/// What makes a value of something else.
const OPEN: &[char] = &['$', '{', '<', '%', '('];
/// How many lines around a key are those of its item.
const NEAR: usize = 6;

/// Where a text first names the key of a taint, but for what is for another value.
pub(super) fn place(text: &str, key: &str, value: &str) -> Option<usize> {
    if !text.contains(TOLERATION) {
        return None;
    }
    let mut all = text.match_indices(key).map(|it| it.0);
    all.find(|it| !is_longer(text, it + key.len()) && !is_for_other(text, *it, key, value))
}

/// Whether the word goes on: another key.
fn is_longer(text: &str, end: usize) -> bool {
    text[end..].starts_with(|it: char| it.is_alphanumeric() || matches!(it, '-' | '_' | '/'))
}

/// Whether a key is written with a value that is known to be another: `team=shop:NoSchedule`, `key: team` beside
/// `value: shop`, `team: shop`.
fn is_for_other(text: &str, at: usize, key: &str, value: &str) -> bool {
    let (before, after) = (&text[..at], &text[at + key.len()..]);
    let quoted = after.trim_start_matches(['"', '\'']);
    let pair = quoted.strip_prefix('=').or_else(|| quoted.strip_prefix(": "));
    pair.and_then(|it| literal(it.trim_start()))
        .or_else(|| beside_key(before, after))
        .is_some_and(|it| it != value)
}

/// The value in the item of a list whose `key` ends a text and goes on in another.
fn beside_key<'t>(before: &'t str, after: &'t str) -> Option<&'t str> {
    let start = before.rfind('\n').map_or(0, |it| it + 1);
    let lead = &before[start..];
    let named = lead.trim_end_matches(['"', '\'']).trim_end();
    let named = named.strip_suffix([':', '='])?.trim_end().trim_end_matches(['"', '\'']);
    if !named.ends_with("key") {
        return None;
    }
    if let Some(open) = lead.rfind('{') {
        let rest = after.split('}').next()?;
        return value_in(&lead[open..]).or_else(|| value_in(rest));
    }
    let dash = lead.find("- ");
    let column = lead.find(|it: char| !matches!(it, ' ' | '-' | '"' | '\''))?;
    let is_own = |it: &&str| it.find(|it: char| it != ' ').is_none_or(|own| own + 3 > column);
    let is_first = |it: &&str| it.trim_start().starts_with("- ");
    let ends = |it: &&str| is_first(it) || it.trim_start().starts_with(['}', ']']);
    if let Some(beside) = after.lines().next().and_then(value_in) {
        return Some(beside);
    }
    let mut later = after.lines().skip(1).take(NEAR).take_while(|it| !ends(it) && is_own(it));
    later.find_map(value_in).or_else(|| {
        let mut earlier = before[..start].lines().rev().take(if dash.is_some() { 0 } else { NEAR });
        let mut is_open = true;
        let own = earlier.by_ref().take_while(|it| std::mem::replace(&mut is_open, !is_first(it)));
        own.filter(is_own).find_map(value_in)
    })
}

/// The text of `value` in a line.
fn value_in(line: &str) -> Option<&str> {
    let (before, rest) = line.split_once("value")?;
    let is_key = before.is_empty() || before.ends_with([' ', '"', '\'', '{', ',', '-', '.']);
    let rest = rest.trim_start_matches(['"', '\'']).trim_start().strip_prefix([':', '='])?;
    literal(rest.trim_start()).filter(|_| is_key)
}

/// A word that is written, not put together.
fn literal(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(['"', '\'']);
    let word = text.lines().next()?.split(ENDS).next()?;
    (!word.is_empty() && !word.contains(OPEN)).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn a_key_with_another_value_is_no_mention() {
        for (text, is_it) in [
            ("- key: team\n  value: shop", false),
            ("- key: team\n  operator: Equal\n  value: \"shop\"\n  effect: NoSchedule", false),
            ("- value: shop\n  key: team", false),
            ("- key: team\n  value: batch", true),
            ("- key: team\n  operator: Exists", true),
            ("- key: team\n- key: other\n  value: shop", true),
            ("- key: team\n  value: ${TEAM}", true),
            ("- key: team\n  value: {{ .Values.team }}", true),
            ("[{ key: team, operator: Equal, value: shop }]", false),
            ("[{ key: team, value: batch }, { key: other, value: shop }]", true),
            ("[{\"key\": \"team\", \"value\": \"shop\"}]", false),
            ("  key      = \"team\"\n  operator = \"Equal\"\n  value    = \"shop\"", false),
            ("team=shop:NoSchedule", false),
            ("team=batch:NoSchedule", true),
            ("--set 'a[0].key=team,a[0].value=shop'", false),
            ("--set 'a[0].key=team,a[0].value=batch'", true),
            ("team=$TEAM", true),
            ("nodeSelector:\n  team: shop", false),
            ("nodeSelector:\n  \"team\": \"batch\"", true),
            ("key: teams", false),
            ("pods of team", true),
        ] {
            let text = format!("tolerations:\n{text}\n");
            assert_eq!(place(&text, "team", "batch").is_some(), is_it, "{text}");
        }
        assert_eq!(place("key: team", "team", "batch"), None);
    }
}
