//! Selectors by a tag that nothing has.

use std::collections::{BTreeSet, HashMap};

use crate::{
    findings::note::Note,
    model::{
        Model,
        discovery::{
            Role,
            scripts::is_example,
            tags::{Tag, WrittenTag, of_root},
        },
        node_pool::class::NodeClass,
        scope::ScopeIndex,
    },
    resolve::{
        setting::steps,
        terraform::{
            inputs::is_of_variable,
            module_source::ModuleSource,
            object::{BlockInstance, Mode},
        },
    },
    source::Span,
    value::{Entry, Kind, Symbol, TextSource, Value},
};

/// A selector by a tag that nothing has, although others have the key.
#[derive(Clone, Debug)]
pub(crate) struct TagMismatch<'a> {
    /// The class.
    pub class: &'a NodeClass,
    /// What it selects.
    pub role: Role,
    /// The tag's key.
    pub key: String,
    /// The value it asks for, and where that is written.
    pub wanted: (String, Span),
    /// The value there is, and where its key is written.
    pub there: (String, Span),
    /// The steps by which the wanted value came to the class.
    pub steps: Vec<Note>,
}

/// The selectors whose tag no subnet or security group of Terraform has.
#[must_use]
pub(crate) fn tag_mismatches(model: &Model) -> Vec<TagMismatch<'_>> {
    let keys: BTreeSet<&str> = asked(&model.node_classes).map(|(.., it)| &*it.key).collect();
    if keys.is_empty() {
        return Vec::new();
    }
    let roots = model.terraform.roots.iter().enumerate();
    let tags: Vec<Tag> = roots.flat_map(|(index, root)| of_root(index, root, &keys)).collect();
    let search = TagSearch { model, tags: &tags };
    let mut near: HashMap<(Role, &str), ScopeIndex<Vec<usize>>> = HashMap::new();
    for (_, role, entry) in asked(&model.node_classes) {
        near.entry((role, &entry.key)).or_insert_with(|| search.near(role, &entry.key));
    }
    let mut found = Vec::new();
    for class in &model.node_classes {
        for role in [Role::Subnets, Role::SecurityGroups] {
            let terms = class.terms(role).unwrap_or_default();
            let missed = terms.iter().map(|term| {
                let mut tags = entries(term);
                tags.find_map(|it| search.mismatch(class, role, it, &near))
            });
            // What one term does not find another may.
            found.extend(missed.collect::<Option<Vec<_>>>().unwrap_or_default());
        }
    }
    found
}

/// The tags by which classes select, with known keys that are the authors' own.
fn asked(classes: &[NodeClass]) -> impl Iterator<Item = (&NodeClass, Role, &Entry)> {
    let roles = [Role::Subnets, Role::SecurityGroups];
    let terms = classes.iter().flat_map(move |class| {
        roles.into_iter().flat_map(move |role| {
            let terms = class.terms(role).unwrap_or_default();
            terms.iter().map(move |term| (class, role, term))
        })
    });
    terms.flat_map(|(class, role, term)| entries(term).map(move |it| (class, role, it)))
}

/// The tags of a term. Modules give names themselves, EKS and AWS the tags of their domains.
fn entries(term: &Value) -> impl Iterator<Item = &Entry> {
    let tags = term.get("tags").present().map_or(&[][..], Value::entries);
    let own =
        |key: &str| key != "Name" && !key.starts_with("aws:") && !key.starts_with("kubernetes.io/");
    tags.iter().filter(move |it| own(&it.key))
}

/// What the selectors of classes are held against.
struct TagSearch<'a, 't> {
    model: &'a Model,
    tags: &'t [Tag],
}

