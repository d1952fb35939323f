//! What is not decided because something that is applied is not here.

use crate::{
    findings::silence::Silence,
    model::{
        Model,
        absent::{Absent, AbsentKind},
        karpenter::KarpenterResource,
    },
    source::Span,
    value::cause::Cause,
};

/// What may hold resources of Karpenter, by its name, and is not here.
pub(crate) fn of_karpenter(model: &Model) -> impl Iterator<Item = (Span, Silence)> {
    met(model).filter(|it| it.is_of_karpenter).map(silence)
}

/// Manifests of Terraform that are called after kinds of Karpenter and are not here.
pub(crate) fn manifests_of_karpenter(model: &Model) -> impl Iterator<Item = (Span, Silence)> {
    let unseen = model.unseen_manifests.iter().map(|it| &it.resource);
    let named = unseen.filter(|it| !it.kinds.is_empty());
    named.map(|it| (it.report_span, unseen_manifest(it)))
}

/// Why nothing is known of what a resource of Terraform applies that is called after kinds of Karpenter.
pub(crate) fn unseen_manifest(resource: &KarpenterResource) -> Silence {
    let words = match resource.pools() {
        Some(_) => "what it applies is not known: it is named after Karpenter's pools",
        None => "what it applies is not known: it is named after Karpenter's classes",
    };
    Silence::undecided(Cause::Value, words)
}

/// Modules that are not here and are given manifests of Karpenter's objects.
pub(crate) fn given_objects(model: &Model) -> impl Iterator<Item = (Span, Silence)> {
    met(model).filter(|it| it.is_given_objects).map(silence)
}

/// What may hold pods and is not here.
pub(crate) fn of_others(model: &Model) -> impl Iterator<Item = (Span, Silence)> {
    met(model).filter(|it| !it.is_of_karpenter).map(silence)
}

fn met(model: &Model) -> impl Iterator<Item = &Absent> {
    let absent = model.absent.iter().filter(|_| model.uses_karpenter);
    absent.filter(|it| model.may_have_karpenter(&it.scope) != Some(false))
}

fn silence(absent: &Absent) -> (Span, Silence) {
    let path = &absent.path;
    let missing =
        |words: String, name: &str| Silence::undecided(Cause::MissingFile, words).missing(name);
    let what = match absent.what {
        AbsentKind::Chart => "chart",
        AbsentKind::Folder => "folder",
        AbsentKind::LocalModule => "module",
        AbsentKind::Module => {
            let silence = Silence::undecided(Cause::Value, "what it makes is not seen");
            return (absent.place, silence.without_module(&**path));
        }
    };
    let silence = match &absent.source {
        Some(source) => {
            missing(format!("the {what} `{path}` of `{source}` is not in this repository"), source)
        }
        None => missing(format!("the {what} `{path}` is not in this repository"), path),
    };
    (absent.place, silence)
}
