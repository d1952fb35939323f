//! `EC2NodeClasses`: the image and the user data of a pool's nodes.

use std::{collections::HashMap, sync::Arc};

use crate::{
    findings::subject::Subject,
    knowledge::block_device::{self, ImageFamily},
    model::{
        node_pool::{PoolVersion, user_data::UserData},
        scope::{ScopeIndex, Scoped, only},
    },
    resolve::{
        kubernetes::Object, release::script::makes_cluster, scope::Scope, setting::Setting,
        terraform::object::GraphNode,
    },
    source::{FileId, Files, Span},
    value::{Field, Kind, Symbol, Value},
};

/// An `EC2NodeClass`.
#[derive(Clone, Debug)]
pub struct NodeClass {
    /// The version of its API.
    pub api: PoolVersion,
    /// `metadata.name`.
    pub name: Setting<String>,
    /// `metadata.name` in the file, before a kustomization changes it.
    pub written_name: Arc<str>,
    /// What it is called where it is written; empty when that is not known.
    pub title: Arc<str>,
    /// Where to point.
    pub report_span: Span,
    /// Where it is.
    pub scope: Scope,
    /// The Terraform resource that holds it.
    pub node: Option<GraphNode>,
    /// The whole resource.
    pub object: Value,
    /// Which of several kustomizations builds it here.
    pub subject: Option<Subject>,
    /// Whether something that is not seen may still patch it.
    pub is_in_doubt: bool,
    /// What its nodes run when they start.
    pub user_data: UserData,
    /// The pools that are clearly of this class, as indexes.
    pub pools: Vec<usize>,
    /// Whether the script that applies it makes its cluster first.
    pub is_of_script_cluster: bool,
}

impl Scoped for NodeClass {
    fn scope(&self) -> &Scope {
        &self.scope
    }
}

/// What Karpenter cannot do without in a class, one or the other.
const ESSENTIALS: [&str; 5] = [
    "spec.amiSelectorTerms",
    "spec.role",
    "spec.instanceProfile",
    "spec.subnetSelectorTerms",
    "spec.securityGroupSelectorTerms",
];

impl NodeClass {
    /// Reads a class; `None` for other kinds.
    #[must_use]
    pub fn read(object: &Object, scope: &Scope, node: Option<GraphNode>) -> Option<Self> {
        let api = match &*object.api_version {
            _ if &*object.kind != "EC2NodeClass" => return None,
            "karpenter.k8s.aws/v1" => PoolVersion::V1,
            "karpenter.k8s.aws/v1beta1" => PoolVersion::V1Beta1,
            _ => return None,
        };
        let text = |it: &Value| it.as_str().map(str::to_owned);
        let report_span = object.report_span();
        Some(Self {
            api,
            name: Setting::of(object.value.at("metadata.name"), None, report_span, text),
            written_name: Arc::default(),
            title: object.anchor_text().unwrap_or_default().into(),
            report_span,
            scope: scope.clone(),
            node,
            object: object.value.clone(),
            subject: None,
            is_in_doubt: false,
            user_data: UserData::read(&object.value),
            pools: Vec::new(),
            is_of_script_cluster: false,
        })
    }

    /// The same with its name as the file has it, and what a finding about it is about.
    #[must_use]
    pub fn written_in(self, files: &Files, subject: Subject) -> Self {
        let name = files.text(self.name.span()).trim_matches(['"', '\'']).into();
        let by_script = self.scope.root.is_none();
        let is_of_script_cluster = by_script && makes_cluster(files.get(self.report_span.file));
        Self { written_name: name, subject: Some(subject), is_of_script_cluster, ..self }
    }

    /// Whether it is only a part of a class, to be laid over another file.
    #[must_use]
    pub fn is_fragment(&self) -> bool {
        ESSENTIALS.iter().all(|it| self.object.at(it).is_missing())
    }

    /// The same, when something that is not seen may still patch it.
    #[must_use]
    pub fn in_doubt(self) -> Self {
        Self { is_in_doubt: true, ..self }
    }

    /// Whether it asks for images of a family and for those of another: the API server refuses that.
    #[must_use]
    pub fn contradicts_itself(&self) -> bool {
        let family = self.object.at("spec.amiFamily").present().and_then(Value::as_str);
        let alias = self.object.at("spec.amiSelectorTerms").present().and_then(only_alias);
        let (family, alias) =
            (family.and_then(block_device::family), alias.and_then(block_device::family_of_alias));
        family.zip(alias).is_some_and(|(family, alias)| family.name != alias.name)
    }

