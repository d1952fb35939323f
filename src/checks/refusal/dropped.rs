//! What the API server drops of a resource instead of refusing it.

use crate::{
    checks::admission::{fault::Fault, path::PathStep},
    findings::note::Note,
    model::{Model, karpenter_object::KarpenterObject},
    resolve::{release::Release, terraform::object::BlockInstance},
    source::Span,
    value::Field,
};

/// Whether a fault is in `status`, of which the API server takes nothing from an author anyway: only where it asks for
/// valid fields does it refuse a resource for what is there.
pub(super) fn is_of_status(fault: &Fault) -> bool {
    matches!(fault.path.parts().first(), Some(PathStep::Name(name)) if &**name == "status")
}

/// That a block applies a resource without the fields that there are none of.
///
/// `kubectl_manifest` asks for no validation of fields: both providers run kubectl's `ApplyOptions` without a
/// `ValidationDirective` (gavinbunney/terraform-provider-kubectl 1.19.0 `kubernetes/resource_kubectl_manifest.go`,
/// alekc/terraform-provider-kubectl 3.0.0-beta3 `kubernetes/manifest_lifecycle.go`), and Kubernetes then warns and
/// drops such fields. An apply on the server's side refuses them. Helm 3, which a `helm_release` runs, asks for none
/// either (helm/helm pull request 12502 shows its output).
pub(super) fn drops_unknown(model: &Model, object: &KarpenterObject) -> Option<Note> {
    let by_helm = installed_by_helm(model, object).map(|it| (it, "Helm 3"));
    let (span, who) = by_helm.or_else(|| {
        let root = model.terraform.roots.get(object.scope.root?)?;
        let block = root.instances(object.node?).find(|it| is_kubectl_manifest(it))?;
        Some((block.header, "`kubectl_manifest`"))
    })?;
    let message = format!("{who} asks for no validation: the API server drops the field");
    Some(Note { span, message })
}

/// Whether a block applies manifests without asking whether there are such fields.
fn is_kubectl_manifest(block: &BlockInstance) -> bool {
    let is_off = match block.body.get("server_side_apply") {
        Field::Missing => true,
        Field::Present(it) => it.as_flag() == Some(false),
        Field::Unknown => false,
    };
    &*block.kind == "kubectl_manifest" && is_off
}

/// Where it is said that Terraform installs the chart of the repository that makes a resource: at the release, or at the
/// resource where its root module installs several such charts.
fn installed_by_helm(model: &Model, object: &KarpenterObject) -> Option<Span> {
    let root = object.scope.root?;
    object.subject.as_ref().filter(|it| it.rendered.is_some())?;
    let of_root = model.releases.iter().filter(|it| it.scope.root == Some(root));
    let charts: Vec<&Release> = of_root.filter(|it| it.local_chart.is_some()).collect();
    let by_terraform = !charts.is_empty() && charts.iter().all(|it| it.code().is_some());
    let only = charts.first().filter(|_| charts.len() == 1);
    by_terraform.then(|| only.map_or(object.report_span, |it| it.report_span))
}
