//! Karpenter's own resources, each as the whole object that is applied.

mod beside;
mod elsewhere;
pub mod near;
pub mod never;
mod part;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use crate::{
    findings::subject::{InstanceKey, Subject},
    knowledge::schema::{self, Schema},
    model::{
        applied::{self, AppliedObject},
        environment::Environments,
        installation::Installation,
        karpenter_object::part::{KINDS, is_part, names_no_kind},
        node_pool::switched_off,
        scope::{ScopeIndex, Scoped},
    },
    resolve::{
        kubernetes::{KARPENTER_GROUPS, Object, objects},
        release::Release,
        scope::Scope,
        terraform::{Terraform, object::GraphNode},
    },
    source::{FileId, Files, Span},
    value::{Kind, Value, stand_in::asks_to_replace},
    version::Range,
};

/// A resource of Karpenter.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact that rules ask for by itself")]
pub struct KarpenterObject {
    /// The object with its API version and kind.
    pub object: Object,
    /// Where to point when something about the whole of it is wrong.
    pub report_span: Span,
    /// What it is called where it is written; empty when that is not known.
    pub title: Arc<str>,
    /// Where it belongs.
    pub scope: Scope,
    /// The Terraform resource that holds it.
    pub node: Option<GraphNode>,
    /// Which of several kustomizations builds it here.
    pub subject: Option<Subject>,
    /// Whether nothing that is not seen adds to it or takes something away.
    pub is_whole: bool,
    /// In which form it is written.
    pub form: ObjectForm,
    /// Whether its Terraform resource is there only when variables have other values than those known.
    pub is_optional: bool,
    /// The installations of the controller in the nearest scope that has any, as indexes.
    pub controllers: Vec<usize>,
    /// Whether it may be for another cluster than one of them.
    pub may_be_elsewhere: bool,
    /// The releases that serve another version of the API, in which something of the same group beside it is written.
    pub served_beside: Option<&'static [Range]>,
    /// The environments that the name of its file mentions.
    pub of_file: Environments,
    /// Whether it is written in Terraform's language.
    pub is_terraform: bool,
    /// The texts whose comments say that they are to be replaced.
    pub to_replace: Vec<Span>,
}

/// In which form a resource is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectForm {
    /// As it is, in one place.
    Literal,
    /// By a chart: all of it points at one place, and may change with other values.
    Rendered,
    /// With a patch: some of it is written elsewhere, or was taken away.
    Patched,
}

impl ObjectForm {
    fn of(object: &Object) -> Self {
        let report_span = object.report_span();
        if object.value.entries().iter().all(|it| it.key_span == report_span) {
            Self::Rendered
        } else if comes_from_elsewhere(&object.value, object.value.span.file) {
            Self::Patched
        } else {
            Self::Literal
        }
    }
}

impl Scoped for KarpenterObject {
    fn scope(&self) -> &Scope {
        &self.scope
    }
}

impl KarpenterObject {
    /// Whether a release no longer serves its version of the API, or has its kind no longer.
    #[must_use]
    pub fn is_of_former_api(&self) -> bool {
        let own = &self.object;
        let until = schema::of(&own.api_version, &own.kind).and_then(Schema::until);
        until.is_some() || schema::retired_kind(own.group(), &own.kind).is_some()
    }

    /// Reads a resource; `None` for others, and for parts of one: patches, and what a test expects.
    #[must_use]
    pub fn read(
        files: &Files,
        object: &Object,
        scope: &Scope,
        node: Option<GraphNode>,
    ) -> Option<Self> {
        let own =
            object.is_of_karpenter() && (KINDS.contains(&&*object.kind) || names_no_kind(object));
        if !own
            || is_part(object, scope)
            || only_shows(files, object, scope)
            || is_of_other_cloud(object)
        {
            return None;
        }
        let report_span = object.report_span();
        Some(Self {
            report_span,
            title: object.anchor_text().unwrap_or_default().into(),
            scope: scope.clone(),
            node,
            subject: None,
            is_whole: true,
            form: ObjectForm::of(object),
            is_optional: false,
            controllers: Vec::new(),
            may_be_elsewhere: false,
            served_beside: None,
            of_file: Environments::of_name(files.get(object.value.span.file).name()),
            is_terraform: files.get(object.value.span.file).ending() == "tf",
            to_replace: to_replace(files, &object.value),
            object: object.clone(),
        })
    }

    /// The version of its API: `v1beta1`.
    #[must_use]
    pub fn api(&self) -> &str {
        let api = &self.object.api_version;
        api.split_once('/').map_or(api, |(_, version)| version)
    }

