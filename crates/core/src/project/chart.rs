//! The charts of a project and their templates.

use std::collections::BTreeSet;

use crate::{
    project::{Project, kind::FileKind},
    source::{FileId, parent},
};

impl Project {
    /// Whether the file is a template that only Helm can render: it lies in the `templates` folder of a
    /// chart and holds `{{`.
    #[must_use]
    pub fn is_template(&self, id: FileId) -> bool {
        let file = self.files.get(id);
        self.lies_in_chart_templates(file.path())
            && memchr::memmem::find(file.text().as_bytes(), b"{{").is_some()
    }

    /// The chart by whose rendering a file of a chart is rendered: the nearest folder above it that is
    /// a chart of its own, not a copy in the `charts` folder of another.
    #[must_use]
    pub fn chart_of(&self, path: &str) -> Option<&str> {
        let mut folder = parent(path);
        loop {
            if let Some(chart) = self.charts.get(folder)
                && !self.is_vendored(chart)
            {
                return Some(chart);
            }
            if folder.is_empty() {
                return None;
            }
            folder = parent(folder);
        }
    }

    /// The folders of the charts that hold a template of their own or in their subcharts.
    #[must_use]
    pub fn charts_to_render(&self) -> BTreeSet<&str> {
        let files = [FileKind::Yaml, FileKind::Json].into_iter().flat_map(|it| self.of_kind(it));
        let templates = files.filter(|it| self.is_template(*it));
        templates.filter_map(|it| self.chart_of(self.files.get(it).path())).collect()
    }

    /// Whether the chart that the file belongs to was rendered.
    #[must_use]
    pub fn is_rendered(&self, path: &str) -> bool {
        self.chart_of(path).is_some_and(|chart| {
            self.rendered.iter().any(|it| it.folder == chart && it.text.is_ok())
        })
    }

    /// Whether a chart is a copy inside the `charts` folder of another.
    fn is_vendored(&self, folder: &str) -> bool {
        folder.match_indices("charts/").any(|(at, _)| {
            let outer = folder.get(..at).unwrap_or_default();
            match outer.strip_suffix('/') {
                Some(outer) => self.charts.contains(outer),
                None => outer.is_empty() && self.charts.contains(""),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::project::{Project, rendered::Rendered};

    fn project() -> Project {
        let paths = [
            "Chart.yaml/none.yaml",
            "a/Chart.yaml",
            "a/templates/x.yaml",
            "a/charts/b/Chart.yaml",
            "a/charts/b/templates/deep/x.yaml",
            "a/mycharts/c/Chart.yaml",
            "a/mycharts/c/templates/x.yaml",
            "charts/d/Chart.yaml",
            "charts/d/templates/x.yaml",
            "charts/e/Chart.yaml",
            "charts/e/values.yaml",
        ];
        let file = |it: &&str| ((*it).to_owned(), "a: {{ x }}".to_owned());
        Project::from_memory(paths.iter().map(file).collect())
    }

    #[test]
    fn a_template_belongs_to_the_chart_that_is_installed() {
        let project = project();
        let cases = [
            ("a/templates/x.yaml", Some("a")),
            ("a/charts/b/templates/deep/x.yaml", Some("a")),
            ("a/mycharts/c/templates/x.yaml", Some("a/mycharts/c")),
            ("charts/d/templates/x.yaml", Some("charts/d")),
            ("x.yaml", None),
        ];
        for (path, expected) in cases {
            assert_eq!(project.chart_of(path), expected, "{path}");
        }
        let charts: Vec<_> = project.charts_to_render().into_iter().collect();
        assert_eq!(charts, ["a", "a/mycharts/c", "charts/d"]);
    }

    #[test]
    fn only_what_a_rendering_succeeded_for_is_rendered() {
        let mut project = project();
        let rendered = |folder: &str, text| Rendered {
            folder: folder.to_owned(),
            name: folder.to_owned(),
            text,
        };
        project.rendered = vec![
            rendered("a", Ok(String::new())),
            rendered("charts/d", Err("no value".to_owned())),
        ];
        let cases = [
            ("a/templates/x.yaml", true),
            ("a/charts/b/templates/deep/x.yaml", true),
            ("a/mycharts/c/templates/x.yaml", false),
            ("charts/d/templates/x.yaml", false),
        ];
        for (path, expected) in cases {
            assert_eq!(project.is_rendered(path), expected, "{path}");
        }
    }
}
