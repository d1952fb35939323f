//! Files of values for Karpenter's charts with which nothing here is seen to install anything: somebody does so by
//! hand.
//!
//! A document or a comment may show the command. A file that none names is one by its place and by keys that no
//! other chart has; of its version, and of what else is set beside it, nothing is known. So nothing may be said of
//! what is missing there: these are no releases of the model, only values that one would have.

use std::{collections::HashSet, sync::Arc};

use memchr::memmem;

use crate::{
    findings::subject::Subject,
    project::kind::FileKind,
    resolve::{
        gitops::repository::Repository,
        release::{
            Means, Release,
            chart_version::{ChartVersion, Pin},
            script,
            surface::Surface,
            unit::Unit,
        },
        scope::Scope,
    },
    source::{FileId, Files, SourceFile, aside, is_below, outward},
    value::{Entry, Value},
};

/// Words of which such a file holds one.
const WORDS: [&str; 3] = ["settings", "serviceAccount", "controller"];

/// Paths that only the values of Karpenter's chart have. `serviceAccount.annotations` is one where the annotation
/// names an IAM role.
const OWN: [&str; 9] = [
    "settings.aws",
    "settings.batchIdleDuration",
    "settings.batchMaxDuration",
    "settings.clusterEndpoint",
    "settings.clusterName",
    "settings.featureGates",
    "settings.interruptionQueue",
    "settings.vmMemoryOverheadPercent",
    "settings.isolatedVPC",
];

/// Keys of pipelines, which no values have.
const PIPELINE: [&str; 3] = ["jobs", "stages", "steps"];

/// How many of them tell a file of such values that no command names.
const ENOUGH: usize = 2;

/// What a release would be that somebody makes by hand with each such file.
#[must_use]
pub fn releases(files: &Files, installed: &[Release]) -> Vec<Release> {
    let mut used = HashSet::new();
    for it in installed {
        add_files(&it.values, &mut used);
    }
    let unused = files.iter().filter(|(id, it)| !used.contains(id) && may_hold_values(it));
    let unused: Vec<FileId> = unused.map(|(id, _)| id).collect();
    if unused.is_empty() {
        return Vec::new();
    }
    let repository = Repository::new(files);
    let mut shown: Vec<(HashSet<FileId>, Release)> = Vec::new();
    for release in script::shown(&repository, &unused).into_iter().filter(Release::is_upstream) {
        let mut named = HashSet::new();
        add_files(&release.values, &mut named);
        shown.push((named, release));
    }
    let found = unused.into_iter().filter_map(|id| {
        let commands = shown.iter().filter(|it| it.0.contains(&id)).map(|it| &it.1);
        let commands: Vec<&Release> = commands.collect();
        // The values of other charts are not read for this.
        if commands.is_empty() && !is_placed(files.get(id)) {
            return None;
        }
        let value = repository.document(id, false).value.clone()?;
        // An object, or a pipeline, whose comment shows the command is not what the command is given.
        let has = |it: &&str| !value.get(it).is_missing();
        if ["apiVersion", "kind"].iter().all(&has) || PIPELINE.iter().any(has) {
            return None;
        }
        let release = match commands.as_slice() {
            [] => is_by_itself(files, files.get(id), &value).then(|| unnamed(files, id, &value))?,
            [first, others @ ..] => {
                let same = |it: &&Release| it.version.known() == first.version.known();
                let version = if others.iter().all(same) {
                    first.version.clone()
                } else {
                    ChartVersion::new(None, Pin::Elsewhere, value.span)
                };
                let own = unnamed(files, id, &value);
                let same = |it: &&Release| it.namespace.known() == first.namespace.known();
                let is_one = others.iter().all(same);
                let namespace = if is_one { &first.namespace } else { &own.namespace };
                Release {
                    namespace: namespace.clone(),
                    chart: Arc::clone(&first.chart),
                    repository: first.repository.clone(),
                    version,
                    ..own
                }
            }
        };
        Some(Release { values: value, ..release })
    });
    found.filter(|it| it.values.as_map().is_some()).collect()
}

/// A release of Karpenter's chart of which nothing is known but where its values are.
fn unnamed(files: &Files, id: FileId, value: &Value) -> Release {
    let place = value.entries().first().map_or(value.span, |it| it.key_span);
    let unit = Unit::new(Surface::Script, Value::map(Vec::new(), place));
    let scope = Scope::new(None, &files.get(id).folder().into());
    Release {
        chart: "karpenter".into(),
        has_external_values: true,
        reusable: true,
        subject: Some(Subject::default()),
        ..Release::new(Means::Tool(Arc::new(unit)), scope, place)
    }
}

/// The files in which some values are written.
fn add_files(value: &Value, found: &mut HashSet<FileId>) {
    for entry in value.entries() {
        add_files_of(entry, found);
    }
    value.items().iter().for_each(|it| add_files(it, found));
}

fn add_files_of(entry: &Entry, found: &mut HashSet<FileId>) {
    found.insert(entry.key_span.file);
    add_files(&entry.value, found);
}

/// Whether a file may be one of values for Karpenter's chart, by its name and some words.
fn may_hold_values(file: &SourceFile) -> bool {
    if FileKind::of(file.path()) != Some(FileKind::Yaml) || aside::of(file.path()).is_some() {
        return false;
    }
    let path = file.path().to_ascii_lowercase();
    let is_of_karpenter = path.contains("karpenter");
    // Any other file that names Karpenter was kept when it was read.
    let may_be = is_of_karpenter || (file.is_loaded() && file.name().contains("values"));
    let has = |text: &str, word: &str| memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    may_be && file.text_if(|text| WORDS.iter().any(|it| has(text, it))).is_some()
}

/// Whether a file that no command names holds values for Karpenter's chart: by its place, and by its keys.
fn is_by_itself(files: &Files, file: &SourceFile, value: &Value) -> bool {
    is_placed(file) && own_keys(value) >= ENOUGH && !is_of_local_chart(files, file.folder())
}

/// Whether a file is where values for Karpenter's chart are, or named as these.
fn is_placed(file: &SourceFile) -> bool {
    let (folder, name) = (file.folder(), file.name().to_ascii_lowercase());
    let is_named = name.contains("karpenter") && name.contains("values");
    let in_folder =
        folder.rsplit('/').next().is_some_and(|it| it.eq_ignore_ascii_case("karpenter"));
    is_named || in_folder
}

fn own_keys(value: &Value) -> usize {
    let annotations = value.at("serviceAccount.annotations");
    let has_role = !annotations.get("eks.amazonaws.com/role-arn").is_missing();
    let own = OWN.iter().filter(|it| !value.at(it).is_missing()).count();
    own + usize::from(has_role && !value.at("controller.resources").is_missing())
}

/// Whether a chart is in a folder, around it or below: the values may be for that one.
fn is_of_local_chart(files: &Files, folder: &str) -> bool {
    let around = outward(folder);
    let is_chart = |it: &str| {
        let path = if it.is_empty() { "Chart.yaml".to_owned() } else { format!("{it}/Chart.yaml") };
        files.find(&path).is_some()
    };
    let is_around = around.into_iter().any(is_chart);
    let is_inside = |it: &SourceFile| it.name() == "Chart.yaml" && is_below(it.folder(), folder);
    is_around || (!folder.is_empty() && files.iter().any(|(_, it)| is_inside(it)))
}
