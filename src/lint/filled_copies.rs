//! Findings in what somebody filled in of a template that Terraform applies, where nothing applies the copy: what is
//! wrong in both is one fault, of the template.

use std::collections::HashMap;

use crate::{
    findings::Finding,
    model::Model,
    source::{Files, SourceFile, parent},
};

/// What a template has in place of values.
const MARKS: [&str; 2] = ["${", "%{"];
/// Fewer lines are alike in many files.
const LEAST_LINES: usize = 8;
/// What applies files beside it.
const KUSTOMIZATIONS: [&str; 2] = ["kustomization.yaml", "kustomization.yml"];

/// The findings without those in a filled-in copy of a template of Terraform that has the same: they become places of
/// that one.
pub(super) fn fold((files, model): (&Files, &Model), findings: Vec<Finding>) -> Vec<Finding> {
    let is_code = |it: &Finding| it.subjects.iter().any(|it| it.root.is_some());
    let is_of_template =
        |it: &Finding| is_code(it) && !matches!(files.get(it.span.file).ending(), "tf" | "tofu");
    if !findings.iter().any(is_of_template) {
        return findings;
    }
    let is_loose = |it: &Finding| {
        !it.subjects.is_empty()
            && !is_code(it)
            && !is_applied(files, model, files.get(it.span.file))
    };
    let (copies, mut kept): (Vec<Finding>, Vec<Finding>) =
        findings.into_iter().partition(|it| is_loose(it));
    let mut of_templates: HashMap<(&str, String), Vec<usize>> = HashMap::new();
    for (at, it) in kept.iter().enumerate().filter(|it| is_of_template(it.1)) {
        of_templates.entry((it.rule, it.message.clone())).or_default().push(at);
    }
    for copy in copies {
        let alike = of_templates.get(&(copy.rule, copy.message.clone())).into_iter().flatten();
        let is_template = |it: &Finding| {
            files.text(it.span) == files.text(copy.span)
                && is_filled_in(files.get(it.span.file), files.get(copy.span.file))
        };
        match alike.copied().find(|it| is_template(&kept[*it])) {
            Some(source) => {
                kept[source].note(copy.span, "in what was filled in of this template, too");
            }
            None => kept.push(copy),
        }
    }
    kept
}

/// Whether something of the repository applies a file.
pub(super) fn is_applied(files: &Files, model: &Model, file: &SourceFile) -> bool {
    let beside = |name: &str| match parent(file.path()) {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
    };
    model.gitops.applies(file.path())
        || KUSTOMIZATIONS.iter().any(|it| files.find(&beside(it)).is_some())
}

/// Whether a text is to be filled in.
fn is_marked(text: &str) -> bool {
    MARKS.iter().any(|mark| text.contains(mark))
}

/// Whether a text has each whole line of a template, in their order, and nothing that is to be filled in.
fn is_filled_in(template: &SourceFile, copy: &SourceFile) -> bool {
    if !matches!(copy.ending(), "yaml" | "yml")
        || template.path() == copy.path()
        || !is_marked(template.text())
        || is_marked(copy.text())
    {
        return false;
    }
    let written = |it: &&str| !it.is_empty() && !it.starts_with('#');
    let lines = template.text().lines().map(str::trim).filter(written);
    let whole: Vec<&str> = lines.filter(|it| !is_marked(it)).collect();
    let mut copied = copy.text().lines().map(str::trim);
    whole.len() >= LEAST_LINES && whole.iter().all(|it| copied.any(|line| line == *it))
}

#[cfg(test)]
mod tests {
    use super::is_filled_in;
    use crate::source::SourceFile;

    #[test]
    fn a_copy_has_the_lines_of_its_template() {
        const TEMPLATE: &str =
            "a: ${A}\nb:\n  c: 1\n  d: 2\n  e: 3\n  f: 4\n  g: 5\n  h: 6\n  i: 7\n";
        let filled = TEMPLATE.replace("${A}", "x");
        for (copy, is_copy) in [
            (format!("# first\n{filled}"), true),
            (filled.replace("d: 2", "d: 3"), false),
            (TEMPLATE.to_owned(), false),
        ] {
            let files = [SourceFile::new("t.yaml", TEMPLATE), SourceFile::new("c.yaml", &*copy)];
            assert_eq!(is_filled_in(&files[0], &files[1]), is_copy, "{copy}");
        }
    }
}
