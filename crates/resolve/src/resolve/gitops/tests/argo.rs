//! Applications and `ApplicationSets`.

use crate::{
    resolve::{
        gitops::{
            self,
            tests::{Repo, called, unit},
        },
        kubernetes,
        release::{chart_version::Pin, unit::Parent},
        terraform,
    },
    source::{Files, SourceFile},
};

pub(super) const APPLICATION: &str = r#"apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: karpenter
  annotations:
    argocd.argoproj.io/sync-wave: "2"
spec:
  destination:
    namespace: kube-system
  sources:
    - repoURL: https://github.com/me/here
      ref: here
    - repoURL: public.ecr.aws/karpenter
      chart: karpenter
      targetRevision: 1.10
      helm:
        valueFiles:
          - $here/values/base.yaml
          - $here/values/prod.yaml
        values: |
          replicas: 2
          settings:
            clusterName: shop
        parameters:
          - name: settings.interruptionQueue
            value: queue
          - name: podLabels.a\.b
            value: "7"
            forceString: true
"#;

#[test]
fn values_of_several_sources_are_merged_in_order() {
    let repo = Repo::new(&[
        ("apps/karpenter.yaml", APPLICATION),
        ("values/base.yaml", "replicas: 1\nlogLevel: info\nsettings:\n  a: 1\n"),
        ("values/prod.yaml", "logLevel: debug\n"),
    ]);
    let release = repo.release("karpenter");
    assert_eq!(&*release.chart, "karpenter");
    assert_eq!(repo.shown(release.version.value()), "1.10 at apps/karpenter.yaml:15");
    assert_eq!(repo.shown(release.namespace.value()), "kube-system at apps/karpenter.yaml:9");
    assert_eq!(repo.place(release.report_span), "apps/karpenter.yaml:4");
    assert_eq!(repo.switch(&release.skip_crds), "false, default at apps/karpenter.yaml:16");
    for (path, expected) in [
        ("replicas", "2 at apps/karpenter.yaml:21"),
        ("logLevel", "debug at values/prod.yaml:1"),
        ("settings.a", "1 at values/base.yaml:4"),
        ("settings.clusterName", "shop at apps/karpenter.yaml:23"),
        ("settings.interruptionQueue", "queue at apps/karpenter.yaml:26"),
        ("tolerations", "nothing"),
    ] {
        assert_eq!(repo.value(release, path), expected, "{path}");
    }
    let labels = release.values.at("podLabels").get("a.b").present().unwrap();
    assert_eq!(labels.as_str(), Some("7"));
}

#[test]
fn an_object_hides_text_and_a_missing_file_leaves_all_open() {
    let text = |files: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: a\nspec:\n  source:\n    \
             repoURL: oci://x/y/karpenter\n    targetRevision: 1.5.0\n    helm:\n      skipCrds: true\n      \
             ignoreMissingValueFiles: true\n      valuesObject: {{replicas: 3}}\n      values: 'replicas: 4'\n{files}"
        )
    };
    let repo = Repo::new(&[("a.yaml", &text(""))]);
    let release = repo.release("a");
    assert_eq!(&*release.chart, "karpenter");
    assert_eq!(repo.value(release, "replicas"), "3 at a.yaml:12");
    assert_eq!(repo.value(release, "x"), "nothing");
    assert_eq!(repo.switch(&release.skip_crds), "true, written at a.yaml:10");
    assert_eq!(release.upgrade_crds.known(), Some(&true));

    let repo = Repo::new(&[("a.yaml", &text("      valueFiles: [$v/gone.yaml]\n"))]);
    assert_eq!(repo.value(repo.release("a"), "replicas"), "3 at a.yaml:12");
    assert_eq!(repo.value(repo.release("a"), "x"), "unknown");

    let files = "      valueFiles: [$v/here.yaml, $v/gone.yaml]\n";
    let repo = Repo::new(&[("a.yaml", &text(files)), ("here.yaml", "b: 1\n")]);
    assert_eq!(repo.value(repo.release("a"), "x"), "nothing");

    // One of the two is in another repository.
    let files = "      valueFiles: [$v/here.yaml, $w/here.yaml]\n";
    let repo = Repo::new(&[("a.yaml", &text(files)), ("here.yaml", "b: 1\n")]);
    assert_eq!(repo.value(repo.release("a"), "x"), "unknown");
}

