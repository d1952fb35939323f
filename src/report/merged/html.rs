//! The merged report as one page: counts by owner, by repository and by rule, then every finding.

use crate::report::{
    html::STYLE,
    markup::{visible, xml},
    merged::{Counts, Entry, Merged},
};

/// The page loads nothing.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
/// Besides the style of all pages.
const TABLES: &str = "table{border-collapse:collapse;margin:1rem 0}th,td{padding:.25rem .75rem;text-align:left;\
                      vertical-align:top;border-bottom:1px solid #8884}td.number{text-align:right}";

/// The page.
pub(crate) fn render(merged: &Merged) -> String {
    let owners = merged.counts.by_owner.iter().map(|(it, counts)| row(&[it], counts));
    let repositories = merged.repositories.iter().map(|it| row(&[&it.owner, &it.name], &it.counts));
    let rules = merged.counts.by_rule.iter().map(|(it, counts)| row(&[it], counts));
    let findings: String = merged.findings.iter().map(finding).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>karplint: {count} repositories</title>\n<style>\n{STYLE}{TABLES}</style>\n</head>\n<body>\n\
         <header>\n<h1>karplint {version}</h1>\n<p>{count} repositories</p>\n</header>\n<main>\n\
         <h2>Owners</h2>\n{}<h2>Repositories</h2>\n{}<h2>Rules</h2>\n{}<h2>Findings</h2>\n\
         <table>\n<tr><th>Owner</th><th>Repository</th><th>Severity</th><th>Rule</th><th>Place</th>\
         <th>Finding</th><th>New</th></tr>\n{findings}</table>\n</main>\n</body>\n</html>\n",
        table(&["Owner"], &owners.collect::<Vec<_>>()),
        table(&["Owner", "Repository"], &repositories.collect::<Vec<_>>()),
        table(&["Rule"], &rules.collect::<Vec<_>>()),
        count = merged.repositories.len(),
        version = env!("CARGO_PKG_VERSION"),
    )
}

fn table(names: &[&str], rows: &[String]) -> String {
    let counted = ["Errors", "Warnings", "Notes", "New"];
    let head: Vec<String> =
        names.iter().chain(&counted).map(|it| format!("<th>{it}</th>")).collect();
    let head = head.concat();
    format!("<table>\n<tr>{head}</tr>\n{}</table>\n", rows.concat())
}

fn row(names: &[&str], counts: &Counts) -> String {
    let names: Vec<String> = names.iter().map(|it| format!("<td>{}</td>", shown(it))).collect();
    let names = names.concat();
    let counts = [counts.error, counts.warning, counts.note, counts.new];
    let counts = counts.map(|it| format!("<td class=\"number\">{it}</td>")).concat();
    format!("<tr>{names}{counts}</tr>\n")
}

fn finding(it: &Entry) -> String {
    let found = &it.finding;
    let rule = match found.url.as_deref().filter(|it| it.starts_with("https://")) {
        Some(url) => format!("<a href=\"{}\">{}</a>", xml(url), shown(&found.rule)),
        None => shown(&found.rule),
    };
    let place = format!("{}:{}", found.location.path, found.location.start.line);
    let new = if it.new { "new" } else { "" };
    let (owner, repository) = (shown(&it.owner), shown(&it.repository));
    let (severity, place, message) = (shown(&found.severity), shown(&place), shown(&found.message));
    format!(
        "<tr><td>{owner}</td><td>{repository}</td><td>{severity}</td><td>{rule}</td><td>{place}</td>\
         <td>{message}</td><td>{new}</td></tr>\n"
    )
}

/// Text for the page, without characters that hide others.
fn shown(text: &str) -> String {
    xml(&visible(text)).into_owned()
}
