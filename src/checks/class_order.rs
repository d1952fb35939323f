//! Classes that Terraform may destroy while their pools are there.

use std::collections::{BTreeSet, HashMap};

use crate::{
    checks::{destroy_order::no_longer_served, unread::unread_part},
    findings::silence::Silence,
    model::{
        Model,
        karpenter::KarpenterResource,
        node_pool::{NodePool, class::NodeClass},
    },
    resolve::terraform::object::{GraphNode, Mode},
};

/// A resource of a root module, by its node.
type Place = (usize, GraphNode);

/// The classes and pools that Terraform makes, by the resources that hold them.
pub(crate) struct ClassOrder<'m> {
    model: &'m Model,
    /// The resources with classes of each root module.
    holders: HashMap<usize, Vec<&'m KarpenterResource>>,
    /// Those with a class of a name that is known.
    by_name: HashMap<(usize, &'m str), Vec<&'m KarpenterResource>>,
    /// Those with one whose name is not known.
    open: HashMap<usize, Vec<&'m KarpenterResource>>,
    classes: HashMap<Place, Vec<&'m NodeClass>>,
    pools: HashMap<Place, Vec<&'m NodePool>>,
}

impl<'m> ClassOrder<'m> {
    /// Those of a model.
    #[must_use]
    pub(crate) fn of(model: &'m Model) -> Self {
        let mut order = Self {
            model,
            holders: HashMap::new(),
            by_name: HashMap::new(),
            open: HashMap::new(),
            classes: HashMap::new(),
            pools: HashMap::new(),
        };
        for class in &model.node_classes {
            if let Some(place) = class.scope.root.zip(class.node) {
                order.classes.entry(place).or_default().push(class);
            }
        }
        for pool in &model.node_pools {
            if let Some(place) = pool.scope.root.zip(pool.node) {
                order.pools.entry(place).or_default().push(pool);
            }
        }
        for resource in model.karpenter_resources.iter().filter(|it| it.holds("EC2NodeClass")) {
            let root = resource.root;
            let own = order.classes.get(&(root, resource.node)).map_or(&[][..], Vec::as_slice);
            order.holders.entry(root).or_default().push(resource);
            if own.is_empty() || own.iter().any(|it| it.name.known().is_none()) {
                order.open.entry(root).or_default().push(resource);
            }
            let known: BTreeSet<&str> =
                own.iter().filter_map(|it| it.name.known().map(String::as_str)).collect();
            for name in known {
                order.by_name.entry((root, name)).or_default().push(resource);
            }
        }
        order
    }

    /// The class of a pool that nothing keeps, on destroy, until the pool is gone; `None` for resources
    /// without pools.
    pub(crate) fn destroyed_early(
        &self,
        resource: &KarpenterResource,
    ) -> Option<Result<&'m KarpenterResource, Silence>> {
        resource.holds("NodePool").then(|| self.early(resource))
    }

    fn early(&self, resource: &KarpenterResource) -> Result<&'m KarpenterResource, Silence> {
        let model = self.model;
        if let Some(silence) = no_longer_served(model, resource) {
            return Err(silence);
        }
        let absent = || Silence::sound("its class is not in this root module");
        let mut silence = unread_part(model, resource.root).unwrap_or_else(absent);
        for meant in self.meant(resource) {
            let Some(first) = meant.first() else { continue };
            if meant.iter().any(|it| it.node == resource.node) {
                silence = Silence::sound("one resource holds the pool and its class");
                continue;
            }
            let waits =
                |it: &&&KarpenterResource| model.root_waits_for(it.root, resource.node, it.node);
            match meant.iter().find(waits) {
                Some(class) => {
                    silence = Silence::sound("it depends on its class");
                    silence = silence.at(class.report_span, "the class");
                }
                None => return Ok(first),
            }
        }
        Err(silence)
    }

    /// The resources that may hold the class of each pool of a resource: those with its name, else those whose
    /// name is not known to be another.
    fn meant(&self, resource: &KarpenterResource) -> Vec<Vec<&'m KarpenterResource>> {
        let root = resource.root;
        let holders = self.holders.get(&root).map_or(&[][..], Vec::as_slice);
        let Some(pools) = self.pools.get(&(root, resource.node)) else {
            // The templates of a chart: names are not known.
            return vec![holders.to_vec()];
        };
        let of_pool = |pool: &&NodePool| {
            let known = pool.class.known();
            if let Some(certain) = known.and_then(|it| self.by_name.get(&(root, it.as_str()))) {
                return certain.clone();
            }
            // A name that is known is no other one that is.
            let open = || self.open.get(&root).map_or(&[][..], Vec::as_slice);
            let others = if known.is_some() { open() } else { holders };
            let with = |wanted: fn(Option<bool>) -> bool| -> Vec<&'m KarpenterResource> {
                others.iter().copied().filter(|it| wanted(self.is_named(it, pool))).collect()
            };
            let certain = with(|it| it == Some(true));
            if certain.is_empty() { with(|it| it != Some(false)) } else { certain }
        };
        pools.iter().map(of_pool).collect()
    }

    /// Whether a resource holds the class that a pool names.
    fn is_named(&self, holder: &KarpenterResource, pool: &NodePool) -> Option<bool> {
        let own = self.classes.get(&(holder.root, holder.node))?;
        let all: Vec<_> = own.iter().map(|it| pool.class.same_as(&it.name)).collect();
        if all.contains(&Some(true)) {
            return Some(true);
        }
        if all.contains(&None) { None } else { Some(false) }
    }
}

/// Whether Terraform deletes a pool and its class at the same time and waits for both: nothing else has to be gone before
/// the pool, and `kubernetes_manifest` waits until an object is gone, the class for its `NodeClaims`.
pub(crate) fn are_deleted_together(
    model: &Model,
    pools: &KarpenterResource,
    class: &KarpenterResource,
) -> bool {
    let waits = |it: &KarpenterResource| {
        let mut blocks = model.blocks_of(it).peekable();
        blocks.peek().is_some() && blocks.all(|it| &*it.kind == "kubernetes_manifest")
    };
    let has_dependents = || {
        let root = model.terraform.roots.get(pools.root);
        root.is_some_and(|root| {
            let mut others = root.objects.iter().filter(|it| it.mode == Mode::Resource);
            others.any(|it| it.node != pools.node && root.waits_for(it.node, pools.node))
        })
    };
    waits(pools) && waits(class) && !has_dependents()
}
