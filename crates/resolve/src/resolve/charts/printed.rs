//! Charts that another program renders: what it is asked, and what is said of the objects that it prints.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use memchr::memmem;
use rayon::prelude::*;

use crate::{
    findings::subject::Rendered,
    project::rendered::Asked,
    resolve::{
        charts::{
            folders::{ChartFolder, ChartFolders, is_template},
            made::Made,
            parts::part,
            uses::{Use, uses},
        },
        kubernetes::{Located, names_karpenter_api},
        release::Release,
        rendered::{PrintedChart, printed},
    },
    source::{FileId, Files},
    value::{Kind, Value},
};

/// What a program made of a chart for one use, or why it did not.
pub(super) type Answer = Result<Made, String>;

impl ChartFolders {
    /// What the program makes of its charts for each use. Left out are charts that it refuses and nobody installs.
    pub(super) fn answers<'c>(
        &'c self,
        files: &Files,
        releases: &[Release],
        kubernetes: &(dyn Fn(&Use) -> Option<String> + Sync),
    ) -> Vec<(&'c ChartFolder, Use, Answer)> {
        let charts = self.printed.iter();
        let jobs: Vec<(&ChartFolder, Use)> = charts
            .flat_map(|chart| uses(chart, releases).into_iter().map(move |it| (chart, it)))
            .filter(|(chart, usage)| !is_alone(usage) || self.own(chart).is_some())
            .collect();
        let answers = jobs.into_par_iter().map(|(chart, usage)| {
            let text = match self.own(chart) {
                Some(text) if is_alone(&usage) => Ok(text.to_owned()),
                _ => self.text(chart, &usage, kubernetes(&usage)),
            };
            let made = text.map(|it| Made::of_printed(files, (chart, &usage), &it));
            (chart, usage, made)
        });
        answers.collect()
    }

    /// What the program made of a chart with its own values.
    fn own(&self, chart: &ChartFolder) -> Option<&str> {
        self.texts.get(&chart.folder)?.as_deref().ok()
    }

    fn text(
        &self,
        chart: &ChartFolder,
        usage: &Use,
        kubernetes: Option<String>,
    ) -> Result<String, String> {
        let renderer = self.renderer.as_ref().ok_or("it was not asked")?;
        let known = |it: &Value| it.as_str().map(str::to_owned).ok_or_else(|| of_unknown(it));
        let namespace = match usage.index {
            Some(_) => Some(known(&usage.release.namespace)?),
            None => None,
        };
        let values = json(&usage.values).map_err(of_unknown)?.to_string();
        let (folder, release) = (chart.folder.clone(), known(&usage.release.name)?);
        renderer.render(&Asked { folder, release, namespace, values, kubernetes })
    }

    /// Marks what charts that another program renders hold in templates without actions, where others may install it.
    pub fn mark_printed(&self, files: &Files, releases: &[Release], objects: &mut [Located]) {
        for chart in &self.printed {
            if uses(chart, releases).iter().any(|it| it.rendered != Rendered::Anybody) {
                continue;
            }
            let is_own = |it: &&mut Located| {
                let path = files.get(it.header.file).path();
                inside(chart, path).is_some_and(is_template)
            };
            for it in objects.iter_mut().filter(is_own) {
                it.holder.rendered = Some(Rendered::Anybody);
            }
        }
    }
}

impl Made {
    /// The objects that a program printed for one use of a chart. What a template without actions holds is read as it
    /// is.
    fn of_printed(files: &Files, (chart, usage): (&ChartFolder, &Use), text: &str) -> Self {
        let is_read = |it: FileId| {
            let file = files.get(it);
            let is_manifest = matches!(file.ending(), "yaml" | "yml" | "json");
            let is_filled_in = || memmem::find(file.text().as_bytes(), b"{{").is_some();
            let is_template = inside(chart, file.path()).is_some_and(is_template);
            is_manifest && !(is_template && is_filled_in())
        };
        let whole = PrintedChart {
            folder: &chart.folder,
            name: &chart.chart.metadata.name,
            is_read: &is_read,
            part: &|template| part(&chart.chart, &chart.chart.values, template),
        };
        let mut made = Self { mentions_karpenter: names_karpenter_api(text), ..Self::default() };
        for (object, part) in printed(files, whole, text) {
            made.add(vec![object], (part.as_ref(), &[]), usage, &mut HashMap::new());
        }
        for it in made.objects.iter_mut().chain(&mut made.of_tools) {
            it.holder.is_printed = true;
        }
        made
    }
}

