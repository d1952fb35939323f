//! Git's ignore rules of a folder and those above it.

use std::sync::Arc;

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

use crate::gate::{Gate, refusal::Refusal};

/// More bytes of patterns in a folder and those above it are not used: each costs half a kilobyte of memory.
const MOST: u64 = 256 << 10;

/// The patterns in force in a folder.
#[derive(Debug)]
pub(super) struct Ignores {
    above: Option<Arc<Self>>,
    /// Of its `.gitignore`.
    own: Gitignore,
    /// Of git's own list, which counts after every `.gitignore`.
    of_git: Gitignore,
    /// The bytes of all of them.
    bytes: u64,
}

/// Where the patterns of a folder are.
#[derive(Clone, Copy, Debug)]
pub(super) struct IgnoreFiles {
    /// It has a `.gitignore`.
    pub own: bool,
    /// It has a `.git`.
    pub of_git: bool,
}

/// The patterns in force in a folder, and the files that were not read, with the reasons.
pub(super) fn of(
    gate: &Gate,
    folder: &str,
    files: IgnoreFiles,
    above: Option<&Arc<Ignores>>,
) -> (Option<Arc<Ignores>>, Vec<(String, Refusal)>) {
    let mut refused = Vec::new();
    let mut bytes = above.map_or(0, |it| it.bytes);
    let mut patterns = |name: &str, read: fn(&Gate, &str, u64) -> Result<String, Refusal>| {
        let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        match read(gate, &path, MOST.saturating_sub(bytes)) {
            Ok(text) => {
                bytes += text.len() as u64;
                return Some(patterns(folder, &text));
            }
            Err(Refusal::Missing) => {}
            // The limit is that of all of them.
            Err(Refusal::TooLarge(_)) => refused.push((path, Refusal::TooLarge(MOST))),
            Err(refusal) => refused.push((path, refusal)),
        }
        None
    };
    let own = files.own.then(|| patterns(".gitignore", Gate::text)).flatten();
    let of_git = files.of_git.then(|| patterns(".git/info/exclude", Gate::text_of_git)).flatten();
    if own.is_none() && of_git.is_none() {
        return (above.cloned(), refused);
    }
    let or_none = |it: Option<Gitignore>| it.unwrap_or_else(Gitignore::empty);
    let (own, of_git) = (or_none(own), or_none(of_git));
    (Some(Arc::new(Ignores { above: above.cloned(), own, of_git, bytes })), refused)
}

/// Patterns as they are written; those that are none are passed over, as git does.
fn patterns(folder: &str, text: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.trim_start_matches('\u{feff}').lines() {
        // A pattern that is none matches nothing.
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

impl Ignores {
    /// Whether git passes over a file or a folder at a path from the root.
    pub(super) fn matches(&self, path: &str, is_folder: bool) -> bool {
        let nearest = |of: fn(&Self) -> &Gitignore| {
            let mut all = std::iter::successors(Some(self), |it| it.above.as_deref());
            all.find_map(|it| match of(it).matched(path, is_folder) {
                Match::None => None,
                verdict => Some(verdict.is_ignore()),
            })
        };
        nearest(|it| &it.own).or_else(|| nearest(|it| &it.of_git)).unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::{IgnoreFiles, of};
    use crate::gate::Gate;

    #[test]
    fn the_nearest_pattern_counts_and_those_of_git_last() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            let file = std::fs::File::create(path);
            std::io::Write::write_all(&mut file.expect("a file"), text.as_bytes()).expect("space");
        };
        write(".gitignore", "\u{feff}*.gen.tf\n/top\nout/\n[\n");
        write(".git/info/exclude", "local.tf\n!x.gen.tf\n");
        write("a/.gitignore", "!x.gen.tf\n/own.tf\n");
        let gate = Gate::at(folder.path()).expect("it is there");
        let both = IgnoreFiles { own: true, of_git: true };
        let (top, refused) = of(&gate, "", both, None);
        let (inner, _) = of(&gate, "a", IgnoreFiles { own: true, of_git: false }, top.as_ref());
        assert!(refused.is_empty(), "{refused:?}");
        let (top, inner) = (top.expect("patterns"), inner.expect("patterns"));
        for (path, is_folder, at_top, inside) in [
            ("a/x.gen.tf", false, true, false),
            ("a/y.gen.tf", false, true, true),
            ("top", false, true, true),
            ("a/top", false, false, false),
            ("a/out", true, true, true),
            ("a/out", false, false, false),
            ("a/local.tf", false, true, true),
            ("a/own.tf", false, false, true),
            ("a/b/own.tf", false, false, false),
        ] {
            let found = (top.matches(path, is_folder), inner.matches(path, is_folder));
            assert_eq!(found, (at_top, inside), "{path}");
        }
    }
}
