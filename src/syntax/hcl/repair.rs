//! Rewrites what hcl-edit refuses, byte for byte, so that every place stays where it was.
//!
//! Terraform lets the last of two equal keys of an object count, and lets a value of an object `for`
//! continue on the next line. hcl-edit accepts neither; with the earlier key blanked out and the line
//! break made a space it does.

use std::{collections::HashMap, ops::Range};

use crate::{
    findings::Severity,
    syntax::hcl::{
        expression::duplicate_key,
        scan::{Kind, Token, scan},
    },
};

/// A text that hcl-edit may accept, and what was wrong with it.
#[derive(Debug)]
pub struct Repaired {
    /// The text, as long as the original.
    pub text: String,
    /// What a reader should know.
    pub notes: Vec<Note>,
}

/// Something written twice.
#[derive(Debug, PartialEq, Eq)]
pub struct Note {
    /// The key it is about.
    pub at: Range<usize>,
    /// What is wrong with it.
    pub message: String,
    /// An error when Terraform refuses it.
    pub severity: Severity,
}

/// The text with `""` in place of heredocs without a line, as long as the original: hcl-edit would take
/// them to end where the next heredoc of that delimiter ends. `None` when there are none.
pub fn fill_empty_heredocs(text: &str) -> Option<String> {
    let mut starts = text.match_indices("<<");
    if !starts.any(|(at, _)| text.get(at..).is_some_and(is_empty_heredoc)) {
        return None;
    }
    let mut filled = text.to_owned();
    for token in scan(text).tokens {
        let written = text.get(token.start..token.end).unwrap_or_default();
        if token.kind == Kind::Text && is_empty_heredoc(written) {
            let rest = written.chars().skip(2);
            let rest = rest.map(|it| if matches!(it, '\n' | '\r') { it } else { ' ' });
            filled.replace_range(
                token.start..token.end,
                &format!("\"\"{}", rest.collect::<String>()),
            );
        }
    }
    Some(filled)
}

/// Whether a text begins with a heredoc whose delimiter stands on the next line again.
fn is_empty_heredoc(text: &str) -> bool {
    let Some(text) = text.strip_prefix("<<") else { return false };
    let mut lines = text.strip_prefix('-').unwrap_or(text).lines();
    let (Some(delimiter), Some(next)) = (lines.next(), lines.next()) else { return false };
    let word = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-');
    let after = next.trim_start_matches([' ', '\t']).strip_prefix(delimiter);
    let named = !delimiter.is_empty() && delimiter.is_ascii() && delimiter.chars().all(word);
    named && after.is_some_and(|it| !it.starts_with(word))
}

/// The repaired text; `None` when there is nothing to repair.
pub fn repair(text: &str, tokens: &[Token]) -> Option<Repaired> {
    let mut repairs = Repairs { text, items: Vec::new(), breaks: Vec::new(), notes: Vec::new() };
    let mut open: Vec<Frame> = vec![Frame::new(Form::Block)];
    let mut before = None;
    for token in tokens {
        match token.kind {
            Kind::Open(byte) => {
                if let Some(frame) = open.last_mut() {
                    frame.value(token);
                }
                open.push(Frame::new(repairs.form(byte, before)));
            }
            Kind::Close(_) => {
                if let Some(mut frame) = open.pop() {
                    repairs.end_of_item(&mut frame, token.start);
                }
                if let Some(frame) = open.last_mut() {
                    frame.value(token);
                }
            }
            _ => {
                if let Some(frame) = open.last_mut() {
                    repairs.token(frame, token);
                }
            }
        }
        if token.kind != Kind::Comment {
            before = Some(token);
        }
    }
    repairs.finish()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Block,
    Object,
    ObjectFor,
    Other,
}

/// A bracket that is open, and the item being read in it.
struct Frame {
    form: Form,
    /// Where the item begins and how far it was read.
    item: Option<Range<usize>>,
    /// The item's key, once its `=` was seen.
    key: Option<Range<usize>>,
    /// The keys of the items before, with the items.
    seen: HashMap<String, (Range<usize>, Range<usize>)>,
}

