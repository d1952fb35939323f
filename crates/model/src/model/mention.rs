//! What files may mention that are not read as documents: a script that makes a role, a template that tags
//! subnets. Somebody besides the code that is understood may make what seems to be missing.
//!
//! The files are looked through only when a finding hangs on it, and then once for all findings.

use std::{
    collections::HashSet,
    sync::atomic::{AtomicBool, Ordering},
};

use aho_corasick::AhoCorasick;
use rayon::prelude::*;

use crate::{
    model::{
        Model, crds,
        discovery::scripts,
        identity::{mismatch, node_role},
        node_pool::class::named::{self, Named},
    },
    source::{FileId, Files, SourceFile},
};

/// What somebody may make.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// Karpenter's CRDs.
    Crds,
    /// Pod identity associations.
    Associations,
    /// The role of that name.
    Role(String),
    /// The `EC2NodeClass` of that name.
    Class(String),
    /// The tag of that key, on subnets or security groups.
    Tag(String),
}

/// The files that may install something: manifests, modules, templates, scripts.
const INSTALLERS: &[&str] = &[
    "yaml", "yml", "json", "tf", "tofu", "hcl", "tfvars", "tpl", "tftpl", "sh", "bash", "Makefile",
    "mk", "justfile", "Taskfile", "py", "ts", "gotmpl",
];

/// The endings of files that say what is, not what to do.
const DECLARATIVE: &[&str] =
    &["yaml", "yml", "json", "tf", "tofu", "hcl", "tfvars", "tpl", "tftpl", "gotmpl"];

impl Subject {
    /// Words without which no file mentions it, in small letters or large ones.
    fn words(&self) -> Vec<&str> {
        match self {
            Self::Crds => crds::WORDS.to_vec(),
            Self::Associations => mismatch::WORDS.to_vec(),
            Self::Role(name) => node_role::words(name).collect(),
            Self::Class(_) => named::text::WORDS.to_vec(),
            Self::Tag(key) => scripts::WORDS.iter().copied().chain([key.as_str()]).collect(),
        }
    }

    /// Whether a file may mention it, as far as its name tells.
    fn may_be_in(&self, file: &SourceFile) -> bool {
        match self {
            Self::Crds | Self::Role(_) => may_install(file),
            Self::Associations => {
                may_install(file) && !matches!(file.ending(), "tf" | "tofu" | "tfvars")
            }
            Self::Class(_) => named::text::is_read(file.ending()),
            Self::Tag(_) => scripts::is_read(file.ending()),
        }
    }

    /// Whether the text of such a file mentions it.
    fn is_in(&self, (id, file): (FileId, &SourceFile), text: &str, classes: &Named) -> bool {
        match self {
            Self::Crds => crds::are_installed_by(file, text),
            Self::Associations => mismatch::WORDS.iter().any(|it| text.contains(it)),
            Self::Role(name) => node_role::is_named_in(text, name),
            Self::Class(name) => classes.are_joined_by(name, (id, file), text),
            Self::Tag(key) => scripts::may_tag(file.ending(), text, key),
        }
    }
}

impl Model {
    /// Looks for what findings hang on, and takes back those about something that is mentioned.
    pub fn drop_if_mentioned(&mut self, files: &Files, classes: &Named) {
        let unknown = self.unknown_classes.iter().filter(|it| !it.renamed);
        let unknown = unknown.map(|it| Subject::Class(it.name.clone()));
        let tags = self.tag_mismatches.iter().map(|it| Subject::Tag(it.key.clone()));
        let roles = self.guessed_roles().into_iter().map(Subject::Role);
        let crds = self.is_open_who_installs_crds().then_some(Subject::Crds);
        let associations = !self.identity_mismatches().is_empty();
        let associations = associations.then_some(Subject::Associations);
        let asked = unknown.chain(tags).chain(roles).chain(crds).chain(associations).collect();
        let mentions = find(files, asked, classes);
        let has = |subject: Subject| mentions.contains(&subject);
        self.unknown_classes.retain(|it| it.renamed || !has(Subject::Class(it.name.clone())));
        self.tag_mismatches.retain(|it| !has(Subject::Tag(it.key.clone())));
        self.mentions = mentions;
    }
}

/// Those of the subjects that some file mentions.
fn find(files: &Files, asked: HashSet<Subject>, classes: &Named) -> HashSet<Subject> {
    let words = asked.iter().flat_map(Subject::words);
    let words = AhoCorasick::builder().ascii_case_insensitive(true).build(words);
    let Ok(words) = words else { return asked };
    let asked: Vec<(Subject, AtomicBool)> =
        asked.into_iter().map(|it| (it, AtomicBool::new(false))).collect();
    let open = |file| {
        let mut open = asked.iter().filter(|(_, found)| !found.load(Ordering::Relaxed));
        open.any(|(subject, _)| subject.may_be_in(file))
    };
    let look = |place: (FileId, &SourceFile), text: &str| {
        for (subject, found) in asked.iter().filter(|(it, _)| it.may_be_in(place.1)) {
            if !found.load(Ordering::Relaxed) && subject.is_in(place, text, classes) {
                found.store(true, Ordering::Relaxed);
            }
        }
    };
    let all: Vec<(FileId, &SourceFile)> = files.iter().filter(|it| open(it.1)).collect();
    all.into_par_iter().filter(|(_, file)| open(file)).for_each(|(id, file)| {
        file.skim(|text| {
            if words.is_match(text) {
                look((id, file), text);
            }
        });
    });
    let mentioned = asked.into_iter().filter(|(_, found)| found.load(Ordering::Relaxed));
    mentioned.map(|(subject, _)| subject).collect()
}

