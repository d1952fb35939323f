//! Texts within the limits of their readers: GitLab drops a result with one that is longer.

use crate::findings::Finding;

/// GitLab takes 2,048 characters of a message; bytes are never fewer.
const LONGEST_MESSAGE: usize = 2000;
/// GitHub and GitLab take 1,024 characters.
const LONGEST_DESCRIPTION: usize = 1000;
/// Links in one message.
const LINKS: usize = 9;
/// The end of a text that was cut.
const MORE: char = '…';

/// The message of a finding. The first sentence becomes the title. GitHub shows related places
/// only where the message links to them.
pub(super) fn message(finding: &Finding) -> String {
    let mut message = sentence(&linkless(&finding.message, LONGEST_MESSAGE * 2 / 5));
    let help = finding.help.as_deref().map(|it| linkless(it, LONGEST_MESSAGE / 5));
    let help = help.map_or_else(String::new, |it| format!(" {}", sentence(&it)));
    let mut linked = false;
    for (index, note) in finding.notes.iter().enumerate().take(LINKS) {
        let text = linkless(&note.message, LONGEST_MESSAGE / 10);
        let link = format!("{}[{text}]({})", if linked { "; " } else { " See: " }, index + 1);
        if message.len() + link.len() + help.len() < LONGEST_MESSAGE {
            message += &link;
            linked = true;
        }
    }
    if linked {
        message.push('.');
    }
    message + &help
}

/// Text whose brackets open no link, at most that long in bytes.
fn linkless(text: &str, room: usize) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        let special = matches!(letter, '\\' | '[' | ']');
        let more = usize::from(special) + letter.len_utf8();
        if escaped.len() + more + MORE.len_utf8() > room {
            escaped.push(MORE);
            break;
        }
        if special {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

/// A text with an end, at most as long as the readers allow of a description, ended at a sentence where
/// possible.
pub(super) fn description(text: &str) -> String {
    if text.len() < LONGEST_DESCRIPTION {
        return sentence(text);
    }
    let cut = &text[..text.floor_char_boundary(LONGEST_DESCRIPTION - MORE.len_utf8())];
    cut.rfind(". ").map_or_else(|| format!("{cut}{MORE}"), |at| cut[..=at].to_owned())
}

/// A text from the sources, as a description without links.
pub(super) fn plain(text: &str) -> String {
    description(&linkless(text, LONGEST_DESCRIPTION))
}

fn sentence(text: &str) -> String {
    let ends = text.ends_with(['.', '!', '?', ':', MORE]);
    format!("{text}{}", if ends { "" } else { "." })
}

#[cfg(test)]
mod tests {
    use super::{description, linkless, message};
    use crate::{
        findings::Findings,
        source::{FileId, Span},
    };

    #[test]
    fn brackets_open_no_links() {
        assert_eq!(linkless("depends_on = [a]", 99), "depends_on = \\[a\\]");
    }

    #[test]
    fn descriptions_end_with_a_sentence() {
        let long = "One sentence. ".repeat(100);
        let short = description(long.trim());
        assert!(short.len() <= 1000 && short.ends_with("sentence."), "{short}");
        assert_eq!(description("Short"), "Short.");
        assert!(description(&"日".repeat(2000)).ends_with("日…"));
    }

    #[test]
    fn no_text_makes_a_message_too_long() {
        let span = Span::new(FileId(0), 0, 0);
        for text in ["日", "[", "\\", "🎉 x", "word "] {
            for times in [1, 300, 600, 5000] {
                let long = text.repeat(times);
                let mut findings = Findings::of("r", crate::findings::Severity::Note);
                let finding = findings.report(span, long.clone());
                for index in 0..12 {
                    finding.note(Span::new(FileId(0), index, index), long.clone());
                }
                finding.help(long.clone());
                let said = message(finding);
                assert!(said.len() <= 2048, "{} bytes of {times} {text}", said.len());
                let links = said.matches("](").count();
                assert!(links == 9 || times > 1 && links >= 1, "{links} links of {times} {text}");
                let whole = links == said.matches("See: [").count() + said.matches("; [").count();
                assert!(whole || text == "[", "{said}");
            }
        }
    }
}
