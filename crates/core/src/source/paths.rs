//! Paths of a project: relative to its root, with `/`.

/// The folder part of a path with `/`; empty for a name without folder.
#[must_use]
pub fn parent(path: &str) -> &str {
    path.rfind('/').map_or("", |at| &path[..at])
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
