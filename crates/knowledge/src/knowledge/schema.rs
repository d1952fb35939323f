//! The resources of Karpenter as its CRDs describe them, release by release.
//!
//! The data lies in `schema/`: the kinds, a folder for each with the fields of each version of its API by path
//! and its checks, patterns, the kinds that are gone and the fields that moved. A file is read at the first
//! question about it. For each span of releases in which nothing changes, there is one [`tree::SchemaTree`] to
//! walk beside a resource.
//! A release newer than all that are known counts as the newest.

mod files;
pub mod patterns;
pub mod fields;
pub mod allowed_keys;
pub mod checks;
pub mod retired;
pub mod tree;

use std::{
    collections::BTreeSet,
    sync::{LazyLock, OnceLock},
};

use serde::Deserialize;

use crate::{
    knowledge::{
        fact::Verified,
        read::{Read, document},
        schema::{
            fields::{FieldSchema, Fields},
            retired::{Move, RenamedValue, RetiredKind},
            tree::{FieldsInside, KindVersion, SchemaTree},
        },
    },
    version::{Range, Version},
};

/// A kind of Karpenter's resources.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResourceKind {
    /// `NodePool`.
    #[serde(rename = "kind")]
    pub name: String,
    /// `karpenter.sh`.
    pub group: String,
    /// Its versions, the oldest first.
    #[serde(rename = "apis")]
    pub schemas: Vec<Schema>,
    /// Where they are written.
    pub source: String,
    /// The day it was checked.
    pub checked: String,
}

/// One version of the API of a kind.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schema {
    /// `NodePool`.
    #[serde(skip)]
    pub kind: String,
    /// `karpenter.sh`.
    #[serde(skip)]
    pub group: String,
    /// `v1`.
    pub version: String,
    /// The releases that serve it.
    pub served: Vec<Range>,
    #[serde(skip)]
    fields: OnceLock<Read<Fields>>,
    #[serde(skip)]
    inside: OnceLock<FieldsInside>,
    #[serde(skip)]
    version_ranges: OnceLock<Vec<SchemaRange>>,
}

/// Releases that all have the same schema.
#[derive(Debug)]
struct SchemaRange {
    range: Range,
    /// Its first release.
    first: Version,
    tree: OnceLock<SchemaTree>,
}

/// The releases whose CRDs the data was compared with.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComparedReleases {
    /// The first and the last.
    pub verified: Verified,
    /// Where they are.
    pub source: String,
    /// The day it was checked.
    pub checked: String,
}

/// The file of the kinds.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Kinds {
    /// Those of today.
    kinds: Vec<ResourceKind>,
    /// Those that Karpenter no longer has.
    former: Vec<ResourceKind>,
}

static KINDS: LazyLock<Read<Kinds>> = LazyLock::new(|| {
    let read: Read<Kinds> = document("schema/kinds.yaml", include_str!("schema/kinds.yaml"));
    let complete = |it: Vec<ResourceKind>| it.into_iter().map(ResourceKind::complete).collect();
    read.map(|it| Kinds { kinds: complete(it.kinds), former: complete(it.former) })
});

/// The releases whose CRDs the data was compared with.
#[must_use]
pub fn known() -> &'static ComparedReleases {
    &KNOWN.data
}

static KNOWN: LazyLock<Read<ComparedReleases>> =
    LazyLock::new(|| document("schema/known.yaml", include_str!("schema/known.yaml")));

/// Whether a release is of a newer minor than all that are known.
#[must_use]
pub fn is_unknown_release(release: &Version) -> bool {
    release.line() > known().verified.newest.line()
}

/// Every kind of today.
pub fn kinds() -> impl Iterator<Item = &'static ResourceKind> {
    KINDS.data.kinds.iter()
}

/// The kinds that Karpenter no longer has and whose fields are known.
pub fn former_kinds() -> impl Iterator<Item = &'static ResourceKind> {
    KINDS.data.former.iter()
}

/// The kind of that group and name.
#[must_use]
pub fn kind(group: &str, name: &str) -> Option<&'static ResourceKind> {
    kinds().find(|it| it.group == group && it.name == name)
}

