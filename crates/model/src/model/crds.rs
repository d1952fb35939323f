//! What installs Karpenter's CRDs.

use memchr::memmem;

use crate::{model::applied::AppliedObject, resolve::release::Release, source::SourceFile};

/// Words that only something that installs Karpenter's CRDs contains: the chart's name and the files
/// upstream publishes.
pub(super) const WORDS: &[&str] = &[
    "karpenter-crd",
    "karpenter.sh_nodepools",
    "karpenter.sh_nodeclaims",
    "karpenter.sh_provisioners",
    "karpenter.k8s.aws_ec2nodeclasses",
];

/// The words by which a script installs something.
const VERBS: &[&str] = &["apply", "create", "replace", "install", "upgrade"];

/// The endings of files that say what is, not what to do.
const DECLARATIVE: &[&str] =
    &["yaml", "yml", "json", "tf", "tofu", "hcl", "tfvars", "tpl", "tftpl", "gotmpl"];

/// Whether a release or a manifest installs the CRDs, or no release of the repository needs them.
#[must_use]
pub(super) fn are_seen(releases: &[Release], objects: &[AppliedObject]) -> bool {
    let manifest = |it: &AppliedObject| {
        let it = &it.located;
        &*it.object.kind == "CustomResourceDefinition"
            && it.object.anchor_text().is_some_and(|it| {
                it.ends_with(".karpenter.sh") || it.ends_with(".karpenter.k8s.aws")
            })
    };
    !releases.iter().any(Release::is_controller)
        || releases.iter().any(Release::is_crds)
        || objects.iter().any(manifest)
}

/// Whether a file installs the CRDs.
#[must_use]
pub(super) fn are_installed_by(file: &SourceFile, text: &str) -> bool {
    let written = |line: &str| {
        let code = line.split("//").next().unwrap_or(line);
        let code = if line.contains("://") { line } else { code };
        let code = code.split(" #").next().unwrap_or(code);
        !line.trim_start().starts_with(['#', '/']) && WORDS.iter().any(|it| code.contains(it))
    };
    // A script may also fetch CRDs only to read them.
    let code = |it: &str| !it.trim_start().starts_with('#');
    let does = |it: &str| code(it) && VERBS.iter().any(|verb| has(it, verb));
    WORDS.iter().any(|it| has(text, it))
        && (DECLARATIVE.contains(&file.ending()) || text.lines().any(does))
        && text.lines().any(written)
}

fn has(text: &str, word: &str) -> bool {
    memmem::find(text.as_bytes(), word.as_bytes()).is_some()
}
