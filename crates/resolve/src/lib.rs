//! Trees to values with origins: Terraform, kustomize, Helm values and `GitOps` resources, still general.

pub mod resolve;

use karplint_core::{findings, glob, hash, project, source, syntax, time, value, version};
use karplint_helm::helm as engine;
use karplint_knowledge::knowledge;
