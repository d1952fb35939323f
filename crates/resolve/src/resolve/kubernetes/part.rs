//! The chart that an object comes from, where its templates are not the repository's own.

use std::sync::Arc;

use crate::{source::Span, value::Value};

/// A chart of others inside a chart of the repository, or a copy of one.
#[derive(Clone, Debug)]
pub struct Part {
    /// The chart's name.
    pub chart: Arc<str>,
    /// Its version.
    pub version: Arc<str>,
    /// Where it is from, if that is written.
    pub repository: Option<Arc<str>>,
    /// The keys of its values in those of the chart that is installed, joined by dots; empty for that chart.
    pub keys: String,
    /// What is written for it outside of its own defaults.
    pub values: Value,
    /// Where its values are written, else where the dependency is; `None` where its templates are to be edited
    /// as well.
    pub place: Option<Span>,
}
