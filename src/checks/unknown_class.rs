//! Pools whose class is defined nowhere.

use std::collections::HashSet;

use crate::{
    findings::silence::Silence,
    model::{
        Model,
        node_pool::{
            NodePool,
            class::{NodeClass, refers_to_class},
        },
        scope::ScopeIndex,
    },
    source::Span,
    value::cause::Cause,
};

/// More would bury what they explain.
const SHOWN: usize = 3;

/// A reference to a class that is defined nowhere.
#[derive(Clone, Debug)]
pub(crate) struct UnknownClass<'a> {
    /// The name it asks for.
    pub name: &'a str,
    /// Where that is written.
    pub span: Span,
    /// Classes near it, those with the most similar names first.
    pub near: Vec<&'a NodeClass>,
    /// The name of one that it may mean.
    pub meant: Option<&'a str>,
    /// Whether the class had that name until a kustomization gave it another.
    pub renamed: bool,
}

/// The pools that name a class of Karpenter for AWS, and whether the repository lacks that class although
/// others are near.
pub(crate) fn unknown_classes(
    model: &Model,
) -> impl Iterator<Item = (&NodePool, Result<UnknownClass<'_>, Silence>)> {
    let index = ScopeIndex::new(&model.node_classes, |_| true, <[usize]>::to_vec);
    let named = model
        .node_pools
        .iter()
        .filter(|it| refers_to_class(it.object.at("spec.template.spec.nodeClassRef")));
    named.map(move |it| (it, unknown_class(model, it, &index)))
}

fn unknown_class<'a>(
    model: &'a Model,
    pool: &'a NodePool,
    index: &ScopeIndex<Vec<usize>>,
) -> Result<UnknownClass<'a>, Silence> {
    let classes = &model.node_classes;
    let name = pool.class.decided("the name of the EC2NodeClass")?;
    let renamed = was_renamed(classes, pool, name);
    if !renamed && model.class_names.may_hold(name) {
        return Err(Silence::sound("an EC2NodeClass of that name is in the repository"));
    }
    let elsewhere =
        || Silence::undecided(Cause::Ambiguous, "the EC2NodeClass may be defined elsewhere");
    let none = || Silence::undecided(Cause::Value, "no EC2NodeClass of any name is seen near");
    let near = index.nearest(&pool.scope).ok_or_else(none)?;
    let near: Vec<&NodeClass> = near.iter().filter_map(|it| classes.get(*it)).collect();
    let root = pool.scope.root.and_then(|it| model.terraform.roots.get(it));
    if root.is_some_and(|it| it.reusable || it.incomplete)
        || !model.is_complete(&pool.scope)
        || !belong_together(model, pool, &near, name)
    {
        return Err(elsewhere());
    }
    let near = by_similarity(near, name);
    let meant = near.first().and_then(|it| it.name.known());
    let meant = meant.filter(|it| resembles(it, name)).map(String::as_str);
    Ok(UnknownClass { name, span: pool.class.span(), near, meant, renamed })
}

/// Whether the kustomization that builds a pool gives the class of that name another one.
fn was_renamed(classes: &[NodeClass], pool: &NodePool, name: &str) -> bool {
    let built = pool.scope.build.is_some();
    let mut together = classes.iter().filter(|it| built && it.scope.build == pool.scope.build);
    let is_there = together.clone().any(|it| it.name.known_to_be(name));
    !is_there && together.any(|it| it.name.known().is_some() && &*it.written_name == name)
}

/// Whether classes near a pool are those it would use: they are applied together with it, or pools that are
/// applied with it use them, or one has almost the name it asks for. Others may be for another cluster.
fn belong_together(model: &Model, pool: &NodePool, near: &[&NodeClass], name: &str) -> bool {
    let unit = pool.scope.deploy_unit();
    let mut near = near.iter().filter(|it| it.name.known().is_some());
    let is_used = |class: &NodeClass| {
        let mut together = model.node_pools.iter().filter(|it| it.scope.deploy_unit() == unit);
        together.any(|it| it.class.known() == class.name.known())
    };
    let is_meant = |class: &NodeClass| {
        let name_of_class = class.name.known();
        name.len() > 4 && name_of_class.is_some_and(|it| strsim::osa_distance(it, name) <= 2)
    };
    near.any(|it| it.scope.deploy_unit() == unit || is_used(it) || is_meant(it))
}

/// Those of the classes whose name is known, each place once.
fn by_similarity<'a>(near: Vec<&'a NodeClass>, name: &str) -> Vec<&'a NodeClass> {
    let mut seen = HashSet::new();
    let mut near: Vec<(f64, &NodeClass)> = near
        .into_iter()
        .filter(|it| seen.insert(it.report_span))
        .filter_map(|it| {
            let other = it.name.known()?;
            Some((strsim::normalized_levenshtein(other, name), it))
        })
        .collect();
    near.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    near.into_iter().map(|(_, it)| it).take(SHOWN).collect()
}

fn resembles(one: &str, other: &str) -> bool {
    let holds = one.contains(other) || other.contains(one);
    holds || strsim::normalized_levenshtein(one, other) >= 0.6
}
