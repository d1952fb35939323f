//! Karpenter's CRDs that a command or Terraform applies from where upstream publishes them.

use crate::{
    resolve::{
        release::chart_version::ChartVersion, scope::Scope, terraform::object::BlockInstance,
    },
    source::Span,
};

/// Karpenter's CRDs that a script applies, or Terraform: `kubectl apply -f https://…/v1.8.2/pkg/apis/crds/…`.
#[derive(Clone, Debug)]
pub struct AppliedCrds {
    /// The version in their address.
    pub version: ChartVersion,
    /// Where it is written.
    pub scope: Scope,
    /// The first address of that version.
    pub report_span: Span,
    /// The start of the script: what installs releases too has the same. In Terraform the first of the manifests.
    pub unit: Span,
    /// The blocks of Terraform that apply them.
    pub manifests: Vec<BlockInstance>,
    /// Whether a variable switches all of them off as far as one sees.
    pub is_optional: bool,
    /// Whether it is in a module that is made to be called from elsewhere.
    pub reusable: bool,
}
