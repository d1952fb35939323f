//! Where scripts are: files of commands, the steps of pipelines, tasks of Ansible, `local-exec` of Terraform.

use memchr::memmem;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::{
    project::kind::{FileKind, is_jenkinsfile},
    resolve::{
        release::script::{
            ansible,
            ansible_variables::VariableFiles,
            exported, include, jenkins,
            recipes::{self, JUST, MAKE},
            shell_file::is_shell_script,
            variables::Script,
        },
        terraform::{object::Mode, root::Root},
    },
    source::{FileId, Files, SourceFile, Span},
    syntax::{shell, yaml},
    value::{Kind, Text, Value},
};

/// The keys below which the steps of a pipeline hold commands.
const RUN_KEYS: &[&str] =
    &["run", "cmds", "cmd", "script", "before_script", "after_script", "commands"];
/// The keys that name the folder in which they run.
const FOLDER_KEYS: [&str; 2] = ["dir", "working-directory"];
/// The keys below which they set variables.
const VARIABLE_KEYS: &[&str] = &["env", "vars", "variables"];

/// What asks for access to a cluster of another cloud.
const OTHER_CLUSTERS: &[&str] = &["az aks get-credentials", "gcloud container clusters get-cred"];
/// What makes a cluster on a laptop, or on the machine of a pipeline.
pub const OWN_MACHINES: &[&str] =
    &["kind create cluster", "helm/kind-action", "minikube start", "k3d cluster create"];
/// What does in that of AWS.
pub const OWN: &[&str] = &["aws eks", "eksctl"];

/// What makes clusters and their nodes, or changes them.
const OF_CLUSTERS: [&str; 6] = [
    "eksctl ",
    "update-cluster-version",
    "create-nodegroup",
    "create-fargate-profile",
    "kubectl label",
    "kubectl taint",
];

/// The scripts among the files that make or change clusters, that name Helm, or `kubectl` and either Karpenter or a text
/// that it may apply; none that is for a cluster of another cloud, or for one on a laptop or on the machine of a
/// pipeline.
pub(super) fn scripts(files: &Files) -> Vec<Script> {
    let all: Vec<FileId> = files.iter().map(|(id, _)| id).collect();
    let given = VariableFiles::default();
    let scripts = all.into_par_iter().filter_map(|id| script(files, id, &given));
    let mut found: Vec<Script> = scripts.collect();
    exported::add_versions(files, &mut found);
    found
}

/// Whether a file is among the examples that a chart brings along.
fn is_example_of_chart(path: &str) -> bool {
    let mut folders = path.split('/').skip_while(|it| *it != "charts");
    folders.any(|it| it == "examples")
}

/// What such a file runs.
fn script(files: &Files, id: FileId, given: &VariableFiles) -> Option<Script> {
    let file = files.get(id);
    let kind = FileKind::of(file.path());
    let is_pipeline = kind == Some(FileKind::Yaml) && is_pipeline(file);
    // Manifests are read before, and kept if they have a word that matters, or forgotten once they were parsed.
    let manifest = file.kept_text().filter(|_| kind == Some(FileKind::Yaml));
    let is_bare = kind.is_none() && is_shell_script(file)
        || manifest.is_some_and(shell::begins_with_document);
    let has_tasks = kind == Some(FileKind::Yaml) && ansible::may_hold_tasks(file, manifest);
    let is_script = is_pipeline || has_tasks || kind == Some(FileKind::Script) || is_bare;
    if !is_script || is_example_of_chart(file.path()) {
        return None;
    }
    let has = |text: &str, word: &str| memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    let applies = |it: &str| ["karpenter", "<<", "envsubst"].into_iter().any(|word| has(it, word));
    let installs = |it: &str| {
        has(it, "helm")
            || has(it, "HELM")
            || (has(it, "kubectl") && applies(it))
            || OF_CLUSTERS.iter().any(|word| has(it, word))
    };
    let text = file.text_if(installs)?;
    let names = |words: &[&str]| words.iter().any(|it| has(text, it));
    // The recipes of one file are for one cluster each.
    let has_recipes = file.name().to_ascii_lowercase().contains("taskfile");
    let is_shell = is_bare || matches!(file.ending(), "sh" | "bash");
    let is_run_whole = is_pipeline && !has_recipes || is_shell || has_tasks;
    let is_other = names(OTHER_CLUSTERS) || is_run_whole && names(OWN_MACHINES);
    if is_other && !names(OWN) {
        return None;
    }
    let mut script = Script::new(file.folder());
    let whole = Span::new(id, 0, text.len());
    let content = Text::verbatim(file.shared_text(), whole);
    match (file.ending(), file.name()) {
        _ if is_pipeline => {
            for document in &yaml::parse_literal(&content, whole).values {
                add_pipeline(files, &mut script, document);
                include::add_named(files, document, &mut script);
            }
        }
        _ if has_tasks => {
            let documents = yaml::parse_literal(&content, whole).values;
            for document in &documents {
                ansible::add(&mut script, document);
            }
            given.add(files, file, &mut script)?;
        }
        ("ps1", _) => script.add_powershell(content, whole),
        _ if is_shell => script.add_shell(content, whole),
        _ if is_jenkinsfile(file.name()) => jenkins::add(&mut script, id, text),
        ("mk", _) | (_, "Makefile" | "makefile" | "GNUmakefile") => {
            recipes::add(&mut script, id, content, &MAKE);
            include::add_makefiles(files, id, &mut script);
        }
        _ => recipes::add(&mut script, id, content, &JUST),
    }
    include::add_sourced(files, id, &mut script);
    include::add_templates(files, &mut script);
    Some(script)
}

