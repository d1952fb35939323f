//! What a kustomization, an Application or an `ApplicationSet` leaves out beside what it applies.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use crate::{
    model::left_out::{
        mention::{NamedPath, commented_out, reader::is_yaml},
        unapplied::Unapplied,
    },
    resolve::{
        gitops::AppliedFolder,
        kustomize::{Kustomize, Listing},
    },
    source::{FileId, Files, SourceFile, aside, is_below, join, outward, parent},
};

/// What Flux keeps of itself; it applies that before any kustomization is read.
const OF_FLUX: &str = "flux-system";
/// What kinds of objects install something, or say where that comes from: in a file of its own each is applied by a
/// kustomization or by hand.
const INSTALLERS: &[&str] =
    &["HelmRelease", "Application", "Kustomization", "HelmRepository", "OCIRepository"];

/// What lies directly in the folders of kustomizations: names of folders, and of files of objects.
pub(super) fn members<'f>(
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

/// The folders that tools are told to apply.
pub(super) struct Applied<'a> {
    /// All of them.
    pub folders: HashSet<&'a str>,
    /// Those that only Flux applies: it enters what lies below, up to the next kustomizations.
    of_flux: HashSet<&'a str>,
    /// All of them, with what applies them.
    all: Vec<AppliedFolder<'a>>,
    /// Those of Applications that leave files out.
    partly: Vec<AppliedFolder<'a>>,
}

impl<'a> Applied<'a> {
    pub(super) fn new(folders: &[AppliedFolder<'a>]) -> Self {
        let (layers, sources): (Vec<AppliedFolder<'a>>, Vec<AppliedFolder<'a>>) =
            folders.iter().partition(|it| it.is_of_flux());
        let mut of_flux: HashSet<&str> = layers.iter().map(|it| it.path).collect();
        for it in &sources {
            of_flux.remove(it.path);
        }
        let partly = sources.into_iter().filter(AppliedFolder::is_in_part).collect();
        let paths = folders.iter().map(|it| it.path).collect();
        Self { folders: paths, of_flux, all: folders.to_vec(), partly }
    }

    /// Whether one of them is a folder, or Flux comes to it from one above.
    pub(super) fn reaches(&self, kustomize: &Kustomize, folder: &str) -> bool {
        self.folders.contains(folder)
            || outward(parent(folder))
                .take_while(|it| !kustomize.folders.contains(*it))
                .any(|it| self.of_flux.contains(it))
    }
}

/// Looks for what nothing applies.
pub(super) struct Search<'a> {
    pub files: &'a Files,
    pub kustomize: &'a Kustomize,
    pub applied: &'a Applied<'a>,
}

