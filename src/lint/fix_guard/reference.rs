//! Locals, variables and files of Terraform that more than one place reads.

use crate::{
    findings::edit::Edit,
    source::{FileId, Files, SourceFile},
};

/// How often the local or variable that an edit changes is read in its module; never for anything else.
pub fn reads(files: &Files, edit: &Edit) -> usize {
    let file = files.get(edit.span.file);
    let Some((name, path)) = named(file, edit.span.start as usize) else { return 0 };
    let beside = code(files).filter(|it| it.folder() == file.folder());
    beside.map(|it| uses(it.text(), &name, &path)).sum()
}

/// How often code names a file.
pub fn names(files: &Files, id: FileId) -> usize {
    let name = files.get(id).path().rsplit('/').next().unwrap_or_default();
    code(files).map(|it| mentions(it.text(), name)).sum()
}

fn code(files: &Files) -> impl Iterator<Item = &SourceFile> {
    let is_code = |it: &&SourceFile| it.is_loaded() && matches!(it.ending(), "tf" | "tofu");
    files.iter().map(|(_, it)| it).filter(is_code)
}

/// How often a text names a file, behind a slash or a quote.
fn mentions(text: &str, name: &str) -> usize {
    let found = memchr::memmem::find_iter(text.as_bytes(), name.as_bytes());
    found
        .filter(|at| text[..*at].ends_with(['/', '"']) && text[at + name.len()..].starts_with('"'))
        .count()
}

/// The local or variable that a place belongs to, as others name it, and the keys inside it.
fn named(file: &SourceFile, place: usize) -> Option<(String, Vec<String>)> {
    let mut around = ancestors(file, file.line_of(place));
    let header = around.pop()?;
    let mut keys = around.into_iter().rev().filter_map(key);
    if let Some(rest) = header.strip_prefix("variable ") {
        // Its keys stand in its default.
        return Some((format!("var.{}", rest.split('"').nth(1)?), keys.skip(1).collect()));
    }
    // All locals may stand in one line.
    let inside = header.strip_prefix("locals")?.trim_start().strip_prefix('{')?;
    let name = keys.next().or_else(|| key(inside.trim()))?;
    Some((format!("local.{name}"), keys.collect()))
}

/// The line of a place and those around it, each indented less than the one before.
fn ancestors(file: &SourceFile, line: usize) -> Vec<&str> {
    let mut depth = usize::MAX;
    let mut found = Vec::new();
    for text in (0..=line).rev().map(|it| file.line_text(it)) {
        let indent = text.len() - text.trim_start().len();
        if depth > 0 && indent < depth && !text.trim().is_empty() {
            depth = indent;
            found.push(text.trim());
        }
    }
    found
}

/// The key that a line gives a value to.
fn key(code: &str) -> Option<String> {
    let (key, _) = code.split_once(['=', ':'])?;
    let key = key.trim().trim_matches('"');
    let is_part = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-' | '.' | '/');
    (!key.is_empty() && key.chars().all(is_part)).then(|| key.to_owned())
}

/// How often a text reads a path or what is around it.
fn uses(text: &str, name: &str, path: &[String]) -> usize {
    let found = memchr::memmem::find_iter(text.as_bytes(), name.as_bytes());
    found
        .filter(|at| {
            let before = text[..*at].chars().next_back();
            let rest = &text[at + name.len()..];
            let whole = before
                .is_none_or(|it| !it.is_alphanumeric() && !matches!(it, '_' | '.' | '-'))
                && !rest.starts_with(|it: char| it.is_alphanumeric() || matches!(it, '_' | '-'));
            let line = text[..*at].rsplit('\n').next().unwrap_or_default();
            let comment = line.trim_start().starts_with(['#', '/']);
            whole && !comment && steps(rest).zip(path).all(|(step, key)| step == key)
        })
        .count()
}

/// The names behind a reference: `.a["b"].c`.
fn steps(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let quoted = rest.strip_prefix("[\"").and_then(|it| it.split_once("\"]"));
        if let Some((step, after)) = quoted {
            rest = after;
            return Some(step);
        }
        let inner = rest.strip_prefix('.')?;
        let is_part = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-');
        let end = inner.find(|it| !is_part(it)).unwrap_or(inner.len());
        rest = &inner[end..];
        (end > 0).then(|| &inner[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::{named, uses};
    use crate::source::SourceFile;

    #[test]
    fn a_place_is_read_by_those_that_name_it_or_what_is_around_it() {
        let text = "locals {\n  versions = {\n    crds = \"HERE\"\n    b    = 1\n  }\n}\nvariable \"v\" {\n  type = string\n  default = {\n    key = \"THERE\"\n  }\n}\nresource \"x\" \"y\" {\n  a = \"NOWHERE\"\n}\n";
        let file = SourceFile::new("a.tf", text);
        let at = |word: &str| named(&file, text.find(word).unwrap_or_default());
        let path = |it: &[&str]| it.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        assert_eq!(at("\"HERE"), Some(("local.versions".to_owned(), path(&["crds"]))));
        assert_eq!(at("\"THERE"), Some(("var.v".to_owned(), path(&["key"]))));
        assert_eq!(at("\"NOWHERE"), None);
        let line = SourceFile::new("b.tf", "locals { skip = false }\n");
        assert_eq!(named(&line, 17), Some(("local.skip".to_owned(), Vec::new())));
        for (text, wanted) in [
            ("a = local.versions.crds\nb = local.versions.b\n", 1),
            ("a = local.versions[\"crds\"]\nb = local.versions\n", 2),
            ("a = local.versions.crds.x\n# local.versions.crds\n", 1),
            ("a = local.versions_of\nb = other.local.versions\n", 0),
        ] {
            assert_eq!(uses(text, "local.versions", &path(&["crds"])), wanted, "{text}");
        }
    }
}
