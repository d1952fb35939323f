//! The tags that Terraform puts on subnets and security groups.

use std::{
    collections::{BTreeSet, HashSet},
    sync::Arc,
};

use crate::{
    knowledge::tag::{Tagged, modules},
    model::{discovery::Role, scope::Scoped},
    resolve::{
        scope::Scope,
        terraform::{
            inputs::is_of_variable,
            module_source::ModuleSource,
            object::{BlockInstance, Mode},
            root::Root,
        },
    },
    source::Span,
    value::{Field, Kind, TextSource, Value},
};

/// How deep tags are looked for in the arguments of modules.
const DEEPEST: usize = 8;

/// A tag on subnets or security groups.
#[derive(Clone, Debug)]
pub struct Tag {
    /// On what; `None` when that is not known.
    pub role: Option<Role>,
    /// What is written; `None` when it may be any tag.
    pub written: Option<WrittenTag>,
    /// The header of the block that writes it; `None` for a provider's default tags.
    pub block: Option<Span>,
    scope: Scope,
}

/// A tag that is written.
#[derive(Clone, Debug)]
pub struct WrittenTag {
    /// Its key.
    pub key: Arc<str>,
    /// Its value.
    pub value: Value,
    /// Where its key is.
    pub span: Span,
    /// Whether no variable has a part in its value.
    pub is_fixed: bool,
}

impl Scoped for Tag {
    fn scope(&self) -> &Scope {
        &self.scope
    }
}

impl Tag {
    /// Whether it is in that root.
    #[must_use]
    pub fn placed_in(&self, root: Option<usize>) -> bool {
        self.scope.root == root
    }
}

/// The tags of a root that have one of these keys, or may have it.
#[must_use]
pub fn of_root(index: usize, root: &Root, keys: &BTreeSet<&str>) -> Vec<Tag> {
    let scope = Scope::new(Some(index), &root.folder);
    let mut tags = Tags { keys, scope, block: None, list: Vec::new() };
    for value in &root.default_tags {
        tags.map(None, Field::Present(value), false);
    }
    let is_known = |it: &&BlockInstance| it.mode == Mode::Module && known(it).is_some();
    let entered: HashSet<Span> = root.objects.iter().filter(is_known).map(|it| it.header).collect();
    for object in &root.objects {
        tags.block = Some(object.header);
        let first = tags.list.len();
        let seen = object.foreign.is_some_and(|it| entered.contains(&it));
        match object.mode {
            Mode::Module => tags.module(object),
            Mode::Resource if !seen => tags.resource(object),
            Mode::Data if !seen => tags.data(object),
            _ => {}
        }
        if makes_nothing(object) {
            // What is used in its place has tags that are not seen.
            tags.list.iter_mut().skip(first).for_each(|it| it.written = None);
        }
    }
    if root.incomplete {
        tags.block = None;
        tags.any(None);
    }
    tags.list
}

/// What is known of a module call.
fn known(module: &BlockInstance) -> Option<&'static Tagged> {
    let source = ModuleSource::of(module);
    modules().iter().find(|it| source.leads_to(&it.registry, &it.repository, ""))
}

/// Whether a block, as far as is known, makes nothing that could have a tag.
fn makes_nothing(object: &BlockInstance) -> bool {
    let is_off = |it: &String| match object.body.get(it) {
        Field::Missing => false,
        Field::Present(value) => value.as_flag() != Some(true),
        Field::Unknown => true,
    };
    let module = Some(object).filter(|it| it.mode == Mode::Module).and_then(known);
    object.is_off || module.is_some_and(|it| it.switches.iter().any(is_off))
}

struct Tags<'k> {
    keys: &'k BTreeSet<&'k str>,
    scope: Scope,
    /// The block that is read.
    block: Option<Span>,
    list: Vec<Tag>,
}

