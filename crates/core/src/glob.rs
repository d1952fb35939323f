//! Patterns of paths that a repository holds.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// The matcher of a pattern; `None` where it is none, or nested too deep or too large for a matcher.
///
/// That of a pattern alone, `Glob::compile_matcher`, panics where this gives `None`.
#[must_use]
pub fn matcher(pattern: &GlobBuilder<'_>) -> Option<GlobSet> {
    let mut set = GlobSetBuilder::new();
    set.add(pattern.build().ok()?);
    set.build().ok()
}

#[cfg(test)]
mod tests {
    use globset::GlobBuilder;

    use super::matcher;

    #[test]
    fn what_cannot_be_matched_is_refused() {
        let deep = format!("{}a{}", "{b,".repeat(300), "}".repeat(300));
        for pattern in [&*deep, "{a", "[b"] {
            assert!(matcher(&GlobBuilder::new(pattern)).is_none(), "{pattern}");
        }
        let found = matcher(GlobBuilder::new("a/*.{yaml,yml}").literal_separator(true));
        assert!(found.is_some_and(|it| it.is_match("a/b.yml") && !it.is_match("a/b/c.yml")));
    }
}
