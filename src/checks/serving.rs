//! The controllers that serve a Karpenter resource.

use std::collections::BTreeSet;

use crate::{
    knowledge::schema,
    model::{
        Model,
        cluster::Cluster,
        discovery::{DISCOVERY, scripts::is_example, tags},
        installation::Installation,
        karpenter_object::KarpenterObject,
        scope::Scoped,
    },
    resolve::{kubernetes::Object, release::Release},
    value::Value,
    version::{Range, Version},
};

/// The installations of the controller near a resource; none for the pools of EKS Auto Mode.
#[must_use]
pub(super) fn controllers_of<'a>(
    model: &'a Model,
    object: &KarpenterObject,
) -> Vec<&'a Installation> {
    object.controllers.iter().filter_map(|it| model.installations.get(*it)).collect()
}

/// Whether an installation is that release.
#[must_use]
pub(super) fn is_release(model: &Model, installation: &Installation, release: &Release) -> bool {
    let own = installation.release.and_then(|it| model.releases.get(it));
    own.is_some_and(|it| std::ptr::eq(it, release))
}

/// Versions of the API that came when the former kinds were gone, or beside them.
const LATER_VERSIONS: [&str; 2] = ["v1beta1", "v1"];

/// Whether an object is of a former kind, in a version of the API that never had it.
#[must_use]
pub(super) fn never_served(object: &Object) -> bool {
    schema::retired_kind(object.group(), &object.kind).is_some()
        && object
            .api_version
            .split_once('/')
            .is_some_and(|(_, version)| LATER_VERSIONS.contains(&version))
}

/// The version that the configuration assumes, where no release has one.
#[must_use]
pub(super) fn assumed_version<'a>(
    model: &'a Model,
    object: &KarpenterObject,
) -> Option<&'a Version> {
    model.assumed.karpenter_version.as_ref().filter(|_| !object.is_of_auto_mode())
}

/// The releases that serve another version of the API, in which something of the same group beside a resource is
/// written.
#[must_use]
pub(super) fn served_beside(model: &Model, object: &KarpenterObject) -> Option<&'static [Range]> {
    let own = &object.object;
    let is_beside = |it: &&KarpenterObject| {
        it.scope.folder == object.scope.folder
            && it.object.group() == own.group()
            && it.object.api_version != own.api_version
            && !it.is_of_auto_mode()
            && model.may_meet(&it.scope, &object.scope)
    };
    let served = |it: &KarpenterObject| {
        Some(schema::of(&it.object.api_version, &it.object.kind)?.served.as_slice())
    };
    model.karpenter_objects.iter().filter(is_beside).find_map(served)
}

/// Whether a resource may be for another cluster than one of the installations near it: it is applied apart from
/// that, and the tags by which it, or what is applied with it, selects subnets and security groups have a value
/// that shares nothing with the name of the cluster, and that nothing of its root module writes. A tag need not
/// have that name, so that this only leaves it open.
#[must_use]
pub(super) fn may_be_for_other_cluster(model: &Model, object: &KarpenterObject) -> bool {
    let unit = object.scope.deploy_unit();
    let together = model.karpenter_objects.iter().filter(|it| it.scope.deploy_unit() == unit);
    let stated: Vec<&str> = together.flat_map(|it| discovered(&it.object.value)).collect();
    let is_other = |installation: &Installation| {
        let scope = installation.scope();
        let clusters = model.clusters_near(scope);
        let of_cluster = match clusters.as_slice() {
            [only] => Cluster::own_name(only),
            _ => None,
        };
        let name = installation.cluster.as_ref().or(of_cluster).and_then(Value::as_str);
        let is_own = |name: &str, tag: &str| {
            name.contains(tag) || tag.contains(name) || writes_tag(model, scope.root, tag)
        };
        scope.deploy_unit() != unit
            && name.is_some_and(|name| {
                !is_example(name) && stated.iter().all(|tag| !is_own(name, tag))
            })
    };
    !stated.is_empty() && controllers_of(model, object).into_iter().any(is_other)
}

/// The values of the tag by which a class, or its predecessor, selects.
fn discovered(class: &Value) -> Vec<&str> {
    const PATHS: [&str; 4] = [
        "spec.subnetSelector",
        "spec.securityGroupSelector",
        "spec.subnetSelectorTerms",
        "spec.securityGroupSelectorTerms",
    ];
    let selectors = PATHS.iter().filter_map(|it| class.at(it).present());
    let tags = selectors.flat_map(|it| {
        let own = it.get(DISCOVERY).present();
        let terms = it.items().iter().filter_map(|it| it.get("tags").get(DISCOVERY).present());
        own.into_iter().chain(terms)
    });
    tags.filter_map(Value::as_str).filter(|it| !is_example(it)).collect()
}

/// Whether a root module gives its subnets or security groups that value of the tag.
fn writes_tag(model: &Model, root: Option<usize>, value: &str) -> bool {
    let of_root = root.and_then(|it| Some((it, model.terraform.roots.get(it)?)));
    let keys = BTreeSet::from([DISCOVERY]);
    of_root.is_some_and(|(index, root)| {
        let written = tags::of_root(index, root, &keys).into_iter().filter_map(|it| it.written);
        written.into_iter().any(|it| it.value.as_str() == Some(value))
    })
}
