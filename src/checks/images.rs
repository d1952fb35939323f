//! The images of nodes: those that change with each that is published, and those that are not published.

use crate::{
    checks::settled,
    knowledge::karpenter::has_al2_images,
    model::{
        Model,
        cluster::Cluster,
        node_pool::{NodePool, PoolVersion, class::NodeClass},
    },
    value::{Field, Value},
    version::Version,
};

/// How a class chooses its images.
const TERMS: &str = "spec.amiSelectorTerms";
/// How fast a pool's nodes are replaced.
const BUDGETS: &str = "spec.disruption.budgets";

/// A class whose image changes with each that is published, and whose pools do not limit how fast nodes follow.
#[derive(Debug)]
pub(crate) struct Moving<'a> {
    /// The class.
    pub class: &'a NodeClass,
    /// What selects the image.
    pub image: &'a Value,
    /// Its pools without a budget for drift.
    pub pools: Vec<&'a NodePool>,
}

/// A class whose image does not exist for its cluster's version.
#[derive(Debug)]
pub(crate) struct Unavailable<'a> {
    /// The class.
    pub class: &'a NodeClass,
    /// What asks for the image.
    pub image: &'a Value,
    /// The cluster.
    pub cluster: &'a Cluster,
    /// The cluster's version.
    pub version: &'a Version,
}

/// The classes whose nodes are replaced with each image that is published, at a pace no budget sets.
pub(crate) fn moving_images(model: &Model) -> impl Iterator<Item = Moving<'_>> {
    let given = |it: &NodeClass| settled::may_be_given(model, &it.scope, &it.object, &[TERMS]);
    settled::classes(model).filter(move |it| !given(it)).filter_map(|class| {
        let image = moving_image(class)?;
        if settled::is_for_others(model, &class.scope, image) {
            return None;
        }
        let hasty = |it: &&NodePool| {
            let its = model.class_of(it).is_some_and(|it| std::ptr::eq(it, class));
            let given = || settled::may_be_given(model, &it.scope, &it.object, &[BUDGETS]);
            its && !it.budgets().may_slow_drift() && !given()
        };
        let pools: Vec<&NodePool> = settled::pools(model).filter(hasty).collect();
        (!pools.is_empty()).then_some(Moving { class, image, pools })
    })
}

/// The classes with Amazon Linux 2 in clusters for which there is none.
pub(crate) fn unavailable_images(model: &Model) -> impl Iterator<Item = Unavailable<'_>> {
    settled::classes(model).filter_map(|class| {
        let image = al2(class).filter(|it| !settled::is_for_others(model, &class.scope, it))?;
        let cluster = model.cluster_near(&class.scope)?;
        let version = cluster.version.as_ref()?.known()?;
        if has_al2_images(version) != Some(false) {
            return None;
        }
        Some(Unavailable { class, image, cluster, version })
    })
}

/// What selects another image as soon as one is published.
fn moving_image(class: &NodeClass) -> Option<&Value> {
    if class.api != PoolVersion::V1 {
        return None;
    }
    let terms = class.object.at(TERMS).present()?.items();
    terms.iter().find_map(|term| {
        let aliased = term.get("alias").present().filter(|it| it.as_str().is_some_and(is_latest));
        let named = term.get("name").present().filter(|it| {
            term.get("tags").is_missing() && it.as_str().is_some_and(matches_later_images)
        });
        aliased.or(named)
    })
}

/// What asks for an image of EKS with Amazon Linux 2.
fn al2(class: &NodeClass) -> Option<&Value> {
    let is = |it: &&Value, wanted: fn(&str) -> bool| it.as_str().is_some_and(wanted);
    match class.object.at(TERMS) {
        Field::Missing => {
            class.object.at("spec.amiFamily").present().filter(|it| is(it, |it| it == "AL2"))
        }
        Field::Present(terms) => {
            let aliases = terms.items().iter().filter_map(|it| it.get("alias").present());
            aliases.into_iter().find(|it| is(it, |it| it.starts_with("al2@")))
        }
        Field::Unknown => None,
    }
}

/// Whether an alias stands for the newest image. Those of Windows have no other version.
fn is_latest(alias: &str) -> bool {
    let parts = alias.split_once('@');
    parts.is_some_and(|(family, version)| version == "latest" && !family.starts_with("windows"))
}

/// Whether a name with wildcards fits images that are not there yet: it names neither a day nor a release.
fn matches_later_images(name: &str) -> bool {
    let open = name.contains(['*', '?']);
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    let words: Vec<&str> = name.split(['-', '_', '/', ' ', '*', '?']).collect();
    let is_release = |word: &&str| {
        let word = word.strip_prefix('v').unwrap_or(word);
        let parts: Vec<&str> = word.split('.').collect();
        let is_day = parts[0].len() >= 8;
        parts.iter().all(|it| is_number(it)) && (is_day || parts.len() >= 3)
    };
    let is_day = |it: &[&str]| {
        it.iter().all(|it| is_number(it)) && it.iter().map(|it| it.len()).eq([4, 2, 2])
    };
    let pinned = words.iter().any(is_release) || words.windows(3).any(is_day);
    open && !pinned
}

#[cfg(test)]
mod tests {
    use super::{is_latest, matches_later_images};

    #[test]
    fn the_newest_image_is_not_always_the_same() {
        for (alias, latest) in [
            ("al2023@latest", true),
            ("bottlerocket@latest", true),
            ("al2023@v20250715", false),
            ("windows2022@latest", false),
            ("al2023", false),
        ] {
            assert_eq!(is_latest(alias), latest, "{alias}");
        }
        for (name, later) in [
            ("amazon-eks-node-al2023-x86_64-standard-1.31-*", true),
            ("amazon-eks-node-*", true),
            ("golden-v?", true),
            ("amazon-eks-node-al2023-x86_64-standard-1.31-v20250715", false),
            ("amazon-eks-node-al2023-*-standard-1.31-v20250715", false),
            ("bottlerocket-aws-k8s-1.31-*-v1.26.2-360b7a38", false),
            ("golden/20250715*", false),
            ("golden-2025-07-15-*", false),
            ("golden-2025-*", true),
            ("golden-7.1.2-*", false),
        ] {
            assert_eq!(matches_later_images(name), later, "{name}");
        }
    }
}
