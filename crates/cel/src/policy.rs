//! Policies: rules that a repository writes itself, in CEL.
//!
//! A file of policies is read into [`Policy`]s and what is wrong with it. A policy is checked against the types of
//! its subject, and judges a subject's values.

pub mod expression;
pub mod judge;
pub mod read;
mod reader;

use std::sync::Arc;

use crate::{findings::Severity, policy::expression::Expression, source::Span, value::Text};

/// A policy.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Its name, in kebab-case: a rule's name like any other.
    pub name: Arc<str>,
    /// Where the name is written.
    pub name_span: Span,
    /// What it asks for, in one line.
    pub title: Arc<str>,
    /// How bad it is to fail it.
    pub severity: Severity,
    /// Why it is asked for: Markdown.
    pub why: Arc<str>,
    /// What to do, one sentence.
    pub help: Option<Arc<str>>,
    /// What it is asked of.
    pub subject: Subject,
    /// Which subjects it is asked of, by their values.
    pub condition: Option<Expression>,
    /// Expressions with names, each of which may use those before it.
    pub variables: Vec<(Arc<str>, Expression)>,
    /// What has to be true.
    pub validations: Vec<Validation>,
    /// Its tests.
    pub tests: Vec<Test>,
}

/// What a policy is asked of.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Which.
    pub kind: SubjectKind,
    /// Where that is written.
    pub span: Span,
    /// `apps/v1/Deployment`, `karpenter.sh/*/NodePool`, `v1/Pod`: which objects; or which resources of Terraform.
    pub kinds: Vec<Arc<str>>,
}

/// What a policy may be asked of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubjectKind {
    /// Any Kubernetes object.
    Object,
    /// Pods and what makes them.
    Workload,
    /// A Helm release.
    Release,
    /// An EKS add-on.
    Addon,
    /// A managed node group.
    NodeGroup,
    /// A `NodePool`.
    NodePool,
    /// A node class.
    NodeClass,
    /// All of a cluster.
    Cluster,
    /// A resource of Terraform.
    Resource,
}

impl SubjectKind {
    /// Each with its word.
    pub const ALL: &[(&str, Self)] = &[
        ("object", Self::Object),
        ("workload", Self::Workload),
        ("release", Self::Release),
        ("addon", Self::Addon),
        ("nodeGroup", Self::NodeGroup),
        ("nodePool", Self::NodePool),
        ("nodeClass", Self::NodeClass),
        ("cluster", Self::Cluster),
        ("resource", Self::Resource),
    ];
}

/// Something that has to be true.
#[derive(Clone, Debug)]
pub struct Validation {
    /// What.
    pub expression: Expression,
    /// What is said when it is false.
    pub message: Option<Arc<str>>,
    /// The same, computed.
    pub message_expression: Option<Expression>,
    /// What to point at, instead of the operand that decides.
    pub at: Option<Expression>,
}

/// A small repository, and where the policy has to find something in it.
#[derive(Clone, Debug)]
pub struct Test {
    /// What it shows.
    pub name: Arc<str>,
    /// Where the name is written.
    pub name_span: Span,
    /// Each file's path and text.
    pub files: Vec<(Arc<str>, Text)>,
    /// Each finding's file and line, counted from one.
    pub expected: Vec<(Arc<str>, u32)>,
}
