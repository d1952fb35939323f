//! Blanket tolerations of known charts and add-ons: who has one, written or by default, by version.

use karplint::{config::Config, findings::Severity, lint, project::Project};

/// What the rule reports in a project: nothing, something written, or a default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Nothing,
    Written,
    Default,
}

use Said::{Default, Nothing, Written};

fn said(files: &[(&str, String)]) -> Said {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.clone()));
    let outcome = lint::run(&Project::from_memory(files.collect()), &Config::default());
    let found: Vec<_> =
        outcome.findings.iter().filter(|it| it.rule == "blanket-toleration").collect();
    match found.as_slice() {
        [] => Nothing,
        [it] if it.severity == Severity::Note => Default,
        [_] => Written,
        several => unreachable!("one at most: {several:?}"),
    }
}

const KARPENTER: &str = "  - {name: karpenter, chart: karpenter/karpenter, version: 1.6.2}\n";
const REPOSITORY: &str =
    "repositories: [{name: repo, url: 'https://charts.bitnami.com/bitnami'}]\n";
const WATCH: &str = "amazon-cloudwatch-observability";
const ALL: &str = "[{operator: Exists}]";

#[test]
fn charts_are_judged_by_their_version() {
    let operator = format!("operator: {{tolerations: {ALL}}}");
    let agent = format!("tolerations: {ALL}");
    let tigera = "tolerations: [{key: a, operator: Exists}]";
    for (chart, version, values, wanted) in [
        ("cilium", "1.17.18", "{}", Default),
        ("cilium", "1.18.0", "{}", Nothing),
        ("cilium", "1.18.2", &operator, Written),
        ("cilium", "1.18.2", &agent, Nothing),
        ("cilium", "1.17.0", "operator: {tolerations: []}", Nothing),
        ("cilium", "1.17.0", "operator: {enabled: false}", Nothing),
        ("cilium", "1.17.0", "operator: {replicas: 0}", Nothing),
        ("cilium", "~1.17.0", "{}", Default),
        ("cilium", ">=1.16 <1.18", "{}", Default),
        ("cilium", ">=1.16", "{}", Nothing),
        ("cilium", "", "{}", Nothing),
        ("cilium", "", &operator, Written),
        ("cilium", "1.17.0", "operator: {nodeSelector: {eks.amazonaws.com/nodegroup: a}}", Nothing),
        ("cilium", "1.17.0", "operator: {nodeSelector: {kubernetes.io/os: linux}}", Default),
        ("cilium", "1.17.0", "operator: {nodeSelector: {mine: a}}", Nothing),
        ("tetragon", "1.0.3", "{}", Nothing),
        ("tetragon", "1.3.0", "{}", Default),
        ("tetragon", "1.4.0", "{}", Nothing),
        ("tetragon", "1.3.0", "tetragonOperator: {enabled: false}", Nothing),
        ("tigera-operator", "v3.30.2", "{}", Default),
        ("tigera-operator", "v3.30.2", tigera, Nothing),
        ("tigera-operator", "v3.23.0", tigera, Default),
        ("metrics-server", "3.13.0", &agent, Written),
        (
            "metrics-server",
            "3.13.0",
            "tolerations: [{operator: Exists, effect: NoExecute}]",
            Nothing,
        ),
        ("karpenter", "1.6.2", &agent, Nothing),
        ("karpenter", "", &agent, Nothing),
        ("karpenter", "1.6.2", &format!("{agent}\naffinity: null"), Written),
        ("karpenter", "1.6.2", &format!("{agent}\naffinity: {{podAntiAffinity: {{}}}}"), Nothing),
        ("vector", "0.43.0", &agent, Nothing),
        ("postgresql", "16.7.0", "primary: {tolerations: [{operator: Exists}]}", Written),
        ("postgresql", "16.7.0", "readReplicas: {tolerations: [{operator: Exists}]}", Nothing),
    ] {
        let version =
            if version.is_empty() { String::new() } else { format!("    version: '{version}'\n") };
        let release =
            format!("  - name: it\n    chart: repo/{chart}\n{version}    values: [it.yaml]\n");
        let helmfile = format!("{REPOSITORY}releases:\n{KARPENTER}{release}");
        let got = said(&[("helmfile.yaml", helmfile), ("it.yaml", values.to_owned())]);
        assert_eq!(got, wanted, "{chart} {version} {values}");
    }
}

