//! The order of a Terraform root or tool as a drawn graph, from left to right.

use std::{collections::BTreeMap, fmt::Write};

use rust_sugiyama::{configure::Config, from_vertices_and_edges};

use crate::{
    project::Project,
    report::markup::{percent_encoded, visible, xml},
    show::{forest::Forest, order::Node},
};

/// Larger graphs are no picture.
const MOST: usize = 160;
/// The height of a node, in pixels.
const HEIGHT: f64 = 40.0;
/// The width of a letter.
const LETTER: f64 = 7.4;
/// The room inside a node.
const INSIDE: f64 = 12.0;
/// Longer names are cut, in letters.
const LONGEST: usize = 44;
/// Between the layers of a graph.
const BETWEEN: f64 = 56.0;
/// Around and between graphs.
const MARGIN: f64 = 16.0;

/// A node in its place.
struct Placed<'f, 'p> {
    node: &'f Node<'p>,
    name: String,
    left: f64,
    top: f64,
    width: f64,
}

/// The graph of what is applied by one root or tool; `None` where it is too large for a picture, or empty.
#[must_use]
pub(super) fn svg(
    forest: &Forest<'_, '_>,
    by: &str,
    shown: &dyn Fn(&Project, &str) -> String,
) -> Option<String> {
    let nodes = forest.order.nodes.iter().enumerate().filter(|(_, it)| it.by == by);
    let nodes: Vec<usize> = nodes.map(|it| it.0).collect();
    if nodes.is_empty() || nodes.len() > MOST {
        return None;
    }
    let edges = edges(forest, &nodes);
    let (placed, width, height) = placed(forest, by, &nodes, &edges)?;
    let mut text = String::new();
    for (from, to) in &edges {
        line(&mut text, "", placed.get(from)?, placed.get(to)?);
    }
    for it in &forest.order.missing {
        if let (Some(to), Some(from)) = (placed.get(&it.to), placed.get(&it.from)) {
            line(&mut text, " class=\"missing\"", to, from);
        }
    }
    for (index, it) in &placed {
        let is_early = forest.order.missing.iter().any(|missing| missing.to == *index);
        node(&mut text, it, is_early, shown);
    }
    Some(format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"group\" \
         aria-label=\"the order\">\n{text}</svg>\n"
    ))
}

/// What is created after what, without what follows from the rest.
fn edges(forest: &Forest<'_, '_>, nodes: &[usize]) -> Vec<(usize, usize)> {
    let is_own = |it: &usize| nodes.binary_search(it).is_ok();
    let mut edges = Vec::new();
    for node in nodes {
        let below = forest.children.get(node).into_iter().flatten().filter(|it| is_own(it));
        edges.extend(below.map(|it| (*node, *it)));
        let others = forest.others.get(node).into_iter().flatten().filter(|it| is_own(it));
        edges.extend(others.map(|it| (*it, *node)));
    }
    edges.sort_unstable();
    edges
}

