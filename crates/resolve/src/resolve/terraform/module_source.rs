//! The addresses of Terraform modules, and the well-known modules among them.

use crate::{resolve::terraform::object::BlockInstance, value::Value};

/// The address of a module that a call names as its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModuleSource<'a>(&'a str);

/// A module that may be written as a registry or as a git address.
#[derive(Clone, Copy, Debug)]
pub struct TwoAddresses {
    registry: &'static str,
    repository: &'static str,
    submodule: &'static str,
}

impl<'a> ModuleSource<'a> {
    /// `terraform-aws-modules/eks/aws`
    pub const EKS: TwoAddresses = eks("");
    /// Its `karpenter` submodule.
    pub const EKS_KARPENTER: TwoAddresses = eks("modules/karpenter");
    /// Its `eks-managed-node-group` submodule.
    pub const EKS_MANAGED_NODE_GROUP: TwoAddresses = eks("modules/eks-managed-node-group");
    /// Its `fargate-profile` submodule.
    pub const EKS_FARGATE: TwoAddresses = eks("modules/fargate-profile");
    /// Roles for service accounts of `terraform-aws-modules/iam`: up to its version 5, and from 6 on.
    pub const IRSA: [TwoAddresses; 2] = [
        iam("modules/iam-role-for-service-accounts-eks"),
        iam("modules/iam-role-for-service-accounts"),
    ];
    /// Its roles for identities of an OIDC provider, up to version 5: their only policies are those of their inputs.
    pub const ASSUMABLE_ROLE: TwoAddresses = iam("modules/iam-assumable-role-with-oidc");
    /// `aws-ia/eks-blueprints-addons/aws`: many charts behind `enable_…` inputs.
    pub const BLUEPRINTS_ADDONS: TwoAddresses = TwoAddresses {
        registry: "aws-ia/eks-blueprints-addons/aws",
        repository: "terraform-aws-eks-blueprints-addons",
        submodule: "",
    };
    /// `aws-ia/eks-blueprints-addon/aws`: one chart.
    pub const BLUEPRINTS_ADDON: TwoAddresses = TwoAddresses {
        registry: "aws-ia/eks-blueprints-addon/aws",
        repository: "terraform-aws-eks-blueprints-addon",
        submodule: "",
    };

    /// The source of a module call; empty when it is not known.
    #[must_use]
    pub fn of(object: &'a BlockInstance) -> Self {
        Self(object.body.get("source").present().and_then(Value::as_str).unwrap_or_default())
    }

    /// Whether it is that module.
    #[must_use]
    pub fn is(self, known: TwoAddresses) -> bool {
        self.leads_to(known.registry, known.repository, known.submodule)
    }

    /// Whether it is the module of that address in the registry and of that repository, which may be named with
    /// its owner.
    #[must_use]
    pub fn leads_to(self, registry: &str, repository: &str, submodule: &str) -> bool {
        if !self.0.contains(registry) && !self.0.contains(repository) {
            return false;
        }
        let (module, written) = parts(self.0);
        // Terragrunt names the registry by a scheme: `tfr:///…`, `tfr://registry.terraform.io/…`.
        let module = module.trim_start_matches('/');
        let module = module.strip_prefix("registry.terraform.io/").unwrap_or(module);
        let path = module.trim_end_matches(".git");
        // `https://host/owner/name`, `git@host:owner/name`
        let is_below = |it: &str| it.is_empty() || it.ends_with(['/', ':']);
        let is_repository = path.strip_suffix(repository).is_some_and(is_below);
        (module == registry || is_repository) && written == submodule
    }

    /// Whether the module behind that address is one that karplint knows by its name: what is inside is not
    /// read even where it was fetched, so that nothing is seen twice.
    #[must_use]
    pub fn is_well_known(address: &str) -> bool {
        const ALL: [TwoAddresses; 6] = [
            ModuleSource::EKS,
            ModuleSource::EKS_KARPENTER,
            ModuleSource::EKS_MANAGED_NODE_GROUP,
            ModuleSource::EKS_FARGATE,
            ModuleSource::BLUEPRINTS_ADDONS,
            ModuleSource::BLUEPRINTS_ADDON,
        ];
        ALL.iter().any(|it| ModuleSource(address).is(*it))
    }

    /// Whether it is code of this repository, whose resources are seen one by one.
    #[must_use]
    pub fn is_local(self) -> bool {
        self.0.starts_with("./") || self.0.starts_with("../")
    }

