//! Classes that Terraform may destroy while their pools are there.

use crate::{
    checks::{destroy_order::no_longer_served, unread::unread_part},
    findings::silence::Silence,
    model::{
        Model,
        karpenter::KarpenterResource,
        node_pool::{NodePool, class::NodeClass},
    },
    resolve::terraform::object::Mode,
};

/// The class of a pool that nothing keeps, on destroy, until the pool is gone; `None` for resources
/// without pools.
pub(crate) fn class_destroyed_early<'m>(
    model: &'m Model,
    resource: &KarpenterResource,
) -> Option<Result<&'m KarpenterResource, Silence>> {
    resource.holds("NodePool").then(|| early(model, resource))
}

fn early<'m>(
    model: &'m Model,
    resource: &KarpenterResource,
) -> Result<&'m KarpenterResource, Silence> {
    let resources = model.karpenter_resources.iter();
    let here = |it: &&KarpenterResource| it.root == resource.root && it.holds("EC2NodeClass");
    let classes: Vec<&KarpenterResource> = resources.filter(here).collect();
    if let Some(silence) = no_longer_served(model, resource) {
        return Err(silence);
    }
    let absent = || Silence::sound("its class is not in this root module");
    let mut silence = unread_part(model, resource.root).unwrap_or_else(absent);
    for meant in meant(model, resource, &classes) {
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

/// The resources that may hold the class of each pool of a resource: those with its name, else those whose
/// name is not known to be another.
fn meant<'m>(
    model: &Model,
    resource: &KarpenterResource,
    classes: &[&'m KarpenterResource],
) -> Vec<Vec<&'m KarpenterResource>> {
    let own =
        |it: &&NodePool| it.scope.root == Some(resource.root) && it.node == Some(resource.node);
    let pools: Vec<&NodePool> = model.node_pools.iter().filter(own).collect();
    if pools.is_empty() {
        // The templates of a chart: names are not known.
        return vec![classes.to_vec()];
    }
    let of_pool = |pool: &&NodePool| {
        let named = |it: &&KarpenterResource| is_named(model, it, pool);
        let certain = classes.iter().copied().filter(|it| named(it) == Some(true));
        let certain: Vec<_> = certain.collect();
        let possible = || classes.iter().copied().filter(|it| named(it) != Some(false)).collect();
        if certain.is_empty() { possible() } else { certain }
    };
    pools.iter().map(of_pool).collect()
}

/// Whether a resource holds the class that a pool names.
fn is_named(model: &Model, classes: &KarpenterResource, pool: &NodePool) -> Option<bool> {
    let own =
        |it: &&NodeClass| it.scope.root == Some(classes.root) && it.node == Some(classes.node);
    let mut answers = model.node_classes.iter().filter(own).map(|it| pool.class.same_as(&it.name));
    let first = answers.next()?;
    let all: Vec<_> = answers.chain([first]).collect();
    if all.contains(&Some(true)) {
        return Some(true);
    }
    if all.contains(&None) { None } else { Some(false) }
}
