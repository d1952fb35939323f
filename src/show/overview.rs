//! What karplint understood of each cluster: `karplint show overview`.

pub(crate) mod cells;
pub(crate) mod collect;
pub(crate) mod json;
pub(crate) mod markdown;
pub(crate) mod table;
pub(crate) mod text;

use crate::{inventory::Item, project::Project, value::Value};

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
    /// A page with all views.
    Html,
}
