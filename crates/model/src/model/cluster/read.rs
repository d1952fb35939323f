//! How node groups and Fargate profiles are read: from the EKS module, and from resources.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    knowledge,
    model::cluster::{
        Cluster, FargateSelector, NodeGroup, OF_MODULE, Taints,
        shape::{FargateShape, GroupKind, GroupShape, Keys},
        start_up::{MODULE, OWN_IMAGE, is_special, mentions},
        version,
    },
    resolve::{
        pod::selector::Labels,
        scope::Scope,
        setting::Setting,
        terraform::{
            Terraform,
            inputs::Inputs,
            module_source::ModuleSource,
            object::{BlockInstance, Mode},
            root::Root,
        },
    },
    source::{Files, Span},
    value::{Entry, Field, Kind, Value},
};

/// The clusters of all root modules.
#[must_use]
pub(crate) fn of_roots(files: &Files, inputs: &Inputs, terraform: &Terraform) -> Vec<Cluster> {
    terraform.roots.iter().enumerate().flat_map(|it| clusters(files, inputs, it)).collect()
}

/// The clusters of a root module: one, unless it calls the EKS module several times.
fn clusters(files: &Files, inputs: &Inputs, at: (usize, &Arc<Root>)) -> Vec<Cluster> {
    let (index, root) = at;
    let mut clusters = of_root(index, root);
    for group in clusters.iter_mut().flat_map(|it| &mut it.node_groups) {
        if inputs.vary(files, &group.max_size) {
            group.max_size = Setting::unknown(group.max_size.span());
        }
    }
    for cluster in &mut clusters {
        cluster.version = cluster.version.take().filter(|it| !inputs.vary(files, it));
        cluster.region = root.region.as_ref().map(region).filter(|it| !inputs.vary(files, it));
    }
    clusters
}

fn of_root(index: usize, root: &Root) -> Vec<Cluster> {
    let modules: Vec<&BlockInstance> = root
        .of(Mode::Module, "module")
        .filter(|it| ModuleSource::of(it).is(ModuleSource::EKS))
        .collect();
    let scope = Scope::new(Some(index), &root.folder);
    let of_call =
        |it: &&BlockInstance| from_module(it, &scope.clone().in_cluster(root.cluster_made_by(it)));
    let mut clusters: Vec<Cluster> = modules.iter().map(of_call).collect();
    let mut loose = from_resources(root, &scope);
    match clusters.as_mut_slice() {
        [] if loose.node_groups.is_empty() && loose.fargate.is_empty() && !loose.may_be_auto => {
            // Its nodes are made elsewhere, if it has any.
            let is_own = loose.version.is_some() || only_cluster(root).is_some();
            let alone = is_own.then_some(Cluster { complete: false, ..loose });
            clusters.extend(alone);
        }
        [] => clusters.push(loose),
        [only] => {
            only.node_groups.append(&mut loose.node_groups);
            only.fargate.append(&mut loose.fargate);
            only.profiles.append(&mut loose.profiles);
            only.complete &= loose.complete;
            only.may_be_auto |= loose.may_be_auto;
            only.name = only.name.take().or(loose.name);
            only.version = only.version.take().or(loose.version);
        }
        several => {
            let sure = loose.complete && loose.node_groups.is_empty() && loose.fargate.is_empty();
            for cluster in several {
                cluster.complete &= sure;
            }
        }
    }
    clusters
}

pub(super) fn region(value: &Value) -> Setting<String> {
    Setting::written(value, |it| it.as_str().map(str::to_owned))
}

fn from_module(object: &BlockInstance, scope: &Scope) -> Cluster {
    let body = &object.body;
    let mut cluster = Cluster {
        scope: scope.clone(),
        module: Some(object.node),
        is_of_eksctl: false,
        is_nodes_only: false,
        adds_to: None,
        version: version::of_module(body),
        region: None,
        name: ["cluster_name", "name"].iter().find_map(|it| body.get(it).present().cloned()),
        resource_name: None,
        node_groups: Vec::new(),
        fargate: Vec::new(),
        profiles: Vec::new(),
        complete: true,
        growing: object.growing_by(&OF_MODULE),
        may_be_auto: false,
        autoscaler: None,
    };
    let defaults = body.get("eks_managed_node_group_defaults");
    cluster.complete &= each_group(body.get("eks_managed_node_groups"), |it| {
        let group = managed_group(it.key_span, &it.value, defaults);
        let (absent_by, shape) = (object.absent_by.clone(), group.shape.named(it));
        cluster.node_groups.push(NodeGroup { absent_by, shape, ..group });
    });
    cluster.complete &= each_group(body.get("self_managed_node_groups"), |it| {
        let group = self_managed_group(it.key_span, &it.value);
        let (absent_by, shape) = (object.absent_by.clone(), group.shape.named(it));
        cluster.node_groups.push(NodeGroup { absent_by, shape, ..group });
    });
    let seen = each_group(body.get("fargate_profiles"), |it| {
        cluster.fargate.extend(FargateSelector::list(it.value.get("selectors")));
        cluster
            .profiles
            .push(FargateShape::read(it.key_span, "name", "selectors", &it.value).named(it));
    });
    if !seen {
        cluster.complete = false;
        cluster.fargate.push(FargateSelector::anything());
    }
    // With Auto Mode EKS brings node pools of its own.
    let auto = ["compute_config", "cluster_compute_config"].map(|it| body.get(it).get("enabled"));
    cluster.may_be_auto = !auto.into_iter().all(is_off);
    cluster.complete &= !cluster.may_be_auto;
    cluster
}

