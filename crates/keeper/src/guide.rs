//! The upgrade guide: what a release asks for that the data do not have.

use karplint_core::version::Version;
use karplint_knowledge::knowledge::upgrade;

use crate::{ours::Difference, tree::Tree};

const OURS: &str = "upgrade-steps.yaml";

/// The sections of newer minors than the data have, each with what it asks for, and a newer patch.
pub(crate) fn differences(tree: &Tree, release: &Version) -> Vec<Difference> {
    let mut found = Vec::new();
    let newest = upgrade::newest_patch(release.line());
    if newest.is_none_or(|it| it < release) {
        let what = format!("{release} is newer than the newest patch of its minor that is listed");
        found.push(Difference::at(OURS, "releases:", what));
    }
    let guide = tree.ending("content/en/preview/upgrading/upgrade-guide.md");
    let guide = guide.or_else(|| tree.ending("content/en/docs/upgrading/upgrade-guide.md"));
    let Some((path, text)) = guide else { return found };
    for (version, line, asks) in sections(text) {
        if upgrade::newest().is_some_and(|it| it.line() < version.line()) {
            let what = format!("what the guide asks for at {version}: {}", asks.join("; "));
            found.push(Difference::at(OURS, "minors:", what).found(path, line));
        }
    }
    found
}

/// The sections of the guide: the version, the line of its heading, and its items.
fn sections(text: &str) -> Vec<(Version, usize, Vec<&str>)> {
    let mut sections: Vec<(Version, usize, Vec<&str>)> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if let Some(heading) = line.strip_prefix("### Upgrading to ") {
            let version =
                Version::parse(heading.trim_matches(['`', '+', ' ']).trim_end_matches("`+"));
            sections.extend(version.map(|it| (it, at + 1, Vec::new())));
        } else if let Some(item) = line.strip_prefix("* ")
            && let Some((.., items)) = sections.last_mut()
            && !item.starts_with("http")
        {
            items.push(item);
        }
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::sections;

    #[test]
    fn a_section_has_its_items() {
        let text = "### CRD Upgrades\n* no\n### Upgrading to `1.15.0`+\n\n* One\n  more\n* Two\n\nFull Changelog:\n* \
                    https://example.com\n### Upgrading to `1.14.0`+\n* Old\n";
        let found: Vec<(String, usize, Vec<&str>)> = sections(text)
            .into_iter()
            .map(|(version, line, items)| (version.to_string(), line, items))
            .collect();
        let wanted =
            [("1.15.0".to_owned(), 3, vec!["One", "Two"]), ("1.14.0".to_owned(), 11, vec!["Old"])];
        assert_eq!(found, wanted);
    }
}
