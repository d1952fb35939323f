//! What the API server drops of a resource instead of refusing it.

use crate::{
    checks::admission::{fault::Fault, path::PathStep},
    findings::note::Note,
    model::{Model, karpenter_object::KarpenterObject},
    resolve::terraform::object::BlockInstance,
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
/// drops such fields. An apply on the server's side refuses them.
pub(super) fn drops_unknown(model: &Model, object: &KarpenterObject) -> Option<Note> {
    let root = model.terraform.roots.get(object.scope.root?)?;
    let drops = |it: &&BlockInstance| {
        let on_server = it.body.get("server_side_apply");
        let is_off = |it: &Field<'_>| match it {
            Field::Missing => true,
            Field::Present(it) => it.as_flag() == Some(false),
            Field::Unknown => false,
        };
        &*it.kind == "kubectl_manifest" && is_off(&on_server)
    };
    let block = root.instances(object.node?).find(drops)?;
    let message =
        "`kubectl_manifest` asks for no validation: the API server drops the field".to_owned();
    Some(Note { span: block.header, message })
}
