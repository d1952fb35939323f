//! What the values of a chart or an add-on say of a component's pods.

use crate::{
    knowledge::packaging::Packaging,
    model::component::{ComponentUse, PodSource},
    resolve::{
        effective::configuration::Configuration,
        pod::{creator::Creator, placement::Placement},
    },
    source::Span,
    value::Value,
    version::{Range, constraint::Constraint},
};

impl ComponentUse {
    /// The values over the defaults of a chart or an add-on, with the versions allowed; `None` for plain
    /// manifests.
    #[must_use]
    pub fn configured(&self) -> Option<(&'static Packaging, &Value, Option<&Constraint>)> {
        self.configuration().map(|it| (it.surface, &it.values, it.allowed.as_ref()))
    }

    /// From what the pods of a chart or an add-on follow; `None` for plain manifests.
    #[must_use]
    pub fn configuration(&self) -> Option<&Configuration> {
        match &self.source {
            PodSource::Values(from) => Some(from),
            PodSource::Manifest(_) => None,
        }
    }

    /// Whether an EKS add-on runs the pods.
    #[must_use]
    pub fn is_addon(&self) -> bool {
        let surface = self.configured().map(|it| std::ptr::from_ref(it.0));
        surface.is_some() && self.pod.addon.as_ref().map(std::ptr::from_ref) == surface
    }

    /// Whether all versions that may be installed have the pods.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        let own = self.pod.range();
        let Some((_, _, allowed)) = self.configured() else { return true };
        own == Range::default() || allowed.and_then(|it| it.within(&own)) == Some(true)
    }

    /// What runs the pods.
    #[must_use]
    pub fn creator(&self) -> Creator {
        let is_addon = self.is_addon();
        let names = if is_addon { &self.component.addons } else { &self.component.charts };
        let name = names.first().unwrap_or(&self.component.name);
        if is_addon { Creator::Addon(name) } else { Creator::Chart(name) }
    }

    /// Where it is configured as a whole.
    #[must_use]
    pub fn report_span(&self) -> Span {
        self.report_span
    }

    /// The namespace, if it is known.
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// What the pods ask of their nodes, in each of the versions allowed.
    #[must_use]
    pub fn placements(&self) -> Vec<Placement> {
        let known = self.pods.iter().filter_map(|it| it.placement.as_ref());
        let mut all: Vec<Placement> = Vec::new();
        for placement in known {
            if !all.contains(placement) {
                all.push(placement.clone());
            }
        }
        if all.is_empty() { vec![Placement::unknown()] } else { all }
    }

    /// The deepest part of a path that is written in the values; the release or add-on when none is.
    #[must_use]
    pub fn innermost_of(&self, path: &str) -> Span {
        self.configuration().map_or(self.report_span, |it| it.innermost(path, self.root))
    }
}
