//! Folders that their authors put aside: what lies there is kept, and not used any more.

use crate::source::parent;

/// The names of such folders.
const NAMES: &[&str] = &[
    "old",
    "archive",
    "archived",
    "legacy",
    "backup",
    "backups",
    "bkp",
    "deprecated",
    "disabled",
    "obsolete",
    "unused",
    "nouse",
    "trash",
    "evidence",
];

/// What several words of a name say, at its beginning or at its end.
const PHRASES: &[&str] =
    &["do-not-use", "dont-use", "no-use", "no-longer-used", "not-in-use", "not-used"];

/// What the name of a file begins with that is not in use: less than those of folders, as files are listed one by one.
const FIRST_OF_FILE: &[&str] = &["nouse", "unused"];

/// What it begins or ends with. `backup` and `archive` name what a file is about.
const WORD_OF_FILE: &[&str] = &["deprecated", "legacy", "obsolete", "old"];

/// What the name of a file ends with that is about its form.
const EXTENSIONS: &[&str] = &["gotmpl", "json", "tf", "tftpl", "tpl", "yaml", "yml"];

/// What the name of such a folder begins with. `backup-operator` and `legacy-apps` are in use.
const FIRST: &[&str] =
    &["old", "archive", "archived", "bkp", "deprecated", "disabled", "nouse", "obsolete", "unused"];

/// What it ends with, misspelt too.
const LAST: &[&str] = &[
    "backup",
    "backups",
    "bkp",
    "archive",
    "archived",
    "archieve",
    "archieved",
    "old",
    "deprecated",
    "disabled",
    "obsolete",
    "unused",
];

/// What folders of samples are called.
const SAMPLES: &[&str] =
    &["sample", "samples", "example", "examples", "testcase", "testcases", "test-cases"];

/// Whether a folder is one of samples by its name: `samples`, `_examples`.
#[must_use]
pub fn is_named_for_samples(folder: &str) -> bool {
    SAMPLES.contains(&folder.trim_start_matches('_'))
}

/// Folders of what is made for a run of tests and removed after it. `test` may be an environment.
const OF_TEST_RUNS: &[&str] =
    &["e2e", "testdata", "loadtest", "loadtests", "load-test", "load-tests"];

/// Whether a folder's name says so: `archive`, `old-pools` and `template-backups` do.
fn is_named_aside(folder: &str) -> bool {
    let name = folder.trim_start_matches(['_', '.']).to_ascii_lowercase();
    let mut words = name.split(['-', '_']);
    let first = words.next().unwrap_or(&name);
    let last = words.next_back();
    NAMES.contains(&&*name)
        || has_phrase(&name)
        || last.is_some() && FIRST.contains(&first)
        || LAST.contains(&last.unwrap_or(first))
}

fn has_phrase(name: &str) -> bool {
    let name = name.replace('_', "-");
    let begins =
        |it: &str| name.strip_prefix(it).is_some_and(|it| it.is_empty() || it.starts_with('-'));
    let ends = |it: &str| name.strip_suffix(it).is_some_and(|it| it.ends_with('-'));
    PHRASES.iter().any(|it| begins(it) || ends(it))
}

/// Whether the name of a file says that it is not in use: `NOUSE_pool.yaml`, `pool-old.yaml`. What lists or names it may use it.
#[must_use]
pub fn is_file_named_aside(file: &str) -> bool {
    let name = file.trim_start_matches(['_', '.']).to_ascii_lowercase();
    let stem = name.split('.').next().unwrap_or(&name);
    let mut words: Vec<&str> = name.split(['-', '_', '.']).collect();
    while words.len() > 1 && words.last().is_some_and(|it| EXTENSIONS.contains(it)) {
        words.pop();
    }
    let is_first = |all: &[&str]| words.first().is_some_and(|it| all.contains(it));
    is_first(FIRST_OF_FILE)
        || is_first(WORD_OF_FILE)
        || words.last().is_some_and(|it| WORD_OF_FILE.contains(it))
        || has_phrase(stem)
}

/// The outermost folder put aside that holds a folder, or is it. `None` for what is in use.
#[must_use]
pub fn of_folder(folder: &str) -> Option<&str> {
    let mut end = 0;
    for part in folder.split('/') {
        end += part.len();
        if is_named_aside(part) {
            return folder.get(..end);
        }
        end += 1;
    }
    None
}

