//! Amounts of resources as Kubernetes writes them.

use crate::value::{Kind, Value};

/// What a suffix stands for.
const SUFFIXES: &[(&str, f64)] = &[
    ("Ki", 1024.0),
    ("Mi", 1_048_576.0),
    ("Gi", 1_073_741_824.0),
    ("Ti", 1_099_511_627_776.0),
    ("Pi", 1_125_899_906_842_624.0),
    ("n", 1e-9),
    ("u", 1e-6),
    ("m", 1e-3),
    ("k", 1e3),
    ("M", 1e6),
    ("G", 1e9),
    ("T", 1e12),
    ("P", 1e15),
];

/// An amount in its own unit: CPUs, bytes. `None` where it is not known or makes no sense.
#[must_use]
pub(super) fn amount(value: &Value) -> Option<f64> {
    match &value.kind {
        Kind::Number(number) => Some(*number),
        _ => read(value.as_str()?),
    }
}

/// "500m" is 0.5, "1.5Gi" is 1610612736.
#[must_use]
pub(super) fn read(text: &str) -> Option<f64> {
    let text = text.trim();
    let suffix = SUFFIXES.iter().find_map(|(it, by)| Some((text.strip_suffix(it)?, *by)));
    let (number, by) = suffix.unwrap_or((text, 1.0));
    let known = number.parse::<f64>().ok().filter(|it| it.is_finite() && *it >= 0.0)?;
    Some(known * by)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn amounts_have_suffixes() {
        for (text, wanted) in [
            ("2", Some(2.0)),
            ("500m", Some(0.5)),
            ("1.5Gi", Some(1_610_612_736.0)),
            ("100M", Some(100_000_000.0)),
            ("1e3", Some(1000.0)),
            ("12E", None),
            ("-1", None),
            ("two", None),
            ("", None),
        ] {
            assert_eq!(read(text), wanted, "{text}");
        }
    }
}
