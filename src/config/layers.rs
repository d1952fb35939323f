//! What the config files of a project decide, by the folders whose files follow them.

use std::{collections::HashMap, slice};

use crate::{config::Layer, source::outward};

/// The layers of a project, in the order in which they were read.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    list: Vec<Layer>,
    of_folders: HashMap<String, Vec<usize>>,
}

impl Layers {
    /// These layers.
    #[must_use]
    pub fn new(list: Vec<Layer>) -> Self {
        let mut of_folders: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, layer) in list.iter().enumerate() {
            if let Some(folder) = &layer.folder {
                of_folders.entry(folder.clone()).or_default().push(at);
            }
        }
        Self { list, of_folders }
    }

    /// All of them.
    pub fn iter(&self) -> slice::Iter<'_, Layer> {
        self.list.iter()
    }

    /// All of them, for changing anything but their folders.
    pub(crate) fn iter_mut(&mut self) -> slice::IterMut<'_, Layer> {
        self.list.iter_mut()
    }

    /// Those of the folders around a path, the nearest first; of those of one folder, the last first.
    pub(crate) fn around(&self, path: &str) -> impl Iterator<Item = usize> {
        let of_folders = outward(path).filter_map(|it| self.of_folders.get(it));
        of_folders.flat_map(|it| it.iter().rev().copied())
    }

    /// A layer and those it extends, with their indices.
    pub(crate) fn chain(&self, at: usize) -> impl Iterator<Item = (usize, &Layer)> {
        let layer = |at: usize| Some((at, self.list.get(at)?));
        std::iter::successors(layer(at), move |(_, it)| layer(it.extends?))
    }
}
