//! Which resource waits for which: karplint's answers and those of `terraform graph`.
//!
//! The roots are made of `terraform_data` and local modules: those of `orders.txt`, written by hand, and
//! generated ones. `graphs.txt` holds what Terraform 1.11 answers for each; `BLESS=1` writes it where there is
//! a `terraform`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    path::Path,
    process::Command,
};

use crate::resolve::terraform::{
    graph::Reach,
    object::{Mode, without_keys},
    tests::{Project, generated},
};

/// How many roots are generated.
const GENERATED: u64 = 160;

/// That one resource waits for another, directly or not, by their addresses without keys.
type Edges = BTreeSet<(String, String)>;

/// All roots, each with a title.
fn roots() -> Vec<(String, generated::Root)> {
    let mut all: Vec<(String, generated::Root)> = Vec::new();
    for line in include_str!("orders.txt").lines() {
        if let Some(title) = line.strip_prefix("=== ") {
            all.push((title.to_owned(), Vec::new()));
            continue;
        }
        let Some((_, files)) = all.last_mut() else { continue };
        match (line.strip_prefix("--- "), files.last_mut()) {
            (Some(path), _) => files.push((path.to_owned(), String::new())),
            (None, Some((_, text))) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    let generated = |number| (format!("generated {number}"), generated::root(number));
    all.extend((1..=GENERATED).map(generated));
    all
}

/// What Terraform answered, by title.
fn recorded() -> BTreeMap<&'static str, Edges> {
    let mut all: BTreeMap<&str, Edges> = BTreeMap::new();
    let mut title = "";
    for line in include_str!("graphs.txt").lines() {
        if let Some((from, to)) = line.split_once(" -> ") {
            all.entry(title).or_default().insert((from.to_owned(), to.to_owned()));
        } else {
            title = line;
            all.insert(title, Edges::new());
        }
    }
    all
}

/// Everything that follows from edges.
fn closed(edges: &Edges) -> Edges {
    let mut next: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in edges {
        next.entry(from).or_default().push(to);
    }
    let mut all = Edges::new();
    for start in next.keys() {
        let mut waiting = vec![*start];
        while let Some(node) = waiting.pop() {
            for to in next.get(node).into_iter().flatten() {
                if all.insert(((*start).to_owned(), (*to).to_owned())) {
                    waiting.push(to);
                }
            }
        }
    }
    all.retain(|(from, to)| !is_data(from) && !is_data(to));
    all
}

fn is_data(address: &str) -> bool {
    address.starts_with("data.") || address.contains(".data.")
}

/// What waits for what, as karplint sees it.
fn ours(files: &[(String, String)]) -> Edges {
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let project = Project::new(&files);
    assert!(project.terraform.parse_errors.is_empty(), "{:?}", project.terraform.parse_errors);
    let root = project.root("");
    let made = root.objects.iter().filter(|it| it.mode == Mode::Resource);
    let names: BTreeMap<_, String> = made.map(|it| (it.node, without_keys(&it.address))).collect();
    let mut edges = Edges::new();
    for (node, from) in &names {
        for (other, wait) in root.needs(*node) {
            assert!(wait.is_some(), "{from} waits, but nothing says so");
            edges.insert((from.clone(), names[&other].clone()));
        }
    }
    closed(&edges)
}

/// What `terraform graph` says.
#[expect(clippy::disallowed_methods, reason = "Terraform reads the disk")]
fn theirs(files: &[(String, String)]) -> Edges {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    if files.len() > 1 {
        terraform(folder.path(), &["get"]);
    }
    let graph = terraform(folder.path(), &["graph"]);
    let edge = |line: &str| {
        let (from, to) = line.trim().trim_end_matches(';').split_once(" -> ")?;
        Some((from.trim_matches('"').to_owned(), to.trim_matches('"').to_owned()))
    };
    graph.lines().filter_map(edge).collect()
}

fn terraform(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("terraform")
        .args(arguments)
        .current_dir(folder)
        .env("CHECKPOINT_DISABLE", "1")
        .output()
        .expect("terraform runs");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?} in {}: {complaint}", folder.display());
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn edges_are_those_of_terraform_graph() {
    let (roots, recorded) = (roots(), recorded());
    assert!(roots.len() >= 150, "only {} roots", roots.len());
    let mut wrong = Vec::new();
    for (title, files) in &roots {
        let theirs = recorded.get(&**title).unwrap_or_else(|| panic!("`{title}` has no answer"));
        let (ours, theirs) = (ours(files), closed(theirs));
        let missing: Vec<_> = theirs.difference(&ours).collect();
        let surplus: Vec<_> = ours.difference(&theirs).collect();
        if !missing.is_empty() || !surplus.is_empty() {
            wrong.push(format!("{title}: missing {missing:?}, surplus {surplus:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ\n{}", wrong.len(), roots.len(), wrong.join("\n"));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the answers are data of the tests")]
fn recorded_graphs_are_terraforms() {
    if !karplint_test_tools::can_run("terraform") {
        return;
    }
    let answers = roots().into_iter().map(|(title, files)| (title, theirs(&files)));
    let answers: Vec<(String, Edges)> = answers.collect();
    if std::env::var_os("BLESS").is_some() {
        let mut text = String::new();
        for (title, edges) in &answers {
            let _ = writeln!(text, "{title}");
            for (from, to) in edges {
                let _ = writeln!(text, "{from} -> {to}");
            }
        }
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/resolve/terraform/tests/graphs.txt");
        std::fs::write(path, text).expect("the file is written");
        return;
    }
    let recorded = recorded();
    for (title, edges) in &answers {
        assert!(recorded.get(&**title) == Some(edges), "`{title}` differs: run with BLESS=1");
    }
}

const PROVIDERS: &str = r#"
resource "aws_eks_cluster" "blue" {}
resource "aws_eks_node_group" "blue" { cluster_name = aws_eks_cluster.blue.name }
data "aws_eks_cluster" "ready" {
  name       = aws_eks_cluster.blue.name
  depends_on = [aws_eks_node_group.blue]
}
provider "helm" {
  kubernetes { host = aws_eks_cluster.blue.endpoint }
}
provider "kubectl" {
  alias = "ready"
  host  = data.aws_eks_cluster.ready.endpoint
}
resource "helm_release" "plain" {}
resource "kubectl_manifest" "ready" { provider = kubectl.ready }
resource "kubectl_manifest" "other" {}
module "inherits" { source = "./m" }
module "passed" {
  source    = "./m"
  providers = { kubectl = kubectl.ready }
}
"#;

#[test]
fn a_resource_waits_for_what_its_provider_is_configured_with() {
    let module = "resource \"helm_release\" \"r\" {}\nresource \"kubectl_manifest\" \"m\" {}\n";
    let project = Project::new(&[("main.tf", PROVIDERS), ("m/main.tf", module)]);
    for (from, cluster, group) in [
        ("helm_release.plain", true, false),
        ("kubectl_manifest.ready", true, true),
        ("kubectl_manifest.other", false, false),
        ("module.inherits.helm_release.r", true, false),
        ("module.inherits.kubectl_manifest.m", false, false),
        ("module.passed.kubectl_manifest.m", true, true),
        ("module.passed.helm_release.r", true, false),
    ] {
        let waits = |to: &str| project.waits(from, to);
        assert_eq!(waits("aws_eks_cluster.blue"), cluster, "{from}");
        assert_eq!(waits("aws_eks_node_group.blue"), group, "{from}");
    }
}

#[test]
fn it_is_known_which_outputs_of_a_module_elsewhere_are_needed() {
    let main = r#"
module "far" { source = "example/far/aws" }
locals { name = module.far.name }
resource "helm_release" "some" { name = "${local.name}-${module.far.role}" }
resource "helm_release" "all" { depends_on = [module.far] }
resource "helm_release" "splat" { name = one(module.far[*].name) }
resource "helm_release" "none" {}
"#;
    let project = Project::new(&[("main.tf", main)]);
    let call = project.object("module.far").node;
    let reach = |from: &str| project.root("").reach(project.object(from).node, call);
    let outputs = ["name", "role"].map(std::sync::Arc::from).into();
    assert_eq!(reach("helm_release.some"), Reach::Outputs(outputs));
    assert_eq!(reach("helm_release.all"), Reach::Whole);
    assert_eq!(reach("helm_release.splat"), Reach::Whole);
    assert_eq!(reach("helm_release.none"), Reach::Nothing);
}
