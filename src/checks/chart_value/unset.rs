//! Settings that Karpenter needs and that are not set.

use std::{collections::HashSet, sync::Arc};

use crate::{
    checks::{
        chart_value::{
            KarpenterChart, below,
            closed::is_closed,
            former::{FormerName, goes_with_others, whole},
            is_nothing, is_written_alone,
            misplaced::{are_in_place, misplaced},
            written_version,
        },
        unread::unread_or_of_callers,
    },
    findings::{silence::Silence, subject::Subject},
    knowledge::chart_values::Reading,
    model::Model,
    resolve::{
        answers::any,
        release::{Installer, Release, surface::Surface},
        setting::unknown_at,
        terraform::inputs::is_of_variable,
    },
    source::Span,
    value::{Entry, Field, Value, cause::Cause},
    version::Version,
};

/// A setting that Karpenter needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needed {
    /// The name of its cluster.
    ClusterName,
    /// The name of the queue by which EC2 announces interruptions.
    InterruptionQueue,
}

impl Needed {
    /// What it is called today.
    fn path(self) -> &'static str {
        match self {
            Self::ClusterName => "settings.clusterName",
            Self::InterruptionQueue => "settings.interruptionQueue",
        }
    }

    /// The variable in the controller's environment that says the same.
    pub(crate) fn variable(self) -> &'static str {
        match self {
            Self::ClusterName => "CLUSTER_NAME",
            Self::InterruptionQueue => "INTERRUPTION_QUEUE",
        }
    }

    /// Whether a key is meant for it, wherever it is written.
    pub(super) fn is_meant_by(self, key: &str) -> bool {
        let key = key.replace(['_', '-'], "").to_lowercase();
        match self {
            Self::ClusterName => key == "clustername",
            Self::InterruptionQueue => key.contains("interruptionqueue"),
        }
    }
}

/// A value that is not written, or empty.
#[derive(Clone, Debug)]
pub(crate) struct Unset {
    /// What it is missing from, or the empty value.
    pub span: Span,
    /// Where it should be written, from the top of the values.
    pub path: String,
    /// The key that the values of a chart lack, where its dependency reads its own.
    pub missing_key: Option<Arc<str>>,
    /// Whether the values are right but for that key.
    pub to_indent: bool,
    /// Whether the chart refuses to be installed without it.
    pub refused: bool,
    /// Where the version is written, and which it is.
    pub version: Option<(Span, Arc<str>)>,
    /// Where it is written under a former name that this version does not read.
    pub former: Option<FormerName>,
    /// Which of several instances of its release.
    pub subject: Option<Subject>,
}

impl Unset {
    /// How to set it: to the name of `what`.
    #[must_use]
    pub(crate) fn help(&self, what: &str) -> String {
        self.help_after("", what)
    }

    /// How to set it once something else is done.
    #[must_use]
    pub(crate) fn help_after(&self, first: &str, what: &str) -> String {
        let verb = if first.is_empty() { "Set" } else { "set" };
        let set = format!("{first}{verb} `{}` to the name of {what}", self.path);
        match &self.missing_key {
            Some(key) => {
                format!("{set}: the values lack the key `{key}`, where this chart reads its own")
            }
            None => set,
        }
    }
}

/// The first chart whose settings are known: the older ones have others.
const FIRST_KNOWN: Version = Version::new(0, 16, 0);

/// The last minor release in the retired repository.
const LAST_OF_RETIRED: (u64, u64) = (0, 16);

/// The first chart that is not rendered without a cluster's name.
const REQUIRED_SINCE: Version = Version::new(1, 5, 0);

