//! A root module and what it declares.

use std::{
    collections::BTreeSet,
    hash::Hash,
    sync::{Arc, OnceLock},
};

use crate::{
    hash::HashMap,
    resolve::{
        scope::ClusterTarget,
        terraform::{
            graph::{MadeBlock, Reach, Wait},
            object::{BlockInstance, GraphNode, Mode},
            origin::Origin,
            provider::source::ClusterSources,
            wiring::LazyGraph,
        },
    },
    source::Span,
    value::Value,
};

/// A root module with all local modules it calls.
#[derive(Clone, Debug, Default)]
pub struct Root {
    /// The folder, relative to the project's root.
    pub folder: Arc<str>,
    /// The set of variable files it is evaluated with, where the config names several.
    pub variant: Option<Arc<str>>,
    /// The path of the plan it is evaluated with.
    pub plan: Option<Arc<str>>,
    /// Whether it looks like a module made to be called from elsewhere: no backend, provider block or
    /// tfvars, and a variable without default.
    pub reusable: bool,
    /// Whether a part of its files, or of a module it calls, could not be read that may make what seems to be
    /// absent.
    pub incomplete: bool,
    /// The first such part, where it is one of its code and not of a variable file.
    pub unread: Option<Span>,
    /// The providers that it configures by `provider` blocks of its own, or requires.
    pub providers: Vec<Arc<str>>,
    /// The versions of the AWS provider that its modules ask for, as they are written.
    pub aws_versions: Vec<Arc<str>>,
    /// The same of the Helm provider, with the version of its lock file, if it has one, and with what only older ones read.
    pub helm_versions: Vec<Arc<str>>,
    /// The tags that its AWS providers put on everything they make.
    pub default_tags: Vec<Value>,
    /// The region of its AWS provider, if it configures one.
    pub region: Option<Value>,
    /// The contexts of a kubeconfig, or else its paths, by which its providers reach their cluster; empty where one has
    /// an address.
    pub kubeconfigs: Vec<Value>,
    /// Resources, data sources and module calls of all module instances, in the order of their places.
    pub objects: Vec<BlockInstance>,
    /// The texts that its outputs give of templates with manifests, for something else to apply, each with the header
    /// of the output.
    pub rendered: Vec<(Span, Value)>,
    /// The blocks that `count = 0` or an empty `for_each` switches off without any variable, in one instance at
    /// least.
    pub switched_off: BTreeSet<Span>,
    /// What it refers to and does not declare, where it is a module that nothing calls: Terraform refuses it.
    pub undeclared: Option<(Span, Arc<str>)>,
    /// The folders of the called modules that configure providers by blocks of their own.
    pub(super) configuring: BTreeSet<Arc<str>>,
    pub(super) graph: LazyGraph,
    pub(super) clusters: ClusterSources,
    pub(super) index: ObjectIndex,
    pub(super) origin: Origin,
}

/// Where the objects of a root are among them, once somebody asks.
#[derive(Clone, Debug, Default)]
pub(super) struct ObjectIndex {
    kinds: OnceLock<HashMap<Arc<str>, Vec<usize>>>,
    calls: OnceLock<HashMap<Arc<str>, Vec<usize>>>,
    nodes: OnceLock<HashMap<GraphNode, Vec<usize>>>,
}

impl ObjectIndex {
    fn of<K: Hash + Eq>(
        objects: &[BlockInstance],
        key: impl Fn(&BlockInstance) -> Option<K>,
    ) -> HashMap<K, Vec<usize>> {
        let mut index: HashMap<K, Vec<usize>> = HashMap::default();
        for (at, it) in objects.iter().enumerate() {
            if let Some(key) = key(it) {
                index.entry(key).or_default().push(at);
            }
        }
        index
    }
}

impl Root {
    /// The folders of all modules in it.
    #[must_use]
    pub fn folders(&self) -> BTreeSet<&str> {
        // Most objects are in the folder of the one before.
        let runs = self.objects.chunk_by(|a, b| a.folder == b.folder);
        let of_objects = runs.filter_map(|it| it.first()).map(|it| &*it.folder);
        [&*self.folder].into_iter().chain(of_objects).collect()
    }

    /// The objects of one mode and kind: `of(Mode::Resource, "helm_release")`.
    pub fn of<'a>(&'a self, mode: Mode, kind: &'a str) -> impl Iterator<Item = &'a BlockInstance> {
        let kinds = || ObjectIndex::of(&self.objects, |it| Some(Arc::clone(&it.kind)));
        let places = self.index.kinds.get_or_init(kinds).get(kind).into_iter().flatten();
        let all = places.filter_map(|at| self.objects.get(*at));
        all.filter(move |it| it.mode == mode)
    }

    /// The instances of a block, by its node.
    pub fn instances(&self, node: GraphNode) -> impl Iterator<Item = &BlockInstance> {
        let nodes = || ObjectIndex::of(&self.objects, |it| Some(it.node));
        let places = self.index.nodes.get_or_init(nodes).get(&node).into_iter().flatten();
        places.filter_map(|at| self.objects.get(*at))
    }