impl Frame {
    fn new(form: Form) -> Self {
        Self { form, item: None, key: None, seen: HashMap::new() }
    }

    /// Takes a token as part of the current item.
    fn value(&mut self, token: &Token) {
        match &mut self.item {
            Some(item) => item.end = token.end,
            None if token.kind == Kind::Newline => {}
            None => self.item = Some(token.start..token.end),
        }
    }
}

struct Repairs<'a> {
    text: &'a str,
    /// Items to blank out; their line breaks stay.
    items: Vec<Range<usize>>,
    /// Line breaks and comments to blank out wholly.
    breaks: Vec<Range<usize>>,
    notes: Vec<Note>,
}

impl Repairs<'_> {
    fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    /// What a bracket holds: the token before a brace tells an object from a block.
    fn form(&self, byte: u8, before: Option<&Token>) -> Form {
        let name = before.filter(|it| matches!(it.kind, Kind::Word | Kind::Text));
        match (byte, name.map(|it| self.slice(it.start..it.end))) {
            (b'{', None | Some("in" | "if")) => Form::Object,
            (b'{', Some(_)) => Form::Block,
            _ => Form::Other,
        }
    }

    fn token(&mut self, frame: &mut Frame, token: &Token) {
        match (frame.form, token.kind) {
            (Form::ObjectFor, Kind::Newline | Kind::Comment) => {
                let carriage = self.slice(0..token.start).ends_with('\r');
                self.breaks.push(token.start - usize::from(carriage)..token.end);
            }
            (Form::Object | Form::Block, Kind::Newline) => self.end_of_item(frame, token.start),
            (Form::Object, Kind::Sign(b',')) => self.end_of_item(frame, token.end),
            (Form::Object | Form::Block, Kind::Sign(b'=' | b':')) if frame.key.is_none() => {
                frame.key.clone_from(&frame.item);
            }
            (_, Kind::Comment) => {}
            (Form::Object, Kind::Word)
                if frame.item.is_none()
                    && frame.seen.is_empty()
                    && self.slice(token.start..token.end) == "for" =>
            {
                frame.form = Form::ObjectFor;
            }
            _ => frame.value(token),
        }
    }

    fn end_of_item(&mut self, frame: &mut Frame, end: usize) {
        let (Some(item), Some(key)) = (frame.item.take(), frame.key.take()) else {
            frame.key = None;
            return;
        };
        let name = self.slice(key.clone()).trim_matches('"').to_owned();
        let whole = item.start..end;
        match frame.form {
            Form::Object => {
                let before = frame.seen.insert(name.clone(), (key, whole));
                if let Some((key, whole)) = before {
                    let message = duplicate_key(&name);
                    self.notes.push(Note { at: key, message, severity: Severity::Warning });
                    self.items.push(whole);
                }
            }
            Form::Block if frame.seen.contains_key(&name) => {
                let message = format!("`{name}` is set twice here");
                self.notes.push(Note { at: key, message, severity: Severity::Error });
                self.items.push(whole);
            }
            Form::Block => {
                frame.seen.insert(name, (key, whole));
            }
            Form::ObjectFor | Form::Other => {}
        }
    }

    fn finish(self) -> Option<Repaired> {
        let mut bytes = self.text.as_bytes().to_vec();
        for range in &self.items {
            for byte in bytes.get_mut(range.clone()).unwrap_or_default() {
                if !matches!(byte, b'\n' | b'\r') {
                    *byte = b' ';
                }
            }
        }
        for range in &self.breaks {
            bytes.get_mut(range.clone()).unwrap_or_default().fill(b' ');
        }
        let text = String::from_utf8(bytes).ok()?;
        let changed = !self.items.is_empty() || !self.breaks.is_empty();
        changed.then_some(Repaired { text, notes: self.notes })
    }
}
