//! One self-contained page: findings by file or by rule, with their source and a search.
//!
//! Nothing is loaded from elsewhere, which the page forbids the browser too, and without scripts the findings
//! are all there in order.

use crate::{
    findings::{Finding, Severity, note::Note},
    page::Page,
    report::{
        Report,
        lines::Line,
        markup::{visible, xml},
        plural, summary,
    },
    rules,
};

/// The style of a page.
pub(crate) const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/script.js");
/// The content security policy: only what is in the page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                      base-uri 'none'; form-action 'none'";

/// The page.
#[must_use]
pub fn render(report: &Report) -> String {
    let findings: String = report.shown.iter().map(|it| article(report, it.finding)).collect();
    let kinds: String = [Severity::Error, Severity::Warning, Severity::Note]
        .into_iter()
        .filter(|it| report.count(*it) > 0)
        .map(|it| kind(it, report.count(it)))
        .collect();
    let title = shown(&report.summary(Severity::Note));
    let remark = |it: &String| format!("<p>{}</p>\n", words(it));
    let remarks: String = summary::remarks(report).iter().map(remark).collect();
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>karplint: {title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<h1>karplint {version}</h1>\n<p>{title}</p>\n{remarks}<div class=\"controls\">\n\
         <input type=\"search\" id=\"search\" placeholder=\"Search\" aria-label=\"Search\">\n{kinds}\
         <label>by <select id=\"group\"><option value=\"file\">file</option>\
         <option value=\"rule\">rule</option></select></label>\n</div>\n</header>\n\
         <main>\n<div id=\"findings\">\n{findings}</div>\n\
         <p class=\"nothing\" hidden>Nothing to show.</p>\n</main>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

fn kind(severity: Severity, count: usize) -> String {
    let word = severity.word();
    format!(
        "<label><input type=\"checkbox\" name=\"kind\" value=\"{word}\" checked> {}</label>\n",
        plural(count, word)
    )
}

fn article(report: &Report, finding: &Finding) -> String {
    let spot = report.spot(finding.span);
    let word = finding.severity.word();
    let page = rules::page(finding.rule).map(Page::url);
    let rule = page.map_or_else(
        || xml(finding.rule).into_owned(),
        |url| format!("<a href=\"{}\">{}</a>", xml(&url), xml(finding.rule)),
    );
    let notes: String = finding.notes.iter().map(|it| note(report, it)).collect();
    let notes = if notes.is_empty() { notes } else { format!("<ul>\n{notes}</ul>\n") };
    let help = finding.help.as_ref().map_or(String::new(), |it| format!("<p>{}.</p>\n", words(it)));
    format!(
        "<article class=\"{word}\" data-kind=\"{word}\" data-file=\"{path}\" data-rule=\"{rule_name}\">\n\
         <h3><b>{word}</b> {}</h3>\n<p class=\"where\">{path}:{}:{} · {rule}</p>\n{}{notes}{help}</article>\n",
        words(&finding.message),
        spot.start.line,
        spot.start.column,
        source(report, finding),
        path = shown(&spot.path),
        rule_name = xml(finding.rule),
    )
}

fn note(report: &Report, note: &Note) -> String {
    let spot = report.spot(note.span);
    format!("<li>{}:{}: {}</li>\n", shown(&spot.path), spot.start.line, words(&note.message))
}

fn source(report: &Report, finding: &Finding) -> String {
    let lines = report.lines(finding.span);
    let width = lines.last().map_or(1, |it| it.number.to_string().len());
    let line = |it: &Line| {
        let class = if it.is_meant { " class=\"meant\"" } else { "" };
        format!("<span{class}><i>{:>width$} </i>{}</span>", it.number, shown(it.text))
    };
    format!("<pre>{}</pre>\n", lines.iter().map(line).collect::<String>())
}

/// Text for the page, without characters that hide others.
fn shown(text: &str) -> String {
    xml(&visible(text)).into_owned()
}

/// A message with its code marked up; a lone backtick is only text.
pub(crate) fn words(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return shown(text);
    }
    let part = |(index, part): (usize, &&str)| match index % 2 {
        0 => shown(part),
        _ => format!("<code>{}</code>", shown(part)),
    };
    parts.iter().enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn code_is_set_apart_and_nothing_is_a_tag() {
        for (text, wanted) in [
            ("`a<b>` is not set", "<code>a&lt;b&gt;</code> is not set"),
            ("<script>", "&lt;script&gt;"),
            ("one ` alone", "one ` alone"),
        ] {
            assert_eq!(words(text), wanted);
        }
    }
}
