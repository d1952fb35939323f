//! Kubernetes objects that Terraform resources hold: as text, as an object, or typed.

use globset::GlobBuilder;

use crate::{
    resolve::{
        kubernetes::{Located, Object, objects, typed::from_typed_resource},
        terraform::{self, Terraform, object::Mode, root::Root},
    },
    source::{FileId, Files, join},
    syntax::{ParseError, yaml},
    value::{Field, Kind, Text, Value},
};

/// What the resources hold.
#[derive(Debug, Default)]
pub struct Held {
    /// The objects.
    pub objects: Vec<Located>,
    /// What could not be read of texts that are wholly known.
    pub parse_errors: Vec<ParseError>,
}

/// The Kubernetes objects that Terraform resources hold: as text, as an object, or typed.
#[must_use]
pub fn from_terraform(files: &Files, terraform: &Terraform) -> Held {
    let mut found = Held::default();
    for (index, root) in terraform.roots.iter().enumerate() {
        for resource in root.objects.iter().filter(|it| it.mode == Mode::Resource && !it.disabled) {
            let located = |object: Object| Located {
                object,
                root: Some(index),
                node: Some(resource.node),
                folder: root.folder.clone(),
                cluster: resource.cluster,
                header: resource.header,
                holder: resource.subject(index),
            };
            let mut held = held_objects(resource, &mut found.parse_errors);
            if held.is_empty() {
                held = path_documents(files, root, resource);
            }
            found.objects.extend(held.into_iter().map(located));
        }
    }
    found
}

/// The objects of `data "kubectl_path_documents"` over whose documents a resource loops.
fn path_documents(
    files: &Files,
    root: &Root,
    resource: &terraform::object::BlockInstance,
) -> Vec<Object> {
    let Field::Present(Value { kind: Kind::Unknown(symbol), .. }) = resource.body.get("for_each")
    else {
        return Vec::new();
    };
    let documents = root.of(Mode::Data, "kubectl_path_documents");
    let mut documents = documents.filter(|it| {
        let address = format!("data.kubectl_path_documents.{}", it.name);
        symbol.text.match_indices(&address).any(|(at, _)| {
            !symbol.text[at + address.len()..]
                .starts_with(|it: char| it.is_alphanumeric() || it == '_' || it == '-')
        })
    });
    let pattern = documents.next().and_then(|it| it.body.get("pattern").present()?.as_str());
    let folders = ["", &resource.folder, &root.folder];
    let matching = |pattern: String| {
        let Ok(glob) = GlobBuilder::new(&pattern).literal_separator(true).build() else {
            return Vec::new();
        };
        let glob = glob.compile_matcher();
        files.iter().filter(|(_, it)| glob.is_match(it.path())).map(|(id, _)| id).collect()
    };
    let patterns = folders.iter().filter_map(|folder| join(folder, pattern?));
    let found: Vec<FileId> = patterns.map(matching).find(|it| !it.is_empty()).unwrap_or_default();
    found.into_iter().flat_map(|id| objects_of_file(files, id)).collect()
}

fn objects_of_file(files: &Files, id: FileId) -> Vec<Object> {
    let text = files.get(id).text();
    let documents = yaml::parse_file(id, text);
    documents.values.iter().flat_map(objects).collect()
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
