//! Resources of an API that releases no longer serve.

mod successor;

use crate::{
    checks::serving::{assumed_version, controllers_of},
    findings::silence::Silence,
    knowledge::{
        kubernetes,
        schema::{self, Schema, retired::Target},
    },
    model::{
        Model,
        cluster::Cluster,
        crds::ServedKind,
        installation::Installation,
        karpenter_object::{KarpenterObject, never::never_served},
        scope::Scoped,
    },
    resolve::kubernetes::Object,
    source::Span,
    value::{Entry, Field, Value, cause::Cause},
    version::{Range, Version},
};

pub(crate) use successor::{Successor, schema_for};

/// A resource of an API that the releases near it no longer serve, or later ones.
#[derive(Debug)]
pub(crate) struct Retirement<'a> {
    /// The resource.
    pub object: &'a KarpenterObject,
    /// What is retired: the text of `apiVersion`, or of `kind` where the whole kind is.
    pub span: Span,
    /// What takes the place of the kind, where that is what is retired.
    pub successor: Option<&'static str>,
    /// The first release without it.
    pub until: &'static Version,
    /// The installations that no longer serve it; none if no version is known.
    pub gone_with: Vec<&'a Installation>,
    /// Whether the release in use is known not to serve it.
    pub is_gone: bool,
    /// Whether only a document says so.
    pub by_document: bool,
    /// Whether anything of the repository says which releases are in use: an installation, CRDs, or a
    /// resource of a newer API.
    pub is_dated: bool,
    /// The Kubernetes version of its cluster, where no release that serves it works with that.
    pub kubernetes: Option<TooNew>,
    /// The one version that no longer serves it.
    pub version: Option<Version>,
    /// What is written for that version, or else for the newest, in its place; `None` if nobody knows its kind.
    pub target: Option<&'static Schema>,
    /// What took its place already.
    pub replaced_by: Option<Successor<'a>>,
    /// The fields it has that are elsewhere or gone in what takes its place.
    pub moved: Vec<MovedField>,
    /// Its hop limit and that of `v1`, where both are left open and differ.
    pub hop_limit: Option<HopLimit>,
}

/// A field that is elsewhere or gone in what takes the place of a resource.
#[derive(Debug)]
pub(crate) struct MovedField {
    /// Where its key is.
    pub span: Span,
    /// What it is called here.
    pub name: &'static str,
    /// Where it is; `None` where it is gone.
    pub to: Option<&'static Target>,
}

/// A Kubernetes version for which all releases are too old that serve a resource.
#[derive(Debug)]
pub(crate) struct TooNew {
    /// The version.
    pub version: Version,
    /// Where it is written; `None` where the configuration states it.
    pub span: Option<Span>,
    /// The first release that works with it.
    pub needs: &'static Version,
}

/// A default of the hop limit that changes with the version of the API.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HopLimit {
    /// Where the limit would be written.
    pub span: Span,
    /// The default of the resource's version.
    pub before: f64,
    /// The default of `v1`.
    pub after: f64,
}

/// Whether the releases near a resource serve its API.
enum Support<'a> {
    /// All of them serve its API.
    Served,
    /// None of them does.
    Gone(Vec<&'a Installation>, Option<Version>),
    /// A document installs a release, which does or not.
    Documented(&'a Installation, &'a Version),
    /// One of them serves it; of this one that is not so, or not known.
    Mixed(&'a Installation),
    /// No release is known.
    Unknown,
}

/// Whether a resource is of a retired API; `None` where its API is served by every release since.
pub(crate) fn retirement<'a>(
    model: &'a Model,
    object: &'a KarpenterObject,
) -> Option<Result<Retirement<'a>, Silence>> {
    let own = &object.object;
    let kind = schema::retired_kind(own.group(), &own.kind);
    // That is what the API server refuses in any case.
    if never_served(own) {
        return None;
    }
    let (until, key) = match kind {
        Some(kind) => (kind.range.until.as_ref()?, "kind"),
        None => (schema::of(&own.api_version, &own.kind)?.until()?, "apiVersion"),
    };
    let span = own.value.get(key).present()?.span;
    let support = support(model, object, until);
    let may_be_other = matches!(support, Support::Gone(..)) && object.may_be_elsewhere;
    let support = if may_be_other { Support::Unknown } else { support };
    let by_document = matches!(support, Support::Documented(..));
    let (is_gone, gone_with, version) = match support {
        Support::Documented(by, version) if version < until => {
            let words = "what a document installs serves its API";
            return Some(Err(Silence::sound(words).at(by.version.span(), "the document")));
        }
        Support::Documented(by, version) => (true, vec![by], Some(version.clone())),
        Support::Served => {
            return Some(Err(Silence::sound("a release of Karpenter near it serves its API")));
        }
        Support::Mixed(other) => {
            let words =
                "several releases of Karpenter are near it, and not all surely serve its API";
            let silence = Silence::undecided(Cause::Ambiguous, words);
            return Some(Err(silence.at(other.version.span(), "the version of one of them")));
        }
        Support::Gone(releases, version) => (true, releases, version),
        Support::Unknown => {
            let old = || of_old_kubernetes(model, object, until).filter(|_| !may_be_other);
            if let Some(silence) = old().or_else(|| served_anyway(model, object, until)) {
                return Some(Err(silence));
            }
            (false, Vec::new(), None)
        }
    };
    let successor = kind.map(|it| it.successor.as_str());
    let next = successor.unwrap_or(&own.kind);
    let target = successor::schema_for(own.group(), next, version.as_ref());
    Some(Ok(Retirement {
        object,
        span,
        successor,
        until,
        gone_with,
        is_gone,
        by_document,
        is_dated: model.shows_version || has_newer(model, until),
        kubernetes: too_new(model, object, until).filter(|_| !is_gone && !may_be_other),
        version,
        target,
        replaced_by: successor::successor(model, object, successor),
        moved: target.map(|it| moved(object, it)).unwrap_or_default(),
        hop_limit: hop_limit(own),
    }))
}

