//! `karplint show placement` and `show disruption`: where pods can run, and what each event does with them.

use std::{fs, path::Path, time::Duration, time::Instant};

use karplint::{config::Config, lint, project::Project, show};
use serde_json::Value;

use super::{err, out, repository, run};

/// What `show` prints of the shop in `tests/views`, and where that is recorded.
const VIEWS: [(&[&str], &str); 6] = [
    (&["placement"], "placement.txt"),
    (&["placement", "--format", "json"], "placement.json"),
    (&["placement", "--format", "markdown"], "placement.md"),
    (&["disruption"], "disruption.txt"),
    (&["disruption", "--format", "json"], "disruption.json"),
    (&["disruption", "--format", "markdown"], "disruption.md"),
];

fn shown(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, &[&["show"], arguments].concat());
    assert_eq!((output.status.code(), &*err(&output)), (Some(0), ""));
    out(&output)
}

fn views() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/views"))
}

fn shop() -> tempfile::TempDir {
    let paths = ["infra/main.tf", "karpenter/pools.yaml", "agents/agents.yaml"];
    let apps = ["apps/finance.yaml", "apps/ml.yaml", "apps/reports.yaml", "apps/shop.yaml"];
    let read = |it: &str| fs::read_to_string(views().join("shop").join(it)).unwrap();
    let files: Vec<(&str, String)> =
        paths.into_iter().chain(apps).map(|it| (it, read(it))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, &**text)).collect();
    repository(&files)
}

#[test]
fn the_views_look_as_they_did() {
    let folder = shop();
    for (arguments, name) in VIEWS {
        let text = shown(folder.path(), arguments);
        let path = views().join(name);
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, &text).unwrap();
        }
        let recorded = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(text, recorded, "BLESS=1 cargo test --test karplint writes {name}");
    }
}

/// What is written of a pool, its pods and their controller.
#[derive(Default)]
struct Case {
    /// The version of Karpenter.
    karpenter: &'static str,
    /// `spec.template.spec` of the pool, beside its class.
    nodes: &'static str,
    /// `spec.disruption` of the pool.
    disruption: &'static str,
    /// Values of the chart, in HCL.
    settings: &'static str,
    /// `metadata` of the pods, beside their labels.
    annotations: &'static str,
    /// `spec` of the pods, beside their container.
    pods: &'static str,
    /// `spec` of the controller.
    controller: &'static str,
    /// `spec` of their PDB, beside its selector.
    pdb: &'static str,
}

/// One letter for each event: never, one by one, drained, forced after, blocked, killed, not on Karpenter,
/// unknown.
fn fates(case: &Case) -> String {
    let version = if case.karpenter.is_empty() { "1.12.0" } else { case.karpenter };
    let is_old = version.starts_with("0.");
    let (api, class) = if is_old {
        ("karpenter.sh/v1beta1", "name: default")
    } else {
        ("karpenter.sh/v1", "group: karpenter.k8s.aws, kind: EC2NodeClass, name: default")
    };
    let pool = format!(
        "apiVersion: {api}\nkind: NodePool\nmetadata: {{ name: general }}\nspec:\n  disruption: {{ {} }}\n  template:\n    spec:\n      \
         nodeClassRef: {{ {class} }}\n      requirements: []\n{}\n",
        case.disruption, case.nodes
    );
    let pods = format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{ name: web, namespace: shop }}\nspec:\n  {}\n  selector: {{ matchLabels: {{ app: web }} }}\n  \
         template:\n    metadata: {{ labels: {{ app: web }}, {} }}\n    spec:\n      containers: [{{ name: web, image: web }}]\n{}\n",
        case.controller, case.annotations, case.pods
    );
    let pdb = format!(
        "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {{ name: web, namespace: shop }}\nspec: {{ {}, selector: {{ matchLabels: {{ app: web }} }} }}\n",
        case.pdb
    );
    let settings =
        if case.settings.is_empty() { "interruptionQueue = \"shop\"" } else { case.settings };
    let release = format!(
        "resource \"helm_release\" \"karpenter\" {{\n  name = \"karpenter\"\n  namespace = \"kube-system\"\n  repository = \"oci://public.ecr.aws/karpenter\"\n  \
         chart = \"karpenter\"\n  version = \"{version}\"\n  values = [yamlencode({{ settings = {{ clusterName = \"shop\", {settings} }} }})]\n}}\n"
    );
    let mut files = vec![("pool.yaml", &*pool), ("web.yaml", &*pods), ("main.tf", &*release)];
    if !case.pdb.is_empty() {
        files.push(("pdb.yaml", &*pdb));
    }
    let folder = repository(&files);
    let said: Value =
        serde_json::from_str(&shown(folder.path(), &["disruption", "--format", "json"])).unwrap();
    let workloads = said["clusters"][0]["workloads"].as_array().unwrap();
    let web = workloads.iter().find(|it| it["name"] == "web").unwrap();
    let letter = |event: &str| match web["events"][event]["outcome"].as_str().unwrap() {
        "never" => 'n',
        "one-by-one" => 'o',
        "drained" => 'd',
        "forced-after" => 'f',
        "blocked" => 'b',
        "killed" => 'k',
        "not-on-karpenter" => 'a',
        _ => '?',
    };
    let events = [
        "consolidation",
        "drift",
        "expiration",
        "interruption",
        "health",
        "deletion",
        "pool_removal",
    ];
    events.map(letter).into_iter().collect()
}

