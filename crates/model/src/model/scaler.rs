//! What changes the number of a workload's pods: horizontal pod autoscalers, KEDA, and rollouts of Argo that
//! take over a deployment.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use crate::{
    model::{
        environment,
        namespace::namespace,
        workload::{Workload, WorkloadKind},
    },
    resolve::{
        answers::agreed,
        kubernetes::{Located, Object},
        scope::Scope,
        setting::Setting,
    },
    source::Span,
    value::{Field, Value},
};

/// An autoscaler of pods.
#[derive(Clone, Debug)]
pub struct Scaler {
    /// The name of the workload it scales; unknown if that is not known.
    pub target: Setting<String>,
    /// What kind of workload that is; `None` if it may be any.
    pub kind: Option<WorkloadKind>,
    /// Its namespace; unknown when it is not written.
    pub namespace: Setting<String>,
    /// What is known of a namespace that a template fills in: how it begins and ends.
    ends: Option<(String, String)>,
    /// The folders that hold what it scales; `None` if that may be anywhere.
    pub folders: Option<Vec<String>>,
    /// Whether what it scales is applied together with it.
    has_own: bool,
    /// The fewest pods it leaves; unknown when it is not written.
    pub fewest: Setting<f64>,
    /// Whether that is as many as it ever makes.
    pub is_fixed: bool,
    /// Where to point.
    pub report_span: Span,
    /// Where it belongs.
    pub scope: Scope,
}

/// Reads an autoscaler; `None` for other kinds.
#[must_use]
pub(super) fn scaler(object: &Object, scope: &Scope) -> Option<Scaler> {
    let (ends, target) = match (object.group(), &*object.kind) {
        ("autoscaling", "HorizontalPodAutoscaler") => {
            (Some(["spec.minReplicas", "spec.maxReplicas"]), "spec.scaleTargetRef")
        }
        ("keda.sh", "ScaledObject") => {
            (Some(["spec.minReplicaCount", "spec.maxReplicaCount"]), "spec.scaleTargetRef")
        }
        // It creates the pods in place of the deployment; how many there are in all is not known.
        ("argoproj.io", "Rollout") if !object.value.at("spec.workloadRef").is_missing() => {
            (None, "spec.workloadRef")
        }
        _ => return None,
    };
    let report_span = object.report_span();
    let [fewest, most] = ends.map_or([Field::Unknown; 2], |it| it.map(|it| object.value.at(it)));
    let number = |it: Field<'_>| it.present().and_then(Value::as_number);
    let is_fixed = number(fewest).is_some() && number(fewest) == number(most);
    let name = object.value.at(target).get("name");
    Some(Scaler {
        target: Setting::of(name, None, report_span, |it| it.as_str().map(str::to_owned)),
        kind: kind(object.value.at(target).get("kind")),
        namespace: namespace(object),
        ends: None,
        folders: None,
        has_own: false,
        fewest: Setting::of(fewest, None, report_span, Value::as_number),
        is_fixed,
        report_span,
        scope: scope.clone(),
    })
}

/// The kind of workload that is named so; `None` for others and for patterns.
fn kind(named: Field<'_>) -> Option<WorkloadKind> {
    match named.present()?.as_str()? {
        "StatefulSet" => Some(WorkloadKind::StatefulSet),
        "ReplicaSet" => Some(WorkloadKind::ReplicaSet),
        "Deployment" | "Rollout" => Some(WorkloadKind::Deployment),
        _ => None,
    }
}

/// The workloads whose replicas an application of Argo CD ignores (`ignoreDifferences`): something else sets
/// them.
#[must_use]
pub(super) fn ignored_replicas(located: &Located) -> Vec<Scaler> {
    let object = &located.object;
    let spec = match (object.group(), &*object.kind) {
        ("argoproj.io", "Application") => object.value.get("spec"),
        ("argoproj.io", "ApplicationSet") => object.value.at("spec.template.spec"),
        _ => return Vec::new(),
    };
    let text = |it: &Value| it.as_str().filter(|it| !it.contains("{{")).map(str::to_owned);
    let items = spec.get("ignoreDifferences").present().map_or(&[][..], Value::items);
    let about_replicas = items.iter().filter(|it| {
        let listed = |key: &str| it.get(key).present().map_or(&[][..], Value::items);
        let mut paths = listed("jsonPointers").iter().chain(listed("jqPathExpressions"));
        paths.any(|it| matches!(it.as_str(), Some("/spec/replicas" | ".spec.replicas")))
    });
    let report_span = object.report_span();
    let namespace = spec.get("destination").get("namespace");
    let folders = source_folders(spec).map(|mut it| {
        // What comes of a chart in the repository belongs to where the application is.
        it.push(located.folder.to_string());
        it
    });
    let scaler = |it: &Value| Scaler {
        target: Setting::of(it.get("name"), None, report_span, text),
        kind: kind(it.get("kind")),
        namespace: Setting::of(namespace, None, report_span, text),
        ends: namespace.present().and_then(Value::as_str).and_then(ends),
        folders: folders.clone(),
        has_own: false,
        fewest: Setting::unknown(report_span),
        is_fixed: false,
        report_span: it.name,
        scope: Scope::new(None, &located.folder),
    };
    about_replicas.map(scaler).collect()
}

