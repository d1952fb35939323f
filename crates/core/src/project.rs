//! Which files, from disk or from memory. The disk is read through `gate`.
//!
//! A project is every file of the repository around the paths asked for, so that modules and overlays
//! resolve. Files are listed at once and read when their text is first requested, each at most once.

pub mod archives;
pub mod boundary;
mod chart;
mod disk;
pub mod elsewhere;
pub mod error;
pub mod kind;
pub mod rendered;
pub mod skipped;
pub mod walk;

mod dependencies;
mod installed;
mod left_out;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    gate::{Kind, refusal::Refusal},
    hash::HashSet,
    project::{
        boundary::Boundary,
        disk::Disk,
        error::Error,
        kind::FileKind,
        rendered::{Rendered, Renderer},
        skipped::Skipped,
    },
    source::{self, FileId, Files, SourceFile},
};

/// A repository, or the part of the disk that is treated as one.
#[derive(Debug)]
pub struct Project {
    /// The git root, or the folder given; empty for a project in memory.
    pub root: PathBuf,
    /// Whether folders below the root belong to it.
    pub descends: bool,
    /// Every file below the root, by its path relative to it.
    pub files: Files,
    /// What its charts were rendered to, if they were.
    pub rendered: Vec<Rendered>,
    /// What renders them for each release, if not karplint itself.
    pub renderer: Option<Arc<dyn Renderer>>,
    /// Archives of charts from elsewhere, by file name, among which its charts may find their dependencies.
    pub archives: Vec<archives::Archive>,
    /// The paths asked for, relative to the root; one empty path for everything.
    asked: HashSet<String>,
    /// Chart folders, whose `templates/` hold Go templates.
    charts: HashSet<String>,
    disk: Arc<Disk>,
}

impl Project {
    /// Lists the files of the project around a path. Files and folders for which `exclude` (given a path
    /// relative to the root) is true are left out.
    ///
    /// # Errors
    /// When the path does not exist.
    pub fn around(path: &Path, exclude: &(dyn Fn(&str) -> bool + Sync)) -> Result<Self, Error> {
        Ok(Self::load(&Boundary::around(path)?, 0, exclude))
    }

    /// Lists the files inside a boundary. Their identifiers begin with `first`, so that those of several
    /// projects differ.
    #[must_use]
    pub fn load(boundary: &Boundary, first: u32, exclude: &(dyn Fn(&str) -> bool + Sync)) -> Self {
        let Boundary { root, descends, asked } = boundary;
        let disk = Arc::new(Disk::at(root));
        let found = disk.gate().map_or_else(walk::WalkResult::default, |gate| {
            // In a list of files, as that of pre-commit, some may be test data.
            let inside_test_data = asked.iter().all(|it| left_out::lies_in_test_data(it));
            let left_out = |path: &str| {
                let Some(reason) = left_out::reason(path, inside_test_data) else {
                    return exclude(path);
                };
                disk.skip(Skipped::new(path, reason));
                true
            };
            let mut found = walk::files(gate, "", (!descends).then_some(1), &left_out);
            for path in asked {
                // Who names an ignored file or folder means it.
                let of_tests = !inside_test_data && left_out::lies_in_test_data(path);
                if !of_tests && !found.holds(path) {
                    found.join(walk::files(gate, path, None, &left_out));
                }
            }
            if *descends {
                let installed = installed::files(gate, &found.paths);
                let kept = dependencies::files(gate, &found.paths, &left_out);
                for paths in [installed, kept] {
                    found.join(walk::WalkResult { paths, ..walk::WalkResult::default() });
                }
            }
            found
        });
        for skipped in found.skipped {
            disk.skip(skipped);
        }
        let list = found
            .paths
            .into_iter()
            .map(|path| SourceFile::lazy(path, Arc::clone(&disk) as Arc<_>))
            .collect();
        let files = Files::numbered_from(first, list).with_links(found.links);
        Self { descends: *descends, ..Self::new(root.clone(), files, asked.clone(), disk) }
    }

    /// A project of texts, by path relative to its root.
    #[must_use]
    pub fn from_memory(files: Vec<(String, String)>) -> Self {
        let list = files.into_iter().map(|(path, text)| SourceFile::new(path, text)).collect();
        let disk = Arc::new(Disk::default());
        Self::new(PathBuf::new(), Files::new(list), vec![String::new()], disk)
    }

    fn new(
        root: PathBuf,
        files: Files,
        asked: impl IntoIterator<Item = String>,
        disk: Arc<Disk>,
    ) -> Self {
        let asked = asked.into_iter().collect();
        let charts = files
            .iter()
            .filter(|(_, file)| file.name() == "Chart.yaml")
            .map(|(_, file)| file.folder().to_owned())
            .collect();
        let (rendered, archives) = Default::default();
        Self {
            root,
            descends: true,
            files,
            rendered,
            renderer: None,
            archives,
            asked,
            charts,
            disk,
        }
    }

