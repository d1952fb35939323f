//! Where faults point, and what is left alone.

use crate::{
    checks::admission::faults, source::FileId, syntax::yaml, value::Value, version::Version,
};

/// The faults of a resource with the text each points at.
fn said(text: &str, release: Option<&str>) -> Vec<String> {
    let documents = yaml::parse_file(FileId(0), text);
    assert!(documents.parse_errors.is_empty(), "{text}: {:?}", documents.parse_errors);
    let [object] = documents.values.as_slice() else { unreachable!("one document: {text}") };
    let of = |key: &str| object.get(key).present().and_then(Value::as_str).unwrap_or_default();
    let release = release.and_then(Version::parse);
    let faults = faults(object, of("kind"), of("apiVersion"), release.as_ref());
    let line = |it: &crate::checks::admission::fault::Fault| {
        let start = it.span.start as usize;
        let pointed = text.get(start..it.span.end as usize).unwrap_or_default();
        format!(
            "{} {} at `{}`",
            it.kind.name(),
            it.path,
            pointed.lines().next().unwrap_or_default()
        )
    };
    faults.iter().map(line).collect()
}

const POOL: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: web
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: web}
      requirements: []
";

const CLASS: &str = "apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata:
  name: web
spec:
  role: nodes
  amiSelectorTerms:
    - alias: al2023@latest
  subnetSelectorTerms:
    - tags: {team: web}
  securityGroupSelectorTerms:
    - tags: {team: web}
";

/// The text with one line replaced.
fn with(text: &str, line: &str, by: &str) -> String {
    assert!(text.contains(line), "{line} is in {text}");
    text.replace(line, by)
}

/// Each text with the first fault found in it.
fn assert_first(cases: Vec<(String, Option<&str>)>) {
    for (text, wanted) in cases {
        let said = said(&text, Some("1.8.0"));
        assert_eq!(said.first().map(String::as_str), wanted, "{text}\n{said:?}");
    }
}

#[test]
fn faults_point_at_keys_names_and_values() {
    let spec = |it: &str| with(POOL, "spec:\n  t", &format!("spec:\n  {it}\n  t"));
    assert_first(vec![
        (POOL.to_owned(), None),
        (CLASS.to_owned(), None),
        (spec("wieght: 5"), Some("unknown spec.wieght at `wieght`")),
        (spec("weight: 500"), Some("maximum spec.weight at `500`")),
        (spec("weight: \"5\""), Some("type spec.weight at `\"5\"`")),
        (spec("limits: {cpu: many}"), Some("pattern spec.limits.cpu at `many`")),
        (spec("disruption: 5"), Some("type spec.disruption at `5`")),
        (
            with(POOL, "      requirements: []\n", ""),
            Some("missing spec.template.spec.requirements at `spec`"),
        ),
        (with(CLASS, "  name: web", "  name: Web"), Some("pattern metadata.name at `Web`")),
        (
            with(CLASS, "  name: web", "  labels: {a: 5}\n  name: web"),
            Some("type metadata.labels.a at `5`"),
        ),
        (with(CLASS, "  name: web", "  nam: web"), Some("unknown metadata.nam at `nam`")),
        (
            with(CLASS, "s/v1", "s/v1beta1"),
            Some("unserved apiVersion at `karpenter.k8s.aws/v1beta1`"),
        ),
    ]);
}

#[test]
fn a_class_without_role_and_profile_is_refused_by_each_release_in_its_way() {
    let class = with(CLASS, "s/v1\n", "s/v1beta1\n");
    let class = with(&class, "  amiSelectorTerms:\n    - alias: al2023@latest", "  amiFamily: AL2");
    for (release, role, wanted) in [
        (None, "  role: nodes\n", None),
        (None, "", Some("check:role-or-profile spec.role at `spec`")),
        (Some("0.32.0"), "", Some("missing spec.role at `spec`")),
    ] {
        let said = said(&with(&class, "  role: nodes\n", role), release);
        assert_eq!(said.first().map(String::as_str), wanted, "{release:?}\n{said:?}");
    }
}

