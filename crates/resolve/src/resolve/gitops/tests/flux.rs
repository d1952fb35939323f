//! `HelmReleases` and what they refer to.

use crate::resolve::gitops::tests::{Repo, unit};

pub(super) const RELEASE: &str = r"apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata:
  name: karpenter
  namespace: karpenter
spec:
  targetNamespace: kube-system
  dependsOn:
    - name: karpenter-crd
  install:
    crds: Skip
  upgrade:
    remediation: {retries: 3}
  chartRef:
    kind: OCIRepository
    name: karpenter
  valuesFrom:
    - kind: ConfigMap
      name: base
    - kind: ConfigMap
      name: made
      valuesKey: v.yaml
    - kind: ConfigMap
      name: base
      valuesKey: replicas
      targetPath: replicas
  values:
    settings:
      clusterName: ${cluster}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata:
  name: karpenter
  namespace: karpenter
spec:
  url: oci://public.ecr.aws/karpenter/karpenter
  ref:
    tag: ${version:=1.5.0}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: base
data:
  replicas: '3'
  values.yaml: |
    replicas: 1
    logLevel: info
";

const KUSTOMIZATION: &str = r"apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: infra}
spec:
  path: ./infra
  postBuild:
    substitute:
      cluster: shop
";

fn files() -> Vec<(&'static str, &'static str)> {
    vec![
        ("infra/karpenter/release.yaml", RELEASE),
        (
            "infra/karpenter/kustomization.yaml",
            "configMapGenerator:\n- name: made\n  files: [v.yaml=made.yaml]\n",
        ),
        ("infra/karpenter/made.yaml", "logLevel: debug\n"),
        ("clusters/prod/infra.yaml", KUSTOMIZATION),
    ]
}

#[test]
fn a_release_is_put_together_from_all_its_objects() {
    let repo = Repo::new(&files());
    let release = repo.release("karpenter");
    let file = "infra/karpenter/release.yaml";
    assert_eq!(&*release.chart, "karpenter");
    assert_eq!(repo.shown(release.version.value()), format!("1.5.0 at {file}:39"));
    assert_eq!(repo.shown(release.namespace.value()), format!("kube-system at {file}:7"));
    assert_eq!(unit(release).namespace.as_deref(), Some("karpenter"));
    assert_eq!(repo.switch(&release.skip_crds), format!("true, written at {file}:11"));
    assert_eq!(repo.switch(&release.upgrade_crds), format!("false, default at {file}:12"));
    assert_eq!(repo.place(release.report_span), format!("{file}:4"));
    for (path, expected) in [
        ("logLevel", "debug at infra/karpenter/made.yaml:1".to_owned()),
        ("replicas", format!("3 at {file}:46")),
        ("settings.clusterName", "shop at clusters/prod/infra.yaml:8".to_owned()),
        ("tolerations", "nothing".to_owned()),
    ] {
        assert_eq!(repo.value(release, path), expected, "{path}");
    }
}

#[test]
fn without_its_objects_a_release_is_unknown() {
    let text = RELEASE.split("---").next().unwrap();
    let repo = Repo::new(&[("a.yaml", text)]);
    let release = repo.release("karpenter");
    assert!(release.chart.is_empty() && release.local_chart.is_none());
    assert!(release.version.value().unwrap().is_unknown());
    assert_eq!(repo.value(release, "logLevel"), "unknown");
    assert_eq!(repo.value(release, "settings.clusterName"), "?${cluster}");
    let mut other = files();
    other.push(("clusters/dev/infra.yaml", KUSTOMIZATION));
    let repo = Repo::new(&other);
    // Two Kustomizations apply the same folder: whose variables count is not clear.
    assert_eq!(repo.value(repo.release("karpenter"), "settings.clusterName"), "?${cluster}");
}

const PAIR: &str = r"apiVersion: helm.toolkit.fluxcd.io/v2beta1
kind: HelmRelease
metadata: {name: NAME, namespace: ns}
spec:
  chart:
    spec:
      chart: NAME
      version: 1.2.3
      sourceRef: {kind: HelmRepository, name: repo}
  upgrade: {crds: CreateReplace}
