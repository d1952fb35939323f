//! Charts that depend on charts, and eksctl.

use crate::{
    resolve::{
        gitops::tests::{Repo, unit},
        release::{Release, crd_switch::CrdSwitch, surface::Surface},
    },
    value::Value,
};

pub(super) const CHART: &str = "apiVersion: v2\nname: platform\ndependencies:\n  - name: karpenter\n    version: 1.8.2\n    repository: oci://x\n  - name: keda\n    version: 2.0.0\n    condition: keda.enabled\n  - name: own\n    repository: file://../own\n    version: 0.1.0\n";

#[test]
fn dependencies_of_a_chart_get_their_part_of_its_values() {
    let repo = Repo::new(&[
        ("p/Chart.yaml", CHART),
        (
            "p/values.yaml",
            "karpenter:\n  replicas: 1\nkeda:\n  enabled: false\nown:\n  inner:\n    z: 1\n",
        ),
        ("p/values-prod.yaml", "karpenter:\n  logLevel: debug\n"),
        ("own/Chart.yaml", "name: own\ndependencies:\n  - {name: inner, version: 3.0.0}\n"),
        (
            "p/charts/copy/Chart.yaml",
            "name: copy\ndependencies:\n  - {name: far, version: 3.0.0}\n",
        ),
    ]);
    let shown = |it: &Release| format!("{} at {}", it.chart, repo.place(it.report_span));
    let found: Vec<String> = repo.releases.iter().map(shown).collect();
    let expected = [
        "inner at own/Chart.yaml:3",
        "inner at own/Chart.yaml:3",
        "karpenter at p/Chart.yaml:4",
        // A chart of this repository has no name of its own.
        " at p/Chart.yaml:10",
    ];
    assert_eq!(found, expected);
    let karpenter = &repo.releases[2];
    assert_eq!(karpenter.surface(), Surface::ChartDependency);
    assert_eq!(repo.place(karpenter.report_span), "p/Chart.yaml:4");
    assert_eq!(repo.value(karpenter, "replicas"), "1 at p/values.yaml:2");
    // Whether `values-prod.yaml` is used is not seen.
    let debug = karpenter.values.get("logLevel").present().unwrap();
    assert!(debug.is_unknown());
    assert_eq!(repo.value(karpenter, "other"), "nothing");
    assert_eq!(repo.place(karpenter.values.name), "p/values.yaml:1");
    assert_eq!(repo.value(&repo.releases[1], "z"), "1 at p/values.yaml:7");
}

pub(super) const CLUSTER: &str = r#"apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata:
  name: shop
  version: "1.33"
karpenter:
  version: 1.6.3
addons:
  - name: coredns
    version: v1.11.4-eksbuild.2
    configurationValues: |-
      tolerations:
        - key: CriticalAddonsOnly
  - name: vpc-cni
    configurationValues: '{"env": {"A": "b"}}'
managedNodeGroups:
  - name: system
    labels: {role: system}
    taints:
      - {key: karpenter.sh/controller, value: "true", effect: NoSchedule}
nodeGroups:
  - name: old
    taints:
      one: "yes:NoSchedule"
      two: NoExecute
  - name: free
    preBootstrapCommands: ["kubelet --register-with-taints=x"]
fargateProfiles:
  - name: f
    selectors: [{namespace: kube-system}]
"#;

#[test]
fn a_cluster_of_eksctl() {
    let repo = Repo::new(&[("c/cluster.yaml", CLUSTER)]);
    let cluster = &repo.all.clusters[0];
    assert_eq!(repo.shown(cluster.version.as_ref()), "1.33 at c/cluster.yaml:5");
    assert!(cluster.complete);
    let [system, old, free] = &cluster.node_groups[..] else { panic!("three groups") };
    assert!(system.managed && !old.managed);
    assert_eq!(system.taints.as_ref().map(|it| it.items().len()), Some(1));
    let taints = old.taints.as_ref().unwrap();
    let field = |index: usize, key: &str| {
        repo.shown(taints.items().get(index).and_then(|it: &Value| it.get(key).present()))
    };
    assert_eq!(field(0, "key"), "one at c/cluster.yaml:24");
    assert_eq!(field(0, "value"), "yes at c/cluster.yaml:24");
    assert_eq!(field(0, "effect"), "NoSchedule at c/cluster.yaml:24");
    assert_eq!(field(1, "value"), "nothing");
    assert_eq!(field(1, "effect"), "NoExecute at c/cluster.yaml:25");
    assert!(free.taints.is_none() && free.may_taint_otherwise && !old.may_taint_otherwise);
    let [coredns, cni] = &cluster.addons[..] else { panic!("two add-ons") };
    let key = coredns.values.get("tolerations").present().unwrap().items()[0].get("key");
    assert_eq!(repo.shown(key.present()), "CriticalAddonsOnly at c/cluster.yaml:13");
    assert_eq!(cni.values.at("env.A").present().and_then(Value::as_str), Some("b"));
    assert_eq!(cluster.fargate.len(), 1);
    let karpenter = repo.release("karpenter");
    assert_eq!(karpenter.surface(), Surface::Eksctl);
    assert_eq!(repo.shown(karpenter.version.value()), "1.6.3 at c/cluster.yaml:7");
}

/// A chart that depends on the controller's, as a release of its own installs it.
const UMBRELLA: &[(&str, &str)] = &[(
    "charts/k/Chart.yaml",
    "name: k\ndependencies:\n  - {name: karpenter, version: 1.8.2, repository: \"oci://x\"}\n",
)];

fn with_umbrella(file: (&'static str, &'static str)) -> Repo {
    Repo::new(&[&[file], UMBRELLA].concat())
}

#[test]
fn a_dependency_is_switched_and_ordered_with_what_installs_it() {
    let repo = with_umbrella((
        "helmfile.yaml",
        "releases:\n  - name: crds\n    chart: oci://x/karpenter-crd\n  - name: k\n    chart: ./charts/k\n",
    ));
    let [controller, crds] =
        ["karpenter", "karpenter-crd"].map(|it| repo.releases.iter().find(|of| &*of.chart == it));
    let (controller, crds) = (controller.unwrap(), crds.unwrap());
    assert_eq!(repo.place(controller.report_span), "charts/k/Chart.yaml:3");
    assert_eq!(repo.all.waits_for(controller, crds), Some(false));
    assert_eq!(repo.place(unit(controller).body.span), "helmfile.yaml:4");

    let repo = with_umbrella((
        "app.yaml",
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: k}\nspec:\n  source:\n    repoURL: x\n    path: charts/k\n    helm: {skipCrds: false}\n",
    ));
    let controller = repo.releases.iter().find(|it| &*it.chart == "karpenter").unwrap();
    assert_eq!(repo.switch(&controller.skip_crds), "false, written at app.yaml:8");
    let Some(CrdSwitch::Key { mapping, .. }) = &controller.crd_switch else {
        panic!("a key of the Application");
    };
    assert_eq!(repo.place(mapping.span), "app.yaml:6");
    assert!(controller.first_values.is_none() && controller.name.is_none());
}
