//! From the edits of findings to new text.

use std::collections::{BTreeMap, HashMap};

use crate::{
    findings::{Finding, Fix, Safety, edit::Edit},
    lint::LintResult,
    project::Project,
    source::{FileId, Files, SourceFile, Span},
};

/// Fixes may uncover findings that have fixes of their own; more rounds than this are a circle.
const ROUNDS: usize = 10;

/// A file that was fixed, and its text before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// The file.
    pub id: FileId,
    /// Its text before the first round.
    pub before: String,
}

/// Chooses the findings whose fixes are applied in a round.
pub type Choose<'a> = dyn Fn(&Project, &LintResult) -> Vec<Finding> + 'a;

/// Lints a project once more.
pub type Lint<'a> = dyn Fn(&Project) -> LintResult + 'a;

/// Lints and fixes in memory until no chosen finding has a fix left. `outcome` is what was found before; it
/// becomes what is found after the last round. Gives the files that changed, in their order.
pub fn until_quiet(
    project: &mut Project,
    lint: &Lint<'_>,
    outcome: &mut LintResult,
    safety: Safety,
    choose: &Choose<'_>,
) -> Vec<Fixed> {
    let mut fixed: Vec<Fixed> = Vec::new();
    for _ in 0..ROUNDS {
        let changed = apply(&project.files, &choose(project, outcome), safety);
        if changed.is_empty() {
            break;
        }
        for (id, text) in changed {
            if !fixed.iter().any(|it| it.id == id) {
                let before = project.files.get(id).text().to_owned();
                fixed.push(Fixed { id, before });
            }
            project.files.replace(id, text);
        }
        *outcome = lint(project);
    }
    fixed.sort_unstable_by_key(|it| it.id);
    fixed
}

/// The accepted edits of one file: by start and end, so that equal insertions meet.
type AcceptedEdits<'a> = BTreeMap<(u32, u32), &'a Edit>;

/// The new texts of the files that the findings' fixes change, in the order of the files. A fix whose
/// edits overlap an earlier one's is left out as a whole; the next round offers it again.
#[must_use]
pub fn apply<'a>(
    files: &Files,
    findings: impl IntoIterator<Item = &'a Finding>,
    safety: Safety,
) -> Vec<(FileId, String)> {
    apply_fixes(files, findings.into_iter().filter_map(|it| it.fix.as_ref()), safety)
}

/// The same for fixes that no finding has.
#[must_use]
pub fn apply_fixes<'a>(
    files: &Files,
    fixes: impl IntoIterator<Item = &'a Fix>,
    safety: Safety,
) -> Vec<(FileId, String)> {
    let mut accepted: HashMap<FileId, AcceptedEdits> = HashMap::new();
    for fix in fixes {
        let wanted = fix.safety == Safety::Safe || safety == Safety::Unsafe;
        if wanted && fits(files, fix, &accepted) {
            for edit in &fix.edits {
                let of_file = accepted.entry(edit.span.file).or_default();
                of_file.insert((edit.span.start, edit.span.end), edit);
            }
        }
    }
    let mut changed: Vec<_> = accepted
        .into_iter()
        .map(|(id, edits)| (id, rewrite(files.get(id), edits.into_values())))
        .filter(|(id, text)| files.get(*id).text() != text)
        .collect();
    changed.sort_unstable_by_key(|(id, _)| *id);
    changed
}

fn fits(files: &Files, fix: &Fix, accepted: &HashMap<FileId, AcceptedEdits>) -> bool {
    let within_itself = fix.edits.iter().enumerate().all(|(index, edit)| {
        fix.edits
            .iter()
            .skip(index + 1)
            .all(|other| edit.span.file != other.span.file || !overlap(edit, other))
    });
    within_itself
        && fix.edits.iter().all(|edit| {
            let file = files.get(edit.span.file);
            // Offsets in a decoded text are not those on disk.
            !file.is_transcoded()
                && file.text().get(edit.span.range()).is_some()
                && accepted.get(&edit.span.file).is_none_or(|it| fits_among(edit, it))
        })
}

