//! The Kubernetes objects of the YAML and JSON files of a project.

use std::{ops::Range, sync::Arc};

use memchr::memmem;
use rayon::prelude::*;

use crate::{
    findings::subject::Subject,
    hash::HashSet,
    knowledge,
    resolve::{
        cloudformation,
        kubernetes::{
            Located, Object, SCHEMAS,
            answer::is_answer,
            kept::is_kept,
            names_karpenter_api, objects,
            pdb_needs::{self, PdbNeeds},
            prune::{self, prune},
            template::is_template,
            worth::{is_foreign, may_hold_objects},
        },
        pulumi,
        scope::ClusterTarget,
    },
    source::{FileId, Files, Span, words::Words},
    syntax::{
        Documents, ParseError, json, shell,
        yaml::{self, KeptOf, Omission},
    },
    value::{Text, Value},
};

/// What the YAML and JSON files of a project hold.
#[derive(Clone, Debug, Default)]
pub struct Manifests {
    /// The objects rules may ask about, in the order of files and documents.
    pub objects: Vec<Located>,
    /// What could not be read.
    pub parse_errors: Vec<ParseError>,
    /// The objects of `GitOps` tools.
    pub of_tools: Vec<Located>,
    /// The files that were looked at.
    pub files: Vec<FileId>,
    /// Files that are no YAML before some other tool fills them in.
    pub templates: Vec<FileId>,
    /// The files with workloads that no rule asks about for themselves.
    pub with_workloads: Vec<FileId>,
    /// Files with what a cluster answered to `kubectl get -o yaml`.
    pub answers: Vec<FileId>,
    /// Whether any file names Karpenter's API.
    pub mentions_karpenter: bool,
    /// Where documents begin that were read without anything to complain about.
    pub sound: Vec<(FileId, usize)>,
}

/// Words without which no document can matter. A document with none of them is not parsed, nor is a
/// file.
const WORDS: &[&str] = &[
    "StatefulSet",
    "DaemonSet",
    "PodDisruptionBudget",
    "persistentVolumeClaim",
    "PersistentVolume",
    "StorageClass",
    "karpenter",
    "karplint",
    "RabbitmqCluster",
    "coredns",
    "/cluster-autoscaler",
    "metrics-server",
    "cert-manager",
    "external-dns",
    "external-secrets",
    "aws-load-balancer-controller",
    "snapshot-controller",
    "csi-controller",
    "tolerations",
    "nodeSelector",
    "nodeAffinity",
    // The cluster's own policies: nothing looks for them unless a file names them.
    "ValidatingAdmissionPolicy",
];

/// Words of what makes pods that no rule asks about for itself.
const WORKLOADS: &[&str] = &["Deployment", "ReplicaSet", "Rollout", "Job", "kind: Pod", "\"Pod\""];

/// The objects of other tools that are wanted too.
#[derive(Clone, Copy, Debug)]
pub struct Tools {
    /// Words of which each such object holds one.
    pub words: &'static [&'static str],
    /// Whether an object is one of theirs.
    pub own: fn(&Object) -> bool,
    /// Whether everything that makes pods is read, also what no rule asks about.
    pub all_workloads: bool,
}

/// Reads the Kubernetes objects of all YAML and JSON files, several files at a time. A document is parsed
/// once for all users of its objects. Where that finds PDBs, the documents are read too that only a PDB
/// requires; only their files are opened again.
#[must_use]
pub fn read(files: &Files, paths: &[FileId], tools: Tools) -> Manifests {
    let groups = knowledge::operator::operators().iter().map(|it| it.group.as_str());
    let workloads = if tools.all_workloads { WORKLOADS } else { &[] };
    let words = WORDS.iter().chain(tools.words).chain(workloads).copied().chain(groups);
    let words = Words::new(words);
    let first = |it: &str| words.any_in(it);
    let counted = pdb_needs::words();
    let later = |it: &str| counted.any_in(it);
    let wanted = TextFilter { file: &first, document: &first, later: &later };
    let (mut all, paths) = read_some(files, paths, tools, &wanted);
    if let Some(needs) = PdbNeeds::new(&all.objects) {
        let file = |it: &str| needs.wants(it);
        let document = |it: &str| file(it) && !first(it);
        let wanted = TextFilter { file: &file, document: &document, later: &|_| false };
        all.extend(read_some(files, &paths, tools, &wanted).0);
        let place = |it: &Located| (it.object.value.span.file, it.object.value.span.start);
        all.objects.sort_by_cached_key(place);
        all.templates.sort_unstable();
        all.templates.dedup();
    }
    all
}

/// Every object of the YAML and JSON files, whole, with the templates of `CloudFormation`. Nothing is said of what
/// cannot be read.
#[must_use]
pub fn every(files: &Files, paths: &[FileId]) -> Vec<Located> {
    let words =
        Words::new(["apiVersion"].into_iter().chain(cloudformation::WORDS).chain(pulumi::WORDS));
    let wanted = |it: &str| words.any_in(it);
    let read = |file: &FileId| -> Vec<Located> {
        let text = files.get(*file).shared_text();
        let documents = parse(files, (*file, &text), &wanted, (None, None));
        let found = documents.values.iter().flat_map(objects_or_template);
        found.map(|it| located(files, it)).collect()
    };
    let wanted = |it: &&FileId| files.get(**it).text_if(wanted).is_some();
    paths.par_iter().filter(wanted).flat_map_iter(read).collect()
}

