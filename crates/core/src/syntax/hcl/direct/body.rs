//! Attributes and blocks.

use std::sync::Arc;

use crate::hash::HashSet;

use crate::{
    source::Span,
    syntax::hcl::{
        Attribute, Block, Body,
        direct::cursor::{Cursor, begins_name},
    },
};

/// More names than this are looked up by their hashes.
const MANY: usize = 16;

impl Cursor<'_> {
    /// All of the text.
    pub(super) fn whole(&mut self) -> Option<Body> {
        let body = self.body()?;
        self.byte().is_none().then_some(body)
    }

    /// What lies between braces that stand on lines of their own.
    fn body(&mut self) -> Option<Body> {
        let mut body = Body::default();
        let mut names: HashSet<Arc<str>> = HashSet::default();
        loop {
            self.space(true)?;
            if !self.byte().is_some_and(begins_name) {
                return Some(body);
            }
            let start = self.at;
            let (name, name_span) = self.shared_name()?;
            self.space(false)?;
            if self.byte() == Some(b'=') {
                if is_known(&body, &mut names, &name) {
                    return None;
                }
                body.attributes.push(self.attribute(name, name_span)?);
            } else {
                body.blocks.push(self.block(start, name, name_span)?);
            }
            self.end_of_line()?;
        }
    }

    /// `= value`, behind a name.
    fn attribute(&mut self, name: Arc<str>, name_span: Span) -> Option<Attribute> {
        self.expect(b'=')?;
        self.space(false)?;
        self.operators = 0;
        let value = self.expression(false)?;
        let span = name_span.to(value.span);
        Some(Attribute { name, name_span, value, span })
    }

    /// Labels and a body, behind a block's type.
    fn block(&mut self, start: usize, kind: Arc<str>, kind_span: Span) -> Option<Block> {
        let mut labels = Vec::new();
        while self.byte() != Some(b'{') {
            labels.push(self.label()?);
            self.space(false)?;
        }
        self.at += 1;
        let header = labels.last().map_or(kind_span, |(_, last): &(_, Span)| kind_span.to(*last));
        let body = self.nested(Self::block_body)?;
        self.expect(b'}')?;
        Some(Block { kind, labels, header, body, span: self.since(start) })
    }

    fn label(&mut self) -> Option<(Arc<str>, Span)> {
        if self.byte() != Some(b'"') {
            return self.shared_name();
        }
        let start = self.at;
        let rest = self.rest().get(1..)?;
        let length = rest.iter().position(|it| matches!(it, b'"' | b'\\' | b'$' | b'%' | b'\n'))?;
        let text = self.slice(start + 1..start + 1 + length);
        self.at += 1 + length;
        self.expect(b'"')?;
        Some((Arc::from(text), self.since(start)))
    }

    fn block_body(&mut self) -> Option<Body> {
        self.space(false)?;
        match self.byte()? {
            // On one line there is room for one attribute.
            b'}' => Some(Body::default()),
            it if begins_name(it) => {
                let (name, name_span) = self.shared_name()?;
                self.space(false)?;
                let attributes = vec![self.attribute(name, name_span)?];
                self.space(false)?;
                Some(Body { attributes, ..Body::default() })
            }
            _ => {
                self.end_of_line()?;
                self.body()
            }
        }
    }
}

/// Whether an attribute of that name was read.
fn is_known(body: &Body, names: &mut HashSet<Arc<str>>, name: &Arc<str>) -> bool {
    if body.attributes.len() < MANY {
        return body.attribute(name).is_some();
    }
    if names.is_empty() {
        names.extend(body.attributes.iter().map(|it| Arc::clone(&it.name)));
    }
    !names.insert(Arc::clone(name))
}
