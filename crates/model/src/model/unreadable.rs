//! Which of the places that cannot be parsed are reported: each once, three for a file, and less where nobody
//! applies the file.

mod conflict;
mod fragment;
mod missing_mark;
#[cfg(test)]
mod tests;
mod unapplied;

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use memchr::memmem;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::{
    findings::{Severity, note::Note},
    model::{
        Model, node_pool,
        unreadable::{conflict::conflict, fragment::without_fragments, missing_mark::of_objects},
    },
    resolve::{
        gitops::GitOps, kubernetes::manifests::broken_workloads, release::Release,
        terraform::Terraform,
    },
    source::{FileId, Files, SourceFile, Span, aside::is_named_for_samples},
    syntax::{
        ParseError,
        shell::command_among_notes,
        yaml::{self, is_slash_comment},
    },
};

/// More places in one file say no more than that it is broken.
const MOST_IN_FILE: usize = 3;

/// Why a file is passed over that is no Terraform yet.
const TEMPLATE: &str = "a template that another program fills in before Terraform reads it";
/// What opens a mark of ERB, in which Terraspace fills in files: `name = <%= output('vpc.id') %>`.
const ERB: &str = "<%";
/// What opens a statement of Jinja, and what a mark of Cookiecutter, which uses it, begins with.
const JINJA: &str = "{% ";
const COOKIECUTTER: &[&str] = &["{{ cookiecutter.", "{{cookiecutter."];

impl Model {
    /// Keeps what cannot be read: of values, of manifests with workloads that no rule asks about, of what kustomizations
    /// list, and of what code holds.
    pub(super) fn find_errors(
        &mut self,
        files: &Files,
        (terraform, gitops): (&Terraform, &GitOps),
        read: (Vec<ParseError>, Vec<FileId>, Vec<(FileId, usize)>),
        (listed, of_code): (Vec<ParseError>, Vec<ParseError>),
    ) {
        let (manifests, with_workloads, sound) = read;
        let (fragments, manifests) = without_fragments(files, manifests);
        self.passed_over.extend(fragments);
        self.broken_pdbs = in_documents_of(files, &["PodDisruptionBudget"], &manifests);
        let of_values = of_values(files, &self.releases, terraform);
        let asked = if self.uses_karpenter { with_workloads } else { plain(files, with_workloads) };
        let workloads = broken_workloads(files, &asked, &manifests, &sound);
        let filled_in = |it: &&ParseError| is_filled_in(files.get(it.span.file));
        let (templates, own): (Vec<&ParseError>, Vec<&ParseError>) =
            terraform.parse_errors.iter().partition(filled_in);
        self.passed_over.extend(templates.iter().map(|it| (it.span.file, TEMPLATE)));
        let own = own.into_iter().cloned().collect();
        let (former, own) = unapplied::without_former_language(files, own);
        self.passed_over.extend(former);
        let own = unapplied::of_code(files, terraform, own);
        let manifests = manifests.into_iter().chain(workloads).collect();
        let manifests = unapplied::of_manifests(files, gitops, manifests);
        let all = own.into_iter().chain(manifests).chain(listed).chain(of_code);
        self.parse_errors = reported(files, all.chain(of_values));
        self.broken_pools = in_documents_of(files, &POOLS, &self.parse_errors);
    }
}

/// Whether another program fills in a file of Terraform first.
fn is_filled_in(file: &SourceFile) -> bool {
    let text = file.text();
    [ERB, JINJA].iter().chain(COOKIECUTTER).any(|it| text.contains(it))
}

/// Names of folders whose files are tried, shown or filled in, and not applied as they are.
const NOT_APPLIED: [&str; 14] = [
    "test",
    "tests",
    "testing",
    "testdata",
    "test-data",
    "e2e",
    "fixtures",
    "doc",
    "docs",
    "snippets",
    "templates",
    "template",
    "invalid",
    "broken",
];
/// What begins a mark of a template.
const MARKS: [&str; 3] = ["{{", "${", ERB];

/// The files of manifests that are surely meant to be applied as they are, where nothing of Karpenter asks for them.
fn plain(files: &Files, all: Vec<FileId>) -> Vec<FileId> {
    all.into_par_iter().filter(|it| is_plain(files.get(*it))).collect()
}

fn is_plain(file: &SourceFile) -> bool {
    let is_for_others = |it: &str| NOT_APPLIED.contains(&it.to_lowercase().as_str());
    let is_marked =
        |text: &str| MARKS.iter().any(|it| memmem::find(text.as_bytes(), it.as_bytes()).is_some());
    let is_marked_file = || file.brief(|_| true).is_some_and(|it| is_marked(&it.text));
    !file.folder().split('/').any(is_for_others) && !is_marked_file()
}