/// The objects of a document, or the template that it is.
fn objects_or_template(document: &Value) -> Vec<Object> {
    let template = without_kind(document);
    let is_stack = cloudformation::is_template(&template)
        || pulumi::is_program(&template)
        || pulumi::is_output(&template);
    if is_stack { vec![template] } else { objects(document) }
}

/// Which texts are worth parsing.
struct TextFilter<'a> {
    /// Whether a file may hold such a document.
    file: &'a (dyn Fn(&str) -> bool + Sync),
    document: &'a (dyn Fn(&str) -> bool + Sync),
    /// Whether a file may be wanted when more is known.
    later: &'a (dyn Fn(&str) -> bool + Sync),
}

/// Reads the documents that are wanted, and returns the files that may be wanted later.
fn read_some(
    files: &Files,
    paths: &[FileId],
    tools: Tools,
    wanted: &TextFilter,
) -> (Manifests, Vec<FileId>) {
    let read = |file: &FileId| {
        let (mut later, mut others) = (false, false);
        let source = files.get(*file);
        let brief = source.brief(|it| {
            later = (wanted.later)(it);
            others = !tools.all_workloads && is_workload(it);
            (wanted.file)(it)
        });
        let found = brief.map(|it| {
            let found = read_file(files, (*file, &it.text), wanted, tools);
            source.forget(&it, &found.place());
            found
        });
        (found, later, others)
    };
    let parts: Vec<(Option<Manifests>, bool, bool)> = paths.par_iter().map(read).collect();
    let mut all = Manifests::default();
    let found = parts.iter().filter_map(|it| it.0.as_ref());
    all.objects.reserve_exact(found.map(|it| it.objects.len()).sum());
    let mut again = Vec::new();
    for ((part, later, others), file) in parts.into_iter().zip(paths) {
        all.extend(part.unwrap_or_default());
        all.with_workloads.extend(others.then_some(*file));
        again.extend(later.then_some(*file));
    }
    (all, again)
}

impl Manifests {
    /// The bytes of their file in which its objects are written.
    fn place(&self) -> Range<usize> {
        let places = self.objects.iter().chain(&self.of_tools).map(|it| it.object.value.span);
        places.reduce(Span::to).map_or(0..0, Span::range)
    }

    /// Leaves out the objects of some files.
    pub fn leave_out(&mut self, is_left_out: impl Fn(FileId) -> bool) {
        let is_kept = |it: &Located| !is_left_out(it.object.value.span.file);
        self.objects.retain(is_kept);
        self.of_tools.retain(is_kept);
    }

    /// Leaves out what a cluster answered, in files for which that is asked, where anything else is written: it is no
    /// source of the cluster. Tells which files that concerns, and what objects they hold.
    pub fn leave_out_answers(
        &mut self,
        is_asked: impl Fn(FileId) -> bool,
    ) -> (Vec<FileId>, Vec<Located>) {
        let mut answers = std::mem::take(&mut self.answers);
        answers.retain(|it| is_asked(*it));
        let is_answer = |it: &Located| answers.contains(&it.object.value.span.file);
        if self.objects.iter().chain(&self.of_tools).all(is_answer) {
            return Default::default();
        }
        let held = self.objects.iter().filter(|it| is_answer(it)).cloned().collect();
        self.leave_out(|it| answers.contains(&it));
        (answers, held)
    }

    fn extend(&mut self, part: Self) {
        self.answers.extend(part.answers);
        self.objects.extend(part.objects);
        self.of_tools.extend(part.of_tools);
        self.parse_errors.extend(part.parse_errors);
        self.templates.extend(part.templates);
        self.mentions_karpenter |= part.mentions_karpenter;
        self.sound.extend(part.sound);
    }
}

/// What cannot be read of workloads in some files, besides the errors that are known and in documents that are not
/// known to be sound. A file that begins like a manifest and ends in the middle is one, too.
#[must_use]
pub fn broken_workloads(
    files: &Files,
    some: &[FileId],
    known: &[ParseError],
    sound: &[(FileId, usize)],
) -> Vec<ParseError> {
    let sound: HashSet<&(FileId, usize)> = sound.iter().collect();
    let known: HashSet<Span> = known.iter().map(|it| it.span).collect();
    let broken = |file: &FileId| {
        let source = files.get(*file);
        if source.ending() == "json" {
            return Vec::new();
        }
        let brief = source.brief(|_| true);
        let found = brief.map(|it| {
            source.forget(&it, &(0..0));
            broken_in((*file, &it.text), |at| sound.contains(&(*file, at)))
        });
        found.unwrap_or_default()
    };
    let all = some.par_iter().flat_map_iter(broken);
    all.filter(|it| !known.contains(&it.span)).collect()
}

