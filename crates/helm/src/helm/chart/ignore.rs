//! `.helmignore`: files that are not part of a chart.

use globset::{GlobBuilder, GlobSet};

use crate::glob;

/// The rules of a `.helmignore`.
#[derive(Debug, Default)]
pub struct Ignore(Vec<Rule>);

/// What a rule names. To make an automaton of each pattern takes longer than the rest of a small chart.
#[derive(Debug)]
enum Pattern {
    /// This text.
    Text(String),
    /// Whatever ends so.
    End(String),
    /// Any other pattern.
    Glob(Box<GlobSet>),
}

impl Pattern {
    fn read(line: &str, whole: bool) -> Option<Self> {
        let is_text = |it: &str| !it.contains(['*', '?', '[', ']', '{', '}', '\\']);
        if is_text(line) {
            return Some(Self::Text(line.to_owned()));
        }
        match line.strip_prefix('*') {
            Some(end) if is_text(end) && !whole => Some(Self::End(end.to_owned())),
            _ => {
                let glob = glob::matcher(GlobBuilder::new(line).literal_separator(true))?;
                Some(Self::Glob(Box::new(glob)))
            }
        }
    }

    fn is_match(&self, text: &str) -> bool {
        match self {
            Self::Text(it) => it == text,
            Self::End(it) => text.ends_with(it.as_str()),
            Self::Glob(it) => it.is_match(text),
        }
    }
}

#[derive(Debug)]
struct Rule {
    pattern: Pattern,
    /// Matched with the whole path, not with the last name.
    whole: bool,
    folders_only: bool,
    negated: bool,
}

impl Ignore {
    /// Reads the rules, one a line. What is no pattern is no rule.
    #[must_use]
    pub fn read(text: &str) -> Self {
        Self(text.lines().filter_map(rule).collect())
    }

    /// Whether a file is left out, by itself or by a folder above it. A rule for all but some leaves out
    /// whatever it does not name, as in Helm.
    #[must_use]
    pub fn covers(&self, path: &str) -> bool {
        // What a templates folder hides is never a template.
        if path.strip_prefix("templates/").is_some_and(|it| it.len() > 1 && it.starts_with('.')) {
            return true;
        }
        let folders = path.match_indices('/').filter_map(|(at, _)| Some((path.get(..at)?, true)));
        folders.chain([(path, false)]).any(|(path, is_folder)| self.matches(path, is_folder))
    }

    fn matches(&self, path: &str, is_folder: bool) -> bool {
        self.0.iter().any(|rule| {
            let name = path.rsplit('/').next().unwrap_or(path);
            let found = rule.pattern.is_match(if rule.whole { path } else { name });
            if rule.negated {
                if rule.folders_only && !is_folder {
                    return false;
                }
                return !found;
            }
            found && (is_folder || !rule.folders_only)
        })
    }
}

fn rule(line: &str) -> Option<Rule> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') || line.contains("**") {
        return None;
    }
    let (negated, line) = match line.strip_prefix('!') {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let (folders_only, line) = match line.strip_suffix('/') {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let (whole, line) = match line.strip_prefix('/') {
        Some(rest) => (true, rest),
        None => (line.contains('/'), line),
    };
    let pattern = Pattern::read(line, whole)?;
    Some(Rule { pattern, whole, folders_only, negated })
}

#[cfg(test)]
mod tests {
    use globset::GlobBuilder;

    use super::{Ignore, Pattern};
    use crate::glob;

    #[test]
    fn rules_are_those_of_helm() {
        let ignore = Ignore::read("# comment\n*.md\n/ci/\nsub/file.txt\n.git/\n");
        let cases = [
            ("README.md", true),
            ("docs/a.md", true),
            ("ci/values.yaml", true),
            ("other/ci/values.yaml", false),
            ("sub/file.txt", true),
            ("templates/.hidden", true),
            ("templates/a.yaml", false),
        ];
        for (path, expected) in cases {
            assert_eq!(ignore.covers(path), expected, "{path}");
        }
    }
    #[test]
    fn patterns_match_as_globs_do() {
        let texts =
            ["", "a", ".git", "a.bak", ".bak", "bak", "a/b.bak", "a.bak/b", "ä.bak", "A.BAK"];
        for line in [".git", "*.bak", "*", "*a", "a.bak", ".*", "*.b?k", "[ab].bak", "*.{bak,md}"] {
            let glob = glob::matcher(GlobBuilder::new(line).literal_separator(true)).unwrap();
            let pattern = Pattern::read(line, false).unwrap();
            // Names have no slash; paths are matched by whole patterns.
            for text in texts.into_iter().filter(|it| !it.contains('/')) {
                assert_eq!(pattern.is_match(text), glob.is_match(text), "{line} {text}");
            }
            let pattern = Pattern::read(line, true).unwrap();
            for text in texts {
                assert_eq!(pattern.is_match(text), glob.is_match(text), "{line} {text}");
            }
        }
    }
}
