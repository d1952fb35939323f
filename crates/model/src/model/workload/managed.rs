//! The pods that known charts and add-ons run, as workloads.

mod made;

use std::sync::Arc;

use crate::{
    knowledge::{budget_form::Made, packaging::Packaging},
    model::{
        component::ComponentUse,
        scope::Scoped,
        workload::{
            DO_NOT_DISRUPT, Managed, Workload, WorkloadKind,
            managed::made::{own_budget, would_block},
        },
    },
    resolve::{
        answers::agreed,
        pod::{
            pdb::{Bounds, OwnBudget},
            placement::Placement,
            selector::Labels,
            toleration::Tolerations,
        },
        setting::Setting,
    },
    source::Span,
    value::{Entry, Field, Kind, Map, Symbol, Value},
    version::Version,
};

/// The workloads of all components whose templates are known well enough.
#[must_use]
pub fn workloads(components: &[ComponentUse]) -> Vec<Workload> {
    components.iter().filter_map(|it| Asked::new(it)?.workload()).collect()
}

/// The labels that Kubernetes' own controllers give to pods.
const GIVEN_LABELS: [&str; 4] = [
    "apps.kubernetes.io/pod-index",
    "controller-revision-hash",
    "pod-template-hash",
    "statefulset.kubernetes.io/pod-name",
];

/// A component's pods, about which the facts of every possible version are asked.
struct Asked<'a> {
    usage: &'a ComponentUse,
    surface: &'static Packaging,
    values: &'a Value,
    /// One of each span of versions within which nothing changes.
    versions: Vec<Version>,
}

impl<'a> Asked<'a> {
    /// `None` where nothing is known of budgets, or the version is one of which nothing is known.
    fn new(usage: &'a ComponentUse) -> Option<Self> {
        let (surface, values, allowed) = usage.configured()?;
        let mut versions = usage.pod.versions(surface, allowed);
        versions.retain(|it| surface.budget_form(it).is_some());
        (!versions.is_empty()).then_some(Self { usage, surface, values, versions })
    }

    /// `None` where the pods do not exist, or may not.
    fn workload(&self) -> Option<Workload> {
        if self.agreed(|it| self.surface.exists(self.values, it)) != Some(true) {
            return None;
        }
        let pod = self.usage.pod;
        let report_span = self.report_span();
        let replicas = self.replicas();
        let managed = self.managed(&replicas);
        let written = |setting: &str| self.surface.written(setting, self.values);
        Some(Workload {
            kind: match pod.kind.as_str() {
                "StatefulSet" => WorkloadKind::StatefulSet,
                "DaemonSet" => WorkloadKind::DaemonSet,
                _ => WorkloadKind::Deployment,
            },
            name: "".into(),
            title: managed.called.replace('`', "").into(),
            report_span,
            scope: self.usage.scope().clone(),
            namespace: self.namespace(),
            labels: self.labels(),
            tolerations: self.tolerations(),
            tolerations_key: written("tolerations").present().map(|it| it.name),
            pod_spec: None,
            placement: match self.usage.placements().as_slice() {
                [only] => only.clone(),
                _ => Placement::unknown(),
            },
            mounts_claim: self.agreed(|it| self.truth("persistence", it)) == Some(true),
            do_not_disrupt: self.do_not_disrupt(),
            grace: self.grace(),
            own_budget: self.own_budget(&replicas),
            replicas,
            images: Vec::new(),
            annotations_path: self.surface.paths("pod_annotations").last().map(String::as_str),
            instance: self.usage.instance.clone(),
            managed: Some(managed),
        })
    }

    /// Where it is installed, else where the component runs if nobody says otherwise.
    fn namespace(&self) -> Setting<String> {
        let report_span = self.usage.report_span();
        match (&self.usage.installed_to, self.usage.namespace()) {
            (Some(written), _) => written.clone(),
            (None, Some(name)) => Setting::default(name.to_owned(), report_span),
            (None, None) => Setting::unknown(report_span),
        }
    }

    /// What all versions say, if they say the same.
    fn agreed<T: PartialEq>(&self, ask: impl Fn(&Version) -> Option<T>) -> Option<T> {
        agreed(self.versions.iter().map(ask))
    }

