//! The namespaces that Argo CD and Flux give what they apply.

use crate::{
    model::Model,
    resolve::{
        gitops::{GitOps, target_namespace::Placed},
        scope::Scope,
        setting::Setting,
    },
    source::{Files, Span},
};

impl Model {
    /// Gives workloads, PDBs and autoscalers the namespace that what applies them gives them.
    pub(super) fn give_namespaces(&mut self, files: &Files, gitops: &GitOps) {
        let give = |namespace: &mut Setting<String>, scope: &Scope, at: Span| {
            if scope.root.is_some() {
                return;
            }
            let path = files.get(at.file).path();
            let placed = Placed { path, scope, has_namespace: namespace.is_written() };
            if let Some(given) = gitops.namespace_given(placed) {
                *namespace = Setting::text(Some(given), at);
            }
        };
        for it in &mut self.workloads {
            give(&mut it.namespace, &it.scope, it.report_span);
        }
        for it in &mut self.pdbs {
            // A policy that makes PDBs makes them in other namespaces, too.
            if it.namespace.is_written() || it.selector.is_known() {
                give(&mut it.namespace, &it.scope, it.report_span);
            }
        }
        for it in self.scalers.iter_mut() {
            give(&mut it.namespace, &it.scope, it.report_span);
        }
        self.scalers.find_own(&self.workloads);
    }
}
