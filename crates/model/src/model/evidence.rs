//! Whether the repository shows that Karpenter is used.

use crate::{
    model::{Model, karpenter, left_out, programs, unread},
    resolve::terraform::Terraform,
    source::Files,
};

impl Model {
    /// Whether the configuration, a release, a resource, a script that applies one, a name in Terraform, a manifest that
    /// is not left out or what is not read shows that Karpenter is used.
    pub(super) fn shows_karpenter(
        &mut self,
        files: &Files,
        terraform: &Terraform,
        is_mentioned: bool,
    ) -> bool {
        let programs = programs::find(files);
        let by_programs = !programs.is_empty();
        self.passed_over.extend(programs);
        let mut applied = self.karpenter_objects.iter().map(|it| it.report_span.file);
        by_programs
            || unread::is_karpenter_named(terraform)
            || terraform.unjudged.iter().any(|it| it.names_karpenter)
            || self.assumed.karpenter_version.is_some()
            || self.releases.iter().any(|it| it.is_of_karpenter() && it.scope.left_out.is_none())
            || !self.karpenter_resources.is_empty()
            || applied.any(|it| self.in_scripts.contains(&it))
            || karpenter::is_mentioned(files)
            || is_mentioned && left_out::is_karpenter_mentioned(files, &self.left_out)
    }
}
