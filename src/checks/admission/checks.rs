//! The checks beyond single fields: for each, what makes it fail.
//!
//! A check answers only from what is known. Where the API server's expression would fail to be evaluated,
//! it refuses: a requirement with `In` and no `values` at all, an alias without `@`.

pub(super) mod amounts;
mod class;
pub(super) mod culprit;
mod keys;
mod lists;
mod pool;

use crate::{
    checks::admission::checks::{
        culprit::Culprit,
        keys::{each_key, each_value},
    },
    knowledge::schema::checks::Check,
    value::Value,
};

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
        Check::CustomFamilyNeedsTerms => class::custom_without(value, "amiSelectorTerms"),
        Check::CustomFamilyNeedsSelector => class::custom_without(value, "amiSelector"),
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
        Check::OneOf(texts) => {
            each_key(value, |it| !it.is_empty() && !texts.iter().any(|known| known == it))
        }
        Check::TextForm(pattern) => each_key(value, |it| !it.is_empty() && !pattern.is_in(it)),
        Check::NumberWithin(bounds) => amounts::beyond(value, bounds),
        Check::AmountWithin(bounds) => amounts::outside(value, bounds),
        Check::EmptyTtlWithConsolidation => pool::ttl_with_consolidation(value),
        Check::OnUpdate(_) => Vec::new(),
    }
}
