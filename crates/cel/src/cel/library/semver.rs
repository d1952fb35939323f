//! Versions as semver.org defines them, read as strictly as Kubernetes reads them.

use std::{cmp::Ordering, sync::Arc};

use crate::cel::{
    data::{
        Data, Operand, Outcome,
        number::{Part, Semver},
        take,
    },
    fault::Fault,
    native::Native,
};

/// Functions of versions.
pub(super) const FUNCTIONS: &[(&str, Native)] = &[
    ("semver", |it| {
        let text = text(it)?;
        let wrong = || Fault::error(format!("`{text}` is not a semantic version"));
        Ok(Data::Semver(Arc::new(read(&text).ok_or_else(wrong)?)).into())
    }),
    ("isSemver", |it| Ok(Data::Bool(text(it).is_ok_and(|it| read(&it).is_some())).into())),
    ("major", |it| number(it, |it| it.major)),
    ("minor", |it| number(it, |it| it.minor)),
    ("patch", |it| number(it, |it| it.patch)),
    ("isGreaterThan", |it| Ok(Data::Bool(order(it)?.is_gt()).into())),
    ("isLessThan", |it| Ok(Data::Bool(order(it)?.is_lt()).into())),
    ("compareTo", |it| Ok(Data::Int(order(it)? as i64).into())),
];

/// The text to read, brought into shape if the second argument asks for it.
fn text(arguments: &[Operand]) -> Result<String, Fault> {
    match arguments.iter().map(|it| &it.data).collect::<Vec<_>>()[..] {
        [Data::String(text)] | [Data::String(text), Data::Bool(false)] => Ok(text.to_string()),
        [Data::String(text), Data::Bool(true)] => {
            let wrong = || Fault::error(format!("`{text}` is not a semantic version"));
            normalized(text).ok_or_else(wrong)
        }
        _ => Err(Fault::NoOverload),
    }
}

/// A version without `v` and leading zeros, with all three numbers.
fn normalized(text: &str) -> Option<String> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let trim = |part: &str| {
        if part.len() < 2 {
            return part.to_owned();
        }
        let rest = part.trim_start_matches('0');
        if rest.starts_with(|it: char| it.is_ascii_digit()) {
            rest.to_owned()
        } else {
            format!("0{rest}")
        }
    };
    let mut parts: Vec<String> = text.splitn(3, '.').map(trim).collect();
    if parts.len() < 3 && parts.last().is_some_and(|it| it.contains(['+', '-'])) {
        return None;
    }
    parts.resize(3, "0".to_owned());
    Some(parts.join("."))
}

fn read(text: &str) -> Option<Semver> {
    let (rest, build) = match text.split_once('+') {
        Some((rest, build)) => (rest, Some(build)),
        None => (text, None),
    };
    let (numbers, before) = match rest.split_once('-') {
        Some((numbers, before)) => (numbers, Some(before)),
        None => (rest, None),
    };
    let mut parts = numbers.split('.').map(plain_number);
    let (major, minor, patch) = (parts.next()??, parts.next()??, parts.next()??);
    let is_word =
        |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-');
    let is_over = parts.next().is_none();
    if !is_over || build.is_some_and(|it| !it.split('.').all(is_word)) {
        return None;
    }
    let part = |it: &str| {
        let is_number = it.bytes().all(|it| it.is_ascii_digit());
        if !is_word(it) {
            None
        } else if is_number {
            plain_number(it).map(Part::Number)
        } else {
            Some(Part::Text(it.to_owned()))
        }
    };
    let before = before.map_or(Some(Vec::new()), |it| it.split('.').map(part).collect())?;
    Some(Semver { major, minor, patch, before })
}

/// A number without leading zeros.
fn plain_number(text: &str) -> Option<u64> {
    let is_plain = text == "0" || !text.starts_with('0');
    let is_number = text.bytes().all(|it| it.is_ascii_digit());
    text.parse().ok().filter(|_| is_plain && is_number)
}

fn number(arguments: &[Operand], part: fn(&Semver) -> u64) -> Outcome {
    let [Data::Semver(it)] = take(arguments)? else { return Err(Fault::NoOverload) };
    Ok(Data::Int(i64::try_from(part(it)).unwrap_or(i64::MAX)).into())
}

fn order(arguments: &[Operand]) -> Result<Ordering, Fault> {
    let [Data::Semver(a), Data::Semver(b)] = take(arguments)? else {
        return Err(Fault::NoOverload);
    };
    Ok(a.order(b))
}
