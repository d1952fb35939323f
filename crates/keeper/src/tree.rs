//! The upstream trees: the files that are compared.

use std::{collections::BTreeMap, fs, io, path::Path};

use karplint_core::{
    source::{FileId, Span},
    syntax::yaml,
    value::{Text, Value},
};

/// The files by their path, with `/`.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    files: BTreeMap<String, String>,
}

/// The `CloudFormation` template with the policy of the controller.
const CLOUD_FORMATION: &str =
    "website/content/en/preview/getting-started/getting-started-with-karpenter/cloudformation.yaml";

impl Tree {
    /// The trees in a folder.
    ///
    /// # Errors
    ///
    /// If a folder cannot be listed.
    pub(crate) fn read(folder: &Path) -> io::Result<Self> {
        let mut tree = Self::default();
        tree.add(folder, "")?;
        Ok(tree)
    }

    /// A tree of these files.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let own = |it: &(&str, &str)| (it.0.to_owned(), it.1.to_owned());
        Self { files: files.iter().map(own).collect() }
    }

    #[expect(clippy::disallowed_methods, reason = "this is where upstream trees are read")]
    fn add(&mut self, folder: &Path, prefix: &str) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
            let kind = entry.file_type()?;
            if kind.is_dir() && !name.starts_with('.') && name != "node_modules" {
                self.add(&entry.path(), &path)?;
            }
            if kind.is_file() && is_compared(&path) {
                // A file that is no text is none of those that are compared.
                if let Ok(text) = fs::read_to_string(entry.path()) {
                    self.files.insert(path, text);
                }
            }
        }
        Ok(())
    }

    /// Whether there is nothing to compare with.
    pub(crate) fn is_empty(&self) -> bool {
        let module = self.ending("modules/karpenter/main.tf");
        !self.has_karpenter() && self.charts().next().is_none() && module.is_none()
    }

    /// Whether one is Karpenter's own.
    pub(crate) fn has_karpenter(&self) -> bool {
        self.within("pkg/apis/crds").next().is_some()
    }

    /// The files in a folder of some tree, at any depth.
    pub(crate) fn within(&self, folder: &str) -> impl Iterator<Item = (&str, &str)> {
        let (first, inside) = (format!("{folder}/"), format!("/{folder}/"));
        let own = move |path: &str| path.starts_with(&first) || path.contains(&inside);
        self.files.iter().filter(move |it| own(it.0)).map(|it| (it.0.as_str(), it.1.as_str()))
    }

    /// The file whose path ends so.
    pub(crate) fn ending(&self, path: &str) -> Option<(&str, &str)> {
        let inside = format!("/{path}");
        let mut files = self.files.iter();
        let found = files.find(|it| it.0 == path || it.0.ends_with(&inside));
        found.map(|it| (it.0.as_str(), it.1.as_str()))
    }

    /// The policy of the controller in Karpenter's `CloudFormation` template.
    pub(crate) fn cloud_formation(&self) -> Option<(&str, &str)> {
        self.ending(CLOUD_FORMATION)
    }

    /// The folders of charts, each with its `Chart.yaml`.
    pub(crate) fn charts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|(path, text)| {
            let folder = path.strip_suffix("Chart.yaml")?;
            Some((folder.trim_end_matches('/'), text.as_str()))
        })
    }

    /// A file in a folder.
    pub(crate) fn file(&self, folder: &str, name: &str) -> Option<(&str, &str)> {
        let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        self.files.get_key_value(&path).map(|it| (it.0.as_str(), it.1.as_str()))
    }
}

fn is_compared(path: &str) -> bool {
    const WHOLE: [&str; 9] = [
        "Chart.yaml",
        "values.yaml",
        "CHANGELOG.md",
        "content/en/preview/upgrading/upgrade-guide.md",
        "hack/docs/compatibilitymatrix_gen/compatibility.yaml",
        "pkg/providers/version/version.go",
        CLOUD_FORMATION,
        "website/content/en/docs/reference/instance-types.md",
        "pkg/providers/instancetype/zz_generated.vpclimits.go",
    ];
    const FOLDERS: [(&str, &[&str]); 3] = [
        ("templates/", &["yaml", "tpl"]),
        ("pkg/apis/crds/", &["yaml"]),
        ("modules/karpenter/", &["tf"]),
    ];
    let ending = path.rsplit('.').next().unwrap_or_default();
    WHOLE.iter().any(|it| path.ends_with(it))
        || FOLDERS.iter().any(|(folder, all)| path.contains(folder) && all.contains(&ending))
}

/// The first document of a YAML file, as chart values are read: braces are ordinary text.
pub(crate) fn document(text: &str) -> Option<Value> {
    let whole = Span::new(FileId(0), 0, text.len());
    yaml::parse_literal(&Text::verbatim(text, whole), whole).values.into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::is_compared;

    #[test]
    fn what_the_comparisons_ask_for_is_read() {
        for (path, wanted) in [
            ("upstream/website/content/en/preview/upgrading/upgrade-guide.md", true),
            ("upstream/hack/docs/compatibilitymatrix_gen/compatibility.yaml", true),
            ("charts/karpenter/templates/deployment.yaml", true),
            ("website/content/en/v1.0/upgrading/upgrade-guide.md", false),
            ("website/content/en/preview/faq.md", false),
        ] {
            assert_eq!(is_compared(path), wanted, "{path}");
        }
    }
}
