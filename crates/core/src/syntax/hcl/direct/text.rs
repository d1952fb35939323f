//! Quoted strings and heredocs.

use std::{ops::Range, sync::Arc};

use crate::{
    syntax::hcl::{
        ExprKind, Literal, TemplatePart,
        direct::cursor::Cursor,
        template::{Quoting, TemplateLayout, plain},
    },
    value::TextPiece,
};

impl<'a> Cursor<'a> {
    /// `"…"`
    pub(super) fn quoted(&mut self) -> Option<ExprKind> {
        let opening = self.at;
        self.at += 1;
        let mut from = self.at;
        let mut special = false;
        let mut layout: Option<TemplateLayout<'a>> = None;
        loop {
            match self.byte()? {
                b'"' => break,
                b'\n' => return None,
                b'\\' => {
                    special = true;
                    let exists = matches!(self.second()?, b'n' | b'r' | b't' | b'"' | b'\\');
                    self.at += if exists { 2 } else { return None };
                }
                b'$' | b'%' => {
                    special = true;
                    if self.begins_interpolation()? {
                        let quoting = Quoting::Quoted { opening };
                        let new = || TemplateLayout::new(self.snippet, quoting);
                        let mut tokens = layout.take().unwrap_or_else(new);
                        from = self.interpolation(&mut tokens, from)?;
                        layout = Some(tokens);
                    }
                }
                _ => self.at += 1,
            }
        }
        let range = from..self.at;
        self.at += 1;
        Some(ExprKind::Template(match layout {
            Some(mut layout) => {
                layout.literal(range);
                layout.finish()
            }
            None if special => plain(self.snippet, range),
            None => self.literal(range),
        }))
    }

    /// A text without anything special in it.
    fn literal(&self, range: Range<usize>) -> Vec<TemplatePart> {
        let text = self.slice(range.clone());
        if text.is_empty() {
            return Vec::new();
        }
        let len = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let pieces = vec![TextPiece { at: 0, len, span: self.snippet.span(&range) }];
        vec![TemplatePart::Literal(Literal { text: Arc::from(text), pieces })]
    }

    /// Whether `${` comes; passes over what looks like it and is text.
    fn begins_interpolation(&mut self) -> Option<bool> {
        let rest = self.rest();
        if rest.starts_with(b"$${") || rest.starts_with(b"%%{") {
            self.at += 3;
            return Some(false);
        }
        match (rest.first(), rest.get(1)) {
            (Some(b'$'), Some(b'{')) => Some(true),
            (Some(b'%'), Some(b'{')) => None,
            _ => {
                self.at += 1;
                Some(false)
            }
        }
    }

    /// Takes `${…}` behind the text that began at `from`; gives where the next text begins.
    fn interpolation(&mut self, layout: &mut TemplateLayout<'a>, from: usize) -> Option<usize> {
        let start = self.at;
        layout.literal(from..start);
        self.at += 2;
        let before = self.take(b'~');
        self.space(true)?;
        let value = self.expression(true)?;
        self.space(true)?;
        let after = self.take(b'~');
        self.expect(b'}')?;
        layout.interpolation(value, self.since(start), (before, after));
        Some(self.at)
    }

    /// `<<EOT`
    pub(super) fn heredoc(&mut self) -> Option<ExprKind> {
        self.at += 1;
        self.expect(b'<')?;
        let flush = self.take(b'-');
        let delimiter = self.name()?;
        let delimiter = self.slice(delimiter);
        self.line_break()?;
        let inside = self.at;
        let (last, end) = self.end_of_heredoc(delimiter)?;
        if last == inside {
            return None;
        }
        let mut layout = TemplateLayout::new(self.snippet, Quoting::Heredoc { flush });
        let mut from = inside;
        while let Some(next) =
            memchr::memchr2(b'$', b'%', self.snippet.text.as_bytes().get(self.at..last)?)
        {
            self.at += next;
            if self.begins_interpolation()? {
                from = self.interpolation(&mut layout, from)?;
            }
        }
        layout.literal(from..last);
        self.at = end;
        Some(ExprKind::Template(layout.finish()))
    }

    /// Where the line begins that has the delimiter alone, and where the delimiter ends.
    fn end_of_heredoc(&self, delimiter: &str) -> Option<(usize, usize)> {
        let mut at = self.at;
        for line in self.slice(at..self.snippet.text.len()).split_inclusive('\n') {
            let indentation = line.len() - line.trim_start_matches([' ', '\t']).len();
            let rest = line.get(indentation..).and_then(|it| it.strip_prefix(delimiter));
            if rest.is_some_and(|it| it.trim().is_empty()) {
                return Some((at, at + indentation + delimiter.len()));
            }
            at += line.len();
        }
        None
    }
}
