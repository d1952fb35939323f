//! Values that no node has.

use std::collections::BTreeSet;

use crate::{
    checks::unsatisfiable::{
        fault::{RequirementFault, WrongValue},
        other_label::other_label,
    },
    findings::silence::Silence,
    knowledge::instances::{InstanceType, LabelValue, instances},
    model::{
        environment::is_region,
        node_pool::offerings::Offerings,
        requirement::{
            instance_type::{is_of_type, meets, value_of},
            value_set::ValueSet,
        },
    },
    source::Span,
    value::cause::Cause,
};

/// Whether all values of a label are known, whoever makes the nodes.
pub(super) fn is_whole(key: &str) -> bool {
    WHOLE.iter().any(|(it, _)| *it == key)
}

/// The values that a label may have, where these are all.
const WHOLE: &[(&str, &[&str])] = &[
    ("kubernetes.io/arch", &["amd64", "arm64"]),
    ("kubernetes.io/os", &["linux", "windows"]),
    ("karpenter.sh/capacity-type", &["spot", "on-demand", "reserved"]),
];
/// What people write for another value.
const SYNONYMS: &[(&str, &str)] = &[
    ("x86_64", "amd64"),
    ("x86", "amd64"),
    ("x64", "amd64"),
    ("aarch64", "arm64"),
    ("ondemand", "on-demand"),
    ("on_demand", "on-demand"),
];
/// What the smallest instances have of memory, in MiB, such as `t3.nano`.
const LEAST_MEMORY: u32 = 512;
/// The zone of a node.
pub(super) const ZONE: &str = "topology.kubernetes.io/zone";

/// That nothing has some of the values required of a label.
///
/// # Errors
/// Undecided where newer instance types may have them, and nothing has another.
pub(super) fn nobody_has(
    key: &str,
    set: &ValueSet,
    offerings: &Offerings,
) -> Result<Option<RequirementFault>, Silence> {
    let Some(all) = known_values(key) else { return Ok(None) };
    let Some(asked) = set.listed() else {
        let place = offerings.places(key).first().map(|it| it.values);
        return Ok(place.and_then(|it| beyond(key, set, it)));
    };
    let has = |it: &str| match &all {
        Known::Regions => zone_of(it).is_none(),
        Known::Values(known) => known.contains(&it),
    };
    let has_others = asked.iter().any(|it| has(it));
    let mut wrong = Vec::new();
    let mut doubt = None;
    let mut strange =
        offerings.listed(key).filter(|it| asked.contains(it.0) && !has(it.0)).peekable();
    let known: Option<BTreeSet<&str>> = match &all {
        Known::Values(known) if strange.peek().is_some() => Some(known.iter().copied().collect()),
        _ => None,
    };
    for (value, place) in strange {
        let meant = match &known {
            None => zone_of(value),
            Some(known) if !is_certain(key, value, known) => {
                doubt = doubt.or(Some(place));
                continue;
            }
            Some(known) => of_longer(key, value, known)
                .or_else(|| in_mib(key, value, known))
                .or_else(|| {
                    key.ends_with("/instance-family")
                        .then(|| with_processor(value, known).last().copied().map(str::to_owned))
                        .flatten()
                })
                .or_else(|| meant(value, known)),
        };
        wrong.push(WrongValue { words: format!("`{value}`"), meant, place });
    }
    match doubt {
        Some(place) if wrong.is_empty() && !has_others => {
            let words =
                "an instance type newer than those that are known may have what it requires";
            Err(Silence::undecided(Cause::Version, words).at(place, "this requirement"))
        }
        _ if wrong.is_empty() => Ok(None),
        _ => {
            let has_others = has_others || doubt.is_some();
            let values = || wrong.iter().map(|it| it.words.trim_matches('`'));
            let instead = if has_others { None } else { other_label(key, values()) };
            let key = key.to_owned();
            Ok(Some(RequirementFault::Values { key, wrong, has_others, instead, beside: None }))
        }
    }
}

/// The values that a label may have.
enum Known {
    /// These, some of them many times.
    Values(Vec<&'static str>),
    /// Any that is not the name of a region, or of a zone with a dash too many.
    Regions,
}

/// The values that a label may have, where something is known of them.
fn known_values(key: &str) -> Option<Known> {
    if let Some((_, whole)) = WHOLE.iter().find(|(it, _)| *it == key) {
        return Some(Known::Values(whole.to_vec()));
    }
    if key == ZONE {
        return Some(Known::Regions);
    }
    let value = |it: &'static InstanceType| match value_of(key, it) {
        Some(LabelValue::Is(value)) => Some(value),
        _ => None,
    };
    let all = || instances().types.iter().filter_map(value).collect();
    is_of_type(key).then(|| Known::Values(all()))
}

