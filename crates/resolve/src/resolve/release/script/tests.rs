//! Tests of releases that scripts install.

use super::releases;
use crate::{
    resolve::release::Release,
    source::{Files, SourceFile},
    value::Value,
};

fn files(list: &[(&str, &str)]) -> Files {
    Files::new(list.iter().map(|(path, text)| SourceFile::new(*path, *text)).collect())
}

/// A release in one line: its name, chart and version, whether CRDs are skipped, and some of its values.
fn shown(release: &Release) -> String {
    let name = release.name.as_deref().unwrap_or("?");
    let version = match release.version.known() {
        Some(version) => version.clone(),
        None => format!("{:?}", release.version.pin),
    };
    let skips = match release.skip_crds.known() {
        Some(true) => " skips",
        Some(false) => "",
        None => " skips?",
    };
    let namespace = release.namespace.known().map(|it| format!(" in {it}")).unwrap_or_default();
    let cluster = match release.values.at("settings.clusterName") {
        field if field.is_missing() => String::new(),
        field => format!(" for {}", field.present().and_then(Value::as_str).unwrap_or("?")),
    };
    format!("{name}: {} {version}{namespace}{skips}{cluster}", release.chart)
}

fn of(list: &[(&str, &str)]) -> Vec<String> {
    releases(&files(list)).iter().map(shown).collect()
}

const CHART: &str = "oci://public.ecr.aws/karpenter/karpenter";

#[test]
fn commands_of_shells_install_releases() {
    let cases: &[(&str, &[&str])] = &[
        (
            "helm upgrade --install k C --version 1.8.2 -n kube-system",
            &["k: karpenter 1.8.2 in kube-system"],
        ),
        (
            "helm -n a install --wait k C --version=1.8.2 --skip-crds",
            &["k: karpenter 1.8.2 in a skips"],
        ),
        ("V=\"1.8.2\"\nhelm upgrade k C \\\n  --version \"${V}\"", &["k: karpenter 1.8.2"]),
        ("export V='1.8.2'\nhelm install k C --version v$V", &["k: karpenter v1.8.2"]),
        ("helm install k C --version ${V:-1.8.2}", &["k: karpenter 1.8.2"]),
        ("V=${V:-1.8.2}\nhelm install k C --version $V", &["k: karpenter 1.8.2"]),
        ("V=1.8.1\nV=$1\nhelm install k C --version $V", &["k: karpenter Written"]),
        ("helm install k C --version $V", &["k: karpenter Written"]),
        ("helm install k C", &["k: karpenter Newest"]),
        ("helm install k C $OPTIONS", &["k: karpenter Elsewhere skips? for ?"]),
        ("helm install k C \"${ARGS[@]}\"", &["k: karpenter Elsewhere skips? for ?"]),
        ("helm install C --generate-name", &["?: karpenter Newest"]),
        ("helm install $NAME C", &["?: karpenter Newest"]),
        ("helm install k C --set settings.clusterName=shop,x=y", &["k: karpenter Newest for shop"]),
        ("helm install k C --set \"settings.clusterName=${N}\"", &["k: karpenter Newest for ?"]),
        (
            "helm install k C --set-json 'settings={\"clusterName\":\"shop\"}'",
            &["k: karpenter Newest for shop"],
        ),
        ("helm install k C -f values.yaml", &["k: karpenter Newest for file"]),
        ("helm install k C -f $HERE/values.yaml", &["k: karpenter Newest for file"]),
        ("helm install k C -f other.yaml", &["k: karpenter Newest for ?"]),
        ("if ! sudo helm install k C; then exit; fi", &["k: karpenter Newest"]),
        ("helm template k C --include-crds | kubectl apply -f -", &["k: karpenter Newest"]),
        ("helm template k C | kubectl -n a apply -f -", &["k: karpenter Newest skips"]),
        ("helm template k C | kubeconform", &[]),
        ("helm install k C --dry-run", &[]),
        ("echo helm install k C", &[]),
        ("echo 'helm install k C'", &[]),
        ("# helm install k C", &[]),
        ("cat <<EOF\nhelm install k C\nEOF", &[]),
        ("helm uninstall k; helm diff upgrade k C", &[]),
        (
            "helm upgrade k C --version 0.37.8\nhelm upgrade k C --version 1.0.9",
            &["k: karpenter 1.0.9"],
        ),
        ("helm install k ./missing", &[]),
    ];
    for (text, wanted) in cases {
        let text = text.replace(" C", &format!(" {CHART}"));
        let values = "settings: {clusterName: file}";
        let found = of(&[("hack/x.sh", &text), ("hack/values.yaml", values)]);
        assert_eq!(found, *wanted, "{text}");
    }
}

