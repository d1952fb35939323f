//! What a chart is installed as.

use crate::value::Value;

/// What a chart is installed as.
#[derive(Clone, Debug)]
pub struct Release {
    /// Its name, or a text with holes where that is not known.
    pub name: Value,
    /// Its namespace, likewise.
    pub namespace: Value,
}
