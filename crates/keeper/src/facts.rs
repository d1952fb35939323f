//! What a chart makes by default at each of its versions, in the form of the data, and where the data differs.

use std::fmt::Write;

use karplint_knowledge::knowledge::{
    component::{self, Pod},
    pdb_form::PdbCondition,
};

use crate::{
    crds::upstream::json,
    probe::{self, Given, Paths},
    render::{ChartVersion, Made, RELEASE, Workload, no_values},
};

/// The facts of a chart at these versions, the oldest first, with what differs from the data.
pub(crate) fn facts(name: &str, versions: &[ChartVersion]) -> String {
    let made: Vec<Made> = versions.iter().map(|it| Made::of(&it.chart, &no_values())).collect();
    let all: Vec<(&ChartVersion, &Made)> = versions.iter().zip(&made).collect();
    let mut out = String::new();
    for (version, made) in &all {
        let missing = version.chart.missing().into_iter();
        let missing = missing.map(|it| format!("{} {} is not here", it.name, it.version));
        for problem in missing.chain(made.errors.iter().cloned()) {
            let _ = writeln!(out, "# {}: {problem}", version.version);
        }
    }
    let (Some(first), Some(last)) = (all.first(), all.last()) else { return out };
    let (oldest, newest) = (&first.0.version, &last.0.version);
    let _ =
        writeln!(out, "component: {name}\ntitle: {name}\ncharts: [{name}]\nsource: \nchecked: ");
    let _ = writeln!(out, "verified: {{chart: [{oldest}, {newest}]}}\npods:");
    let mut ends = vec![*first, *last];
    ends.dedup_by(|a, b| a.0.version == b.0.version);
    let probed: Vec<(&ChartVersion, &Made, Vec<Paths>)> =
        ends.into_iter().map(|(it, made)| (it, made, probe::paths(&it.chart, made))).collect();
    for (kind, workload) in workloads(&made) {
        let _ = writeln!(out, "  - name: {workload}\n    kind: {kind}\n    chart:");
        write_defaults(&mut out, kind, workload, &all);
        for (version, made, paths) in &probed {
            let at = made.workloads.iter().position(|it| it.kind == kind && it.name == workload);
            let Some(paths) = at.and_then(|at| paths.get(at)) else { continue };
            let _ = writeln!(out, "      paths: # {}", version.version);
            for (setting, paths) in paths {
                let _ = writeln!(out, "        {setting}: [{}]", paths.join(", "));
            }
        }
    }
    for (version, made) in &all {
        write_differences(&mut out, name, version, made);
    }
    out
}

