//! Tests of releases that scripts install.

use super::installed;
use crate::{
    resolve::release::{Release, applied_crds::AppliedCrds},
    source::{Files, SourceFile},
    value::{Kind, Value},
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
    installed(&files(list)).releases.iter().map(shown).collect()
}

/// The CRDs of a script: each version, or what it is called, with the text it is written as.
fn crds_of(list: &[(&str, &str)]) -> Vec<String> {
    let files = files(list);
    let shown = |it: &AppliedCrds| {
        let version = match it.version.value().map(|it| &it.kind) {
            Some(Kind::Unknown(symbol)) => format!("?{}", symbol.text),
            _ => it.version.known().cloned().unwrap_or_else(|| "?".to_owned()),
        };
        format!("{version} at {}", files.text(it.version.span()))
    };
    installed(&files).crds.iter().map(shown).collect()
}

const CHART: &str = "oci://public.ecr.aws/karpenter/karpenter";

#[test]
fn a_variable_that_holds_the_program_runs_it() {
    let command = |program: &str| format!("{program} upgrade --install k {CHART} --version 1.8.2");
    for (path, before, program, wanted) in [
        ("a.sh", "HELM=${HELM:-helm}\n", "$HELM", 1),
        ("a.sh", "H=/usr/local/bin/helm\n", "\"${H}\"", 1),
        ("a.sh", "", "$HELM", 1),
        ("a.sh", "RUN=echo\n", "$RUN", 0),
        ("a.sh", "RUN=\"echo helm\"\n", "$RUN", 0),
        ("a.sh", "", "echo helm", 0),
        ("a.sh", "if false; then\n", "  helm", 0),
        ("a.sh", "if false; then\n  x\nfi\n", "helm", 1),
        ("a.sh", "if true; then\n", "  helm", 1),
        ("Makefile", "HELM ?= helm\na:\n", "\t$(HELM)", 1),
        ("Makefile", "BIN := $(shell pwd)/bin\nHELM ?= $(BIN)/helm\na:\n", "\t@$(HELM)", 1),
    ] {
        let text = format!("{before}{}\n", command(program));
        assert_eq!(of(&[(path, &text)]).len(), wanted, "{path}: {text}");
    }
}

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
        ("helm template k C > k.yaml\nkubectl apply -f k.yaml", &["k: karpenter Newest skips"]),
        ("helm template k C > k.yaml 2>&1\nkubectl apply -f other.yaml", &[]),
        ("helm template k C | envsubst | kubectl apply -f -", &["k: karpenter Newest skips"]),
        ("helm template k C | kubeconform", &[]),
        ("helm install k C:1.8.2", &["k: karpenter 1.8.2"]),
        ("helm install k C:$V@sha256:0", &["k: karpenter Written"]),
        ("helm install k C@sha256:0", &["k: karpenter Written"]),
        ("helm install k C --dry-run", &[]),
        ("install_with_retry helm install k C", &["k: karpenter Newest"]),
        ("run sudo helm install k C", &[]),
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
fn steps_of_jenkins_install_releases() {
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "Jenkinsfile",
            "def v = '1.8.2'\nnode {\n  sh \"helm install k C --version ${v} -n a\"\n}\n",
            &["k: karpenter 1.8.2 in a"],
        ),
        (
            "ci/Jenkinsfile-deploy",
            "environment { V = '1.8.2' }\nsteps { sh(label: 'up', script: \"\"\"\n  helm install k C \\\\\n    --version ${V} \\\\\n    -n a\n\"\"\") }\n",
            &["k: karpenter 1.8.2 in a"],
        ),
        (
            "Jenkinsfile",
            "V = '1.8.2'\nV = params.V\nsh '''\n  helm install k C --version \"$V\"\n  echo \"it's\"\n'''\n",
            &["k: karpenter Written"],
        ),
        (
            "Jenkinsfile",
            "W = '1.8' + x\nsh 'helm install k C --version $W' // sh 'helm install l C'\n",
            &["k: karpenter Written"],
        ),
        ("a.sh", "az aks get-credentials -n shop\nhelm install k C\n", &[]),
        (
            "a.sh",
            "az aks get-credentials -n shop\naws eks update-kubeconfig --name shop\nhelm install k C\n",
            &["k: karpenter Newest"],
        ),
        ("Jenkinsfile", "echo 'helm install k C'\npush 'helm install k C'\n", &[]),
    ];
    for (path, text, wanted) in cases {
        let text = text.replace(" C", &format!(" {CHART}"));
        assert_eq!(of(&[(path, &text)]), *wanted, "{path}: {text}");
    }
}

