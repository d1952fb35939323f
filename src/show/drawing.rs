//! The order as a graph for Mermaid and Graphviz. An arrow points at what is needed.

use std::{collections::BTreeSet, fmt::Write};

use crate::show::order::Order;

/// A flowchart, and a list of what is missing.
#[must_use]
pub(super) fn markdown(order: &Order<'_>) -> String {
    let mut text = format!("```mermaid\n{}```\n", mermaid(order));
    let id = |index: usize| order.nodes.get(index).map_or("", |it| &*it.id);
    if !order.missing.is_empty() {
        text.push_str(
            "\n| may be destroyed too early | while it is needed by | rule |\n|---|---|---|\n",
        );
    }
    for it in &order.missing {
        let _ = writeln!(text, "| `{}` | `{}` | {} |", id(it.to), id(it.from), it.rule);
    }
    text
}

/// A flowchart.
#[must_use]
pub(super) fn mermaid(order: &Order<'_>) -> String {
    let mut text = "flowchart RL\n".to_owned();
    for (index, node) in order.nodes.iter().enumerate() {
        let _ = writeln!(text, "  n{index}[\"{}\"]", node.id.replace('"', "#quot;"));
    }
    for (from, to) in pairs(order) {
        let _ = writeln!(text, "  n{from} --> n{to}");
    }
    for it in &order.missing {
        let _ = writeln!(text, "  n{} -. \"{}\" .-> n{}", it.from, it.rule, it.to);
    }
    let early: BTreeSet<String> = order.missing.iter().map(|it| format!("n{}", it.to)).collect();
    if !early.is_empty() {
        let early: Vec<String> = early.into_iter().collect();
        text.push_str("  classDef early stroke:#c00,stroke-width:2px\n");
        let _ = writeln!(text, "  class {} early", early.join(","));
    }
    text
}

/// A graph for Graphviz.
#[must_use]
pub(super) fn dot(order: &Order<'_>) -> String {
    let mut text = "digraph order {\n  rankdir = RL\n  node [shape = box]\n".to_owned();
    let quoted = |index: usize| {
        let id = order.nodes.get(index).map_or("", |it| &*it.id);
        format!("\"{}\"", id.replace('\\', "\\\\").replace('"', "\\\""))
    };
    for index in 0..order.nodes.len() {
        let _ = writeln!(text, "  {}", quoted(index));
    }
    for (from, to) in pairs(order) {
        let _ = writeln!(text, "  {} -> {}", quoted(from), quoted(to));
    }
    for it in &order.missing {
        let (from, to) = (quoted(it.from), quoted(it.to));
        let _ = writeln!(
            text,
            "  {from} -> {to} [style = dashed, color = red, label = \"{}\"]",
            it.rule
        );
    }
    text.push_str("}\n");
    text
}

fn pairs(order: &Order<'_>) -> BTreeSet<(usize, usize)> {
    order.edges.iter().map(|it| (it.from, it.to)).collect()
}
