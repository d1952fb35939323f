//! Comments that allow a finding: `# karplint: allow RULE[, RULE] because REASON`, in templates of Helm
//! `{{/* karplint: allow … */}}`, too.
//!
//! They are found by a byte search, so that they work alike in HCL, YAML and everything inside strings.

use memchr::memmem;

use crate::{
    findings::Finding,
    source::{FileId, Files, SourceFile, Span, account::Limit},
};

const MARK: &str = "karplint:";
/// Longer comments are not read, in bytes; a minified file is one line of megabytes.
const LONGEST: usize = 1000;

/// What other linters read in place of `allow`, and how it is misspelt.
const OTHER_WORDS: &[&str] = &[
    "alow",
    "allowed",
    "allows",
    "allow-next-line",
    "disable",
    "disable-line",
    "disable-next-line",
    "disabled",
    "exclude",
    "ignore",
    "ignored",
    "ignores",
    "nolint",
    "noqa",
    "off",
    "skip",
    "suppress",
];

/// A rule allowed on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AllowComment {
    /// Where the comment is written.
    pub file: FileId,
    /// The line it applies to, from 0: its own, or the next that is no comment.
    pub line: usize,
    /// The rule's name as written; it may be the name of no rule.
    pub rule: String,
    /// Where the name is written.
    pub rule_span: Span,
    /// What follows `because`; without a reason a comment allows nothing.
    pub reason: Option<String>,
    /// The word in place of `allow`, if it is another; such a comment allows nothing.
    pub other_word: Option<String>,
    /// The comment, from its first character to its last.
    pub span: Span,
}

impl AllowComment {
    /// Whether the comment applies to that finding. One without a reason applies to none.
    #[must_use]
    pub(crate) fn covers(&self, files: &Files, finding: &Finding) -> bool {
        self.reason.is_some()
            && self.other_word.is_none()
            && self.file == finding.span.file
            && self.rule == finding.rule
            && self.line == files.get(self.file).line_of(finding.span.start as usize)
    }
}

/// All suppressions in comments of some files, in the order of the files and of their lines.
#[must_use]
pub(crate) fn allowances(files: &Files, ids: &[FileId]) -> Vec<AllowComment> {
    ids.iter().flat_map(|id| allowances_in(files, *id)).collect()
}

/// The suppressions of one file, one for each rule a comment names.
#[must_use]
pub(crate) fn allowances_in(files: &Files, id: FileId) -> Vec<AllowComment> {
    let file = files.get(id);
    if !file.names(MARK) {
        return Vec::new();
    }
    let marks = memmem::find_iter(file.text().as_bytes(), MARK);
    // A block of comments is walked once, however many suppressions are in it.
    let mut block = 0..0;
    let mut next = |line: usize| {
        if !block.contains(&line) {
            block = line..next_line(file, line);
        }
        block.end
    };
    let most = Limit::Suppressions.most();
    let all = marks.filter_map(|at| comment(file, id, at, &mut next)).flatten();
    let mut found: Vec<AllowComment> = all.take(most + 1).collect();
    if let Some(beyond) = found.get(most) {
        files.account().reach(Limit::Suppressions, beyond.span);
        found.truncate(most);
    }
    found
}

/// Reads the comment whose mark is at `at`; `None` when it is no such comment. `next` finds the
/// first line after a given one that is not a comment alone.
fn comment(
    file: &SourceFile,
    id: FileId,
    at: usize,
    next: &mut impl FnMut(usize) -> usize,
) -> Option<Vec<AllowComment>> {
    let own = file.line_of(at);
    let line = file.line_range(own);
    let before = file.text()[line.start..at].trim_end();
    let opener = ["#", "//", "/*"].into_iter().find(|it| before.ends_with(it))?;
    let end = line.end.min(at + LONGEST);
    let body = file.slice(at + MARK.len()..end);
    let body = if opener == "/*" { body.split("*/").next().unwrap_or(body) } else { body };
    let end = at + MARK.len() + body.trim_end().len();
    let (word, body) = verb(body.trim())?;
    let outside = before.trim_end_matches(['#', '/', '*']).trim();
    let alone = matches!(outside, "" | "{{" | "{{-");
    let comment_start = line.start + before.len() - opener.len();
    let line = if alone { next(own) } else { own };
    let (names, reason) = split_reason(body);
    // `body` ends where the comment ends, so its own offset follows from its length.
    let names_at = end - body.len();
    let of_rule = |(offset, name): (usize, &str)| AllowComment {
        file: id,
        line,
        rule: name.to_owned(),
        rule_span: Span::new(id, names_at + offset, names_at + offset + name.len()),
        reason: reason.map(str::to_owned),
        other_word: (word != "allow").then(|| word.to_owned()),
        span: Span::new(id, comment_start, end),
    };
    Some(words(names).into_iter().map(of_rule).collect())
}

