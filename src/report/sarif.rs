//! SARIF 2.1.0, as GitHub, GitLab and editors read it.

mod names;
mod notifications;
mod place;
mod schema;
mod words;

use std::collections::{BTreeSet, HashMap};

use crate::{
    findings::{Fix, Severity, edit::Edit},
    page::Page,
    report::{
        Report, fingerprint,
        sarif::{
            names::names,
            notifications::{configuration, execution},
            place::{ROOT, address},
            schema::{
                Artifact, ArtifactChange, ArtifactLocation, Base, Bases, Driver, Fingerprints,
                Invocation, Log, MappedTo, MultiformatMessage, NamedId, PhysicalLocation,
                PlainText, Provenance, Region, Replacement, ReportingConfiguration,
                ReportingDescriptor, RuleProperties, SarifFix, SarifLocation, SarifResult,
                SarifRun, Tool, text,
            },
            words::{description, message, plain},
        },
        shown::Shown,
    },
    rules,
    source::{FileId, SourceFile, Span, column::ColumnUnit},
    visible,
};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// Longer pieces of source are not repeated in the report, in bytes.
const LONGEST_SNIPPET: usize = 2000;
/// GitHub shows no more results of a run, and GitLab rejects more.
const MOST: usize = 5000;
/// GitHub shows no more places of a result.
const MOST_PLACES: usize = 100;
/// GitLab rejects larger files, in bytes; GitHub compresses them first.
const LARGEST: usize = 10_000_000;
/// Lines around a place that viewers may show.
const AROUND: usize = 2;

/// What a log contains besides the findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogContext {
    /// The category of this upload among others of the same commit.
    pub category: Option<String>,
    /// What was checked.
    pub checkout: Option<Checkout>,
}

/// A commit whose root is the project's root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkout {
    /// The address of the repository, without credentials.
    pub repository: String,
    /// The commit.
    pub revision: Option<String>,
    /// The branch.
    pub branch: Option<String>,
}

/// How much detail a log has of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Detail {
    /// Without its fix.
    Bare,
    /// Without the lines around its places.
    Brief,
    /// Everything, laid out for people.
    Full,
}

/// The report as a SARIF log. Where it would be too large for its readers, it has less detail of
/// each finding, and then leaves out the least severe.
#[must_use]
pub fn render(report: &Report, about: &LogContext) -> String {
    let mut detail = Detail::Full;
    let mut results = gravest(report, MOST);
    loop {
        let writer = LogBuilder::new(report, detail, &results);
        let text = writer.text(about, &results);
        if text.len() <= LARGEST || results.len() <= 1 {
            return text;
        }
        match detail {
            Detail::Full => detail = Detail::Brief,
            Detail::Brief => detail = Detail::Bare,
            Detail::Bare => {
                let fitting = results.len() * (LARGEST / 1000) / (text.len() / 1000);
                results = gravest(report, fitting.clamp(1, results.len() - 1));
            }
        }
    }
}

/// The findings in their order; where they are too many, without the least severe.
fn gravest<'a>(report: &'a Report<'a>, most: usize) -> Vec<&'a Shown<'a>> {
    let mut kept: Vec<(usize, &Shown)> = report.shown.iter().enumerate().collect();
    kept.sort_by_key(|(_, it)| std::cmp::Reverse(it.finding.severity));
    kept.truncate(most);
    kept.sort_by_key(|(index, _)| *index);
    kept.into_iter().map(|(_, it)| it).collect()
}

fn driver(pages: &[&Page]) -> Driver {
    Driver {
        name: env!("CARGO_PKG_NAME"),
        version: env!("CARGO_PKG_VERSION"),
        semantic_version: env!("CARGO_PKG_VERSION"),
        information_uri: env!("CARGO_PKG_REPOSITORY"),
        rules: pages.iter().map(|it| rule(it)).collect(),
    }
}

