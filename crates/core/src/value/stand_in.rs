//! Texts that only hold the place of others.

/// Whether a text waits for another tool, or for a reader, to put something in its place: `$NAME`,
/// `<NAME>`, `%NAME%`, `@NAME@`, `__NAME__`, `#{NAME}#`, `[[NAME]]`, `NODE_ROLE`, `ami-PLACEHOLDER`.
#[must_use]
pub fn is_stand_in(text: &str) -> bool {
    let after_dollar =
        |rest: &str| rest.starts_with(|it: char| it.is_ascii_alphabetic() || "_{(".contains(it));
    let is_shell = text.split('$').skip(1).any(after_dollar);
    let between = |open: char, close: char| {
        text.split_once(open).is_some_and(|(_, rest)| rest.find(close).is_some_and(|it| it > 0))
    };
    let in_lines = |it: &str| {
        it.split("__").nth(1).is_some_and(|name| !name.is_empty() && it.matches("__").count() > 1)
    };
    let is_constant = |it: &str| {
        it.starts_with(|it: char| it.is_ascii_uppercase())
            && it.contains('_')
            && it.bytes().all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_')
    };
    is_shell
        || text.contains("{{")
        || text.contains("#{")
        || text.contains("[[")
        || in_lines(text)
        || between('<', '>')
        || between('%', '%')
        || (text.starts_with('@') && text.ends_with('@') && text.len() > 2)
        || is_constant(text)
        || WORDS.iter().any(|it| text.contains(it))
}

/// What people write in the place of a value.
const WORDS: &[&str] = &[
    "PLACEHOLDER",
    "REPLACE_ME",
    "REPLACE-ME",
    "REPLACEME",
    "CHANGE_ME",
    "CHANGE-ME",
    "CHANGEME",
    "YOUR_",
    "YOUR-",
];

/// Whether a text has a blank that its reader is to fill in: four or more `X` in a row, whatever their case, as in `ami-XXXXXXXX`.
#[must_use]
pub fn has_blank(text: &str) -> bool {
    let is_x = |it: &char| matches!(it, 'X' | 'x');
    let mut run = 0;
    text.chars().any(|it| {
        run = if is_x(&it) { run + 1 } else { 0 };
        run == 4
    })
}

/// Whether a comment says that the value before it is to be replaced.
#[must_use]
pub fn asks_to_replace(comment: &str) -> bool {
    const ASKING: &[&str] = &["replace", "changeme", "placeholder", "your"];
    let lower = comment.to_ascii_lowercase();
    lower.split(|it: char| !it.is_alphanumeric()).any(|it| ASKING.contains(&it))
}

#[cfg(test)]
mod tests {
    use super::{asks_to_replace, has_blank, is_stand_in};

    #[test]
    fn each_form_of_a_stand_in_is_one() {
        let forms = [
            "$ROLE",
            "${ROLE}",
            "$(ROLE)",
            "{{ role }}",
            "#{ROLE}#",
            "[[ROLE]]",
            "__ROLE__",
            "<role>",
            "%ROLE%",
            "@ROLE@",
            "NODE_ROLE",
            "ami-PLACEHOLDER",
            "REPLACE-ME",
        ];
        for form in forms {
            assert!(is_stand_in(form), "{form}");
            let inside = format!("shop-{form}-nodes");
            let alone = matches!(form, "@ROLE@" | "NODE_ROLE");
            assert_eq!(is_stand_in(&inside), !alone, "{inside}");
        }
    }

    #[test]
    fn a_comment_may_ask_for_another_value() {
        assert!(asks_to_replace("# Replace with the AMI of your account"));
        assert!(asks_to_replace("# TODO: replace"));
        assert!(!asks_to_replace("# it replaced ami-0a1"));
    }

    #[test]
    fn four_letters_x_are_a_blank() {
        for (text, wanted) in [
            ("XXXXXXXXXXx", true),
            ("ami-xxxx", true),
            ("arn:aws:iam::XXXXXXXXXXXX:role/nodes", true),
            ("xxx-large", false),
            ("xx-XX", false),
            ("", false),
        ] {
            assert_eq!(has_blank(text), wanted, "{text}");
        }
    }

    #[test]
    fn ordinary_text_is_none() {
        for text in ["default", "5$", "100%", "a < b", "on-demand", "T3", "@", "c__d", "[a]", "<>"]
        {
            assert!(!is_stand_in(text), "{text}");
        }
    }
}
