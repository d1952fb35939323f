//! Pods and what makes them, also of charts and operators.

use std::{cell::OnceCell, collections::HashMap};

use crate::{
    inventory::{facts, objects::BuiltObject, parts},
    model::{
        Model,
        cluster::Cluster,
        neighbourhood::Neighbourhoods,
        pdb::selections::{same_namespace, selects},
        placement::{decision::Decision, demands::Demands, taker::Taker},
        workload::{self, Workload},
    },
    policies::{
        fields::{WORKLOAD, shaped},
        subjects::{objects::applied, subject::Subject},
    },
    resolve::pod::{selector::Labels, toleration::Tolerations},
    source::Span,
    value::{Entry, Field, Kind, List, Map, Symbol, Value, cause::Cause},
};

/// The workloads that objects make, and those that only charts and operators know.
#[must_use]
pub(super) fn all(model: &Model, built: &[BuiltObject<'_>], near: &Neighbourhoods) -> Vec<Subject> {
    let mut known: HashMap<Span, Vec<&Workload>> = HashMap::new();
    for it in &model.workloads {
        known.entry(it.report_span).or_default().push(it);
    }
    let takers = near.list.iter().map(|_| OnceCell::new()).collect();
    let describing = Describing { model, near, takers };
    let mut found = Vec::new();
    let mut seen: Vec<*const Workload> = Vec::new();
    for built in built {
        let of_model = known.get(&built.object.report_span()).into_iter().flatten();
        let own = of_model.copied().find(|it| it.scope.deploy_unit() == built.scope.deploy_unit());
        if let Some(own) = own {
            seen.push(own);
            found.push(describing.subject(own, Some(built)));
        } else {
            let read = workload::workload(&built.object, &built.scope);
            found.extend(read.map(|it| describing.subject(&it, Some(built))));
        }
    }
    seen.sort_unstable();
    let unseen = model.workloads.iter().filter(|it| {
        let it: *const Workload = *it;
        seen.binary_search(&it).is_err()
    });
    // What is read again from the same object is the same.
    let is_built = |it: &&Workload| it.pod_spec.is_some() && it.managed.is_none();
    found.extend(unseen.filter(|it| !is_built(it)).map(|it| describing.subject(it, None)));
    found
}

struct Describing<'a> {
    model: &'a Model,
    near: &'a Neighbourhoods,
    /// The groups and pools of each cluster, once one of its workloads is described.
    takers: Vec<OnceCell<Vec<Taker<'a>>>>,
}

impl<'a> Describing<'a> {
    fn subject(&self, it: &Workload, built: Option<&BuiltObject<'_>>) -> Subject {
        let model = self.model;
        let span = it.report_span;
        let mut item = parts::workload(model, it);
        if let Some(kind) = built.map(|it| facts::text(&*it.object.kind, span)) {
            item.fields.iter_mut().filter(|it| it.0 == "kind").for_each(|it| it.1 = kind.clone());
        }
        let template = built.and_then(|it| it.object.template());
        let at = |path: &str| match template {
            Some(template) => of_field(path.split('.').fold(template, Field::get), span),
            None => unseen(span),
        };
        let or = |value: Value, other: Value| if template.is_some() { value } else { other };
        item.fields.extend([
            ("labels", or(at("metadata.labels"), labels(&it.labels, span))),
            ("annotations", at("metadata.annotations")),
            ("replicas", replicas(it)),
            ("tolerations", or(at("spec.tolerations"), tolerations(&it.tolerations, span))),
            ("node_selector", at("spec.nodeSelector")),
            ("volumes", at("spec.volumes")),
            ("containers", at("spec.containers")),
            ("budgets", budgets(model, it)),
            ("takers", self.takers(it)),
        ]);
        Subject {
            value: shaped(&item, WORKLOAD),
            object: built.map(|it| applied(model, &it.object, &it.scope)),
            report_span: span,
            about: it.subject.clone().or_else(|| built.map(|it| it.subject.clone())),
            scope: it.scope.clone(),
            kind: None,
        }
    }

    /// The groups and pools of a cluster.
    fn takers_of(&self, own: usize) -> Option<&[Taker<'a>]> {
        let (model, near) = (self.model, self.near);
        let all = || {
            let groups = self.cluster(own).into_iter().flat_map(|it| {
                let groups = it.node_groups.iter().map(|it| Taker::group(model, it));
                groups.chain(it.profiles.iter().map(Taker::fargate))
            });
            let pools = model.node_pools.iter().filter(|it| near.around(&it.scope).contains(&own));
            let pools = pools.filter(|it| !it.is_optional).map(|it| Taker::pool(model, it));
            groups.chain(pools).collect()
        };
        Some(self.takers.get(own)?.get_or_init(all))
    }

