//! A picture of the order of each Terraform root and tool: a graph where it is small enough, else a tree.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use crate::{
    project::Project,
    report::markup::{visible, xml},
    show::{
        forest::Forest,
        graph,
        order::{Missing, Order},
    },
};

/// The style of the pictures.
pub(super) const PICTURE: &str = "svg { background: var(--card); border: 1px solid var(--line); border-radius: .4rem; max-width: 100%; }
svg text { font: 13px ui-monospace, monospace; fill: var(--ink); }
svg path { fill: none; stroke: var(--line); stroke-width: 2; }
svg circle { fill: var(--note); }
svg .also { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 3 3; }
svg .missing { stroke: var(--error); stroke-dasharray: 6 3; }
svg .early { fill: var(--error); }
.scroll { overflow-x: auto; }
";
/// What the pictures mean.
const LEGEND: &str = "What is below is created after what is above it, and destroyed before it. Grey lines: also \
                      after. Red lines: may be destroyed while something still needs it.";
/// The same of a graph.
const DRAWN: &str = "What is at the right is created after what its lines come from, and destroyed before it. Red \
                     lines: may be destroyed while something still needs it.";
/// The height of a row, in pixels.
const ROW: usize = 26;
/// The width of a level.
const LEVEL: usize = 22;
/// Deeper levels are not indented.
const DEEPEST: usize = 40;
/// The width of a character.
const LETTER: usize = 8;

/// The picture of each root and tool, with what it means.
#[must_use]
pub(super) fn body(order: &Order<'_>, shown: &dyn Fn(&Project, &str) -> String) -> String {
    let order = &order.visible();
    let forest = Forest::of(order);
    let by: BTreeSet<&str> = order.nodes.iter().map(|it| &*it.by).collect();
    let picture = |by: &&str| {
        let (svg, legend) = if let Some(svg) = graph::svg(&forest, by, shown) {
            (format!("<div class=\"graph\" tabindex=\"0\">\n{svg}</div>\n"), DRAWN)
        } else {
            let svg = Picture::of(&forest, by).svg(shown);
            (format!("<div class=\"scroll\" tabindex=\"0\">\n{svg}</div>\n"), LEGEND)
        };
        let by = if by.is_empty() { "." } else { by };
        format!("<h3>{}</h3>\n<p class=\"sub\">{legend}</p>\n{svg}", escaped(by))
    };
    let pictures: String = by.iter().map(picture).collect();
    let nothing =
        "<p class=\"nothing\">Nothing here is created in an order that is written down.</p>\n";
    if by.is_empty() { nothing.to_owned() } else { missing(order) + &pictures }
}

/// A text as it is shown, whatever it holds.
fn escaped(text: &str) -> String {
    xml(&visible(text)).into_owned()
}

/// What rules miss, in words.
fn missing(order: &Order<'_>) -> String {
    let id = |index: usize| escaped(order.nodes.get(index).map_or("", |it| &*it.id));
    let line = |it: &Missing| {
        let (to, from, rule) = (id(it.to), id(it.from), it.rule);
        format!("<li><code>{to}</code> may be destroyed before <code>{from}</code>: {rule}</li>\n")
    };
    let lines: String = order.missing.iter().map(line).collect();
    if lines.is_empty() { lines } else { format!("<ul>\n{lines}</ul>\n") }
}

/// The rows of one root or tool.
struct Picture<'f, 'o, 'p> {
    forest: &'f Forest<'o, 'p>,
    /// The nodes, each with its level.
    rows: Vec<(usize, usize)>,
    /// The row of each node.
    row_of: BTreeMap<usize, usize>,
}

impl<'f, 'o, 'p> Picture<'f, 'o, 'p> {
    fn of(forest: &'f Forest<'o, 'p>, by: &str) -> Self {
        let is_own = |node: &usize| forest.order.nodes.get(*node).is_some_and(|it| it.by == by);
        let own = forest.roots.iter().rev().copied().filter(is_own);
        let mut waiting: Vec<(usize, usize)> = own.map(|it| (it, 0)).collect();
        let mut rows = Vec::new();
        while let Some((node, level)) = waiting.pop() {
            rows.push((node, level));
            let below = forest.children.get(&node).into_iter().flatten().rev();
            waiting.extend(below.map(|it| (*it, level + 1)));
        }
        let row_of = rows.iter().enumerate().map(|(row, (node, _))| (*node, row)).collect();
        Self { forest, rows, row_of }
    }

