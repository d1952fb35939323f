//! The module instances of a root, and the instances of the blocks in them.

use std::{rc::Rc, sync::Arc};

use crate::{
    project::kind::is_downloaded,
    resolve::terraform::{
        evaluate::{Evaluator, Frame, Instances, Scope},
        module::{Item, Module},
        operator,
        switch::{involves_variable, is_switch},
        traversal::carry,
    },
    source::Span,
    syntax::hcl::{Attribute, Expr},
    value::{Entry, Kind, Map, Symbol, Value},
};

/// A block with more instances than this is treated as one whose instances are unknown.
const MOST_REPETITIONS: usize = 512;
/// When a root has this many module instances, further calls are not followed.
const MOST_INSTANCES: u32 = 5_000;

/// A module, called.
pub struct Instance<'a> {
    /// Tells instances of one root apart.
    pub id: u32,
    /// What is called.
    pub module: &'a Module,
    /// Its place in the tree of calls.
    pub place: usize,
    /// Who calls; `None` for the root.
    pub caller: Option<Caller<'a>>,
    /// The scope of its symbols.
    pub scope: Arc<str>,
    /// What addresses inside begin with: `module.addons["a"].`.
    pub prefix: String,
    /// Whether it, or a module around it, is switched off for good.
    pub disabled: bool,
}

/// The call of a module instance.
pub struct Caller<'a> {
    /// The instance that holds the call.
    pub instance: Rc<Instance<'a>>,
    /// The call's position among the items of its module.
    pub index: usize,
    /// Which of the call's instances.
    pub repetition: Repetition,
}

impl<'a> Caller<'a> {
    /// The `module` block.
    pub fn item(&self) -> Option<&'a Item> {
        self.instance.module.items.get(self.index)
    }
}

/// What `count` or `for_each` binds in one instance of a block.
#[derive(Clone)]
pub enum Repetition {
    /// Neither is written.
    Once,
    /// `count`.
    Count(Value),
    /// `for_each`.
    Each(Value),
}

/// The instances of a block.
pub struct Expansion {
    /// Each with the key as it ends the address: `["a"]`, `[0]`.
    pub instances: Vec<(Repetition, String)>,
    /// Whether there may be others, or none.
    pub open: bool,
    /// Whether it is switched off for good.
    pub disabled: bool,
}

impl Instance<'_> {
    /// The header of the call, in the project's own files, that leads into a fetched module.
    pub fn foreign(&self) -> Option<Span> {
        let mut found = None;
        let mut instance = self;
        while is_downloaded(&format!("{}/", instance.module.folder)) {
            let caller = instance.caller.as_ref()?;
            found = caller.item().map(|it| it.block.header);
            instance = &caller.instance;
        }
        found
    }
}

impl<'a> Evaluator<'a> {
    /// The root's own instance.
    pub fn root_instance(&self) -> Option<Rc<Instance<'a>>> {
        let module = self.root()?;
        let scope = Arc::clone(&self.folder);
        let id = self.next_instance();
        let prefix = String::new();
        Some(Rc::new(Instance {
            id,
            module,
            place: 0,
            caller: None,
            scope,
            prefix,
            disabled: false,
        }))
    }

    /// Of the values that a plan has for the root's variables, those that are not the ones written.
    pub fn differing(&self, variables: &[(Attribute, Value)]) -> Vec<Attribute> {
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
    pub fn called(&self, caller: &Rc<Instance<'a>>, index: usize) -> Option<Instances<'a>> {
        let known = self.children.borrow().get(&(caller.id, index)).cloned();
        if known.is_some() {
            return known;
        }
        let place = *self.places.get(caller.place)?.children.get(&index)?;
        let module = self.places.get(place)?.module;
        let item = caller.module.items.get(index)?;
        let expansion = self.expansion(caller, index);
        if self.instances.get() > MOST_INSTANCES {
            return None;
        }
        let instances = expansion.instances.iter().map(|(repetition, key)| {
            let address = format!("{}module.{}{key}", caller.prefix, item.name);
            Rc::new(Instance {
                id: self.next_instance(),
                module,
                place,
                caller: Some(Caller {
                    instance: Rc::clone(caller),
                    index,
                    repetition: repetition.clone(),
                }),
                scope: Arc::from(format!("{}|{address}", self.folder)),
                prefix: format!("{address}."),
                disabled: caller.disabled || expansion.disabled,
            })
        });
        let instances: Instances<'a> = instances.collect();
        self.children.borrow_mut().insert((caller.id, index), Rc::clone(&instances));
        Some(instances)
    }

    /// The instances of an item.
    pub fn expansion(&self, instance: &Rc<Instance<'a>>, index: usize) -> Rc<Expansion> {
        let key = (instance.id, index);
        if let Some(known) = self.expansions.borrow().get(&key) {
            return Rc::clone(known);
        }
        let once = || Expansion {
            instances: vec![(Repetition::Once, String::new())],
            open: false,
            disabled: false,
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

    fn by_count(&self, instance: &Rc<Instance<'a>>, index: usize, written: &Expr) -> Expansion {
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
                let disabled = !involves_variable(instance, written);
                Expansion { instances: vec![at(0)], open: true, disabled }
            }
            Some(count) if count <= MOST_REPETITIONS => {
                Expansion { instances: (0..count).map(at).collect(), open: false, disabled: false }
            }
            _ if is_switch(written) => {
                Expansion { instances: vec![at(0)], open: true, disabled: false }
            }
            _ => {
                let rest = Symbol::new(format!("{}|{index}", instance.scope), "count");
                let count = open_map(written.span, Vec::new(), rest);
                let instances = vec![(Repetition::Count(count), String::new())];
                Expansion { instances, open: true, disabled: false }
            }
        }
    }

    fn by_each(
        &self,
        instance: &Rc<Instance<'a>>,
        index: usize,
        item: &Item,
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
        let disabled = !open && instances.is_empty() && !involves_variable(instance, written);
        if open || instances.is_empty() {
            let scope = format!("{}|{}", instance.scope, item.address());
            let each = open_map(written.span, Vec::new(), Symbol::new(scope, "each"));
            instances.push((Repetition::Each(each), String::new()));
            open = true;
        }
        Expansion { instances, open, disabled }
    }
}

/// Evaluates where `each` or `count` has the value of one repetition.
pub fn in_repetition<'a, T>(
    instance: &Rc<Instance<'a>>,
    repetition: &Repetition,
    work: impl FnOnce(Scope<'_, 'a>) -> T,
) -> T {
    let top = Scope::top(instance);
    let (name, value) = match repetition {
        Repetition::Once => return work(top),
        Repetition::Count(value) => ("count", value),
        Repetition::Each(value) => ("each", value),
    };
    let frame = Frame { name, value: value.clone(), outer: None };
    work(Scope { frame: Some(&frame), ..top })
}

/// The pairs a `for_each` walks over.
pub struct Pairs {
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

/// A mapping of the given names, as `each`, `count` and iterators are.
pub fn bound<const N: usize>(at: Span, entries: [(&str, Value); N]) -> Value {
    let entry = |(key, value): (&str, Value)| Entry { key: Arc::from(key), key_span: at, value };
    Value::map(entries.into_iter().map(entry).collect(), at)
}

/// A mapping that may have further entries.
pub fn open_map(at: Span, entries: Vec<Entry>, rest: Symbol) -> Value {
    Value::new(Kind::Map(Arc::new(Map { entries, rest: Some(rest) })), at)
}
