//! What is said of a field that is not there: since when, until when, where else, or what was meant.

use crate::{
    checks::admission::words::case::{FaultContext, FaultWording, closest, list},
    knowledge::schema::{
        self, Schema,
        fields::{FieldSchema, FieldType},
    },
    time::duration,
    value::Value,
};

/// What is said of an unknown name.
pub(super) fn words(case: &FaultContext<'_>, name: &str, known: &[&'static str]) -> FaultWording {
    let holder = case.holder();
    let meant = closest(name, known.iter().copied()).or_else(|| begun(name, known));
    if let Some(meant) = meant.filter(|it| it.eq_ignore_ascii_case(name)) {
        return FaultWording::say(format!("{holder} has no `{name}`: it is `{meant}`"))
            .help(format!("Write `{meant}`"))
            .meant(meant);
    }
    let at_home = of_metadata(case, name, &holder)
        .or_else(|| by_release(case, name, &holder))
        .or_else(|| of_successor(case, name, &holder))
        .or_else(|| moved(case, name, &holder));
    if let Some(words) = at_home.or_else(|| elsewhere(case, name, &holder)) {
        return words;
    }
    let words = FaultWording::say(format!("{holder} has no `{name}`"));
    match meant {
        Some(meant) => words.help(format!("Did you mean `{meant}`?")).meant(meant),
        None => match core_of(name, known) {
            Some(core) => words.help(format!("Did you mean `{core}`?")),
            None if known.len() > MOST => words,
            None => words.help(format!("It has {}", list(known, "and"))),
        },
    }
}

/// The only known name that begins with a shorter one: of `op`, `operator`.
fn begun(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let mut found = known.iter().filter(|it| name.len() > 1 && it.starts_with(name));
    let only = found.next()?;
    found.next().is_none().then_some(only)
}

/// The only known name of several words that a longer one ends with: of `instanceMetadataOptions`, `metadataOptions`.
fn core_of(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let is_core = |it: &&&str| {
        let words = it.chars().filter(char::is_ascii_uppercase).count();
        let (first, rest) = it.split_at_checked(1).unwrap_or_default();
        words > 0 && name.ends_with(&format!("{}{rest}", first.to_ascii_uppercase()))
    };
    let mut found = known.iter().filter(is_core);
    let core = found.next()?;
    found.next().is_none().then_some(core)
}

/// What only the metadata has, where it is written beside it.
fn of_metadata(case: &FaultContext<'_>, name: &str, holder: &str) -> Option<FaultWording> {
    let is_its = matches!(name, "name" | "namespace" | "labels" | "annotations");
    (is_its && case.fault.field == name).then(|| at(holder, name, &format!("metadata.{name}")))
}

/// More names than this are not listed.
const MOST: usize = 12;

/// A field that another release or another version of the API has at this very place.
fn by_release(case: &FaultContext<'_>, name: &str, holder: &str) -> Option<FaultWording> {
    let path = &case.fault.field;
    if let Some(field) = case.schema().and_then(|it| it.field(path)) {
        return since(case, name, field);
    }
    let group = case.api.split('/').next()?;
    let schemas = &schema::any_kind(group, case.kind)?.schemas;
    let has = |it: &&Schema| it.field(path).is_some() && it.api_version() != case.api;
    let newer = schemas.iter().rev().take_while(|it| it.api_version() != case.api).find(has);
    let newer = newer.map(|it| {
        let message = format!("{holder} has no `{name}`: it came with `{}`", it.version);
        let here = older_place(case).zip(case.api.rsplit('/').next());
        FaultWording::say(message).help(match here {
            Some((place, version)) => format!("In `{version}` it is `{place}`"),
            None => format!("Write `apiVersion: {}`", it.api_version()),
        })
    });
    let gone = || {
        schema::moved(case.kind, path).is_none().then(|| schemas.iter().find(has))?.map(|it| {
            FaultWording::say(format!("{holder} has no `{name}`: only `{}` had it", it.version))
        })
    };
    newer.or_else(gone)
}

