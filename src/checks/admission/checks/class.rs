//! Checks of `EC2NodeClasses`: images, roles, volumes, interfaces.

use crate::{
    checks::admission::{
        checks::culprit::{Culprit, entry, has, is_absent, is_closed_list, items, text},
        path::Path,
    },
    knowledge::schema::checks::FamilyNames,
    value::{Field, Value, stand_in::is_stand_in},
};

/// What comes before the `@` of an alias.
fn family(alias: &str) -> &str {
    alias.split('@').next().unwrap_or(alias)
}

/// What comes after the first `@` of an alias, up to a second.
pub(super) fn version(alias: &str) -> Option<&str> {
    alias.split('@').nth(1)
}

/// Whether an alias is one of these families.
pub(super) fn is_of(alias: &str, families: &[String]) -> bool {
    families.iter().any(|it| it == family(alias))
}

/// The family `Custom` without what finds its images.
pub(super) fn custom_without(spec: &Value, finder: &str) -> Vec<Culprit> {
    if text(spec, "amiFamily") != Some("Custom") {
        return Vec::new();
    }
    let culprit = match spec.get(finder) {
        Field::Missing => Some(Culprit::absent(&Path::default(), finder, spec)),
        Field::Present(terms) if is_closed_list(terms) && terms.items().is_empty() => {
            Some(Culprit::value(Path::default().name(finder), terms))
        }
        _ => None,
    };
    culprit.into_iter().collect()
}

/// Neither a family nor an alias that says it.
pub(super) fn without_family(spec: &Value) -> Vec<Culprit> {
    let terms = spec.get("amiSelectorTerms").present();
    let no_alias = terms.is_some_and(|terms| {
        is_closed_list(terms) && terms.items().iter().all(|it| is_absent(it, "alias"))
    });
    let refused = is_absent(spec, "amiFamily") && no_alias;
    let culprit = || Culprit::absent(&Path::default(), "amiFamily", spec);
    refused.then(culprit).into_iter().collect()
}

/// The aliases beside other terms.
pub(super) fn alias_beside_others(terms: &Value) -> Vec<Culprit> {
    if terms.items().len() < 2 {
        return Vec::new();
    }
    let alias = |(path, it): (Path, &Value)| {
        let alias = entry(it, "alias").filter(|it| !it.value.is_unknown())?;
        Some(Culprit { text: None, ..Culprit::key(&path, alias) })
    };
    items(terms).filter_map(alias).collect()
}

/// A family that is not the alias's.
pub(super) fn other_family(spec: &Value, meant: &FamilyNames) -> Vec<Culprit> {
    let Some(written) = spec.get("amiFamily").present() else { return Vec::new() };
    let Some(name) = written.as_str().filter(|it| !is_stand_in(it)) else { return Vec::new() };
    let fits = name == "Custom" || name == meant.family;
    let terms = spec.get("amiSelectorTerms").present().map_or(&[][..], Value::items);
    let aliases = terms.iter().filter_map(|it| text(it, "alias"));
    let mut meant = aliases.filter(|it| family(it) == meant.alias);
    let alias = meant.next().filter(|_| !fits);
    let culprit = |it| Culprit::value(Path::default().name("amiFamily"), written).saying(it);
    alias.map(culprit).into_iter().collect()
}

/// Both or neither of role and instance profile.
pub(super) fn role_or_profile(spec: &Value) -> Vec<Culprit> {
    let path = Path::default();
    let culprit = match (has(spec, "role"), has(spec, "instanceProfile")) {
        (Some(true), Some(true)) => {
            entry(spec, "instanceProfile").map(|it| Culprit::key(&path, it).saying("role"))
        }
        (Some(false), Some(false)) => Some(Culprit::absent(&path, "role", spec)),
        _ => None,
    };
    culprit.into_iter().collect()
}

/// The root volumes after the first.
pub(super) fn further_roots(mappings: &Value) -> Vec<Culprit> {
    let root = |(path, it): (Path, &Value)| {
        let root = it.as_map()?.entry("rootVolume")?;
        (root.value.as_bool() == Some(true)).then(|| Culprit::key(&path, root))
    };
    items(mappings).filter_map(root).skip(1).collect()
}

/// A rate of initialization without a snapshot to initialize from.
pub(super) fn rate_without_snapshot(ebs: &Value) -> Vec<Culprit> {
    let has_none = is_absent(ebs, "snapshotID") || text(ebs, "snapshotID") == Some("");
    let rate = entry(ebs, "volumeInitializationRate").filter(|it| !it.value.is_unknown());
    let refused = rate.filter(|_| has_none);
    refused.map(|it| Culprit::key(&Path::default(), it)).into_iter().collect()
}

/// The list, where no interface is the primary one.
pub(super) fn without_primary(interfaces: &Value) -> Vec<Culprit> {
    let is_other = |it: &Value| {
        let is_not_zero = |name| number(it, name).is_some_and(|it| it != 0);
        is_not_zero("deviceIndex")
            || is_not_zero("networkCardIndex")
            || text(it, "interfaceType").is_some_and(|it| it != "interface" && !is_stand_in(it))
    };
    let refused = is_closed_list(interfaces)
        && !interfaces.items().is_empty()
        && interfaces.items().iter().all(is_other);
    refused.then(|| Culprit::value(Path::default(), interfaces)).into_iter().collect()
}

/// A whole number.
fn number(object: &Value, name: &str) -> Option<i64> {
    let number = object.get(name).present()?.as_number()?;
    number.to_string().parse().ok()
}

/// The interfaces that clash with an earlier one.
pub(super) fn clashing_interfaces(interfaces: &Value) -> Vec<Culprit> {
    let place = |it: &Value| Some((number(it, "networkCardIndex")?, number(it, "deviceIndex")?));
    let efa_card = |it: &Value| {
        (text(it, "interfaceType") == Some("efa-only")).then(|| number(it, "networkCardIndex"))?
    };
    let clash = |a: &Value, b: &Value| {
        (place(a).is_some() && place(a) == place(b))
            || (efa_card(a).is_some() && efa_card(a) == efa_card(b))
    };
    let all = interfaces.items();
    let clashing = items(interfaces).enumerate().filter(|(at, (_, it))| {
        all.get(..*at).is_some_and(|before| before.iter().any(|other| clash(other, it)))
    });
    clashing.map(|(_, (path, it))| Culprit::value(path, it)).collect()
}

#[cfg(test)]
mod tests {
    use super::{family, version};

    #[test]
    fn an_alias_is_a_family_and_a_version() {
        for (alias, first, second) in [
            ("al2023@v20240807", "al2023", Some("v20240807")),
            ("bottlerocket@latest@x", "bottlerocket", Some("latest")),
            ("al2", "al2", None),
            ("@latest", "", Some("latest")),
        ] {
            assert_eq!((family(alias), version(alias)), (first, second), "{alias}");
        }
    }
}
