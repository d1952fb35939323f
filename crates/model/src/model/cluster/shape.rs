//! What is written of node groups and Fargate profiles, for those who look at them.

use crate::{
    knowledge::instances::{InstanceType, instances},
    source::Span,
    value::{Entry, Field, Kind, Symbol, Value},
};

/// What makes the nodes of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupKind {
    /// EKS.
    Managed,
    /// An autoscaling group of one's own.
    SelfManaged,
    /// What eksctl makes.
    Eksctl,
}

impl GroupKind {
    /// The word for programs.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::SelfManaged => "self-managed",
            Self::Eksctl => "eksctl",
        }
    }
}

/// What is written of a node group; `None` for what is certainly not.
#[derive(Clone, Debug)]
pub struct GroupShape {
    /// What makes its nodes.
    pub kind: GroupKind,
    /// Its name.
    pub name: Option<Value>,
    /// Its labels: a mapping.
    pub labels: Option<Value>,
    /// Its taints, as they are written.
    pub taints: Option<Value>,
    /// The smallest number of nodes.
    pub min: Option<Value>,
    /// The largest.
    pub max: Option<Value>,
    /// The types of its instances: a list, or one.
    pub instance_types: Option<Value>,
}

/// How a kind of group spells what is written of it; of several spellings the first that is written counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keys {
    name: &'static [&'static str],
    taints: &'static str,
    min: &'static str,
    max: &'static str,
    instance_types: &'static [&'static str],
}

impl Keys {
    /// A managed group of the EKS module.
    pub(super) const MODULE: Self = Self {
        name: &["name"],
        taints: "taints",
        min: "min_size",
        max: "max_size",
        instance_types: &["instance_types"],
    };
    /// A self-managed group of the EKS module.
    pub(super) const SELF_MANAGED: Self =
        Self { instance_types: &["instance_type"], ..Self::MODULE };
    /// `aws_eks_node_group`, whose sizes are in a block of their own.
    pub(super) const RESOURCE: Self = Self {
        name: &["node_group_name", "node_group_name_prefix"],
        taints: "taint",
        ..Self::MODULE
    };
    /// A group of eksctl.
    pub(super) const EKSCTL: Self = Self {
        name: &["name"],
        taints: "taints",
        min: "minSize",
        max: "maxSize",
        instance_types: &["instanceTypes", "instanceType"],
    };
}

impl GroupShape {
    /// Reads what is written; `place` is where to point.
    pub(super) fn read<'a>(
        kind: GroupKind,
        keys: Keys,
        place: Span,
        field: &dyn Fn(&str) -> Field<'a>,
    ) -> Self {
        let one = |key: &str| written(field(key), key, place);
        let first = |keys: &[&str]| keys.iter().find_map(|key| one(key));
        Self {
            kind,
            name: first(keys.name),
            labels: one("labels"),
            taints: one(keys.taints),
            min: one(keys.min),
            max: one(keys.max),
            instance_types: first(keys.instance_types),
        }
    }

    /// The same with the key of its entry as its name, unless another is written.
    pub(super) fn named(self, entry: &Entry) -> Self {
        Self { name: self.name.or_else(|| Some(key(entry))), ..self }
    }

    /// The types of its instances; `None` where they are not all known.
    #[must_use]
    pub fn types(&self) -> Option<Vec<&'static InstanceType>> {
        let written = self.instance_types.as_ref()?;
        let known = |it: &Value| instance(it.as_str()?);
        let found: Option<Vec<_>> = match &written.kind {
            Kind::List(list) if list.rest.is_some() => None,
            Kind::List(list) => list.items.iter().map(known).collect(),
            _ => known(written).map(|it| vec![it]),
        };
        found.filter(|it| !it.is_empty())
    }
}

/// The type of that name.
fn instance(name: &str) -> Option<&'static InstanceType> {
    instances().types.iter().find(|it| it.name == name)
}

/// What is written of a Fargate profile.
#[derive(Clone, Debug)]
pub struct FargateShape {
    /// Its name.
    pub name: Option<Value>,
    /// Where to point.
    pub report_span: Span,
    /// The selectors: a list of mappings.
    pub selectors: Option<Value>,
    /// Whether it is there only when variables have other values than those known.
    pub is_off: bool,
}

impl FargateShape {
    /// Reads what is written.
    pub(super) fn read(report_span: Span, name: &str, selectors: &str, body: &Value) -> Self {
        Self {
            name: written(body.get(name), name, report_span),
            report_span,
            selectors: written(body.get(selectors), selectors, report_span),
            is_off: false,
        }
    }

    /// The same, switched off as far as one sees or not.
    pub(super) fn off(self, is_off: bool) -> Self {
        Self { is_off, ..self }
    }

    /// A profile of which one selector is known.
    pub(super) fn of_selector(selector: &Value) -> Self {
        let selectors = Some(Value::list(vec![selector.clone()], selector.span));
        Self { name: None, report_span: selector.span, selectors, is_off: false }
    }

    /// The same with the key of its entry as its name, unless another is written.
    pub(super) fn named(self, entry: &Entry) -> Self {
        Self { name: self.name.or_else(|| Some(key(entry))), ..self }
    }
}

fn key(entry: &Entry) -> Value {
    Value::computed(entry.key.clone(), entry.key_span)
}

/// What is written in a field, which may be unknown.
fn written(field: Field<'_>, key: &str, place: Span) -> Option<Value> {
    match field {
        Field::Missing => None,
        Field::Present(value) => Some(value.clone()),
        Field::Unknown => {
            let symbol = Symbol::new("place", format!("{key} {} {}", place.file.0, place.start));
            Some(Value::unknown(symbol, place))
        }
    }
}
