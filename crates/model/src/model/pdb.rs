//! PDBs (`PodDisruptionBudget`) as they are written: what they select and how many pods they keep.

pub mod blocking;
pub(crate) mod candidates;
pub mod selections;

use std::sync::Arc;

use crate::{
    findings::subject::Subject,
    model::{namespace::namespace, scope::Scoped},
    resolve::{
        kubernetes::Object,
        pod::{
            pdb::{Bound, Bounds},
            selector::Selector,
        },
        scope::Scope,
        setting::Setting,
    },
    source::Span,
    value::{Field, Value},
};

/// A `PodDisruptionBudget`.
#[derive(Clone, Debug)]
pub struct Pdb {
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
    /// Whether it is what Helm makes of a chart, committed to the repository.
    pub is_rendered: bool,
    /// Whether its `count` is 0 with the values of this repository, so that Terraform creates none.
    pub is_switched_off: bool,
    /// Where it belongs.
    pub scope: Scope,
    /// What a finding about it is about.
    pub subject: Subject,
}

impl Scoped for Pdb {
    fn scope(&self) -> &Scope {
        &self.scope
    }
}

impl Pdb {
    /// What it is called in a sentence.
    #[must_use]
    pub fn title(&self) -> String {
        if self.name.is_empty() {
            "a PDB whose name is not known".to_owned()
        } else {
            format!("PDB `{}`", self.name)
        }
    }

    /// The same, with all that a patch outside of the repository may change unknown.
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
pub fn pdb(object: &Object, scope: &Scope) -> Option<Pdb> {
    let created = creates_pdbs(object);
    if (&*object.kind != "PodDisruptionBudget" || object.group() != "policy") && !created {
        return None;
    }
    let selector = if created { Field::Unknown } else { object.value.at("spec.selector") };
    Some(Pdb {
        name: object.anchor_text().unwrap_or_default().into(),
        report_span: object.report_span(),
        namespace: if created { Setting::unknown(object.report_span()) } else { namespace(object) },
        selector: Selector::read(selector, &object.api_version),
        selector_span: selector.present().map_or(object.report_span(), |it| it.name),
        bounds: Bounds::read(object.value.get("spec"), object.report_span()),
        is_rendered: is_rendered(object),
        is_switched_off: false,
        scope: scope.clone(),
        subject: Subject::default(),
    })
}

/// Whether it has the label that charts give what Helm manages.
fn is_rendered(object: &Object) -> bool {
    let label = object.value.at("metadata.labels").get("app.kubernetes.io/managed-by");
    label.present().and_then(Value::as_str) == Some("Helm")
}

/// Whether it is a policy of Kyverno that creates PDBs; for which pods is not known.
fn creates_pdbs(object: &Object) -> bool {
    let rules = object.value.at("spec.rules").present().map_or(&[][..], Value::items);
    object.group() == "kyverno.io"
        && rules.iter().any(|it| {
            let kind = it.get("generate").get("kind").present();
            kind.and_then(Value::as_str) == Some("PodDisruptionBudget")
        })
}