/// A field of the kind that took the place of a former one.
fn of_successor(case: &FaultContext<'_>, name: &str, holder: &str) -> Option<FaultWording> {
    let group = case.api.split('/').next()?;
    let next = &schema::retired_kind(group, case.kind)?.successor;
    // The limits of a NodePool are those that a Provisioner has one level lower.
    let is_limit = case.fault.field == format!("spec.limits.{name}");
    if is_limit && places(group, case.kind, name, case.api).is_empty() {
        return Some(at(holder, name, &format!("spec.limits.resources.{name}")));
    }
    let mut schemas = schema::kind(group, next)?.schemas.iter().rev();
    let newest = schemas.find(|it| it.field(&case.fault.field).is_some())?;
    let former = schema::moves().iter().find(|it| {
        let to = it.to.as_ref();
        it.kind == case.kind && to.is_some_and(|to| to.path == case.fault.field)
    });
    let help = match former {
        Some(it) => format!("It is `{}` here", it.from),
        None => {
            format!("Write {} {next} of `{}`, or leave it out", article(next), newest.api_version())
        }
    };
    Some(
        FaultWording::say(format!("{holder} has no `{name}`: it belongs to the {next}")).help(help),
    )
}

fn article(kind: &str) -> &'static str {
    if kind.starts_with('E') { "an" } else { "a" }
}

