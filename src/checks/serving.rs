//! The controllers that serve a Karpenter resource.

use crate::{
    model::{Model, karpenter_object::KarpenterObject},
    resolve::release::Release,
    version::Version,
};

/// The releases of the controller near a resource; none for the pools of EKS Auto Mode. What a module
/// for any cluster installs does not serve what is outside of it.
#[must_use]
pub(super) fn controllers_of<'a>(model: &'a Model, object: &KarpenterObject) -> Vec<&'a Release> {
    let near = object.controllers.iter().filter(|_| !object.is_of_auto_mode());
    let near = near.filter_map(|it| model.releases.get(*it));
    near.filter(|it| !it.reusable || it.scope.root == object.scope.root).collect()
}

/// The version that the configuration assumes, where no release has one.
#[must_use]
pub(super) fn assumed_version<'a>(
    model: &'a Model,
    object: &KarpenterObject,
) -> Option<&'a Version> {
    model.assumed.karpenter_version.as_ref().filter(|_| !object.is_of_auto_mode())
}
