//! Kinds of Karpenter's groups that no release has.

use crate::{
    checks::{
        admission::words::case::{closest, list},
        retirement::schema_for,
    },
    knowledge::schema,
    model::{
        karpenter_object::{KarpenterObject, never::never_served},
        node_pool::EC2,
    },
    resolve::kubernetes::KARPENTER_GROUPS,
    source::Span,
    version::Version,
};

/// What documentation calls the classes of all providers; on AWS they are of another kind.
const ABSTRACT_CLASS: &str = "NodeClass";
const AWS_CLASS: &str = "EC2NodeClass";

/// That no release has a kind.
pub(super) struct NoSuchKind {
    /// Where that is written.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

/// Why no release has a kind of an object; `None` where one has it, or had it. The help is for the releases installed.
pub(super) fn refusal(object: &KarpenterObject, installed: &[Version]) -> Option<NoSuchKind> {
    let refusal = in_wrong_group(object, installed).or_else(|| of_no_kind(object, installed));
    refusal.or_else(|| of_no_version(object))
}

/// A kind under the group of another.
fn in_wrong_group(object: &KarpenterObject, installed: &[Version]) -> Option<NoSuchKind> {
    let own = &object.object;
    let is_retired = schema::retired_kind(own.group(), &own.kind).is_some();
    let group = KARPENTER_GROUPS.iter().find(|group| {
        schema::kind(group, &own.kind).is_some() || schema::retired_kind(group, &own.kind).is_some()
    })?;
    let version =
        version_in(group, &own.kind, own.api_version.split_once('/').map_or("", |it| it.1));
    (!is_retired).then(|| NoSuchKind {
        span: own.value.get("apiVersion").present().map_or(object.report_span, |it| it.span),
        message: format!("`{}` has no {}: it belongs to `{group}`", own.group(), own.kind),
        help: Some(
            successor(object, group, installed)
                .unwrap_or_else(|| format!("Write `apiVersion: {group}/{version}`")),
        ),
    })
}

/// What to write in place of a former kind that no release serves of those installed, or of those that serve what is
/// beside it.
fn successor(object: &KarpenterObject, group: &str, installed: &[Version]) -> Option<String> {
    let own = &object.object;
    let former = schema::retired_kind(group, &own.kind)?;
    let is_gone = match (installed, object.served_beside) {
        ([], Some(beside)) => !beside.iter().any(|it| it.overlaps(&former.range)),
        ([], None) => false,
        (releases, _) => !releases.iter().any(|it| former.range.contains(it)),
    };
    let next = &former.successor;
    let target = schema_for(group, next, installed.first()).filter(|_| is_gone)?;
    let article = if next.starts_with('E') { "an" } else { "a" };
    Some(format!("Write {article} {next} of `{}` in its place", target.api_version()))
}

/// The version of a kind's API that is written, where the kind has it in its own group; else the newest it has there.
fn version_in<'v>(group: &str, kind: &str, written: &'v str) -> &'v str {
    let known = schema::kind(group, kind);
    if known.is_some_and(|it| it.schema(written).is_some()) {
        return written;
    }
    let newest = known.and_then(|it| it.schemas.last()).map(|it| &*it.version);
    newest.or_else(|| schema::retired_kind(group, kind).map(|it| &*it.api)).unwrap_or(written)
}

/// A kind that no release has.
fn of_no_kind(object: &KarpenterObject, installed: &[Version]) -> Option<NoSuchKind> {
    let own = &object.object;
    let is_known = |group: &str| {
        schema::kind(group, &own.kind).is_some() || schema::retired_kind(group, &own.kind).is_some()
    };
    if KARPENTER_GROUPS.iter().any(|it| is_known(it)) {
        return None;
    }
    let kinds: Vec<&str> =
        schema::kinds().filter(|it| it.group == own.group()).map(|it| &*it.name).collect();
    let served = served(own.group(), installed);
    let meant = closest(&own.kind, served.iter().copied())
        .or_else(|| closest(&own.kind, kinds.iter().copied()));
    let help = match (meant, installed) {
        _ if &*own.kind == ABSTRACT_CLASS => {
            let version = own.api_version.split_once('/').map_or("", |it| it.1);
            let version = version_in(EC2, AWS_CLASS, version);
            format!("Write `apiVersion: {EC2}/{version}` and `kind: {AWS_CLASS}`")
        }
        (Some(meant), _) => format!("Did you mean `{meant}`?"),
        (None, [release, ..]) if !served.is_empty() => {
            let (major, minor) = release.line();
            format!("Its kinds in Karpenter {major}.{minor}: {}", list(&served, "and"))
        }
        _ => format!("Its kinds are {}", list(&kinds, "and")),
    };
    Some(NoSuchKind {
        span: own.value.get("kind").present().map_or(object.report_span, |it| it.span),
        message: format!("`{}` has no {}", own.group(), own.kind),
        help: Some(help),
    })
}

/// The kinds of a group that all of these releases serve, those of former releases, too; none without a release.
fn served(group: &str, releases: &[Version]) -> Vec<&'static str> {
    let by_all =
        |serves: &dyn Fn(&Version) -> bool| !releases.is_empty() && releases.iter().all(serves);
    let current = schema::kinds().filter(|kind| {
        kind.group == group && by_all(&|it| kind.schemas.iter().any(|own| own.is_served_by(it)))
    });
    let former = schema::retired_kinds().iter();
    let former = former.filter(|kind| kind.group == group && by_all(&|it| kind.range.contains(it)));
    current.map(|it| &*it.name).chain(former.map(|it| &*it.kind)).collect()
}

/// A former kind in a version of the API that never had it: `karpenter.sh/v1` for a Provisioner.
fn of_no_version(object: &KarpenterObject) -> Option<NoSuchKind> {
    let own = &object.object;
    let kind = schema::retired_kind(own.group(), &own.kind).filter(|_| never_served(own))?;
    let until = kind.range.until.as_ref().map(Version::line);
    let until = until.map(|(major, minor)| format!(", before {major}.{minor}")).unwrap_or_default();
    let words = format!("`{}/{}` has it{until}; later releases have ", kind.group, kind.api);
    Some(NoSuchKind {
        span: own.value.get("apiVersion").present().map_or(object.report_span, |it| it.span),
        message: format!("Karpenter has no {} of `{}`", own.kind, own.api_version),
        help: Some(format!("{words}`{}` in its place", kind.successor)),
    })
}
