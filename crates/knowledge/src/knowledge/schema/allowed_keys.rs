//! The keys of reserved domains that may be used all the same.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::{
    knowledge::read::{Read, document},
    version::{Range, Version},
};

/// The keys.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AllowedKeys {
    /// The keys.
    #[serde(rename = "keys")]
    pub list: Vec<AllowedKey>,
    /// Where they are written.
    pub source: String,
    /// The day it was checked.
    pub checked: String,
}

/// A key of a reserved domain that may be used.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AllowedKey {
    /// The key.
    pub key: String,
    /// Where and when; everywhere and always if there is nothing.
    #[serde(default)]
    pub at: Vec<AllowedAt>,
}

/// Where and when a key may be used.
#[derive(Debug, Deserialize)]
#[serde(from = "WrittenKey")]
pub struct AllowedAt {
    /// In these kinds.
    pub kinds: Vec<String>,
    /// In these versions of their API.
    pub apis: Vec<String>,
    /// In these releases.
    pub range: Range,
}

/// The keys.
#[must_use]
pub fn all() -> &'static AllowedKeys {
    &READ.data
}

/// What could not be read.
pub(super) fn problems() -> &'static Vec<String> {
    &READ.problems
}

static READ: LazyLock<Read<AllowedKeys>> =
    LazyLock::new(|| document("schema/allowed-keys.yaml", include_str!("allowed-keys.yaml")));

impl AllowedAt {
    /// Whether it is about a version of a kind's API.
    pub(super) fn is_for(&self, kind: &str, api: &str) -> bool {
        self.kinds.iter().any(|it| it == kind) && self.apis.iter().any(|it| it == api)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenKey {
    kinds: Vec<String>,
    apis: Vec<String>,
    since: Option<Version>,
    until: Option<Version>,
}

impl From<WrittenKey> for AllowedAt {
    fn from(from: WrittenKey) -> Self {
        let range = Range { since: from.since, until: from.until };
        Self { kinds: from.kinds, apis: from.apis, range }
    }
}
