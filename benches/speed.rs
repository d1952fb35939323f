//! How fast a repository is checked, and with how much memory.
//!
//! `cargo bench` makes its own repository: 10,000 YAML documents and 500 Terraform files, or as many
//! documents as `-- --megabytes N` takes. The same numbers give the same bytes on every machine.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "a benchmark writes its own files, prints, and stops at what it did not expect"
)]

use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use clap::Parser;
use karplint::{
    config::Config,
    lint,
    project::Project,
    report::{Report, choice::Choice, json},
};

#[derive(Parser)]
struct Arguments {
    /// Kubernetes documents.
    #[arg(long, default_value_t = 10_000)]
    documents: usize,
    /// Terraform files.
    #[arg(long, default_value_t = 500)]
    terraform: usize,
    /// Make this many megabytes of YAML instead of a number of documents.
    #[arg(long)]
    megabytes: Option<usize>,
    /// One file in so many holds a `StatefulSet` with its PDB; 1 is the worst case.
    #[arg(long, default_value_t = 10)]
    stateful: usize,
    /// Rounds; the fastest counts.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Keep the repository in this folder.
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Passed by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

const DOCUMENTS_IN_A_FILE: usize = 10;
const FILES_IN_A_MODULE: usize = 5;
const MEGABYTE: f64 = 1024.0 * 1024.0;

fn main() {
    let arguments = Arguments::parse();
    let scratch = tempfile::tempdir().unwrap();
    let root = arguments.keep.clone().unwrap_or_else(|| scratch.path().to_path_buf());
    fs::create_dir_all(root.join(".git")).unwrap();
    let yaml = write_yaml(&root, &arguments);
    let hcl = write_terraform(&root, &arguments);
    let size = (yaml.bytes + hcl.bytes) as f64 / MEGABYTE;
    println!(
        "{} YAML documents in {} files, {} Terraform files, {size:.1} MB",
        yaml.documents, yaml.files, hcl.files
    );
    let _ = rayon::ThreadPoolBuilder::new().stack_size(8 << 20).build_global();
    let library = fastest(arguments.rounds, || in_process(&root));
    print_line("library", library, size, peak("self"));
    let mut memory = None;
    let program = fastest(arguments.rounds, || memory = memory.max(as_program(&root)));
    print_line("program", program, size, memory);
    match search(&root, arguments.rounds) {
        Some(time) => {
            print_line("ripgrep", time, size, None);
            let ratio = program.as_secs_f64() / time.as_secs_f64();
            println!("   ratio: {ratio:8.1} times the search of ripgrep");
        }
        None => println!(" ripgrep: is not installed"),
    }
    let small = tempfile::tempdir().unwrap();
    fs::create_dir_all(small.path().join(".git")).unwrap();
    write_terraform(small.path(), &Arguments { terraform: 10, ..arguments });
    let mut memory = None;
    let program = fastest(5, || memory = memory.max(as_program(small.path())));
    print_line("10 files", program, 0.0, memory);
}

fn fastest(rounds: usize, mut work: impl FnMut()) -> Duration {
    let time = |_| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    (0..rounds.max(1)).map(time).min().unwrap()
}

/// How long ripgrep takes to look for two words that most files have, where it is installed.
fn search(root: &Path, rounds: usize) -> Option<Duration> {
    let run = || {
        let mut command = Command::new("rg");
        command.args(["-c", "-e", "kind", "-e", "karpenter", "."]).current_dir(root);
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().ok()
    };
    run()?;
    Some(fastest(rounds, || {
        run();
    }))
}

fn print_line(what: &str, time: Duration, size: f64, memory: Option<u64>) {
    let seconds = time.as_secs_f64();
    let speed = if size > 0.0 { format!("{:7.0} MB/s", size / seconds) } else { String::new() };
    let memory =
        memory.map_or_else(String::new, |it| format!("  peak {:.0} MB", it as f64 / 1024.0));
    println!("{what:>8}: {:8.1} ms {speed}{memory}", seconds * 1000.0);
}

fn in_process(root: &Path) {
    let config = Config::default();
    let project = Project::around(root, &|_| false).unwrap();
    let outcome = lint::run(&project, &config);
    let report = Report::new(&project, &outcome, root, Choice::everything());
    assert!(json::render(&report).starts_with('{'));
}

/// Runs the program and returns its peak memory in kilobytes, where the system tells.
fn as_program(root: &Path) -> Option<u64> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_karplint"));
    command.args(["check", "--exit-zero", "--format", "json"]).current_dir(root);
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let mut memory = None;
    loop {
        memory = memory.max(peak(&child.id().to_string()));
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success());
            return memory;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The peak memory of a process in kilobytes.
fn peak(process: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|it| it.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[derive(Default)]
struct Written {
    documents: usize,
    files: usize,
    bytes: usize,
}

impl Written {
    fn write(&mut self, path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self.files += 1;
        self.bytes += text.len();
    }
}

fn write_yaml(root: &Path, arguments: &Arguments) -> Written {
    let mut written = Written::default();
    let wanted = arguments.megabytes.map(|it| it * (1 << 20));
    let more = |written: &Written| match wanted {
        Some(bytes) => written.bytes < bytes,
        None => written.documents < arguments.documents,
    };
    while more(&written) {
        let mut text = String::new();
        let special = written.files.is_multiple_of(arguments.stateful.max(1));
        for number in written.documents..written.documents + DOCUMENTS_IN_A_FILE {
            text += "---\n";
            text += &document(number, special);
        }
        written.documents += DOCUMENTS_IN_A_FILE;
        let path = format!("apps/team-{}/app-{}.yaml", written.files % 50, written.files);
        written.write(&root.join(path), &text);
    }
    written
}

/// What a repository of manifests is made of: mostly things that no rule looks at.
fn document(number: usize, special: bool) -> String {
    match number % DOCUMENTS_IN_A_FILE {
        0 if number.is_multiple_of(1000) => node_pool(number),
        0 if special => stateful_set(number),
        1 if special => pdb(number - 1),
        1 | 4 | 7 => service(number),
        2 | 5 | 8 => config_map(number),
        _ => deployment(number),
    }
}

fn header(api: &str, kind: &str, number: usize) -> String {
    format!(
        "apiVersion: {api}\nkind: {kind}\nmetadata:\n  name: app-{number}\n  namespace: team-{}\n  labels:\n    app.kubernetes.io/name: app-{number}\n    app.kubernetes.io/managed-by: hand\n",
        number % 50
    )
}

fn template(number: usize) -> String {
    let mut text = format!(
        "  template:\n    metadata:\n      labels:\n        app: app-{number}\n      annotations:\n        prometheus.io/scrape: \"true\"\n    spec:\n      containers:\n      - name: main\n        image: registry.example.com/team/app-{number}:1.{}.0\n        ports:\n        - containerPort: 8080\n          name: http\n        env:\n",
        number % 30
    );
    for index in 0..12 {
        let _ = write!(
            text,
            "        - name: SETTING_{index}\n          value: \"value {index} of {number}\"\n"
        );
    }
    text += "        resources:\n          requests: {cpu: 100m, memory: 128Mi}\n          limits: {memory: 256Mi}\n        livenessProbe:\n          httpGet: {path: /healthz, port: http}\n          periodSeconds: 10\n";
    text
}

fn deployment(number: usize) -> String {
    let spec =
        format!("spec:\n  replicas: 2\n  selector:\n    matchLabels:\n      app: app-{number}\n");
    header("apps/v1", "Deployment", number) + &spec + &template(number)
}

fn stateful_set(number: usize) -> String {
    let spec = format!(
        "spec:\n  replicas: 3\n  serviceName: app-{number}\n  selector:\n    matchLabels:\n      app: app-{number}\n"
    );
    header("apps/v1", "StatefulSet", number) + &spec + &template(number)
}

fn pdb(number: usize) -> String {
    let spec = "spec:\n  maxUnavailable: 1\n  selector:\n    matchLabels:\n";
    header("policy/v1", "PodDisruptionBudget", number) + &format!("{spec}      app: app-{number}\n")
}

fn service(number: usize) -> String {
    header("v1", "Service", number)
        + &format!(
            "spec:\n  selector:\n    app: app-{number}\n  ports:\n  - name: http\n    port: 80\n    targetPort: http\n"
        )
}

fn config_map(number: usize) -> String {
    let mut text = header("v1", "ConfigMap", number) + "data:\n  settings.conf: |\n";
    for line in 0..25 {
        let _ = writeln!(text, "    setting.{line}.of.app = the value of line {line} in {number}");
    }
    text
}

fn node_pool(number: usize) -> String {
    header("karpenter.sh/v1", "NodePool", number)
        + "spec:\n  limits:\n    cpu: 100\n  template:\n    spec:\n      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}\n      requirements:\n      - key: karpenter.sh/capacity-type\n        operator: In\n        values: [spot, on-demand]\n"
}

/// Root modules of five files, each calling a local module of five files.
fn write_terraform(root: &Path, arguments: &Arguments) -> Written {
    let mut written = Written::default();
    while written.files < arguments.terraform {
        let module = written.files / FILES_IN_A_MODULE;
        let folder = root.join(match module % 2 {
            0 => format!("infra/cluster-{module}"),
            _ => format!("modules/karpenter-{module}"),
        });
        let main = if module.is_multiple_of(2) { cluster(module) } else { karpenter(module) };
        written.write(&folder.join("main.tf"), &main);
        written.write(&folder.join("variables.tf"), &variables());
        for name in ["network", "identity", "storage"] {
            written.write(&folder.join(format!("{name}.tf")), &resources(name, module));
        }
    }
    written
}

fn cluster(number: usize) -> String {
    format!(
        r#"locals {{
  name = "cluster-{number}"
  tags = {{ cluster = local.name, team = "platform" }}
}}

module "eks" {{
  source          = "terraform-aws-modules/eks/aws"
  version         = "~> 20.0"
  cluster_name    = local.name
  cluster_version = "1.31"
  eks_managed_node_groups = {{
    system = {{
      instance_types = ["m6i.large"]
      min_size       = 2
      max_size       = 3
      taints = {{ karpenter = {{ key = "CriticalAddonsOnly", value = "true", effect = "NO_SCHEDULE" }} }}
    }}
  }}
  tags = local.tags
}}

module "karpenter" {{
  source       = "../../modules/karpenter-{}"
  cluster_name = module.eks.cluster_name
}}
"#,
        number + 1
    )
}

