//! Gathers what the projects build, from every surface.

use std::collections::HashSet;

use crate::{
    lint,
    model::{Model, applied},
    project::Project,
    resolve::{
        cloudformation, gitops,
        kubernetes::{Located, Object, held::from_terraform, manifests},
        kustomize,
    },
    show::objects::{Builder, BuiltObject, mask::masked},
    source::{FileId, Span},
};

/// The objects that a project builds, by what builds them; `is_wanted` chooses by where they belong.
pub(crate) fn objects<'p>(
    project: &'p Project,
    model: &Model,
    is_wanted: &dyn Fn(&crate::resolve::scope::Scope) -> bool,
) -> Vec<BuiltObject<'p>> {
    let files = &project.files;
    let kustomize = kustomize::build(files);
    let held = from_terraform(&model.terraform).objects;
    let written = manifests::every(files, &lint::manifest_files(project));
    let templates = held.iter().chain(&written).cloned().collect::<Vec<_>>();
    let of_stacks = cloudformation::applied(files, &templates);
    let stacks: HashSet<Span> = of_stacks.iter().map(|it| it.header).collect();
    let all = held.into_iter().chain(of_stacks).chain(written).collect();
    let is_of_tool = |it: &Located| gitops::is_of_interest(&it.object);
    let applied = applied::objects(files, all, &kustomize, is_of_tool);
    // Terraform applies what it reads from a file.
    let place = |it: &Located| it.object.report_span();
    let of_terraform = applied.iter().filter(|it| it.located.root.is_some());
    let of_terraform: HashSet<Span> = of_terraform.map(|it| place(&it.located)).collect();
    let mut found = Vec::new();
    for it in applied {
        let located = &it.located;
        let is_plain = located.root.is_none() && it.build.is_none();
        let twice = is_plain && of_terraform.contains(&place(located));
        if twice || !is_for_a_cluster(&located.object) || !is_wanted(&located.scope(it.build)) {
            continue;
        }
        let build = it.build.and_then(|it| kustomize.builds.get(it));
        let of_stack = stacks.contains(&located.header);
        let built_by = match build {
            Some(build) => Builder::Kustomization(build.folder.to_string()),
            None => builder(project, model, located, of_stack),
        };
        let span = start(located);
        let builds = [Some(span.file), Some(located.header.file), build.map(|it| it.file)];
        if is_asked_for(project, builds) {
            found.push(BuiltObject { object: masked(it.located.object), span, built_by, project });
        }
    }
    let order = |it: &BuiltObject| {
        let path = files.get(it.span.file).path();
        (it.built_by.clone(), path.to_owned(), it.span.start)
    };
    found.sort_by_cached_key(order);
    found
}

/// Where an object begins.
fn start(located: &Located) -> Span {
    located.object.value.span
}

fn is_asked_for(project: &Project, files: [Option<FileId>; 3]) -> bool {
    let mut files = files.into_iter().flatten();
    files.any(|it| project.is_asked_for(project.files.get(it).path()))
}

fn builder(project: &Project, model: &Model, located: &Located, of_stack: bool) -> Builder {
    let root = located.root.and_then(|it| model.terraform.roots.get(it));
    match (root, &located.holder.block) {
        (Some(root), Some(block)) => Builder::Resource {
            root: root.folder.to_string(),
            address: block.address.to_string(),
            is_optional: located.is_off,
        },
        _ if of_stack => {
            Builder::Stack(project.files.get(located.object.value.span.file).path().to_owned())
        }
        _ => Builder::File,
    }
}

/// Groups whose objects configure programs, and are sent to no cluster.
const OF_PROGRAMS: &[&str] = &[
    "audit.k8s.io",
    "apiserver.config.k8s.io",
    "client.authentication.k8s.io",
    "eksctl.io",
    "kind.x-k8s.io",
    "kubelet.config.k8s.io",
    "kubeproxy.config.k8s.io",
    "kubescheduler.config.k8s.io",
    "kustomize.config.k8s.io",
    "skaffold",
    "kuttl.dev",
    "chainsaw.kyverno.io",
    "cli.kyverno.io",
    "karplint",
];

/// Whether an object is one that an API server takes.
fn is_for_a_cluster(object: &Object) -> bool {
    let is_config = &*object.kind == "Config" && &*object.api_version == "v1";
    !object.api_version.is_empty()
        && !object.kind.is_empty()
        && !is_config
        && !OF_PROGRAMS.contains(&object.group())
}
