//! Which objects an admission policy or a binding is about.

use std::sync::Arc;

use crate::{
    findings::silence::Silence,
    policies::admission::{asked::Asked, reader::Reader},
    resolve::pod::selector::{Selector, matches},
    value::{Field, Value, cause::Cause},
};

/// `matchConstraints` of a policy, or `matchResources` of a binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Constraints {
    rules: Vec<ResourceRule>,
    excluded: Vec<ResourceRule>,
    /// Of the namespace's labels.
    namespaces: Selector,
    /// Of the object's labels.
    objects: Selector,
    /// Whether other versions of a resource do not count (`matchPolicy: Exact`).
    is_exact: bool,
}

/// Some resources, in certain operations.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ResourceRule {
    groups: Vec<Arc<str>>,
    versions: Vec<Arc<str>>,
    operations: Vec<Arc<str>>,
    resources: Vec<Arc<str>>,
    /// Names of objects; all if there are none.
    names: Vec<Arc<str>>,
    /// Whether only those in a namespace, or only those in none.
    in_namespace: Option<bool>,
}

const OPERATIONS: &[&str] = &["*", "CREATE", "UPDATE", "DELETE", "CONNECT"];

impl Constraints {
    /// Reads them; `None` stands for all there is.
    pub(super) fn read(reader: &mut Reader, written: Option<&Value>) -> Self {
        let everything = || Selector::of_labels(Field::Missing);
        let Some(written) = written else {
            return Self {
                rules: Vec::new(),
                excluded: Vec::new(),
                namespaces: everything(),
                objects: everything(),
                is_exact: false,
            };
        };
        let selector = |key: &str| match written.get(key) {
            Field::Missing => everything(),
            found => Selector::read(found, ""),
        };
        let (namespaces, objects) = (selector("namespaceSelector"), selector("objectSelector"));
        Self {
            rules: rules(reader, written, "resourceRules"),
            excluded: rules(reader, written, "excludeResourceRules"),
            namespaces,
            objects,
            is_exact: reader.word(written, "matchPolicy", &["Exact", "Equivalent"])
                == Some("Exact"),
        }
    }

    /// Whether there is no rule that names resources.
    pub(super) fn have_no_rules(&self) -> bool {
        self.rules.is_empty()
    }

    /// Whether an object is one of them when it is created.
    ///
    /// # Errors
    /// When that is not known.
    pub(super) fn hold(&self, asked: &Asked<'_>) -> Result<bool, Silence> {
        let namespace = self.selects_namespace(asked);
        if namespace == Ok(false) {
            return Ok(false);
        }
        let object = matches(&self.objects, &asked.labels());
        if object == Some(false) {
            return Ok(false);
        }
        if self.is_among(&self.excluded, asked)? {
            return Ok(false);
        }
        if !self.rules.is_empty() && !self.is_among(&self.rules, asked)? {
            return Ok(false);
        }
        namespace?;
        let unclear = || undecided("whether its `objectSelector` selects the object is not known");
        object.ok_or_else(unclear)
    }

    /// Whether its `namespaceSelector` lets the object through. Objects in no namespace always get through.
    fn selects_namespace(&self, asked: &Asked<'_>) -> Result<bool, Silence> {
        if self.namespaces.is_everything() {
            return Ok(true);
        }
        let unclear = |what: String| undecided(format!("its `namespaceSelector` needs {what}"));
        match asked.namespace_labels()? {
            None => Ok(true),
            Some(labels) => matches(&self.namespaces, &labels).ok_or_else(|| {
                unclear(match asked.namespace() {
                    Some(name) => format!("the labels of the namespace `{name}`"),
                    None => "the labels of a namespace that is not known".to_owned(),
                })
            }),
        }
    }

    /// Whether one of these rules is about the object.
    fn is_among(&self, rules: &[ResourceRule], asked: &Asked<'_>) -> Result<bool, Silence> {
        let mut unclear = None;
        for rule in rules {
            match rule.holds(asked, true) {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(silence) => unclear = Some(silence),
            }
        }
        if let Some(silence) = unclear {
            return Err(silence);
        }
        // The API server would convert the object first; the resource rule names another version of it.
        let of_other_version = |it: &ResourceRule| it.holds(asked, false) != Ok(false);
        if !self.is_exact && rules.iter().any(of_other_version) {
            return Err(undecided("it is about another version of the resource"));
        }
        Ok(false)
    }
}

fn rules(reader: &mut Reader, written: &Value, key: &str) -> Vec<ResourceRule> {
    let items = reader.items(written, key).to_vec();
    items.iter().map(|it| rule(reader, it)).collect()
}

fn rule(reader: &mut Reader, written: &Value) -> ResourceRule {
    let operations = needed(reader, written, "operations");
    for (word, span) in reader.texts(written, "operations") {
        if !OPERATIONS.contains(&&*word) {
            let message = format!("`{word}` is no operation of the API server");
            reader.wrong(span, message);
        }
    }
    let scope = reader.word(written, "scope", &["*", "Cluster", "Namespaced"]);
    ResourceRule {
        groups: needed(reader, written, "apiGroups"),
        versions: needed(reader, written, "apiVersions"),
        operations,
        resources: needed(reader, written, "resources"),
        names: reader.texts(written, "resourceNames").into_iter().map(|it| it.0).collect(),
        in_namespace: match scope {
            Some("Namespaced") => Some(true),
            Some("Cluster") => Some(false),
            _ => None,
        },
    }
}

/// The texts of a list that must have some.
fn needed(reader: &mut Reader, written: &Value, key: &str) -> Vec<Arc<str>> {
    let found: Vec<Arc<str>> = reader.texts(written, key).into_iter().map(|it| it.0).collect();
    let field = written.get(key);
    let is_empty = field.is_missing() || field.present().is_some_and(|it| it.items().is_empty());
    if found.is_empty() && is_empty && reader.unknown.is_none() {
        reader.wrong(written.name, format!("`{key}` is missing"));
    }
    found
}

impl ResourceRule {
    /// Whether the rule is about an object when it is created, or would be if it were of another version.
    fn holds(&self, asked: &Asked<'_>, of_its_version: bool) -> Result<bool, Silence> {
        let names =
            |list: &[Arc<str>], wanted: &str| list.iter().any(|it| **it == *"*" || **it == *wanted);
        let resource = |it: &Arc<str>| {
            let (resource, part) = it.split_once('/').unwrap_or((it, ""));
            (resource == "*" || resource == asked.resource.plural) && matches!(part, "" | "*")
        };
        let about = names(&self.operations, "CREATE")
            && names(&self.groups, asked.group())
            && (!of_its_version || names(&self.versions, asked.version()))
            && self.resources.iter().any(resource);
        if !about {
            return Ok(false);
        }
        if let Some(wanted) = self.in_namespace {
            let is = asked.resource.is_namespaced;
            let is =
                is.ok_or_else(|| undecided("whether its kind has a namespace is not known"))?;
            if is != wanted {
                return Ok(false);
            }
        }
        if self.names.is_empty() {
            return Ok(true);
        }
        let name = asked.name().ok_or_else(|| undecided("the name of the object is not known"))?;
        Ok(self.names.iter().any(|it| **it == *name))
    }
}

/// It cannot be decided, because of this.
fn undecided(words: impl Into<std::borrow::Cow<'static, str>>) -> Silence {
    Silence::undecided(Cause::Value, words)
}
