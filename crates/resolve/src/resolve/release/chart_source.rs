//! Which versions of its chart a release may install.

use std::sync::Arc;

use crate::{
    knowledge::publication,
    resolve::{
        release::{Release, chart_version::Pin},
        terraform::references::{Declaration, Declared, Read, References},
    },
    source::{Files, Span},
    value::{
        Value,
        step::{Referent, Step, StepKind},
    },
    version::{Version, constraint::Constraint},
};

/// How a version constraint admits untested releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening<'a> {
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
        let text = self.version.written_value().filter(|_| self.version.pin == Pin::Written)?;
        let index = self.repository.as_ref().is_some_and(|it| has_index(it));
        let other = index || self.local_chart.is_some() || self.is_third_party();
        let version = exact(text).filter(|_| !other)?;
        Some((text, version))
    }

    /// How its version constraint admits untested releases; `None` if it does not, or if that is not
    /// known.
    #[must_use]
    pub fn opening(&self) -> Option<Opening<'_>> {
        match self.version.pin {
            _ if self.local_chart.is_some() => None,
            Pin::Newest => (!self.reusable).then_some(Opening::Absent),
            Pin::Written | Pin::Matching => {
                let text = self.version.written_value()?.trim();

                if text.is_empty() {
                    return (!self.reusable).then_some(Opening::Absent);
                }
                if matches!(text, "*" | "x" | "HEAD" | "latest") {
                    return Some(Opening::Newest(text));
                }
                Constraint::parse(text)?.is_open().then_some(Opening::Range(text))
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
pub fn mark_shared(files: &Files, references: &References, releases: &mut [Release]) {
    let ours = releases.iter().filter(|it| it.is_of_karpenter());
    let uses: Vec<Span> = ours.flat_map(|it| it.version.steps()).map(|it| it.span).collect();
    for release in releases.iter_mut().filter(|it| it.is_of_karpenter()) {
        let is_code = release.code().is_some();
        let mut steps = release.version.value().into_iter().flat_map(Value::steps);
        let shared = steps.any(|it| !is_code || may_serve_others(files, references, it, &uses));
        drop(steps);
        release.version.shared = shared;
    }
}

/// Whether what a step passes on may be read elsewhere than at the places given.
fn may_serve_others(files: &Files, references: &References, step: &Step, uses: &[Span]) -> bool {
    let (declared, name) = match &step.kind {
        StepKind::Argument { .. } => return false,
        StepKind::Reference { to: Referent::Variable, name, .. } => (Declared::Variable, name),
        StepKind::Reference { to: Referent::Local, name, .. } => (Declared::Local, name),
        _ => return true,
    };
    let folder: Arc<str> = files.get(step.span.file).folder().into();
    let is_incomplete = references.is_incomplete(&folder);
    let reads = references.reads(&Declaration { folder, declared, name: Arc::clone(name) });
    let is_at =
        |read: &Read, place: Span| (read.span.file, read.span.start) == (place.file, place.start);
    let Some(own) = reads.iter().find(|it| is_at(it, step.span)) else { return true };
    // Who takes other keys out of the same local reads another literal.
    let is_same = |read: &&Read| read.path.iter().zip(&own.path).all(|(a, b)| a == b);
    let mut others = reads.iter().filter(is_same);
    is_incomplete || others.any(|read| !uses.iter().any(|it| is_at(read, *it)))
}

#[cfg(test)]
mod tests {
    use super::{exact, has_index, mark_shared};
    use crate::{
        resolve::{
            release::collect,
            terraform::{self, Options, inputs::Inputs},
        },
        source::{Files, SourceFile},
    };

    /// Whether the literal of the version of a release with these arguments, beside this code, is shared.
    fn is_shared(version: &str, beside: &str) -> bool {
        let release = format!(
            "resource \"helm_release\" \"karpenter\" {{\n  chart = \"karpenter\"\n  version = {version}\n}}\n"
        );
        let files = Files::new(vec![
            SourceFile::new("a/main.tf", format!("{release}{beside}")),
            SourceFile::new("a/versions.yaml", "v: 1.8.2"),
            SourceFile::new(
                "b/main.tf",
                "locals {\n  x = var.version\n  y = local.versions.karpenter\n}\n",
            ),
        ]);
        let terraform = terraform::resolve(&files, &Options::default());
        let inputs = Inputs::find(&files);
        let roots = terraform.roots.iter().enumerate();
        let mut releases: Vec<_> =
            roots.flat_map(|(at, it)| collect::of_root(&files, &inputs, at, it)).collect();
        mark_shared(&files, &terraform.references, &mut releases);
        let [release] = &releases[..] else { panic!("one release of {version}") };
        assert_eq!(release.version.known().map(String::as_str), Some("1.8.2"), "{version}");
        release.version.shared
    }

    #[test]
    fn a_literal_with_other_uses_is_found() {
        const VARIABLE: &str = "variable \"v\" {\n  default = \"1.8.2\"\n}\n";
        const LOCALS: &str = "locals {\n  versions = {\n    karpenter = \"1.8.2\"\n    cilium = \"1.18.0\"\n  }\n}\n";
        for (version, declared, other, wanted) in [
            ("\"1.8.2\"", "", "", false),
            ("var.v", VARIABLE, "", false),
            ("var.v", VARIABLE, "locals {\n  tag = var.v_of_image\n}\n", false),
            ("var.v", VARIABLE, "# local.x = var.v\n", false),
            ("var.v", VARIABLE, "locals {\n  tag = \"v${var.v}\"\n}\n", true),
            ("local.versions.karpenter", LOCALS, "", false),
            ("local.versions[\"karpenter\"]", LOCALS, "", false),
            (
                "local.versions.karpenter",
                LOCALS,
                "output \"c\" {\n  value = local.versions.cilium\n}\n",
                false,
            ),
            (
                "local.versions.karpenter",
                LOCALS,
                "output \"all\" {\n  value = local.versions\n}\n",
                true,
            ),
            (
                "local.versions.karpenter",
                LOCALS,
                "output \"t\" {\n  value = local.versions[\"karpenter\"]\n}\n",
                true,
            ),
            ("yamldecode(file(\"versions.yaml\")).v", "", "", true),
        ] {
            let found = is_shared(version, &format!("{declared}{other}"));
            assert_eq!(found, wanted, "{version} beside {other}");
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
}
