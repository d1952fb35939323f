//! Templates that print objects only once a switch is on: `{{ if .Values.karpenter.enabled }}` around all of it.
//! Who installs a chart turns it on, so what the templates print then is judged as well.

mod gate;
mod wish;

use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

use crate::{
    helm::{
        chart::{Chart, ChartFile, Content},
        cluster::Assumptions,
        coalesce::with_at,
        release::Release,
        render::{self, RenderedFile},
        switches::{
            gate::{Gate, gates},
            wish::{Wanted, Wish},
        },
        template::parse::parse,
    },
    value::{Kind, Value},
};

/// What the templates of a chart print once their switches are on, as far as one state has them all on.
#[derive(Debug)]
pub struct SwitchedOn {
    /// The templates that have a switch to turn on.
    pub files: Vec<RenderedFile>,
    /// Those of them that hang on a value which the chart leaves out, by their names in the rendering, with that value:
    /// what they print without it is printed for nobody.
    pub without_default: BTreeMap<String, String>,
}

/// Renders the templates of a chart, not those of its subcharts, that have a switch which its own values leave off.
/// `None` where there is none.
#[must_use]
pub fn switched_on(
    chart: &Chart,
    release: &Release,
    assumptions: &Assumptions,
) -> Option<SwitchedOn> {
    let values = &chart.values;
    let all = chart.templates.iter().map(|it| (it, gates_of(it, values)));
    let mut found: Vec<(&ChartFile, Vec<Gate>)> = all.filter(|(_, it)| !it.is_empty()).collect();
    // Where two switches exclude each other, that of Karpenter's own objects is the one to turn on.
    found.sort_by_key(|(it, _)| !it.text().text.contains("karpenter"));
    let mut state = State::default();
    let mut opened: BTreeSet<&str> = BTreeSet::new();
    for (file, gates) in &found {
        for gate in gates.iter().filter(|it| !it.wishes.is_empty()) {
            if state.takes(&gate.wishes) {
                opened.insert(&file.path);
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
    let rendering = render::some(chart, &given, release, assumptions, &|it| names.contains(it));
    Some(SwitchedOn { files: rendering.files, without_default })
}

fn gates_of(file: &ChartFile, values: &Value) -> Vec<Gate> {
    let Content::Text(text) = &file.content else { return Vec::new() };
    let is_partial = file.path.rsplit('/').next().is_some_and(|it| it.starts_with('_'));
    if is_partial || !text.contains("{{") {
        return Vec::new();
    }
    parse(text).map_or_else(|_| Vec::new(), |tree| gates(&tree.nodes, text, values))
}

/// The values that turn switches on.
#[derive(Debug, Default)]
struct State {
    wanted: BTreeMap<Vec<Rc<str>>, Wish>,
}

impl State {
    /// Takes wishes where they agree with those that were taken before.
    fn takes(&mut self, wishes: &[Wish]) -> bool {
        let agrees = |wish: &Wish| {
            self.wanted.values().all(|it| {
                if it.path == wish.path {
                    return it.wanted == wish.wanted;
                }
                !it.path.starts_with(&wish.path) && !wish.path.starts_with(&it.path)
            })
        };
        if !wishes.iter().all(agrees) {
            return false;
        }
        self.wanted.extend(wishes.iter().map(|it| (it.path.clone(), it.clone())));
        true
    }

    fn is_without_default(&self, path: &[Rc<str>]) -> bool {
        self.wanted.get(path).is_some_and(|it| it.is_without_default)
    }

    /// The values of a chart's user who turns them on.
    fn values(&self, own: &Value) -> Value {
        let empty = Value::map(Vec::new(), own.span);
        self.wanted.values().fold(empty, |given, wish| {
            let value = match &wish.wanted {
                Wanted::Flag(flag) => Value::new(Kind::Bool(*flag), wish.place),
                Wanted::Text(text) => Value::computed(&**text, wish.place),
            };
            with_at(&given, &wish.path, value)
        })
    }
}
