//! What nothing applies: paths that an applied kustomization leaves out, although it lists others beside them,
//! files of Karpenter's resources that Terraform does not read, modules that nothing calls and Terraform refuses or whose
//! call is in a comment, and units of Terragrunt that are switched off.

mod applied_singly;
mod beside_chart;
mod beside_folders;
mod commented;
pub(super) mod mention;
mod search;
mod switched_off_unit;
mod twin;
pub(super) mod unapplied;
pub(super) mod unread;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    iter::repeat,
    sync::Arc,
};

use crate::{
    findings::{Finding, subject::Subject},
    model::left_out::{
        beside_folders::beside_applied,
        commented::called_in_comments,
        mention::{NamedPath, named},
        search::{Applied, Search, members},
        switched_off_unit::switched_off_units,
        unapplied::Unapplied,
        unread::{FormerKinds, Written, unread},
    },
    resolve::{
        gitops::{AppliedFolder, GitOps},
        kubernetes::names_karpenter_api,
        kustomize::{Kustomize, Listing},
        release::Release,
        scope::Scope,
        terraform::Terraform,
    },
    source::{FileId, Files, SourceFile, Span, aside, is_below, outward},
};

/// The paths that nothing applies, each with why.
#[derive(Debug, Default)]
pub struct LeftOut {
    paths: HashMap<Arc<str>, Unapplied>,
    /// The charts that only what nothing applies installs, by their folders: they show that Karpenter is in use all the
    /// same.
    charts: HashMap<Arc<str>, Unapplied>,
    /// By the index of a root that nothing applies.
    idle: BTreeMap<usize, IdleModule>,
}

/// A module that nothing calls, or the one of a unit of Terragrunt that is switched off.
#[derive(Debug)]
struct IdleModule {
    folder: Arc<str>,
    /// What shows it.
    place: Span,
    /// Why nothing applies it.
    words: String,
}

/// Why nothing applies what Terragrunt would.
const UNIT_OFF: &str =
    "the name of this file hides the folder from Terragrunt, which applies others";

/// Where modules lie that are called, also those that configure providers.
const MODULES: &str = "modules";

/// How often what is left out leaves out what it applies: an Application of Applications of Applications.
const LEVELS: usize = 4;

