//! How the entries of a mapping look: what a new one has to follow.

use crate::{
    edits::{
        entry::Entries,
        line::{quoted, unquoted},
        style::Style,
    },
    source::Span,
    value::Entry,
};

impl Entries<'_> {
    /// Whether the mapping is in braces: in Terraform's language a block does, behind its header.
    pub(crate) fn is_braced(&self) -> bool {
        let text = self.files.text(self.whole.span);
        text.starts_with('{') || self.whole.entries().first().is_some_and(|it| self.has_equals(it))
    }

    fn has_equals(&self, entry: &Entry) -> bool {
        let key = quoted(self.files, entry.key_span);
        let text = self.files.get(key.file).text().get(key.end as usize..).unwrap_or_default();
        text.trim_start_matches([' ', '\t']).starts_with('=')
    }

    /// How the entries are written, by one of them; `None` if that is not clear.
    #[must_use]
    pub(crate) fn style(&self, entry: &Entry) -> Option<Style> {
        let written = self.written(entry)?;
        let braced = self.is_braced();
        let name = unquoted(self.files, written.key);
        let key_quote = match self.files.text(Span { end: name.start, ..written.key }) {
            "" => "",
            "\"" => "\"",
            "'" => "'",
            "\\\"" => "\\\"",
            _ => return None,
        };
        let rest =
            self.files.text(Span { start: written.key.end, end: written.value.start, ..name });
        let sign = if rest.trim_start().starts_with('=') { "=" } else { ":" };
        let spaced = rest.starts_with(" :");
        let escaped = key_quote == "\\\"";
        let text_quote = match self.text_quote() {
            _ if escaped => "\\\"",
            _ if sign == "=" => "\"",
            Some(quote) => quote,
            None if braced => "\"",
            None => "",
        };
        let commas = braced && (sign == ":" || self.has_comma()?);
        // Only below one another keys are aligned.
        let width = rest.find('=').filter(|_| written.own_line);
        let width = width.map_or(0, |it| it + entry.key.len());
        let dash = if braced { 0 } else { self.dash() };
        Some(Style { key_quote, text_quote, sign, spaced, braced, commas, width, dash })
    }

    /// The quotes around the texts among the entries: none if one goes without, `None` if there is no text.
    fn text_quote(&self) -> Option<&'static str> {
        let texts = self.whole.entries().iter().filter(|it| it.value.as_str().is_some());
        // A reference goes without quotes whatever it refers to.
        let literal = |it: &&Entry| {
            let span = quoted(self.files, it.value.span);
            self.written(it).is_some_and(|it| it.value == span)
        };
        let texts = texts.filter(literal);
        let written = texts.filter_map(|it| Some(self.files.text(self.written(it)?.value)));
        let quote = |it: &str| ["\"", "'"].into_iter().find(|quote| it.starts_with(quote));
        written.map(|it| quote(it).unwrap_or_default()).min()
    }

    /// Where the dashes of the lists among the entries are, counted from their key.
    fn dash(&self) -> usize {
        let of_list = |it: &Entry| {
            let first = it.value.items().first()?.span;
            let file = self.files.get(first.file);
            let before = |at: u32| {
                let line = file.line_range(file.line_of(at as usize));
                file.slice(line.start..at as usize)
            };
            let (key, before_item) = (it.key_span, before(first.start));
            // A list in brackets has no dashes.
            let dash = before_item.find('-').filter(|it| before_item[..*it].trim().is_empty())?;
            let before_key = before(key.start);
            let key_column = before_key.find('"').unwrap_or(before_key.len());
            (first.file == key.file).then(|| dash.checked_sub(key_column))?
        };
        self.whole.entries().iter().find_map(of_list).unwrap_or(2)
    }

    /// Whether the entries of an object of Terraform's language are in one line or have commas.
    fn has_comma(&self) -> Option<bool> {
        let text = self.files.text(self.whole.span);
        if !text.contains('\n') {
            return Some(true);
        }
        let first = self.whole.entries().iter().find_map(|it| self.written(it))?;
        let file = self.files.get(first.value.file);
        let end = file.line_range(file.line_of(first.value.end as usize)).end;
        Some(file.slice(first.value.end as usize..end).trim_start().starts_with(','))
    }

    /// Whether several entries may be in one line: not in a block of Terraform.
    pub(super) fn is_object(&self, style: &Style) -> bool {
        style.braced && self.files.text(self.whole.span).starts_with('{')
    }
}