    /// Whether it is written nowhere as it is: a chart makes it.
    #[must_use]
    pub fn is_rendered(&self) -> bool {
        self.form == ObjectForm::Rendered
    }

    /// Whether a patch changed it.
    #[must_use]
    pub fn is_patched(&self) -> bool {
        self.form == ObjectForm::Patched
    }

    fn identity(&self) -> (Arc<str>, Arc<str>, Arc<str>) {
        (self.object.kind.clone(), self.object.api_version.clone(), self.title.clone())
    }

    /// Whether it is a pool of EKS Auto Mode, which runs a Karpenter of its own.
    #[must_use]
    pub fn is_of_auto_mode(&self) -> bool {
        class_group(&self.object) == Some("eks.amazonaws.com")
    }
}

/// The texts in a value behind which a comment on the same line says that they are to be replaced.
fn to_replace(files: &Files, value: &Value) -> Vec<Span> {
    match &value.kind {
        Kind::Map(map) => map.entries.iter().flat_map(|it| to_replace(files, &it.value)).collect(),
        Kind::List(list) => list.items.iter().flat_map(|it| to_replace(files, it)).collect(),
        Kind::String(_) if files.holds(value.span.file) => {
            let text = files.get(value.span.file).text();
            let rest = text.get(value.span.end as usize..).unwrap_or_default();
            let line = rest.lines().next().unwrap_or_default();
            let comment = line.split_once('#').or_else(|| line.split_once("//"));
            comment.filter(|it| asks_to_replace(it.1)).map(|_| value.span).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// The resources that the values of a release list for its chart to apply: the chart `raw`, `extraObjects`.
fn of_release(files: &Files, release: &Release) -> Vec<KarpenterObject> {
    let mut found = Vec::new();
    collect(&release.values, 0, &mut found);
    let node = release.code().map(|it| it.node);
    let read = |it: &Object| {
        let found = KarpenterObject::read(files, it, &release.scope, node)?;
        let subject = Subject { object: it.reference(), ..release.subject.clone()? };
        Some(KarpenterObject { subject: Some(subject), ..found })
    };
    found.iter().filter_map(read).collect()
}

/// Values are searched so deep.
const DEEPEST: usize = 5;

fn collect(value: &Value, depth: usize, found: &mut Vec<Object>) {
    match &value.kind {
        Kind::Map(map) if map.entry("kind").is_some() && map.entry("apiVersion").is_some() => {
            found.extend(objects(value));
        }
        Kind::Map(map) if depth < DEEPEST => {
            map.entries.iter().for_each(|it| collect(&it.value, depth + 1, found));
        }
        Kind::List(list) if depth < DEEPEST => {
            list.items.iter().for_each(|it| collect(it, depth + 1, found));
        }
        _ => {}
    }
}

/// Reads an object that is applied, if it is one of Karpenter's; `is_complete` says that nothing unseen adds
/// to it or changes it.
#[must_use]
pub fn of_applied(
    files: &Files,
    AppliedObject { located, is_patched, .. }: &AppliedObject,
    scope: &Scope,
    is_complete: bool,
) -> Option<KarpenterObject> {
    let mut found = KarpenterObject::read(files, &located.object, scope, located.node)?;
    found.is_whole = is_complete;
    found.is_optional = located.is_off;
    if *is_patched && found.form == ObjectForm::Literal {
        found.form = ObjectForm::Patched;
    }
    Some(found)
}

/// Adds what the values of releases hold, and leaves each resource once: as Terraform applies it if the same
/// text is also read as a plain file. Those that several kustomizations build from one text get instances.
#[must_use]
pub fn with_those_of_releases(
    files: &Files,
    applied: Vec<KarpenterObject>,
    releases: &[Release],
    terraform: &Terraform,
) -> Vec<KarpenterObject> {
    let off = switched_off(terraform);
    let mut all = applied;
    all.extend(releases.iter().flat_map(|it| of_release(files, it)));
    let held: HashSet<Span> =
        all.iter().filter(|it| is_held(it)).map(|it| it.report_span).collect();
    // One template serves many releases, each with objects of its own.
    let of_chart =
        |it: &KarpenterObject| it.subject.as_ref().is_some_and(|it| it.rendered.is_some());
    let is_own = |it: &KarpenterObject| it.is_rendered() || is_held(it) || of_chart(it);
    all.retain(|it| is_own(it) || !held.contains(&it.report_span));
    // What Terraform computes from the text of a file is better shown in that file.
    let plain = all.iter().filter(|it| !it.is_rendered()).map(KarpenterObject::identity);
    let plain: HashSet<_> = plain.collect();
    all.retain(|it| !(it.is_rendered() && is_held(it) && plain.contains(&it.identity())));
    let mut builds: HashMap<Span, usize> = HashMap::new();
    for it in all.iter().filter(|it| it.scope.build.is_some()) {
        *builds.entry(it.report_span).or_default() += 1;
    }
    for it in &mut all {
        let resource = it.scope.root.zip(it.node);
        it.is_optional |= resource.is_some_and(|it| off.contains(&it));
        let of = builds.get(&it.report_span).copied();
        let of = of.filter(|of| *of > 1 && it.scope.build.is_some());
        if let (Some(subject), Some(of)) = (&mut it.subject, of) {
            subject.instance = Some(InstanceKey { address: Arc::clone(&it.scope.folder), of });
        }
    }
    all
}

/// The same with the installations of the controller near each.
#[must_use]
pub fn with_controllers(
    mut all: Vec<KarpenterObject>,
    installations: &[Installation],
) -> Vec<KarpenterObject> {
    let near = ScopeIndex::new(installations, |_| true, <[usize]>::to_vec);
    for it in all.iter_mut().filter(|it| !it.is_of_auto_mode()) {
        it.controllers = near.nearest(&it.scope).cloned().unwrap_or_default();
    }
    all
}

fn is_held(object: &KarpenterObject) -> bool {
    object.scope.root.is_some()
}

/// The group of the class that a pool names.
fn class_group(object: &Object) -> Option<&str> {
    let spec = object.value.get("spec");
    let spec = if &*object.kind == "NodePool" { spec.get("template").get("spec") } else { spec };
    let class = spec.get("nodeClassRef");
    let text = |key: &str| class.get(key).present().and_then(Value::as_str);
    text("group").or_else(|| text("apiVersion")?.split('/').next())
}

/// Whether a pool names a class of a Karpenter for another cloud, which has versions of its own, or asks for what only
/// the nodes of such a Karpenter have.
pub(crate) fn is_of_other_cloud(object: &Object) -> bool {
    let spec = object.value.get("spec");
    let spec = if &*object.kind == "NodePool" { spec.get("template").get("spec") } else { spec };
    let requirements = spec.get("requirements").present().map_or(&[][..], Value::items);
    let keys = requirements.iter().filter_map(|it| it.get("key").present()?.as_str());
    let domain = |key: &str| key.split_once('/').map(|it| it.0.to_owned());
    if keys.filter_map(domain).any(|it| OTHER_CLOUDS.contains(&&*it)) {
        return true;
    }
    let kind = spec.get("nodeClassRef").get("kind").present().and_then(Value::as_str);
    // An empty kind is none, and refused.
    let other = kind.is_some_and(|it| !["", "EC2NodeClass", "NodeClass"].contains(&it));
    other && class_group(object) != Some(KARPENTER_GROUPS[1])
}

/// The domains of the labels that Karpenter for another cloud gives its nodes.
const OTHER_CLOUDS: &[&str] = &["karpenter.azure.com", "karpenter.k8s.gcp", "karpenter.k8s.oracle"];

/// Folders whose files are read by people or by tests, or are kept only, and not applied.
const SHOWN: &[&str] = &[
    "doc",
    "docs",
    "documentation",
    "website",
    "blog",
    "kuttl",
    "chainsaw",
    "archive",
    "archived",
    "deprecated",
];

/// Whether a resource is only shown: in documents, as an example of what a chart makes, or as the cluster
/// said it once.
fn only_shows(files: &Files, object: &Object, scope: &Scope) -> bool {
    let file = object.value.span.file;
    let plain = scope.root.is_none() && scope.build.is_none();
    let is_patch = |it: &str| {
        let stem = it.split('.').next().unwrap_or(it);
        stem == "patches" || stem.split(['-', '_']).any(|word| word == "patch")
    };
    let said = |key: &str| object.value.at("metadata").get(key).present().is_some();
    files.get(file).folder().split('/').any(|it| SHOWN.contains(&it))
        || applied::is_shown_by_chart(files, file)
        || (plain && files.get(file).path().split('/').any(is_patch))
        || (said("uid") && said("resourceVersion"))
}

fn comes_from_elsewhere(value: &Value, file: FileId) -> bool {
    value.span.file != file
        || value
            .entries()
            .iter()
            .any(|it| it.key_span.file != file || comes_from_elsewhere(&it.value, file))
        || value.items().iter().any(|it| comes_from_elsewhere(it, file))
}
