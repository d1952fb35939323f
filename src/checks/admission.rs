//! What the API server refuses of a Karpenter resource.
//!
//! It works as the API server does, in this order: defaults are filled in, unknown names are refused and
//! dropped, nulls are dropped, `status` is not looked at, each field is held against its shape, and then
//! come the checks. What is unknown ends its subtree: it is never at fault, and a check that would have to
//! look at it says nothing. The checks are functions here rather than expressions for an interpreter of
//! CEL, because no such interpreter can answer "it depends on what is not known".

mod checks;
mod metadata;
pub mod path;
#[cfg(test)]
mod tests;
mod text;
mod walk;
pub mod words;

use std::{collections::HashSet, sync::Arc};

use crate::{
    checks::admission::{path::Path, walk::Walk},
    knowledge::schema::{self, Schema, checks::Check, fields::Type, patterns::Pattern, tree::Tree},
    source::{FileId, Span},
    value::Value,
    version::Version,
};

/// One thing the API server refuses.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What is wrong, with what is allowed.
    pub kind: FaultKind,
    /// Where to point: the key of what is unknown and of a key that is refused, the name of what
    /// something is missing from, else the value.
    pub span: Span,
    /// Where that is in the resource; for something missing, where it would stand.
    pub path: Path,
    /// The same place in the schema: `spec.template.spec.requirements[].key`.
    pub field: String,
    /// The value that is refused; none where something is missing.
    pub value: Option<Value>,
}

