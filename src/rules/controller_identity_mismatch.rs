use crate::{
    checks::identity::{
        maker_role::TokenSwitch,
        mismatch::{RoleMismatch, mismatches},
    },
    findings::{Findings, mention::Claim},
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/controller-identity-mismatch.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (place, diagnosis) in mismatches(model) {
        let Some(fault) = findings.fault(place, diagnosis) else { continue };
        let used = fault.used.title();
        let (message, help) = match fault.why {
            RoleMismatch::For(account) => (
                format!("Karpenter gets no credentials: the role is for `{}`", account.title()),
                format!(
                    "Give the role to `{used}`, or install the chart where the role is expected"
                ),
            ),
            RoleMismatch::AtMostFor(account) => (
                format!(
                    "Karpenter gets no credentials: the role is for `{}` at most",
                    account.title()
                ),
                format!(
                    "Pin the version of the module, and give it `create_pod_identity_association = true` and the \
                     `namespace` and `service_account` of `{used}`"
                ),
            ),
            RoleMismatch::Nothing { module, association } => (
                "Karpenter gets no credentials: nothing gives it this role".to_owned(),
                match association {
                    Some(name) => format!("Set `{name} = true`"),
                    None => format!("Annotate the service account with `{module}.irsa_arn`"),
                },
            ),
            RoleMismatch::TrustsInstances => (
                "Karpenter gets no credentials: this role trusts EC2 instances alone".to_owned(),
                format!("Let its trust policy name the OIDC provider of the cluster and `{used}`"),
            ),
            RoleMismatch::RefusesTokens => (
                "Karpenter gets no credentials: this role lets no token be taken for them"
                    .to_owned(),
                "Allow `sts:AssumeRoleWithWebIdentity`: `sts:AssumeRole` is not what pods call"
                    .to_owned(),
            ),
            RoleMismatch::RefusesPods(calls) => {
                let calls: Vec<String> = calls.iter().map(|it| format!("`{it}`")).collect();
                let calls = calls.join(" and ");
                (
                    format!("Karpenter gets no credentials: pods may not call {calls}"),
                    format!("Allow {calls} to `pods.eks.amazonaws.com` in the trust policy"),
                )
            }
            RoleMismatch::TrustsNoToken(switch) => (
                "Karpenter gets no credentials: this role trusts pod identities alone".to_owned(),
                token_help(switch, &used),
            ),
        };
        findings
            .report(fault.span, message)
            .note(fault.release.namespace.span(), format!("the controller runs as `{used}`"))
            .notes(fault.release.namespace.steps())
            .about(fault.release.subject.as_ref())
            .help(help)
            .unless_mentioned(Claim::Associations);
    }
}

/// How a role comes to be for a service account: by its tokens, where these are meant.
fn token_help(switch: Option<TokenSwitch>, used: &str) -> String {
    let Some(TokenSwitch { name, is_for_release }) = switch else {
        return "Let the module make a pod identity association for the service account, for which the cluster needs \
                the add-on `eks-pod-identity-agent`"
            .to_owned();
    };
    let account = if is_for_release {
        String::new()
    } else {
        format!(" and `irsa_namespace_service_accounts = [\"{used}\"]`")
    };
    format!(
        "Set `{name} = true`{account}: the module is given the OIDC provider, and does not use it without"
    )
}
