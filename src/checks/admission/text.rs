//! What is wrong with a text.

use crate::{
    checks::admission::fault::FaultKind, knowledge::schema::fields::FieldShape, value::Value,
};

/// The first thing the API server refuses of a text, which says more than the ones after it.
pub(super) fn fault(value: &Value, shape: &'static FieldShape) -> Option<FaultKind> {
    // `NO_SCHEDULE`, as EKS writes it, is no placeholder where `NoSchedule` is meant.
    let is_misspelt = |text: &str| shape.values.iter().any(|it| are_alike(it, text));
    let text = value.as_str().filter(|it| is_misspelt(it) || !is_stand_in(it))?;
    let letters = text.chars().count();
    if let Some(most) = shape.letters.most.filter(|it| letters > *it) {
        return Some(FaultKind::TooLong(most));
    }
    if let Some(least) = shape.letters.least.filter(|it| letters < *it) {
        return Some(FaultKind::TooShort(least));
    }
    if let Some(pattern) = shape.patterns.iter().find(|it| !it.is_in(text)) {
        let is_taken = pattern.is_taken(text);
        return Some(if is_taken {
            FaultKind::Unparsed(pattern)
        } else {
            FaultKind::Pattern(pattern)
        });
    }
    if shape.format.as_deref() == Some("date-time") && !is_date_time(text) {
        return Some(FaultKind::Format("date-time"));
    }
    let refused = !shape.values.is_empty() && !shape.values.iter().any(|it| it == text);
    refused.then_some(FaultKind::Enum(&shape.values))
}

/// Whether a text waits for another tool, or for a reader, to put something in its place: `$NAME`,
/// `<NAME>`, `%NAME%`, `@NAME@`, `__NAME__`, `#{NAME}#`, `[[NAME]]`, `NODE_ROLE`.
pub(super) fn is_stand_in(text: &str) -> bool {
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
}

/// Whether two words differ only in case and in what separates their parts: `NO_SCHEDULE`, `NoSchedule`.
pub(super) fn are_alike(one: &str, other: &str) -> bool {
    let letters = |it: &str| -> String {
        let letters = it.chars().filter(|it| !matches!(it, '_' | '-' | ' '));
        letters.flat_map(char::to_lowercase).collect()
    };
    letters(one) == letters(other)
}

/// Whether a text is a date and a time as RFC 3339 writes them.
fn is_date_time(text: &str) -> bool {
    let Some((date, time)) = text.split_at_checked(10) else { return false };
    let Some(time) = time.strip_prefix(['T', 't']) else { return false };
    let (time, zone) = match time.find(['Z', 'z', '+', '-']) {
        Some(at) => time.split_at(at),
        None => return false,
    };
    is_date(date) && is_time(time) && is_zone(zone)
}

/// Numbers of that many digits, between these signs.
fn numbers(text: &str, sign: char, digits: &[usize]) -> Option<Vec<u32>> {
    let parts: Vec<&str> = text.split(sign).collect();
    let is_sound = |(part, digits): (&&str, &usize)| {
        part.len() == *digits && part.bytes().all(|it| it.is_ascii_digit())
    };
    let sound = parts.len() == digits.len() && parts.iter().zip(digits).all(is_sound);
    sound.then(|| parts.iter().filter_map(|it| it.parse().ok()).collect())
}

fn is_date(text: &str) -> bool {
    let Some(&[year, month, day]) = numbers(text, '-', &[4, 2, 2]).as_deref() else { return false };
    let leaps = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leaps => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

fn is_time(text: &str) -> bool {
    let (time, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = !fraction.is_empty() && fraction.bytes().all(|it| it.is_ascii_digit());
    match numbers(time, ':', &[2, 2, 2]).as_deref() {
        Some(&[hour, minute, second]) => is_number && hour < 24 && minute < 60 && second < 60,
        _ => false,
    }
}

fn is_zone(text: &str) -> bool {
    matches!(text, "Z" | "z")
        || text.strip_prefix(['+', '-']).is_some_and(|it| numbers(it, ':', &[2, 2]).is_some())
}

#[cfg(test)]
mod tests {
    use super::is_stand_in;

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
        ];
        for form in forms {
            assert!(is_stand_in(form), "{form}");
            let inside = format!("shop-{form}-nodes");
            let alone = matches!(form, "@ROLE@" | "NODE_ROLE");
            assert_eq!(is_stand_in(&inside), !alone, "{inside}");
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