/// The schema of an `apiVersion` and a kind.
#[must_use]
pub fn of(api_version: &str, name: &str) -> Option<&'static Schema> {
    let (group, version) = api_version.split_once('/')?;
    kind(group, name)?.schema(version)
}

/// The kind of that group and name, one of today or a former one.
#[must_use]
pub fn any_kind(group: &str, name: &str) -> Option<&'static ResourceKind> {
    kinds().chain(former_kinds()).find(|it| it.group == group && it.name == name)
}

/// The schema of an `apiVersion` and a kind, which may be a former one.
#[must_use]
pub fn of_any(api_version: &str, name: &str) -> Option<&'static Schema> {
    let (group, version) = api_version.split_once('/')?;
    any_kind(group, name)?.schema(version)
}

/// The kinds Karpenter no longer has.
#[must_use]
pub fn retired_kinds() -> &'static [RetiredKind] {
    retired::kinds()
}

/// The kind of former releases of that group and name.
#[must_use]
pub fn retired_kind(group: &str, name: &str) -> Option<&'static RetiredKind> {
    retired_kinds().iter().find(|it| it.group == group && it.kind == name)
}

/// The fields that have moved.
#[must_use]
pub fn moves() -> &'static [Move] {
    &retired::moved().moves
}

/// Where a field went that this kind had at the path in an older version of the API, or that the kind had
/// whose place it takes.
#[must_use]
pub fn moved(kind: &str, path: &str) -> Option<&'static Move> {
    let is_older = |it: &str| {
        retired_kinds().iter().any(|retired| retired.kind == it && retired.successor == kind)
    };
    let here = moves().iter().filter(|it| it.from == path);
    let own = here.clone().find(|it| it.kind == kind);
    own.or_else(|| here.into_iter().find(|it| is_older(&it.kind)))
}

/// What a text is called today that a field of this kind took in an older version of the API.
#[must_use]
pub fn renamed_value(kind: &str, path: &str, text: &str) -> Option<&'static RenamedValue> {
    retired::moved().values.iter().find(|it| it.kind == kind && it.path == path && it.from == text)
}

/// What could not be read; a test keeps this empty.
#[must_use]
pub fn problems() -> Vec<&'static str> {
    let kinds = kinds().chain(former_kinds());
    let fields = kinds.flat_map(|it| &it.schemas).flat_map(|it| &it.read().problems);
    let others = [
        &KINDS.problems,
        allowed_keys::problems(),
        retired::problems(),
        retired::move_problems(),
        patterns::problems(),
        &KNOWN.problems,
    ];
    let others = others.into_iter().flatten().chain(checks::problems());
    fields.chain(others).map(String::as_str).collect()
}

impl Default for ComparedReleases {
    fn default() -> Self {
        let nothing = Version::new(0, 0, 0);
        let verified = Verified { oldest: nothing.clone(), newest: nothing };
        Self { verified, source: String::new(), checked: String::new() }
    }
}

impl ResourceKind {
    /// Gives its schemas their owner.
    fn complete(mut self) -> Self {
        for schema in &mut self.schemas {
            schema.kind.clone_from(&self.name);
            schema.group.clone_from(&self.group);
        }
        self
    }

    /// The schema of that version: `v1`.
    #[must_use]
    pub fn schema(&self, version: &str) -> Option<&Schema> {
        self.schemas.iter().find(|it| it.version == version)
    }

    /// The versions a release serves, the oldest first.
    pub fn served_by(&self, release: &Version) -> impl Iterator<Item = &Schema> {
        self.schemas.iter().filter(|it| it.is_served_by(release))
    }

    /// The places where some version has a field of that name.
    pub fn places_of(&self, name: &str) -> impl Iterator<Item = (&Schema, &FieldSchema)> {
        let fields = self
            .schemas
            .iter()
            .flat_map(|schema| schema.fields().iter().map(move |it| (schema, it)));
        fields.filter(move |(_, field)| field.name() == name)
    }
}

