//! What is created after what, and destroyed before it: `karplint show order`.

use crate::{
    project::Project,
    source::Span,
    visible::{self, visible},
};

/// What is created, and in which order.
#[derive(Debug, Default)]
pub struct Order<'p> {
    /// What is created, as it is written.
    pub nodes: Vec<Node<'p>>,
    /// What needs what.
    pub edges: Vec<Need>,
    /// What should need what, as rules say.
    pub missing: Vec<Missing>,
}

impl<'p> Order<'p> {
    /// The same with names that are only names to what shows them.
    #[must_use]
    pub(super) fn visible(&self) -> Self {
        let node = |it: &Node<'p>| Node {
            id: visible::path(&it.id).replace(['`', '|'], "'"),
            kind: visible(&it.kind),
            by: visible::path(&it.by),
            span: it.span,
            project: it.project,
        };
        Self {
            nodes: self.nodes.iter().map(node).collect(),
            edges: self.edges.clone(),
            missing: self.missing.clone(),
        }
    }
}

/// Something that is created.
#[derive(Debug)]
pub struct Node<'p> {
    /// Its Terraform address without the keys of instances, or `KIND/NAMESPACE/NAME`.
    pub id: String,
    /// The type of the resource, `module`, or the kind of the object.
    pub kind: String,
    /// What applies it: the folder of a Terraform root, or a tool.
    pub by: String,
    /// Where it is written.
    pub span: Span,
    /// The project that holds it.
    pub project: &'p Project,
}

/// That one node is created after another, and destroyed before it.
#[derive(Clone, Copy, Debug)]
pub struct Need {
    /// The node that waits, by its place in the list.
    pub from: usize,
    /// The one it waits for.
    pub to: usize,
    /// In which form that is written.
    pub why: Why,
    /// Where.
    pub span: Span,
}

/// The form in which an order is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Terraform's `depends_on`.
    DependsOn,
    /// A reference in Terraform.
    Reference,
    /// A sync wave of Argo CD.
    SyncWave,
    /// Flux's `dependsOn`.
    FluxDependsOn,
    /// helmfile's `needs`, and what eksctl does by itself.
    Needs,
}

impl Why {
    /// The word for programs.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::DependsOn => "depends_on",
            Self::Reference => "reference",
            Self::SyncWave => "sync-wave",
            Self::FluxDependsOn => "dependsOn",
            Self::Needs => "needs",
        }
    }
}

/// That nothing makes one node wait for another, though it should.
#[derive(Clone, Copy, Debug)]
pub struct Missing {
    /// The node that should wait.
    pub from: usize,
    /// The one it should wait for.
    pub to: usize,
    /// The rule that says so.
    pub rule: &'static str,
}

/// The form of the view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum OrderFormat {
    /// A tree, for a terminal.
    #[default]
    Text,
    /// For programs.
    Json,
    /// A Mermaid flowchart in Markdown.
    Markdown,
    /// A Mermaid flowchart.
    Mermaid,
    /// A graph for Graphviz.
    Dot,
    /// A page with pictures.
    Html,
}