/// What is wrong.
#[derive(Clone, Debug)]
pub enum FaultKind {
    /// The release does not serve this version of the API. The only fault then.
    Unserved,
    /// There is no field of that name.
    Unknown {
        /// The name.
        name: Arc<str>,
        /// The names there are.
        known: Vec<&'static str>,
    },
    /// A field is not there that has to be.
    Missing {
        /// Its name.
        name: &'static str,
    },
    /// Another type is wanted.
    Type(Type),
    /// None of the texts allowed.
    Enum(&'static [String]),
    /// The text does not match.
    Pattern(&'static Pattern),
    /// The text is no `date-time`.
    Format(&'static str),
    /// The number is below this one.
    Minimum(f64),
    /// The number is above this one.
    Maximum(f64),
    /// The text has more letters than this.
    TooLong(usize),
    /// The text has fewer letters than this.
    TooShort(usize),
    /// The list has more items than this, or the map more entries.
    TooMany(usize),
    /// The list has fewer items than this.
    TooFew(usize),
    /// The item is the same as another before it.
    Duplicate {
        /// The first of them.
        first: Span,
    },
    /// A check beyond single fields fails.
    Check {
        /// The check, with its arguments.
        check: &'static Check,
        /// Its name in the data: `reserved-domain`.
        name: &'static str,
        /// The value the check is made for, which the API server names; `path` and `span` of the fault
        /// are more exact.
        at: Path,
        /// The key or text that is refused, where it is one.
        text: Option<Arc<str>>,
    },
}

/// What the API server of a cluster with that release of Karpenter refuses of a resource. If the release is
/// not known, or is no release but a build on the way to one, what each release refuses that serves the
/// version of the API. `api` is the whole `apiVersion`. Nothing for kinds that are not Karpenter's, or no
/// longer are.
#[must_use]
pub fn faults(object: &Value, kind: &str, api: &str, release: Option<&Version>) -> Vec<Fault> {
    let group = api.split_once('/').map_or(api, |(group, _)| group);
    let Some(known) = schema::kind(group, kind) else { return Vec::new() };
    let schema = schema::of(api, kind);
    let release = release.filter(|it| it.prerelease.is_empty() && it.line() != (0, 0));
    if known.schemas.iter().all(|it| it.api_version() != api) {
        return vec![unserved(object)];
    }
    let Some(schema) = schema else { return Vec::new() };
    let Some(release) = release else { return of_any(object, schema) };
    let Some(tree) = schema.at(release) else { return vec![unserved(object)] };
    let mut faults = in_tree(object, tree);
    if schema::is_unknown_release(release) {
        faults.retain(|it| !it.kind.may_be_let_in_later());
    }
    faults
}

/// Whether a text may stand at a field (`spec.blockDeviceMappings[].ebs.volumeSize`), as far as its shape in
/// the newest release that serves the API says.
#[must_use]
pub fn takes_text(kind: &str, api: &str, field: &str, text: &str) -> bool {
    let field = schema::of(api, kind).and_then(|it| it.field(field));
    let shape = field.and_then(|it| it.facts.last()).map(|it| &it.shape);
    let nowhere = Span::new(FileId(u32::MAX), 0, 0);
    shape.is_none_or(|it| text::fault(&Value::computed(text, nowhere), it).is_none())
}

fn unserved(object: &Value) -> Fault {
    let api = object.get("apiVersion").present();
    Fault {
        kind: FaultKind::Unserved,
        span: api.map_or(object.name, |it| it.span),
        path: Path::default().name("apiVersion"),
        field: "apiVersion".to_owned(),
        value: api.cloned(),
    }
}

/// What every release refuses that serves the version, in the words of the newest.
fn of_any(object: &Value, schema: &'static Schema) -> Vec<Fault> {
    let mut trees = schema.trees().rev();
    let Some(newest) = trees.next() else { return Vec::new() };
    let mut faults = in_tree(object, newest);
    for tree in trees {
        if faults.is_empty() {
            break;
        }
        let found = in_tree(object, tree);
        let there: HashSet<Identity> = found.iter().map(Fault::identity).collect();
        // What a release does not know at all, it refuses whatever is in it.
        let unknown: Vec<&Path> =
            found.iter().filter(|it| it.is_unknown()).map(|it| &it.path).collect();
        let refused = |it: &Path| unknown.iter().any(|outer| outer.leads_to(it));
        faults.retain(|it| there.contains(&it.identity()) || refused(&it.path));
    }
    faults
}

fn in_tree(object: &Value, tree: &'static Tree) -> Vec<Fault> {
    let mut walk = Walk::new(tree);
    let seen = walk.value(object, &tree.root, &Path::default());
    walk.check(&seen, &tree.root, &Path::default());
    walk.faults
}

/// What makes a fault the same in another release.
type Identity = (String, Path, Option<Arc<str>>);

impl Fault {
    fn is_unknown(&self) -> bool {
        matches!(self.kind, FaultKind::Unknown { .. })
    }

    fn identity(&self) -> Identity {
        let text = match &self.kind {
            FaultKind::Check { text, .. } => text.clone(),
            _ => None,
        };
        (self.kind.name(), self.path.clone(), text)
    }
}

impl FaultKind {
    /// Its name: `too-long`, `check:reserved-domain`.
    #[must_use]
    pub fn name(&self) -> String {
        let name = match self {
            Self::Unserved => "unserved",
            Self::Unknown { .. } => "unknown",
            Self::Missing { .. } => "missing",
            Self::Type(_) => "type",
            Self::Enum(_) => "enum",
            Self::Pattern(_) => "pattern",
            Self::Format(_) => "format",
            Self::Minimum(_) => "minimum",
            Self::Maximum(_) => "maximum",
            Self::TooLong(_) => "too-long",
            Self::TooShort(_) => "too-short",
            Self::TooMany(_) => "too-many",
            Self::TooFew(_) => "too-few",
            Self::Duplicate { .. } => "duplicate",
            Self::Check { name, .. } => return format!("check:{name}"),
        };
        name.to_owned()
    }

    /// Whether new releases tend to let in what this one refuses: new names, values and keys.
    fn may_be_let_in_later(&self) -> bool {
        match self {
            Self::Unknown { .. } | Self::Enum(_) | Self::Maximum(_) | Self::TooMany(_) => true,
            Self::Check { check, .. } => {
                matches!(
                    check,
                    Check::ReservedDomain(_) | Check::KnownKey(_) | Check::AliasFamily(_)
                )
            }
            _ => false,
        }
    }
}
