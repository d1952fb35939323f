//! Locals, variables and files of Terraform that more than one place reads.

use crate::{
    findings::Edit,
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
    let mut line = file.line_of(place);
    let mut keys: Vec<String> = Vec::new();
    let mut depth = usize::MAX;
    loop {
        let text = file.line_text(line);
        let indent = text.len() - text.trim_start().len();
        if !text.trim().is_empty() && indent < depth {
            depth = indent;
            let code = text.trim();
            if indent == 0 {
                let variable = code.strip_prefix("variable ").and_then(|it| it.split('"').nth(1));
                keys.reverse();
                return match variable {
                    // Its keys stand in its default.
                    Some(name) => Some((format!("var.{name}"), keys.split_off(keys.len().min(1)))),
                    None if code.starts_with("locals") => {
                        // All of them may stand in one line.
                        let first =
                            || code.split_once('{')?.1.split_once('=').map(|it| it.0.trim());
                        if keys.is_empty() {
                            keys.push(first()?.to_owned());
                        }
                        let inner = keys.split_off(1);
                        Some((format!("local.{}", keys.remove(0)), inner))
                    }
                    None => None,
                };
            }
            let key = code.split(['=', ':']).next().unwrap_or_default().trim().trim_matches('"');
            let is_key = code.contains(['=', ':'])
                && key
                    .chars()
                    .all(|it| it.is_alphanumeric() || matches!(it, '_' | '-' | '.' | '/'));
            if is_key && !key.is_empty() {
                keys.push(key.to_owned());
            }
        }
        line = line.checked_sub(1)?;
    }
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
