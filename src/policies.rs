//! The rules of a project: the built-in ones, and the policies it has of its own.

pub(crate) mod admission;
mod fields;
pub(crate) mod judge;
mod names;
pub mod shelf;
pub(crate) mod schema;
mod page;
mod subjects;
mod types;
pub(crate) mod completion;

use crate::{
    findings::Severity,
    page::Page,
    policies::{page::bare, types::schema},
    rules,
    source::{FileId, Files, Span},
    syntax::ParseError,
};
use karplint_cel::policy::{
    Policy, SubjectKind,
    read::{self, PolicyFile},
};

pub(crate) use crate::policies::page::TOPIC;

/// The rules that a project has beside the built-in ones.
#[derive(Clone, Debug, Default)]
pub struct RuleBook {
    own: Vec<OwnRule>,
    /// What is wrong with the files of policies, each at its character.
    pub errors: Vec<ParseError>,
}

/// A policy as a rule.
#[derive(Clone, Debug)]
struct OwnRule {
    page: Page,
    /// What is asked; `None` for one with mistakes, of which only the name is known.
    policy: Option<Policy>,
}

impl RuleBook {
    /// Reads files of policies, and checks them against the types of their subjects.
    #[must_use]
    pub fn read(files: &Files, policies: &[FileId]) -> Self {
        let mut book = Self::default();
        let mut ids = policies.to_vec();
        ids.sort_by_key(|it| files.get(*it).path());
        for id in ids {
            let file = files.get(id);
            let PolicyFile { policies, broken, errors } = read::read(id, file.text());
            book.errors.extend(errors);
            for policy in policies {
                let page = page::page(&policy, file);
                let mistakes = policy.check(&schema(&policy.subject));
                let span = policy.name_span;
                let policy = Some(policy).filter(|_| mistakes.is_empty());
                book.errors.extend(mistakes);
                book.add(OwnRule { page, policy }, span);
            }
            for (name, span) in broken {
                let line = file.line_of(span.start as usize) + 1;
                let page = bare(&name, format!("{}:{line}", file.path()));
                book.add(OwnRule { page, policy: None }, span);
            }
        }
        book
    }

    /// Adds a rule, unless its name is taken.
    fn add(&mut self, rule: OwnRule, name: Span) {
        let known = rule.page.name;
        let message = match self.own.iter().find(|it| it.page.name == known) {
            Some(first) => {
                let source = &first.page.source;
                let path = source.rsplit_once(':').map_or(&**source, |(path, _)| path);
                format!("a policy in {path} has this name already")
            }
            None if rules::page(known).is_some() => {
                format!("`{known}` is a rule of karplint; give the policy another name")
            }
            None if !rules::named(known).is_empty() || known == TOPIC => {
                format!("`{known}` is a topic of rules; give the policy another name")
            }
            None => {
                self.own.push(rule);
                return;
            }
        };
        self.errors.push(ParseError::new(name, message, Severity::Error));
    }

    /// Whether there is no policy, nor anything wrong with one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.own.is_empty() && self.errors.is_empty()
    }

    /// The pages of all rules: the built-in ones in the order of their names, then the project's own.
    pub fn pages(&self) -> impl Iterator<Item = &Page> {
        let built_in = rules::pages().map(|it| -> &Page { it });
        built_in.chain(self.own())
    }

    /// The pages of the project's own rules.
    pub fn own(&self) -> impl Iterator<Item = &Page> {
        self.own.iter().map(|it| &it.page)
    }

    /// The page of the rule of that name.
    #[must_use]
    pub fn page(&self, name: &str) -> Option<&Page> {
        rules::page(name).or_else(|| self.own().find(|it| it.name == name))
    }

    /// The names of the rules that a name stands for: its own, or those of a topic. Empty where it is neither.
    #[must_use]
    pub fn named(&self, name: &str) -> Vec<&'static str> {
        let mut found = rules::named(name);
        found.extend(self.own().filter(|it| it.name == name || it.topic == name).map(|it| it.name));
        found
    }

    /// The types of Terraform's resources that policies are asked of.
    pub(crate) fn resource_types(&self) -> impl Iterator<Item = String> {
        let asked = self.policies().filter(|it| it.subject.kind == SubjectKind::Resource);
        asked.flat_map(|it| it.subject.kinds.iter().map(ToString::to_string))
    }

    /// The policies that can be run.
    pub fn policies(&self) -> impl Iterator<Item = &Policy> {
        self.own.iter().filter_map(|it| it.policy.as_ref())
    }
}
