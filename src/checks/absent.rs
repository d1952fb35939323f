//! What is not decided because something that is applied is not here.

use crate::{
    findings::silence::Silence,
    model::{
        Model,
        absent::{Absent, AbsentKind},
    },
    source::Span,
    value::cause::Cause,
};

/// What may hold resources of Karpenter, by its name, and is not here.
pub(crate) fn of_karpenter(model: &Model) -> impl Iterator<Item = (Span, Silence)> {
    met(model).filter(|it| it.is_of_karpenter).map(silence)
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
