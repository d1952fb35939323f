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
    "trash",
];

/// What the name of such a folder begins with. `backup-operator` and `legacy-apps` are in use.
const FIRST: &[&str] =
    &["old", "archive", "archived", "bkp", "deprecated", "disabled", "obsolete", "unused"];

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

/// Whether a folder's name says so: `archive`, `old-pools` and `template-backups` do.
fn is_named_aside(folder: &str) -> bool {
    let name = folder.trim_start_matches(['_', '.']).to_ascii_lowercase();
    let mut words = name.split(['-', '_']);
    let first = words.next().unwrap_or(&name);
    let last = words.next_back();
    NAMES.contains(&&*name)
        || last.is_some() && FIRST.contains(&first)
        || LAST.contains(&last.unwrap_or(first))
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

#[cfg(test)]
mod tests {
    use super::of_folder;

    #[test]
    fn names_of_folders_put_them_aside() {
        for (folder, aside) in [
            ("", None),
            ("infra/old/pools", Some("infra/old")),
            ("old", Some("old")),
            ("a/_archive/old/b", Some("a/_archive")),
            ("resources/template-backups", Some("resources/template-backups")),
            ("k8s/Legacy", Some("k8s/Legacy")),
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
        ] {
            assert_eq!(of_folder(folder), aside, "{folder}");
        }
    }
}