#[test]
fn a_lock_counts_only_for_what_the_chart_asks_for() {
    for (asked, version) in [
        ("^1.2.0", "1.2.3 at charts/k/Chart.lock:3"),
        ("1.2", "1.2.3 at charts/k/Chart.lock:3"),
        ("1.4.0", "1.4.0 at charts/k/Chart.yaml:4"),
        (">= 1.4.0", ">= 1.4.0 at charts/k/Chart.yaml:4"),
    ] {
        let chart = format!(
            "name: k\ndependencies:\n  - name: karpenter\n    version: '{asked}'\n    repository: oci://x\n"
        );
        let repo = Repo::new(&[
            ("charts/k/Chart.yaml", &chart),
            ("charts/k/Chart.lock", "dependencies:\n- name: karpenter\n  version: 1.2.3\n"),
        ]);
        let release = repo.releases.iter().find(|it| !it.chart.is_empty()).unwrap();
        assert_eq!(repo.shown(release.version.value()), version, "{asked}");
    }
}

#[test]
fn a_folder_with_a_chart_installs_what_it_depends_on() {
    let application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: karpenter\nspec:\n  source:\n    \
                       repoURL: https://x\n    path: ./charts/k/\n    helm:\n      valueFiles: [prod.yaml]\n";
    let repo = Repo::new(&[
        ("app.yaml", application),
        (
            "charts/k/Chart.yaml",
            "name: karpenter\ndependencies:\n  - name: karpenter\n    alias: k\n    version: ^1.2.0\n    repository: oci://x\n",
        ),
        ("charts/k/Chart.lock", "dependencies:\n- name: karpenter\n  version: 1.2.3\n"),
        ("charts/k/values.yaml", "k:\n  replicas: 1\n  x: 1\n"),
        ("charts/k/prod.yaml", "k:\n  replicas: 2\n"),
    ]);
    assert_eq!(repo.releases.len(), 2);
    let release = repo.releases.iter().find(|it| !it.chart.is_empty()).unwrap();
    assert_eq!(repo.place(release.report_span), "charts/k/Chart.yaml:3");
    assert_eq!(repo.shown(release.version.value()), "1.2.3 at charts/k/Chart.lock:3");
    // What the lock holds does not change with `^1.2.0`.
    assert_eq!((release.version.pin, release.version.literal), (Pin::Lock, None));
    assert_eq!(repo.value(release, "replicas"), "2 at charts/k/prod.yaml:2");
    assert_eq!(repo.value(release, "x"), "1 at charts/k/values.yaml:3");
    assert_eq!(release.upgrade_crds.known(), Some(&true));
}

#[test]
fn waves_order_the_children_of_one_application() {
    let child = |name: &str, wave: &str| {
        format!(
            "---\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: {name}\n  annotations:\n    \
             argocd.argoproj.io/sync-wave: '{wave}'\nspec:\n  source: {{repoURL: x, chart: {name}}}\n"
        )
    };
    let parent = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: root}\nspec:\n  source: {repoURL: x, path: apps}\n";
    let apps = [child("a", "-1"), child("b", "0"), child("c", "{{ .x }}")].concat();
    let repo = Repo::new(&[("root.yaml", parent), ("apps/a.yaml", &apps)]);
    let waits = |a, b| repo.waits(a, b);
    assert!(matches!(unit(repo.release("a")).parent, Some(Parent::Application(_))));
    assert_eq!(waits("b", "a"), Some(true));
    assert_eq!(waits("a", "b"), Some(false));
    assert_eq!(waits("c", "a"), None);
    let repo = Repo::new(&[("apps/a.yaml", &apps)]);
    assert_eq!(repo.waits("b", "a"), None);
}

