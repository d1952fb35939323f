//! Repositories in which Cluster Autoscaler scales the nodes, and of Karpenter there is nothing but a tag on subnets or
//! security groups, as they are copied from examples.

use crate::{
    model::{
        Model,
        workload::{Workload, WorkloadKind},
    },
    resolve::{
        release::Release,
        terraform::object::{BlockInstance, Mode},
    },
    source::{Files, SourceFile, Span},
    value::Value,
};

/// The name of its chart, its Deployment and its image.
const NAME: &str = "cluster-autoscaler";
/// The input of EKS Blueprints that installs it.
const ADD_ON: &str = "enable_cluster_autoscaler";
/// The tag by which Karpenter finds subnets and security groups.
const TAG: &str = "karpenter.sh/discovery";
/// The files of programs, configuration and scripts; what documents say is no sign.
const ENDINGS: [&str; 19] = [
    "tf",
    "tofu",
    "tfvars",
    "hcl",
    "tpl",
    "tftpl",
    "yaml",
    "yml",
    "json",
    "sh",
    "ts",
    "js",
    "py",
    "go",
    "java",
    "cs",
    "kt",
    "Makefile",
    "Jenkinsfile",
];

/// Where such a repository installs Cluster Autoscaler; `None` for all others.
pub(super) fn only_autoscaler(files: &Files, model: &Model) -> Option<Span> {
    let is_open = model.assumed.karpenter_version.is_some()
        || !model.node_pools.is_empty()
        || model.releases.iter().any(Release::is_of_karpenter);
    let place = model.installed_autoscaler().filter(|_| !is_open)?;
    let is_code =
        |it: &SourceFile| ENDINGS.contains(&it.ending()) && !it.path().contains(".terraform/");
    let mut code = files.iter().map(|(_, it)| it).filter(|it| is_code(it));
    let is_used = code.any(|it| it.skim(|text| text.lines().any(names_more_than_the_tag)));
    (!is_used).then_some(place)
}

impl Model {
    /// Where Cluster Autoscaler is installed, or eksctl gives it the rights to scale nodes.
    pub(in crate::model) fn cluster_autoscaler(&self) -> Option<Span> {
        let may_scale = || self.clusters.iter().find_map(|it| it.autoscaler);
        self.installed_autoscaler().or_else(may_scale)
    }

    /// Where Cluster Autoscaler is installed: as a chart, as an add-on of EKS Blueprints, or as a Deployment.
    fn installed_autoscaler(&self) -> Option<Span> {
        let is_there =
            |it: &&Release| &*it.chart == NAME && !it.is_optional && it.scope.left_out.is_none();
        let release = || self.releases.iter().find(is_there).map(|it| it.report_span);
        let asks = |it: &&BlockInstance| {
            it.body.get(ADD_ON).present().and_then(Value::as_bool) == Some(true)
        };
        let mut calls = self.terraform.roots.iter().flat_map(|it| it.of(Mode::Module, "module"));
        let runs_it = |it: &&Workload| {
            let is_image = |it: &String| it.split(['/', ':', '@']).any(|part| part == NAME);
            it.kind == WorkloadKind::Deployment
                && (&*it.name == NAME || it.images.iter().any(is_image))
        };
        release()
            .or_else(|| calls.find(asks).map(|it| it.header))
            .or_else(|| self.workloads.iter().find(runs_it).map(|it| it.report_span))
    }
}

/// Whether a line names Karpenter otherwise than by the tag or in a comment.
fn names_more_than_the_tag(line: &str) -> bool {
    let line = line.trim_start();
    let code = line.split(" #").next().unwrap_or_default().split(" //").next().unwrap_or_default();
    let is_comment = ["#", "//", "*", "/*"].iter().any(|it| line.starts_with(it));
    !is_comment && code.to_lowercase().replace(TAG, "").contains("karpenter")
}

#[cfg(test)]
mod tests {
    use super::names_more_than_the_tag;

    #[test]
    fn the_tag_and_comments_are_no_sign() {
        for (line, wanted) in [
            ("  \"karpenter.sh/discovery\" = var.name", false),
            ("  karpenter.sh/discovery: shop # for Karpenter", false),
            ("# Karpenter may come later", false),
            ("  // Karpenter", false),
            ("  karpenter.sh/do-not-disrupt: \"true\"", true),
            ("  enable_karpenter = true", true),
            ("  name: Karpenter # the controller", true),
        ] {
            assert_eq!(names_more_than_the_tag(line), wanted, "{line}");
        }
    }
}