/// The kinds and names of all workloads.
fn workloads(made: &[Made]) -> Vec<(&str, &str)> {
    let all = made.iter().flat_map(|it| &it.workloads);
    let mut names: Vec<(&str, &str)> = all.map(|it| (&*it.kind, &*it.name)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// What holds of a workload by default, each with the versions at which it changes.
fn write_defaults(out: &mut String, kind: &str, name: &str, all: &[(&ChartVersion, &Made)]) {
    type Fact = fn(&Workload, &Made) -> String;
    let facts: [(&str, Fact); 6] = [
        ("labels", |it, _| labels(it)),
        ("replicas", |it, _| it.object.at("spec.replicas").present().map_or("null".into(), json)),
        ("tolerations", |it, _| it.pods("spec.tolerations").map_or("[]".into(), json)),
        ("grace", |it, _| {
            it.pods("spec.terminationGracePeriodSeconds").map_or("null".into(), json)
        }),
        ("persistence", |it, _| it.has_claims().to_string()),
        ("pdb", |it, made| {
            let spec = made.pdb_of(it).and_then(|it| it.get("spec").present());
            let bound = |key: &str| Some(format!("{key}: {}", json(spec?.get(key).present()?)));
            let bounds: Vec<String> =
                ["minAvailable", "maxUnavailable"].into_iter().filter_map(bound).collect();
            if spec.is_some() { format!("{{{}}}", bounds.join(", ")) } else { "none".to_owned() }
        }),
    ];
    for (setting, fact) in facts {
        let mut before = None;
        for (version, made) in all {
            let now = made.workload(kind, name).map_or("absent".to_owned(), |it| fact(it, made));
            if before.as_ref() != Some(&now) {
                let since = before.is_some().then(|| format!(" # since {}", version.version));
                let _ = writeln!(out, "      {setting}: {now}{}", since.unwrap_or_default());
                before = Some(now);
            }
        }
    }
}

/// The labels of the pods whose value is always the same, and the one that is the release's name.
fn labels(workload: &Workload) -> String {
    let all = workload
        .pods("metadata.labels")
        .map(karplint_core::value::Value::entries)
        .unwrap_or_default();
    let shown = |it: &karplint_core::value::Entry| {
        let value = it.value.as_str().unwrap_or_default();
        let varies = value.contains(RELEASE) && value != RELEASE;
        let of_version = it.key.contains("version") || it.key.contains("chart");
        (!varies && !of_version).then(|| format!("{}: {value}", it.key))
    };
    let mut list: Vec<String> = all.iter().filter_map(shown).collect();
    list.sort();
    format!("{{{}}}", list.join(", ")).replace(RELEASE, "<release>")
}

/// Where the data has a chart otherwise than it is rendered.
fn write_differences(out: &mut String, name: &str, version: &ChartVersion, made: &Made) {
    let home = version.chart.metadata.value.get("home").present().and_then(|it| it.as_str());
    let Some(component) =
        component::of_chart(name, home).or_else(|| component::of_chart(name, None))
    else {
        return;
    };
    let pods = component.pods.iter();
    for pod in pods.filter(|it| it.exists_in(Some(&version.version)) == Some(true)) {
        // What does not exist by default is looked at with values with which it does.
        let exists = pod.chart.as_ref().and_then(|it| it.exists(&no_values(), &version.version));
        let required = if exists == Some(true) { Vec::new() } else { required(pod) };
        let with_required = Made::of(&version.chart, &probe::values(&required));
        let made = if required.is_empty() { made } else { &with_required };
        let fits = |it: &&Workload| {
            let labels = it.pods("metadata.labels");
            let has = |(key, value): (&String, &String)| {
                let found = labels.and_then(|it| it.get(key).present());
                found.and_then(|it| it.as_str()) == Some(value)
            };
            it.kind == pod.kind && pod.labels.iter().all(has)
        };
        let fitting: Vec<&Workload> = made.workloads.iter().filter(fits).collect();
        let at = format!("# {} {}: {}", component.name, version.version, pod.name);
        let [workload] = fitting[..] else {
            let _ = writeln!(out, "{at}: {} workloads have its kind and labels", fitting.len());
            continue;
        };
        for line in differences(pod, workload, version, (made, &required)) {
            let _ = writeln!(out, "{at}: {line}");
        }
    }
}

/// Values with which a pod exists.
fn required(pod: &Pod) -> Vec<Given> {
    let required =
        pod.chart.iter().flat_map(karplint_knowledge::knowledge::packaging::Packaging::required);
    required.map(|(path, value)| (path.to_owned(), json(value))).collect()
}

fn differences(
    pod: &Pod,
    workload: &Workload,
    version: &ChartVersion,
    (made, required): (&Made, &[Given]),
) -> Vec<String> {
    let mut found = Vec::new();
    let Some(packaging) = &pod.chart else { return found };
    let theirs = |setting: &str| -> Option<String> {
        let number = |path: &str| workload.object.at(path).present().map(json);
        Some(match setting {
            "replicas" => number("spec.replicas")?,
            "grace" => number("spec.template.spec.terminationGracePeriodSeconds")?,
            "persistence" => workload.has_claims().to_string(),
            "pdb" => made.pdb_of(workload).is_some().to_string(),
            _ => return None,
        })
    };
    for setting in packaging.settings() {
        let ours = packaging.default(setting, Some(&version.version));
        if let (Some(ours), Some(theirs)) = (ours, theirs(setting))
            && !ours.is_null()
            && json(ours).trim_matches('"') != theirs.trim_matches('"')
        {
            found.push(format!("{setting} is {theirs}, not {}", json(ours)));
        }
        let is_bound = matches!(setting, "min_available" | "max_unavailable");
        let form = packaging.pdb_form(&version.version);
        if (is_bound || setting == "pdb") && form.is_some_and(|it| it.made == PdbCondition::Never) {
            continue;
        }
        let put = |name: &str, json: &str| {
            packaging.paths(name).iter().map(|it| (it.clone(), json.to_owned())).collect()
        };
        let switched: Vec<Given> = if is_bound { put("pdb", "true") } else { Vec::new() };
        let many: Vec<Given> =
            if is_bound || setting == "pdb" { put("replicas", "3") } else { Vec::new() };
        let given: Vec<Given> = required.iter().cloned().chain(switched).chain(many).collect();
        for path in packaging.paths(setting) {
            if probe::acts(&version.chart, workload, setting, path, &given) == Some(false) {
                found.push(format!("{setting}: `{path}` changes nothing"));
            }
        }
    }
    let listed = packaging
        .default("tolerations", Some(&version.version))
        .map(karplint_core::value::Value::items);
    let added = packaging.appended_tolerations(Some(&version.version));
    if let (Some(listed), Some(added)) = (listed, added) {
        let ours: Vec<String> = listed.iter().chain(added).map(json).collect();
        let theirs = workload
            .pods("spec.tolerations")
            .map(karplint_core::value::Value::items)
            .unwrap_or_default();
        let theirs: Vec<String> = theirs.iter().map(json).collect();
        if ours != theirs {
            found.push(format!("tolerations are {theirs:?}, not {ours:?}"));
        }
    }
    found
}
