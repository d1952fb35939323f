//! Pods and what creates them.

pub mod bare_image;
mod data_image;
pub(crate) mod managed;
pub(crate) mod operated;
pub(crate) mod part;
pub(crate) mod made_volume;
pub mod storage;
pub(crate) mod volume_class;
mod waiting;

use std::sync::Arc;

use crate::{
    findings::subject::Subject,
    model::{
        namespace::namespace,
        scope::Scoped,
        workload::{
            made_volume::{Backing, MadeVolumes},
            storage::{MountedClaims, Storage},
            volume_class::{ClaimTemplate, VolumeClasses, VolumeSite, claim_templates},
        },
    },
    resolve::{
        kubernetes::{Object, part::Part},
        pod::{
            creator::Creator, pdb::OwnPdb, placement::Placement, selector::Labels,
            toleration::Tolerations,
        },
        scope::Scope,
        setting::Setting,
    },
    source::Span,
    value::{Field, Kind, Value},
    version::Version,
};

impl Workload {
    /// Whether its pods keep data that has to be where they are.
    #[must_use]
    pub fn is_stateful(&self) -> bool {
        match self.kind {
            WorkloadKind::StatefulSet if self.managed.is_some() => self.mounts_claim(),
            WorkloadKind::StatefulSet => true,
            WorkloadKind::Custom
            | WorkloadKind::Deployment
            | WorkloadKind::ReplicaSet
            | WorkloadKind::Pod => self.mounts_claim(),
            WorkloadKind::DaemonSet | WorkloadKind::Job | WorkloadKind::CronJob => false,
        }
    }

    /// Whether they mount persistent volume claims.
    #[must_use]
    pub fn mounts_claim(&self) -> bool {
        use Storage::{HostPath, Nothing, Sockets, Unknown};
        !matches!(self.storage, HostPath | Nothing | Sockets | Unknown)
    }

    /// Whether the only volumes of its pods hold what the cluster gives them (configuration, secrets, tokens), and none
    /// of its containers is known to keep data beside them.
    #[must_use]
    pub fn holds_only_configuration(&self) -> bool {
        let spec = self.pod_spec.as_ref();
        self.storage == Storage::Nothing
            && !self.runs_data_image()
            && spec.is_some_and(storage::holds_only_configuration)
    }

    /// Whether Karpenter has nothing to do with its pods, as far as the repository shows.
    #[must_use]
    pub fn is_inert(&self) -> bool {
        self.subject.as_ref().is_some_and(|it| it.inert.is_some())
    }

    /// Notes whether many nodes may mount its volumes at a time, whether its pods write there, and whether the volumes
    /// are where Karpenter's nodes are not.
    pub(crate) fn note_volumes(
        &mut self,
        claims: &MountedClaims,
        classes: &VolumeClasses,
        made: &MadeVolumes,
    ) {
        let Some(spec) = &self.pod_spec else { return };
        let pods = (&self.namespace, spec);
        let own = (&*self.scope.folder, &*self.name);
        let behind = made.behind(own, &self.claim_templates, pods);
        let on_one = (behind == Some(Backing::OneNode)).then_some(VolumeSite::OneNode);
        self.volume_site = classes.site(own, &self.claim_templates, pods).or(on_one);
        if self.storage == Storage::Claims {
            self.storage = claims.storage(&self.namespace, spec).unwrap_or(self.storage);
        }
        let is_own = matches!(self.storage, Storage::Claims | Storage::OwnClaims);
        if is_own && behind == Some(Backing::Server) {
            self.storage = Storage::SharedClaims;
        }
    }

    /// The same, with all that a patch outside of the repository may change unknown.
    #[must_use]
    pub fn in_doubt(mut self) -> Self {
        self.do_not_disrupt = Some(Setting::unknown(self.report_span));
        self.tolerations = Tolerations::read(Field::Unknown);
        self.placement = Placement::unknown();
        self.replicas = Setting::unknown(self.report_span);
        self.grace = Setting::unknown(self.report_span);
        self
    }
}

/// What creates the pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WorkloadKind {
    /// A stateful set.
    StatefulSet,
    /// A deployment, or a rollout of Argo.
    Deployment,
    /// A replica set that is written by hand.
    ReplicaSet,
    /// A daemon set.
    DaemonSet,
    /// A job: its pods run to their end.
    Job,
    /// A cron job.
    CronJob,
    /// A pod without controller.
    Pod,
    /// A custom resource whose operator creates the pods.
    Custom,
}

