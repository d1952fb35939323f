//! A text as it is in the editor, saved or not.

use std::path::PathBuf;

use gen_lsp_types::TextDocumentContentChangeEvent as Change;

use crate::{lsp::place::Encoding, source::SourceFile};

/// An open document.
#[derive(Clone, Debug)]
pub(super) struct OpenDocument {
    /// Its path, if it is a file.
    pub path: Option<PathBuf>,
    /// The editor's number for this state of the text.
    pub version: i32,
    /// The text.
    pub text: String,
}

impl OpenDocument {
    /// Applies the changes of the editor, one after the other.
    pub(super) fn change(&mut self, version: i32, changes: Vec<Change>, encoding: Encoding) {
        self.version = version;
        for change in changes {
            match change {
                Change::TextDocumentContentChangeWholeDocument(whole) => self.text = whole.text,
                Change::TextDocumentContentChangePartial(part) => {
                    let file = SourceFile::new("", std::mem::take(&mut self.text));
                    let start = encoding.offset(&file, part.range.start);
                    let end = encoding.offset(&file, part.range.end).max(start);
                    self.text =
                        [file.slice(0..start), &part.text, file.slice(end..file.text().len())]
                            .concat();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gen_lsp_types::{Position, Range, TextDocumentContentChangePartial};

    use super::OpenDocument;
    use crate::lsp::place::Encoding;

    #[test]
    fn changes_follow_each_other() {
        let position = |(line, character)| Position { line, character };
        let change = |start, end, text: &str| {
            let range = Range { start: position(start), end: position(end) };
            let text = text.to_owned();
            let part = TextDocumentContentChangePartial { range, text, ..Default::default() };
            part.into()
        };
        let mut document =
            OpenDocument { path: None, version: 1, text: "a: 🎉x\nb: 2\n".to_owned() };
        let changes = vec![
            change((0, 5), (0, 6), "y"),
            change((1, 3), (1, 4), "3\nc: 4"),
            change((3, 0), (3, 0), "d: 5\n"),
        ];
        document.change(2, changes, Encoding::Utf16);
        assert_eq!(document.text, "a: 🎉y\nb: 3\nc: 4\nd: 5\n");
        assert_eq!(document.version, 2);
    }
}
