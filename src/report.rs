//! What is shown of an outcome, and the choice of format.

pub(crate) mod baseline;
pub mod checkstyle;
pub mod choice;
pub mod concise;
pub(crate) mod fingerprint;
pub mod github;
pub mod gitlab;
pub(crate) mod group;
pub mod html;
pub mod json;
pub mod junit;
mod lines;
pub mod markdown;
pub mod markup;
pub(crate) mod merged;
pub mod part;
pub mod sarif;
pub(crate) mod shown;
pub mod statistics;
pub(crate) mod summary;
pub mod text;
pub(crate) mod undecided;
pub(crate) mod way;
pub(crate) mod why;
pub(crate) mod wrap;

use std::{collections::BTreeSet, path::Path};

use crate::{
    config::file::ConfigMistake,
    findings::{Severity, silence::Unreported},
    lint::LintResult,
    page::Page,
    project::Project,
    report::{
        baseline::AcceptedFinding,
        choice::Choice,
        part::{Chosen, Part, gone},
        shown::Shown,
        way::DisplayPaths,
    },
    rules,
    source::{FileId, SourceFile, Span, column::ColumnUnit},
};

/// Everything a format needs.
#[derive(Debug)]
pub struct Report<'a> {
    /// The projects that were checked, by their roots.
    pub parts: Vec<Part<'a>>,
    /// The findings to show, in order.
    pub shown: Vec<Shown<'a>>,
    /// What was skipped among the paths asked for.
    pub skipped: Vec<NotRead<'a>>,
    /// How many findings there are allowed.
    pub allowed: usize,
    /// The subjects there that rules looked at and did not report.
    pub unreported: Vec<&'a Unreported>,
    /// How many files were asked for.
    pub files: usize,
    /// How many findings the baseline accepts.
    pub accepted: usize,
    /// What the baseline accepts and no rule reports any more, in the files asked for and in
    /// deleted ones.
    pub gone: Vec<&'a AcceptedFinding>,
    /// How many findings are older than the changes.
    pub unchanged: usize,
    /// For each part the path from the working directory to its root.
    ways: Vec<DisplayPaths>,
}

/// A file that was not read.
#[derive(Debug)]
pub struct NotRead<'a> {
    /// The path as the user would write it.
    pub path: String,
    /// The path for programs, as in `lines::Spot`.
    pub address: String,
    /// Why.
    pub reason: &'a str,
    /// Of a Helm template: the folder of the chart that would have to be rendered.
    pub chart: Option<&'a str>,
}

impl<'a> Report<'a> {
    /// The findings of `outcome` in the files that were asked for, those of the choice.
    #[must_use]
    pub fn new(
        project: &'a Project,
        outcome: &'a LintResult,
        working_directory: &Path,
        choice: Choice<'a>,
    ) -> Self {
        Self::of(vec![Part { project, outcome, choice, config_warnings: &[] }], working_directory)
    }

    /// The same for several projects, whose files have different identifiers.
    #[must_use]
    pub fn of(parts: Vec<Part<'a>>, working_directory: &Path) -> Self {
        let ways =
            parts.iter().map(|it| DisplayPaths::new(&it.project.root, working_directory)).collect();
        let chosen: Vec<Chosen> = parts.iter().map(Part::chosen).collect();
        let mut report = Self {
            shown: Vec::new(),
            skipped: Vec::new(),
            allowed: 0,
            unreported: Vec::new(),
            files: 0,
            accepted: 0,
            gone: gone(&parts),
            unchanged: 0,
            parts,
            ways,
        };
        for (index, chosen) in chosen.into_iter().enumerate() {
            let skipped = chosen.skipped.into_iter().map(|it| NotRead {
                path: report.shown_path(index, &it.path),
                address: report.address(index, &it.path),
                reason: &it.reason,
                chart: it.chart.as_deref(),
            });
            let skipped: Vec<NotRead> = skipped.collect();
            report.skipped.extend(skipped);
            report.shown.extend(chosen.shown);
            report.allowed += chosen.allowed;
            report.unreported.extend(chosen.unreported);
            report.files += chosen.files;
            report.accepted += chosen.accepted;
            report.unchanged += chosen.unchanged;
        }
        report
    }

    /// The index of the project a file belongs to.
    #[must_use]
    pub fn part_of(&self, id: FileId) -> usize {
        self.parts.iter().position(|it| it.project.files.holds(id)).unwrap_or_default()
    }

