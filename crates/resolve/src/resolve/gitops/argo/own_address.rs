//! Files of this repository that are named by their address at GitHub.

use crate::{
    resolve::gitops::repository::{Repository, extension},
    source::{FileId, SourceFile, is_below},
    value::Value,
};

/// Where GitHub gives the text of files, and what lies between the repository and the branch.
const PLACES: [(&str, &str); 2] =
    [("https://raw.githubusercontent.com/", ""), ("https://github.com/", "raw/")];

/// The branches that are most likely what the working tree holds.
const BRANCHES: [&str; 3] = ["main", "master", "HEAD"];

/// A file at GitHub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Address<'a> {
    /// The owner and the name of its repository.
    repository: &'a str,
    path: &'a str,
}

/// The file of this repository behind an address. The address is taken to lead here where the file is here, and
/// something else is that the repository is named for: another such file, or a folder that Argo CD applies.
pub(super) fn file(repository: &Repository<'_>, address: &str) -> Option<FileId> {
    let address = parse(address)?;
    let id = repository.file("", address.path)?;
    let is_near = |it: &str| it.contains(address.repository);
    let is_yaml = |it: &SourceFile| matches!(extension(it.path()), "yaml" | "yml");
    let mut others = false;
    for (id, file) in repository.files.iter().filter(|it| is_yaml(it.1)) {
        let Some(text) = file.text_if(is_near) else { continue };
        for path in paths(text, address) {
            repository.file("", path)?;
            others |= path != address.path;
        }
        others |= applies_folder(repository, id, address);
    }
    others.then_some(id)
}

/// Reads an address of a file on a branch that is likely the one here.
fn parse(address: &str) -> Option<Address<'_>> {
    let (rest, between) = PLACES.iter().find_map(|it| Some((address.strip_prefix(it.0)?, it.1)))?;
    let (owner, behind) = rest.split_once('/')?;
    let (name, behind) = behind.split_once('/')?;
    let behind = behind.strip_prefix(between)?;
    let behind = behind.strip_prefix("refs/heads/").unwrap_or(behind);
    let (branch, path) = behind.split_once('/')?;
    let repository = rest.get(..owner.len() + 1 + name.len())?;
    BRANCHES.contains(&branch).then_some(Address { repository, path })
}

/// The paths of the files of the same repository that a text names by their addresses.
fn paths<'t>(text: &'t str, of: Address<'_>) -> impl Iterator<Item = &'t str> {
    let places = text.match_indices("https://").map(|(at, _)| &text[at..]);
    let words = places.map(|it| it.split(['"', '\'', ' ', '\n', '\r', ',', ']']).next());
    let addresses = words.filter_map(|it| parse(it?));
    addresses.filter(move |it| it.repository == of.repository).map(|it| it.path)
}

/// Whether a document is an Application that applies a folder which this repository has, out of that one.
fn applies_folder(repository: &Repository<'_>, id: FileId, of: Address<'_>) -> bool {
    let document = repository.document(id, false);
    let Some(spec) = document.value.as_ref().and_then(|it| it.get("spec").present()) else {
        return false;
    };
    let sources = spec.get("sources").present().map_or(&[][..], Value::items);
    let is_here = |it: &Value| {
        let text = |key: &str| it.get(key).present().and_then(Value::as_str);
        let url = text("repoURL").map(|it| it.trim_end_matches(".git"));
        let is_its = url.and_then(|it| it.strip_suffix(of.repository));
        let folder = text("path").map(|it| it.trim_matches('/')).filter(|it| !it.is_empty());
        is_its.is_some_and(|it| it.ends_with(['/', ':']))
            && folder.is_some_and(|folder| {
                repository.files.iter().any(|(_, it)| is_below(it.path(), folder))
            })
    };
    sources.iter().chain(spec.get("source").present()).any(is_here)
}

#[cfg(test)]
mod tests {
    use super::{Address, parse};

    #[test]
    fn addresses_name_a_file_on_a_branch() {
        let own = Some(Address { repository: "shop/fleet", path: "helm/karpenter/values.yaml" });
        for (address, wanted) in [
            ("https://raw.githubusercontent.com/shop/fleet/main/helm/karpenter/values.yaml", own),
            (
                "https://raw.githubusercontent.com/shop/fleet/refs/heads/main/helm/karpenter/values.yaml",
                own,
            ),
            ("https://github.com/shop/fleet/raw/main/helm/karpenter/values.yaml", own),
            // A page about the file, and a tag.
            ("https://github.com/shop/fleet/blob/main/helm/karpenter/values.yaml", None),
            (
                "https://raw.githubusercontent.com/shop/fleet/v1.2.0/helm/karpenter/values.yaml",
                None,
            ),
            ("https://example.com/shop/fleet/main/helm/karpenter/values.yaml", None),
        ] {
            assert_eq!(parse(address), wanted, "{address}");
        }
    }
}
