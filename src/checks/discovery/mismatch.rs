//! Selectors by a tag that nothing has.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::{
    checks::discovery::users::Users,
    findings::{note::Note, silence::Silence, subject::Subject},
    model::{
        Model,
        discovery::{
            Role,
            scripts::is_example,
            tags::{Tag, WrittenTag, of_root},
        },
        environment::are_apart,
        node_pool::class::NodeClass,
        node_template::templates,
        scope::ScopeIndex,
    },
    resolve::{
        setting::{self, steps},
        terraform::{
            inputs::is_of_variable,
            module_source::ModuleSource,
            object::{BlockInstance, Mode},
            root::Root,
        },
    },
    source::Span,
    value::{
        Entry, HOLE_START, Kind, Symbol, TextSource, Value, cause::Cause, stand_in::is_stand_in,
    },
};

/// A selector by a tag that nothing has, although others have the key.
#[derive(Clone, Debug)]
pub(crate) struct TagMismatch {
    /// What the finding is about.
    pub subject: Option<Subject>,
    /// What it selects.
    pub role: Role,
    /// The tag's key.
    pub key: String,
    /// The value it asks for, and where that is written.
    pub wanted: (String, Span),
    /// The values there are, each once, and where their keys are written.
    pub there: Vec<(String, Span)>,
    /// The steps by which the wanted value came to the class.
    pub steps: Vec<Note>,
    /// A pool near the class, where none in the repository uses the class.
    pub unused_beside: Option<Span>,
}

/// What a class selects by tags that Terraform near it writes, and whether any subnet or security group has
/// them, with the place of the terms.
#[must_use]
pub(crate) fn tag_mismatches(model: &Model) -> Vec<(Span, Result<Vec<TagMismatch>, Silence>)> {
    let templates = templates(model);
    let classes: Vec<&NodeClass> = model.node_classes.iter().chain(&templates).collect();
    let keys: BTreeSet<&str> = asked(&classes).map(|(.., it)| &*it.key).collect();
    if keys.is_empty() {
        return Vec::new();
    }
    let roots = model.terraform.roots.iter().enumerate();
    let tags: Vec<Tag> = roots.flat_map(|(index, root)| of_root(index, root, &keys)).collect();
    let search = TagSearch { model, classes: &classes, tags: &tags, users: &Users::of(model) };
    let mut near: HashMap<(Role, &str), ScopeIndex<NearTags>> = HashMap::new();
    for (_, role, entry) in asked(&classes) {
        near.entry((role, &entry.key)).or_insert_with(|| search.near(role, &entry.key));
    }
    let mut found = Vec::new();
    for class in &classes {
        for role in [Role::Subnets, Role::SecurityGroups] {
            let terms = class.terms(role).unwrap_or_default();
            let is_tagged = |it: &Entry| {
                near.get(&(role, &*it.key)).is_some_and(|it| it.nearest(&class.scope).is_some())
            };
            let Some(subject) = terms.iter().find(|it| entries(it, role).any(is_tagged)) else {
                continue;
            };
            // What one term does not find another may.
            let missed = terms.iter().map(|term| search.missed(class, role, term, &near));
            found.push((subject.span, missed.collect()));
        }
    }
    found
}

/// The tags by which classes select, with known keys that are the authors' own.
fn asked<'c>(classes: &'c [&NodeClass]) -> impl Iterator<Item = (&'c NodeClass, Role, &'c Entry)> {
    let roles = [Role::Subnets, Role::SecurityGroups];
    let terms = classes.iter().copied().flat_map(move |class| {
        roles.into_iter().flat_map(move |role| {
            let terms = class.terms(role).unwrap_or_default();
            terms.iter().map(move |term| (class, role, term))
        })
    });
    terms.flat_map(|(class, role, term)| entries(term, role).map(move |it| (class, role, it)))
}

