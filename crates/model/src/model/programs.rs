//! Programs that make infrastructure and are not read: those of Pulumi and of the CDK.

use aho_corasick::AhoCorasick;

use crate::source::{FileId, Files, SourceFile, aside, is_below};

/// The file that shows such a project, and what is said of it.
const PROJECTS: [(&str, &str); 4] = [
    ("Pulumi.yaml", PULUMI),
    ("Pulumi.yml", PULUMI),
    (
        "cdk.json",
        "a CDK app that mentions Karpenter: only the templates that `cdk synth` writes are read",
    ),
    (
        "cdktf.json",
        "a CDK for Terraform app that mentions Karpenter: only the Terraform that `cdktf synth` writes is read",
    ),
];
const PULUMI: &str = "a Pulumi program that mentions Karpenter, which is not read";

/// What such programs are written in.
const LANGUAGES: [&str; 7] = ["ts", "js", "py", "go", "java", "cs", "kt"];

/// The projects whose programs mention Karpenter, each with what is said of it.
pub(super) fn find(files: &Files) -> Vec<(FileId, &'static str)> {
    let Ok(words) = AhoCorasick::new(["karpenter", "Karpenter", "KARPENTER"]) else {
        return Vec::new();
    };
    let in_use = |it: &SourceFile| aside::of(it.path()).is_none();
    let project = |(id, file): (FileId, &SourceFile)| {
        let (_, said) = PROJECTS.iter().find(|it| it.0 == file.name())?;
        let is_program = |it: &&SourceFile| {
            LANGUAGES.contains(&it.ending()) && is_below(it.folder(), file.folder()) && in_use(it)
        };
        let mut programs = files.iter().map(|(_, it)| it).filter(is_program);
        let mentions = in_use(file) && programs.any(|it| it.skim(|text| words.is_match(text)));
        mentions.then_some((id, *said))
    };
    files.iter().filter_map(project).collect()
}

#[cfg(test)]
mod tests {
    use super::find;
    use crate::source::{Files, SourceFile};

    #[test]
    fn programs_that_mention_karpenter_are_found() {
        for (project, path, text, wanted) in [
            ("a/Pulumi.yaml", "a/src/index.ts", "new Chart('karpenter')", 1),
            ("a/Pulumi.yaml", "a/src/index.ts", "new Chart('cilium')", 0),
            ("a/Pulumi.yaml", "b/index.ts", "new Chart('karpenter')", 0),
            ("cdk.json", "lib/stack.py", "KarpenterAddOn()", 1),
            ("cdk.json", "README.md", "karpenter", 0),
            ("package.json", "index.ts", "karpenter", 0),
        ] {
            let files = vec![SourceFile::new(project, ""), SourceFile::new(path, text)];
            assert_eq!(find(&Files::new(files)).len(), wanted, "{project} {path}: {text}");
        }
    }
}
