//! Commits, trees and files as git keeps them, read by commands that look at nothing else.
//!
//! Git is run and not read by a library: it knows packs, worktrees, alternates and other formats, and libraries
//! that do take two minutes to build. The commands here neither look at the index nor at files, so that nothing
//! runs which the configuration of the repository names for them: filters, text conversions, monitors, hooks.

use std::{collections::BTreeMap, path::Path, process::Command, time::Duration};

use sha1::{Digest, Sha1};
use sha2::Sha256;

use crate::cli::program::{Failure, Limits, output};

/// The limits of one git command.
const LIMITS: Limits = Limits { time: Duration::from_mins(1), bytes: 1 << 30 };
/// Larger files are not read by anybody, in bytes.
const LARGEST: usize = 32 << 20;
/// Links are shorter.
const LONGEST_LINK: usize = 4096;

/// What a repository may not decide: which programs run, and whether others are asked for objects.
const SETTINGS: [&str; 8] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.sshCommand=false",
    "core.gitProxy=",
    "credential.helper=",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
    "maintenance.auto=false",
];

/// Git in a repository.
pub(super) struct Git<'a> {
    /// The folder with `.git`.
    pub root: &'a Path,
}

/// What a commit holds: objects by path.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The names of the files' objects.
    pub files: BTreeMap<String, String>,
    /// What links lead to, as it is written.
    pub links: BTreeMap<String, String>,
}

impl Git<'_> {
    /// The commit at which the branch left a reference: what came there since is none of this branch's changes.
    ///
    /// # Errors
    /// When git cannot be run, or does not know the reference.
    pub(super) fn base(&self, reference: &str) -> Result<String, String> {
        let name = format!("{reference}^{{commit}}");
        let commit = self.text(&["rev-parse", "--verify", "--quiet", "--end-of-options", &name]);
        let commit = commit.map_err(|failure| match failure {
            Failure::NotRun(_) => said(failure),
            Failure::Failed(_) => self.unknown(reference),
        })?;
        let base = self.text(&["merge-base", commit.trim(), "HEAD"]).unwrap_or(commit);
        Ok(base.trim().to_owned())
    }

    /// Why git does not know a reference.
    fn unknown(&self, reference: &str) -> String {
        let words = format!("--changed-since: git knows no `{reference}` here");
        match self.text(&["rev-parse", "--is-shallow-repository"]) {
            Ok(answer) if answer.trim() == "true" => {
                let how = "fetch its history first (actions/checkout: `fetch-depth: 0`)";
                format!("{words}: the clone is shallow, {how}")
            }
            Ok(_) => words,
            Err(failure) => said(failure),
        }
    }

    /// What a commit holds. Other repositories inside it are left out.
    ///
    /// # Errors
    /// When git cannot say.
    pub(super) fn tree(&self, commit: &str) -> Result<Tree, String> {
        let listed = self.text(&["ls-tree", "-r", "-z", "--full-tree", commit]).map_err(said)?;
        let mut tree = Tree::default();
        let mut links = Vec::new();
        // Each entry is `mode type object<TAB>path`.
        for entry in listed.split('\0') {
            let Some((about, path)) = entry.split_once('\t') else { continue };
            let mut about = about.split(' ');
            match (about.next(), about.next(), about.next()) {
                (Some("100644" | "100755"), Some("blob"), Some(object)) => {
                    tree.files.insert(path.to_owned(), object.to_owned());
                }
                (Some("120000"), Some("blob"), Some(object)) => links.push((path, object)),
                _ => {}
            }
        }
        for ((path, _), target) in links.iter().zip(self.blobs(&links, commit)?) {
            if let Ok(target) = String::from_utf8(target)
                && target.len() <= LONGEST_LINK
            {
                tree.links.insert((*path).to_owned(), target);
            }
        }
        Ok(tree)
    }

    /// The bytes of files, given as path and object, in their order; none of those too large to be read.
    ///
    /// # Errors
    /// When git cannot say, or lacks one of them.
    pub(super) fn blobs(
        &self,
        wanted: &[(&str, &str)],
        reference: &str,
    ) -> Result<Vec<Vec<u8>>, String> {
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let list = |objects: &[&str]| objects.join("\n") + "\n";
        let objects: Vec<&str> = wanted.iter().map(|(_, object)| *object).collect();
        let about = self.run(&["cat-file", "--batch-check"], list(&objects).as_bytes());
        let about = String::from_utf8_lossy(&about.map_err(said)?).into_owned();
        let sizes: Vec<Option<usize>> =
            about.lines().map(|it| it.rsplit(' ').next()?.parse().ok()).collect();
        let lacking = sizes.iter().filter(|it| it.is_none()).count();
        if lacking > 0 || sizes.len() != objects.len() {
            let why = format!("the clone is partial (`git diff {reference}` fetches them)");
            return Err(format!(
                "--changed-since: git lacks {lacking} files of `{reference}`: {why}"
            ));
        }
        let small = |it: &Option<usize>| it.is_some_and(|it| it <= LARGEST);
        let read: Vec<&str> =
            objects.iter().zip(&sizes).filter(|(_, it)| small(it)).map(|(it, _)| *it).collect();
        let bytes = self.run(&["cat-file", "--batch"], list(&read).as_bytes()).map_err(said)?;
        let mut contents = contents(&bytes).into_iter();
        Ok(sizes
            .iter()
            .map(|it| if small(it) { contents.next().unwrap_or_default() } else { Vec::new() })
            .collect())
    }

    fn text(&self, arguments: &[&str]) -> Result<String, Failure> {
        self.run(arguments, &[]).map(|it| String::from_utf8_lossy(&it).into_owned())
    }

    fn run(&self, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>, Failure> {
        let mut command = Command::new("git");
        command.args(["--no-pager", "--no-optional-locks", "-C"]).arg(self.root);
        command.args(SETTINGS.iter().flat_map(|it| ["-c", it])).args(arguments);
        // Neither are objects fetched that a partial clone lacks, nor is anybody asked for a password.
        command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "none");
        command.env("GIT_TERMINAL_PROMPT", "0").env_remove("GIT_EXTERNAL_DIFF");
        output(command, input, LIMITS)
    }
}

