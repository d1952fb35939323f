//! What people call the place of a finding in Terraform code.

use crate::{model::Model, source::Span};

impl Model {
    /// The addresses of the Terraform blocks a place lies in, whole and as they are inside their module:
    /// `module.addons.helm_release.karpenter` and `helm_release.karpenter`.
    #[must_use]
    pub fn blocks_at(&self, span: Span) -> Vec<String> {
        let objects = self.terraform.roots.iter().flat_map(|it| &it.objects);
        let around = objects.filter(|it| it.span.contains(span));
        around.flat_map(|it| [it.address.to_string(), format!("{}.{}", it.kind, it.name)]).collect()
    }
}
