//! What a chart makes by default at each of its versions, as an entry of the data.

use std::fmt::Write;

use karplint_core::value::{Entry, Value};

use crate::{
    crds::upstream::json,
    probe::{self, Given, Paths},
    render::{ChartVersion, Made, RELEASE, Workload},
    tree::document,
};

/// A version of a chart and what it makes.
type Version<'a> = (&'a ChartVersion, &'a Made);
/// What is known of a workload at a version: it, the values that configure it, those it needs.
type Probed<'a> = (Version<'a>, Vec<Paths>, Vec<Vec<String>>);

/// Writes the entry of a chart at these versions, the oldest first. Workloads that keep no data, and are not on
/// every node, are comments.
pub(crate) fn write(out: &mut String, name: &str, all: &[Version], given: &[Given]) {
    let (Some(first), Some(last)) = (all.first(), all.last()) else { return };
    let (oldest, newest) = (&first.0.version, &last.0.version);
    let _ = writeln!(out, "component: {name}\ntitle: {name}\ncharts: [{name}]\nrepositories: []");
    let _ = writeln!(out, "source: \nchecked: \nverified: {{chart: [{oldest}, {newest}]}}\npods:");
    let mut ends = vec![*first, *last];
    ends.dedup_by(|a, b| a.0.version == b.0.version);
    let probed: Vec<Probed> = ends
        .into_iter()
        .map(|it| {
            let (chart, made) = (&it.0.chart, it.1);
            (it, probe::paths(chart, made, given), probe::switches(chart, made, given))
        })
        .collect();
    let made: Vec<&Made> = all.iter().map(|it| it.1).collect();
    for (kind, workload) in workloads(&made) {
        let same = |it: &&Workload| it.kind == kind && it.name == workload;
        let found = made.iter().flat_map(|it| &it.workloads).filter(same);
        if kind == "Deployment" && !found.clone().any(Workload::has_claims) {
            let _ = writeln!(out, "  # {workload}: a Deployment without claims");
            continue;
        }
        let _ = writeln!(out, "  - name: {workload}\n    title: {workload}\n    kind: {kind}");
        write_range(out, kind, workload, all);
        write_labels(out, kind, workload, all);
        let _ = writeln!(out, "    chart:");
        write_paths(out, kind, workload, &probed);
        write_defaults(out, kind, workload, all);
        write_bounds(out, kind, workload, &probed);
        write_conditions(out, kind, workload, &probed);
        write_pdb(out, (kind, workload), &probed, given);
        let paths =
            probed.iter().rev().find_map(|it| of(it, &it.1, kind, workload)?.get("tolerations"));
        let path = paths.and_then(|it| it.first());
        let appended = |version: &ChartVersion, made: &Made| {
            let emptied = path
                .map(|it| Made::of(&version.chart, &probe::values(&probe::and(given, it, "[]"))));
            let now = emptied.as_ref().unwrap_or(made).workload(kind, workload)?;
            Some(now.pods("spec.tolerations").map_or("[]".into(), json))
        };
        let _ = writeln!(out, "      appended: {}", ranges(&changes(all, appended), true));
    }
}

