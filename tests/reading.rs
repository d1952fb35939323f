//! Files are opened no more often than needed, and only what may matter is kept.

#![expect(clippy::disallowed_methods, reason = "a scratch repository is written to the disk")]

use std::{fmt::Write, fs, path::Path};

use karplint::{config::Config, lint, project::Project};

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder can be made");
    fs::write(path, text).expect("a file can be written");
}

/// How many files a project of these texts has, how often one was opened, and how many are kept.
fn read(files: &[(&str, &str)]) -> (usize, usize, usize) {
    let folder = tempfile::tempdir().expect("a scratch folder");
    for (path, text) in files {
        write(folder.path(), path, text);
    }
    let project = Project::around(folder.path(), &|_| false).expect("the folder is there");
    let _ = lint::run(&project, &Config::default());
    let kept = project.files.iter().filter(|(_, it)| it.is_loaded()).count();
    (project.files.len(), project.loads(), kept)
}

#[test]
fn a_module_called_five_times_is_read_once() {
    let mut calls = String::new();
    for index in 0..5 {
        let _ = write!(calls, "module \"m{index}\" {{\n  source = \"./module\"\n}}\n");
    }
    let release =
        "resource \"helm_release\" \"karpenter\" {\n  name = \"k\"\n  chart = \"karpenter\"\n}\n";
    let files = [("main.tf", &*calls), ("module/main.tf", release), ("module/other.tf", "")];
    assert_eq!(read(&files), (3, 3, 3));
}

#[test]
fn variable_files_that_terraform_reads_by_itself_are_read_whatever_git_ignores() {
    let files = [
        (".gitignore", "*.tfvars\n"),
        ("main.tf", "variable \"a\" {}\n"),
        ("terraform.tfvars", "a = 1\n"),
        ("b.auto.tfvars", "a = 2\n"),
        ("prod.tfvars", "a = 3\n"),
    ];
    assert_eq!(read(&files), (4, 3, 3));
}

#[test]
fn manifests_are_opened_once_and_kept_if_they_may_matter() {
    let config_map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    let set = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: a}\n";
    let application =
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: karpenter}\n";
    let files = [
        (
            "main.tf",
            "resource \"helm_release\" \"k\" {\n  name = \"k\"\n  chart = \"karpenter\"\n}\n",
        ),
        ("a.yaml", config_map),
        ("b.yml", set),
        ("c.yaml", application),
        ("built/kustomization.yaml", "resources: [f.yaml]\n"),
        ("built/f.yaml", config_map),
        ("d.json", "{}"),
        ("e.sh", "echo no"),
    ];
    // The script is looked through for `helm`, for what it removes, and again because a finding hangs on what it
    // installs. A file that one thread is about to keep, another may look through meanwhile.
    let (all, opened, kept) = read(&files);
    assert_eq!((all, kept), (8, 5));
    assert!((10..=11).contains(&opened), "{opened}");
}

#[test]
fn files_are_opened_again_only_if_a_pdb_may_select_what_they_hold() {
    let pdb = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: shop}\n\
        spec: {selector: {matchLabels: {app: shop}}}\n";
    let workload = |app: &str| {
        format!("kind: Deployment\nspec: {{template: {{metadata: {{labels: {{app: {app}}}}}}}}}\n")
    };
    let (shop, other) = (workload("shop"), workload("other"));
    let map = ("map.yaml", "kind: ConfigMap\nmetadata: {name: shop}\n");
    let files = [("docs/a.yaml", &*shop), ("docs/b.yaml", &*other), map];
    assert_eq!(read(&files), (3, 3, 0));
    let files = [("docs/a.yaml", &*shop), ("docs/b.yaml", &*other), map, ("docs/pdb.yaml", pdb)];
    assert_eq!(read(&files), (4, 6, 2));
    // What is applied as it is is looked at again for what cannot be read of it.
    assert_eq!(read(&[("a.yaml", &*shop), map]), (2, 3, 1));
}

#[test]
fn code_is_opened_once_and_only_if_a_finding_hangs_on_it() {
    let release = |chart: &str| {
        format!(
            "resource \"helm_release\" \"{chart}\" {{\n  name = \"k\"\n  chart = \"{chart}\"\n}}\n"
        )
    };
    let alone = release("karpenter");
    let both = release("karpenter") + &release("karpenter-crd");
    // It answers neither question; one that does spares the rest.
    let script = ("crds.sh", "helm pull karpenter-crd # nodeclass");
    let binary = ("logo.py", "\0");
    let pools = "\
        apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: a}\n\
        spec: {template: {spec: {nodeClassRef: {name: gpu}}}}\n\
        ---\n\
        apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: cpu}\n";
    let reads = [
        read(&[("main.tf", &both), script, binary]),
        read(&[("main.tf", &alone), script, binary]),
        read(&[("main.tf", &both), ("a.yaml", pools), script, binary]),
        read(&[("main.tf", &alone), ("a.yaml", pools), script, binary]),
    ];
    // A script with `helm` in it is kept; the rest is opened only for a finding.
    assert_eq!(reads, [(3, 2, 2), (3, 3, 2), (4, 4, 3), (4, 4, 3)]);
}

#[test]
fn what_only_a_search_cannot_read_is_not_told() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let release = "resource \"helm_release\" \"k\" {\n  name = \"k\"\n  chart = \"karpenter\"\n}\n";
    write(folder.path(), "main.tf", release);
    write(folder.path(), "logo.py", "\0");
    write(folder.path(), "lost.yaml", "\0");
    let project = Project::around(folder.path(), &|_| false).expect("the folder is there");
    let skipped = lint::run(&project, &Config::default()).skipped;
    let paths: Vec<&str> = skipped.iter().map(|it| it.path.as_str()).collect();
    assert_eq!((project.loads(), paths), (3, vec!["lost.yaml"]));
}

#[test]
fn templates_are_looked_through_for_outputs_and_not_kept() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let fills =
        "resource \"aws_s3_object\" \"b\" {\n  content = templatefile(\"b.yaml.tpl\", {})\n}\n";
    write(folder.path(), "main.tf", &format!("output \"a\" {{\n  value = 1\n}}\n{fills}"));
    write(folder.path(), "a.yaml.tpl", "a: 1\n");
    write(folder.path(), "b.yaml.tpl", "apiVersion: karpenter.sh/v1\nkind: NodePool\n");
    let project = Project::around(folder.path(), &|_| false).expect("the folder is there");
    let skipped = lint::run(&project, &Config::default()).skipped;
    let paths: Vec<&str> = skipped.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(paths, ["a.yaml.tpl", "b.yaml.tpl"]);
}
