//! The cluster as its authors described it: releases, add-ons, node groups, workloads, budgets.
//!
//! Built once from what `resolve` gives; rules only ask. Every setting is written, default or unknown.

pub mod addon;
pub mod allowance;
pub mod admission;
pub mod annotation;
pub mod answers;
pub mod applied;
pub mod block;
pub mod budget;
pub mod chart_value;
pub mod cluster;
pub mod compatibility;
pub mod component;
pub mod controller;
pub mod conversion;
pub mod crds;
pub mod discovery;
pub mod duration;
pub mod environment;
pub mod first_values;
pub mod identity;
pub mod inputs;
pub mod karpenter;
pub mod karpenter_object;
pub mod mention;
pub mod near;
pub mod node_label;
pub mod node_pool;
pub mod origin;
pub mod overlay;
pub mod pairing;
pub mod scope;
pub mod placement;
pub mod protection;
pub mod release;
pub mod scaler;
pub mod selector;
pub mod setting;
pub mod surface;
pub mod toleration;
pub mod workload;

use std::collections::{HashMap, HashSet};

use crate::{
    findings::{Note, Severity},
    model::{
        addon::Addon,
        allowance::ObjectAllowance,
        annotation::Annotation,
        applied::Applied,
        budget::Budget,
        chart_value::{dead::DeadValue, queue::NotAName, unset::Unset},
        cluster::Cluster,
        component::ComponentUse,
        controller::ControllerPods,
        discovery::mismatch::TagMismatch,
        inputs::Inputs,
        karpenter::Resource,
        karpenter_object::KarpenterObject,
        mention::Subject,
        near::{Agreed, controllers_agreed},
        node_pool::{
            NodePool,
            class::{self, NodeClass, named::Named, unknown::UnknownClass},
        },
        pairing::CrdPair,
        protection::{candidates::Candidates, selections::Selections},
        release::{Means, Release},
        scaler::Scalers,
        scope::{Scope, ScopeIndex},
        setting::Setting,
        toleration::{drain_taint::DrainTaints, stale::StaleToleration},
        workload::Workload,
    },
    resolve::{
        gitops::{self, GitOps, patched::Patched},
        kubernetes::{
            Located, Manifests,
            held::{Held, from_terraform},
            typed,
        },
        kustomize::Kustomize,
        terraform::{Node, Terraform},
    },
    source::{Files, Span},
    syntax::ParseError,
    version::Version,
};

/// What the configuration says because the repository does not.
#[derive(Clone, Debug, Default)]
pub struct Assumed {
    /// The Karpenter version.
    pub karpenter_version: Option<Version>,
    /// The Kubernetes version.
    pub kubernetes_version: Option<Version>,
}

/// What `resolve` made of the files.
#[derive(Debug, Default)]
pub struct Resolved {
    /// The Terraform roots.
    pub terraform: Terraform,
    /// The objects of YAML and JSON files.
    pub manifests: Manifests,
    /// What kustomizations build.
    pub kustomize: Kustomize,
}