impl<'a> Search<'a> {
    /// A path that a kustomization would list if it were applied.
    pub(super) fn unlisted(
        &self,
        folder: &'a str,
        listing: &Listing,
        path: &'a str,
    ) -> Option<NamedPath<'a>> {
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
            let is_read_by_tool = || self.applied.reaches(self.kustomize, folder);
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
    pub(super) fn commented_out(&self, folder: &str, listing: &Listing) -> BTreeSet<String> {
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
    pub(super) fn dropped<'p>(&self, path: &'p str, listing: &Listing) -> Option<NamedPath<'p>> {
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
    pub(super) fn named_aside(&self) -> impl Iterator<Item = NamedPath<'a>> {
        let files = self.files.iter().filter(|(_, it)| is_yaml(it));
        let named = files.filter(|(_, it)| aside::is_file_named_aside(it.name()));
        let lists = |entry: &String, it: &SourceFile| is_below(it.path(), entry);
        let is_listed = move |it: &SourceFile| {
            let mut entries = self.kustomize.listings.values().flat_map(|it| &it.entries);
            self.applied.folders.contains(it.folder()) || entries.any(|entry| lists(entry, it))
        };
        let idle = named.filter(move |(_, it)| !is_listed(it));
        idle.map(|(id, it)| {
            let of = Unapplied::NamedAside(id);
            NamedPath { folder: it.folder(), name: it.name(), of }
        })
    }

    /// The overlays that no `ApplicationSet` finds, although one finds others in the same folder, or several that lie
    /// like them.
    pub(super) fn not_found(&self, found: &[(&str, FileId)]) -> Vec<NamedPath<'a>> {
        let mut beside: HashMap<&str, FileId> = HashMap::new();
        let mut alike: HashMap<(&str, &str), Vec<FileId>> = HashMap::new();
        for (folder, by) in found {
            beside.entry(parent(folder)).or_insert(*by);
            if let Some(place) = place_of(folder) {
                alike.entry(place).or_default().push(*by);
            }
        }
        let is_applied = |folder: &str| {
            let mut applied = self.applied.folders.iter();
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

    /// The files that an Application leaves out of the folder that it applies.
    pub(super) fn excluded(&self) -> impl Iterator<Item = NamedPath<'a>> {
        let listed = || self.kustomize.listings.values().flat_map(|it| &it.entries);
        let partly = &self.applied.partly;
        let files = self.files.iter().map(|it| it.1);
        let files = files.filter(move |it| !partly.is_empty() && is_yaml(it));
        let of = move |it: &'a SourceFile| {
            let path = it.path();
            let by = partly.iter().find(|it| it.excludes(path))?.by;
            let is_applied = self.applied.all.iter().any(|it| it.holds(path))
                || listed().any(|it| is_below(path, it));
            let of = Unapplied::Excluded(by);
            (!is_applied).then_some(NamedPath { folder: it.folder(), name: it.name(), of })
        };
        files.filter_map(of)
    }

    /// A folder of plain files that only something applies which nothing applies.
    pub(super) fn applied_by_idle<'p>(
        &self,
        path: &'p str,
        of: Unapplied,
    ) -> Option<NamedPath<'p>> {
        let mut entries =
            self.kustomize.listings.iter().flat_map(|(folder, it)| {
                it.entries.iter().filter(move |_| !is_below(folder, path))
            });
        let is_met = |it: &str| is_below(it, path) || is_below(path, it);
        let is_used = self.files.find(&format!("{path}/Chart.yaml")).is_some()
            || self.applied.folders.iter().any(|it| is_met(it))
            || entries.any(|it| is_met(it));
        let name = path.rsplit('/').next().filter(|it| !it.is_empty() && !is_used)?;
        Some(NamedPath { folder: parent(path), name, of })
    }

    /// Whether something else applies a path, or what lies below it belongs to the kustomization above as an overlay
    /// of it does.
    fn is_applied_otherwise(&self, listing: &Listing, path: &str, folder: &str) -> bool {
        let is_entered = |it: &str| {
            let between = outward(parent(path)).take_while(|inner| *inner != it);
            let mut ends = between.filter(|it| self.kustomize.folders.contains(*it));
            !self.applied.of_flux.contains(it) || ends.next().is_none()
        };
        // Argo CD enters no folder below plain files unless it is told to: `path: .` applies what lies at the top.
        let recurses = |it: &AppliedFolder<'_>| {
            (it.holds(path) || it.is_in_part() && is_below(path, it.path))
                && !self.kustomize.folders.contains(it.path)
                && is_entered(it.path)
        };
        let mut inside = self.kustomize.listings.iter().filter(|(it, _)| is_below(it, path));
        let crosses = |(_, it): (&Arc<str>, &Listing)| {
            it.users.iter().any(|it| !is_below(it, path))
                || it.entries.iter().any(|it| is_below(it, folder) && !is_below(it, path))
        };
        self.files.find(&format!("{path}/Chart.yaml")).is_some()
            || self.applied.folders.iter().any(|it| is_below(it, path))
            || self.applied.all.iter().any(recurses)
            || listing.users.iter().any(|it| is_below(it, path))
            || inside.any(crosses)
    }

    /// The kind of object in a file that installs a chart, if all its objects are of one such kind.
    fn installs(&self, file: FileId) -> Option<&'static str> {
        let is_kustomization = self.files.get(file).name().starts_with("kustomization.");
        self.files.get(file).skim(|text| {
            if is_kustomization {
                return None;
            }
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