fn said(failure: Failure) -> String {
    match failure {
        Failure::NotRun(error) => format!("--changed-since: git cannot be run: {error}"),
        Failure::Failed(why) => format!("--changed-since: git: {why}"),
    }
}

/// The objects `git cat-file --batch` prints: a line that ends with the length, the bytes, a line break.
fn contents(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    while let Some(end) = memchr::memchr(b'\n', bytes) {
        let head = String::from_utf8_lossy(&bytes[..end]);
        let length = head.rsplit(' ').next().and_then(|it| it.parse::<usize>().ok());
        let start = end + 1;
        let stop = length.map_or(start, |it| start + it);
        let Some(blob) = bytes.get(start..stop) else { break };
        found.push(blob.to_vec());
        bytes = bytes.get(stop + usize::from(length.is_some())..).unwrap_or_default();
    }
    found
}

/// The name of the object that holds a text, in repositories that name them by SHA-1. In others no name is this
/// one, and files are read that need not be.
#[must_use]
pub(super) fn name_of(text: &str) -> String {
    let digest = Sha1::new_with_prefix(format!("blob {}\0", text.len())).chain_update(text);
    format!("{:x}", digest.finalize())
}

/// Whether a file is a pointer of Git LFS, and leads to a file of this text.
#[must_use]
pub(super) fn is_pointer_to(pointer: &[u8], text: &str) -> bool {
    if !pointer.starts_with(b"version https://git-lfs.github.com/spec/") || pointer.len() > 1024 {
        return false;
    }
    let pointer = String::from_utf8_lossy(pointer);
    let name = pointer.lines().find_map(|it| it.strip_prefix("oid sha256:"));
    name.is_some_and(|it| it.trim() == format!("{:x}", Sha256::digest(text)))
}
