//! Files of Karpenter's resources that nothing reads: beside others that Terraform reads or commands apply one by one,
//! or with the placeholders of a template below Terraform that does not read them.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::{
    model::left_out::{
        applied_singly::{AppliedSingly, Kinds, today},
        beside_chart::not_rendered,
        commented::read_in_comments,
        mention::{NamedPath, reader::is_yaml},
        twin::Twins,
        unapplied::Unapplied,
    },
    resolve::{kubernetes::Located, kustomize::Kustomize, release::Release},
    source::{FileId, Files, outward},
    version::Version,
};

/// How far above a template the Terraform is that would read it.
const LEVELS: usize = 3;
/// What begins a placeholder of Terraform's templates.
const PLACEHOLDER: &str = "${";

/// What files hold, and what Terraform reads of them.
pub(crate) struct Written<'a> {
    /// What is written in files.
    pub manifests: &'a [Located],
    /// What Terraform holds.
    pub held: &'a [Located],
    /// Whether manifests or charts mention Karpenter.
    pub mentions_karpenter: bool,
}

/// The files that Terraform does not read, each with the Terraform near it; something else may name them.
pub(super) fn unread<'f>(
    files: &'f Files,
    (kustomize, applied): (&Kustomize, &HashSet<&str>),
    (written, former): (&Written<'_>, FormerKinds),
) -> Vec<NamedPath<'f>> {
    let mut whole: BTreeMap<FileId, bool> = BTreeMap::new();
    let mut kinds = Kinds::new();
    for it in written.manifests {
        let file = it.object.value.span.file;
        *whole.entry(file).or_insert(true) &= it.object.is_of_karpenter();
        kinds.entry(file).or_default().insert(&it.object.kind);
    }
    let read: HashSet<FileId> = written
        .held
        .iter()
        .flat_map(|it| [it.object.value.span.file, it.object.report_span().file])
        .collect();
    let is_open = |it: &FileId| is_yaml(files.get(*it)) && !read.contains(it);
    let open: Vec<FileId> = whole
        .into_iter()
        .filter_map(|(it, is_whole)| is_whole.then_some(it))
        .filter(is_open)
        .collect();
    if open.is_empty() {
        return Vec::new();
    }
    kinds.retain(|it, _| open.binary_search(it).is_ok());
    let terraform = Terraform::of(files, written.held);
    let singly = AppliedSingly::of(files, &kinds);
    let twins = Twins::of(written.held, written.manifests);
    let (commented, beside_charts) = (read_in_comments(files), not_rendered(files, &open));
    let listed = kustomize.listings.values().flat_map(|it| &it.entries).map(String::as_str);
    let built: HashSet<&str> = listed.chain(applied.iter().copied()).collect();
    let is_built = |path: &str| outward(path).any(|it| built.contains(it));
    let named = |id: FileId| {
        let file = files.get(id);
        let by = terraform.beside.get(file.folder()).copied().map(Unapplied::Unread);
        let by = by.or_else(|| singly.beside(files, id, &kinds).map(Unapplied::BesideApplied));
        let by = by.or_else(|| twins.of_file(files, id).map(Unapplied::Twin));
        let by = by.or_else(|| former.successor(files, id, &kinds).map(Unapplied::Replaced));
        let by = by.or_else(|| commented.get(file.path()).copied().map(Unapplied::CommentedOut));
        let by = by.or_else(|| beside_charts.get(&id).copied().map(Unapplied::NotRendered));
        let above = || terraform.above(file.text(), file.folder()).map(Unapplied::Unread);
        let (folder, name, of) = (file.folder(), file.name(), by.or_else(above)?);
        Some(NamedPath { folder, name, of }).filter(|_| !is_built(file.path()))
    };
    open.into_iter().filter_map(named).collect()
}

/// What is known of the kinds that Karpenter has no longer.
#[derive(Clone, Copy)]
pub(crate) enum FormerKinds {
    /// No release that is installed has them.
    Gone,
    /// One may have them.
    Perhaps,
}

impl FormerKinds {
    /// Those of some releases of the controller.
    pub(crate) fn of<'r>(controllers: impl Iterator<Item = &'r Release>) -> Self {
        let mut versions = controllers.map(Release::exact_version).peekable();
        let is_later = |it: Option<Version>| it.is_some_and(|it| it >= Version::new(0, 33, 0));
        let is_seen = versions.peek().is_some();
        if is_seen && versions.all(is_later) { Self::Gone } else { Self::Perhaps }
    }

    /// The file beside one with nothing but former kinds that has what took their place.
    fn successor(self, files: &Files, id: FileId, kinds: &Kinds<'_>) -> Option<FileId> {
        let own = kinds.get(&id).filter(|_| matches!(self, Self::Gone))?;
        if own.iter().any(|it| today(it) == *it) {
            return None;
        }
        let folder = files.get(id).folder();
        let beside = kinds.iter().filter(|(it, _)| files.get(**it).folder() == folder);
        let with = |kind: &&str| beside.clone().find(|(_, it)| it.contains(today(kind)));
        let all: Option<Vec<FileId>> = own.iter().map(|it| Some(*with(it)?.0)).collect();
        all?.first().copied()
    }
}

/// The Terraform files near files of objects.
struct Terraform<'f> {
    /// By the folder of a file of Karpenter's resources, what reads that.
    beside: HashMap<&'f str, FileId>,
    /// One of each folder.
    folders: HashMap<&'f str, FileId>,
}

impl<'f> Terraform<'f> {
    fn of(files: &'f Files, held: &[Located]) -> Self {
        let reads = held.iter().filter(|it| it.object.is_of_karpenter()).map(|it| {
            let file = it.object.value.span.file;
            (file, it.header.file)
        });
        let reads = reads.filter(|(file, by)| file != by && is_yaml(files.get(*file)));
        let own = files.iter().filter(|(_, it)| it.ending() == "tf");
        Self {
            beside: reads.map(|(file, by)| (files.get(file).folder(), by)).collect(),
            folders: own.map(|(id, it)| (it.folder(), id)).collect(),
        }
    }

    /// What would read a template in that folder.
    fn above(&self, text: &str, folder: &str) -> Option<FileId> {
        let is_template = text.contains(PLACEHOLDER);
        let folders = outward(folder);
        folders.take(LEVELS).filter(|_| is_template).find_map(|it| self.folders.get(it).copied())
    }
}
