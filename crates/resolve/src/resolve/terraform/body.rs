//! Bodies to mappings: attributes, nested blocks, `dynamic` blocks; and the objects of a root.

use std::{collections::BTreeSet, rc::Rc, sync::Arc};

use crate::hash::HashSet;

use crate::{
    resolve::{
        scope::ClusterTarget,
        terraform::{
            evaluate::Evaluator,
            instance::{ModuleInstance, Repetition},
            module::{BlockItem, depends_on},
            object::{BlockInstance, DependsOn, Mode},
            options::TerraformOptions,
            provider::ProviderClusters,
            scope::{LexicalScope, in_repetition},
            switch::{switch_of, variables},
        },
    },
    source::Span,
    syntax::hcl::{Attribute, Block, Body},
    value::{Entry, Kind, List, Map, Symbol, Value},
};

/// Which fields of a block are evaluated.
#[derive(Clone, Copy)]
pub(super) enum WantedFields<'w> {
    /// All that are written.
    All,
    /// This one; the others are left out.
    Only(&'w str),
    /// These; the others are unknown.
    Known(&'w [&'w str]),
}

/// What is read of the call of a module of this repository.
const OF_SEEN_CALL: &[&str] = &["source", "version", "count", "for_each"];

/// The blocks of a root module.
#[derive(Default)]
pub(super) struct Blocks {
    /// Those that are there.
    pub(super) objects: Vec<BlockInstance>,
    /// Those that `count = 0` or an empty `for_each` switches off without any variable, in one instance at least.
    pub(super) switched_off: BTreeSet<Span>,
}

impl<'a> Evaluator<'a> {
    /// The objects of a module instance and of those it calls, each with the values with which it is there. What
    /// `count = 0` or an empty `for_each` switches off without any variable is none.
    pub(super) fn objects(
        &self,
        instance: &Rc<ModuleInstance<'a>>,
        (options, clusters): (&TerraformOptions, &ProviderClusters),
        around: &BTreeSet<Arc<str>>,
        out: &mut Blocks,
    ) {
        for (index, item) in instance.module.items.iter().enumerate() {
            if instance.disabled || self.is_disabled(instance, index) {
                out.switched_off.insert(item.block.span);
                continue;
            }
            let wanted = item.mode == Mode::Module || options.wants(&item.kind);
            if !wanted {
                let cluster = clusters.of_item(instance, item);
                out.objects.push(self.unwanted(instance, (index, item), cluster));
                continue;
            }
            let known = self.expansion(instance, index);
            let absent_by = self.absent_by(instance, index, around);
            let present = self.where_present(instance, index);
            // An empty collection that a caller is to fill is no switch.
            let is_switch = item.block.body.attribute("count").is_some() || present.is_some();
            let is_off = known.absent && is_switch;
            let instance = present.as_ref().unwrap_or(instance);
            let expansion = self.expansion(instance, index);
            let cluster = clusters.of_item(instance, item);
            let fields = self.wanted_fields(instance, index, options);
            let growing = self.growing(instance, (index, item));
            for (position, (repetition, key)) in expansion.instances.iter().enumerate() {
                let body = self.whole_body(instance, index, (position, repetition, key), fields);
                let described = self.described(instance, (index, item), key, body);
                let (absent_by, growing) = (absent_by.clone(), growing.clone());
                let own = BlockInstance { cluster, is_off, growing, absent_by, ..described };
                out.objects.push(own);
            }
            if let Some(children) = self.called(instance, index) {
                for child in children.iter() {
                    self.objects(child, (options, clusters), &absent_by, out);
                }
            }
        }
    }

    /// An item of a kind that nobody asks about: there once, whatever its `count` is.
    fn unwanted(
        &self,
        instance: &Rc<ModuleInstance<'a>>,
        (index, item): (usize, &BlockItem),
        cluster: ClusterTarget,
    ) -> BlockInstance {
        let symbol = Symbol::new(Arc::clone(&instance.scope), item.address());
        let body = Value::unknown(symbol, item.block.header);
        let described = self.described(instance, (index, item), "", body);
        BlockInstance { cluster, ..described }
    }