fn karpenter(number: usize) -> String {
    format!(
        r#"resource "helm_release" "karpenter_crd" {{
  name         = "karpenter-crd"
  repository   = "oci://public.ecr.aws/karpenter"
  chart        = "karpenter-crd"
  version      = var.karpenter_version
  force_update = true
}}

resource "helm_release" "karpenter" {{
  name       = "karpenter-{number}"
  repository = "oci://public.ecr.aws/karpenter"
  chart      = "karpenter"
  version    = var.karpenter_version
  skip_crds  = true
  values = [yamlencode({{
    settings = {{ clusterName = var.cluster_name, interruptionQueue = "queue" }}
    tolerations = [{{ key = "CriticalAddonsOnly", operator = "Exists" }}]
  }})]
  depends_on = [helm_release.karpenter_crd]
}}
"#
    )
}

fn variables() -> String {
    let mut text = String::from(
        "variable \"cluster_name\" {\n  type    = string\n  default = \"shop\"\n}\n\nvariable \"karpenter_version\" {\n  type    = string\n  default = \"1.8.2\"\n}\n",
    );
    for index in 0..10 {
        let _ = write!(
            text,
            "\nvariable \"setting_{index}\" {{\n  type        = string\n  description = \"Setting {index}\"\n  default     = \"{index}\"\n}}\n"
        );
    }
    text
}

fn resources(what: &str, number: usize) -> String {
    let mut text = String::new();
    for index in 0..8 {
        let _ = write!(
            text,
            "resource \"aws_{what}_thing\" \"this_{index}\" {{\n  name  = \"${{var.cluster_name}}-{what}-{number}-{index}\"\n  count = var.setting_{index} == \"\" ? 0 : 1\n  tags  = merge({{ part = \"{what}\" }}, {{ for key in [\"a\", \"b\"] : key => upper(key) }})\n\n  rule {{\n    from = {index}\n    to   = \"10.0.{index}.0/24\"\n  }}\n}}\n\n"
        );
    }
    text
}