    /// Whether a template's `if` takes a setting for true; what has no default is not there.
    fn truth(&self, setting: &str, version: &Version) -> Option<bool> {
        match self.surface.written(setting, self.values) {
            Field::Present(value) => truth(value),
            Field::Unknown => None,
            Field::Missing => match self.surface.default(setting, Some(version)) {
                Some(value) => truth(value),
                None => (!self.surface.has_defaults(setting)).then_some(false),
            },
        }
    }

    /// Where the budget, else the annotations would be written.
    fn report_span(&self) -> Span {
        let settings = ["budget", "max_unavailable", "pod_annotations"];
        let paths = settings.into_iter().filter_map(|it| self.surface.paths(it).last());
        let mut spans = paths.map(|it| self.usage.innermost_of(it));
        let whole = self.usage.innermost_of("");
        spans.find(|it| *it != whole).unwrap_or(whole)
    }

    /// Unknown while something else sets them.
    fn replicas(&self) -> Setting<f64> {
        let report_span = self.usage.report_span();
        if self.agreed(|it| self.truth("autoscaling", it)) != Some(false) {
            return Setting::unknown(report_span);
        }
        let default =
            |version: &Version| self.surface.default("replicas", Some(version))?.to_number();
        let written = self.surface.written("replicas", self.values);
        Setting::of(written, self.agreed(default), report_span, Value::to_number)
    }

    /// What is empty is left to the API server.
    fn grace(&self) -> Setting<f64> {
        let seconds = |it: &Value| match &it.kind {
            Kind::Null => Some(30.0),
            Kind::String(text) if text.known() == Some("") => Some(30.0),
            _ => it.as_number(),
        };
        let default = self.agreed(|it| self.surface.default("grace", Some(it)).and_then(seconds));
        let written = self.surface.written("grace", self.values);
        Setting::of(written, default, self.usage.report_span(), seconds)
    }

    fn tolerations(&self) -> Tolerations {
        let only = self.versions.first().filter(|_| self.versions.len() == 1);
        Tolerations::effective(self.surface, self.values, only)
    }

    /// The annotation where the chart looks for annotations of these pods. Where it stands at a place
    /// that is not known for them, nobody can tell.
    fn do_not_disrupt(&self) -> Option<Setting<String>> {
        let unknown = || Some(Setting::unknown(self.usage.report_span()));
        for path in self.surface.paths("pod_annotations") {
            let Field::Present(annotations) = self.values.at(path) else {
                if self.values.at(path).is_unknown() {
                    return unknown();
                }
                continue;
            };
            match annotations.get(DO_NOT_DISRUPT) {
                Field::Present(value) => {
                    return Some(Setting::written(value, |it| it.as_str().map(str::to_owned)));
                }
                Field::Unknown => return unknown(),
                // Some charts take a text, which is a template.
                Field::Missing if mentions(annotations, DO_NOT_DISRUPT, &[]) => return unknown(),
                Field::Missing => {}
            }
        }
        let surfaces =
            self.usage.component.pods.iter().flat_map(|it| it.chart.iter().chain(&it.addon));
        let known: Vec<Span> = surfaces
            .flat_map(|it| it.paths("pod_annotations"))
            .filter_map(|it| Some(self.values.at(it).present()?.span))
            .collect();
        if mentions(self.values, DO_NOT_DISRUPT, &known) { unknown() } else { None }
    }

    fn own_budget(&self, replicas: &Setting<f64>) -> OwnBudget {
        match own_budget(self, replicas) {
            // Charts take whole objects in their values, too.
            OwnBudget::Nothing if mentions(self.values, "PodDisruptionBudget", &[]) => {
                OwnBudget::Unknown
            }
            OwnBudget::Nothing if self.usage.reusable => OwnBudget::Unknown,
            found => found,
        }
    }