impl Schema {
    /// The version of the API, by which its checks are found.
    #[must_use]
    pub fn api(&self) -> KindVersion<'_> {
        KindVersion { kind: &self.kind, version: &self.version }
    }

    /// `karpenter.sh/v1`.
    #[must_use]
    pub fn api_version(&self) -> String {
        format!("{}/{}", self.group, self.version)
    }

    /// Whether a release serves it.
    #[must_use]
    pub fn is_served_by(&self, release: &Version) -> bool {
        self.served.iter().any(|it| it.contains(release))
    }

    /// The first release that serves it.
    #[must_use]
    pub fn since(&self) -> Option<&Version> {
        self.served.first()?.since.as_ref()
    }

    /// The first release that no longer serves it.
    #[must_use]
    pub fn until(&self) -> Option<&Version> {
        self.served.last()?.until.as_ref()
    }

    /// Its fields, sorted by path.
    #[must_use]
    pub fn fields(&self) -> &[FieldSchema] {
        &self.read().data.0
    }

    fn read(&self) -> &Read<Fields> {
        self.fields.get_or_init(|| {
            let own = files::FIELDS.iter().find(|it| it.0 == self.kind && it.1 == self.version);
            let Some((_, _, file, text)) = own else {
                let problem = format!("schema/kinds.yaml: {} {}: no file", self.kind, self.version);
                return Read { data: Fields::default(), problems: vec![problem] };
            };
            document(file, text)
        })
    }

    /// What is known of the field at that path.
    #[must_use]
    pub fn field(&self, path: &str) -> Option<&FieldSchema> {
        let fields = self.fields();
        let at = fields.binary_search_by_key(&path, |it| it.path.as_str()).ok()?;
        fields.get(at)
    }

    /// The schema in that release; none if it is not served.
    #[must_use]
    pub fn at(&'static self, release: &Version) -> Option<&'static SchemaTree> {
        let schema_range = self.version_ranges().iter().find(|it| it.range.contains(release))?;
        Some(schema_range.tree(self))
    }

    /// The schema in each span of releases that serve it and in which nothing changes, the oldest first.
    pub fn trees(&'static self) -> impl DoubleEndedIterator<Item = &'static SchemaTree> {
        self.version_ranges().iter().map(move |it| it.tree(self))
    }

    /// The same without those that no release in some ranges has.
    pub fn trees_within(
        &'static self,
        ranges: Option<&[Range]>,
    ) -> impl DoubleEndedIterator<Item = &'static SchemaTree> {
        let is_there = move |it: &&SchemaRange| {
            ranges.is_none_or(|all| all.iter().any(|range| range.overlaps(&it.range)))
        };
        self.version_ranges().iter().filter(is_there).map(move |it| it.tree(self))
    }

    fn version_ranges(&'static self) -> &'static [SchemaRange] {
        self.version_ranges.get_or_init(|| {
            let fields = self.fields().iter().flat_map(|it| it.facts.iter().map(|it| &it.range));
            let ranges = fields.chain(self.api().ranges());
            let ends = ranges.flat_map(|it| it.since.iter().chain(&it.until));
            let ends: BTreeSet<&Version> = ends.collect();
            self.served.iter().flat_map(|it| split(it, &ends)).collect()
        })
    }
}

impl SchemaRange {
    fn tree(&'static self, schema: &'static Schema) -> &'static SchemaTree {
        self.tree.get_or_init(|| {
            let inside = schema.inside.get_or_init(|| tree::inside(schema.fields()));
            SchemaTree::new(schema.api(), inside, self.range.clone(), &self.first)
        })
    }
}

/// The parts of a range between the versions.
fn split(range: &Range, ends: &BTreeSet<&Version>) -> Vec<SchemaRange> {
    let Some(first) = &range.since else { return Vec::new() };
    let inside = ends.iter().copied().filter(|it| *it != first && range.contains(it));
    let starts: Vec<&Version> = [first].into_iter().chain(inside).collect();
    let end_of = |at: usize| starts.get(at + 1).copied().or(range.until.as_ref()).cloned();
    let schema_range = |(at, first): (usize, &&Version)| SchemaRange {
        range: Range { since: Some((*first).clone()), until: end_of(at) },
        first: (*first).clone(),
        tree: OnceLock::new(),
    };
    starts.iter().enumerate().map(schema_range).collect()
}
