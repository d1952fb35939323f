//! What depends on what in one root: resources, data sources, module calls, providers, locals, variables
//! and outputs of every module it calls, joined by references and `depends_on`.
//!
//! A module called with `for_each` counts once: dependencies are between blocks, not instances.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    sync::Arc,
};

use crate::hash::{HashMap, HashSet};

use crate::{resolve::terraform::object::GraphNode, source::Span};

/// The graph of one root.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    edges: Vec<Vec<Edge>>,
    /// What is inside the module behind a call's node.
    inside: HashMap<u32, Range<u32>>,
    /// The outputs of modules that are not here, as far as something refers to them.
    foreign: HashMap<u32, Arc<str>>,
    /// What is created, by its node: resources, and calls of modules that are not here.
    made: BTreeMap<u32, MadeBlock>,
    /// What stands in `depends_on` for the order of others and is not declared.
    undeclared: HashSet<Span>,
}

/// That one node waits for another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// The other node.
    pub to: u32,
    /// Where that is written, if it is: what is inside a module waits for the module.
    pub written: Option<Wait>,
}

/// A block of which something is created: a resource, or the call of a module that is not here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeBlock {
    /// Its address, without the keys of instances: `module.addons.helm_release.karpenter`.
    pub address: Arc<str>,
    /// `helm_release`; `module` for a call.
    pub kind: Arc<str>,
    /// The block's header.
    pub header: Span,
}

/// Where a dependency is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// In which form.
    pub form: WaitForm,
    /// The reference.
    pub span: Span,
}

/// How a dependency is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitForm {
    /// In `depends_on`.
    DependsOn,
    /// By a reference, or by a provider that is configured with one.
    Reference,
}

/// What something refers to of a module whose code is not here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Nothing.
    Nothing,
    /// Some of its outputs, by name.
    Outputs(BTreeSet<Arc<str>>),
    /// All of it.
    Whole,
}

/// The outputs of `terraform-aws-modules/eks` by which providers reach the cluster. All of them wait for the same: for the
/// cluster, from version 20 on also for its access entries (outputs.tf at v18.31.2, v19.21.0, v20.37.2 and v21.8.0).
const FOR_PROVIDERS: [&str; 4] =
    ["cluster_endpoint", "cluster_certificate_authority_data", "cluster_name", "cluster_arn"];

impl Graph {
    /// A graph of so many nodes.
    pub(super) fn of_nodes(count: usize) -> Self {
        Self { edges: vec![Vec::new(); count], ..Self::default() }
    }

    /// Adds what a node waits for.
    pub(super) fn add(&mut self, from: u32, to: impl IntoIterator<Item = Edge>) {
        if let Some(edges) = self.edges.get_mut(from as usize) {
            edges.extend(to);
        }
    }

    /// Adds a node for an output of a module that is not here.
    pub(super) fn add_output(&mut self, call: u32, name: &Arc<str>) -> u32 {
        let node = u32::try_from(self.edges.len()).unwrap_or(call);
        self.edges.push(vec![Edge { to: call, written: None }]);
        self.foreign.insert(node, Arc::clone(name));
        node
    }

    /// Notes that a node stands for something that is created.
    pub(super) fn mark_made(&mut self, node: u32, block: MadeBlock) {
        self.made.insert(node, block);
    }

    /// Notes what stands in `depends_on` for the order of others and is not declared.
    pub(super) fn mark_undeclared(&mut self, element: Span) {
        self.undeclared.insert(element);
    }

    /// Whether an element of `depends_on` is such a one.
    pub(super) fn is_undeclared(&self, element: Span) -> bool {
        self.undeclared.contains(&element)
    }

    /// All that is created, in the order of the code.
    pub(super) fn made(&self) -> impl Iterator<Item = (GraphNode, &MadeBlock)> {
        self.made.iter().map(|(node, block)| (GraphNode(*node), block))
    }

    /// Notes what is inside the module behind a call's node.
    pub(super) fn set_inside(&mut self, call: u32, nodes: Range<u32>) {
        self.inside.insert(call, nodes);
    }

    /// Whether a chain leads from `from` to `to`, or to anything inside it if it is a module call.
    pub(super) fn reaches(&self, from: GraphNode, to: GraphNode) -> bool {
        let goal = self.goal(to);
        let apart = self.before_user(to);
        let mut found = false;
        self.walk((from.0, &apart), |edge| {
            found |= goal.contains(&edge.to);
            !found
        });
        found
    }