pub(super) fn is_off(switch: Field<'_>) -> bool {
    match switch {
        Field::Present(value) => value.as_bool() == Some(false),
        Field::Missing => true,
        Field::Unknown => false,
    }
}

/// Walks the groups of a module's map; false when there may be groups that are not seen.
fn each_group(groups: Field<'_>, mut visit: impl FnMut(&Entry)) -> bool {
    match groups {
        Field::Missing => true,
        Field::Unknown => false,
        Field::Present(value) => {
            let Kind::Map(map) = &value.kind else { return false };
            for entry in &map.entries {
                let off =
                    entry.value.get("create").present().and_then(Value::as_bool) == Some(false);
                if !off {
                    visit(entry);
                }
            }
            map.rest.is_none()
        }
    }
}

fn managed_group(name: Span, group: &Value, defaults: Field<'_>) -> NodeGroup {
    let field = |key: &str| match group.get(key) {
        Field::Missing => defaults.get(key),
        field => field,
    };
    let mut taints = Taints::read(field("taints"));
    taints.may_have_others |= mentions(Some(group), MODULE, "taint");
    NodeGroup {
        report_span: name,
        taints,
        labels: Labels::read(field("labels")),
        may_label_otherwise: mentions(Some(group), MODULE, "label")
            || mentions(defaults.present(), MODULE, "label"),
        may_start_otherwise: [Some(group), defaults.present()]
            .into_iter()
            .flatten()
            .any(|it| is_special(it, &[MODULE, OWN_IMAGE])),
        max_size: Setting::of(
            field("max_size"),
            knowledge::karpenter::eks_module_max_size(),
            name,
            Value::to_number,
        ),
        is_off: false,
        absent_by: BTreeSet::new(),
        shape: GroupShape::read(GroupKind::Managed, Keys::MODULE, name, &field),
    }
}

fn self_managed_group(name: Span, group: &Value) -> NodeGroup {
    NodeGroup {
        report_span: name,
        taints: Taints {
            may_have_others: mentions(Some(group), MODULE, "taint"),
            ..Taints::default()
        },
        labels: Labels::read(Field::Unknown),
        may_label_otherwise: true,
        may_start_otherwise: true,
        max_size: Setting::unknown(name),
        is_off: false,
        absent_by: BTreeSet::new(),
        shape: GroupShape::read(GroupKind::SelfManaged, Keys::SELF_MANAGED, name, &|key| {
            group.get(key)
        }),
    }
}

fn from_resources(root: &Root, scope: &Scope) -> Cluster {
    let groups = root.of(Mode::Resource, "aws_eks_node_group");
    let mut node_groups: Vec<NodeGroup> = groups.map(|it| resource_group(root, it)).collect();
    let submodules = root.of(Mode::Module, "module");
    let submodule =
        submodules.filter(|it| ModuleSource::of(it).is(ModuleSource::EKS_MANAGED_NODE_GROUP));
    node_groups.extend(submodule.map(|it| {
        let group = managed_group(it.header, &it.body, Field::Missing);
        let (is_off, absent_by) = (root.is_off(it), it.absent_by.clone());
        NodeGroup { max_size: of_one(root, it, group.max_size), is_off, absent_by, ..group }
    }));
    let profiles = root.of(Mode::Resource, "aws_eks_fargate_profile");
    let mut fargate = Vec::new();
    let mut shapes = Vec::new();
    for it in profiles {
        let selectors = FargateSelector::list(it.body.get("selector")).into_iter();
        fargate.extend(selectors.map(|selector| selector.off(root.is_off(it))));
        let shape = FargateShape::read(it.header, "fargate_profile_name", "selector", &it.body);
        shapes.push(shape.off(root.is_off(it)));
    }
    let modules = || root.of(Mode::Module, "module");
    for it in modules().filter(|it| ModuleSource::of(it).is(ModuleSource::EKS_FARGATE)) {
        let selectors = FargateSelector::list(it.body.get("selectors")).into_iter();
        fargate.extend(selectors.map(|selector| selector.off(root.is_off(it))));
        let shape = FargateShape::read(it.header, "name", "selectors", &it.body);
        shapes.push(shape.off(root.is_off(it)));
    }
    let unseen = |it: &&BlockInstance| !it.entered && ModuleSource::of(it).may_bring_fargate();
    fargate.extend(modules().filter(unseen).map(|_| FargateSelector::anything()));
    let unseen = root.incomplete
        || modules().any(|it| !it.entered && ModuleSource::of(it).may_bring_nodes())
        || root.of(Mode::Resource, "aws_autoscaling_group").next().is_some();
    let auto = |it: &BlockInstance| {
        let compute = it.body.get("compute_config").present().and_then(|it| it.items().first());
        compute.is_some_and(|it| !is_off(it.get("enabled")))
    };
    let may_be_auto = root.of(Mode::Resource, "aws_eks_cluster").any(auto);
    Cluster {
        scope: scope.clone(),
        module: None,
        is_of_eksctl: false,
        is_nodes_only: root.of(Mode::Resource, "aws_eks_cluster").next().is_none(),
        adds_to: None,
        version: version::of_resources(root),
        region: None,
        name: name_of_resources(root),
        resource_name: resource_name(root),
        node_groups,
        fargate,
        profiles: shapes,
        complete: !unseen && !may_be_auto,
        growing: root.growing(&["aws_eks_node_group", "aws_eks_fargate_profile"]),
        may_be_auto,
        autoscaler: None,
    }
}

