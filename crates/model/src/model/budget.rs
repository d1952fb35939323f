//! Pod disruption budgets: what they select and what they keep.

use std::sync::Arc;

use crate::{
    model::{
        scope::{Scope, Scoped},
        workload::namespace,
    },
    resolve::{
        kubernetes::Object,
        pod::{
            pdb::{Bound, Bounds},
            selector::Selector,
        },
        setting::Setting,
    },
    source::Span,
    value::{Field, Value},
};

/// A `PodDisruptionBudget`.
#[derive(Clone, Debug)]
pub struct Budget {
    /// `metadata.name`.
    pub name: Arc<str>,
    /// Where to point.
    pub report_span: Span,
    /// `metadata.namespace`; unknown when it is not written.
    pub namespace: Setting<String>,
    /// Which pods it protects.
    pub selector: Selector,
    /// Where its selector is written.
    pub selector_span: Span,
    /// How many of them it keeps.
    pub bounds: Bounds,
    /// Whether Terraform makes none of it with the values that are written here.
    pub is_switched_off: bool,
    /// Where it stands.
    pub scope: Scope,
}

impl Scoped for Budget {
    fn scope(&self) -> &Scope {
        &self.scope
    }
}

impl Budget {
    /// The same, when something that is not seen may still patch it.
    #[must_use]
    pub fn in_doubt(mut self) -> Self {
        let doubt = |it: Option<Setting<Bound>>| it.map(|it| Setting::unknown(it.span()));
        self.bounds.min_available = doubt(self.bounds.min_available);
        self.bounds.max_unavailable = doubt(self.bounds.max_unavailable);
        self
    }
}

/// Reads a `PodDisruptionBudget`; `None` for other kinds and for patches without a selector.
#[must_use]
pub fn budget(object: &Object, scope: &Scope) -> Option<Budget> {
    let made = makes_budgets(object);
    if (&*object.kind != "PodDisruptionBudget" || object.group() != "policy") && !made {
        return None;
    }
    let selector = if made { Field::Unknown } else { object.value.at("spec.selector") };
    Some(Budget {
        name: object.anchor_text().unwrap_or_default().into(),
        report_span: object.report_span(),
        namespace: if made { Setting::unknown(object.report_span()) } else { namespace(object) },
        selector: Selector::read(selector, &object.api_version),
        selector_span: selector.present().map_or(object.report_span(), |it| it.name),
        bounds: Bounds::read(object.value.get("spec"), object.report_span()),
        is_switched_off: object.value.get("count").present().and_then(Value::as_number)
            == Some(0.0),
        scope: scope.clone(),
    })
}

/// Whether it is a policy of Kyverno by which budgets are made: nobody knows for which pods.
fn makes_budgets(object: &Object) -> bool {
    let rules = object.value.at("spec.rules").present().map_or(&[][..], Value::items);
    object.group() == "kyverno.io"
        && rules.iter().any(|it| {
            let kind = it.get("generate").get("kind").present();
            kind.and_then(Value::as_str) == Some("PodDisruptionBudget")
        })
}