fn rule(page: &Page) -> ReportingDescriptor {
    let url = rules::page(page.name).map(Page::url);
    let reason = page.reason.split_whitespace().collect::<Vec<_>>().join(" ");
    ReportingDescriptor {
        id: page.name,
        name: page.name.contains('-').then(|| page.name.split('-').map(capitalized).collect()),
        short_description: text(description(&page.title)),
        full_description: text(description(&reason)),
        help: MultiformatMessage {
            text: match &url {
                Some(url) => format!("{reason} See {url}"),
                None => format!(
                    "{} See {}",
                    if reason.is_empty() { &page.title } else { &*reason },
                    page.source
                ),
            },
            markdown: page.body.to_string(),
        },
        help_uri: url,
        default_configuration: ReportingConfiguration { level: page.severity.word() },
        properties: RuleProperties {
            precision: "high",
            problem_severity: match page.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "recommendation",
            },
            tags: ["karpenter", "reliability"],
        },
    }
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + letters.as_str()
    })
}

fn provenance(checkout: &Checkout) -> Provenance {
    Provenance {
        repository_uri: checkout.repository.clone(),
        revision_id: checkout.revision.clone(),
        branch: checkout.branch.clone(),
        mapped_to: MappedTo { uri_base_id: ROOT },
    }
}

struct LogBuilder<'a> {
    report: &'a Report<'a>,
    detail: Detail,
    /// The files that findings name, and the index of each in the list.
    files: Vec<FileId>,
    index: HashMap<FileId, usize>,
    hashes: HashMap<FileId, Vec<String>>,
    rules: Vec<&'a Page>,
}

impl<'a> LogBuilder<'a> {
    fn new(report: &'a Report<'a>, detail: Detail, results: &[&Shown]) -> Self {
        let mut spans = BTreeSet::new();
        let mut hashes = HashMap::new();
        for Shown { finding, .. } in results {
            spans.insert(finding.span.file);
            spans.extend(finding.notes.iter().map(|it| it.span.file));
            spans.extend(finding.fix.iter().flat_map(|it| &it.edits).map(|it| it.span.file));
            let file = report.file(finding.span.file);
            hashes.entry(finding.span.file).or_insert_with(|| fingerprint::line_hashes(file));
        }
        let files: Vec<_> = spans.into_iter().collect();
        let index = files.iter().enumerate().map(|(index, id)| (*id, index)).collect();
        Self { report, detail, files, index, hashes, rules: report.pages() }
    }

    fn text(&self, about: &LogContext, results: &[&Shown]) -> String {
        let name = about.category.as_ref().map_or_else(String::new, |it| format!("{it}/"));
        let run = SarifRun {
            tool: Tool { driver: driver(&self.rules) },
            invocations: [Invocation {
                execution_successful: true,
                tool_execution_notifications: execution(self.report, results.len()),
                tool_configuration_notifications: configuration(self.report),
            }],
            // The part before the last slash is the category.
            automation_details: NamedId { id: format!("karplint/{name}") },
            version_control_provenance: about.checkout.iter().map(provenance).collect(),
            original_uri_base_ids: Bases {
                root: Base { description: text("The root of the repository that was checked.") },
            },
            column_kind: "utf16CodeUnits",
            artifacts: self.artifacts(),
            results: results.iter().map(|it| self.result(it)).collect(),
        };
        let log = Log { schema: SCHEMA, version: "2.1.0", runs: [run] };
        let text = match self.detail {
            Detail::Full => serde_json::to_string_pretty(&log),
            Detail::Brief | Detail::Bare => serde_json::to_string(&log),
        };
        // Strings, numbers and lists always become JSON.
        visible::json(text.unwrap_or_default()) + "\n"
    }