#[test]
fn files_that_a_script_reads_give_it_variables() {
    let install = "helm install k C --version $V".replace(" C", &format!(" {CHART}"));
    let recipe = |it: &str| format!("{it}\nup:\n\t{}\n", install.replace("$V", "$(V)"));
    let task = "dotenv: [a.env]\ntasks: {up: {cmds: [INSTALL]}}".replace("INSTALL", &install);
    for (path, text, read, content, wanted) in [
        ("x/a.sh", format!("source ./env.sh\n{install}"), "x/env.sh", "export V=1.8.2", "1.8.2"),
        ("x/a.sh", format!(". env\n{install}"), "env", "V=1.8.2", "1.8.2"),
        (
            "x/a.sh",
            format!(". \"$(dirname \"${{BASH_SOURCE[0]}}\")/env\"\n{install}"),
            "x/env",
            "V=1.8.2",
            "1.8.2",
        ),
        ("x/a.sh", format!(". env\n{install}"), "x/env", ". env\n. a.sh\nV=1.8.2", "1.8.2"),
        ("x/a.sh", format!(". env\n{install}"), "x/env", "V=1.8.2\nV=1.8.3", "Written"),
        ("x/a.sh", format!(". gone\n{install}"), "x/env", "V=1.8.2", "Written"),
        ("Makefile", recipe("include a.env b.env"), "b.env", "V=1.8.2", "1.8.2"),
        ("Makefile", recipe("-include Makefile v.mk"), "v.mk", "V ?= 1.8.2", "1.8.2"),
        ("Taskfile.yml", task, "a.env", "V=1.8.2", "1.8.2"),
    ] {
        let found = of(&[(path, &text), (read, content)]);
        assert_eq!(found, [format!("k: karpenter {wanted}")], "{text}: {content}");
    }
}

#[test]
fn charts_are_found_below_variables() {
    for (path, wanted) in [
        ("$HOME/shop/deploy/charts/web/.", true),
        ("~/shop/deploy/charts/web", true),
        ("$REPO/charts/web", false),
        ("$REPO/deploy/charts/web", true),
        ("$WORKSPACE/deploy/charts/web", true),
        ("$WORKSPACE/../charts/web", true),
        ("$HOME/deploy/charts/api", false),
        ("$REGISTRY/web", false),
        ("$HOME/shop/.", false),
        ("$HOME/${X}/deploy/charts/web", false),
    ] {
        let chart = ("deploy/charts/web/Chart.yaml", "name: web");
        let script = format!("helm install web {path} -f $HOME/shop/deploy/web.yaml");
        let values = ("deploy/web.yaml", "settings: {clusterName: shop}");
        let root = ("Chart.yaml", "name: root");
        let files = files(&[("deploy/x/a.sh", &script), chart, values, root]);
        let found = installed(&files).releases;
        let folders: Vec<_> = found.iter().map(|it| it.local_chart.as_deref()).collect();
        assert_eq!(folders == [Some("deploy/charts/web")], wanted, "{path}");
        let cluster = |it: &Release| it.values.at("settings.clusterName").present().cloned();
        let known = found.first().and_then(cluster).and_then(|it| it.as_str().map(str::to_owned));
        assert_eq!(known.as_deref(), Some("shop").filter(|_| wanted), "{path}");
    }
}

