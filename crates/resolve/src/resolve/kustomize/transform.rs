//! What a kustomization does to all its objects: namespace, name prefix and suffix, labels,
//! annotations, replicas, images.

use crate::{
    resolve::kustomize::{
        accumulated::Accumulated,
        defaults,
        edit::{field_mut, list_mut, map_mut, retext, set, text, text_at},
        field::{FieldSpec, Leaf},
        image,
        layout::{Kustomization, KustomizeProject},
        resource::Resource,
    },
    value::{Entry, Kind, Value, step::Rewrite},
};

/// More labels than any object may have.
const MANY: usize = 1000;

/// Namespace, prefix, suffix, labels and annotations, in kustomize's order.
pub(super) fn names_and_labels(it: &Kustomization, made: &mut Accumulated) {
    if let Some(namespace) = it.filled("namespace") {
        let extra = made.config.namespace.clone();
        for resource in &mut made.resources {
            move_to(resource, namespace, &extra);
        }
    }
    if let Some(prefix) = it.filled("namePrefix") {
        made.resources.iter_mut().for_each(|it| affix(it, prefix, true));
    }
    if let Some(suffix) = it.filled("nameSuffix") {
        made.resources.iter_mut().for_each(|it| affix(it, suffix, false));
    }
    for label in it.list("labels") {
        labels(label, made);
    }
    if let Some(pairs) = it.filled("commonLabels") {
        let mut specs = defaults::common_labels();
        specs.extend(made.config.common_labels.iter().cloned());
        add_pairs(pairs, &specs, made);
    }
    if let Some(pairs) = it.filled("commonAnnotations") {
        let mut specs = defaults::annotations();
        specs.extend(made.config.annotations.iter().cloned());
        add_pairs(pairs, &specs, made);
    }
}

/// Replicas, then images.
pub(super) fn replicas_and_images(
    it: &Kustomization,
    layout: &mut KustomizeProject<'_>,
    made: &mut Accumulated,
) {
    let counts = it.list("replicas");
    let images = [it.list("images"), it.list("imageTags")].concat();
    if !layout.may(made.resources.len().saturating_mul(counts.len() + images.len())) {
        made.open = true;
        return;
    }
    for entry in counts {
        replicas(entry, made);
    }
    image::apply(&images, made);
}

/// Sets the namespace of an object, and of those it names that move along.
pub(super) fn move_to(resource: &mut Resource, namespace: &Value, extra: &[FieldSpec]) {
    resource.remember();
    let id = resource.id();
    let place = namespace.name;
    if id.namespace.is_some()
        && let Some(metadata) = field_mut(&mut resource.value, "metadata")
    {
        set(metadata, "namespace", place, namespace.clone());
    }
    if matches!(&*id.kind, "RoleBinding" | "ClusterRoleBinding")
        && let Some(subjects) = field_mut(&mut resource.value, "subjects")
        && let Some(list) = list_mut(subjects)
    {
        for subject in &mut list.items {
            if text_at(subject, "name").as_deref() == Some("default") {
                set(subject, "namespace", place, namespace.clone());
            }
        }
    }
    for spec in defaults::NAMESPACES.iter().chain(extra).filter(|it| it.selects(&id)) {
        if spec.path == "metadata/namespace" {
            continue;
        }
        spec.change(resource, place, &Leaf::Scalar, &mut |value| {
            *value = namespace.clone().named(value.name);
        });
    }
}

/// Puts a prefix before, or a suffix after, an object's name.
pub(super) fn affix(resource: &mut Resource, affix: &Value, before: bool) {
    let first = resource.original();
    let kept = matches!(
        (&*first.group, &*first.kind),
        (_, "CustomResourceDefinition" | "Namespace") | ("apiregistration.k8s.io", "APIService")
    );
    let Some(part) = text(affix).filter(|_| !kept) else { return };
    resource.remember();
    if before {
        resource.prefixes.push(part.clone());
    } else {
        resource.suffixes.push(part.clone());
    }
    let metadata = field_mut(&mut resource.value, "metadata");
    let Some(name) = metadata.and_then(|it| field_mut(it, "name")) else { return };
    let Some(old) = text(name) else { return };
    let (new, rewrite) = if before {
        (format!("{part}{old}"), Rewrite::Prefix)
    } else {
        (format!("{old}{part}"), Rewrite::Suffix)
    };
    retext(name, new, affix.span, rewrite);
}

/// One entry of `labels`.
fn labels(entry: &Value, made: &mut Accumulated) {
    let on = |key: &str| entry.get(key).present().and_then(Value::as_bool) == Some(true);
    let mut specs: Vec<FieldSpec> = entry
        .get("fields")
        .present()
        .map_or(&[][..], Value::items)
        .iter()
        .filter_map(FieldSpec::read)
        .collect();
    specs.extend(made.config.labels.iter().cloned());
    if on("includeSelectors") {
        specs.extend(defaults::common_labels());
        specs.extend(made.config.common_labels.iter().cloned());
    } else {
        if on("includeTemplates") {
            specs.extend(defaults::template_labels());
        }
        specs.push(FieldSpec::new("", "", "metadata/labels").created());
    }
    if let Some(pairs) = entry.get("pairs").present() {
        add_pairs(pairs, &specs, made);
    }
}

/// Adds keys to the mappings at some fields.
pub(super) fn add_pairs(pairs: &Value, specs: &[FieldSpec], made: &mut Accumulated) {
    let plain = |it: &&Entry| !matches!(it.value.kind, Kind::String(_) | Kind::Unknown(_));
    if let Some(pair) = pairs.entries().iter().find(plain) {
        made.refuse(pair.value.span, "kustomize wants text here: put it in quotes");
    }
    if pairs.entries().len() > MANY {
        made.open = true;
        return;
    }
    for resource in &mut made.resources {
        let id = resource.id();
        for spec in specs.iter().filter(|it| it.selects(&id)) {
            spec.change(resource, pairs.name, &Leaf::Map, &mut |value| {
                for pair in pairs.entries() {
                    put(value, pair);
                }
            });
        }
    }
}

fn put(value: &mut Value, pair: &Entry) {
    if value.is_null() {
        *value = Value::map(Vec::new(), pair.key_span).named(value.name);
    }
    if map_mut(value).is_some() {
        set(value, &pair.key, pair.key_span, pair.value.clone());
    }
}

/// One entry of `replicas`.
fn replicas(entry: &Value, made: &mut Accumulated) {
    let (Some(name), Some(count)) = (text_at(entry, "name"), entry.get("count").present()) else {
        made.open = true;
        return;
    };
    let mut found = false;
    let extra = made.config.replicas.clone();
    for at in made.resources.candidates(Some(&name)) {
        made.resources.change(at, |resource| {
            let ids = resource.ids();
            for spec in defaults::REPLICAS.iter().chain(&extra) {
                if !ids.iter().any(|it| it.name == name && spec.selects(it)) {
                    continue;
                }
                found = true;
                spec.change(resource, count.name, &Leaf::Scalar, &mut |value| {
                    *value = count.clone();
                });
            }
        });
    }
    if !found {
        let place = entry.get("name").present().map_or(entry.span, |it| it.span);
        made.refuse(place, format!("nothing with replicas is called `{name}`"));
    }
}
