//! The overview for a terminal.

use std::fmt::Write;

use crate::{
    inventory::Item,
    project::Project,
    report::{markup::visible, text::Look, wrap::wrapped},
    show::{
        ink::Ink,
        overview::{ClusterView, ListKind, cells::cell, table::Table},
    },
    value::Value,
};

/// The overview in tables as wide as the terminal.
#[must_use]
pub(crate) fn text(
    clusters: &[ClusterView<'_>],
    look: Look,
    shown: &dyn Fn(&Project, &str) -> String,
) -> String {
    let views = clusters.iter().map(|it| Page { it, look, shown, text: String::new() }.written());
    let pages: Vec<String> = views.collect();
    if pages.is_empty() {
        return "No cluster, no Karpenter and none of its resources are here.\n".to_owned();
    }
    pages.join("\n")
}

struct Page<'a> {
    it: &'a ClusterView<'a>,
    look: Look,
    shown: &'a dyn Fn(&Project, &str) -> String,
    text: String,
}

/// Between columns.
const GAP: &str = "  ";
/// Before what belongs to a heading.
const INDENT: usize = 2;

impl Page<'_> {
    fn written(mut self) -> String {
        self.head();
        for (kind, items) in &self.it.lists {
            match kind {
                _ if items.is_empty() => {}
                ListKind::NodePools | ListKind::NodeClasses => self.cards(*kind, items),
                ListKind::Workloads => self.workloads(items),
                _ => self.table(*kind, &format!("{}", items.len()), items.iter()),
            }
        }
        self.text
    }

    fn ink(&self) -> Ink {
        Ink { colors: self.look.color }
    }

    fn place(&self, item: &Item) -> String {
        let file = self.it.project.files.get(item.span.file);
        let line = file.line_of(item.span.start as usize) + 1;
        visible(&format!("{}:{line}", (self.shown)(self.it.project, file.path())))
    }

    fn head(&mut self) {
        let folder = (self.shown)(self.it.project, &self.it.folder);
        let folder = if folder.is_empty() { "." } else { folder.trim_end_matches('/') };
        let name = match cell(&self.it.name) {
            name if name.starts_with('?') => format!("cluster in {}", visible(folder)),
            name => name,
        };
        let _ = writeln!(self.text, "{}", self.ink().bold(&name));
        let kubernetes = format!("Kubernetes {}", cell(&self.it.kubernetes_version));
        let dot = if self.look.unicode { " · " } else { " - " };
        let karpenter = match &self.it.karpenter {
            None => "no Karpenter here".to_owned(),
            Some(item) => {
                let of = |key: &str| item.get(key).map(cell).unwrap_or_default();
                let crds = match of("crd_version") {
                    none if none.is_empty() => "no CRDs of its own".to_owned(),
                    version => format!("CRDs {version}"),
                };
                let namespace = of("namespace");
                format!("Karpenter {} in {namespace} ({crds}), {}", of("version"), self.place(item))
            }
        };
        let line = wrapped(&[kubernetes, karpenter].join(dot), self.look.width - INDENT);
        for line in line.lines() {
            let line = self.ink().marked(line);
            let _ = writeln!(self.text, "  {line}");
        }
    }

    fn heading(&mut self, kind: ListKind, count: &str) {
        let title = self.ink().bold(kind.title());
        let _ = writeln!(self.text, "\n  {title} {}", self.ink().dim(count));
    }

    /// What has many facts: each with a line for each fact.
    fn cards(&mut self, kind: ListKind, items: &[Item]) {
        self.heading(kind, &items.len().to_string());
        let table = Table::of(kind, items, &|it| self.place(it));
        let widest = table.headings.iter().map(|it| it.len()).max().unwrap_or_default();
        let left = INDENT + 2 + widest + GAP.len();
        for row in &table.rows {
            let (Some(name), Some(place)) = (row.first(), row.last()) else { continue };
            let (name, place) = (self.ink().marked(name), self.ink().dim(place));
            let _ = writeln!(self.text, "  {name}{GAP}{place}");
            let facts = table.headings.iter().zip(row).skip(1);
            for (heading, fact) in facts.take(row.len().saturating_sub(2)) {
                if fact.is_empty() {
                    continue;
                }
                let heading = self.ink().dim(&format!("{heading:widest$}"));
                let lines = wrapped(fact, self.look.width.saturating_sub(left));
                let lines: Vec<String> = lines.lines().map(|it| self.ink().marked(it)).collect();
                let below = format!("\n{}", " ".repeat(left));
                let _ = writeln!(self.text, "    {heading}{GAP}{}", lines.join(&below));
            }
        }
    }

    /// Those that keep data; the others are counted.
    fn workloads(&mut self, items: &[Item]) {
        let is_stateful = |it: &&Item| it.get("stateful").and_then(Value::as_bool) == Some(true);
        let stateful: Vec<&Item> = items.iter().filter(is_stateful).collect();
        let others = items.len() - stateful.len();
        let count = format!("{}, of which {} keep data", items.len(), stateful.len());
        if stateful.is_empty() {
            self.heading(ListKind::Workloads, &count);
        } else {
            self.table(ListKind::Workloads, &count, stateful.into_iter());
        }
        if others > 0 {
            let words = format!("and {others} that keep none: `--format json` lists them");
            let _ = writeln!(self.text, "  {}", self.ink().dim(&words));
        }
    }

    fn table<'i>(&mut self, kind: ListKind, count: &str, items: impl Iterator<Item = &'i Item>) {
        self.heading(kind, count);
        let table = Table::of(kind, items, &|it| self.place(it));
        let widths = widths(&table, self.look.width.saturating_sub(INDENT));
        let headings: Vec<String> = table.headings.iter().map(|it| (*it).to_owned()).collect();
        self.row(&headings, &widths, true);
        for row in &table.rows {
            self.row(row, &widths, false);
        }
    }

    fn row(&mut self, cells: &[String], widths: &[usize], is_head: bool) {
        let broken = cells.iter().zip(widths).map(|(cell, width)| wrapped(cell, *width));
        let broken: Vec<String> = broken.collect();
        let lines: Vec<Vec<&str>> = broken.iter().map(|it| it.lines().collect()).collect();
        let height = lines.iter().map(Vec::len).max().unwrap_or_default();
        for number in 0..height {
            let mut line = String::from(" ");
            for (index, (cell, width)) in lines.iter().zip(widths).enumerate() {
                let part = cell.get(number).copied().unwrap_or_default();
                let is_dim = is_head || index + 1 == widths.len();
                let painted = if is_dim { self.ink().dim(part) } else { self.ink().marked(part) };
                let blank = " ".repeat(width.saturating_sub(part.chars().count()) + 1);
                line += &[" ", &painted, &blank].concat();
            }
            let _ = writeln!(self.text, "{}", line.trim_end());
        }
    }
}

/// The widths of columns that fit into a line, as far as their longest words allow.
fn widths(table: &Table, line: usize) -> Vec<usize> {
    let cells = |index: usize| {
        let head = table.headings.get(index).copied().unwrap_or_default();
        table.rows.iter().filter_map(move |it| it.get(index)).map(String::as_str).chain([head])
    };
    let widest = |index: usize| cells(index).map(|it| it.chars().count()).max().unwrap_or_default();
    let longest = |index: usize| {
        let words = cells(index).flat_map(|it| it.split(' '));
        words.map(|it| it.chars().count()).max().unwrap_or_default()
    };
    let columns = 0..table.headings.len();
    let mut widths: Vec<usize> = columns.clone().map(widest).collect();
    let least: Vec<usize> = columns.map(longest).collect();
    let room = line.saturating_sub(GAP.len() * widths.len().saturating_sub(1));
    while widths.iter().sum::<usize>() > room {
        let wide = (0..widths.len()).filter(|it| widths[*it] > least[*it]);
        let Some(index) = wide.max_by_key(|it| widths[*it]) else { break };
        widths[index] -= 1;
    }
    widths
}
