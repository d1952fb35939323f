//! Paths as the user would write them: relative to the working directory.

use std::path::{Component, Path};

use crate::visible;

/// How paths relative to the project's root become paths relative to the working directory.
#[derive(Debug)]
pub(crate) enum DisplayPaths {
    /// The working directory is below the root, in this folder.
    Below(Vec<String>),
    /// The root is elsewhere; this is the prefix of each path.
    Prefix(String),
}

impl DisplayPaths {
    /// The path from a working directory to a root; an empty root is the working directory.
    #[must_use]
    pub(crate) fn new(root: &Path, from: &Path) -> Self {
        if root.as_os_str().is_empty() || root == from {
            return Self::Prefix(String::new());
        }
        if let Ok(below) = from.strip_prefix(root) {
            return Self::Below(names(below));
        }
        if let Ok(below) = root.strip_prefix(from) {
            return Self::Prefix(names(below).join("/") + "/");
        }
        let common = root.components().zip(from.components()).take_while(|(a, b)| a == b).count();
        // Only the file system's root, or not even that: an absolute path says more.
        if common <= 1 {
            return Self::Prefix(root.to_string_lossy().replace('\\', "/") + "/");
        }
        let up = "../".repeat(from.components().count() - common);
        let down: Vec<_> = names(root).into_iter().skip(common - 1).collect();
        Self::Prefix(up + &down.join("/") + "/")
    }

    /// A path relative to the root as the user would write it, as far as it can be shown.
    #[must_use]
    pub(crate) fn shown(&self, path: &str) -> String {
        visible::path(&self.written(path))
    }

    /// A path relative to the root as the user would write it, for programs.
    #[must_use]
    pub(crate) fn written(&self, path: &str) -> String {
        match self {
            Self::Prefix(prefix) => format!("{prefix}{path}"),
            Self::Below(folders) => {
                let mut rest = path;
                let mut common = 0;
                for folder in folders {
                    match rest.split_once('/') {
                        Some((first, below)) if first == folder => rest = below,
                        _ => break,
                    }
                    common += 1;
                }
                "../".repeat(folders.len() - common) + rest
            }
        }
    }
}

fn names(path: &Path) -> Vec<String> {
    let name = |it: Component| match it {
        Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        _ => None,
    };
    path.components().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::DisplayPaths;

    #[test]
    fn paths_are_relative_to_the_working_directory() {
        let cases = [
            ("/repo", "/repo", "a/b.tf", "a/b.tf"),
            ("/repo", "/repo/a", "a/b.tf", "b.tf"),
            ("/repo", "/repo/a/x", "a/b.tf", "../b.tf"),
            ("/repo", "/repo/c", "a/b.tf", "../a/b.tf"),
            ("/repo", "/repo/a", "a", "../a"),
            ("/home/me/repo", "/home/me", "a.tf", "repo/a.tf"),
            ("/home/me/repo", "/home/me/other", "a.tf", "../repo/a.tf"),
            ("/tmp/repo", "/home/me", "a.tf", "/tmp/repo/a.tf"),
            ("", "/home/me", "a.tf", "a.tf"),
        ];
        for (root, from, path, expected) in cases {
            let shown = DisplayPaths::new(Path::new(root), Path::new(from)).shown(path);
            assert_eq!(shown, expected, "{root} from {from}");
        }
    }
}
