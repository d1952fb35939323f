//! `configurations` and `crds`: field specifications of the user's own.

use crate::{
    resolve::kustomize::{
        edit::text_at,
        field::FieldSpec,
        layout::{Kustomization, KustomizeProject},
    },
    source::Span,
    value::Value,
};

/// Objects of one kind and the fields that name them.
#[derive(Clone, Debug)]
pub(super) struct NameReference {
    /// Group, version and kind of what is named; its path is empty.
    pub target: FieldSpec,
    /// Where it is named.
    pub referrers: Vec<FieldSpec>,
}

/// What the user adds to kustomize's own lists.
#[derive(Clone, Debug, Default)]
pub(super) struct TransformerConfig {
    /// Names that follow their objects.
    pub references: Vec<NameReference>,
    /// For `commonLabels`.
    pub common_labels: Vec<FieldSpec>,
    /// For `labels`.
    pub labels: Vec<FieldSpec>,
    /// For `commonAnnotations`.
    pub annotations: Vec<FieldSpec>,
    /// For `images`.
    pub images: Vec<FieldSpec>,
    /// For `replicas`.
    pub replicas: Vec<FieldSpec>,
    /// For `namespace`.
    pub namespace: Vec<FieldSpec>,
    /// For `vars`.
    pub variables: Vec<FieldSpec>,
}

impl TransformerConfig {
    /// Reads the files a kustomization names; returns the entries that lead nowhere.
    pub(super) fn read(
        &mut self,
        it: &Kustomization,
        layout: &mut KustomizeProject<'_>,
    ) -> Vec<Span> {
        let mut missing = Vec::new();
        for key in ["crds", "configurations"] {
            for entry in it.list(key) {
                let Some(path) = entry.as_str() else { continue };
                // It names further fields for what the kustomization itself says, and makes no object.
                if path.contains("://") && it.value.get("commonAnnotations").is_missing() {
                    continue;
                }
                let Some(file) = layout.file(&it.folder, path) else {
                    missing.push(entry.span);
                    continue;
                };
                if key == "configurations" {
                    for document in &layout.documents(file).values {
                        self.add(document);
                    }
                }
            }
        }
        missing
    }

    fn add(&mut self, document: &Value) {
        let specs = |key: &str| -> Vec<FieldSpec> {
            let items = document.get(key).present().map_or(&[][..], Value::items);
            items.iter().filter_map(FieldSpec::read).collect()
        };
        self.common_labels.extend(specs("commonLabels"));
        self.labels.extend(specs("labels"));
        self.annotations.extend(specs("commonAnnotations"));
        self.images.extend(specs("images"));
        self.replicas.extend(specs("replicas"));
        self.namespace.extend(specs("namespace"));
        self.variables.extend(specs("varReference"));
        let references = document.get("nameReference").present().map_or(&[][..], Value::items);
        for reference in references {
            let fields = reference.get("fieldSpecs").present().map_or(&[][..], Value::items);
            self.references.push(NameReference {
                target: target(reference),
                referrers: fields.iter().filter_map(FieldSpec::read).collect(),
            });
        }
    }

    /// Takes over what a base has of its own.
    pub(super) fn merge(&mut self, other: Self) {
        let extend = |own: &mut Vec<FieldSpec>, more: Vec<FieldSpec>| {
            for spec in more {
                if !own.contains(&spec) {
                    own.push(spec);
                }
            }
        };
        extend(&mut self.common_labels, other.common_labels);
        extend(&mut self.labels, other.labels);
        extend(&mut self.annotations, other.annotations);
        extend(&mut self.images, other.images);
        extend(&mut self.replicas, other.replicas);
        extend(&mut self.namespace, other.namespace);
        extend(&mut self.variables, other.variables);
        self.references.extend(other.references);
    }
}

fn target(reference: &Value) -> FieldSpec {
    let mut spec = FieldSpec::new("", "", "");
    let part = |key: &str| text_at(reference, key);
    if let Some(group) = part("group") {
        spec.group = group.to_string().into();
    }
    if let Some(version) = part("version") {
        spec.version = version.to_string().into();
    }
    if let Some(kind) = part("kind") {
        spec.kind = kind.to_string().into();
    }
    spec
}
