//! Karpenter's `NodePools`: which nodes they launch, for whom, and for how long.

pub mod budgets;
pub mod class;
pub mod cron;
pub mod frozen;
pub mod near;
pub mod offerings;
pub mod user_data;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use crate::{
    findings::subject::Subject,
    model::{
        cluster::Taints, environment::Environments, node_label::NODE_CLASS,
        node_pool::offerings::Offerings, scope::Scoped,
    },
    resolve::{
        kubernetes::Object,
        scope::Scope,
        setting::Setting,
        terraform::{Terraform, object::GraphNode},
    },
    source::{Files, Span},
    time::duration,
    value::{Entry, Field, Value},
};

/// The version of a pool's API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PoolVersion {
    /// `karpenter.sh/v1beta1`.
    V1Beta1,
    /// `karpenter.sh/v1`.
    V1,
}

/// How long a node lives before it is replaced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lifetime {
    /// So many seconds.
    Seconds(f64),
    /// For ever.
    Endless,
}

/// A `NodePool`.
#[derive(Clone, Debug)]
pub struct NodePool {
    /// The version of its API.
    pub api: PoolVersion,
    /// `metadata.name`.
    pub name: Setting<String>,
    /// What it is called where it is written; empty when that is not known.
    pub title: Arc<str>,
    /// Where to point.
    pub report_span: Span,
    /// Where the specification of its nodes is: `spec.template.spec`.
    pub spec: Span,
    /// Where it belongs.
    pub scope: Scope,
    /// The Terraform resource that holds it.
    pub node: Option<GraphNode>,
    /// The whole resource.
    pub object: Value,
    /// Whether that resource is there only when variables have other values than those known.
    pub is_optional: bool,
    /// What makes it, where a variable that is empty by default may add others.
    pub growing: Option<Span>,
    /// Whether something that is not seen may still patch it.
    pub is_in_doubt: bool,
    /// The taints of its nodes.
    pub taints: Taints,
    /// The taints its nodes start with, which an agent on the node removes.
    pub startup_taints: Taints,
    /// What it can launch: the labels its nodes may have.
    pub offerings: Offerings,
    /// The group of the class of its nodes; Karpenter's own unless it is written.
    pub class_group: Setting<String>,
    /// The name of that class.
    pub class: Setting<String>,
    /// How long a node lives.
    pub expire_after: Setting<Lifetime>,
    /// How many seconds a drain may take; `None` for as long as it takes.
    pub grace: Setting<Option<f64>>,
    /// Which of several kustomizations builds it here.
    pub subject: Option<Subject>,
    /// The environments that the name of its file mentions.
    pub of_file: Environments,
    /// Whether other files of its folder hold a pool of its name: each is applied to another cluster.
    pub has_variants: bool,
}

impl Scoped for NodePool {
    fn scope(&self) -> &Scope {
        &self.scope
    }
}

/// The group of `EC2NodeClass`.
pub const EC2: &str = "karpenter.k8s.aws";
/// The group of the classes of EKS Auto Mode.
const AUTO_MODE: &str = "eks.amazonaws.com";
/// What a pool that does not say it has: 720 hours.
const DEFAULT_LIFETIME: Lifetime = Lifetime::Seconds(2_592_000.0);

impl NodePool {
    /// Reads a pool; `None` for other kinds, for partial objects, which name no class of nodes, and for
    /// pools that launch none.
    #[must_use]
    pub fn read(object: &Object, scope: &Scope, node: Option<GraphNode>) -> Option<Self> {
        let api = match &*object.api_version {
            _ if &*object.kind != "NodePool" => return None,
            "karpenter.sh/v1" => PoolVersion::V1,
            "karpenter.sh/v1beta1" => PoolVersion::V1Beta1,
            _ => return None,
        };
        let template = object.value.at("spec.template");
        let spec = template.get("spec");
        let class = spec.get("nodeClassRef");
        if class.is_missing() || has_no_room(object) {
            return None;
        }
        let text = |it: &Value| it.as_str().map(str::to_owned);
        let report_span = object.report_span();
        let place_of_spec = spec.present().map_or(report_span, |it| it.name);
        let (lifetime, grace, group) = match api {
            PoolVersion::V1 => {
                (spec.get("expireAfter"), spec.get("terminationGracePeriod"), class.get("group"))
            }
            PoolVersion::V1Beta1 => {
                let lifetime = object.value.at("spec.disruption.expireAfter");
                (lifetime, Field::Missing, class.get("apiVersion"))
            }
        };
        let seconds = |it: &Value| duration::seconds(it.as_str()?);
        let group_of = |it: &Value| Some(it.as_str()?.split('/').next()?.to_owned());
        let name = Setting::of(object.value.at("metadata.name"), None, report_span, text);
        let class_name = Setting::of(class.get("name"), None, report_span, text);
        let mut offerings = Offerings::read(template, &name);
        if api == PoolVersion::V1 {
            offerings.add_label(NODE_CLASS, &class_name);
        }
        Some(Self {
            api,
            name,
            title: object.anchor_text().unwrap_or_default().into(),
            report_span,
            spec: place_of_spec,
            scope: scope.clone(),
            node,
            object: object.value.clone(),
            is_optional: false,
            growing: None,
            is_in_doubt: false,
            taints: Taints::read(spec.get("taints")),
            startup_taints: Taints::read(spec.get("startupTaints")),
            offerings,
            class_group: Setting::of(group, Some(EC2.to_owned()), report_span, group_of),
            class: class_name,
            expire_after: Setting::of(lifetime, Some(DEFAULT_LIFETIME), place_of_spec, |it| {
                let endless = it.as_str() == Some("Never");
                if endless { Some(Lifetime::Endless) } else { seconds(it).map(Lifetime::Seconds) }
            }),
            grace: Setting::of(grace, Some(None), place_of_spec, |it| seconds(it).map(Some)),
            subject: None,
            of_file: Environments::default(),
            has_variants: false,
        })
    }

