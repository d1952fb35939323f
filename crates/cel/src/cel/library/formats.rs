//! Named formats of texts: `format.dns1123Label().validate(name)`.

use std::sync::Arc;

use crate::cel::{
    data::{Data, Operand, Outcome, take},
    fault::Fault,
    library::{time, url},
    native::Native,
};

/// Functions of formats.
pub(super) const FUNCTIONS: &[(&str, Native)] = &[
    ("format.named", |it| {
        let [Data::String(name)] = take(it)? else { return Err(Fault::NoOverload) };
        let found = FORMATS.iter().find(|(it, _, _)| **name == **it);
        let format = found.map(|(name, _, _)| Arc::new(Data::Format(name).into()));
        Ok(Data::Optional(format).into())
    }),
    ("validate", validate),
    ("format.dns1123Label", |_| Ok(Data::Format("dns1123Label").into())),
    ("format.dns1123Subdomain", |_| Ok(Data::Format("dns1123Subdomain").into())),
    ("format.dns1035Label", |_| Ok(Data::Format("dns1035Label").into())),
    ("format.qualifiedName", |_| Ok(Data::Format("qualifiedName").into())),
    ("format.dns1123LabelPrefix", |_| Ok(Data::Format("dns1123LabelPrefix").into())),
    ("format.dns1123SubdomainPrefix", |_| Ok(Data::Format("dns1123SubdomainPrefix").into())),
    ("format.dns1035LabelPrefix", |_| Ok(Data::Format("dns1035LabelPrefix").into())),
    ("format.labelValue", |_| Ok(Data::Format("labelValue").into())),
    ("format.uri", |_| Ok(Data::Format("uri").into())),
    ("format.uuid", |_| Ok(Data::Format("uuid").into())),
    ("format.byte", |_| Ok(Data::Format("byte").into())),
    ("format.date", |_| Ok(Data::Format("date").into())),
    ("format.datetime", |_| Ok(Data::Format("datetime").into())),
];

/// What is wrong with a text, in Kubernetes' words.
type Check = fn(&str) -> Vec<String>;

/// Each format, how it is checked, and how long its regular expression is in Kubernetes, for the cost.
const FORMATS: &[(&str, Check, usize)] = &[
    ("dns1123Label", label, 30),
    ("dns1123Subdomain", subdomain, 60),
    ("dns1035Label", old_label, 30),
    ("qualifiedName", qualified_name, 60),
    ("dns1123LabelPrefix", |it| label(&without_dash(it)), 30),
    ("dns1123SubdomainPrefix", |it| subdomain(&without_dash(it)), 60),
    ("dns1035LabelPrefix", |it| old_label(&without_dash(it)), 30),
    ("labelValue", label_value, 40),
    ("uri", |it| unless(url::read(it, true).is_some(), "invalid URI for request"), 1103),
    ("uuid", |it| unless(is_uuid(it), "does not match the UUID format"), 70),
    ("byte", |it| unless(is_base64(it), "invalid base64"), 84),
    ("date", |it| unless(is_date(it), "invalid date"), 60),
    ("datetime", |it| unless(time::read(it).is_some(), "invalid datetime"), 60),
];

/// How long the regular expression of a format is.
#[must_use]
pub(crate) fn length(name: &str) -> usize {
    FORMATS.iter().find(|(it, _, _)| *it == name).map_or(0, |(_, _, length)| *length)
}

fn validate(arguments: &[Operand]) -> Outcome {
    let [Data::Format(name), Data::String(text)] = take(arguments)? else {
        return Err(Fault::NoOverload);
    };
    let found = FORMATS.iter().find(|(it, _, _)| it == name);
    let wrong = found.map(|(_, check, _)| check(text)).unwrap_or_default();
    let items: Vec<Operand> = wrong.into_iter().map(|it| Data::text(it).into()).collect();
    let list = (!items.is_empty()).then(|| Arc::new(Data::list(items).into()));
    let place = arguments[1].place.clone();
    Ok(Operand { data: Data::Optional(list), place })
}

fn unless(is_right: bool, message: &str) -> Vec<String> {
    if is_right { Vec::new() } else { vec![message.to_owned()] }
}

fn too_long(text: &str, most: usize) -> Vec<String> {
    unless(text.len() <= most, &format!("must be no more than {most} characters"))
}

/// A name is made from a prefix, so a dash at its end is no fault.
fn without_dash(text: &str) -> String {
    match text.strip_suffix('-') {
        Some(rest) if rest.len() > 1 => format!("{rest}a"),
        _ => text.to_owned(),
    }
}

fn is_label(text: &str) -> bool {
    let inside = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit();
    text.bytes().all(|it| inside(it) || it == b'-')
        && text.bytes().next().is_some_and(inside)
        && text.bytes().last().is_some_and(inside)
}

fn label(text: &str) -> Vec<String> {
    let message = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
    [too_long(text, 63), unless(is_label(text), message)].concat()
}

fn subdomain(text: &str) -> Vec<String> {
    let message = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
    [too_long(text, 253), unless(text.split('.').all(is_label), message)].concat()
}

fn old_label(text: &str) -> Vec<String> {
    let message = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
    let is_right = is_label(text) && text.starts_with(|it: char| it.is_ascii_lowercase());
    [too_long(text, 63), unless(is_right, message)].concat()
}

fn is_name(text: &str) -> bool {
    let inside = |it: u8| it.is_ascii_alphanumeric();
    text.bytes().all(|it| inside(it) || b"-_.".contains(&it))
        && text.bytes().next().is_some_and(inside)
        && text.bytes().last().is_some_and(inside)
}

fn qualified_name(text: &str) -> Vec<String> {
    let message = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
    let parts: Vec<&str> = text.split('/').collect();
    let (prefix, name) = match parts[..] {
        [name] => (Vec::new(), name),
        [prefix, name] => (subdomain(prefix), name),
        _ => (vec![message.to_owned()], ""),
    };
    [prefix, too_long(name, 63), unless(is_name(name), message)].concat()
}

fn label_value(text: &str) -> Vec<String> {
    let message = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
    [too_long(text, 63), unless(text.is_empty() || is_name(text), message)].concat()
}

/// `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`, the dashes may be missing.
fn is_uuid(text: &str) -> bool {
    let mut rest = text;
    for (index, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if index > 0 {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        let Some((part, after)) = rest.split_at_checked(length) else { return false };
        if !part.bytes().all(|it| it.is_ascii_hexdigit()) {
            return false;
        }
        rest = after;
    }
    rest.is_empty()
}

fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    !text.is_empty()
        && text.len().is_multiple_of(4)
        && text.len() - body.len() < 3
        && body.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'+' || it == b'/')
}

fn is_date(text: &str) -> bool {
    text.len() == 10 && time::read(&format!("{text}T00:00:00Z")).is_some()
}
