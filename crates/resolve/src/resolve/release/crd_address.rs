//! Addresses of Karpenter's CRDs, where upstream publishes them.

use std::ops::Range;

use crate::{
    resolve::{
        gitops::repository::part,
        release::{
            chart_version::{ChartVersion, Pin},
            upstream,
        },
    },
    value::{Kind, Value},
};

/// Where GitHub serves the files of a repository.
const HOSTS: [&str; 2] = ["raw.githubusercontent.com/", "github.com/"];
/// What only the addresses of CRDs hold.
const CRDS: [&str; 3] = ["/crds", "karpenter.sh_", "karpenter.k8s.aws_"];

/// The tag in an address of Karpenter's CRDs.
pub(super) enum Tag {
    /// A version of Karpenter, and its bytes.
    Version(Range<usize>),
    /// None, a branch, or a version of something else.
    Other,
}

/// The version in an address of Karpenter's CRDs; `None` for other addresses.
pub(super) fn version(address: &Value) -> Option<ChartVersion> {
    let Kind::String(text) = &address.kind else { return None };
    let named = match tag(&text.text)? {
        Tag::Version(it) => {
            let prefix = usize::from(text.text[it.clone()].starts_with('v'));
            Some(part(address, text, it.start + prefix..it.end))
        }
        Tag::Other => None,
    };
    let pin = if named.is_some() { Pin::Written } else { Pin::Elsewhere };
    let mut version = ChartVersion::new(named.as_ref(), pin, address.span);
    // What else reads the variable is not known.
    if named.is_some_and(|it| it.steps().next().is_some()) {
        version.literal = None;
    }
    Some(version)
}

/// Which tag an address of Karpenter's CRDs has; `None` for other addresses.
pub(super) fn tag(address: &str) -> Option<Tag> {
    // What comes before the tag are words of GitHub's own: `raw`, `refs/tags`, `releases/download`.
    const OWN: [&str; 7] = ["raw", "blob", "tree", "refs", "tags", "releases", "download"];
    let is_crds = CRDS.iter().any(|it| address.contains(it));
    let start = HOSTS.iter().find_map(|it| Some(address.find(it)? + it.len()))?;
    let ends = |at: usize| address[at..].find(['/', '?', '&']).map_or(address.len(), |it| at + it);
    let mut at = start;
    let mut parts = std::iter::from_fn(|| {
        let range = at..ends(at);
        at = range.end + 1;
        (range.end < address.len()).then_some(range)
    });
    let (owner, name) = (parts.next()?, parts.next()?);
    let repository = address[owner.start..name.end].trim_end_matches(".git");
    if is_crds && repository == upstream::SHARED {
        return Some(Tag::Other);
    }
    if !is_crds || !upstream::REPOSITORIES.contains(&repository) {
        return None;
    }
    if let Some(at) = address.find("?ref=") {
        return Some(Tag::Version(at + 5..ends(at + 5)));
    }
    let tag = parts.find(|it| !OWN.contains(&&address[it.clone()]))?;
    let is_none = matches!(&address[tag.clone()], "latest" | "heads" | "pkg" | "");
    Some(if is_none { Tag::Other } else { Tag::Version(tag) })
}

#[cfg(test)]
mod tests {
    use super::{Tag, tag};

    #[test]
    fn addresses_of_crds_name_their_version() {
        const RAW: &str = "https://raw.githubusercontent.com/";
        for (address, wanted) in [
            ("RAWaws/karpenter/v1.6.2/pkg/apis/crds/karpenter.sh_nodepools.yaml", Some("v1.6.2")),
            ("RAWaws/karpenter-provider-aws/refs/tags/v1.6.2/pkg/apis/crds/x", Some("v1.6.2")),
            ("RAWaws/karpenter/refs/heads/main/pkg/apis/crds/x", Some("")),
            ("RAWaws/karpenter/main/pkg/apis/crds/x", Some("main")),
            ("RAWaws/karpenter/v1.6.2/README.md", None),
            ("RAWother/karpenter/v1.6.2/pkg/apis/crds/x", None),
            ("RAWkubernetes-sigs/karpenter/v1.6.2/pkg/apis/crds/x", Some("")),
            ("https://github.com/aws/karpenter/raw/v1.6.2/pkg/apis/crds/x", Some("v1.6.2")),
            ("https://github.com/aws/karpenter/releases/download/v1.6.2/crds.yaml", Some("v1.6.2")),
            ("https://github.com/aws/karpenter/releases/latest/download/crds.yaml", Some("")),
            ("github.com/aws/karpenter//pkg/apis/crds?ref=v1.6.2", Some("v1.6.2")),
            ("github.com/aws/karpenter.git//pkg/apis/crds", Some("")),
            ("https://github.com/", None),
            ("https://github.com/aws", None),
        ] {
            let address = address.replace("RAW", RAW);
            let found = tag(&address).map(|it| match it {
                Tag::Version(range) => &address[range],
                Tag::Other => "",
            });
            assert_eq!(found, wanted, "{address}");
        }
    }
}