/// The tags of a term. Modules give names themselves, EKS and AWS the tags of their domains; EKS gives subnets none.
fn entries(term: &Value, role: Role) -> impl Iterator<Item = &Entry> {
    let tags = term.get("tags").present().map_or(&[][..], Value::entries);
    let given: &[&str] = match role {
        Role::Subnets => &["aws:", "kubernetes.io/role/"],
        Role::SecurityGroups => &["aws:", "kubernetes.io/"],
    };
    let own = move |key: &str| {
        let is_given = given.iter().any(|it| key.starts_with(it));
        key != "Name" && !key.contains(HOLE_START) && !is_given
    };
    tags.iter().filter(move |it| own(&it.key))
}

/// The tags of one key near a scope: the same for all classes there.
struct NearTags {
    /// Which they are.
    places: Vec<usize>,
    /// Their values, or why not all are known.
    there: Result<Values, Silence>,
    /// Whether one block writes all of them.
    is_of_one: bool,
}

/// The values of tags, each once.
#[derive(Default)]
struct Values {
    list: Vec<(String, Span)>,
    known: HashSet<String>,
    has_stand_in: bool,
}

/// What the selectors of classes are held against.
struct TagSearch<'a, 't> {
    model: &'a Model,
    classes: &'t [&'t NodeClass],
    tags: &'t [Tag],
    users: &'t Users<'a>,
}

