//! Many files of which each is looked for in many others, or judged by what lies beside it.

use crate::generators::{Texts, chart, many, node_pool, workload};

fn files(
    count: usize,
    one: impl Fn(usize) -> (String, String),
) -> impl Iterator<Item = (String, String)> {
    (0..count).map(one)
}

fn pool() -> (String, String) {
    ("pool.yaml".to_owned(), node_pool(0, "team", "a"))
}

/// Parts of documents in one folder, whose anchors a program puts before them.
pub(super) fn fragments(count: usize) -> Texts {
    let part = |it| {
        let text = format!(
            "  pool{it}:\n    apiVersion: karpenter.sh/v1\n    kind: NodePool\n    requirements: *requirements\n"
        );
        (format!("parts/part-{it}.yaml"), text)
    };
    files(count, part).chain([pool()]).collect()
}

/// A chart that nobody installs and in which much is found, beside files of values for others.
pub(super) fn unseen_values(count: usize) -> Texts {
    let mut all = chart("chart", "shop", "");
    all.truncate(2);
    all.push(("chart/templates/a.yaml".to_owned(), many(count, workload)));
    let values = |it| (format!("values/other-{it}.yaml"), "replicas: 3\n".to_owned());
    all.into_iter().chain(files(count, values)).chain([pool()]).collect()
}

/// Pools in the folder of a chart that nobody installs, faults in its templates, and Terraform with many charts.
pub(super) fn beside_chart(count: usize) -> Texts {
    let mut all = chart("chart", "shop", "");
    all.truncate(2);
    let one = |it| {
        let pool = node_pool(it, "team", "a");
        let refused = pool.replace("spec:\n", "spec:\n  weight: 500\n");
        let release = format!("resource \"helm_release\" \"r{it}\" {{\n  chart = \"r{it}\"\n}}\n");
        [
            (format!("chart/pools/pool-{it}.yaml"), pool),
            (format!("chart/templates/pool-{it}.yaml"), refused),
            (format!("infra/release-{it}.tf"), release),
        ]
    };
    all.extend((0..count).flat_map(one));
    all
}

/// A text in quotes over many lines that are not indented, which Kubernetes takes as it is.
pub(super) fn quoted(count: usize) -> Texts {
    let lines = "{ \\\"a\\\": 1 },\n".repeat(count);
    let notes = format!("  annotations:\n    notes: \"begins\n{lines}ends\"\n");
    let set = workload(0).replacen("metadata:\n", &format!("metadata:\n{notes}"), 1);
    [pool(), ("set.yaml".to_owned(), set)].into_iter().collect()
}

/// Scripts that make clusters on a laptop: some side by side, with a folder for each, and some in folders of their own.
pub(super) fn laptops(count: usize) -> Texts {
    let script = |path: String, applied: String| {
        (path, format!("kind create cluster\nkubectl apply -f {applied}\n"))
    };
    let one = |it| {
        [
            script(format!("local/up-{it}.sh"), format!("app-{it}/")),
            (format!("local/app-{it}/a.yaml"), workload(it)),
            script(format!("try-{it}/up.sh"), ".".to_owned()),
            (format!("try-{it}/a.yaml"), workload(it)),
        ]
    };
    (0..count).flat_map(one).chain([pool()]).collect()
}

/// Folders that hold the same text, for clusters of their own or for one, with a pool beside them.
pub(super) fn one_text(count: usize) -> Texts {
    let folder = |it| if it % 2 == 0 { format!("clusters/c{it}") } else { format!("copies/c{it}") };
    let copy = |it| (format!("{}/web.yaml", folder(it)), workload(0));
    files(count, copy).chain([pool()]).collect()
}

/// Values of releases that lie in the folders of other charts: one file is for both.
pub(super) fn shared_values(count: usize) -> Texts {
    let release = |it| {
        format!(
            "resource \"helm_release\" \"r{it}\" {{\n  name = \"r{it}\"\n  chart = \"karpenter\"\n  version = \"1.5.0\"\n  values = [file(\"${{path.module}}/c{it}/values.yaml\")]\n}}\n"
        )
    };
    let main = ("main.tf".to_owned(), many(count, release));
    let charts = (0..count).flat_map(|it| chart(&format!("c{it}"), &format!("c{it}"), ""));
    let beside = files(10 * count, |it| (format!("c{}/f{it}.sh", it / 10), String::new()));
    charts.chain(beside).chain([main]).collect()
}

/// Workloads with the labels of charts that are not here, beside other charts.
pub(super) fn labelled(count: usize) -> Texts {
    let label = |it| format!("  name: s{it}\n  labels: \n    helm.sh/chart: other{it}-1.0.0\n");
    let pods = |it| {
        let text = workload(it).replacen(&format!("  name: s{it}\n"), &label(it), 1);
        (format!("out/a{it}.yaml"), text)
    };
    let charts = (0..count)
        .flat_map(|it| chart(&format!("c{it}"), &format!("c{it}"), "").into_iter().take(1));
    files(count, pods).chain(charts).chain([pool()]).collect()
}

/// Resources of Terraform whose commands apply manifests.
pub(super) fn applied_by_commands(count: usize) -> Texts {
    let run = |it| {
        format!(
            "resource \"null_resource\" \"r{it}\" {{\n  provisioner \"local-exec\" {{\n    command = \"kubectl apply -f $DIR/a{it}.yaml -f b{it}.yaml\"\n  }}\n}}\n"
        )
    };
    let main = ("main.tf".to_owned(), many(count, run));
    let manifest =
        |it| (format!("k/a{it}.yaml"), format!("kind: ConfigMap\nmetadata:\n  name: c{it}\n"));
    files(count, manifest).chain([main, pool()]).collect()
}
