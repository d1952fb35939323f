//! A plan as it is shown.

use std::path::Path;

use crate::{
    project::Project,
    report::{Report, choice::Choice, way::DisplayPaths},
    source::{Span, column::ColumnUnit},
    upgrade::way::{Step, Upgrade},
};

/// A plan of several projects.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The projects with the ways of their Karpenters.
    pub parts: Vec<(&'a Project, &'a [Upgrade])>,
    /// The working directory.
    pub here: &'a Path,
}

impl<'a> Plan<'a> {
    /// All ways, each with its project.
    pub(super) fn upgrades(&self) -> impl Iterator<Item = (&'a Project, &'a Upgrade)> {
        self.parts.iter().flat_map(|(project, all)| all.iter().map(move |it| (*project, it)))
    }

    /// A place as `path:line`, the path as the user would write it.
    pub(super) fn place(&self, project: &Project, span: Span) -> String {
        let file = project.files.get(span.file);
        let at = file.position(span.start as usize, ColumnUnit::Characters);
        format!("{}:{}", self.path(project, span), at.line)
    }

    /// The path of a place as the user would write it.
    pub(super) fn path(&self, project: &Project, span: Span) -> String {
        let way = DisplayPaths::new(&project.root, self.here);
        way.shown(project.files.get(span.file).path())
    }

    /// What a step changes, as a report.
    pub(super) fn report(&self, project: &'a Project, step: &'a Step) -> Report<'a> {
        Report::new(project, &step.changes, self.here, Choice::everything())
    }

    /// The same of each step of a way.
    pub(super) fn reports(&self, project: &'a Project, of: &'a Upgrade) -> Vec<Report<'a>> {
        of.steps.iter().map(|it| self.report(project, it)).collect()
    }
}
