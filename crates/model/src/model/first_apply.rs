//! Comments in Terraform code that speak of a first apply: "comment these out for the first apply of a new cluster".

use std::collections::HashSet;

use crate::{
    project::kind::FileKind,
    resolve::terraform::object::BlockInstance,
    source::{FileId, Files, Span},
};

/// A comment that speaks of a first apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FirstApply {
    /// The line of it that does.
    pub span: Span,
    /// Where the blocks end that it heads: at the next comment between blocks, or at a block of another type.
    end: u32,
}

impl FirstApply {
    /// Whether it is in a block, or heads it.
    pub(super) fn is_about(&self, block: &BlockInstance) -> bool {
        let heads = self.span.end..self.end;
        let is_headed = self.span.file == block.header.file && heads.contains(&block.header.start);
        is_headed || block.span.contains(self.span)
    }
}

/// What Terraform, or the author, does at first.
const RUNS: &[&str] = &["apply", "plan", "run", "deploy", "deployment"];
/// How many words may be between: "first Terraform apply".
const BETWEEN: usize = 2;

/// The comments in the Terraform code of some folders.
pub(super) fn all(files: &Files, folders: &HashSet<&str>) -> Vec<FirstApply> {
    let code = files.iter().filter(|(_, it)| {
        folders.contains(it.folder()) && FileKind::of(it.path()) == Some(FileKind::Terraform)
    });
    code.flat_map(|(id, it)| it.skim(|text| of_text(id, text))).collect()
}

fn of_text(id: FileId, text: &str) -> Vec<FirstApply> {
    let pieces = pieces(text);
    let mut found = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        let comment = text.get(piece.start..piece.end).filter(|_| piece.kind.is_none());
        let Some(place) = comment.and_then(first_run) else { continue };
        let place = piece.start + place;
        let start = text[..place].rfind('\n').map_or(0, |it| it + 1);
        let end = text[place..].find('\n').map_or(text.len(), |it| place + it);
        let indent = text[start..end].len() - text[start..end].trim_start().len();
        let span = Span::new(id, start + indent, start + text[start..end].trim_end().len());
        let end = if piece.is_inside { end } else { end_of_headed(&pieces[index + 1..], text) };
        found.push(FirstApply { span, end: u32::try_from(end).unwrap_or(u32::MAX) });
    }
    found
}

/// Where the blocks end that a comment heads, by what is behind it.
fn end_of_headed(behind: &[Piece<'_>], text: &str) -> usize {
    let mut outside = behind.iter().filter(|it| !it.is_inside).peekable();
    let first = outside.peek().and_then(|it| it.kind.clone());
    outside.find(|it| it.kind.is_none() || it.kind != first).map_or(text.len(), |it| it.start)
}

/// A comment, or the first line of a block.
struct Piece<'t> {
    start: usize,
    end: usize,
    /// Whether it is in a block.
    is_inside: bool,
    /// Of a block: `resource "kubernetes_manifest"`.
    kind: Option<Vec<&'t str>>,
}

/// The comments and the blocks of a text. Lines of comments that follow each other are one.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut found: Vec<Piece<'_>> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let written = line.trim();
        let is_inside = line.starts_with([' ', '\t']);
        let end = start + line.len();
        let is_comment = written.starts_with(['#', '*'])
            || written.starts_with("//")
            || written.starts_with("/*");
        if is_comment {
            let is_next = |it: &&mut Piece<'_>| {
                it.kind.is_none() && it.end == start && it.is_inside == is_inside
            };
            match found.last_mut().filter(is_next) {
                Some(last) => last.end = end,
                None => found.push(Piece { start, end, is_inside, kind: None }),
            }
        } else if line.starts_with(char::is_alphabetic) {
            let kind = Some(written.split_whitespace().take(2).collect());
            found.push(Piece { start, end, is_inside, kind });
        }
        start = end;
    }
    found
}

/// Where a comment speaks of a first run.
fn first_run(comment: &str) -> Option<usize> {
    let mut words = Vec::new();
    let mut at = 0;
    for part in comment.split_inclusive(|it: char| !it.is_alphanumeric()) {
        let word = part.trim_end_matches(|it: char| !it.is_alphanumeric());
        if !word.is_empty() {
            words.push((at, word.to_ascii_lowercase()));
        }
        at += part.len();
    }
    let is_run = |it: &(usize, String)| RUNS.contains(&&*it.1);
    let is_first = |at: usize| {
        let next = words[at + 1..].iter().take(BETWEEN + 1);
        matches!(&*words[at].1, "first" | "initial") && next.clone().any(is_run)
    };
    (0..words.len()).find(|it| is_first(*it)).map(|it| words[it].0)
}

#[cfg(test)]
mod tests {
    use super::of_text;
    use crate::source::FileId;

    #[test]
    fn comments_head_the_blocks_of_one_type() {
        let pools = "resource \"a\" \"b\" {\n  x = 1\n}\n\nresource \"a\" \"c\" {\n}\n";
        for (text, wanted) in [
            (format!("# Not for the first Terraform apply\n{pools}"), Some("")),
            (format!("# Not for the first\n# apply\n{pools}# Others\nx"), Some("# Others\nx")),
            (
                format!("# The initial plan is without\n\n{pools}resource \"b\" \"d\" {{}}\n"),
                Some("resource \"b\" \"d\" {}\n"),
            ),
            (format!("# Apply the first of these two pools\n{pools}"), None),
            (format!("# The first pool that the team will run\n{pools}"), None),
        ] {
            let found = of_text(FileId(0), &text);
            let rest = found.first().map(|it| &text[it.end as usize..]);
            assert_eq!(rest, wanted, "{text}");
        }
    }

    #[test]
    fn comments_in_a_block_are_of_that_block() {
        let text = "resource \"a\" \"b\" {\n  # on the first run: 0\n  count = 1\n}\nresource \"a\" \"c\" {}\n";
        let found = of_text(FileId(0), text);
        let [only] = &*found else { unreachable!("{found:?}") };
        assert_eq!(&text[only.span.range()], "# on the first run: 0");
        assert!(only.end <= 42);
    }
}
