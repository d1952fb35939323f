//! What nothing applies: paths that an applied kustomization leaves out, although it lists others beside them,
//! files of Karpenter's resources that Terraform does not read, and modules that nothing calls and Terraform refuses.

mod applied_singly;
pub(super) mod mention;
pub(super) mod unread;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    iter::repeat,
    sync::Arc,
};

use crate::{
    findings::{Finding, subject::Subject},
    model::left_out::{
        mention::{NamedPath, Unapplied, commented_out, is_yaml, named},
        unread::{Written, unread},
    },
    resolve::{
        gitops::GitOps,
        kubernetes::names_karpenter_api,
        kustomize::{Kustomize, Listing},
        scope::Scope,
        terraform::Terraform,
    },
    source::{FileId, Files, SourceFile, Span, aside, is_below, join, outward, parent},
};

/// What Flux keeps of itself; it applies that before any kustomization is read.
const OF_FLUX: &str = "flux-system";
/// What kinds of objects install charts: in a file of its own each is applied by a kustomization or by hand.
const INSTALLERS: &[&str] = &["HelmRelease", "Application"];

/// The paths that nothing applies, each with why.
#[derive(Debug, Default)]
pub struct LeftOut {
    paths: HashMap<Arc<str>, Unapplied>,
    /// By the index of a root that Terraform refuses.
    refused: BTreeMap<usize, RefusedModule>,
}

/// A module that nothing calls, and that refers to what it does not declare.
#[derive(Debug)]
struct RefusedModule {
    folder: Arc<str>,
    /// The reference.
    place: Span,
    /// What it refers to.
    to: Arc<str>,
}

impl LeftOut {
    /// Finds them.
    pub(super) fn find(
        files: &Files,
        kustomize: &Kustomize,
        gitops: &GitOps,
        written: &Written<'_>,
    ) -> Self {
        let applied: HashSet<&str> = gitops.applied_folders().collect();
        let is_applied = |(folder, it): &(&Arc<str>, &Listing)| {
            applied.contains(&***folder) || !it.users.is_empty()
        };
        let holders: BTreeMap<&str, &Listing> = kustomize
            .listings
            .iter()
            .filter(is_applied)
            .map(|(folder, it)| (&**folder, it))
            .collect();
        let search = Search { files, kustomize, applied: &applied };
        let inside = members(files, &holders);
        let mut paths = unread(files, (kustomize, &applied), written);
        paths.extend(search.named_aside());
        let found: Vec<(&str, FileId)> = gitops.found_folders().collect();
        paths.extend(search.not_found(&found));
        paths.extend(gitops.folders_of_aside().filter_map(|(it, by)| search.applied_aside(it, by)));
        let commented: Vec<(String, &Listing)> = holders
            .iter()
            .flat_map(|(folder, it)| search.commented_out(folder, it).into_iter().zip(repeat(*it)))
            .collect();
        for (folder, listing) in &holders {
            let members = inside.get(folder).into_iter().flatten();
            paths.extend(members.filter_map(|it| search.unlisted(folder, listing, it)));
        }
        for (path, listing) in &commented {
            paths.extend(search.dropped(path, listing));
        }
        let named = named(files, &paths);
        let unnamed = paths.into_iter().enumerate().filter(|(it, _)| !named.contains(it));
        let paths = unnamed.map(|(_, it)| (it.path().into(), it.of)).collect();
        let mut found = Self { paths, refused: BTreeMap::new() };
        found.add_bases(kustomize, &applied);
        found
    }

    /// Adds the kustomizations that only such list as are left out or put aside.
    fn add_bases(&mut self, kustomize: &Kustomize, applied: &HashSet<&str>) {
        let why = |own: &Self, user: &str| {
            let file = kustomize.listings.get(user)?.file;
            let aside = aside::of_folder(user).map(|_| Unapplied::ByAside(file));
            aside.or_else(|| own.around(user).map(|it| *it.1))
        };
        loop {
            let mut more: Vec<(Arc<str>, Unapplied)> = Vec::new();
            for (folder, listing) in &kustomize.listings {
                let is_known = aside::of_folder(folder).is_some() || self.around(folder).is_some();
                if is_known || listing.users.is_empty() || applied.contains(&**folder) {
                    continue;
                }
                let all: Option<Vec<Unapplied>> =
                    listing.users.iter().map(|it| why(self, it)).collect();
                let of = all.and_then(|it| it.first().copied());
                more.extend(of.map(|it| (Arc::clone(folder), it)));
            }
            if more.is_empty() {
                break;
            }
            self.paths.extend(more);
        }
    }

