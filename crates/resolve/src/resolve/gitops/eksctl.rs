//! eksctl's `ClusterConfig`: node groups, Fargate profiles, add-ons, and Karpenter's version.

use std::sync::Arc;

use crate::{
    findings::subject::Subject,
    resolve::{
        gitops::{
            repository::{entry, part, version, written},
            unknown::unknown,
        },
        helm,
        kubernetes::Located,
        release::{
            Means, Release,
            chart_version::{ChartVersion, Pin},
            surface::Surface,
            unit::Unit,
        },
        scope::Scope,
        setting::Setting,
        terraform::object::GraphNode,
    },
    source::{FileId, Files, Span},
    syntax::ParseError,
    value::{Entry, Field, Kind, List, Map, Value},
};

/// A cluster as eksctl creates it.
#[derive(Clone, Debug)]
pub struct ClusterConfig {
    /// The Terraform root that holds its manifest, and the resource.
    pub root: Option<(usize, Option<GraphNode>)>,
    /// What a finding about it is about.
    pub subject: Subject,
    /// The folder of its file, or of the Terraform root.
    pub folder: Arc<str>,
    /// The file it is written in.
    pub file: FileId,
    /// Where to point when something is missing.
    pub report_span: Span,
    /// Whether eksctl reads it, which also adds nodes to a cluster that something else makes.
    pub is_of_eksctl: bool,
    /// The cluster's name.
    pub name: Option<Value>,
    /// The Kubernetes version.
    pub version: Option<Value>,
    /// The region.
    pub region: Option<Value>,
    /// The key and the content of `karpenter`.
    pub karpenter: Option<Entry>,
    /// The version of Karpenter that it installs.
    pub karpenter_version: Option<Value>,
    /// The node groups.
    pub node_groups: Vec<EksctlNodeGroup>,
    /// What the Fargate profiles select: mappings with `namespace` and `labels`.
    pub fargate: Vec<Value>,
    /// The add-ons.
    pub addons: Vec<EksctlAddon>,
    /// Whether nothing unseen gives the cluster further nodes.
    pub complete: bool,
    /// Whether EKS runs node pools of its own there.
    pub auto_mode: Option<Value>,
    /// Where Cluster Autoscaler gets the rights to scale its nodes.
    pub autoscaler: Option<Span>,
}

/// A node group.
#[derive(Clone, Debug)]
pub struct EksctlNodeGroup {
    /// Its name, or its entry.
    pub report_span: Span,
    /// Whether EKS manages it.
    pub managed: bool,
    /// Its taints as a list of `key`, `value` and `effect`, however they are written.
    pub taints: Option<Value>,
    /// Its labels.
    pub labels: Option<Value>,
    /// Whether its start-up commands may taint its nodes, too.
    pub may_taint_otherwise: bool,
    /// The whole entry.
    pub body: Value,
}

/// An add-on of EKS.
#[derive(Clone, Debug)]
pub struct EksctlAddon {
    /// All that is written of it.
    pub entry: Value,
    /// Its name: `coredns`.
    pub name: Value,
    /// The version as it is written.
    pub version: Option<Value>,
    /// Its configuration.
    pub values: Value,
    /// The key of the configuration, or the name.
    pub place: Span,
    /// What could not be read of the configuration.
    pub parse_errors: Vec<ParseError>,
}

/// Reads a `ClusterConfig`.
#[must_use]
pub fn cluster(files: &Files, located: &Located) -> ClusterConfig {
    let body = &located.object.value;
    let report_span = located.object.report_span();
    let mut complete = true;
    let mut node_groups = Vec::new();
    for (key, managed) in [("managedNodeGroups", true), ("nodeGroups", false)] {
        complete &= each(body.get(key), |it| node_groups.push(node_group(it, managed)));
    }
    let mut fargate = Vec::new();
    let seen = each(body.get("fargateProfiles"), |profile| {
        if !each(profile.get("selectors"), |it| fargate.push(it.clone())) {
            fargate.push(unknown(profile.span));
        }
    });
    if !seen {
        complete = false;
        fargate.push(unknown(report_span));
    }
    let mut addons = Vec::new();
    each(body.get("addons"), |it| addons.extend(addon(files, it)));
    let auto_mode = written(body.at("autoModeConfig.enabled"), report_span);
    complete &= match body.at("autoModeConfig.enabled") {
        Field::Missing => true,
        Field::Present(value) => value.as_bool() == Some(false),
        Field::Unknown => false,
    };
    let karpenter = entry(body, "karpenter").filter(|it| !it.value.is_null()).cloned();
    let place = karpenter.as_ref().map_or(report_span, |it| it.key_span);
    ClusterConfig {
        root: located.root.map(|it| (it, located.node)),
        subject: located.subject(),
        folder: located.folder.clone(),
        file: report_span.file,
        report_span,
        is_of_eksctl: true,
        name: written(body.at("metadata.name"), report_span),
        version: version(files, body.at("metadata.version"), report_span),
        region: written(body.at("metadata.region"), report_span),
        karpenter_version: version(files, body.at("karpenter.version"), place),
        karpenter,
        node_groups,
        fargate,
        addons,
        complete,
        auto_mode,
        autoscaler: autoscaler(body),
    }
}

/// Where a group of nodes or a service account has the rights of Cluster Autoscaler.
fn autoscaler(body: &Value) -> Option<Span> {
    let has = |holder: &Value, path: &str| {
        holder.at(path).present().filter(|it| it.as_bool() == Some(true)).map(|it| it.span)
    };
    let find = |list: &str, path: &str| {
        body.at(list).present()?.items().iter().find_map(|it| has(it, path))
    };
    ["managedNodeGroups", "nodeGroups"]
        .iter()
        .find_map(|it| find(it, "iam.withAddonPolicies.autoScaler"))
        .or_else(|| find("iam.serviceAccounts", "wellKnownPolicies.autoScaler"))
}