#[test]
fn commands_apply_crds() {
    const RAW: &str = "https://raw.githubusercontent.com/aws/karpenter-provider-aws";
    for (text, wanted) in [
        (
            "kubectl apply -f RAW/v1.6.2/pkg/apis/crds/karpenter.sh_nodepools.yaml",
            vec!["1.6.2 at 1.6.2"],
        ),
        (
            "kubectl apply --server-side --force-conflicts -f RAW/v1.6.2/pkg/apis/crds/a -f RAW/v1.6.2/pkg/apis/crds/b",
            vec!["1.6.2 at 1.6.2"],
        ),
        (
            "V=1.6.2\nfor it in a b; do kubectl apply -f \"RAW/v${V}/pkg/apis/crds/${it}.yaml\"; done",
            vec!["1.6.2 at 1.6.2"],
        ),
        ("V=v1.6.2\nkubectl create -f RAW/$V/pkg/apis/crds/a", vec!["v1.6.2 at v1.6.2"]),
        ("kubectl apply -f RAW/v${V}/pkg/apis/crds/a", vec!["?$V at ${V}"]),
        ("B=RAW/v1.6.2/pkg/apis\nkubectl apply -f $B/crds/a", vec!["1.6.2 at "]),
        ("curl -sL RAW/v1.6.2/pkg/apis/crds/a | kubectl apply -f -", vec!["1.6.2 at 1.6.2"]),
        ("curl -sL RAW/v1.6.2/pkg/apis/crds/a > c\nkubectl apply -f c", vec!["1.6.2 at 1.6.2"]),
        (
            "kubectl apply -k 'github.com/aws/karpenter/pkg/apis/crds?ref=v1.6.2'",
            vec!["1.6.2 at 1.6.2"],
        ),
        (
            "kubectl apply -f RAW/v1.5.0/pkg/apis/crds/a\nkubectl apply -f RAW/v1.6.2/pkg/apis/crds/a",
            vec!["1.6.2 at 1.6.2"],
        ),
        ("kubectl delete -f RAW/v1.6.2/pkg/apis/crds/a", vec![]),
        ("kubectl apply --dry-run=server -f RAW/v1.6.2/pkg/apis/crds/a", vec![]),
        ("curl -sL RAW/v1.6.2/pkg/apis/crds/a | less", vec![]),
        ("echo kubectl apply -f RAW/v1.6.2/pkg/apis/crds/a", vec![]),
    ] {
        let text = text.replace("RAW", RAW);
        assert_eq!(crds_of(&[("a.sh", &text)]), wanted, "{text}");
    }
}

#[test]
fn places_are_those_of_the_arguments() {
    let steps = "jobs:\n  up:\n    steps:\n      - run: |\n          helm repo add k https://charts.karpenter.sh\n          helm install x k/karpenter --version \"0.16.3\"\n";
    let script = "V=0.16.3\nhelm repo add k https://charts.karpenter.sh\nhelm install x k/karpenter --version $V\n";
    for (path, text) in [(".github/workflows/a.yaml", steps), ("a.sh", script)] {
        let files = files(&[(path, text)]);
        let found = installed(&files).releases;
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

/// Files, and the releases in them.
type Case<'a> = (&'a [(&'a str, &'a str)], &'a [&'a str]);

#[test]
fn ansible_runs_commands_in_roles_and_plays() {
    let command = format!("helm upgrade --install k {CHART} --version '{{{{ v }}}}'");
    let arguments = format!("[helm, install, k, {CHART}, --version, \"{{{{ v }}}}\"]");
    let play = format!("- hosts: all\n  tasks:\n    - command: {{argv: {arguments}}}\n");
    let (tasks, defaults) = ("roles/k/tasks/eks.yml", "roles/k/defaults/main.yml");
    let of_role = format!("- block:\n    - ansible.builtin.shell: >-\n        {command}\n");
    let known = ["k: karpenter 1.8.2"];
    let unknown = ["k: karpenter Written"];
    let cases: [Case<'_>; 8] = [
        (&[(tasks, &of_role), (defaults, "v: 1.8.2\n")], &known),
        (&[(tasks, &of_role), (defaults, "v: \"\"\n")], &unknown),
        (
            &[(tasks, &of_role), (defaults, "v: 1.8.2\n"), ("group_vars/a.yml", "v: 1.9.0\n")],
            &unknown,
        ),
        (&[(tasks, &of_role), ("roles/other/defaults/main.yml", "v: 1.8.2\n")], &unknown),
        (
            &[
                (tasks, &format!("{of_role}- command: x\n  register: v\n")),
                (defaults, "v: 1.8.2\n"),
            ],
            &unknown,
        ),
        (&[(tasks, &format!("- when: false\n  shell: {command}\n"))], &[]),
        (&[(tasks, &format!("kind: Task\nrun: {command}\n"))], &[]),
        (&[("karpenter.yml", &format!("{play}  vars: {{v: 1.8.2}}\n"))], &known),
    ];
    for (list, wanted) in cases {
        assert_eq!(of(list), wanted, "{list:?}");
    }
}
