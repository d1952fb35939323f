//! A rule's page: front matter and sections.
//!
//! `rules/<rule>.md` is what readers see, what the tests run, and where the runner takes a rule's name
//! and severity from. The front matter is flat `key: value` lines.

use std::borrow::Cow;

use memchr::memmem;

use crate::findings::Severity;

/// What a page says about its rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The rule's name, as in config and comments.
    pub name: &'static str,
    /// How bad a finding is unless the rule or missing evidence lowers it.
    pub severity: Severity,
    /// What the rule is about: a group of rules that is listed and chosen together.
    pub topic: &'static str,
    /// What the project has to show for that severity.
    pub evidence: Evidence,
    /// Whether its findings say that something is missing, which who installs a chart may add.
    pub is_absence: bool,
    /// The karplint release that brought the rule; empty for one of the project's own.
    pub since: &'static str,
    /// `none`, `safe` or `unsafe`.
    pub fix: &'static str,
    /// Upstream's own words on the matter; of the project's own rules, where they are written.
    pub source: Cow<'static, str>,
    /// The heading: the defect in plain words.
    pub title: Cow<'static, str>,
    /// The paragraphs between the heading and the first section.
    pub reason: Cow<'static, str>,
    /// Everything after the front matter.
    pub body: Cow<'static, str>,
}

/// What a project has to show before a finding is more than a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Nothing: the finding is about Karpenter itself.
    NotNeeded,
    /// That Karpenter is used: the finding is about other objects and matters only with Karpenter.
    Karpenter,
}

impl Evidence {
    /// Reads the optional `evidence` of the front matter.
    fn read(word: Option<&str>) -> Result<Self, String> {
        match word {
            None => Ok(Self::NotNeeded),
            Some("karpenter") => Ok(Self::Karpenter),
            Some(other) => Err(format!("`{other}` is no evidence: only `karpenter` is")),
        }
    }
}

impl Page {
    /// Reads a page.
    ///
    /// # Errors
    /// One sentence naming what is missing or not allowed.
    pub fn parse(text: &'static str) -> Result<Self, String> {
        let (front, body) =
            parts(text).ok_or("a page starts with front matter between `---` lines")?;
        let lines: Vec<(&str, &str)> = front.lines().filter_map(|it| it.split_once(": ")).collect();
        let optional = |key: &str| lines.iter().find(|it| it.0 == key).map(|it| it.1);
        let field =
            |key: &str| optional(key).ok_or_else(|| format!("the front matter lacks `{key}`"));
        let severity = field("severity")?;
        let body = body.trim_start();
        let title = body.lines().next().and_then(|it| it.strip_prefix("# "));
        let after_title = body.split_once('\n').map_or("", |(_, rest)| rest);
        Ok(Self {
            name: field("rule")?,
            severity: Severity::from_word(severity)
                .ok_or_else(|| format!("`{severity}` is no severity: error, warning or note"))?,
            topic: field("topic")?,
            evidence: Evidence::read(optional("evidence"))?,
            is_absence: optional("about") == Some("absence"),
            since: field("since")?,
            fix: field("fix")?,
            source: field("source")?.into(),
            title: title.ok_or("the first line after the front matter is the title")?.into(),
            reason: before(after_title, b"\n## ").trim().into(),
            body: body.into(),
        })
    }

    /// The first example of how it is right, as a fenced block.
    #[must_use]
    pub fn good(&self) -> Option<&str> {
        let (_, section) = self.body.split_once("\n## Good\n")?;
        let section = section.split("\n## ").next()?;
        let block = section.get(section.find("```")?..)?;
        let end = block.find("\n```\n")?;
        block.get(..end + "\n```".len())
    }

    /// The address of the page of a built-in rule, for reports.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}/blob/main/rules/{}.md", env!("CARGO_PKG_REPOSITORY"), self.name)
    }
}

/// The front matter and what is below it.
fn parts(text: &str) -> Option<(&str, &str)> {
    const END: &str = "\n---\n";
    let inside = text.strip_prefix("---\n")?;
    let at = memmem::find(inside.as_bytes(), END.as_bytes())?;
    inside.get(..at).zip(inside.get(at + END.len()..))
}

/// What is before a text; all where it is not there.
fn before<'t>(text: &'t str, end: &[u8]) -> &'t str {
    memmem::find(text.as_bytes(), end).and_then(|at| text.get(..at)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::{Evidence, Page};

    #[test]
    fn evidence_is_optional_and_known() {
        let front = "rule: a\nseverity: error\nsince: 0.1.0\ntopic: t\nfix: none\nsource: b";
        for (line, wanted) in [
            ("", Some(Evidence::NotNeeded)),
            ("\nevidence: karpenter", Some(Evidence::Karpenter)),
            ("\nevidence: helm", None),
        ] {
            let page: &'static str = format!("---\n{front}{line}\n---\n\n# A\n").leak();
            assert_eq!(Page::parse(page).ok().map(|it| it.evidence), wanted, "{line}");
        }
    }
}