    /// The fields of an item that somebody asks for.
    fn wanted_fields<'w>(
        &self,
        instance: &ModuleInstance<'a>,
        index: usize,
        options: &'w TerraformOptions,
    ) -> WantedFields<'w> {
        let item = instance.module.items.get(index);
        let fields = match item.map(|it| it.mode) {
            Some(Mode::Module) if self.is_seen_through(instance, index) => Some(&OF_SEEN_CALL),
            Some(Mode::Resource) => item.and_then(|it| options.fields.get(&*it.kind)),
            _ => None,
        };
        fields.map_or(WantedFields::All, |it| WantedFields::Known(it))
    }

    /// Whether an item calls a module of this repository: what that makes of the arguments is seen there.
    fn is_seen_through(&self, instance: &ModuleInstance<'a>, index: usize) -> bool {
        let site = self.call_sites.get(instance.call_site);
        let is_entered = site.is_some_and(|it| it.children.contains_key(&index));
        let source = instance.module.items.get(index).and_then(BlockItem::source);
        is_entered && source.is_some_and(|it| it.starts_with('.'))
    }

    fn described(
        &self,
        instance: &Rc<ModuleInstance<'a>>,
        (index, item): (usize, &BlockItem),
        key: &str,
        body: Value,
    ) -> BlockInstance {
        let site = self.call_sites.get(instance.call_site);
        let written = depends_on(&item.block);
        let is_release = item.mode == Mode::Resource && &*item.kind == "helm_release";
        let is_call = item.mode == Mode::Module && !self.is_seen_through(instance, index);
        let arguments = item.block.body.attributes.iter().filter(|_| is_call || is_release);
        let variable = arguments.filter(|it| self.involves_variable(instance, &it.value));
        let variable = variable.map(|it| Arc::clone(&it.name));
        let blocks = item.block.body.blocks.iter().filter(|_| is_release);
        let blocks = blocks.filter(|it| self.may_have_others(instance, it));
        let may_install = item.mode == Mode::Module || &*item.kind == "helm_release";
        let skip = item.block.body.attribute("skip_crds").filter(|_| may_install);
        BlockInstance {
            node: site.map(|it| it.node(index)).unwrap_or_default(),
            mode: item.mode,
            kind: Arc::clone(&item.kind),
            name: Arc::clone(&item.name),
            address: Arc::from([&*instance.prefix, &item.address(), key].concat()),
            folder: Arc::clone(&instance.module.folder),
            header: item.block.header,
            span: item.block.span,
            body,
            cluster: ClusterTarget::Only,
            entered: site.is_some_and(|it| it.children.contains_key(&index)),
            foreign: instance.foreign(),
            variable_arguments: variable.chain(blocks.map(|it| Arc::clone(&it.kind))).collect(),
            is_off: false,
            absent_by: BTreeSet::new(),
            growing: Vec::new(),
            switch: item.block.body.attribute("count").filter(|_| is_release).and_then(switch_of),
            skip_variables: skip.map(|it| variables(instance, &it.value)).unwrap_or_default(),
            depends_on: written.map(|(attribute, list, elements)| DependsOn {
                attribute,
                list,
                elements: elements.iter().map(|it| it.span).collect(),
            }),
        }
    }

    /// Whether a variable decides which blocks there are of a kind, or which value each sets.
    fn may_have_others(&self, instance: &Rc<ModuleInstance<'a>>, block: &Block) -> bool {
        let content = block.body.blocks.iter().filter(|it| &*it.kind == "content");
        let names = content.chain([block]).filter_map(|it| it.body.attribute("name"));
        let mut deciding = block.body.attribute("for_each").into_iter().chain(names);
        deciding.any(|it| self.involves_variable(instance, &it.value))
    }

    /// What of an item may have more than is known: its instances, or the arguments of a call.
    fn growing(
        &self,
        instance: &Rc<ModuleInstance<'a>>,
        (index, item): (usize, &BlockItem),
    ) -> Vec<Arc<str>> {
        let is_call = item.mode == Mode::Module && !self.is_seen_through(instance, index);
        let is_asked = |it: &&Attribute| is_call || matches!(&*it.name, "count" | "for_each");
        let asked = item.block.body.attributes.iter().filter(is_asked);
        let growing = asked.filter(|it| self.may_gain(instance, &it.value));
        growing.map(|it| Arc::clone(&it.name)).collect()
    }

    /// The variables that switch an item off with the values known, or a call `around` it.
    fn absent_by(
        &self,
        instance: &Rc<ModuleInstance<'a>>,
        index: usize,
        around: &BTreeSet<Arc<str>>,
    ) -> BTreeSet<Arc<str>> {
        let body = instance.module.items.get(index).map(|it| &it.block.body);
        let switch = body.and_then(|it| it.attribute("count").or(it.attribute("for_each")));
        let switch = switch.filter(|_| self.expansion(instance, index).absent);
        let own = switch.map(|it| variables(instance, &it.value)).unwrap_or_default();
        around.iter().cloned().chain(own).collect()
    }

    /// The tags that the providers of a module instance put on everything they make.
    pub(super) fn default_tags(&self, instance: &Rc<ModuleInstance<'a>>) -> Vec<Value> {
        let written =
            instance.module.default_tags.iter().filter_map(|it| it.body.attribute("tags"));
        written
            .map(|it| self.value(LexicalScope::top(instance), &it.value).named(it.name_span))
            .collect()
    }

    /// The region of the one AWS provider that a module instance configures; `None` where there are others.
    pub(super) fn region(&self, instance: &Rc<ModuleInstance<'a>>) -> Option<Value> {
        let is_of_aws = |it: &&Block| it.label(0) == Some("aws");
        let mut all = instance.module.provider_blocks().filter(is_of_aws);
        let only = all.next().filter(|_| all.next().is_none())?;
        let region = only.body.attribute("region")?;
        Some(self.value(LexicalScope::top(instance), &region.value).named(region.name_span))
    }

    /// Everything written in one instance of an item.
    fn whole_body(
        &self,
        instance: &Rc<ModuleInstance<'a>>,
        index: usize,
        repetition: (usize, &Repetition, &str),
        fields: WantedFields<'_>,
    ) -> Value {
        let value = self.attributes(instance, index, repetition, fields);
        // What is written is all there is; only references see computed attributes beside it.
        match value.kind {
            Kind::Map(map) => {
                let map = Map { entries: map.entries.clone(), rest: None };
                Value { kind: Kind::Map(Arc::new(map)), ..value }
            }
            _ => value,
        }
    }

    /// What is configured in one instance of an item, with `rest` for what the provider computes.
    pub(super) fn attributes(
        &self,
        instance: &Rc<ModuleInstance<'a>>,
        index: usize,
        (position, repetition, key): (usize, &Repetition, &str),
        wanted: WantedFields<'_>,
    ) -> Value {
        let Some(item) = instance.module.items.get(index) else {
            let symbol = Symbol::new(Arc::clone(&instance.scope), "item");
            return Value::unknown(symbol, Span::new(crate::source::FileId(0), 0, 0));
        };
        let address = Symbol::new(Arc::clone(&instance.scope), item.address() + key);
        let body = &item.block.body;
        let names = match wanted {
            WantedFields::Only(name) => field_name(body, name).into_iter().collect(),
            _ => field_names(body),
        };
        let mut entries = Vec::with_capacity(names.len());
        for (name, key_span) in names {
            let evaluate = || {
                self.part(instance, index, position, name, || {
                    in_repetition(instance, repetition, |scope| {
                        self.with_self(scope, (body, name, key_span), |scope| {
                            self.field(scope, body, name, key_span)
                        })
                    })
                })
            };
            let is_left = matches!(wanted, WantedFields::Known(it) if !it.contains(&name));
            // Nobody reads what is left out: no name of its own tells it from others.
            let value = if is_left {
                Value::unknown(address.clone(), key_span)
            } else {
                evaluate().unwrap_or_else(|| {
                    let text = format!("{}.{name}", address.text);
                    Value::unknown(Symbol::new(Arc::clone(&address.scope), text), key_span)
                })
            };
            entries.push(Entry { key: Arc::from(name), key_span, value });
        }
        let map = Map { entries, rest: Some(address) };
        Value::new(Kind::Map(Arc::new(map)), item.block.span).named(item.block.header)
    }

    /// A body as a mapping.
    pub(super) fn body(&self, scope: LexicalScope<'_, 'a>, block: &Block, header: Span) -> Value {
        let entries = field_names(&block.body).into_iter().map(|(name, key_span)| Entry {
            key: Arc::from(name),
            key_span,
            value: self.field(scope, &block.body, name, key_span),
        });
        Value::map(entries.collect(), block.span).named(header)
    }

    /// The attribute or the nested blocks of that name.
    fn field(&self, scope: LexicalScope<'_, 'a>, body: &Body, name: &str, key_span: Span) -> Value {
        if let Some(attribute) = body.attribute(name) {
            let value = self.value(scope, &attribute.value);
            return if value.origin.is_none() { value.named(key_span) } else { value };
        }
        let mut list = List::default();
        for block in &body.blocks {
            if &*block.kind == name {
                let nested = self.deeper(|| self.body(scope, block, block.header));
                list.items.extend(nested);
            } else if is_dynamic(block, name) {
                self.dynamic(scope, block, &mut list);
            }
        }
        Value::new(Kind::List(Arc::new(list)), key_span)
    }
}

