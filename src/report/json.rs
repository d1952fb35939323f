//! One JSON object for programs. Its form is stable: see `schema_version`.

use std::{
    borrow::Cow,
    io::{self, Write},
};

use serde::{Serialize, Serializer};

use crate::{
    config::file::ConfigMistake,
    findings::{Finding, Fix, Safety, Severity, note::Note, silence::Unreported},
    report::{Report, group, shown::Shown, undecided},
    rules,
    source::{
        SourceFile, Span,
        column::{ColumnUnit, Position},
    },
    visible,
};

/// Raised when a field changes its meaning or is removed; new fields do not raise it.
const SCHEMA_VERSION: u32 = 1;

/// More bytes than most findings have in the report.
const ROOM: usize = 1 << 11;

#[derive(Serialize)]
struct JsonReport<'a, F: Serialize, U: Serialize> {
    schema_version: u32,
    tool: JsonTool,
    findings: F,
    skipped: Vec<SkippedObject<'a>>,
    undecided: U,
    config_warnings: Vec<ConfigWarning<'a>>,
    summary: Summary,
}

#[derive(Serialize)]
struct JsonTool {
    name: &'static str,
    version: &'static str,
}

/// A finding.
#[derive(Serialize)]
pub(crate) struct FindingObject<'a> {
    rule: &'a str,
    severity: &'static str,
    message: &'a str,
    location: JsonLocation,
    related: Vec<Related<'a>>,
    help: Option<&'a str>,
    url: Option<String>,
    fingerprint: &'a str,
    fix: Option<FixObject<'a>>,
    /// Equal for findings of one rule with one message, whatever names are in it.
    group: String,
    /// The object it is about, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<JsonObject<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum JsonObject<'a> {
    Kubernetes { kind: &'a str, namespace: Option<&'a str>, name: &'a str },
    Terraform { address: &'a str },
}

/// A place: lines and columns from 1, columns in characters, and bytes from 0.
#[derive(Serialize)]
pub(crate) struct JsonLocation {
    path: String,
    start: Point,
    end: Point,
    byte_start: u32,
    byte_end: u32,
}

#[derive(Serialize)]
struct Point {
    line: usize,
    column: usize,
}

#[derive(Serialize)]
struct Related<'a> {
    message: &'a str,
    location: JsonLocation,
}

#[derive(Serialize)]
struct FixObject<'a> {
    title: &'a str,
    safety: &'static str,
    edits: Vec<EditObject<'a>>,
}

#[derive(Serialize)]
struct EditObject<'a> {
    path: String,
    byte_start: u32,
    byte_end: u32,
    text: &'a str,
}

#[derive(Serialize)]
struct SkippedObject<'a> {
    path: &'a str,
    reason: &'a str,
}

/// A question that was not decided.
#[derive(Serialize)]
struct Undecided<'a> {
    rule: &'a str,
    location: JsonLocation,
    needs: &'static str,
    reason: Cow<'a, str>,
    related: Vec<Related<'a>>,
}

/// What a config says and the repository contradicts.
#[derive(Serialize)]
struct ConfigWarning<'a> {
    message: &'a str,
    location: ConfigLocation<'a>,
}

#[derive(Serialize)]
struct ConfigLocation<'a> {
    path: &'a str,
    start: Point,
}

#[derive(Serialize)]
struct Summary {
    files: usize,
    errors: usize,
    warnings: usize,
    notes: usize,
    allowed: usize,
    undecided: usize,
    /// Whether anything of Karpenter is seen; without it, no findings say nothing.
    karpenter: bool,
}

/// A list whose items are made when they are written: there may be many, and they are large.
struct Each<M>(M);

impl<M: Fn() -> I, I: Iterator<Item: Serialize>> Serialize for Each<M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// The report as one JSON object and a line break.
#[must_use]
pub fn render(report: &Report) -> String {
    // A report that grows is moved again and again; what it does not fill costs nothing.
    let mut written = Vec::with_capacity((report.shown.len() + report.undecided().count()) * ROOM);
    // A list of bytes takes whatever is written.
    let _ = write(report, &mut written);
    String::from_utf8(written).unwrap_or_default()
}