/// The value that a controller needs and is not given.
pub(crate) fn unset(model: &Model, release: &Release, needed: Needed) -> Result<Unset, Silence> {
    is_all_seen(release)?;
    let chart = since_it_is_read(upstream_chart(release)?, needed);
    let names = chart.values.names_of(needed.path());
    let reads = |name: &str, it: &Version| chart.values.reading(name, it) == Reading::Whole;
    let all = |name: &&String| chart.versions.iter().all(|it| reads(name, it));
    let any = |name: &&String| chart.versions.iter().any(|it| reads(name, it));
    let beside = names.iter().filter(any).find(|it| goes_with_others(release, it));
    let path = beside.or_else(|| names.iter().rfind(all));
    let path = path.map_or(needed.path(), String::as_str);
    if !chart.versions.iter().all(|it| names.iter().any(|name| reads(name, it))) {
        release.version.decided("the version")?;
        return Err(Silence::sound("not every version that may be installed has this setting"));
    }
    let refused = chart.versions.iter().all(|it| *it >= REQUIRED_SINCE);
    let refused = refused && needed == Needed::ClusterName;
    is_set_by(release, &chart, (names, path), needed, refused)?;
    is_set_for_successor(release, names)?;
    let meant = meant_beside(model, &chart, needed);
    may_be_given(model, release, path, (needed, meant.is_some()))?;
    let key = release.values_key.as_deref();
    let missing_key = release.values_key.clone().filter(|_| release.values.entries().is_empty());
    let to_indent =
        meant.is_some() && missing_key.is_some() && are_in_place(&chart, &misplaced(model, &chart));
    Ok(Unset {
        span: place(model, release, path),
        path: key.map_or_else(|| path.to_owned(), |it| format!("{it}.{path}")),
        missing_key,
        to_indent,
        refused,
        version: written_version(release),
        former: meant.or_else(|| {
            names.iter().filter(|it| *it != path).find_map(|it| former(model, release, it))
        }),
        subject: release.subject.clone(),
    })
}

/// The keys that are nothing but the cluster's name under a former name, and the first of those beside the key of the
/// chart, where the controller is without that name: that is one fault, which is reported as the greater.
pub(super) fn told_as_unset(model: &Model) -> HashSet<Span> {
    let mut told = HashSet::new();
    for controller in model.controllers() {
        let Ok(unset) = unset(model, controller, Needed::ClusterName) else { continue };
        let Some(former) = unset.former else { continue };
        told.extend(former.whole.map(|it| it.span));
        let chart = KarpenterChart::of(controller).filter(|_| unset.to_indent);
        let first = chart.and_then(|it| Some(misplaced(model, &it).first()?.entry.key_span));
        told.extend(first);
    }
    told
}

/// Upstream's chart of a release, and what it reads.
fn upstream_chart(release: &Release) -> Result<KarpenterChart<'_>, Silence> {
    if release.surface() == Surface::Eksctl {
        return Err(Silence::sound("eksctl gives the chart its values"));
    }
    if !release.is_upstream() {
        let words = "the chart is not known to be upstream's";
        return Err(Silence::undecided(Cause::Chart, words));
    }
    KarpenterChart::of(release).ok_or_else(|| {
        let exact = release.exact_version();
        if exact.is_some_and(|it| it < FIRST_KNOWN) {
            return Silence::sound("its version is older than this setting");
        }
        Silence::undecided(Cause::Chart, "what the chart of its version reads is not known")
    })
}

