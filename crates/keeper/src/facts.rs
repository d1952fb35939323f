//! What a chart makes by default at each of its versions, in the form of the data, and where the data differs.

use std::fmt::Write;

use karplint_core::value::Value;
use karplint_knowledge::knowledge::{
    component::{self, Component, Pod},
    pdb_form::PdbCondition,
};

use crate::{
    crds::upstream::json,
    entry,
    probe::{self, Given},
    render::{ChartVersion, Made, Workload, no_values},
};

/// The facts of a chart at these versions with values, the oldest first, and what differs from the data.
pub(crate) fn facts(name: &str, versions: &[ChartVersion], given: &[Given]) -> String {
    let values = probe::values(given);
    let made: Vec<Made> = versions.iter().map(|it| Made::of(&it.chart, &values)).collect();
    let all: Vec<(&ChartVersion, &Made)> = versions.iter().zip(&made).collect();
    let mut out = String::new();
    for (version, made) in &all {
        let missing = version.chart.missing().into_iter();
        let missing = missing.map(|it| format!("{} {} is not here", it.name, it.version));
        for problem in missing.chain(made.errors.iter().cloned()) {
            let _ = writeln!(out, "# {}: {problem}", version.version);
        }
    }
    entry::write(&mut out, name, &all, given);
    out + &differences_of(name, versions)
}

/// Where the data has a chart otherwise than it is rendered at these versions.
pub(crate) fn differences_of(name: &str, versions: &[ChartVersion]) -> String {
    let mut out = String::new();
    for version in versions {
        write_differences(&mut out, name, version, &Made::of(&version.chart, &no_values()));
    }
    out
}

/// The component of a version of a chart: that of its publisher, or the only one of that name.
fn of_version(name: &str, version: &ChartVersion) -> Option<&'static Component> {
    let metadata = &version.chart.metadata.value;
    let home = metadata.get("home").present().into_iter();
    let sources = metadata.get("sources").present().into_iter().flat_map(Value::items);
    let mut places = home.chain(sources).filter_map(Value::as_str);
    let published = places.find_map(|it| component::of_chart(name, Some(it)));
    let mut named = component::all().filter(|it| it.charts.iter().any(|chart| chart == name));
    published.or_else(|| named.next().filter(|_| named.next().is_none()))
}

/// Where the data has a chart otherwise than it is rendered.
fn write_differences(out: &mut String, name: &str, version: &ChartVersion, made: &Made) {
    let Some(component) = of_version(name, version) else { return };
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
    let listed = packaging.default("tolerations", Some(&version.version)).map(Value::items);
    let added = packaging.appended_tolerations(Some(&version.version));
    if let (Some(listed), Some(added)) = (listed, added) {
        let ours: Vec<String> = listed.iter().chain(added).map(json).collect();
        let theirs = workload.pods("spec.tolerations").map(Value::items).unwrap_or_default();
        let theirs: Vec<String> = theirs.iter().map(json).collect();
        if ours != theirs {
            found.push(format!("tolerations are {theirs:?}, not {ours:?}"));
        }
    }
    found
}