/// Where the version of the API that is written has a field that moved to this place later.
fn older_place(case: &FaultContext<'_>) -> Option<&'static str> {
    let schema = case.schema()?;
    let is_here = |it: &&schema::retired::Move| {
        let to = it.to.as_ref();
        it.kind == case.kind
            && to.is_some_and(|to| to.kind == it.kind && to.path == case.fault.field)
    };
    let moved = schema::moves().iter().find(is_here)?;
    schema.field(&moved.from).map(|_| &*moved.from)
}

fn since(case: &FaultContext<'_>, name: &str, field: &FieldSchema) -> Option<FaultWording> {
    let release = case.release?;
    let (major, minor) = release.line();
    if let Some(since) = field.since().filter(|it| release < *it) {
        let message = format!("Karpenter {major}.{minor} has no `{name}`: it came with {since}");
        let help = format!("Leave it out, or install {since} or newer");
        return Some(FaultWording::say(message).help(help));
    }
    let until = field.until().filter(|it| *it <= release)?;
    Some(FaultWording::say(format!(
        "Karpenter {major}.{minor} has no `{name}`: it went with {until}"
    )))
}

/// A field that is elsewhere since a new version of the API, or since a kind that is gone.
fn moved(case: &FaultContext<'_>, name: &str, holder: &str) -> Option<FaultWording> {
    let group = case.api.split('/').next()?;
    // What a former kind has not has gone nowhere.
    if schema::retired_kind(group, case.kind).is_some() {
        return None;
    }
    let path = &case.fault.field;
    let to_here = |it: &&schema::retired::Move| {
        it.to.as_ref().is_some_and(|it| it.kind == case.kind) && it.from == *path
    };
    let found = schema::moved(case.kind, path).or_else(|| schema::moves().iter().find(to_here))?;
    let Some(to) = &found.to else {
        return Some(FaultWording::say(format!("{holder} has no `{name}` any more")));
    };
    // What moved once may have moved again.
    let again = || schema::moved(&to.kind, &to.path).and_then(|it| it.to.as_ref());
    let has_it =
        to.kind != case.kind || case.schema().is_some_and(|it| it.field(&to.path).is_some());
    let to = if has_it { to } else { again().unwrap_or(to) };
    if to.kind != case.kind {
        let message = format!("{holder} has no `{name}`: it belongs to the {}", to.kind);
        return Some(FaultWording::say(message).help(there(case, &to.kind, &to.path)));
    }
    Some(at(holder, name, &to.path).map_help(|it| caution(case, it)))
}

/// What to mind about a value that a field has where nothing read it.
fn caution(case: &FaultContext<'_>, help: String) -> String {
    let value = case.fault.value.as_ref().and_then(Value::as_str);
    let is_short = |it: &&str| duration::seconds(it).is_some_and(|it| it < SHORT);
    match value.filter(is_short).filter(|_| case.last() == "expireAfter") {
        Some(value) => format!("{help}, but with a longer time: every node goes after `{value}`"),
        None => help,
    }
}

/// Seconds that no node should live shorter than: a day.
const SHORT: f64 = 86_400.0;

/// Says where a field is.
fn at(holder: &str, name: &str, path: &str) -> FaultWording {
    let (outer, last) = path.rsplit_once('.').unwrap_or(("", path));
    if last == name {
        return FaultWording::say(format!("{holder} has no `{name}`: it belongs to `{outer}`"))
            .help(format!("Write it as `{path}`"));
    }
    FaultWording::say(format!("{holder} has no `{name}`: it is `{last}` now"))
        .help(format!("Write it as `{path}`"))
}

/// The kinds among whose fields others are looked for.
const NEIGHBOURS: [(&str, &str); 2] =
    [("karpenter.sh", "NodePool"), ("karpenter.k8s.aws", "EC2NodeClass")];

/// A field that is at another place, of this kind or of the other.
fn elsewhere(case: &FaultContext<'_>, name: &str, holder: &str) -> Option<FaultWording> {
    let group = case.api.split('/').next()?;
    let own = places(group, case.kind, name, case.api);
    if !own.is_empty() {
        return own.only().map(|path| at(holder, name, path));
    }
    let version = case.api.rsplit('/').next()?;
    let others = NEIGHBOURS.iter().filter(|it| it.1 != case.kind);
    others.into_iter().find_map(|(group, kind)| {
        let found = places(group, kind, name, &format!("{group}/{version}"));
        let path = found.only()?;
        let message = format!("{holder} has no `{name}`: it belongs to the {kind}");
        Some(FaultWording::say(message).help(there(case, kind, path)))
    })
}

/// Where another kind has a field, and what of the value it does not have there.
fn there(case: &FaultContext<'_>, kind: &str, path: &str) -> String {
    let help = format!("It is `{path}` there");
    let unknown = unknown_there(case, kind, path).unwrap_or_default();
    if unknown.is_empty() {
        return help;
    }
    format!("{help}, where there is no {}: leave that out", list(&unknown, "and no"))
}

/// The keys of the value at fault that another kind does not have where the value belongs.
fn unknown_there(case: &FaultContext<'_>, kind: &str, path: &str) -> Option<Vec<String>> {
    let group = NEIGHBOURS.iter().find(|it| it.1 == kind)?.0;
    let version = case.api.rsplit('/').next()?;
    let schema = schema::of(&format!("{group}/{version}"), kind)?;
    let shape = &schema.field(path)?.facts.last()?.shape;
    let entries = case.fault.value.as_ref().filter(|_| shape.holds == FieldType::Object)?.entries();
    let keys = entries.iter().map(|it| it.key.to_string());
    Some(keys.filter(|it| schema.field(&format!("{path}.{it}")).is_none()).collect())
}

/// Where the specification of a kind has a field of some name.
struct Places(Vec<&'static str>);

fn places(group: &str, kind: &str, name: &str, api: &str) -> Places {
    let found = schema::any_kind(group, kind).into_iter().flat_map(|it| it.places_of(name));
    let found = found.filter(|(schema, _)| schema.api_version() == api);
    Places(
        found.map(|(_, field)| field.path.as_str()).filter(|it| it.starts_with("spec.")).collect(),
    )
}

impl Places {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The only place, if it is not inside a list or a map.
    fn only(&self) -> Option<&'static str> {
        match self.0.as_slice() {
            [only] => Some(only).filter(|it| !it.contains(['[', '{'])).copied(),
            _ => None,
        }
    }
}
