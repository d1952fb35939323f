//! Repositories of any size: what there may be much of.

mod aws;
mod files;
mod karpenter;
mod kustomize;
mod tools;

/// Paths and texts.
pub(crate) type Texts = Vec<(String, String)>;

/// A kind of repository: its name, how many of its things there are at first, and what makes it.
type Generator = (&'static str, usize, fn(usize) -> Texts);

/// All of them.
pub(crate) const GENERATORS: &[Generator] = &[
    ("module calls", 20, calls),
    ("module calls in a chain", 20, chained_calls),
    ("instances of a call", 20, instances),
    ("modules in modules", 2, nested_calls),
    ("resources", 20, resources),
    ("locals in a chain", 50, locals),
    ("entries of an object", 200, entries),
    ("dynamic blocks", 4, dynamic),
    ("templates", 20, templates),
    ("tags of subnets", 20, karpenter::subnets),
    ("documents of a file", 50, documents),
    ("files", 50, objects),
    ("pools", 10, pools),
    ("pools of one kind", 10, equal_pools),
    ("budgets and workloads", 20, budgets),
    ("workloads and groups", 10, groups),
    ("charts", 5, charts),
    ("aliases of charts", 2, aliases),
    ("loops of a template", 50, loops),
    ("switches of a chart", 100, switches),
    ("values of a release", 20, sets),
    ("applications", 10, applications),
    ("overlays", 5, overlays),
    ("objects of an overlay", 20, overlaid),
    ("commands of a script", 20, commands),
    ("comments that allow", 50, allowances),
    ("keys written twice", 200, duplicates),
    ("broken documents", 50, broken),
    ("aliases of anchors", 50, anchors),
    ("admission policies", 5, policies),
    ("retired pools in code", 100, karpenter::retired_manifests),
    ("retired pools in files", 100, karpenter::retired_files),
    ("pools in code", 500, karpenter::unordered_manifests),
    ("pools in code in a chain", 100, karpenter::chained_manifests),
    ("former kinds", 50, karpenter::former_kinds),
    ("classes of a file", 400, karpenter::classes),
    ("classes and tags", 200, karpenter::classes_and_tags),
    ("classes and pools", 200, karpenter::classes_and_pools),
    ("classes and pools in code", 150, karpenter::unordered_classes),
    ("roots", 40, karpenter::roots),
    ("clusters of a root", 400, karpenter::clusters),
    ("releases by clusters", 64, karpenter::releases_by_clusters),
    ("Flux releases", 300, karpenter::flux_releases),
    ("roots and pools", 20, aws::roots_and_pools),
    ("releases of a root", 40, aws::releases),
    ("variables of releases", 40, aws::variables),
    ("node groups", 200, aws::node_groups),
    ("Fargate profiles", 100, aws::fargate),
    ("roles and policies", 100, aws::roles),
    ("pools and pods", 20, tools::pools_and_pods),
    ("pools of a list", 40, tools::list),
    ("environments", 500, tools::environments),
    ("needs of a helmfile", 50, tools::needs),
    ("volumes of nodes", 600, tools::volumes),
    ("parts of documents", 100, files::fragments),
    ("values of a chart", 500, files::unseen_values),
    ("clusters on laptops", 200, files::laptops),
    ("lines in quotes", 20_000, files::quoted),
    ("clusters and pods", 40, aws::clusters_and_pods),
    ("pools beside a chart", 300, files::beside_chart),
    ("files of one text", 300, files::one_text),
    ("values beside charts", 100, files::shared_values),
    ("labels of charts", 300, files::labelled),
    ("manifests of commands", 400, files::applied_by_commands),
    ("components", 20, kustomize::components),
    ("patches", 20, kustomize::patches),
    ("replacements", 20, kustomize::replacements),
    ("generated config maps", 50, kustomize::config_maps),
    ("charts of an overlay", 20, kustomize::charts),
    ("overlays and pools", 6, kustomize::overlays_and_pools),
];

fn one(path: &str, text: String) -> Texts {
    vec![(path.to_owned(), text)]
}

fn many(count: usize, one: impl Fn(usize) -> String) -> String {
    (0..count).map(one).collect()
}

const MODULE: &str = "variable \"n\" { default = \"x\" }\nresource \"helm_release\" \"a\" {\n  name = \"a-${var.n}\"\n  chart = \"karpenter\"\n  version = \"1.5.0\"\n}\noutput \"o\" { value = helm_release.a.name }\n";

fn with_module(main: String) -> Texts {
    vec![("main.tf".to_owned(), main), ("m/main.tf".to_owned(), MODULE.to_owned())]
}

fn calls(count: usize) -> Texts {
    with_module(many(count, |it| {
        format!("module \"m{it}\" {{\n  source = \"./m\"\n  n = \"a{it}\"\n}}\n")
    }))
}

fn chained_calls(count: usize) -> Texts {
    // Short chains, as they are written.
    let before = |it: usize| match it % 8 {
        0 => "\"x\"".to_owned(),
        _ => format!("module.m{}.o", it - 1),
    };
    with_module(many(count, |it| {
        format!("module \"m{it}\" {{\n  source = \"./m\"\n  n = {}\n}}\n", before(it))
    }))
}

fn instances(count: usize) -> Texts {
    with_module(format!(
        "module \"m\" {{\n  source = \"./m\"\n  count = {count}\n  n = \"a${{count.index}}\"\n}}\n"
    ))
}

fn nested_calls(count: usize) -> Texts {
    let call =
        |it: usize| format!("module \"n\" {{\n  source = \"../m{}\"\n  n = var.n\n}}\n", it + 1);
    let module = |it: usize| {
        let inner = if it == 9 { String::new() } else { call(it) };
        (format!("m{it}/main.tf"), format!("{MODULE}{inner}"))
    };
    let main = many(count, |it| {
        format!("module \"m{it}\" {{\n  source = \"./m0\"\n  n = \"a{it}\"\n}}\n")
    });
    (0..10).map(module).chain([("main.tf".to_owned(), main)]).collect()
}

fn resources(count: usize) -> Texts {
    one(
        "main.tf",
        many(count, |it| {
            format!(
                "resource \"helm_release\" \"r{it}\" {{\n  name = \"r{it}\"\n  chart = \"karpenter\"\n  version = \"1.5.0\"\n  values = [yamlencode({{ replicas = {it} }})]\n}}\n"
            )
        }),
    )
}

fn locals(count: usize) -> Texts {
    let chain = many(count, |it| match it % 10 {
        0 => format!("  a{it} = \"x\"\n"),
        _ => format!("  a{it} = \"${{local.a{}}}x\"\n", it - 1),
    });
    let release =
        "resource \"helm_release\" \"k\" {\n  name = local.a9\n  chart = \"karpenter\"\n}\n";
    one("main.tf", format!("locals {{\n{chain}}}\n{release}"))
}

fn entries(count: usize) -> Texts {
    // Objects of a hundred: hcl-edit compares each key of one with all before it.
    let object = |it: usize| {
        format!("  a{it} = {{\n{}  }}\n", many(100, |key| format!("    k{key} = {key}\n")))
    };
    let release = "resource \"helm_release\" \"k\" {\n  name = \"k\"\n  chart = \"karpenter\"\n  values = [yamlencode(local.a0)]\n}\n";
    one("main.tf", format!("locals {{\n{}}}\n{release}", many(count.div_ceil(20), object)))
}

fn dynamic(count: usize) -> Texts {
    one(
        "main.tf",
        format!(
            "resource \"aws_eks_node_group\" \"x\" {{\n  node_group_name = \"x\"\n  dynamic \"taint\" {{\n    for_each = range({count})\n    content {{\n      key = \"k${{taint.value}}\"\n      effect = \"NO_SCHEDULE\"\n    }}\n  }}\n}}\n"
        ),
    )
}

fn templates(count: usize) -> Texts {
    let main = many(count, |it| {
        format!(
            "resource \"helm_release\" \"r{it}\" {{\n  name = \"karpenter\"\n  chart = \"karpenter\"\n  values = [templatefile(\"${{path.module}}/t.tftpl\", {{ a = \"x{it}\" }})]\n}}\n"
        )
    });
    vec![
        ("main.tf".to_owned(), main),
        ("t.tftpl".to_owned(), "settings:\n  clusterName: ${a}\n".to_owned()),
    ]
}

fn documents(count: usize) -> Texts {
    one(
        "a.yaml",
        node_pool(0, "team", "a")
            + &many(count, |it| {
                format!(
                    "---\napiVersion: v1\nkind: Service\nmetadata:\n  name: s{it}\nspec:\n  selector: {{app: s{it}}}\n"
                )
            }),
    )
}

fn workload(it: usize) -> String {
    format!(
        "---\napiVersion: apps/v1\nkind: StatefulSet\nmetadata:\n  name: s{it}\nspec:\n  replicas: 3\n  selector:\n    matchLabels: {{app: s{it}}}\n  template:\n    metadata:\n      labels: {{app: s{it}}}\n    spec:\n      containers: [{{name: a, image: b}}]\n"
    )
}

fn node_pool(it: usize, key: &str, value: &str) -> String {
    format!(
        "---\napiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata:\n  name: p{it}\nspec:\n  template:\n    spec:\n      nodeClassRef: {{group: karpenter.k8s.aws, kind: EC2NodeClass, name: d}}\n      requirements:\n        - {{key: {key}, operator: In, values: [{value}]}}\n"
    )
}

fn objects(count: usize) -> Texts {
    let file = |it| (format!("apps/a{it}.yaml"), workload(it));
    (0..count).map(file).chain([("p.yaml".to_owned(), node_pool(0, "team", "a"))]).collect()
}

/// Eight to a folder, which are applied together: between the pools of one folder each pair is looked at.
fn in_folders(count: usize, pool: impl Fn(usize) -> String) -> Texts {
    let file = |it: usize| (format!("cluster-{}/pool-{it}.yaml", it / 8), pool(it));
    (0..count).map(file).collect()
}

fn pools(count: usize) -> Texts {
    in_folders(count, |it| node_pool(it, "team", &format!("t{it}")))
}

fn equal_pools(count: usize) -> Texts {
    in_folders(count, |it| node_pool(it, "team", "a"))
}

fn budgets(count: usize) -> Texts {
    let budget = |it: usize| {
        format!(
            "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata:\n  name: b{it}\nspec:\n  maxUnavailable: 0\n  selector:\n    matchLabels: {{app: s{it}}}\n"
        )
    };
    one("a.yaml", node_pool(0, "team", "a") + &many(count, workload) + &many(count, budget))
}

fn groups(count: usize) -> Texts {
    let group = |it| {
        format!(
            "resource \"aws_eks_node_group\" \"g{it}\" {{\n  cluster_name = \"c\"\n  node_group_name = \"g{it}\"\n  labels = {{ team = \"t{it}\" }}\n}}\n"
        )
    };
    let head = "resource \"helm_release\" \"karpenter\" {\n  name = \"karpenter\"\n  chart = \"karpenter\"\n  version = \"1.5.0\"\n}\n";
    vec![
        ("main.tf".to_owned(), format!("{head}{}", many(20, group))),
        ("a.yaml".to_owned(), many(count, workload)),
    ]
}

fn chart(folder: &str, name: &str, dependencies: &str) -> Texts {
    vec![
        (
            format!("{folder}/Chart.yaml"),
            format!("apiVersion: v2\nname: {name}\nversion: 1.0.0\n{dependencies}"),
        ),
        (format!("{folder}/values.yaml"), "name: x\n".to_owned()),
        (
            format!("{folder}/templates/a.yaml"),
            workload(0).replace("name: s0", "name: {{ .Values.name }}"),
        ),
    ]
}

fn charts(count: usize) -> Texts {
    let all = (0..count).flat_map(|it| chart(&format!("charts/c{it}"), &format!("c{it}"), ""));
    all.chain([("p.yaml".to_owned(), node_pool(0, "team", "a"))]).collect()
}

fn aliases(count: usize) -> Texts {
    let named = |below: usize| {
        let one = |it| {
            format!(
                "  - name: c{below}\n    alias: a{it}\n    version: 1.0.0\n    repository: file://../c{below}\n"
            )
        };
        format!("dependencies:\n{}", many(count, one))
    };
    let all = chart("c0", "c0", &named(1)).into_iter().chain(chart("c1", "c1", ""));
    all.chain([("p.yaml".to_owned(), node_pool(0, "team", "a"))]).collect()
}

fn switches(count: usize) -> Texts {
    let mut all = chart("c", "c", "");
    all[1].1 = many(count, |it| format!("part{it}: {{enabled: false}}\n"));
    all.truncate(2);
    all.extend((0..count).map(|it| {
        let text =
            format!("{{{{- if .Values.part{it}.enabled }}}}\n{}\n{{{{- end }}}}\n", workload(it));
        (format!("c/templates/t{it}.yaml"), text)
    }));
    all.push(("p.yaml".to_owned(), node_pool(0, "team", "a")));
    all
}

fn loops(count: usize) -> Texts {
    let mut all = chart("c", "c", "");
    let body = workload(0).replace("name: s0", "name: s{{ $i }}");
    all[2].1 = format!("{{{{- range $i := until {count} }}}}\n{body}\n{{{{- end }}}}\n");
    all.push(("p.yaml".to_owned(), node_pool(0, "team", "a")));
    all
}

fn sets(count: usize) -> Texts {
    let set = |it| format!("  set {{\n    name = \"settings.a{it}\"\n    value = \"{it}\"\n  }}\n");
    one(
        "main.tf",
        format!(
            "resource \"helm_release\" \"k\" {{\n  name = \"karpenter\"\n  chart = \"karpenter\"\n  version = \"1.5.0\"\n{}}}\n",
            many(count, set)
        ),
    )
}

fn applications(count: usize) -> Texts {
    one(
        "a.yaml",
        many(count, |it| {
            format!(
                "---\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: k{it}\nspec:\n  project: default\n  destination: {{namespace: karpenter, name: c{it}}}\n  source:\n    repoURL: public.ecr.aws/karpenter\n    chart: karpenter\n    targetRevision: 1.5.0\n    helm:\n      values: |\n        settings:\n          clusterName: c{it}\n"
            )
        }),
    )
}

fn overlays(count: usize) -> Texts {
    let overlay = |it| {
        (format!("o{it}/kustomization.yaml"), format!("resources: [../base]\nnamespace: n{it}\n"))
    };
    let base = [
        ("base/kustomization.yaml".to_owned(), "resources: [a.yaml]\n".to_owned()),
        ("base/a.yaml".to_owned(), node_pool(0, "team", "a") + &many(10, workload)),
    ];
    (0..count).map(overlay).chain(base).collect()
}

fn overlaid(count: usize) -> Texts {
    vec![
        ("o/kustomization.yaml".to_owned(), "resources: [../base]\nnamePrefix: x-\n".to_owned()),
        ("base/kustomization.yaml".to_owned(), "resources: [a.yaml]\n".to_owned()),
        ("base/a.yaml".to_owned(), node_pool(0, "team", "a") + &many(count, workload)),
    ]
}

fn commands(count: usize) -> Texts {
    one(
        "up.sh",
        many(count, |it| {
            format!(
                "helm upgrade --install k{it} oci://public.ecr.aws/karpenter/karpenter --version 1.5.0 --set settings.clusterName=c{it}\n"
            )
        }),
    )
}

fn allowances(count: usize) -> Texts {
    one(
        "a.yaml",
        node_pool(0, "team", "a")
            + &"# karplint: allow unbounded-nodepool because of x\n".repeat(count),
    )
}

fn duplicates(count: usize) -> Texts {
    one("a.yaml", format!("kind: karpenter\n{}", "a: 1\n".repeat(count)))
}

fn broken(count: usize) -> Texts {
    one("a.yaml", "---\nkind: NodePool # karpenter.sh\na: [1\nb: }\n".repeat(count))
}

fn anchors(count: usize) -> Texts {
    let pool = node_pool(0, "team", "a");
    one(
        "a.yaml",
        format!(
            "{pool}---\na: &a {{x: 1, y: 2}}\n{}",
            many(count, |it| format!("b{it}:\n  <<: *a\n"))
        ),
    )
}

fn policies(count: usize) -> Texts {
    let policy = |it| {
        format!(
            "---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata:\n  name: p{it}\nspec:\n  matchConstraints:\n    resourceRules:\n      - {{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [statefulsets]}}\n  validations:\n    - expression: object.spec.replicas < {it}\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata:\n  name: p{it}\nspec:\n  policyName: p{it}\n  validationActions: [Deny]\n"
        )
    };
    one("a.yaml", node_pool(0, "team", "a") + &many(10, workload) + &many(count, policy))
}
