//! Compares the schemas with a folder of CRDs, so that a new release of Karpenter is one edit of the data:
//!
//! ```text
//! KARPLINT_CRDS=karpenter-provider-aws/pkg/apis/crds KARPLINT_CRDS_VERSION=1.14.1 cargo test --test karplint crds
//! ```
//!
//! Without a version the newest release that is known is meant.

#![expect(clippy::disallowed_methods, reason = "the folder is read from the disk")]

mod known;
mod rule;
mod upstream;

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::Path,
};

use karplint::{
    knowledge::schema,
    source::{FileId, Span},
    syntax::yaml,
    value::{Text, Value},
    version::Version,
};
use karplint_test_tools::found;

/// What one version of an API says, in a form that can be compared.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// By path of the field and name of the fact: `maximum`, `type`.
    pub fields: BTreeMap<String, BTreeMap<String, String>>,
    /// By path, the checks made there.
    pub checks: BTreeMap<String, BTreeSet<String>>,
    /// By path and domain, the keys of reserved domains that are let in.
    pub keys: BTreeMap<(String, String), BTreeSet<String>>,
    /// What could not be understood.
    pub unknown: Vec<String>,
}

/// The files of a folder of CRDs: how each ends, and what it describes.
const FILES: [(&str, &str, &str); 4] = [
    ("_nodepools.yaml", "karpenter.sh", "NodePool"),
    ("_nodeclaims.yaml", "karpenter.sh", "NodeClaim"),
    ("_ec2nodeclasses.yaml", "karpenter.k8s.aws", "EC2NodeClass"),
    ("_nodeoverlays.yaml", "karpenter.sh", "NodeOverlay"),
];

#[test]
fn the_schemas_say_what_the_crds_say() {
    let folder = env::var_os("KARPLINT_CRDS");
    let folder = folder.ok_or_else(|| "it names no folder of CRDs to compare with".to_owned());
    let Some(folder) = found("KARPLINT_CRDS", folder) else { return };
    let release = env::var("KARPLINT_CRDS_VERSION").ok().and_then(|it| Version::parse(&it));
    let release = release.unwrap_or_else(|| schema::known().verified.newest.clone());
    let mut wrong = Vec::new();
    for (ending, group, kind) in FILES {
        let text = file_ending(Path::new(&folder), ending);
        let known = schema::kind(group, kind).is_some_and(|it| it.served_by(&release).count() > 0);
        match text {
            Some(text) => wrong.extend(compare_kind(&text, group, kind, &release)),
            None if known => wrong.push(format!("{kind}: no file ends with {ending}")),
            None => {}
        }
    }
    let count = wrong.len();
    assert!(
        wrong.is_empty(),
        "{count} differences from the CRDs of {release}\n{}",
        wrong.join("\n")
    );
}

fn file_ending(folder: &Path, ending: &str) -> Option<String> {
    let entries = fs::read_dir(folder).expect("KARPLINT_CRDS can be listed");
    let mut paths = entries.filter_map(|it| Some(it.ok()?.path()));
    let path = paths.find(|it| it.to_string_lossy().ends_with(ending))?;
    Some(fs::read_to_string(path).expect("a CRD can be read"))
}

