//! Karpenter's CRDs that a command applies from where upstream publishes them.

use crate::{
    resolve::{release::chart_version::ChartVersion, scope::Scope},
    source::Span,
};

/// Karpenter's CRDs that a script applies: `kubectl apply -f https://…/v1.8.2/pkg/apis/crds/…`.
#[derive(Clone, Debug)]
pub struct AppliedCrds {
    /// The version in their address.
    pub version: ChartVersion,
    /// Where it is written.
    pub scope: Scope,
    /// The first address of that version.
    pub report_span: Span,
    /// The start of the script: what installs releases too has the same.
    pub script: Span,
    /// Whether it is in a module that is made to be called from elsewhere.
    pub reusable: bool,
}