/// The same of one file.
fn broken_in((id, text): (FileId, &Arc<str>), is_sound: impl Fn(usize) -> bool) -> Vec<ParseError> {
    if shell::begins_with_document(text) {
        return Vec::new();
    }
    let (written, whole) = whole_text(id, text);
    let errors = yaml::problems(&written, whole, |it, at| !is_sound(at) && is_workload(it));
    if is_template(text, &errors) { Vec::new() } else { errors }
}

/// What makes pods that no rule asks about for itself.
const OTHER_WORKLOADS: &[&str] = &["Deployment", "CronJob", "Job", "Pod", "ReplicaSet"];

/// Whether a text has a line that names such a kind at its top.
fn is_workload(text: &str) -> bool {
    let kind = |at: usize| {
        let line = text.get(at..)?.lines().next()?;
        Some(line.strip_prefix("kind:")?.trim().trim_matches('"'))
    };
    let inside = memmem::find_iter(text.as_bytes(), b"\nkind:").map(|it| it + 1);
    let mut kinds = [0].into_iter().chain(inside).filter_map(kind);
    kinds.any(|it| OTHER_WORKLOADS.contains(&it))
}

fn read_file(
    files: &Files,
    (id, text): (FileId, &Arc<str>),
    wanted: &TextFilter,
    tools: Tools,
) -> Manifests {
    let file = files.get(id);
    let is_wanted = |it: &str| (wanted.document)(it) && !is_foreign(it);
    if file.ending() == "json" && !((wanted.document)(text) && may_hold_objects(text)) {
        return Manifests::default();
    }
    // It is read as a script.
    if shell::begins_with_document(text) {
        return Manifests::default();
    }
    let how = (Some(&SCHEMAS), Some(prune::kept as KeptOf));
    let documents = parse(files, (id, text), &is_wanted, how);
    let is_answer = is_answer(&documents.values);
    let found = documents.values.iter().flat_map(|it| {
        let objects = objects(it);
        if objects.is_empty() { vec![without_kind(it)] } else { objects }
    });
    let kept = found.filter(|it| is_kept(it) || (tools.own)(it) || names_key(text, it));
    let (of_tools, mut own): (Vec<Object>, Vec<Object>) = kept.partition(tools.own);
    // What is pruned must not be shared with the document.
    drop(documents.values);
    own.iter_mut().for_each(prune);
    let template = is_template(text, &documents.parse_errors);
    // Editors and compilers comment their JSON, and people keep what a command printed: that is no manifest.
    let foreign = file.ending() == "json" && !text.contains("apiVersion");
    let foreign = foreign
        && (!text.trim_start().starts_with(['{', '['])
            || documents.parse_errors.iter().any(|it| it.message == json::NO_COMMENTS));
    Manifests {
        objects: own.into_iter().map(|it| located(files, it)).collect(),
        of_tools: of_tools.into_iter().map(|it| located(files, it)).collect(),
        parse_errors: if template || foreign { Vec::new() } else { documents.parse_errors },
        templates: if template { vec![id] } else { Vec::new() },
        answers: if is_answer { vec![id] } else { Vec::new() },
        mentions_karpenter: names_karpenter_api(text),
        sound: documents.sound.into_iter().map(|it| (id, it)).collect(),
        ..Manifests::default()
    }
}

/// The documents of a file: of YAML those that are wanted, and of these what is not left out.
fn parse(
    files: &Files,
    (id, text): (FileId, &Arc<str>),
    wanted: &dyn Fn(&str) -> bool,
    (omission, kept): (Option<&'static Omission>, Option<KeptOf>),
) -> Documents {
    let (written, whole) = whole_text(id, text);
    match files.get(id).ending() {
        "json" => json::parse(&written, whole),
        _ => yaml::parse_some(&written, whole, wanted, omission, kept),
    }
}

/// The text of a file, and its place.
fn whole_text(id: FileId, text: &Arc<str>) -> (Text, Span) {
    let whole = Span::new(id, 0, text.len());
    (Text::verbatim(Arc::clone(text), whole), whole)
}

/// An object of a file, where it belongs.
fn located(files: &Files, object: Object) -> Located {
    let folder = files.get(object.value.span.file).folder().into();
    Located {
        header: object.report_span(),
        object,
        root: None,
        node: None,
        folder,
        cluster: ClusterTarget::Only,
        is_off: false,
        holder: Subject::default(),
        part: None,
    }
}

/// Whether an object of whatever kind may tolerate a taint by which Karpenter drains, or has one of its
/// annotations for pods.
fn names_key(text: &str, object: &Object) -> bool {
    let written = text.get(object.value.span.range()).unwrap_or_default();
    let has = |word: &str| memmem::find(written.as_bytes(), word.as_bytes()).is_some();
    has("karpenter.sh/disrupt") || has("karpenter.sh/do-not-")
}

/// A document that is no object, such as the jobs of a CI system, as one of no kind.
fn without_kind(document: &Value) -> Object {
    Object { api_version: Arc::default(), kind: Arc::default(), value: document.clone() }
}
