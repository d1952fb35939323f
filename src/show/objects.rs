//! The Kubernetes objects that a repository builds: `karplint show objects`.

pub(super) mod stream;

/// The form of the view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ObjectsFormat {
    /// A YAML stream.
    #[default]
    Text,
    /// For programs.
    Json,
}