/// Where a body has more fields than this, those that are seen are looked up by their hashes.
const MANY: usize = 24;

/// The same name as one of [`field_names`], if it is there.
fn field_name<'b>(body: &'b Body, name: &str) -> Option<(&'b str, Span)> {
    if name == "depends_on" {
        return None;
    }
    let attribute = body.attribute(name).map(|it| (&*it.name, it.name_span));
    attribute.or_else(|| {
        body.blocks.iter().find_map(|it| match &*it.kind {
            "dynamic" => it.label(0).filter(|it| *it == name).map(|label| (label, it.header)),
            kind => (kind == name).then_some((kind, it.header)),
        })
    })
}

/// The names of a body's attributes and nested block types, each with the place it is first written.
fn field_names(body: &Body) -> Vec<(&str, Span)> {
    let attributes = body.attributes.iter().map(|it| (&*it.name, it.name_span));
    let blocks = body.blocks.iter().filter_map(|it| match &*it.kind {
        "dynamic" => Some((it.label(0)?, it.header)),
        kind => Some((kind, it.header)),
    });
    let names = attributes.chain(blocks).filter(|(name, _)| *name != "depends_on");
    let count = body.attributes.len() + body.blocks.len();
    if count > MANY {
        let mut seen = HashSet::default();
        return names.filter(|(name, _)| seen.insert(*name)).collect();
    }
    let mut found: Vec<(&str, Span)> = Vec::with_capacity(count);
    for (name, place) in names {
        if found.iter().all(|(other, _)| *other != name) {
            found.push((name, place));
        }
    }
    found
}

fn is_dynamic(block: &Block, name: &str) -> bool {
    &*block.kind == "dynamic" && block.label(0) == Some(name)
}
