//! The checks beyond single fields: for each, what makes it fail.
//!
//! A check answers only from what is known. Where the API server's expression would fail to be evaluated,
//! it refuses: a requirement with `In` and no `values` at all, an alias without `@`.

mod class;
mod keys;
mod lists;
mod pool;

use std::sync::Arc;

use crate::{
    checks::admission::{
        checks::keys::{each_key, each_value},
        path::Path,
    },
    knowledge::schema::checks::Check,
    source::Span,
    value::{Entry, Field, Value},
};

/// What makes a check fail.
pub(super) struct Culprit {
    /// Where it is, from the value the check is made for.
    pub(super) path: Path,
    pub(super) span: Span,
    pub(super) value: Option<Value>,
    /// The key or text that is refused; the other field, where two exclude each other.
    pub(super) text: Option<Arc<str>>,
}

/// What makes the check fail for a value.
pub(super) fn culprits(check: &Check, value: &Value, allowed_keys: &[&str]) -> Vec<Culprit> {
    match check {
        Check::ReservedDomain(domain) => {
            each_key(value, |it| keys::is_reserved(it, domain, allowed_keys))
        }
        Check::ForbiddenKey(keys) => each_key(value, |it| keys.iter().any(|key| key == it)),
        Check::ForbiddenKeyStart(start) => each_key(value, |it| it.starts_with(start.as_str())),
        Check::KnownKey(keys) => each_key(value, |it| !keys.iter().any(|key| key == it)),
        Check::EmptyKey | Check::EmptyText => each_key(value, str::is_empty),
        Check::EmptyPair => keys::empty_pairs(value),
        Check::NegativeAmount => each_value(value, keys::is_negative),
        Check::EmptyList => lists::empty(value),
        Check::OneNeeded(fields) => lists::without_any(value, fields),
        Check::Combined(exclusion) => lists::combined(value, exclusion),
        Check::CombinedEverywhere(exclusion) => lists::combined_everywhere(value, exclusion),
        Check::ValuesNeeded(operator) => lists::without_values(value, operator),
        Check::OneNumberNeeded(operators) => lists::without_number(value, operators),
        Check::MinValuesWithinValues => lists::too_few_values(value),
        Check::ScheduleWithDuration => pool::half_windows(value),
        Check::ScheduleWithDurationSomewhere => pool::only_half_windows(value),
        Check::ConsolidateAfterWhenUnderutilized => pool::after_underutilized(value),
        Check::ConsolidateAfterWhenEmpty => pool::empty_without_after(value),
        Check::ReplicasLimitNodesOnly => pool::limits_of_static(value),
        Check::ImageThresholdsInOrder => pool::thresholds(value),
        Check::SoftEvictionNeedsGrace => {
            pool::unpaired(value, "evictionSoft", "evictionSoftGracePeriod")
        }
        Check::GraceNeedsSoftEviction => {
            pool::unpaired(value, "evictionSoftGracePeriod", "evictionSoft")
        }
        Check::CustomFamilyNeedsTerms => class::custom_without_terms(value),
        Check::FamilyOrAlias => class::without_family(value),
        Check::AliasAlone => class::alias_beside_others(value),
        Check::AliasForm(pattern) => each_key(value, |it| !pattern.is_in(it)),
        Check::AliasFamily(families) => each_key(value, |it| !class::is_of(it, families)),
        Check::AliasWithoutVersion(families) => {
            each_key(value, |it| class::is_of(it, families) && class::version(it) != Some("latest"))
        }
        Check::AliasOfOtherFamily(family) => class::other_family(value, family),
        Check::RoleOrProfile => class::role_or_profile(value),
        Check::OneRootVolume => class::further_roots(value),
        Check::InitializationNeedsSnapshot => class::rate_without_snapshot(value),
        Check::PrimaryInterface => class::without_primary(value),
        Check::InterfacesApart => class::clashing_interfaces(value),
        Check::OnUpdate(_) => Vec::new(),
    }
}

impl Culprit {
    /// A written value.
    fn value(path: Path, value: &Value) -> Self {
        Self { path, span: value.span, value: Some(value.clone()), text: None }
    }

    /// A key, or the field of that name.
    fn key(path: &Path, entry: &Entry) -> Self {
        let text = Some(entry.key.clone());
        let value = Some(entry.value.clone());
        Self { path: path.name(&entry.key), span: entry.key_span, value, text }
    }

    /// A field that is not there.
    fn absent(path: &Path, name: &str, holder: &Value) -> Self {
        Self { path: path.name(name), span: holder.name, value: None, text: None }
    }

    fn saying(self, text: impl Into<Arc<str>>) -> Self {
        Self { text: Some(text.into()), ..self }
    }
}

/// Whether a field is written; `None` where that is not known: an unknown value may be null.
fn has(object: &Value, name: &str) -> Option<bool> {
    match object.get(name) {
        Field::Present(value) if value.is_unknown() => None,
        Field::Present(_) => Some(true),
        Field::Missing => Some(false),
        Field::Unknown => None,
    }
}

/// Whether a field is certainly written.
fn is_written(object: &Value, name: &str) -> bool {
    has(object, name) == Some(true)
}

/// Whether a field is certainly not written.
fn is_absent(object: &Value, name: &str) -> bool {
    has(object, name) == Some(false)
}

/// The known text of a field.
fn text<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    object.get(name).present()?.as_str()
}

/// The entry of a field.
fn entry<'a>(object: &'a Value, name: &str) -> Option<&'a Entry> {
    object.as_map()?.entry(name)
}

/// The items with their paths.
fn items(list: &Value) -> impl Iterator<Item = (Path, &Value)> {
    list.items().iter().enumerate().map(|(at, item)| (Path::default().item(at), item))
}

/// Whether a value is a list of which every item is known to be there.
fn is_closed_list(value: &Value) -> bool {
    value.as_list().is_some_and(|it| it.rest.is_none())
}
