//! The functions of templates: Go's own, Helm's and sprig's, by topic.

pub(crate) mod arguments;
mod collections;
mod dates;
mod decimal;
mod decode;
mod dicts;
mod durations;
pub(crate) mod encoding;
mod format;
mod formatting;
mod helmfile;
pub(crate) mod kinds;
mod lists;
mod logic;
mod math;
mod merging;
pub(crate) mod parameters;
mod patterns;
mod paths;
mod strings;
mod toml;
mod unknown;
mod versions;
mod words;
mod wrapping;

use std::sync::OnceLock;

use crate::{
    hash::HashMap,
    helm::functions::arguments::{Dialect, Function},
};

/// Functions of Helm that are not in the tables: they need the templates, or are not answered here.
const FURTHER: &[&str] = &[
    "and",
    "or",
    "include",
    "tpl",
    "duration",
    "durationRound",
    "mustToYaml",
    "mustToToml",
    "mustFromYaml",
    "fromTomlArray",
];

/// Whether templates may name a function: Go does not read those that name another. What some version of Helm has
/// counts, and helmfile's are not all listed here.
pub(crate) fn is_defined(name: &str, dialect: Dialect) -> bool {
    dialect == Dialect::Helmfile || FURTHER.contains(&name) || function(name, dialect).is_some()
}

/// The function of that name.
pub(crate) fn function(name: &str, dialect: Dialect) -> Option<Function> {
    static TABLE: OnceLock<HashMap<&'static str, Function>> = OnceLock::new();
    let own = helmfile::TABLE.iter().filter(|_| dialect == Dialect::Helmfile);
    if let Some((_, function)) = own.into_iter().find(|it| it.0 == name) {
        return Some(*function);
    }
    let table = TABLE.get_or_init(|| {
        let topics = [
            strings::TABLE,
            formatting::TABLE,
            lists::TABLE,
            collections::TABLE,
            dicts::TABLE,
            merging::TABLE,
            math::TABLE,
            logic::TABLE,
            encoding::TABLE,
            patterns::TABLE,
            paths::TABLE,
            versions::TABLE,
            durations::TABLE,
            dates::TABLE,
            unknown::TABLE,
        ];
        topics.into_iter().flatten().copied().collect()
    });
    table.get(name).copied()
}
