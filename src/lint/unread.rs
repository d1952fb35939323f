//! What was not read, and why.

use memchr::memmem;

use crate::{
    lint::unrendered::{self, Unrendered},
    model::Model,
    project::{
        Project,
        kind::is_downloaded,
        skipped::{self, Skipped},
    },
    source::{FileId, SourceFile},
};

/// The files that a run passed over.
pub(super) struct Unread {
    /// Manifests with template syntax.
    pub(super) templates: Vec<FileId>,
    /// What kubectl would refuse, with its reason.
    pub(super) refused: Vec<(FileId, String)>,
    /// Files that only a configuration could fill in, with the reason.
    pub(super) unfilled: Vec<(FileId, String)>,
}

impl Unread {
    /// All that was not read: what the project knows of, and these files.
    pub(super) fn skipped(
        mut self,
        project: &Project,
        model: &Model,
        unrendered: &Unrendered,
    ) -> Vec<Skipped> {
        self.templates.extend(&model.terraform.templates);
        self.templates.retain(|it| !model.filled_in.contains(it));
        let unjudged = model.terraform.unjudged.iter();
        let unjudged = unjudged.map(|it| (it.file, it.reason.to_owned()));
        let templates = self.templates.into_iter().map(|it| (it, skipped::TEMPLATE.to_owned()));
        let passed_over = model.passed_over.iter();
        let passed_over = passed_over.map(|(file, reason)| (*file, (*reason).to_owned()));
        let unseen = model.unseen_templates.iter().map(|(file, reason)| (*file, reason.clone()));
        self.unfilled.retain(|(file, _)| !model.applied_templates.contains(file));
        let files = templates.chain(unseen).chain(self.refused).chain(passed_over).chain(unjudged);
        let mut skipped = project.skipped();
        for it in &mut skipped {
            unrendered::name_failure(project, it);
        }
        let path = |file: FileId| project.files.get(file).path();
        let files = files.chain(self.unfilled);
        skipped.extend(files.map(|(file, reason)| Skipped::new(path(file), reason)));
        let refused = project.rendered.iter().filter(|it| unrendered.holds_chart(&it.folder));
        skipped.extend(refused.filter_map(unrendered::failed));
        let remarks = model.chart_remarks.iter();
        skipped.extend(remarks.map(|(file, words)| Skipped::new(path(*file), words.clone())));
        skipped.sort();
        skipped.dedup();
        skipped.retain(|it| it.chart.as_ref().is_none_or(|it| unrendered.holds_chart(it)));
        skipped
    }
}

/// The template files that no configuration fills in, so that nothing inside them is seen.
pub(super) fn templates_for_nobody(project: &Project) -> Vec<(FileId, String)> {
    const UNFILLED: &str = "a template that no configuration here fills in";
    const UNAPPLIED: &str = "a template that is filled in where nothing is seen to apply it";
    let endings = [".tftpl", ".yaml.tpl", ".yml.tpl"];
    let is_template = |it: &SourceFile| endings.iter().any(|ending| it.path().ends_with(ending));
    let unread = |it: &SourceFile| is_template(it) && !it.is_loaded();
    let files = project.files.iter().filter(|(_, it)| unread(it) && !is_downloaded(it.path()));
    let is_named = |name: &str| {
        let code = project.files.iter().filter(|(_, it)| matches!(it.ending(), "tf" | "tofu"));
        let mut code = code.filter(|(_, it)| it.is_loaded());
        code.any(|(_, it)| memmem::find(it.text().as_bytes(), name.as_bytes()).is_some())
    };
    let reason = |it: &SourceFile| if is_named(it.name()) { UNAPPLIED } else { UNFILLED };
    files.map(|(id, it)| (id, reason(it).to_owned())).collect()
}
