//! The scanner of shell commands: from bytes to words.

mod powershell;

use std::ops::Range;

use crate::{
    syntax::shell::word::{Command, Dialect, Part, Word, is_name},
    value::{HOLE_END, HOLE_START},
};

/// Reads a range of a text from its start to its end.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    end: usize,
    dialect: Dialect,
    found: Vec<Command>,
    /// The heredocs that begin after this line.
    heredocs: Vec<Heredoc>,
}

/// A text in a script that is the input of a command.
struct Heredoc {
    /// Which of the commands.
    command: usize,
    /// The line that ends it.
    delimiter: String,
    /// Whether the delimiter is quoted, so that nothing in the text is expanded.
    is_literal: bool,
    /// Whether tabs at the start of its lines do not count.
    drops_tabs: bool,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str, range: Range<usize>, dialect: Dialect) -> Self {
        let end = range.end.min(text.len());
        let at = range.start.min(end);
        Self { text, at, end, dialect, found: Vec::new(), heredocs: Vec::new() }
    }

    pub(super) fn commands(mut self) -> Vec<Command> {
        let mut command = Command::default();
        while let Some(letter) = self.peek() {
            if self.is_powershell() && (self.skip_in_powershell() || self.here_string(&mut command))
            {
                continue;
            }
            match letter {
                '\n' => {
                    self.at += 1;
                    self.finish(&mut command, false);
                    self.take_heredocs();
                }
                ';' | '&' | '(' | ')' | '|' => {
                    let pipes = letter == '|' && !self.rest().starts_with("||");
                    self.at += if self.rest()[1..].starts_with(letter) { 2 } else { 1 };
                    self.finish(&mut command, pipes);
                }
                '\\' if !self.is_powershell() && self.rest().starts_with("\\\n") => self.at += 2,
                '\\' if !self.is_powershell() && self.rest().starts_with("\\\r\n") => self.at += 3,
                '<' | '>' => self.redirection(&mut command),
                '#' => self.skip_while(|it| it != '\n'),
                it if it.is_whitespace() => self.at += it.len_utf8(),
                _ => {
                    let word = self.word(&|it| {
                        it.is_whitespace() || matches!(it, ';' | '&' | '|' | '(' | ')' | '<' | '>')
                    });
                    command.words.push(word);
                }
            }
        }
        self.finish(&mut command, false);
        self.found
    }

    /// All of the range as one word.
    pub(super) fn whole(mut self) -> Word {
        self.word(&|_| false)
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..self.end).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip_while(&mut self, skip: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|it| !skip(it)).unwrap_or(rest.len());
    }

    fn finish(&mut self, command: &mut Command, is_piped: bool) {
        let mut finished = std::mem::take(command);
        // What `PowerShell` pipes may be a text itself.
        if let ([only], true, None) = (&finished.words[..], is_piped, &finished.document) {
            let is_text = only.is_quoted || matches!(only.parts[..], [Part::Variable { .. }]);
            finished.document = Some(only.clone()).filter(|_| is_text && self.is_powershell());
        }
        if !finished.words.is_empty() {
            self.found.push(Command { is_piped, ..finished });
        }
    }

    /// Passes over a redirection and its target; a number before it is no word.
    fn redirection(&mut self, command: &mut Command) {
        let touches = |it: &Word| it.range.end == self.at && it.range.len() == 1;
        let is_number = |it: &Word| self.text[it.range.clone()].parse::<u8>().is_ok();
        let is_numbered = command.words.last().is_some_and(|it| touches(it) && is_number(it));
        if is_numbered {
            command.words.pop();
        }
        let rest = self.rest();
        let heredoc = rest.starts_with("<<") && !rest.starts_with("<<<");
        let drops_tabs = rest.starts_with("<<-");
        let is_input = rest.starts_with('<') && !rest.starts_with("<<") && !rest.starts_with("<&");
        let is_output = self.rest().starts_with('>') && !self.rest().starts_with(">&");
        self.skip_while(|it| matches!(it, '<' | '>' | '&' | '-'));
        self.skip_while(|it| matches!(it, ' ' | '\t'));
        let target = self.word(&|it| it.is_whitespace() || matches!(it, ';' | '|' | ')'));
        if heredoc {
            let (command, is_literal) = (self.found.len(), target.is_quoted);
            let delimiter = target.plain(self.text);
            let begun = |delimiter| Heredoc { command, delimiter, is_literal, drops_tabs };
            self.heredocs.extend(delimiter.map(begun));
        } else if is_input {
            command.input = Some(target);
        } else if is_output && !is_numbered {
            command.output = Some(target);
        }
    }

    fn take_heredocs(&mut self) {
        for heredoc in std::mem::take(&mut self.heredocs) {
            let start = self.at;
            let mut end = self.end;
            while self.at < self.end {
                let rest = self.rest();
                let line = rest.split('\n').next().unwrap_or(rest);
                let before = self.at;
                self.at = (self.at + line.len() + 1).min(self.end);
                if line.trim() == heredoc.delimiter {
                    end = before;
                    break;
                }
            }
            let inner = Self::new(self.text, start..end, self.dialect);
            let document = inner.document(heredoc.is_literal, heredoc.drops_tabs);
            if let Some(command) = self.found.get_mut(heredoc.command) {
                command.document = Some(document);
            }
        }
    }

    /// All of the range as a text in which quotes mean themselves.
    pub(super) fn document(mut self, is_literal: bool, drops_tabs: bool) -> Word {
        let mut word = Word { range: self.at..self.end, parts: Vec::new(), is_quoted: true };
        let mut starts_line = true;
        while let Some(letter) = self.peek() {
            let next = self.rest().chars().nth(1);
            let names = |it: char| it == '{' || it == '(' || is_name(&it.to_string());
            match letter {
                '\t' if starts_line && drops_tabs => self.at += 1,
                '`' if !is_literal && self.is_powershell() => self.escape(&mut word, false),
                '\\' if !is_literal
                    && !self.is_powershell()
                    && matches!(next, Some('$' | '`' | '\\' | '\n')) =>
                {
                    self.escape(&mut word, true);
                }
                HOLE_START => self.expansion(&mut word),
                '{' if self.begins_filled() => self.expansion(&mut word),
                '$' if !is_literal && next.is_some_and(names) => self.expansion(&mut word),
                '`' if !is_literal => self.expansion(&mut word),
                _ => {
                    word.push(self.at..self.at + letter.len_utf8());
                    self.at += letter.len_utf8();
                }
            }
            starts_line = letter == '\n' || (starts_line && drops_tabs && letter == '\t');
        }
        word
    }

    /// A word up to a letter outside of quotes that ends it.
    fn word(&mut self, ends: &dyn Fn(char) -> bool) -> Word {
        let mut word = Word { range: self.at..self.at, parts: Vec::new(), is_quoted: false };
        let mut quoted = false;
        while let Some(letter) = self.peek().filter(|it| quoted || !ends(*it)) {
            match letter {
                '"' => {
                    quoted = !quoted;
                    word.is_quoted = true;
                    self.at += 1;
                }
                '\'' if !quoted => {
                    self.single_quoted(&mut word);
                }
                '`' if self.is_powershell() => self.escape(&mut word, false),
                '\\' if self.is_powershell() => {
                    word.push(self.at..self.at + 1);
                    self.at += 1;
                }
                '@' if self.is_powershell() && word.parts.is_empty() && !quoted => {
                    let length = self.rest().find(ends).unwrap_or(self.rest().len());
                    word.parts.push(Part::Opaque(self.at..self.at + length));
                    self.at += length;
                }
                '\\' => self.escape(&mut word, quoted),
                '$' | '`' | '{' | HOLE_START => self.expansion(&mut word),
                letter => {
                    word.push(self.at..self.at + letter.len_utf8());
                    self.at += letter.len_utf8();
                }
            }
        }
        word.range.end = self.at;
        word
    }

    /// A text between single quotes, in which nothing is expanded but what was filled in before.
    fn single_quoted(&mut self, word: &mut Word) {
        word.is_quoted = true;
        self.at += 1;
        while let Some(letter) = self.peek() {
            if self.begins_filled() {
                self.expansion(word);
                continue;
            }
            let start = self.at;
            self.at += letter.len_utf8();
            if letter == '\'' {
                return;
            }
            word.push(start..self.at);
        }
    }

    /// Whether what is next is filled in before a shell reads it.
    fn begins_filled(&self) -> bool {
        self.dialect == Dialect::Ansible && self.rest().starts_with("{{")
    }

    fn escape(&mut self, word: &mut Word, quoted: bool) {
        let next = self.rest().chars().nth(1);
        let start = self.at + 1;
        self.at = (start + next.map_or(0, char::len_utf8)).min(self.end);
        match next {
            Some('\n') => {}
            Some('"' | '$' | '`' | '\\') => word.push(start..self.at),
            // In quotes the backslash stays.
            Some(_) if quoted => word.push(start - 1..self.at),
            _ => word.push(start..self.at),
        }
    }

    /// A variable, or what runs; a brace that begins neither means itself.
    fn expansion(&mut self, word: &mut Word) {
        if self.is_powershell() && self.peek() == Some('$') {
            return self.expansion_in_powershell(word);
        }
        let (start, rest) = (self.at, self.rest());
        let make = self.dialect == Dialect::Make;
        let between = |open: &str, close: &str| {
            let inner = rest.strip_prefix(open)?;
            Some((&inner[..inner.find(close)?], open.len()))
        };
        let (name, length) = if let Some((inner, opens)) = between("${{", "}}") {
            (inner.trim().strip_prefix("env."), opens + inner.len() + 2)
        } else if let Some((inner, opens)) = between("{{", "}}") {
            let inner_name = inner.trim();
            (Some(inner_name.strip_prefix('.').unwrap_or(inner_name)), opens + inner.len() + 2)
        } else if rest.starts_with("${") {
            return self.parameter(word);
        } else if rest.starts_with("$(") {
            let length = balanced(rest, '(', ')');
            (rest.get(2..length.saturating_sub(1)).filter(|_| make), length)
        } else if let Some((inner, opens)) = between("`", "`") {
            (None, opens + inner.len() + 1)
        } else if rest.starts_with(HOLE_START) {
            let length = rest.find(HOLE_END).map_or(rest.len(), |it| it + HOLE_END.len_utf8());
            (None, length)
        } else if make && rest.starts_with("$$") {
            let name = rest[2..].find(|it: char| it != '{' && !is_name(&format!("_{it}")));
            (None, name.map_or(rest.len(), |it| it + 2))
        } else if let Some(after) = rest.strip_prefix('$') {
            let length = after.find(|it: char| !is_name(&format!("_{it}"))).unwrap_or(after.len());
            let special =
                after.starts_with(|it: char| it.is_ascii_digit() || "@*#?!-".contains(it));
            (Some(&after[..length]), 1 + if special { 1 } else { length })
        } else {
            word.push(start..start + 1);
            self.at += 1;
            return;
        };
        self.at = start + length;
        let range = start..self.at;
        word.parts.push(match name.filter(|it| is_name(it)) {
            Some(name) => Part::Variable { name: name.to_owned(), default: None, range },
            None => Part::Opaque(range),
        });
    }

    /// `${NAME}`, `${NAME:-default}`.
    fn parameter(&mut self, word: &mut Word) {
        let (start, rest) = (self.at, self.rest());
        let length = balanced(rest, '{', '}');
        let inner = rest.get(2..length.saturating_sub(1)).unwrap_or_default();
        self.at = start + length;
        let range = start..self.at;
        let named = inner.len() - inner.trim_start_matches(|it| is_name(&format!("_{it}"))).len();
        let (name, rest) = inner.split_at(named);
        let taken = [":-", "-", ":=", "="].iter().find(|it| rest.starts_with(**it));
        word.parts.push(match (rest, taken) {
            _ if !is_name(name) => Part::Opaque(range),
            ("", _) => Part::Variable { name: name.to_owned(), default: None, range },
            (_, Some(operator)) => {
                let from = start + 2 + named + operator.len();
                let default = Some(from..self.at.saturating_sub(1).max(from));
                Part::Variable { name: name.to_owned(), default, range }
            }
            _ => Part::Opaque(range),
        });
    }
}

/// The length of a text from `$` and its opening bracket to the closing one that belongs to it.
fn balanced(text: &str, open: char, close: char) -> usize {
    let (mut depth, mut quote) = (0_usize, None);
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => {
                letters.next();
            }
            '\'' | '"' if quote == Some(letter) => quote = None,
            '\'' | '"' if quote.is_none() => quote = Some(letter),
            _ if quote == Some('\'') => {}
            _ if quote.is_some() && open == '(' => {}
            it if it == open => depth += 1,
            it if it == close => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + letter.len_utf8();
                }
            }
            _ => {}
        }
    }
    text.len()
}