    /// Whether a called module, given by its address without keys, or one that it calls configures providers itself:
    /// Terraform then takes no `depends_on`, `count` or `for_each` on the call.
    #[must_use]
    pub fn configures_providers(&self, call: &str) -> bool {
        // One of several instances of the call itself, `[0]`, is no block inside.
        let is_inside = |it: &&BlockInstance| {
            let Some(rest) = it.address.strip_prefix(call) else { return false };
            let behind = rest.strip_prefix('[').and_then(|it| it.split_once(']'));
            behind.map_or(rest, |it| it.1).starts_with('.')
        };
        let mut inside = self.objects.iter().filter(is_inside);
        !self.configuring.is_empty() && inside.any(|it| self.configuring.contains(&it.folder))
    }

    /// Whether `from` waits for `to`: a chain of references and `depends_on`, through locals, variables,
    /// module arguments and outputs, in this root.
    ///
    /// A module call waits for what its arguments and `depends_on` lead to; waiting for anything inside
    /// a called module is waiting for the call.
    #[must_use]
    pub fn waits_for(&self, from: GraphNode, to: GraphNode) -> bool {
        self.graph.get().reaches(from, to)
    }

    /// What stands in the `depends_on` of a block for the order of others, such as a `null_resource`, and is not
    /// declared: what it waited for is not known.
    #[must_use]
    pub fn undeclared_wait(&self, block: &BlockInstance) -> Option<Span> {
        let written = block.depends_on.as_ref()?;
        let graph = self.graph.get();
        written.elements.iter().copied().find(|it| graph.is_undeclared(*it))
    }

    /// Which of several nodes `from` waits for: the same for all of them at once.
    #[must_use]
    pub fn awaited(&self, from: GraphNode, among: &BTreeSet<GraphNode>) -> Vec<GraphNode> {
        self.graph.get().reached(from, among)
    }

    /// What `from` waits for of a module whose code is not here, given by its call.
    #[must_use]
    pub fn reach(&self, from: GraphNode, call: GraphNode) -> Reach {
        self.graph.get().reach(from, call)
    }

    /// The outputs of a module whose code is not here that something refers to, each with the reference.
    #[must_use]
    pub fn references(&self, call: GraphNode) -> Vec<(&str, Span)> {
        self.graph.get().references(call)
    }

    /// What `from` waits for directly, through no other resource: resources, and calls of modules whose code
    /// is not here. Each with the place that says so.
    #[must_use]
    pub fn needs(&self, from: GraphNode) -> Vec<(GraphNode, Option<Wait>)> {
        self.graph.get().needs(from)
    }

    /// All that it creates: resources, and calls of modules whose code is not here.
    pub fn made(&self) -> impl Iterator<Item = (GraphNode, &MadeBlock)> {
        self.graph.get().made()
    }

    /// Which of the clusters that the root reaches a reference names, where it reaches several.
    #[must_use]
    pub fn cluster_of(&self, reference: Option<&Value>) -> ClusterTarget {
        reference.map_or(ClusterTarget::Only, |it| self.clusters.of_reference(it))
    }

    /// Which of the clusters that the root reaches a block makes, where it reaches several.
    #[must_use]
    pub fn cluster_made_by(&self, block: &BlockInstance) -> ClusterTarget {
        self.clusters.made_by(&block.address)
    }

    /// Whether a block is switched off as far as one sees: it or a call that leads to it has a `count` of 0, or
    /// an empty `for_each`, which some switch may change.
    #[must_use]
    pub fn is_off(&self, object: &BlockInstance) -> bool {
        object.is_off || self.calls_around(object).any(|it| it.is_off)
    }

    /// The variables that would have to have other values for a block to be there; `None` where it is there with those
    /// known.
    #[must_use]
    pub fn absent_by(&self, node: GraphNode) -> Option<&BTreeSet<Arc<str>>> {
        let block = self.instances(node).next()?;
        Some(&block.absent_by).filter(|it| !it.is_empty())
    }

    /// Whether a variable that is empty by default may add others of its kind: it or a call that leads to it is made
    /// for each entry of what that adds to.
    #[must_use]
    pub fn may_have_more(&self, object: &BlockInstance) -> bool {
        let grows = |it: &BlockInstance| it.growing_by(&["count", "for_each"]).is_some();
        grows(object) || self.calls_around(object).any(grows)
    }

    /// The first resource of some kinds to which such a variable may add.
    #[must_use]
    pub fn growing(&self, kinds: &[&str]) -> Option<Span> {
        let mut all = kinds.iter().flat_map(|it| self.of(Mode::Resource, it));
        Some(all.find(|it| self.may_have_more(it))?.header)
    }

    /// The calls that lead to a block.
    pub fn calls_around<'a>(
        &'a self,
        object: &'a BlockInstance,
    ) -> impl Iterator<Item = &'a BlockInstance> {
        let is_call = |it: &BlockInstance| it.mode == Mode::Module && &*it.kind == "module";
        let calls =
            || ObjectIndex::of(&self.objects, |it| is_call(it).then(|| Arc::clone(&it.address)));
        let calls = self.index.calls.get_or_init(calls);
        let outer = object.address.match_indices('.').map(|(at, _)| &object.address[..at]);
        let around = outer.filter_map(|it| calls.get(it)).flatten();
        around.filter_map(|at| self.objects.get(*at))
    }
}
