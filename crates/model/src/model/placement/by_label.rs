//! The pools by the labels of their nodes.

use std::collections::HashMap;

use crate::model::{
    node_pool::NodePool,
    requirement::{Requirements, value_set::Operator},
};

/// The pools by the labels of their nodes, as far as these have one of some values.
#[derive(Debug, Default)]
pub struct PoolsByLabel {
    of_values: HashMap<(String, String), Vec<usize>>,
    /// Whether some pool is one of several variants.
    pub(super) has_variants: bool,
}

impl PoolsByLabel {
    /// Files pools.
    #[must_use]
    pub fn new(pools: &[NodePool]) -> Self {
        let has_variants = pools.iter().any(|it| it.has_variants);
        let mut of_values: HashMap<(String, String), Vec<usize>> = HashMap::new();
        for (at, pool) in pools.iter().enumerate() {
            for label in values(pool.offerings.requirements()) {
                of_values.entry(label).or_default().push(at);
            }
        }
        Self { of_values, has_variants }
    }

    /// Those with a value of a label, as indexes.
    pub(super) fn with(&self, label: &(String, String)) -> &[usize] {
        self.of_values.get(label).map_or(&[], Vec::as_slice)
    }
}

/// The labels with the values that are admitted, of which there are not too many to list.
pub(super) fn values(requirements: &Requirements) -> impl Iterator<Item = (String, String)> {
    let listed = requirements.iter().filter(|(_, it)| it.operator() == Operator::In);
    listed.flat_map(|(key, set)| set.named().map(move |it| (key.to_owned(), it.to_owned())))
}
