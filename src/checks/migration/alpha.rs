//! The changes that make a `Provisioner` a `NodePool`, and an `AWSNodeTemplate` an `EC2NodeClass` of `v1beta1`.
//!
//! <https://karpenter.sh/v1.0/upgrading/v1beta1-migration/> says what changed. What the webhooks of the old API
//! added is written out: the new one adds nothing.

use crate::{
    findings::change::{Change, NewValue, Part},
    value::{Kind, Value},
};

/// What keeps a resource from being rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gap {
    /// It is not written in a form that can be edited for sure.
    Form,
    /// What its nodes run as is written elsewhere.
    Role,
    /// It has a launch template.
    Launch,
    /// It has the provider's part inside it.
    Provider,
}

/// Requirements that the webhooks added where nothing is said about them.
const DEFAULTS: [(&str, &str); 3] = [
    ("kubernetes.io/os", "linux"),
    ("kubernetes.io/arch", "amd64"),
    ("karpenter.sh/capacity-type", "on-demand"),
];
/// Where one of these is said, they added nothing about types.
const OF_TYPES: [&str; 4] = [
    "node.kubernetes.io/instance-type",
    "karpenter.k8s.aws/instance-family",
    "karpenter.k8s.aws/instance-category",
    "karpenter.k8s.aws/instance-generation",
];
/// The key of a selector that lists identifiers.
const IDS: &str = "aws-ids";
/// The group of the new class, with its version.
const CLASS_API: &str = "karpenter.k8s.aws/v1beta1";

/// The changes that make a `Provisioner` a `NodePool`.
pub(super) fn pool(value: &Value) -> Result<Vec<Change>, Gap> {
    let spec = value.get("spec").present().ok_or(Gap::Form)?;
    if let Some(provider) = spec.get("provider").present() {
        let is_plain = provider.get("launchTemplate").is_missing();
        return Err(if is_plain { Gap::Provider } else { Gap::Launch });
    }
    let class = spec.get("providerRef").present().ok_or(Gap::Form)?;
    let mut parts = vec![Part::Map("template", template(spec, class)?)];
    if let Some(limits) = spec.get("limits").present()
        && limits.get("resources").present().is_some()
    {
        parts.push(kept("limits", limits, "resources"));
    }
    parts.push(Part::New("disruption", disruption(spec)?));
    parts.extend(written(spec, "weight"));
    Ok(changes(value, "karpenter.sh/v1beta1", "NodePool", parts))
}

/// The changes that make an `AWSNodeTemplate` an `EC2NodeClass`.
pub(super) fn class(value: &Value) -> Result<Vec<Change>, Gap> {
    let spec = value.get("spec").present().ok_or(Gap::Form)?;
    if spec.get("launchTemplate").present().is_some() {
        return Err(Gap::Launch);
    }
    if spec.get("instanceProfile").present().is_none() {
        return Err(Gap::Role);
    }
    let family = written(spec, "amiFamily");
    let mut parts = vec![family.unwrap_or(Part::New("amiFamily", NewValue::text("AL2")))];
    for (name, key) in [
        ("amiSelectorTerms", "amiSelector"),
        ("subnetSelectorTerms", "subnetSelector"),
        ("securityGroupSelectorTerms", "securityGroupSelector"),
    ] {
        parts.extend(terms(spec, name, key)?);
    }
    let others = [
        "instanceProfile",
        "tags",
        "blockDeviceMappings",
        "metadataOptions",
        "detailedMonitoring",
        "context",
        "userData",
    ];
    parts.extend(others.into_iter().filter_map(|it| written(spec, it)));
    Ok(changes(value, CLASS_API, "EC2NodeClass", parts))
}

fn changes(value: &Value, api: &str, kind: &str, parts: Vec<Part>) -> Vec<Change> {
    vec![
        Change::set(value, "apiVersion", NewValue::text(api)).in_place(),
        Change::set(value, "kind", NewValue::text(kind)).in_place(),
        Change::Arrange { mapping: value.clone(), key: "spec".into(), parts },
    ]
}

fn template(spec: &Value, class: &Value) -> Result<Vec<Part>, Gap> {
    let metadata = ["labels", "annotations"].into_iter().filter_map(|it| written(spec, it));
    let metadata: Vec<Part> = metadata.collect();
    let reference = vec![
        Part::New("apiVersion", NewValue::text(CLASS_API)),
        Part::New("kind", NewValue::text("EC2NodeClass")),
        kept("name", class, "name"),
    ];
    let mut nodes = vec![Part::Map("nodeClassRef", reference), requirements(spec)?];
    nodes.extend(["taints", "startupTaints"].into_iter().filter_map(|it| written(spec, it)));
    if let Some(kubelet) = spec.get("kubeletConfiguration").present() {
        if kubelet.get("containerRuntime").present().is_some() {
            return Err(Gap::Form);
        }
        nodes.push(kept("kubelet", spec, "kubeletConfiguration"));
    }
    let metadata = (!metadata.is_empty()).then_some(Part::Map("metadata", metadata));
    Ok(metadata.into_iter().chain([Part::Map("spec", nodes)]).collect())
}

