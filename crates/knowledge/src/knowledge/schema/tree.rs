//! A schema in one release: a tree to walk beside a resource.

use std::sync::LazyLock;

use crate::{
    hash::HashMap,
    knowledge::schema::{
        allowed_keys::{self, AllowedKey},
        checks::{self, CheckAt},
        fields::{FieldBounds, FieldSchema, FieldShape, FieldType},
    },
    version::{Range, Version},
};

/// The schema of a resource in the releases of a range.
#[derive(Debug)]
pub struct SchemaTree {
    /// The releases: all of them have this schema.
    pub range: Range,
    /// The resource itself.
    pub root: SchemaNode,
    /// The keys of reserved domains that may be used.
    pub allowed_keys: Vec<&'static str>,
}

/// One place of a resource.
#[derive(Debug)]
pub struct SchemaNode {
    /// Its path in the data; empty for the resource itself.
    pub path: &'static str,
    /// What it takes.
    pub shape: &'static FieldShape,
    /// Its fields by name, sorted.
    pub fields: Vec<(&'static str, Self)>,
    /// What each item of the list, or each value of the map, is.
    pub each: Option<Box<Self>>,
    /// The checks made for it.
    pub checks: Vec<&'static CheckAt>,
}

/// What is not further described is an object.
static OBJECT: LazyLock<FieldShape> = LazyLock::new(|| FieldShape {
    holds: FieldType::Object,
    required: false,
    values: Vec::new(),
    patterns: Vec::new(),
    format: None,
    number: FieldBounds::default(),
    letters: FieldBounds::default(),
    items: FieldBounds::default(),
    most_entries: None,
    unique: None,
    default: None,
});

/// A version of the API of a kind, for which a tree is made.
#[derive(Clone, Copy, Debug)]
pub struct KindVersion<'a> {
    /// `NodePool`.
    pub kind: &'a str,
    /// `v1`.
    pub version: &'a str,
}

impl KindVersion<'_> {
    /// Its checks in a release.
    pub fn checks(self, release: &Version) -> impl Iterator<Item = &'static CheckAt> {
        let own = move |it: &&CheckAt| it.is_for(self.version) && it.range.contains(release);
        checks::of(self.kind).iter().filter(own)
    }

    /// The keys of reserved domains that it lets in; without a release, in any.
    #[must_use]
    pub fn allowed_keys(self, release: Option<&Version>) -> Vec<&'static str> {
        let is_allowed = |it: &&AllowedKey| {
            it.at.is_empty()
                || it.at.iter().any(|at| {
                    at.is_for(self.kind, self.version)
                        && release.is_none_or(|release| at.range.contains(release))
                })
        };
        allowed_keys::all().list.iter().filter(is_allowed).map(|it| it.key.as_str()).collect()
    }

    /// The release from which on it lets a key of a reserved domain in; none if it always does, or never.
    #[must_use]
    pub fn key_since(self, key: &str) -> Option<&'static Version> {
        let key = allowed_keys::all().list.iter().find(|it| it.key == key)?;
        let own = key.at.iter().find(|it| it.is_for(self.kind, self.version));
        own?.range.since.as_ref()
    }

    /// The ranges of all its checks and keys.
    pub fn ranges(self) -> impl Iterator<Item = &'static Range> {
        let own = move |it: &&CheckAt| it.is_for(self.version);
        let of_checks = checks::of(self.kind).iter().filter(own).map(|it| &it.range);
        let keys = allowed_keys::all().list.iter().flat_map(|it| &it.at);
        of_checks
            .chain(keys.filter(move |it| it.is_for(self.kind, self.version)).map(|it| &it.range))
    }
}

impl SchemaTree {
    /// The tree of an API in a release, which has that of the whole range.
    pub(super) fn new(
        api: KindVersion,
        inside: &'static FieldsInside,
        range: Range,
        release: &Version,
    ) -> Self {
        let mut checks: HashMap<&str, Vec<&'static CheckAt>> = HashMap::default();
        for check in api.checks(release) {
            for path in &check.paths {
                checks.entry(path).or_default().push(check);
            }
        }
        let parts = TreeParts { inside, checks, release };
        let root = parts.node("", &OBJECT);
        Self { range, root, allowed_keys: api.allowed_keys(Some(release)) }
    }
}

/// The fields of all releases by the path of what holds them.
pub(super) type FieldsInside = HashMap<&'static str, Vec<&'static FieldSchema>>;

/// Sorts fields by what holds them.
pub(super) fn inside(fields: &'static [FieldSchema]) -> FieldsInside {
    let mut inside = FieldsInside::default();
    for field in fields {
        inside.entry(field.holder()).or_default().push(field);
    }
    inside
}

/// What a tree is made of.
struct TreeParts<'a> {
    inside: &'static FieldsInside,
    checks: HashMap<&'static str, Vec<&'static CheckAt>>,
    release: &'a Version,
}

impl TreeParts<'_> {
    fn node(&self, path: &'static str, shape: &'static FieldShape) -> SchemaNode {
        let inside = self.inside.get(path).map_or(&[][..], Vec::as_slice);
        let mut fields = Vec::with_capacity(inside.len());
        let mut each = None;
        for field in inside {
            let Some(shape) = field.at(self.release) else { continue };
            let node = self.node(&field.path, shape);
            if field.is_each() {
                each = Some(Box::new(node));
            } else {
                fields.push((field.name(), node));
            }
        }
        fields.sort_by_key(|(name, _)| *name);
        let checks = self.checks.get(path).cloned().unwrap_or_default();
        SchemaNode { path, shape, fields, each, checks }
    }
}

impl SchemaNode {
    /// The field of that name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Self> {
        let at = self.fields.binary_search_by_key(&name, |(it, _)| it).ok()?;
        self.fields.get(at).map(|(_, node)| node)
    }

    /// What is under a key: a field, or any value of a map.
    #[must_use]
    pub fn under(&self, key: &str) -> Option<&Self> {
        match self.shape.holds {
            FieldType::Map => self.each.as_deref(),
            _ => self.field(key),
        }
    }
}
