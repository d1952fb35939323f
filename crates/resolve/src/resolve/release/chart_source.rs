//! Which versions of its chart a release may install.

use std::collections::HashMap;

use crate::{
    knowledge::publication,
    resolve::release::{Release, pin::Pin},
    source::{FileId, Files, Span},
    value::{
        Value,
        step::{Referent, Step, StepKind},
    },
    version::{Version, constraint::Constraint},
};

/// How a version constraint admits untested releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenConstraint<'a> {
    /// None is written.
    Absent,
    /// It means the newest: `*`, `HEAD`.
    Newest(&'a str),
    /// It is a range of more than one minor release.
    Range(&'a str),
}

impl Release {
    /// Whether it is one of Karpenter's own charts.
    #[must_use]
    pub fn is_of_karpenter(&self) -> bool {
        self.is_controller() || self.is_crds()
    }

    /// The versions that may be installed, if they are known.
    #[must_use]
    pub fn allowed(&self) -> Option<Constraint> {
        Constraint::parse(self.version.known()?)
    }

    /// Whether the chart comes from the repository in which Karpenter's charts ended with 0.16.3.
    #[must_use]
    pub fn is_from_retired_repository(&self) -> bool {
        self.repository.as_ref().is_some_and(|it| it.contains("charts.karpenter.sh"))
    }

    /// Whether the chart comes from the registry to which Karpenter's charts are published.
    #[must_use]
    pub fn is_from_public_registry(&self) -> bool {
        self.repository.as_ref().is_some_and(|it| it.contains("public.ecr.aws/karpenter"))
    }

    /// Whether the chart is none of upstream's, although it has the name: upstream has no such version, and it
    /// comes from elsewhere.
    #[must_use]
    pub fn is_third_party(&self) -> bool {
        let unknown = self.exact_version().is_some_and(|it| !publication::is_released(&it));
        unknown && !self.is_from_public_registry()
    }

    /// The tag in a registry that the version is taken for, with the version: a repository of the other kind
    /// has an index, in which versions are looked up.
    #[must_use]
    pub fn tag(&self) -> Option<(&str, Version)> {
        let text = self.version.written_value().filter(|_| self.source.pin == Pin::Written)?;
        let index = self.repository.as_ref().is_some_and(|it| has_index(it));
        let other = index || self.local_chart.is_some() || self.is_third_party();
        let version = exact(text).filter(|_| !other)?;
        Some((text, version))
    }

    /// How its version constraint admits untested releases; `None` if it does not, or if that is not
    /// known.
    #[must_use]
    pub fn opening(&self) -> Option<OpenConstraint<'_>> {
        match self.source.pin {
            _ if self.local_chart.is_some() => None,
            Pin::Newest => (!self.reusable).then_some(OpenConstraint::Absent),
            Pin::Written | Pin::Matching => {
                let text = self.version.written_value()?.trim();

                if text.is_empty() {
                    return (!self.reusable).then_some(OpenConstraint::Absent);
                }
                if matches!(text, "*" | "x" | "HEAD" | "latest") {
                    return Some(OpenConstraint::Newest(text));
                }
                Constraint::parse(text)?.is_open().then_some(OpenConstraint::Range(text))
            }
            Pin::Lock | Pin::Elsewhere => None,
        }
    }
}

/// Whether the address is that of a web server, or a name for one that `helm repo add` gave: these have an
/// index of their charts.
fn has_index(address: &str) -> bool {
    let first = address.split('/').next().unwrap_or_default();
    let named = !address.contains("://") && !first.contains(['.', ':', ' ']);
    named || ["http://", "https://", "@", "alias:"].iter().any(|it| address.starts_with(it))
}

/// A release with its three numbers and nothing around them.
fn exact(text: &str) -> Option<Version> {
    let version = Version::parse(text).filter(|_| text.split('.').count() == 3)?;
    let plain = version.prerelease.is_empty() && version.build.is_none() && !text.contains('+');
    plain.then_some(version)
}

/// Marks the releases of Karpenter whose version's literal may serve something else, too.
pub fn mark_shared(files: &Files, releases: &mut [Release]) {
    let ours = || releases.iter().filter(|it| it.is_of_karpenter());
    let code = TerraformText::of(files);
    let uses: Vec<Span> = ours().flat_map(|it| it.version.steps()).map(|it| it.span).collect();
    for release in releases.iter_mut().filter(|it| it.is_of_karpenter()) {
        let terraform = release.code().is_some();
        let steps = release.version.value().into_iter().flat_map(Value::steps);
        release.source.shared =
            steps.into_iter().any(|it| !terraform || code.may_serve_others(it, &uses));
    }
}

/// The files of Terraform by their folders.
struct TerraformText<'f> {
    files: &'f Files,
    by_folder: HashMap<&'f str, Vec<FileId>>,
}

impl<'f> TerraformText<'f> {
    fn of(files: &'f Files) -> Self {
        let is_code = |it: &str| matches!(it, "tf" | "tofu" | "json");
        let mut by_folder: HashMap<&str, Vec<FileId>> = HashMap::new();
        for (id, file) in files.iter().filter(|(_, it)| is_code(it.ending())) {
            by_folder.entry(file.folder()).or_default().push(id);
        }
        Self { files, by_folder }
    }

