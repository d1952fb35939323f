//! Values that the chart does not read.

use std::collections::HashSet;

use crate::{
    checks::{
        chart_value::{
            KarpenterChart, below,
            dead_value::{DeadValue, Loss, RenameRisk, joined},
            is_nothing, is_written_alone,
            loss::{is_off, loss},
            misplaced::{beside, beside_key, misplaced, read_by_another},
            moved,
            queue::QUEUE,
            queue_name, rename,
            unset::told_as_unset,
            written_version,
        },
        varying::{self, is_version_varying},
    },
    findings::{silence::Silence, subject::Subject},
    knowledge::chart_values::{Reading, UnreadReason},
    model::Model,
    source::Span,
    value::{Entry, HOLE_START, Kind, Value, cause::Cause},
    version::Version,
};

/// The releases of Karpenter's charts, those by hand too, and the values of each that have no effect. What one release reads of a
/// file that several share is not dead.
#[must_use]
pub(crate) fn values(model: &Model) -> Vec<(Span, Result<Vec<DeadValue>, Silence>)> {
    let mut found = Vec::new();
    let mut alive = model.shared_keys.clone();
    let all = || model.releases.iter().chain(&model.values_files);
    let charts = || all().filter_map(KarpenterChart::of);
    let wrapped: HashSet<_> = charts().filter_map(|it| it.release.values_key.as_ref()).collect();
    // Another chart may read what it shares with Karpenter's, but not what it passes on to it.
    for release in model.releases.iter().filter(|it| KarpenterChart::of(it).is_none()) {
        let own = |it: &&Entry| release.local_chart.is_none() || !wrapped.contains(&it.key);
        release.values.entries().iter().filter(own).for_each(|it| add_keys(it, &mut alive));
    }
    for chart in charts() {
        let mut search =
            DeadValueSearch { model, chart: &chart, found: Vec::new(), alive: &mut alive };
        search.inside(&chart.release.values, "");
        let mut dead = search.found;
        // What one version of several does not read, another may.
        if dead.iter().any(|it| it.why != UnreadReason::Never)
            && is_version_varying(model, chart.release)
        {
            dead.retain(|it| it.why == UnreadReason::Never);
        }
        if is_of_a_wrapper(&chart, &dead) {
            dead.clear();
        }
        // Who leaves a retired repository, as another rule asks, gets a chart that reads it.
        if chart.release.is_from_retired_repository() {
            dead.retain(|it| !matches!(it.why, UnreadReason::NotBefore(_)));
        }
        found.push((chart, dead));
    }
    let beside: Vec<_> = found.iter().map(|(it, _)| misplaced_of(model, it, &mut alive)).collect();
    let told = told_as_unset(model);
    let judged = found.into_iter().zip(beside).map(|((chart, mut dead), beside)| {
        let place = chart.release.report_span;
        let shared = beside.as_ref().err().cloned();
        dead.extend(beside.ok().flatten());
        dead.retain(|it| !alive.contains(&it.span));
        if !dead.is_empty() && dead.iter().all(|it| told.contains(&it.span)) {
            return (
                place,
                Err(Silence::sound("the cluster's name is unset, which is that fault")),
            );
        }
        dead.retain(|it| !told.contains(&it.span));
        match (dead.is_empty(), shared) {
            (false, _) => (place, Ok(dead)),
            (true, Some(silence)) => (place, Err(silence)),
            (true, None) => (place, Err(all_read(model, &chart))),
        }
    });
    judged.collect()
}

/// What a chart is given beside its key, in one finding. Where another release reads some of that in its place, the
/// file is for that one, and what this chart would read below its key is not dead for it either.
fn misplaced_of(
    model: &Model,
    chart: &KarpenterChart<'_>,
    alive: &mut HashSet<Span>,
) -> Result<Option<DeadValue>, Silence> {
    let Some(read) = read_by_another(model, chart) else {
        return Ok(beside_key(chart, &misplaced(model, chart)));
    };
    beside(chart).for_each(|it| add_keys(it, alive));
    let words = "another release reads its values beside the key of the chart";
    let silence = Silence::undecided(Cause::Ambiguous, words);
    Err(silence.at(read, "a value that another release reads"))
}