/// The kinds and names of all workloads.
fn workloads<'a>(made: &[&'a Made]) -> Vec<(&'a str, &'a str)> {
    let all = made.iter().flat_map(|it| &it.workloads);
    let mut names: Vec<(&str, &str)> = all.map(|it| (&*it.kind, &*it.name)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// What holds at each version, from the one at which it begins; none where the workload is not made.
fn changes(
    all: &[Version],
    fact: impl Fn(&ChartVersion, &Made) -> Option<String>,
) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for (version, made) in all {
        if let Some(now) = fact(version, made)
            && found.last().is_none_or(|it| it.1 != now)
        {
            found.push((version.version.to_string(), now));
        }
    }
    found
}

/// Facts in the form of the data: one value, or several with their versions.
fn ranges(changes: &[(String, String)], is_list: bool) -> String {
    if let [(_, value)] = changes {
        return if is_list { format!("[{{value: {value}}}]") } else { value.clone() };
    }
    let mut lines = String::new();
    for (at, (since, value)) in changes.iter().enumerate() {
        let since = if at == 0 { String::new() } else { format!(", since: {since}") };
        let until = changes.get(at + 1).map_or(String::new(), |it| format!(", until: {}", it.0));
        let _ = write!(lines, "\n          - {{value: {value}{since}{until}}}");
    }
    lines
}

/// The versions that make the workload, where not all do.
fn write_range(out: &mut String, kind: &str, name: &str, all: &[Version]) {
    let is_made =
        |_: &ChartVersion, made: &Made| Some(made.workload(kind, name).is_some().to_string());
    for (at, (version, is_made)) in changes(all, is_made).iter().enumerate() {
        match (at, &**is_made) {
            (0, _) => {}
            (_, "true") => _ = writeln!(out, "    since: {version}"),
            _ => _ = writeln!(out, "    until: {version}"),
        }
    }
}

/// The labels of the pods whose value is always the same, and the one that is the release's name.
fn write_labels(out: &mut String, kind: &str, name: &str, all: &[Version]) {
    let entries = |made: &Made| -> Option<Vec<(String, String)>> {
        let labels = made.workload(kind, name)?.pods("metadata.labels");
        let text = |it: &Entry| {
            let of_version =
                ["version", "chart", "checksum"].iter().any(|part| it.key.contains(part));
            (!of_version)
                .then(|| (it.key.to_string(), it.value.as_str().unwrap_or_default().to_owned()))
        };
        Some(labels.map(Value::entries).unwrap_or_default().iter().filter_map(text).collect())
    };
    let fixed = |_: &ChartVersion, made: &Made| {
        let fixed = entries(made)?.into_iter().filter(|it| !it.1.contains(RELEASE));
        let mut list: Vec<String> =
            fixed.map(|(key, value)| format!("{key}: {}", quoted(&value))).collect();
        list.sort();
        Some(format!("{{{}}}", list.join(", ")))
    };
    let instance = |_: &ChartVersion, made: &Made| {
        Some(entries(made)?.into_iter().find(|it| it.1 == RELEASE)?.0)
    };
    for (setting, changes) in
        [("labels", changes(all, fixed)), ("instance_label", changes(all, instance))]
    {
        let Some(((_, newest), older)) = changes.split_last() else { continue };
        let _ = writeln!(out, "    {setting}: {newest}");
        for (since, value) in older {
            let _ = writeln!(out, "    # from {since} on: {value}");
        }
    }
}

/// A text as it is written in YAML: one that is read as something else needs quotes.
fn quoted(text: &str) -> String {
    let is_text = document(text).is_some_and(|it| it.as_str() == Some(text));
    if is_text { text.to_owned() } else { format!("{text:?}") }
}

/// The values of a workload among those of all that a version makes.
fn of<'a, T>((version, ..): &Probed, found: &'a [T], kind: &str, name: &str) -> Option<&'a T> {
    let at = version.1.workloads.iter().position(|it| it.kind == kind && it.name == name)?;
    found.get(at)
}

/// The values that configure the workload at the newest version, and what was otherwise at the oldest.
fn write_paths(out: &mut String, kind: &str, name: &str, probed: &[Probed]) {
    let mut newest: Option<&Paths> = None;
    for version in probed.iter().rev() {
        let Some(paths) = of(version, &version.1, kind, name) else { continue };
        match newest {
            None => {
                let _ = writeln!(out, "      paths:");
                for (setting, paths) in paths {
                    let _ = writeln!(out, "        {setting}: [{}]", paths.join(", "));
                }
                newest = Some(paths);
            }
            Some(newest) => {
                let others = paths.iter().filter(|it| newest.get(*it.0) != Some(it.1));
                for (setting, paths) in others {
                    let (at, list) = (&version.0.0.version, paths.join(", "));
                    let _ = writeln!(out, "        # {at}: {setting}: [{list}]");
                }
                for setting in newest.keys().filter(|it| !paths.contains_key(*it)) {
                    let _ = writeln!(out, "        # {}: no {setting}", version.0.0.version);
                }
            }
        }
    }
}