/// That no instance type has what bounds, or a list of what is not meant, leave of a label.
fn beyond(key: &str, set: &ValueSet, place: Span) -> Option<RequirementFault> {
    if set.is_nothing() || !is_of_type(key) {
        return None;
    }
    let has = |it: &InstanceType| value_of(key, it).map(|it| meets(set, it)) != Some(Some(false));
    (!instances().types.iter().any(has)).then(|| RequirementFault::Values {
        key: key.to_owned(),
        wrong: vec![WrongValue { words: described(set), meant: None, place }],
        has_others: false,
        instead: None,
        beside: None,
    })
}

/// Whether no newer type can have a value either.
fn is_certain(key: &str, value: &str, known: &BTreeSet<&str>) -> bool {
    if is_whole(key) {
        return true;
    }
    let odd = value
        .chars()
        .any(|it| !(it.is_ascii_lowercase() || it.is_ascii_digit() || "-.".contains(it)));
    let name = key.rsplit('/').next().unwrap_or(key);
    if odd || known.contains(value.to_lowercase().as_str()) && !known.contains(value) {
        return true;
    }
    match name {
        // A known family in a size that no family has.
        "instance-type" => value.split_once('.').is_none_or(|(family, size)| {
            let all = &instances().types;
            all.iter().any(|it| it.family() == family) && all.iter().all(|it| it.size() != size)
        }),
        "instance-size" => meant(value, known).is_some(),
        "instance-category" => value.contains(|it: char| it.is_ascii_digit() || it == '.'),
        "instance-family" => value.contains('.') || !with_processor(value, known).is_empty(),
        "instance-generation" => value.parse::<u32>().is_err(),
        "instance-cpu-manufacturer" | "instance-hypervisor" => true,
        "instance-memory" => value.parse::<u32>().is_ok_and(|it| it < LEAST_MEMORY),
        _ => false,
    }
}

/// Whether it is the name of a zone: a region with a letter, or a local zone of it.
pub(super) fn is_zone(value: &str) -> bool {
    let Some(last) = value.chars().last().filter(char::is_ascii_lowercase) else { return false };
    let parts: Vec<&str> = value.split('-').collect();
    // A local zone has the name of a place and a number of its own.
    let of_region = (3..=4).filter_map(|it| Some(parts.get(..it)?.join("-")));
    let trimmed = |it: &str| it.strip_suffix(last).is_some_and(is_region) || is_region(it);
    of_region.into_iter().any(|it| trimmed(&it)) && !is_region(value)
}

/// The zone that is meant by the name of a region, or by a zone written as `eu-west-1-a`.
fn zone_of(value: &str) -> Option<String> {
    if is_region(value) {
        return Some(format!("{value}a"));
    }
    let (region, letter) = value.rsplit_once('-')?;
    let is_letter = letter.len() == 1 && letter.bytes().all(|it| it.is_ascii_lowercase());
    (is_letter && is_region(region)).then(|| format!("{region}{letter}"))
}

/// The value that is meant by another.
fn meant(value: &str, known: &BTreeSet<&str>) -> Option<String> {
    let lower = value.to_lowercase();
    let synonym = SYNONYMS.iter().find(|(it, _)| *it == lower).map(|it| it.1);
    if let Some(known) = synonym.or_else(|| known.get(lower.as_str()).copied()) {
        return Some(known.to_owned());
    }
    let near = known.iter().map(|it| (strsim::damerau_levenshtein(&lower, it), *it));
    let (distance, near) = near.min()?;
    (distance <= 1 || distance * 4 <= value.len()).then(|| near.to_owned())
}

/// The category of a family, or the family of a type, where that is asked for.
fn of_longer(key: &str, value: &str, known: &BTreeSet<&str>) -> Option<String> {
    let is_family = |it: char| it.is_ascii_digit() || it == '.';
    let end = match key.rsplit('/').next()? {
        "instance-category" => value.find(is_family),
        "instance-family" => value.find('.'),
        _ => None,
    };
    known.get(&value[..end?]).map(|it| (*it).to_owned())
}

/// The families of a generation, `r6a`, `r6g`, `r6i` for `r6`, that all name their processor: AWS has no family without that
/// letter beside one for Intel or beside those of several.
fn with_processor<'k>(value: &str, known: &BTreeSet<&'k str>) -> Vec<&'k str> {
    let is_generation = value.starts_with(|it: char| it.is_ascii_lowercase())
        && value.ends_with(|it: char| it.is_ascii_digit());
    if !is_generation || known.contains(value) {
        return Vec::new();
    }
    let named = |letter: &char| known.get(format!("{value}{letter}").as_str()).copied();
    let has = |letter: char| {
        let start = format!("{value}{letter}");
        known.iter().any(|it| it.starts_with(&start))
    };
    let is_certain = has('i') || has('a') && has('g');
    if is_certain { ['a', 'g', 'i'].iter().filter_map(named).collect() } else { Vec::new() }
}

