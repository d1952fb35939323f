//! The overview for a pull request.

use std::fmt::Write;

use crate::{
    inventory::Item,
    project::Project,
    report::markup::{cell as escaped, markdown, visible},
    show::overview::{ClusterView, ListKind, cells::cell, table::Table},
};

/// The overview in tables; the workloads are folded.
#[must_use]
pub(crate) fn text(
    clusters: &[ClusterView<'_>],
    shown: &dyn Fn(&Project, &str) -> String,
) -> String {
    if clusters.is_empty() {
        return "No cluster, no Karpenter and none of its resources are here.\n".to_owned();
    }
    let pages: Vec<String> = clusters.iter().map(|it| page(it, shown)).collect();
    pages.join("\n")
}

fn page(it: &ClusterView<'_>, shown: &dyn Fn(&Project, &str) -> String) -> String {
    let place = |item: &Item| {
        let file = it.project.files.get(item.span.file);
        let line = file.line_of(item.span.start as usize) + 1;
        format!("{}:{line}", visible(&shown(it.project, file.path())))
    };
    let folder = match shown(it.project, &it.folder).trim_end_matches('/') {
        "" => ".".to_owned(),
        folder => visible(folder),
    };
    let name = match cell(&it.name) {
        name if name.starts_with('?') => format!("Cluster in {folder}"),
        name => name,
    };
    let kubernetes = cell(&it.kubernetes_version);
    let karpenter = match &it.karpenter {
        None => "no Karpenter here".to_owned(),
        Some(item) => {
            let of = |key: &str| item.get(key).map(cell).unwrap_or_default();
            let crds = match of("crd_version") {
                none if none.is_empty() => "no CRDs of its own".to_owned(),
                version => format!("CRDs {version}"),
            };
            format!("Karpenter {} in {} ({crds}), {}", of("version"), of("namespace"), place(item))
        }
    };
    let sentence = markdown(&format!("Kubernetes {kubernetes}, {karpenter}"));
    let mut text = format!("## {}\n\n{sentence}\n", markdown(&name));
    for (kind, items) in it.lists.iter().filter(|it| !it.1.is_empty()) {
        let rows = table(&Table::of(*kind, items, &place));
        let (title, count) = (kind.title(), items.len());
        if *kind == ListKind::Workloads {
            let head = format!("<details><summary><b>{title}</b> {count}</summary>");
            let _ = write!(text, "\n{head}\n\n{rows}\n</details>\n");
        } else {
            let _ = write!(text, "\n### {title}\n\n{rows}");
        }
    }
    text
}

fn table(table: &Table) -> String {
    let mut text = format!("| {} |\n|", table.headings.join(" | "));
    text.push_str(&"---|".repeat(table.headings.len()));
    text.push('\n');
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(|it| escaped(it)).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text
}
