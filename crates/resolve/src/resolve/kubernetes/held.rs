//! Kubernetes objects that Terraform resources hold: as text, as an object, or typed.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    findings::subject::Subject,
    resolve::{
        kubernetes::{
            Located, Object, objects,
            typed::{WRITTEN, from_typed_resource},
        },
        scope::ClusterTarget,
        terraform::{
            Terraform,
            object::{BlockInstance, Mode},
            rendered::holds_manifests,
            root::Root,
        },
    },
    source::{FileId, Files, Span, join},
    syntax::{ParseError, yaml},
    value::{Field, Kind, Text, Value},
};

/// What the resources hold.
#[derive(Clone, Debug, Default)]
pub struct Held {
    /// The objects.
    pub objects: Vec<Located>,
    /// What could not be read of texts that are wholly known.
    pub parse_errors: Vec<ParseError>,
}

/// The Kubernetes objects that Terraform resources hold: as text, as an object, or typed.
#[must_use]
pub fn from_terraform(terraform: &Terraform) -> Held {
    let mut found = Held::default();
    for (index, root) in terraform.roots.iter().enumerate() {
        let start = found.objects.len();
        for resource in root.objects.iter().filter(|it| it.mode == Mode::Resource) {
            let located = |object: Object| Located {
                object,
                root: Some(index),
                node: Some(resource.node),
                folder: root.folder.clone(),
                cluster: resource.cluster,
                is_off: resource.is_off,
                header: resource.header,
                holder: resource.subject(index),
                part: None,
            };
            let held = held_objects(resource, &mut found.parse_errors);
            found.objects.extend(held.into_iter().map(located));
        }
        rendered((index, root), start, &mut found);
    }
    found
}

/// The files of the project that Terraform writes, so that they are no sources of their own.
#[must_use]
pub fn written_files(files: &Files, terraform: &Terraform) -> BTreeSet<FileId> {
    let of_root = |root: &Root| -> Vec<FileId> {
        let written = WRITTEN.iter().flat_map(|it| root.of(Mode::Resource, it));
        let written = written.filter(|it| !resources_of_karpenter(it, &mut Vec::new()).is_empty());
        let path = |it: &BlockInstance| {
            let name = it.body.get("filename").present()?.as_str()?;
            files.find(&join(&root.folder, name)?)
        };
        written.filter_map(path).collect()
    };
    terraform.roots.iter().flat_map(|it| of_root(it)).collect()
}

/// Adds what a root gives out for something else to apply, and what it writes to files of Karpenter's resources, except
/// what its own resources apply. What else is written to files, all kinds of tools read.
fn rendered((index, root): (usize, &Root), start: usize, found: &mut Held) {
    let own = found.objects[start..].iter();
    let applied: BTreeSet<Span> = own.map(|it| it.object.value.span).collect();
    let files: BTreeSet<FileId> = applied.iter().map(|it| it.file).collect();
    let located = |object: Object, header: Span, is_off: bool| Located {
        object,
        root: Some(index),
        node: None,
        folder: Arc::clone(&root.folder),
        cluster: ClusterTarget::default(),
        is_off,
        header,
        holder: Subject { root: Some(index), ..Subject::default() },
        part: None,
    };
    for (header, text) in &root.rendered {
        let objects = held_text(Field::Present(text), &mut found.parse_errors);
        let others = objects.into_iter().filter(|it| !files.contains(&it.value.span.file));
        found.objects.extend(others.map(|it| located(it, *header, false)));
    }
    for file in WRITTEN.iter().flat_map(|it| root.of(Mode::Resource, it)) {
        let objects = resources_of_karpenter(file, &mut found.parse_errors);
        let others = objects.into_iter().filter(|it| !applied.contains(&it.value.span));
        found.objects.extend(others.map(|it| located(it, file.header, file.is_off)));
    }
}

/// The resources of Karpenter in the text that Terraform writes to a file. What cannot be read is told of such files
/// only: others need not be manifests.
fn resources_of_karpenter(file: &BlockInstance, parse_errors: &mut Vec<ParseError>) -> Vec<Object> {
    let Some(text) = file.body.get("content").present().filter(|it| is_manifest(it)) else {
        return Vec::new();
    };
    let mut errors = Vec::new();
    let mut objects = held_text(Field::Present(text), &mut errors);
    objects.retain(Object::is_of_karpenter);
    if !objects.is_empty() {
        parse_errors.append(&mut errors);
    }
    objects
}

/// Whether a text is that of manifests, rather than of something else that is YAML.
fn is_manifest(text: &Value) -> bool {
    match &text.kind {
        Kind::String(Text { encodes: Some(_), .. }) => true,
        Kind::String(text) => holds_manifests(&text.text),
        _ => false,
    }
}

fn held_objects(resource: &BlockInstance, parse_errors: &mut Vec<ParseError>) -> Vec<Object> {
    let body = &resource.body;
    match &*resource.kind {
        "kubectl_manifest" => held_text(body.get("yaml_body"), parse_errors),
        "kubernetes_manifest" => held_text(body.get("manifest"), parse_errors),
        "k8s_manifest" => held_text(body.get("content"), parse_errors),
        kind => from_typed_resource(kind, body).into_iter().collect(),
    }
}

/// The objects in a text, or in an object written instead of the text.
fn held_text(field: Field<'_>, parse_errors: &mut Vec<ParseError>) -> Vec<Object> {
    let Field::Present(value) = field else { return Vec::new() };
    match &value.kind {
        Kind::String(Text { encodes: Some(encoded), .. }) => objects(encoded),
        Kind::String(text) => {
            let documents = yaml::parse(text, value.span);
            // With holes in it, what the text becomes is not known; nor in a template with variables that are not,
            // which is here as it is written.
            if text.holes.is_empty() && !text.text.contains("${") {
                parse_errors.extend(documents.parse_errors);
            }
            documents.values.iter().flat_map(objects).collect()
        }
        _ => objects(value),
    }
}