/// The nodes in their places, and the size of all.
fn placed<'f, 'p>(
    forest: &'f Forest<'_, 'p>,
    by: &str,
    nodes: &[usize],
    edges: &[(usize, usize)],
) -> Option<(BTreeMap<usize, Placed<'f, 'p>>, f64, f64)> {
    let number = |it: &usize| u32::try_from(*it).ok();
    let names: BTreeMap<usize, String> =
        nodes.iter().map(|it| (*it, name(&forest.order.nodes[*it], by))).collect();
    let width = |it: &usize| names.get(it).map_or(0.0, |it| width_of(it));
    // The layers of the layout are lines, here they are columns: its axes change places.
    let sizes = nodes.iter().map(|it| Some((number(it)?, (HEIGHT, width(it)))));
    let sizes: Vec<(u32, (f64, f64))> = sizes.collect::<Option<_>>()?;
    let pairs = edges.iter().map(|(from, to)| Some((number(from)?, number(to)?)));
    let pairs: Vec<(u32, u32)> = pairs.collect::<Option<_>>()?;
    let config = Config { vertex_spacing: BETWEEN, ..Config::default() };
    let mut placed = BTreeMap::new();
    let (mut top, mut right) = (MARGIN, 0.0_f64);
    let mut layouts = from_vertices_and_edges(&sizes, &pairs, &config);
    layouts.sort_by_key(|(nodes, ..)| {
        (std::cmp::Reverse(nodes.len()), nodes.iter().map(|it| it.0).min())
    });
    for (nodes, ..) in layouts {
        let least = |of: fn(&(f64, f64)) -> f64| {
            nodes.iter().map(|it| of(&it.1)).fold(f64::INFINITY, f64::min)
        };
        let (first, above) = (least(|it| it.1), least(|it| it.0));
        let mut bottom = top;
        for (index, (x, y)) in &nodes {
            let own = width(index);
            let place = Placed {
                node: &forest.order.nodes[*index],
                name: names.get(index).cloned().unwrap_or_default(),
                left: MARGIN + y - first,
                top: top + (x - above) * SQUEEZED,
                width: own,
            };
            right = right.max(place.left + own);
            bottom = bottom.max(place.top + HEIGHT);
            placed.insert(*index, place);
        }
        top = bottom + MARGIN;
    }
    Some((placed, (right + MARGIN).ceil(), top.ceil()))
}

/// Lines of text need less room than the layout gives between layers.
const SQUEEZED: f64 = 0.6;

fn width_of(name: &str) -> f64 {
    let letters = u16::try_from(name.chars().count()).unwrap_or(u16::MAX);
    (f64::from(letters) * LETTER + INSIDE * 2.0).max(90.0)
}

/// A name as it fits into a node; the folder of a root is its heading.
fn name(node: &Node<'_>, by: &str) -> String {
    let own = node.id.strip_prefix(by).and_then(|it| it.strip_prefix(':')).unwrap_or(&node.id);
    if own.chars().count() <= LONGEST {
        return own.to_owned();
    }
    let start: String = own.chars().take(LONGEST - 1).collect();
    format!("{start}…")
}

fn line(text: &mut String, class: &str, from: &Placed<'_, '_>, to: &Placed<'_, '_>) {
    let (x, y) = (from.left + from.width, from.top + HEIGHT / 2.0);
    let (end, at) = (to.left, to.top + HEIGHT / 2.0);
    let bend = ((end - x) / 2.0).max(24.0);
    let (near, far) = (x + bend, end - bend);
    let _ = writeln!(
        text,
        "<path{class} d=\"M{x:.0} {y:.0}C{near:.0} {y:.0} {far:.0} {at:.0} {end:.0} {at:.0}\"/>"
    );
}

fn node(
    text: &mut String,
    it: &Placed<'_, '_>,
    is_early: bool,
    shown: &dyn Fn(&Project, &str) -> String,
) {
    let file = it.node.project.files.get(it.node.span.file);
    let row = file.line_of(it.node.span.start as usize) + 1;
    let path = shown(it.node.project, file.path());
    let escaped = |it: &str| xml(&visible(it)).into_owned();
    let (link, place) = (percent_encoded(&path), escaped(&format!("{path}:{row}")));
    let class = if is_early { " class=\"early\"" } else { "" };
    let (left, top, width) = (it.left, it.top, it.width);
    let (words, name_at, kind_at) = (left + INSIDE, top + 17.0, top + 32.0);
    let (id, name, kind) = (escaped(&it.node.id), escaped(&it.name), escaped(&it.node.kind));
    let _ = writeln!(
        text,
        "<a href=\"{link}#L{row}\" data-path=\"{}\" data-line=\"{row}\"{class}><title>{id}, {place}</title>\
         <rect x=\"{left:.0}\" y=\"{top:.0}\" width=\"{width:.0}\" height=\"{HEIGHT}\" rx=\"6\"/>\
         <text x=\"{words:.0}\" y=\"{name_at:.0}\">{name}</text>\
         <text class=\"kind\" x=\"{words:.0}\" y=\"{kind_at:.0}\">{kind}</text></a>",
        escaped(&path)
    );
}
