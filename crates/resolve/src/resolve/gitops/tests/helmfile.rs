//! Helmfiles.

use crate::resolve::gitops::tests::Repo;

pub(super) const HELMFILE: &str = r"environments:
  prod:
    values: [prod.yaml]
---
repositories:
  - name: eks
    url: https://aws.github.io/eks-charts
helmDefaults:
  kubeContext: {{ .Environment.Name }}
  args: [--skip-crds]
templates:
  common: &common
    namespace: kube-system
    values:
      - base.yaml
releases:
  - name: karpenter-crd
    namespace: karpenter
    chart: oci://public.ecr.aws/karpenter/karpenter-crd
    version: {{ .Values.version }}
  - name: karpenter
    inherit: [{template: common}]
    chart: oci://public.ecr.aws/karpenter/karpenter
    version: {{ .Values.version }}
    installed: {{ or .a .b }}
    needs: [karpenter/karpenter-crd]
    set:
      - name: replicas
        value: 3
  - <<: *common
    name: ebs
    chart: eks/aws-ebs-csi-driver
    version: 2.40.0
    values:
      - values/{{ .Environment.Name }}.yaml
      - node: {tolerateAllTaints: false}
  - name: off
    installed: false
    chart: eks/x
";

#[test]
fn releases_of_a_templated_helmfile() {
    let repo = Repo::new(&[
        ("h/helmfile.yaml.gotmpl", HELMFILE),
        ("h/base.yaml", "replicas: 1\nx: '{{ kept }}'\n"),
    ]);
    assert_eq!(repo.releases.len(), 3);
    let file = "h/helmfile.yaml.gotmpl";
    let karpenter = repo.release("karpenter");
    assert_eq!(&*karpenter.chart, "karpenter");
    assert_eq!(repo.shown(karpenter.namespace.value()), format!("kube-system at {file}:13"));
    assert_eq!(repo.value(karpenter, "replicas"), format!("3 at {file}:29"));
    assert_eq!(repo.value(karpenter, "x"), "{{ kept }} at h/base.yaml:2");
    assert_eq!(repo.switch(&karpenter.skip_crds), format!("true, written at {file}:10"));
    let crd = repo.release("karpenter-crd");
    assert_eq!(crd.version.same_as(&karpenter.version), Some(true));
    let waits = |a, b| repo.waits(a, b);
    assert_eq!(waits("karpenter", "karpenter-crd"), Some(true));
    assert_eq!(waits("ebs", "karpenter-crd"), Some(false));

    let ebs = repo.release("ebs");
    assert_eq!(&*ebs.chart, "aws-ebs-csi-driver");
    let url = "https://aws.github.io/eks-charts eks/aws-ebs-csi-driver";
    assert_eq!(ebs.repository.as_deref(), Some(url));
    assert_eq!(ebs.repository_span.map(|it| repo.place(it)), Some(format!("{file}:7")));
    assert_eq!(repo.value(ebs, "node.tolerateAllTaints"), format!("false at {file}:36"));
    assert_eq!(repo.value(ebs, "x"), "unknown");
}

#[test]
fn a_helmfile_is_known_by_its_name() {
    let text = "releases:\n  - {name: a, chart: b/c}\n";
    for (path, expected) in [
        ("helmfile.yaml", 1),
        ("x/helmfile-prod.yaml", 1),
        ("helmfile.d/10-a.yaml", 1),
        ("helmfile.d/10-a.yaml.gotmpl", 1),
        ("values.yaml", 0),
    ] {
        assert_eq!(Repo::new(&[(path, text)]).releases.len(), expected, "{path}");
    }
}

#[test]
fn conditions_make_what_they_may_change_unknown_and_nothing_else() {
    let text = "releases:\n  - name: a\n    chart: b/c\n{{- if .x }}\n    version: 1.0.0\n{{- else }}\n    version: 2.0.0\n{{- end }}\n";
    let repo = Repo::new(&[("helmfile.yaml", text)]);
    let release = repo.release("a");
    assert!(release.version.value().unwrap().is_unknown());
    assert_eq!(release.skip_crds.known(), Some(&false));
    assert_eq!(repo.value(release, "x"), repo.shown(None));
    assert!(repo.all.parse_errors.is_empty());
}
