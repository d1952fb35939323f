//! A checked folder as the protocol presents it.

use std::{collections::HashMap, path::Path};

use gen_lsp_types::{
    Code, CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location,
    Message, Range, Uri,
};

use crate::{
    findings::{Finding, Severity},
    lsp::{check::CheckedFolder, client::Client, document::OpenDocument, place::uri_of},
    page::Page,
    rules,
    source::Span,
};

/// A folder and its editor.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    /// The folder.
    pub folder: &'a CheckedFolder,
    /// The editor.
    pub client: &'a Client,
    /// The documents it has open.
    pub open: &'a HashMap<Uri, OpenDocument>,
}

impl View<'_> {
    /// A span as a location of the protocol.
    pub(super) fn place(&self, span: Span) -> (Uri, Range) {
        let file = self.folder.project.files.get(span.file);
        let range = self.client.encoding.range(file, span);
        (self.address(&self.folder.path_for_editor(file.path())), range)
    }

    /// The address of a path: the one it is open by, if it is.
    pub(super) fn address(&self, path: &Path) -> Uri {
        let open = self.open.iter().find(|(_, it)| it.path.as_deref() == Some(path));
        open.map_or_else(|| uri_of(path), |(uri, _)| uri.clone())
    }

    /// The state of a text, if it is open.
    pub(super) fn version(&self, uri: &Uri) -> Option<i32> {
        self.open.get(uri).map(|it| it.version)
    }

    /// What the editor shows of the folder, by address.
    pub(super) fn diagnostics(&self) -> impl Iterator<Item = (Uri, Diagnostic)> {
        let found = self.folder.findings().map(|it| (self.place(it.span).0, self.diagnostic(it)));
        let errors = self.folder.mistakes.iter().map(|it| (it, DiagnosticSeverity::Error));
        let warnings = self.folder.warnings.iter().map(|it| (it, DiagnosticSeverity::Warning));
        let mistakes = errors.chain(warnings).map(|((span, message), severity)| {
            let (uri, range) = self.place(*span);
            let diagnostic = Diagnostic {
                range,
                severity: Some(severity),
                source: Some(env!("CARGO_PKG_NAME").to_owned()),
                message: Message::String(message.clone()),
                ..Diagnostic::default()
            };
            (uri, diagnostic)
        });
        found.chain(mistakes)
    }

    /// A finding as the editor shows it.
    pub(super) fn diagnostic(&self, finding: &Finding) -> Diagnostic {
        let related = finding.notes.iter().map(|it| {
            let (uri, range) = self.place(it.span);
            DiagnosticRelatedInformation {
                location: Location { uri, range },
                message: it.message.clone(),
            }
        });
        let help = finding.help.iter().map(|it| format!("\n{it}"));
        let page = rules::page(finding.rule).map(Page::url);
        Diagnostic {
            range: self.place(finding.span).1,
            severity: Some(match finding.severity {
                Severity::Error => DiagnosticSeverity::Error,
                Severity::Warning => DiagnosticSeverity::Warning,
                Severity::Note => DiagnosticSeverity::Information,
            }),
            code: Some(Code::String(finding.rule.to_owned())),
            code_description: page.map(|it| CodeDescription { href: Uri(it) }),
            source: Some(env!("CARGO_PKG_NAME").to_owned()),
            message: Message::String([finding.message.clone()].into_iter().chain(help).collect()),
            related_information: Some(related.collect()),
            ..Diagnostic::default()
        }
    }
}
