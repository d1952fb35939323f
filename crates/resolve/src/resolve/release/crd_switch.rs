//! Where a release says whether the CRDs in its chart's `crds/` are installed.

use crate::{source::Span, value::Value};

/// What decides whether the CRDs in a chart's `crds/` are installed with a release.
#[derive(Clone, Debug)]
pub enum CrdSwitch {
    /// The literal `false` or `"false"` of a Terraform argument.
    Literal(Span),
    /// A key, written or not.
    Key {
        /// The mapping it belongs to: a Terraform block, an Argo CD source, a Flux `spec`, a helmfile, an entry
        /// of `helmCharts`.
        mapping: Value,
        /// The keys from there, with dots between them.
        path: &'static str,
        /// The keys of the mapping that it usually follows.
        follows: Vec<&'static str>,
    },
}

impl CrdSwitch {
    /// The key at a path of a mapping.
    #[must_use]
    pub fn key(mapping: &Value, path: &'static str) -> Self {
        Self::Key { mapping: mapping.clone(), path, follows: Vec::new() }
    }
}
