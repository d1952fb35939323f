//! Manifests that Terraform applies and whose text is not here: fetched from an address, or read from a file that is
//! not in the repository.

use std::collections::HashSet;

use crate::{
    model::karpenter::KarpenterResource,
    resolve::{
        release::fetched_crds::{APPLIES, addresses, unknown},
        terraform::{
            Terraform,
            object::{BlockInstance, Mode},
            root::Root,
        },
    },
    value::{Kind, Value},
};

/// A Terraform resource that applies what is not known.
#[derive(Clone, Debug)]
pub struct UnseenManifest {
    /// The resource, with the kinds of Karpenter that its name and those of its files speak of.
    pub resource: KarpenterResource,
    /// Whether files are called so, at a place that names Karpenter, rather than the resource alone.
    pub is_named_by_file: bool,
    /// Whether there is none of it until a variable is filled that is empty by default.
    pub is_empty_by_default: bool,
}

/// What is called after kinds of Karpenter.
const NAMES: &[(&str, &str)] = &[
    ("nodepool", "NodePool"),
    ("nodeclass", "EC2NodeClass"),
    ("provisioner", "Provisioner"),
    ("nodetemplate", "AWSNodeTemplate"),
];

/// The manifests of all roots that are not known, beside what is.
#[must_use]
pub(super) fn all(terraform: &Terraform, known: &[KarpenterResource]) -> Vec<UnseenManifest> {
    let known: HashSet<_> = known.iter().map(|it| (it.root, it.node)).collect();
    let mut found = Vec::new();
    for (index, root) in terraform.roots.iter().enumerate() {
        for (kind, argument) in APPLIES {
            let manifests = root.of(Mode::Resource, kind);
            for manifest in manifests.filter(|it| !known.contains(&(index, it.node))) {
                if let Some(unseen) = unseen((index, root), manifest, argument) {
                    add(unseen, &mut found);
                }
            }
        }
    }
    found
}

/// Adds an instance to the others of its resource.
fn add(unseen: UnseenManifest, found: &mut Vec<UnseenManifest>) {
    let own = &unseen.resource;
    let is_same = |it: &&mut UnseenManifest| {
        let other = &it.resource;
        (other.root, other.node, other.report_span) == (own.root, own.node, own.report_span)
    };
    let Some(known) = found.iter_mut().find(is_same) else {
        found.push(unseen);
        return;
    };
    known.is_named_by_file |= unseen.is_named_by_file;
    known.resource.count += 1;
    for kind in unseen.resource.kinds {
        if !known.resource.holds(&kind) {
            known.resource.kinds.push(kind);
        }
    }
}

fn unseen(
    (index, root): (usize, &Root),
    manifest: &BlockInstance,
    argument: &str,
) -> Option<UnseenManifest> {
    let symbol = unknown(manifest.body.get(argument))?;
    let key = manifest.address.split_once("[\"").map_or("", |it| it.1);
    let addresses = addresses(root, manifest, argument);
    let addresses = addresses.iter().filter_map(|it| literal(it));
    let places: Vec<&str> = addresses.chain([&*symbol.text, key]).collect();
    let is_crd = |it: &str| it.contains("crd");
    if is_crd(&manifest.name) || places.iter().any(|it| is_crd(it)) {
        return None;
    }
    let is_of_karpenter = |it: &str| it.contains("karpenter");
    let near = places.iter().any(|it| is_of_karpenter(it)) || is_of_karpenter(&manifest.name);
    let files = places.iter().flat_map(|it| files(it));
    let mut kinds: Vec<&str> = files.filter_map(|it| kind(it, near)).collect();
    let is_named_by_file = near && !kinds.is_empty();
    // What `for_each` goes through is called after what it holds, where the resource is not.
    let collection = unknown(manifest.body.get("for_each")).filter(|_| near);
    let variable = collection.map_or("", |it| last_name(&it.text));
    kinds.extend([&*manifest.name, variable].into_iter().filter_map(|it| kind(it, near)));
    kinds.sort_unstable();
    kinds.dedup();
    let resource = KarpenterResource {
        root: index,
        node: manifest.node,
        report_span: manifest.header,
        subject: manifest.subject(index),
        kinds: kinds.into_iter().map(str::to_owned).collect(),
        refused: None,
        count: 1,
    };
    let is_empty_by_default = manifest.growing_by(&["count", "for_each"]).is_some();
    Some(UnseenManifest { resource, is_named_by_file, is_empty_by_default })
}

/// Whether a text names a file of YAML that is called after a kind of Karpenter.
pub(super) fn is_named_in(text: &str) -> bool {
    files(text).any(|it| kind(it, text.contains("karpenter")).is_some())
}

fn literal(value: &Value) -> Option<&str> {
    match &value.kind {
        Kind::String(text) => Some(&text.text),
        _ => None,
    }
}

/// The last name in the path of a variable: that of `var.settings.nodepools`.
fn last_name(expression: &str) -> &str {
    let is_path = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-' | '.');
    let path = expression.strip_prefix("var.").or_else(|| expression.strip_prefix("local."));
    let path = path.filter(|it| it.chars().all(is_path)).unwrap_or_default();
    path.rsplit('.').next().unwrap_or_default()
}

/// Words behind the name of a kind that say only how it is written.
const FORMS: &[&str] = &["manifests", "manifest", "yaml", "resources", "resource"];

/// The names of the files of YAML in a text, without their endings.
fn files(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|it: char| !it.is_alphanumeric() && !matches!(it, '.' | '-' | '_'));
    words.filter_map(|it| it.split_once(".yaml").or(it.split_once(".yml")).map(|it| it.0))
}

/// The kind that something is called after. Provisioners are also of volumes.
fn kind(name: &str, is_near_karpenter: bool) -> Option<&'static str> {
    // A CRD is called after its group.
    if name.contains("karpenter.") {
        return None;
    }
    let words = name.to_ascii_lowercase().replace(['-', '_', '.'], "");
    let words = FORMS.iter().find_map(|it| words.strip_suffix(it)).unwrap_or(&words);
    let ends = |it: &str| {
        let one = words.strip_suffix("es").filter(|_| it.ends_with('s'));
        one.or(words.strip_suffix('s').filter(|_| !it.ends_with('s')))
            .unwrap_or(words)
            .ends_with(it)
    };
    let (noun, kind) = NAMES.iter().find(|it| ends(it.0))?;
    (is_near_karpenter || *noun != "provisioner").then_some(*kind)
}

#[cfg(test)]
mod tests {
    use super::{files, kind, last_name};

    #[test]
    fn names_tell_kinds() {
        for (name, wanted) in [
            ("karpenter_provisioner", Some("Provisioner")),
            ("gpu-node-pools", Some("NodePool")),
            ("karpenter-provisioner-manifest", Some("Provisioner")),
            ("ec2nodeclass", Some("EC2NodeClass")),
            ("nodeclasses", Some("EC2NodeClass")),
            ("aws_node_template", Some("AWSNodeTemplate")),
            ("karpenter.sh_nodepools", None),
            ("nodepool-role", None),
        ] {
            assert_eq!(kind(name, true), wanted, "{name}");
        }
        assert_eq!(kind("nfs-provisioner", false), None);
        assert_eq!(last_name("var.karpenter.nodepools"), "nodepools");
        assert_eq!(last_name("var.pools ? 1 : 0"), "");
        let found: Vec<&str> =
            files("templatefile(\"${path.module}/karpenter/node-pool.yml.tpl\", {})").collect();
        assert_eq!(found, ["node-pool"]);
    }
}
