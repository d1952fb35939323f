//! What a release of the controller needs to be allowed, by its version, its values and its classes.

use crate::{
    checks::{compatibility::kubernetes_versions_of, varying::is_version_varying},
    knowledge::{identity::need::Need, kubernetes},
    model::{Model, node_pool::class::NodeClass, node_template::templates, role_maker::truth},
    resolve::{release::Release, scope::Scope},
    value::{Field, Kind, Value},
};

/// What says whether nodes are spot ones.
const CAPACITY_TYPE: &str = "karpenter.sh/capacity-type";

/// Whether a release needs to be allowed something, whatever version its constraint allows is installed.
pub(super) fn needs_it(
    model: &Model,
    release: &Release,
    together: &[&Release],
    need: &Need,
) -> bool {
    let version = release.allowed();
    if version.is_none_or(|it| it.within(&need.range()) != Some(true)) {
        return false;
    }
    let value = |path: &Option<String>, otherwise: bool| match path {
        None => Some(otherwise),
        Some(path) => truth(release.values.at(path), false),
    };
    // Asked last, as it goes through all classes.
    let asked = || {
        let of_all = need.with_class_field.is_none() && need.wrong_tag.is_none();
        let needs = |it: &NodeClass| class_needs(&it.object, need);
        of_all
            || classes_of(model, release, together).any(needs)
            || former_classes(model, release, together).any(|it| needs(&it))
    };
    let written = need.with_written_value.as_ref().is_none_or(|path| {
        let value = release.values.at(path).present();
        value.is_some_and(|it| matches!(&it.kind, Kind::String(it) if !it.text.is_empty()))
    });
    let unwritten = need.without_written_value.as_ref().is_none_or(|path| {
        // A variable of the environment says the same.
        ["controller.env", path].iter().all(|it| release.values.at(it).is_missing())
    });
    written
        && unwritten
        && (!need.for_spot || has_spot_pool(model, release, together))
        && may_have_nodes(model, release, need)
        && !is_version_varying(model, release)
        && value(&need.with_chart_value, true) == Some(true)
        && value(&need.without_chart_value, false) == Some(false)
        && asked()
}

/// Whether a class needs it, and what it gives its nodes surely has not the tag that a statement must not ask for.
fn class_needs(class: &Value, need: &Need) -> bool {
    let begins = |it: &Value| {
        let start = need.class_field_begins.as_ref();
        start.is_none_or(|start| it.as_str().is_some_and(|it| it.starts_with(start.as_str())))
    };
    let has = need.with_class_field.as_ref().is_none_or(|path| has_field(class, path, &begins));
    let without =
        need.without_class_field.as_ref().is_none_or(|other| class.at(other).is_missing());
    let untagged = need.wrong_tag.as_ref().is_none_or(|tag| match class.at("spec.tags") {
        Field::Missing => true,
        Field::Present(tags) => {
            tags.as_map().is_some_and(|it| it.rest.is_none() && it.entry(tag).is_none())
        }
        Field::Unknown => false,
    });
    has && without && untagged
}

/// Whether something is written at a path: in an item of a list, where the path has a `[]`.
fn has_field(object: &Value, path: &str, is: &dyn Fn(&Value) -> bool) -> bool {
    match path.split_once("[].") {
        Some((list, inner)) => {
            let items = object.at(list).present().map_or(&[][..], Value::items);
            items.iter().any(|it| has_field(it, inner, is))
        }
        None => object.at(path).present().is_some_and(|it| !it.is_empty() && is(it)),
    }
}

/// Whether a pool of a release surely may have spot nodes.
fn has_spot_pool(model: &Model, release: &Release, together: &[&Release]) -> bool {
    let mut pools = model.node_pools.iter();
    pools.any(|pool| {
        let types = pool.offerings.requirements().get(CAPACITY_TYPE);
        types.and_then(|it| it.admits("spot")) == Some(true)
            && is_of(model, &pool.scope, release, together)
    })
}

/// The classes of a release, or of those that are installed with it.
pub(super) fn classes_of<'m>(
    model: &'m Model,
    release: &Release,
    together: &[&Release],
) -> impl Iterator<Item = &'m NodeClass> {
    model.node_classes.iter().filter(move |it| is_of(model, &it.scope, release, together))
}

/// The templates from before there were classes, and Provisioners with the same inside.
fn former_classes(
    model: &Model,
    release: &Release,
    together: &[&Release],
) -> impl Iterator<Item = NodeClass> {
    let templates = templates(model).into_iter().filter(|it| !it.is_in_doubt);
    templates.filter(move |it| is_of(model, &it.scope, release, together))
}

/// Whether an object is surely for the controller of a release, or of one of those that are installed with it.
fn is_of(model: &Model, scope: &Scope, release: &Release, together: &[&Release]) -> bool {
    let near = model.karpenter_near(scope).1.and_then(|it| it.release);
    let near = near.and_then(|it| model.releases.get(it));
    let its = near.is_some_and(|it| together.iter().any(|own| std::ptr::eq(it, *own)));
    its && scope.speaks_of(&release.scope)
}

/// Whether a cluster may have the nodes that alone need something: not one that is too new for every release of before.
fn may_have_nodes(model: &Model, release: &Release, need: &Need) -> bool {
    let newest = need.for_nodes_before.as_ref().and_then(kubernetes::newest_before);
    let versions = kubernetes_versions_of(model, release).filter(|it| !it.is_empty());
    newest
        .zip(versions)
        .is_none_or(|(newest, versions)| versions.iter().any(|(it, _)| it.line() <= newest.line()))
}
