//! What the charts of a folder cost: the program over a folder with a chart, beside the same folder without it.
//!
//! `cargo bench --bench charts` measures a chart of ten templates, which is promised to cost at most 2 ms; with
//! `-- --chart DIR` another one, such as Cilium's, for which 60 ms are promised. `--keep DIR` leaves the two folders
//! there, so that the instructions over each can be counted.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark writes its own files, prints, and stops at what it did not expect"
)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use clap::Parser;

#[derive(Parser)]
struct Arguments {
    /// Another chart than that of ten templates.
    #[arg(long)]
    chart: Option<PathBuf>,
    /// Rounds; the fastest of each folder counts.
    #[arg(long, default_value_t = 40)]
    rounds: usize,
    /// Keep the two folders in this one.
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Passed by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

/// What both folders hold: without Karpenter there is little to ask a chart.
const POOL: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}]
";

/// An Application that installs the chart.
const APPLICATION: &str = "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: argocd}
spec:
  source:
    repoURL: https://github.com/example/shop
    path: chart
    targetRevision: main
    helm: {valuesObject: {replicaCount: 3, ingress: {enabled: true}}}
  destination: {namespace: shop, server: https://kubernetes.default.svc}
";

fn main() {
    let arguments = Arguments::parse();
    let scratch = tempfile::tempdir().unwrap();
    let root = arguments.keep.clone().unwrap_or_else(|| scratch.path().to_path_buf());
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/charts/ten");
    let chart = arguments.chart.clone().unwrap_or(own);
    let folders = ["without", "alone", "installed"].map(|it| root.join(it));
    for folder in &folders {
        fs::create_dir_all(folder.join(".git")).unwrap();
        fs::write(folder.join("pool.yaml"), POOL).unwrap();
    }
    let [_, alone, installed] = &folders;
    copy(&chart, &alone.join("chart"));
    copy(&chart, &installed.join("chart"));
    fs::write(installed.join("application.yaml"), APPLICATION).unwrap();
    let mut best = [Duration::MAX; 3];
    for _ in 0..arguments.rounds.max(1) {
        // In turn, so that all see the same machine.
        for (folder, best) in folders.iter().zip(&mut best) {
            *best = check(folder).min(*best);
        }
    }
    let milliseconds = |it: Duration| it.as_secs_f64() * 1000.0;
    let without = best.first().copied().unwrap_or_default();
    println!("without a chart: {:7.2} ms", milliseconds(without));
    for (what, time) in ["installed by nobody", "installed once"].iter().zip(&best[1..]) {
        let cost = milliseconds(time.saturating_sub(without));
        println!("{what:>19}: {:7.2} ms, {cost:.2} ms more", milliseconds(*time));
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let place = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &place);
        } else {
            fs::copy(entry.path(), place).unwrap();
        }
    }
}

/// How long the program takes over a folder.
fn check(folder: &Path) -> Duration {
    let mut command = Command::new(env!("CARGO_BIN_EXE_karplint"));
    command.args(["check", "--exit-zero", "--format", "json"]).current_dir(folder);
    let start = Instant::now();
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    let time = start.elapsed();
    assert!(status.success());
    time
}
