//! Kubernetes objects that Terraform resources hold: as text, as an object, or typed.

use crate::{
    resolve::{
        kubernetes::{Located, Object, objects, typed::from_typed_resource},
        terraform::{self, Terraform, object::Mode},
    },
    syntax::{ParseError, yaml},
    value::{Field, Kind, Text},
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
    }
    found
}

fn held_objects(
    resource: &terraform::object::BlockInstance,
    parse_errors: &mut Vec<ParseError>,
) -> Vec<Object> {
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
            // With holes in it, what the text becomes is not known.
            if text.holes.is_empty() {
                parse_errors.extend(documents.parse_errors);
            }
            documents.values.iter().flat_map(objects).collect()
        }
        _ => objects(value),
    }
}
