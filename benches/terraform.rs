//! How long a root module takes to resolve, and that the time grows with its size and no faster.
//!
//! `cargo bench --bench terraform`: roots of 500 to 4,000 resources, one call of a local module for every
//! forty of them. The promise is 200 ms for 2,000 resources and 50 calls.

#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use std::{
    fmt::Write,
    time::{Duration, Instant},
};

use karplint::{
    resolve::terraform::{options::TerraformOptions, resolve},
    source::{Files, SourceFile},
};

const PROMISE: Duration = Duration::from_millis(200);
const RESOURCES_FOR_A_CALL: usize = 40;

fn main() {
    let _ = rayon::ThreadPoolBuilder::new().stack_size(8 << 20).build_global();
    let mut before = None;
    for resources in [500, 1_000, 2_000, 4_000] {
        let (time, objects) = fastest(resources);
        let growth = before.map_or(String::new(), |it: Duration| {
            format!("  {:.1} times the half", time.as_secs_f64() / it.as_secs_f64())
        });
        let calls = resources / RESOURCES_FOR_A_CALL;
        let milliseconds = time.as_secs_f64() * 1000.0;
        println!(
            "{resources:>5} resources, {calls:>3} calls: {milliseconds:7.1} ms, {objects} objects{growth}"
        );
        if resources == 2_000 {
            assert!(time < PROMISE, "{time:?} is more than {PROMISE:?}");
        }
        before = Some(time);
    }
}

/// The fastest of a few rounds, each on files nobody has looked at.
fn fastest(resources: usize) -> (Duration, usize) {
    let mut best = (Duration::MAX, 0);
    for _ in 0..15 {
        let files = project(resources);
        let start = Instant::now();
        let terraform = resolve(&files, &TerraformOptions::default());
        let time = start.elapsed();
        let objects = terraform.roots.iter().map(|it| it.objects.len()).sum();
        best = best.min((time, objects));
    }
    best
}

fn project(resources: usize) -> Files {
    let mut main = String::from(
        "variable \"labels\" { default = { team = \"fishing\", tier = 2 } }\n\
         locals {\n  name = \"harbour\"\n  tags = merge(var.labels, { cluster = local.name })\n}\n",
    );
    for number in 0..resources {
        let _ = write!(main, "{}", resource(number));
        if number.is_multiple_of(RESOURCES_FOR_A_CALL) {
            let _ = write!(main, "{}", call(number));
        }
    }
    Files::new(vec![SourceFile::new("main.tf", main), SourceFile::new("pool/main.tf", MODULE)])
}

fn resource(number: usize) -> String {
    let before = match number.checked_sub(1) {
        Some(before) => format!("kubernetes_manifest.r{before}.manifest.metadata.name"),
        None => "local.name".to_owned(),
    };
    // Short chains of references, as they are written.
    let before = if number.is_multiple_of(10) { "local.name".to_owned() } else { before };
    format!(
        r#"
resource "kubernetes_manifest" "r{number}" {{
  manifest = {{
    kind     = "NodePool"
    metadata = {{ name = "pool-{number}", labels = merge(local.tags, {{ n = {number} }}) }}
    spec = {{
      after  = {before}
      zones  = [for zone in ["a", "b", "c"] : "eu-west-1${{zone}}" if zone != "b"]
      values = yamlencode({{ replicas = {number} % 3 + 1, name = upper("${{local.name}}-{number}") }})
    }}
  }}
  depends_on = [module.pool_0]
}}
"#
    )
}

fn call(number: usize) -> String {
    format!(
        "module \"pool_{number}\" {{\n  source = \"./pool\"\n  name   = \"pool-{number}\"\n  \
         labels = local.tags\n}}\n"
    )
}

const MODULE: &str = r#"
variable "name" { type = string }
variable "labels" { type = map(string) }
variable "taints" {
  type    = list(object({ key = string, effect = optional(string, "NoSchedule") }))
  default = [{ key = "team" }]
}
locals {
  values = { name = var.name, labels = var.labels, taints = [for it in var.taints : "${it.key}:${it.effect}"] }
}
resource "helm_release" "pool" {
  name   = var.name
  values = [yamlencode(local.values), templatestring("$${a}", { a = var.name })]
  dynamic "set" {
    for_each = var.labels
    content {
      name  = "labels.${set.key}"
      value = set.value
    }
  }
}
output "name" { value = helm_release.pool.name }
"#;
