//! Clusters that something other than AWS makes for what lies beside it: roles of Ansible, and scripts on a laptop.

use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::AhoCorasick;

use crate::{
    model::{ansible, environment::Environments, named_for::named_for},
    resolve::{
        gitops::GitOps,
        release::script::source::{OWN, OWN_MACHINES},
    },
    source::{Files, SourceFile, outward},
};

/// Why nothing is judged that is for a cluster on a laptop.
pub(super) const ON_A_LAPTOP: &str = "for a cluster on a laptop";
/// The same where nothing but a script says so.
const BY_SCRIPT: &str = "a script of its folder makes a cluster on a laptop";
/// What tests a program or a chart, which runs in other clusters.
const TESTERS: &[&str] =
    &["go test", "pytest", "e2e", "kuttl", "chainsaw", "helm lint", "helm test", "ct install"];
/// What installs something.
const INSTALLERS: &[&str] = &["helm ", "kubectl "];
/// What is for clusters of others as well: an image that is given away.
const FOR_OTHERS: &[&str] = &[" push "];
/// What shows that a folder is for AWS as well.
const OF_AWS: &[&str] = &["karpenter", "arn:aws"];

/// The folders of what is for such clusters.
#[derive(Debug, Default)]
pub struct MadeElsewhere {
    of_ansible: BTreeSet<String>,
    on_laptops: BTreeSet<String>,
    /// Those that are so without what is below them.
    of_scripts: BTreeSet<String>,
    /// Those whose only cluster it is, with what is below them.
    alone: BTreeSet<String>,
    /// The folders that Applications, Kustomizations of Flux and `ApplicationSets` apply: why those that do are for such
    /// clusters, where all of them are.
    applied: BTreeMap<String, Option<&'static str>>,
}

impl MadeElsewhere {
    /// Finds them.
    #[must_use]
    pub fn find(files: &Files, gitops: &GitOps) -> Self {
        let of_ansible = ansible::clusters(files);
        let mut found = Self { of_ansible, ..Self::default() }.and_applied(files, gitops);
        let mut makers = ByFolder::new();
        for maker in files.iter().map(|(_, it)| it).filter(|it| makes_own(it)) {
            makers.entry(maker.folder()).or_default().push(maker);
        }
        for folder in for_aws(files, &makers) {
            makers.remove(folder);
        }
        let mut inside = folders_below(files, &makers);
        for (folder, makers) in makers {
            let folders = inside.remove(folder).unwrap_or_default();
            let is_alone = makers.iter().any(|it| is_for_all(it)) && !are_for_stages(&folders);
            if is_alone && files.find(&format!("{folder}/Chart.yaml")).is_none() {
                found.alone.insert(folder.to_owned());
                continue;
            }
            let makers: Vec<&SourceFile> =
                makers.into_iter().filter(|it| it.skim(installs)).collect();
            if makers.is_empty() {
                continue;
            }
            let named = named_by(&makers, &folders);
            found.on_laptops.extend(named.into_iter().map(|it| format!("{folder}/{it}")));
            found.of_scripts.insert(folder.to_owned());
        }
        found
    }

    /// The same with the folders that are applied, by the names of the folders of what applies them.
    fn and_applied(mut self, files: &Files, gitops: &GitOps) -> Self {
        let applied = gitops.applied_folders().map(|it| (it.path, it.by));
        for (path, by) in applied.chain(gitops.found_folders()) {
            let why = named_for(files.get(by).folder());
            self.applied.entry(path.to_owned()).and_modify(|it| *it = it.and(why)).or_insert(why);
        }
        self
    }

    /// Why nothing is judged in a folder, if one of them is around it.
    pub(super) fn around(&self, folder: &str) -> Option<&'static str> {
        if outward(folder).any(|it| self.of_ansible.contains(it)) {
            return Some(ansible::CLUSTER);
        }
        if outward(folder).any(|it| self.alone.contains(it)) {
            return Some(BY_SCRIPT);
        }
        // The innermost folder that is applied decides.
        let applied = outward(folder).find_map(|it| self.applied.get(it));
        if let Some(Some(why)) = applied {
            return Some(why);
        }
        let is_on_laptop = self.of_scripts.contains(folder)
            || outward(folder).any(|it| self.on_laptops.contains(it));
        is_on_laptop.then_some(ON_A_LAPTOP)
    }
}

