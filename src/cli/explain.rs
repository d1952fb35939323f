//! `karplint rules` and `karplint explain`: the pages on the terminal.

use serde::Serialize;

use crate::{
    cli::{
        args::{Explain, ListFormat, Rules},
        exit::CLEAN,
        output::Streams,
        scope,
    },
    config::did_you_mean,
    load,
    page::Page,
    rules,
};

#[derive(Serialize)]
struct RuleObject<'a> {
    rule: &'static str,
    topic: &'static str,
    severity: &'static str,
    title: &'a str,
    since: &'static str,
    fix: &'static str,
    /// The project's own rules have none.
    url: Option<String>,
    source: &'a str,
}

/// Lists the rules.
///
/// # Errors
/// When the list cannot be written.
pub(super) fn rules(arguments: &Rules, output: &mut Streams) -> Result<u8, String> {
    let book = load::book(&scope::working_directory()?)?;
    let mut pages: Vec<_> = book.pages().collect();
    let text = match arguments.format {
        ListFormat::Text => {
            let width = pages.iter().map(|it| it.name.len()).max().unwrap_or_default();
            let line = |it: &Page| {
                format!("  {:width$}  {:7}  {}\n", it.name, it.severity.word(), it.title)
            };
            pages.sort_by_key(|it| it.topic);
            let topic = |it: &[&Page]| {
                let lines: String = it.iter().copied().map(line).collect();
                format!("{}\n{lines}", it.first().map_or("", |it| it.topic))
            };
            let topics: Vec<String> =
                pages.chunk_by(|a, b| a.topic == b.topic).map(topic).collect();
            topics.join("\n")
        }
        ListFormat::Json => {
            let objects = pages.into_iter().map(|it| RuleObject {
                rule: it.name,
                topic: it.topic,
                severity: it.severity.word(),
                title: &it.title,
                since: it.since,
                fix: it.fix,
                url: rules::page(it.name).map(Page::url),
                source: &it.source,
            });
            let objects: Vec<_> = objects.collect();
            serde_json::to_string_pretty(&objects).map_err(|error| error.to_string())? + "\n"
        }
    };
    output.print(&text)?;
    Ok(CLEAN)
}

/// Prints a rule's page.
///
/// # Errors
/// When there is no such rule.
pub(super) fn explain(arguments: &Explain, output: &mut Streams) -> Result<u8, String> {
    let name = arguments.rule.as_str();
    let book = load::book(&scope::working_directory()?)?;
    let page = book.page(name).ok_or_else(|| {
        let hint = did_you_mean(name, book.pages().map(|it| it.name));
        format!("`{name}` is not a rule{hint}; `karplint rules` lists them")
    })?;
    let is_built_in = rules::page(name).is_some();
    let since = if is_built_in { format!(", since {}", page.since) } else { String::new() };
    let address = if is_built_in { format!("Page:   {}\n", page.url()) } else { String::new() };
    let text = format!(
        "{} ({}, {}, {}{since})\n\n{}\nSource: {}\n{address}",
        page.name,
        page.severity.word(),
        page.topic,
        match page.fix {
            "none" => "no automatic fix",
            "safe" => "fixed by --fix",
            _ => "fixed by --unsafe-fixes",
        },
        readable(&page.body, output.look(false).color),
        page.source,
    );
    output.print(&text)?;
    Ok(CLEAN)
}

/// Markdown as plain text: headings are emphasized, code is indented, marks of the tests are left out.
fn readable(markdown: &str, color: bool) -> String {
    let mut in_code = false;
    markdown.lines().map(|line| readable_line(line, color, &mut in_code)).collect()
}

fn readable_line(line: &str, color: bool, in_code: &mut bool) -> String {
    if let Some(fence) = line.strip_prefix("```") {
        *in_code = !*in_code;
        let file = fence.split("file=").nth(1).filter(|_| *in_code);
        return file.map_or_else(String::new, |it| format!("    # {it}\n"));
    }
    if *in_code {
        let code = line.split("#~").next().unwrap_or(line).trim_end();
        return format!("    {code}\n");
    }
    match line.strip_prefix('#').map(|it| it.trim_start_matches('#').trim()) {
        Some(heading) if color => format!("\u{1b}[1m{heading}\u{1b}[0m\n"),
        Some(heading) => format!("{heading}\n"),
        None => format!("{line}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn pages_read_as_plain_text() {
        let page = "# Title\n\nWhy.\n\n```hcl file=main.tf\na = 1 #~ mark\n```\n";
        assert_eq!(readable(page, false), "Title\n\nWhy.\n\n    # main.tf\n    a = 1\n");
        assert!(readable(page, true).starts_with("\u{1b}[1mTitle\u{1b}[0m\n"));
    }
}
