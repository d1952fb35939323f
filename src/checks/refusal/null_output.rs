//! A class whose instance profile is an output that is null by default: it has neither role nor instance profile.

use crate::{
    findings::note::Note,
    model::{Model, karpenter_object::KarpenterObject, module_call::version_of},
    resolve::terraform::{
        module_source::ModuleSource,
        object::{BlockInstance, Mode},
    },
    source::Span,
    value::{Kind, Value},
    version::{Range, Version},
};

/// The output of the module `karpenter`.
const OUTPUT: &str = "instance_profile_name";
/// The input without which it is null, from this version of the module on: before, the module made a profile by default.
/// <https://github.com/terraform-aws-modules/terraform-aws-eks/blob/master/docs/UPGRADE-20.0.md>
const INPUT: &str = "create_instance_profile";
const SINCE: Version = Version::new(20, 0, 0);

/// An instance profile that is null.
pub(super) struct NullProfile {
    /// Where it is written.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
    /// The module.
    pub note: Note,
}

/// The instance profile of a class without a role, where it is that output of a module that makes none.
pub(super) fn null_profile(model: &Model, object: &KarpenterObject) -> Option<NullProfile> {
    let value = &object.object.value;
    if &*object.object.kind != "EC2NodeClass" || !value.at("spec.role").is_missing() {
        return None;
    }
    let profile = value.at("spec.instanceProfile").present()?;
    let Kind::Unknown(symbol) = &profile.kind else { return None };
    let name = symbol.text.strip_prefix("module.")?.strip_suffix(OUTPUT)?.strip_suffix('.')?;
    let root = model.terraform.roots.get(object.scope.root?)?;
    let mut calls = root.of(Mode::Module, "module").filter(|it| it.name.as_ref() == name);
    let call = calls.find(|it| ModuleSource::of(it).is(ModuleSource::EKS_KARPENTER))?;
    makes_none(call).then(|| NullProfile {
        span: profile.span,
        message: format!("`{}` is null: no instance profile", symbol.text),
        help: format!(
            "Write `role` with `module.{name}.node_iam_role_name`, or set `{INPUT} = true` of the module"
        ),
        note: Note {
            span: call.header,
            message: format!("version 20 and newer make one only with `{INPUT} = true`"),
        },
    })
}

/// Whether a call of the module surely makes no instance profile, with the newest version that it allows.
fn makes_none(call: &BlockInstance) -> bool {
    let before = Range { since: None, until: Some(SINCE) };
    let is_new = version_of(call).is_some_and(|it| it.within(&before) != Some(true));
    let asked = call.body.get(INPUT);
    let is_off = asked.is_missing() || asked.present().and_then(Value::as_flag) == Some(false);
    is_new && is_off && !call.variable_arguments.iter().any(|it| &**it == INPUT)
}