    fn svg(&self, shown: &dyn Fn(&Project, &str) -> String) -> String {
        let mut text = String::new();
        let mut right = 0;
        for (row, (node, _)) in self.rows.iter().enumerate() {
            right = right.max(self.end(row));
            for child in self.forest.children.get(node).into_iter().flatten() {
                let Some(below) = self.row_of.get(child) else { continue };
                let ((x, y), (to, at)) = (self.dot(row), self.dot(*below));
                let _ = writeln!(text, "<path d=\"M{x} {y}V{at}H{to}\"/>");
            }
            for other in self.forest.others.get(node).into_iter().flatten() {
                right = right.max(self.arc(&mut text, "also", row, *other));
            }
        }
        for it in &self.forest.order.missing {
            if let Some(row) = self.row_of.get(&it.from) {
                right = right.max(self.arc(&mut text, "missing", *row, it.to));
            }
        }
        for (row, (node, _)) in self.rows.iter().enumerate() {
            self.node(&mut text, row, *node, shown);
        }
        let (width, height) = (right + LETTER, self.rows.len() * ROW + ROW / 2);
        let size =
            format!("width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\"");
        format!("<svg {size} role=\"img\" aria-label=\"the order\">\n{text}</svg>\n")
    }

    /// The point of a row.
    fn dot(&self, row: usize) -> (usize, usize) {
        let level = self.rows.get(row).map_or(0, |it| it.1);
        (LEVEL + level.min(DEEPEST) * LEVEL, ROW / 2 + row * ROW)
    }

    /// Where the words of a row end.
    fn end(&self, row: usize) -> usize {
        let letters = self.rows.get(row).map_or(0, |it| self.name(it.0).chars().count());
        self.dot(row).0 + (letters + 2) * LETTER
    }

    fn name(&self, node: usize) -> &str {
        let Some(it) = self.forest.order.nodes.get(node) else { return "" };
        // The folder of a root is its heading.
        let own = it.id.strip_prefix(&*it.by).and_then(|it| it.strip_prefix(':'));
        own.unwrap_or(&it.id)
    }

    /// A curve from a row to a node, behind the words; gives how far it reaches.
    fn arc(&self, text: &mut String, class: &str, row: usize, to: usize) -> usize {
        let Some(other) = self.row_of.get(&to).copied() else { return 0 };
        let ((from, y), (end, at)) =
            ((self.end(row), self.dot(row).1), (self.end(other), self.dot(other).1));
        let far = from.max(end) + LEVEL + row.abs_diff(other) * 2;
        let _ = writeln!(
            text,
            "<path class=\"{class}\" d=\"M{from} {y}C{far} {y} {far} {at} {end} {at}\"/>"
        );
        far
    }

    fn node(
        &self,
        text: &mut String,
        row: usize,
        node: usize,
        shown: &dyn Fn(&Project, &str) -> String,
    ) {
        let Some(it) = self.forest.order.nodes.get(node) else { return };
        let file = it.project.files.get(it.span.file);
        let line = file.line_of(it.span.start as usize) + 1;
        let place = escaped(&format!("{} {}:{line}", it.kind, shown(it.project, file.path())));
        let is_early = self.forest.order.missing.iter().any(|it| it.to == node);
        let class = if is_early { " class=\"early\"" } else { "" };
        let ((x, y), name) = (self.dot(row), escaped(self.name(node)));
        let (words_at, below) = (x + LETTER + LETTER / 2, y + 4);
        let _ = writeln!(
            text,
            "<g><title>{place}</title><circle{class} cx=\"{x}\" cy=\"{y}\" r=\"5\"/>\
             <text{class} x=\"{words_at}\" y=\"{below}\">{name}</text></g>"
        );
    }
}
