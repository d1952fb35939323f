//! Paths of a project: relative to its root, with `/`.

use memchr::memrchr;

/// The folder part of a path with `/`; empty for a name without folder.
#[must_use]
pub fn parent(path: &str) -> &str {
    memrchr(b'/', path.as_bytes()).map_or("", |at| &path[..at])
}

/// The last part of a path.
#[must_use]
pub fn file_name(path: &str) -> &str {
    memrchr(b'/', path.as_bytes()).map_or(path, |at| &path[at + 1..])
}

/// What follows the last dot of a name, and what is before it; the whole name is before where it has none.
#[must_use]
pub fn ending(name: &str) -> (&str, &str) {
    memrchr(b'.', name.as_bytes()).map_or((name, ""), |at| (&name[..at], &name[at + 1..]))
}

/// A path and the folders around it, outward to the root, whose name is empty.
pub fn outward(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |it| (!it.is_empty()).then(|| parent(it)))
}

/// Joins a folder and a relative path and resolves `.` and `..`; `None` when it leaves the root.
#[must_use]
pub fn join(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|it| !it.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// Whether a folder is another or lies below it; everything lies below the root, whose name is empty.
#[must_use]
pub fn is_below(folder: &str, other: &str) -> bool {
    let rest = if other.is_empty() { Some("") } else { folder.strip_prefix(other) };
    rest.is_some_and(|it| it.is_empty() || it.starts_with('/'))
}

/// Whether the path of a file leads through an unpacked release of others: a folder with a version in its name,
/// `istio-1.16.0`.
#[must_use]
pub fn is_distribution(path: &str) -> bool {
    distribution(path).is_some()
}

/// The outermost folder of an unpacked release on the path of a file. What follows the version in its name is what
/// the release is for: `velero-v1.16.0-linux-amd64`.
#[must_use]
pub fn distribution(path: &str) -> Option<&str> {
    let is_version = |it: &str| {
        let numbers: Vec<&str> = it.strip_prefix('v').unwrap_or(it).split('.').collect();
        let is_number = |it: &&str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
        numbers.len() == 3 && numbers.iter().all(is_number)
    };
    path.match_indices('/').map(|(end, _)| &path[..end]).find(|folder| {
        let mut words = file_name(folder).split('-').skip(1);
        words.any(is_version)
    })
}

#[cfg(test)]
mod tests {
    use super::{distribution, is_distribution};

    #[test]
    fn an_unpacked_release_has_its_version_in_the_name_of_its_folder() {
        for (path, is_one) in [
            ("charts/istio-1.16.0/manifests/istiod/templates/pdb.yaml", true),
            ("vendor/loki-v2.9.1/a.yaml", true),
            ("apps/web-2/a.yaml", false),
            ("charts/istio-1.16.0", false),
            ("clusters/eks-1.31/a.yaml", false),
        ] {
            assert_eq!(is_distribution(path), is_one, "{path}");
        }
        let path = "terraform/velero-v1.16.0-linux-amd64/examples/b-1.0.0/a.yaml";
        assert_eq!(distribution(path), Some("terraform/velero-v1.16.0-linux-amd64"));
    }
}
