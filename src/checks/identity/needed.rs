//! What a release of the controller needs to be allowed, by its version, its values and its classes.

use crate::{
    checks::{compatibility::kubernetes_versions_of, varying::is_version_varying},
    knowledge::{identity::Need, kubernetes},
    model::{Model, node_pool::class::NodeClass, role_maker::truth},
    resolve::release::Release,
    value::{Kind, Value},
};

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
        need.with_class_field.as_ref().is_none_or(|field| {
            let without = |it: &Value| {
                need.without_class_field.as_ref().is_none_or(|other| it.at(other).is_missing())
            };
            let mut classes = classes_of(model, release, together);
            classes.any(|it| has_field(&it.object, field) && without(&it.object))
        })
    };
    let written = need.with_written_value.as_ref().is_none_or(|path| {
        let value = release.values.at(path).present();
        value.is_some_and(|it| matches!(&it.kind, Kind::String(it) if !it.text.is_empty()))
    });
    written
        && may_have_nodes(model, release, need)
        && !is_version_varying(model, release)
        && value(&need.with_chart_value, true) == Some(true)
        && value(&need.without_chart_value, false) == Some(false)
        && asked()
}

/// Whether something is written at a path: in an item of a list, where the path has a `[]`.
fn has_field(object: &Value, path: &str) -> bool {
    match path.split_once("[].") {
        Some((list, inner)) => {
            let items = object.at(list).present().map_or(&[][..], Value::items);
            items.iter().any(|it| has_field(it, inner))
        }
        None => object.at(path).present().is_some_and(|it| !it.is_empty()),
    }
}

/// The classes of a release, or of those that are installed with it.
pub(super) fn classes_of<'m>(
    model: &'m Model,
    release: &Release,
    together: &[&Release],
) -> impl Iterator<Item = &'m NodeClass> {
    model.node_classes.iter().filter(move |class| {
        let near = model.karpenter_near(&class.scope).1.and_then(|it| it.release);
        let near = near.and_then(|it| model.releases.get(it));
        let its = near.is_some_and(|it| together.iter().any(|own| std::ptr::eq(it, *own)));
        its && class.scope.speaks_of(&release.scope)
    })
}

/// Whether a cluster may have the nodes that alone need something: not one that is too new for every release of before.
fn may_have_nodes(model: &Model, release: &Release, need: &Need) -> bool {
    let newest = need.for_nodes_before.as_ref().and_then(kubernetes::newest_before);
    let versions = kubernetes_versions_of(model, release).filter(|it| !it.is_empty());
    newest
        .zip(versions)
        .is_none_or(|(newest, versions)| versions.iter().any(|(it, _)| it.line() <= newest.line()))
}