/// A chart of a version that is not known, without the versions before the first from which on all read the setting:
/// nobody installs those by a version that is computed, or by none. The repository before the registry has no others.
fn since_it_is_read(chart: KarpenterChart<'_>, needed: Needed) -> KarpenterChart<'_> {
    let release = chart.release;
    if release.allowed().is_some() || release.is_from_retired_repository() {
        return chart;
    }
    let names = chart.values.names_of(needed.path());
    let reads =
        |it: &Version| names.iter().any(|name| chart.values.reading(name, it) == Reading::Whole);
    let first = chart.versions.iter().rposition(|it| !reads(it)).map_or(0, |it| it + 1);
    let versions: Vec<Version> = chart.versions.iter().skip(first).cloned().collect();
    if versions.is_empty() { chart } else { KarpenterChart { versions, ..chart } }
}

/// Whether all values of the release are seen, as far as they are its own.
fn is_all_seen(release: &Release) -> Result<(), Silence> {
    if release.has_external_values {
        return Err(Silence::undecided(Cause::Value, "what is not seen adds values of its own"));
    }
    if !release.parse_errors.is_empty() {
        return Err(Silence::undecided(Cause::Unreadable, "part of the values cannot be read"));
    }
    Ok(())
}

/// Says how the values give the controller what it needs; nothing where they do not.
fn is_set_by(
    release: &Release,
    chart: &KarpenterChart<'_>,
    (names, path): (&[String], &str),
    needed: Needed,
    refused: bool,
) -> Result<(), Silence> {
    let values = &release.values;
    let read = |it: &&String| {
        chart.versions.iter().any(|version| chart.values.reading(it, version) == Reading::Whole)
    };
    for name in names.iter().filter(read) {
        match values.at(name) {
            Field::Unknown => {
                return Err(unknown_at(&format!("`{name}`"), values, name));
            }
            Field::Present(it) if !is_nothing(it) => {
                return Err(Silence::sound(format!("`{name}` is set")).at(it.span, "the value"));
            }
            Field::Present(_) | Field::Missing => {}
        }
    }
    chart.is_not_set_for_older(names)?;
    // A misspelt queue is a dead value, which is another fault; without a name nothing works at all.
    if needed == Needed::InterruptionQueue && is_meant(values, needed) {
        return Err(Silence::sound(format!("another key is meant for `{path}`")));
    }
    // A chart that refuses to be installed looks at its values alone.
    let given = if refused { Some(false) } else { is_in_environment(values, needed) };
    match given {
        Some(false) => Ok(()),
        Some(true) => Err(Silence::sound("the environment of the controller sets it")),
        None => {
            let words = "the environment of the controller may set it";
            Err(Silence::undecided(Cause::Value, words))
        }
    }
}

/// Says where it is set for the charts of the registry, to which who leaves a retired repository goes, as another rule
/// asks: they read the setting by its names from within `settings`.
fn is_set_for_successor(release: &Release, names: &[String]) -> Result<(), Silence> {
    let is_of_registry = |it: &&String| it.starts_with("settings.");
    let written = |it: &String| entry_at(&release.values, it).filter(|it| !is_nothing(&it.value));
    // A version that only the registry has is the one to be taken from there.
    if release.exact_version().is_some_and(|it| it.line() > LAST_OF_RETIRED) {
        return Ok(());
    }
    let Some(entry) = names.iter().filter(is_of_registry).find_map(written) else { return Ok(()) };
    if !release.is_from_retired_repository() {
        return Ok(());
    }
    let words = "the chart that it is to be taken from instead reads the value";
    Err(Silence::sound(words).at(entry.key_span, "the value"))
}

/// Where the chart around Karpenter's means to name the cluster and sets what nothing reads: whoever installs it
/// relies on that. A queue there is a dead value, which is another fault.
fn meant_beside(model: &Model, chart: &KarpenterChart<'_>, needed: Needed) -> Option<FormerName> {
    let beside = misplaced(model, chart).into_iter().filter(|_| needed == Needed::ClusterName);
    beside.into_iter().find_map(|it| meant_in(it.entry, &it.entry.key, needed))
}

fn meant_in(entry: &Entry, path: &str, needed: Needed) -> Option<FormerName> {
    let is_text = |it: &Value| it.as_str().is_some_and(|it| !it.is_empty());
    if needed.is_meant_by(&entry.key) && is_text(&entry.value) {
        return Some(FormerName { span: entry.key_span, path: path.to_owned(), whole: None });
    }
    let mut inner = entry.value.entries().iter();
    inner.find_map(|it| meant_in(it, &below(path, &it.key), needed))
}

/// Says who else may set what is not set: callers of a module, unless it is written as empty, files of variables,
/// and who installs the chart around it, unless that chart is `meant` to set it. A name that no caller can set is
/// missing for all of them.
fn may_be_given(
    model: &Model,
    release: &Release,
    path: &str,
    (needed, meant): (Needed, bool),
) -> Result<(), Silence> {
    let written = release.values.at(path).present();
    if written.is_some_and(|it| model.inputs.may_replace(it)) {
        return Err(Silence::undecided(Cause::Value, "a file of variables sets it"));
    }
    // What a chart that nobody installs gives its releases, whoever installs it fills in.
    let is_for_anybody = release.subject.as_ref().is_some_and(Subject::is_reusable);
    let is_left_empty = is_for_anybody && entry_at(&release.values, path).is_some();
    if (release.surface() == Surface::ChartDependency && !meant) || is_left_empty {
        let words = "who installs the chart around it may set it";
        return Err(Silence::undecided(Cause::Value, words));
    }
    // What is filled in for a longer expression is not written as empty.
    let is_quotes = |it: &Value| it.span.range().len() <= 2;
    let empty = |it: &Value| it.as_str() == Some("") && is_quotes(it) && !is_of_variable(it);
    let is_open = release.reusable || release.installer != Installer::Here;
    let closed = needed == Needed::ClusterName && is_closed(model, release);
    if !meant && is_open && !closed && !written.is_some_and(empty) {
        let words = match needed {
            Needed::ClusterName => "callers of the module may set it",
            Needed::InterruptionQueue => {
                "callers of the module may set it, or drain nodes otherwise"
            }
        };
        return Err(unread_or_of_callers(model, release, words));
    }
    Ok(())
}

/// Where a value is written that says something, under a former name.
fn former(model: &Model, release: &Release, path: &str) -> Option<FormerName> {
    let entry = entry_at(&release.values, path).filter(|it| !is_nothing(&it.value))?;
    let whole = whole(model, release, path);
    Some(FormerName { span: entry.key_span, path: path.to_owned(), whole })
}

/// What is written at a path, also where it is null.
fn entry_at<'a>(values: &'a Value, path: &str) -> Option<&'a Entry> {
    let (above, key) = path.rsplit_once('.').unwrap_or(("", path));
    let map = if above.is_empty() { values } else { values.at(above).present()? };
    map.as_map()?.entry(key)
}