/// What holds of a workload by default, each with the versions at which it changes.
fn write_defaults(out: &mut String, kind: &str, name: &str, all: &[Version]) {
    type Fact = fn(&Workload, &Made) -> Option<String>;
    let facts: [(&str, Fact); 5] = [
        ("replicas", |it, _| {
            let is_counted = it.kind != "DaemonSet";
            is_counted.then(|| it.object.at("spec.replicas").present().map_or("1".into(), json))
        }),
        ("tolerations", |it, _| Some(it.pods("spec.tolerations").map_or("[]".into(), json))),
        ("grace", |it, _| it.pods("spec.terminationGracePeriodSeconds").map(json)),
        ("persistence", |it, _| Some(it.has_claims().to_string())),
        ("pdb", |it, made| Some(made.pdb_of(it).is_some().to_string())),
    ];
    let _ = writeln!(out, "      defaults:");
    for (setting, fact) in facts {
        let changes = changes(all, |_, made| fact(made.workload(kind, name)?, made));
        if !changes.is_empty() {
            let _ =
                writeln!(out, "        {setting}: {}", ranges(&changes, setting == "tolerations"));
        }
    }
}

/// What the values that bound a PDB are by default, at the newest version.
fn write_bounds(out: &mut String, kind: &str, name: &str, probed: &[Probed]) {
    let Some(version) = probed.last() else { return };
    let Some(paths) = of(version, &version.1, kind, name) else { return };
    for setting in ["min_available", "max_unavailable"] {
        let Some(path) = paths.get(setting).and_then(|it| it.first()) else { continue };
        let value = version.0.0.chart.values.at(path).present().map_or("null".to_owned(), json);
        let _ = writeln!(out, "        {setting}: {value}");
    }
}

/// The switches without which the workload is not made.
fn write_conditions(out: &mut String, kind: &str, name: &str, probed: &[Probed]) {
    let mut before: Option<&Vec<String>> = None;
    for version in probed.iter().rev() {
        let Some(switches) = of(version, &version.2, kind, name) else { continue };
        if before.is_none() && !switches.is_empty() {
            let _ = writeln!(out, "      when:");
        }
        for it in switches.iter().filter(|it| before.is_none_or(|all| !all.contains(it))) {
            let comment = if before.is_some() {
                format!("# {}: ", version.0.0.version)
            } else {
                String::new()
            };
            let _ = writeln!(out, "        {comment}{it}");
        }
        before = Some(switches);
    }
}

/// Whether the chart makes a PDB, and what becomes of its bounds.
fn write_pdb(out: &mut String, (kind, name): (&str, &str), probed: &[Probed], given: &[Given]) {
    for version in probed.iter().rev() {
        let (chart, at) = (&version.0.0.chart, &version.0.0.version);
        let Some(paths) = of(version, &version.1, kind, name) else { continue };
        if !probe::can_make_pdb(chart) {
            let _ = writeln!(out, "      pdb: never # {at}");
            continue;
        }
        let put = |settings: &[(&str, &str)]| -> Vec<Given> {
            let of = |(setting, value): &(&str, &str)| {
                Some((paths.get(setting)?.first()?.clone(), (*value).to_owned()))
            };
            settings.iter().filter_map(of).collect()
        };
        for tried in [
            &[][..],
            &[("pdb", "true")],
            &[("pdb", "true"), ("replicas", "3")],
            &[("pdb", "true"), ("replicas", "3"), ("min_available", "2")],
            &[("pdb", "true"), ("replicas", "3"), ("max_unavailable", "2")],
            &[("pdb", "true"), ("replicas", "3"), ("min_available", "2"), ("max_unavailable", "2")],
            &[("pdb", "true"), ("replicas", "3"), ("min_available", "0"), ("max_unavailable", "0")],
        ] {
            let put = put(tried);
            let all: Vec<Given> = given.iter().chain(&put).cloned().collect();
            let made = Made::of(chart, &probe::values(&all));
            let pdb = made.workload(kind, name).and_then(|it| made.pdb_of(it));
            let bound = |key: &str| {
                Some(format!("{key} {}", json(pdb?.at("spec").present()?.get(key).present()?)))
            };
            let bounds: Vec<String> =
                ["minAvailable", "maxUnavailable"].into_iter().filter_map(bound).collect();
            let bounds =
                if pdb.is_some() { format!("[{}]", bounds.join(", ")) } else { "none".to_owned() };
            let put: Vec<String> = put.iter().map(|it| format!("{} {}", it.0, it.1)).collect();
            let _ = writeln!(out, "      # {at} pdb with {{{}}}: {bounds}", put.join(", "));
        }
    }
}
