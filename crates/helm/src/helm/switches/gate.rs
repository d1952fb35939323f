//! Conditions around whole objects of a template.

use std::{ops::Range, rc::Rc};

use crate::{
    helm::{
        switches::wish::{Conditions, Wish, paths},
        template::tree::{Branch, Node, is_blank},
    },
    value::Value,
};

/// Conditions around objects, one inside the other.
#[derive(Debug)]
pub(super) struct Gate {
    /// The bytes of the objects, as far as they are text of the template itself.
    pub body: Range<usize>,
    /// The values that open them; empty where they are open.
    pub wishes: Vec<Wish>,
    /// The values that they read.
    pub asks: Vec<Vec<Rc<str>>>,
}

/// The gates of a template with these values; none where no values are known to open one.
pub(super) fn gates(nodes: &[Node], source: &str, values: &Value) -> Vec<Gate> {
    let mut walk = Walk { source, conditions: Conditions { values }, found: Vec::new() };
    walk.through(nodes, &[], &[]);
    walk.found
}

struct Walk<'a> {
    source: &'a str,
    conditions: Conditions<'a>,
    found: Vec<Gate>,
}

impl Walk<'_> {
    /// Looks for objects among nodes inside conditions.
    fn through(&mut self, nodes: &[Node], wishes: &[Wish], asks: &[Vec<Rc<str>>]) {
        for node in nodes {
            let (Node::If(branch) | Node::With(branch)) = node else { continue };
            let Some(further) = self.conditions.wishes(&branch.pipe, true) else { continue };
            let wishes = [wishes, &further].concat();
            let mut asks = asks.to_vec();
            paths(&branch.pipe, &mut asks);
            if self.holds_object(nodes, branch) {
                let body = body(&branch.then);
                self.found.push(Gate { body, wishes: wishes.clone(), asks: asks.clone() });
            }
            self.through(&branch.then, &wishes, &asks);
        }
    }

    /// Whether a body prints an object: it names a kind at the beginning of a line, or includes what prints it while
    /// nothing is printed around it.
    fn holds_object(&self, around: &[Node], branch: &Branch) -> bool {
        let names_kind = |it: &Node| match it {
            Node::Text(range) => names_kind(self.source, range),
            _ => false,
        };
        let includes = |it: &Node| match it {
            Node::Template { .. } => true,
            Node::Action(pipe) => pipe.variables.is_empty(),
            _ => false,
        };
        branch.then.iter().any(names_kind)
            || (branch.then.iter().any(includes) && around.iter().all(|it| self.is_silent(it)))
    }

    /// Whether a node prints nothing outside conditions.
    fn is_silent(&self, node: &Node) -> bool {
        match node {
            Node::Action(pipe) => !pipe.variables.is_empty(),
            Node::If(_) | Node::With(_) | Node::Break | Node::Continue => true,
            Node::Text(range) => {
                let text = self.source.get(range.clone()).unwrap_or_default();
                text.trim().trim_start_matches("---").is_empty()
            }
            Node::Range(_) | Node::Template { .. } => {
                is_blank(std::slice::from_ref(node), self.source)
            }
        }
    }
}

/// From the first text among nodes to the end of the last.
fn body(nodes: &[Node]) -> Range<usize> {
    let mut texts = nodes.iter().filter_map(|it| match it {
        Node::Text(range) => Some(range),
        _ => None,
    });
    let Some(first) = texts.next() else { return 0..0 };
    first.start..texts.next_back().unwrap_or(first).end
}

/// Whether a text has the kind of an object: `kind:` at the beginning of a line.
fn names_kind(source: &str, range: &Range<usize>) -> bool {
    let text = source.get(range.clone()).unwrap_or_default();
    let begins_line =
        range.start == 0 || source.get(..range.start).is_some_and(|it| it.ends_with('\n'));
    text.split('\n').skip(usize::from(!begins_line)).any(|it| it.starts_with("kind:"))
}
