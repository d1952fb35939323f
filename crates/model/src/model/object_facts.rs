//! What each applied object says, whatever the others say: several are read at a time.

use std::{
    collections::{BTreeSet, HashSet},
    sync::Arc,
};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::{
    findings::subject::Subject,
    model::{
        allowance::ObjectAllowance,
        annotation::{self, Annotation},
        applied::{self, AppliedObject, AppliedRoot},
        karpenter_object::{self, KarpenterObject},
        left_out::LeftOut,
        node_pool::{NodePool, class::NodeClass},
        pdb::{self, Pdb},
        scaler::{self, Scaler},
        unpacked,
        workload::{self, Workload},
    },
    resolve::{gitops::patched::Patched, kubernetes::Object, scope::Scope},
    source::{FileId, Files},
    value::Value,
};

/// What objects say, in their order.
#[derive(Debug, Default)]
pub(super) struct ObjectFacts {
    pub(super) workloads: Vec<Workload>,
    pub(super) pdbs: Vec<Pdb>,
    pub(super) scalers: Vec<Scaler>,
    pub(super) annotations: Vec<Annotation>,
    pub(super) node_pools: Vec<NodePool>,
    pub(super) node_classes: Vec<NodeClass>,
    pub(super) karpenter_objects: Vec<KarpenterObject>,
    pub(super) allowances: Vec<ObjectAllowance>,
    /// The folders of charts that nobody installs.
    pub(super) lone_charts: HashSet<Arc<str>>,
    /// The files whose objects are not judged, each with why.
    pub(super) passed_over: BTreeSet<(FileId, &'static str)>,
}

/// How many objects are read before what they say is put together.
const AT_A_TIME: usize = 1 << 10;

/// What has to be known to read objects.
pub(super) struct ObjectReader<'m> {
    pub(super) files: &'m Files,
    pub(super) left_out: &'m LeftOut,
    pub(super) kustomizations: &'m [AppliedRoot],
    pub(super) patched: &'m Patched,
    /// Why the objects of a scope are not judged, if they are not.
    pub(super) passed_over: &'m (dyn Fn(&Scope) -> Option<&'static str> + Sync),
    /// The samples of unpacked releases.
    pub(super) samples: HashSet<FileId>,
}

impl ObjectReader<'_> {
    /// Reads objects.
    pub(super) fn read(&self, objects: &[AppliedObject]) -> ObjectFacts {
        let add = |mut facts: ObjectFacts, it: &AppliedObject| {
            self.add(&mut facts, it);
            facts
        };
        let mut all = ObjectFacts::with_room_for(objects);
        // What is said is large, and moved to its place before more is read.
        for some in objects.chunks(AT_A_TIME) {
            let parts: Vec<ObjectFacts> = some.par_iter().fold(ObjectFacts::default, add).collect();
            all = parts.into_iter().fold(all, ObjectFacts::and);
        }
        all
    }

    fn add(&self, facts: &mut ObjectFacts, applied: &AppliedObject) {
        let AppliedObject { located, build, .. } = applied;
        let file = located.object.value.span.file;
        let mut scope = located.scope(*build);
        self.left_out.mark(self.files, &mut scope, file);
        let unnamed = || (is_loose(&scope) && is_to_be_named(&located.object)).then_some(UNNAMED);
        let of_eks = || is_kept_by_eks(&located.object).then_some(OF_EKS);
        if let Some(reason) = self.passed_over(&scope, file).or_else(unnamed).or_else(of_eks) {
            facts.passed_over.insert((file, reason));
            return;
        }
        let subject = applied.subject(self.files);
        if subject.is_reusable() && is_loose(&scope) && self.is_of_chart(&scope) {
            facts.lone_charts.insert(scope.folder.clone());
        }
        let in_doubt = applied.in_doubt || self.patched.may_change(&scope.folder, &located.object);
        let scaler = scaler::scaler(&located.object, &scope);
        let is_sure = subject.is_surely_there();
        facts.scalers.extend(scaler.and_then(|it| if is_sure { Some(it) } else { it.in_doubt() }));
        let annotations = annotation::of_object(&located.object, &scope).into_iter();
        let about = |it| Annotation { subject: subject.clone(), ..it };
        facts.annotations.extend(annotations.map(about));
        facts.allowances.extend(ObjectAllowance::of(&located.object));
        facts.add_pods(applied, &scope, &subject, in_doubt);
        self.add_nodes(facts, applied, (&scope, subject), in_doubt);
    }

    /// Adds the pool or class of nodes that an object is, and what it is of Karpenter's.
    fn add_nodes(
        &self,
        facts: &mut ObjectFacts,
        applied: &AppliedObject,
        (scope, subject): (&Scope, Subject),
        in_doubt: bool,
    ) {
        let (object, node) = (&applied.located.object, applied.located.node);
        let file = object.value.span.file;
        if let Some(pool) = NodePool::read(object, scope, node) {
            if applied::is_shown_by_chart(self.files, file) {
                facts.passed_over.insert((file, "an example inside a chart"));
            } else {
                let pool = pool.written_in(self.files, subject.clone());
                let pool = NodePool { is_optional: applied.located.is_perhaps(), ..pool };
                facts.node_pools.push(if in_doubt { pool.in_doubt() } else { pool });
            }
        }
        let class = NodeClass::read(object, scope, node);
        let class = class.map(|it| it.written_in(self.files, subject.clone()));
        facts.node_classes.extend(class.map(|it| if in_doubt { it.in_doubt() } else { it }));
        let kustomization = scope.build.and_then(|it| self.kustomizations.get(it));
        let is_complete = !in_doubt && kustomization.is_none_or(|it| it.unchanged);
        let own = karpenter_object::of_applied(self.files, applied, scope, is_complete);
        let about = |it| KarpenterObject { subject: Some(subject), ..it };
        facts.karpenter_objects.extend(own.map(about));
    }

    /// Why an object of a file is not judged, if it is not.
    fn passed_over(&self, scope: &Scope, file: FileId) -> Option<&'static str> {
        let assertion = || {
            let is = is_loose(scope) && applied::is_assertion(self.files, file);
            is.then_some("what a test expects")
        };
        let printed = || {
            let is = is_loose(scope) && applied::is_printed_by_chart(self.files, file);
            is.then_some("what `helm template` printed of the chart beside it")
        };
        let sample = || {
            let is = is_loose(scope) && self.samples.contains(&file);
            is.then_some(unpacked::SAMPLE)
        };
        (self.passed_over)(scope).or_else(assertion).or_else(printed).or_else(sample)
    }

    fn is_of_chart(&self, scope: &Scope) -> bool {
        self.files.find(&format!("{}/Chart.yaml", scope.folder)).is_some()
    }
}

