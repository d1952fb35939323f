//! Module instances, and the instances of blocks.

use std::{collections::BTreeMap, rc::Rc, sync::Arc};

use crate::{
    project::kind::is_downloaded,
    resolve::terraform::module::{BlockItem, Module},
    source::Span,
    value::Value,
};

/// The instances of a called module.
pub(super) type ModuleInstances<'a> = Rc<[Rc<ModuleInstance<'a>>]>;

/// A module, called.
pub(super) struct ModuleInstance<'a> {
    /// Distinguishes instances of one root.
    pub id: u32,
    /// What is called.
    pub module: &'a Module,
    /// Its place in the tree of calls.
    pub call_site: usize,
    /// Who calls; `None` for the root.
    pub caller: Option<Caller<'a>>,
    /// The scope of its symbols.
    pub scope: Arc<str>,
    /// What addresses inside begin with: `module.addons["a"].`.
    pub prefix: String,
    /// Whether it, or a module around it, is always switched off.
    pub disabled: bool,
    /// Of a root: the variables that have other values here than those known of them.
    pub premise: Premise,
}

/// Values of a root's variables with which it is evaluated instead of those known.
pub(super) type Premise = BTreeMap<Arc<str>, Value>;

/// The call of a module instance.
pub(super) struct Caller<'a> {
    /// The instance that holds the call.
    pub instance: Rc<ModuleInstance<'a>>,
    /// The call's position among the items of its module.
    pub index: usize,
    /// Which of the call's instances.
    pub repetition: Repetition,
}

impl<'a> Caller<'a> {
    /// The `module` block.
    pub(super) fn item(&self) -> Option<&'a BlockItem> {
        self.instance.module.items.get(self.index)
    }
}

/// What `count` or `for_each` binds in one instance of a block.
#[derive(Clone)]
pub(super) enum Repetition {
    /// Neither is written.
    Once,
    /// `count`.
    Count(Value),
    /// `for_each`.
    Each(Value),
}

/// The instances of a block.
#[expect(clippy::struct_excessive_bools, reason = "each is an answer of its own")]
pub(super) struct Expansion {
    /// Each with the key as it ends the address: `["a"]`, `[0]`.
    pub instances: Vec<(Repetition, String)>,
    /// Whether there may be others, or none.
    pub open: bool,
    /// Whether it is always switched off.
    pub disabled: bool,
    /// Whether it is switched off by the values of variables that are known.
    pub absent: bool,
    /// Whether it is there or not by a switch that is not known.
    pub open_switch: bool,
}

impl ModuleInstance<'_> {
    /// The header of the call, in the project's own files, that leads into a fetched module.
    pub(super) fn foreign(&self) -> Option<Span> {
        let mut found = None;
        let mut instance = self;
        while instance.module.folder.contains(".terraform")
            && is_downloaded(&format!("{}/", instance.module.folder))
        {
            let caller = instance.caller.as_ref()?;
            found = caller.item().map(|it| it.block.header);
            instance = &caller.instance;
        }
        found
    }
}
