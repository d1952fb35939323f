//! How files that are not evaluated mention IAM roles and pod identity associations.

/// How a manifest or a script names pod identity associations.
pub(super) const ASSOCIATION_WORDS: &[&str] = &[
    "pod-identity-association",
    "podidentityassociation",
    "PodIdentityAssociation",
    "podIdentityAssociation",
];

/// How commands, templates and manifests put policies on roles.
pub(super) const ROLE_POLICY_WORDS: &[&str] = &[
    "attach-role-policy",
    "put-role-policy",
    "attach_role_policy",
    "put_role_policy",
    "AWS::IAM::",
    "aws-cdk-lib",
    "RolePolicyAttachment",
    "iam.services.k8s.aws",
];

/// What the names of roles begin with that upstream's guides and templates make.
const STEM: &str = "KarpenterNodeRole";

/// The words without which nothing makes a role of that name: the name, and a stem that others may have.
pub(super) fn role_words(name: &str) -> impl Iterator<Item = &str> {
    std::iter::once(name).chain(name.starts_with(STEM).then_some(STEM))
}

/// Whether a text has the name of a role, or the stem of it, where no class names its role.
#[must_use]
pub(super) fn is_role_named_in(text: &str, name: &str) -> bool {
    let in_text = |text: &str| role_words(name).any(|it| text.contains(it));
    in_text(text) && text.lines().any(|it| !is_role_of_class(it) && in_text(it))
}

/// Whether a line is one by which a class names its role.
fn is_role_of_class(line: &str) -> bool {
    let key = line.split([':', '=']).next().unwrap_or_default();
    matches!(key.trim().trim_matches(['"', '\'']), "role" | "instanceProfile")
}

#[cfg(test)]
mod tests {
    use super::is_role_of_class;

    #[test]
    fn lines_of_classes_are_known_by_their_key() {
        for (line, of_class) in [
            ("  role: KarpenterNodeRole-shop", true),
            ("      \"role\": \"KarpenterNodeRole-shop\",", true),
            ("      role = \"KarpenterNodeRole-shop\"", true),
            ("  RoleName: KarpenterNodeRole-shop", false),
            ("  node_iam_role_name = \"KarpenterNodeRole-shop\"", false),
            ("# KarpenterNodeRole-shop", false),
        ] {
            assert_eq!(is_role_of_class(line), of_class, "{line}");
        }
    }
}
