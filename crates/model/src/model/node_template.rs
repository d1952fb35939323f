//! Node templates: the classes of Karpenter before its `EC2NodeClasses`.

use std::sync::Arc;

use crate::{
    model::{
        Model,
        karpenter_object::KarpenterObject,
        node_pool::{PoolVersion, class::NodeClass, user_data::UserData},
        provisioner::is_retired,
    },
    resolve::setting::Setting,
    source::Span,
    value::{Entry, Field, Kind, Value},
};

/// The lists of terms of a class, each with the map that a template has in its place.
const SELECTORS: [(&str, &str); 2] = [
    ("subnetSelectorTerms", "subnetSelector"),
    ("securityGroupSelectorTerms", "securityGroupSelector"),
];

/// The keys of such a map that are no tags.
const IDS: [&str; 2] = ["aws-ids", "aws::ids"];

/// The family of images of a template that names none.
const FAMILY: &str = "AL2";

/// The `AWSNodeTemplates` that Karpenter may read and the Provisioners with the same in their `provider`, in terms of
/// classes, as far as they say by which tags they select, and which volumes their nodes have.
#[must_use]
pub fn templates(model: &Model) -> Vec<NodeClass> {
    let read = |it: &&KarpenterObject| !is_retired(model, it);
    let objects = model.karpenter_objects.iter();
    objects
        .filter_map(|it| Some((it, settings_of(it)?)))
        .filter(|(it, _)| read(it))
        .map(as_class)
        .collect()
}

/// Where an object has the settings of a template.
fn settings_of(resource: &KarpenterObject) -> Option<Field<'_>> {
    let value = &resource.object.value;
    match &*resource.object.kind {
        "AWSNodeTemplate" => Some(value.get("spec")),
        "Provisioner" => Some(value.at("spec.provider")).filter(|it| !it.is_missing()),
        _ => None,
    }
}

fn as_class((resource, spec): (&KarpenterObject, Field<'_>)) -> NodeClass {
    let value = &resource.object.value;
    let terms = SELECTORS.iter().filter_map(|(list, map)| {
        let entry = spec.present()?.as_map()?.entry(map)?;
        let value = terms(&entry.value).or_else(|| unseen(&entry.value))?;
        Some(Entry { key: (*list).into(), value, ..entry.clone() })
    });
    let place = spec.present().map_or(resource.report_span, |it| it.span);
    let entries = terms.chain(volumes(spec)).chain(images(spec, place)).collect();
    let spec = Value::map(entries, place);
    let entry = Entry { key: "spec".into(), key_span: place, value: spec };
    let text = |it: &Value| it.as_str().map(str::to_owned);
    NodeClass {
        api: PoolVersion::V1Beta1,
        name: Setting::of(value.at("metadata.name"), None, resource.report_span, text),
        written_name: Arc::clone(&resource.title),
        title: Arc::clone(&resource.title),
        report_span: resource.report_span,
        scope: resource.scope.clone(),
        node: resource.node,
        object: Value::map(vec![entry], value.span),
        subject: resource.subject.clone(),
        is_in_doubt: !resource.is_whole,
        user_data: UserData::read(value),
        pools: Vec::new(),
        is_of_script_cluster: false,
    }
}

/// The list of volumes, if one is written.
fn volumes(spec: Field<'_>) -> Option<Entry> {
    spec.present()?.as_map()?.entry("blockDeviceMappings").cloned()
}

/// What says of which family the images are: none where a launch template chooses them, and another's own where a
/// selector does.
fn images(spec: Field<'_>, place: Span) -> Vec<Entry> {
    let entry = |key: &str, value: Value| Entry { key: key.into(), key_span: place, value };
    let has = |key: &str| !spec.get(key).is_missing();
    if has("launchTemplate") {
        return Vec::new();
    }
    let chosen = has("amiSelector").then(|| entry("amiSelectorTerms", Value::map(vec![], place)));
    let family = match spec.get("amiFamily") {
        Field::Present(family) => Some(family.clone()),
        Field::Missing => Some(Value::computed(FAMILY, place)),
        Field::Unknown => None,
    };
    chosen.into_iter().chain(family.map(|it| entry("amiFamily", it))).collect()
}

/// What stands for the terms where not all of the map is known.
fn unseen(map: &Value) -> Option<Value> {
    let rest = match &map.kind {
        Kind::Unknown(symbol) => symbol,
        _ => map.as_map()?.rest.as_ref()?,
    };
    Some(Value::unknown(rest.clone(), map.span).named(map.name))
}

/// The one term that a map of tags is; `None` where not all of it is seen.
fn terms(map: &Value) -> Option<Value> {
    let written = map.as_map().filter(|it| it.rest.is_none())?;
    // A list of values in one text finds what has any of them.
    let is_one = |it: &Value| !it.as_str().is_some_and(|it| it.contains(','));
    let is_tag = |it: &&Entry| !IDS.contains(&&*it.key) && is_one(&it.value);
    let tags = written.entries.iter().filter(is_tag).cloned().collect();
    let tags = Value::map(tags, map.span).named(map.name);
    let entry = Entry { key: "tags".into(), key_span: map.name, value: tags };
    Some(Value::list(vec![Value::map(vec![entry], map.span).named(map.name)], map.span))
}
