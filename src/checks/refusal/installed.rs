//! Which releases of Karpenter are installed where a resource is.

use std::collections::HashSet;

use crate::{
    checks::{refusal::retired, retirement::retirement, serving::assumed_version},
    knowledge::schema,
    model::{Model, installation::Installation, karpenter_object::KarpenterObject},
    value::{Field, Value},
    version::Version,
};

/// What is known of the controllers of a resource.
pub(super) struct Installed {
    /// Their versions, each once; none where one is unknown, or where another rule reports that the version of the API
    /// is no longer served.
    pub(super) versions: Vec<Version>,
    /// The version of the API that the resource has to be written in, where none of them serves its own any longer.
    pub(super) successor: Option<String>,
    /// Whether another kind takes the place of its kind, as none of them serves it or the other is there already.
    pub(super) is_replaced: bool,
    /// Whether the webhooks of all of them are called: only 0.32 can switch off those that judge former kinds.
    pub(super) has_webhook: bool,
}

/// What is known of them, or of the version that the configuration assumes where there are none.
pub(super) fn installed(
    model: &Model,
    releases: &[&Installation],
    object: &KarpenterObject,
) -> Installed {
    let mut texts: HashSet<Option<&String>> = HashSet::new();
    let mut different = releases.iter().filter(|it| texts.insert(it.version.known()));
    let known: Option<Vec<Version>> = different.by_ref().map(|it| it.exact_version()).collect();
    let assumed = assumed_version(model, object).filter(|_| releases.is_empty()).cloned();
    // Dozens of controllers near may have one version.
    let mut versions: Vec<Version> = Vec::new();
    for version in known.into_iter().flatten().chain(assumed) {
        if !versions.contains(&version) {
            versions.push(version);
        }
    }
    let own = &object.object;
    let until = schema::of_any(&own.api_version, &own.kind).and_then(schema::Schema::until);
    let successor = until.and_then(|it| retired::successor(own, it, &versions));
    if until.is_some_and(|until| versions.iter().any(|it| it >= until)) {
        versions.clear();
    }
    let has_webhook = releases.iter().all(|it| has_webhook(model, it));
    Installed { versions, successor, is_replaced: is_replaced(model, object), has_webhook }
}

/// Whether a resource of a former kind is to be written as one of its successor in any case.
fn is_replaced(model: &Model, object: &KarpenterObject) -> bool {
    let own = &object.object;
    if schema::retired_kind(own.group(), &own.kind).is_none() {
        return false;
    }
    let retired = retirement(model, object).and_then(Result::ok);
    retired.is_some_and(|it| it.is_gone || it.kubernetes.is_some() || it.replaced_by.is_some())
}

/// Whether nothing is written that may switch off the webhooks of a controller.
fn has_webhook(model: &Model, installation: &Installation) -> bool {
    let release = installation.release.and_then(|it| model.releases.get(it));
    release.is_none_or(|it| match it.values.get("webhook").get("enabled") {
        Field::Missing => true,
        Field::Present(it) => Value::as_bool(it) == Some(true),
        Field::Unknown => false,
    })
}
