//! Kustomizations with much of one kind.

use crate::generators::{Texts, many, node_pool, workload};

/// An overlay with some lines over a base with so many workloads.
fn overlay(lines: &str, workloads: usize) -> Texts {
    vec![
        ("o/kustomization.yaml".to_owned(), format!("resources: [../base]\n{lines}")),
        ("base/kustomization.yaml".to_owned(), "resources: [a.yaml]\n".to_owned()),
        ("base/a.yaml".to_owned(), node_pool(0, "team", "a") + &many(workloads, workload)),
    ]
}

pub(super) fn components(count: usize) -> Texts {
    let component = |it: usize| {
        let text = format!(
            "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [a.yaml]\npatches:\n  - target: {{kind: StatefulSet, name: s{}}}\n    patch: |\n      - {{op: replace, path: /spec/replicas, value: {it}}}\n",
            it % 10
        );
        let own = workload(100 + it).replace("StatefulSet", "Deployment");
        [(format!("c{it}/kustomization.yaml"), text), (format!("c{it}/a.yaml"), own)]
    };
    let listed = many(count, |it| format!("  - ../c{it}\n"));
    let base = overlay(&format!("components:\n{listed}"), 10);
    base.into_iter().chain((0..count).flat_map(component)).collect()
}

pub(super) fn patches(count: usize) -> Texts {
    let json = |it: usize| {
        format!(
            "  - target: {{kind: StatefulSet, name: s{it}}}\n    patch: |\n      - {{op: replace, path: /spec/replicas, value: 2}}\n"
        )
    };
    let strategic = |it: usize| {
        format!(
            "  - patch: |\n      apiVersion: apps/v1\n      kind: StatefulSet\n      metadata: {{name: s{it}}}\n      spec: {{replicas: 1}}\n"
        )
    };
    overlay(&format!("patches:\n{}{}", many(count, json), many(count, strategic)), count)
}

pub(super) fn replacements(count: usize) -> Texts {
    let replacement = |it: usize| {
        format!(
            "  - source: {{kind: NodePool, name: p0, fieldPath: metadata.name}}\n    targets: [{{select: {{kind: StatefulSet, name: s{it}}}, fieldPaths: [spec.template.spec.nodeSelector.x], options: {{create: true}}}}]\n"
        )
    };
    overlay(&format!("replacements:\n{}", many(count, replacement)), count)
}

pub(super) fn config_maps(count: usize) -> Texts {
    let generator = |it: usize| format!("  - name: c{it}\n    literals: [a=b{it}]\n");
    overlay(&format!("configMapGenerator:\n{}", many(count, generator)), 10)
}

pub(super) fn charts(count: usize) -> Texts {
    let chart = |it: usize| {
        format!(
            "  - name: karpenter\n    repo: oci://public.ecr.aws/karpenter\n    version: 1.5.0\n    releaseName: k{it}\n    namespace: karpenter\n    valuesInline: {{settings: {{clusterName: c{it}}}}}\n"
        )
    };
    overlay(&format!("helmCharts:\n{}", many(count, chart)), 1)
}

pub(super) fn overlays_and_pools(count: usize) -> Texts {
    let pools = many(5, |it| node_pool(it, "team", &format!("t{it}")));
    let one = |it| (format!("o{it}/kustomization.yaml"), "resources: [../base]\n".to_owned());
    let base = [
        ("base/kustomization.yaml".to_owned(), "resources: [a.yaml]\n".to_owned()),
        ("base/a.yaml".to_owned(), pools + &many(3, workload)),
    ];
    (0..count).map(one).chain(base).collect()
}
