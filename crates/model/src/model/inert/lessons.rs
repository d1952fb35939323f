//! Lessons of a course side by side, `lessons/114` and `day_05_autoscaling`, and versions of one thing: what one of
//! them makes is not there in another.

use std::collections::BTreeSet;

use crate::{
    model::{
        Model,
        inert::clusters::{child, is_shared, names, shown_in},
        scope::Scoped,
        versioned::VersionedFolders,
    },
    source::{Files, file_name, outward, parent},
};

/// Fewer folders with such names may be steps of one thing.
const FEWEST: usize = 4;
/// What lessons are called.
const WORDS: &[&str] = &[
    "chapter", "class", "day", "episode", "exercise", "lab", "lecture", "lesson", "session",
    "tutorial", "week",
];
/// What a file of a lesson has in it that is about Karpenter.
const KEYS: &str = "karpenter.sh/";

/// The folders of lessons without Karpenter, where all that shows it is in other lessons beside them.
pub(super) fn without_karpenter(files: &Files, model: &Model) -> Vec<String> {
    let shown = if model.assumed.karpenter_version.is_some() { vec![] } else { shown_in(model) };
    let Some(first) = shown.first().filter(|it| !it.is_empty()) else { return Vec::new() };
    let versions = &model.versioned_folders;
    let is_one = |it: &str| is_lesson(it) || versions.holds(it);
    let with_of = |holder: &str| -> Option<BTreeSet<&str>> {
        shown.iter().map(|it| child(holder, it).filter(|it| is_one(it))).collect()
    };
    let found = outward(parent(first)).find_map(|it| Some((it, with_of(it)?)));
    let Some((holder, with)) = found else { return Vec::new() };
    let (mut all, mut traced) = (BTreeSet::new(), BTreeSet::new());
    for (_, file) in files.iter() {
        let Some(lesson) = child(holder, file.folder()).filter(|it| is_one(it)) else {
            continue;
        };
        all.insert(lesson);
        if names(file, KEYS) {
            traced.insert(lesson);
        }
    }
    if all.len() < FEWEST && !all.iter().any(|it| versions.holds(it)) {
        return Vec::new();
    }
    let is_without =
        |it: &&str| !with.contains(it) && !traced.contains(it) && !is_shared(files, model, it);
    all.into_iter().filter(is_without).map(str::to_owned).collect()
}

impl Model {
    /// Finds the folders of versions, and takes back what one of them has for the Karpenter of another.
    pub(in crate::model) fn keep_versions_apart(&mut self) {
        let roots = self.terraform.roots.iter().map(|it| &*it.folder);
        self.versioned_folders = VersionedFolders::of(roots);
        let (versions, installations) = (&self.versioned_folders, &self.installations);
        for object in &mut self.karpenter_objects {
            let folder = &object.scope.folder;
            let is_apart = |it: usize| {
                let other = installations.get(it).map(|it| &it.scope().folder);
                other.is_some_and(|it| versions.are_apart(folder, it))
            };
            object.controllers.retain(|it| !is_apart(*it));
        }
    }
}

/// Whether a folder is called a lesson, or has a number among lessons.
fn is_lesson(folder: &str) -> bool {
    let name = file_name(folder).to_ascii_lowercase();
    let begins_with_number = |it: &str| it.starts_with(|it: char| it.is_ascii_digit());
    let is_numbered = |it: &str| begins_with_number(it.trim_start_matches(['-', '_', ' ', '.']));
    let is_called = WORDS.iter().any(|it| name.strip_prefix(it).is_some_and(is_numbered));
    let holder = file_name(parent(folder)).to_ascii_lowercase();
    let is_among = || WORDS.iter().any(|it| matches!(holder.strip_prefix(it), Some("s" | "es")));
    is_called || begins_with_number(&name) && is_among()
}

#[cfg(test)]
mod tests {
    use super::is_lesson;

    #[test]
    fn lessons_are_known_by_their_names() {
        for (folder, is_it) in [
            ("lessons/114", true),
            ("courses/lessons/005-eks", true),
            ("day_05_autoscaling", true),
            ("Week-3", true),
            ("aws/classes/2", true),
            ("terraform/02-eks", false),
            ("days", false),
            ("daytona-1", false),
            ("114", false),
            ("labs", false),
        ] {
            assert_eq!(is_lesson(folder), is_it, "{folder}");
        }
    }
}