#[test]
fn recipes_and_steps_install_releases() {
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "Makefile",
            "V ?= 1.8.2 # the newest\nup:\n\t@helm install k C --version $(V)\n",
            &["k: karpenter 1.8.2"],
        ),
        (
            "Makefile",
            "V := $(shell x)\nup:\n\thelm install k C --version ${V} \\\n\t  -n a\n",
            &["k: karpenter Written in a"],
        ),
        (
            "a.mk",
            "it's:\n\thelm install k C --set a=$(B) $(OPTIONS)\n",
            &["k: karpenter Elsewhere skips? for ?"],
        ),
        (
            "justfile",
            "v := \"1.8.2\"\nup:\n    helm install k C --version {{v}}\n",
            &["k: karpenter 1.8.2"],
        ),
        (
            "Taskfile.yml",
            "vars: {V: 1.8.2}\ntasks:\n  up:\n    cmds:\n      - helm install k C --version {{.V}}\n",
            &["k: karpenter 1.8.2"],
        ),
        (
            ".github/workflows/up.yaml",
            "env:\n  V: 1.8.2\njobs:\n  up:\n    steps:\n      - run: |\n          helm install k C \\\n            --version ${{ env.V }} -n \"$N\"\n",
            &["k: karpenter 1.8.2"],
        ),
        (
            ".github/workflows/up.yaml",
            "jobs:\n  up:\n    steps:\n      - run: helm install k C --version ${{ inputs.v }}\n",
            &["k: karpenter Written"],
        ),
        ("other.yaml", "run: helm install k C\n", &[]),
        ("README.md", "helm install k C\n", &[]),
    ];
    for (path, text, wanted) in cases {
        let text = text.replace(" C", &format!(" {CHART}"));
        assert_eq!(of(&[(path, &text)]), *wanted, "{path}: {text}");
    }
}

#[test]
fn places_are_those_of_the_arguments() {
    let steps = "jobs:\n  up:\n    steps:\n      - run: |\n          helm repo add k https://charts.karpenter.sh\n          helm install x k/karpenter --version \"0.16.3\"\n";
    let script = "V=0.16.3\nhelm repo add k https://charts.karpenter.sh\nhelm install x k/karpenter --version $V\n";
    for (path, text) in [(".github/workflows/a.yaml", steps), ("a.sh", script)] {
        let files = files(&[(path, text)]);
        let found = releases(&files);
        let [release] = &*found else { panic!("{path}") };
        let written = files.text(release.version.span());
        assert_eq!(written.trim_matches('"'), "0.16.3", "{path}");
        let literal = release.version.literal.map(|it| files.text(it));
        assert_eq!(literal, Some("0.16.3").filter(|_| path != "a.sh"), "{path}");
        assert_eq!(release.repository.as_deref(), Some("https://charts.karpenter.sh k/karpenter"));
        let place = release.repository_span.map(|it| files.text(it));
        assert_eq!(place, Some("https://charts.karpenter.sh"), "{path}");
        assert_eq!(files.text(release.report_span), "x", "{path}");
    }
}