/// Files by their folders.
type ByFolder<'a> = BTreeMap<&'a str, Vec<&'a SourceFile>>;

/// For each of these folders, those directly in it that hold a file, or a folder with one. Each file is looked at once.
fn folders_below<'a>(files: &'a Files, all: &ByFolder<'a>) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (_, file) in files.iter() {
        for folder in outward(file.folder()).skip(1).filter(|it| all.contains_key(it)) {
            found.entry(folder).or_default().extend(below(folder, file.folder()));
        }
    }
    found
}

/// The folder directly in another that a folder is, or is in.
fn below<'a>(outer: &str, folder: &'a str) -> Option<&'a str> {
    let rest = folder.strip_prefix(outer)?.strip_prefix('/')?;
    rest.split('/').next().filter(|it| !it.is_empty())
}

/// Those of some folders that one of the files beside them names, each file read once.
fn named_by<'a>(makers: &[&SourceFile], folders: &BTreeSet<&'a str>) -> BTreeSet<&'a str> {
    if folders.is_empty() {
        return BTreeSet::new();
    }
    let folders: Vec<&str> = folders.iter().copied().collect();
    let paths = folders.iter().map(|it| format!("{it}/"));
    let Ok(paths) = AhoCorasick::new(paths) else { return folders.into_iter().collect() };
    let search = |maker: &&SourceFile| -> Vec<usize> {
        maker.skim(|text| {
            paths.find_overlapping_iter(text).map(|it| it.pattern().as_usize()).collect()
        })
    };
    makers.iter().flat_map(search).filter_map(|it| folders.get(it).copied()).collect()
}

/// Whether a file of commands makes a cluster on a laptop, and none of AWS. At the top of a repository it is for tests of
/// what the repository holds.
fn makes_own(file: &SourceFile) -> bool {
    let is_script = matches!(file.ending(), "sh" | "bash");
    (is_recipe(file) || is_script)
        && !file.folder().is_empty()
        && file.skim(|text| {
            let has = |words: &[&str]| words.iter().any(|it| text.contains(it));
            has(OWN_MACHINES) && !has(OWN) && !has(FOR_OTHERS)
        })
}

/// Whether a file holds all that people do in its folder, by its name.
fn is_recipe(file: &SourceFile) -> bool {
    let name = file.name().to_ascii_lowercase();
    let stem = name.split('.').next().unwrap_or_default();
    matches!(stem, "makefile" | "gnumakefile" | "justfile" | "taskfile")
        || matches!(file.ending(), "mk" | "just")
}

/// Whether the cluster that a file makes is the one for all of its folder, and not one of several, or for tests. A script
/// may be one way among others.
fn is_for_all(file: &SourceFile) -> bool {
    let tests = |text: &str| TESTERS.iter().any(|it| text.contains(it));
    is_recipe(file) && !file.skim(tests)
}

/// Whether folders, of which some are below one, are for stages, which a cluster on a laptop is none of.
fn are_for_stages(folders: &BTreeSet<&str>) -> bool {
    folders.iter().any(|it| Environments::of_name(it).is_any())
}

fn installs(text: &str) -> bool {
    INSTALLERS.iter().any(|it| text.contains(it))
}

/// Those of these folders in which or below which a file shows that it is for AWS. Each file is read once.
fn for_aws<'a>(files: &'a Files, all: &ByFolder<'a>) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    for (_, file) in files.iter().filter(|(_, it)| it.ending() != "md") {
        let around = outward(file.folder());
        let open: Vec<&str> =
            around.filter(|it| all.contains_key(it) && !found.contains(it)).collect();
        let shows = |text: &str| OF_AWS.iter().chain(OWN).any(|word| text.contains(word));
        if !open.is_empty() && file.skim(shows) {
            found.extend(open);
        }
    }
    found
}
