//! What a chart makes by default at each of its versions, in the form of the data, and where the data differs.

use std::fmt::Write;

use karplint_core::{value::Value, version::Version};
use karplint_knowledge::knowledge::{
    component::{self, Component, Pod},
    packaging::Packaging,
    pdb_form::PdbCondition,
};

use crate::{
    crds::upstream::json,
    entry,
    probe::{self, Given},
    render::{ChartVersion, Made, Workload, no_values},
    tree::document,
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
    out + &differences_of(name, versions, given)
}

/// Where the data has a chart otherwise than it is rendered at these versions, with values that it needs.
pub(crate) fn differences_of(name: &str, versions: &[ChartVersion], given: &[Given]) -> String {
    let mut out = String::new();
    for version in versions {
        write_differences(&mut out, name, version, given);
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
fn write_differences(out: &mut String, name: &str, version: &ChartVersion, given: &[Given]) {
    let Some(component) = of_version(name, version) else { return };
    let made = Made::of(&version.chart, &probe::values(given));
    let pods = component.pods.iter();
    for pod in pods.filter(|it| it.exists_in(Some(&version.version)) == Some(true)) {
        // What does not exist by default is looked at with values with which it does.
        let exists = pod.chart.as_ref().and_then(|it| it.exists(&no_values(), &version.version));
        let needed = if exists == Some(true) { Vec::new() } else { required(pod) };
        let required: Vec<Given> = given.iter().cloned().chain(needed).collect();
        let with_required = Made::of(&version.chart, &probe::values(&required));
        let made = if required.len() == given.len() { &made } else { &with_required };
        let at = format!("# {} {}: {}", component.name, version.version, pod.name);
        match workload_of(pod, made) {
            Ok(workload) => {
                for line in differences(pod, workload, version, (made, &required)) {
                    let _ = writeln!(out, "{at}: {line}");
                }
            }
            Err(why) => _ = writeln!(out, "{at}: {why}"),
        }
    }
}

/// The workload that a pod of the data is, or why there is none.
fn workload_of<'a>(pod: &Pod, made: &'a Made) -> Result<&'a Workload, String> {
    let fits = |it: &&Workload| {
        let labels = it.pods("metadata.labels");
        let has = |(key, value): (&String, &String)| {
            let found = labels.and_then(|it| it.get(key).present());
            found.and_then(|it| it.as_str()) == Some(value)
        };
        pod.labels.iter().all(has)
    };
    let of_kind = made.workloads.iter().filter(|it| it.kind == pod.kind && !it.is_for_windows());
    let all: Vec<&Workload> = of_kind.collect();
    let fitting: Vec<&Workload> = all.iter().copied().filter(fits).collect();
    let named =
        |it: &&Workload| it.name == pod.name || it.name.ends_with(&format!("-{}", pod.name));
    let by_name: Vec<&Workload> = fitting.iter().copied().filter(named).collect();
    match (&fitting[..], &by_name[..]) {
        ([workload], _) | (_, [workload]) => Ok(workload),
        ([], _) => {
            let labels = |it: &&Workload| {
                let labels = it.pods("metadata.labels").map_or("{}".to_owned(), json);
                format!("; {} has {labels}", it.name)
            };
            let others: String = all.iter().map(labels).collect();
            let error = made.errors.first().map_or(String::new(), |it| format!("; {it}"));
            Err(format!("no {} has its labels{others}{error}", pod.kind))
        }
        _ => Err(format!("{} workloads have its kind and labels", fitting.len())),
    }
}

/// Values with which a pod exists.
fn required(pod: &Pod) -> Vec<Given> {
    let required = pod.chart.iter().flat_map(Packaging::required);
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
        // Both are on while there is more than one pod, whatever the switch is.
        if setting == "pdb" && form.is_some_and(|it| it.made == PdbCondition::SwitchOrMany) {
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
    found.extend(tolerations(packaging, workload, &version.version));
    found
}

/// The tolerations, where they are others than the data has.
fn tolerations(packaging: &Packaging, workload: &Workload, version: &Version) -> Option<String> {
    let version = Some(version);
    let listed = packaging.default("tolerations", version).map(Value::items)?;
    let added = packaging.appended_tolerations(version)?;
    let switch = packaging.default("tolerate_all", version).and_then(Value::as_bool);
    let of_all = json_of(r#"{"operator": "Exists"}"#);
    let listed = listed.iter().map(json);
    let mut ours: Vec<String> = match (switch, packaging.ignores_tolerations(version)) {
        (Some(true), Some(true)) => vec![of_all],
        (Some(true), _) => listed.chain([of_all]).collect(),
        _ => listed.chain(added.iter().map(json)).collect(),
    };
    let theirs = workload.pods("spec.tolerations").map(Value::items).unwrap_or_default();
    let mut theirs: Vec<String> = theirs.iter().map(json).collect();
    ours.sort();
    theirs.sort();
    (ours != theirs).then(|| format!("tolerations are {theirs:?}, not {ours:?}"))
}

/// A text of JSON in the form of the others.
fn json_of(text: &str) -> String {
    document(text).as_ref().map_or_else(String::new, json)
}
