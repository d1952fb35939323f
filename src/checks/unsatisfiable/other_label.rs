//! Values of a label that are those of another one.

use std::collections::BTreeSet;

use crate::{
    checks::unsatisfiable::fault::OtherLabel,
    knowledge::instances::{InstanceType, LabelValue, instances},
    model::requirement::instance_type::value_of,
};

const CATEGORY: &str = "karpenter.k8s.aws/instance-category";
const FAMILY: &str = "karpenter.k8s.aws/instance-family";
const TYPE: &str = "node.kubernetes.io/instance-type";
const GENERATION: &str = "karpenter.k8s.aws/instance-generation";
/// The labels whose values are parts of the name of a type, or all of it.
const PARTS: [&str; 4] = [CATEGORY, FAMILY, TYPE, "karpenter.k8s.aws/instance-size"];

/// The labels that have few values.
const CLOSED: [(&str, &[&str]); 3] = [
    ("karpenter.sh/capacity-type", &["spot", "on-demand", "reserved"]),
    ("kubernetes.io/arch", &["amd64", "arm64"]),
    ("kubernetes.io/os", &["linux", "windows"]),
];

/// The label that surely has all of these values: one that has few, or that of types.
pub(crate) fn label_of<'v>(
    values: &(impl Iterator<Item = &'v str> + Clone),
) -> Option<&'static str> {
    values.clone().next()?;
    let closed = CLOSED.iter().find(|(_, all)| values.clone().all(|it| all.contains(&it)));
    let types = || {
        let all = values_of(TYPE);
        values.clone().all(|it| all.contains(it)).then_some(TYPE)
    };
    closed.map(|it| it.0).or_else(types)
}

/// What requires what values of a label stand for that it never has.
pub(super) fn other_label<'v>(
    key: &str,
    values: impl Iterator<Item = &'v str> + Clone,
) -> Option<OtherLabel> {
    if !PARTS.contains(&key) {
        let other = CLOSED.iter().find(|it| it.0 == key).and_then(|_| label_of(&values));
        return other.filter(|it| *it != key).map(OtherLabel::Same);
    }
    let others = PARTS.into_iter().filter(|it| *it != key);
    let same = others.map(|it| (it, values_of(it))).find(|(_, all)| {
        let mut values = values.clone();
        values.all(|it| all.contains(it))
    });
    if let Some((label, _)) = same {
        return Some(OtherLabel::Same(label));
    }
    if key != CATEGORY {
        return None;
    }
    let families = values_of(FAMILY);
    // `c7` is the beginning of `c7g`.
    let begins = |it: &str| families.iter().any(|family| family.starts_with(it));
    let is_numbered = |it: &str| it.contains(|it: char| it.is_ascii_digit());
    if !values.clone().all(|it| is_numbered(it) && begins(it)) {
        return None;
    }
    Some(generations(values).unwrap_or(OtherLabel::Families))
}

/// The categories and generations that are these values together, and no others.
fn generations<'v>(values: impl Iterator<Item = &'v str>) -> Option<OtherLabel> {
    let (known, numbers) = (values_of(CATEGORY), values_of(GENERATION));
    let mut pairs = BTreeSet::new();
    for value in values {
        let (category, generation) = value.split_at(value.find(|it: char| it.is_ascii_digit())?);
        if !known.contains(category) || !numbers.contains(generation) {
            return None;
        }
        pairs.insert((category, generation));
    }
    let categories: BTreeSet<&str> = pairs.iter().map(|it| it.0).collect();
    let generations: BTreeSet<&str> = pairs.iter().map(|it| it.1).collect();
    let owned = |it: BTreeSet<&str>| it.into_iter().map(str::to_owned).collect();
    (pairs.len() == categories.len() * generations.len()).then(|| OtherLabel::Generations {
        categories: owned(categories),
        generations: owned(generations),
    })
}

/// The values that instance types have for a label.
fn values_of(key: &str) -> BTreeSet<&'static str> {
    let value = |it: &'static InstanceType| match value_of(key, it) {
        Some(LabelValue::Is(value)) => Some(value),
        _ => None,
    };
    instances().types.iter().filter_map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::{CATEGORY, FAMILY, other_label};
    use crate::checks::unsatisfiable::fault::OtherLabel::{Families, Generations, Same};

    #[test]
    fn values_of_other_labels_are_found() {
        let generations = |categories: &[&str], generations: &[&str]| {
            let owned = |it: &[&str]| it.iter().map(|it| (*it).to_owned()).collect();
            Generations { categories: owned(categories), generations: owned(generations) }
        };
        for (key, values, wanted) in [
            (CATEGORY, &["t3", "t3a"][..], Some(Same(FAMILY))),
            (CATEGORY, &["t3.medium"], Some(Same("node.kubernetes.io/instance-type"))),
            (CATEGORY, &["c7", "m7"], Some(generations(&["c", "m"], &["7"]))),
            (CATEGORY, &["c6", "m7"], Some(Families)),
            (CATEGORY, &["c7", "m7i"], Some(Families)),
            (CATEGORY, &["c7", "web"], None),
            (FAMILY, &["c", "m"], Some(Same(CATEGORY))),
            (FAMILY, &["m5.large"], Some(Same("node.kubernetes.io/instance-type"))),
            ("kubernetes.io/arch", &["c"], None),
            ("kubernetes.io/arch", &["spot"], Some(Same("karpenter.sh/capacity-type"))),
        ] {
            assert_eq!(other_label(key, values.iter().copied()), wanted, "{key}: {values:?}");
        }
    }
}