impl WorkloadKind {
    /// That of an object; `None` for what makes no pods.
    fn of(object: &Object) -> Option<Self> {
        Some(match &*object.kind {
            "StatefulSet" => WorkloadKind::StatefulSet,
            "Deployment" => WorkloadKind::Deployment,
            "ReplicaSet" => WorkloadKind::ReplicaSet,
            "Rollout" if object.group() == "argoproj.io" => WorkloadKind::Deployment,
            "DaemonSet" => WorkloadKind::DaemonSet,
            "Job" => WorkloadKind::Job,
            "CronJob" => WorkloadKind::CronJob,
            "Pod" => WorkloadKind::Pod,
            _ => return None,
        })
    }
}

/// A controller with its pod template, or a bare pod.
#[derive(Clone, Debug)]
pub struct Workload {
    /// What creates the pods.
    pub kind: WorkloadKind,
    /// `metadata.name`; empty when it is not known.
    pub name: Arc<str>,
    /// What it is called where it is written, before kustomizations rename it; of pods that a chart or an
    /// add-on runs, what they are: "Redis master".
    pub title: Arc<str>,
    /// Where to point.
    pub report_span: Span,
    /// Where it belongs.
    pub scope: Scope,
    /// `metadata.namespace`; unknown when it is not written.
    pub namespace: Setting<String>,
    /// How many pods; 1 unless it is written.
    pub replicas: Setting<f64>,
    /// The labels of its pods.
    pub labels: Labels,
    /// The tolerations of its pods.
    pub tolerations: Tolerations,
    /// The key `tolerations`, if it is written.
    pub tolerations_key: Option<Span>,
    /// The specification of its pods; `None` where a chart or an operator writes it.
    pub pod_spec: Option<Value>,
    /// What its pods ask of their nodes' labels.
    pub placement: Placement,
    /// Where its pods keep data.
    pub storage: Storage,
    /// Its templates of claims.
    pub claim_templates: Vec<ClaimTemplate>,
    /// Where volumes of its pods are that Karpenter's nodes cannot mount.
    pub volume_site: Option<VolumeSite>,
    /// `karpenter.sh/do-not-disrupt` on the pods.
    pub do_not_disrupt: Option<Setting<String>>,
    /// `terminationGracePeriodSeconds` of the pods, in seconds; 30 unless it is written.
    pub grace: Setting<f64>,
    /// The PDB that comes with the pods.
    pub own_pdb: OwnPdb,
    /// The images of its containers.
    pub images: Vec<String>,
    /// Where a custom resource takes annotations for its pods.
    pub annotations_path: Option<&'static str>,
    /// Which of several kustomizations builds it here.
    pub subject: Option<Subject>,
    /// Whether Terraform makes it only where variables have other values than those known.
    pub is_off: bool,
    /// The chart or add-on that runs the pods, where their template is not in the repository.
    pub managed: Option<Managed>,
    /// What protects the pods among the values of the chart or add-on that runs them.
    pub protection: Option<Protection>,
    /// The chart of others that makes it inside a chart of the repository, where only its values are edited.
    pub part: Option<Arc<Part>>,
}

/// What is known of pods that a chart or an add-on runs.
#[derive(Clone, Debug)]
pub struct Managed {
    /// The release, if its name is known.
    pub release: Option<Arc<str>>,
    /// The chart or add-on.
    pub creator: Creator,
    /// Whether it is a dependency of a chart that nothing here installs: who does gives it other values.
    pub is_for_anybody: bool,
}

/// Where the values of a chart or an add-on keep its pods from being evicted.
#[derive(Clone, Debug)]
pub enum Protection {
    /// What is known of the chart or add-on.
    Known(ProtectionPaths),
    /// The keys of the values of a chart of which nothing else is known.
    Below(String),
}

/// What is known of the values that keep pods from being evicted.
#[derive(Clone, Debug)]
pub struct ProtectionPaths {
    /// The chart or add-on.
    pub creator: Creator,
    /// Where annotations for the pods are written: `primary.podAnnotations`.
    pub annotations: Option<String>,
    /// The value that creates a PDB for them: `primary.pdb.create: true`.
    pub switch: Option<String>,
    /// The first version that creates one by default, if the one installed does not.
    pub since: Option<Version>,
}

impl Managed {
    /// Whether an object of that name may be what creates the pods.
    #[must_use]
    pub fn may_be(&self, name: &str) -> bool {
        self.release.as_deref().is_some_and(|it| name.contains(it))
    }
}

impl Scoped for Workload {
    fn scope(&self) -> &Scope {
        &self.scope
    }
}