    /// The outputs for providers of the calls whose modules are not here and that give a node one of them: as it waits
    /// for one, none waits for it, whatever else their module waits for. The cluster is there before the map of its
    /// users that names a role of its add-ons.
    fn before_user(&self, node: GraphNode) -> HashSet<u32> {
        let edges = |it: u32| self.edges.get(it as usize).into_iter().flatten();
        let call_of = |output: u32| edges(output).next().map(|it| it.to);
        let is_one =
            |it: &u32| self.foreign.get(it).is_some_and(|it| FOR_PROVIDERS.contains(&&**it));
        let taken = edges(node.0).map(|it| it.to).filter(is_one);
        let calls: HashSet<u32> = taken.filter_map(call_of).collect();
        let is_its = |it: &u32| is_one(it) && call_of(*it).is_some_and(|it| calls.contains(&it));
        self.foreign.keys().copied().filter(is_its).collect()
    }

    /// Those to which a chain leads from `from`, or to anything inside them.
    pub(super) fn reached(&self, from: GraphNode, among: &BTreeSet<GraphNode>) -> Vec<GraphNode> {
        let mut seen = BTreeSet::new();
        self.walk((from.0, &HashSet::default()), |edge| {
            seen.insert(edge.to);
            true
        });
        let is_reached = |it: &&GraphNode| seen.range(self.goal(**it)).next().is_some();
        among.iter().filter(is_reached).copied().collect()
    }

    /// A node, or what is inside the module behind a call's.
    fn goal(&self, node: GraphNode) -> Range<u32> {
        self.inside.get(&node.0).cloned().unwrap_or(node.0..node.0.saturating_add(1))
    }

    /// What `from` waits for of a module call whose code is not here.
    pub(super) fn reach(&self, from: GraphNode, call: GraphNode) -> Reach {
        let mut reach = Reach::Nothing;
        let mut waiting = vec![from.0];
        let mut seen = HashSet::from_iter([from.0]);
        while let Some(node) = waiting.pop() {
            for edge in self.edges.get(node as usize).into_iter().flatten() {
                if edge.to != call.0 {
                    if seen.insert(edge.to) {
                        waiting.push(edge.to);
                    }
                    continue;
                }
                let Some(output) = self.foreign.get(&node) else { return Reach::Whole };
                match &mut reach {
                    Reach::Outputs(names) => drop(names.insert(Arc::clone(output))),
                    _ => reach = Reach::Outputs(BTreeSet::from([Arc::clone(output)])),
                }
            }
        }
        reach
    }

    /// The outputs of a module call whose code is not here that something refers to, each with the reference.
    pub(super) fn references(&self, call: GraphNode) -> Vec<(&str, Span)> {
        let of_call = |node: &u32| {
            let mut edges = self.edges.get(*node as usize).into_iter().flatten();
            edges.any(|it| it.to == call.0)
        };
        let output = |edge: &Edge| {
            let name = self.foreign.get(&edge.to).filter(|_| of_call(&edge.to))?;
            Some((&**name, edge.written?.span))
        };
        let mut found: Vec<_> = self.edges.iter().flatten().filter_map(output).collect();
        found.sort_unstable_by_key(|it| it.1);
        found.dedup();
        found
    }

    /// What `from` waits for directly: resources, and calls of modules that are not here, each once.
    pub(super) fn needs(&self, from: GraphNode) -> Vec<(GraphNode, Option<Wait>)> {
        let mut found: Vec<(GraphNode, Option<Wait>)> = Vec::new();
        let mut seen = HashSet::from_iter([from.0]);
        let mut waiting = vec![(from.0, None)];
        while let Some((node, wait)) = waiting.pop() {
            for edge in self.edges.get(node as usize).into_iter().flatten() {
                let wait = wait.or(edge.written);
                if !seen.insert(edge.to) {
                    continue;
                }
                if self.made.contains_key(&edge.to) {
                    found.push((GraphNode(edge.to), wait));
                } else {
                    waiting.push((edge.to, wait));
                }
            }
        }
        found.sort_by_key(|(node, _)| *node);
        found
    }

    /// Calls `visit` with each edge that a chain from `from` leads over, and that does not go on from some nodes, until
    /// it returns false.
    fn walk(&self, (from, ends): (u32, &HashSet<u32>), mut visit: impl FnMut(&Edge) -> bool) {
        let mut seen = vec![false; self.edges.len()];
        let mut waiting = vec![from];
        while let Some(node) = waiting.pop() {
            for edge in self.edges.get(node as usize).into_iter().flatten() {
                if !visit(edge) {
                    return;
                }
                if let Some(seen) = seen.get_mut(edge.to as usize)
                    && !std::mem::replace(seen, true)
                    && !ends.contains(&edge.to)
                {
                    waiting.push(edge.to);
                }
            }
        }
    }
}