    fn cluster(&self, own: usize) -> Option<&'a Cluster> {
        let cluster = self.near.list.get(own)?.cluster?;
        self.model.clusters.get(cluster)
    }

    /// The names of the groups and pools of its cluster that take the pods.
    fn takers(&self, it: &Workload) -> Value {
        let span = it.report_span;
        let unknown = |words: &str| facts::unknown(words, span);
        let around = self.near.around(&it.scope);
        let [own] = *around else { return unknown("the cluster of its pods") };
        let demands = Demands::of(it);
        let mut rest = match self.cluster(own) {
            Some(cluster) if cluster.complete => None,
            _ => Some(Symbol::new("view", "nodes that are not seen")),
        };
        let mut items = Vec::new();
        for taker in self.takers_of(own).into_iter().flatten() {
            match (taker.takes(&demands), taker.name.as_ref().and_then(Value::as_str)) {
                (Decision::Yes, Some(name)) => items.push(facts::text(name, span)),
                (Decision::No(_), _) => {}
                (Decision::Undecided(doubt), _) => rest = Some(Symbol::new("view", doubt.why)),
                (Decision::Yes, None) => items.push(unknown("the name of a taker")),
            }
        }
        Value::new(Kind::List(List { items, rest, is_set: false }.into()), span)
    }
}

/// What is written; null where nothing is.
fn of_field(field: Field<'_>, span: Span) -> Value {
    match field {
        Field::Present(value) => value.clone(),
        Field::Missing => facts::nothing(span),
        Field::Unknown => facts::unknown("?", span),
    }
}

/// What a chart or an operator decides.
fn unseen(span: Span) -> Value {
    let symbol = Symbol::new("view", "what the chart makes").because(Cause::Chart);
    Value::unknown(symbol, span)
}

fn labels(labels: &Labels, span: Span) -> Value {
    let entry = |(key, value): (&str, Option<&str>)| Entry {
        key: key.into(),
        key_span: span,
        value: value.map_or_else(|| unseen(span), |it| facts::text(it, span)),
    };
    let rest = labels.is_open().then(|| Symbol::new("view", "labels that the chart adds"));
    let map = Map { entries: labels.all().map(entry).collect(), rest };
    Value::new(Kind::Map(map.into()), span)
}

fn tolerations(tolerations: &Tolerations, span: Span) -> Value {
    let items = tolerations.list.iter().map(|it| {
        it.written.clone().unwrap_or_else(|| {
            let parts = [
                ("key", &it.key),
                ("operator", &it.operator),
                ("value", &it.value),
                ("effect", &it.effect),
            ];
            let entry = |(key, part): (&str, &crate::resolve::pod::toleration::TolerationPart)| {
                let value = part.known().map_or_else(|| unseen(span), |it| facts::text(it, span));
                Entry { key: key.into(), key_span: span, value }
            };
            Value::map(parts.into_iter().map(entry).collect(), span)
        })
    });
    let rest = tolerations
        .rest_unknown
        .then(|| Symbol::new("view", "tolerations that the chart adds").because(Cause::Chart));
    let list = List { items: items.collect(), rest, is_set: false };
    Value::new(Kind::List(list.into()), span)
}

/// How many pods there are; absent where each node has one.
fn replicas(it: &Workload) -> Value {
    let is_daemon = it.kind == workload::WorkloadKind::DaemonSet;
    match (it.replicas.known(), it.replicas.value()) {
        _ if is_daemon => facts::nothing(it.report_span),
        (Some(known), Some(value)) => Value { kind: Kind::Number(*known), ..value.clone() },
        (Some(known), None) => Value::new(Kind::Number(*known), it.replicas.span()),
        (None, Some(value)) if !value.is_wholly_known() => value.clone(),
        (None, _) => facts::unknown("how many pods there are", it.report_span),
    }
}

/// The names of the PDBs that select the pods.
fn budgets(model: &Model, it: &Workload) -> Value {
    let span = it.report_span;
    let mut items = Vec::new();
    let mut rest = None;
    let near = model.pdbs.iter().filter(|pdb| !pdb.is_switched_off && same_namespace(pdb, it));
    for pdb in near.filter(|pdb| model.may_meet(&pdb.scope, &it.scope)) {
        match selects(pdb, it) {
            Some(true) => items.push(facts::text(&*pdb.name, span)),
            Some(false) => {}
            None => rest = Some(Symbol::new("view", format!("what PDB {} selects", pdb.name))),
        }
    }
    let list = List { items, rest, is_set: false };
    Value::new(Kind::List(list.into()), span)
}