/// That something serves the API of a resource, where no release near it is known: a CRD, an installation of the
/// repository, or a version that is written elsewhere.
fn served_anyway(model: &Model, object: &KarpenterObject, until: &Version) -> Option<Silence> {
    if let Some(crd) = served_alone(model, object, until) {
        let words = "the CRD of the repository serves its API, and no newer one";
        return Some(Silence::sound(words).at(crd.place, "the CRD"));
    }
    served_elsewhere(model, object, until).or_else(|| {
        let (_, place) = model.versions_anywhere().find(|(it, _)| it < until)?;
        let words =
            "no release near it is known, and a version that serves it is written elsewhere";
        let silence = Silence::undecided(Cause::Version, words);
        Some(silence.at(place, "the version"))
    })
}

/// That an installation serves the API of a resource, where those near it say nothing: a module for others, in whose
/// examples it is.
fn served_elsewhere(model: &Model, object: &KarpenterObject, until: &Version) -> Option<Silence> {
    let before = Range { since: None, until: Some(until.clone()) };
    let serves = |it: &&Installation| {
        it.scope().speaks_of(&object.scope)
            && it.allowed().and_then(|it| it.within(&before)) == Some(true)
    };
    let other = model.installations.iter().find(serves)?;
    let words = "no release near it is known, and one of the repository serves its API";
    let silence = Silence::undecided(Cause::Ambiguous, words);
    Some(silence.at(other.version.span(), "the version of that one"))
}

/// The manifest of a CRD that serves the API of a resource, if none near it serves one that outlives that release.
fn served_alone<'a>(
    model: &'a Model,
    object: &KarpenterObject,
    until: &Version,
) -> Option<&'a ServedKind> {
    let own = &object.object;
    let is_its = |it: &&ServedKind| {
        it.group == own.group() && it.kind == *own.kind && it.scope.speaks_of(&object.scope)
    };
    let outlives = |group: &str, version: &str| {
        let schema = schema::of(&format!("{group}/{version}"), &own.kind);
        schema.is_none_or(|it| it.until().is_none_or(|it| it > until))
    };
    let all: Vec<&ServedKind> = model.served_kinds.iter().filter(is_its).collect();
    let is_newer = |it: &ServedKind| it.versions.iter().any(|version| outlives(&it.group, version));
    let (_, version) = own.api_version.split_once('/')?;
    let first = all.iter().find(|it| it.versions.iter().any(|it| it == version))?;
    (!all.iter().any(|it| is_newer(it))).then_some(first)
}

/// The oldest Kubernetes of the clusters that a resource may be for, if it takes a release without its API.
fn too_new(model: &Model, object: &KarpenterObject, until: &Version) -> Option<TooNew> {
    let known = kubernetes_of(model, object)?;
    let (version, span) = known.into_iter().min_by(|a, b| a.0.cmp(&b.0))?;
    let needs = kubernetes::first_release_for(&version).filter(|it| *it >= until)?;
    Some(TooNew { version, span, needs })
}

/// That no release from that one on works with the Kubernetes of the clusters that a resource may be for: whatever is
/// installed there serves its API.
fn of_old_kubernetes(model: &Model, object: &KarpenterObject, until: &Version) -> Option<Silence> {
    let known = kubernetes_of(model, object)?;
    let is_too_old = known.iter().all(|it| kubernetes::is_too_old_from(until, &it.0));
    let (_, place) = known.first().filter(|_| is_too_old)?;
    let words = "no release without its API works with the Kubernetes of its cluster";
    let silence = Silence::sound(words);
    Some(match place {
        Some(place) => silence.at(*place, "the version of Kubernetes"),
        None => silence,
    })
}