/// How a text with marks of a template begins and ends: `staging-` and nothing, of `staging-{{ .team }}`.
fn ends(text: &str) -> Option<(String, String)> {
    let (start, _) = text.split_once("{{")?;
    let (_, end) = text.rsplit_once("}}")?;
    Some((start.to_owned(), end.to_owned()))
}

/// The folders from which an application takes all that it applies; `None` if that is not known.
fn source_folders(spec: Field<'_>) -> Option<Vec<String>> {
    let one = spec.get("source").present();
    let several = spec.get("sources").present().map_or(&[][..], Value::items);
    let sources: Vec<&Value> = one.into_iter().chain(several).collect();
    let folder = |it: &&Value| match it.get("path") {
        // Where a template's lines leave open what else is written, a reference is none the less for values.
        Field::Missing | Field::Unknown
            if it.get("ref").present().is_some() && it.get("chart").present().is_none() =>
        {
            None
        }
        path => Some(
            path.present().and_then(Value::as_str).filter(|it| is_folder(it)).map(str::to_owned),
        ),
    };
    let folders: Option<Vec<String>> = sources.iter().filter_map(folder).collect();
    folders.filter(|it| !it.is_empty())
}

/// Whether the path names a folder below that of the repository, and none that a template fills in.
fn is_folder(path: &str) -> bool {
    !path.contains("{{") && last_part(path).is_some()
}

fn last_part(path: &str) -> Option<&str> {
    path.split('/').rfind(|it| !matches!(*it, "" | "." | ".."))
}

/// Whether a thing of one folder may be in another. Not all that is checked starts at the top of its
/// repository, and so the last part decides.
fn may_hold(folder: &str, other: &str) -> bool {
    last_part(folder).is_none_or(|last| other.split('/').any(|it| it == last))
}

/// Autoscalers by the name of what they scale.
#[derive(Debug, Default)]
pub struct Scalers {
    named: BTreeMap<String, Vec<Scaler>>,
    /// Those that may scale anything.
    unnamed: Vec<Scaler>,
    /// The charts that nobody installs: what one scales is of the same.
    pub lone_charts: LoneCharts,
}

/// The folders of charts that nothing of the repository is seen to install.
#[derive(Debug, Default)]
pub struct LoneCharts(HashSet<Arc<str>>);

impl LoneCharts {
    /// Adds the folder of one.
    pub fn insert(&mut self, folder: Arc<str>) {
        self.0.insert(folder);
    }

    /// Whether something belongs to one of them.
    #[must_use]
    pub fn holds(&self, scope: &Scope) -> bool {
        scope.root.is_none() && scope.build.is_none() && self.0.contains(&scope.folder)
    }

    /// Whether two things belong to different ones: nothing says that they are ever in one namespace.
    #[must_use]
    pub fn are_apart(&self, one: &Scope, other: &Scope) -> bool {
        one.folder != other.folder && self.holds(one) && self.holds(other)
    }
}

