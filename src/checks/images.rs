//! The images of nodes: those that change with each that is published, and those that are not published.

mod stage;

use crate::{
    checks::{
        refusal::refusals,
        settled,
        unread::{hidden_cluster, other_cluster},
    },
    findings::silence::Silence,
    knowledge::karpenter::{has_al2_images, has_new_al2_images, is_misdated},
    model::{
        Model,
        cluster::Cluster,
        node_pool::{Lifetime, NodePool, PoolVersion, budgets::DriftPace, class::NodeClass},
    },
    resolve::setting,
    source::parent,
    value::{Field, Symbol, Value, cause::Cause, stand_in::is_stand_in},
    version::Version,
};

/// How a class chooses its images.
const TERMS: &str = "spec.amiSelectorTerms";
/// How fast a pool's nodes are replaced.
const BUDGETS: &str = "spec.disruption.budgets";

/// A class whose image changes with each that is published.
#[derive(Debug)]
pub(crate) struct Moving<'a> {
    /// What selects the image.
    pub image: &'a Value,
    /// Its pools without a budget for drift of their own, and those whose budgets let more than half of the
    /// nodes go at once.
    pub pools: Vec<(&'a NodePool, DriftPace)>,
}

impl Moving<'_> {
    /// Whether the budgets of some pool let more than half of its nodes go at once.
    #[must_use]
    pub(crate) fn is_at_once(&self) -> bool {
        self.pools.iter().any(|(_, pace)| matches!(pace, DriftPace::Open(_)))
    }

    /// Whether a budget for drift is written that does not do.
    pub(crate) fn has_budgets(&self) -> bool {
        let is_written = |it: &DriftPace| match it {
            DriftPace::Open(budgets) | DriftPace::AtTimes(budgets) => !budgets.is_empty(),
            _ => false,
        };
        self.pools.iter().any(|it| is_written(&it.1))
    }
}

/// The classes of `v1`, which alone have aliases.
pub(crate) fn classes_with_aliases(model: &Model) -> impl Iterator<Item = &NodeClass> {
    settled::classes(model).filter(|it| it.api == PoolVersion::V1)
}

/// What makes Karpenter replace the nodes of a class with each image that is published, without a budget
/// that its authors wrote for that.
pub(crate) fn moving_images<'a>(
    model: &'a Model,
    class: &'a NodeClass,
) -> Result<Moving<'a>, Silence> {
    let image = moving_image(class).ok_or_else(|| unmoving(class))?;
    if refuses(model, class, image) {
        return Err(Silence::sound("the API server refuses the class, which is another fault"));
    }
    let of_al2 = al2(class);
    if of_al2.is_some_and(|it| it.span == image.span) && !has_new_al2_images() {
        let words =
            "EKS publishes no new images with Amazon Linux 2, so that nothing rolls its nodes";
        return Err(Silence::sound(words));
    }
    if of_al2.is_some_and(|it| unavailable_image(model, class, it).is_ok()) {
        return Err(Silence::sound(
            "no new image is published for its cluster, which is another fault",
        ));
    }
    settled::class(model, class)?;
    settled::not_given(model, &class.scope, &class.object, &[TERMS])?;
    settled::not_for_others(model, &class.scope, ("alias", image))?;
    let own = class.pools.iter().filter_map(|it| model.node_pools.get(*it));
    let own: Vec<&NodePool> = own.filter(|it| it.is_of_aws()).collect();
    if is_tried_out(model, &own) {
        let words =
            "only what is not production has it, and production has classes with pinned AMIs";
        return Err(Silence::sound(words));
    }
    let mut pools = Vec::new();
    let mut undecided = None;
    for pool in own.iter().copied().filter(|it| !lives_shortly(it)) {
        match drift_pace(model, pool) {
            Ok(DriftPace::Limited) => {}
            Ok(pace) => pools.push((pool, pace)),
            Err(silence) => undecided = Some(silence),
        }
    }
    if pools.is_empty() {
        undecided = undecided.or_else(|| shared_name(model, class));
        undecided = undecided.or_else(|| unknown_name(model, class));
        let sound = if own.is_empty() {
            "no NodePool of the class is in the repository"
        } else {
            "each NodePool of the class has a budget for drift, or nodes that live no longer than a day"
        };
        return Err(undecided.unwrap_or_else(|| Silence::sound(sound)));
    }
    pools.sort_by_key(|(_, pace)| !matches!(pace, DriftPace::Open(_)));
    Ok(Moving { image, pools })
}