/// Why an object without a name of its own is not judged.
const UNNAMED: &str = "a template whose name in capitals is to be replaced";
/// Why a built-in pool of EKS Auto Mode is not judged.
const OF_EKS: &str = "EKS Auto Mode keeps it";

/// Whether a word in capitals is in the name of pods, as in `APPNAME-backup`: Kubernetes refuses that.
fn is_to_be_named(object: &Object) -> bool {
    let name = object.value.at("metadata.name").present().and_then(Value::as_str);
    let is_word = |it: &str| it.len() >= 3 && it.bytes().all(|it| it.is_ascii_uppercase());
    matches!(object.group(), "" | "apps" | "batch")
        && name.is_some_and(|it| is_blank(it) || it.split(['-', '_', '.']).any(is_word))
}

/// Whether it is one of the pools that EKS Auto Mode makes and keeps as they are.
/// <https://docs.aws.amazon.com/eks/latest/userguide/set-builtin-node-pools.html>
fn is_kept_by_eks(object: &Object) -> bool {
    let labels = object.value.get("metadata").get("labels");
    let by = labels.get("app.kubernetes.io/managed-by").present().and_then(Value::as_str);
    object.is_of_karpenter() && by == Some("eks")
}

/// Whether a name is only what to put in its place: `<Pod name>`.
fn is_blank(name: &str) -> bool {
    let inside = name.strip_prefix('<').and_then(|it| it.strip_suffix('>'));
    inside.is_some_and(|it| it.bytes().all(|it| it.is_ascii_alphanumeric() || b" _-".contains(&it)))
}

/// Whether neither Terraform nor a kustomization applies it.
fn is_loose(scope: &Scope) -> bool {
    scope.root.is_none() && scope.build.is_none()
}

impl ObjectFacts {
    /// Nothing so far, with room for most of what objects say, and for some pods of charts: none has to make room for
    /// those to come by moving.
    fn with_room_for(objects: &[AppliedObject]) -> Self {
        let objects = || objects.iter().map(|it| &it.located.object);
        let workloads = objects().filter(|it| it.template_path().is_some()).count();
        let pdbs = objects().filter(|it| &*it.kind == "PodDisruptionBudget").count();
        Self {
            workloads: Vec::with_capacity(workloads + workloads / 16),
            pdbs: Vec::with_capacity(pdbs),
            ..Self::default()
        }
    }

    /// Adds the pods that an object makes, and the PDB that it is.
    fn add_pods(
        &mut self,
        applied: &AppliedObject,
        scope: &Scope,
        subject: &Subject,
        in_doubt: bool,
    ) {
        let located = &applied.located;
        let found = workload::workload(&located.object, scope)
            .or_else(|| workload::operated::workload(&located.object, scope))
            .map(|it| Workload { subject: Some(subject.clone()), is_off: located.is_off, ..it })
            .map(|it| match &located.part {
                Some(part) => it.made_by(part, &located.object),
                None => it,
            });
        self.workloads.extend(found.map(|it| if in_doubt { it.in_doubt() } else { it }));
        let is_switched_off = located.is_perhaps();
        let pdb = pdb::pdb(&located.object, scope).map(|it| Pdb {
            subject: subject.clone(),
            is_switched_off,
            ..it
        });
        self.pdbs.extend(pdb.map(|it| if in_doubt { it.in_doubt() } else { it }));
    }

    /// With those of further objects.
    fn and(mut self, further: Self) -> Self {
        self.workloads.extend(further.workloads);
        self.pdbs.extend(further.pdbs);
        self.scalers.extend(further.scalers);
        self.annotations.extend(further.annotations);
        self.node_pools.extend(further.node_pools);
        self.node_classes.extend(further.node_classes);
        self.karpenter_objects.extend(further.karpenter_objects);
        self.allowances.extend(further.allowances);
        self.lone_charts.extend(further.lone_charts);
        self.passed_over.extend(further.passed_over);
        self
    }
}
