//! Names that follow the objects they name: after a prefix, a suffix or a hash, everything that
//! refers to an object uses its new name.

use std::sync::Arc;

use crate::{
    hash::{HashMap, HashSet},
    resolve::kustomize::{
        accumulated::Accumulated,
        config::NameReference,
        edit::{list_mut, map_mut, retext, set, text, text_at},
        field::{FieldSpec, Leaf},
        references,
        resource::{Id, Resource},
    },
    source::Span,
    value::{Kind, Text, Value, step::Rewrite},
};

/// An object as one that may be named.
struct NamedObject {
    now: Id,
    previous: Vec<Id>,
    prefixes: Vec<Arc<str>>,
    suffixes: Vec<Arc<str>>,
    namespace: Option<Arc<str>>,
    place: Span,
}

/// All objects, those by each name they had, and the namespaces they were written for.
struct Objects {
    named: Vec<NamedObject>,
    places: HashMap<Arc<str>, Vec<usize>>,
    spaces: HashSet<Arc<str>>,
}

/// Rewrites every reference to an object whose name has changed.
pub(super) fn follow(made: &mut Accumulated) {
    if made.resources.iter().all(|it| it.previous.is_empty()) {
        return;
    }
    let named: Vec<NamedObject> = made.resources.iter().map(as_named).collect();
    let mut places: HashMap<Arc<str>, Vec<usize>> = HashMap::default();
    for (at, it) in named.iter().enumerate() {
        for id in &it.previous {
            let known = places.entry(id.name.clone()).or_default();
            if known.last() != Some(&at) {
                known.push(at);
            }
        }
    }
    let spaces: HashSet<Arc<str>> = named
        .iter()
        .filter_map(|it| it.previous.first().unwrap_or(&it.now).namespace.clone())
        .collect();
    let objects = Objects { named, places, spaces };
    let mut all = references::defaults();
    all.append(&mut made.config.references.clone());
    for resource in &mut made.resources {
        let first = resource.original();
        for reference in &all {
            for spec in reference.referrers.iter().filter(|it| it.selects(&first)) {
                rewrite(resource, reference, spec, &objects);
            }
        }
    }
}

fn as_named(resource: &Resource) -> NamedObject {
    NamedObject {
        now: resource.id(),
        previous: resource.previous.clone(),
        prefixes: resource.prefixes.clone(),
        suffixes: resource.suffixes.clone(),
        namespace: resource.written_namespace(),
        place: resource
            .value
            .at("metadata.name")
            .present()
            .map_or(resource.value.span, |it| it.span),
    }
}

fn rewrite(
    resource: &mut Resource,
    reference: &NameReference,
    spec: &FieldSpec,
    objects: &Objects,
) {
    let role = role(resource, spec);
    let search = ReferentSearch { referrer: as_named(resource), reference, objects, role };
    let place = resource.value.span;
    spec.change(resource, place, &Leaf::Existing, &mut |value| search.change(value));
}

/// What a role binding binds: group and kind.
fn role(resource: &Resource, spec: &FieldSpec) -> Option<(Arc<str>, Arc<str>)> {
    if !spec.path.ends_with("roleRef/name") {
        return None;
    }
    let role = resource.value.get("roleRef").present()?;
    Some((text_at(role, "apiGroup")?, text_at(role, "kind")?))
}

struct ReferentSearch<'a> {
    referrer: NamedObject,
    reference: &'a NameReference,
    objects: &'a Objects,
    role: Option<(Arc<str>, Arc<str>)>,
}

impl ReferentSearch<'_> {
    fn change(&self, value: &mut Value) {
        if value.as_list().is_some() {
            let Some(list) = list_mut(value) else { return };
            list.items.iter_mut().for_each(|it| self.change(it));
        } else if value.as_map().is_some() {
            self.change_mapping(value);
        } else {
            let found = text(value).and_then(|name| self.find(&name, None));
            if let Some(found) = found
                && text(value).as_ref() != Some(&found.now.name)
            {
                retext(value, found.now.name.clone(), found.place, Rewrite::Name);
            }
        }
    }

    /// A mapping with a name and perhaps a namespace.
    fn change_mapping(&self, value: &mut Value) {
        let Some(name) = text_at(value, "name") else { return };
        let namespace = text_at(value, "namespace");
        let Some(found) = self.find(&name, namespace.as_ref()) else { return };
        let entry =
            map_mut(value).and_then(|map| map.entries.iter_mut().find(|it| &*it.key == "name"));
        let Some(entry) = entry else { return };
        if found.now.name != name {
            retext(&mut entry.value, found.now.name.clone(), found.place, Rewrite::Name);
        }
        let key_span = entry.key_span;
        if let Some(space) = &found.namespace
            && namespace.as_ref() != Some(space)
        {
            let written = Kind::String(Text::computed(space.clone()));
            set(value, "namespace", key_span, Value::new(written, found.place));
        }
    }

    /// The one object that is meant by a name it had.
    fn find(&self, name: &str, namespace: Option<&Arc<str>>) -> Option<&NamedObject> {
        let mut candidates: Vec<&NamedObject> = self
            .objects
            .places
            .get(name)?
            .iter()
            .filter_map(|at| self.objects.named.get(*at))
            .filter(|it| self.fits(it, name))
            .collect();
        if let Some(namespace) = namespace {
            let first = |it: &&NamedObject| {
                it.previous.first().unwrap_or(&it.now).namespace.as_ref() == Some(namespace)
            };
            let any = self.objects.spaces.contains(namespace);
            candidates.retain(|it| {
                if any { first(it) } else { it.now.namespace.as_ref() == Some(namespace) }
            });
        }
        if let [one] = candidates.as_slice() {
            return Some(one);
        }
        candidates.retain(|it| self.same_affixes(it, true));
        if candidates.len() > 1 {
            candidates.retain(|it| self.same_affixes(it, false));
        }
        let first = *candidates.first()?;
        let same =
            |it: &&NamedObject| it.now.name == first.now.name && it.namespace == first.namespace;
        candidates.iter().all(same).then_some(first)
    }

    fn fits(&self, it: &NamedObject, name: &str) -> bool {
        let target = &self.reference.target;
        it.previous.iter().any(|id| &*id.name == name)
            && it.previous.iter().any(|id| target.selects(id))
            && self.role.as_ref().is_none_or(|(group, kind)| {
                it.previous.iter().any(|id| id.group == *group && id.kind == *kind)
            })
            && (self.referrer.now.namespace.is_none()
                || it.now.namespace.is_none()
                || &*it.now.kind == "ServiceAccount"
                || it.now.namespace == self.referrer.now.namespace)
    }

    fn same_affixes(&self, it: &NamedObject, or_none: bool) -> bool {
        let same = |a: &[Arc<str>], b: &[Arc<str>]| {
            (or_none && (a.is_empty() || b.is_empty())) || same_end(a, b)
        };
        same(&it.prefixes, &self.referrer.prefixes) && same(&it.suffixes, &self.referrer.suffixes)
    }
}

/// Whether the shorter list is the end of the longer one.
fn same_end(a: &[Arc<str>], b: &[Arc<str>]) -> bool {
    let shorter = a.len().min(b.len());
    if shorter == 0 {
        return a.len() == b.len();
    }
    a[a.len() - shorter..] == b[b.len() - shorter..]
}