    /// The folder that it names in a repository; empty for all of one, and for addresses of the registry.
    #[must_use]
    pub fn folder_in_repository(self) -> &'a str {
        let is_repository =
            ["git::", "git@", "github.com/"].iter().any(|it| self.0.starts_with(it));
        let (_, folder) = if is_repository { parts(self.0) } else { ("", "") };
        folder
    }

    /// Whether its name suggests that it creates nodes in code that is not read.
    #[must_use]
    pub fn may_bring_nodes(self) -> bool {
        const WORDS: &[&str] = &[
            "node-group",
            "node_group",
            "nodegroup",
            "nodes",
            "worker",
            "eks-cluster",
            "kubernetes",
        ];
        /// Words in the names of modules for EKS that create no nodes.
        const OTHERS: &[&str] =
            &["addon", "iam", "role", "irsa", "pod-identity", "auth", "teams", "karpenter"];
        let seen = self.is_local() || self.is(Self::EKS_MANAGED_NODE_GROUP) || self.is(Self::EKS);
        let has = |words: &[&str]| words.iter().any(|it| self.0.contains(it));
        !seen && (has(WORDS) || (self.0.contains("eks") && !has(OTHERS)))
    }

    /// Whether its name suggests that it installs Karpenter in code that is not read.
    #[must_use]
    pub fn may_install_karpenter(self) -> bool {
        const OTHERS: &[&str] = &["iam", "role", "irsa", "pod-identity", "sqs", "queue"];
        let has = |words: &[&str]| words.iter().any(|it| self.0.contains(it));
        self.0.contains("karpenter") && !Self::is_well_known(self.0) && !has(OTHERS)
    }

    /// Whether its name suggests that it makes a cluster in code that is not read.
    #[must_use]
    pub fn may_make_cluster(self) -> bool {
        const OTHERS: &[&str] = &["node-group", "node_group", "nodegroup", "fargate"];
        const WORDS: &[&str] = &["eks", "kubernetes-cluster", "k8s-cluster"];
        let has = |words: &[&str]| words.iter().any(|it| self.0.contains(it));
        self.may_bring_nodes() && has(WORDS) && !has(OTHERS)
    }

    /// The address.
    #[must_use]
    pub fn text(self) -> &'a str {
        self.0
    }

    /// Whether its name suggests that it tags subnets or security groups in code that is not read.
    #[must_use]
    pub fn may_tag(self) -> bool {
        const WORDS: &[&str] = &[
            "vpc",
            "subnet",
            "network",
            "eks",
            "k8s",
            "kubernetes",
            "karpenter",
            "security",
            "cluster",
            "infra",
            "platform",
            "base",
            "landing",
        ];
        /// Modules that tag only what their inputs name.
        const OTHERS: &[&str] = &["terraform-aws-modules/", "aws-ia/"];
        let has = |words: &[&str]| words.iter().any(|it| self.0.contains(it));
        self.0.is_empty() || self.is_local() || (has(WORDS) && !has(OTHERS))
    }

    /// Whether its name suggests that it creates Fargate profiles in code that is not read.
    #[must_use]
    pub fn may_bring_fargate(self) -> bool {
        !self.is_local() && !self.is(Self::EKS_FARGATE) && self.0.contains("fargate")
    }
}

const fn eks(submodule: &'static str) -> TwoAddresses {
    TwoAddresses {
        registry: "terraform-aws-modules/eks/aws",
        repository: "terraform-aws-eks",
        submodule,
    }
}

const fn iam(submodule: &'static str) -> TwoAddresses {
    TwoAddresses {
        registry: "terraform-aws-modules/iam/aws",
        repository: "terraform-aws-iam",
        submodule,
    }
}

/// The module that an address names, without its scheme and its query, and the folder in it.
pub(super) fn parts(address: &str) -> (&str, &str) {
    let address = address.split('?').next().unwrap_or_default();
    // `//` separates the folder; a scheme's `://` does not.
    let after_scheme = address.find("://").map_or(0, |at| at + "://".len());
    let rest = &address[after_scheme..];
    rest.split_once("//").unwrap_or((rest, ""))
}

#[cfg(test)]
mod tests {
    use super::ModuleSource;

    #[test]
    fn a_repository_may_be_that_of_one_owner() {
        for (text, wanted) in [
            ("git::https://github.com/a/terraform-b.git?ref=v1", true),
            ("git@github.com:a/terraform-b.git", true),
            ("github.com/a/terraform-b", true),
            ("a/b/helm", true),
            ("git::https://github.com/other/terraform-b.git", false),
            ("git::https://github.com/aa/terraform-b.git", false),
        ] {
            let found = ModuleSource(text).leads_to("a/b/helm", "a/terraform-b", "");
            assert_eq!(found, wanted, "{text}");
        }
    }

    #[test]
    fn sources_are_recognised_however_they_are_written() {
        let cases = [
            ("terraform-aws-modules/eks/aws", true, false),
            ("registry.terraform.io/terraform-aws-modules/eks/aws", true, false),
            (
                "git::https://github.com/terraform-aws-modules/terraform-aws-eks.git?ref=v20.0.0",
                true,
                false,
            ),
            ("github.com/terraform-aws-modules/terraform-aws-eks", true, false),
            ("terraform-aws-modules/eks/aws//modules/karpenter", false, true),
            (
                "git::ssh://git@github.com/terraform-aws-modules/terraform-aws-eks.git//modules/karpenter?ref=x",
                false,
                true,
            ),
            ("tfr:///terraform-aws-modules/eks/aws?version=21.0.0", true, false),
            ("tfr:///terraform-aws-modules/eks/aws//modules/karpenter?version=21.0.0", false, true),
            (
                "tfr://registry.terraform.io/terraform-aws-modules/eks/aws//modules/karpenter",
                false,
                true,
            ),
            ("./eks", false, false),
        ];
        for (text, eks, karpenter) in cases {
            assert_eq!(ModuleSource(text).is(ModuleSource::EKS), eks, "{text}");
            assert_eq!(ModuleSource(text).is(ModuleSource::EKS_KARPENTER), karpenter, "{text}");
        }
    }
}
