//! What installs Karpenter's CRDs.

mod evidence;

use std::collections::BTreeMap;

use memchr::memmem;

use crate::{
    model::{applied::AppliedObject, installation::Installation, scope::ScopeIndex},
    resolve::{
        charts::crds::BundledCrds,
        release::{Release, applied_crds::AppliedCrds},
        scope::Scope,
    },
    source::{FileId, Files, SourceFile, Span},
    syntax::hcl::read,
    value::Value,
};

/// Words that only something that installs Karpenter's CRDs contains: the chart's name and the files
/// upstream publishes.
pub(super) const WORDS: &[&str] = &[
    "karpenter-crd",
    "karpenter.sh_nodepools",
    "karpenter.sh_nodeclaims",
    "karpenter.sh_provisioners",
    "karpenter.k8s.aws_ec2nodeclasses",
];

/// The endings of files that say what is, not what to do.
const DECLARATIVE: &[&str] =
    &["yaml", "yml", "json", "tf", "tofu", "hcl", "tfvars", "tpl", "tftpl", "gotmpl"];

/// Whether a release that is not off as far as one sees or a command installs the CRDs.
#[must_use]
pub(super) fn are_seen(releases: &[Release], applied: &[AppliedCrds]) -> bool {
    releases.iter().any(|it| it.is_crds() && !it.is_optional)
        || applied.iter().any(|it| it.scope.aside().is_none() && !it.is_optional)
}

/// The versions in which a manifest of a CRD serves a kind of Karpenter's.
#[derive(Clone, Debug)]
pub struct ServedKind {
    /// The group of the kind.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// The versions that are served.
    pub versions: Vec<String>,
    /// Those that it has and does not serve.
    pub unserved: Vec<String>,
    /// The manifest.
    pub place: Span,
    /// Where it belongs.
    pub scope: Scope,
    /// The installations of the controller in the nearest scope that has any, as indexes.
    pub controllers: Vec<usize>,
}

/// What the manifests of CRDs among the objects serve, but those of Karpenter's own chart.
#[must_use]
pub(super) fn served(
    objects: &[AppliedObject],
    bundled: &BundledCrds,
    installations: &[Installation],
) -> Vec<ServedKind> {
    let near = ScopeIndex::new(installations, |_| true, <[usize]>::to_vec);
    let read = |applied: &AppliedObject| {
        let object = &applied.located.object;
        let spec = object.value.get("spec").present()?;
        let text = |path| spec.at(path).present().and_then(Value::as_str).map(str::to_owned);
        let versions = spec.get("versions").present()?.items();
        let is_served =
            |it: &&Value| it.get("served").present().is_none_or(|it| it.as_bool() != Some(false));
        let name = |it: &Value| Some(it.get("name").present()?.as_str()?.to_owned());
        let (served, unserved): (Vec<&Value>, Vec<&Value>) = versions.iter().partition(is_served);
        let names = |all: Vec<&Value>| all.into_iter().map(name).collect::<Option<Vec<_>>>();
        let scope = applied.located.scope(applied.build);
        Some(ServedKind {
            group: text("group").filter(|it| it.contains("karpenter"))?,
            kind: text("names.kind")?,
            versions: names(served)?,
            unserved: names(unserved)?,
            place: object.report_span(),
            controllers: near.nearest(&scope).cloned().unwrap_or_default(),
            scope,
        })
    };
    let is_crd = |it: &&AppliedObject| {
        let object = &it.located.object;
        &*object.kind == "CustomResourceDefinition"
            && (it.build.is_some() || !bundled.of_controller.contains(&object.value.span.file))
    };
    objects.iter().filter(is_crd).filter_map(read).collect()
}

/// Whether manifests of the CRDs are among the objects, or in charts other than Karpenter's own.
#[must_use]
pub(super) fn are_manifests(objects: &[AppliedObject], bundled: &BundledCrds) -> bool {
    let is_one = |applied: &&AppliedObject| {
        let object = &applied.located.object;
        let is_bundled = || bundled.of_controller.contains(&object.value.span.file);
        let is_of_karpenter =
            |name: &str| name.ends_with(".karpenter.sh") || name.ends_with(".karpenter.k8s.aws");
        &*object.kind == "CustomResourceDefinition"
            && (applied.build.is_some() || !is_bundled())
            && object.anchor_text().is_some_and(is_of_karpenter)
    };
    bundled.in_archives || objects.iter().any(|it| is_one(&it))
}

/// The copies of Karpenter's own chart that hold CRDs, each with the place of one.
#[must_use]
pub(super) fn in_copies(files: &Files, bundled: &BundledCrds) -> Vec<(String, Span)> {
    let mut found: BTreeMap<String, Span> = BTreeMap::new();
    for id in &bundled.of_controller {
        let folder = files.get(*id).folder();
        let end = folder.rfind("crds").unwrap_or(folder.len());
        let chart = folder[..end].trim_end_matches('/').to_owned();
        found.entry(chart).or_insert(Span::new(*id, 0, 0));
    }
    found.into_iter().collect()
}

/// Whether a file installs the CRDs.
#[must_use]
pub(super) fn are_installed_by((id, file): (FileId, &SourceFile), text: &str) -> bool {
    if !are_named_in(text) {
        return false;
    }
    let names =
        |code: &str| evidence::lines(code).any(|it| WORDS.iter().any(|word| has(&it, word)));
    if matches!(file.ending(), "tf" | "tofu") {
        let code = read::parse(id, text);
        return evidence::attributes(&code.body).any(|it| names(&text[it.span.range()]));
    }
    // A script may also fetch CRDs only to read them.
    let does = |it: &str| evidence::VERBS.iter().any(|verb| has(it, verb));
    names(text)
        && (DECLARATIVE.contains(&file.ending()) || evidence::lines(text).any(|it| does(&it)))
}

/// Whether a text names the CRDs, in whatever words: a document, or a comment, says who applies them.
#[must_use]
pub(super) fn are_named_in(text: &str) -> bool {
    WORDS.iter().any(|it| has(text, it))
}

/// How a script gives something to a Helm release that did not make it.
pub(super) const ADOPTION: &str = "meta.helm.sh/release-name=";

/// Whether a text gives Karpenter's CRDs to Helm: something else made them before.
#[must_use]
pub(super) fn are_adopted_in(text: &str) -> bool {
    has(text, "karpenter") && evidence::lines(text).any(|it| has(&it, ADOPTION))
}

/// What of a CRD says how its objects are converted.
pub(super) const CONVERSION: &str = "conversion";

/// Whether a text makes Karpenter's CRDs convert objects in another way: by a patch of a script.
#[must_use]
pub(super) fn is_conversion_set_in(text: &str) -> bool {
    let mut lines = evidence::lines(text);
    has(text, "karpenter")
        && evidence::lines(text).any(|it| has(&it, "patch") && has(&it, "crd"))
        && lines.any(|it| has(&it, CONVERSION) && (has(&it, "strategy") || has(&it, "webhook")))
}

fn has(text: &str, word: &str) -> bool {
    memmem::find(text.as_bytes(), word.as_bytes()).is_some()
}