/// The differences of one CRD.
fn compare_kind(text: &str, group: &str, kind: &str, release: &Version) -> Vec<String> {
    let whole = Span::new(FileId(0), 0, text.len());
    let documents = yaml::parse(&Text::verbatim(text, whole), whole);
    let crd = documents.values.into_iter().next().expect("a CRD is YAML");
    let versions = crd.at("spec.versions").present().map_or(&[][..], Value::items);
    let name = |it: &Value| {
        it.get("name").present().and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let served = |it: &&Value| it.get("served").present().and_then(Value::as_bool) == Some(true);
    let upstream: BTreeMap<String, &Value> =
        versions.iter().filter(served).map(|it| (name(it), it)).collect();
    let own = schema::kind(group, kind).map(|it| it.served_by(release)).into_iter().flatten();
    let own: BTreeMap<String, _> = own.map(|it| (it.version.clone(), it)).collect();
    let mut wrong = Vec::new();
    for (version, schema) in &own {
        match upstream.get(version) {
            None => wrong.push(format!("{kind} {version}: no longer served")),
            Some(theirs) => {
                let known = known::facts(schema, release);
                let found = upstream::facts(theirs);
                let differences = differences(&known, &found).into_iter();
                wrong.extend(differences.map(|it| format!("{kind} {version} {it}")));
            }
        }
    }
    let new = upstream.keys().filter(|it| !own.contains_key(*it));
    wrong.extend(new.map(|it| format!("{kind} {it}: served now")));
    wrong
}

/// What has changed, in words.
fn differences(known: &Facts, found: &Facts) -> Vec<String> {
    let mut wrong = found.unknown.clone();
    let nothing = BTreeMap::new();
    let paths: BTreeSet<&String> = known.fields.keys().chain(found.fields.keys()).collect();
    for path in paths {
        match (known.fields.get(path), found.fields.get(path)) {
            (Some(_), None) => wrong.push(format!("{path}: the field is gone")),
            (None, Some(shape)) => wrong.push(format!("{path}: new field, {}", words(shape))),
            (known, found) => {
                let (known, found) = (known.unwrap_or(&nothing), found.unwrap_or(&nothing));
                let names: BTreeSet<&String> = known.keys().chain(found.keys()).collect();
                let changed = names.into_iter().filter(|it| known.get(*it) != found.get(*it));
                wrong.extend(changed.map(|it| {
                    format!(
                        "{path}: {it} is now {}, not {}",
                        or_none(found.get(it)),
                        or_none(known.get(it))
                    )
                }));
            }
        }
    }
    let none = BTreeSet::new();
    let paths: BTreeSet<&String> = known.checks.keys().chain(found.checks.keys()).collect();
    for path in paths {
        let old = known.checks.get(path).unwrap_or(&none);
        let new = found.checks.get(path).unwrap_or(&none);
        wrong.extend(new.difference(old).map(|it| format!("{path}: new check, {it}")));
        wrong.extend(old.difference(new).map(|it| format!("{path}: the check is gone, {it}")));
    }
    for (place, new) in &found.keys {
        let Some(old) = known.keys.get(place) else { continue };
        let (path, domain) = place;
        wrong.extend(new.difference(old).map(|it| format!("{path}: lets in {it} of {domain} now")));
        wrong.extend(
            old.difference(new).map(|it| format!("{path}: lets in {it} of {domain} no longer")),
        );
    }
    wrong
}

fn or_none(fact: Option<&String>) -> &str {
    fact.map_or("nothing", String::as_str)
}

fn words(shape: &BTreeMap<String, String>) -> String {
    let words: Vec<String> = shape.iter().map(|(name, fact)| format!("{name} {fact}")).collect();
    words.join(", ")
}

#[test]
fn a_change_is_said_in_words() {
    let release = &schema::known().verified.newest;
    let pool = schema::of("karpenter.sh/v1", "NodePool").expect("it is known");
    let known = known::facts(pool, release);
    assert_eq!(differences(&known, &known), Vec::<String>::new());
    let mut changed = known.clone();
    changed.fields.remove("spec.replicas");
    let text = BTreeMap::from([("type".to_owned(), "string".to_owned())]);
    changed.fields.insert("spec.size".to_owned(), text);
    let weight = changed.fields.get_mut("spec.weight").expect("it is known");
    weight.insert("maximum".to_owned(), "200".to_owned());
    weight.remove("minimum");
    changed.checks.remove("spec");
    let checks = changed.checks.entry("spec.limits".to_owned()).or_default();
    checks.insert("empty-key".to_owned());
    let keys = changed.keys.values_mut().next().expect("some keys are let in");
    keys.insert("karpenter.k8s.aws/x".to_owned());
    keys.remove("karpenter.k8s.aws/instance-cpu");
    let path = "spec.template.metadata.labels";
    assert_eq!(
        differences(&known, &changed),
        [
            "spec.replicas: the field is gone",
            "spec.size: new field, type string",
            "spec.weight: maximum is now 200, not 100",
            "spec.weight: minimum is now nothing, not 1",
            "spec: the check is gone, combined of replicas, weight",
            "spec: the check is gone, replicas-limit-nodes-only",
            "spec: the check is gone, replicas-neither-added-nor-removed",
            "spec.limits: new check, empty-key",
            &format!("{path}: lets in karpenter.k8s.aws/x of karpenter.k8s.aws now"),
            &format!(
                "{path}: lets in karpenter.k8s.aws/instance-cpu of karpenter.k8s.aws no longer"
            ),
        ]
    );
}
