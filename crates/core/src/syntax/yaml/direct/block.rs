//! Lists and mappings by their indentation.

use crate::syntax::yaml::direct::{
    document::{Document, Key, Node},
    place::Place,
};

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

    /// The node that begins here, at a column, in a list or mapping at an outer one.
    pub(super) fn node(&mut self, column: usize, outer: usize) -> Option<Node> {
        self.nested(|it| {
            if it.is_dash() {
                return it.list(column);
            }
            match it.key()? {
                Some(first) => it.mapping(column, first),
                None => it.beside(outer),
            }
        })
    }

    /// The items of a list whose first dash is here. Ends behind the last one.
    fn list(&mut self, column: usize) -> Option<Node> {
        let start = self.at;
        let mut end = start;
        let mut items = Vec::new();
        let around = self.place;
        self.place = around.of_item();
        loop {
            self.at += 1;
            self.spaces();
            let inside = match self.byte()? {
                b'\n' | b'#' => self.next()?.filter(|it| *it > column)?,
                _ => self.at - self.line,
            };
            let node = match self.byte()? {
                b'|' | b'>' => self.beside(column)?,
                _ => self.node(inside, column)?,
            };
            end = end.max(node.range.end);
            if !self.omits {
                items.push(self.item(node, start));
            }
            if !self.goes_on(column, true)? {
                break;
            }
        }
        self.place = around;
        Some(self.list_of(items, start..end))
    }

    /// What a key has in a mapping at a column.
    fn value(&mut self, column: usize, key: &Key) -> Option<Node> {
        self.at = key.range.end + 1;
        self.spaces();
        if !matches!(self.byte()?, b'\n' | b'#') {
            return self.beside(column);
        }
        let here = (self.at, self.line);
        match self.next()? {
            Some(inside) if inside > column || (inside == column && self.is_dash()) => {
                self.node(inside, column)
            }
            _ => {
                (self.at, self.line) = here;
                // A key has nothing that nothing follows.
                Some(self.omitted(key.range.end..key.range.end))
            }
        }
    }

    /// The entries of a mapping whose first key is here.
    fn mapping(&mut self, column: usize, first: Key) -> Option<Node> {
        let start = self.at;
        let mut end = start;
        let mut entries = self.begin();
        // One where a list was meant is none of its items.
        if matches!(self.place, Place::List(_)) {
            self.place = Place::Elsewhere;
        }
        let mut key = first;
        loop {
            let node = self.under(&key, |it| it.value(column, &key))?;
            end = end.max(node.range.end);
            self.put((&mut entries, start), &key, node)?;
            if !self.goes_on(column, false)? {
                break;
            }
            key = self.key()??;
        }
        Some(self.mapping_of(&entries, start..end))
    }
}