/// Whether the pools of a class are all of other environments than production, beside whose folders is that of
/// production with pools of pinned classes alone: new images are tried out there first.
fn is_tried_out(model: &Model, own: &[&NodePool]) -> bool {
    let is_pinned = |it: &NodeClass| {
        let is_read = it.api == PoolVersion::V1 && unknown_image(it).is_none();
        is_read && it.object.at(TERMS).present().is_some() && moving_image(it).is_none()
    };
    let has_production = |pool: &&NodePool| {
        let around = parent(&pool.scope.folder);
        let beside = |it: &&NodePool| {
            stage::is_production(&it.scope.folder) && parent(&it.scope.folder) == around
        };
        let mut classes =
            settled::pools(model).filter(beside).map(|it| model.class_of(it)).peekable();
        classes.peek().is_some() && classes.all(|it| it.is_some_and(is_pinned))
    };
    let is_other = |it: &&NodePool| stage::is_other(&it.scope.folder);
    !own.is_empty() && own.iter().all(|it| is_other(it) && has_production(it))
}

/// Whether a pool replaces its nodes so often that new images make no difference.
fn lives_shortly(pool: &NodePool) -> bool {
    const DAY: f64 = 86_400.0;
    matches!(pool.expire_after.known(), Some(Lifetime::Seconds(it)) if *it <= DAY)
}

/// That a pool names a class and several near have that name.
fn shared_name(model: &Model, class: &NodeClass) -> Option<Silence> {
    let name = class.name.known()?;
    let is_unclear = |it: &&NodePool| {
        it.class.known() == Some(name)
            && model.class_of(it).is_none()
            && model.may_meet(&class.scope, &it.scope)
    };
    let pool = settled::pools(model).find(is_unclear)?;
    let words = "several node classes near a NodePool have the name of its class";
    let silence = Silence::undecided(Cause::Ambiguous, words);
    Some(silence.at(pool.report_span, "the NodePool"))
}

/// That a pool near a class may be of it: which class the pool names is not known.
fn unknown_name(model: &Model, class: &NodeClass) -> Option<Silence> {
    let is_open = |it: &&NodePool| {
        it.class.known().is_none()
            && model.class_of(it).is_none()
            && it.scope.deploy_unit() == class.scope.deploy_unit()
            && model.may_meet(&class.scope, &it.scope)
    };
    let pool = settled::pools(model).find(is_open)?;
    let words = "which node class a NodePool beside it has is not known";
    Some(Silence::undecided(Cause::Value, words).at(pool.report_span, "the NodePool"))
}

/// Whether the API server refuses a part of a class: one fault, one rule.
fn refuses(model: &Model, class: &NodeClass, part: &Value) -> bool {
    let mut objects = model.karpenter_objects.iter();
    let its = objects.find(|it| it.report_span == class.report_span && it.scope == class.scope);
    its.is_some_and(|it| refusals(model, it).iter().any(|it| it.span == part.span))
}

fn drift_pace(model: &Model, pool: &NodePool) -> Result<DriftPace, Silence> {
    settled::pool(model, pool)?;
    settled::not_given(model, &pool.scope, &pool.object, &[BUDGETS])?;
    pool.budgets().drift_pace().ok_or_else(|| {
        Silence::undecided(Cause::Value, "the budgets of a NodePool are not known")
            .at(pool.report_span, "the NodePool")
    })
}

/// What asks for images with Amazon Linux 2 in a class.
pub(crate) fn classes_with_al2(model: &Model) -> impl Iterator<Item = (&NodeClass, &Value)> {
    settled::classes(model).filter_map(|it| Some((it, al2(it)?)))
}

/// Whether there are no images with Amazon Linux 2 for the cluster of a class.
pub(crate) fn unavailable_image<'a>(
    model: &'a Model,
    class: &NodeClass,
    image: &Value,
) -> Result<(&'a Cluster, &'a Version), Silence> {
    settled::class(model, class)?;
    settled::not_for_others(model, &class.scope, ("amiSelectorTerms", image))?;
    let cluster = model.cluster_near(&class.scope).ok_or_else(|| {
        let words = "the cluster of the class is not seen, or several are near";
        let hidden = hidden_cluster(model, &class.scope);
        let other = other_cluster(model, &class.scope);
        hidden.or(other).unwrap_or_else(|| Silence::undecided(Cause::Ambiguous, words))
    })?;
    let unknown = || Silence::undecided(Cause::Version, "the Kubernetes version is not known");
    let version = cluster.version.as_ref().ok_or_else(unknown)?;
    let version = version.decided("the Kubernetes version")?;
    match has_al2_images(version) {
        Some(false) => Ok((cluster, version)),
        Some(true) => Err(Silence::sound("AL2 images are published for this Kubernetes version")),
        None => Err(unknown()),
    }
}