/// Everything the rules may ask about.
#[derive(Debug, Default)]
pub struct Model {
    /// The releases of Helm charts.
    pub releases: Vec<Release>,
    /// The Karpenter controllers with the CRD release that belongs to each, where that is clear.
    pub crd_pairs: Vec<CrdPair>,
    /// Values of Karpenter's charts that these do not read.
    pub dead_values: Vec<DeadValue>,
    /// What Karpenter needs to be told and is not.
    pub unset_values: Vec<Unset>,
    /// Queues that are named by something else than their name.
    pub misnamed_queues: Vec<NotAName>,
    /// The EKS add-ons.
    pub addons: Vec<Addon>,
    /// The components karplint knows, wherever they are configured.
    pub components: Vec<ComponentUse>,
    /// Tolerations of Karpenter's taints that are without effect.
    pub stale_tolerations: Vec<StaleToleration>,
    /// The clusters.
    pub clusters: Vec<Cluster>,
    /// `NodePools`, `EC2NodeClasses` and their predecessors that Terraform manages.
    pub karpenter_resources: Vec<Resource>,
    /// Karpenter's resources of whatever kind, wherever they are written.
    pub karpenter_objects: Vec<KarpenterObject>,
    /// `NodePools`.
    pub node_pools: Vec<NodePool>,
    /// `EC2NodeClasses`.
    pub node_classes: Vec<NodeClass>,
    /// References of `NodePools` to classes that are nowhere.
    pub unknown_classes: Vec<UnknownClass>,
    /// Selectors of classes by tags that nothing has.
    pub tag_mismatches: Vec<TagMismatch>,
    /// Controllers with pod templates, and bare pods.
    pub workloads: Vec<Workload>,
    /// Pod disruption budgets.
    pub budgets: Vec<Budget>,
    /// What changes the number of pods of a workload.
    pub scalers: Scalers,
    /// Karpenter's annotations for pods and nodes, wherever somebody wrote them.
    pub annotations: Vec<Annotation>,
    /// The kustomizations that are applied.
    pub kustomizations: Vec<applied::Root>,
    /// Whether the repository shows that Karpenter is used.
    pub uses_karpenter: bool,
    /// What could not be read.
    pub parse_errors: Vec<ParseError>,
    /// What could not be evaluated although rules ask for it.
    pub unknowns: Vec<Note>,
    /// Objects whose annotation allows findings.
    pub allowances: Vec<ObjectAllowance>,
    assumed: Assumed,
    /// What files of variables set.
    inputs: Inputs,
    terraform: Terraform,
    gitops: GitOps,
    candidates: Candidates,
    selections: Selections,
    drain_taints: DrainTaints,
    /// Whether a release or a manifest installs Karpenter's CRDs, or nothing needs them.
    crds_are_seen: bool,
    /// What files mention that are not read as documents, of what findings hang on.
    mentions: HashSet<Subject>,
    /// Where the versions and namespaces of releases are written that environments set otherwise.
    varying: HashSet<Span>,
    controllers_near: ScopeIndex<Option<Agreed>>,
    /// By root.
    controllers_inside: HashMap<usize, Vec<usize>>,
    clusters_near: ScopeIndex<Vec<usize>>,
    /// By cluster.
    pools_near: ScopeIndex<Vec<Vec<usize>>>,
    /// By name.
    classes_near: HashMap<String, ScopeIndex<Option<usize>>>,
}

impl Model {
    /// The kinds of Terraform resources the model reads.
    #[must_use]
    pub fn kinds() -> Vec<String> {
        let own = [
            "helm_release",
            "aws_eks_addon",
            "aws_eks_cluster",
            "aws_eks_node_group",
            "aws_eks_fargate_profile",
            "aws_launch_template",
            "aws_eks_pod_identity_association",
            "aws_iam_policy",
            "aws_iam_policy_attachment",
            "aws_iam_policy_document",
            "aws_iam_role",
            "aws_iam_role_policy",
            "aws_iam_role_policy_attachment",
            "kubectl_path_documents",
        ];
        own.iter()
            .chain(discovery::KINDS)
            .copied()
            .chain(typed::terraform_kinds())
            .map(str::to_owned)
            .collect()
    }

