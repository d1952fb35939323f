//! The fields of what policies are asked of: their names, their types, and what they are where nothing is written.

use std::sync::Arc;

use crate::{
    inventory::Item,
    source::Span,
    value::{Entry, Kind, Value},
};
use karplint_cel::cel::types::{Object, Type};

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldKind {
    /// A text; empty where there is none.
    Text,
    /// A text that is absent where there is none: a version.
    Version,
    /// A number; absent where there is none.
    Number,
    /// A truth value.
    Bool,
    /// A list of texts; empty where there is none.
    Texts,
    /// A list of anything; empty where there is none.
    List,
    /// A list of things of that type.
    ListOf(&'static str),
    /// A mapping from texts to texts; empty where there is none.
    Labels,
    /// A mapping; empty where there is none.
    Map,
}

/// A field of a subject.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    /// Its name in CEL.
    pub name: &'static str,
    /// Its key where `show overview` has it.
    pub key: &'static str,
    /// What it holds.
    pub kind: FieldKind,
}

const fn field(name: &'static str, key: &'static str, kind: FieldKind) -> Field {
    Field { name, key, kind }
}

/// Of `nodeGroup`.
pub(super) const NODE_GROUP: &[Field] = &[
    field("name", "name", FieldKind::Text),
    field("kind", "kind", FieldKind::Text),
    field("labels", "labels", FieldKind::Labels),
    field("taints", "taints", FieldKind::List),
    field("min", "min", FieldKind::Number),
    field("max", "max", FieldKind::Number),
    field("instanceTypes", "instance_types", FieldKind::Texts),
    field("selectors", "selectors", FieldKind::List),
];

/// Of `nodePool`.
pub(super) const NODE_POOL: &[Field] = &[
    field("name", "name", FieldKind::Text),
    field("requirements", "requirements", FieldKind::List),
    field("labels", "labels", FieldKind::Labels),
    field("taints", "taints", FieldKind::List),
    field("startupTaints", "startup_taints", FieldKind::List),
    field("weight", "weight", FieldKind::Number),
    field("limits", "limits", FieldKind::Map),
    field("budgets", "budgets", FieldKind::List),
    field("expireAfter", "expire_after", FieldKind::Text),
    field("consolidation", "consolidation", FieldKind::Map),
    field("nodeClass", "node_class", FieldKind::Text),
];

/// Of `nodeClass`.
pub(super) const NODE_CLASS: &[Field] = &[
    field("name", "name", FieldKind::Text),
    field("amiFamily", "ami_family", FieldKind::Text),
    field("amiSelectorTerms", "ami_selector_terms", FieldKind::List),
    field("role", "role", FieldKind::Text),
    field("instanceProfile", "instance_profile", FieldKind::Text),
    field("subnetSelectorTerms", "subnet_selector_terms", FieldKind::List),
    field("securityGroupSelectorTerms", "security_group_selector_terms", FieldKind::List),
];

/// Of `release`.
pub(super) const RELEASE: &[Field] = &[
    field("name", "name", FieldKind::Text),
    field("chart", "chart", FieldKind::Text),
    field("repository", "repository", FieldKind::Text),
    field("version", "version", FieldKind::Version),
    field("namespace", "namespace", FieldKind::Text),
    field("values", "values", FieldKind::Map),
    field("installer", "surface", FieldKind::Text),
    field("skipCrds", "skip_crds", FieldKind::Bool),
];

/// Of `addon`.
pub(super) const ADDON: &[Field] = &[
    field("name", "name", FieldKind::Text),
    field("version", "version", FieldKind::Version),
    field("values", "values", FieldKind::Map),
];

/// Of `workload`.
pub(super) const WORKLOAD: &[Field] = &[
    field("kind", "kind", FieldKind::Text),
    field("name", "name", FieldKind::Text),
    field("namespace", "namespace", FieldKind::Text),
    field("labels", "labels", FieldKind::Labels),
    field("annotations", "annotations", FieldKind::Labels),
    field("replicas", "replicas", FieldKind::Number),
    field("stateful", "stateful", FieldKind::Bool),
    field("tolerations", "tolerations", FieldKind::List),
    field("nodeSelector", "node_selector", FieldKind::Labels),
    field("volumes", "volumes", FieldKind::List),
    field("budgets", "budgets", FieldKind::Texts),
    field("protectedBy", "protected_by", FieldKind::Text),
    field("takers", "takers", FieldKind::Texts),
    field("container", "containers", FieldKind::List),
    field("containers", "containers", FieldKind::List),
];