/// Accepted edits do not overlap, so only the neighbours on both sides can.
fn fits_among(edit: &Edit, accepted: &AcceptedEdits) -> bool {
    let key = (edit.span.start, edit.span.end);
    let before = accepted.range(..key).next_back();
    let after = accepted.range(key..).next();
    before.into_iter().chain(after).all(|(_, other)| *other == edit || !overlap(edit, other))
}

/// Whether two edits of one file touch the same characters, or insert at the same place.
fn overlap(a: &Edit, b: &Edit) -> bool {
    let (a, b) = (a.span, b.span);
    let inside = |at: u32, span: Span| span.start < at && at < span.end;
    a == b || a.start.max(b.start) < a.end.min(b.end) || inside(a.start, b) || inside(b.start, a)
}

fn rewrite<'a>(file: &SourceFile, edits: impl Iterator<Item = &'a Edit>) -> String {
    let mut text = String::with_capacity(file.text().len());
    let mut done = 0;
    for edit in edits {
        text.push_str(file.slice(done..edit.span.start as usize));
        text.push_str(&edit.text);
        done = edit.span.end as usize;
    }
    text.push_str(file.slice(done..file.text().len()));
    text
}

/// A unified diff of one file, with three lines around each change.
#[must_use]
pub fn diff(path: &str, old: &str, new: &str) -> String {
    similar::TextDiff::from_lines(old, new)
        .unified_diff()
        .context_radius(3)
        .header(&format!("a/{path}"), &format!("b/{path}"))
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::apply;
    use crate::{
        findings::{Finding, Fix, Safety, Severity, edit::Edit},
        source::{FileId, Files, SourceFile, Span, load::Content},
    };

    fn finding(edits: &[(usize, usize, &str)], safety: Safety) -> Finding {
        let edit = |it: &(usize, usize, &str)| Edit {
            span: Span::new(FileId(0), it.0, it.1),
            text: it.2.into(),
        };
        Finding {
            rule: "r",
            severity: Severity::Error,
            span: Span::new(FileId(0), 0, 0),
            asked: None,
            message: String::new(),
            notes: Vec::new(),
            help: None,
            offer: None,
            fix: Some(Fix {
                title: String::new(),
                safety,
                edits: edits.iter().map(edit).collect(),
            }),
            subjects: Vec::new(),
            unless_mentioned: None,
            if_mentioned: None,
        }
    }

    #[test]
    fn fixes_apply_whole_or_not_at_all() {
        type Case<'a> = (&'a [&'a [(usize, usize, &'a str)]], &'a str);
        let cases: [Case; 8] = [
            (&[&[(0, 1, "A")], &[(5, 6, "F")]], "AbcdeF"),
            (&[&[(5, 6, "F")], &[(0, 1, "A")]], "AbcdeF"),
            (&[&[(0, 2, "A")], &[(1, 3, "B"), (5, 6, "F")]], "Acdef"),
            (&[&[(2, 2, "+")], &[(2, 2, "+")]], "ab+cdef"),
            (&[&[(2, 2, "+")], &[(2, 2, "-")]], "ab+cdef"),
            (&[&[(6, 6, "!")]], "abcdef!"),
            (&[&[(0, 1, "A")], &[(1, 2, "B")]], "ABcdef"),
            (&[&[(0, 99, "A")], &[(1, 2, "B")]], "aBcdef"),
        ];
        for (fixes, expected) in cases {
            let files = Files::new(vec![SourceFile::new("a", "abcdef")]);
            let findings: Vec<_> = fixes.iter().map(|it| finding(it, Safety::Safe)).collect();
            let changed = apply(&files, &findings, Safety::Safe);
            assert_eq!(changed, [(FileId(0), expected.to_owned())], "{fixes:?}");
        }
    }

    #[test]
    fn unsafe_fixes_and_decoded_files_are_left_alone() {
        let files = Files::new(vec![SourceFile::new("a", "abcdef")]);
        let risky = [finding(&[(0, 1, "A")], Safety::Unsafe)];
        assert!(apply(&files, &risky, Safety::Safe).is_empty());
        assert_eq!(apply(&files, &risky, Safety::Unsafe).len(), 1);
        let content = Content { text: "abcdef".into(), transcoded: true, ..Content::default() };
        let files = Files::new(vec![SourceFile::with_content("a", content)]);
        assert!(apply(&files, &risky, Safety::Unsafe).is_empty());
    }
}
