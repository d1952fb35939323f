//! The rules, one file each.

use std::sync::OnceLock;

use crate::{findings::Findings, model::Model, page::Page};

/// A rule: its page and its question.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The text of `rules/<rule>.md`.
    pub page: &'static str,
    /// Says what is wrong in a model.
    pub check: fn(&Model, &mut Findings),
}

/// All rules, in the order of their names.
pub const ALL: &[Rule] = &[
    Rule { page: include_str!("../rules/crd-order-undeclared.md"), check: nothing },
    Rule { page: include_str!("../rules/crd-version-mismatch.md"), check: nothing },
    Rule { page: include_str!("../rules/crds-not-skipped.md"), check: nothing },
];

fn nothing(_: &Model, _: &mut Findings) {}

/// The rules' pages, in the order of [`ALL`].
#[must_use]
pub fn pages() -> &'static [Page] {
    static PAGES: OnceLock<Vec<Page>> = OnceLock::new();
    PAGES.get_or_init(|| ALL.iter().filter_map(|rule| Page::parse(rule.page).ok()).collect())
}

/// The page of the rule of that name.
#[must_use]
pub fn page(name: &str) -> Option<&'static Page> {
    pages().iter().find(|it| it.name == name)
}
