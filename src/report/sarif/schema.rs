//! The parts of SARIF 2.1.0 that karplint writes, in the standard's own words.

use serde::Serialize;

/// A log file.
#[derive(Serialize)]
pub(super) struct Log {
    /// The schema's address.
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    /// The standard's version.
    pub version: &'static str,
    /// One run.
    pub runs: [SarifRun; 1],
}

/// One run of one tool.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifRun {
    /// The tool that ran.
    pub tool: Tool,
    /// The result of the run.
    pub invocations: [Invocation; 1],
    /// Distinguishes several runs for one commit.
    pub automation_details: NamedId,
    /// Which commit was checked; none where it is not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub version_control_provenance: Vec<Provenance>,
    /// What relative addresses are relative to.
    pub original_uri_base_ids: Bases,
    /// What columns count.
    pub column_kind: &'static str,
    /// The files that findings name.
    pub artifacts: Vec<Artifact>,
    /// The findings; present when empty.
    pub results: Vec<SarifResult>,
}

/// The tool.
#[derive(Serialize)]
pub(super) struct Tool {
    /// Its only component.
    pub driver: Driver,
}

/// The program and its rules.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Driver {
    /// karplint.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The same, for comparing.
    pub semantic_version: &'static str,
    /// Where to read more.
    pub information_uri: &'static str,
    /// All rules there are, found or not.
    pub rules: Vec<ReportingDescriptor>,
}

/// A rule.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReportingDescriptor {
    /// Its name in config and comments.
    pub id: &'static str,
    /// The same in another spelling; the standard forbids it where it would be the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The defect.
    pub short_description: PlainText,
    /// Why it matters.
    pub full_description: PlainText,
    /// Its page.
    pub help: MultiformatMessage,
    /// Its page's address; the project's own rules have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help_uri: Option<String>,
    /// Its severity.
    pub default_configuration: ReportingConfiguration,
    /// Properties for GitHub.
    pub properties: RuleProperties,
}

/// Plain text.
#[derive(Serialize)]
pub(super) struct PlainText {
    /// The text.
    pub text: String,
}

/// Some text as plain text.
pub(super) fn text(text: impl Into<String>) -> PlainText {
    PlainText { text: text.into() }
}

/// Text in two forms.
#[derive(Serialize)]
pub(super) struct MultiformatMessage {
    /// Plain.
    pub text: String,
    /// Formatted.
    pub markdown: String,
}

/// A rule's setting.
#[derive(Serialize)]
pub(super) struct ReportingConfiguration {
    /// `error`, `warning`, `note`.
    pub level: &'static str,
}

/// GitHub's own properties.
#[derive(Serialize)]
pub(super) struct RuleProperties {
    /// Its precision.
    pub precision: &'static str,
    /// Its severity, in GitHub's terms.
    #[serde(rename = "problem.severity")]
    pub problem_severity: &'static str,
    /// What to filter by.
    pub tags: [&'static str; 2],
}

/// The result of a run.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invocation {
    /// Whether the tool did its work.
    pub execution_successful: bool,
    /// What could not be read or evaluated.
    pub tool_execution_notifications: Vec<Notification>,
    /// What a config says and the repository contradicts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_configuration_notifications: Vec<Notification>,
}

/// Something the tool says about itself.
#[derive(Serialize)]
pub(super) struct Notification {
    /// The message.
    pub message: PlainText,
    /// `note`.
    pub level: &'static str,
    /// The file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<SarifLocation>,
}

/// A name.
#[derive(Serialize)]
pub(super) struct NamedId {
    /// The name.
    pub id: String,
}

/// The commit of a repository, and where its files are.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Provenance {
    /// The repository's address.
    pub repository_uri: String,
    /// The commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision_id: Option<String>,
    /// The branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The folder that holds its root.
    pub mapped_to: MappedTo,
}

/// A folder by the name of a base.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MappedTo {
    /// `%SRCROOT%`.
    pub uri_base_id: &'static str,
}

/// The bases of relative addresses.
#[derive(Serialize)]
pub(super) struct Bases {
    /// The project's root, wherever the reader has it.
    #[serde(rename = "%SRCROOT%")]
    pub root: Base,
}

/// A base without an address.
#[derive(Serialize)]
pub(super) struct Base {
    /// What it is.
    pub description: PlainText,
}

/// A file.
#[derive(Serialize)]
pub(super) struct Artifact {
    /// Its address.
    pub location: ArtifactLocation,
    /// Its length in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<usize>,
}

/// The address of a file.
#[derive(Serialize, Clone)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ArtifactLocation {
    /// Percent-encoded, and relative where there is a base.
    pub uri: String,
    /// `%SRCROOT%`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri_base_id: Option<&'static str>,
    /// Its index in the artifacts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
}

/// A finding.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifResult {
    /// The rule.
    pub rule_id: &'static str,
    /// Its index in the rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_index: Option<usize>,
    /// Its severity.
    pub level: &'static str,
    /// What is wrong, with links to the related places.
    pub message: PlainText,
    /// Where.
    pub locations: [SarifLocation; 1],
    /// Other places.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_locations: Vec<SarifLocation>,
    /// Fingerprints.
    pub partial_fingerprints: Fingerprints,
    /// How to fix it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fixes: Vec<SarifFix>,
}

/// Fingerprints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Fingerprints {
    /// GitHub's.
    pub primary_location_line_hash: String,
    /// Ours.
    #[serde(rename = "karplint/v1")]
    pub own: String,
}

/// A place.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifLocation {
    /// What links in the message name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<usize>,
    /// Where.
    pub physical_location: PhysicalLocation,
    /// The name of the object around it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub logical_locations: Vec<LogicalLocation>,
    /// What is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<PlainText>,
}

/// An object by its name.
#[derive(Serialize, Clone, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub(super) struct LogicalLocation {
    /// The last part of its name: `karpenter`.
    pub name: String,
    /// Its whole name: `helm_release.karpenter`, `StatefulSet/ledger`.
    pub fully_qualified_name: String,
    /// What it is, in the standard's words.
    pub kind: &'static str,
}

/// A piece of a file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    /// The file.
    pub artifact_location: ArtifactLocation,
    /// The piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    /// The lines around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_region: Option<Region>,
}

/// Lines and columns from 1, the end column exclusive.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    /// First line.
    pub start_line: usize,
    /// First column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_column: Option<usize>,
    /// Last line.
    pub end_line: usize,
    /// One past the last column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_column: Option<usize>,
    /// The text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<PlainText>,
}

/// A fix.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifFix {
    /// What it does.
    pub description: PlainText,
    /// File by file.
    pub artifact_changes: Vec<ArtifactChange>,
}

/// The changes of one file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArtifactChange {
    /// The file.
    pub artifact_location: ArtifactLocation,
    /// Piece by piece.
    pub replacements: Vec<Replacement>,
}

/// A piece of text in place of another.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Replacement {
    /// The text to delete.
    pub deleted_region: Region,
    /// The text to insert.
    pub inserted_content: PlainText,
}
