//! Which releases of Karpenter are installed where a resource is.

use std::collections::HashSet;

use crate::{
    checks::refusal::retired,
    knowledge::schema,
    model::{installation::Installation, karpenter_object::KarpenterObject},
    version::Version,
};

/// What is known of the controllers of a resource.
pub(super) struct Installed {
    /// Their versions, each once; none where one is unknown, or where another rule reports that the version of the API
    /// is no longer served.
    pub(super) versions: Vec<Version>,
    /// The version of the API that the resource has to be written in, where none of them serves its own any longer.
    pub(super) successor: Option<String>,
}

/// What is known of them, or of the version that the configuration assumes where there are none.
pub(super) fn installed(
    releases: &[&Installation],
    assumed: Option<&Version>,
    object: &KarpenterObject,
) -> Installed {
    let mut texts: HashSet<Option<&String>> = HashSet::new();
    let mut different = releases.iter().filter(|it| texts.insert(it.version.known()));
    let known: Option<Vec<Version>> = different.by_ref().map(|it| it.exact_version()).collect();
    let assumed = assumed.filter(|_| releases.is_empty()).cloned();
    // Dozens of controllers near may have one version.
    let mut versions: Vec<Version> = Vec::new();
    for version in known.into_iter().flatten().chain(assumed) {
        if !versions.contains(&version) {
            versions.push(version);
        }
    }
    let own = &object.object;
    let until = schema::of(&own.api_version, &own.kind).and_then(schema::Schema::until);
    let successor = until.and_then(|it| retired::successor(own, it, &versions));
    if until.is_some_and(|until| versions.iter().any(|it| it >= until)) {
        versions.clear();
    }
    Installed { versions, successor }
}