#[test]
fn checks_point_at_what_fails() {
    let spec = |it: &str| with(POOL, "spec:\n  t", &format!("spec:\n  {it}\n  t"));
    let requirement =
        |it: &str| with(POOL, "requirements: []", &format!("requirements:\n        - {it}"));
    assert_first(vec![
        (
            spec("replicas: 2\n  limits: {cpu: 5}"),
            Some("check:replicas-limit-nodes-only spec.limits.cpu at `cpu`"),
        ),
        (
            requirement("{key: kubernetes.io/hostname, operator: Exists}"),
            Some(
                "check:reserved-domain spec.template.spec.requirements[0].key at `kubernetes.io/hostname`",
            ),
        ),
        (
            requirement("{key: team, operator: In}"),
            Some(
                "check:values-needed spec.template.spec.requirements[0].values at `{key: team, operator: In}`",
            ),
        ),
        (
            requirement("{key: team, operator: Gt, values: [x]}"),
            Some("check:one-number-needed spec.template.spec.requirements[0].values[0] at `x`"),
        ),
        (with(CLASS, "  role: nodes\n", ""), Some("check:role-or-profile spec.role at `spec`")),
        (
            with(CLASS, "al2023@latest", "al2023@latest\n      name: x"),
            Some("check:combined spec.amiSelectorTerms[0].alias at `alias`"),
        ),
        (
            with(CLASS, "al2023@latest", "al2024@latest"),
            Some("check:alias-family spec.amiSelectorTerms[0].alias at `al2024@latest`"),
        ),
    ]);
}

#[test]
fn what_waits_for_a_value_is_left_alone() {
    for (line, by) in [
        ("name: web", "name: ${NAME}"),
        ("name: web", "name: $NAME"),
        ("name: web", "name: <NAME>"),
        ("role: nodes", "role: {{ .Values.role }}"),
        ("al2023@latest", "${family}@latest"),
        ("al2023@latest", "AMI_ALIAS"),
        ("al2023@latest", "__AMI_ALIAS__"),
        ("al2023@latest", "'#{alias}#'"),
        ("al2023@latest", "'[[ alias ]]'"),
        ("{team: web}", "${tags}"),
        ("- tags: {team: web}", "- {{ toYaml .Values.tags }}"),
        ("  role: nodes", "  role: nodes\n  amiFamily: $FAMILY"),
    ] {
        let text = with(CLASS, line, by);
        assert_eq!(said(&text, Some("1.8.0")), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn the_release_decides() {
    let replicas = with(POOL, "spec:\n  t", "spec:\n  replicas: 2\n  t");
    let misspelt = with(POOL, "spec:\n  t", "spec:\n  wieght: 2\n  t");
    let fixed = with(POOL, "spec:\n  t", "spec:\n  weight: 500\n  t");
    for (text, release, faults) in [
        (&replicas, Some("1.7.6"), 1),
        (&replicas, Some("1.8.0"), 0),
        (&replicas, Some("v1.8.0"), 0),
        (&replicas, None, 0),
        // A build on the way to a release may have what the release has.
        (&replicas, Some("1.8.0-rc.1"), 0),
        (&replicas, Some("0-0a1b2c3d4e5f"), 0),
        (&misspelt, Some("1.7.6"), 1),
        (&misspelt, None, 1),
        // A release not known yet may have a field of that name, but a number stays a number.
        (&misspelt, Some("1.99.0"), 0),
        (&with(POOL, "spec:\n  t", "spec:\n  weight: much\n  t"), Some("1.99.0"), 1),
        (&fixed, Some("0.32.0"), 1),
        // Refused by those that know the field, and by those that do not.
        (&with(POOL, "spec:\n  t", "spec:\n  replicas: -1\n  t"), None, 1),
        (&with(POOL, "NodePool", "Provisioner"), Some("1.8.0"), 0),
        (&with(POOL, "karpenter.sh/v1", "karpenter.sh/v2"), None, 1),
        (&with(POOL, "karpenter.sh/v1", "karpenter.azure.com/v1"), Some("1.8.0"), 0),
    ] {
        assert_eq!(said(text, release).len(), faults, "{release:?} {text}");
    }
}

#[test]
fn a_text_fits_or_does_not() {
    const CLASS: &str = "karpenter.k8s.aws/v1";
    for (kind, api, field, text, fits) in [
        ("EC2NodeClass", CLASS, "spec.blockDeviceMappings[].ebs.volumeSize", "20", false),
        ("EC2NodeClass", CLASS, "spec.blockDeviceMappings[].ebs.volumeSize", "20Gi", true),
        ("NodePool", "karpenter.sh/v1", "spec.disruption.consolidateAfter", "0", false),
        ("NodePool", "karpenter.sh/v1", "spec.disruption.budgets[].nodes", "0", true),
        ("NodePool", "karpenter.sh/v1", "spec.template.metadata.labels{}", "true", true),
    ] {
        assert_eq!(super::takes_text(kind, api, field, text), fits, "{field}: {text}");
    }
}
