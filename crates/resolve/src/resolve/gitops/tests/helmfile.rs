//! Helmfiles.

use crate::resolve::{gitops::tests::Repo, release::Release};

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

const BY_ENVIRONMENT: &str = r#"environments:
  default:
    values: [env/common.yaml]
  live:
    missingFileHandler: Warn
    values:
      - env/common.yaml
      - env/{{ .Environment.Name }}.yaml.gotmpl
      - env/absent.yaml
    secrets: [env/secret.yaml]
---
bases: [templates.yaml]
releases:
  - name: everywhere
    chart: b/same
    version: 1.0.0
    values: [plain.yaml]
  - name: karpenter
    inherit: [{ template: system, except: [labels] }]
    chart: oci://public.ecr.aws/karpenter/karpenter
    version: {{ .Values.karpenter.version }}
    values:
      - values/{{ .Environment.Name }}.yaml.gotmpl
  - name: only-live
    condition: extras.enabled
    chart: b/c
  - name: switched
    installed: {{ eq .Environment.Name "live" | toYaml }}
    chart: b/d
helmfiles:
  - path: apps/helmfile.yaml.gotmpl
    values: [{ shop: { replicas: {{ .Values.replicas }} } }]
"#;

fn by_environment() -> Repo {
    Repo::new(&[
        ("h/helmfile.yaml.gotmpl", BY_ENVIRONMENT),
        (
            "h/templates.yaml",
            "templates:\n  system:\n    namespace: '{{`{{ .Release.Name }}`}}-system'\n    values: [{ a: base }]\n",
        ),
        (
            "h/env/common.yaml",
            "karpenter: {version: 1.6.3}\nreplicas: 1\nextras: {enabled: false}\n",
        ),
        (
            "h/env/live.yaml.gotmpl",
            "karpenter: {version: 1.7.1}\nreplicas: {{ add .Values.replicas 2 }}\nextras: {enabled: true}\n",
        ),
        ("h/plain.yaml", "x: '{{ kept }}'\n"),
        ("h/values/default.yaml.gotmpl", "replicas: {{ .Values.replicas }}\n"),
        (
            "h/values/live.yaml.gotmpl",
            "replicas: {{ .Values.replicas }}\nname: {{ .Release.Name }}-{{ .Release.Namespace }}\n\
             token: {{ .Values.karpenter.token }}\nzone: {{ get \"zone\" \"here\" .Values.karpenter }}\n",
        ),
        (
            "h/apps/helmfile.yaml.gotmpl",
            "releases:\n  - name: shop\n    chart: b/shop\n    values: [{ replicas: {{ .Values.shop.replicas }} }]\n",
        ),
    ])
}

#[test]
fn a_helmfile_is_rendered_for_each_of_its_environments() {
    let repo = by_environment();
    let shown: Vec<String> = repo
        .releases
        .iter()
        .map(|it| {
            let environment = it.unit().and_then(|it| it.environment.as_deref());
            format!("{} {}", it.name.as_deref().unwrap(), environment.unwrap_or("all"))
        })
        .collect();
    assert_eq!(
        shown,
        [
            "shop default",
            "shop live",
            "everywhere all",
            "karpenter default",
            "karpenter live",
            "only-live live",
            "switched live"
        ]
    );
    let of = |name: &str, environment: &str| {
        let wanted = format!("{name} {environment}");
        &repo.releases[shown.iter().position(|it| *it == wanted).unwrap()]
    };
    let (default, live) = (of("karpenter", "default"), of("karpenter", "live"));
    let version = |it: &Release| repo.shown(it.version.value());
    assert_eq!(version(default), "1.6.3 at h/env/common.yaml:1");
    assert_eq!(version(live), "1.7.1 at h/env/live.yaml.gotmpl:1");
    assert_eq!(repo.value(default, "replicas"), "1 at h/env/common.yaml:2");
    assert_eq!(repo.value(default, "a"), "base at h/templates.yaml:4");
    assert_eq!(live.namespace.known().map(String::as_str), Some("karpenter-system"));
    let name = repo.value(live, "name");
    assert!(name.starts_with("karpenter-karpenter-system at h/"), "{name}");
    // A secret may give what no file does.
    assert!(live.values.at("token").is_unknown());
    assert!(live.values.at("zone").is_unknown());
    assert!(repo.value(of("shop", "live"), "replicas").starts_with("3 at h/"));
    assert_eq!(repo.value(of("everywhere", "all"), "x"), "{{ kept }} at h/plain.yaml:1");
    assert!(
        default.scope.is_apart(&live.scope)
            && !default.scope.is_apart(&of("everywhere", "all").scope)
    );
}

#[test]
fn a_helmfile_that_cannot_be_rendered_is_read_as_it_is_written() {
    let text = "environments: {a: {}, b: {}}\n---\nreleases:\n  - name: {{ include \"x\" . }}\n    chart: b/c\n    version: 1.0.0\n";
    let repo = Repo::new(&[("helmfile.yaml", text)]);
    assert_eq!(repo.releases.len(), 1);
    assert_eq!(repo.releases[0].exact_version().map(|it| it.to_string()).as_deref(), Some("1.0.0"));
    assert!(repo.releases[0].name.is_none());
}

#[test]
fn helmfiles_that_name_themselves_end() {
    let many = "helmfile.yaml, ".repeat(40);
    let text = format!(
        "environments: {{a: {{}}, b: {{}}}}\nbases: [{many}]\nhelmfiles: [{many}]\n\
         releases:\n  - name: a\n    chart: b/c\n"
    );
    let repo = Repo::new(&[("helmfile.yaml", &text)]);
    assert!(!repo.releases.is_empty());
}
