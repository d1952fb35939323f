//! Modules that are called and whose code is not here: what they make is not seen.

use crate::{
    model::Model,
    resolve::{
        scope::Scope,
        terraform::{
            module_source::ModuleSource,
            object::{BlockInstance, Mode},
            root::Root,
        },
    },
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
    fn may_come_from(self, source: ModuleSource<'_>) -> bool {
        match self {
            Self::Cluster => source.may_make_cluster(),
            Self::Controller => source.may_install_karpenter(),
        }
    }
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
        let without = roots.filter(|(index, _)| self.controllers_of_root(*index).is_empty());
        without.flat_map(|(_, root)| unread_modules(root, Hidden::Controller))
    }
}

fn unread_modules(root: &Root, hidden: Hidden) -> impl Iterator<Item = &BlockInstance> {
    let calls = root.of(Mode::Module, "module").filter(|it| !it.entered);
    calls.filter(move |it| hidden.may_come_from(ModuleSource::of(it)))
}
