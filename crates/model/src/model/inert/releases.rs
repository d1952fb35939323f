//! Releases in clusters without Karpenter, as their values say.

use crate::{
    model::{applied::ON_LAPTOPS, named_for::named_for},
    resolve::{
        gitops::argo::is_own_cluster,
        release::{Release, surface::Surface},
    },
    source::{Files, SourceFile, parent},
    syntax::yaml,
    value::{Entry, Field, Value},
};

/// The value by which people switch off what belongs to Karpenter in a cluster.
const SWITCH: &str = "karpenter.enabled";

/// The releases whose values are for another cloud or a cluster on a laptop, or switch Karpenter off where those of another
/// environment switch it on, and what Argo CD installs beside itself where Karpenter is elsewhere, or into a cluster
/// whose pools are switched off; as indexes.
pub(super) fn without_karpenter(files: &Files, releases: &[Release]) -> Vec<usize> {
    let is_elsewhere = is_karpenter_elsewhere(releases);
    let without_pools = clusters_without_pools(files, releases);
    let is_without = |it: &Release| {
        !it.is_of_karpenter()
            && (destination(it).is_some_and(|it| without_pools.contains(&it))
                || is_for_another_cloud(files, it)
                || is_for_a_laptop(files, it)
                || is_switched_off(files, it)
                || is_elsewhere && is_beside_argo(it) == Some(true))
    };
    let indexed = releases.iter().enumerate();
    indexed.filter(|(_, it)| is_without(it)).map(|(index, _)| index).collect()
}

/// The clusters into which Argo CD installs the chart of the pools with those switched off, and by no other release
/// switched on.
fn clusters_without_pools<'r>(files: &Files, releases: &'r [Release]) -> Vec<&'r str> {
    let off_in = |it: &'r Release| {
        destination(it).filter(|_| is_switched_off(files, it) && makes_pools(files, it))
    };
    let mut found: Vec<&str> = releases.iter().filter_map(off_in).collect();
    let is_on = |it: &&Release| match it.values.at(SWITCH) {
        Field::Missing => makes_pools(files, it),
        Field::Present(value) => value.as_bool() != Some(false),
        Field::Unknown => true,
    };
    found.retain(|cluster| {
        let mut there = releases.iter().filter(|it| destination(it) == Some(cluster));
        !there.any(|it| is_on(&it))
    });
    found
}

/// The cluster, by its address or its name, into which Argo CD installs a release.
fn destination(release: &Release) -> Option<&str> {
    let unit = release.unit().filter(|it| it.surface == Surface::ArgoCd)?;
    let destination = unit.body.at("spec.destination");
    let text = |key| destination.get(key).present().and_then(Value::as_str);
    ["server", "name"].into_iter().find_map(text).filter(|it| !it.is_empty())
}

/// Whether a template of the release's chart holds pools.
fn makes_pools(files: &Files, release: &Release) -> bool {
    const KINDS: [&str; 2] = ["kind: NodePool", "kind: Provisioner"];
    let Some(chart) = &release.local_chart else { return false };
    let templates = format!("{chart}/templates/");
    let is_pool = |it: &str| KINDS.contains(&it.trim_end());
    let mut inside = files.iter().filter(|(_, it)| it.path().starts_with(&templates));
    inside.any(|(_, it)| it.text().lines().any(is_pool))
}

/// Whether Argo CD installs every Karpenter in other clusters than its own.
fn is_karpenter_elsewhere(releases: &[Release]) -> bool {
    let mut controllers = releases.iter().filter(|it| it.is_controller()).peekable();
    controllers.peek().is_some() && controllers.all(|it| is_beside_argo(it) == Some(false))
}

/// Whether Argo CD installs a release in its own cluster; `None` where that is not known, or another tool does.
fn is_beside_argo(release: &Release) -> Option<bool> {
    let unit = release.unit().filter(|it| it.surface == Surface::ArgoCd)?;
    is_own_cluster(unit.body.at("spec.destination"))
}

fn is_for_another_cloud(files: &Files, release: &Release) -> bool {
    let is_file_for = |it: &Entry| {
        let file = files.get(it.key_span.file);
        let is_values = matches!(file.ending(), "yaml" | "yml");
        // "Azure" in the name of a file is more often a way to log in.
        let path = if file.name().contains("azure") { file.folder() } else { file.path() };
        is_values && named_for(path).is_some()
    };
    let is_plain = release.scope.root.is_none();
    is_plain
        && (named_for(&release.scope.folder).is_some()
            || is_chart_for_another_cloud(files, &release.scope.folder))
        || release.values.entries().iter().any(is_file_for)
}

/// Whether the chart in a folder is for another cloud or machines of one's own, by its keywords, and not for AWS as well.
fn is_chart_for_another_cloud(files: &Files, folder: &str) -> bool {
    let Some(id) = files.find(&format!("{folder}/Chart.yaml")) else { return false };
    let documents = yaml::parse_file(id, files.get(id).text());
    let keywords = documents.values.first().and_then(|it| it.get("keywords").present());
    let words = keywords.map_or(&[][..], Value::items).iter().filter_map(Value::as_str);
    named_for(&words.collect::<Vec<_>>().join("/")).is_some()
}

/// Whether a file of its values is for a cluster on a laptop, by its name: `values-kind.yaml`.
fn is_for_a_laptop(files: &Files, release: &Release) -> bool {
    let is_values = |it: &&str| *it != "values";
    let is_file_for = |it: &Entry| {
        let name = files.get(it.key_span.file).name();
        let stem = name.strip_suffix(".yaml").or_else(|| name.strip_suffix(".yml"));
        let words: Vec<&str> =
            stem.unwrap_or_default().split(['-', '.', '_']).filter(is_values).collect();
        words.len() == 1 && ON_LAPTOPS.contains(&words[0])
    };
    release.values.entries().iter().any(is_file_for)
}

/// Whether Karpenter is switched off, in a file beside which another one of the same kind switches it on. One alone
/// may only say that another tool installs it.
fn is_switched_off(files: &Files, release: &Release) -> bool {
    let switch = release.values.at(SWITCH).present();
    let Some(switch) = switch.filter(|it| it.as_bool() == Some(false)) else { return false };
    let own = files.get(switch.span.file);
    files.iter().any(|(id, it)| {
        id != switch.span.file
            && is_beside(own, it)
            && yaml::parse_file(id, it.text()).values.iter().any(switches_on)
    })
}

/// Whether two files are values of two environments: in one folder, or of one name in folders side by side.
fn is_beside(own: &SourceFile, other: &SourceFile) -> bool {
    let is_yaml = matches!(other.ending(), "yaml" | "yml");
    let same_folder = own.folder() == other.folder();
    let side_by_side = own.name() == other.name() && parent(own.folder()) == parent(other.folder());
    is_yaml && (same_folder || side_by_side)
}

fn switches_on(values: &Value) -> bool {
    values.at(SWITCH).present().and_then(Value::as_bool) == Some(true)
}
