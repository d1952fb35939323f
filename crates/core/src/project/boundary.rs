//! How far a project reaches on the disk. Nothing outside of it is opened.

use std::path::{Path, PathBuf};

use crate::{
    gate::{
        named::{is_folder, repository, resolve},
        refusal::Refusal,
    },
    project::{disk::refuse_binary_plan, error::Error, walk::relative},
};

/// The part of the disk that is one project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boundary {
    /// Its folder, without links: the nearest with a `.git`, else the folder given.
    pub root: PathBuf,
    /// Whether folders below it belong to it. They do not for a file that lies in no repository: its folder
    /// may be anything, such as the user's home.
    pub descends: bool,
    /// The paths asked for, relative to the root; one empty path for everything.
    pub asked: Vec<String>,
}

impl Boundary {
    /// That of the project around a path.
    ///
    /// # Errors
    /// When the path does not exist.
    pub fn around(path: &Path) -> Result<Self, Error> {
        Ok(Self::of(&real(path)?))
    }

    /// That of the project around a file that need not be there yet; `None` where its path leads nowhere.
    #[must_use]
    pub fn around_text(path: &Path) -> Option<Self> {
        let folders = path.ancestors().skip(1);
        let mut real = folders.filter_map(|it| Some((it, resolve(it).ok()?)));
        let (folder, real) = real.next()?;
        let file = real.join(path.strip_prefix(folder).ok()?);
        let repository = repository(&real);
        let (root, descends) = repository.map_or((real.as_path(), false), |it| (it, true));
        let asked = vec![relative(root, &file)?];
        Some(Self { root: root.to_path_buf(), descends, asked })
    }

    /// Those of the projects around several paths, by their roots, whatever the order of the paths is. A
    /// path inside a folder that is asked for too belongs to the project of that folder, unless that folder's
    /// repository has another one inside, around the path.
    ///
    /// # Errors
    /// When a path does not exist, or is a plan as Terraform writes it.
    pub fn around_all(paths: &[PathBuf]) -> Result<Vec<Self>, Error> {
        let mut real = paths.iter().map(|it| self::real(it)).collect::<Result<Vec<_>, _>>()?;
        let mut both = paths.iter().zip(&real);
        both.try_for_each(|(given, real)| refuse_binary_plan(given, real))?;
        real.sort_by_cached_key(|it| (it.components().count(), it.clone()));
        real.dedup();
        let mut found: Vec<Self> = Vec::new();
        for path in real {
            let new = Self::of(&path);
            let is_nested = |it: &Self| it.is_repository() && new.is_repository();
            let same =
                |it: &&mut Self| it.root == new.root || (it.asks_for(&path) && !is_nested(it));
            match found.iter_mut().find(same) {
                Some(known) => {
                    known.descends |= new.descends;
                    known.asked.extend(relative(&known.root, &path));
                }
                None => found.push(new),
            }
        }
        found.sort_by(|a, b| a.root.cmp(&b.root));
        Ok(found)
    }

    /// The same, where it is that of a lone file, with all that lies in a folder around it.
    #[must_use]
    pub fn widened(self, folder: &Path) -> Self {
        if self.descends || !self.root.starts_with(folder) {
            return self;
        }
        let asked = self.asked.iter().filter_map(|it| relative(folder, &self.root.join(it)));
        Self { asked: asked.collect(), root: folder.to_path_buf(), descends: true }
    }

    fn of(path: &Path) -> Self {
        let is_folder = is_folder(path);
        let folder = if is_folder { path } else { path.parent().unwrap_or(path) };
        let repository = repository(folder);
        let root = repository.unwrap_or(folder);
        let asked = vec![relative(root, path).unwrap_or_default()];
        Self { root: root.to_path_buf(), descends: is_folder || repository.is_some(), asked }
    }

    fn is_repository(&self) -> bool {
        repository(&self.root) == Some(self.root.as_path())
    }

    /// Whether a path is asked for, or lies in a folder that is.
    fn asks_for(&self, path: &Path) -> bool {
        self.asked.iter().any(|it| path.starts_with(self.root.join(it)))
    }
}

fn real(path: &Path) -> Result<PathBuf, Error> {
    let shown = || path.display().to_string();
    resolve(path).map_err(|refusal| match refusal {
        Refusal::LeadsOut => Error::Refused(shown(), refusal.to_string()),
        _ => Error::NoSuchPath(shown()),
    })
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::Boundary;

    /// A folder with these files; a path that ends with a slash is a folder.
    fn disk(paths: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for path in paths {
            let whole = root.join(path);
            let folder = if path.ends_with('/') { Some(whole.as_path()) } else { whole.parent() };
            std::fs::create_dir_all(folder.unwrap()).unwrap();
            if !path.ends_with('/') {
                std::fs::File::create(&whole).unwrap();
            }
        }
        (folder, root)
    }

    fn shown(boundary: &Boundary, top: &Path) -> String {
        let root = boundary.root.strip_prefix(top).unwrap().display();
        let star = if boundary.descends { "/**" } else { "/*" };
        format!("{root}{star}: {}", boundary.asked.join(" "))
    }

    #[test]
    fn each_path_has_the_project_of_its_own_repository() {
        let (_kept, top) = disk(&[
            "a/.git/",
            "a/x/y.tf",
            "a/sub/.git",
            "a/sub/z.tf",
            "b/.git/",
            "b/m.tf",
            "plain/one.yaml",
            "plain/two.yaml",
            "plain/deep/three.yaml",
        ]);
        let cases: [(&[&str], &[&str]); 12] = [
            (&["a"], &["a/**: "]),
            (&["a/x/y.tf"], &["a/**: x/y.tf"]),
            (&["b/m.tf", "a/x"], &["a/**: x", "b/**: m.tf"]),
            (&["a/sub/z.tf", "a/x"], &["a/**: x", "a/sub/**: z.tf"]),
            (&["a/sub/z.tf", "a"], &["a/**: ", "a/sub/**: z.tf"]),
            (&["a/sub/z.tf", "."], &["/**:  a/sub/z.tf"]),
            (&["plain/one.yaml"], &["plain/*: one.yaml"]),
            (&["plain/two.yaml", "plain/one.yaml"], &["plain/*: one.yaml two.yaml"]),
            (&["plain/deep/three.yaml", "plain"], &["plain/**:  deep/three.yaml"]),
            (&["plain/deep", "plain/one.yaml"], &["plain/*: one.yaml", "plain/deep/**: "]),
            (&["plain", "plain"], &["plain/**: "]),
            (&["."], &["/**: "]),
        ];
        for (paths, expected) in cases {
            let paths: Vec<PathBuf> = paths.iter().map(|it| top.join(it)).collect();
            let backwards: Vec<PathBuf> = paths.iter().rev().cloned().collect();
            for paths in [paths, backwards] {
                let found = Boundary::around_all(&paths).unwrap();
                let found: Vec<String> = found.iter().map(|it| shown(it, &top)).collect();
                assert_eq!(found, expected, "{paths:?}");
            }
        }
        assert!(Boundary::around_all(&[top.join("gone")]).is_err());
    }

    #[test]
    fn a_text_that_is_no_file_yet_has_a_project() {
        let (_kept, top) = disk(&["a/.git/", "plain/"]);
        let of = |path: &str| Boundary::around_text(&top.join(path)).map(|it| shown(&it, &top));
        assert_eq!(of("a/new/x.tf").as_deref(), Some("a/**: new/x.tf"));
        assert_eq!(of("plain/x.tf").as_deref(), Some("plain/*: x.tf"));
        assert_eq!(of("plain/new/../x.tf"), None);
    }
}
