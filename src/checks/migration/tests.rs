//! What is rewritten is admitted; what cannot be rewritten says why.

use std::collections::BTreeSet;

use crate::{
    checks::{
        admission::faults,
        migration::{Obstacle, migration},
    },
    edits::edits,
    model::karpenter_object::KarpenterObject,
    resolve::{
        kubernetes::{Object, objects},
        scope::Scope,
    },
    source::{FileId, Files, SourceFile, Span},
    syntax::yaml,
    value::Kind,
    version::Version,
};

fn read(text: &str) -> (Files, Vec<Object>) {
    let documents = yaml::parse_file(FileId(0), text).values;
    let found = documents.iter().flat_map(objects).collect();
    (Files::new(vec![SourceFile::new("a.yaml", text)]), found)
}

/// The text after all rewriting, and what is in the way of each resource that stays as it is.
fn rewritten(text: &str) -> (String, Vec<Obstacle>) {
    let (files, found) = read(text);
    let scope = Scope::new(None, &"".into());
    let read = |it: &Object| KarpenterObject::read(&files, it, &scope, None);
    let all: Vec<KarpenterObject> = found.iter().filter_map(read).collect();
    assert_eq!(all.len(), found.len(), "{text}");
    let (mut made, mut obstacles) = (BTreeSet::new(), Vec::new());
    for migration in all.iter().filter_map(|it| migration(it, &all)) {
        let rendered = migration.and_then(|it| edits(&files, &it).ok_or(Obstacle::Form));
        match rendered {
            Ok(its) => {
                made.extend(its.into_iter().map(|it| (it.span.start, it.span.end, it.text)));
            }
            Err(obstacle) => obstacles.push(obstacle),
        }
    }
    let mut text = text.to_owned();
    for (start, end, new) in made.into_iter().rev() {
        text.replace_range(start as usize..end as usize, &new);
    }
    (text, obstacles)
}

fn pool(spec: &str, nodes: &str) -> String {
    format!(
        "apiVersion: karpenter.sh/v1beta1\nkind: NodePool\nmetadata:\n  name: a\nspec:\n{spec}  template:\n    \
         spec:\n      requirements: []\n{nodes}"
    )
}

fn class(spec: &str) -> String {
    format!(
        "apiVersion: karpenter.k8s.aws/v1beta1\nkind: EC2NodeClass\nmetadata:\n  name: a\nspec:\n{spec}  role: \
         r\n  subnetSelectorTerms:\n  - id: subnet-1\n  securityGroupSelectorTerms:\n  - id: sg-1\n"
    )
}

const CLASS: &str = "      nodeClassRef:\n        name: a\n";

#[test]
fn what_is_rewritten_is_admitted() {
    let kubelet = format!("{CLASS}      kubelet:\n        maxPods: 9\n");
    for text in [
        pool("", CLASS),
        pool("  disruption:\n    expireAfter: Never\n", CLASS),
        pool("  disruption: {consolidationPolicy: WhenUnderutilized}\n", CLASS),
        pool("  disruption:\n    consolidationPolicy: WhenEmpty\n    consolidateAfter: 30s\n", CLASS),
        pool("  disruption:\n    consolidateAfter: Never\n    expireAfter: 24h\n", CLASS),
        pool("  disruption:\n    budgets:\n    - nodes: \"1\"\n", CLASS),
        pool("  disruption:\n    # all day\n    budgets:\n      - nodes: 10%\n    expireAfter: 1h # short\n", CLASS),
        pool("  disruption:\n    expireAfter: 1h # short\n", CLASS)
            .replace("    spec:\n      requirements: []\n      nodeClassRef:\n        name: a\n",
                "    spec: { requirements: [], nodeClassRef: { name: a } }\n"),
        pool("", "      nodeClassRef: {name: a, apiVersion: karpenter.k8s.aws/v1beta1}\n      resources: {}\n"),
        pool("", "      nodeClassRef:\n        kind: EC2NodeClass\n        name: a\n      resources: {} # none\n"),
        class("  amiFamily: AL2\n"),
        class("  amiFamily: Bottlerocket # small\n  detailedMonitoring: true\n"),
        class("  amiFamily: Custom\n  amiSelectorTerms: [{id: ami-1}]\n"),
        format!("{}---\n{}", pool("", &kubelet), class("  amiFamily: AL2023\n")),
        pool("  disruption:\r\n    expireAfter: 1h\r\n", CLASS).replace("\r\n", "\n").replace('\n', "\r\n"),
        "{\"apiVersion\": \"karpenter.sh/v1beta1\", \"kind\": \"NodeClaim\", \"metadata\": {\"name\": \"a\"}, \
         \"spec\": {\"requirements\": [], \"nodeClassRef\": {\"name\": \"a\"}}}"
            .to_owned(),
    ] {
        let (after, obstacles) = rewritten(&text);
        assert_eq!(obstacles, [], "{text}");
        for object in read(&after).1 {
            assert!(object.api_version.ends_with("/v1"), "{after}");
            for release in [Version::new(1, 1, 0), Version::new(1, 14, 1)] {
                let refused = faults(&object.value, &object.kind, &object.api_version, Some(&release));
                let refused: Vec<_> = refused.iter().map(|it| it.path.to_string()).collect();
                assert_eq!(refused, [""; 0], "{after}");
            }
        }
        let remarks = |it: &str| it.matches('#').count() - it.matches("# none").count();
        assert_eq!(remarks(&text), remarks(&after), "{after}");
    }
}

