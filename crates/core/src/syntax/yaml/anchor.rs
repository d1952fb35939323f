//! Anchors and aliases, with the limit Kubernetes puts on repetition.

use crate::{
    syntax::yaml::frame::{Anchor, ReadNode},
    value::Value,
};
use std::{
    collections::{BTreeSet, HashMap},
    ops::Range,
};

/// The anchors of one document and the count of its nodes, aliases written out.
#[derive(Debug, Default)]
pub(super) struct Anchors {
    defined: HashMap<usize, Anchored>,
    /// Those that an alias repeats.
    aliased: BTreeSet<usize>,
    nodes: u64,
    repeated: u64,
    refused: bool,
}

#[derive(Debug)]
struct Anchored {
    value: Value,
    nodes: u64,
    height: usize,
    /// From the anchor to the end of the node, in the whole text.
    place: Range<usize>,
}

impl Anchors {
    /// Counts nodes that are written in the document.
    pub(super) fn count(&mut self, nodes: u64) {
        self.nodes = self.nodes.saturating_add(nodes);
    }

    /// How many nodes the document has so far, aliases written out.
    #[must_use]
    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Remembers a finished node with an anchor, which covers `place`, the anchor included.
    pub(super) fn define(
        &mut self,
        anchor: Anchor,
        node: &ReadNode,
        nodes: u64,
        place: Range<usize>,
    ) {
        let (value, height) = (node.value.clone(), node.height);
        let anchored = Anchored { value, nodes, height, place };
        self.defined.insert(anchor.id, anchored);
    }

    /// The places of the nodes that an alias repeats, from their anchors on, in order.
    #[must_use]
    pub(super) fn aliased(&self) -> Vec<Range<usize>> {
        self.aliased.iter().filter_map(|it| Some(self.defined.get(it)?.place.clone())).collect()
    }

    /// The value behind an alias and how deep it nests.
    ///
    /// # Errors
    ///
    /// What is wrong with the alias; empty when it was reported before.
    pub(super) fn resolve(
        &mut self,
        anchor: usize,
        room: usize,
    ) -> Result<(Value, usize), &'static str> {
        let Some(found) = self.defined.get(&anchor) else {
            return Err("the alias is inside the value that it refers to");
        };
        self.aliased.insert(anchor);
        if found.height >= room {
            return Err("nested too deeply through aliases");
        }
        self.nodes = self.nodes.saturating_add(found.nodes);
        self.repeated = self.repeated.saturating_add(found.nodes);
        if self.is_excessive() {
            let was_refused = std::mem::replace(&mut self.refused, true);
            return Err(if was_refused {
                ""
            } else {
                "aliases repeat more than Kubernetes accepts"
            });
        }
        Ok((found.value.clone(), found.height))
    }

    /// The rule of go-yaml: small documents may be nearly all repetition, large ones a tenth.
    fn is_excessive(&self) -> bool {
        const LOW: u64 = 400_000;
        const HIGH: u64 = 4_000_000;
        if self.refused {
            return true;
        }
        if self.repeated <= 100 || self.nodes <= 1000 {
            return false;
        }
        // In hundredths: 99 up to LOW, falling to 10 at HIGH.
        let allowed = match self.nodes {
            HIGH.. => 10,
            LOW.. => 99 - 89 * (self.nodes - LOW) / (HIGH - LOW),
            _ => 99,
        };
        u128::from(self.repeated) * 100 > u128::from(allowed) * u128::from(self.nodes)
    }
}