/// Why no value of a release is surely dead.
fn all_read(model: &Model, chart: &KarpenterChart<'_>) -> Silence {
    let KarpenterChart { release, versions, .. } = chart;
    if !release.parse_errors.is_empty() {
        return Silence::undecided(Cause::Unreadable, "part of its values cannot be read");
    }
    let dead = |it: &&Entry| versions.iter().any(|at| is_dead(chart, it, "", at));
    let Some(entry) = release.values.entries().iter().find(dead) else {
        return Silence::sound("the chart reads all values that are known");
    };
    let unsure = |cause, words: &'static str| {
        Silence::undecided(cause, words).at(entry.key_span, "the value")
    };
    if release.is_from_retired_repository() {
        return Silence::sound("the chart that it is to be taken from instead reads the value")
            .at(entry.key_span, "the value");
    }
    let dead_in_all = |it: &Entry| versions.iter().all(|at| is_dead(chart, it, "", at));
    if !chart.is_upstream() && release.values.entries().iter().any(dead_in_all) {
        return unsure(Cause::Chart, "whether the chart is upstream's is not known");
    }
    if let [_] = versions.as_slice() {
        return unsure(Cause::Value, "another chart or a template may read one of its values");
    }
    let words = "some of the versions it may install do not read one of its values";
    varying::versions(model, release).err().unwrap_or_else(|| unsure(Cause::Version, words))
}

/// Whether a version reads nothing of an entry, or not all that is written inside it.
fn is_dead(chart: &KarpenterChart<'_>, entry: &Entry, above: &str, version: &Version) -> bool {
    let path = below(above, &entry.key);
    !is_nothing(&entry.value)
        && !is_common(chart, entry, &path)
        && match chart.values.reading(&path, version) {
            Reading::Whole => false,
            Reading::Nothing => true,
            Reading::Inside => {
                entry.value.entries().iter().any(|it| is_dead(chart, it, &path, version))
            }
        }
}

fn add_keys(entry: &Entry, keys: &mut HashSet<Span>) {
    keys.insert(entry.key_span);
    entry.value.entries().iter().for_each(|it| add_keys(it, keys));
}

/// Whether the values are for a chart around Karpenter's that has the same name.
fn is_of_a_wrapper(chart: &KarpenterChart<'_>, dead: &[DeadValue]) -> bool {
    let nested = |it: &DeadValue| it.path == "karpenter" || it.path.starts_with("karpenter.");
    !chart.is_upstream() && dead.iter().any(nested)
}

struct DeadValueSearch<'a> {
    model: &'a Model,
    chart: &'a KarpenterChart<'a>,
    found: Vec<DeadValue>,
    /// Where keys are written that some release reads.
    alive: &'a mut HashSet<Span>,
}