impl<'a> TagSearch<'a, '_> {
    fn near(&self, role: Role, key: &str) -> ScopeIndex<Vec<usize>> {
        let tags = self.tags.iter().enumerate().filter(|(_, it)| may_be(it, role, key));
        ScopeIndex::of(tags, <[usize]>::to_vec)
    }

    fn mismatch(
        &self,
        class: &'a NodeClass,
        role: Role,
        entry: &Entry,
        near: &HashMap<(Role, &str), ScopeIndex<Vec<usize>>>,
    ) -> Option<TagMismatch<'a>> {
        let wanted = self.text(&entry.value)?;
        if wanted.is_empty() || wanted.contains(['*', '?']) {
            return None;
        }
        let near = near.get(&(role, &*entry.key))?.nearest(&class.scope)?;
        let near: Vec<&WrittenTag> =
            near.iter().map(|it| self.tags[*it].written.as_ref()).collect::<Option<_>>()?;
        let values: Vec<String> =
            near.iter().map(|it| self.text(&it.value)).collect::<Option<_>>()?;
        let there = values.first().filter(|it| values.iter().all(|other| other == *it))?;
        let written = near.first()?;
        let same_root = class.scope.root.is_some()
            && self
                .tags
                .iter()
                .any(|it| it.placed_in(class.scope.root) && may_be(it, role, &entry.key));
        let sure = if same_root {
            self.is_fixed(&entry.value) == written.is_fixed
        } else {
            written.is_fixed && self.is_only_choice(role, entry, &wanted, there)
        };
        (*there != wanted && sure).then(|| TagMismatch {
            class,
            role,
            key: entry.key.to_string(),
            wanted: (wanted, entry.value.span),
            there: (there.clone(), written.span),
            steps: steps(&entry.value),
        })
    }

    /// Whether no variable has a part in a selector.
    fn is_fixed(&self, value: &Value) -> bool {
        if let Some((module, name)) = symbol_of(value).and_then(|it| self.cluster_name(it)) {
            return !module.variable_arguments.iter().any(|it| **it == *name);
        }
        let literal = is_verbatim(value) || value.steps().next().is_some();
        literal && !is_of_variable(value)
    }

    /// Whether what is written in files of another tool can only mean the subnets and groups here: every
    /// class asks for the same, and nothing in the repository has it.
    fn is_only_choice(&self, role: Role, entry: &Entry, wanted: &str, there: &str) -> bool {
        let key = &entry.key;
        let mut others = asked(&self.model.node_classes)
            .filter(|(_, its_role, it)| *its_role == role && it.key == *key);
        let mut tags = self.tags.iter().filter(|it| may_be(it, role, key));
        let other = |it: &Tag| {
            let value = it.written.as_ref().and_then(|it| self.text(&it.value));
            value.is_some_and(|it| it == there)
        };
        is_verbatim(&entry.value)
            && !is_example(wanted)
            && !is_example(there)
            && others.all(|(.., it)| self.text(&it.value).is_some_and(|it| it == wanted))
            && tags.all(other)
            && self.model.clusters.iter().all(|it| it.scope.root.is_some())
    }

    /// The known text of a value, also where it is the name of a cluster that the EKS module gives out
    /// again.
    fn text(&self, value: &Value) -> Option<String> {
        if let Some(symbol) = symbol_of(value) {
            let (module, name) = self.cluster_name(symbol)?;
            return module.body.get(name).present()?.as_str().map(str::to_owned);
        }
        match &value.kind {
            Kind::String(text) => text.known().map(str::to_owned),
            Kind::Number(number) => Some(number.to_string()),
            Kind::Bool(on) => Some(on.to_string()),
            _ => None,
        }
    }

    /// The module call whose output `cluster_name` something is, and the input that is given out.
    fn cluster_name(&self, symbol: &Symbol) -> Option<(&'a BlockInstance, &'static str)> {
        let (folder, call) = match symbol.scope.split_once('|') {
            Some((folder, call)) => (folder, format!("{call}.")),
            None => (&*symbol.scope, String::new()),
        };
        let address = format!("{call}{}", symbol.text.strip_suffix(".cluster_name")?);
        let root = self.model.terraform.roots.iter().find(|it| *it.folder == *folder)?;
        let mut modules = root.of(Mode::Module, "module");
        let module = modules
            .find(|it| *it.address == *address && ModuleSource::of(it).is(ModuleSource::EKS))?;
        let names = ["cluster_name", "name"];
        let name = names.into_iter().find(|it| module.body.get(it).present().is_some())?;
        Some((module, name))
    }
}

/// Whether a text is known and written as it is.
fn is_verbatim(value: &Value) -> bool {
    let Kind::String(text) = &value.kind else { return false };
    matches!(text.layout, TextSource::Verbatim(_)) && text.holes.is_empty()
}

/// What a value is, when all of it is unknown.
fn symbol_of(value: &Value) -> Option<&Symbol> {
    match &value.kind {
        Kind::Unknown(symbol) => Some(symbol),
        Kind::String(text) => text.only_hole(),
        _ => None,
    }
}

fn may_be(tag: &Tag, role: Role, key: &str) -> bool {
    tag.role.is_none_or(|it| it == role) && tag.written.as_ref().is_none_or(|it| *it.key == *key)
}
