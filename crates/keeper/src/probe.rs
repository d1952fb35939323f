//! Which values a workload is configured by, found by trying: a value is set, and what then differs shows it.

use std::collections::BTreeMap;

use karplint_core::value::{Kind, Value};
use karplint_helm::helm::chart::{Chart, ChartFile, Content};

use crate::{
    crds::upstream::json,
    render::{Made, Workload, no_values},
    tree::document,
};

/// What is put in where a word or a key is wanted.
const WORD: &str = "karplint-probe";
/// What is put in where a number is wanted.
const NUMBER: &str = "4321";

/// A value to be set: its path and what it is, as JSON.
pub(crate) type Given = (String, String);

/// The values by the setting that they are, of one workload.
pub(crate) type Paths = BTreeMap<&'static str, Vec<String>>;

/// A setting and the values that may be it.
struct Setting {
    name: &'static str,
    /// How the last part of a path ends, in small letters.
    endings: &'static [&'static str],
    /// What is put in; nothing for a switch, which is turned.
    probe: Option<&'static str>,
    /// Words of which a path has one; none where any path will do.
    within: &'static [&'static str],
}

const TOLERATION: &str = r#"[{"key": "karplint-probe", "operator": "Exists"}]"#;
const AFFINITY: &str = r#"{"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "karplint-probe", "operator": "Exists"}]}]}}}"#;
/// Templates of claims, where these are a list of the values.
const CLAIMS: &str = r#"[{"metadata": {"name": "karplint-probe"}, "spec": {}}]"#;
const LABEL: &str = r#"{"karplint-probe": "karplint-probe"}"#;

const SETTINGS: &[Setting] = &[
    Setting { name: "pod_annotations", endings: &["annotations"], probe: Some(LABEL), within: &[] },
    Setting { name: "pod_labels", endings: &["labels"], probe: Some(LABEL), within: &[] },
    Setting {
        name: "tolerations",
        endings: &["tolerations"],
        probe: Some(TOLERATION),
        within: &[],
    },
    Setting { name: "node_selector", endings: &["nodeselector"], probe: Some(LABEL), within: &[] },
    Setting { name: "affinity", endings: &["affinity"], probe: Some(AFFINITY), within: &[] },
    Setting {
        name: "grace",
        endings: &["graceperiod", "graceperiodseconds"],
        probe: Some(NUMBER),
        within: &[],
    },
    Setting {
        name: "replicas",
        endings: &["replicas", "replicacount", "count"],
        probe: Some(NUMBER),
        within: &[],
    },
    Setting {
        name: "persistence",
        endings: &["enabled", "persistence", "persistent"],
        probe: None,
        within: &["persist", "storage", "volume"],
    },
    Setting {
        name: "pdb",
        endings: &["enabled", "create"],
        probe: None,
        within: &["pdb", "disruption"],
    },
    Setting {
        name: "max_unavailable",
        endings: &["maxunavailable"],
        probe: Some(NUMBER),
        within: &[],
    },
    Setting { name: "min_available", endings: &["minavailable"], probe: Some(NUMBER), within: &[] },
    Setting {
        name: "autoscaling",
        endings: &["enabled"],
        probe: None,
        within: &["autoscal", "hpa", "keda"],
    },
    Setting { name: "name_override", endings: &["nameoverride"], probe: Some(WORD), within: &[] },
];

/// The values of a chart that configure each of its workloads, in the order of the workloads, where others are
/// given, too.
pub(crate) fn paths(chart: &Chart, made: &Made, given: &[Given]) -> Vec<Paths> {
    let mut all = Vec::new();
    collect(chart, "", &mut all);
    let mut found = vec![Paths::new(); made.workloads.len()];
    for (path, value) in &all {
        for setting in SETTINGS.iter().filter(|it| it.may_be(path, value)) {
            let probe = setting.probe.unwrap_or(match value.kind {
                Kind::Bool(true) => "false",
                _ => "true",
            });
            let after = Made::of(chart, &values(&and(given, path, probe)));
            for (workload, found) in made.workloads.iter().zip(&mut found) {
                if shows(setting.name, workload, made, &after) {
                    found.entry(setting.name).or_default().push(path.clone());
                }
            }
        }
    }
    for (workload, found) in made.workloads.iter().zip(&mut found) {
        add_bounds(chart, &all, workload, given, found);
    }
    found
}

/// Adds the values that bound a PDB which is not made by default: they show while its switch is on.
fn add_bounds(
    chart: &Chart,
    all: &[(String, Value)],
    workload: &Workload,
    given: &[Given],
    found: &mut Paths,
) {
    let Some(switch) = found.get("pdb").and_then(|it| it.first()) else { return };
    let mut given = and(given, switch, "true");
    if let Some(replicas) = found.get("replicas").and_then(|it| it.first()) {
        given = and(&given, replicas, "3");
    }
    let before = Made::of(chart, &values(&given));
    for setting in SETTINGS
        .iter()
        .filter(|it| it.name.ends_with("_unavailable") || it.name.starts_with("min_"))
    {
        for (path, _) in all.iter().filter(|(path, value)| setting.may_be(path, value)) {
            let after = Made::of(chart, &values(&and(&given, path, NUMBER)));
            let paths = found.entry(setting.name).or_default();
            if shows(setting.name, workload, &before, &after) && !paths.contains(path) {
                paths.push(path.clone());
            }
        }
    }
    found.retain(|_, it| !it.is_empty());
}

