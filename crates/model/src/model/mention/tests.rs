//! What the texts of files mention.

use std::{collections::HashSet, sync::Arc};

use crate::{
    findings::mention::Claim,
    model::{class_name::ClassNames, mention::find},
    source::{
        Files, SourceFile,
        load::{Content, Load},
    },
};

/// A disk on which every file says how it installs the CRDs.
#[derive(Debug)]
struct Disk;

impl Load for Disk {
    fn load(&self, _: &str) -> Content {
        let text = "run: kubectl apply -f karpenter.sh_nodepools.yaml".to_owned();
        Content { text, ..Content::default() }
    }
}

#[test]
fn manifests_that_were_looked_through_are_not_looked_through_again() {
    for (path, heard) in [
        ("jobs/crds.yaml", false),
        ("chart/templates/crds.yaml", true),
        ("crds.sh", true),
        ("crds.md", false),
    ] {
        let files = Files::new(vec![SourceFile::lazy(path, Arc::new(Disk))]);
        let found = find(&files, [Claim::Crds], &ClassNames::default(), &[]);
        assert_eq!(found.contains_key(&Claim::Crds), heard, "{path}");
        assert!(files.iter().all(|(_, it)| !it.is_loaded()), "{path}");
    }
}

fn role() -> Claim {
    Claim::Role("KarpenterNodeRole-shop".to_owned())
}

fn class() -> Claim {
    Claim::Class("gpu".to_owned())
}

fn tag() -> Claim {
    Claim::Tag("karpenter.sh/discovery".to_owned())
}

fn handler() -> Claim {
    Claim::TerminationHandler
}

/// The claims of all kinds that a file supports.
fn heard_in(path: &str, text: &str) -> HashSet<Claim> {
    let of_crds = [Claim::Crds, Claim::CrdAdoption, Claim::Associations];
    let others = [handler(), role(), class(), tag()];
    let commands = [Claim::HelmfileSelector, Claim::WebhooksRemoved];
    let asked = of_crds.into_iter().chain(others).chain(commands);
    let files = Files::new(vec![SourceFile::new(path, text)]);
    assert!(find(&files, [], &ClassNames::default(), &[]).is_empty());
    find(&files, asked, &ClassNames::default(), &[]).into_keys().collect()
}

#[test]
fn what_only_names_the_crds_installs_none() {
    for (path, text, heard) in [
        ("app.yaml", "metadata: {labels: {after: karpenter-crd}}", vec![]),
        ("app.yaml", "metadata: {name: a}\ndata: {readme: we use karpenter-crd}", vec![]),
        ("app.yaml", "source: {labels: {a: b}, chart: karpenter-crd}", vec![Claim::Crds]),
        ("a.tf", "resource \"aws_ssm_parameter\" \"a\" {\n  value = \"karpenter-crd\"\n}", vec![]),
        (
            "a.tf",
            "resource \"null_resource\" \"a\" {\n  triggers = { a = \"karpenter-crd\" }\n}",
            vec![],
        ),
    ] {
        assert_eq!(heard_in(path, text), HashSet::from_iter(heard), "{path}: {text}");
    }
}

#[test]
fn what_files_mention_is_heard() {
    for (path, text, heard) in [
        ("a.sh", "helm install karpenter-crd x", vec![Claim::Crds]),
        ("a.sh", "helm pull karpenter-crd", vec![]),
        (
            "a.sh",
            "kubectl annotate crd nodepools.karpenter.sh meta.helm.sh/release-name=crds",
            vec![Claim::CrdAdoption],
        ),
        ("a.sh", "# helm install karpenter-crd x", vec![]),
        ("a.md", "helm install karpenter-crd x", vec![]),
        ("app.yaml", "chart: karpenter-crd", vec![Claim::Crds]),
        ("app.yaml", "labels:\n  app: karpenter-crd", vec![]),
        ("a.tf", "locals {\n  chart = \"karpenter-crd\"\n}", vec![Claim::Crds]),
        ("a.tf", "locals {\n  a = 1 /* karpenter-crd */\n}", vec![]),
        ("a.tf", "/*\nlocals {\n  chart = \"karpenter-crd\"\n}\n*/", vec![]),
        ("a.tf", "variable \"a\" {\n  description = \"of karpenter-crd\"\n}", vec![]),
        (
            "a.tf",
            "resource \"helm_release\" \"a\" {\n  count = 0\n  chart = \"karpenter-crd\"\n}",
            vec![],
        ),
        ("a.yaml", "kind: PodIdentityAssociation", vec![Claim::Associations]),
        ("Makefile", "aws eks create-pod-identity-association", vec![Claim::Associations]),
        ("a.tf", "# PodIdentityAssociation", vec![]),
        ("a.yaml", "RoleName: KarpenterNodeRole-shop", vec![role()]),
        ("a.yaml", "RoleName: !Sub KarpenterNodeRole-${Cluster}", vec![role()]),
        ("a.yaml", "role: KarpenterNodeRole-shop", vec![]),
        ("a.yaml", "NodeClasses:\n  gpu: {}", vec![class()]),
        ("a.md", "NodeClasses:\n  gpu: {}", vec![]),
        ("a.md", "kind: EC2NodeClass\nmetadata:\n  name: gpu", vec![class()]),
        ("a.py", "tags['karpenter.sh/discovery'] = name", vec![tag()]),
        ("a.tf", "karpenter.sh/discovery", vec![]),
        ("a.tf", "aws ec2 create-tags", vec![tag()]),
        ("a.json", "karpenter.sh/discovery", vec![]),
        ("a.json", "AWS::EC2::Subnet", vec![tag()]),
        ("a.tf", "chart = \"aws-node-termination-handler\"", vec![handler()]),
        ("a.yaml", "key: aws-node-termination-handler/spot-itn", vec![]),
        ("a.tf", "enable_aws_node_termination_handler = true", vec![handler()]),
        ("a.tf", "enable_aws_node_termination_handler = false", vec![]),
        (
            "a.ts",
            "kubectl apply karpenter-crd; karpenter.sh/discovery; KarpenterNodeRole-shop",
            vec![Claim::Crds, role(), tag()],
        ),
    ] {
        assert_eq!(heard_in(path, text), HashSet::from_iter(heard), "{path}: {text}");
    }
}

#[test]
fn commands_are_heard_in_files_of_all_kinds() {
    for (path, text, heard) in [
        ("a.yaml", "run: helmfile -e dev -l tier=crd apply", vec![Claim::HelmfileSelector]),
        ("a.sh", "helmfile --selector=tier=crd sync", vec![Claim::HelmfileSelector]),
        ("a.sh", "# helmfile -l tier=crd apply", vec![]),
        ("a.sh", "helmfile apply\nls -l", vec![]),
        (
            "a.sh",
            "oc delete validatingwebhookconfiguration \\\n  validation.webhook.karpenter.sh",
            vec![Claim::WebhooksRemoved],
        ),
        (
            "Makefile",
            "kubectl delete MutatingWebhookConfigurations defaulting.webhook.karpenter.sh",
            vec![Claim::WebhooksRemoved],
        ),
        ("a.sh", "kubectl delete validatingwebhookconfiguration ledger", vec![]),
        ("a.sh", "kubectl get validatingwebhookconfiguration validation.karpenter.sh", vec![]),
        ("a.sh", "# kubectl delete validatingwebhookconfiguration karpenter", vec![]),
    ] {
        assert_eq!(heard_in(path, text), HashSet::from_iter(heard), "{path}: {text}");
    }
}