pub(super) const SET: &str = r"apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata:
  name: addons
spec:
  goTemplate: true
  generators:
    - matrix:
        generators:
          - clusters:
              selector:
                matchLabels: {env: prod}
          - list:
              elements:
                - name: karpenter
                  version: 1.8.6
                - name: keda
                  version: 2.16.1
  template:
    metadata:
      name: '{{ .name }}'
    spec:
      source:
        repoURL: https://charts
        chart: '{{ .name }}'
        targetRevision: '{{ .version }}'
        helm:
          values: |
            env: {{ .metadata.labels.env }}
            cluster: {{ .metadata.annotations.cluster }}
            title: {{ .name }}-{{ .version }}
";

#[test]
fn a_set_makes_an_application_for_every_element() {
    let repo = Repo::new(&[("set.yaml", SET)]);
    assert_eq!(repo.releases.len(), 2);
    let release = repo.release("keda");
    assert_eq!(repo.place(release.report_span), "set.yaml:17");
    assert_eq!(&*release.chart, "keda");
    let version = release.version.value().unwrap();
    assert_eq!(repo.shown(Some(version)), "2.16.1 at set.yaml:18");
    let steps: Vec<String> = version.steps().map(|it| repo.place(it.span)).collect();
    assert_eq!(steps, ["set.yaml:26"]);
    assert_eq!(repo.value(release, "env"), "prod at set.yaml:12");
    assert_eq!(repo.value(release, "cluster"), "?{{ .metadata.annotations.cluster }}");
    assert_eq!(repo.value(release, "title"), "keda-2.16.1 at set.yaml:17");
    let both: Vec<_> = repo.releases.iter().map(|it| unit(it).id()).collect();
    assert_ne!(both[0], both[1]);
}

#[test]
fn merged_generators_agree_or_leave_it_open() {
    let set = |second: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: s}}\nspec:\n  generators:\n    - merge:\n        \
             mergeKeys: [server]\n        generators:\n          - clusters: {{values: {{version: 1.0.0, chart: karpenter}}}}\n          \
             - clusters: {{values: {{version: {second}}}}}\n  template:\n    metadata: {{name: '{{{{values.chart}}}}'}}\n    spec:\n      \
             source: {{repoURL: x, chart: '{{{{values.chart}}}}', targetRevision: '{{{{ values.version }}}}'}}\n"
        )
    };
    let version = |text: &str| {
        let repo = Repo::new(&[("s.yaml", text)]);
        repo.shown(repo.release("karpenter").version.value())
    };
    assert_eq!(version(&set("1.0.0")), "1.0.0 at s.yaml:9");
    assert_eq!(version(&set("1.0.1")), "?{{ values.version }}");
}