/// The memory in MiB that is meant by a number of GiB.
fn in_mib(key: &str, value: &str, known: &BTreeSet<&str>) -> Option<String> {
    let is_memory = key.ends_with("/instance-memory");
    let mib = value.parse::<u32>().ok().filter(|it| is_memory && *it < LEAST_MEMORY)? * 1024;
    known.get(mib.to_string().as_str()).map(|it| (*it).to_owned())
}

/// "`a` or `b`", "at least 4".
fn described(set: &ValueSet) -> String {
    let named: Vec<String> = set.named().map(|it| format!("`{it}`")).collect();
    match (named.as_slice(), set.bounds()) {
        ([], (Some(least), Some(most))) => format!("{least} to {most}"),
        ([], (Some(least), None)) => format!("{least} or more"),
        ([], (None, Some(most))) => format!("{most} or less"),
        ([], (None, None)) => "any value".to_owned(),
        ([only], _) => only.clone(),
        (many, _) => many.join(" or "),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{
        Known, in_mib, is_certain, is_region, is_zone, known_values, meant, of_longer,
        with_processor,
    };
    use crate::knowledge::instances::instances;

    #[test]
    fn regions_are_no_zones() {
        for (value, wanted) in [
            ("eu-west-1", true),
            ("us-gov-west-1", true),
            ("eu-west-1a", false),
            ("us-west-2-lax-1a", false),
            ("euw1-az1", false),
            ("west", false),
        ] {
            assert_eq!(is_region(value), wanted, "{value}");
        }
    }

    #[test]
    fn zones_are_those_of_a_region() {
        for (value, wanted) in [
            ("eu-west-1a", true),
            ("us-gov-west-1b", true),
            ("us-west-2-lax-1a", true),
            ("eu-west-1", false),
            ("euw1-az1", false),
            ("team-a", false),
        ] {
            assert_eq!(is_zone(value), wanted, "{value}");
        }
    }

    #[test]
    fn a_family_is_no_category_and_a_type_no_family() {
        for (key, value, wanted) in [
            ("karpenter.k8s.aws/instance-category", "t3a", Some("t")),
            ("karpenter.k8s.aws/instance-category", "m5.large", Some("m")),
            ("karpenter.k8s.aws/instance-category", "99", None),
            ("karpenter.k8s.aws/instance-family", "m5.large", Some("m5")),
            ("karpenter.k8s.aws/instance-family", "m5x", None),
        ] {
            let Some(Known::Values(known)) = known_values(key) else { panic!("{key}") };
            let known = known.into_iter().collect();
            assert_eq!(of_longer(key, value, &known).as_deref(), wanted, "{key}: {value}");
        }
    }

    #[test]
    fn a_generation_whose_families_name_their_processor_is_no_family() {
        let key = "karpenter.k8s.aws/instance-family";
        let Some(Known::Values(known)) = known_values(key) else { panic!("{key}") };
        let known = known.into_iter().collect();
        for (value, is_wrong) in
            [("r6", true), ("m7", true), ("c6", true), ("r99", false), ("g4", false), ("t4", false)]
        {
            assert_eq!(is_certain(key, value, &known), is_wrong, "{value}");
        }
        assert_eq!(with_processor("r6", &known), ["r6a", "r6g", "r6i"]);
        assert!(with_processor("r5", &known).is_empty());
    }

    #[test]
    fn memory_is_in_mib() {
        let key = "karpenter.k8s.aws/instance-memory";
        let Some(Known::Values(known)) = known_values(key) else { panic!("{key}") };
        let known = known.into_iter().collect();
        for (value, is_wrong, wanted) in [
            ("4", true, Some("4096")),
            ("5", true, None),
            ("4096", false, None),
            ("4Gi", true, None),
        ] {
            assert_eq!(is_certain(key, value, &known), is_wrong, "{value}");
            assert_eq!(in_mib(key, value, &known).as_deref(), wanted, "{value}");
        }
    }

    #[test]
    fn a_size_that_no_family_has_is_a_mistake() {
        let known: BTreeSet<&str> = instances().types.iter().map(|it| it.name).collect();
        for (value, wanted, near) in [
            ("g5.xlage", true, Some("g5.xlarge")),
            ("M5.large", true, Some("m5.large")),
            ("m99.large", false, None),
            ("m5", true, None),
        ] {
            assert_eq!(
                is_certain("node.kubernetes.io/instance-type", value, &known),
                wanted,
                "{value}"
            );
            if near.is_some() {
                assert_eq!(meant(value, &known).as_deref(), near, "{value}");
            }
        }
    }
}
