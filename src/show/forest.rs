//! The order without what follows from the rest of it: each node below the last of those it waits for.

use std::collections::{BTreeMap, BTreeSet};

use crate::show::order::Order;

/// Each node below the last of those it waits for.
pub(super) struct Forest<'o, 'p> {
    pub order: &'o Order<'p>,
    /// The nodes that wait for nothing.
    pub roots: Vec<usize>,
    /// Those below a node.
    pub children: BTreeMap<usize, Vec<usize>>,
    /// What a node waits for besides the node above it and what that one waits for.
    pub others: BTreeMap<usize, Vec<usize>>,
    /// How long the longest chain of needs is below each node.
    pub depths: Vec<usize>,
}

impl<'o, 'p> Forest<'o, 'p> {
    pub(super) fn of(order: &'o Order<'p>) -> Self {
        let mut needs: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for it in &order.edges {
            needs.entry(it.from).or_default().insert(it.to);
        }
        let depths = depths(order.nodes.len(), &needs);
        let mut forest = Self {
            order,
            roots: Vec::new(),
            children: BTreeMap::new(),
            others: BTreeMap::new(),
            depths: Vec::new(),
        };
        let depth = |it: usize| depths.get(it).copied().unwrap_or_default();
        for node in 0..order.nodes.len() {
            let own = needs.get(&node).into_iter().flatten().copied();
            let own: Vec<usize> = own.filter(|it| depth(*it) < depth(node)).collect();
            let last = own.iter().copied().max_by_key(|it| (depth(*it), std::cmp::Reverse(*it)));
            let Some(last) = last else {
                forest.roots.push(node);
                continue;
            };
            forest.children.entry(last).or_default().push(node);
            if own.len() == 1 {
                continue;
            }
            let above = all_needed(last, &needs);
            let others = own.into_iter().filter(|it| *it != last && !above.contains(it));
            let others: Vec<usize> = others.collect();
            // Of two that wait for one another, the later says enough.
            let implied: BTreeSet<usize> =
                others.iter().flat_map(|it| all_needed(*it, &needs)).collect();
            let others = others.into_iter().filter(|it| !implied.contains(it)).collect();
            forest.others.insert(node, others);
        }
        forest.depths = depths;
        forest
    }
}

/// How long the longest chain of needs below each node is; those of a circle count as far as it is known.
fn depths(count: usize, needs: &BTreeMap<usize, BTreeSet<usize>>) -> Vec<usize> {
    let mut depths = vec![0; count];
    let mut open: BTreeMap<usize, usize> =
        needs.iter().map(|(node, needed)| (*node, needed.len())).collect();
    let mut users: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (node, needed) in needs {
        for it in needed {
            users.entry(*it).or_default().push(*node);
        }
    }
    let mut ready: Vec<usize> = (0..count).filter(|it| !open.contains_key(it)).collect();
    while let Some(node) = ready.pop() {
        for user in users.get(&node).into_iter().flatten() {
            depths[*user] = depths[*user].max(depths[node] + 1);
            if let Some(left) = open.get_mut(user) {
                *left -= 1;
                if *left == 0 {
                    ready.push(*user);
                }
            }
        }
    }
    depths
}

/// Everything that a node waits for, directly or not.
fn all_needed(node: usize, needs: &BTreeMap<usize, BTreeSet<usize>>) -> BTreeSet<usize> {
    let mut all = BTreeSet::new();
    let mut waiting = vec![node];
    while let Some(next) = waiting.pop() {
        for it in needs.get(&next).into_iter().flatten() {
            if all.insert(*it) {
                waiting.push(*it);
            }
        }
    }
    all
}
