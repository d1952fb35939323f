//! What scripts, templates and other files that karplint does not evaluate may create.

/// Something that a file may create without karplint seeing it as an object. A finding that claims it is
/// missing names it, and is dropped when some file mentions it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Claim {
    /// Karpenter's CRDs.
    Crds,
    /// Karpenter's CRDs, also in a document or a comment.
    CrdsInWords,
    /// Karpenter's CRDs, or Argo CD, which applies those of a chart at each sync.
    CrdsOrArgoCd,
    /// Karpenter's CRDs, or a conversion other than that which their chart gives them.
    CrdConversion,
    /// That Karpenter's CRDs, which something else made, are given to Helm.
    CrdAdoption,
    /// Pod identity associations.
    Associations,
    /// That something else than Terraform puts policies on IAM roles.
    RolePolicies,
    /// The AWS node termination handler.
    TerminationHandler,
    /// That releases of a helmfile are applied by their labels, some before others.
    HelmfileSelector,
    /// That a command deletes the configurations of Karpenter's admission webhooks.
    WebhooksRemoved,
    /// The IAM role of that name.
    Role(String),
    /// The `EC2NodeClass` of that name.
    Class(String),
    /// The tag of that key, on subnets or security groups.
    Tag(String),
    /// Pods that tolerate the taint of that key and value.
    Toleration {
        /// The key.
        key: String,
        /// The value; empty if it has none.
        value: String,
    },
    /// That a command gives nodes the label of that key.
    NodeLabel(String),
    /// Pods that select nodes by a label of one of these keys.
    NodeSelector(Vec<String>),
}
