//! The order as a tree: what is created first stands at the root, what waits for it below.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use crate::{project::Project, show::order::Order};

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

/// Each node below the last of those it waits for.
struct Forest<'o, 'p> {
    order: &'o Order<'p>,
    roots: Vec<usize>,
    children: BTreeMap<usize, Vec<usize>>,
    /// What a node waits for besides the node above it and what that one waits for.
    others: BTreeMap<usize, Vec<usize>>,
}

impl<'o, 'p> Forest<'o, 'p> {
    fn of(order: &'o Order<'p>) -> Self {
        let mut needs: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for it in &order.edges {
            needs.entry(it.from).or_default().insert(it.to);
        }
        let depths = depths(order.nodes.len(), &needs);
        let mut forest =
            Self { order, roots: Vec::new(), children: BTreeMap::new(), others: BTreeMap::new() };
        let depth = |it: usize| depths.get(it).copied().unwrap_or_default();
        for node in 0..order.nodes.len() {
            let own = needs.get(&node).into_iter().flatten().copied();
            let own: Vec<usize> = own.filter(|it| depth(*it) < depth(node)).collect();
            let last = own.iter().copied().max_by_key(|it| (depth(*it), std::cmp::Reverse(*it)));
            let Some(last) = last else {
                forest.roots.push(node);
                continue;
            };
            forest.children.entry(last).or_default().push(node);
            if own.len() == 1 {
                continue;
            }
            let above = all_needed(last, &needs);
            let others = own.into_iter().filter(|it| *it != last && !above.contains(it));
            let others: Vec<usize> = others.collect();
            // Of two that wait for one another, the later says enough.
            let implied: BTreeSet<usize> =
                others.iter().flat_map(|it| all_needed(*it, &needs)).collect();
            let others = others.into_iter().filter(|it| !implied.contains(it)).collect();
            forest.others.insert(node, others);
        }
        forest
    }

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

/// How long the longest chain of needs below each node is; those of a circle count as far as it is known.
fn depths(count: usize, needs: &BTreeMap<usize, BTreeSet<usize>>) -> Vec<usize> {
    let mut depths = vec![0; count];
    let mut open: BTreeMap<usize, usize> =
        needs.iter().map(|(node, needed)| (*node, needed.len())).collect();
    let mut users: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (node, needed) in needs {
        for it in needed {
            users.entry(*it).or_default().push(*node);
        }
    }
    let mut ready: Vec<usize> = (0..count).filter(|it| !open.contains_key(it)).collect();
    while let Some(node) = ready.pop() {
        for user in users.get(&node).into_iter().flatten() {
            depths[*user] = depths[*user].max(depths[node] + 1);
            if let Some(left) = open.get_mut(user) {
                *left -= 1;
                if *left == 0 {
                    ready.push(*user);
                }
            }
        }
    }
    depths
}

/// Everything that a node waits for, directly or not.
fn all_needed(node: usize, needs: &BTreeMap<usize, BTreeSet<usize>>) -> BTreeSet<usize> {
    let mut all = BTreeSet::new();
    let mut waiting = vec![node];
    while let Some(next) = waiting.pop() {
        for it in needs.get(&next).into_iter().flatten() {
            if all.insert(*it) {
                waiting.push(*it);
            }
        }
    }
    all
}
