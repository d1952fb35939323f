//! The version of the API that is meant by one that never had the kind of a resource.

use std::sync::Arc;

use crate::{
    checks::{admission::faults, serving::controllers_of},
    knowledge::schema::{self, Schema},
    model::{Model, installation::Installation, karpenter_object::KarpenterObject},
    resolve::kubernetes::KARPENTER_GROUPS,
    version::Version,
};

/// A resource in the version of the API that is meant, where its own never had its kind and only one is possible: what
/// is refused there stays wrong once the version is corrected.
pub(super) fn as_meant(model: &Model, object: &KarpenterObject) -> Option<KarpenterObject> {
    let own = &object.object;
    if schema::of_any(&own.api_version, &own.kind).is_some() {
        return None;
    }
    let controllers = controllers_of(model, object);
    let installed: Vec<Version> =
        controllers.iter().filter_map(|it: &&Installation| it.exact_version()).collect();
    let mut possible = KARPENTER_GROUPS
        .iter()
        .filter_map(|group| schema::any_kind(group, &own.kind))
        .flat_map(|it| &it.schemas)
        .filter(|schema| installed.iter().all(|it| schema.is_served_by(it)));
    let (Some(meant), None) = (possible.next(), possible.next()) else { return None };
    let mut as_meant = object.clone();
    as_meant.object.api_version = Arc::from(meant.api_version());
    (!fits_successor(object, meant)).then_some(as_meant)
}

/// Whether a resource is rather one of the kind that came after its own, and which its version of the API has.
fn fits_successor(object: &KarpenterObject, meant: &Schema) -> bool {
    let own = &object.object;
    let next = schema::retired_kind(&meant.group, &own.kind).map(|it| &*it.successor);
    let next = next.filter(|it| schema::of(&own.api_version, it).is_some());
    let count = |kind: &str, api: &str| faults(&own.value, kind, api, None).len();
    next.is_some_and(|it| count(it, &own.api_version) < count(&own.kind, &meant.api_version()))
}
