//! Which commit of which repository is checked, as the files in `.git` say. git is not run, and nothing
//! outside the project's root is read.

use std::path::Path;

use crate::{
    gate::{Gate, Kind},
    report::sarif::Checkout,
    source::join,
};

/// Lists of references are smaller, in bytes.
const LARGEST: u64 = 16 << 20;

/// The checkout whose root is the project's; `None` where there is none, where `.git` leads out of it (a
/// further worktree, a submodule), or where no remote has an address that others can use.
#[must_use]
pub(super) fn read(root: &Path) -> Option<Checkout> {
    let gate = Gate::at(root).ok()?;
    let git = folder(&gate)?;
    let text = |path: &str| gate.text_of_git(&format!("{git}/{path}"), LARGEST).ok();
    let repository = remote(&text("config")?).and_then(|it| address(&it))?;
    let head = text("HEAD")?;
    let head = head.trim();
    let reference = head.strip_prefix("ref: ").filter(|it| is_reference(it));
    let revision = match reference {
        Some(reference) => text(reference)
            .or_else(|| packed(&text("packed-refs")?, reference))
            .and_then(|it| revision(&it)),
        None => revision(head),
    };
    let branch = reference.and_then(|it| it.strip_prefix("refs/heads/")).map(str::to_owned);
    // Of a branch without a commit nothing is known.
    let branch = branch.filter(|_| revision.is_some());
    Some(Checkout { repository, revision, branch })
}

/// The folder with git's files, from the root and inside it.
fn folder(gate: &Gate) -> Option<String> {
    let folder = if gate.kind(".git") == Some(Kind::Folder) {
        ".git".to_owned()
    } else {
        let text = gate.text_of_git(".git", LARGEST).ok()?;
        let path = Path::new(text.strip_prefix("gitdir:")?.trim());
        let inside = path.strip_prefix(gate.path()).unwrap_or(path);
        join("", inside.to_str().filter(|it| !it.starts_with('/'))?)?
    };
    // The references of a worktree lie elsewhere.
    (!gate.holds(&format!("{folder}/commondir"))).then_some(folder)
}

fn is_reference(name: &str) -> bool {
    name.starts_with("refs/") && name.split('/').all(|it| !matches!(it, "" | "." | ".."))
}

fn revision(text: &str) -> Option<String> {
    let text = text.trim();
    let hash = matches!(text.len(), 40 | 64) && text.bytes().all(|it| it.is_ascii_hexdigit());
    hash.then(|| text.to_ascii_lowercase())
}

/// The commit of a reference in git's list: `commit reference`, one on each line.
fn packed(list: &str, reference: &str) -> Option<String> {
    let entries = list.lines().filter_map(|it| it.split_once(' '));
    let mut found = entries.filter(|(_, name)| *name == reference);
    found.next().map(|(commit, _)| commit.to_owned())
}

/// The address of `origin`, or of the only remote.
fn remote(config: &str) -> Option<String> {
    let mut remotes: Vec<(&str, Option<String>)> = Vec::new();
    let mut here = false;
    for line in config.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            let name = section.strip_prefix("remote \"").and_then(|it| it.strip_suffix("\"]"));
            here = name.is_some();
            remotes.extend(name.map(|it| (it, None)));
        } else if let (true, Some((key, value))) = (here, line.split_once('=')) {
            // The first address is the one that is fetched.
            if let Some((_, url @ None)) = remotes.last_mut()
                && key.trim().eq_ignore_ascii_case("url")
            {
                *url = Some(value.trim().trim_matches('"').to_owned());
            }
        }
    }
    let origin = remotes.iter().position(|(name, _)| *name == "origin");
    let only = (remotes.len() == 1).then_some(0);
    remotes.swap_remove(origin.or(only)?).1
}

/// A remote's address without what may be secret: users, passwords, queries. `None` for folders of this
/// machine, and where it is not certain which part is which.
fn address(url: &str) -> Option<String> {
    let (scheme, host, path) = if let Some((scheme, rest)) = url.split_once("://") {
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        let (host, path) = rest.split_once('/')?;
        (scheme.to_ascii_lowercase(), without_user(host), path)
    } else {
        // As in `git@github.com:owner/name.git`.
        let (host, path) = url.split_once(':')?;
        let host = Some(without_user(host)).filter(|it| it.contains('.'))?;
        ("ssh".to_owned(), host, path.trim_start_matches('/'))
    };
    let (name, port) = host.split_once(':').unwrap_or((host, ""));
    let within = |text: &str, more: &str| {
        text.chars().all(|it| it.is_ascii_alphanumeric() || more.contains(it))
    };
    let sound = matches!(&*scheme, "http" | "https" | "ssh" | "git")
        && !name.is_empty()
        && within(name, "-.")
        && port.bytes().all(|it| it.is_ascii_digit())
        && !path.is_empty()
        && within(path, "-._~/+%");
    sound.then(|| format!("{scheme}://{host}/{path}"))
}