#[test]
fn add_ons_are_judged_by_their_version() {
    for (addon, version, values, wanted) in [
        ("coredns", "", "{}", Nothing),
        ("coredns", "", "{tolerations: [{operator: Exists}]}", Written),
        ("coredns", "", "{tolerations: [{operator: Exists}], computeType: Fargate}", Nothing),
        ("aws-ebs-csi-driver", "", "{controller: {tolerations: [{operator: Exists}]}}", Written),
        ("aws-ebs-csi-driver", "", "{node: {tolerations: [{operator: Exists}]}}", Nothing),
        (WATCH, "v2.6.0-eksbuild.1", "{}", Default),
        (WATCH, "v2.6.0-eksbuild.1", "{tolerations: [{operator: Exists}]}", Written),
        (WATCH, "v2.6.0-eksbuild.1", "{tolerations: []}", Nothing),
        (WATCH, "v1.6.0-eksbuild.1", "{}", Nothing),
        (WATCH, "v1.7.0-eksbuild.1", "{}", Default),
        (WATCH, "v3.0.0-eksbuild.1", "{}", Nothing),
        (WATCH, "v3.0.0-eksbuild.1", "{tolerations: [{operator: Exists}]}", Nothing),
        (WATCH, "v3.7.0-eksbuild.1", "{tolerations: [{operator: Exists}]}", Nothing),
        (WATCH, "v3.7.0-eksbuild.1", "{manager: {tolerations: [{operator: Exists}]}}", Written),
        (WATCH, "v6.3.0-eksbuild.1", "{}", Nothing),
        (WATCH, "v6.3.0-eksbuild.1", "{otelContainerInsights: {enabled: true}}", Default),
        (
            WATCH,
            "v6.3.0-eksbuild.1",
            "{otelContainerInsights: {enabled: true}, kubeStateMetrics: {enabled: false}}",
            Nothing,
        ),
        (
            WATCH,
            "v6.3.0-eksbuild.1",
            "{otelContainerInsights: {enabled: true}, kubeStateMetrics: {tolerations: []}}",
            Nothing,
        ),
        (WATCH, "", "{}", Nothing),
        ("unheard-of", "", "{tolerations: [{operator: Exists}]}", Nothing),
    ] {
        let version =
            if version.is_empty() { String::new() } else { format!(", version: {version}") };
        let addons =
            format!("addons: [{{name: {addon}, configurationValues: '{values}'{version}}}]");
        let cluster = format!(
            "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata: {{name: c}}\nkarpenter: {{version: 1.6.2}}\n{addons}\n"
        );
        assert_eq!(said(&[("cluster.yaml", cluster)]), wanted, "{addon} {version} {values}");
    }
}

#[test]
fn what_a_chart_of_others_tolerates_by_itself_is_a_default() {
    const POOL: &str = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: { name: web }\n";
    const CHART: &str = "apiVersion: v2\nname: net\nversion: 0.1.0\ndependencies:\n  - { name: mesh, version: 2.0.0, repository: 'https://charts.example' }\n";
    const PODS: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: mesh }\nspec:\n  selector: { matchLabels: { app: mesh } }\n  template:\n    metadata: { labels: { app: mesh } }\n    spec:\n      containers: [{ name: mesh, image: mesh }]\n      tolerations:";
    let literal = "\n        - operator: Exists\n";
    let value = " {{- toYaml .Values.operator.tolerations | nindent 8 }}\n";
    let helper = " {{- toYaml (index .Values \"operator\" \"tolerations\") | nindent 8 }}\n";
    let default = format!("operator: {{ tolerations: {ALL} }}\nagent: {{ tolerations: {ALL} }}");
    let own = format!("mesh: {{ operator: {{ tolerations: {ALL} }} }}");
    for (tolerations, defaults, values, severity, help) in [
        (literal, "{}", "{}", Severity::Note, "`mesh` 2.0.0 has no value for it"),
        (literal, &*default, "{}", Severity::Note, "`mesh` 2.0.0 has no value for it"),
        (value, &default, "{}", Severity::Note, "Set `mesh.operator.tolerations` to"),
        (helper, &default, "{}", Severity::Note, "See whether `mesh` 2.0.0 has a value"),
        (value, "{}", &own, Severity::Warning, "Tolerate only the taints"),
    ] {
        let files = [
            ("pool.yaml", POOL.to_owned()),
            ("net/Chart.yaml", CHART.to_owned()),
            ("net/values.yaml", values.to_owned()),
            ("net/charts/mesh/Chart.yaml", "apiVersion: v2\nname: mesh\nversion: 2.0.0\n".into()),
            ("net/charts/mesh/values.yaml", defaults.to_owned()),
            ("net/charts/mesh/templates/pods.yaml", format!("{PODS}{tolerations}")),
        ];
        let files = files.into_iter().map(|(path, text)| (path.to_owned(), text));
        let outcome = lint::run(&Project::from_memory(files.collect()), &Config::default());
        let mut found = outcome.findings.iter().filter(|it| it.rule == "blanket-toleration");
        let said = found.next().map(|it| (it.severity, it.help.clone().unwrap_or_default()));
        let fits = said.as_ref().is_some_and(|it| it.0 == severity && it.1.starts_with(help));
        assert!(fits, "{tolerations} {defaults} {values}: {said:?}");
    }
}

#[test]
fn the_help_names_the_value_of_the_chart_that_is_installed() {
    const POOL: &str = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: { name: web }\n";
    let chart = |dependency: &str| {
        format!("apiVersion: v2\nname: net\nversion: 0.1.0\ndependencies:\n  - {dependency}\n")
    };
    for (dependency, wanted) in [
        ("{ name: tigera-operator, version: v3.30.2 }", "Set `tigera-operator.tolerations` to"),
        (
            "{ name: tigera-operator, version: v3.30.2, alias: calico }",
            "Set `calico.tolerations` to",
        ),
    ] {
        let files = [("net/Chart.yaml", chart(dependency)), ("pool.yaml", POOL.to_owned())];
        let files = files.into_iter().map(|(path, text)| (path.to_owned(), text));
        let outcome = lint::run(&Project::from_memory(files.collect()), &Config::default());
        let mut found = outcome.findings.iter().filter(|it| it.rule == "blanket-toleration");
        let help = found.next().and_then(|it| it.help.as_deref());
        assert!(help.is_some_and(|it| it.starts_with(wanted)), "{dependency}: {help:?}");
    }
}
