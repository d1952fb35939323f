//! A schema as it stands in one release: a tree to walk beside a resource.

use std::{collections::HashMap, sync::LazyLock};

use crate::{
    knowledge::schema::{
        Schema,
        checks::{self, CheckAt},
        fields::{Bounds, Field, Shape, Type},
    },
    version::{Range, Version},
};

/// The schema of a resource in the releases of a range.
#[derive(Debug)]
pub struct Tree {
    /// The releases: all of them have this schema.
    pub range: Range,
    /// The resource itself.
    pub root: Node,
    /// The keys of reserved domains that may be used.
    pub allowed_keys: Vec<&'static str>,
}

/// One place of a resource.
#[derive(Debug)]
pub struct Node {
    /// Its path in the data; empty for the resource itself.
    pub path: &'static str,
    /// What it takes.
    pub shape: &'static Shape,
    /// Its fields by name, sorted.
    pub fields: Vec<(&'static str, Self)>,
    /// What each item of the list, or each value of the map, is.
    pub each: Option<Box<Self>>,
    /// The checks made for it.
    pub checks: Vec<&'static CheckAt>,
}

/// What is not further described is an object.
static OBJECT: LazyLock<Shape> = LazyLock::new(|| Shape {
    holds: Type::Object,
    required: false,
    values: Vec::new(),
    patterns: Vec::new(),
    format: None,
    number: Bounds::default(),
    letters: Bounds::default(),
    items: Bounds::default(),
    most_entries: None,
    unique: None,
    default: None,
});

impl Tree {
    /// The tree of a schema in a release, which stands for all of the range.
    pub(super) fn new(schema: &'static Schema, range: Range, release: &Version) -> Self {
        let mut inside: HashMap<&str, Vec<&'static Field>> = HashMap::new();
        for field in &schema.fields {
            inside.entry(field.holder()).or_default().push(field);
        }
        let mut checks: HashMap<&str, Vec<&'static CheckAt>> = HashMap::new();
        for check in checks::of(schema, release) {
            for path in &check.paths {
                checks.entry(path).or_default().push(check);
            }
        }
        let parts = Parts { inside, checks, release };
        let root = parts.node("", &OBJECT);
        Self { range, root, allowed_keys: checks::allowed_keys(schema, Some(release)) }
    }
}

/// What a tree is made of.
struct Parts<'a> {
    /// Fields by what holds them.
    inside: HashMap<&'static str, Vec<&'static Field>>,
    checks: HashMap<&'static str, Vec<&'static CheckAt>>,
    release: &'a Version,
}

impl Parts<'_> {
    fn node(&self, path: &'static str, shape: &'static Shape) -> Node {
        let inside = self.inside.get(path).map_or(&[][..], Vec::as_slice);
        let mut fields = Vec::new();
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
        Node { path, shape, fields, each, checks }
    }
}

impl Node {
    /// The field of that name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Self> {
        let at = self.fields.binary_search_by_key(&name, |(it, _)| it).ok()?;
        self.fields.get(at).map(|(_, node)| node)
    }

    /// What stands under a key: a field, or any value of a map.
    #[must_use]
    pub fn under(&self, key: &str) -> Option<&Self> {
        match self.shape.holds {
            Type::Map => self.each.as_deref(),
            _ => self.field(key),
        }
    }
}
