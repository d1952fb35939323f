//! A tag for one security group that several get.

use std::collections::HashSet;

use crate::{
    findings::Note,
    knowledge::tag::{Group, groups},
    model::{
        Model,
        discovery::{DISCOVERY, Role, only_tag},
        node_pool::class::NodeClass,
        place::{Neighbours, Place},
        setting::steps,
        surface::Source,
    },
    resolve::terraform::{Mode, Object},
    source::Span,
    value::{Entry, Field, Value},
    version::constraint::Constraint,
};

/// The discovery tag among the tags of everything the EKS module makes.
#[derive(Debug)]
pub struct SharedTag<'a> {
    /// Where its key is written.
    pub span: Span,
    /// The module call: header and name.
    pub module: (Span, String),
    /// The security groups that get it.
    pub groups: Vec<&'static str>,
    /// A class that selects security groups by it, and where.
    pub selected: Option<(&'a NodeClass, Span)>,
    /// The steps by which it comes to the module.
    pub steps: Vec<Note>,
}

impl Model {
    /// The discovery tags that several security groups of a cluster get.
    #[must_use]
    pub fn shared_discovery_tags(&self) -> Vec<SharedTag<'_>> {
        let classes = Neighbours::new(&self.node_classes, |_| true, <[usize]>::to_vec);
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        for (index, root) in self.terraform.roots.iter().enumerate() {
            let place = Place::new(Some(index), &root.folder);
            let near = classes.near(&place).map_or(&[][..], Vec::as_slice);
            let near: Vec<&NodeClass> = near.iter().map(|it| &self.node_classes[*it]).collect();
            let selected = near.iter().find_map(|it| Some((*it, selects(it)?)));
            if !near.is_empty() && selected.is_none() {
                continue;
            }
            let modules = root.of(Mode::Module, "module").filter(|it| !it.disabled);
            for module in modules.filter(|it| Source::of(it).is(Source::EKS)) {
                let shared = shared(module).filter(|it| seen.insert(it.span));
                found.extend(shared.map(|it| SharedTag { selected, ..it }));
            }
        }
        found
    }
}

/// Where a class selects security groups by nothing but the discovery tag.
fn selects(class: &NodeClass) -> Option<Span> {
    let tags = class.terms(Role::SecurityGroups)?.iter().filter_map(only_tag);
    tags.filter(|(key, _)| is_discovery(key)).map(|(_, value)| value.span).next()
}

fn is_discovery(key: &str) -> bool {
    key.strip_prefix(DISCOVERY).is_some_and(|it| it.is_empty() || it.starts_with('/'))
}

fn shared<'a>(module: &Object) -> Option<SharedTag<'a>> {
    let body = &module.body;
    let tags = body.get("tags").present()?;
    let tag = tags.entries().iter().find(|it| is_discovery(&it.key) && !it.value.is_null())?;
    let made = |it: &&Group| is_on(body, &["create".to_owned()]) && is_tagged(body, it, &tag.key);
    let known: Vec<&Group> = groups().iter().filter(made).collect();
    let told_apart = own_tags(body, groups())
        .any(|it| it.key.starts_with("kubernetes.io/cluster/") && it.value.is_null());
    (known.len() > 1 && !told_apart).then(|| SharedTag {
        span: tag.key_span,
        module: (module.header, module.address.to_string()),
        groups: known.into_iter().map(|it| it.title.as_str()).collect(),
        selected: None,
        steps: steps(tags),
    })
}

/// Whether a group is certainly made and keeps the tag.
fn is_tagged(body: &Value, group: &Group, key: &str) -> bool {
    let version = body.get("version").present().and_then(Value::as_str);
    let version = version.and_then(Constraint::parse);
    let exists = version.is_none_or(|it| it.within(&group.range) != Some(false));
    let own = || group.own.iter().map(|it| body.get(it));
    let seen = own().all(|it| match it {
        Field::Missing => true,
        Field::Present(tags) => tags.as_map().is_some_and(|it| it.rest.is_none()),
        Field::Unknown => false,
    });
    let mut tags = own().filter_map(Field::present).flat_map(Value::entries);
    let taken = tags.any(|it| *it.key == *key && it.value.is_null());
    exists && seen && !taken && is_on(body, &group.switches)
}

fn own_tags<'v>(body: &'v Value, groups: &'v [Group]) -> impl Iterator<Item = &'v Entry> {
    let inputs = groups.iter().flat_map(|it| &it.own);
    inputs.filter_map(|it| body.get(it).present()).flat_map(Value::entries)
}

/// Whether none of the switches is, or may be, off.
fn is_on(body: &Value, switches: &[String]) -> bool {
    switches.iter().all(|it| match body.get(it) {
        Field::Missing => true,
        Field::Present(value) => value.as_bool() == Some(true),
        Field::Unknown => false,
    })
}