/// Whether nothing is there, for sure.
fn is_empty(field: Field<'_>) -> bool {
    match field {
        Field::Missing => true,
        Field::Present(value) => is_nothing(value),
        Field::Unknown => false,
    }
}

/// Whether it is written in another place, or may be.
pub(super) fn is_meant(value: &Value, needed: Needed) -> bool {
    value.entries().iter().any(|it| {
        (needed.is_meant_by(&it.key) && !is_nothing(&it.value)) || is_meant(&it.value, needed)
    })
}

/// Whether the controller gets it as a variable of its environment; `None` where that is not known.
fn is_in_environment(values: &Value, needed: Needed) -> Option<bool> {
    let controller = values.get("controller");
    let from_elsewhere = if is_empty(controller.get("envFrom")) { Some(false) } else { None };
    let listed = match controller.get("env") {
        Field::Missing => Some(false),
        Field::Unknown => None,
        Field::Present(list) => {
            let names = |it: &Value| match it.get("name") {
                Field::Present(name) => name.as_str().map(|it| it == needed.variable()),
                Field::Missing => Some(false),
                Field::Unknown => None,
            };
            let is_open = list.as_list().is_none_or(|it| it.rest.is_some());
            let rest = if is_open { None } else { Some(false) };
            any(list.items().iter().map(names).chain([rest]))
        }
    };
    any([from_elsewhere, listed])
}

/// The empty value, or the innermost mapping on the way to it that is written as one.
fn place(model: &Model, release: &Release, path: &str) -> Span {
    let mut span = release.report_span;
    let mut value = &release.values;
    for key in path.split('.') {
        let Some(entry) = value.as_map().and_then(|it| it.entry(key)) else { return span };
        value = &entry.value;
        if value.as_map().is_none() {
            return if value.span.start < value.span.end { value.span } else { entry.key_span };
        }
        if is_written_alone(model, entry) {
            span = entry.key_span;
        }
    }
    span
}
