//! What the config files of a project decide, by the folders whose files follow them.

use std::collections::HashMap;

use crate::source::outward;

/// What one file decides, as far as its place among others matters.
pub trait Follows {
    /// The folder whose files follow it, if there is one.
    fn folder(&mut self) -> &mut Option<String>;
    /// The layer that it extends, by its index.
    fn base(&self) -> Option<usize>;
    /// Whether it excludes a file or folder.
    fn excludes(&self, path: &str) -> bool;
}

/// The layers of a project, in the order in which they were read.
#[derive(Clone, Debug)]
pub struct Layers<L> {
    list: Vec<L>,
    of_folders: HashMap<String, Vec<usize>>,
}

impl<L> Default for Layers<L> {
    fn default() -> Self {
        Self { list: Vec::new(), of_folders: HashMap::new() }
    }
}

impl<L: Follows> Layers<L> {
    /// These layers.
    #[must_use]
    pub fn new(list: Vec<L>) -> Self {
        let mut layers = Self::default();
        for layer in list {
            layers.push(layer);
        }
        layers
    }

    /// Adds a layer, and tells its index.
    pub(crate) fn push(&mut self, mut layer: L) -> usize {
        let at = self.list.len();
        if let Some(folder) = layer.folder() {
            self.of_folders.entry(folder.clone()).or_default().push(at);
        }
        self.list.push(layer);
        at
    }

    /// Makes the files of a folder follow a layer, and no others.
    pub(crate) fn follow(&mut self, at: usize, folder: &str) {
        let Some(layer) = self.list.get_mut(at) else { return };
        let before = layer.folder().replace(folder.to_owned());
        if let Some(list) = before.and_then(|it| self.of_folders.get_mut(&it)) {
            list.retain(|it| *it != at);
        }
        let list = self.of_folders.entry(folder.to_owned()).or_default();
        list.push(at);
        list.sort_unstable();
    }

    /// One of them.
    pub(crate) fn get(&self, at: usize) -> Option<&L> {
        self.list.get(at)
    }

    /// All of them.
    #[must_use]
    pub fn all(&self) -> &[L] {
        &self.list
    }

    /// All of them, for changing anything but their folders.
    pub(crate) fn all_mut(&mut self) -> &mut [L] {
        &mut self.list
    }

    /// Whether a file or folder is no part of the project. Here the layers of all folders above count.
    #[must_use]
    pub(crate) fn exclude(&self, path: &str) -> bool {
        self.around(path).any(|at| self.chain(at).any(|(_, it)| it.excludes(path)))
    }

    /// Whether a file or folder, or a folder around it, is no part of the project.
    #[must_use]
    pub(crate) fn exclude_around(&self, path: &str) -> bool {
        let folders = path.match_indices('/').map(|(at, _)| &path[..at]);
        folders.chain([path]).any(|it| self.exclude(it))
    }

    /// Those that decide about a file: that of the nearest folder, and those it extends.
    pub(crate) fn nearest(&self, path: &str) -> impl Iterator<Item = (usize, &L)> {
        let nearest = self.around(path).next();
        nearest.into_iter().flat_map(|at| self.chain(at))
    }

    /// Those of the folders around a path, the nearest first; of those of one folder, the last first.
    fn around(&self, path: &str) -> impl Iterator<Item = usize> {
        let of_folders = outward(path).filter_map(|it| self.of_folders.get(it));
        of_folders.flat_map(|it| it.iter().rev().copied())
    }

    /// A layer and those it extends, with their indices.
    fn chain(&self, at: usize) -> impl Iterator<Item = (usize, &L)> {
        let layer = |at: usize| Some((at, self.list.get(at)?));
        std::iter::successors(layer(at), move |(_, it)| layer(it.base()?))
    }
}
