//! Pods that an operator makes of a custom resource.

use std::sync::Arc;

use crate::{
    knowledge::operator::{self, Operator, OperatorPdb, Scheduling},
    model::{
        namespace::namespace,
        workload::{DO_NOT_DISRUPT, Workload, WorkloadKind, storage::Storage},
    },
    resolve::{
        kubernetes::Object,
        pod::{
            creator::Creator,
            pdb::{Bound, Bounds, CreatedPdb, OwnPdb},
            placement::Placement,
            selector::Labels,
            toleration::Tolerations,
        },
        scope::Scope,
        setting::Setting,
    },
    value::{Entry, Field, Kind, Map, Symbol, Value, cause::Cause},
};

/// Reads a custom resource whose operator makes pods that keep data; `None` for all other kinds.
#[must_use]
pub(crate) fn workload(object: &Object, scope: &Scope) -> Option<Workload> {
    let operator = operator::of(&object.api_version, &object.kind)?;
    let name = object.value.at("metadata.name").present()?;
    let labels = match (&operator.template_labels, &operator.cluster_label) {
        (Some(path), _) => Labels::read(object.value.at(path)).and_others(),
        (None, Some(key)) => labels(operator, key, object, name),
        (None, None) => return None,
    };
    let replicas = operator.replicas.as_deref().map_or(Field::Unknown, |it| object.value.at(it));
    let at = |path: fn(&Scheduling) -> Option<&String>| match operator.scheduling.as_ref() {
        Some(it) => path(it).map_or(Field::Missing, |it| object.value.at(it)),
        None => Field::Unknown,
    };
    let overriding = at(|it| it.overriding.as_ref());
    let node_selector = at(|it| it.node_selector.as_ref());
    let affinity = at(|it| Some(&it.affinity));
    Some(Workload {
        kind: WorkloadKind::Custom,
        name: name.as_str().unwrap_or_default().into(),
        title: name.as_str().unwrap_or_default().into(),
        report_span: object.report_span(),
        scope: scope.clone(),
        namespace: namespace(object),
        replicas: Setting::of(replicas, Some(1.0), object.report_span(), Value::as_number),
        labels,
        tolerations: Tolerations::read(at(|it| Some(&it.tolerations))),
        tolerations_key: None,
        pod_spec: None,
        placement: match overriding {
            Field::Missing => Placement::read(node_selector, affinity),
            _ => Placement::unknown(),
        },
        storage: match operator.claims.as_deref().map(|it| object.value.at(it)) {
            None | Some(Field::Present(_)) => Storage::Claims,
            Some(Field::Missing) => Storage::Nothing,
            Some(Field::Unknown) => Storage::Unknown,
        },
        claim_templates: Vec::new(),
        volume_site: None,
        do_not_disrupt: annotation(operator, object),
        grace: Setting::unknown(object.report_span()),
        own_pdb: own_pdb(operator, object),
        images: Vec::new(),
        annotations_path: operator.pod_annotations.first().map(String::as_str),
        subject: None,
        is_off: false,
        managed: None,
        protection: None,
        part: None,
    })
}

/// The annotation at the places where the operator looks for annotations of its pods.
fn annotation(operator: &Operator, object: &Object) -> Option<Setting<String>> {
    let mut places = operator.pod_annotations.iter().flat_map(|it| all_at(&object.value, it));
    let found = places.find_map(|it| it.get(DO_NOT_DISRUPT).present())?;
    Some(Setting::written(found, |it| it.as_str().map(str::to_owned)))
}

/// The values at a path; `[]` after a name means each item of a list.
#[must_use]
pub(crate) fn all_at<'a>(value: &'a Value, path: &str) -> Vec<&'a Value> {
    let mut found = vec![value];
    for key in path.split('.') {
        let (key, each) = key.strip_suffix("[]").map_or((key, false), |it| (it, true));
        let inner = found.iter().filter_map(|it| it.get(key).present());
        found = if each { inner.flat_map(Value::items).collect() } else { inner.collect() };
    }
    found
}

fn own_pdb(operator: &'static Operator, object: &Object) -> OwnPdb {
    let switch = operator.without_pdb.as_deref().and_then(|it| it.split(':').next());
    let switched_off = switch.is_some_and(|it| {
        // Whatever is written there: off, a PDB of the author's own, or not known.
        !object.value.at(it).is_missing()
            && object.value.at(it).present().and_then(Value::as_bool) != Some(true)
    });
    match operator.pdb {
        OperatorPdb::None => OwnPdb::Nothing,
        OperatorPdb::Depends => OwnPdb::Unknown(
            Cause::Chart,
            "whether its operator makes a PDB hangs on its configuration",
        ),
        OperatorPdb::Created if switched_off => OwnPdb::Unknown(
            Cause::Value,
            "the PDB of its operator is switched off, or replaced by another",
        ),
        OperatorPdb::Created => {
            let span = object.report_span();
            let min = operator.min_available.map(|it| Setting::default(Bound::Count(it), span));
            OwnPdb::Created(Box::new(CreatedPdb {
                by: Creator::Operator(&operator.name),
                bounds: Bounds { min_available: min, max_unavailable: None },
                without: operator.without_pdb.clone(),
                span,
            }))
        }
    }
}

/// The labels an operator gives its pods, as far as they are known. What belongs to another resource, as a
/// node pool of Strimzi does, names it in a label of its own.
fn labels(operator: &Operator, key: &str, object: &Object, name: &Value) -> Labels {
    let own = object.value.at("metadata.labels").get(key).present();
    let cluster = own.unwrap_or(name);
    let entry = |key: &str, value: Value| Entry { key: key.into(), key_span: name.span, value };
    let others = cluster.as_str().into_iter().flat_map(|cluster| {
        let filled = |it: &str| Value::computed(it.replace("{cluster}", cluster), name.span);
        operator.pod_labels.iter().map(move |(key, value)| entry(key, filled(value)))
    });
    let entries = [entry(key, cluster.clone())].into_iter().chain(others).collect();
    let rest = Some(Symbol::new("", "labels of the operator"));
    let map = Map { entries, rest };
    Labels::read(Field::Present(&Value::new(Kind::Map(Arc::new(map)), name.span)))
}
