//! The CRDs of a release, against the data of `schema/`.

mod facts;
mod known;
mod rule;
pub(crate) mod upstream;

use std::collections::{BTreeMap, BTreeSet};

use karplint_core::{value::Value, version::Version};
use karplint_knowledge::knowledge::schema::{self, ResourceKind, Schema};

use crate::{
    crds::facts::ApiFacts,
    ours::{Difference, data, line_of},
    tree::{Tree, document},
};

/// The files of a folder of CRDs: how each ends, and what it describes.
const FILES: [(&str, &str, &str); 4] = [
    ("_nodepools.yaml", "karpenter.sh", "NodePool"),
    ("_nodeclaims.yaml", "karpenter.sh", "NodeClaim"),
    ("_ec2nodeclasses.yaml", "karpenter.k8s.aws", "EC2NodeClass"),
    ("_nodeoverlays.yaml", "karpenter.sh", "NodeOverlay"),
];

/// Our file of the kinds.
const KINDS: &str = "schema/kinds.yaml";

/// CRDs of Karpenter's trees that describe no resource of Karpenter.
const OTHERS: [&str; 1] = ["autoscaling.x-k8s.io_capacitybuffers.yaml"];

/// What the CRDs of a release say otherwise than the data.
pub(crate) fn differences(tree: &Tree, release: &Version) -> Vec<Difference> {
    let crds: Vec<(&str, &str)> = tree.within("pkg/apis/crds").collect();
    let mut found = Vec::new();
    for (ending, group, kind) in FILES {
        let kind = schema::kind(group, kind);
        let is_served = kind.is_some_and(|it| it.served_by(release).count() > 0);
        match (crds.iter().find(|it| it.0.ends_with(ending)), kind) {
            (Some((file, text)), Some(kind)) => {
                let crd = Crd { kind, file, text };
                found.extend(crd.differences(release));
            }
            (None, Some(kind)) if is_served => {
                let what = format!("{}: no CRD ends with {ending}", kind.name);
                found.push(Difference::at(KINDS, &format!("kind: {}", kind.name), what));
            }
            _ => {}
        }
    }
    let is_known = |file: &str| {
        FILES.iter().any(|it| file.ends_with(it.0)) || OTHERS.iter().any(|it| file.ends_with(it))
    };
    for (file, _) in crds.iter().filter(|it| !is_known(it.0)) {
        let what = "a CRD of which nothing is known";
        found.push(Difference::at("schema/known.yaml", "verified:", what).found(file, 1));
    }
    found
}

/// A CRD and what is known of it.
struct Crd<'a> {
    kind: &'static ResourceKind,
    file: &'a str,
    text: &'a str,
}

impl Crd<'_> {
    fn differences(&self, release: &Version) -> Vec<Difference> {
        let Some(crd) = document(self.text) else { return vec![self.of_kind("is not YAML")] };
        let versions = crd.at("spec.versions").present().map_or(&[][..], Value::items);
        let name = |it: &Value| {
            it.get("name").present().and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let served =
            |it: &&Value| it.get("served").present().and_then(Value::as_bool) == Some(true);
        let theirs: BTreeMap<String, &Value> =
            versions.iter().filter(served).map(|it| (name(it), it)).collect();
        let ours: BTreeMap<&str, &Schema> =
            self.kind.served_by(release).map(|it| (it.version.as_str(), it)).collect();
        let mut found = Vec::new();
        for (version, schema) in &ours {
            match theirs.get(*version) {
                None => found.push(self.of_kind(&format!("{version}: no longer served"))),
                Some(theirs) => {
                    let (known, upstream) =
                        (known::facts(schema, release), upstream::facts(theirs));
                    let changes = changes(&known, &upstream).into_iter();
                    found.extend(changes.map(|it| self.difference(schema, &upstream, &it)));
                }
            }
        }
        let new = theirs.keys().filter(|it| !ours.contains_key(it.as_str()));
        found.extend(new.map(|it| self.of_kind(&format!("{it}: served now"))));
        found
    }

    fn of_kind(&self, what: &str) -> Difference {
        let place = format!("kind: {}", self.kind.name);
        let what = format!("{} {what}", self.kind.name);
        Difference::at(KINDS, &place, what).found(self.file, 1)
    }

    /// A change of a field or a check, whose words begin with the path.
    fn difference(&self, schema: &Schema, upstream: &ApiFacts, change: &str) -> Difference {
        let path = change.split(": ").next().unwrap_or_default();
        let is_check = change.contains("check") || change.contains("lets in");
        // A new field goes where the field that holds it is.
        let holders = (0..=path.len()).rev().filter_map(|end| path.get(..end));
        let place = holders.filter_map(|it| schema.field(it)).map(|it| it.place).next();
        // The folder of a kind has its lower-case name.
        let file = |name: &str| format!("schema/{}/{name}.yaml", self.kind.name.to_lowercase());
        let fields = file(&schema.version);
        let what = format!("{} {} {change}", self.kind.name, schema.version);
        let ours = if is_check {
            Difference::at(&file("checks"), path, what)
        } else {
            let line = place.map_or(1, |it| line_of(&data(&fields), it.start as usize));
            Difference::in_line(&fields, line, what)
        };
        let byte = upstream.places.get(path).copied().unwrap_or_default();
        ours.found(self.file, line_of(self.text, byte))
    }
}

/// What has changed, in words.
fn changes(known: &ApiFacts, found: &ApiFacts) -> Vec<String> {
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use karplint_core::version::Version;
    use karplint_knowledge::knowledge::schema;

    use super::{changes, differences, known};
    use crate::tree::Tree;

    #[test]
    fn a_change_is_said_in_words() {
        let release = &schema::known().verified.newest;
        let pool = schema::of("karpenter.sh/v1", "NodePool").expect("it is known");
        let known = known::facts(pool, release);
        assert_eq!(changes(&known, &known), Vec::<String>::new());
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
            changes(&known, &changed),
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

    #[test]
    fn differences_have_the_places_of_both_sides() {
        let crd = "spec:\n  versions:\n    - name: v1alpha1\n      served: true\n      schema:\n        openAPIV3Schema:\n          type: object\n          properties:\n            moon: {type: string}\n    - name: v7\n      served: true\n";
        let tree = Tree::of(&[
            ("k/pkg/apis/crds/karpenter.sh_nodeoverlays.yaml", crd),
            ("k/pkg/apis/crds/karpenter.sh_moons.yaml", ""),
        ]);
        let found = differences(&tree, &Version::new(1, 14, 1));
        let words: Vec<String> = found.iter().map(ToString::to_string).collect();
        let has = |part: &str| words.iter().any(|it| it.contains(part));
        assert!(
            has(
                "NodeOverlay v1alpha1 moon: new field, type string (k/pkg/apis/crds/karpenter.sh_nodeoverlays.yaml:9)"
            ),
            "{words:#?}"
        );
        assert!(has("NodeOverlay v1alpha1 spec: the field is gone"), "{words:#?}");
        assert!(has("NodeOverlay v7: served now"), "{words:#?}");
        assert!(has("a CRD of which nothing is known (k/pkg/apis/crds/karpenter.sh_moons.yaml:1)"));
        assert!(has("NodePool: no CRD ends with _nodepools.yaml"), "{words:#?}");
        let gone = found.iter().find(|it| it.what.contains("spec: the field is gone"));
        assert!(
            gone.is_some_and(|it| it.line > 5 && it.file == "schema/nodeoverlay/v1alpha1.yaml")
        );
    }
}
