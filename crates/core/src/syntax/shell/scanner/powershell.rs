//! What `PowerShell` reads otherwise than a shell: a backtick escapes and continues lines, `$env:NAME`, texts over
//! several lines between `@"` and `"@`.

use crate::syntax::shell::{
    scanner::Scanner,
    word::{Command, Dialect, Part, Word, is_name},
};

impl Scanner<'_> {
    pub(super) fn is_powershell(&self) -> bool {
        self.dialect == Dialect::PowerShell
    }

    /// Passes over the end of a continued line and comments within `<#` and `#>`; whether there was one.
    pub(super) fn skip_in_powershell(&mut self) -> bool {
        let rest = self.rest();
        let length = if rest.starts_with("`\r\n") {
            3
        } else if rest.starts_with("`\n") {
            2
        } else if rest.starts_with("<#") {
            rest.find("#>").map_or(rest.len(), |it| it + 2)
        } else {
            return false;
        };
        self.at += length;
        true
    }

    /// Takes a text over several lines, the word of it and what is piped on; whether there was one.
    pub(super) fn here_string(&mut self, command: &mut Command) -> bool {
        let rest = self.rest();
        let (end, is_literal) = match rest.get(..2) {
            Some("@\"") => ("\n\"@", false),
            Some("@'") => ("\n'@", true),
            _ => return false,
        };
        let Some(line) = rest.find('\n').filter(|it| rest[2..*it].trim().is_empty()) else {
            return false;
        };
        let Some(length) = rest[line..].find(end) else { return false };
        let start = self.at;
        let inner = start + line + 1..(start + line + length + 1).max(start + line + 1);
        self.at = start + line + length + end.len();
        let document = Self::new(self.text, inner, self.dialect).document(is_literal, false);
        command.words.push(Word { range: start..self.at, ..document.clone() });
        command.document = Some(document);
        true
    }

    /// A variable, or what runs; a dollar that begins neither means itself.
    pub(super) fn expansion_in_powershell(&mut self, word: &mut Word) {
        let (start, rest) = (self.at, self.rest());
        let after = rest.get(1..).unwrap_or_default();
        let (name, length) = if after.starts_with('(') {
            (None, super::balanced(rest, '(', ')'))
        } else if let Some(inner) = after.strip_prefix('{') {
            let length = inner.find('}').unwrap_or(inner.len());
            (Some(&inner[..length]), (length + 3).min(rest.len()))
        } else {
            let is_part = |it: char| it == ':' || is_name(&format!("_{it}"));
            let length = after.find(|it| !is_part(it)).unwrap_or(after.len());
            (Some(&after[..length]), 1 + length)
        };
        if length == 1 {
            word.push(start..start + 1);
            self.at += 1;
            return;
        }
        self.at = start + length;
        // A property or an item of what it holds is not known.
        let holds = self.rest().starts_with(['.', '[']) && !word.is_quoted;
        let range = start..self.at;
        word.parts.push(match name.and_then(variable).filter(|_| !holds) {
            Some(name) => Part::Variable { name, default: None, range },
            None => Part::Opaque(range),
        });
    }
}

/// The name of a variable as scripts of other kinds write it: large and small letters are the same, other than in
/// those of the environment.
fn variable(written: &str) -> Option<String> {
    let name = match written.split_once(':') {
        Some((scope, name)) if scope.eq_ignore_ascii_case("env") => name.to_owned(),
        Some((scope, name)) if ["script", "global", "local"].contains(&&*scope.to_lowercase()) => {
            name.to_lowercase()
        }
        _ => written.to_lowercase(),
    };
    is_name(&name).then_some(name)
}
