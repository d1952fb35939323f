//! Kinds that Karpenter no longer has, and fields that stand elsewhere today.

use std::sync::OnceLock;

use crate::{knowledge::schema::read, version::Range};

/// What is gone or stands elsewhere.
#[derive(Debug, Default)]
pub struct Retired {
    /// The kinds.
    pub kinds: Vec<RetiredKind>,
    /// The fields.
    pub moves: Vec<Move>,
    /// The values.
    pub values: Vec<RenamedValue>,
    pub(super) problems: Vec<String>,
}

/// A kind of former releases, for recognition.
#[derive(Debug)]
pub struct RetiredKind {
    /// `Provisioner`.
    pub kind: String,
    /// `karpenter.sh`.
    pub group: String,
    /// `v1alpha5`.
    pub api: String,
    /// `provisioners`.
    pub plural: String,
    /// The releases that have it.
    pub range: Range,
    /// What takes its place: `NodePool`.
    pub successor: String,
    /// The names in its `spec`.
    pub fields: Vec<String>,
    /// Where that is written.
    pub source: String,
    /// The day somebody looked.
    pub checked: String,
}

/// A field that stands elsewhere in a newer version of the API, or in what takes the place of its kind.
#[derive(Debug)]
pub struct Move {
    /// The kind that had it.
    pub kind: String,
    /// The version of the API that had it: `v1beta1`.
    pub api: String,
    /// Where it stood: `spec.template.spec.kubelet`.
    pub from: String,
    /// Where it stands now; none where it is gone.
    pub to: Option<Target>,
    /// Where that is written.
    pub source: String,
    /// The day somebody looked.
    pub checked: String,
}

/// Where a field moved.
#[derive(Debug, PartialEq, Eq)]
pub struct Target {
    /// The kind.
    pub kind: String,
    /// Its version of the API.
    pub api: String,
    /// The path.
    pub path: String,
}

/// A text a field takes that has another name in a newer version of the API.
#[derive(Debug)]
pub struct RenamedValue {
    /// The kind.
    pub kind: String,
    /// The field.
    pub path: String,
    /// The version of the API that has the old name.
    pub api: String,
    /// The old name.
    pub from: String,
    /// The version of the API that has the new name.
    pub to_api: String,
    /// The new name.
    pub to: String,
    /// Where that is written.
    pub source: String,
    /// The day somebody looked.
    pub checked: String,
}

/// What is gone or stands elsewhere.
#[must_use]
pub fn all() -> &'static Retired {
    static ALL: OnceLock<Retired> = OnceLock::new();
    ALL.get_or_init(read::retired)
}
