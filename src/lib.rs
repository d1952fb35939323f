//! karplint: a static linter for Karpenter on EKS.
//!
//! Programs use [`check`]: one call checks a folder. Everything else is the inside of the command
//! `karplint`; it is public for its tests, and changes with any release.
//!
//! # Architecture
//!
//! The order of the modules is the order of the work: a module uses only those above it, no two files use
//! each other, and tests hold both. The lower modules are crates of their own, in `crates/`, so that they
//! are built side by side and a change above does not build them again. Data flows one way, and each step
//! hands plain data to the next:
//!
//! ```text
//! core       project   files, listed around the paths asked for and read when needed
//!              ▼
//!            syntax    trees with spans: HCL, YAML, JSON, and parse errors
//!              ▼
//! resolve    resolve   what Terraform, Helm, GitOps tools and Kubernetes make of them: values with origins
//!              ▼                                    ▲ knowledge: defaults by version, data with sources
//! model      model     facts about the cluster: releases, add-ons, node groups, workloads, PDBs
//!              ▼
//! karplint   checks    detection: pure functions from the model to diagnoses, by topic
//!              ▼
//!            rules     one page and one file each: which diagnosis, in which words
//!              ▼
//!            lint      runs the rules; configuration and suppressions decide what is reported
//!              ▼
//!            report    text, JSON, SARIF …   fix  new text     lsp  editors    cli  arguments, exit codes
//! ```
//!
//! Three ideas carry it. A [`value::Value`] has a span and an origin: where it is written and by which
//! steps it got where it is used. What cannot be evaluated is unknown, and a `Setting` makes every rule
//! decide about that. And what releases do by default is [`knowledge`]: data, not code.
//!
//! # Glossary
//!
//! | word | meaning |
//! |---|---|
//! | gate | the only way to the disk: a folder, and what lies below it without leaving it |
//! | span | a file and a range of bytes in it |
//! | origin, step | where a value is written, and each reference that passed it on |
//! | unknown, symbol | a value that only an apply knows, and its name: equal symbols are equal values |
//! | setting | a value an author may write: written, default or unknown |
//! | surface | the kind of source a release is written in: Terraform, Argo CD, Flux, helmfile … |
//! | release | a Helm chart with its version, namespace and values, on any surface |
//! | unit | what a tool other than Terraform installs together: an Application, a `HelmRelease` … |
//! | packaging | how a component is installed: as a chart or as an EKS add-on |
//! | component | a release or add-on whose pods `knowledge` describes |
//! | root | a Terraform folder that is applied by itself, with the modules it calls |
//! | scope | where an object belongs: its root, its kustomization, its folder |
//! | deploy unit | what is applied together, and so surely to one cluster |
//! | workload | a controller with a pod template, or a bare pod |
//! | PDB | a `PodDisruptionBudget`; a budget is a `NodePool`'s |
//! | diagnosis | what a check found, before words and severity |
//! | finding | what a rule reports at a span, with notes, help and at most one fix |
//! | inert | what Karpenter has nothing to do with, as far as the repository shows |
//! | note | a related place of a finding; also the lowest severity |
//! | fix plan | the changes a rule wants, in terms of values; `edits` turns it into a fix |
//! | fix guard | drops a fix whose text also serves something else |
//! | suppression | an `allow` in a comment, an annotation or the configuration |
//! | assumed | versions the configuration states because the repository does not |
//! | supposed | versions in place of those that are written: what `upgrade` asks the rules about |
//! | stop | a release on the way to another one that may not be left out |
//! | ask | what a step needs done on the cluster |

pub use karplint_core::findings;
#[doc(hidden)]
pub use karplint_core::{gate, hash, project, source, syntax, time, value, version, visible};
#[doc(hidden)]
pub use karplint_knowledge::knowledge;
#[doc(hidden)]
pub use karplint_model::model;
#[doc(hidden)]
pub use karplint_resolve::resolve;

mod edits;
#[doc(hidden)]
pub mod page;
#[doc(hidden)]
pub mod checks;
#[doc(hidden)]
pub mod rules;
#[doc(hidden)]
pub mod inventory;
#[doc(hidden)]
pub mod policies;
#[doc(hidden)]
pub mod config;
#[doc(hidden)]
pub mod lint;
#[doc(hidden)]
pub mod fix;
#[doc(hidden)]
pub mod report;
mod load;
#[doc(hidden)]
pub mod policy_test;
#[doc(hidden)]
pub mod show;
#[doc(hidden)]
pub mod upgrade;
pub mod check;
mod lsp;
#[doc(hidden)]
pub mod cli;
