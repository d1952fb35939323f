//! Whether the literal of a version serves something else than releases of Karpenter.

use std::{collections::HashSet, sync::Arc};

use crate::{
    resolve::{
        release::Release,
        terraform::references::{Declaration, Declared, ReferenceSite, References},
    },
    source::{FileId, Files, Span},
    value::{
        Value,
        step::{Referent, Step, StepKind},
    },
};

/// Marks the releases of Karpenter whose version's literal may serve something else, too.
pub fn mark(files: &Files, references: &References, releases: &mut [Release]) {
    let ours = releases.iter().filter(|it| it.is_of_karpenter());
    let uses = ours.flat_map(|it| it.version.steps()).map(|it| start(it.span));
    let uses: HashSet<(FileId, u32)> = uses.collect();
    for release in releases.iter_mut().filter(|it| it.is_of_karpenter()) {
        release.version.shared = is_shared(files, references, release, &uses);
    }
}

/// Where a span begins.
fn start(span: Span) -> (FileId, u32) {
    (span.file, span.start)
}

fn is_shared(
    files: &Files,
    references: &References,
    release: &Release,
    uses: &HashSet<(FileId, u32)>,
) -> bool {
    let mut steps = release.version.value().into_iter().flat_map(Value::steps);
    match release.code() {
        Some(_) => steps.any(|it| may_serve_others(files, references, it, uses)),
        None => steps.next().is_some(),
    }
}

/// Whether what a step passes on may be read elsewhere than at the places given.
fn may_serve_others(
    files: &Files,
    references: &References,
    step: &Step,
    uses: &HashSet<(FileId, u32)>,
) -> bool {
    let (declared, name) = match &step.kind {
        StepKind::Argument { .. } => return false,
        StepKind::Reference { to: Referent::Variable, name, .. } => (Declared::Variable, name),
        StepKind::Reference { to: Referent::Local, name, .. } => (Declared::Local, name),
        _ => return true,
    };
    let folder: Arc<str> = files.get(step.span.file).folder().into();
    let is_incomplete = references.is_incomplete(&folder);
    let reads = references.reads(&Declaration { folder, declared, name: Arc::clone(name) });
    let own = reads.iter().find(|it| start(it.span) == start(step.span));
    let Some(own) = own else { return true };
    // Who takes other keys out of the same local reads another literal.
    let is_same = |read: &&ReferenceSite| read.path.iter().zip(&own.path).all(|(a, b)| a == b);
    let mut others = reads.iter().filter(is_same);
    is_incomplete || others.any(|read| !uses.contains(&start(read.span)))
}

#[cfg(test)]
mod tests {
    use super::mark;
    use crate::{
        resolve::{
            release::collect,
            terraform::{self, inputs::Inputs, options::TerraformOptions},
        },
        source::{Files, SourceFile},
    };

    /// Whether the literal of the version of a release with these arguments, beside this code, is shared.
    fn is_marked(version: &str, beside: &str) -> bool {
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
        let terraform = terraform::resolve(&files, &TerraformOptions::default());
        let inputs = Inputs::find(&files);
        let roots = terraform.roots.iter().enumerate();
        let mut releases: Vec<_> =
            roots.flat_map(|(at, it)| collect::of_root(&files, &inputs, at, it).releases).collect();
        mark(&files, &terraform.references, &mut releases);
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
            let found = is_marked(version, &format!("{declared}{other}"));
            assert_eq!(found, wanted, "{version} beside {other}");
        }
    }
}