/// Writes the same bit by bit.
///
/// # Errors
/// When it cannot be written.
pub fn write(report: &Report, to: &mut dyn Write) -> io::Result<()> {
    let document = JsonReport {
        schema_version: SCHEMA_VERSION,
        tool: JsonTool { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") },
        findings: Each(|| report.shown.iter().map(|it| finding(report, it))),
        skipped: report
            .skipped
            .iter()
            .map(|it| SkippedObject { path: &it.path, reason: it.reason })
            .collect(),
        undecided: Each(|| report.undecided().filter_map(|it| question(report, it))),
        config_warnings: report.config_warnings().map(|(_, it)| config_warning(it)).collect(),
        summary: Summary {
            files: report.files,
            errors: report.count(Severity::Error),
            warnings: report.count(Severity::Warning),
            notes: report.count(Severity::Note),
            allowed: report.allowed,
            undecided: report.undecided().count(),
            karpenter: report.uses_karpenter(),
        },
    };
    let mut lines = ShownLines { to, waiting: Vec::new() };
    serde_json::to_writer_pretty(&mut lines, &document)?;
    lines.write_all(b"\n")?;
    lines.flush()
}

/// So many bytes are written at a time.
const BLOCK: usize = 1 << 16;

/// Writes whole lines of JSON as they may be shown.
struct ShownLines<'w> {
    to: &'w mut dyn Write,
    waiting: Vec<u8>,
}

impl Write for ShownLines<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        // Only a line break ends a line, and none is inside of a text.
        if self.waiting.len() >= BLOCK && bytes.ends_with(b"\n") {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let lines = String::from_utf8(std::mem::take(&mut self.waiting));
        self.to.write_all(visible::json(lines.unwrap_or_default()).as_bytes())
    }
}

/// The findings of a report, in order.
#[must_use]
pub(crate) fn findings<'a>(report: &'a Report<'_>) -> Vec<FindingObject<'a>> {
    report.shown.iter().map(|it| finding(report, it)).collect()
}

fn config_warning(warning: &ConfigMistake) -> ConfigWarning<'_> {
    let Position { line, column } = warning.at.position;
    let location = ConfigLocation { path: &warning.at.shown, start: Point { line, column } };
    ConfigWarning { message: &warning.message, location }
}

fn object(finding: &Finding) -> Option<JsonObject<'_>> {
    finding.subjects.iter().find_map(|it| match (&it.object, &it.block) {
        (Some(it), _) => Some(JsonObject::Kubernetes {
            kind: &it.kind,
            namespace: it.namespace.as_deref(),
            name: &it.name,
        }),
        (None, Some(it)) => Some(JsonObject::Terraform { address: &it.address }),
        (None, None) => None,
    })
}

fn finding<'a>(report: &Report, shown: &'a Shown) -> FindingObject<'a> {
    let finding: &Finding = shown.finding;
    FindingObject {
        rule: finding.rule,
        severity: finding.severity.word(),
        message: &finding.message,
        location: location(report, finding.span),
        related: finding.notes.iter().map(|it| related(report, it)).collect(),
        help: finding.help.as_deref(),
        url: rules::page(finding.rule).map(crate::page::Page::url),
        fingerprint: &shown.fingerprint,
        fix: finding.fix.as_ref().map(|it| fix(report, it)),
        group: group::of(finding),
        object: object(finding),
    }
}

fn related<'a>(report: &Report, note: &'a Note) -> Related<'a> {
    Related { message: &note.message, location: location(report, note.span) }
}

fn question<'a>(report: &Report, question: &'a Unreported) -> Option<Undecided<'a>> {
    let reason = question.silence.reason();
    Some(Undecided {
        rule: question.rule,
        location: location(report, question.span),
        needs: question.silence.cause()?.word(),
        reason: undecided::in_words(reason),
        related: reason.notes.iter().map(|it| related(report, it)).collect(),
    })
}

fn fix<'a>(report: &Report, fix: &'a Fix) -> FixObject<'a> {
    let edit = |edit: &'a crate::findings::edit::Edit| EditObject {
        path: report.path(edit.span.file),
        byte_start: edit.span.start,
        byte_end: edit.span.end,
        text: &edit.text,
    };
    FixObject {
        title: &fix.title,
        safety: match fix.safety {
            Safety::Safe => "safe",
            Safety::Unsafe => "unsafe",
        },
        edits: fix.edits.iter().map(edit).collect(),
    }
}

fn location(report: &Report, span: Span) -> JsonLocation {
    JsonLocation::of(report.file(span.file), report.path(span.file), span)
}

impl JsonLocation {
    /// A span of a file, which is shown under that path.
    pub(crate) fn of(file: &SourceFile, path: String, span: Span) -> Self {
        let point = |offset: u32| {
            let position = file.position(offset as usize, ColumnUnit::Characters);
            Point { line: position.line, column: position.column }
        };
        let (start, end) = (point(span.start), point(span.end));
        Self { path, start, end, byte_start: span.start, byte_end: span.end }
    }
}
