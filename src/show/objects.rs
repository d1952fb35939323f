//! The Kubernetes objects that a repository builds: `karplint show objects`.

pub(super) mod collect;
mod mask;
pub(super) mod stream;

use crate::{project::Project, resolve::kubernetes::Object, source::Span};

/// An object that something builds.
#[derive(Debug)]
pub struct BuiltObject<'p> {
    /// The object; what a Secret keeps is not in it.
    pub object: Object,
    /// Where it is written.
    pub span: Span,
    /// What builds it.
    pub built_by: Builder,
    /// The project that holds it.
    pub project: &'p Project,
}

/// What builds an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Builder {
    /// Nothing: it is applied as it is written.
    File,
    /// The kustomization of a folder.
    Kustomization(String),
    /// A Terraform resource.
    Resource {
        /// The folder of its root module.
        root: String,
        /// Its address.
        address: String,
        /// Whether it is there only when variables have other values than those known.
        is_optional: bool,
    },
    /// A `CloudFormation` template.
    Stack(String),
    /// A release of a chart of the repository.
    Release {
        /// The chart's folder.
        chart: String,
        /// The namespace, if it is known.
        namespace: Option<String>,
        /// The name, if it is known.
        name: Option<String>,
        /// Where the release is written: the path and the line.
        place: (String, usize),
        /// Whether it is there only when variables have other values than those known.
        is_optional: bool,
    },
    /// A chart of the repository that nobody installs, with its own values.
    Chart(String),
}

/// The form of the view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ObjectsFormat {
    /// A YAML stream.
    #[default]
    Text,
    /// For programs.
    Json,
}
