//! How a root's clusters are referred to: by the module call, resource or data source that knows each.

use crate::{
    resolve::scope::ClusterTarget,
    value::{Kind, Symbol, Value},
};

/// What refers to which cluster of a root; empty unless it reaches several.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClusterSources {
    /// The place of a reference, `module.blue`, and the cluster it leads to.
    pub(super) list: Vec<(ClusterReference, u32)>,
}

/// A reference to a cluster: to its endpoint or its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClusterReference {
    /// What knows the cluster: `module.blue` of `module.blue.cluster_endpoint`; a value that an author gave
    /// to say which it is: `"prod"`, `var.blue_host`.
    source: String,
    /// What kind of source it is: `module`, `data.aws_eks_cluster`, `var`; the argument's name for a literal.
    kind: String,
}

impl ClusterReference {
    /// Reads the value of an argument: a text that is known, or a plain reference.
    #[must_use]
    pub(super) fn read(value: &Value, argument: &str) -> Option<Self> {
        match &value.kind {
            Kind::String(text) => {
                let source = text.known().filter(|it| !it.is_empty())?.to_owned();
                Some(Self { source, kind: argument.to_owned() })
            }
            Kind::Unknown(symbol) => Self::of_symbol(symbol),
            _ => None,
        }
    }

    fn of_symbol(symbol: &Symbol) -> Option<Self> {
        let is_plain = |it: char| it.is_alphanumeric() || "._-[]\"".contains(it);
        if !symbol.text.chars().all(is_plain) {
            return None;
        }
        let parts: Vec<&str> = symbol.text.split('.').collect();
        let kind = match *parts.as_slice() {
            ["data", kind, ..] => format!("data.{kind}"),
            [first, _, ..] => first.to_owned(),
            _ => return None,
        };
        // One output or variable for each cluster; of all else the last step is what is asked of it.
        let named = kind == "var" || kind == "local" || parts.contains(&"outputs");
        let steps = if named { parts.len() } else { parts.len() - 1 };
        let source = parts.get(..steps).unwrap_or_default().join(".");
        let around = symbol.scope.split_once('|').map_or("", |(_, module)| module);
        let dot = if around.is_empty() { "" } else { "." };
        Some(Self { source: format!("{around}{dot}{source}"), kind })
    }

    /// Whether both lead to one cluster: not when two of a kind are not the same. Nothing is known of two of
    /// different kinds.
    #[must_use]
    pub(super) fn is_same(&self, other: &Self) -> Option<bool> {
        if self.source == other.source {
            return Some(true);
        }
        (self.kind == other.kind).then_some(false)
    }
}

impl ClusterSources {
    /// The cluster that a reference leads to.
    pub(crate) fn of_reference(&self, value: &Value) -> ClusterTarget {
        let read = ClusterReference::read(value, "name");
        let found = self.list.iter().find(|(it, _)| read.as_ref() == Some(it));
        found.map_or(ClusterTarget::Only, |(_, cluster)| ClusterTarget::Known(*cluster))
    }

    /// The cluster that the block of that address makes.
    pub(crate) fn made_by(&self, address: &str) -> ClusterTarget {
        let leads_in = |it: &str| {
            it.strip_prefix(address).is_some_and(|it| it.is_empty() || it.starts_with(['.', '[']))
        };
        let found = self.list.iter().find(|(it, _)| leads_in(&it.source));
        found.map_or(ClusterTarget::Only, |(_, cluster)| ClusterTarget::Known(*cluster))
    }
}
