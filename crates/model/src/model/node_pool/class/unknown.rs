//! Pools whose class is nowhere.

use std::collections::HashSet;

use crate::{
    model::{
        Model,
        discovery::mismatch,
        node_pool::{
            NodePool,
            class::{NodeClass, refers_to_class},
        },
        scope::ScopeIndex,
    },
    resolve::terraform::Terraform,
    source::{Files, Span},
};

/// More would bury what they explain.
const SHOWN: usize = 3;

/// A reference to a class that is nowhere.
#[derive(Clone, Debug)]
pub struct UnknownClass {
    /// The pool, as an index.
    pub pool: usize,
    /// The name it asks for.
    pub name: String,
    /// Where that is written.
    pub span: Span,
    /// Classes near it, as indexes, that most like the name first.
    pub near: Vec<usize>,
    /// The name of one that it may mean.
    pub meant: Option<String>,
    /// Whether the class had that name until a kustomization gave it another.
    pub renamed: bool,
}

impl Model {
    /// Finds what is wrong between pools, classes and the tags by which classes select.
    pub fn judge_classes(&mut self, files: &Files, terraform: &Terraform) {
        self.unknown_classes = find(files, self, terraform);
        self.tag_mismatches = mismatch::find(files, self, terraform);
    }
}

/// The references to classes that are nowhere in the repository, although others are near.
#[must_use]
pub fn find(files: &Files, model: &Model, terraform: &Terraform) -> Vec<UnknownClass> {
    let classes = &model.node_classes;
    let neighbours = ScopeIndex::new(classes, |_| true, <[usize]>::to_vec);
    let open = |pool: &NodePool| {
        let root = pool.scope.root.and_then(|it| terraform.roots.get(it));
        root.is_some_and(|it| it.reusable || it.incomplete) || !model.is_complete(&pool.scope)
    };
    let mut found = Vec::new();
    for (index, pool) in model.node_pools.iter().enumerate() {
        let Some(name) = pool.class.written_value() else { continue };
        let renamed = was_renamed(files, classes, pool, name);
        if !renamed && model.class_names.may_hold(name) {
            continue;
        }
        let reference = pool.object.at("spec.template.spec.nodeClassRef");
        let Some(near) = neighbours.nearest(&pool.scope) else { continue };
        if open(pool) || !refers_to_class(reference) || !stand_together(model, pool, near, name) {
            continue;
        }
        let near = by_likeness(classes, near, name);
        let meant = near.first().and_then(|it| classes[*it].name.known());
        let meant = meant.filter(|it| resembles(it, name)).cloned();
        let (name, span) = (name.clone(), pool.class.span());
        found.push(UnknownClass { pool: index, name, span, near, meant, renamed });
    }
    found
}

/// Whether the kustomization that builds a pool gives the class of that name another one.
fn was_renamed(files: &Files, classes: &[NodeClass], pool: &NodePool, name: &str) -> bool {
    let built = pool.scope.build.is_some();
    let mut together = classes.iter().filter(|it| built && it.scope.build == pool.scope.build);
    let is_there = together.clone().any(|it| it.name.known_to_be(name));
    let written = |it: &NodeClass| files.text(it.name.span()).trim_matches(['"', '\'']) == name;
    !is_there && together.any(|it| it.name.known().is_some() && written(it))
}

/// Whether classes near a pool are those it would use: they are applied together with it, or pools that are
/// applied with it use them, or one has almost the name it asks for. Others may be for another cluster.
fn stand_together(model: &Model, pool: &NodePool, near: &[usize], name: &str) -> bool {
    let home = pool.scope.deploy_unit();
    let mut near = near
        .iter()
        .filter_map(|it| model.node_classes.get(*it))
        .filter(|it| it.name.known().is_some());
    let is_used = |class: &NodeClass| {
        let mut sisters = model.node_pools.iter().filter(|it| it.scope.deploy_unit() == home);
        sisters.any(|it| it.class.known() == class.name.known())
    };
    let is_meant = |class: &NodeClass| {
        let name_of_class = class.name.known();
        name.len() > 4 && name_of_class.is_some_and(|it| strsim::osa_distance(it, name) <= 2)
    };
    near.any(|it| it.scope.deploy_unit() == home || is_used(it) || is_meant(it))
}

/// Those of the classes whose name is known, each place once.
fn by_likeness(classes: &[NodeClass], near: &[usize], name: &str) -> Vec<usize> {
    let mut seen = HashSet::new();
    let mut near: Vec<(f64, usize)> = near
        .iter()
        .filter(|it| seen.insert(classes[**it].report_span))
        .filter_map(|it| {
            let other = classes[*it].name.known()?;
            Some((strsim::normalized_levenshtein(other, name), *it))
        })
        .collect();
    near.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    near.into_iter().map(|(_, it)| it).take(SHOWN).collect()
}

fn resembles(one: &str, other: &str) -> bool {
    let holds = one.contains(other) || other.contains(one);
    holds || strsim::normalized_levenshtein(one, other) >= 0.6
}
