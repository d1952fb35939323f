//! Findings whose words, paths and lines try to be more than text, in every form of a report.

use karplint::{
    findings::Severity,
    lint::LintResult,
    project::Project,
    report::{Report, checkstyle, choice::Choice, github, gitlab, html, json, junit, markdown},
    source::Span,
};
use serde_json::Value;
use std::path::Path;

use super::{finding, note};

/// What a source may contain where a message quotes it.
pub(super) const WORDS: [&str; 14] = [
    "plain",
    "</script><script>window.hacked = 1</script>",
    "<img src=x onerror=\"window.hacked = 1\"> & &amp; 'q' \"q\"",
    "]]> <!-- <![CDATA[ -->",
    "a | b `c | d` `e\\|f` \\| |",
    "``` `` ` unpaired",
    "one\ntwo\r\n::error::three\n::stop-commands::x",
    "100%0A::error::x %25 a,b:c",
    "\u{1b}[31m\u{0}\u{7}\u{9b}31m \u{202e}desrever\u{2028}line",
    "@karplint/team @someone #1 https://example.com [x](javascript:alert(1)) ![x](http://example.com/x.png)",
    "${a} $b$ $$c$$ ~~d~~ **e** __f__ :x:",
    "# heading",
    "1. list",
    "</details></td></tr></table>",
];

/// A path that tries the same.
pub(super) const PATH: &str = "a/<script>window.hacked=1</script>\"'&|`@team%0A::,]]>\u{2028}.yaml";

/// A finding for each of the words, with a note, with help, in a file of that path that consists of them.
pub(super) fn project() -> (Project, LintResult) {
    let lines = WORDS.map(|it| "# ".to_owned() + &it.replace('\n', " "));
    let text = lines.join("\n") + "\n```\n</pre></details>\n";
    let project = Project::from_memory(vec![(PATH.to_owned(), text)]);
    let file = project.files.find(PATH).unwrap();
    let one = |(index, words): (usize, &&str)| {
        let line = project.files.get(file).line_range(index);
        let span = Span::new(file, line.start, line.end);
        let mut one = finding(Severity::Error, span, words);
        one.notes = vec![note(span, words)];
        one.help = Some((*words).to_owned());
        one
    };
    let findings = WORDS.iter().enumerate().map(one).collect();
    (project, LintResult { findings, ..LintResult::default() })
}

pub(super) fn rendered(form: impl Fn(&Report) -> String) -> String {
    let (project, outcome) = project();
    form(&Report::new(&project, &outcome, Path::new("/somewhere"), Choice::everything()))
}

/// The text as forms show it that keep control characters out.
fn shown(text: &str) -> String {
    let hidden = |it: char| it.is_control() || ('\u{2028}'..='\u{202e}').contains(&it);
    text.chars().map(|it| if it != '\n' && hidden(it) { '\u{fffd}' } else { it }).collect()
}

#[test]
fn a_command_stays_one_command() {
    let text = rendered(|it| github::render(it, true));
    assert_eq!(text.lines().count(), WORDS.len());
    let back = |it: &str| it.replace("%0A", "\n").replace("%0D", "\r").replace("%25", "%");
    for (line, words) in text.split_terminator('\n').zip(WORDS) {
        let (command, data) = line.strip_prefix("::error ").unwrap().split_once("::").unwrap();
        assert!(!line.contains(char::is_control), "{line}");
        assert_eq!(
            command.matches(',').count(),
            4 - usize::from(!command.contains("endColumn")),
            "{command}"
        );
        assert!(command.contains("%253A") || command.contains("%2C"), "{command}");
        // Line breaks inside a text are no breaks of the annotation.
        assert!(back(data).contains(shown(words).lines().next().unwrap()), "{data}");
    }
}

#[test]
fn xml_keeps_the_words() {
    for (form, name, attribute) in [
        (rendered(checkstyle::render), "error", "message"),
        (rendered(junit::render), "failure", "message"),
    ] {
        let document =
            roxmltree::Document::parse(&form).unwrap_or_else(|it| panic!("{it}: {form}"));
        let said = document.descendants().filter(|it| it.has_tag_name(name));
        let said: Vec<&str> = said.filter_map(|it| it.attribute(attribute)).collect();
        let low = |it: char| it < ' ' && !"\n\r\t".contains(it);
        assert_eq!(said, WORDS.map(|it| it.replace(low, "\u{fffd}")));
    }
}

#[test]
fn json_keeps_the_words() {
    let issues: Value = serde_json::from_str(&rendered(gitlab::render)).unwrap();
    for (issue, words) in issues.as_array().unwrap().iter().zip(WORDS) {
        assert!(issue["description"].as_str().unwrap().starts_with(words));
        assert_eq!(issue["location"]["path"], PATH);
    }
    let report: Value = serde_json::from_str(&rendered(json::render)).unwrap();
    assert_eq!(report["findings"].as_array().unwrap().len(), WORDS.len());
}

/// The cells of a row as GitHub divides it: at each bar without a backslash of its own before it.
fn cells(row: &str) -> usize {
    let mut letters = row.chars();
    let mut bars = 0;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            '|' => bars += 1,
            _ => {}
        }
    }
    bars - 1
}

#[test]
fn a_comment_stays_a_table_and_folds() {
    let text = rendered(markdown::render);
    let rows: Vec<&str> = text.lines().filter(|it| it.starts_with("| :x:")).collect();
    assert_eq!(rows.len(), WORDS.len());
    for row in rows {
        assert_eq!(cells(row), 4, "{row}");
    }
    assert_eq!(text.matches("<details><summary>").count(), WORDS.len());
    // The words' own are escaped, and those of the source are inside a longer fence.
    assert_eq!(text.lines().filter(|it| *it == "</details>").count(), WORDS.len());
    assert!(text.lines().filter(|it| it.starts_with("````")).count() >= 2);
    let outside = markup_of(&text);
    for word in ["<script", "<img", "@team", "@some", "@karplint", "![", " #1", "$b"] {
        assert!(!outside.contains(word), "{word}: {outside}");
    }
    assert!(!text.contains(|it: char| it != '\n' && it.is_control()));
}

/// A comment without its fenced blocks, without code, and without what is escaped.
fn markup_of(text: &str) -> String {
    let plain = |line: &str| {
        let mut parts = line.split('\\');
        let first = parts.next().unwrap_or_default().to_owned();
        first + &parts.map(|it| it.chars().skip(1).collect::<String>()).collect::<String>()
    };
    let mut fence = None;
    let mut outside = String::new();
    for line in text.lines() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        match fence {
            Some(open) if ticks >= open => fence = None,
            None if ticks >= 3 => fence = Some(ticks),
            None => outside += &plain(line).split('`').step_by(2).collect::<String>(),
            Some(_) => {}
        }
    }
    outside
}

#[test]
fn a_page_has_no_element_of_theirs() {
    let text = rendered(html::render);
    assert_eq!(text.matches("<script").count(), 1);
    assert_eq!(text.matches("</script").count(), 1);
    assert!(text.contains("content=\"default-src 'none';"));
    assert!(!text.contains("<img") && !text.contains("<!--") && !text.contains('\u{202e}'));
}