impl<'a> TagSearch<'a, '_> {
    fn near(&self, role: Role, key: &str) -> ScopeIndex<NearTags> {
        let tags = self.tags.iter().enumerate().filter(|(_, it)| may_be(it, role, key));
        ScopeIndex::of(tags, |near| self.read(near))
    }

    /// What tags say, given by their indexes.
    fn read(&self, near: &[usize]) -> NearTags {
        // Private and public subnets of one module may have tags of their own; what several blocks say
        // otherwise is of several clusters.
        let block = near.first().and_then(|it| self.tags[*it].block);
        let is_of_one = block.is_some() && near.iter().all(|it| self.tags[*it].block == block);
        NearTags { places: near.to_vec(), there: self.values(near), is_of_one }
    }

    fn values(&self, near: &[usize]) -> Result<Values, Silence> {
        let mut values = Values::default();
        let written = near.iter().map(|it| self.tags[*it].written.as_ref());
        let written: Option<Vec<&WrittenTag>> = written.collect();
        let unknown = || Silence::undecided(Cause::Value, "not all tags near are known");
        for tag in written.ok_or_else(unknown)? {
            let near = || not_known("a tag near", &tag.value);
            let value = self.text(&tag.value).ok_or_else(near)?;
            if values.known.insert(value.clone()) {
                values.has_stand_in |= is_stand_in(&value);
                values.list.push((value, tag.span));
            }
        }
        Ok(values)
    }

    /// The tag of a term that nothing has.
    fn missed(
        &self,
        class: &NodeClass,
        role: Role,
        term: &Value,
        near: &HashMap<(Role, &str), ScopeIndex<NearTags>>,
    ) -> Result<TagMismatch, Silence> {
        let mut silence = Silence::sound("a term selects by something else than tags of Terraform");
        for entry in entries(term, role) {
            let index = near.get(&(role, &*entry.key)).and_then(|it| it.nearest(&class.scope));
            let Some(index) = index else { continue };
            match self.mismatch(class, role, entry, index) {
                Ok(found) => return Ok(found),
                Err(why) => silence = why.at(entry.value.span, "the term"),
            }
        }
        Err(silence)
    }

    fn mismatch(
        &self,
        class: &NodeClass,
        role: Role,
        entry: &Entry,
        near: &NearTags,
    ) -> Result<TagMismatch, Silence> {
        let unknown = |what: &'static str| Silence::undecided(Cause::Value, what);
        let asked = || not_known("the tag asked for", &entry.value);
        let wanted = self.text(&entry.value).ok_or_else(asked)?;
        if wanted.is_empty() || wanted.contains(['*', '?']) {
            return Err(Silence::sound("a term matches any value of the tag"));
        }
        let there = near.there.as_ref().map_err(Silence::clone)?;
        if there.known.contains(&wanted) {
            return Err(Silence::sound("a tag of Terraform has the value asked for"));
        }
        if is_stand_in(&wanted) && !there.has_stand_in {
            return Err(unknown("the tag asked for is a placeholder"));
        }
        let there = there.list.as_slice();
        let mut written = near.places.iter().filter_map(|it| self.tags[*it].written.as_ref());
        let root = class.scope.root;
        let may_have = |it: &Tag| it.placed_in(root) && may_be(it, role, &entry.key);
        let sure = if there.len() > 1 && !near.is_of_one {
            false
        } else if root.is_some() && self.tags.iter().any(may_have) {
            let is_fixed = self.is_fixed(&entry.value);
            written.all(|it| it.is_fixed == is_fixed)
        } else {
            let is_alone = self.is_of_only_cluster(class);
            let settled = |it: &WrittenTag| is_alone && self.model.inputs.is_settled(&it.value);
            let is_fixed = written.all(|it| it.is_fixed || settled(it));
            is_fixed && self.is_only_choice(class, role, entry, (&wanted, there))
        };
        if !sure {
            let words = "the selector and the tags near may be of several clusters";
            return Err(Silence::undecided(Cause::Ambiguous, words));
        }
        Ok(TagMismatch {
            subject: class.subject.clone(),
            role,
            key: entry.key.to_string(),
            wanted: (wanted, entry.value.span),
            there: there.to_vec(),
            steps: steps(&entry.value),
            unused_beside: self.users.others(class),
        })
    }

    /// Whether the repository makes one cluster only, and not that of another environment: a class elsewhere in it
    /// can be for no other.
    fn is_of_only_cluster(&self, class: &NodeClass) -> bool {
        let makes = |it: &Root| it.of(Mode::Resource, "aws_eks_cluster").next().is_some();
        let made = self.model.terraform.roots.iter().filter(|it| makes(it)).count();
        match self.model.clusters.as_slice() {
            [only] => made <= 1 && !are_apart(&only.scope.folder, &class.scope.folder),
            _ => false,
        }
    }

    /// Whether no variable has a part in a selector.
    fn is_fixed(&self, value: &Value) -> bool {
        if let Some((module, name)) = symbol_of(value).and_then(|it| self.cluster_name(it)) {
            return !module.variable_arguments.iter().any(|it| **it == *name);
        }
        let literal = is_verbatim(value) || value.steps().next().is_some();
        literal && !is_of_variable(value)
    }

    /// Whether what is written in files of another tool can only mean the subnets and groups here: no class
    /// of another deploy unit asks for what is there or for something else, and nothing in the repository
    /// has what this one asks for.
    fn is_only_choice(
        &self,
        class: &NodeClass,
        role: Role,
        entry: &Entry,
        (wanted, there): (&str, &[(String, Span)]),
    ) -> bool {
        let [(there, _)] = there else { return false };
        let key = &entry.key;
        let mut others =
            asked(self.classes).filter(|(_, its_role, it)| *its_role == role && it.key == *key);
        let agrees = |(other, _, it): (&NodeClass, Role, &Entry)| {
            let is_beside = other.scope.deploy_unit() == class.scope.deploy_unit();
            self.text(&it.value)
                .is_some_and(|it| it == wanted || it.contains('*') || (is_beside && it == *there))
        };
        let mut tags = self.tags.iter().filter(|it| may_be(it, role, key));
        let other = |it: &Tag| {
            let value = it.written.as_ref().and_then(|it| self.text(&it.value));
            value.is_some_and(|it| it == *there)
        };
        is_verbatim(&entry.value)
            && !is_example(wanted)
            && !is_example(there)
            && others.all(agrees)
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

fn not_known(what: &str, value: &Value) -> Silence {
    let unnamed = || Silence::undecided(Cause::Value, format!("{what} is not known"));
    symbol_of(value).map_or_else(unnamed, |it| setting::not_known(what, it))
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