/// The requirements with those that the webhooks would have added.
fn requirements(spec: &Value) -> Result<Part, Gap> {
    let Some(list) = spec.get("requirements").present() else {
        let said = keys(spec, &[])?;
        return Ok(Part::New("requirements", NewValue::List(added(&said))));
    };
    let Kind::List(items) = &list.kind else { return Err(Gap::Form) };
    if items.rest.is_some() {
        return Err(Gap::Form);
    }
    let more = added(&keys(spec, &items.items)?);
    let (name, key) = ("requirements", "requirements".into());
    Ok(Part::Kept { name, from: spec.clone(), key, more })
}

/// What requirements and labels are about.
fn keys(spec: &Value, requirements: &[Value]) -> Result<Vec<String>, Gap> {
    let key = |it: &Value| Some(it.get("key").present()?.as_str()?.to_owned());
    let keys: Option<Vec<String>> = requirements.iter().map(key).collect();
    let labels = spec.get("labels").present().map_or(&[][..], Value::entries);
    let labels = labels.iter().map(|it| it.key.to_string());
    Ok(keys.ok_or(Gap::Form)?.into_iter().chain(labels).collect())
}

fn added(said: &[String]) -> Vec<NewValue> {
    let has = |key: &str| said.iter().any(|it| it == key);
    let missing = DEFAULTS.iter().filter(|(key, _)| !has(key));
    let mut more: Vec<NewValue> =
        missing.map(|(key, value)| requirement(key, "In", &[value])).collect();
    if !OF_TYPES.into_iter().any(has) {
        more.push(requirement("karpenter.k8s.aws/instance-category", "In", &["c", "m", "r"]));
        more.push(requirement("karpenter.k8s.aws/instance-generation", "Gt", &["2"]));
    }
    more
}

fn requirement(key: &str, operator: &str, values: &[&str]) -> NewValue {
    // Numbers would be no texts.
    let value = |it: &&str| NewValue::plain(format!("\"{it}\""));
    NewValue::Map(vec![
        ("key".to_owned(), NewValue::text(key)),
        ("operator".to_owned(), NewValue::text(operator)),
        ("values".to_owned(), NewValue::plain(list(values.iter().map(value)))),
    ])
}

fn list(values: impl Iterator<Item = NewValue>) -> String {
    let text = |it: NewValue| match it {
        NewValue::Plain(text) | NewValue::Text(text) => text,
        _ => String::new(),
    };
    format!("[{}]", values.map(text).collect::<Vec<_>>().join(", "))
}

/// How nodes end, as the old fields and their defaults say it: never, where nothing is said.
fn disruption(spec: &Value) -> Result<NewValue, Gap> {
    let seconds = |key: &str| match spec.get(key).present() {
        None => Ok(None),
        Some(value) => value.as_number().map(Some).ok_or(Gap::Form),
    };
    let (empty, expired) = (seconds("ttlSecondsAfterEmpty")?, seconds("ttlSecondsUntilExpired")?);
    let enabled = match spec.at("consolidation.enabled").present() {
        None => false,
        Some(value) => value.as_bool().ok_or(Gap::Form)?,
    };
    let policy = if enabled { "WhenUnderutilized" } else { "WhenEmpty" };
    let time = |it: Option<f64>| it.map_or_else(|| "Never".to_owned(), |it| format!("{it}s"));
    let mut entries = vec![("consolidationPolicy", policy.to_owned())];
    if !enabled {
        entries.push(("consolidateAfter", time(empty)));
    }
    entries.push(("expireAfter", time(expired)));
    Ok(NewValue::texts(entries.iter().map(|(key, text)| (*key, text.as_str()))))
}

/// A selector as terms: its tags as they are, or the identifiers it lists.
fn terms(spec: &Value, name: &'static str, key: &str) -> Result<Option<Part>, Gap> {
    let Some(selector) = spec.get(key).present() else { return Ok(None) };
    let map = selector.as_map().filter(|it| it.rest.is_none()).ok_or(Gap::Form)?;
    let of_aws = |it: &str| it == IDS || it.starts_with("aws::");
    if !map.entries.iter().any(|it| of_aws(&it.key)) {
        // A list in one text had several meanings.
        let lists = |it: &Value| it.as_str().is_some_and(|it| it.contains(','));
        if map.entries.is_empty() || map.entries.iter().any(|it| lists(&it.value)) {
            return Err(Gap::Form);
        }
        let tags =
            Part::Kept { name: "tags", from: spec.clone(), key: key.into(), more: Vec::new() };
        return Ok(Some(Part::Only(name, vec![tags])));
    }
    let [only] = map.entries.as_slice() else { return Err(Gap::Form) };
    let ids = only.value.as_str().filter(|_| &*only.key == IDS || &*only.key == "aws::ids");
    let ids = ids.ok_or(Gap::Form)?.split(',').map(|it| NewValue::texts([("id", it.trim())]));
    Ok(Some(Part::New(name, NewValue::List(ids.collect()))))
}

fn kept(name: &'static str, from: &Value, key: &str) -> Part {
    Part::Kept { name, from: from.clone(), key: key.into(), more: Vec::new() }
}

/// An entry that is written, under its own name.
fn written(spec: &Value, key: &'static str) -> Option<Part> {
    spec.get(key).present().map(|_| kept(key, spec, key))
}
