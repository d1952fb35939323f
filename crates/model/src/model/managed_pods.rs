//! The pods of charts and add-ons, as far as they are known.

use crate::{
    model::{Model, annotation, component, scope::Scoped, workload::managed},
    resolve::scope::Scope,
};

impl Model {
    /// Adds what is known of the pods of charts and add-ons.
    pub(super) fn add_components(&mut self, passed_over: &dyn Fn(&Scope) -> Option<&'static str>) {
        let of_values = self.releases.iter().flat_map(annotation::of_release);
        let of_addons = self.addons.iter().flat_map(annotation::of_addon);
        self.annotations.extend(of_values.chain(of_addons));
        annotation::drop_repeated(&mut self.annotations);
        self.components = component::usages(&self.addons, &self.releases, &self.workloads);
        for it in managed::workloads(&self.components, &self.claims) {
            if let Some(why) = passed_over(&it.scope) {
                self.passed_over.insert((it.report_span.file, why));
            } else {
                self.workloads.push(it);
            }
        }
        // Which nodes those find is a matter of other clusters.
        self.components.retain(|it| passed_over(it.scope()).is_none());
    }
}