/// Visits the items of a list; false when there may be others.
fn each(field: Field<'_>, mut visit: impl FnMut(&Value)) -> bool {
    match field {
        Field::Missing => true,
        Field::Unknown => false,
        Field::Present(value) => {
            value.items().iter().for_each(&mut visit);
            value.as_list().is_some_and(|it| it.rest.is_none())
        }
    }
}

fn node_group(group: &Value, managed: bool) -> EksctlNodeGroup {
    const COMMANDS: &[&str] = &[
        "preBootstrapCommands",
        "overrideBootstrapCommand",
        "kubeletExtraConfig",
        "launchTemplate",
    ];
    let report_span = group.get("name").present().map_or(group.span, |it| it.span);
    EksctlNodeGroup {
        report_span,
        managed,
        taints: written(group.get("taints"), report_span).map(|it| taints(&it)),
        labels: written(group.get("labels"), report_span),
        may_taint_otherwise: group.is_unknown()
            || COMMANDS.iter().any(|it| mentions_taints(it, group.get(it), 0)),
        body: group.clone(),
    }
}

fn mentions_taints(key: &str, field: Field<'_>, depth: usize) -> bool {
    let Field::Present(value) = field else { return matches!(field, Field::Unknown) };
    let inside = |it: &Value| mentions_taints("", Field::Present(it), depth + 1);
    match &value.kind {
        Kind::Unknown(_) => true,
        _ if depth > 4 || key == "launchTemplate" => true,
        Kind::String(text) => text.text.contains("taint"),
        Kind::List(list) => list.items.iter().any(inside),
        Kind::Map(map) => map
            .entries
            .iter()
            .any(|it| it.key.to_lowercase().contains("taint") || inside(&it.value)),
        _ => false,
    }
}

/// Taints as a list. `key: value:Effect` and `key: Effect` are written so for self-managed groups.
fn taints(written: &Value) -> Value {
    let Kind::Map(map) = &written.kind else { return written.clone() };
    let taint = |entry: &Entry| {
        let Kind::String(text) = &entry.value.kind else { return unknown(entry.value.span) };
        let Some(known) = text.known() else { return unknown(entry.value.span) };
        let key = Value::computed(entry.key.clone(), entry.key_span);
        let field =
            |name: &str, value: Value| Entry { key: name.into(), key_span: entry.key_span, value };
        let at = known.rfind(':').map_or(0, |it| it + 1);
        let effect = part(&entry.value, text, at..known.len());
        let mut fields = vec![field("key", key), field("effect", effect)];
        if at > 1 {
            fields.insert(1, field("value", part(&entry.value, text, 0..at - 1)));
        }
        Value::map(fields, entry.value.span).named(entry.key_span)
    };
    let list = List {
        items: map.entries.iter().map(taint).collect(),
        rest: map.rest.clone(),
        is_set: false,
    };
    Value { kind: Kind::List(Arc::new(list)), ..written.clone() }
}

fn addon(files: &Files, entry: &Value) -> Option<EksctlAddon> {
    let name = entry.get("name").present()?;
    let configuration = written(entry.get("configurationValues"), name.span);
    let place = configuration.as_ref().map_or(name.span, |it| it.name);
    let values = helm::values(configuration.as_slice(), &[], place);
    Some(EksctlAddon {
        entry: entry.clone(),
        name: name.clone(),
        version: version(files, entry.get("version"), name.span),
        values: values.value,
        place,
        parse_errors: values.parse_errors,
    })
}

impl ClusterConfig {
    /// The release of Karpenter that eksctl makes: values and CRDs are its own business.
    #[must_use]
    pub fn karpenter_release(&self) -> Option<Release> {
        let Entry { key_span, value, .. } = self.karpenter.as_ref()?;
        let place = *key_span;
        let unit = Unit {
            name: Some("karpenter".into()),
            namespace: Some("karpenter".into()),
            ..Unit::new(Surface::Eksctl, value.clone())
        };
        let scope = Scope::new(self.root.map(|(root, _)| root), &self.folder);
        // eksctl wants a version.
        let version = self.karpenter_version.as_ref();
        let pin = if version.is_some() { Pin::Written } else { Pin::Elsewhere };
        let namespace = Value::computed("karpenter", place);
        Some(Release {
            chart: "karpenter".into(),
            version: ChartVersion::new(version, pin, place),
            namespace: Setting::text(Some(&namespace), place),
            values: values_of_eksctl(place),
            subject: Some(self.subject.clone()),
            ..Release::new(Means::Tool(Arc::new(unit)), scope, place)
        })
    }
}

/// What eksctl gives the chart. What it says of the cluster and of the controller's role is known to it alone; all
/// else is as the chart has it, such as the feature gates. `pkg/karpenter/karpenter.go` of an early eksctl (11c272c6)
/// gives it `clusterName`, `clusterEndpoint` and `aws` in place of `settings`: names of the same, for which nobody is
/// asked where eksctl installs.
fn values_of_eksctl(place: Span) -> Value {
    let given = |key: &str, value: Value| Entry { key: key.into(), key_span: place, value };
    let rest = unknown(place).unknown_at("").cloned();
    let gates = vec![given("featureGates", Value::map(Vec::new(), place))];
    let settings = Map { entries: gates, rest };
    let settings = Value::new(Kind::Map(Arc::new(settings)), place);
    let entries = vec![given("settings", settings), given("serviceAccount", unknown(place))];
    Value::map(entries, place)
}