const KEEP: &str = "annotations: { karpenter.sh/do-not-disrupt: 'true' }";
const LIMIT: &str = "      terminationGracePeriod: 24h";

/// What makes another case of the plain one.
type Variation = fn(&mut Case);

/// What holds the pods, how the plain case becomes that, and the first letters of what happens to them: consolidation,
/// drift, expiration, interruption, repair, deletion, removal of the pool.
const EVENTS: [(&str, Variation, &str); 25] = [
    ("nothing holds the pods", |_| {}, "ddddndd"),
    ("they may go one by one", |it| it.pdb = "maxUnavailable: 1", "oooonoo"),
    ("the PDB lets none go", |it| it.pdb = "maxUnavailable: 0", "bbbknbb"),
    ("as many have to stay as there are", |it| it.pdb = "minAvailable: 3", "bbbknbb"),
    ("a limit ends drains", |it| (it.pdb, it.nodes) = ("maxUnavailable: 0", LIMIT), "bffknff"),
    ("an annotation keeps them", |it| it.annotations = KEEP, "bbbknbb"),
    ("and a limit ends drains", |it| (it.annotations, it.nodes) = (KEEP, LIMIT), "bffknff"),
    (
        "for four hours",
        |it| it.annotations = "annotations: { karpenter.sh/do-not-disrupt: 4h }",
        "fffknff",
    ),
    (
        "an older Karpenter knows no durations",
        |it| {
            it.annotations = "annotations: { karpenter.sh/do-not-disrupt: 4h }";
            it.karpenter = "1.8.2";
        },
        "ddddndd",
    ),
    (
        "before 1.0 the annotation holds no drain that has begun",
        |it| (it.annotations, it.karpenter) = (KEEP, "0.37.0"),
        "bbbdndd",
    ),
    (
        "before 1.0 an older annotation does the same",
        |it| {
            it.annotations = "annotations: { karpenter.sh/do-not-evict: 'true' }";
            it.karpenter = "0.37.0";
        },
        "bbbdndd",
    ),
    (
        "before 1.0 a PDB does",
        |it| (it.pdb, it.karpenter) = ("maxUnavailable: 0", "0.37.0"),
        "bbbknbb",
    ),
    (
        "they tolerate the taint of a drain",
        |it| it.pods = "      tolerations: [{ operator: Exists }]",
        "kkkknkk",
    ),
    (
        "they tolerate the taint of another version",
        |it| {
            it.pods = "      tolerations: [{ key: karpenter.sh/disruption, operator: Exists }]";
        },
        "ddddndd",
    ),
    ("nodes do not expire", |it| it.nodes = "      expireAfter: Never", "ddndndd"),
    ("nodes are not consolidated", |it| it.disruption = "consolidateAfter: Never", "ndddndd"),
    (
        "only empty nodes are",
        |it| it.disruption = "consolidationPolicy: WhenEmpty, consolidateAfter: 1m",
        "ndddndd",
    ),
    (
        "a budget allows no node",
        |it| it.disruption = "consolidateAfter: 0s, budgets: [{ nodes: '0' }]",
        "bbddndd",
    ),
    (
        "a budget allows no drift",
        |it| {
            it.disruption = "consolidateAfter: 0s, budgets: [{ nodes: '0', reasons: [Drifted] }, { nodes: '1' }]";
        },
        "dbddndd",
    ),
    (
        "a budget allows no node by day",
        |it| {
            it.disruption = "consolidateAfter: 0s, budgets: [{ nodes: '0', schedule: '0 9 * * *', duration: 8h }]";
        },
        "ddddndd",
    ),
    ("nobody hears of interruptions", |it| it.settings = "isolatedVPC = false", "dddkndd"),
    (
        "nodes are repaired",
        |it| it.settings = "interruptionQueue = \"shop\", featureGates = { nodeRepair = true }",
        "ddddkdd",
    ),
    (
        "they take longer to stop than a drain may",
        |it| {
            it.pods = "      terminationGracePeriodSeconds: 600";
            it.nodes = "      terminationGracePeriod: 5m";
        },
        "fffknff",
    ),
    ("there are none", |it| it.controller = "replicas: 0", "nnnnnnn"),
    (
        "they ask for other nodes",
        |it| it.pods = "      nodeSelector: { eks.amazonaws.com/nodegroup: system }",
        "aaaaaaa",
    ),
];

