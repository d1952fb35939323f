//! What the values of a chart or an add-on say of a component's pods.

use crate::{
    knowledge::packaging::Packaging,
    model::component::{Assumed, ComponentUse},
    resolve::{helm::merge::merge, pod::placement::Placement},
    source::Span,
    value::{Field, Value},
    version::constraint::Constraint,
};

impl ComponentUse {
    /// The values over the defaults of a chart or an add-on, with the versions allowed; `None` for plain
    /// manifests.
    #[must_use]
    pub fn configured(&self) -> Option<(&'static Packaging, &Value, Option<&Constraint>)> {
        match &self.tolerations {
            Assumed::Values(surface, values, allowed) => Some((surface, values, allowed.as_ref())),
            Assumed::Manifest(..) => None,
        }
    }

    /// What runs the pods, in words: "the chart `consul`".
    #[must_use]
    pub fn maker(&self) -> String {
        let surface = self.configured().map(|it| std::ptr::from_ref(it.0));
        let is_addon =
            surface.is_some() && self.pod.addon.as_ref().map(std::ptr::from_ref) == surface;
        let names = if is_addon { &self.component.addons } else { &self.component.charts };
        let name = names.first().unwrap_or(&self.component.name);
        format!("the {} `{name}`", if is_addon { "add-on" } else { "chart" })
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

    /// What the pods ask of their nodes, for each default of the versions allowed.
    #[must_use]
    pub fn placements(&self) -> Vec<Placement> {
        let (surface, values, allowed) = match &self.tolerations {
            Assumed::Values(surface, values, allowed) => (surface, values, allowed.as_ref()),
            Assumed::Manifest(_, placement, _) => return vec![placement.clone()],
        };
        let of = |setting: &str| -> Vec<Option<Value>> {
            let written = surface.written(setting, values);
            let mut defaults = surface.possible_defaults(setting, allowed).peekable();
            match written {
                Field::Unknown => vec![Some(values.clone())],
                Field::Missing if defaults.peek().is_none() => vec![None],
                Field::Missing => defaults.cloned().map(Some).collect(),
                Field::Present(over) if over.is_null() || defaults.peek().is_none() => {
                    vec![Some(over.clone())]
                }
                Field::Present(over) => defaults.map(|it| Some(merge(it.clone(), over))).collect(),
            }
        };
        let (selectors, affinities) = (of("node_selector"), of("affinity"));
        let pairs = selectors.iter().flat_map(|it| affinities.iter().map(move |other| (it, other)));
        pairs
            .map(|(selector, affinity)| {
                Placement::read(field(selector.as_ref()), field(affinity.as_ref()))
            })
            .collect()
    }

    /// The deepest part of a path that is written in the values; the release or add-on when none is.
    #[must_use]
    pub fn innermost_of(&self, path: &str) -> Span {
        self.configured().map_or(self.report_span, |it| innermost(it.1, path, self.root))
    }
}

fn field(value: Option<&Value>) -> Field<'_> {
    value.map_or(Field::Missing, Field::Present)
}

/// The deepest part of a path that is written in the values, else `root`.
pub fn innermost(values: &Value, path: &str, root: Span) -> Span {
    let mut at = Field::Present(values);
    let mut span = root;
    for key in path.split('.') {
        at = at.get(key);
        match at {
            Field::Present(value) => span = value.name,
            Field::Missing | Field::Unknown => break,
        }
    }
    span
}
