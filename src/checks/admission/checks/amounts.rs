//! Checks of numbers and amounts.

use crate::{
    checks::admission::{checks::culprit::Culprit, path::Path},
    knowledge::schema::{checks::AmountBounds, fields::FieldBounds},
    value::{Kind, Value, stand_in::is_stand_in},
};

/// A number that is out of its bounds.
pub(super) fn beyond(value: &Value, bounds: &FieldBounds<f64>) -> Vec<Culprit> {
    let is_beyond = |it: &f64| {
        bounds.least.is_some_and(|least| *it < least) || bounds.most.is_some_and(|most| *it > most)
    };
    let refused = value.as_number().filter(is_beyond);
    refused.map(|_| Culprit::value(Path::default(), value)).into_iter().collect()
}

/// An amount that is out of its bounds.
pub(super) fn outside(value: &Value, bounds: &AmountBounds) -> Vec<Culprit> {
    let known = match &value.kind {
        Kind::Number(it) => Some(*it),
        _ => value.as_str().filter(|it| !is_stand_in(it)).and_then(read),
    };
    let (least, most) = (read(&bounds.least), read(&bounds.most));
    let is_outside =
        |it: f64| least.is_some_and(|least| it < least) || most.is_some_and(|most| it > most);
    let refused = known.filter(|it| is_outside(*it));
    refused.map(|_| Culprit::value(Path::default(), value)).into_iter().collect()
}

/// What a suffix stands for.
const SUFFIXES: [(&str, f64); 10] = [
    ("Ki", 1024.0),
    ("Mi", 1_048_576.0),
    ("Gi", 1_073_741_824.0),
    ("Ti", 1_099_511_627_776.0),
    ("Pi", 1_125_899_906_842_624.0),
    ("k", 1e3),
    ("M", 1e6),
    ("G", 1e9),
    ("T", 1e12),
    ("P", 1e15),
];

/// An amount of bytes; `None` where the text is none.
pub(crate) fn read(text: &str) -> Option<f64> {
    let suffix = SUFFIXES.iter().find_map(|(it, by)| Some((text.strip_suffix(it)?, *by)));
    let (number, by) = suffix.unwrap_or((text, 1.0));
    let is_plain = number.bytes().all(|it| it.is_ascii_digit() || it == b'.');
    number.parse::<f64>().ok().filter(|_| is_plain).map(|it| it * by)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn amounts_have_suffixes() {
        for (text, wanted) in [
            ("50", Some(50.0)),
            ("50Gi", Some(53_687_091_200.0)),
            ("1G", Some(1e9)),
            ("50GB", None),
            ("1e3", None),
            ("", None),
        ] {
            assert_eq!(read(text), wanted, "{text}");
        }
    }
}
