//! Policies that karplint brings along, to copy and change: the folder `policies` of its repository.

/// Each with its name, in the order of names. A test holds this against the folder.
pub const SHELF: &[(&str, &str)] = &[
    ("addon-versions", include_str!("../../policies/addon-versions.yaml")),
    ("amis-are-pinned", include_str!("../../policies/amis-are-pinned.yaml")),
    ("approved-instance-families", include_str!("../../policies/approved-instance-families.yaml")),
    (
        "charts-from-our-repositories",
        include_str!("../../policies/charts-from-our-repositories.yaml"),
    ),
    ("cost-tags-on-nodes", include_str!("../../policies/cost-tags-on-nodes.yaml")),
    ("images-from-our-registries", include_str!("../../policies/images-from-our-registries.yaml")),
    ("limits-by-environment", include_str!("../../policies/limits-by-environment.yaml")),
    ("no-spot-for-stateful", include_str!("../../policies/no-spot-for-stateful.yaml")),
    (
        "nodes-expire-within-a-month",
        include_str!("../../policies/nodes-expire-within-a-month.yaml"),
    ),
    ("replicas-have-a-budget", include_str!("../../policies/replicas-have-a-budget.yaml")),
    ("tolerations-name-a-taint", include_str!("../../policies/tolerations-name-a-taint.yaml")),
];
