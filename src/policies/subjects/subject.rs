//! Something that policies are asked about.

use crate::{
    findings::subject::Subject as About, resolve::scope::Scope, source::Span, value::Value,
};

/// Something that policies are asked about.
#[derive(Debug)]
pub(in crate::policies) struct Subject {
    /// What `subject` is in CEL.
    pub value: Value,
    /// What `object` is, of a Kubernetes object.
    pub object: Option<Value>,
    /// Where to point when the expression decides by nothing that is written.
    pub report_span: Span,
    /// What a finding about it is about.
    pub about: Option<About>,
    /// Where it belongs.
    pub scope: Scope,
    /// `apps/v1` and `Deployment` of an object, the type of a resource.
    pub kind: Option<(String, String)>,
}