impl Tags<'_> {
    fn resource(&mut self, object: &BlockInstance) {
        let body = &object.body;
        let role = match &*object.kind {
            "aws_subnet" | "aws_default_subnet" => Role::Subnets,
            "aws_security_group" | "aws_default_security_group" => Role::SecurityGroups,
            "aws_ec2_tag" => return self.single(body),
            "aws_cloudformation_stack" => return self.any(None),
            _ => return,
        };
        self.map(Some(role), body.get("tags"), false);
    }

    /// What is looked up by tags exists, too.
    fn data(&mut self, object: &BlockInstance) {
        let role = match &*object.kind {
            "aws_subnet" | "aws_subnets" | "aws_subnet_ids" => Role::Subnets,
            "aws_security_group" | "aws_security_groups" => Role::SecurityGroups,
            _ => return,
        };
        self.map(Some(role), object.body.get("tags"), false);
        let filters = object.body.get("filter").present().map_or(&[][..], Value::items);
        let by_tag = |it: &Value| {
            let name = it.get("name").present().and_then(Value::as_str);
            name.and_then(|it| it.strip_prefix("tag:")).is_some_and(|it| self.keys.contains(it))
        };
        if filters.iter().any(by_tag) {
            self.any(Some(role));
        }
    }

    /// A resource that is one tag.
    fn single(&mut self, body: &Value) {
        let role = match body.get("resource_id").present().map(|it| &it.kind) {
            Some(Kind::Unknown(symbol)) if symbol.text.contains("subnet") => Some(Role::Subnets),
            Some(Kind::Unknown(symbol)) if symbol.text.contains("security_group") => {
                Some(Role::SecurityGroups)
            }
            _ => None,
        };
        let (Field::Present(key), Field::Present(value)) = (body.get("key"), body.get("value"))
        else {
            return self.any(role);
        };
        match key.as_str() {
            Some(name) => self.tag(role, name, key.span, value, false),
            None => self.any(role),
        }
    }

    fn module(&mut self, object: &BlockInstance) {
        if let Some(known) = known(object) {
            let input = |name: &str| {
                (object.body.get(name), !object.variable_arguments.iter().any(|it| **it == *name))
            };
            for (role, inputs) in
                [(Role::Subnets, &known.subnets), (Role::SecurityGroups, &known.security_groups)]
            {
                for (tags, is_fixed) in inputs.iter().map(|it| input(it)) {
                    self.map(Some(role), tags, is_fixed);
                }
            }
            for (zones, is_fixed) in known.subnets_by_zone.iter().map(|it| input(it)) {
                match zones {
                    Field::Missing => {}
                    Field::Present(Value { kind: Kind::Map(zones), .. }) => {
                        for zone in &zones.entries {
                            self.map(Some(Role::Subnets), Field::Present(&zone.value), is_fixed);
                        }
                    }
                    _ => self.any(Some(Role::Subnets)),
                }
            }
        } else if object.entered {
            // What is inside is seen one by one.
        } else if ModuleSource::of(object).may_tag() {
            self.any(None);
        } else {
            self.nested(&object.body, 0);
        }
    }

    /// Tags anywhere in the arguments of a module that is known for something else.
    fn nested(&mut self, value: &Value, depth: usize) {
        match &value.kind {
            _ if depth > DEEPEST => {}
            Kind::List(list) => list.items.iter().for_each(|it| self.nested(it, depth + 1)),
            Kind::Map(map) => {
                for entry in &map.entries {
                    if self.keys.contains(&*entry.key) {
                        self.tag(None, &entry.key, entry.key_span, &entry.value, false);
                    }
                    self.nested(&entry.value, depth + 1);
                }
            }
            _ => {}
        }
    }

    fn map(&mut self, role: Option<Role>, tags: Field<'_>, is_fixed: bool) {
        let tags = match tags {
            Field::Missing => return,
            Field::Present(value) => value,
            Field::Unknown => return self.any(role),
        };
        let Kind::Map(map) = &tags.kind else { return self.any(role) };
        if map.rest.is_some() {
            self.any(role);
        }
        for entry in &map.entries {
            self.tag(role, &entry.key, entry.key_span, &entry.value, is_fixed);
        }
    }

    fn tag(&mut self, role: Option<Role>, key: &str, span: Span, value: &Value, is_fixed: bool) {
        if self.keys.contains(key) && !value.is_null() {
            let is_fixed = is_fixed || is_literal(value);
            let written = WrittenTag { key: key.into(), value: value.clone(), span, is_fixed };
            let (block, scope) = (self.block, self.scope.clone());
            self.list.push(Tag { role, written: Some(written), block, scope });
        }
    }

    /// Tags that are not known.
    fn any(&mut self, role: Option<Role>) {
        let (block, scope) = (self.block, self.scope.clone());
        self.list.push(Tag { role, written: None, block, scope });
    }
}

/// Whether a value is a literal that came through no variable.
#[must_use]
pub fn is_literal(value: &Value) -> bool {
    let Kind::String(text) = &value.kind else { return false };
    matches!(text.layout, TextSource::Verbatim(_)) && !is_of_variable(value)
}
