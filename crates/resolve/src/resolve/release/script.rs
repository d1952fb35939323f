//! Releases that scripts install: `helm upgrade --install …` in shell scripts, Makefiles, justfiles, the steps of
//! pipelines and `local-exec` of Terraform.
//!
//! A script does one thing after the other: of several commands for one release the last one counts. Snippets
//! in documentation are no scripts.

mod arguments;
mod helm;
mod source;
mod variables;

use std::sync::Arc;

use crate::{
    resolve::{
        gitops::{chart, repository::Repository},
        release::{
            Means, Release,
            script::{helm::Helm, variables::Script},
            surface::Surface,
            unit::Unit,
        },
        scope::Scope,
        terraform::root::Root,
    },
    source::{Files, Span},
    value::Value,
};

/// The releases of the scripts among the files, and what the charts of this repository among them depend on.
#[must_use]
pub(super) fn releases(files: &Files) -> Vec<Release> {
    let repository = Repository::new(files);
    let mut found = Vec::new();
    for script in source::scripts(files) {
        let scope = Scope::new(None, &script.folder);
        found.extend(installed(&repository, &script, &scope));
    }
    with_dependencies(&repository, found)
}

/// The releases that the `local-exec` provisioners of a root module install.
#[must_use]
pub(super) fn of_root(files: &Files, index: usize, root: &Root) -> Vec<Release> {
    let repository = Repository::new(files);
    let Some(script) = source::local_exec(root) else { return Vec::new() };
    let scope = Scope::new(Some(index), &root.folder);
    let mut found = installed(&repository, &script, &scope);
    for release in &mut found {
        release.reusable = root.reusable || root.incomplete;
    }
    with_dependencies(&repository, found)
}

fn with_dependencies(repository: &Repository<'_>, mut found: Vec<Release>) -> Vec<Release> {
    let dependencies: Vec<Release> =
        found.iter().flat_map(|it| chart::dependencies(repository, it)).collect();
    found.extend(dependencies);
    found
}

/// The releases that a script leaves behind.
fn installed(repository: &Repository<'_>, script: &Script, scope: &Scope) -> Vec<Release> {
    let Some(first) = script.snippets.first() else { return Vec::new() };
    let start = Span { end: first.place.start, ..first.place };
    let unit = Unit::new(Surface::Script, Value::map(Vec::new(), start));
    let means = Means::Tool(Arc::new(unit));
    let mut found: Vec<Release> = Vec::new();
    for release in Helm::new(repository, script, scope, &means).releases() {
        let key = |it: &Release| {
            let name = it.name.clone().unwrap_or_else(|| Arc::clone(&it.chart));
            (name, it.namespace.known().cloned())
        };
        found.retain(|it| key(it) != key(&release));
        found.push(release);
    }
    found
}

#[cfg(test)]
mod tests;
