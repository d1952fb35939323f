//! Templates that print objects only once a switch is on: `{{ if .Values.karpenter.enabled }}` around all of it.
//! Who installs a chart turns it on, so what the templates print then is judged as well.

mod gate;
mod wish;

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound,
    rc::Rc,
    sync::Arc,
};

use crate::{
    helm::{
        chart::{Chart, ChartFile, Content, Place},
        cluster::Assumptions,
        release::Release,
        render::{self, RenderedFile},
        switches::{
            gate::{Gate, gates},
            wish::{Wanted, Wish},
        },
        templates::Templates,
    },
    source::Span,
    value::{Entry, Kind, Value},
};

/// What the templates of a chart print once their switches are on, as far as one state has them all on.
#[derive(Debug)]
pub struct SwitchedOn {
    /// The templates that have a switch to turn on.
    pub files: Vec<RenderedFile>,
    /// Those of them that hang on a value which the chart leaves out, by their names in the rendering, with that value:
    /// what they print without it is printed for nobody.
    pub without_default: BTreeMap<String, String>,
    /// What was turned on around parts of templates.
    pub turned_on: Vec<TurnedOn>,
}

/// What was turned on around a part of a template.
#[derive(Debug)]
pub struct TurnedOn {
    /// The part; `None` for a template that is in an archive.
    pub body: Option<Span>,
    /// The values that are set, as they would be written, and what is there instead.
    pub values: Vec<(String, Span)>,
}

/// Renders the templates of a chart, not those of its subcharts, that have a switch which its own values leave off.
/// `None` where there is none.
#[must_use]
pub fn switched_on<'a>(
    templates: &Templates<'a>,
    chart: &'a Chart,
    release: &Release,
    assumptions: &Assumptions,
) -> Option<SwitchedOn> {
    let values = &chart.values;
    let all = chart.templates.iter().map(|it| (it, gates_of(templates, it, values)));
    let mut found: Vec<(&ChartFile, Vec<Gate>)> = all.filter(|(_, it)| !it.is_empty()).collect();
    // Where two switches exclude each other, that of Karpenter's own objects is the one to turn on.
    found.sort_by_key(|(it, _)| !it.text().text.contains("karpenter"));
    let mut state = State::default();
    let mut opened: BTreeSet<&str> = BTreeSet::new();
    let mut turned_on = Vec::new();
    for (file, gates) in &found {
        for gate in gates.iter().filter(|it| !it.wishes.is_empty()) {
            if state.takes(&gate.wishes) {
                opened.insert(&file.path);
                turned_on.push(turned(file, gate));
            }
        }
    }
    if opened.is_empty() {
        return None;
    }
    let template = |it: &ChartFile| format!("{}/{}", chart.metadata.name, it.path);
    let mut without_default = BTreeMap::new();
    for (file, gates) in &found {
        let asked = gates.iter().flat_map(|it| &it.asks);
        if let Some(path) = asked.into_iter().find(|it| state.is_without_default(it)) {
            without_default.insert(template(file), format!(".Values.{}", path.join(".")));
            opened.insert(&file.path);
        }
    }
    let with_switch = found.iter().filter(|(it, _)| opened.contains(&*it.path));
    let names: BTreeSet<String> = with_switch.map(|(it, _)| template(it)).collect();
    let given = state.values(values);
    let rendering =
        render::some(templates, chart, &given, (release, assumptions), &|it| names.contains(it));
    Some(SwitchedOn { files: rendering.files, without_default, turned_on })
}

fn turned(file: &ChartFile, gate: &Gate) -> TurnedOn {
    let body = match file.place {
        Place::File(id) => Some(Span::new(id, gate.body.start, gate.body.end)),
        Place::Archive(_) => None,
    };
    let written = gate.wishes.iter().filter(|it| it.is_written);
    TurnedOn { body, values: written.map(|it| (it.words(), it.place)).collect() }
}

fn gates_of<'a>(templates: &Templates<'a>, file: &'a ChartFile, values: &Value) -> Vec<Gate> {
    let Content::Text(text) = &file.content else { return Vec::new() };
    let is_partial = file.path.rsplit('/').next().is_some_and(|it| it.starts_with('_'));
    if is_partial || !text.contains("{{") {
        return Vec::new();
    }
    let template = templates.of(file);
    template.tree.as_ref().map_or_else(|_| Vec::new(), |it| gates(&it.nodes, text, values))
}

/// The values that turn switches on.
#[derive(Debug, Default)]
struct State {
    wanted: BTreeMap<Vec<Rc<str>>, Wish>,
}

impl State {
    /// Takes wishes where they agree with those that were taken before.
    fn takes(&mut self, wishes: &[Wish]) -> bool {
        if !wishes.iter().all(|it| self.agrees_with(it)) {
            return false;
        }
        self.wanted.extend(wishes.iter().map(|it| (it.path.clone(), it.clone())));
        true
    }

    /// Whether the same is wanted at a path, or nothing there, above it and below it.
    fn agrees_with(&self, wish: &Wish) -> bool {
        let path = &wish.path[..];
        if let Some(it) = self.wanted.get(path) {
            return it.wanted == wish.wanted;
        }
        let after = (Bound::Excluded(path), Bound::Unbounded);
        let next = self.wanted.range::<[Rc<str>], _>(after).next();
        let is_above = next.is_some_and(|(it, _)| it.starts_with(path));
        let is_below = (1..path.len()).any(|it| self.wanted.contains_key(&path[..it]));
        !is_above && !is_below
    }

    fn is_without_default(&self, path: &[Rc<str>]) -> bool {
        self.wanted.get(path).is_some_and(|it| it.is_without_default)
    }

    /// The values of a chart's user who turns them on.
    fn values(&self, own: &Value) -> Value {
        let wishes: Vec<&Wish> = self.wanted.values().collect();
        table(&wishes, 0, own.span)
    }
}

/// The table of wishes, in the order of their paths, so deep in these.
fn table(wishes: &[&Wish], depth: usize, span: Span) -> Value {
    let entries = wishes.chunk_by(|it, next| it.path.get(depth) == next.path.get(depth));
    let entries = entries.filter_map(|below| {
        let first = below.first()?;
        let key = first.path.get(depth)?;
        let value = match &first.wanted {
            _ if first.path.len() > depth + 1 => table(below, depth + 1, first.place),
            Wanted::Flag(flag) => Value::new(Kind::Bool(*flag), first.place),
            Wanted::Text(text) => Value::computed(&**text, first.place),
        };
        Some(Entry { key: Arc::from(&**key), key_span: value.name, value })
    });
    Value::map(entries.collect(), span)
}
