//! What scripts install: releases by `helm upgrade --install …`, CRDs by `kubectl apply -f URL`, objects by
//! `kubectl apply -f - <<END`, clusters by `eksctl create cluster`, in shell scripts, Makefiles, justfiles, the steps of
//! pipelines (also those of a `Jenkinsfile`), the tasks of Ansible and `local-exec` of Terraform.
//!
//! A script does one thing after the other: of several commands for one release the last one counts. Snippets
//! in documentation are no scripts: they say what a file of values is for, and install nothing.

mod ansible;
mod ansible_variables;
mod arguments;
mod clusters;
pub mod exported;
mod helm;
mod include;
mod jenkins;
mod kubectl;
mod objects;
mod own_folder;
mod path;
mod prose;
mod recipes;
mod shell_file;
pub mod source;
mod variables;
mod written;

use std::sync::Arc;

use memchr::memmem;

use crate::{
    knowledge::publication,
    resolve::{
        gitops::{chart, repository::Repository},
        release::{
            Means, Release,
            applied_crds::AppliedCrds,
            documented::DocumentedVersion,
            installed::Installed,
            script::{
                exported::VERSION, helm::Helm, kubectl::Kubectl, shell_file::is_shell,
                variables::Script,
            },
            surface::Surface,
            unit::{Parent, Unit},
        },
        scope::Scope,
        setting::Setting,
        terraform::root::Root,
    },
    source::{FileId, Files, SourceFile, aside},
    value::Value,
};

/// What the scripts among the files install, and what the charts of this repository among it depend on.
#[must_use]
pub(super) fn installed(files: &Files) -> Installed {
    let repository = Repository::new(files);
    let mut found = Installed::default();
    let scripts = source::scripts(files);
    for script in &scripts {
        let scope = Scope::new(None, &script.folder);
        found.releases.extend(releases(&repository, script, &scope));
        found.crds.extend(Kubectl::new(script).crds(&scope));
        objects::add(files, script, None, &mut found);
    }
    clusters::add(files, &scripts, None, &mut found);
    found.releases = with_dependencies(&repository, found.releases);
    found
}

/// What the `local-exec` provisioners of a root module install.
#[must_use]
pub(super) fn of_root(files: &Files, index: usize, root: &Root) -> Installed {
    let repository = Repository::new(files);
    let Some(script) = source::local_exec(root) else { return Installed::default() };
    let scope = Scope::new(Some(index), &root.folder);
    let reusable = root.reusable || root.incomplete;
    let releases = releases(&repository, &script, &scope).into_iter();
    let releases = releases.map(|it| Release { reusable, ..it }).collect();
    let crds = Kubectl::new(&script).crds(&scope).map(|it| AppliedCrds { reusable, ..it });
    let releases = with_dependencies(&repository, releases);
    let crds = crds.into_iter().collect();
    let mut found = Installed { releases, crds, ..Installed::default() };
    objects::add(files, &script, Some(index), &mut found);
    clusters::add(files, std::slice::from_ref(&script), Some(index), &mut found);
    found
}

/// What the commands would install that documents, and comments of these files, only show.
#[must_use]
pub(super) fn shown(repository: &Repository<'_>, commented: &[FileId]) -> Vec<Release> {
    let has = |text: &str, word: &str| memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    let installs = |text: &str| has(text, "helm ") && has(text, "karpenter");
    let documents = repository.files.iter().filter(|(_, it)| is_document(it) && it.skim(installs));
    let documents = documents.map(|(id, it)| prose::of_document(id, it));
    let comments = commented.iter().map(|it| (*it, repository.files.get(*it)));
    let comments = comments.filter(|(_, it)| installs(it.text()));
    let comments = comments.map(|(id, it)| prose::of_comments(id, it));
    let of_script = |script: Script| {
        let scope = Scope::new(None, &script.folder);
        Helm::new(repository, &script, &scope, &means(repository.files, &script)).releases()
    };
    documents.chain(comments).flat_map(of_script).collect()
}

