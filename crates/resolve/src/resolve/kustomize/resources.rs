//! The objects of a kustomization in their order, found by the names they have and had.

use std::{collections::HashMap, ops::Deref, slice, sync::Arc, vec};

use crate::resolve::kustomize::resource::{Id, Resource};

/// The objects that a kustomization has made so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Resources {
    list: Vec<Resource>,
    /// Where those of a name are, once it was asked for. It may name too many objects and never too few.
    named: Option<HashMap<Arc<str>, Vec<usize>>>,
}

impl Resources {
    /// Adds an object.
    pub(super) fn push(&mut self, resource: Resource) {
        if let Some(named) = &mut self.named {
            note(named, self.list.len(), &resource);
        }
        self.list.push(resource);
    }

    /// Changes one of them.
    pub(super) fn change<T>(
        &mut self,
        at: usize,
        act: impl FnOnce(&mut Resource) -> T,
    ) -> Option<T> {
        let resource = self.list.get_mut(at)?;
        let before = resource.name();
        let result = act(resource);
        let now = resource.name();
        if let Some(named) = self.named.as_mut().filter(|_| now != before) {
            named.entry(now).or_default().push(at);
        }
        Some(result)
    }

    /// All of them, for changes.
    pub(super) fn iter_mut(&mut self) -> slice::IterMut<'_, Resource> {
        self.named = None;
        self.list.iter_mut()
    }

    /// Keeps some of them.
    pub(super) fn retain(&mut self, keep: impl Fn(&Resource) -> bool) {
        if !self.list.iter().all(&keep) {
            self.named = None;
            self.list.retain(keep);
        }
    }

    /// Forgets where names are, so that a copy costs no more than the objects.
    pub(super) fn forget_names(&mut self) {
        self.named = None;
    }

    /// Where those are that may have or have had a name; where all are, if none is given.
    pub(super) fn candidates(&mut self, name: Option<&str>) -> Vec<usize> {
        let Some(name) = name else { return (0..self.list.len()).collect() };
        let named = self.named.get_or_insert_with(|| {
            let mut named = HashMap::new();
            for (at, resource) in self.list.iter().enumerate() {
                note(&mut named, at, resource);
            }
            named
        });
        let mut found = named.get(name).cloned().unwrap_or_default();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Where those are that are called so now, or were.
    pub(super) fn called(&mut self, id: &Id) -> Vec<usize> {
        let mut found = self.candidates(Some(&id.name));
        found.retain(|at| self.list.get(*at).is_some_and(|it| it.ids().contains(id)));
        found
    }
}

fn note(named: &mut HashMap<Arc<str>, Vec<usize>>, at: usize, resource: &Resource) {
    let now = resource.name();
    for name in resource.previous.iter().map(|it| &it.name).chain([&now]) {
        let places = named.entry(Arc::clone(name)).or_default();
        if places.last() != Some(&at) {
            places.push(at);
        }
    }
}

impl Deref for Resources {
    type Target = [Resource];

    fn deref(&self) -> &[Resource] {
        &self.list
    }
}

impl IntoIterator for Resources {
    type IntoIter = vec::IntoIter<Resource>;
    type Item = Resource;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

impl<'a> IntoIterator for &'a mut Resources {
    type IntoIter = slice::IterMut<'a, Resource>;
    type Item = &'a mut Resource;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}