impl LeftOut {
    /// Finds them.
    pub(super) fn find(
        files: &Files,
        kustomize: &Kustomize,
        gitops: &GitOps,
        written: (&Written<'_>, FormerKinds),
    ) -> Self {
        let mut applied: Vec<AppliedFolder<'_>> = gitops.applied_folders().collect();
        let of_aside = gitops.folders_of_aside();
        let mut idle: Vec<(&str, Unapplied)> =
            of_aside.map(|(path, by)| (path, Unapplied::ByAside(by))).collect();
        let found: Vec<(&str, FileId)> = gitops.found_folders().collect();
        let mut left_out = Self::default();
        for _ in 0..LEVELS {
            let known = Applied::new(&applied);
            let search = Search { files, kustomize, applied: &known };
            let mut paths = unread(files, (kustomize, &known.folders), written);
            paths.extend(search.not_found(&found));
            paths.extend(beside_applied(files, kustomize, &applied));
            paths.extend(idle.iter().filter_map(|(path, of)| search.applied_by_idle(path, *of)));
            left_out = Self::of_paths(&search, paths);
            let is_idle =
                |it: &AppliedFolder<'_>| left_out.around(files.get(it.by).path()).is_some();
            let (out, rest): (Vec<AppliedFolder<'_>>, Vec<AppliedFolder<'_>>) =
                applied.iter().partition(|it| is_idle(it));
            if out.is_empty() {
                break;
            }
            idle.extend(out.iter().map(|it| (it.path, Unapplied::ByLeftOut(it.by))));
            applied = rest;
        }
        left_out
    }

    /// Those of some paths that no file names, with what kustomizations and Applications leave out.
    fn of_paths<'a>(search: &Search<'a>, mut paths: Vec<NamedPath<'a>>) -> Self {
        let Search { files, kustomize, applied } = *search;
        let is_applied = |(folder, it): &(&Arc<str>, &Listing)| {
            kustomize.folders.contains(*folder)
                && (!it.users.is_empty() || applied.reaches(kustomize, folder))
        };
        let holders: BTreeMap<&str, &Listing> = kustomize
            .listings
            .iter()
            .filter(is_applied)
            .map(|(folder, it)| (&**folder, it))
            .collect();
        let inside = members(files, &holders);
        paths.extend(search.named_aside());
        paths.extend(search.excluded());
        let commented: Vec<(String, &Listing)> = holders
            .iter()
            .flat_map(|(folder, it)| search.commented_out(folder, it).into_iter().zip(repeat(*it)))
            .collect();
        for (folder, listing) in &holders {
            let members = inside.get(folder).into_iter().flatten();
            paths.extend(members.filter_map(|it| search.unlisted(folder, listing, it)));
        }
        // These borrow from what is found here.
        let mut paths: Vec<NamedPath<'_>> = paths;
        for (path, listing) in &commented {
            paths.extend(search.dropped(path, listing));
        }
        let named = named(files, &paths);
        let unnamed = paths.into_iter().enumerate().filter(|(it, _)| !named.contains(it));
        let paths = unnamed.map(|(_, it)| (it.path().into(), it.of)).collect();
        let mut found = Self { paths, ..Self::default() };
        found.add_bases(kustomize, &applied.folders);
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

    /// The same with the modules that nothing calls, as Terraform refuses them or the call is in a comment, and those of
    /// units that are switched off.
    pub(super) fn and_idle_modules(mut self, files: &Files, terraform: &Terraform) -> Self {
        let off = switched_off_units(files);
        let commented = called_in_comments(files);
        for (index, root) in terraform.roots.iter().enumerate() {
            let refused = root.undeclared.as_ref().map(|(place, to)| {
                let words = format!("Terraform refuses this module: it does not declare `{to}`");
                (*place, words)
            });
            let by = off.get(&*root.folder);
            let switched_off = || Some((Span::new(*by?, 0, 0), UNIT_OFF.to_owned()));
            let is_module = root.reusable || root.folder.split('/').any(|it| it == MODULES);
            let called = commented.get(&*root.folder).filter(|_| is_module);
            let called = || Some((*called?, "only a call in a comment leads to it".to_owned()));
            let idle = refused.or_else(switched_off).or_else(called);
            let Some((place, words)) = idle else { continue };
            let folder = Arc::clone(&root.folder);
            self.idle.insert(index, IdleModule { folder, place, words });
        }
        self
    }

    /// Adds the charts that only such releases install as nothing applies.
    pub(super) fn add_charts(&mut self, releases: &[Release]) {
        let mut installed: BTreeMap<&str, Vec<&Release>> = BTreeMap::new();
        for it in releases {
            if let Some(chart) = &it.local_chart {
                installed.entry(chart).or_default().push(it);
            }
        }
        installed.retain(|_, it| it.iter().all(|it| it.scope.left_out.is_some()));
        let of = |it: &[&Release]| Unapplied::ByLeftOut(it[0].report_span.file);
        self.charts.extend(installed.into_iter().map(|(chart, it)| (chart.into(), of(&it))));
    }

    /// Why nothing applies what a finding is about, with the place that shows it.
    #[must_use]
    pub fn of_finding(&self, files: &Files, finding: &Finding) -> Option<(Span, String)> {
        let idle = |it: &Subject| self.idle.get(&it.root?);
        let file = files.get(finding.span.file);
        let is_code = matches!(file.ending(), "tf" | "tofu");
        let by_place = self.idle.values().find(|it| is_code && &*it.folder == file.folder());
        let all = finding.subjects.iter().map(idle).collect::<Option<Vec<_>>>();
        let found = by_place.or_else(|| all?.into_iter().next());
        if let Some(IdleModule { place, words, .. }) = found {
            return Some((*place, words.clone()));
        }
        let (place, words) = self.by(files, finding.span.file)?;
        Some((place, words.to_owned()))
    }

    /// Why nothing applies what a file holds, with the place that shows it.
    fn by(&self, files: &Files, file: FileId) -> Option<(Span, &'static str)> {
        let path = files.get(file).path();
        let of_chart = || outward(path).find_map(|it| self.charts.get(it));
        let (by, words) = match *self.around(path).map(|it| it.1).or_else(of_chart)? {
            Unapplied::LeftOut(it) => (it, "this kustomization leaves it out"),
            Unapplied::Unread(it) => (it, "Terraform here does not read it, and nothing names it"),
            Unapplied::BesideApplied(it) => {
                (it, "this applies others beside it one by one, and nothing names it")
            }
            Unapplied::BesideFolders(it) => {
                (it, "this applies a folder beside it, and nothing names it")
            }
            Unapplied::Replaced(it) => (it, "this has what took its place, and nothing names it"),
            Unapplied::Twin(it) => {
                (it, "this applies another of the same name, and nothing names it")
            }
            Unapplied::CommentedOut(it) => (it, "only a comment of this reads it"),
            Unapplied::NotRendered(it) => {
                (it, "it lies in the folder of this chart, which does not render it")
            }
            Unapplied::ByAside(it) => (it, "only this applies it, which is put aside"),
            Unapplied::ByLeftOut(it) => (it, "only this applies it, and nothing applies this"),
            Unapplied::Excluded(it) => (it, "this applies the folder without it"),
            Unapplied::NotFound(it) => (it, "this applies others like it, and not this"),
            Unapplied::NamedAside(it) => (it, "the name of this file says that it is not in use"),
            Unapplied::Sample => return None,
        };
        Some((Span::new(by, 0, 0), words))
    }

    /// Marks the scope of what is written in a file.
    pub(super) fn mark(&self, files: &Files, scope: &mut Scope, file: FileId) {
        if let Some(root) = scope.root {
            scope.left_out = self.idle.get(&root).map(|it| Arc::clone(&it.folder));
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

/// Whether a file that is not left out speaks of Karpenter's API, given that one does.
pub(super) fn is_karpenter_mentioned(files: &Files, left_out: &LeftOut) -> bool {
    let is_read = |it: &SourceFile| matches!(it.ending(), "yaml" | "yml" | "json" | "tpl" | "tf");
    let mut rest = files.iter().map(|it| it.1).filter(|it| is_read(it) && it.is_loaded());
    left_out.paths.is_empty()
        || rest.any(|it| left_out.around(it.path()).is_none() && names_karpenter_api(it.text()))
}
