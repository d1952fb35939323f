//! The order as a tree: what is created first stands at the root, what waits for it below.

use std::{collections::BTreeSet, fmt::Write};

use crate::{
    project::Project,
    show::{forest::Forest, order::Order},
};

/// The tree of each Terraform root and tool.
#[must_use]
pub(super) fn text(order: &Order<'_>, shown: &dyn Fn(&Project, &str) -> String) -> String {
    if order.nodes.is_empty() {
        return "nothing here is created in an order that is written down\n".to_owned();
    }
    let forest = Forest::of(order);
    let mut text = String::new();
    let by: BTreeSet<&str> = order.nodes.iter().map(|it| &*it.by).collect();
    for by in by {
        if !text.is_empty() {
            text.push('\n');
        }
        let _ = writeln!(text, "{by}");
        for &root in &forest.roots {
            if order.nodes.get(root).is_some_and(|it| it.by == by) {
                forest.branch(root, &mut text, shown);
            }
        }
    }
    if !order.missing.is_empty() {
        text.push_str("\n! may be destroyed while something still needs it\n");
    }
    text
}

/// How many levels are indented.
const DEEPEST: usize = 40;

impl<'o> Forest<'o, '_> {
    /// A node with what waits for it below; deeper than [`DEEPEST`] without further indentation.
    fn branch(&self, root: usize, text: &mut String, shown: &dyn Fn(&Project, &str) -> String) {
        let mut waiting = vec![(root, String::new(), String::new())];
        while let Some((node, stem, indent)) = waiting.pop() {
            text.push_str(&stem);
            self.line(node, text, shown);
            let children = self.children.get(&node).map_or(&[][..], Vec::as_slice);
            let is_deep = indent.chars().count() >= 3 * DEEPEST;
            for (index, child) in children.iter().rev().enumerate() {
                let (stem, below) =
                    if index == 0 { ("└─ ", "   ") } else { ("├─ ", "│  ") };
                let below = if is_deep { indent.clone() } else { format!("{indent}{below}") };
                waiting.push((*child, format!("{indent}{stem}"), below));
            }
        }
    }

    fn line(&self, node: usize, text: &mut String, shown: &dyn Fn(&Project, &str) -> String) {
        let Some(it) = self.order.nodes.get(node) else { return };
        let file = it.project.files.get(it.span.file);
        let line = file.line_of(it.span.start as usize) + 1;
        // The folder of a root is its heading.
        let own = |id: &'o str| id.strip_prefix(&*it.by).and_then(|it| it.strip_prefix(':'));
        let name = |index: &usize| {
            let id = self.order.nodes.get(*index).map_or("", |it| &*it.id);
            own(id).unwrap_or(id)
        };
        let place = shown(it.project, file.path());
        let _ = write!(text, "{}  {place}:{line}", name(&node));
        let others: Vec<&str> = self.others.get(&node).into_iter().flatten().map(name).collect();
        if !others.is_empty() {
            let _ = write!(text, "  (also after {})", others.join(", "));
        }
        for missing in self.order.missing.iter().filter(|it| it.to == node) {
            let _ = write!(text, "  ! before {} ({})", name(&missing.from), missing.rule);
        }
        text.push('\n');
    }
}