impl Made {
    /// What a program printed, with the places of its own rendering where that makes the same object; and what is there
    /// once switches are on.
    pub(super) fn with_places_of(mut self, own: Self) -> Self {
        let is_kept = |it: &Located| !own.without_value.contains(&it.header.file);
        self.objects.retain(is_kept);
        self.of_tools.retain(is_kept);
        complete(&mut self.objects, own.objects);
        complete(&mut self.of_tools, own.of_tools);
        self
    }
}

/// Puts objects with places for those that are the same, and adds those of switches that are not printed.
fn complete(printed: &mut Vec<Located>, own: Vec<Located>) {
    let (further, own): (Vec<Located>, Vec<Located>) =
        own.into_iter().partition(|it| it.holder.is_switched_on());
    let mut left: HashMap<Key, Vec<Located>> = HashMap::new();
    for it in own {
        left.entry(key(&it)).or_default().push(it);
    }
    for it in &mut *printed {
        let Some(alike) = left.get_mut(&key(it)) else { continue };
        let is_same = |own: &Located| own.object.value.same_as(&it.object.value) == Some(true);
        if let Some(at) = alike.iter().position(is_same) {
            *it = alike.swap_remove(at);
        }
    }
    let known: HashSet<Key> = printed.iter().map(key).collect();
    printed.extend(further.into_iter().filter(|it| !known.contains(&key(it))));
}

/// API version, kind and name.
type Key = (Arc<str>, Arc<str>, Option<String>);

fn key(it: &Located) -> Key {
    let object = &it.object;
    let name = object.anchor_text().map(str::to_owned);
    (Arc::clone(&object.api_version), Arc::clone(&object.kind), name)
}

/// Whether a chart is used with its own values.
fn is_alone(usage: &Use) -> bool {
    usage.index.is_none() && usage.values.entries().is_empty()
}

/// The path of a file inside a chart.
fn inside<'p>(chart: &ChartFolder, path: &'p str) -> Option<&'p str> {
    match &*chart.folder {
        "" => Some(path),
        folder => path.strip_prefix(folder)?.strip_prefix('/'),
    }
}

/// A value as JSON; what is not known is an error.
fn json(value: &Value) -> Result<serde_json::Value, &Value> {
    use serde_json::Value as Json;
    Ok(match &value.kind {
        Kind::Null => Json::Null,
        Kind::Bool(it) => Json::Bool(*it),
        #[allow(clippy::cast_possible_truncation, reason = "whole numbers that a float holds")]
        Kind::Number(it) if it.fract() == 0.0 && it.abs() < 9e15 => Json::from(*it as i64),
        Kind::Number(it) => Json::from(*it),
        Kind::String(text) if text.holes.is_empty() => Json::String(text.text.to_string()),
        Kind::List(list) if list.rest.is_none() => {
            Json::Array(list.items.iter().map(json).collect::<Result<_, _>>()?)
        }
        Kind::Map(map) if map.rest.is_none() => {
            let mut entries = serde_json::Map::new();
            for it in &map.entries {
                entries.insert(it.key.to_string(), json(&it.value)?);
            }
            Json::Object(entries)
        }
        _ => return Err(value),
    })
}

/// What is not known of a value, in words.
fn of_unknown(value: &Value) -> String {
    let symbol = match &value.kind {
        Kind::Unknown(symbol) => symbol.expression(),
        Kind::String(text) => text.holes.first().and_then(|it| it.expression()),
        Kind::List(list) => list.rest.as_ref().and_then(|it| it.expression()),
        Kind::Map(map) => map.rest.as_ref().and_then(|it| it.expression()),
        _ => None,
    };
    format!("{} is not known", symbol.map_or("a value of it".to_owned(), |it| format!("`{it}`")))
}
