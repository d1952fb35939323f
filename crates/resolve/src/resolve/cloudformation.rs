//! `CloudFormation` templates, as they are written or as the CDK writes them to `cdk.out`.
//!
//! What only a deployment knows (`Ref`, `Fn::GetAtt`, parameters) is unknown; equal expressions of one template
//! are equal.

mod intrinsic;
#[cfg(test)]
mod tests;

use crate::{
    findings::subject::Subject,
    resolve::{
        cloudformation::intrinsic::Intrinsics,
        kubernetes::{Located, Object, objects},
        release::surface::Surface,
    },
    source::{FileId, Files, Span},
    syntax::yaml,
    value::{Kind, Value},
};

/// Words of which each template holds one that has anything of interest.
pub const WORDS: [&str; 2] = ["AWS::EKS::", "Custom::AWSCDK-EKS-"];

/// What a queue is. A template with one and nothing else of interest is no [`Stack`].
pub const QUEUE: &str = "AWS::SQS::Queue";

/// More resources than `CloudFormation` takes are not read.
const MAX_RESOURCES: usize = 500;

/// A template.
#[derive(Debug)]
pub struct Stack {
    /// Its file.
    pub file: FileId,
    /// What it is written for.
    pub surface: Surface,
    /// Its resources.
    pub resources: Vec<StackResource>,
}

/// A resource of a template.
#[derive(Debug)]
pub struct StackResource {
    /// What it is: `AWS::EKS::Nodegroup`.
    pub kind: String,
    /// The key that names it.
    pub header: Span,
    /// Its properties, as far as they are known.
    pub properties: Value,
}

/// Whether a document is a template with something of interest.
#[must_use]
pub fn is_template(object: &Object) -> bool {
    let own = |it: &Value| {
        let kind = it.get("Type").present().and_then(Value::as_str);
        kind.is_some_and(|kind| WORDS.iter().any(|word| kind.starts_with(word)))
    };
    let resources = object.value.get("Resources").present();
    object.kind.is_empty()
        && resources.is_some_and(|it| it.entries().iter().any(|it| own(&it.value)))
}

/// The keys of the queues that a document makes, if it is a template.
pub fn queues(object: &Object) -> impl Iterator<Item = Span> {
    let resources = object.value.get("Resources").present().filter(|_| object.kind.is_empty());
    let entries = resources.map_or(&[][..], Value::entries).iter().take(MAX_RESOURCES);
    let is_queue = |it: &Value| it.get("Type").present().and_then(Value::as_str) == Some(QUEUE);
    entries.filter(move |it| is_queue(&it.value)).map(|it| it.key_span)
}

impl Stack {
    /// The kind of a chart that the CDK installs.
    pub const HELM_CHART: &str = "Custom::AWSCDK-EKS-HelmChart";

    /// Reads a template.
    #[must_use]
    pub fn read(files: &Files, template: &Object) -> Self {
        let file = template.value.span.file;
        let intrinsics = Intrinsics::new(files, file);
        let entries = template.value.get("Resources").present().map_or(&[][..], Value::entries);
        let resources = entries.iter().take(MAX_RESOURCES).filter_map(|it| {
            let kind = it.value.get("Type").present()?.as_str()?.to_owned();
            let nothing = Value::map(Vec::new(), it.key_span);
            let properties = it.value.get("Properties").present().unwrap_or(&nothing);
            let is_read = WORDS.iter().any(|word| kind.starts_with(word));
            let properties =
                if is_read { intrinsics.evaluate(properties) } else { nothing.clone() };
            Some(StackResource { kind, header: it.key_span, properties })
        });
        let surface = Surface::CloudFormation;
        Self { file, surface, resources: resources.collect() }
    }

    /// The resources of a kind.
    pub fn of(&self, kind: &str) -> impl Iterator<Item = &StackResource> {
        self.resources.iter().filter(move |it| it.kind == kind)
    }
}

/// The Kubernetes objects that the templates among some objects apply.
#[must_use]
pub fn applied(files: &Files, all: &[Located]) -> Vec<Located> {
    let mut found = Vec::new();
    for template in all.iter().filter(|it| is_template(&it.object)) {
        let stack = Stack::read(files, &template.object);
        for resource in stack.of("Custom::AWSCDK-EKS-KubernetesResource") {
            let Some(manifest) = resource.properties.get("Manifest").present() else { continue };
            let located = |object: Object| Located {
                header: object.report_span(),
                object,
                holder: Subject::default(),
                ..template.clone()
            };
            found.extend(documents(manifest).iter().flat_map(objects).map(located));
        }
    }
    found
}

/// What the text of a list of objects holds.
fn documents(manifest: &Value) -> Vec<Value> {
    let Kind::String(text) = &manifest.kind else { return Vec::new() };
    let read = yaml::parse_literal(text, manifest.span);
    read.values.iter().flat_map(|it| it.items().iter().cloned()).collect()
}