#[test]
fn each_event_does_what_karpenter_does() {
    let plain = Case { controller: "replicas: 3", ..Case::default() };
    let with = |change: fn(&mut Case)| {
        let mut case = Case { controller: plain.controller, ..Case::default() };
        change(&mut case);
        fates(&case)
    };
    for (why, change, wanted) in EVENTS {
        assert_eq!(with(change), wanted, "{why}");
    }
}

#[test]
fn names_on_the_page_are_only_names() {
    let hostile = "</script><img src=x onerror=alert(1)>";
    let folder = shop();
    let path = folder.path().join("apps/strange.yaml");
    let text = format!(
        "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {{ name: '{hostile}', namespace: shop }}\nspec:\n  selector: {{ matchLabels: {{ a: b }} }}\n  \
         template:\n    metadata: {{ labels: {{ a: b }} }}\n    spec: {{ containers: [{{ name: a, image: a }}] }}\n"
    );
    fs::write(path, text).unwrap();
    let page = shown(folder.path(), &["placement", "--format", "html"]);
    assert!(!page.contains("<img") && page.matches("</script>").count() == 2);
    let data = page.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
    let data: Value = serde_json::from_str(data).unwrap();
    let pods = data["clusters"][0]["pods"].as_array().unwrap();
    assert!(pods.iter().any(|it| it["n"] == hostile));
    for tag in ["http-equiv=\"Content-Security-Policy\"", "role=\"tablist\"", "lang=\"en\""] {
        assert!(page.contains(tag), "{tag}");
    }
    assert!(!page.contains("http://") || !page.contains("src=\"http"), "nothing is loaded");
}

#[test]
fn the_page_works_in_a_browser() {
    let Some(browser) = crate::reports::page::browser() else { return };
    let page = shown(shop().path(), &["--format", "html"]);
    let script = "
        const tab = (name) => document.querySelector(`[data-view=${name}]`).click();
        tab('map');
        const edges = document.querySelectorAll('.map path').length;
        const cards = document.querySelectorAll('.map .card').length;
        document.querySelector('.map .card').click();
        const detail = document.querySelector('#detail').textContent;
        document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
        const closed = document.querySelector('#detail').hidden;
        tab('disruption');
        const rows = document.querySelectorAll('.matrix tbody tr').length;
        document.querySelector('.cell.killed').click();
        const why = document.querySelector('.why').textContent;
        const search = document.querySelector('#search');
        search.value = 'vault';
        search.dispatchEvent(new Event('input'));
        const found = document.querySelectorAll('.matrix tbody tr').length;
        tab('order');
        const nodes = document.querySelectorAll('#order svg rect').length;
        const loaded = performance.getEntriesByType('resource').map((it) => it.name);
        const wide = document.documentElement.scrollWidth <= innerWidth;
        const themes = ['vscode-dark', 'vscode-light'].map((theme) => {
            document.body.className = theme;
            return [theme, getComputedStyle(document.body).backgroundColor];
        });
        tell({ edges, cards, detail, closed, rows, why, found, nodes, loaded, wide, themes, wrong });";
    for flags in
        [&["--window-size=1200,900"][..], &["--window-size=500,900"], &["--force-dark-mode"]]
    {
        let told = crate::reports::page::told(browser, &page, script, flags);
        for name in ["wrong", "loaded"] {
            assert_eq!(told[name], Value::Array(Vec::new()), "{name}");
        }
        assert_eq!(
            (&told["closed"], &told["wide"], &told["found"]),
            (&true.into(), &true.into(), &1.into())
        );
        for name in ["edges", "cards", "rows", "nodes"] {
            assert!(told[name].as_u64().is_some_and(|it| it > 3), "{name} in {told}");
        }
        assert!(told["detail"].as_str().unwrap().contains("can run on"), "{told}");
        assert!(told["why"].as_str().unwrap().contains("killed"), "{told}");
        // Whatever the system has, the page in an editor has the editor's theme.
        let themes = [["vscode-dark", "rgb(20, 23, 29)"], ["vscode-light", "rgb(246, 247, 249)"]];
        assert_eq!(told["themes"], serde_json::json!(themes));
    }
}