/// The aliases that name no image of their family, as they are neither `latest` nor the day of a release, with the
/// class that each is written in.
pub(crate) fn misdated_aliases(
    model: &Model,
) -> impl Iterator<Item = (&NodeClass, Result<&Value, Silence>)> {
    classes_with_aliases(model).filter_map(move |class| {
        let terms = class.object.at(TERMS).present()?.items();
        let alias = terms.iter().find_map(|it| it.get("alias").present())?;
        let text = alias.as_str().filter(|it| is_misdated(it))?;
        if text.split_once('@').is_some_and(|(_, version)| is_stand_in(version)) {
            return None;
        }
        let of_al2 = || text.starts_with("al2@") && unavailable_image(model, class, alias).is_ok();
        if refuses(model, class, alias) || of_al2() {
            return None;
        }
        let applied = settled::class(model, class);
        let applied = applied.and_then(|()| {
            settled::not_for_others(model, &class.scope, ("amiSelectorTerms", alias))
        });
        Some((class, applied.map(|()| alias)))
    })
}

/// Why nothing of a class is seen to select another image as soon as one is published.
fn unmoving(class: &NodeClass) -> Silence {
    let unknown = unknown_image(class);
    let pinned = || Silence::sound("its AMIs are pinned");
    unknown.map_or_else(pinned, |it| setting::not_known("what selects its AMI", it))
}

/// The first part of what selects the images of a class by an alias or a name that is not known.
fn unknown_image(class: &NodeClass) -> Option<&Symbol> {
    let object = &class.object;
    let Some(terms) = object.at(TERMS).present() else { return object.unknown_at(TERMS) };
    let rest = terms.as_list().and_then(|it| it.rest.as_ref());
    let of_term = |it| ["alias", "name"].into_iter().find_map(|key| Value::unknown_at(it, key));
    let unknown = || terms.items().iter().find_map(of_term);
    terms.unknown_at("").or(rest).or_else(unknown)
}

/// The classes of which it is not known whether they ask for images with Amazon Linux 2, where there are none.
pub(crate) fn classes_of_unknown_images(
    model: &Model,
) -> impl Iterator<Item = (&NodeClass, Silence)> {
    let without_al2 = settled::classes(model).filter(|it| al2(it).is_none());
    without_al2.filter_map(|class| {
        let unknown = unknown_image(class)?;
        let cluster = model.cluster_near(&class.scope)?.version.as_ref()?;
        let matters = cluster.known().is_none_or(|it| has_al2_images(it) != Some(true));
        matters.then(|| (class, setting::not_known("what selects its AMI", unknown)))
    })
}

/// What selects another image as soon as one is published.
fn moving_image(class: &NodeClass) -> Option<&Value> {
    let terms = class.object.at(TERMS).present()?.items();
    terms.iter().find_map(|term| {
        let aliased = term.get("alias").present().filter(|it| it.as_str().is_some_and(is_latest));
        let named = term.get("name").present().filter(|it| {
            term.get("tags").is_missing()
                && it.as_str().is_some_and(|it| matches_later_images(it) && !names_al2(it))
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

/// Whether a name is one of the images of EKS with Amazon Linux 2: `amazon-eks-node-1.29-v*`. EKS
/// publishes no more of them.
fn names_al2(name: &str) -> bool {
    let is_of_version = |it: &str| it.starts_with(|it: char| it.is_ascii_digit());
    let after = |prefix: &str| name.strip_prefix(prefix);
    after("amazon-eks-node-").or_else(|| after("amazon-eks-gpu-node-")).is_some_and(is_of_version)
        || after("amazon-eks-arm64-node-").is_some()
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
    use super::{is_latest, matches_later_images, names_al2};

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
        for (name, is_it) in [
            ("amazon-eks-node-1.31-*", true),
            ("amazon-eks-arm64-node-*", true),
            ("amazon-eks-node-*", false),
            ("amazon-eks-node-al2023-*", false),
        ] {
            assert_eq!(names_al2(name), is_it, "{name}");
        }
    }
}