    /// The same project with a text in place of the file at `path` (relative to the root), which is
    /// then all that is asked for.
    #[must_use]
    pub fn with_standard_input(mut self, path: &str, text: String) -> Self {
        self.set_text(path, text);
        Self {
            descends: self.descends,
            ..Self::new(self.root, self.files, [path.to_owned()], self.disk)
        }
    }

    /// Adds a file by its path relative to the root, also one that git ignores; nothing where there is none.
    pub fn include(&mut self, path: &str) {
        let real = self.disk.gate().and_then(|it| it.real(path).ok().map(|real| it.kind(&real)));
        let inside = real == Some(Some(Kind::File));
        if inside && self.files.find(path).is_none() {
            self.files.add(SourceFile::lazy(path, Arc::clone(&self.disk) as Arc<_>));
        }
    }

    /// Leaves out the files for which `exclude`, given their path, is true.
    pub fn leave_out(&mut self, exclude: &dyn Fn(&str) -> bool) {
        self.files.retain(|path| !exclude(path));
    }

    /// Puts a text in place of the file at `path` (relative to the root), or beside the others.
    pub fn set_text(&mut self, path: &str, text: String) {
        match self.files.find(path) {
            Some(id) => self.files.replace(id, text),
            None => self.files.add(SourceFile::new(path, text)),
        }
    }

    /// The files of a kind, in the order of their paths.
    #[must_use]
    pub fn of_kind(&self, kind: FileKind) -> Vec<FileId> {
        let files = self.files.iter();
        files
            .filter(|(_, file)| FileKind::of(file.path()) == Some(kind))
            .map(|(id, _)| id)
            .collect()
    }

    /// Whether the user asked about the file at this path relative to the root.
    #[must_use]
    pub fn is_asked_for(&self, path: &str) -> bool {
        let folders = source::outward(path);
        folders.into_iter().any(|it| self.asked.contains(it))
    }

    /// The paths of the files of a kind that the user named one by one.
    #[must_use]
    pub fn named(&self, kind: FileKind) -> Vec<String> {
        let named = self.asked.iter().filter(|it| FileKind::of(it) == Some(kind));
        let mut named: Vec<String> = named.cloned().collect();
        named.sort_unstable();
        named
    }

    /// The path asked for, if it is the only one.
    #[must_use]
    pub fn named_only(&self) -> Option<String> {
        let mut asked = self.asked.iter();
        asked.next().filter(|_| self.asked.len() == 1).cloned()
    }

    /// Whether the user named this very path.
    #[must_use]
    pub fn is_named(&self, path: &str) -> bool {
        self.asked.contains(path)
    }

    /// Whether the file is a template that only Helm can render. Unless it was rendered, it is then
    /// listed as skipped.
    #[must_use]
    pub fn skips_as_template(&self, id: FileId) -> bool {
        let template = self.is_template(id);
        let path = self.files.get(id).path();
        if template && !self.is_rendered(path) {
            let chart = self.chart_of(path).unwrap_or_default();
            self.disk.skip(Skipped::of_chart(path, chart));
        }
        template
    }

    /// The YAML and JSON files that may hold Kubernetes objects as they are applied.
    #[must_use]
    pub fn manifest_files(&self) -> Vec<FileId> {
        let files = [FileKind::Yaml, FileKind::Json].into_iter().flat_map(|it| self.of_kind(it));
        files.filter(|it| !self.skips_as_template(*it)).collect()
    }

    /// Whether a `Chart.yaml` lies beside a `templates` folder around this path.
    #[must_use]
    pub fn lies_in_chart_templates(&self, path: &str) -> bool {
        path.match_indices("templates/").any(|(at, _)| {
            let chart = path[..at].strip_suffix('/').unwrap_or("");
            (at == 0 || path[..at].ends_with('/')) && self.charts.contains(chart)
        })
    }

    /// Remembers that a file or folder is not read.
    pub fn skip(&self, skipped: Skipped) {
        self.disk.skip(skipped);
    }

    /// What was not read so far and why, sorted. Reasons inside files are known once they were asked for
    /// their text.
    #[must_use]
    pub fn skipped(&self) -> Vec<Skipped> {
        self.disk.skipped()
    }

    /// Whether the file at this path could not be read, so that its empty text means nothing.
    #[must_use]
    pub fn is_skipped(&self, path: &str) -> bool {
        self.disk.is_skipped(path)
    }

    /// How often a file was opened.
    #[must_use]
    pub fn loads(&self) -> usize {
        self.disk.loads()
    }

