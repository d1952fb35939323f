//! What installs releases together: one Application, one `HelmRelease`, one entry of a helmfile.

use std::sync::Arc;

use crate::{
    resolve::release::surface::Surface,
    source::{FileId, Span},
    value::Value,
};

/// What installs releases together, and what its tool knows of it beside the chart.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The kind of source it is written in.
    pub surface: Surface,
    /// The Application, `HelmRelease`, entry of a helmfile …
    pub body: Value,
    /// Which of several that are made of that text: an `ApplicationSet` makes one for each element.
    pub element: usize,
    /// The environment of a helmfile that it is made for, where it is not the same in all.
    pub environment: Option<Arc<str>>,
    /// The name by which others of its tool refer to it, if it is known.
    pub name: Option<Arc<str>>,
    /// The namespace by which they do, if it is known.
    pub namespace: Option<Arc<str>>,
    /// What it is configured to wait for.
    pub waits_for: Vec<Wait>,
    /// What brings it.
    pub parent: Option<Parent>,
}

/// Something a unit waits for.
#[derive(Clone, Debug)]
pub enum Wait {
    /// Another unit by name (Flux `dependsOn`, helmfile `needs`); what is `None` is not known or,
    /// for the namespace, the own one.
    Unit {
        /// Its name.
        name: Option<Arc<str>>,
        /// Its namespace.
        namespace: Option<Arc<str>>,
    },
    /// An Argo CD sync wave; `None` when it is not known.
    Wave(Option<i64>),
    /// Something, but it is not known what.
    Anything,
}

/// What brings a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Parent {
    /// The Argo CD Application whose `path` holds its file: waves count between its children.
    Application(Span),
    /// The `ApplicationSet` that makes it: it makes all at once, whatever their waves.
    ApplicationSet(Span),
    /// The helmfile.
    Helmfile(FileId),
    /// A script that makes the cluster first: it installs what is new.
    ClusterScript,
}

impl Unit {
    /// A unit without a name that waits for nothing.
    #[must_use]
    pub fn new(surface: Surface, body: Value) -> Self {
        Self {
            surface,
            body,
            element: 0,
            environment: None,
            name: None,
            namespace: None,
            waits_for: Vec::new(),
            parent: None,
        }
    }

    /// Whether both may be made for one environment of a helmfile.
    #[must_use]
    pub fn may_meet(&self, other: &Self) -> bool {
        let both = self.environment.as_ref().zip(other.environment.as_ref());
        both.is_none_or(|(own, other)| own == other)
    }

    /// What tells it from others: where it is written, and which of those made of that text it is.
    #[must_use]
    pub fn id(&self) -> (Span, usize) {
        (self.body.span, self.element)
    }

    /// Its Argo CD sync wave, 0 when none is written; `None` when it is not known.
    #[must_use]
    pub fn wave(&self) -> Option<i64> {
        let mut found = Some(0);
        for wait in &self.waits_for {
            match wait {
                Wait::Wave(number) => found = *number,
                Wait::Unit { .. } | Wait::Anything => return None,
            }
        }
        found
    }
}