/// Whether a file may install something and names Karpenter, or may: a manifest that is not loaded was looked
/// through before, and does not even name it. Templates of charts were not.
fn may_install(file: &SourceFile) -> bool {
    let manifest = matches!(file.ending(), "yaml" | "yml" | "json");
    let seen = manifest && !file.is_loaded() && !file.path().contains("templates/");
    INSTALLERS.contains(&file.ending()) && !seen
}

/// Whether a file says what is to be, and so needs no verb.
#[must_use]
pub fn is_declarative(file: &SourceFile) -> bool {
    DECLARATIVE.contains(&file.ending())
}

#[cfg(test)]
mod tests {
    use std::{collections::HashSet, sync::Arc};

    use crate::{
        model::{
            mention::{Subject, find},
            node_pool::class::named::Named,
        },
        source::{Content, Files, Load, SourceFile},
    };

    /// A disk on which every file says how it installs the CRDs.
    #[derive(Debug)]
    struct Disk;

    impl Load for Disk {
        fn load(&self, _: &str) -> Content {
            let text = "run: kubectl apply -f karpenter.sh_nodepools.yaml".to_owned();
            Content { text, ..Content::default() }
        }
    }

    #[test]
    fn manifests_that_were_looked_through_are_not_looked_through_again() {
        for (path, heard) in [
            ("jobs/crds.yaml", false),
            ("chart/templates/crds.yaml", true),
            ("crds.sh", true),
            ("crds.md", false),
        ] {
            let files = Files::new(vec![SourceFile::lazy(path, Arc::new(Disk))]);
            let found = find(&files, HashSet::from([Subject::Crds]), &Named::default());
            assert_eq!(found.contains(&Subject::Crds), heard, "{path}");
            assert!(files.iter().all(|(_, it)| !it.is_loaded()), "{path}");
        }
    }

    #[test]
    fn what_files_mention_is_heard() {
        let role = || Subject::Role("KarpenterNodeRole-shop".to_owned());
        let class = || Subject::Class("gpu".to_owned());
        let tag = || Subject::Tag("karpenter.sh/discovery".to_owned());
        let asked = [Subject::Crds, Subject::Associations, role(), class(), tag()];
        for (path, text, heard) in [
            ("a.sh", "helm install karpenter-crd x", vec![Subject::Crds]),
            ("a.sh", "helm pull karpenter-crd", vec![]),
            ("a.sh", "# helm install karpenter-crd x", vec![]),
            ("a.md", "helm install karpenter-crd x", vec![]),
            ("app.yaml", "chart: karpenter-crd", vec![Subject::Crds]),
            ("a.yaml", "kind: PodIdentityAssociation", vec![Subject::Associations]),
            ("Makefile", "aws eks create-pod-identity-association", vec![Subject::Associations]),
            ("a.tf", "# PodIdentityAssociation", vec![]),
            ("a.yaml", "RoleName: KarpenterNodeRole-shop", vec![role()]),
            ("a.yaml", "RoleName: !Sub KarpenterNodeRole-${Cluster}", vec![role()]),
            ("a.yaml", "role: KarpenterNodeRole-shop", vec![]),
            ("a.yaml", "NodeClasses:\n  gpu: {}", vec![class()]),
            ("a.md", "NodeClasses:\n  gpu: {}", vec![]),
            ("a.md", "kind: EC2NodeClass\nmetadata:\n  name: gpu", vec![class()]),
            ("a.py", "tags['karpenter.sh/discovery'] = name", vec![tag()]),
            ("a.tf", "karpenter.sh/discovery", vec![]),
            ("a.tf", "aws ec2 create-tags", vec![tag()]),
            ("a.json", "karpenter.sh/discovery", vec![]),
            ("a.json", "AWS::EC2::Subnet", vec![tag()]),
            (
                "a.ts",
                "kubectl apply karpenter-crd; karpenter.sh/discovery; KarpenterNodeRole-shop",
                vec![Subject::Crds, role(), tag()],
            ),
        ] {
            let files = Files::new(vec![SourceFile::new(path, text)]);
            let found = find(&files, asked.iter().cloned().collect(), &Named::default());
            assert_eq!(found, HashSet::from_iter(heard), "{path}: {text}");
            let none = find(&files, HashSet::new(), &Named::default());
            assert_eq!(none, HashSet::new());
        }
    }
}