/// The versions of Karpenter's controller that the code blocks of documents install, or give to that variable.
#[must_use]
pub fn documented(files: &Files) -> Vec<DocumentedVersion> {
    let repository = Repository::new(files);
    let has = |text: &str, word: &str| memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    let installs = |text: &str| {
        let has_version = has(text, "--version") || has(text, "charts.karpenter.sh");
        has(text, VERSION) || has(text, "helm ") && has(text, "karpenter") && has_version
    };
    let in_use = |it: &SourceFile| is_document(it) && aside::of(it.path()).is_none();
    let documents = files.iter().filter(|(_, it)| in_use(it) && it.skim(installs));
    let of_document = |(id, file): (FileId, &SourceFile)| {
        // The text is not kept: what was read tells others what is in use.
        let copy = SourceFile::new(file.path(), file.skim(str::to_owned));
        let script = prose::of_document(id, &copy);
        let scope = Scope::new(None, &script.folder);
        let means = means(files, &script);
        let releases = Helm::new(&repository, &script, &scope, &means).releases().into_iter();
        let own = releases.filter(|it| it.is_controller() && it.is_upstream());
        let set = script.given(VERSION).map(|it| Setting::text(Some(&it), it.span));
        let version = |it: Release| match publication::newest_in_retired_repository() {
            Some(last) if it.takes_newest_of_retired() => {
                (*it.version.clone().or_newest_of(last)).clone()
            }
            _ => (*it.version).clone(),
        };
        let found: Vec<Setting<String>> = own.map(version).chain(set).collect();
        found
            .into_iter()
            .filter(|it| it.known().is_some())
            .map(move |version| DocumentedVersion { version, folder: Arc::clone(&script.folder) })
    };
    documents.flat_map(of_document).collect()
}

fn is_document(file: &SourceFile) -> bool {
    matches!(file.ending(), "md" | "markdown" | "txt")
}

fn with_dependencies(repository: &Repository<'_>, mut found: Vec<Release>) -> Vec<Release> {
    let dependencies: Vec<Release> =
        found.iter().flat_map(|it| chart::dependencies(repository, it)).collect();
    found.extend(dependencies);
    found
}

/// The releases that a script leaves behind.
fn releases(repository: &Repository<'_>, script: &Script, scope: &Scope) -> Vec<Release> {
    let means = means(repository.files, script);
    let mut found: Vec<Release> = Vec::new();
    for mut release in Helm::new(repository, script, scope, &means).releases() {
        let key = |it: &Release| {
            let name = it.name.clone().unwrap_or_else(|| Arc::clone(&it.chart));
            (name, it.namespace.known().cloned())
        };
        let earlier: Vec<Release> = found.extract_if(.., |it| key(it) == key(&release)).collect();
        // `helm template --include-crds | kubectl apply`: the CRDs of each version come before the release.
        let mut applied = earlier.into_iter().map(|it| it.upgrade_crds);
        if let Some(switch) = applied.find(|it| it.known() == Some(&true)) {
            release.upgrade_crds = switch;
        }
        found.push(release);
    }
    found
}

fn means(files: &Files, script: &Script) -> Means {
    let unit = Unit::new(Surface::Script, Value::map(Vec::new(), script.place()));
    let parent = makes_cluster(files.get(script.place().file)).then_some(Parent::ClusterScript);
    Means::Tool(Arc::new(Unit { parent, ..unit }))
}

/// Whether a shell script makes the cluster. A Makefile may do so in a recipe of its own.
#[must_use]
pub fn makes_cluster(file: &SourceFile) -> bool {
    const COMMANDS: [&str; 2] = ["eksctl create cluster", "aws eks create-cluster"];
    let makes = |command: &str| COMMANDS.iter().any(|it| command.trim_start().starts_with(it));
    is_shell(file) && file.text().lines().any(|it| it.split('|').any(makes))
}

#[cfg(test)]
mod tests;
