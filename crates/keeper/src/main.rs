//! The maintainer's command: compares the data of `crates/knowledge` with upstream trees.
//!
//! ```text
//! cargo run -p karplint-keeper -- compare DIR [--release 1.14.1]
//! cargo run -p karplint-keeper -- facts CHART DIR [PATH=JSON …]
//! cargo run -p karplint-keeper -- check CHART DIR [PATH=JSON …]
//! cargo run -p karplint-keeper -- instances DIR 2026-11-22
//! cargo run -p karplint-keeper -- oracle DIR [HELM]
//! ```
//!
//! `DIR` is the tree of an upstream project, or holds several: `aws/karpenter-provider-aws`,
//! `terraform-aws-modules/terraform-aws-eks`, or any that has a chart which the data knows. `--release` is the
//! release of Karpenter whose tree it is; its files do not say. What has to be added is printed with file and
//! line, and the exit code is then 1; 2 if there is nothing to compare with.
//!
//! `facts` renders a chart at the versions that are in a folder, as trees or archives, and prints what it makes
//! by default, or with the values that are given, and by which values its pods are configured, as an entry of the
//! data; then where the data has it otherwise, which alone is what `check` prints. `instances` prints
//! the instance types of Karpenter's tree in the form of the data, checked that day. `oracle` renders all charts
//! in a folder with karplint's engine and with the real Helm, and prints how many come out the same and where the
//! others differ.

mod ours;
mod tree;
mod chart;
mod crds;
mod defaults;
mod guide;
mod iam;
mod instances;
mod kubernetes;
mod release;
mod render;
mod oracle;
mod probe;
mod entry;
mod facts;

use std::{env, path::Path, process::ExitCode};

use karplint_core::version::Version;
use karplint_knowledge::knowledge::schema;

use crate::{ours::Difference, probe::Given, render::ChartVersion, tree::Tree};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["facts", chart, folder, given @ ..] = &arguments[..] {
        return with_values(chart, Path::new(folder), given, facts::facts);
    }
    if let ["check", chart, folder, given @ ..] = &arguments[..] {
        return with_values(chart, Path::new(folder), given, facts::differences_of);
    }
    if let ["instances", folder, checked] = arguments[..] {
        return instances_of(Path::new(folder), checked);
    }
    if let ["oracle", folder, helm @ ..] = &arguments[..] {
        return oracle(Path::new(folder), helm.first().unwrap_or(&"helm"));
    }
    let (folder, release) = match arguments[..] {
        ["compare", folder] => (folder, Some(schema::known().verified.newest.clone())),
        ["compare", folder, "--release", release] => (folder, Version::parse(release)),
        _ => {
            return failed(
                "usage: karplint-keeper compare DIR [--release 1.14.1] | facts CHART DIR [PATH=JSON …] | check CHART DIR \
                 [PATH=JSON …] | instances DIR DATE | oracle DIR [HELM]",
            );
        }
    };
    let Some(release) = release else { return failed("--release takes a version") };
    match Tree::read(Path::new(folder)) {
        Ok(tree) if tree.is_empty() => failed("no tree of a known project there"),
        Ok(tree) => report(&compare(&tree, &release)),
        Err(error) => failed(&format!("{folder}: {error}")),
    }
}

/// Prints what is to be said of a chart with values.
fn with_values(
    chart: &str,
    folder: &Path,
    given: &[&str],
    text: impl Fn(&str, &[ChartVersion], &[Given]) -> String,
) -> ExitCode {
    let pair =
        |it: &&str| it.split_once('=').map(|(path, json)| (path.to_owned(), json.to_owned()));
    let Some(given) = given.iter().map(pair).collect::<Option<Vec<Given>>>() else {
        return failed("values are given as PATH=JSON");
    };
    printed(chart, folder, |versions| text(chart, versions, &given))
}

/// Prints what is to be said of a chart's versions in a folder.
#[expect(clippy::print_stdout, reason = "this is the command's output")]
fn printed(chart: &str, folder: &Path, text: impl Fn(&[ChartVersion]) -> String) -> ExitCode {
    match render::versions(chart, folder) {
        Ok(versions) if versions.is_empty() => failed("no version of the chart there"),
        Ok(versions) => {
            print!("{}", text(&versions));
            ExitCode::SUCCESS
        }
        Err(error) => failed(&format!("{}: {error}", folder.display())),
    }
}

/// Prints the instance types.
#[expect(clippy::print_stdout, reason = "this is the command's output")]
fn instances_of(folder: &Path, checked: &str) -> ExitCode {
    let tree = match Tree::read(folder) {
        Ok(tree) => tree,
        Err(error) => return failed(&format!("{}: {error}", folder.display())),
    };
    match instances::text(&tree, checked) {
        Some(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        None => failed("no table of instance types there"),
    }
}

/// Prints how charts come out here and with Helm.
#[expect(clippy::print_stdout, reason = "this is the command's output")]
fn oracle(folder: &Path, helm: &str) -> ExitCode {
    match oracle::Comparison::of(folder, helm) {
        Ok(found) => {
            print!("{found}");
            ExitCode::from(u8::from(!found.is_good()))
        }
        Err(error) => failed(&format!("{}: {error}", folder.display())),
    }
}

/// All differences, those of Karpenter first.
fn compare(tree: &Tree, release: &Version) -> Vec<Difference> {
    let mut found = Vec::new();
    if tree.has_karpenter() {
        found.extend(release::differences(release));
        found.extend(crds::differences(tree, release));
        found.extend(chart::differences(tree, release));
        found.extend(kubernetes::differences(tree, release));
        found.extend(guide::differences(tree, release));
        found.extend(instances::differences(tree));
    }
    found.extend(iam::differences(tree, release));
    found.extend(defaults::differences(tree, release));
    found
}

#[expect(clippy::print_stdout, reason = "this is the command's output")]
fn report(differences: &[Difference]) -> ExitCode {
    for difference in differences {
        println!("{difference}");
    }
    match differences.len() {
        0 => println!("nothing to add"),
        1 => println!("1 thing to add"),
        many => println!("{many} things to add"),
    }
    ExitCode::from(u8::from(!differences.is_empty()))
}

#[expect(clippy::print_stderr, reason = "this is the command's output")]
fn failed(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::from(2)
}
