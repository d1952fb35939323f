//! What karplint understood of each cluster: `karplint show overview`.

mod cells;
pub(crate) mod collect;
mod facts;
pub(crate) mod json;
mod karpenter;
pub(crate) mod markdown;
mod nodes;
mod table;
pub(crate) mod text;

use crate::{project::Project, source::Span, value::Value};

/// A cluster.
#[derive(Debug)]
pub struct ClusterView<'p> {
    /// The project that holds it.
    pub project: &'p Project,
    /// The folder it belongs to.
    pub folder: String,
    /// Its name.
    pub name: Value,
    /// Its Kubernetes version.
    pub kubernetes_version: Value,
    /// The Karpenter it runs.
    pub karpenter: Option<Item>,
    /// What belongs to it, by kind.
    pub lists: Vec<(ListKind, Vec<Item>)>,
}

/// The kinds of things that belong to a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKind {
    /// Node groups and Fargate profiles.
    NodeGroups,
    /// `NodePools`.
    NodePools,
    /// `EC2NodeClasses`.
    NodeClasses,
    /// Releases of charts.
    Releases,
    /// EKS add-ons.
    Addons,
    /// Controllers of pods.
    Workloads,
}

impl ListKind {
    /// The key for programs.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::NodeGroups => "node_groups",
            Self::NodePools => "node_pools",
            Self::NodeClasses => "node_classes",
            Self::Releases => "releases",
            Self::Addons => "addons",
            Self::Workloads => "workloads",
        }
    }

    /// The heading for people.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::NodeGroups => "Node groups",
            Self::NodePools => "NodePools",
            Self::NodeClasses => "Node classes",
            Self::Releases => "Releases",
            Self::Addons => "Add-ons",
            Self::Workloads => "Workloads",
        }
    }
}

/// Something with what is known of it. What is not known is an unknown value, what is not there is null.
#[derive(Clone, Debug)]
pub struct Item {
    /// What is known, by the key for programs.
    pub fields: Vec<(&'static str, Value)>,
    /// Where it is written.
    pub span: Span,
}

impl Item {
    /// A field.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.fields.iter().find(|it| it.0 == key).map(|it| &it.1)
    }
}

/// The form of the view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum OverviewFormat {
    /// Tables, for a terminal.
    #[default]
    Text,
    /// For programs.
    Json,
    /// For a pull request.
    Markdown,
}