/// The name of the cluster that a root's groups join, else of the one that it makes.
fn name_of_resources(root: &Root) -> Option<Value> {
    let mut groups = root.of(Mode::Resource, "aws_eks_node_group");
    let joined = groups.find_map(|it| it.body.get("cluster_name").present().cloned());
    joined.or_else(|| only_cluster(root)?.body.get("name").present().cloned())
}

/// The name in the only resource of a cluster, if the groups of the root join that cluster.
fn resource_name(root: &Root) -> Option<Value> {
    let only = only_cluster(root)?;
    let address = format!("aws_eks_cluster.{}", only.name);
    let is_its = |it: &BlockInstance| match it.body.get("cluster_name").present().map(|it| &it.kind)
    {
        Some(Kind::Unknown(symbol)) => symbol.text.starts_with(&*address),
        _ => false,
    };
    let joined = root.of(Mode::Resource, "aws_eks_node_group").all(is_its);
    only.body.get("name").present().filter(|_| joined).cloned()
}

/// The resource of the cluster that a root makes, if there is one.
fn only_cluster(root: &Root) -> Option<&BlockInstance> {
    let mut clusters = root.of(Mode::Resource, "aws_eks_cluster");
    clusters.next().filter(|_| clusters.next().is_none())
}

fn resource_group(root: &Root, object: &BlockInstance) -> NodeGroup {
    let body = &object.body;
    let scaling = body.get("scaling_config").present().and_then(|it| it.items().first());
    let max_size = scaling.map_or(Field::Unknown, |it| it.get("max_size"));
    NodeGroup {
        report_span: object.header,
        taints: Taints::read(body.get("taint")),
        labels: Labels::read(body.get("labels")),
        may_label_otherwise: may_label_by_template(root, body.get("launch_template")),
        may_start_otherwise: is_special(body, &[&["launch_template", "ami_type"]]),
        max_size: of_one(
            root,
            object,
            Setting::of(max_size, None, object.header, Value::to_number),
        ),
        is_off: root.is_off(object),
        absent_by: object.absent_by.clone(),
        shape: GroupShape::read(
            GroupKind::Managed,
            Keys::RESOURCE,
            object.header,
            &|key| match key {
                "min_size" | "max_size" => scaling.map_or(Field::Unknown, |it| it.get(key)),
                _ => body.get(key),
            },
        ),
    }
}

/// What is read of launch templates.
pub(crate) const LAUNCH_TEMPLATE: (&str, &[&str]) =
    ("aws_launch_template", &["metadata_options", "user_data"]);

/// What is read of autoscaling groups: that they are there.
pub(crate) const SCALING_GROUP: (&str, &[&str]) = ("aws_autoscaling_group", &[]);

/// Whether the start-up script of a launch template may label the nodes: none does if the template is one
/// of this root and none of them has a script.
fn may_label_by_template(root: &Root, written: Field<'_>) -> bool {
    let of_root = |it: &Value| match &it.kind {
        Kind::Unknown(symbol) => symbol.text.starts_with("aws_launch_template."),
        _ => false,
    };
    let template = match written {
        Field::Missing => return false,
        Field::Unknown => return true,
        Field::Present(value) => value.items().first().map(|it| (it.get("id"), it.get("name"))),
    };
    let named = match template {
        Some((Field::Present(id), _)) => of_root(id),
        Some((Field::Missing, Field::Present(name))) => of_root(name),
        _ => false,
    };
    let mut templates = root.of(Mode::Resource, "aws_launch_template");
    !named || templates.any(|it| !it.body.get("user_data").is_missing())
}

/// The size of a group, if its code makes one group, or as many as are seen here.
fn of_one(root: &Root, object: &BlockInstance, size: Setting<f64>) -> Setting<f64> {
    let mut blocks = root.calls_around(object).chain([object]);
    let counted = |it: &BlockInstance| {
        ["count", "for_each"].iter().all(|key| match it.body.get(key) {
            Field::Missing => true,
            Field::Present(value) => value.is_wholly_known(),
            Field::Unknown => false,
        })
    };
    if blocks.all(counted) { size } else { Setting::unknown(size.span()) }
}

#[cfg(test)]
mod tests;
