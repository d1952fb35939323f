//! The name of what a finding is about: a Kubernetes object, the address of a Terraform block. They are the
//! names that `object` in the config's allowances takes.

use crate::{
    findings::{Finding, subject::Subject},
    report::sarif::schema::LogicalLocation,
};

/// What a finding is about, each thing once; instances of one block are one thing.
pub(super) fn names(finding: &Finding) -> Vec<LogicalLocation> {
    let mut names: Vec<LogicalLocation> = Vec::new();
    for name in finding.subjects.iter().filter_map(name) {
        if names.iter().all(|it| it.fully_qualified_name != name.fully_qualified_name) {
            names.push(name);
        }
    }
    names
}

fn name(subject: &Subject) -> Option<LogicalLocation> {
    if let Some(object) = &subject.object {
        let (name, fully_qualified_name) = (object.name.to_string(), object.title());
        return Some(LogicalLocation { name, fully_qualified_name, kind: "resource" });
    }
    let address = &subject.block.as_ref()?.local;
    let name = address.rsplit('.').next().unwrap_or(address).to_owned();
    let kind = if address.starts_with("module.") { "module" } else { "resource" };
    Some(LogicalLocation { name, fully_qualified_name: address.to_string(), kind })
}

#[cfg(test)]
mod tests {
    use super::names;
    use crate::{
        findings::{
            Findings, Severity,
            subject::{Block, InstanceKey, ObjectRef, Subject},
        },
        source::{FileId, Span},
    };

    #[test]
    fn things_have_the_names_people_give_them() {
        let block = |local: &str| Block {
            address: format!("module.a.{local}[0]").into(),
            local: local.into(),
            call: None,
        };
        let object =
            ObjectRef { kind: "StatefulSet".into(), namespace: None, name: "ledger".into() };
        let instance = |address: &str| Some(InstanceKey { address: address.into(), of: 2 });
        let release = block("helm_release.karpenter");
        let subjects = [
            Subject { block: Some(release.clone()), ..Subject::default() },
            Subject { block: Some(release), instance: instance("b"), ..Subject::default() },
            Subject { block: Some(block("module.eks")), ..Subject::default() },
            Subject { block: Some(block("data.aws_ami.x")), ..Subject::default() },
            Subject {
                object: Some(object),
                block: Some(block("kubectl_manifest.y")),
                ..Subject::default()
            },
        ];
        let mut findings = Findings::of("rule", Severity::Error);
        let finding = findings.report(Span::new(FileId(0), 0, 0), "");
        for subject in &subjects {
            finding.about(subject);
        }
        let found = names(finding);
        let parts = |(name, whole, kind): (&str, &str, &str)| {
            found
                .iter()
                .any(|it| (&*it.name, &*it.fully_qualified_name, it.kind) == (name, whole, kind))
        };
        assert_eq!(found.len(), 4);
        for wanted in [
            ("karpenter", "helm_release.karpenter", "resource"),
            ("eks", "module.eks", "module"),
            ("x", "data.aws_ami.x", "resource"),
            ("ledger", "StatefulSet/ledger", "resource"),
        ] {
            assert!(parts(wanted), "{wanted:?}");
        }
    }
}