/// The same of a file, whose own name does not count: `infra/old` for `infra/old/pools/a.yaml`.
#[must_use]
pub fn of(path: &str) -> Option<&str> {
    of_folder(parent(path))
}

/// Whether a file lies in a folder of what is made for a run of tests: `test/e2e/apply/web.yaml`.
#[must_use]
pub fn is_of_test_run(path: &str) -> bool {
    parent(path).split('/').any(|it| OF_TEST_RUNS.contains(&&*it.replace('_', "-")))
}

/// What the name of a file begins with that is there to be refused.
const REFUSED: &[&str] = &["bad", "denied", "deny", "invalid", "reject", "rejected", "violating"];

/// Whether a file lies among tests, or shows by its name what is to be refused: `tests/pods/web.yaml`, `bad-pod.yaml`.
#[must_use]
pub fn is_of_tests(path: &str) -> bool {
    let is_word = |it: &str| matches!(it, "tests" | "testing");
    let mut folders = parent(path).split('/');
    let name = path.rsplit('/').next().unwrap_or(path);
    let first = name.split(['-', '_', '.']).next().unwrap_or(name);
    is_of_test_run(path)
        || folders.any(|it| it.split(['-', '_']).next_back().is_some_and(is_word))
        || REFUSED.contains(&first)
}

#[cfg(test)]
mod tests {
    use super::{is_file_named_aside, is_of_test_run, is_of_tests, of_folder};

    #[test]
    fn names_say_that_a_file_is_there_to_be_refused() {
        for (path, is_it) in [
            ("tests/kyverno/resources/web.yaml", true),
            ("policies/admission-tests/web.yaml", true),
            ("policies/e2e/web.yaml", true),
            ("policies/bad-pod.yaml", true),
            ("policies/deny_latest.yaml", true),
            ("test/web.yaml", false),
            ("apps/badge.yaml", false),
            ("web.yaml", false),
        ] {
            assert_eq!(is_of_tests(path), is_it, "{path}");
        }
    }

    #[test]
    fn names_of_folders_say_that_a_test_makes_what_is_in_them() {
        for (path, is_it) in [
            ("test/e2e/apply/web.yaml", true),
            ("load_test/client/web.yaml", true),
            ("test/web.yaml", false),
            ("tests/e2e.yaml", false),
            ("apps/e2e-runner/web.yaml", false),
        ] {
            assert_eq!(is_of_test_run(path), is_it, "{path}");
        }
    }

    #[test]
    fn names_of_folders_put_them_aside() {
        for (folder, aside) in [
            ("", None),
            ("infra/old/pools", Some("infra/old")),
            ("old", Some("old")),
            ("a/_archive/old/b", Some("a/_archive")),
            ("resources/template-backups", Some("resources/template-backups")),
            ("k8s/Legacy", Some("k8s/Legacy")),
            ("docs/evidence/raw", Some("docs/evidence")),
            ("older/golden", None),
            ("modules/z-archieve/pools", Some("modules/z-archieve")),
            ("old-pools", Some("old-pools")),
            ("pools_old", Some("pools_old")),
            ("backup-operator", None),
            ("legacy-apps", None),
            ("years-old-data", None),
            ("velero-backup", Some("velero-backup")),
            ("threshold", None),
            ("apps/disabled/queue", Some("apps/disabled")),
            ("apps-disabled", Some("apps-disabled")),
            ("NOUSE_apps/queue", Some("NOUSE_apps")),
            ("do_not_use/apps", Some("do_not_use")),
            ("apps-not-used", Some("apps-not-used")),
            ("do-not-user", None),
        ] {
            assert_eq!(of_folder(folder), aside, "{folder}");
        }
    }

    #[test]
    fn names_of_files_say_that_they_are_not_in_use() {
        for (file, is_it) in [
            ("NOUSE_pool.yaml", true),
            ("unused.yaml", true),
            ("deprecated-pool.yaml", true),
            ("pool-do-not-use.yaml", true),
            ("pool.yaml", false),
            ("old_pool.yaml", true),
            ("old.yml", true),
            ("provisioner-legacy.yaml", true),
            ("pool.deprecated.yaml.tpl", true),
            ("years-old-data.yaml", false),
            ("threshold.yaml", false),
            ("older-pools.yaml", false),
            ("pool-backup.yaml", false),
            ("archive.yaml", false),
            ("nouseful.yaml", false),
        ] {
            assert_eq!(is_file_named_aside(file), is_it, "{file}");
        }
    }
}
