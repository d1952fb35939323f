//! What is said of faults, line by line of a table.

use crate::{
    checks::admission::{faults, words::words},
    source::FileId,
    syntax::yaml,
    value::Value,
    version::Version,
};

/// What is said of each fault of a resource: message, help and what is meant.
fn said(text: &str, release: &str) -> Vec<[String; 3]> {
    let object = yaml::parse_file(FileId(0), text).values.remove(0);
    let known = |key: &str| object.get(key).present().and_then(Value::as_str).unwrap_or_default();
    let release = Version::parse(release);
    let found = faults(&object, known("kind"), known("apiVersion"), release.as_ref());
    let say = |it| words(it, known("kind"), known("apiVersion"), release.as_ref());
    let said = found.iter().map(say);
    let said =
        said.map(|it| [it.message, it.help.unwrap_or_default(), it.meant.unwrap_or_default()]);
    let mut said: Vec<_> = said.collect();
    said.dedup();
    said
}

/// A pool with something in `spec` and something in `spec.template.spec`.
fn pool(spec: &str, nodes: &str) -> String {
    let parts = [
        ("nodeClassRef", "nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: a}"),
        ("requirements", "requirements: []"),
    ];
    let nodes = filled(nodes, &parts);
    let spec = filled(spec, &[("template", &format!("template: {{spec: {{{nodes}}}}}"))]);
    resource("karpenter.sh/v1", "NodePool", &spec)
}

/// A class with something in `spec`.
fn class(spec: &str) -> String {
    let parts = [
        ("role: ", "role: a"),
        ("amiSelectorTerms", "amiSelectorTerms: [{alias: al2023@latest}]"),
        ("subnetSelectorTerms", "subnetSelectorTerms: [{id: subnet-1}]"),
        ("securityGroupSelectorTerms", "securityGroupSelectorTerms: [{id: sg-1}]"),
    ];
    resource("karpenter.k8s.aws/v1", "EC2NodeClass", &filled(spec, &parts))
}

/// What is written, with the parts whose names are not in it.
fn filled(written: &str, parts: &[(&str, &str)]) -> String {
    let missing = parts.iter().filter(|(name, _)| !written.contains(name)).map(|(_, part)| *part);
    let all: Vec<&str> = [written].into_iter().chain(missing).filter(|it| !it.is_empty()).collect();
    all.join(", ")
}

fn resource(api: &str, kind: &str, spec: &str) -> String {
    format!("{{apiVersion: {api}, kind: {kind}, metadata: {{name: a}}, spec: {{{spec}}}}}")
}

/// A resource that is sound but for what is put there.
fn put(place: &str, what: &str) -> String {
    let beta = |text: String| {
        let text = text.replace("karpenter.sh/v1,", "karpenter.sh/v1beta1,");
        text.replace("group: karpenter.k8s.aws, ", "")
    };
    match place {
        "spec" => pool(what, ""),
        "nodes" => pool("", what),
        "requirement" => pool("", &format!("requirements: [{what}]")),
        "budget" => pool(&format!("disruption: {{consolidateAfter: 1m, budgets: [{what}]}}"), ""),
        "beta-spec" => beta(pool(what, "")),
        "beta-nodes" => beta(pool("", what)),
        "v2-spec" => pool(what, "").replace("karpenter.sh/v1,", "karpenter.sh/v2,"),
        "class" => class(what),
        "without-role" => class(what).replace("role: a, ", ""),
        "images" => class(&format!("amiSelectorTerms: [{what}]")),
        "subnets" => class(&format!("subnetSelectorTerms: [{what}]")),
        "kubelet" => class(&format!("kubelet: {{{what}}}")),
        "ebs" => class(&format!("blockDeviceMappings: [{what}]")),
        "interfaces" => class(&format!("networkInterfaces: [{what}]")),
        other => unreachable!("no place is called {other}"),
    }
}

#[test]
fn each_fault_is_said_in_words() {
    for line in include_str!("said.txt").lines().filter(|it| !it.starts_with('#')) {
        let mut columns = line.split(" | ").map(str::trim);
        let mut next = || columns.next().unwrap_or_default();
        let (release, place, what) = (next(), next(), next());
        let wanted = [next(), next(), next()].map(str::to_owned);
        assert!(wanted[0].chars().count() < 80, "{line}");
        assert_eq!(said(&put(place, what), release), [wanted], "{line}");
    }
}

#[test]
fn what_is_too_long_is_said_without_it() {
    let many = vec!["{nodes: \"1\"}"; 51].join(", ");
    let key = format!("{{key: {}, operator: Exists}}", "a".repeat(317));
    let name = format!("{}: 1", "a".repeat(60));
    for (text, message) in [
        (put("budget", &many), "`budgets` has more items than the 50 it may have".to_owned()),
        (put("requirement", &key), "`key` has more letters than the 316 it may have".to_owned()),
        (put("nodes", &name), format!("The API server refuses `{}…`", "a".repeat(44))),
    ] {
        let messages: Vec<_> = said(&text, "1.14.1").into_iter().map(|[it, ..]| it).collect();
        assert_eq!(messages, [message]);
    }
}
