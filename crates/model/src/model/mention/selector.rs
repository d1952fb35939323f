//! Whether a text makes pods that select their nodes by a label.

/// What such selectors are called: `nodeSelector`, `nodeSelectorTerms`, `node_selector`.
pub(super) const WORDS: &[&str] = &["nodeSelector", "node_selector"];

/// Of a longer selector the first lines are looked at.
const MOST_LINES: usize = 40;

/// Where a text has a selector of nodes that names a label.
pub(super) fn place(text: &str, label: &str) -> Option<usize> {
    if !text.contains(label) {
        return None;
    }
    let found = |word: &&str| {
        text.match_indices(*word).map(|it| it.0).find(|at| {
            let start = text[..*at].rfind('\n').map_or(0, |it| it + 1);
            let mut lines = text[start..].lines();
            let Some(first) = lines.next().filter(|it| !is_comment(it)) else { return false };
            let own = text[*at..start + first.len()].trim_start_matches(is_of_word);
            names(own, label) || inside(first, lines).any(|it| names(it, label))
        })
    };
    WORDS.iter().find_map(found)
}

/// The lines that belong to a key: those further in, and items of a list.
fn inside<'t>(key: &'t str, lines: impl Iterator<Item = &'t str>) -> impl Iterator<Item = &'t str> {
    let depth = indent(key);
    let belongs = move |it: &&str| {
        it.trim().is_empty()
            || indent(it) > depth
            || indent(it) == depth && it.trim_start().starts_with("- ")
    };
    lines.take(MOST_LINES).take_while(belongs).filter(|it| !is_comment(it))
}

/// Whether a line has a label as a key, or as the key of an expression: `team: web`, `{ "team" = "web" }`,
/// `- key: team`.
fn names(line: &str, label: &str) -> bool {
    line.match_indices(label).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + label.len()..]);
        let is_whole = !before.ends_with(is_of_label) && !after.starts_with(is_of_label);
        let before = before.trim_end_matches(['"', '\'', ' ', '[']);
        let after = after.trim_start_matches(['"', '\'', ' ', ']']);
        let is_key = after.starts_with([':', '='])
            && (before.is_empty() || before.ends_with(['{', ',', ':', '=', '-']));
        let is_of_expression = before
            .strip_suffix([':', '='])
            .is_some_and(|it| it.trim_end_matches(['"', ' ']).ends_with("key"));
        is_whole && (is_key || is_of_expression)
    })
}

fn is_of_word(it: char) -> bool {
    it.is_ascii_alphabetic() || it == '_'
}

fn is_of_label(it: char) -> bool {
    it.is_ascii_alphanumeric() || matches!(it, '/' | '.' | '-' | '_')
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with(['#', '/'])
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn a_selector_names_a_label() {
        for (text, is_there) in [
            ("nodeSelector:\n  team: web\n", true),
            ("  nodeSelector:\n    # by team\n    a: b\n    team: ${x}\n", true),
            ("nodeSelector: { \"team\": web }\n", true),
            ("node_selector = {\n  \"team\" = \"web\"\n}\n", true),
            ("nodeSelectorTerms:\n- matchExpressions:\n  - key: team\n", true),
            ("nodeSelector:\n  example.com/team: web\n", false),
            ("nodeSelector:\n  a: team\n", false),
            ("# nodeSelector:\n#   team: web\n", false),
            ("nodeSelector:\n  a: b\nteam: web\n", false),
            ("labels:\n  team: web\n", false),
        ] {
            assert_eq!(place(text, "team").is_some(), is_there, "{text}");
        }
    }
}
