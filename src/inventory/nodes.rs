//! Where nodes come from: node groups, Fargate profiles, `NodePools` and their classes.

use crate::{
    inventory::{
        Item,
        facts::{at, nothing, of_setting, of_written, text, unknown},
    },
    model::{
        cluster::{
            Cluster, NodeGroup,
            shape::{FargateShape, GroupShape},
        },
        node_pool::{NodePool, PoolVersion, class::NodeClass},
    },
    resolve::pod::toleration::Taint,
    source::Span,
    value::{Entry, Kind, List, Symbol, Value},
};

/// The node groups and Fargate profiles of a cluster.
pub(crate) fn groups(cluster: &Cluster) -> Vec<Item> {
    let groups = cluster.node_groups.iter().map(group);
    groups.chain(cluster.profiles.iter().map(profile)).collect()
}

fn group(group: &NodeGroup) -> Item {
    let span = group.report_span;
    let GroupShape { kind, name, labels, min, max, instance_types, .. } = &group.shape;
    let types = match instance_types {
        // One type is a list of one.
        Some(value) if matches!(value.kind, Kind::String(_)) => {
            Value::list(vec![value.clone()], value.span)
        }
        other => of_written(other.as_ref(), span),
    };
    let fields = vec![
        ("name", of_written(name.as_ref(), span)),
        ("kind", text(kind.word(), span)),
        ("labels", labels.clone().unwrap_or_else(|| Value::map(Vec::new(), span))),
        ("taints", taints(group)),
        ("min", of_written(min.as_ref(), span)),
        ("max", of_written(max.as_ref(), span)),
        ("instance_types", types),
    ];
    Item { fields, span }
}

/// The taints of a group, as Kubernetes spells them.
fn taints(group: &NodeGroup) -> Value {
    let span = group.report_span;
    let written = group.shape.taints.as_ref().filter(|it| !it.is_wholly_known());
    if let Some(written) = written {
        return written.clone();
    }
    let items = group.taints.list.iter().map(|(it, place)| taint(it, *place)).collect();
    let rest = group.taints.may_have_others.then(|| Symbol::new("view", "start-up commands"));
    let list = List { items, rest, is_set: false };
    Value::new(Kind::List(list.into()), span)
}

fn taint(taint: &Taint, place: Span) -> Value {
    let field = |key: &str, value: &str| Entry {
        key: key.into(),
        key_span: place,
        value: text(value, place),
    };
    let fields = [("key", &*taint.key), ("value", &taint.value), ("effect", taint.effect.word())];
    let written = fields.into_iter().filter(|it| !it.1.is_empty());
    Value::map(written.map(|(key, value)| field(key, value)).collect(), place)
}

fn profile(profile: &FargateShape) -> Item {
    let span = profile.report_span;
    let nothing = || nothing(span);
    let fields = vec![
        ("name", of_written(profile.name.as_ref(), span)),
        ("kind", text("fargate", span)),
        ("selectors", of_written(profile.selectors.as_ref(), span)),
        ("labels", Value::map(Vec::new(), span)),
        ("taints", Value::list(Vec::new(), span)),
        ("min", nothing()),
        ("max", nothing()),
        ("instance_types", nothing()),
    ];
    Item { fields, span }
}

/// A pool, with what Karpenter takes where nothing is written.
pub(crate) fn pool(pool: &NodePool) -> Item {
    let (object, span) = (&pool.object, pool.report_span);
    let is_v1 = pool.api == PoolVersion::V1;
    let list = || Value::list(Vec::new(), span);
    let map = || Value::map(Vec::new(), span);
    let inside = |path: &str| format!("spec.template.{path}");
    let lifetime =
        if is_v1 { "spec.template.spec.expireAfter" } else { "spec.disruption.expireAfter" };
    let fields = vec![
        ("name", of_setting(&pool.name)),
        ("requirements", at(object, &inside("spec.requirements"), list)),
        ("labels", at(object, &inside("metadata.labels"), map)),
        ("taints", at(object, &inside("spec.taints"), list)),
        ("startup_taints", at(object, &inside("spec.startupTaints"), list)),
        ("weight", at(object, "spec.weight", || nothing(span))),
        ("limits", at(object, "spec.limits", map)),
        ("budgets", at(object, "spec.disruption.budgets", || budgets(span))),
        ("expire_after", at(object, lifetime, || text("720h", span))),
        ("consolidation", consolidation(pool)),
        ("node_class", of_setting(&pool.class)),
    ];
    Item { fields, span }
}

/// Karpenter's default: a tenth of the nodes at a time.
fn budgets(span: Span) -> Value {
    let nodes = Entry { key: "nodes".into(), key_span: span, value: text("10%", span) };
    Value::list(vec![Value::map(vec![nodes], span)], span)
}

fn consolidation(pool: &NodePool) -> Value {
    let (object, span) = (&pool.object, pool.report_span);
    let (policy, after) = match pool.api {
        PoolVersion::V1 => ("WhenEmptyOrUnderutilized", text("0s", span)),
        PoolVersion::V1Beta1 => ("WhenUnderutilized", nothing(span)),
    };
    let policy = at(object, "spec.disruption.consolidationPolicy", || text(policy, span));
    let after = at(object, "spec.disruption.consolidateAfter", || after);
    let field = |key: &str, value: Value| Entry { key: key.into(), key_span: span, value };
    Value::map(vec![field("policy", policy), field("after", after)], span)
}

/// A class.
pub(crate) fn class(class: &NodeClass) -> Item {
    let (object, span) = (&class.object, class.report_span);
    let written = |path: &str| at(object, path, || nothing(span));
    let mut fields = vec![
        ("name", of_setting(&class.name)),
        ("ami_family", written("spec.amiFamily")),
        ("ami_selector_terms", written("spec.amiSelectorTerms")),
        ("role", written("spec.role")),
        ("instance_profile", written("spec.instanceProfile")),
        ("subnet_selector_terms", written("spec.subnetSelectorTerms")),
        ("security_group_selector_terms", written("spec.securityGroupSelectorTerms")),
    ];
    if class.is_in_doubt {
        fields.retain(|it| it.0 == "name");
        fields.push(("patched_by", unknown("patches that are not in the repository", span)));
    }
    Item { fields, span }
}