/// How long it takes to say where so many workloads run, on ten pools.
fn time_of(workloads: usize) -> Duration {
    let pool = |it: usize| {
        format!(
            "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{ name: p{it} }}\nspec:\n  template:\n    spec:\n      \
             nodeClassRef: {{ group: karpenter.k8s.aws, kind: EC2NodeClass, name: default }}\n      taints: [{{ key: t{it}, effect: NoSchedule }}]\n      requirements: []\n"
        )
    };
    let pods = |it: usize| {
        format!(
            "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {{ name: w{it}, namespace: shop }}\nspec:\n  selector: {{ matchLabels: {{ app: w{it} }} }}\n  \
             template:\n    metadata: {{ labels: {{ app: w{it} }} }}\n    spec:\n      tolerations: [{{ key: t{} }}]\n      containers: [{{ name: a, image: a }}]\n",
            it % 10
        )
    };
    let pools: Vec<String> = (0..10).map(pool).collect();
    let all: Vec<String> = (0..workloads).map(pods).collect();
    let files = vec![
        ("pools.yaml".to_owned(), pools.join("---\n")),
        ("pods.yaml".to_owned(), all.join("---\n")),
    ];
    let project = Project::from_memory(files);
    let config =
        Config { all_workloads: true, only: vec!["unreadable".to_owned()], ..Config::default() };
    let outcome = lint::run(&project, &config);
    let once = || {
        let start = Instant::now();
        let found = show::landing(&[(&project, &outcome)], None).unwrap();
        assert_eq!(found[0].pods.len(), workloads);
        start.elapsed()
    };
    (0..3).map(|_| once()).min().unwrap()
}

#[test]
fn the_time_grows_with_the_number_of_workloads_and_no_faster() {
    let (few, many) = (time_of(200), time_of(1_600));
    assert!(many < few * 24, "{few:?} for 200, {many:?} for 1,600");
}

/// What is said of the consolidation of a pool with these requirements and this policy.
fn consolidation(requirements: &str, policy: &str, gates: &str) -> String {
    let pool = format!(
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{ name: general }}\nspec:\n  disruption: {{ consolidateAfter: 5m, {policy} }}\n  \
         template:\n    spec:\n      nodeClassRef: {{ group: karpenter.k8s.aws, kind: EC2NodeClass, name: default }}\n      requirements: [{requirements}]\n"
    );
    let pods = "apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web, namespace: shop }\nspec:\n  replicas: 2\n  \
         selector: { matchLabels: { app: web } }\n  template:\n    metadata: { labels: { app: web } }\n    spec:\n      containers: [{ name: web, image: web }]\n";
    let release = format!(
        "resource \"helm_release\" \"karpenter\" {{\n  name = \"karpenter\"\n  namespace = \"kube-system\"\n  repository = \"oci://public.ecr.aws/karpenter\"\n  \
         chart = \"karpenter\"\n  version = \"1.14.1\"\n  values = [yamlencode({{ settings = {{ clusterName = \"shop\", interruptionQueue = \"shop\"{gates} }} }})]\n}}\n"
    );
    let files = [("pool.yaml", &*pool), ("web.yaml", pods), ("main.tf", &*release)];
    let folder = repository(&files);
    let said: Value =
        serde_json::from_str(&shown(folder.path(), &["disruption", "--format", "json"])).unwrap();
    let workloads = said["clusters"][0]["workloads"].as_array().unwrap();
    let web = workloads.iter().find(|it| it["name"] == "web").unwrap();
    web["events"]["consolidation"].to_string()
}

#[test]
fn consolidation_says_when_it_replaces_nodes() {
    let spot = "{ key: karpenter.sh/capacity-type, operator: In, values: [spot] }";
    let three = format!(
        "{spot}, {{ key: node.kubernetes.io/instance-type, operator: In, values: [m5.large, m6i.large, c5.large] }}"
    );
    let either = "{ key: karpenter.sh/capacity-type, operator: In, values: [spot, on-demand] }";
    let families = "{ key: karpenter.k8s.aws/instance-family, operator: Exists, minValues: 5 }";
    let on = ", featureGates = { spotToSpotConsolidation = true }";
    for (requirements, policy, gates, wanted) in [
        (spot, "", "", Some("`spotToSpotConsolidation` is off")),
        (spot, "", on, None),
        (&*three, "", on, Some("15 instance types are cheaper: the pool has 3")),
        (either, "", "", None),
        (families, "", "", Some("5 values of `karpenter.k8s.aws/instance-family`")),
        (either, "consolidationPolicy: Balanced", "", Some("saves enough")),
    ] {
        let said = consolidation(requirements, policy, gates);
        let conditions = ["spotToSpotConsolidation", "cheaper", "saves enough"];
        match wanted {
            Some(wanted) => assert!(said.contains(wanted), "{wanted}: {said}"),
            None => assert!(!conditions.iter().any(|it| said.contains(it)), "{said}"),
        }
    }
}
