//! Modules that are called and whose code is not here: what they make is not seen.

use crate::{
    model::{
        Model,
        absent::{NEEDS, has},
    },
    resolve::{
        scope::Scope,
        terraform::{
            Terraform,
            module_source::ModuleSource,
            object::{BlockInstance, Mode},
            root::Root,
        },
    },
    value::Value,
};

/// What a module that is not here may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// A cluster with its node groups.
    Cluster,
    /// The controller of Karpenter.
    Controller,
}

impl Hidden {
    fn may_come_from(self, call: &BlockInstance) -> bool {
        let source = ModuleSource::of(call);
        match self {
            Self::Cluster => source.may_make_cluster(),
            Self::Controller => source.may_install_karpenter() || is_asked_for_karpenter(call),
        }
    }
}

const KARPENTER: &str = "karpenter";

/// Inputs in which Karpenter is named without being installed.
const LABELS: &[&str] = &["tags", "labels", "annotations", "access_", "auth", "policy", "policies"];

/// Whether the name or the inputs of a call suggest that the module, which is not read, installs Karpenter:
/// `enable_karpenter = true`, `addons = { karpenter = {} }`.
fn is_asked_for_karpenter(call: &BlockInstance) -> bool {
    let source = ModuleSource::of(call);
    let address = source.text();
    let of_aws = has(address, &["terraform-aws-modules/", "terraform-aws-iam", "vpc", "network"]);
    if ModuleSource::is_well_known(address) || of_aws || has(address, NEEDS) {
        return false;
    }
    let is_named = |it: &str| it.contains(KARPENTER) && !has(it, NEEDS);
    is_named(&call.name) || names(&call.body, &is_named, &|it| has(it, LABELS) || has(it, NEEDS))
}

/// Whether a call names Karpenter anywhere.
fn mentions_karpenter(call: &BlockInstance) -> bool {
    let is_named = |it: &str| it.contains(KARPENTER);
    is_named(&call.name)
        || is_named(ModuleSource::of(call).text())
        || names(&call.body, &is_named, &|_| false)
}

/// Whether a key of a mapping that is not switched off has such a name, or a text is `karpenter`. Keys are not
/// looked into that are passed over.
fn names(value: &Value, is_named: &dyn Fn(&str) -> bool, passed: &dyn Fn(&str) -> bool) -> bool {
    let is_it = value.as_str().is_some_and(|it| it == KARPENTER);
    let is_off = |it: &Value| it.is_null() || it.as_flag() == Some(false);
    let mut entries = value.entries().iter().filter(|it| !is_off(&it.value) && !passed(&it.key));
    is_it
        || entries.any(|it| is_named(&it.key) || names(&it.value, is_named, passed))
        || value.items().iter().any(|it| names(it, is_named, passed))
}

/// Whether a call of a module that is not here names Karpenter.
pub(super) fn is_karpenter_named(terraform: &Terraform) -> bool {
    let calls = terraform.roots.iter().flat_map(|it| it.of(Mode::Module, "module"));
    calls.filter(|it| !it.entered && !it.is_off).any(mentions_karpenter)
}

impl Model {
    /// The call of such a module in the root of a scope.
    #[must_use]
    pub fn unread_module(&self, scope: &Scope, hidden: Hidden) -> Option<&BlockInstance> {
        unread_modules(self.terraform.roots.get(scope.root?)?, hidden).next()
    }

    /// The calls of modules that may install Karpenter, in roots that are not seen to install it.
    pub fn unread_installers(&self) -> impl Iterator<Item = &BlockInstance> {
        let roots = self.terraform.roots.iter().enumerate();
        let without = roots.filter(|(index, _)| self.count_controllers(*index) == 0);
        without.flat_map(|(_, root)| unread_modules(root, Hidden::Controller))
    }
}

fn unread_modules(root: &Root, hidden: Hidden) -> impl Iterator<Item = &BlockInstance> {
    let calls = root.of(Mode::Module, "module").filter(|it| !it.entered);
    calls.filter(move |it| !it.is_off && hidden.may_come_from(it))
}