/// Of `resource`.
pub(super) const RESOURCE: &[Field] = &[
    field("address", "address", FieldKind::Text),
    field("type", "type", FieldKind::Text),
    field("name", "name", FieldKind::Text),
    field("module", "module", FieldKind::Text),
    field("values", "values", FieldKind::Map),
];

/// Of `cluster`.
pub(super) const CLUSTER: &[Field] = &[
    field("name", "name", FieldKind::Text),
    field("kubernetesVersion", "kubernetes_version", FieldKind::Version),
    field("karpenterVersion", "karpenter_version", FieldKind::Version),
    field("nodeGroups", "node_groups", FieldKind::ListOf("nodeGroup")),
    field("nodePools", "node_pools", FieldKind::ListOf("nodePool")),
    field("nodeClasses", "node_classes", FieldKind::ListOf("nodeClass")),
    field("releases", "releases", FieldKind::ListOf("release")),
    field("addons", "addons", FieldKind::ListOf("addon")),
    field("workloads", "workloads", FieldKind::ListOf("workload")),
];

/// The types of subjects that have fields, by the word for the subject.
pub(super) const TYPES: &[(&str, &[Field])] = &[
    ("nodeGroup", NODE_GROUP),
    ("nodePool", NODE_POOL),
    ("nodeClass", NODE_CLASS),
    ("release", RELEASE),
    ("addon", ADDON),
    ("workload", WORKLOAD),
    ("resource", RESOURCE),
    ("cluster", CLUSTER),
];

/// The type of a thing with these fields.
#[must_use]
pub(super) fn object_type(fields: &[Field]) -> Object {
    let fields = fields.iter().map(|it| (it.name.into(), it.kind.type_of()));
    Object { fields: fields.collect(), is_open: false }
}

/// What is known of something, by the names in CEL.
#[must_use]
pub(super) fn shaped(item: &Item, fields: &[Field]) -> Value {
    let entry = |field: &Field| {
        let value = field.kind.shaped(item.get(field.key), item.span)?;
        Some(Entry { key: field.name.into(), key_span: value.name, value })
    };
    Value::map(fields.iter().filter_map(entry).collect(), item.span)
}

impl FieldKind {
    fn type_of(self) -> Type {
        match self {
            Self::Text | Self::Version => Type::String,
            Self::Number => Type::Int,
            Self::Bool => Type::Bool,
            Self::Texts => Type::list(Type::String),
            Self::List => Type::list(Type::Dyn),
            Self::ListOf(name) => Type::list(Type::Object(Arc::from(name))),
            Self::Labels => Type::map(Type::String, Type::String),
            Self::Map => Type::map(Type::String, Type::Dyn),
        }
    }

    /// A value as a field of this kind has it; `span` is where something would be missing.
    fn shaped(self, value: Option<&Value>, span: Span) -> Option<Value> {
        let empty = || match self {
            Self::Text => Some(Value::computed("", span)),
            Self::Texts | Self::List | Self::ListOf(_) => Some(Value::list(Vec::new(), span)),
            Self::Labels | Self::Map => Some(Value::map(Vec::new(), span)),
            Self::Version | Self::Number | Self::Bool => None,
        };
        let Some(value) = value.filter(|it| !it.is_null()) else { return empty() };
        let kind = match (self, &value.kind) {
            (Self::Number, Kind::String(_)) => value.to_number().map(Kind::Number),
            (Self::Bool, Kind::String(_)) => value.as_flag().map(Kind::Bool),
            (Self::Text | Self::Version, Kind::Number(_) | Kind::Bool(_)) => {
                Some(Kind::String(crate::value::Text::computed(written(&value.kind))))
            }
            _ => None,
        };
        Some(kind.map_or_else(|| value.clone(), |kind| Value { kind, ..value.clone() }))
    }
}

fn written(kind: &Kind) -> String {
    match kind {
        Kind::Number(it) => it.to_string(),
        Kind::Bool(it) => it.to_string(),
        _ => String::new(),
    }
}