/// What cannot be read of the descriptions of charts, which Helm takes as they are. Those that another tool may fill in
/// first, only where nothing can make YAML of them.
fn of_chart_descriptions(files: &Files) -> Vec<ParseError> {
    let descriptions = files.iter().filter(|(_, it)| it.name() == "Chart.yaml" && it.is_loaded());
    let errors = descriptions.flat_map(|(id, file)| {
        let plain = is_plain(file);
        let errors = yaml::parse_file(id, file.text()).parse_errors;
        errors.into_iter().filter(move |it| plain || is_slash_comment(&it.message))
    });
    errors.filter(|it| it.severity == Severity::Error).collect()
}

/// The kinds that make nodes.
const POOLS: [&str; 2] = ["NodePool", "Provisioner"];

/// The places that cannot be read in documents of some kinds, each with the folder of its file.
fn in_documents_of(files: &Files, kinds: &[&str], errors: &[ParseError]) -> Vec<(Arc<str>, Span)> {
    let is_its = |it: &&ParseError| {
        let text = files.get(it.span.file).text();
        let at = (it.span.start as usize).min(text.len());
        let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
        let start = before.rfind("\n---").unwrap_or_default();
        let end = after.find("\n---").map_or(text.len(), |it| at + it);
        text.get(start..end).is_some_and(|it| kinds.iter().any(|kind| it.contains(kind)))
    };
    let errors = errors.iter().filter(|it| it.severity == Severity::Error).filter(is_its);
    errors.map(|it| (Arc::from(files.get(it.span.file).folder()), it.span)).collect()
}

/// What cannot be read of the values of releases. In those of a release that its inputs switch off, what is
/// interpolated is chosen by the same inputs: they are not read in a state in which it does not exist.
fn of_values(files: &Files, releases: &[Release], terraform: &Terraform) -> Vec<ParseError> {
    let off = node_pool::switched_off(terraform);
    let exists = |it: &Release| {
        let resource = it.scope.root.zip(it.code().map(|it| it.node));
        resource.is_none_or(|it| !off.contains(&it))
    };
    let errors = releases.iter().flat_map(|release| {
        let exists = exists(release);
        let errors = release.parse_errors.iter();
        errors.filter(move |it| exists || !is_interpolated(files, it))
    });
    errors.cloned().map(|it| of_template(files, it)).collect()
}

/// The same, with what is wrong about a line that begins with a mark of templates.
fn of_template(files: &Files, mut error: ParseError) -> ParseError {
    let file = files.get(error.span.file);
    let line = file.slice(file.line_range(file.line_of(error.span.start as usize)));
    if error.severity == Severity::Error && line.trim_start().starts_with("{{") {
        "Helm fills in no templates in values, and refuses this line"
            .clone_into(&mut error.message);
    }
    error
}

/// Whether a place lies within `${ … }` of its line.
fn is_interpolated(files: &Files, error: &ParseError) -> bool {
    let file = files.get(error.span.file);
    let at = error.span.start as usize;
    let start = file.line_range(file.line_of(at)).start;
    let before = file.slice(start..at);
    let opened = before.rfind("${");
    opened.is_some_and(|it| !before.get(it..).unwrap_or_default().contains('}'))
}

/// What is reported of all that cannot be read, in descriptions of charts as well.
fn reported(files: &Files, errors: impl Iterator<Item = ParseError>) -> Vec<ParseError> {
    let mut by_file: BTreeMap<FileId, Vec<ParseError>> = BTreeMap::new();
    // Other notes are about templates, which are listed as skipped.
    let is_told = |it: &ParseError| it.severity > Severity::Note || it.is_duplicate_key();
    let errors = errors.chain(of_chart_descriptions(files)).map(|it| of_code(files, it));
    for error in errors.filter(is_told) {
        by_file.entry(error.span.file).or_default().push(error);
    }
    by_file.into_iter().flat_map(|(file, errors)| of_file(files, file, errors)).collect()
}

/// The same: Terraform and Terragrunt take the last of two keys without complaint, which is worth a look where it is about
/// Karpenter.
fn of_code(files: &Files, mut error: ParseError) -> ParseError {
    let file = files.get(error.span.file);
    let is_code = matches!(file.ending(), "tf" | "tofu" | "tfvars" | "hcl");
    let is_taken = error.severity == Severity::Warning && error.is_duplicate_key();
    if is_code && is_taken && !names_karpenter(file.text()) {
        error.severity = Severity::Note;
    }
    error
}

