//! The cluster as its authors described it: releases, add-ons, node groups, workloads, PDBs.
//!
//! Built once from what `resolve` gives; rules only ask. Every setting is written, default or unknown.

pub mod addon;
pub mod admission;
pub mod allowance;
pub mod annotation;
pub mod applied;
pub mod absent;
mod aws_parts;
mod ansible;
mod build;
mod chart_value;
mod class_name;
pub mod cluster;
pub mod component;
pub mod controller;
pub mod crds;
mod deployed;
mod documented;
pub mod discovery;
pub mod disruption;
pub mod environment;
mod evidence;
mod identity;
mod inert;
pub mod installation;
mod installed_versions;
pub mod karpenter;
pub mod karpenter_object;
pub mod left_out;
pub mod local_run;
mod unpacked;
mod made_elsewhere;
mod managed_pods;
pub mod mention;
pub mod module_call;
mod nearest;
pub mod neighbourhood;
pub mod node_label;
pub mod node_pool;
pub mod provisioner;
pub mod node_template;
mod object_facts;
mod order;
mod command_files;
mod first_apply;
pub mod first_target;
pub mod teardown_script;
pub mod unseen_manifest;
mod origin;
pub mod other_cluster;
mod overlay;
pub mod pairing;
pub mod scope;
mod named_for;
mod namespace;
mod given_namespace;
pub mod pdb;
pub mod placement;
mod plainly;
mod programs;
pub mod reach;
pub mod requirement;
pub mod role_maker;
mod scaler;
mod stated_version;
pub mod supposed;
pub mod toleration;
pub mod unread;
mod unreadable;
pub mod unseen_values;
pub mod version_change;
pub mod versioned;
pub mod workload;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use crate::{
    model::{
        absent::Absent,
        addon::Addon,
        admission::Admission,
        allowance::ObjectAllowance,
        annotation::Annotation,
        class_name::ClassNames,
        cluster::{Cluster, profiles::Profiles, sides::ClusterSides},
        component::ComponentUse,
        crds::ServedKind,
        documented::Documented,
        environment::Environments,
        first_apply::FirstApply,
        first_target::FirstTarget,
        installation::{Agreed, Installation},
        karpenter::KarpenterResource,
        karpenter_object::{KarpenterObject, near::ObjectsNear},
        left_out::LeftOut,
        local_run::LocalRun,
        node_pool::{
            NodePool,
            class::{Namesakes, NodeClass},
        },
        pairing::{AppliedPair, CrdPair},
        pdb::{Pdb, candidates::Candidates, selections::Selections},
        placement::by_label::PoolsByLabel,
        scaler::Scalers,
        scope::ScopeIndex,
        supposed::Supposed,
        teardown_script::TeardownScript,
        toleration::{drain_taint::DrainTaints, drain_toleration_list::DrainTolerationList},
        unseen_manifest::UnseenManifest,
        version_change::VersionChange,
        versioned::VersionedFolders,
        workload::{Workload, storage::MountedClaims},
    },
    resolve::{
        charts::{ChartFailure, LeftOutKey, folders::ChartFolders},
        gitops::GitOps,
        kubernetes::manifests::Manifests,
        kustomize::Kustomize,
        release::{Release, applied_crds::AppliedCrds},
        terraform::{Terraform, inputs::Inputs},
    },
    source::{FileId, Span},
    syntax::ParseError,
    version::Version,
};

/// What the configuration says because the repository does not, and what is supposed in place of what it says.
#[derive(Clone, Debug, Default)]
pub struct Assumed {
    /// The Karpenter version.
    pub karpenter_version: Option<Version>,
    /// The Kubernetes version.
    pub kubernetes_version: Option<Version>,
    /// Versions in place of those that are written.
    pub supposed: Supposed,
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
    /// The charts to render.
    pub charts: ChartFolders,
}

impl Assumed {
    /// Gives the releases of Karpenter whose version is not known the one that is assumed.
    fn complete(&self, releases: &mut [Release]) {
        let Some(version) = self.karpenter_version.as_ref().map(ToString::to_string) else {
            return;
        };
        for release in releases.iter_mut().filter(|it| it.is_of_karpenter()) {
            release.version = release.version.clone().or_assumed(&version);
        }
    }
}

