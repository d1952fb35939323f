//! Releases, add-ons, node groups, pools and their classes.

use std::sync::Arc;

use crate::{
    findings::subject::Subject as About,
    inventory::{Item, nodes, parts},
    model::{Model, scope::Scoped},
    policies::{
        fields::{ADDON, Field, NODE_CLASS, NODE_GROUP, NODE_POOL, RELEASE, shaped},
        subjects::{chart_values, objects::applied, subject::Subject},
    },
    project::Project,
    resolve::{
        charts::folders::ChartFolders,
        kubernetes::Object,
        release::{Release, surface::Surface},
        scope::Scope,
    },
    value::{Kind, Symbol, Value},
};

fn subject(item: &Item, fields: &[Field], about: Option<About>, scope: &Scope) -> Subject {
    Subject {
        value: shaped(item, fields),
        object: None,
        report_span: item.span,
        about,
        scope: scope.clone(),
        kind: None,
    }
}

/// The releases; a chart that is only a part of another one in the repository is none.
#[must_use]
pub(super) fn releases(model: &Model, project: &Project) -> Vec<Subject> {
    let charts = ChartFolders::find(&project.files, &project.archives);
    let is_whole = |it: &&Release| it.surface() != Surface::ChartDependency;
    let own = model.releases.iter().filter(is_whole).filter(|it| !it.is_optional);
    let release = |it: &Release| {
        let mut item = parts::release(it);
        let local = it.local_chart.as_deref().and_then(|folder| charts.values(folder, &it.values));
        let values = local.unwrap_or_else(|| chart_values::effective(it));
        let skip_crds = match (it.skip_crds.known(), it.skip_crds.value()) {
            (Some(known), value) => {
                let kind = Kind::Bool(*known);
                value.map_or_else(
                    || Value::new(kind.clone(), it.skip_crds.span()),
                    |value| Value { kind: kind.clone(), ..value.clone() },
                )
            }
            (None, Some(value)) => value.clone(),
            (None, None) => Value::unknown(Symbol::new("view", "skipCrds"), it.report_span),
        };
        item.fields.extend([("values", values), ("skip_crds", skip_crds)]);
        subject(&item, RELEASE, it.subject.clone(), &it.scope)
    };
    own.map(release).collect()
}

/// The EKS add-ons.
#[must_use]
pub(super) fn addons(model: &Model) -> Vec<Subject> {
    let addon = |it: &crate::model::addon::Addon| {
        let mut item = parts::addon(it);
        item.fields.push(("values", it.values.clone()));
        subject(&item, ADDON, Some(it.subject.clone()), &it.scope)
    };
    model.addons.iter().filter(|it| !it.is_optional).map(addon).collect()
}

/// The node groups and Fargate profiles of all clusters.
#[must_use]
pub(super) fn node_groups(model: &Model) -> Vec<Subject> {
    let of_cluster = |cluster: &crate::model::cluster::Cluster| -> Vec<Subject> {
        let groups = nodes::groups(cluster);
        groups.iter().map(|it| subject(it, NODE_GROUP, None, cluster.scope())).collect()
    };
    model.clusters.iter().flat_map(of_cluster).collect()
}

/// The pools.
#[must_use]
pub(super) fn node_pools(model: &Model) -> Vec<Subject> {
    let pools = model.node_pools.iter().filter(|it| !it.is_optional);
    let pool = |it: &crate::model::node_pool::NodePool| {
        let of = subject(&nodes::pool(it), NODE_POOL, it.subject.clone(), &it.scope);
        Subject { object: Some(object(model, &it.object, &it.scope)), ..of }
    };
    pools.map(pool).collect()
}

/// The classes.
#[must_use]
pub(super) fn node_classes(model: &Model) -> Vec<Subject> {
    let classes = model.node_classes.iter().filter(|it| !it.is_fragment());
    let class = |it: &crate::model::node_pool::class::NodeClass| {
        let of = subject(&nodes::class(it), NODE_CLASS, it.subject.clone(), &it.scope);
        Subject { object: Some(object(model, &it.object, &it.scope)), ..of }
    };
    classes.map(class).collect()
}

/// A resource of Karpenter as it is applied.
fn object(model: &Model, value: &Value, scope: &Scope) -> Value {
    let text = |key: &str| -> Arc<str> {
        value.get(key).present().and_then(Value::as_str).unwrap_or_default().into()
    };
    let object =
        Object { api_version: text("apiVersion"), kind: text("kind"), value: value.clone() };
    applied(model, &object, scope)
}
