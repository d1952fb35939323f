//! An index of PDBs by what their selectors ask for, so that not every PDB is compared with every workload.

use std::collections::BTreeMap;

use crate::{
    hash::HashMap,
    model::{pdb::Pdb, workload::Workload},
    resolve::pod::selector::{Labels, Selector},
};

/// The PDBs of a model, as indexes into its list, by what their selectors ask for.
#[derive(Debug, Default)]
pub struct Candidates {
    spaces: HashMap<Space, Shelf>,
}

/// A namespace as PDBs and workloads write it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Space {
    Named(String),
    /// Not written or not known: it may be any.
    Unnamed,
    /// All of them together.
    All,
}

impl Space {
    fn of(namespace: Option<&String>) -> Self {
        namespace.map_or(Self::Unnamed, |it| Self::Named(it.clone()))
    }
}

/// PDBs by a label's key and value, in the order of the model.
type ByLabel = BTreeMap<String, BTreeMap<String, Vec<usize>>>;

/// The PDBs of a namespace.
#[derive(Debug, Default)]
struct Shelf {
    /// Each by the rarest label it asks for: pods without that label are not selected.
    rarest: ByLabel,
    /// Those that ask for no label in particular.
    loose: Vec<usize>,
    /// Each by all labels it asks for.
    pairs: ByLabel,
    /// Those that ask for nothing but one label, by its key.
    alone: HashMap<String, Vec<usize>>,
    /// PDBs that ask for one value of one label, by that value.
    only_values: HashMap<String, Vec<usize>>,
    /// Those that ask for something else than labels with values.
    others: Vec<usize>,
}

/// How many PDBs are looked at for a hint: a large repository has too many to compare all.
const COMPARED: usize = 256;

impl Candidates {
    /// Indexes the PDBs.
    #[must_use]
    pub fn new(pdbs: &[Pdb]) -> Self {
        let asked = counts(pdbs);
        let selecting = || pdbs.iter().enumerate().filter(|(_, it)| !it.selector.is_nothing());
        let of_each = || {
            let mut spaces: HashMap<Space, Shelf> = HashMap::default();
            for (index, pdb) in selecting() {
                let shelf = spaces.entry(Space::of(pdb.namespace.known())).or_default();
                shelf.add(index, &pdb.selector, &asked);
            }
            spaces
        };
        let of_all = || {
            let mut shelf = Shelf::default();
            selecting().for_each(|(index, pdb)| shelf.add(index, &pdb.selector, &asked));
            shelf
        };
        let (mut spaces, all) = rayon::join(of_each, of_all);
        spaces.insert(Space::All, all);
        Self { spaces }
    }

    /// The PDBs that may certainly select the pods; all others do not, or it depends on a label that
    /// is not known.
    pub fn certain<'a>(&'a self, workload: &'a Workload) -> impl Iterator<Item = usize> + 'a {
        self.shelves(workload).flat_map(|it| it.selecting(&workload.labels)).flatten().copied()
    }

    /// The PDBs that ask for a label the pods may have.
    pub fn doubtful<'a>(&'a self, workload: &'a Workload) -> impl Iterator<Item = usize> + 'a {
        let doubt = |(key, _): &(&String, _)| workload.labels.is_in_doubt(key);
        let keys = self.shelves(workload).flat_map(move |it| it.rarest.iter().filter(doubt));
        keys.flat_map(|(_, by_value)| by_value.values().flatten().copied())
    }

    /// The first results of `look` at PDBs that select the pods except for one requirement, or would in another
    /// namespace, in the order of the model.
    pub fn first_near<T>(
        &self,
        workload: &Workload,
        most: usize,
        look: impl Fn(usize) -> Option<T>,
    ) -> Vec<T> {
        let labels = &workload.labels;
        let near = self.shelves(workload).flat_map(|it| it.nearly_selecting(labels));
        let elsewhere =
            self.spaces.get(&Space::All).into_iter().flat_map(|it| it.selecting(labels));
        let mut found = BTreeMap::new();
        for list in near.chain(elsewhere) {
            let asked = list.iter().take(COMPARED);
            found.extend(asked.filter_map(|it| Some((*it, look(*it)?))).take(most));
        }
        found.into_values().take(most).collect()
    }

    /// The namespaces whose PDBs may select the pods.
    fn shelves(&self, workload: &Workload) -> impl Iterator<Item = &Shelf> {
        let spaces = match workload.namespace.known() {
            Some(name) => vec![Space::Named(name.clone()), Space::Unnamed],
            None => vec![Space::All],
        };
        spaces.into_iter().filter_map(|it| self.spaces.get(&it))
    }
}

impl Shelf {
    fn add(&mut self, index: usize, selector: &Selector, asked: &LabelCounts) {
        let rarity = |(key, values): &(&str, Vec<&str>)| -> usize {
            values.iter().filter_map(|it| asked.get(&(*key, *it))).sum()
        };
        match selector.choices().min_by_key(rarity) {
            Some((key, values)) => file(&mut self.rarest, key, &values, index),
            None => self.loose.push(index),
        }
        for (key, values) in selector.choices() {
            file(&mut self.pairs, key, &values, index);
        }
        match (selector.choices().next(), selector.choices().count(), selector.requirement_count())
        {
            (Some((key, values)), 1, 1) => {
                self.alone.entry(key.to_owned()).or_default().push(index);
                if let [only] = &values[..] {
                    self.only_values.entry((*only).to_owned()).or_default().push(index);
                }
            }
            (_, choices, all) if choices == all => {}
            _ => self.others.push(index),
        }
    }

    /// Lists of the PDBs whose rarest label the pods have, and of those that ask for none.
    fn selecting<'a>(&'a self, labels: &'a Labels) -> impl Iterator<Item = &'a [usize]> {
        filed(&self.rarest, labels).chain([self.loose.as_slice()])
    }

    /// Lists of the PDBs of which the pods meet a part, or which ask only for another value of a
    /// label they have, or only for a value that another label has.
    fn nearly_selecting<'a>(&'a self, labels: &'a Labels) -> impl Iterator<Item = &'a [usize]> {
        let alone = labels.pairs().filter_map(|(key, _)| self.alone.get(key));
        let elsewhere = labels.pairs().filter_map(|(_, value)| self.only_values.get(value));
        let lists = alone.chain(elsewhere).map(Vec::as_slice).chain([self.others.as_slice()]);
        filed(&self.pairs, labels).chain(lists)
    }
}

/// How many PDBs ask for a label, by key and value.
type LabelCounts<'a> = HashMap<(&'a str, &'a str), usize>;

fn counts(pdbs: &[Pdb]) -> LabelCounts<'_> {
    let mut asked = LabelCounts::default();
    for (key, values) in pdbs.iter().flat_map(|it| it.selector.choices()) {
        for value in values {
            *asked.entry((key, value)).or_default() += 1;
        }
    }
    asked
}

fn file(into: &mut ByLabel, key: &str, values: &[&str], index: usize) {
    let by_value = into.entry(key.to_owned()).or_default();
    for value in values {
        let list = by_value.entry((*value).to_owned()).or_default();
        if list.last() != Some(&index) {
            list.push(index);
        }
    }
}

/// The lists under the labels.
fn filed<'a>(by_label: &'a ByLabel, labels: &'a Labels) -> impl Iterator<Item = &'a [usize]> {
    let found = labels.pairs().filter_map(|(key, value)| by_label.get(key)?.get(value));
    found.map(Vec::as_slice)
}