/// Everything the rules may ask about.
#[derive(Debug, Default)]
pub struct Model {
    /// The releases of Helm charts.
    pub releases: Vec<Release>,
    /// What would be releases of Karpenter's charts with files of values that somebody installs by hand: only what
    /// is written there may be judged.
    pub values_files: Vec<Release>,
    /// Karpenter's CRDs that commands apply from where upstream publishes them.
    pub applied_crds: Vec<AppliedCrds>,
    /// The templates that scripts fill in and apply.
    pub applied_templates: BTreeSet<FileId>,
    /// The Karpenter controllers with the CRDs that a command of the same script applies.
    pub applied_pairs: Vec<AppliedPair>,
    /// The Karpenter controllers with the CRD release that belongs to each, where that is clear.
    pub crd_pairs: Vec<CrdPair>,
    /// Keys of the values of Karpenter's charts that are written as part of a path, as in a `set`.
    pub path_keys: HashSet<Span>,
    /// What templates of charts refer to below the values of a chart of Karpenter's that they depend on.
    pub template_references: HashSet<String>,
    /// Keys of the values of Karpenter's charts that another chart in whose folder they lie reads, too.
    pub shared_keys: HashSet<Span>,
    /// The EKS add-ons.
    pub addons: Vec<Addon>,
    /// The components karplint knows, wherever they are configured.
    pub components: Vec<ComponentUse>,
    /// Lists of tolerations that name one of the taints by which Karpenter drains.
    pub drain_toleration_lists: Vec<DrainTolerationList>,
    /// The clusters.
    pub clusters: Vec<Cluster>,
    /// `NodePools`, `EC2NodeClasses` and their predecessors that Terraform manages.
    pub karpenter_resources: Vec<KarpenterResource>,
    /// Karpenter's resources of whatever kind, wherever they are written.
    pub karpenter_objects: Vec<KarpenterObject>,
    /// The same by kind and scope.
    objects_near: ObjectsNear,
    /// The claims for volumes that are made beside the pods.
    claims: MountedClaims,
    /// The first of them of each API version and kind, as indexes; none of EKS Auto Mode.
    pub one_of_each_api: Vec<usize>,
    /// `NodePools`.
    pub node_pools: Vec<NodePool>,
    /// Those that a cluster answered to have, which nothing in the repository makes.
    answered_pools: Vec<NodePool>,
    /// The scripts, and the templates they fill in, that hold objects.
    pub in_scripts: HashSet<FileId>,
    /// Pools that the kustomizations of their folders do not list.
    pub unlisted_pools: Vec<applied::UnlistedPool>,
    /// `EC2NodeClasses`.
    pub node_classes: Vec<NodeClass>,
    /// The names that the objects of the repository give to `EC2NodeClasses`.
    pub class_names: ClassNames,
    /// Controllers with pod templates, and bare pods.
    pub workloads: Vec<Workload>,
    /// The PDBs.
    pub pdbs: Vec<Pdb>,
    /// What changes the number of pods of a workload.
    pub scalers: Scalers,
    /// Karpenter's annotations for pods and nodes, wherever they are written.
    pub annotations: Vec<Annotation>,
    /// The kustomizations that are applied.
    pub kustomizations: Vec<applied::AppliedRoot>,
    /// The files whose objects are not judged, and why.
    pub passed_over: BTreeSet<(FileId, &'static str)>,
    /// Whether the repository shows that Karpenter is used.
    pub uses_karpenter: bool,
    /// Where Cluster Autoscaler is installed, where of Karpenter there is nothing but a tag.
    pub only_autoscaler: Option<Span>,
    /// What commands apply first, before the rest of a root module.
    first_targets: Vec<FirstTarget>,
    /// What Terraform applies whose text is not here.
    pub unseen_manifests: Vec<UnseenManifest>,
    /// The comments that speak of a first apply.
    first_applies: Vec<FirstApply>,
    /// What scripts remove before Terraform destroys the rest.
    teardown_scripts: Vec<TeardownScript>,
    /// The resources of Terraform whose commands apply pools or CRDs.
    pub local_runs: Vec<LocalRun>,
    /// The one of them that is all that applies CRDs, and does so once.
    crds_applied_once: Option<usize>,
    /// The files of the objects that Terraform makes.
    pub filled_in: HashSet<FileId>,
    /// What nothing applies.
    pub left_out: LeftOut,
    /// The places that cannot be read in documents of PDBs, each with the folder of its file.
    pub broken_pdbs: Vec<(Arc<str>, Span)>,
    /// The same of pools.
    pub broken_pools: Vec<(Arc<str>, Span)>,
    /// The folders for clusters without Karpenter.
    folders_without_karpenter: Vec<String>,
    /// The folders of clusters without Karpenter in trees of folders beside those with it, each with what makes the
    /// cluster.
    foreign_folders: Vec<(String, Span)>,
    /// The roots that switch Karpenter off, by index, each with the block that others have it from.
    roots_without_karpenter: BTreeMap<usize, Span>,
    /// The roots that make a cluster without Karpenter, each with the block that makes it.
    clusters_without_karpenter: BTreeMap<usize, Span>,
    /// What the admission policies of the repository say of the objects that it builds.
    pub admissions: Vec<Admission>,
    /// What is named to be applied and is not here.
    pub absent: Vec<Absent>,
    /// What could not be read.
    pub parse_errors: Vec<ParseError>,
    /// The charts of the repository that cannot be rendered.
    pub chart_failures: Vec<ChartFailure>,
    /// The folders of the charts that were rendered.
    pub rendered_charts: BTreeSet<String>,
    /// What is said of charts that another program renders, each at the file that describes it.
    pub chart_remarks: Vec<(FileId, String)>,
    /// The templates of these that some use of the chart leaves unseen, and why.
    pub unseen_templates: BTreeMap<FileId, String>,
    /// The templates of these that print no object with the values seen but may with others, and why.
    pub closed_templates: BTreeMap<FileId, String>,
    /// The files of pools that an Application or a Kustomization applies, with what lies around them.
    pub pools_of_gitops: HashSet<FileId>,
    /// The keys that templates of Karpenter's objects do not print because of values.
    pub left_out_keys: Vec<LeftOutKey>,
    /// Objects whose annotation allows findings.
    pub allowances: Vec<ObjectAllowance>,
    /// What the configuration assumes.
    pub assumed: Assumed,
    /// What files of variables set.
    pub inputs: Inputs,
    /// The Terraform roots.
    pub terraform: Terraform,
    /// What the files of `GitOps` tools hold beside releases.
    pub gitops: GitOps,
    /// The PDBs by what their selectors ask for.
    pub pdb_candidates: Candidates,
    /// Which PDBs certainly select which workloads.
    pub pdb_selections: Selections,
    /// The taints by which Karpenter drains, by scope.
    pub drain_taints: DrainTaints,
    /// Whether a release or a manifest installs Karpenter's CRDs.
    pub crds_are_seen: bool,
    /// The copies of Karpenter's chart that hold CRDs, with one of these: the folders of the charts.
    pub crds_in_copies: Vec<(String, Span)>,
    /// What manifests of Karpenter's CRDs serve.
    pub served_kinds: Vec<ServedKind>,
    /// Whether a controller or the CRDs are installed by something of the repository, of whatever version.
    pub shows_version: bool,
    /// Where the versions and namespaces of releases are written that environments set otherwise.
    pub varying: HashSet<Span>,
    /// Where a controller of Karpenter is installed, by a release or a rendered manifest.
    pub installations: Vec<Installation>,
    /// What each version was in an earlier state of the repository; empty where there is none to compare with.
    pub version_changes: Vec<VersionChange>,
    installations_near: ScopeIndex<Option<Agreed>>,
    /// What documents install where nothing of the above is near.
    documented: Documented,
    installed_near: ScopeIndex<Vec<usize>>,
    /// Folders of one thing in versions side by side.
    pub versioned_folders: VersionedFolders,
    /// By root.
    controllers_inside: HashMap<usize, Vec<usize>>,
    clusters_near: ScopeIndex<Vec<usize>>,
    cluster_sides: ClusterSides,
    /// The selectors of their Fargate profiles.
    profiles: Profiles,
    /// By cluster.
    pools_near: ScopeIndex<Vec<Vec<usize>>>,
    pools_by_label: PoolsByLabel,
    /// The environments that the folders of pools name: what is in the folder of another one is not near them.
    pool_environments: Environments,
    /// By name.
    classes_near: HashMap<String, Namesakes>,
}