impl DeadValueSearch<'_> {
    fn inside(&mut self, map: &Value, path: &str) {
        for entry in map.entries() {
            let path = below(path, &entry.key);
            match self.reading(&path) {
                Reading::Nothing => {
                    let dead = self.dead(map, entry, &path);
                    self.found.extend(dead);
                }
                Reading::Inside => {
                    // What leads there may have been made by the `set` of something else.
                    if is_written_alone(self.model, entry) {
                        self.alive.insert(entry.key_span);
                    }
                    self.inside(&entry.value, &path);
                }
                Reading::Whole => {
                    add_keys(entry, self.alive);
                    if rename::TEXTS.contains(&path.as_str()) {
                        self.split_names(&entry.value, &path);
                    }
                }
            }
        }
    }

    /// Names with dots that a `set` gives in a mapping of texts without escaping them.
    fn split_names(&mut self, texts: &Value, above: &str) {
        let is_part = |it: &&Entry| !is_written_alone(self.model, it);
        for entry in texts.entries().iter().filter(is_part) {
            let mut names = vec![&*entry.key];
            let mut inner = entry.value.entries();
            while let [only] = inner {
                names.push(&*only.key);
                inner = only.value.entries();
            }
            if names.len() > 1 && inner.is_empty() {
                self.alive.remove(&entry.key_span);
                let path = format!("{above}.{}", names.join("."));
                let instead = vec![format!("{above}.{}", names.join("\\."))];
                let release = self.chart.release;
                self.found.push(DeadValue {
                    is_split: true,
                    ..DeadValue::misplaced(entry.key_span, path, instead, release)
                });
            }
        }
    }

    /// What the versions that may be installed do with a path, the most of all.
    fn reading(&self, path: &str) -> Reading {
        if self.chart.may_be_read_before(path) {
            return Reading::Whole;
        }
        let all = self.chart.versions.iter().map(|it| self.chart.values.reading(path, it));
        all.fold(Reading::Nothing, |most, it| match (most, it) {
            (Reading::Whole, _) | (_, Reading::Whole) => Reading::Whole,
            (Reading::Inside, _) | (_, Reading::Inside) => Reading::Inside,
            _ => Reading::Nothing,
        })
    }

    /// The key, if it is written by itself, else what is written below it with a path.
    fn dead(&self, map: &Value, entry: &Entry, path: &str) -> Vec<DeadValue> {
        // What a chart that nobody here installs leaves empty, whoever installs it fills in.
        let subject = self.chart.release.subject.as_ref();
        let is_filled_in = subject.is_some_and(Subject::is_reusable);
        if (is_nothing(&entry.value) && !is_filled_in) || self.is_for_others(entry, path) {
            return Vec::new();
        }
        // A `set` writes a whole path, and is a finding of its own.
        let alone = |it: &Entry| is_written_alone(self.model, it);
        let inner = entry.value.entries();
        let mut found = Vec::new();
        for it in inner.iter().filter(|it| !alone(it) || !alone(entry)) {
            found.extend(self.dead(&entry.value, it, &below(path, &it.key)));
        }
        if inner.is_empty() || (alone(entry) && inner.iter().any(alone)) {
            found.push(self.value(map, entry, path));
        }
        joined(found)
    }

    fn value(&self, map: &Value, entry: &Entry, path: &str) -> DeadValue {
        let values = &self.chart.release.values;
        let is_off = is_off(self.chart, path);
        let of_class = moved::field(self.model, self.chart, (path, &entry.value));
        // Under its right name it would count for no class either.
        let is_in_classes = of_class.as_ref().is_some_and(|it| it.is_of_profile && it.is_written);
        let is_for_none = is_off || is_in_classes;
        let instead = if is_for_none { Vec::new() } else { self.successors(&entry.value, path) };
        let says = |it: &Value| !is_nothing(it) && it.as_map().is_none();
        let written = |it: &String| values.at(it).present().is_some_and(says);
        let why = self.why(&entry.value, path);
        let wants_queue = instead.iter().any(|it| it == QUEUE);
        let queue = wants_queue.then(|| queue_name::risk(self.model, self.chart, entry, path));
        let may_be_refused = !instead.is_empty() && rename::may_be_refused(self.chart, entry, path);
        let refused = may_be_refused.then_some(RenameRisk::Refused);
        let no_text = rename::text_wanted((self.model, self.chart), entry, &instead);
        let dead = DeadValue {
            span: entry.key_span,
            others: Vec::new(),
            indent_below: None,
            why,
            risk: queue.flatten().or(no_text).or(refused),
            rename: rename::change(self.model, self.chart, (map, entry), path)
                .filter(|_| !is_in_classes),
            of_class,
            removal: rename::removal(self.model, self.chart, (map, entry), path),
            path: path.to_owned(),
            is_split: false,
            loss: Loss::Wish,
            replaced: !instead.is_empty() && instead.iter().all(written),
            instead,
            version: written_version(self.chart.release),
            subject: self.chart.release.subject.clone(),
        };
        let loss = match loss((self.model, self.chart), entry, &dead) {
            Loss::Wish => self.loss_inside(entry, &dead),
            loss => loss,
        };
        DeadValue { loss, ..dead }
    }

    /// What is lost with all that is written below a key that versions before these read: what none of them had is lost
    /// as long as that.
    fn loss_inside(&self, entry: &Entry, dead: &DeadValue) -> Loss {
        let inner = entry.value.as_map().filter(|it| it.rest.is_none() && !it.entries.is_empty());
        let Some(inner) = inner else { return Loss::Wish };
        let path = &dead.path;
        let why = self.chart.values.why_not(path, &self.chart.versions);
        let is_gone = matches!(why, UnreadReason::GoneSince(_));
        let loss = |it: &Entry| {
            let dead = self.value(&entry.value, it, &below(path, &it.key));
            let is_unheard =
                dead.why == UnreadReason::Never && !self.chart.values.knows_key(&it.key);
            match dead.loss {
                Loss::Wish
                    if is_gone
                        && is_unheard
                        && dead.instead.is_empty()
                        && dead.of_class.is_none() =>
                {
                    Loss::Bygone
                }
                loss => loss,
            }
        };
        let losses: Vec<Loss> = inner.entries.iter().map(loss).collect();
        match () {
            () if losses.contains(&Loss::Wish) => Loss::Wish,
            () if losses.contains(&Loss::Bygone) => Loss::Bygone,
            () => Loss::Nothing,
        }
    }

    /// Why nothing of a path is read: what is written inside counts, where a later chart reads something else there.
    fn why(&self, value: &Value, path: &str) -> UnreadReason {
        let why = self.chart.values.why_not(path, &self.chart.versions);
        let is_never =
            |it: &Entry| self.why(&it.value, &below(path, &it.key)) == UnreadReason::Never;
        let inner = value.entries();
        let is_known = why != UnreadReason::Never && !inner.is_empty();
        if is_known && inner.iter().all(is_never) { UnreadReason::Never } else { why }
    }

    /// What the chart reads instead of a path, or of what is written below it.
    fn successors(&self, value: &Value, path: &str) -> Vec<String> {
        let (chart, versions) = (self.chart.values, &self.chart.versions);
        let newest = versions.iter().max().map(std::slice::from_ref).unwrap_or_default();
        let name = chart.name_in(path, versions).or_else(|| chart.name_in(path, newest));
        let reads_all =
            |it: &String| versions.iter().all(|at| chart.reading(it, at) == Reading::Whole);
        if let Some(name) = name.as_ref().filter(|it| reads_all(it)) {
            return vec![name.clone()];
        }
        // Parts of it may have names of their own.
        let inner = value.entries().iter().filter(|it| is_written_alone(self.model, it));
        let mut inner: Vec<String> =
            inner.flat_map(|it| self.successors(&it.value, &below(path, &it.key))).collect();
        let mut named = HashSet::new();
        inner.retain(|it| named.insert(it.clone()));
        if !inner.is_empty() {
            return inner;
        }
        // What is written below a name that reads none of it would be dead there, too.
        let is_whole = value.as_map().is_none_or(|it| it.rest.is_some() || it.entries.is_empty());
        let mistaken = || moved::under_another_key(self.chart, path);
        name.filter(|_| is_whole).or_else(mistaken).into_iter().collect()
    }

    /// Whether something else may read it: another chart, or a template around this one.
    fn is_for_others(&self, entry: &Entry, path: &str) -> bool {
        // What a condition chooses may be null.
        let chosen = matches!(&entry.value.kind, Kind::Unknown(it) if it.text.contains('?'));
        let sure = self.chart.is_upstream()
            || (path.starts_with("settings.") && self.chart.values.knows(path));
        is_common(self.chart, entry, path)
            || chosen
            || !sure
            || entry.key.contains(HOLE_START)
            || self.is_in_templates(path)
    }

    /// Whether a template reads it: of the chart around it, or of the copy of the chart.
    fn is_in_templates(&self, path: &str) -> bool {
        let release = self.chart.release;
        let own = release.copy().map(|it| format!("{it}.Values.{path}"));
        let around = || Some(format!(".{}.{path}", release.values_key.as_ref()?));
        let Some(text) = own.or_else(around) else { return false };
        self.model.template_references.iter().any(|it| it.contains(&text))
    }
}

/// Whether a key at the top is one that Helm or the author keeps for something else.
fn is_common(chart: &KarpenterChart<'_>, entry: &Entry, path: &str) -> bool {
    let mark = entry.key.starts_with(['_', '.', '<']) || entry.key.starts_with("x-");
    let condition = chart.release.is_wrapped() && &*entry.key == "enabled";
    path == below("", &entry.key) && (&*entry.key == "global" || mark || condition)
}
