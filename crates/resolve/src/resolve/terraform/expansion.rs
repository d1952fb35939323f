//! The module instances of a root and the instances of blocks, by `count` and `for_each`.

use std::{rc::Rc, sync::Arc};

use crate::{
    resolve::terraform::{
        evaluate::Evaluator,
        instance::{Caller, Expansion, ModuleInstance, ModuleInstances, Premise, Repetition},
        module::BlockItem,
        operator,
        scope::{bound, open_map},
        switch::is_switch,
        traversal::carry,
    },
    source::account::Limit,
    syntax::hcl::{Attribute, Expr},
    value::{Entry, Kind, Symbol, Value},
};

/// A block with more instances than this is treated as one whose instances are unknown.
const MOST_REPETITIONS: usize = 512;

impl<'a> Evaluator<'a> {
    /// The root's own instance.
    pub(super) fn root_instance(&self) -> Option<Rc<ModuleInstance<'a>>> {
        self.root_with(Premise::new())
    }

    /// The root, evaluated with these values of its variables.
    pub(super) fn root_with(&self, premise: Premise) -> Option<Rc<ModuleInstance<'a>>> {
        let module = self.root()?;
        let scope = Arc::clone(&self.folder);
        let id = self.next_instance();
        let prefix = String::new();
        Some(Rc::new(ModuleInstance {
            id,
            module,
            call_site: 0,
            caller: None,
            scope,
            prefix,
            disabled: false,
            premise,
        }))
    }

    /// Of the values that a plan has for the root's variables, those that are not the ones written.
    pub(super) fn differing(&self, variables: &[(Attribute, Value)]) -> Vec<Attribute> {
        let Some(instance) = self.root_instance() else { return Vec::new() };
        let differs = |(it, planned): &&(Attribute, Value)| {
            let value = self.variable(&instance, &it.name, it.span);
            value.same_as(planned) != Some(true)
        };
        variables.iter().filter(differs).map(|(it, _)| it.clone()).collect()
    }

    fn next_instance(&self) -> u32 {
        let id = self.instances.get();
        self.instances.set(id.saturating_add(1));
        id
    }

    /// The module instances a call leads to; none for modules from elsewhere.
    pub(super) fn called(
        &self,
        caller: &Rc<ModuleInstance<'a>>,
        index: usize,
    ) -> Option<ModuleInstances<'a>> {
        let known = self.children.borrow().get(&(caller.id, index)).cloned();
        if known.is_some() {
            return known;
        }
        let call_site = *self.call_sites.get(caller.call_site)?.children.get(&index)?;
        let module = self.call_sites.get(call_site)?.module;
        let item = caller.module.items.get(index)?;
        let expansion = self.expansion(caller, index);
        if self.instances.get() as usize > Limit::ModuleInstances.most() {
            self.files.account().reach(Limit::ModuleInstances, item.block.header);
            return None;
        }
        let instances = expansion.instances.iter().map(|(repetition, key)| {
            let address = format!("{}module.{}{key}", caller.prefix, item.name);
            Rc::new(ModuleInstance {
                id: self.next_instance(),
                module,
                call_site,
                caller: Some(Caller {
                    instance: Rc::clone(caller),
                    index,
                    repetition: repetition.clone(),
                }),
                scope: Arc::from(format!("{}|{address}", self.folder)),
                prefix: format!("{address}."),
                disabled: caller.disabled || expansion.disabled,
                premise: Premise::new(),
            })
        });
        let instances: ModuleInstances<'a> = instances.collect();
        self.children.borrow_mut().insert((caller.id, index), Rc::clone(&instances));
        Some(instances)
    }

    /// The instances of an item.
    pub(super) fn expansion(
        &self,
        instance: &Rc<ModuleInstance<'a>>,
        index: usize,
    ) -> Rc<Expansion> {
        let key = (instance.id, index);
        if let Some(known) = self.expansions.borrow().get(&key) {
            return Rc::clone(known);
        }
        let once = || Expansion {
            instances: vec![(Repetition::Once, String::new())],
            open: false,
            disabled: false,
            absent: false,
            open_switch: false,
        };
        let expansion = match instance.module.items.get(index) {
            None => once(),
            Some(item) => {
                let body = &item.block.body;
                if let Some(count) = body.attribute("count") {
                    self.by_count(instance, index, &count.value)
                } else if let Some(each) = body.attribute("for_each") {
                    self.by_each(instance, index, item, &each.value)
                } else {
                    once()
                }
            }
        };
        let expansion = Rc::new(expansion);
        self.expansions.borrow_mut().insert(key, Rc::clone(&expansion));
        expansion
    }

    fn by_count(
        &self,
        instance: &Rc<ModuleInstance<'a>>,
        index: usize,
        written: &Expr,
    ) -> Expansion {
        let value = self.repetition(instance, index, written);
        let count = operator::number(&value).ok().flatten();
        let at = |position: usize| {
            #[allow(clippy::cast_precision_loss, reason = "positions are small")]
            let number = Value::new(Kind::Number(position as f64), written.span);
            (Repetition::Count(bound(written.span, [("index", number)])), format!("[{position}]"))
        };
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "negative and huge counts become 0 and the greatest number"
        )]
        let count = count.map(|it| it as usize);
        match count {
            Some(0) => {
                let disabled = !self.involves_variable(instance, written);
                let instances = vec![at(0)];
                Expansion { instances, open: true, disabled, absent: !disabled, open_switch: false }
            }
            Some(count) if count <= MOST_REPETITIONS => Expansion {
                instances: (0..count).map(at).collect(),
                open: false,
                disabled: false,
                absent: false,
                open_switch: false,
            },
            _ if is_switch(written) => {
                let instances = vec![at(0)];
                Expansion {
                    instances,
                    open: true,
                    disabled: false,
                    absent: false,
                    open_switch: true,
                }
            }
            _ => {
                let rest = Symbol::new(format!("{}|{index}", instance.scope), "count");
                let count = open_map(written.span, Vec::new(), rest);
                let instances = vec![(Repetition::Count(count), String::new())];
                let (disabled, absent, open_switch) = (false, false, false);
                Expansion { instances, open: true, disabled, absent, open_switch }
            }
        }
    }

    fn by_each(
        &self,
        instance: &Rc<ModuleInstance<'a>>,
        index: usize,
        item: &BlockItem,
        written: &Expr,
    ) -> Expansion {
        let value = self.repetition(instance, index, written);
        let mut instances = Vec::new();
        let mut open = true;
        if let Some(known) = known_items(&value) {
            open = known.open;
            for (key, value) in known.items {
                let text = key.as_str().unwrap_or_default().replace('"', "\\\"");
                let each = bound(written.span, [("key", key), ("value", value)]);
                instances.push((Repetition::Each(each), format!("[\"{text}\"]")));
            }
        }
        let none = !open && instances.is_empty();
        let disabled = none && !self.involves_variable(instance, written);
        if open || instances.is_empty() {
            let scope = format!("{}|{}", instance.scope, item.address());
            let each = open_map(written.span, Vec::new(), Symbol::new(scope, "each"));
            instances.push((Repetition::Each(each), String::new()));
            open = true;
        }
        let absent = none && !disabled;
        Expansion { instances, open, disabled, absent, open_switch: false }
    }
}

/// The pairs a `for_each` walks over.
pub(super) struct Pairs {
    /// Keys and values; of a set the two are the same.
    pub items: Vec<(Value, Value)>,
    /// Whether there may be others.
    pub open: bool,
}

/// The pairs of a `for_each` as far as they are known, in Terraform's order.
fn known_items(value: &Value) -> Option<Pairs> {
    let pairs = match &value.kind {
        Kind::Map(map) => {
            let mut entries: Vec<&Entry> = map.entries.iter().collect();
            entries.sort_by(|a, b| a.key.cmp(&b.key));
            let key = |it: &Entry| Value::computed(Arc::clone(&it.key), it.key_span);
            let items = entries.into_iter().map(|it| (key(it), carry(&it.value, value))).collect();
            Pairs { items, open: map.rest.is_some() }
        }
        Kind::List(list) => {
            let known = list.items.iter().filter(|it| it.as_str().is_some());
            let items: Vec<_> = known.map(|it| (carry(it, value), carry(it, value))).collect();
            let open = list.rest.is_some() || items.len() < list.items.len();
            Pairs { items, open }
        }
        _ => return None,
    };
    (pairs.items.len() <= MOST_REPETITIONS).then_some(pairs)
}
