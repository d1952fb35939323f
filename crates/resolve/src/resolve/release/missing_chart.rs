//! Charts of repositories that are asked for by their path and are not here.

use std::sync::Arc;

/// Where such a chart is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingChart {
    /// Its path, from the project's root where it leads into the project.
    pub path: Arc<str>,
    /// The name of the source that holds it, which may be another repository; `None` where it is this one.
    pub source: Option<Arc<str>>,
}
