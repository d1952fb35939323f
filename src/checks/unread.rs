//! What is not decided because a module is not here.

use crate::{
    findings::silence::Silence,
    model::{Model, other_cluster::OtherCluster, unread::Hidden},
    resolve::{
        release::Release,
        scope::Scope,
        terraform::{module_source::ModuleSource, object::BlockInstance},
    },
    source::Span,
    value::{Value, cause::Cause},
};

/// Why a question about the cluster of a scope is not decided; `None` where no module that is not here may
/// make it.
#[must_use]
pub(crate) fn hidden_cluster(model: &Model, scope: &Scope) -> Option<Silence> {
    let call = model.unread_module(scope, Hidden::Cluster)?;
    Some(silence(model, "the cluster is not seen", call))
}

/// Why nothing is decided between Karpenter near a scope and the clusters near it, where it is for another one.
#[must_use]
pub(crate) fn other_cluster(model: &Model, scope: &Scope) -> Option<Silence> {
    let OtherCluster { stated, near } = model.other_cluster(scope)?;
    let name = |it: &Value| it.as_str().map_or("another".to_owned(), |it| format!("`{it}`"));
    let words =
        format!("Karpenter is for {}, and the cluster near is {}", name(stated), name(near));
    let silence = Silence::undecided(Cause::Ambiguous, words);
    Some(silence.at(stated.span, "the name of its cluster").at(near.span, "the cluster near"))
}

/// Why it is not known whether the controller is installed with a scope; `None` where no module that is not
/// here may install it.
#[must_use]
pub(crate) fn hidden_controller(model: &Model, scope: &Scope) -> Option<Silence> {
    let call = model.unread_module(scope, Hidden::Controller)?;
    Some(silence(model, "whether the controller is installed with it is not seen", call))
}

/// Why it is not known what else a root module makes; `None` where all of it could be read.
#[must_use]
pub(crate) fn unread_part(model: &Model, root: usize) -> Option<Silence> {
    let at = model.terraform.roots.get(root)?.unread?;
    let words = "a part of its root module cannot be read";
    Some(Silence::undecided(Cause::Unreadable, words).at(at, "that part"))
}

/// Why it is not known what else gives a release something: what of its root cannot be read, where nothing calls that
/// root, else what callers of the module may do.
#[must_use]
pub(crate) fn unread_or_of_callers(model: &Model, release: &Release, words: &str) -> Silence {
    let root = release
        .scope
        .root
        .filter(|it| model.terraform.roots.get(*it).is_some_and(|it| !it.reusable));
    let unread = root.and_then(|it| unread_part(model, it));
    unread.unwrap_or_else(|| Silence::undecided(Cause::Value, words.to_owned()))
}

/// The calls of modules that are not here and may install Karpenter.
pub(crate) fn hidden_installers(model: &Model) -> impl Iterator<Item = (Span, Silence)> {
    let calls = model.unread_installers();
    calls.map(|it| {
        (it.header, silence(model, "how it installs Karpenter and its CRDs is not seen", it))
    })
}

fn silence(model: &Model, words: &'static str, call: &BlockInstance) -> Silence {
    let source = ModuleSource::of(call);
    let silence = Silence::undecided(Cause::Value, words).without_module(source.text());
    let folder = source.folder_in_repository();
    let is_here =
        model.terraform.roots.iter().any(|it| *it.folder == *folder && !folder.is_empty());
    let silence = if is_here {
        silence.adding(&format!(" (`{folder}` may be another version of it)"))
    } else {
        silence
    };
    silence.at(call.header, "the call of the module")
}

/// That commands install a controller where Terraform makes a resource: these run when that is made, and what removes the
/// release on destroy is not read.
pub(crate) fn of_provisioner(release: &Release) -> Silence {
    let words = "commands of a provisioner install the controller: what removes it is not read";
    Silence::undecided(Cause::Mentioned, words).at(release.report_span, "the commands")
}
