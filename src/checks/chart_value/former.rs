//! A setting under a former name, which the chart that is installed does not read.

use crate::{
    checks::chart_value::{KarpenterChart, below, is_written_alone, rename},
    findings::change::Change,
    knowledge::chart_values::Reading,
    model::Model,
    resolve::release::Release,
    source::Span,
    value::Value,
};

/// Where a setting is written under a former name.
#[derive(Clone, Debug)]
pub(crate) struct FormerName {
    /// Its key.
    pub span: Span,
    /// The keys that lead to it.
    pub path: String,
    /// The topmost key without effect, where that holds nothing else.
    pub whole: Option<WholeKey>,
}

/// A key without effect that is nothing but a setting under a former name.
#[derive(Clone, Debug)]
pub(crate) struct WholeKey {
    /// The key.
    pub span: Span,
    /// What gives it the name that the chart reads.
    pub rename: Option<Change>,
}

/// The topmost key on the way to a value that no version reads, where it holds nothing else.
pub(super) fn whole(model: &Model, release: &Release, path: &str) -> Option<WholeKey> {
    let chart = KarpenterChart::of(release)?;
    let is_dead = |path: &str| {
        chart.versions.iter().all(|it| chart.values.reading(path, it) == Reading::Nothing)
    };
    let mut map = &release.values;
    let mut above = String::new();
    for key in path.split('.') {
        let entry = map.as_map()?.entry(key)?;
        above = below(&above, key);
        // What leads there may have been made by the `set` of something else.
        let is_key = above == path || is_written_alone(model, entry);
        if is_key && is_dead(&above) {
            return is_one(&entry.value).then(|| WholeKey {
                span: entry.key_span,
                rename: rename::change(model, &chart, (map, entry), &above),
            });
        }
        map = &entry.value;
    }
    None
}

/// Whether a value is one value, in mappings of one key each.
fn is_one(value: &Value) -> bool {
    let Some(map) = value.as_map() else { return true };
    map.rest.is_none() && matches!(&*map.entries, [only] if is_one(&only.value))
}

/// Whether a former name goes with all other settings of a chart whose version is not known: who gives it none but
/// `settings.aws` has one that reads these.
pub(super) fn goes_with_others(release: &Release, name: &str) -> bool {
    let settings = release.values.at("settings").present();
    let is_former = matches!(settings.map(Value::entries), Some([it]) if &*it.key == "aws");
    is_former && release.allowed().is_none() && name.starts_with("settings.aws.")
}
