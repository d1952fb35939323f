//! What one version of an API says, in a form that can be compared.

use std::collections::{BTreeMap, BTreeSet};

/// What one version of an API says, in a form that can be compared.
#[derive(Clone, Debug, Default)]
pub(crate) struct ApiFacts {
    /// By path of the field and name of the fact: `maximum`, `type`.
    pub fields: BTreeMap<String, BTreeMap<String, String>>,
    /// By path, the checks made there.
    pub checks: BTreeMap<String, BTreeSet<String>>,
    /// By path and domain, the keys of reserved domains that are let in.
    pub keys: BTreeMap<(String, String), BTreeSet<String>>,
    /// By path, the first byte of the field upstream.
    pub places: BTreeMap<String, usize>,
    /// What could not be understood.
    pub unknown: Vec<String>,
}
