//! The files of the fields: one for each version of a kind's API.

/// The kind, the version, the name of the file and its text.
pub(super) const FIELDS: [(&str, &str, &str, &str); 9] = [
    ("NodePool", "v1beta1", "schema/nodepool/v1beta1.yaml", include_str!("nodepool/v1beta1.yaml")),
    ("NodePool", "v1", "schema/nodepool/v1.yaml", include_str!("nodepool/v1.yaml")),
    (
        "NodeClaim",
        "v1beta1",
        "schema/nodeclaim/v1beta1.yaml",
        include_str!("nodeclaim/v1beta1.yaml"),
    ),
    ("NodeClaim", "v1", "schema/nodeclaim/v1.yaml", include_str!("nodeclaim/v1.yaml")),
    (
        "EC2NodeClass",
        "v1beta1",
        "schema/ec2nodeclass/v1beta1.yaml",
        include_str!("ec2nodeclass/v1beta1.yaml"),
    ),
    ("EC2NodeClass", "v1", "schema/ec2nodeclass/v1.yaml", include_str!("ec2nodeclass/v1.yaml")),
    (
        "NodeOverlay",
        "v1alpha1",
        "schema/nodeoverlay/v1alpha1.yaml",
        include_str!("nodeoverlay/v1alpha1.yaml"),
    ),
    (
        "Provisioner",
        "v1alpha5",
        "schema/provisioner/v1alpha5.yaml",
        include_str!("provisioner/v1alpha5.yaml"),
    ),
    (
        "AWSNodeTemplate",
        "v1alpha1",
        "schema/awsnodetemplate/v1alpha1.yaml",
        include_str!("awsnodetemplate/v1alpha1.yaml"),
    ),
];
