//! What charts of a project were rendered to.

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
