//! Checks of keys, of texts and of the values of maps.

use crate::{
    checks::admission::{checks::culprit::Culprit, path::Path},
    knowledge::schema::checks::ReservedDomain,
    value::{Kind, Value, stand_in::is_stand_in},
};

/// The keys of a map, or the text, that are refused. A key whose value is unknown may be null, which is
/// not there.
pub(super) fn each_key(value: &Value, is_refused: impl Fn(&str) -> bool) -> Vec<Culprit> {
    if let Some(text) = value.as_str() {
        let refused = is_refused(text) && !is_stand_in(text);
        let culprit = || Culprit::value(Path::default(), value).saying(text);
        return refused.then(culprit).into_iter().collect();
    }
    let known = value.entries().iter().filter(|it| !it.value.is_unknown());
    let refused = known.filter(|it| is_refused(&it.key) && !is_stand_in(&it.key));
    refused.map(|it| Culprit::key(&Path::default(), it)).collect()
}

/// The values of a map that are refused.
pub(super) fn each_value(map: &Value, is_refused: impl Fn(&Value) -> bool) -> Vec<Culprit> {
    let refused = map.entries().iter().filter(|it| is_refused(&it.value));
    refused.map(|it| Culprit::value(Path::default().name(&it.key), &it.value)).collect()
}

/// Whether a key is one of the domain's and not let in.
pub(super) fn is_reserved(key: &str, domain: &ReservedDomain, allowed: &[&str]) -> bool {
    let own = key.split('/').next().unwrap_or(key);
    let has_domain = key.contains('/') || !domain.with_slash;
    has_domain
        && own.ends_with(domain.domain.as_str())
        && !allowed.contains(&key)
        && !domain.starts.iter().any(|it| key.starts_with(it.as_str()))
        && !domain.domains.iter().any(|it| own.ends_with(it.as_str()))
}

/// Entries with an empty key or an empty value.
pub(super) fn empty_pairs(map: &Value) -> Vec<Culprit> {
    let is_empty = |it: &Value| it.as_str() == Some("");
    let keys = each_key(map, str::is_empty);
    keys.into_iter().chain(each_value(map, is_empty)).collect()
}

/// Whether an amount begins with a minus, or is no text: the API server's check fails on a number.
pub(super) fn is_negative(value: &Value) -> bool {
    match &value.kind {
        Kind::Number(_) => true,
        _ => value.as_str().is_some_and(|it| it.starts_with('-')),
    }
}