/// The Kubernetes versions of the clusters that a resource may be for, and where they are written.
fn kubernetes_of(model: &Model, object: &KarpenterObject) -> Option<Vec<(Version, Option<Span>)>> {
    if object.is_of_auto_mode() || model.other_cluster(&object.scope).is_some() {
        return None;
    }
    let near = model.clusters_near(&object.scope);
    let of = |it: &&Cluster| {
        let version = it.version.as_ref()?;
        Some((version.known()?.clone(), Some(version.span())))
    };
    if near.is_empty() {
        return Some(model.kubernetes_near(&object.scope).into_iter().collect());
    }
    near.iter().map(of).collect()
}

/// Whether some resource of the repository is of an API that outlives that release.
fn has_newer(model: &Model, until: &Version) -> bool {
    let outlives = |it: &KarpenterObject| {
        let own = &it.object;
        let is_served = || schema::of(&own.api_version, &own.kind).is_some();
        let last = match schema::retired_kind(own.group(), &own.kind) {
            Some(kind) => kind.range.until.as_ref(),
            None => schema::of(&own.api_version, &own.kind).and_then(|it| it.until()),
        };
        last.map_or_else(is_served, |it| it > until)
    };
    let mut written =
        model.one_of_each_api.iter().filter_map(|it| model.karpenter_objects.get(*it));
    written.any(outlives)
}

fn support<'a>(model: &'a Model, object: &KarpenterObject, until: &Version) -> Support<'a> {
    let gone = Range { since: Some(until.clone()), until: None };
    let releases = controllers_of(model, object);
    if releases.is_empty() {
        return match assumed_version(model, object) {
            None => match model.documented_near(&object.scope) {
                Some((version, by)) if !object.is_of_auto_mode() => {
                    Support::Documented(by, version)
                }
                _ => Support::Unknown,
            },
            Some(version) if *version < *until => Support::Served,
            Some(version) => Support::Gone(Vec::new(), Some(version.clone())),
        };
    }
    let is_gone = |it: &&Installation| it.allowed()?.within(&gone);
    let all: Vec<Option<bool>> = releases.iter().map(is_gone).collect();
    if all.iter().all(|it| *it == Some(true)) {
        let versions: Vec<_> = releases.iter().map(|it| it.exact_version()).collect();
        let one = versions.first().cloned().flatten();
        let same = versions.iter().all(|it| *it == one);
        return Support::Gone(releases, one.filter(|_| same));
    }
    if !all.contains(&Some(false)) {
        return Support::Unknown;
    }
    let other = releases.iter().zip(&all).find(|(_, it)| **it != Some(false));
    other.map_or(Support::Served, |(it, _)| Support::Mixed(it))
}

/// The fields of a resource that have moved on the way to a schema.
fn moved(object: &KarpenterObject, target: &Schema) -> Vec<MovedField> {
    let own = &object.object;
    let moves = schema::moves().iter();
    let moves = moves.filter(|it| it.kind == *own.kind && it.api == object.api());
    let found = moves.filter_map(|it| {
        let to = successor::place_in(it, &target.version);
        let is_same = to.is_some_and(|to| to.path == it.from && to.kind == target.kind);
        let (span, name) =
            (key_of(&own.value, &it.from).filter(|_| !is_same)?, it.from.rsplit('.'));
        Some(MovedField { span, name: name.into_iter().next()?, to })
    });
    found.collect()
}

/// Where the key of a field is written that is not null.
fn key_of(object: &Value, path: &str) -> Option<Span> {
    let (outer, name) = path.rsplit_once('.')?;
    let Field::Present(outer) = object.at(outer) else { return None };
    let of_name = |it: &&Entry| &*it.key == name && !it.value.is_null();
    Some(outer.entries().iter().find(of_name)?.key_span)
}

/// The hop limit of a class that leaves it open, where `v1` has another default.
fn hop_limit(class: &Object) -> Option<HopLimit> {
    const LIMIT: &str = "httpPutResponseHopLimit";
    let default = |api: &str, newest: bool| {
        let facts = &schema::of(api, &class.kind)?.field("spec.metadataOptions")?.facts;
        let fact = if newest { facts.last() } else { facts.first() };
        fact?.shape.default.as_ref()?.get(LIMIT).present()?.as_number()
    };
    let spec = class.value.get("spec").present()?;
    let open = spec.get("metadataOptions").get(LIMIT).is_missing();
    let before = default(&class.api_version, false).filter(|_| open)?;
    let after = default(&format!("{}/v1", class.group()), true)?;
    (after.to_string() != before.to_string()).then_some(HopLimit { span: spec.name, before, after })
}
