//! What rules would look at in stacks of Pulumi that is not read: resources of AWS.

use std::sync::Arc;

use crate::{
    config::Config,
    findings::silence::{Silence, Unreported},
    model::Model,
    source::Span,
    value::cause::Cause,
};

/// Parts of the types of resources, each with a rule that asks about them.
const ASKED: [(&str, &str); 7] = [
    ("aws:iam/", "controller-identity-mismatch"),
    ("aws:ec2/subnet", "discovery-tag-mismatch"),
    ("aws:ec2/securityGroup:", "discovery-tag-mismatch"),
    ("aws:autoscaling/", "controller-taint-untolerated"),
    ("aws:ec2/launchTemplate:", "controller-taint-untolerated"),
    ("eks:index:", "controller-taint-untolerated"),
    ("aws:eks/podIdentityAssociation:", "controller-identity-mismatch"),
];

/// The questions that they keep open, once for each rule and type.
pub(super) fn questions(model: &Model, config: &Config) -> Vec<Unreported> {
    let question = |(span, kind, count): &(Span, Arc<str>, usize)| {
        let (_, rule) = ASKED.iter().find(|(part, _)| kind.starts_with(part))?;
        let words = match count {
            1 => format!("the resource of the type `{kind}` is not read"),
            _ => format!("the {count} resources of the type `{kind}` are not read"),
        };
        let silence = Silence::undecided(Cause::Value, words);
        config.runs(rule).then_some(Unreported { rule, span: *span, silence })
    };
    model.gitops.unread.iter().filter_map(question).collect()
}