    /// The same with the modules that nothing calls and Terraform refuses.
    pub(super) fn and_refused(mut self, terraform: &Terraform) -> Self {
        for (index, root) in terraform.roots.iter().enumerate() {
            let Some((place, to)) = root.undeclared.clone() else { continue };
            let folder = Arc::clone(&root.folder);
            self.refused.insert(index, RefusedModule { folder, place, to });
        }
        self
    }

    /// Why nothing applies what a finding is about, with the place that shows it.
    #[must_use]
    pub fn of_finding(&self, files: &Files, finding: &Finding) -> Option<(Span, String)> {
        let refused = |it: &Subject| self.refused.get(&it.root?);
        let file = files.get(finding.span.file);
        let is_code = matches!(file.ending(), "tf" | "tofu");
        let by_place = self.refused.values().find(|it| is_code && &*it.folder == file.folder());
        let all = finding.subjects.iter().map(refused).collect::<Option<Vec<_>>>();
        let found = by_place.or_else(|| all?.into_iter().next());
        if let Some(RefusedModule { place, to, .. }) = found {
            let words = format!("nothing calls this module, and it does not declare `{to}`");
            return Some((*place, words));
        }
        let (place, words) = self.by(files, finding.span.file)?;
        Some((place, words.to_owned()))
    }

    /// Why nothing applies what a file holds, with the place that shows it.
    fn by(&self, files: &Files, file: FileId) -> Option<(Span, &'static str)> {
        let (by, words) = match *self.around(files.get(file).path())?.1 {
            Unapplied::LeftOut(it) => (it, "this kustomization leaves it out"),
            Unapplied::Unread(it) => (it, "Terraform here does not read it, and nothing names it"),
            Unapplied::BesideApplied(it) => {
                (it, "this applies others beside it one by one, and nothing names it")
            }
            Unapplied::ByAside(it) => (it, "only this applies it, which is put aside"),
            Unapplied::NotFound(it) => (it, "this applies others like it, and not this"),
            Unapplied::NamedAside(it) => (it, "the name of this file says that it is not in use"),
            Unapplied::Sample => return None,
        };
        Some((Span::new(by, 0, 0), words))
    }

    /// Marks the scope of what is written in a file.
    pub(super) fn mark(&self, files: &Files, scope: &mut Scope, file: FileId) {
        if let Some(root) = scope.root {
            scope.left_out = self.refused.get(&root).map(|it| Arc::clone(&it.folder));
        } else if let Some((path, _)) = self.around(files.get(file).path())
            && (&**path == files.get(file).path() || is_below(&scope.folder, path))
        {
            scope.left_out = Some(Arc::clone(path));
        }
    }

    fn around(&self, path: &str) -> Option<(&Arc<str>, &Unapplied)> {
        outward(path).find_map(|it| self.paths.get_key_value(it))
    }
}

/// What lies directly in the folders of kustomizations: names of folders, and of files of objects.
fn members<'f>(
    files: &'f Files,
    holders: &BTreeMap<&str, &Listing>,
) -> BTreeMap<&'f str, BTreeSet<&'f str>> {
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    if holders.is_empty() {
        return found;
    }
    for (_, file) in files.iter().filter(|it| is_yaml(it.1)) {
        for inner in outward(file.path()).filter(|it| !it.is_empty()) {
            if holders.contains_key(parent(inner)) {
                found.entry(parent(inner)).or_default().insert(inner);
            }
        }
    }
    found
}

struct Search<'a> {
    files: &'a Files,
    kustomize: &'a Kustomize,
    /// The folders that tools are told to apply.
    applied: &'a HashSet<&'a str>,
}

