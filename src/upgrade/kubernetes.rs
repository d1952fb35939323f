//! What a new version of Kubernetes asks of the cluster and of what else runs there.

use crate::{
    knowledge::upgrade::{self, Ask, Follower, Moment},
    model::{Model, addon::Addon},
    project::Project,
    resolve::release::Release,
    source::{FileId, Span, aside},
    syntax::yaml,
    upgrade::cluster_version::{ClusterVersion, minor},
    value::Value,
    version::{Version, constraint::Constraint},
};

/// Charts that are named in one line.
const CHARTS: usize = 12;

/// Whether no cluster is beyond that version.
///
/// # Errors
/// A sentence, when one is.
pub(super) fn is_ahead(model: &Model, to: &Version) -> Result<(), String> {
    let known = model.clusters.iter().filter_map(|it| it.version.as_ref()?.known());
    match known.chain(&model.assumed.kubernetes_version).max() {
        Some(newest) if newest.line() > to.line() => {
            let (has, wanted) = (minor(newest), minor(to));
            Err(format!("a cluster has Kubernetes {has} already, newer than {wanted}"))
        }
        _ => Ok(()),
    }
}

/// What the way of the clusters to a version asks for before its first step: of add-ons and charts.
pub(super) fn first_asks(model: &Model, project: &Project, to: &Version) -> Vec<Ask> {
    addon_asks(model, project, to).into_iter().chain(chart_asks(model, project, to)).collect()
}

/// What one step of the clusters asks for.
pub(super) fn step_asks(project: &Project, clusters: &[ClusterVersion], to: &Version) -> Vec<Ask> {
    let behind = clusters.iter().filter(|it| it.version.line() < to.line());
    let places: Vec<String> = behind.filter_map(|it| Some(place(project, it.span?))).collect();
    let places = match places.as_slice() {
        [] => String::new(),
        places => format!(" ({})", places.join(", ")),
    };
    upgrade::kubernetes_asks(&format!("{}{places}", minor(to)))
}

/// What is asked of the add-ons before the control plane has that version: those it is too new for move, and
/// of others that are pinned, only EKS says.
fn addon_asks(model: &Model, project: &Project, to: &Version) -> Vec<Ask> {
    let ask = |addon: &Addon| {
        let version = addon.allowed.as_ref()?.is_exact()?;
        let place = place(project, addon.report_span);
        if let Some(follower) = upgrade::followers().iter().find(|it| it.addon == addon.name) {
            return follower_behind(follower, &place, &version, to);
        }
        let kubernetes = format!("{}.{}", to.major, to.minor);
        upgrade::addon_ask(&addon.name, &place, &version.to_string(), &kubernetes)
    };
    let mut asks: Vec<Ask> = model.addons.iter().filter_map(ask).collect();
    asks.dedup_by(|a, b| a.r#do == b.r#do);
    asks
}

fn follower_behind(
    follower: &Follower,
    place: &str,
    version: &Version,
    to: &Version,
) -> Option<Ask> {
    let oldest = to.minor.checked_sub(follower.behind).filter(|it| version.minor < *it)?;
    let (name, behind) = (&follower.addon, follower.behind);
    Some(Ask {
        r#do: format!("Move the add-on `{name}` ({place}) from {version} to 1.{oldest} or newer"),
        why: format!("it may be {behind} minors behind the control plane at most"),
        when: Moment::Before,
        source: follower.source.clone(),
        checked: follower.checked.clone(),
        kinds: Vec::new(),
    })
}

/// What is asked of the charts before the control plane has that version: those that say they do not work with
/// it, or that are made for one minor, move first; the others are to be looked at.
fn chart_asks(model: &Model, project: &Project, to: &Version) -> Vec<Ask> {
    let path = |it: &Release| project.files.get(it.report_span.file).path();
    let is_asked = |it: &&Release| {
        project.is_asked_for(path(it)) && aside::of(path(it)).is_none() && !it.is_of_karpenter()
    };
    let releases: Vec<&Release> = model.releases.iter().filter(is_asked).collect();
    let mut asks = Vec::new();
    let mut others = Vec::new();
    for release in releases {
        let place = place(project, release.report_span);
        if let Some(folder) = &release.local_chart {
            asks.extend(chart_behind(project, (folder, &place), to));
        } else if let Some(leader) = upgrade::companion(&release.chart) {
            asks.push(leader.ask(&place, to));
        } else if !release.chart.is_empty() {
            let version = release.version.known().map_or(String::new(), |it| format!(" {it}"));
            others.push(format!("`{}`{version} ({place})", release.chart));
        }
    }
    others.sort();
    others.dedup();
    asks.extend(upgrade::chart_ask(&shown(&others), &minor(to)).filter(|_| !others.is_empty()));
    asks.dedup_by(|a, b| a.r#do == b.r#do);
    asks
}

/// Those that fit, and how many there are besides.
fn shown(charts: &[String]) -> String {
    let named = charts.iter().take(CHARTS).cloned().collect::<Vec<_>>().join(", ");
    match charts.len().saturating_sub(CHARTS) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// What is asked of a chart of the repository that says it does not work with that version.
fn chart_behind(project: &Project, (folder, place): (&str, &str), to: &Version) -> Option<Ask> {
    let (id, file) = project.files.iter().find(|(_, it)| {
        it.path().strip_suffix("Chart.yaml").is_some_and(|it| it.trim_end_matches('/') == folder)
    })?;
    let range = kube_version(id, file.text())?;
    // EKS's versions have a suffix, which charts allow by `-0`.
    let works = Constraint::parse(&range.replace("-0", "")).is_none_or(|it| it.allows(to));
    if works { None } else { upgrade::local_chart_ask(folder, place, &range, &minor(to)) }
}

fn kube_version(id: FileId, text: &str) -> Option<String> {
    let values = yaml::parse_file(id, text).values;
    let range = values.first()?.get("kubeVersion").present().and_then(Value::as_str)?;
    Some(range.to_owned())
}

/// `path:line`
pub(super) fn place(project: &Project, span: Span) -> String {
    let file = project.files.get(span.file);
    format!("{}:{}", file.path(), file.line_of(span.start as usize) + 1)
}
