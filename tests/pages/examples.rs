//! Examples of pages as small projects with marks.

/// A place where a finding is wanted, and a part of its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// `path:line`.
    pub place: String,
    /// A part of the message; may be empty.
    pub text: String,
}

/// The code blocks under one heading.
#[derive(Clone, Debug, Default)]
pub(crate) struct Example {
    /// The heading.
    pub title: String,
    blocks: Vec<(String, String)>,
    /// The files of blocks in `diff`, as they were.
    before: Vec<(String, String)>,
    /// Where findings are wanted.
    pub marks: Vec<Mark>,
}

impl Example {
    /// The files without marks.
    pub(crate) fn files(&self) -> Vec<(String, String)> {
        self.blocks.clone()
    }

    /// The files as they were before, if it shows a change.
    pub(crate) fn files_before(&self) -> Option<Vec<(String, String)>> {
        let was = |path: &str| self.before.iter().find(|(other, _)| other == path);
        let file = |it: &(String, String)| was(&it.0).unwrap_or(it).clone();
        (!self.before.is_empty()).then(|| self.blocks.iter().map(file).collect())
    }

    /// Adds a block that shows a change: lines with `-` were there before, those with `+` are there now.
    fn add_change(&mut self, path: &str, text: &str) {
        let without = |sign: char| {
            let lines = text.split_inclusive('\n').filter(|it| !it.starts_with(sign));
            lines.map(|it| it.strip_prefix([' ', '+', '-']).unwrap_or(it)).collect::<String>()
        };
        self.before.push((path.to_owned(), without_marks(path, &without('+')).0));
        self.add(path, &without('-'));
    }

    fn add(&mut self, path: &str, text: &str) {
        let (text, marks) = without_marks(path, text);
        self.blocks.push((path.to_owned(), text));
        self.marks.extend(marks);
    }
}

/// What precedes the path of a block that shows a change, while it is read.
const CHANGE: &str = "diff:";

/// The examples of a section: one for each `###` heading with code, or one for the section itself.
pub(crate) fn examples(body: &str, section: &str) -> Vec<Example> {
    let mut found: Vec<Example> = Vec::new();
    let mut here = false;
    let mut block: Option<(String, String)> = None;
    for line in body.lines() {
        if let Some((path, mut text)) = block.take() {
            if line == "```" {
                if let Some(example) = found.last_mut() {
                    match path.strip_prefix(CHANGE) {
                        Some(path) => example.add_change(path, &text),
                        None => example.add(&path, &text),
                    }
                }
            } else {
                text.push_str(line);
                text.push('\n');
                block = Some((path, text));
            }
        } else if let Some(title) = line.strip_prefix("## ") {
            here = title == section;
            if here {
                found.push(Example { title: title.to_owned(), ..Example::default() });
            }
        } else if let Some(title) = line.strip_prefix("### ").filter(|_| here) {
            found.push(Example { title: title.to_owned(), ..Example::default() });
        } else if let Some(info) = line.strip_prefix("```").filter(|_| here) {
            let path = info.split_once("file=").map_or("example", |(_, path)| path);
            let change = if info.starts_with("diff") { CHANGE } else { "" };
            block = Some((format!("{change}{path}"), String::new()));
        }
    }
    found.retain(|it| !it.blocks.is_empty());
    found
}

/// Takes the marks out of a text: `#~ words` at the end of a line, `#~^ words` for the line above.
pub(crate) fn without_marks(path: &str, text: &str) -> (String, Vec<Mark>) {
    let mut clean = String::new();
    let mut marks = Vec::new();
    let mut line = 0;
    for raw in text.split_inclusive('\n') {
        let (code, rest) = raw.split_once("#~").unwrap_or((raw, ""));
        if let Some(above) = rest.strip_prefix('^') {
            let wanted = above.split("#~^").map(|it| it.trim().to_owned());
            marks.extend(wanted.map(|text| Mark { place: format!("{path}:{line}"), text }));
            continue;
        }
        line += 1;
        if code.len() < raw.len() {
            clean.push_str(code.trim_end());
            clean.push('\n');
            let wanted = rest.split("#~").map(|it| it.trim().to_owned());
            marks.extend(wanted.map(|text| Mark { place: format!("{path}:{line}"), text }));
        } else {
            clean.push_str(raw);
        }
    }
    (clean, marks)
}
