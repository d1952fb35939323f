//! The Karpenter of a cluster: its version, that of its CRDs, and where it is.

use crate::{
    inventory::{
        Item,
        facts::{nothing, of_setting, unknown},
    },
    model::{Model, installation::Installation},
    resolve::release::{Release, chart_version::Pin},
    source::Span,
    value::Value,
};

/// The installations of a cluster as one; `None` where there is none.
pub(crate) fn karpenter(model: &Model, own: &[&Installation], crds: &[&Release]) -> Option<Item> {
    let first = own.first()?;
    let span = place(model, first);
    let of =
        |it: &&Installation| release(model, it).map_or_else(|| of_setting(&it.version), version);
    let versions: Vec<Value> = own.iter().map(of).collect();
    let releases: Vec<&Release> = own.iter().filter_map(|it| release(model, it)).collect();
    let namespaces: Vec<Value> = releases.iter().map(|it| of_setting(&it.namespace)).collect();
    let version = agreed(&versions, span);
    let fields = vec![
        ("version", version.clone()),
        ("crd_version", crd_version(&releases, crds, version, span)),
        ("namespace", agreed(&namespaces, span)),
    ];
    Some(Item { fields, span })
}

fn release<'m>(model: &'m Model, it: &Installation) -> Option<&'m Release> {
    it.release.and_then(|it| model.releases.get(it))
}

fn place(model: &Model, installation: &Installation) -> Span {
    release(model, installation).map_or(installation.version.span(), |it| it.report_span)
}

/// The version of a release, as far as it is known.
pub(crate) fn version(release: &Release) -> Value {
    match release.version.pin {
        Pin::Newest => unknown("the newest, as none is written", release.report_span),
        _ if release.version.known().is_none() && !release.version.is_written() => {
            unknown("not written", release.report_span)
        }
        _ => of_setting(&release.version),
    }
}

/// The one value of all; where they differ it is not known which of them it is.
fn agreed(values: &[Value], span: Span) -> Value {
    let Some((first, others)) = values.split_first() else { return unknown("not written", span) };
    if others.iter().all(|it| it.same_as(first) == Some(true)) {
        return first.clone();
    }
    let mut words: Vec<&str> = values.iter().map(|it| it.as_str().unwrap_or("?")).collect();
    words.sort_unstable();
    words.dedup();
    unknown(format!("one of {}", words.join(", ")), span)
}

/// Of a release of their own, else of the chart, which Helm leaves as it was first installed.
fn crd_version(releases: &[&Release], crds: &[&Release], version: Value, span: Span) -> Value {
    if !crds.is_empty() {
        let versions: Vec<Value> = crds.iter().map(|it| self::version(it)).collect();
        return agreed(&versions, span);
    }
    let all = |wanted: fn(&Release) -> Option<bool>| {
        !releases.is_empty() && releases.iter().all(|it| wanted(it) == Some(true))
    };
    if all(|it| it.skip_crds.known().copied()) {
        return nothing(span);
    }
    if all(|it| it.upgrade_crds.known().copied()) {
        return version;
    }
    match version.as_str() {
        Some(version) => unknown(format!("{version} or what was installed before it"), span),
        None => unknown("those of the release that was installed first", span),
    }
}
