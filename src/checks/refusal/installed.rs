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
    /// Whether what takes its place is there and it is to be deleted.
    pub(super) is_deleted: bool,
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
    let is_former = schema::retired_kind(own.group(), &own.kind).is_some();
    let fate = if until.is_some() || is_former { fate(model, object) } else { Fate::Kept };
    let successor = until.and_then(|it| retired::successor(own, it, &versions));
    let is_moved = fate != Fate::Kept && !is_former;
    let successor = successor.or_else(|| retired::newest(own).filter(|_| is_moved));
    if until.is_some_and(|until| versions.iter().any(|it| it >= until)) {
        versions.clear();
    }
    let has_webhook = releases.iter().all(|it| has_webhook(model, it));
    let is_deleted = fate == Fate::Deleted;
    let is_replaced = is_former && fate != Fate::Kept;
    Installed { versions, successor, is_replaced, is_deleted, has_webhook }
}

/// What another rule tells to do with a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// Nothing.
    Kept,
    /// To write it for the next version of the API, or as its successor.
    Moved,
    /// To delete it: what takes its place is there.
    Deleted,
}

fn fate(model: &Model, object: &KarpenterObject) -> Fate {
    let Some(Ok(retired)) = retirement(model, object) else { return Fate::Kept };
    let own = &object.object;
    let is_former = schema::retired_kind(own.group(), &own.kind).is_some();
    match &retired.replaced_by {
        // Nothing applies it, and so nobody writes it anew.
        Some(_) if object.scope.left_out.is_some() => Fate::Deleted,
        Some(_) if is_former => Fate::Moved,
        _ if retired.is_gone || retired.kubernetes.is_some() => Fate::Moved,
        _ => Fate::Kept,
    }
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
