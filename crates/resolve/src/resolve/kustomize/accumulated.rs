//! What a kustomization has made so far: objects, charts, variables, and what kustomize would refuse.

use std::collections::HashMap;

use crate::{
    findings::Severity,
    resolve::kustomize::{
        chart::ChartEntry,
        config::TransformerConfig,
        layout::KustomizeProject,
        resource::{Id, Resource},
        variable::Variable,
    },
    source::Span,
    syntax::ParseError,
};

/// What a kustomization has made so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Accumulated {
    /// The objects.
    pub resources: Vec<Resource>,
    /// Whether something unknown may add to them or change them.
    pub open: bool,
    /// Helm charts to be rendered.
    pub charts: Vec<ChartEntry>,
    /// `vars`.
    pub variables: Vec<Variable>,
    /// Field specifications of the user's own.
    pub config: TransformerConfig,
    /// What kustomize would refuse.
    pub refused: Vec<ParseError>,
}

impl Accumulated {
    /// Notes that kustomize would refuse to build this.
    pub(super) fn refuse(&mut self, span: Span, message: impl Into<String>) {
        let refused = ParseError::new(span, message, Severity::Error);
        self.open = true;
        if !self.refused.contains(&refused) {
            self.refused.push(refused);
        }
    }

    /// Notes an entry that leads nowhere.
    pub(super) fn missing(&mut self, layout: &mut KustomizeProject<'_>, span: Span, message: &str) {
        layout.complain(span, message);
        self.refuse(span, message);
    }

    /// The objects by every name they have or had.
    #[must_use]
    pub(super) fn by_id(&self) -> HashMap<Id, Vec<usize>> {
        let mut found: HashMap<Id, Vec<usize>> = HashMap::new();
        for (at, resource) in self.resources.iter().enumerate() {
            for id in resource.ids() {
                let places = found.entry(id).or_default();
                if places.last() != Some(&at) {
                    places.push(at);
                }
            }
        }
        found
    }
}
