//! karplint: a static linter for Karpenter on EKS.
//!
//! This page is the architecture. The order of the modules is the order of the work: a module uses only
//! those above it, and a test holds that. The lower ones are crates of their own, in `crates/`, so that they
//! are built side by side and a change above does not build them again. Data flows one way, and each step hands plain data to the next:
//!
//! ```text
//! project   files, listed around the paths asked for and read when needed
//!   ▼
//! syntax    trees with spans: HCL, YAML, JSON, and what could not be read
//!   ▼
//! resolve   what Terraform, Helm, GitOps tools and Kubernetes make of them: values with origins
//!   ▼                                               ▲ knowledge: defaults by version, as data with sources
//! model     the cluster as its authors described it: releases, add-ons, node groups, workloads, budgets
//!   ▼
//! rules     pure functions over the model, one page and one file each
//!   ▼
//! lint      puts the parts together; config and allow-comments decide what is said
//!   ▼
//! report    text, JSON, SARIF …   fix  new text     lsp  editors    cli  arguments and exit codes
//! ```
//!
//! Three ideas carry it. A [`value::Value`] knows where it is written and by which steps it came. What
//! cannot be known is unknown, and a [`model::setting::Setting`] makes every rule decide about that. And
//! what releases do when nobody says otherwise is [`knowledge`], not code.

pub use karplint_core::{findings, project, source, syntax, time, value, version};
pub use karplint_knowledge::knowledge;
pub use karplint_model::{edits, model};
pub use karplint_resolve::resolve;

pub mod page;
pub mod checks;
pub mod rules;
pub mod config;
pub mod lint;
pub mod fix;
pub mod report;
pub mod load;
pub mod lsp;
pub mod cli;