    /// Whether there is a file at this path relative to the root, read or not.
    #[must_use]
    pub fn is_on_disk(&self, path: &str) -> bool {
        self.files.find(path).is_some()
            || self.disk.gate().is_some_and(|it| it.kind(path) == Some(Kind::File))
    }

    /// The text of a file at a path relative to the root, of at most that many bytes, that is no part of the
    /// project itself; `None` where there is none.
    ///
    /// # Errors
    /// When it cannot be read, or leads out of the root; a sentence.
    pub fn text_beside(&self, path: &str, limit: u64) -> Result<Option<String>, String> {
        self.disk.gate().map_or(Ok(None), |it| it.text_if_there(path, limit))
    }

    /// Writes the text of a file to the disk, in the place of the one it had when it was read.
    ///
    /// # Errors
    /// When the file is not what it was, or cannot be written.
    pub fn rewrite(&self, id: FileId, before: &str) -> Result<(), Refusal> {
        let file = self.files.get(id);
        self.disk.gate().ok_or(Refusal::Missing)?.replace(file.path(), before, file.text())
    }

    /// Whether that would be possible; nothing is changed.
    ///
    /// # Errors
    /// As above.
    pub fn may_rewrite(&self, id: FileId, before: &str) -> Result<(), Refusal> {
        let path = self.files.get(id).path();
        self.disk.gate().ok_or(Refusal::Missing)?.may_replace(path, before)
    }
}

#[cfg(test)]
mod tests {
    use super::Project;

    fn project(paths: &[&str]) -> Project {
        Project::from_memory(
            paths.iter().map(|it| ((*it).to_owned(), "{{ x }}".to_owned())).collect(),
        )
    }

    #[test]
    fn only_templates_of_charts_are_templates() {
        let project = project(&["a/Chart.yaml", "a/templates/x/y.yaml", "b/templates/y.yaml"]);
        let cases = [
            ("a/templates/x/y.yaml", true),
            ("a/templates", false),
            ("a/mytemplates/x.yaml", false),
            ("b/templates/y.yaml", false),
            ("templates/y.yaml", false),
        ];
        for (path, expected) in cases {
            assert_eq!(project.lies_in_chart_templates(path), expected, "{path}");
        }
    }

    #[test]
    fn modules_that_terraform_fetched_are_files_of_the_project() {
        let folder = tempfile::tempdir().unwrap();
        let modules = folder.path().join("r/.terraform/modules");
        std::fs::create_dir_all(modules.join("k/examples/x")).unwrap();
        std::fs::create_dir_all(modules.join("k/templates")).unwrap();
        std::fs::create_dir_all(modules.join("gone")).unwrap();
        let list = r#"{"Modules":[{"Key":"","Source":"","Dir":"."},
            {"Key":"k","Source":"a/k/aws","Dir":".terraform/modules/k"},
            {"Key":"out","Source":"x","Dir":"../../.terraform/modules/k"}]}"#;
        for (path, text) in [
            ("../../main.tf", ""),
            ("modules.json", list),
            ("k/main.tf", ""),
            ("k/examples/x/main.tf", ""),
            ("k/templates/values.yaml", ""),
            ("gone/main.tf", ""),
        ] {
            use std::io::Write;
            let mut file = std::fs::File::create(modules.join(path)).unwrap();
            file.write_all(text.as_bytes()).unwrap();
        }
        let project = Project::around(folder.path(), &|_| false).unwrap();
        let paths: Vec<&str> = project.files.iter().map(|(_, it)| it.path()).collect();
        assert_eq!(
            paths,
            [
                "r/.terraform/modules/k/main.tf",
                "r/.terraform/modules/k/templates/values.yaml",
                "r/.terraform/modules/modules.json",
                "r/main.tf",
            ]
        );
    }

    #[test]
    fn asking_is_by_whole_names() {
        let mut project = project(&["a.yaml"]);
        project.asked = ["deploy".to_owned()].into_iter().collect();
        let cases =
            [("deploy", true), ("deploy/a.yaml", true), ("deployment/a.yaml", false), ("a", false)];
        for (path, expected) in cases {
            assert_eq!(project.is_asked_for(path), expected, "{path}");
        }
    }

    #[test]
    fn a_file_is_opened_once() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.tf", "b.tf", "c.tf"] {
            std::fs::File::create(folder.path().join(name)).unwrap();
        }
        let project = Project::around(folder.path(), &|it| it == "c.tf").unwrap();
        assert_eq!((project.files.len(), project.loads()), (2, 0));
        for _ in 0..3 {
            assert!(project.files.iter().all(|(_, file)| file.text().is_empty()));
        }
        assert_eq!(project.loads(), 2);
    }
}
