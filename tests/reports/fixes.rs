//! The fixes of a SARIF log, applied as a viewer applies them: by lines and columns, without karplint.

use std::path::Path;

use karplint::{
    config::Config,
    findings::Safety,
    fix, lint,
    project::Project,
    report::{
        Report,
        choice::Choice,
        sarif::{self, LogContext},
    },
};
use rayon::prelude::*;
use serde_json::Value;

use crate::fixtures::folder;

/// The text with the replacements made, each by its line and its column in UTF-16 units, from the last to the
/// first. A byte order mark is no column.
fn replaced(text: &str, replacements: &[Value]) -> String {
    let (mark, text) = match text.strip_prefix('\u{feff}') {
        Some(rest) => ("\u{feff}", rest),
        None => ("", text),
    };
    let offset = |region: &Value, line: &str, column: &str| {
        let number = |it: &str| usize::try_from(region[it].as_u64().unwrap()).unwrap() - 1;
        let start: usize = text.split_inclusive('\n').take(number(line)).map(str::len).sum();
        let mut units = 0;
        let before = text[start..].chars().take_while(|it| {
            units += it.len_utf16();
            units <= number(column)
        });
        start + before.map(char::len_utf8).sum::<usize>()
    };
    let piece = |it: &Value| {
        let region = &it["deletedRegion"];
        let start = offset(region, "startLine", "startColumn");
        let end = offset(region, "endLine", "endColumn");
        (start, end, it["insertedContent"]["text"].as_str().unwrap().to_owned())
    };
    let mut pieces: Vec<_> = replacements.iter().map(piece).collect();
    pieces.sort();
    let mut new = text.to_owned();
    for (start, end, inserted) in pieces.into_iter().rev() {
        new.replace_range(start..end, &inserted);
    }
    format!("{mark}{new}")
}

/// How many fixes the log of a project has, each of which makes of its files what karplint makes of them.
fn same_fixes(what: &str, project: &Project) -> usize {
    let outcome = lint::run(project, &Config::default());
    let report = Report::new(project, &outcome, Path::new(""), Choice::everything());
    let log: Value = serde_json::from_str(&sarif::render(&report, &LogContext::default())).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), report.shown.len());
    let mut count = 0;
    for (shown, result) in report.shown.iter().zip(results) {
        let fixed = fix::apply(&project.files, [shown.finding], Safety::Unsafe);
        let Some(fix) = result["fixes"].get(0) else {
            assert!(fixed.is_empty(), "{what}: {} has no fix in the log", shown.finding.rule);
            continue;
        };
        let mut changed = Vec::new();
        for change in fix["artifactChanges"].as_array().unwrap() {
            let path = change["artifactLocation"]["uri"].as_str().unwrap();
            let id = project.files.find(path).unwrap();
            let old = project.files.get(id).text();
            let new = replaced(old, change["replacements"].as_array().unwrap());
            if new != old {
                changed.push((id, new));
            }
        }
        changed.sort_unstable_by_key(|(id, _)| *id);
        assert_eq!(changed, fixed, "{what}: {}", shown.finding.rule);
        count += 1;
    }
    count
}

#[test]
fn a_viewer_makes_of_a_file_what_karplint_makes_of_it() {
    let count = |fixture: &folder::Fixture| {
        // As it is; with the line ends of Windows; with wide characters before every value of HCL, and a mark.
        let windows = |it: &str| it.replace("\r\n", "\n").replace('\n', "\r\n");
        let wide = |it: &str| format!("\u{feff}{}", it.replace(" = ", " = /* é 日本 🎉 */ "));
        let project = |change: &dyn Fn(&str) -> String| {
            let files = fixture.files.iter();
            Project::from_memory(files.map(|(path, text)| (path.clone(), change(text))).collect())
        };
        let name = &fixture.name;
        [
            same_fixes(name, &project(&str::to_owned)),
            same_fixes(&format!("{name}, CRLF"), &project(&windows)),
            same_fixes(&format!("{name}, wide"), &project(&wide)),
        ]
    };
    let fixtures = folder::all().par_iter().filter(|it| it.has_fixes());
    let sum = |a: [usize; 3], b: [usize; 3]| [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
    let fixes = fixtures.map(count).reduce(|| [0; 3], sum);
    assert!(fixes.iter().all(|it| *it > 60), "{fixes:?}");
}

#[test]
fn columns_of_a_fix_count_what_stands_before_it() {
    let yaml = "\u{feff}apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: agent, namespace: logging}\nspec:\n  selector: {matchLabels: {app: agent}}\n  template:\n    metadata: {labels: {app: agent}}\n    spec:\n      tolerations: [{key: \"日本 🎉\", operator: Exists}, {key: karpenter.sh/disruption, operator: Equal, value: disrupting, effect: NoSchedule}]\n      containers: [{name: agent, image: agent}]\n";
    let yaml = &yaml.replace('\n', "\r\n");
    let project = Project::from_memory(vec![("agent.yaml".to_owned(), yaml.clone())]);
    let outcome = lint::run(&project, &Config::default());
    let wide = outcome.findings.iter().filter_map(|it| it.fix.as_ref()).flat_map(|it| &it.edits);
    let line = |at: u32| yaml[..at as usize].rsplit('\n').next().unwrap_or_default();
    assert!(wide.clone().any(|it| line(it.span.start).contains('🎉')), "{:?}", outcome.findings);
    assert!(same_fixes("agent.yaml", &project) > 0);
}