/// The word that says what the comment does, and what follows it; `None` for a comment that is only about
/// karplint.
fn verb(body: &str) -> Option<(&str, &str)> {
    let end = body.find(|it: char| !(it.is_ascii_alphabetic() || it == '-'));
    let (word, rest) = body.split_at(end.unwrap_or(body.len()));
    let mut words = OTHER_WORDS.iter().chain(&["allow"]);
    let known = words.any(|it| word.eq_ignore_ascii_case(it));
    known.then(|| (word, rest.strip_prefix(['=', ':']).unwrap_or(rest)))
}

/// The part with the names, and the reason if one is given.
fn split_reason(body: &str) -> (&str, Option<&str>) {
    for (at, word) in body.match_indices("because") {
        let ends = |text: Option<char>| text.is_none_or(char::is_whitespace);
        let (names, rest) = (&body[..at], &body[at + word.len()..]);
        if ends(names.chars().next_back()) && ends(rest.chars().next()) {
            return (names, Some(rest.trim()).filter(|it| is_reason(it)));
        }
    }
    (body, None)
}

/// Whether it is a reason at all: help texts and editors write `…` where one is to be written.
#[must_use]
pub(crate) fn is_reason(text: &str) -> bool {
    !matches!(text.trim(), "" | "…" | "...")
}

/// The names between commas or spaces with their offsets; an empty name where there is none.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    let mut offset = 0;
    for word in text.split([',', ' ', '\t']) {
        if !word.is_empty() {
            words.push((offset, word));
        }
        offset += word.len() + 1;
    }
    if words.is_empty() {
        words.push((0, ""));
    }
    words
}

/// The first line after `line` that is not a comment alone.
fn next_line(file: &SourceFile, line: usize) -> usize {
    // In YAML such a line is text, and may be what is allowed.
    let has_slashes = !matches!(file.ending(), "yaml" | "yml");
    let is_comment = |at: &usize| {
        let text = file.line_text(*at).trim_start();
        ["#", "{{/*", "{{- /*"].iter().any(|it| text.starts_with(it))
            || has_slashes && text.starts_with("//")
    };
    (line + 1..file.line_count()).find(|it| !is_comment(it)).unwrap_or(line + 1)
}

#[cfg(test)]
mod tests {
    use super::allowances_in;
    use crate::source::{FileId, Files, SourceFile};

    #[test]
    fn comments_allow_with_a_reason() {
        // text, the rules, the line they apply to (from 0), the reason
        type Case<'a> = (&'a str, &'a [&'a str], usize, Option<&'a str>);
        let cases: [Case; 18] = [
            ("a: 1 # karplint: allow x because it is so", &["x"], 0, Some("it is so")),
            ("# karplint: allow x, y because z\na: 1", &["x", "y"], 1, Some("z")),
            ("// karplint: allow x because z\n# more\n{", &["x"], 2, Some("z")),
            ("  ## karplint:allow x because because\nq", &["x"], 1, Some("because")),
            (
                "# karplint: allow x because z\n# karplint: allow x because z\nq",
                &["x", "x"],
                2,
                Some("z"),
            ),
            ("{{/* karplint: allow x because z */}}\nq", &["x"], 1, Some("z")),
            ("  {{- /* karplint: allow x because z */ -}}\nq", &["x"], 1, Some("z")),
            ("q {{/* karplint: allow x because z*/}}\nq", &["x"], 0, Some("z")),
            ("a # karplint: allow x", &["x"], 0, None),
            ("a # karplint: allow x because  ", &["x"], 0, None),
            ("a # karplint: allow x because …", &["x"], 0, None),
            ("a # karplint: allow because y", &[""], 0, Some("y")),
            ("a # karplint: allow", &[""], 0, None),
            ("a # karplint: ignore x", &["x"], 0, None),
            ("# karplint: disable=x,y\na", &["x", "y"], 1, None),
            ("# karplint: it checks this file\na", &[], 1, None),
            ("a # karplint: disallow x because y", &[], 0, None),
            ("karplint: allow x because y", &[], 0, None),
        ];
        for (text, rules, line, reason) in cases {
            let files = Files::new(vec![SourceFile::new("a", text)]);
            let found = allowances_in(&files, FileId(0));
            let names: Vec<_> = found.iter().map(|it| it.rule.as_str()).collect();
            assert_eq!(names, rules, "{text}");
            for allowance in &found {
                assert_eq!(allowance.line, line, "{text}");
                assert_eq!(allowance.reason.as_deref(), reason, "{text}");
                assert_eq!(files.text(allowance.rule_span), allowance.rule, "{text}");
                let comment = files.text(allowance.span);
                let opens = ["#", "//", "/*"].iter().any(|it| comment.starts_with(it));
                assert!(opens, "{comment}");
            }
        }
    }

    #[test]
    fn the_span_is_the_comment() {
        let files =
            Files::new(vec![SourceFile::new("a", "é: 1 # karplint: allow x because y \r\nb")]);
        let found = allowances_in(&files, FileId(0));
        assert_eq!(files.text(found[0].span), "# karplint: allow x because y");
    }
}