    /// Builds the model.
    #[must_use]
    pub fn new(files: &Files, resolved: Resolved, assumed: Assumed) -> Self {
        let Resolved { terraform, manifests, kustomize } = resolved;
        let mut model = Self { assumed, inputs: Inputs::find(files), ..Self::default() };
        model.kustomizations = applied::roots(&kustomize);
        for (index, root) in terraform.roots.iter().enumerate() {
            model.releases.extend(release::of_root(files, &model.inputs, index, root));
            model.clusters.extend(cluster::read::clusters(files, &model.inputs, index, root));
        }
        let Held { objects: held, parse_errors: of_held } = from_terraform(files, &terraform);
        let of_tools = held.iter().chain(&manifests.of_tools).cloned().collect();
        let of_tools = applied::objects(files, of_tools, &kustomize, |_| true).into_iter();
        let of_tools: Vec<Located> =
            of_tools.map(|it| it.located).filter(|it| gitops::is_of_interest(&it.object)).collect();
        model.allowances.extend(of_tools.iter().filter_map(|it| ObjectAllowance::of(&it.object)));
        let gitops = gitops::from_objects(files, &manifests.files, &of_tools);
        release::extend_by_gitops(&mut model.releases, &gitops, files, &kustomize);
        model.clusters.extend(gitops.clusters.iter().map(cluster::read::of_eksctl));
        model.karpenter_resources = karpenter::resources(files, &terraform, &held, &model.releases);
        let plain: Vec<Located> = held.into_iter().chain(manifests.objects).collect();
        let named = Named::of_plain(&plain, &kustomize.listed);
        let objects = applied::objects(files, plain, &kustomize, |_| false);
        let patched = Patched::of(&of_tools);
        let here = |scope: &Scope| {
            let root = scope.root.and_then(|it| terraform.roots.get(it));
            !root.is_some_and(applied::is_on_another_cloud) && !applied::is_for_a_laptop(scope)
        };
        model.add_objects(files, &objects, &patched, &here);
        of_tools.iter().flat_map(scaler::left_alone).for_each(|it| model.scalers.add(it));
        model.name_overlays(files);
        model.settle_karpenter_objects(files, &terraform);
        node_pool::find_optional(&mut model.node_pools, &terraform);
        // One annotation, however many overlays build its object.
        let mut seen = HashSet::new();
        model.allowances.retain(|it| seen.insert(it.span));
        model.judge_releases(files);
        model.addons = addon::addons(&terraform, &gitops);
        let of_values = model.releases.iter().flat_map(|it| annotation::of_release(files, it));
        let of_addons = model.addons.iter().flat_map(|it| annotation::of_addon(files, it));
        model.annotations.extend(of_values.chain(of_addons));
        model.components = component::usages(&model.addons, &model.releases, &model.workloads);
        let managed = workload::managed::workloads(&model.components).into_iter();
        model.workloads.extend(managed.filter(|it| here(&it.scope)));
        model.crds_are_seen = crds::are_seen(&model.releases, &objects);
        model.uses_karpenter = manifests.mentions_karpenter
            || model.assumed.karpenter_version.is_some()
            || model.releases.iter().any(|it| it.is_controller() || it.is_crds())
            || !model.karpenter_resources.is_empty()
            || karpenter::is_mentioned(files);
        let said = |it: &ParseError| it.severity > Severity::Note;
        let of_values = model.releases.iter().flat_map(|it| it.parse_errors.iter().cloned());
        let parse_errors = terraform.parse_errors.iter().cloned().chain(manifests.parse_errors);
        let parse_errors = parse_errors.chain(of_held).chain(of_values);
        model.parse_errors = parse_errors.filter(said).collect();
        model.unknowns = unknowns(&model.releases);
        let named = named.and_applied(&objects);
        model.judge_classes(files, &terraform, &named);
        model.terraform = terraform;
        model.gitops = gitops;
        model.prepare(files);
        model.drop_if_mentioned(files, &named);
        model.judge_tolerations(files, (&objects, &patched));
        model
    }

    /// Finds what belongs together among the releases, and the values that do not work.
    fn judge_releases(&mut self, files: &Files) {
        self.crd_pairs = pairing::crd_pairs(files, &self.releases);
        self.dead_values = chart_value::dead::values(files, &self.inputs, &self.releases);
        self.unset_values = chart_value::unset::values(files, &self.releases);
        self.misnamed_queues = chart_value::queue::values(&self.releases);
    }

