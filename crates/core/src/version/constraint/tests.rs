//! Tests of constraints.

use super::Constraint;
use crate::version::{Range, Version};

fn constraint(text: &str) -> Constraint {
    Constraint::parse(text).unwrap_or_else(|| unreachable!("{text} is a constraint"))
}

#[test]
fn constraints_allow_what_they_say() {
    for (text, allowed, refused) in [
        ("1.5.0", "1.5.0", "1.5.1"),
        ("= 1.5.0", "v1.5.0", "1.4.9"),
        ("1.5", "1.5.7", "1.6.0"),
        ("~> 1.4", "1.99.0", "2.0.0"),
        ("~> 1.4.2", "1.4.9", "1.5.0"),
        ("~> 20.0", "20.37.2", "21.0.0"),
        ("~1.4", "1.4.9", "1.5.0"),
        ("~1.4.2", "1.4.9", "1.5.0"),
        ("^1", "1.99.0", "2.0.0"),
        ("^1.2.3", "1.3.0", "1.2.2"),
        ("^0.37.1", "0.37.9", "0.38.0"),
        ("^0.0.3", "0.0.3", "0.0.4"),
        ("^0", "0.99.0", "1.0.0"),
        (">= 1.0, < 2.0", "1.9.9", "2.0.0"),
        (">=1.0 <2.0", "1.0.0", "0.9.9"),
        ("> 1.0.0", "1.0.1", "1.0.0"),
        ("> 1.0", "1.1.0", "1.0.5"),
        ("<= 1.0", "1.0.9", "1.1.0"),
        ("<= 1.0.0", "1.0.0", "1.0.1"),
        ("*", "0.0.1", "1.0.0-rc.1"),
        ("1.x", "1.99.0", "2.0.0"),
        ("v1.2.*", "1.2.9", "1.3.0"),
        ("1.2 - 1.4.5", "1.4.5", "1.4.6"),
        (">= 1.0, != 1.8.4", "1.8.3", "1.8.4"),
        ("1.2.x || >= 3.0", "3.1.0", "2.0.0"),
        (">= 1.0.0-0", "1.0.0-rc.1", "0.9.0"),
        (">= 1.0-0", "1.0.0-rc.1", "0.9.0"),
    ] {
        let constraint = constraint(text);
        let allows = |it: &str| Version::parse(it).map(|it| constraint.allows(&it));
        assert_eq!(allows(allowed), Some(true), "{text} allows {allowed}");
        assert_eq!(allows(refused), Some(false), "{text} refuses {refused}");
    }
    for text in [
        "",
        " ",
        "HEAD",
        "main",
        ">=",
        ">= x.1",
        "1.2 ||",
        "=> 1",
        "1.2.3.4",
        "${v}",
        ">>1",
        "0-7b2f3c1",
    ] {
        assert_eq!(Constraint::parse(text), None, "{text}");
    }
}

#[test]
fn exact_and_open_are_distinguished() {
    for (text, exact, open) in [
        ("1.5.0", Some("1.5.0"), false),
        ("= v1.5.0", Some("1.5.0"), false),
        (">= 1.5.0, <= 1.5.0", Some("1.5.0"), false),
        ("1.5", None, false),
        ("1.5.x", None, false),
        ("~> 1.5.0", None, false),
        ("^0.37.1", None, false),
        (">= 1.5, < 1.6", None, false),
        ("~> 1.4", None, true),
        ("^1", None, true),
        ("^0", None, true),
        ("1.x", None, true),
        ("*", None, true),
        (">= 1.0", None, true),
        ("< 2.0", None, true),
        ("1.5.0 || 1.6.0", None, true),
    ] {
        let constraint = constraint(text);
        assert_eq!(constraint.is_exact().map(|it| it.to_string()).as_deref(), exact, "{text}");
        assert_eq!(constraint.is_open(), open, "{text}");
    }
}

#[test]
fn a_constraint_lies_in_a_range_or_out_of_it_or_across() {
    let range = Range { since: Version::parse("2.11.0"), until: Version::parse("3.0.0") };
    for (text, wanted) in [
        ("~> 2.36", Some(true)),
        ("2.11.0", Some(true)),
        ("2.10.1", Some(false)),
        ("< 2.11", Some(false)),
        (">= 3.0", Some(false)),
        (">= 2.0", None),
        ("*", None),
        ("2.12.0 || 2.10.0", None),
    ] {
        assert_eq!(constraint(text).within(&range), wanted, "{text}");
    }
}

proptest::proptest! {
    #[test]
    fn nothing_makes_parsing_panic(text in "[-0-9v.x*<>=!~^|, ]{0,24}") {
        if let Some(constraint) = Constraint::parse(&text) {
            let _ = constraint.is_open();
            if let Some(version) = constraint.is_exact() {
                let _ = constraint.allows(&version);
            }
        }
    }
}