impl<'a> Search<'a> {
    /// A path that a kustomization would list if it were applied.
    fn unlisted(&self, folder: &'a str, listing: &Listing, path: &'a str) -> Option<NamedPath<'a>> {
        let name = path.rsplit('/').next()?;
        let named = NamedPath { folder, name, of: Unapplied::LeftOut(listing.file) };
        let is_listed = listing.entries.iter().any(|it| is_below(it, path));
        if is_listed || name == OF_FLUX || self.is_applied_otherwise(listing, path, folder) {
            return None;
        }
        let is_commented_out = self.files.get(listing.file).skim(|it| named.is_commented_out(it));
        let siblings: Vec<&String> =
            listing.entries.iter().filter(|it| is_below(it, folder)).collect();
        let is_left_out = if let Some(file) = self.files.find(path) {
            let own = self.installs(file);
            let is_like =
                |it: &&String| self.files.find(it).and_then(|it| self.installs(it)) == own;
            let is_read_by_tool = || self.applied.contains(folder);
            is_commented_out || own.is_some() && (is_read_by_tool() || siblings.iter().any(is_like))
        } else {
            let is_folder = |it: &&String| self.files.find(it).is_none() || parent(it) != folder;
            is_commented_out
                || self.kustomize.folders.contains(path) && !siblings.is_empty()
                || siblings.iter().any(is_folder)
        };
        is_left_out.then_some(named)
    }

    /// What a kustomization lists in comments, of the files and kustomizations that are there, as paths from the root.
    fn commented_out(&self, folder: &str, listing: &Listing) -> BTreeSet<String> {
        let read = |text: &str| commented_out(text).filter_map(|it| join(folder, it)).collect();
        let mut paths: BTreeSet<String> = self.files.get(listing.file).skim(read);
        let is_there = |it: &str| {
            self.files.find(it).is_some_and(|it| is_yaml(self.files.get(it)))
                || self.kustomize.folders.contains(it)
        };
        paths.retain(|it| is_there(it) && !is_below(folder, it));
        paths
    }

    /// A path that a kustomization lists in a comment, wherever it lies, and no kustomization otherwise.
    fn dropped<'p>(&self, path: &'p str, listing: &Listing) -> Option<NamedPath<'p>> {
        let leads = |entry: &String| {
            is_below(entry, path)
                || is_below(path, entry) && !self.kustomize.folders.contains(entry.as_str())
        };
        let mut others = self.kustomize.listings.iter().filter(|(it, _)| !is_below(it, path));
        let is_listed = others.any(|(_, it)| it.entries.iter().any(leads));
        if is_listed || self.is_applied_otherwise(listing, path, parent(path)) {
            return None;
        }
        let name = path.rsplit('/').next()?;
        Some(NamedPath { folder: parent(path), name, of: Unapplied::LeftOut(listing.file) })
    }

    /// The files of objects that are not in use by their names, and that nothing lists.
    fn named_aside(&self) -> impl Iterator<Item = NamedPath<'a>> {
        let files = self.files.iter().filter(|(_, it)| is_yaml(it));
        let named = files.filter(|(_, it)| aside::is_file_named_aside(it.name()));
        let lists = |entry: &String, it: &SourceFile| is_below(it.path(), entry);
        let is_listed = move |it: &SourceFile| {
            let mut entries = self.kustomize.listings.values().flat_map(|it| &it.entries);
            self.applied.contains(it.folder()) || entries.any(|entry| lists(entry, it))
        };
        let idle = named.filter(move |(_, it)| !is_listed(it));
        idle.map(|(id, it)| {
            let of = Unapplied::NamedAside(id);
            NamedPath { folder: it.folder(), name: it.name(), of }
        })
    }

    /// The overlays that no `ApplicationSet` finds, although one finds others in the same folder, or several that lie
    /// like them.
    fn not_found(&self, found: &[(&str, FileId)]) -> Vec<NamedPath<'a>> {
        let mut beside: HashMap<&str, FileId> = HashMap::new();
        let mut alike: HashMap<(&str, &str), Vec<FileId>> = HashMap::new();
        for (folder, by) in found {
            beside.entry(parent(folder)).or_insert(*by);
            if let Some(place) = place_of(folder) {
                alike.entry(place).or_default().push(*by);
            }
        }
        let is_applied = |folder: &str| {
            let mut applied = self.applied.iter();
            applied.any(|it| is_below(folder, it) || is_below(it, folder))
        };
        let open = self.kustomize.listings.iter().filter(|(_, it)| it.users.is_empty());
        let not_found = open.filter_map(|(folder, _)| {
            let several = || match alike.get(&place_of(folder)?)?.as_slice() {
                [first, _, ..] => Some(*first),
                _ => None,
            };
            let by = beside.get(parent(folder)).copied().or_else(several)?;
            let name = folder.rsplit('/').next().filter(|it| !it.is_empty())?;
            let is_open = !is_applied(folder) && aside::of_folder(folder).is_none();
            let of = Unapplied::NotFound(by);
            is_open.then(|| NamedPath { folder: parent(folder), name, of })
        });
        not_found.collect()
    }

    /// A folder of plain files that only something put aside applies.
    fn applied_aside<'p>(&self, path: &'p str, by: FileId) -> Option<NamedPath<'p>> {
        let mut entries =
            self.kustomize.listings.iter().flat_map(|(folder, it)| {
                it.entries.iter().filter(move |_| !is_below(folder, path))
            });
        let is_met = |it: &str| is_below(it, path) || is_below(path, it);
        let is_used = self.files.find(&format!("{path}/Chart.yaml")).is_some()
            || self.applied.iter().any(|it| is_met(it))
            || entries.any(|it| is_met(it));
        let name = path.rsplit('/').next().filter(|it| !it.is_empty() && !is_used)?;
        Some(NamedPath { folder: parent(path), name, of: Unapplied::ByAside(by) })
    }

    /// Whether something else applies a path, or what lies below it belongs to the kustomization above as an overlay
    /// of it does.
    fn is_applied_otherwise(&self, listing: &Listing, path: &str, folder: &str) -> bool {
        let recurses = |it: &&str| is_below(path, it) && !self.kustomize.folders.contains(*it);
        let mut inside = self.kustomize.listings.iter().filter(|(it, _)| is_below(it, path));
        let crosses = |(_, it): (&Arc<str>, &Listing)| {
            it.users.iter().any(|it| !is_below(it, path))
                || it.entries.iter().any(|it| is_below(it, folder) && !is_below(it, path))
        };
        self.files.find(&format!("{path}/Chart.yaml")).is_some()
            || self.applied.iter().any(|it| is_below(it, path))
            || self.applied.iter().any(recurses)
            || listing.users.iter().any(|it| is_below(it, path))
            || inside.any(crosses)
    }

    /// The kind of object in a file that installs a chart, if all its objects are of one such kind.
    fn installs(&self, file: FileId) -> Option<&'static str> {
        self.files.get(file).skim(|text| {
            let kinds = text.lines().filter_map(|it| it.strip_prefix("kind:")).map(str::trim);
            let mut known = kinds.map(|it| INSTALLERS.iter().find(|known| **known == it));
            let first = known.next()??;
            known.all(|it| it == Some(first)).then_some(*first)
        })
    }
}

/// By what folders lie alike: `apps/ledger/overlays/live` lies as `apps/queue/overlays/test` does.
fn place_of(folder: &str) -> Option<(&str, &str)> {
    let (of, kind) = parent(folder).rsplit_once('/')?;
    Some((parent(of), kind))
}

/// Whether a file that is not left out speaks of Karpenter's API, given that one does.
pub(super) fn is_karpenter_mentioned(files: &Files, left_out: &LeftOut) -> bool {
    let is_read = |it: &SourceFile| matches!(it.ending(), "yaml" | "yml" | "json" | "tpl" | "tf");
    let mut rest = files.iter().map(|it| it.1).filter(|it| is_read(it) && it.is_loaded());
    left_out.paths.is_empty()
        || rest.any(|it| left_out.around(it.path()).is_none() && names_karpenter_api(it.text()))
}