    fn add_objects(
        &mut self,
        files: &Files,
        objects: &[Applied],
        patched: &Patched,
        here: &dyn Fn(&Scope) -> bool,
    ) {
        for applied in objects {
            let Applied { located, build, .. } = applied;
            let folder = located.folder.clone();
            let scope = Scope { root: located.root, build: *build, folder };
            if !here(&scope) {
                continue;
            }
            let found = workload::workload(&located.object, &scope)
                .or_else(|| workload::operated::workload(&located.object, &scope));
            let in_doubt = patched.hold(&scope.folder);
            self.workloads.extend(found.map(|it| if in_doubt { it.in_doubt() } else { it }));
            let budget = budget::budget(&located.object, &scope);
            self.budgets.extend(budget.map(|it| if in_doubt { it.in_doubt() } else { it }));
            if let Some(scaler) = scaler::scaler(&located.object, &scope) {
                self.scalers.add(scaler);
            }
            self.annotations.extend(annotation::of_object(files, &located.object, &scope));
            let file = located.object.value.span.file;
            let pool = NodePool::read(&located.object, &scope, located.node)
                .filter(|_| !applied::is_shown_by_chart(files, file));
            self.node_pools.extend(pool.map(|it| if in_doubt { it.in_doubt() } else { it }));
            let class = NodeClass::read(&located.object, &scope, located.node);
            self.node_classes.extend(class.map(|it| if in_doubt { it.in_doubt() } else { it }));
            self.add_karpenter_object(files, applied, (&scope, in_doubt));
            self.allowances.extend(ObjectAllowance::of(&located.object));
        }
    }

    /// Files what rules ask for again and again.
    fn prepare(&mut self, files: &Files) {
        let settings = self.releases.iter().flat_map(|it| [&it.version, &it.namespace]);
        let varying = settings.filter(|it| self.inputs.vary(files, it));
        self.varying = varying.map(Setting::span).collect();
        self.candidates = Candidates::new(&self.budgets);
        self.selections = Selections::new(self);
        for (index, release) in self.releases.iter().enumerate().filter(|it| it.1.is_controller()) {
            if let Some(root) = release.scope.root {
                self.controllers_inside.entry(root).or_default().push(index);
            }
        }
        self.controllers_near = ScopeIndex::new(&self.releases, Release::is_controller, |near| {
            controllers_agreed(&self.releases, near)
        });
        self.clusters_near = ScopeIndex::new(&self.clusters, |_| true, <[usize]>::to_vec);
        self.pools_near = ScopeIndex::new(&self.node_pools, |_| true, |it| self.grouped(it));
        self.classes_near = class::near_by_name(&self.node_classes);
    }

    /// The releases of the Karpenter controller.
    pub fn controllers(&self) -> impl Iterator<Item = &Release> {
        self.releases.iter().filter(|it| it.is_controller())
    }

    /// The pods of the Karpenter controllers.
    pub fn controller_pods(&self) -> impl Iterator<Item = ControllerPods<'_>> {
        self.releases.iter().filter_map(ControllerPods::of)
    }

    /// The controllers of one Terraform root.
    #[must_use]
    pub fn controllers_of_root(&self, root: usize) -> Vec<&Release> {
        let inside = self.controllers_inside.get(&root).map_or(&[][..], Vec::as_slice);
        inside.iter().filter_map(|it| self.releases.get(*it)).collect()
    }

    /// Whether one release waits for another; `None` when that is not known, or when nothing that one
    /// sees orders the two: two root modules, two tools, one unit that installs both.
    #[must_use]
    pub fn waits_for(&self, from: &Release, to: &Release) -> Option<bool> {
        match (&from.means, &to.means) {
            (Means::Terraform(own), Means::Terraform(other)) => {
                let root = from.scope.root.filter(|it| to.scope.root == Some(*it))?;
                if own.node == other.node {
                    return None;
                }
                Some(self.root_waits_for(root, own.node, other.node))
            }
            (Means::GitOps(_, from, _), Means::GitOps(_, to, _)) => {
                self.gitops.waits_for(*from, *to)
            }
            _ => None,
        }
    }

    /// Whether one node of a root waits for another.
    #[must_use]
    pub fn root_waits_for(&self, root: usize, from: Node, to: Node) -> bool {
        self.terraform.roots.get(root).is_some_and(|it| it.waits_for(from, to))
    }
}

fn unknowns(releases: &[Release]) -> Vec<Note> {
    let unknown = releases.iter().filter(|it| {
        (it.is_controller() || it.is_crds())
            && it.version.is_written()
            && it.version.known().is_none()
    });
    let note = |it: &Release| Note {
        span: it.version.span(),
        message: format!("the version of `{}` is not known", it.title()),
    };
    unknown.map(note).collect()
}
