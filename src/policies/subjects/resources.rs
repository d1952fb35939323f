//! Resources of Terraform, after evaluation.

use std::sync::Arc;

use crate::{
    model::Model,
    policies::subjects::subject::Subject,
    resolve::{
        scope::Scope,
        terraform::object::{BlockInstance, Mode},
    },
    value::{Entry, Kind, Map, Value},
};

/// What is no attribute of a resource.
const META: &[&str] = &["count", "for_each", "provider", "lifecycle", "provisioner", "connection"];

/// The resources that are there with the values that are known.
#[must_use]
pub(super) fn all(model: &Model) -> Vec<Subject> {
    let mut found = Vec::new();
    for (index, root) in model.terraform.roots.iter().enumerate() {
        let resources = root.objects.iter().filter(|it| it.mode == Mode::Resource);
        let there = resources.filter(|it| !root.is_off(it));
        found.extend(there.map(|it| subject(index, &root.folder, it)));
    }
    found
}

fn subject(root: usize, folder: &Arc<str>, it: &BlockInstance) -> Subject {
    let place = it.header;
    let entry = |key: &str, value: Value| Entry { key: key.into(), key_span: place, value };
    let text = |text: &str| Value::computed(text, place);
    let fields = vec![
        entry("address", text(&it.address)),
        entry("type", text(&it.kind)),
        entry("name", text(&it.name)),
        entry("module", text(module_of(it))),
        entry("values", values(&it.body)),
    ];
    Subject {
        value: Value::map(fields, place),
        object: None,
        report_span: place,
        about: Some(it.subject(root)),
        scope: Scope::new(Some(root), folder).in_cluster(it.cluster),
        kind: Some((String::new(), it.kind.to_string())),
    }
}

/// `module.addons` of `module.addons.helm_release.karpenter["a"]`; empty in the root.
fn module_of(it: &BlockInstance) -> &str {
    let local = format!("{}.{}", it.kind, it.name);
    let before = it.address.rfind(&local).and_then(|at| it.address.get(..at));
    before.unwrap_or_default().trim_end_matches('.')
}

/// The attributes and nested blocks, as the plan has them.
fn values(body: &Value) -> Value {
    let Kind::Map(map) = &body.kind else { return body.clone() };
    let own = map.entries.iter().filter(|it| !META.contains(&&*it.key));
    let map = Map { entries: own.cloned().collect(), rest: map.rest.clone() };
    Value { kind: Kind::Map(Arc::new(map)), ..body.clone() }
}
