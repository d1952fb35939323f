//! Classes that Terraform may destroy while their pools are there.

use crate::{
    checks::unread::unread_part,
    findings::silence::Silence,
    model::{
        Model,
        karpenter::KarpenterResource,
        node_pool::{NodePool, class::NodeClass},
    },
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