    /// The family of its images, if they are those that Karpenter chooses, or AWS's own by name.
    #[must_use]
    pub fn image_family(&self) -> Option<&'static ImageFamily> {
        if let Some(family) = self.family_by_name() {
            return Some(family);
        }
        let alias = match self.object.at("spec.amiSelectorTerms") {
            Field::Missing => None,
            Field::Unknown => return None,
            Field::Present(terms) => Some(only_alias(terms)?),
        };
        match (self.object.at("spec.amiFamily"), alias) {
            (Field::Present(family), _) => block_device::family(family.as_str()?),
            (Field::Missing, Some(alias)) => block_device::family_of_alias(alias),
            (Field::Missing, None) | (Field::Unknown, _) => None,
        }
    }

    /// The family that it names, where its terms choose images of that family by AWS's own names, or by their numbers:
    /// no other ones start with the user data of a family that is known by names.
    fn family_by_name(&self) -> Option<&'static ImageFamily> {
        let family = block_device::family(self.object.at("spec.amiFamily").present()?.as_str()?)?;
        let prefix = family.image_prefix.as_deref()?;
        let terms = self.object.at("spec.amiSelectorTerms").present()?.as_list()?;
        let is_own = |it: &Value| {
            let name = it.get("name").present();
            let starts =
                |it: &Value| matches!(&it.kind, Kind::String(it) if it.text.starts_with(prefix));
            let is_numbered = it.get("id").present().is_some();
            is_numbered || name.is_some_and(starts) && owner_is_aws(it.get("owner"))
        };
        let all = terms.rest.is_none() && !terms.items.is_empty();
        (all && terms.items.iter().all(is_own)).then_some(family)
    }
}

/// Whether images are AWS's own, by their owner; without one they may be of the account, too, by that name.
fn owner_is_aws(owner: Field<'_>) -> bool {
    match owner {
        Field::Missing => true,
        Field::Present(value) => value.as_str() == Some("amazon"),
        Field::Unknown => false,
    }
}

/// A name by which a class and its pools know each other: text, or text with the same placeholders on both sides.
#[must_use]
pub fn reference(name: &Setting<String>) -> Option<String> {
    if let Some(known) = name.known() {
        return Some(known.clone());
    }
    let (text, holes) = match &name.value()?.kind {
        Kind::String(text) => (&*text.text, &*text.holes),
        Kind::Unknown(symbol) => ("", std::slice::from_ref(symbol)),
        _ => return None,
    };
    // What has no expression is equal to nothing else.
    let others = |it: &Symbol| it.parts_of.clone().unwrap_or_default();
    let part = |it: &Symbol| Some(format!("{}\0{}\0{}", it.scope, others(it), it.expression()?));
    let parts: Vec<String> = holes.iter().map(part).collect::<Option<_>>()?;
    Some(format!("{text}\0{}", parts.join("\0")))
}

/// The classes of one name.
#[derive(Debug)]
pub struct Namesakes {
    /// By scope, the one there is, if there is only one.
    near: ScopeIndex<Option<usize>>,
    /// The same by file, and by what applies it.
    beside: HashMap<Beside, Option<usize>>,
}

/// A file, and the root module or the kustomization that applies it.
type Beside = (FileId, Option<usize>, Option<usize>);

impl Namesakes {
    /// The one that something in a scope means: the only one near, else the only one of its file.
    #[must_use]
    pub fn meant(&self, scope: &Scope, file: FileId) -> Option<usize> {
        let near = self.near.nearest(scope)?;
        let beside = || self.beside.get(&(file, scope.root, scope.build)).copied().flatten();
        near.or_else(beside)
    }
}

/// The classes of each name.
#[must_use]
pub fn near_by_name(classes: &[NodeClass]) -> HashMap<String, Namesakes> {
    let mut namesakes: HashMap<String, Vec<(usize, &NodeClass)>> = HashMap::new();
    for (index, class) in classes.iter().enumerate() {
        if let Some(name) = reference(&class.name) {
            namesakes.entry(name).or_default().push((index, class));
        }
    }
    let near = |(name, list): (String, Vec<(usize, &NodeClass)>)| {
        let mut beside: HashMap<Beside, Option<usize>> = HashMap::new();
        for (index, it) in &list {
            let key = (it.report_span.file, it.scope.root, it.scope.build);
            let only = beside.entry(key).or_insert(Some(*index));
            *only = only.filter(|it| it == index);
        }
        (name, Namesakes { near: ScopeIndex::of(list.into_iter(), only), beside })
    };
    namesakes.into_iter().map(near).collect()
}

/// Whether an object names a class of Karpenter for AWS: by group and kind, as far as they are written.
#[must_use]
pub fn refers_to_class(reference: Field<'_>) -> bool {
    let is = |key: &str, wanted: &dyn Fn(&str) -> bool| match reference.get(key) {
        Field::Missing => true,
        Field::Present(value) => value.as_str().is_some_and(wanted),
        Field::Unknown => false,
    };
    is("kind", &|it| it == "EC2NodeClass")
        && is("group", &|it| it == "karpenter.k8s.aws")
        && is("apiVersion", &|it| it.starts_with("karpenter.k8s.aws/"))
}

/// The alias, if images are chosen by nothing else.
fn only_alias(terms: &Value) -> Option<&str> {
    let terms = terms.as_list().filter(|it| it.rest.is_none())?;
    let [term] = terms.items.as_slice() else { return None };
    let map = term.as_map().filter(|it| it.rest.is_none())?;
    let [alias] = map.entries.as_slice() else { return None };
    match &alias.value.kind {
        // The version may be anything.
        Kind::String(text) if &*alias.key == "alias" => Some(&text.text),
        _ => None,
    }
}