    /// The labels known of the pods. Those with the chart's own name are another when the name is
    /// overridden, or when the chart is installed under the name of an alias.
    fn labels(&self) -> Labels {
        let pod = self.usage.pod;
        let report_span = self.usage.report_span();
        let own_name = self.usage.release.is_some()
            && self.surface.written("name_override", self.values).is_missing();
        let names = ["app.kubernetes.io/name", "app"];
        let certain = |(key, _): &(&String, &String)| own_name || !names.contains(&key.as_str());
        let entry =
            |key: &str, value: Value| Entry { key: key.into(), key_span: report_span, value };
        let known = |key: &str, value: &str| entry(key, Value::computed(value, report_span));
        let unknown = || Symbol::new("", "labels of the chart");
        let mut entries: Vec<Entry> = Vec::new();
        for key in pod.other_labels.iter().map(String::as_str).chain(GIVEN_LABELS) {
            entries.push(entry(key, Value::unknown(unknown(), report_span)));
        }
        let fixed = pod.labels.iter().filter(certain).map(|(key, value)| known(key, value));
        let instance = pod.instance_label.as_deref().zip(self.usage.release.as_deref());
        entries.extend(fixed.chain(instance.map(|(key, value)| known(key, value))));
        let mut open = pod.other_labels.is_empty();
        for path in self.surface.paths("pod_labels") {
            match self.values.at(path) {
                Field::Missing | Field::Present(Value { kind: Kind::Null, .. }) => {}
                Field::Present(Value { kind: Kind::Map(map), .. }) => {
                    open |= map.rest.is_some();
                    entries.extend(map.entries.iter().cloned());
                }
                Field::Present(_) | Field::Unknown => open = true,
            }
        }
        let map = Map { entries, rest: open.then(unknown) };
        Labels::read(Field::Present(&Value::new(Kind::Map(Arc::new(map)), report_span)))
    }

    /// "Redis master of `orders`".
    fn called(&self) -> String {
        let title = &self.usage.pod.title;
        match &self.usage.release {
            Some(release) => format!("{title} of `{release}`"),
            None => format!("{title} of {}", self.usage.maker()),
        }
    }

    fn made(&self) -> Option<Made> {
        self.agreed(|it| Some(self.surface.budget_form(it)?.made))
    }

    /// The switch that alone decides whether there is a budget.
    fn switch(&self) -> Option<String> {
        self.path("budget").filter(|_| self.made() == Some(Made::Switch))
    }

    /// Where a setting is written, in the values of the chart that is installed.
    fn path(&self, setting: &str) -> Option<String> {
        let path = self.surface.paths(setting).last()?;
        let key = self.usage.values_key.as_deref();
        Some(key.map_or_else(|| path.clone(), |key| format!("{key}.{path}")))
    }

    fn managed(&self, replicas: &Setting<f64>) -> Managed {
        let switch = match self.made() {
            Some(Made::Switch) => self.switch().map(|it| format!("{it}: true")),
            Some(Made::Bound | Made::Map) => {
                self.path("max_unavailable").map(|it| format!("{it}: 1"))
            }
            _ => None,
        };
        let newer = |it: &&Version| self.versions.iter().all(|own| own < it);
        Managed {
            called: self.called(),
            release: self.usage.release.clone(),
            maker: self.usage.maker(),
            annotations: self.path("pod_annotations"),
            switch: switch.filter(|_| !would_block(self, replicas)),
            since: self.surface.budget_since().filter(newer).cloned(),
        }
    }
}

/// Whether a template's `if` takes it for true.
fn truth(value: &Value) -> Option<bool> {
    Some(match &value.kind {
        Kind::Null => false,
        Kind::Bool(on) => *on,
        Kind::Number(number) => *number != 0.0,
        Kind::String(text) => !text.known()?.is_empty(),
        Kind::List(list) => !list.items.is_empty() || list.rest.is_none().then_some(false)?,
        Kind::Map(map) => !map.entries.is_empty() || map.rest.is_none().then_some(false)?,
        Kind::Unknown(_) => return None,
    })
}

/// Whether a word stands anywhere in values, as a key or in a text, outside of some of their parts.
fn mentions(value: &Value, word: &str, outside: &[Span]) -> bool {
    if outside.contains(&value.span) {
        return false;
    }
    match &value.kind {
        Kind::String(text) => text.text.contains(word),
        Kind::List(list) => list.items.iter().any(|it| mentions(it, word, outside)),
        Kind::Map(map) => {
            let inside = |it: &Entry| *it.key == *word || mentions(&it.value, word, outside);
            map.entries.iter().any(inside)
        }
        _ => false,
    }
}

/// The same bounds, when it is not known what they are.
fn unknown_bounds(span: Span) -> Bounds {
    Bounds { min_available: None, max_unavailable: Some(Setting::unknown(span)) }
}

#[cfg(test)]
mod tests;
