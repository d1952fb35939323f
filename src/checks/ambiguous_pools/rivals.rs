//! For each pool the few before it with which it is worth comparing: in a folder of thousands no pool is compared
//! with all others.

use std::collections::HashMap;

use crate::model::node_pool::{NodePool, offerings::overlap::Launches};

/// The labels by which pools are looked up, the commonest of a list: more are hardly ever better.
const KEYS: usize = 8;

/// A pool with the nodes that it launches.
pub(super) struct Candidate<'a> {
    /// The pool.
    pub pool: &'a NodePool,
    /// Its nodes.
    pub launches: Launches,
}

/// Pools of a list, by the values that they list for the commonest labels.
pub(super) struct Rivals<'l, 'a> {
    list: &'l [Candidate<'a>],
    keys: Vec<&'l str>,
    /// The pools that list a value for a label.
    with: HashMap<(&'l str, &'l str), Vec<usize>>,
    /// Those that list none for it.
    without: HashMap<&'l str, Vec<usize>>,
    /// How many of the list are in these.
    known: usize,
}

impl<'l, 'a> Rivals<'l, 'a> {
    /// None of the list yet.
    pub(super) fn of(list: &'l [Candidate<'a>]) -> Self {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for (key, _) in list.iter().flat_map(|it| it.launches.listed()) {
            *counts.entry(key).or_default() += 1;
        }
        let mut keys: Vec<(usize, &str)> = counts.into_iter().map(|(key, it)| (it, key)).collect();
        keys.sort_unstable_by(|a, b| b.cmp(a));
        let keys = keys.into_iter().take(KEYS).map(|it| it.1).collect();
        Self { list, keys, with: HashMap::new(), without: HashMap::new(), known: 0 }
    }

    /// Takes in the next of the list, and gives those before it, in order, but for such as certainly launch others.
    pub(super) fn before_next(&mut self) -> Vec<&'l Candidate<'a>> {
        let Some(next) = self.list.get(self.known) else { return Vec::new() };
        let listed: HashMap<&str, _> = next.launches.listed().collect();
        let mut fewest: Option<(usize, Vec<&Vec<usize>>)> = None;
        for key in &self.keys {
            let Some(values) = listed.get(key) else { continue };
            let with = values.iter().filter_map(|it| self.with.get(&(*key, it.as_str())));
            let lists: Vec<&Vec<usize>> = with.chain(self.without.get(key)).collect();
            let count = lists.iter().map(|it| it.len()).sum::<usize>();
            if fewest.as_ref().map_or(self.known, |it| it.0) > count {
                fewest = Some((count, lists));
            }
        }
        let found: Vec<usize> = match fewest {
            Some((_, lists)) => {
                let mut found: Vec<usize> = lists.into_iter().flatten().copied().collect();
                found.sort_unstable();
                found.dedup();
                found
            }
            None => (0..self.known).collect(),
        };
        for key in &self.keys {
            match listed.get(key) {
                Some(values) => {
                    for value in *values {
                        self.with.entry((key, value)).or_default().push(self.known);
                    }
                }
                None => self.without.entry(key).or_default().push(self.known),
            }
        }
        self.known += 1;
        found.into_iter().filter_map(|it| self.list.get(it)).collect()
    }
}
