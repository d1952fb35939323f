//! Files of this repository that are named by their address at GitHub.

use crate::{
    hash::HashMap,
    resolve::gitops::repository::{NamedAtGithub, Repository, extension},
    source::{FileId, SourceFile},
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
    let named = repository.named_at_github(address.repository, || named(repository))?;
    let others = named.applies_folder || named.paths.iter().any(|it| it != address.path);
    (others && !named.lacks_file).then_some(id)
}

/// What the YAML of the repository names of repositories at GitHub.
fn named(repository: &Repository<'_>) -> HashMap<String, NamedAtGithub> {
    let mut found: HashMap<String, NamedAtGithub> = HashMap::default();
    let is_yaml = |it: &SourceFile| matches!(extension(it.path()), "yaml" | "yml");
    for (id, file) in repository.files.iter().filter(|it| is_yaml(it.1)) {
        let Some(text) = file.text_if(|it| it.contains("github")) else { continue };
        for address in addresses(text) {
            let named = found.entry(address.repository.to_owned()).or_default();
            named.lacks_file |= repository.file("", address.path).is_none();
            named.paths.insert(address.path.to_owned());
        }
        for name in applied(repository, id) {
            found.entry(name).or_default().applies_folder = true;
        }
    }
    found
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

/// The addresses of files in a text.
fn addresses(text: &str) -> impl Iterator<Item = Address<'_>> {
    let places = text.match_indices("https://").map(|(at, _)| &text[at..]);
    let words = places.map(|it| it.split(['"', '\'', ' ', '\n', '\r', ',', ']']).next());
    words.filter_map(|it| parse(it?))
}

/// The repositories of which a document is an Application that applies a folder which is here.
fn applied(repository: &Repository<'_>, id: FileId) -> Vec<String> {
    let document = repository.document(id, false);
    let Some(spec) = document.value.as_ref().and_then(|it| it.get("spec").present()) else {
        return Vec::new();
    };
    let sources = spec.get("sources").present().map_or(&[][..], Value::items);
    let of_source = |it: &Value| {
        let text = |key: &str| it.get(key).present().and_then(Value::as_str);
        let mut parts = text("repoURL")?.trim_end_matches(".git").rsplit(['/', ':']);
        let (name, owner) = (parts.next()?, parts.next()?);
        let folder = text("path")?.trim_matches('/');
        repository.holds_folder(folder).then(|| format!("{owner}/{name}"))
    };
    sources.iter().chain(spec.get("source").present()).filter_map(of_source).collect()
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
