//! Which pools use a class, as far as deciding takes whether any does.

use std::collections::HashSet;

use crate::{
    model::{Model, karpenter_object::KarpenterObject, node_pool::class::NodeClass},
    resolve::scope::Scope,
    source::Span,
    value::{Field, Value},
};

/// The pools of a repository by the classes that they name.
pub(super) struct Users<'m> {
    /// The names of classes that pools refer to.
    named: HashSet<&'m str>,
    /// Whether a pool refers to a class whose name is not known, or may.
    is_open: bool,
    /// The pools, where they are and where to point.
    pools: Vec<(&'m Scope, Span)>,
}

/// What a pool says of its class.
enum ClassReference<'m> {
    /// Its name.
    Named(&'m str),
    /// It has the settings of a class itself.
    Inline,
    /// That is not known.
    Open,
}

impl<'m> Users<'m> {
    /// The pools of a model.
    pub(super) fn of(model: &'m Model) -> Self {
        let mut users = Self { named: HashSet::new(), is_open: false, pools: Vec::new() };
        for pool in &model.karpenter_objects {
            let Some(reference) = reference(pool) else { continue };
            match reference {
                ClassReference::Named(name) => {
                    users.named.insert(name);
                }
                ClassReference::Inline => {}
                ClassReference::Open => users.is_open = true,
            }
            users.pools.push((&pool.scope, pool.report_span));
        }
        users
    }

    /// A pool near a class, where none in the repository uses the class; `None` where one does, or none is near.
    pub(super) fn others(&self, class: &NodeClass) -> Option<Span> {
        let name = class.name.known()?;
        if self.is_open || self.named.contains(&**name) {
            return None;
        }
        // A pool with settings of its own is the class.
        let is_itself = |it: &&(&Scope, Span)| it.1 == class.report_span;
        if self.pools.iter().any(|it| is_itself(&it)) {
            return None;
        }
        self.pools.iter().find(|it| it.0.speaks_of(&class.scope)).map(|it| it.1)
    }
}

/// What a pool says of its class; `None` for what is no pool.
fn reference(pool: &KarpenterObject) -> Option<ClassReference<'_>> {
    let value = &pool.object.value;
    let reference = match &*pool.object.kind {
        "NodePool" => value.at("spec.template.spec.nodeClassRef"),
        "Provisioner" if value.at("spec.provider").present().is_some() => {
            return Some(ClassReference::Inline);
        }
        "Provisioner" => value.at("spec.providerRef"),
        _ => return None,
    };
    let name = match reference {
        Field::Present(it) => it.get("name").present().and_then(Value::as_str),
        Field::Missing | Field::Unknown => None,
    };
    let is_sure = pool.is_whole && !pool.is_patched();
    Some(name.filter(|_| is_sure).map_or(ClassReference::Open, ClassReference::Named))
}