fn names_karpenter(text: &str) -> bool {
    ["karpenter", "Karpenter", "KARPENTER"]
        .iter()
        .any(|it| memmem::find(text.as_bytes(), it.as_bytes()).is_some())
}

fn of_file(files: &Files, file: FileId, mut errors: Vec<ParseError>) -> Vec<ParseError> {
    // A file that several read is as broken as for the one that takes it hardest.
    errors.sort_by_key(|it| (it.span, std::cmp::Reverse(it.severity)));
    errors.dedup_by_key(|it| it.span);
    let errors = of_objects(files.get(file), errors);
    let worst = errors.iter().map(|it| it.severity).max().unwrap_or(Severity::Note);
    let of_conflict = conflict(file, files.get(file), worst);
    let mut errors = of_conflict.map_or_else(|| joined(files, errors), |it| vec![it]);
    if let Some(more) = errors.len().checked_sub(MOST_IN_FILE).filter(|it| *it > 0) {
        errors.truncate(MOST_IN_FILE);
        if let Some(last) = errors.last_mut() {
            let message = format!("{more} more in this file");
            last.notes.push(Note { span: last.span, message });
        }
    }
    let notes = commands_in(files.get(file));
    if let (Some(place), [first, ..]) = (notes.clone(), &mut *errors) {
        let message = "a command for a shell: these are somebody's notes".to_owned();
        first.notes = vec![Note { span: Span::new(file, place.start, place.end), message }];
        errors.truncate(1);
    }
    let own = files.get(file);
    if notes.is_some() || is_example(own) || is_applied_by_nobody(files, own) {
        for error in &mut errors {
            error.severity = Severity::Note;
        }
    }
    errors
}

/// The first command in what is named as a manifest.
fn commands_in(file: &SourceFile) -> Option<Range<usize>> {
    let is_manifest = matches!(file.ending(), "yaml" | "yml");
    command_among_notes(file.text()).filter(|_| is_manifest)
}

/// Keys of one mapping that are written twice are one mistake, and so are those of a block that is pasted twice, one
/// below the other: the first of the worst stands for all.
fn joined(files: &Files, errors: Vec<ParseError>) -> Vec<ParseError> {
    let line = |it: &ParseError| files.get(it.span.file).line_of(it.span.start as usize);
    let mut joined: Vec<ParseError> = Vec::new();
    let mut last_line = 0;
    for error in errors {
        let own = line(&error);
        let last = joined.len();
        let mut earlier = joined.iter_mut().enumerate().rev();
        let is_same_mistake = |(at, it): &(usize, &mut ParseError)| {
            let is_near = at + 1 == last && own <= last_line + 1;
            let is_beside = error.within.is_some() && it.within == error.within;
            it.is_duplicate_key() && (is_near || is_beside)
        };
        let same = earlier.find(is_same_mistake).filter(|_| error.is_duplicate_key());
        match same {
            Some((_, first)) => first.join(error),
            None => joined.push(error),
        }
        last_line = own;
    }
    joined
}

/// Folders for the tools of a repository and of its editors.
const TOOLS: &[&str] =
    &[".github", ".gitlab", ".circleci", ".devcontainer", ".vscode", ".idea", ".zed", ".fleet"];

/// Whether a file is Terraform's in a folder of examples and not about Karpenter: who takes it fills it in first.
fn is_example(file: &SourceFile) -> bool {
    let is_code = matches!(file.ending(), "tf" | "tofu" | "tfvars" | "hcl");
    is_code && file.folder().split('/').any(is_named_for_samples) && !names_karpenter(file.text())
}

/// Folders of what tests of a program read.
const TEST_DATA: &[&str] = &["testdata", "testfixtures"];

/// Whether a file is for readers, for editors, for tests or for what runs on the repository, is a JSON schema, what Rancher
/// asks before it installs the chart beside it, or an object beside `Chart.yaml`, where Helm reads none: no cluster
/// gets it.
fn is_applied_by_nobody(files: &Files, file: &SourceFile) -> bool {
    let (path, folder, name) = (file.path(), file.folder(), file.name());
    let is_of_chart =
        || files.find(format!("{folder}/Chart.yaml").trim_start_matches('/')).is_some();
    let is_object = || file.text().lines().any(|it| it.starts_with("kind:"));
    if (matches!(name, "questions.yaml" | "questions.yml") || is_object()) && is_of_chart() {
        return true;
    }
    let is_data = |it: &str| TEST_DATA.contains(&&*it.to_ascii_lowercase().replace(['-', '_'], ""));
    path.split('/').any(|it| TOOLS.contains(&it))
        || folder.split('/').any(is_data)
        || name == "schema.json"
        || name.ends_with(".schema.json")
}