/// The annotation by which a pod asks not to be disrupted.
pub const DO_NOT_DISRUPT: &str = "karpenter.sh/do-not-disrupt";

/// Reads a workload; `None` for other kinds, for partial objects (patches, assertions), whose
/// containers name no image or whose selector is missing, and for a pod without name, which is made by
/// hand for a while.
#[must_use]
pub fn workload(object: &Object, scope: &Scope) -> Option<Workload> {
    let kind = WorkloadKind::of(object)?;
    let template = object.template()?;
    let spec = template.get("spec");
    let containers = spec.get("containers").present()?;
    let images: Vec<&Value> =
        containers.items().iter().filter_map(|it| it.get("image").present()).collect();
    let needs_selector = matches!(
        kind,
        WorkloadKind::StatefulSet
            | WorkloadKind::Deployment
            | WorkloadKind::ReplicaSet
            | WorkloadKind::DaemonSet
    );
    let selects = !needs_selector || !object.value.at("spec.selector").is_missing();
    let is_transient = kind == WorkloadKind::Pod && object.value.at("metadata.name").is_missing();
    // What is left empty is written all the same: something may fill it in, and the object is a whole one.
    let is_empty = |it: &Value| it.entries().iter().any(|it| &*it.key == "image");
    let names_images = !images.is_empty() || containers.items().iter().any(is_empty);
    if !names_images || !selects || is_transient {
        return None;
    }
    let annotation = template.get("metadata").get("annotations").get(DO_NOT_DISRUPT);
    Some(Workload {
        kind,
        name: object.anchor_text().unwrap_or_default().into(),
        title: title(object),
        report_span: object.report_span(),
        scope: scope.clone(),
        namespace: namespace(object),
        replicas: replicas(object),
        labels: Labels::read(template.get("metadata").get("labels")),
        tolerations: Tolerations::read(spec.get("tolerations")),
        tolerations_key: spec.get("tolerations").present().map(|it| it.name),
        pod_spec: spec.present().cloned(),
        placement: Placement::read(spec.get("nodeSelector"), spec.get("affinity")),
        storage: Storage::read(object, spec),
        claim_templates: claim_templates(object),
        volume_site: None,
        do_not_disrupt: match annotation {
            Field::Missing => None,
            Field::Present(value) => {
                Some(Setting::written(value, |it| it.as_str().map(str::to_owned)))
            }
            Field::Unknown => Some(Setting::unknown(object.report_span())),
        },
        grace: grace(spec, object.report_span()),
        own_pdb: OwnPdb::Nothing,
        images: images.iter().filter_map(|it| it.as_str()).map(str::to_owned).collect(),
        annotations_path: None,
        subject: None,
        is_off: false,
        managed: None,
        protection: None,
        part: None,
    })
}

/// The name of an object; where that is not known, the placeholder that will become it, what of it is known, or what
/// it begins with.
fn title(object: &Object) -> Arc<str> {
    let metadata = object.value.get("metadata");
    let name: Option<Arc<str>> = match metadata.get("name") {
        Field::Present(Value { kind: Kind::String(text), .. }) => {
            let expression = text.only_hole().map(|it| it.expression().unwrap_or_default());
            Some(expression.map_or_else(|| text.shown().into(), Arc::from))
        }
        Field::Present(Value { kind: Kind::Unknown(symbol), .. }) => {
            symbol.expression().map(Arc::from)
        }
        _ => None,
    };
    let begins = || metadata.get("generateName").present().and_then(Value::as_str).map(Arc::from);
    name.filter(|it| !it.is_empty()).or_else(begins).unwrap_or_default()
}

/// 30 seconds are the API server's default.
fn grace(spec: Field<'_>, report_span: Span) -> Setting<f64> {
    Setting::of(
        spec.get("terminationGracePeriodSeconds"),
        Some(30.0),
        report_span,
        Value::to_number,
    )
}

fn replicas(object: &Object) -> Setting<f64> {
    if replicas_are_ignored(object) {
        return Setting::unknown(object.report_span());
    }
    Setting::of(object.value.at("spec.replicas"), Some(1.0), object.report_span(), Value::to_number)
}

/// Whether `ignore_changes` leaves the number of pods to something else.
fn replicas_are_ignored(object: &Object) -> bool {
    let lifecycle = object.value.get("lifecycle");
    let ignored = lifecycle.get("ignoreChanges").present().into_iter();
    ignored.flat_map(|it| it.items().iter().chain([it])).any(|it| match &it.kind {
        Kind::Unknown(path) => &*path.text == "all" || path.text.ends_with("replicas"),
        _ => false,
    })
}
