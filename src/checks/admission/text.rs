//! What is wrong with a text.

use crate::{
    checks::admission::fault::FaultKind,
    knowledge::schema::fields::FieldShape,
    source::{FileId, Span},
    value::{Value, stand_in::is_stand_in},
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

/// Whether a text may be at a field of that shape.
pub(super) fn takes(shape: &'static FieldShape, text: &str) -> bool {
    let nowhere = Span::new(FileId(u32::MAX), 0, 0);
    fault(&Value::computed(text, nowhere), shape).is_none()
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