/// The values, and one more.
pub(crate) fn and(given: &[Given], path: &str, json: &str) -> Vec<Given> {
    let mut given = given.to_vec();
    given.push((path.to_owned(), json.to_owned()));
    given
}

/// The switches without which each workload is not made, in the order of the workloads: conditions of the data.
pub(crate) fn switches(chart: &Chart, made: &Made, given: &[Given]) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    collect(chart, "", &mut all);
    let mut found = vec![Vec::new(); made.workloads.len()];
    for (path, value) in &all {
        let Kind::Bool(default) = value.kind else { continue };
        let written = given.iter().find(|it| it.0 == *path).map(|it| it.1 == "true");
        let is_on = written.unwrap_or(default);
        let after = Made::of(chart, &values(&and(given, path, &(!is_on).to_string())));
        for (workload, found) in made.workloads.iter().zip(&mut found) {
            if after.errors.is_empty() && after.workload(&workload.kind, &workload.name).is_none() {
                let line = format!("- {{path: {path}, one_of: [{is_on}], defaults: {default}}}");
                found.push(line);
            }
        }
    }
    found
}

/// Whether a template of a chart, or of one inside it, makes a PDB.
pub(crate) fn can_make_pdb(chart: &Chart) -> bool {
    let names = |it: &ChartFile| match &it.content {
        Content::Text(text) => text.contains("PodDisruptionBudget"),
        Content::Bytes(_) => false,
    };
    chart.templates.iter().any(names) || chart.subcharts.iter().any(can_make_pdb)
}

/// Whether a value at a path configures the setting of a workload, where others are given, too.
pub(crate) fn acts(
    chart: &Chart,
    workload: &Workload,
    setting: &str,
    path: &str,
    given: &[Given],
) -> Option<bool> {
    let known = SETTINGS.iter().find(|it| it.name == setting)?;
    let before = Made::of(chart, &values(given));
    let workload = before.workload(&workload.kind, &workload.name)?;
    let is_on = match setting {
        "persistence" => workload.has_claims(),
        "autoscaling" => {
            matches!(chart.values.at(path).present().map(|it| &it.kind), Some(Kind::Bool(true)))
        }
        _ => before.pdb_of(workload).is_some(),
    };
    let is_list =
        chart.values.at(path).present().is_some_and(|it| matches!(it.kind, Kind::List(_)));
    let switched = if is_on { "false" } else { "true" };
    let probe = known.probe.unwrap_or(if is_list { CLAIMS } else { switched });
    let after = Made::of(chart, &values(&and(given, path, probe)));
    Some(shows(known.name, workload, &before, &after))
}

/// Whether a rendering differs from the first one where a setting says so.
fn shows(setting: &str, workload: &Workload, before: &Made, after: &Made) -> bool {
    let now = after.workload(&workload.kind, &workload.name);
    // Another name of the chart may be in that of the workload, too.
    let renamed = || after.workloads.iter().find(|it| it.kind == workload.kind);
    let now = if setting == "name_override" { now.or_else(renamed) } else { now };
    let Some(now) = now else { return false };
    let has = |it: Option<&Value>, probe: &str| it.is_some_and(|it| json(it).contains(probe));
    let bound = |name: &str| {
        let pdb = after.pdb_of(now)?;
        pdb.get("spec").present()?.get(name).present()
    };
    match setting {
        "pod_annotations" => has(now.pods("metadata.annotations"), WORD),
        "pod_labels" | "name_override" => has(now.pods("metadata.labels"), WORD),
        "tolerations" => has(now.pods("spec.tolerations"), WORD),
        "node_selector" => has(now.pods("spec.nodeSelector"), WORD),
        "affinity" => has(now.pods("spec.affinity"), WORD),
        "grace" => has(now.pods("spec.terminationGracePeriodSeconds"), NUMBER),
        "replicas" => has(now.object.at("spec.replicas").present(), NUMBER),
        "persistence" => now.has_claims() != workload.has_claims(),
        "autoscaling" => {
            let is_set = |it: &Workload| it.object.at("spec.replicas").present().is_some();
            is_set(now) != is_set(workload) || after.scalers != before.scalers
        }
        "pdb" => after.pdb_of(now).is_some() != before.pdb_of(workload).is_some(),
        "max_unavailable" => has(bound("maxUnavailable"), NUMBER),
        "min_available" => has(bound("minAvailable"), NUMBER),
        _ => false,
    }
}

impl Setting {
    fn may_be(&self, path: &str, value: &Value) -> bool {
        let path = path.to_lowercase();
        let last = path.rsplit('.').next().unwrap_or_default();
        let is_switch = matches!(value.kind, Kind::Bool(_));
        self.endings.iter().any(|it| last.ends_with(it))
            && (self.within.is_empty() || self.within.iter().any(|it| path.contains(it)))
            && (self.probe.is_some() || is_switch)
    }
}