DEPENDS
";
const SOURCE: &str = "apiVersion: source.toolkit.fluxcd.io/v1beta2\nkind: HelmRepository\nmetadata: {name: repo, namespace: ns}\nspec: {url: 'oci://public.ecr.aws/karpenter'}\n";

fn release(name: &str, depends: &str) -> String {
    let depends =
        if depends.is_empty() { String::new() } else { format!("  dependsOn: {depends}") };
    PAIR.replace("NAME", name).replace("DEPENDS", &depends)
}

#[test]
fn releases_wait_through_others_and_by_kustomizations() {
    let pair = |a: &str, b: &str| {
        let (a, b) = (release("a", a), release("b", b));
        let repo = Repo::new(&[
            ("x/a.yaml", &a),
            ("x/b.yaml", &b),
            ("x/s.yaml", SOURCE),
            ("x/c.yaml", &release("c", "[{name: b}]")),
        ]);
        repo.waits("a", "b")
    };
    assert_eq!(pair("[{name: b}]", ""), Some(true));
    assert_eq!(pair("[{name: c}]", ""), Some(true));
    assert_eq!(pair("", "[{name: a}]"), Some(false));
    assert_eq!(pair("[{name: b, namespace: other}]", ""), None);
    assert_eq!(pair("[{name: '${x}'}]", ""), None);
    assert_eq!(pair("${x}", ""), None);

    let layer = |name: &str, depends: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}}}\nspec: {{path: ./{name}, dependsOn: [{depends}]}}\n"
        )
    };
    let repo = Repo::new(&[
        ("one/a.yaml", &release("a", "")),
        ("two/b.yaml", &release("b", "")),
        ("flux/one.yaml", &layer("one", "{name: two}")),
        ("flux/two.yaml", &layer("two", "").replace("path", "targetNamespace: two, path")),
        ("flux/s.yaml", SOURCE),
    ]);
    assert_eq!(repo.waits("a", "b"), Some(true));
    assert_eq!(repo.waits("b", "a"), Some(false));
    let namespace = repo.release("b").namespace.value();
    assert_eq!(repo.shown(namespace), "two at flux/two.yaml:4");
    let found = repo.release("a");
    assert_eq!(found.repository.as_deref(), Some("oci://public.ecr.aws/karpenter"));
    assert_eq!(found.repository_span.map(|it| repo.place(it)).as_deref(), Some("flux/s.yaml:4"));
    assert_eq!(repo.switch(&found.upgrade_crds), "true, written at one/a.yaml:10");
}

#[test]
fn what_only_patches_a_release_is_none() {
    let patch = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: a}\nspec:\n  values: {x: 1}\n";
    assert!(Repo::new(&[("a.yaml", patch)]).releases.is_empty());
    let full = release("a", "").replace("  upgrade", "  values: {x: 0, z: 0}\n  upgrade");
    let repo = Repo::new(&[("base/a.yaml", &full), ("overlay/a.yaml", patch)]);
    assert_eq!(repo.releases.len(), 1);
    assert!(repo.release("a").values.at("x").is_unknown());
    assert_eq!(repo.value(repo.release("a"), "z"), "0 at base/a.yaml:10");
}

#[test]
fn patches_of_a_kustomization_cast_doubt() {
    let patch = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: k}\nspec:\n  path: ./apps\n  patches:\n    \
                 - target: {kind: HelmRelease}\n      patch: |\n        kind: HelmRelease\n        metadata: {name: any}\n        spec:\n          \
                 install: {crds: Skip}\n";
    let repo = Repo::new(&[("apps/a.yaml", &release("a", "")), ("flux.yaml", patch)]);
    let found = repo.release("a");
    assert_eq!(found.skip_crds.known(), None);
    assert_eq!(found.upgrade_crds.known(), Some(&true));
    // What is for another release changes nothing here.
    let of_another = patch.replace("{kind: HelmRelease}", "{kind: HelmRelease, name: b}");
    let repo = Repo::new(&[("apps/a.yaml", &release("a", "")), ("flux.yaml", &of_another)]);
    assert_eq!(repo.release("a").skip_crds.known(), Some(&false));
}