#[test]
fn what_cannot_be_rewritten_stays_as_it_is() {
    let kubelet = format!("{CLASS}      kubelet:\n        maxPods: 9\n");
    let another = pool("", CLASS).replace("name: a\nspec", "name: b\nspec");
    for (text, obstacle) in [
        (pool("  disruption: &d\n    expireAfter: 1h\n", CLASS), Obstacle::Form),
        (pool("  disruption: {}\n", CLASS), Obstacle::Form),
        (pool("  disruption:\n    consolidationPolicy: ${policy}\n", CLASS), Obstacle::Form),
        (pool("", &kubelet), Obstacle::Kubelet),
        (
            pool("", &format!("{CLASS}      resources:\n        requests: {{cpu: 1}}\n")),
            Obstacle::Resources,
        ),
        (class("  amiFamily: Ubuntu\n"), Obstacle::Family("Ubuntu".to_owned())),
        (class("  amiFamily: ${family}\n"), Obstacle::Form),
    ] {
        assert_eq!(rewritten(&text), (text.clone(), vec![obstacle]), "{text}");
    }
    // Two pools share the class.
    let shared = [pool("", &kubelet), another, class("  amiFamily: AL2\n")].join("---\n");
    assert_eq!(rewritten(&shared).1, [Obstacle::Kubelet]);
}

#[test]
fn what_a_patch_changes_in_one_build_stays_as_it_is_in_all() {
    let (files, found) = read(&pool("", CLASS));
    let place = Scope::new(None, &"".into());
    let plain = KarpenterObject::read(&files, &found[0], &place, None).expect("a pool is whole");
    assert!(migration(&plain, &[plain.clone(), plain.clone()]).is_some_and(|it| it.is_ok()));
    let mut object = found[0].clone();
    if let Kind::Map(map) = &mut object.value.kind {
        let elsewhere = Span::new(FileId(1), 0, 6);
        std::sync::Arc::make_mut(map).entries[0].value.span = elsewhere;
    }
    let patched = KarpenterObject::read(&files, &object, &place, None).expect("a pool is whole");
    let all = [plain.clone(), patched];
    let found = migration(&plain, &all).map(Result::err);
    assert_eq!(found, Some(Some(Obstacle::Form)));
}

/// Resources of the first API.
const ALPHA: &str = "apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: {name: a}
spec:
  # Who pays.
  labels: {team: shop}
  requirements: # cheap
  - {key: karpenter.sh/capacity-type, operator: In, values: [spot]}
  kubeletConfiguration:
    maxPods: 9
  limits: {resources: {cpu: 10}}
  ttlSecondsAfterEmpty: 30
  weight: 5
  providerRef: {name: a}
---
apiVersion: karpenter.k8s.aws/v1alpha1
kind: AWSNodeTemplate
metadata: {name: a}
spec:
  instanceProfile: nodes
  subnetSelector:
    aws-ids: subnet-1, subnet-2
  securityGroupSelector:
    karpenter.sh/discovery: shop # all
  userData: |
    #!/bin/sh
      true
";

#[test]
fn the_first_api_becomes_the_second() {
    let (after, obstacles) = rewritten(ALPHA);
    assert_eq!(obstacles, []);
    let wanted = "apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: {name: a}
spec:
  template:
    metadata:
      # Who pays.
      labels: {team: shop}
    spec:
      nodeClassRef:
        apiVersion: karpenter.k8s.aws/v1beta1
        kind: EC2NodeClass
        name: a
      requirements: # cheap
      - {key: karpenter.sh/capacity-type, operator: In, values: [spot]}
      - key: kubernetes.io/os
        operator: In
        values: [\"linux\"]
      - key: kubernetes.io/arch
        operator: In
        values: [\"amd64\"]
      - key: karpenter.k8s.aws/instance-category
        operator: In
        values: [\"c\", \"m\", \"r\"]
      - key: karpenter.k8s.aws/instance-generation
        operator: Gt
        values: [\"2\"]
      kubelet:
        maxPods: 9
  limits: {cpu: 10}
  disruption:
    consolidationPolicy: WhenEmpty
    consolidateAfter: 30s
    expireAfter: Never
  weight: 5
---
apiVersion: karpenter.k8s.aws/v1beta1
kind: EC2NodeClass
metadata: {name: a}
spec:
  amiFamily: AL2
  subnetSelectorTerms:
    - id: subnet-1
    - id: subnet-2
  securityGroupSelectorTerms:
    - tags:
        karpenter.sh/discovery: shop # all
  instanceProfile: nodes
  userData: |
    #!/bin/sh
      true
";
    assert_eq!(after, wanted);
    for object in read(&after).1 {
        let release = Version::new(0, 37, 8);
        let refused = faults(&object.value, &object.kind, &object.api_version, Some(&release));
        assert!(refused.is_empty(), "{after}");
    }
}

#[test]
fn what_the_second_api_has_no_place_for_stays() {
    for (old, new, obstacle) in [
        ("  instanceProfile: nodes\n", "", Obstacle::Role),
        ("  instanceProfile: nodes\n", "  launchTemplate: old\n", Obstacle::Launch),
        ("  providerRef: {name: a}\n", "  provider: {}\n", Obstacle::Provider),
        ("    maxPods: 9\n", "    containerRuntime: dockerd\n", Obstacle::Form),
        ("shop # all", "'shop,more' # all", Obstacle::Form),
        ("ttlSecondsAfterEmpty: 30", "ttlSecondsAfterEmpty: ${ttl}", Obstacle::Form),
    ] {
        let text = ALPHA.replace(old, new);
        assert_eq!(rewritten(&text).1, [obstacle], "{text}");
    }
}
