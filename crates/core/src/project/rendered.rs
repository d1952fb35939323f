//! What charts of a project were rendered to, and what renders them.

use std::fmt::Debug;

/// What a program made of a chart of this repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The chart's folder.
    pub folder: String,
    /// The chart's name, which opens each source that Helm names.
    pub name: String,
    /// The Kubernetes objects as text, or why there are none: helm's first line of error.
    pub text: Result<String, String>,
}

/// How a program is asked to render a chart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Asked {
    /// The chart's folder.
    pub folder: String,
    /// The name of the release.
    pub release: String,
    /// Its namespace, where that is known.
    pub namespace: Option<String>,
    /// The values that go before the chart's own, as JSON.
    pub values: String,
    /// The version of Kubernetes, where that is known.
    pub kubernetes: Option<String>,
}

/// A program that renders charts.
pub trait Renderer: Debug + Send + Sync {
    /// The Kubernetes objects as text.
    ///
    /// # Errors
    /// The program's first line of error.
    fn render(&self, asked: &Asked) -> Result<String, String>;
}