    /// Whether what a step passes on may be used elsewhere than at the places given.
    fn may_serve_others(&self, step: &Step, uses: &[Span]) -> bool {
        let path = match &step.kind {
            StepKind::Argument { .. } => return false,
            StepKind::Reference { to: Referent::Variable | Referent::Local, text, .. } => text,
            _ => return true,
        };
        let mut parts = path.splitn(3, '.');
        let (Some(kind), Some(name)) = (parts.next(), parts.next()) else { return true };
        let (name, rest) = (format!("{kind}.{name}"), parts.next());
        let folder = self.files.get(step.span.file).folder();
        let beside = self.by_folder.get(folder).map_or(&[][..], Vec::as_slice);
        for (file, text) in beside.iter().map(|it| (*it, self.files.get(*it).text())) {
            for (at, _) in text.match_indices(&name) {
                let after = &text[at + name.len()..];
                let known = uses.iter().any(|it| it.file == file && it.start as usize == at);
                let other = rest.is_some_and(|rest| {
                    after.strip_prefix('.').is_some_and(|it| word(it) != word(rest))
                });
                let within_word = text[..at].ends_with(is_of_word) || after.starts_with(is_of_word);
                if !known && !other && !within_word {
                    return true;
                }
            }
        }
        false
    }
}

fn word(text: &str) -> &str {
    text.find(|it| !is_of_word(it)).map_or(text, |end| &text[..end])
}

fn is_of_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')
}

#[cfg(test)]
mod tests {
    use super::{TerraformText, exact, has_index, word};
    use crate::{
        source::{FileId, Files, SourceFile, Span},
        value::step::{Referent, Step, StepKind},
    };

    /// Whether the path serves others, used first in the text at `@`.
    fn serves_others(path: &str, text: &str) -> bool {
        let at = text.find('@').unwrap_or_else(|| unreachable!("{text} has a mark"));
        let text = text.replace('@', "");
        let files = Files::new(vec![
            SourceFile::new("a/main.tf", &*text),
            SourceFile::new("b/main.tf", "x = var.version\ny = local.versions.karpenter"),
        ]);
        let file = files.find("a/main.tf").unwrap_or(FileId(0));
        let span = Span::new(file, at, at + path.len());
        let to = match path.split_once('.') {
            Some(("var", _)) => Referent::Variable,
            Some(("local", _)) => Referent::Local,
            _ => Referent::Resource,
        };
        let name = path.split('.').nth(1).unwrap_or_default().into();
        let kind = StepKind::Reference { to, name, text: path.into() };
        let step = Step { span, kind, before: None };
        TerraformText::of(&files).may_serve_others(&step, &[span])
    }

    #[test]
    fn a_literal_with_other_uses_is_found() {
        for (path, text, wanted) in [
            ("var.version", "version = @var.version", false),
            ("var.version", "version = @var.version\ntag = var.version_of_image", false),
            ("var.version", "version = @var.version\ntag = \"v${var.version}\"", true),
            ("local.versions.karpenter", "v = @local.versions.karpenter", false),
            (
                "local.versions.karpenter",
                "v = @local.versions.karpenter\nc = local.versions.cilium",
                false,
            ),
            (
                "local.versions.karpenter",
                "v = @local.versions.karpenter\nall = local.versions",
                true,
            ),
            (
                "local.versions.karpenter",
                "v = @local.versions.karpenter\nt = local.versions.karpenter",
                true,
            ),
            ("each.value.version", "v = @each.value.version", true),
            ("yamldecode(file(\"a.yaml\")).v", "v = @yamldecode(file(\"a.yaml\")).v", true),
        ] {
            assert_eq!(serves_others(path, text), wanted, "{path} in {text}");
        }
    }

    #[test]
    fn only_three_numbers_are_a_tag() {
        for (text, wanted) in [
            ("0.34.1", true),
            ("v1.8.2", true),
            ("1.8", false),
            ("= 0.34.1", false),
            ("~0.34.1", false),
            ("0.34.x", false),
            ("1.0.0-rc.1", false),
            ("v0-7b2f3c1d", false),
            ("1.0.0+1", false),
            ("0.34.1-eksbuild.1", false),
            ("", false),
        ] {
            assert_eq!(exact(text).is_some(), wanted, "{text}");
        }
    }

    #[test]
    fn an_index_is_distinguished_from_a_registry() {
        for (address, wanted) in [
            ("https://charts.example.com", true),
            ("karpenter/karpenter", true),
            ("@karpenter", true),
            ("alias:karpenter", true),
            ("oci://public.ecr.aws/karpenter", false),
            ("public.ecr.aws/karpenter", false),
            ("registry:5000/karpenter", false),
            ("oci://public.ecr.aws karpenter/karpenter", false),
        ] {
            assert_eq!(has_index(address), wanted, "{address}");
        }
    }

    #[test]
    fn a_word_ends_where_the_name_does() {
        assert_eq!(word("karpenter_version, 1"), "karpenter_version");
        assert_eq!(word("a.b"), "a");
        assert_eq!(word(""), "");
    }
}
