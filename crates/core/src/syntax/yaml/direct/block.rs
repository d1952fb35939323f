//! Lists and mappings by their indentation.

use crate::syntax::yaml::direct::document::{Document, Entries, Node};

impl Document<'_, '_> {
    /// Whether another item or entry follows at a column. What is further in belongs to neither.
    fn goes_on(&mut self, column: usize, with_dash: bool) -> Option<bool> {
        let here = (self.at, self.line);
        match self.next()? {
            Some(next) if next > column => return None,
            Some(next) if next == column && self.is_dash() == with_dash => return Some(true),
            _ => {}
        }
        (self.at, self.line) = here;
        Some(false)
    }

    /// The node that begins here, at a column.
    pub(super) fn node(&mut self, column: usize) -> Option<Node> {
        self.nested(|it| {
            if it.is_dash() {
                it.list(column)
            } else if it.key()?.is_some() {
                it.mapping(column)
            } else {
                it.inline(false)
            }
        })
    }

    /// The items of a list whose first dash is here. Ends behind the last one.
    fn list(&mut self, column: usize) -> Option<Node> {
        let start = self.at;
        let mut end = start;
        let mut items = Vec::new();
        loop {
            self.at += 1;
            self.spaces();
            let inside = match self.byte()? {
                b'\n' | b'#' => self.next()?.filter(|it| *it > column)?,
                _ => self.at - self.line,
            };
            let node = self.node(inside)?;
            end = end.max(node.range.end);
            items.push(self.item(node, start));
            if !self.goes_on(column, true)? {
                break;
            }
        }
        Some(self.list_of(items, start..end))
    }

    /// The entries of a mapping whose first key is here.
    fn mapping(&mut self, column: usize) -> Option<Node> {
        let start = self.at;
        let mut end = start;
        let mut entries = Entries::default();
        loop {
            let key = self.key()??;
            self.at = key.range.end + 1;
            self.spaces();
            let node = if matches!(self.byte()?, b'\n' | b'#') {
                let inside = self.next()??;
                if inside < column || (inside == column && !self.is_dash()) {
                    return None;
                }
                self.node(inside)?
            } else {
                self.inline(false)?
            };
            end = end.max(node.range.end);
            self.put((&mut entries, start), &key, node)?;
            if !self.goes_on(column, false)? {
                break;
            }
        }
        Some(self.mapping_of(entries, start..end))
    }
}
