//! Karpenter's CRDs that Terraform fetches from where upstream publishes them, and applies: `kubectl_manifest` with the
//! body of a `data "http"`.

#[cfg(test)]
mod tests;

use crate::{
    resolve::{
        release::{applied_crds::AppliedCrds, chart_version::ChartVersion, crd_address},
        scope::Scope,
        terraform::{
            object::{BlockInstance, Mode},
            root::Root,
        },
    },
    value::{Field, Kind, Symbol, Value},
};

/// What applies a manifest, and the argument that holds it.
pub const APPLIES: [(&str, &str); 2] =
    [("kubectl_manifest", "yaml_body"), ("kubernetes_manifest", "manifest")];

/// The data sources that this reads.
pub const KINDS: &[&str] = &[FETCHES, SPLITS];

/// What fetches a text.
const FETCHES: &str = "http";

/// What takes a text apart.
const SPLITS: &str = "kubectl_file_documents";

/// What a root module applies so, by the clusters that it reaches.
pub(super) fn of_root(index: usize, root: &Root) -> Vec<AppliedCrds> {
    let mut found: Vec<AppliedCrds> = Vec::new();
    if root.of(Mode::Data, FETCHES).next().is_none() {
        return found;
    }
    for (kind, argument) in APPLIES {
        for manifest in root.of(Mode::Resource, kind) {
            for version in versions(root, manifest, argument) {
                add((index, root), manifest, version, &mut found);
            }
        }
    }
    found
}

/// Adds a manifest and the version in its address. Of several versions the first one counts.
fn add(
    (index, root): (usize, &Root),
    manifest: &BlockInstance,
    version: ChartVersion,
    found: &mut Vec<AppliedCrds>,
) {
    let (is_optional, cluster) = (root.is_off(manifest), manifest.cluster);
    let together = |it: &AppliedCrds| (it.scope.cluster, it.is_optional) == (cluster, is_optional);
    let Some(known) = found.iter_mut().find(|it| together(it)) else {
        found.push(of_manifest((index, root), manifest, version));
        return;
    };
    // One literal of several is no fix.
    let is_same = known.version.literal == version.literal;
    known.version.literal = known.version.literal.filter(|_| is_same);
    known.manifests.push(manifest.clone());
}

fn of_manifest(
    (index, root): (usize, &Root),
    manifest: &BlockInstance,
    version: ChartVersion,
) -> AppliedCrds {
    let scope = Scope::new(Some(index), &root.folder).in_cluster(manifest.cluster);
    AppliedCrds {
        report_span: version.span(),
        version,
        scope,
        unit: manifest.header,
        manifests: vec![manifest.clone()],
        is_optional: root.is_off(manifest),
        reusable: root.reusable || root.incomplete,
    }
}

/// The versions in the addresses of Karpenter's CRDs from which a block takes what it applies.
fn versions(root: &Root, manifest: &BlockInstance, argument: &str) -> Vec<ChartVersion> {
    addresses(root, manifest, argument).into_iter().filter_map(crd_address::version).collect()
}

/// The addresses from which a block takes what it applies.
#[must_use]
pub fn addresses<'r>(root: &'r Root, manifest: &BlockInstance, argument: &str) -> Vec<&'r Value> {
    let Some(whole) = unknown(manifest.body.get(argument)) else { return Vec::new() };
    // What `for_each` goes through is what is applied, one by one.
    let source = if whole.text.starts_with("each.") {
        unknown(manifest.body.get("for_each"))
    } else {
        Some(whole)
    };
    let Some(source) = source else { return Vec::new() };
    let texts = named(root, source, SPLITS);
    let contents = texts.iter().filter_map(|it| unknown(it.body.get("content")));
    let fetched = [source].into_iter().chain(contents).flat_map(|it| named(root, it, FETCHES));
    fetched.filter_map(|it| it.body.get("url").present()).collect()
}

/// The name of a value that is not known, or of the one part of a text.
#[must_use]
pub fn unknown(field: Field<'_>) -> Option<&Symbol> {
    match &field.present()?.kind {
        Kind::Unknown(symbol) => Some(symbol),
        Kind::String(text) => text.only_hole(),
        _ => None,
    }
}

/// The data sources of a type that an expression names: `yamldecode(data.http.crds["a"].response_body)`.
fn named<'r>(root: &'r Root, expression: &Symbol, kind: &'r str) -> Vec<&'r BlockInstance> {
    let module =
        expression.scope.split_once('|').map_or_else(String::new, |it| format!("{}.", it.1));
    let start = format!("data.{kind}.");
    let references = expression.text.split(&*start).skip(1).map(|rest| {
        let name = rest.find(|it: char| !it.is_alphanumeric() && !matches!(it, '_' | '-'));
        let (name, behind) = rest.split_at(name.unwrap_or(rest.len()));
        let key = behind.find(']').filter(|_| behind.starts_with('['));
        (format!("{module}{start}{name}"), key.map_or("", |it| &behind[..=it]))
    });
    let references: Vec<(String, &str)> = references.collect();
    let is_named = |it: &&BlockInstance| {
        references.iter().any(|(address, key)| {
            let is_literal =
                key.starts_with("[\"") || key.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
            let own = it.address.strip_prefix(&**address);
            own.is_some_and(|own| own == *key || own.starts_with('[') && !is_literal)
        })
    };
    root.of(Mode::Data, kind).filter(is_named).collect()
}