fn without_user(host: &str) -> &str {
    host.rsplit('@').next().unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::{address, packed, read, remote};
    use crate::report::sarif::Checkout;
    use std::{fs::File, io::Write, path::Path};

    const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
    const CONFIG: &str = "[core]\n\tbare = false\n[remote \"up\"]\n\turl = https://up.org/x\n[remote \"origin\"]\n\turl = https://token:secret@host.org/a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = up\n";

    #[test]
    fn addresses_lose_their_secrets() {
        let cases = [
            ("https://github.com/a/b.git", Some("https://github.com/a/b.git")),
            ("https://me@github.com/a/b", Some("https://github.com/a/b")),
            ("https://gitlab-ci-token:t0k@gitlab.com/a/b.git", Some("https://gitlab.com/a/b.git")),
            ("HTTPS://u:p@h.org:8443/a?token=1#x", Some("https://h.org:8443/a")),
            ("git@github.com:a/b.git", Some("ssh://github.com/a/b.git")),
            ("ssh://git@h.org:22/a/b.git", Some("ssh://h.org:22/a/b.git")),
            // A password with a slash or an at sign leaves no certainty.
            ("https://u:pa/ss@h.org/a", None),
            ("https://u:p@ss/w@h.org/a", None),
            ("user:token@h.org:a/b", None),
            ("https://u:p@h.org", None),
            ("/srv/git/a.git", None),
            ("../a.git", None),
            ("file:///srv/a.git", None),
            ("C:\\work\\a.git", None),
            ("C:/work/a.git", None),
            ("ext::sh -c x", None),
            ("https://h.org/a b", None),
            ("https:///a", None),
            ("", None),
        ];
        for (url, wanted) in cases {
            assert_eq!(address(url).as_deref(), wanted, "{url}");
        }
    }

    #[test]
    fn the_remote_is_origin_or_the_only_one() {
        assert_eq!(remote(CONFIG).as_deref(), Some("https://token:secret@host.org/a/b.git"));
        let renamed = CONFIG.replace("origin", "fork");
        assert_eq!(remote(&renamed), None);
        let one = "[remote \"fork\"]\n  URL=\"https://h/a\"\n  url = https://h/b\n";
        assert_eq!(remote(one).as_deref(), Some("https://h/a"));
        assert_eq!(remote("url = x\n[remote \"a\"]\n[core]\nurl = y\n"), None);
    }

    #[test]
    fn references_are_found_by_their_whole_name() {
        let list =
            format!("# pack-refs\n{COMMIT} refs/heads/x/main\n^{COMMIT}\nfff refs/heads/main\n");
        assert_eq!(packed(&list, "refs/heads/main").as_deref(), Some("fff"));
        assert_eq!(packed(&list, "refs/heads/mai"), None);
    }

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
    }

    fn checkout(revision: Option<&str>, branch: Option<&str>) -> Checkout {
        let own = |it: Option<&str>| it.map(str::to_owned);
        let repository = "https://host.org/a/b.git".to_owned();
        Checkout { repository, revision: own(revision), branch: own(branch) }
    }

    #[test]
    fn a_checkout_is_read_from_the_files_of_git() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("repo");
        assert_eq!(read(&root), None);
        write(&root, ".git/config", CONFIG);
        assert_eq!(read(&root), None);
        write(&root, ".git/HEAD", "ref: refs/heads/main\n");
        assert_eq!(read(&root), Some(checkout(None, None)));
        write(&root, ".git/packed-refs", &format!("{} refs/heads/main\n", "f".repeat(40)));
        assert_eq!(read(&root), Some(checkout(Some(&"f".repeat(40)), Some("main"))));
        write(&root, ".git/refs/heads/main", &format!("{COMMIT}\n"));
        assert_eq!(read(&root), Some(checkout(Some(COMMIT), Some("main"))));
        write(&root, ".git/HEAD", COMMIT);
        assert_eq!(read(&root), Some(checkout(Some(COMMIT), None)));
        write(&root, "secret", COMMIT);
        for head in ["ref: refs/../../secret", "ref: ../secret", "secret", "ref: ", ""] {
            write(&root, ".git/HEAD", head);
            assert_eq!(read(&root), Some(checkout(None, None)), "{head}");
        }
        write(&root, ".git/config", &CONFIG.replace("https://token:secret@host.org", "/srv"));
        assert_eq!(read(&root), None);
    }

    #[test]
    fn nothing_is_read_outside_the_root() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        write(&top, "main/.git/config", CONFIG);
        write(&top, "main/.git/HEAD", COMMIT);
        let of = |path: &str, text: &str| {
            write(&top, &format!("{path}/.git"), text);
            read(&top.join(path))
        };
        assert_eq!(of("worktree", "gitdir: ../main/.git\n"), None);
        assert_eq!(of("absolute", &format!("gitdir: {}\n", top.join("main/.git").display())), None);
        assert_eq!(of("broken", "nothing"), None);
        write(&top, "inside/git/config", CONFIG);
        write(&top, "inside/git/HEAD", COMMIT);
        assert_eq!(of("inside", "gitdir: git\n"), Some(checkout(Some(COMMIT), None)));
        write(&top, "inside/git/commondir", "../main/.git\n");
        assert_eq!(of("inside", "gitdir: git\n"), None);
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_root_are_left_alone() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        write(&top, "main/.git/config", CONFIG);
        write(&top, "main/.git/HEAD", COMMIT);
        write(&top, "linked/a.tf", "");
        symlink(top.join("main/.git"), top.join("linked/.git")).unwrap();
        assert_eq!(read(&top.join("linked")), None);
        write(&top, "piece/.git/config", CONFIG);
        symlink(top.join("main/.git/HEAD"), top.join("piece/.git/HEAD")).unwrap();
        assert_eq!(read(&top.join("piece")), None);
    }
}
