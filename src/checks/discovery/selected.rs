//! The security groups that classes select by tags which everything of an EKS module has.

use std::sync::Arc;

use crate::{
    model::{
        discovery::{DISCOVERY, Role},
        node_pool::class::NodeClass,
    },
    resolve::terraform::root::Root,
    source::Span,
    value::{Entry, Field, Kind, Value},
};

/// How deep selectors are looked for in values.
const DEEPEST: usize = 12;

/// Whether a class may select security groups by tags that are not seen.
pub(super) fn is_selector_open(class: &NodeClass) -> bool {
    let is_tag_open = |it: &Value| match it.get("tags") {
        Field::Missing => false,
        Field::Present(tags) => tags.as_map().is_none_or(|it| it.rest.is_some()),
        Field::Unknown => true,
    };
    match class.object.at(Role::SecurityGroups.path()) {
        Field::Missing => false,
        Field::Present(list) => {
            list.as_list().is_none_or(|it| it.rest.is_some() || it.items.iter().any(is_tag_open))
        }
        Field::Unknown => true,
    }
}

/// The first class that selects security groups so, and where.
pub(super) fn selecting(classes: &[&NodeClass], tags: &[&Entry]) -> Option<(Arc<str>, Span)> {
    classes.iter().find_map(|it| Some((Arc::clone(&it.title), selects(it, tags)?)))
}

/// Where a class selects security groups by nothing but the discovery tag, and such tags as all of them have: what is
/// written there, wherever its value comes from.
fn selects(class: &NodeClass, tags: &[&Entry]) -> Option<Span> {
    let mut terms = class.terms(Role::SecurityGroups)?.iter();
    let value = terms.find_map(|it| discovery_alone(it, tags))?;
    Some(value.origin.as_ref().map_or(value.span, |it| it.span))
}

/// The value of the discovery tag, if a term asks for nothing else but such tags as all groups have: the term is met
/// where every one of its tags is.
fn discovery_alone<'v>(term: &'v Value, tags: &[&Entry]) -> Option<&'v Value> {
    let asked = term.get("tags").present()?.as_map().filter(|it| it.rest.is_none())?;
    let term = term.as_map().filter(|it| it.rest.is_none())?;
    let is_of_all = |it: &Entry| {
        let same = |tag: &&Entry| tag.key == it.key && tag.value.same_as(&it.value) == Some(true);
        is_discovery(&it.key) || tags.iter().any(same)
    };
    let alone = term.entries.iter().all(|it| &*it.key == "tags");
    let met = alone && asked.entries.iter().all(is_of_all);
    asked.entries.iter().find(|it| met && is_discovery(&it.key)).map(|it| &it.value)
}

/// Whether values that a root gives to a chart or a module select security groups, and none of them by nothing but the
/// discovery tag and tags of all groups.
pub(super) fn chooses_otherwise(root: &Root, tags: &[&Entry]) -> bool {
    let mut lists = Vec::new();
    root.objects.iter().for_each(|it| selectors(&it.body, 0, &mut lists));
    let mut terms = lists.iter().flat_map(|it| it.items());
    !lists.is_empty() && !terms.any(|it| discovery_alone(it, tags).is_some())
}

/// The lists of terms anywhere in a value.
fn selectors<'v>(value: &'v Value, depth: usize, found: &mut Vec<&'v Value>) {
    match &value.kind {
        _ if depth > DEEPEST => {}
        Kind::String(text) => {
            text.encodes.iter().for_each(|it| selectors(it, depth + 1, found));
        }
        Kind::List(list) => list.items.iter().for_each(|it| selectors(it, depth + 1, found)),
        Kind::Map(map) => {
            for entry in &map.entries {
                if &*entry.key == "securityGroupSelectorTerms" {
                    found.push(&entry.value);
                }
                selectors(&entry.value, depth + 1, found);
            }
        }
        _ => {}
    }
}

/// Whether a tag is the one by which Karpenter finds what is its cluster's.
pub(super) fn is_discovery(key: &str) -> bool {
    key.strip_prefix(DISCOVERY).is_some_and(|it| it.is_empty() || it.starts_with('/'))
}