    /// The same with its file, and with what a finding about it is about.
    #[must_use]
    pub(super) fn written_in(self, files: &Files, subject: Subject) -> Self {
        let of_file = Environments::of_name(files.get(self.object.span.file).name());
        Self { of_file, subject: Some(subject), ..self }
    }

    /// The same, when something that is not seen may still patch it.
    #[must_use]
    pub fn in_doubt(mut self) -> Self {
        self.is_in_doubt = true;
        self.taints.may_have_others = true;
        self.startup_taints.may_have_others = true;
        self.expire_after = Setting::unknown(self.spec);
        self.grace = Setting::unknown(self.spec);
        self.class = Setting::unknown(self.spec);
        self.offerings.in_doubt();
        self
    }

    /// Whether it belongs to EKS Auto Mode, which has defaults of its own.
    #[must_use]
    pub fn is_of_auto_mode(&self) -> Option<bool> {
        self.class_group.known().map(|it| it == AUTO_MODE)
    }

    /// Whether its nodes are certainly those of AWS: Karpenter makes nodes elsewhere, too.
    #[must_use]
    pub fn is_of_aws(&self) -> bool {
        self.class_group.known().is_some_and(|it| [EC2, AUTO_MODE].contains(&it.as_str()))
    }

    /// An entry of its `spec` as it is written, also one that is null.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.object.get("spec").present()?.as_map()?.entry(key)
    }

    /// Whether it keeps a fixed number of nodes, whatever the pods ask for.
    #[must_use]
    pub fn is_static(&self) -> Setting<bool> {
        let replicas = self.object.at("spec.replicas");
        Setting::of(replicas, Some(false), self.report_span, |_: &Value| Some(true))
    }
}

/// The resources, by root, that have a `count` of 0 as far as one sees, which some variable may change.
#[must_use]
pub fn switched_off(terraform: &Terraform) -> HashSet<(usize, GraphNode)> {
    let mut off: HashSet<(usize, GraphNode)> = HashSet::new();
    for (index, root) in terraform.roots.iter().enumerate() {
        let none = root.objects.iter().filter(|it| it.is_off);
        off.extend(none.map(|it| (index, it.node)));
    }
    off
}

/// Finds the pools whose resource has a `count` of 0 as far as one sees, which some variable may change, and those
/// beside which a variable may make others.
/// What else is known of its root is then not what it is together with the pool.
pub fn find_optional(pools: &mut [NodePool], terraform: &Terraform) {
    let off = switched_off(terraform);
    let held: HashSet<(usize, GraphNode)> =
        pools.iter().filter_map(|it| it.scope.root.zip(it.node)).collect();
    let mut growing: HashMap<(usize, GraphNode), Span> = HashMap::new();
    for (index, root) in terraform.roots.iter().enumerate() {
        let own = root.objects.iter().filter(|it| held.contains(&(index, it.node)));
        let own = own.filter(|it| root.may_have_more(it));
        growing.extend(own.map(|it| ((index, it.node), it.header)));
    }
    for pool in pools {
        let resource = pool.scope.root.zip(pool.node);
        pool.is_optional |= resource.is_some_and(|it| off.contains(&it));
        pool.growing = resource.and_then(|it| growing.get(&it).copied());
    }
}

/// Whether one of the pool's limits is zero, the usual way to switch it off.
fn has_no_room(object: &Object) -> bool {
    let limits = object.value.at("spec.limits").present().map_or(&[][..], Value::entries);
    limits.iter().any(|it| it.value.as_number() == Some(0.0) || it.value.as_str() == Some("0"))
}