/// The commands that a root module runs where it is applied.
pub(super) fn local_exec(root: &Root) -> Option<Script> {
    let mut script = Script::new(&root.folder);
    for kind in ["null_resource", "terraform_data"] {
        for object in root.of(Mode::Resource, kind) {
            let provisioners = object.body.get("provisioner").present();
            for block in provisioners.map_or(&[][..], Value::items) {
                let destroys = !block.get("when").is_missing() && !is_on_create(block);
                let command = block.get("command").present().filter(|_| !destroys);
                let Some(Value { kind: Kind::String(text), span, .. }) = command else { continue };
                add_variables(&mut script, block.get("environment").present(), &|_| None);
                let interpreter = block.get("interpreter").present().map_or(&[][..], Value::items);
                if interpreter.first().and_then(Value::as_str).is_some_and(is_powershell) {
                    script.add_powershell(text.clone(), *span);
                } else {
                    script.add_shell(text.clone(), *span);
                }
            }
        }
    }
    (!script.snippets.is_empty()).then_some(script)
}

/// Whether a provisioner says that it runs when its resource is made, as it would without.
fn is_on_create(provisioner: &Value) -> bool {
    match provisioner.get("when").present().map(|it| &it.kind) {
        Some(Kind::Unknown(symbol)) => &*symbol.text == "create",
        Some(Kind::String(text)) => &*text.text == "create",
        _ => false,
    }
}

/// Whether the program of that name or path is `PowerShell`.
fn is_powershell(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    matches!(name.trim_end_matches(".exe"), "powershell" | "pwsh")
}

/// Whether a file of YAML describes steps that run commands, by its name.
#[must_use]
pub fn is_pipeline(file: &SourceFile) -> bool {
    const NAMES: &[&str] =
        &["taskfile", "action", ".gitlab-ci", "buildspec", "bitbucket-pipelines"];
    let name = file.name().to_ascii_lowercase();
    let stem = name.split('.').find(|it| !it.is_empty()).unwrap_or_default();
    file.folder().ends_with(".github/workflows")
        || file.path().contains(".circleci/")
        || NAMES.iter().any(|it| stem == it.trim_start_matches('.'))
        || name.starts_with("azure-pipelines")
}

fn add_pipeline(files: &Files, script: &mut Script, value: &Value) {
    let shell = value.get("shell").present().and_then(Value::as_str);
    let by_shell = shell.is_some_and(is_powershell);
    let outer = script.within.clone();
    let by_default = || value.at("defaults.run.working-directory").present()?.as_str();
    let own = FOLDER_KEYS.iter().find_map(|it| value.get(it).present()?.as_str());
    let own = own.or_else(by_default);
    script.within = own.map(|it| below_root(it).into()).or_else(|| outer.clone());
    for entry in value.entries() {
        let by_key = is_powershell(&entry.key);
        if by_key || RUN_KEYS.contains(&&*entry.key) {
            let alone = std::slice::from_ref(&entry.value);
            let list = entry.value.as_list().map_or(alone, |it| &it.items);
            for item in list {
                match &item.kind {
                    Kind::String(text) if by_key || by_shell => {
                        script.add_powershell(text.clone(), item.span);
                    }
                    Kind::String(text) => script.add_shell(text.clone(), item.span),
                    _ => {}
                }
            }
        }
        if VARIABLE_KEYS.contains(&&*entry.key) {
            let scalar = |it: &Value| Some(Text::verbatim(files.text(it.span), it.span));
            add_variables(script, Some(&entry.value), &scalar);
        }
        add_pipeline(files, script, &entry.value);
    }
    value.items().iter().for_each(|it| add_pipeline(files, script, it));
    script.within = outer;
}

/// A path without the folder of the repository that it may begin with: `${{ github.workspace }}/charts`.
fn below_root(path: &str) -> &str {
    let begins = path.starts_with("{{") || path.starts_with("${{");
    path.split_once("}}/").filter(|_| begins).map_or(path, |it| it.1)
}

/// Adds the variables of a mapping. A number counts as it is written: `1.10`.
fn add_variables(
    script: &mut Script,
    mapping: Option<&Value>,
    written: &dyn Fn(&Value) -> Option<Text>,
) {
    for entry in mapping.map_or(&[][..], Value::entries) {
        let text = match &entry.value.kind {
            Kind::String(text) => Some(text.clone()),
            Kind::Number(_) | Kind::Bool(_) => written(&entry.value),
            _ => None,
        };
        match text {
            Some(text) => script.assign(&entry.key, text, entry.value.span),
            None => script.assign_word(&entry.key, None),
        }
    }
}
