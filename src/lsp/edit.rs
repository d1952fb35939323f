//! Text edits as the protocol has them.

use std::collections::HashMap;

use gen_lsp_types::{
    CreateFile, CreateFileOptions, DocumentChange, Edit as Change,
    OptionalVersionedTextDocumentIdentifier, Position, Range, SnippetTextEdit, StringValue,
    TextDocumentEdit, TextDocumentIdentifier, TextEdit, Uri, WorkspaceEdit,
};
use similar::{Algorithm, DiffTag, capture_diff_slices};

use crate::{
    findings::edit::Edit,
    lint::suppression_site::SuppressionSite,
    lsp::{place::Encoding, view::View},
    source::{FileId, SourceFile, Span},
};

/// The edits of a fix; `None` where the editor decodes the text by itself.
pub(super) fn fix(view: View<'_>, edits: &[Edit]) -> Option<WorkspaceEdit> {
    let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
    for edit in edits {
        if view.folder.project.files.get(edit.span.file).is_transcoded() {
            return None;
        }
        let (uri, range) = view.place(edit.span);
        changes.entry(uri).or_default().push(TextEdit { range, new_text: edit.text.clone() });
    }
    Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() })
}

/// The edits between a file's text and a new one, line by line.
pub(super) fn between(id: FileId, file: &SourceFile, new: &str) -> Vec<Edit> {
    let old: Vec<&str> = file.text().split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let length = |lines: &[&str]| lines.iter().map(|it| it.len()).sum::<usize>();
    let changed = capture_diff_slices(Algorithm::Myers, &old, &new).into_iter();
    let edit = |(tag, was, is): (DiffTag, std::ops::Range<usize>, std::ops::Range<usize>)| {
        let start = length(old.get(..was.start)?);
        let end = start + length(old.get(was)?);
        let text = new.get(is)?.concat();
        (tag != DiffTag::Equal).then(|| Edit { span: Span::new(id, start, end), text })
    };
    changed.filter_map(|it| edit(it.as_tag_tuple())).collect()
}

/// A suppression as edits for the editor.
pub(super) struct SuppressionEdit<'a> {
    allowance: &'a SuppressionSite,
    encoding: Encoding,
    /// Where it is written.
    pub uri: Uri,
    range: Range,
    version: Option<i32>,
    /// Whether its file has to be created first.
    pub is_new: bool,
}

impl<'a> SuppressionEdit<'a> {
    /// A suppression in a folder.
    pub(super) fn new(view: View<'_>, allowance: &'a SuppressionSite) -> Self {
        let folder = view.folder;
        let uri = view.address(&folder.path_for_editor(&allowance.path));
        let version = view.version(&uri);
        let id = folder.project.files.find(&allowance.path);
        let bytes = &allowance.insertion.range;
        let range = id.map(|it| view.place(Span::new(it, bytes.start, bytes.end)).1);
        Self {
            allowance,
            encoding: view.client.encoding,
            uri,
            range: range.unwrap_or_default(),
            version,
            is_new: id.is_none(),
        }
    }

    /// The edit with a reason.
    pub(super) fn with_reason(&self, reason: &str) -> WorkspaceEdit {
        let edit = TextEdit { range: self.range, new_text: self.allowance.text(reason) };
        if self.is_new {
            return self.changes(edit.into());
        }
        let changes = HashMap::from([(self.uri.clone(), vec![edit])]);
        WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }
    }

    /// The edit with a place for the user to write the reason.
    pub(super) fn with_gap(&self) -> WorkspaceEdit {
        let plain = |text: &str| text.replace('\\', "\\\\").replace('$', "\\$").replace('}', "\\}");
        let insertion = &self.allowance.insertion;
        let text = format!("{}${{1:reason}}{}", plain(&insertion.before), plain(&insertion.after));
        self.changes(SnippetTextEdit::new(self.range, StringValue::new(text), None).into())
    }

    /// Where the reason is once the edit is made.
    pub(super) fn place_of(&self, reason: &str) -> Range {
        let before = &self.allowance.insertion.before;
        let last = before.rsplit('\n').next().unwrap_or(before);
        let lines = before.matches('\n').count();
        let Position { line, character } = self.range.start;
        let start = Position {
            line: line + u32::try_from(lines).unwrap_or_default(),
            character: self.encoding.length(last) + if lines == 0 { character } else { 0 },
        };
        let end = Position { character: start.character + self.encoding.length(reason), ..start };
        Range { start, end }
    }

    fn changes(&self, change: Change) -> WorkspaceEdit {
        let text_document = OptionalVersionedTextDocumentIdentifier {
            version: self.version,
            text_document_identifier: TextDocumentIdentifier { uri: self.uri.clone() },
        };
        let edit = TextDocumentEdit { text_document, edits: vec![change] };
        let options = CreateFileOptions::new(None, Some(true));
        let create = CreateFile::new(self.uri.clone(), Some(options), None);
        let create = self.is_new.then(|| DocumentChange::from(create));
        let changes = create.into_iter().chain([edit.into()]).collect();
        WorkspaceEdit { document_changes: Some(changes), ..WorkspaceEdit::default() }
    }
}
