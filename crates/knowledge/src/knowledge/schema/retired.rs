//! Kinds that Karpenter no longer has, and fields that have moved.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

use crate::{
    knowledge::read::{Read, document},
    value::Value,
    version::{Range, Version},
};

/// What has moved.
#[derive(Debug, Default)]
pub struct Moved {
    /// The fields.
    pub moves: Vec<Move>,
    /// The values.
    pub values: Vec<RenamedValue>,
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
    /// The day it was checked.
    pub checked: String,
}

/// A field that has moved in a newer version of the API, or in what takes the place of its kind.
#[derive(Debug)]
pub struct Move {
    /// The kind that had it.
    pub kind: String,
    /// The version of the API that had it: `v1beta1`.
    pub api: String,
    /// Where it was: `spec.template.spec.kubelet`.
    pub from: String,
    /// Where it is now; none where it is gone.
    pub to: Option<Target>,
    /// Where that is written.
    pub source: String,
    /// The day it was checked.
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
    /// The day it was checked.
    pub checked: String,
}

/// The kinds that are gone.
#[must_use]
pub fn kinds() -> &'static [RetiredKind] {
    &KINDS.data
}

/// What has moved.
#[must_use]
pub fn moved() -> &'static Moved {
    &MOVED.data
}

/// What could not be read of the kinds.
pub(super) fn problems() -> &'static Vec<String> {
    &KINDS.problems
}

/// What could not be read of the moves.
pub(super) fn move_problems() -> &'static Vec<String> {
    &MOVED.problems
}

static KINDS: LazyLock<Read<Vec<RetiredKind>>> = LazyLock::new(|| {
    let read: Read<KindsFile> = document("schema/retired.yaml", include_str!("retired.yaml"));
    read.map(KindsFile::kinds)
});

static MOVED: LazyLock<Read<Moved>> = LazyLock::new(|| {
    let read: Read<Guides> = document("schema/moves.yaml", include_str!("moves.yaml"));
    read.map(|it| {
        let mut moved = Moved::default();
        for guide in &it.moves {
            moved.moves.extend(guide.fields.iter().map(|it| guide.moved(it)));
            moved.values.extend(guide.values.iter().map(|it| guide.renamed(it)));
        }
        moved
    })
});

/// The file of the kinds.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct KindsFile {
    source: String,
    checked: String,
    kinds: Vec<WrittenKind>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenKind {
    kind: String,
    group: String,
    api: String,
    plural: String,
    since: Option<Version>,
    until: Option<Version>,
    successor: String,
    /// By name; what they were is not asked for.
    fields: BTreeMap<String, Value>,
}

/// The file of the moves: one list for each migration.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Guides {
    moves: Vec<Guide>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Guide {
    api: String,
    to_api: String,
    source: String,
    checked: String,
    #[serde(default)]
    fields: Vec<MovedField>,
    #[serde(default)]
    values: Vec<Renamed>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MovedField {
    kind: String,
    from: String,
    /// The kind it moved to, if to another.
    r#in: Option<String>,
    /// None where it is gone.
    to: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Renamed {
    kind: String,
    path: String,
    from: String,
    to: String,
}

impl KindsFile {
    fn kinds(self) -> Vec<RetiredKind> {
        let Self { source, checked, kinds } = self;
        let kind = |it: WrittenKind| RetiredKind {
            kind: it.kind,
            group: it.group,
            api: it.api,
            plural: it.plural,
            range: Range { since: it.since, until: it.until },
            successor: it.successor,
            fields: it.fields.into_keys().collect(),
            source: source.clone(),
            checked: checked.clone(),
        };
        kinds.into_iter().map(kind).collect()
    }
}

impl Guide {
    fn moved(&self, field: &MovedField) -> Move {
        let to = field.to.as_ref().map(|path| Target {
            kind: field.r#in.as_ref().unwrap_or(&field.kind).clone(),
            api: self.to_api.clone(),
            path: path.clone(),
        });
        Move {
            kind: field.kind.clone(),
            api: self.api.clone(),
            from: field.from.clone(),
            to,
            source: self.source.clone(),
            checked: self.checked.clone(),
        }
    }

    fn renamed(&self, value: &Renamed) -> RenamedValue {
        RenamedValue {
            kind: value.kind.clone(),
            path: value.path.clone(),
            api: self.api.clone(),
            from: value.from.clone(),
            to_api: self.to_api.clone(),
            to: value.to.clone(),
            source: self.source.clone(),
            checked: self.checked.clone(),
        }
    }
}