#[test]
fn the_git_generator_reads_files_and_folders() {
    let set = |generator: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: s}}\nspec:\n  generators:\n    - git:\n        \
             {generator}\n  template:\n    metadata: {{name: '{{{{path.basename}}}}'}}\n    spec:\n      \
             source: {{repoURL: x, chart: c, targetRevision: '{{{{app.version}}}}', helm: {{valueFiles: ['$v/{{{{path}}}}/v.yaml']}}}}\n"
        )
    };
    let repo = Repo::new(&[
        ("s.yaml", &set("files: [{path: 'apps/*/config.json'}]")),
        ("apps/a/config.json", r#"{"app": {"version": "1.2.3"}}"#),
        ("apps/b/config.json", r#"{"app": {}}"#),
        ("apps/a/v.yaml", "x: 1\n"),
    ]);
    assert_eq!(repo.shown(repo.release("a").version.value()), "1.2.3 at apps/a/config.json:1");
    assert_eq!(repo.value(repo.release("a"), "x"), "1 at apps/a/v.yaml:1");
    assert_eq!(repo.shown(repo.release("b").version.value()), "?{{app.version}}");
    assert_eq!(repo.value(repo.release("b"), "x"), "unknown");
    let folders = "directories: [{path: apps/*}, {path: apps/b, exclude: true}]";
    let repo =
        Repo::new(&[("s.yaml", &set(folders)), ("apps/a/v.yaml", ""), ("apps/b/v.yaml", "")]);
    assert_eq!(repo.releases.len(), 1);
    assert_eq!(called(&repo.releases[0]), "a");
}

#[test]
fn what_the_value_file_of_any_environment_sets_is_unknown() {
    let set = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: s}\nspec:\n  generators: [{clusters: {}}]\n  \
               template:\n    metadata: {name: a}\n    spec:\n      sources:\n        - {repoURL: x, ref: v}\n        - repoURL: x\n          \
               chart: c\n          helm:\n            ignoreMissingValueFiles: true\n            \
               valueFiles: ['$v/a/values.yaml', '$v/{{metadata.labels.path}}a/{{name}}.yaml', '$v/b/{{name}}.yaml']\n";
    let repo = Repo::new(&[
        ("s.yaml", set),
        ("a/values.yaml", "one: 1\ntwo: {x: 1, z: 2}\n"),
        ("a/dev.yaml", "two: {x: 2}\n"),
        ("deep/a/prod.yaml", "three: 3\n"),
    ]);
    let release = repo.release("a");
    assert_eq!(repo.value(release, "one"), "1 at a/values.yaml:1");
    assert_eq!(repo.value(release, "two.z"), "2 at a/values.yaml:2");
    assert!(release.values.at("two.x").is_unknown() && release.values.at("three").is_unknown());
    assert_eq!(repo.value(release, "four"), "nothing");
}

#[test]
fn an_application_inside_terraform_is_read_where_it_is_written() {
    let text = r#"variable "version" { default = "1.5.0" }
variable "name" {}
resource "kubectl_manifest" "karpenter" {
  yaml_body = <<-YAML
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: karpenter
    spec:
      source:
        repoURL: public.ecr.aws/karpenter
        chart: karpenter
        targetRevision: ${var.version}
        helm:
          values: |
            settings:
              clusterName: ${var.name}
            replicas: 2
  YAML
}
resource "kubernetes_manifest" "crd" {
  manifest = {
    apiVersion = "argoproj.io/v1alpha1"
    kind       = "Application"
    metadata   = { name = "${var.name}-crd" }
    spec = {
      source = {
        repoURL        = "public.ecr.aws/karpenter"
        chart          = "karpenter-crd"
        targetRevision = var.version
        helm           = { values = yamlencode({ a = { b = 1 } }) }
      }
    }
  }
}
"#;
    let files = Files::new(vec![SourceFile::new("infra/main.tf", text)]);
    let terraform = terraform::resolve(&files, &terraform::options::TerraformOptions::default());
    let objects = kubernetes::held::from_terraform(&terraform).objects;
    let (releases, all) = gitops::from_objects(&files, &[], &objects);
    let repo = Repo { files, releases, all };
    let release = repo.release("karpenter");
    assert_eq!(release.scope.root, Some(0));
    assert_eq!(&*release.chart, "karpenter");
    assert_eq!(release.version.known().map(String::as_str), Some("1.5.0"));
    assert_eq!(repo.value(release, "replicas"), "2 at infra/main.tf:18");
    assert_eq!(repo.value(release, "settings.clusterName"), "?var.name");
    let crd = repo.releases.iter().find(|it| called(it).is_empty()).unwrap();
    assert_eq!(repo.shown(crd.version.value()), "1.5.0 at infra/main.tf:1");
    assert_eq!(repo.value(crd, "a.b"), "1 at infra/main.tf:31");
}
