//! What configs say and the project contradicts.

use crate::{
    config::{
        FILE_NAME, did_you_mean,
        file::{Claim, Claimed, ConfigMistake},
    },
    knowledge::{kubernetes, publication, upgrade},
    policies::{RuleBook, TOPIC},
    project::Project,
    version::Version,
};

/// The claims that are not true. `excluded` are the paths that the configs left out of the project.
pub(crate) fn faults<'a>(
    claims: impl Iterator<Item = &'a Claim>,
    project: &Project,
    excluded: &[String],
) -> Vec<ConfigMistake> {
    let fault = |claim: &Claim| {
        let message = message(&claim.what, project, excluded)?;
        Some(ConfigMistake { at: claim.at.clone(), message })
    };
    let mut faults: Vec<ConfigMistake> = claims.filter_map(fault).collect();
    faults.sort_by(|a, b| (&a.at.path, a.at.range.start).cmp(&(&b.at.path, b.at.range.start)));
    faults
}

/// The claims that are mistakes: names of what is not there. Nothing is decided as long as there is one.
pub(crate) fn unknown_names<'a>(
    claims: impl Iterator<Item = &'a Claim>,
    project: &Project,
    book: &RuleBook,
) -> Vec<ConfigMistake> {
    let fault = |claim: &Claim| {
        let message = match &claim.what {
            Claimed::Rule(name) if *name != TOPIC && book.named(name).is_empty() => {
                let known = book.pages().flat_map(|it| [it.name, it.topic]);
                let hint = did_you_mean(name, known);
                format!("`{name}` is neither a rule nor a topic{hint}; `karplint rules` lists them")
            }
            Claimed::Policies(globs) => {
                let meets = project.files.iter().any(|(_, it)| globs.matches(it.path()));
                if meets {
                    return None;
                }
                "there is no such file".to_owned()
            }
            _ => return None,
        };
        Some(ConfigMistake { at: claim.at.clone(), message })
    };
    claims.filter_map(fault).collect()
}

fn message(claimed: &Claimed, project: &Project, excluded: &[String]) -> Option<String> {
    // Where folders below are not looked into, nothing is known of patterns.
    let all = project.descends;
    match claimed {
        Claimed::WholeProject(key) => Some(format!(
            "`{key}` is read only in the {FILE_NAME} of the repository's root, because it counts for the whole repository"
        )),
        Claimed::Exclude(globs) => {
            let meets = excluded.iter().any(|it| globs.matches(it));
            (all && !meets).then(|| "this pattern excludes nothing".to_owned())
        }
        Claimed::Paths(globs) => {
            let meets = project.files.iter().any(|(_, it)| globs.matches(it.path()));
            (all && !meets).then(|| "this pattern matches no file".to_owned())
        }
        Claimed::VarFile(path) => {
            let missing = project.files.find(path).is_none();
            missing.then(|| "this file is not there, so variables keep their defaults".to_owned())
        }
        Claimed::Baseline(path) => {
            let missing = !project.is_on_disk(path);
            missing.then(|| "this file is not there; `karplint baseline` writes it".to_owned())
        }
        Claimed::Rule(_) | Claimed::Policies(_) => None,
        Claimed::Karpenter(version) => unknown_release(version),
        Claimed::Kubernetes(version) => {
            let newest = kubernetes::newest()?;
            (version.line() > newest.line()).then(|| {
                let (major, minor) = newest.line();
                format!("karplint knows no such Kubernetes; the newest it knows is {major}.{minor}")
            })
        }
    }
}

/// How many more patches of a minor may be published than are known.
const LATER_PATCHES: u64 = 9;

/// What is wrong with a version of Karpenter.
fn unknown_release(version: &Version) -> Option<String> {
    let (oldest, after) = (publication::oldest()?, kubernetes::after_newest_release()?);
    if version >= oldest && !publication::is_released(version) {
        return Some(format!("Karpenter has no release {version}"));
    }
    // A patch or two may be published after this karplint.
    let newest = upgrade::newest_patch(version.line());
    if let Some(newest) = newest.filter(|it| version.patch > it.patch + LATER_PATCHES) {
        let (major, minor) = newest.line();
        return Some(format!(
            "karplint knows no such release of Karpenter; the newest of {major}.{minor} is {newest}"
        ));
    }
    (version >= after).then(|| {
        format!("karplint knows no such release of Karpenter; the newest are before {after}")
    })
}