    /// A file of one of the projects.
    #[must_use]
    pub fn file(&self, id: FileId) -> &'a SourceFile {
        self.parts[self.part_of(id)].project.files.get(id)
    }

    /// A file's path as the user would write it: relative to the working directory.
    #[must_use]
    pub fn path(&self, id: FileId) -> String {
        self.shown_path(self.part_of(id), self.file(id).path())
    }

    /// A path relative to the root of a part as the user would write it.
    #[must_use]
    pub fn shown_path(&self, part: usize, path: &str) -> String {
        self.ways[part].shown(path)
    }

    /// The same for programs: relative to the root, and to the working directory where there are several.
    fn address(&self, part: usize, path: &str) -> String {
        if self.parts.len() == 1 { path.to_owned() } else { self.ways[part].written(path) }
    }

    /// A file's path for programs.
    #[must_use]
    pub fn address_of(&self, id: FileId) -> String {
        self.address(self.part_of(id), self.file(id).path())
    }

    /// The page of a rule: a built-in one, or one of a project's own.
    #[must_use]
    pub fn page(&self, rule: &str) -> Option<&'a Page> {
        self.parts.iter().find_map(|it| it.outcome.book.page(rule))
    }

    /// The pages of all rules that the projects have, each name once.
    #[must_use]
    pub fn pages(&self) -> Vec<&'a Page> {
        let mut found: Vec<&Page> = rules::pages().collect();
        for it in self.parts.iter().flat_map(|it| it.outcome.book.own()) {
            if found.iter().all(|known| known.name != it.name) {
                found.push(it);
            }
        }
        found
    }

    /// Whether the project shows that Karpenter is used.
    #[must_use]
    pub fn uses_karpenter(&self) -> bool {
        self.parts.iter().any(|it| it.outcome.model.uses_karpenter)
    }

    /// Whether the project has resources of Karpenter, applied or not.
    #[must_use]
    pub fn has_resources_of_karpenter(&self) -> bool {
        self.parts.iter().any(|it| !it.outcome.model.karpenter_objects.is_empty())
    }

    /// The kinds of what is made for Karpenter in AWS, in the plural.
    #[must_use]
    pub fn made_for_karpenter(&self) -> BTreeSet<&'static str> {
        self.parts.iter().flat_map(|it| it.outcome.model.made_for_karpenter()).collect()
    }

    /// What configs say and the projects contradict, each with the path of its config for programs; `None`
    /// for one that lies outside.
    pub fn config_warnings(&self) -> impl Iterator<Item = (Option<String>, &'a ConfigMistake)> {
        self.parts.iter().enumerate().flat_map(move |(part, it)| {
            it.config_warnings.iter().map(move |warning| {
                let path = &warning.at.path;
                ((!path.is_empty()).then(|| self.address(part, path)), warning)
            })
        })
    }

    /// The questions that were not decided.
    pub fn undecided(&self) -> impl Iterator<Item = &'a Unreported> {
        self.unreported.iter().copied().filter(|it| it.silence.cause().is_some())
    }

    /// How many findings of that severity are shown.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.shown.iter().filter(|it| it.finding.severity == severity).count()
    }

    /// The highest severity shown.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.shown.iter().map(|it| it.finding.severity).max()
    }

    /// A place as `path:line:column`, the path as the user would write it.
    #[must_use]
    pub fn shown_place(&self, span: Span) -> String {
        let at = self.file(span.file).position(span.start as usize, ColumnUnit::Characters);
        format!("{}:{}:{}", self.path(span.file), at.line, at.column)
    }

    /// "2 errors, 1 warning in 14 files (1 allowed)"; findings below the lowest severity do not count.
    #[must_use]
    pub fn summary(&self, lowest: Severity) -> String {
        let kinds = [Severity::Error, Severity::Warning, Severity::Note];
        let kinds = kinds.into_iter().filter(|it| *it >= lowest);
        let counts = kinds.map(|it| (self.count(it), it.word())).filter(|it| it.0 > 0);
        if self.files == 0 && !self.skipped.is_empty() {
            return "nothing to check: what was asked for is not read".to_owned();
        }
        if self.files == 0 {
            return "nothing to check: no Terraform, YAML or JSON file here".to_owned();
        }
        let mut found: Vec<_> = counts.map(|(count, word)| plural(count, word)).collect();
        if found.is_empty() {
            found.push("no findings".to_owned());
        }
        let mut remarks = Vec::new();
        if self.allowed > 0 {
            remarks.push(format!("{} allowed", self.allowed));
        }
        if self.accepted > 0 {
            remarks.push(format!("{} in the baseline", self.accepted));
        }
        if self.unchanged > 0 {
            remarks.push(format!("{} were there before", self.unchanged));
        }
        if !self.skipped.is_empty() {
            remarks.push(format!("{} not read", plural(self.skipped.len(), "file")));
        }
        let remarks =
            if remarks.is_empty() { String::new() } else { format!(" ({})", remarks.join(", ")) };
        format!("{} in {}{remarks}", found.join(", "), plural(self.files, "file"))
    }
}

/// "1 file", "2 files".
#[must_use]
pub fn plural(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

/// The first names, and how many more there are: "a, b, c and 2 more".
#[must_use]
pub fn named(names: &[&str]) -> String {
    const MOST: usize = 3;
    let listed = names.get(..names.len().min(MOST)).unwrap_or_default().join(", ");
    match names.len().saturating_sub(MOST) {
        0 => listed,
        more => format!("{listed} and {more} more"),
    }
}
