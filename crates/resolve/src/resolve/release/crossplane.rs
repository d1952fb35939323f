//! What Crossplane's Helm provider installs, also in the compositions that make it: versions of Karpenter alone. A
//! composition is applied to the cluster of Crossplane, and what it makes goes where a claim says.

use memchr::memmem;

use crate::{
    resolve::{release::documented::DocumentedVersion, setting::Setting},
    source::{FileId, Files, SourceFile, Span, aside, parent},
    syntax::yaml,
    value::{Text, Value},
};

/// The group of the provider's `Release`.
const GROUP: &str = "helm.crossplane.io/";

/// The versions of Karpenter's controller in the releases of Crossplane, each for what lies beside its folder.
#[must_use]
pub fn documented(files: &Files) -> Vec<DocumentedVersion> {
    let has = |text: &str, word: &str| memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    let installs = |text: &str| has(text, GROUP) && has(text, "karpenter");
    let is_yaml = |it: &SourceFile| matches!(it.ending(), "yaml" | "yml");
    let in_use = |it: &SourceFile| is_yaml(it) && aside::of(it.path()).is_none();
    let found = files.iter().filter(|(_, it)| in_use(it) && it.skim(installs));
    found.flat_map(|(id, file)| of_file(id, file)).collect()
}

fn of_file(id: FileId, file: &SourceFile) -> Vec<DocumentedVersion> {
    let text = file.skim(str::to_owned);
    let whole = Span::new(id, 0, text.len());
    let documents = yaml::parse(&Text::verbatim(&*text, whole), whole);
    let mut versions = Vec::new();
    documents.values.iter().for_each(|it| find(it, &mut versions));
    let folder = parent(file.folder());
    let located = |version| DocumentedVersion { version, folder: folder.into() };
    versions.into_iter().map(located).collect()
}

/// Finds the releases in a value, however deep.
fn find(value: &Value, versions: &mut Vec<Setting<String>>) {
    let is = |key: &str, wanted: &dyn Fn(&str) -> bool| {
        value.get(key).present().and_then(Value::as_str).is_some_and(wanted)
    };
    let chart = value.at("spec.forProvider.chart").present().filter(|chart| {
        let name = chart.get("name").present().and_then(Value::as_str);
        name == Some("karpenter")
            && is("kind", &|it| it == "Release")
            && is("apiVersion", &|it| it.starts_with(GROUP))
    });
    if let Some(version) = chart.and_then(|it| it.get("version").present()) {
        versions.push(Setting::text(Some(version), version.span));
        return;
    }
    value.items().iter().for_each(|it| find(it, versions));
    value.entries().iter().for_each(|it| find(&it.value, versions));
}