/// The paths of a chart's values, and of those of the charts inside it.
fn collect(chart: &Chart, prefix: &str, found: &mut Vec<(String, Value)>) {
    add(&chart.values, prefix, 0, found);
    for inner in &chart.subcharts {
        let listed = chart.metadata.dependencies.iter().find(|it| it.is_met_by(&inner.metadata));
        let name = listed.map_or(&*inner.metadata.name, |it| it.called());
        collect(inner, &joined(prefix, name), found);
    }
}

fn add(value: &Value, prefix: &str, depth: usize, found: &mut Vec<(String, Value)>) {
    for entry in value.entries().iter().filter(|it| depth < 8 && !it.key.contains('.')) {
        let path = joined(prefix, &entry.key);
        add(&entry.value, &path, depth + 1, found);
        if !found.iter().any(|(it, _)| *it == path) {
            found.push((path, entry.value.clone()));
        }
    }
}

fn joined(prefix: &str, key: &str) -> String {
    if prefix.is_empty() { key.to_owned() } else { format!("{prefix}.{key}") }
}

/// Values at their paths; the last at one path counts.
pub(crate) fn values(given: &[Given]) -> Value {
    let mut whole = Branch::default();
    for (path, json) in given {
        let branch = path.split('.').fold(&mut whole, |it, key| {
            it.leaf = None;
            it.inner.entry(key.to_owned()).or_default()
        });
        *branch = Branch { leaf: Some(json.clone()), ..Branch::default() };
    }
    document(&whole.json()).unwrap_or_else(no_values)
}

/// A part of values: a value, or a map.
#[derive(Default)]
struct Branch {
    leaf: Option<String>,
    inner: BTreeMap<String, Branch>,
}

impl Branch {
    fn json(&self) -> String {
        if let Some(leaf) = &self.leaf {
            return leaf.clone();
        }
        let entries = self.inner.iter().map(|(key, it)| format!("{key:?}: {}", it.json()));
        format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use karplint_core::source::FileId;
    use karplint_helm::helm::chart::{Chart, ChartFile, Content, Place};

    use super::{acts, paths, values};
    use crate::{
        crds::upstream::json,
        render::{Made, no_values},
    };

    const VALUES: &str = "replicas: 1\nweb: {tolerations: [], labels: {}}\nstorage: {enabled: false}\n\
        pdb: {create: false, maxUnavailable: 1}\nunused: {tolerations: []}\n";
    const TEMPLATE: &str = "kind: StatefulSet
metadata: {name: {{ .Release.Name }}-web}
spec:
  replicas: {{ .Values.replicas }}
  template:
    metadata: {labels: {app: web}}
    spec: {tolerations: {{ toJson .Values.web.tolerations }}}
  {{- if .Values.storage.enabled }}
  volumeClaimTemplates: [{}]
  {{- end }}
{{- if .Values.pdb.create }}
---
kind: PodDisruptionBudget
spec: {maxUnavailable: {{ .Values.pdb.maxUnavailable }}, selector: {matchLabels: {app: web}}}
{{- end }}
";

    fn chart() -> Chart {
        let files = [
            ("Chart.yaml", "name: shop\nversion: 1.0.0\n"),
            ("values.yaml", VALUES),
            ("templates/a.yaml", TEMPLATE),
        ];
        let file = |(path, text): (&str, &str)| ChartFile {
            path: path.to_owned(),
            content: Content::Text(text.into()),
            place: Place::File(FileId(1)),
        };
        Chart::load(files.map(file).into()).expect("it is a chart")
    }

    #[test]
    fn values_are_found_by_what_they_change() {
        let chart = chart();
        let found = paths(&chart, &Made::of(&chart, &no_values()), &[]);
        let shown: Vec<String> =
            found[0].iter().map(|(setting, it)| format!("{setting}: {}", it.join(" "))).collect();
        assert_eq!(
            shown,
            [
                "max_unavailable: pdb.maxUnavailable",
                "pdb: pdb.create",
                "persistence: storage.enabled",
                "replicas: replicas",
                "tolerations: web.tolerations"
            ]
        );
    }

    #[test]
    fn a_value_acts_with_others() {
        let chart = chart();
        let made = Made::of(&chart, &no_values());
        let on = [("pdb.create".to_owned(), "true".to_owned())];
        let bound = |given| {
            acts(&chart, &made.workloads[0], "max_unavailable", "pdb.maxUnavailable", given)
        };
        assert_eq!(bound(&[]), Some(false));
        assert_eq!(bound(&on), Some(true));
        let label = acts(&chart, &made.workloads[0], "pod_labels", "web.labels", &[]);
        assert_eq!(label, Some(false));
    }

    #[test]
    fn paths_with_a_common_start_are_one_map() {
        let given = [("a.b", "1"), ("a.c", "[2]"), ("d", "true")];
        let given = given.map(|(path, json)| (path.to_owned(), json.to_owned()));
        assert_eq!(json(&values(&given)), r#"{"a": {"b": 1, "c": [2]}, "d": true}"#);
    }
}
