//! What a config says of the project's own rules.

use std::sync::Arc;

use crate::{
    config::{Config, RuleLevel},
    policies::{RuleBook, TOPIC},
    project::{Project, kind::FileKind},
    source::{FileId, SourceFile},
};

impl Config {
    /// The same with the policies of a project: those of the folder for them, and those that this config lists.
    #[must_use]
    pub fn with_policies_of(self, project: &Project) -> Self {
        let files = project.files.iter().filter(|(_, it)| self.is_policy(it));
        let files: Vec<FileId> = files.map(|(id, _)| id).collect();
        let book = RuleBook::read(&project.files, &files);
        if book.is_empty() && self.book.is_empty() { self } else { self.with_book(book) }
    }

    /// Whether a file holds policies: those of the folder for them do, and those that this config lists.
    #[must_use]
    pub fn is_policy(&self, file: &SourceFile) -> bool {
        FileKind::of(file.path()) == Some(FileKind::Policy)
            || self.policies.matches(file.path()) && matches!(file.ending(), "yaml" | "yml")
    }

    /// The same where these are the rules: what is said of the topic of policies is said of each.
    #[must_use]
    fn with_book(mut self, book: RuleBook) -> Self {
        let names: Vec<&str> = book.own().map(|it| it.name).collect();
        let spread = |list: &mut Vec<(String, RuleLevel)>| {
            let of_topic =
                list.iter().filter(|it| it.0 == TOPIC).map(|it| it.1).collect::<Vec<_>>();
            let all =
                of_topic.iter().flat_map(|level| names.iter().map(|it| ((*it).to_owned(), *level)));
            // What is said of a rule itself comes later and counts.
            list.splice(0..0, all.collect::<Vec<_>>());
        };
        for layer in self.layers.all_mut() {
            spread(&mut layer.rules);
            layer.overrides.iter_mut().for_each(|it| spread(&mut it.rules));
            for it in layer.allowed.iter_mut().filter(|it| it.rule == TOPIC) {
                it.rules.extend(names.iter().map(|it| (*it).to_owned()));
            }
        }
        self.book = Arc::new(book);
        self
    }
}