impl Scalers {
    /// All of them, to be completed.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Scaler> {
        self.named.values_mut().flatten().chain(&mut self.unnamed)
    }

    /// Finds those that are applied together with a workload of the name they have: they scale that one, and
    /// none of the same name in another folder.
    pub(super) fn find_own(&mut self, workloads: &[Workload]) {
        let mut named: HashMap<&str, Vec<&Workload>> = HashMap::new();
        for it in workloads {
            named.entry(&*it.name).or_default().push(it);
        }
        for (name, scalers) in &mut self.named {
            let own = named.get(&**name).map_or(&[][..], Vec::as_slice);
            for scaler in scalers {
                let is_own = |it: &&Workload| scaler.is_beside(it) && scaler.may_scale(it);
                scaler.has_own = own.iter().any(is_own);
            }
        }
    }

    /// Adds one.
    pub fn add(&mut self, scaler: Scaler) {
        match scaler.target.known() {
            Some(name) => self.named.entry(name.clone()).or_default().push(scaler),
            None => self.unnamed.push(scaler),
        }
    }

    /// The fewest pods a workload has while it runs: its replicas, or what its autoscalers leave; `None`
    /// if that is not known.
    #[must_use]
    pub fn fewest_pods(&self, workload: &Workload) -> Option<u32> {
        if matches!(workload.kind, WorkloadKind::Pod) {
            return Some(1);
        }
        let scalers = self.of(workload);
        if scalers.is_empty() {
            return workload.replicas.count();
        }
        agreed(scalers.into_iter().map(|it| {
            let sure = it.target.known().is_some() && !workload.name.is_empty();
            it.fewest.count().filter(|_| sure)
        }))
    }

    /// Those that scale a workload of that name.
    pub fn of_name(&self, name: &str) -> impl Iterator<Item = &Scaler> {
        self.named.get(name).into_iter().flatten()
    }

    /// Those that may scale a workload; where one is applied together with it, only such.
    #[must_use]
    pub fn of<'a>(&'a self, workload: &'a Workload) -> Vec<&'a Scaler> {
        let mut all: Vec<&Scaler> = self.anywhere(workload).collect();
        let near = |it: &&Scaler| it.is_beside(workload);
        if all.iter().any(near) {
            all.retain(near);
        }
        all
    }

    /// Charts put the release's name into those of their objects.
    fn anywhere<'a>(&'a self, workload: &'a Workload) -> impl Iterator<Item = &'a Scaler> {
        let named = self.named.get(&*workload.name).into_iter().flatten();
        let unsure = workload.managed.is_some() || workload.name.is_empty();
        let others = unsure.then_some(&self.named).into_iter().flatten();
        let may_be = |name: &str| workload.managed.as_ref().is_none_or(|it| it.may_be(name));
        let others = others.filter(move |(name, _)| may_be(name)).flat_map(|(_, it)| it);
        let is_near = |it: &&Scaler| !self.lone_charts.are_apart(&it.scope, &workload.scope);
        let all = named.chain(others).chain(self.unnamed.iter().filter(is_near));
        // What a chart makes is for the release that makes it.
        let is_of_chart = |it: &Scaler| {
            self.lone_charts.holds(&it.scope) && it.scope.folder != workload.scope.folder
        };
        let is_of_other =
            move |it: &Scaler| !it.is_beside(workload) && (it.has_own || is_of_chart(it));
        all.filter(move |it| it.may_scale(workload) && !is_of_other(it))
    }
}

impl Scaler {
    /// The same where it is perhaps not there; `None` where what it would scale is not known either.
    #[must_use]
    pub(super) fn in_doubt(self) -> Option<Self> {
        self.target.known()?;
        Some(Self { fewest: Setting::unknown(self.report_span), ..self })
    }

    /// Whether it is applied together with a workload.
    fn is_beside(&self, workload: &Workload) -> bool {
        self.scope.deploy_unit() == workload.scope.deploy_unit()
    }

    /// Whether it may scale a workload of that name: nothing known is against it.
    fn may_scale(&self, workload: &Workload) -> bool {
        let elsewhere = match (self.namespace.known(), workload.namespace.known()) {
            (Some(own), Some(other)) => own != other,
            (None, Some(other)) => self.ends.as_ref().is_some_and(|(start, end)| {
                !other.starts_with(&**start) || !other.ends_with(&**end)
            }),
            _ => false,
        };
        let is_custom = matches!(workload.kind, WorkloadKind::Custom);
        let is_other = self.kind.is_some_and(|it| it != workload.kind) && !is_custom;
        let may_hold = |it: &String| may_hold(it, &workload.scope.folder);
        let held = self.folders.as_ref().is_none_or(|it| it.iter().any(may_hold));
        let beside = self.scope.build == workload.scope.build
            || self.scope.build.is_none()
            || workload.scope.build.is_none();
        // A chart installed for several environments makes in each of them what may have one and the same name.
        let apart = environment::are_apart(&self.scope.folder, &workload.scope.folder);
        // What Terraform makes is scaled by name, or by Terraform.
        let by_root = workload.scope.root.is_none_or(|it| self.scope.root == Some(it));
        !elsewhere
            && !apart
            && !is_other
            && held
            && beside
            && (by_root || self.target.known().is_some())
    }
}
