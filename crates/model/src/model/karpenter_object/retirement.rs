//! Resources of an API that releases no longer serve.

use crate::{
    findings::Note,
    knowledge::schema::{self, retired::Move},
    model::{Model, karpenter_object::KarpenterObject},
    resolve::{kubernetes::Object, release::Release},
    source::Span,
    value::{Entry, Field, Value},
    version::{Range, Version, constraint::Constraint},
};

/// A resource of an API that is retired where it stands, or will be.
#[derive(Debug)]
pub struct Retirement<'a> {
    /// The resource.
    pub object: &'a KarpenterObject,
    /// What is retired: the text of `apiVersion`, or of `kind` where the whole kind is.
    pub span: Span,
    /// What takes the place of the kind, where that is what is retired.
    pub successor: Option<&'static str>,
    /// The first release without it.
    pub until: &'static Version,
    /// The releases that no longer serve it; none if no release is known.
    pub gone_with: Vec<&'a Release>,
    /// Whether the release in use is known not to serve it.
    pub is_gone: bool,
    /// The one version that no longer serves it.
    pub version: Option<Version>,
    /// What became of the fields it has.
    pub moved: Vec<Note>,
}

/// What is known of the releases near a resource.
enum Standing<'a> {
    /// All of them serve its API, or some may.
    Served,
    /// None of them does.
    Gone(Vec<&'a Release>, Option<Version>),
    /// No release is known.
    Unknown,
}

impl Model {
    /// The resources of retired APIs.
    pub fn retirements(&self) -> impl Iterator<Item = Retirement<'_>> {
        self.karpenter_objects.iter().filter_map(|it| self.retirement(it))
    }

    fn retirement<'a>(&'a self, object: &'a KarpenterObject) -> Option<Retirement<'a>> {
        let own = &object.object;
        let kind = schema::retired_kind(own.group(), &own.kind);
        let (until, key) = match kind {
            Some(kind) => (kind.range.until.as_ref()?, "kind"),
            None => (schema::of(&own.api_version, &own.kind)?.until()?, "apiVersion"),
        };
        let (is_gone, gone_with, version) = match self.standing(object, until) {
            Standing::Served => return None,
            Standing::Gone(releases, version) => (true, releases, version),
            Standing::Unknown => (false, Vec::new(), None),
        };
        let moves = schema::moves().iter();
        let is_elsewhere = |it: &&Move| it.to.as_ref().is_none_or(|to| to.path != it.from);
        let moves = moves.filter(|it| it.kind == *own.kind && it.api == object.api());
        let moves = moves.filter(is_elsewhere);
        Some(Retirement {
            object,
            span: own.value.get(key).present()?.span,
            successor: kind.map(|it| it.successor.as_str()),
            until,
            gone_with,
            is_gone,
            version,
            moved: moves.filter_map(|it| moved(&own.value, it)).chain(hop_limit(own)).collect(),
        })
    }

    fn standing(&self, object: &KarpenterObject, until: &Version) -> Standing<'_> {
        let gone = Range { since: Some(until.clone()), until: None };
        let releases = self.controllers_of(object);
        if releases.is_empty() {
            return match self.given_version(object) {
                None => Standing::Unknown,
                Some(version) if *version < *until => Standing::Served,
                Some(version) => Standing::Gone(Vec::new(), Some(version.clone())),
            };
        }
        let standing = |it: &&Release| Constraint::parse(it.version.known()?)?.within(&gone);
        let standings: Vec<Option<bool>> = releases.iter().map(standing).collect();
        if standings.iter().all(|it| *it == Some(true)) {
            let versions: Vec<_> = releases.iter().map(|it| it.exact_version()).collect();
            let one = versions.first().cloned().flatten();
            let same = versions.iter().all(|it| *it == one);
            return Standing::Gone(releases, one.filter(|_| same));
        }
        if standings.contains(&Some(false)) { Standing::Served } else { Standing::Unknown }
    }

    /// The releases of the controller near a resource; none for the pools of EKS Auto Mode. What a module
    /// for any cluster installs is no neighbour of what stands outside.
    #[must_use]
    pub fn controllers_of(&self, object: &KarpenterObject) -> Vec<&Release> {
        let near = object.controllers.iter().filter(|_| !object.is_of_auto_mode());
        let near = near.filter_map(|it| self.releases.get(*it));
        near.filter(|it| !it.reusable || it.scope.root == object.scope.root).collect()
    }

    /// The version that the configuration gives, where no release does.
    #[must_use]
    pub fn given_version(&self, object: &KarpenterObject) -> Option<&Version> {
        self.assumed.karpenter_version.as_ref().filter(|_| !object.is_of_auto_mode())
    }
}

/// What became of a field that a resource has.
fn moved(object: &Value, it: &Move) -> Option<Note> {
    let (outer, name) = it.from.rsplit_once('.')?;
    let Field::Present(outer) = object.at(outer) else { return None };
    let of_name = |it: &&Entry| &*it.key == name && !it.value.is_null();
    let entry = outer.entries().iter().find(of_name)?;
    let message = match &it.to {
        None => "is gone".to_owned(),
        Some(to) if to.kind == it.kind => format!("becomes `{}`", to.path),
        Some(to) => format!("becomes `{}` of the {}", to.path, to.kind),
    };
    Some(Note { span: entry.key_span, message: format!("`{name}` {message}") })
}

/// What a class that leaves the hop limit open has in `v1`, where that is another.
fn hop_limit(class: &Object) -> Option<Note> {
    const LIMIT: &str = "httpPutResponseHopLimit";
    let default = |api: &str, newest: bool| {
        let facts = &schema::of(api, &class.kind)?.field("spec.metadataOptions")?.facts;
        let fact = if newest { facts.last() } else { facts.first() };
        let limit = fact?.shape.default.as_ref()?.get(LIMIT).present()?.as_number()?;
        Some(limit.to_string())
    };
    let spec = class.value.get("spec").present()?;
    let open = spec.get("metadataOptions").get(LIMIT).is_missing();
    let before = default(&class.api_version, false).filter(|_| open)?;
    let after = default(&format!("{}/v1", class.group()), true)?;
    let message =
        format!("the hop limit is {after} in `v1` unless it is written, here it is {before}");
    (after != before).then_some(Note { span: spec.name, message })
}