    fn file(&self, id: FileId) -> &'a SourceFile {
        self.report.file(id)
    }

    fn artifacts(&self) -> Vec<Artifact> {
        let artifact = |id: &FileId| {
            let file = self.file(*id);
            let length = (!file.is_transcoded()).then(|| file.text().len());
            Artifact { location: address(&self.report.address_of(*id), None), length }
        };
        self.files.iter().map(artifact).collect()
    }

    fn result(&self, shown: &Shown) -> SarifResult {
        let finding = shown.finding;
        let line = self.file(finding.span.file).line_of(finding.span.start as usize);
        let hash = self.hashes.get(&finding.span.file).and_then(|it| it.get(line));
        let notes = finding.notes.iter().take(MOST_PLACES).enumerate();
        let related = notes.map(|(index, note)| SarifLocation {
            id: Some(index + 1),
            message: Some(text(plain(&note.message))),
            ..self.location(note.span)
        });
        let fix = finding.fix.iter().filter(|_| self.detail > Detail::Bare);
        SarifResult {
            rule_id: finding.rule,
            rule_index: self.rules.iter().position(|it| it.name == finding.rule),
            level: finding.severity.word(),
            message: text(message(finding)),
            locations: [SarifLocation {
                logical_locations: names(finding),
                ..self.location(finding.span)
            }],
            related_locations: related.collect(),
            partial_fingerprints: Fingerprints {
                primary_location_line_hash: hash.cloned().unwrap_or_default(),
                own: shown.fingerprint.clone(),
            },
            fixes: fix.filter_map(|it| self.mending(it)).collect(),
        }
    }

    fn location(&self, span: Span) -> SarifLocation {
        let file = self.file(span.file);
        // In a pull request a finding shows only if all its lines changed, so it has one.
        let line = file.line_of(span.start as usize);
        let end = (span.end as usize).min(file.line_range(line).end).max(span.start as usize);
        let first = line.saturating_sub(AROUND);
        // What follows the last line break is no line to SARIF.
        let end_of_file = file.line_of(file.text().len().saturating_sub(1));
        let last = (line + AROUND).min(end_of_file).max(line);
        let around = file.line_range(first).start..file.line_range(last).end;
        let context = Region {
            start_line: first + 1,
            start_column: None,
            end_line: last + 1,
            end_column: None,
            snippet: snippet(file, around),
        };
        SarifLocation {
            id: None,
            physical_location: PhysicalLocation {
                artifact_location: self.address(span.file),
                region: Some(Region {
                    snippet: snippet(file, span.start as usize..end),
                    ..region(file, span.start as usize, end)
                }),
                context_region: Some(context)
                    .filter(|it| it.snippet.is_some() && self.detail == Detail::Full),
            },
            logical_locations: Vec::new(),
            message: None,
        }
    }

    fn address(&self, id: FileId) -> ArtifactLocation {
        address(&self.report.address_of(id), self.index.get(&id).copied())
    }

    /// A fix with its edits by file; `None` where offsets are not those on disk.
    fn mending(&self, fix: &Fix) -> Option<SarifFix> {
        let mut by_file: Vec<(FileId, Vec<&Edit>)> = Vec::new();
        for edit in &fix.edits {
            match by_file.iter_mut().find(|(id, _)| *id == edit.span.file) {
                Some((_, edits)) => edits.push(edit),
                None => by_file.push((edit.span.file, vec![edit])),
            }
        }
        if by_file.iter().any(|(id, _)| self.file(*id).is_transcoded()) {
            return None;
        }
        let change = |(id, edits): (FileId, Vec<&Edit>)| ArtifactChange {
            artifact_location: self.address(id),
            replacements: edits.into_iter().map(|it| replacement(self.file(id), it)).collect(),
        };
        Some(SarifFix {
            description: text(plain(&fix.title)),
            artifact_changes: by_file.into_iter().map(change).collect(),
        })
    }
}

/// The text of a region, unless it is so long that many of them would fill the disk.
fn snippet(file: &SourceFile, range: std::ops::Range<usize>) -> Option<PlainText> {
    (range.len() <= LONGEST_SNIPPET).then(|| text(file.slice(range)))
}

fn replacement(file: &SourceFile, edit: &Edit) -> Replacement {
    Replacement {
        deleted_region: region(file, edit.span.start as usize, edit.span.end as usize),
        inserted_content: text(&edit.text),
    }
}

fn region(file: &SourceFile, start: usize, end: usize) -> Region {
    let from = file.position(start, ColumnUnit::Utf16);
    let to = file.position(end, ColumnUnit::Utf16);
    Region {
        start_line: from.line,
        start_column: Some(from.column),
        end_line: to.line,
        end_column: Some(to.column),
        snippet: None,
    }
}
