//! Manifests that a root module renders into its outputs, for something else to apply:
//! `terraform output -json manifests | jq … | kubectl apply -f -`.

use crate::{
    resolve::terraform::evaluate::Evaluator,
    source::{Files, Span},
    value::{Kind, Value},
};

/// The endings of files that are templates of Terraform, and manifests only once they are rendered.
const TEMPLATES: [&str; 3] = [".tpl", ".tftpl", ".tmpl"];

/// How deep texts are looked for in an output.
const DEEPEST: usize = 6;

/// Whether a project has such templates. Most have none, and their outputs need not be evaluated.
pub(super) fn has_templates(files: &Files) -> bool {
    let mut all = files.iter().filter(|(_, it)| is_template(it.path()));
    // What only this asks for stays unread.
    all.any(|(_, it)| it.skim(holds_manifests))
}

/// The texts that the outputs of a root give of such templates, each with the header of the output.
pub(super) fn of_root(evaluator: &Evaluator<'_>, files: &Files) -> Vec<(Span, Value)> {
    let mut found = Vec::new();
    let Some(instance) = evaluator.root_instance() else { return found };
    for (name, output) in &instance.module.outputs {
        let Some(value) = evaluator.output(&instance, name) else { continue };
        let mut texts = Vec::new();
        collect(&value, DEEPEST, &mut texts);
        let of_template = |it: &&Value| is_template(files.get(it.span.file).path());
        let texts = texts.into_iter().filter(of_template).cloned();
        found.extend(texts.map(|it| (output.block.header, it)));
    }
    found
}

fn collect<'v>(value: &'v Value, depth: usize, found: &mut Vec<&'v Value>) {
    match &value.kind {
        _ if depth == 0 => {}
        Kind::String(text) if holds_manifests(&text.text) => found.push(value),
        Kind::List(list) => list.items.iter().for_each(|it| collect(it, depth - 1, found)),
        Kind::Map(map) => map.entries.iter().for_each(|it| collect(&it.value, depth - 1, found)),
        _ => {}
    }
}

fn is_template(path: &str) -> bool {
    TEMPLATES.iter().any(|it| path.ends_with(it))
}

/// Whether a text holds Kubernetes objects, whatever else it is. The configuration of a node in its user data has the
/// form of one.
pub(crate) fn holds_manifests(text: &str) -> bool {
    let starts = |key: &str| text.starts_with(key) || text.contains(&format!("\n{key}"));
    let is_of_nodes = |line: &str| line.contains("node.eks.aws/");
    starts("kind:")
        && starts("apiVersion:")
        && text.lines().any(|it| it.starts_with("apiVersion:") && !is_of_nodes(it))
}

#[cfg(test)]
mod tests {
    use super::holds_manifests;

    #[test]
    fn the_configuration_of_a_node_is_no_manifest() {
        assert!(holds_manifests("apiVersion: v1\nkind: Pod\n"));
        assert!(holds_manifests("---\napiVersion: karpenter.sh/v1\nkind: NodePool\n"));
        assert!(!holds_manifests("---\napiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n"));
        assert!(!holds_manifests("kind: values\n"));
        let both = "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n---\napiVersion: v1\n";
        assert!(holds_manifests(both));
    }
}
