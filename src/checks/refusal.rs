//! What the API server refuses of a resource where it is.

mod carried;
mod certain;
mod dropped;
mod explained;
mod few;
mod help;
mod installed;
mod joined;
mod kind;
mod left_out;
mod meant;
mod null_output;
mod retired;

use crate::{
    checks::{
        admission::{
            fault::{Fault, FaultKind},
            faults, faults_of_newest, faults_within,
            path::PathStep,
            takes_text,
            words::{case::FaultWording, words},
        },
        migration::{move_of, superseded},
        refusal::{
            certain::{has_sibling, is_certain, is_to_be_replaced},
            explained::{explains, is_explained},
            installed::{Installed, installed},
            retired::is_same,
        },
        serving::controllers_of,
    },
    findings::{change::Change, mention::Claim, note::Note, silence::Silence},
    knowledge::schema::{self, checks::Check, fields::FieldType},
    model::{Model, installation::Installation, karpenter_object::KarpenterObject},
    resolve::setting::{self, Setting},
    source::Span,
    value::{Entry, Kind, Value, cause::Cause},
    version::Version,
};

/// One thing the API server refuses of a resource.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    /// Where it is.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// The changes that surely correct it, and what they do.
    pub correction: Option<(String, Vec<Change>)>,
    /// Whether the rest of the resource is applied without it.
    pub is_dropped: bool,
    /// Whether the field that is meant is written beside it.
    pub is_leftover: bool,
    /// What a file may say that lets it in all the same.
    pub unless: Option<Claim>,
    /// What makes it wrong: the release of Karpenter.
    pub notes: Vec<Note>,
}

/// What the API server refuses of a resource, with the releases of the controller near it, or with the
/// version that the configuration assumes where there is none.
#[must_use]
pub(crate) fn refusals(model: &Model, object: &KarpenterObject) -> Vec<Refusal> {
    let mut found = as_written(model, object);
    let meant = meant::as_meant(model, object);
    found.extend(meant.iter().flat_map(|it| as_written(model, it)));
    found
}

/// What it refuses with the version of the API that the resource has.
fn as_written(model: &Model, object: &KarpenterObject) -> Vec<Refusal> {
    let own = &object.object;
    let releases = controllers_of(model, object);
    let installed = installed(model, &releases, object);
    let versions = &installed.versions;
    let is_described = schema::of_any(&own.api_version, &own.kind).is_some();
    if schema::kind(own.group(), &own.kind).is_none() && !is_described {
        return kind::refusal(object, versions).map(of_kind).into_iter().collect();
    }
    let found = found(object, &installed);
    let always = if versions.is_empty() || found.is_empty() {
        Vec::new()
    } else {
        faults(&own.value, &own.kind, &own.api_version, None)
    };
    let dropping = dropped::drops_unknown(model, object);
    let is_lenient = dropping.is_some() || object.scope.left_out.is_some();
    let is_lost_anyway = |it: &Fault| is_lenient && dropped::is_of_status(it);
    // Whose name is wrong is missing by its right one.
    let is_needed = |it: &Fault, words: &FaultWording| {
        found.iter().any(|(missing, _)| explains((it, words), missing, object))
    };
    let shown = found.iter().filter(|(it, _)| {
        is_certain(object, it)
            && !is_explained(it, &found, object)
            && !left_out::is_for_installer(model, object, it)
            && !is_lost_anyway(it)
    });
    let told = joined::by_reference(shown).into_iter().map(|(fault, words)| {
        let by_version = !versions.is_empty() && !always.iter().any(|it| is_same(it, fault));
        let notes = releases.iter().filter(|_| by_version).map(|it| this_is(it));
        let mut notes: Vec<Note> = notes.collect();
        let left_out = left_out::by(model, object, fault);
        notes.extend(left_out.map(left_out::note));
        let is_dropped = || fault.is_unknown() && !is_needed(fault, &words);
        let dropped = dropping.as_ref().filter(|_| is_dropped());
        notes.extend(dropped.cloned());
        if let FaultKind::Duplicate { first } = fault.kind {
            notes.push(Note { span: first, message: "the first one".to_owned() });
        }
        Refusal {
            span: fault.span,
            message: words.message.clone(),
            help: help::help(object, (fault, &words), left_out),
            correction: correction(object, fault, &words)
                .map(|(title, change)| (title, vec![change]))
                .or_else(|| moved(model, object, fault)),
            is_dropped: dropped.is_some(),
            is_leftover: help::right_one(object, fault, &words).is_some(),
            unless: fault.by_webhook.then_some(Claim::WebhooksRemoved),
            notes,
        }
    });
    let null = null_output::null_profile(model, object).map(of_null_profile);
    told.chain(null).collect()
}

/// What the installed releases refuse of a resource, with what is said of it.
fn found(object: &KarpenterObject, installed: &Installed) -> Vec<(Fault, FaultWording)> {
    let own = &object.object;
    let schema = schema::of_any(&own.api_version, &own.kind);
    let serves = |it: &&Version| schema.is_some_and(|schema| schema.is_served_by(it));
    let release = installed.versions.iter().find(serves).or(installed.versions.first());
    let api = installed.successor.as_deref().unwrap_or(&own.api_version);
    let mut found = Vec::new();
    let of_value = |value: &Value| of_all(object, value, installed);
    let certain = of_value(&own.value);
    let of_few = few::in_all(&own.value, &certain, &of_value);
    for fault in certain.into_iter().chain(of_few) {
        found.push(worded(object, fault, (api, release)));
        // What no release admits stays wrong once one is installed that serves the version of the API.
        if is_unserved(&found[0].0) && release.is_some() {
            let others = faults(&own.value, &own.kind, &own.api_version, None);
            let others = others.into_iter().filter(|it| !is_unserved(it));
            found.extend(others.map(|it| worded(object, it, (api, None))));
        }
    }
    found
}

fn of_kind(it: kind::NoSuchKind) -> Refusal {
    let kind::NoSuchKind { span, message, help } = it;
    let (is_dropped, is_leftover) = (false, false);
    let (correction, unless, notes) = (None, None, Vec::new());
    Refusal { span, message, help, correction, is_dropped, is_leftover, unless, notes }
}

fn of_null_profile(it: null_output::NullProfile) -> Refusal {
    let null_output::NullProfile { span, message, help, note } = it;
    Refusal {
        span,
        message,
        help: Some(help),
        correction: None,
        is_dropped: false,
        is_leftover: false,
        unless: None,
        notes: vec![note],
    }
}

/// A fault with what is said of it in that version of the API, where that release is installed.
fn worded(
    object: &KarpenterObject,
    fault: Fault,
    (api, release): (&str, Option<&Version>),
) -> (Fault, FaultWording) {
    let words = words(&fault, &object.object.kind, api, release);
    (fault, words)
}

/// Why the API server refuses nothing of a resource for sure.
#[must_use]
pub(crate) fn admitted(model: &Model, object: &KarpenterObject) -> Silence {
    let own = &object.object;
    let releases = controllers_of(model, object);
    let installed = installed(model, &releases, object);
    let of_value = |value: &Value| of_all(object, value, &installed);
    let certain = of_value(&own.value);
    let of_few = few::in_all(&own.value, &certain, &of_value);
    if let Some(fault) = certain.first().or(of_few.first()) {
        let words = if is_to_be_replaced(object, fault) {
            "what is refused is to be replaced, as its text or the comment at it says"
        } else {
            "a patch, or other values, may change what is refused"
        };
        return Silence::undecided(Cause::Value, words).at(fault.span, "what is refused");
    }
    if let Some((field, fault)) = few::in_some(&own.value, &certain, &of_value) {
        let silence = setting::unknown_at(&format!("`{field}`"), &own.value, &field.to_string());
        let silence = silence.adding(", and one of the values that it may be is refused");
        return silence.at(fault.span, "this one");
    }
    if own.value.get("spec").is_unknown() {
        return setting::unknown_at("its `spec`", &own.value, "spec");
    }
    let open = own.value.get("spec").present().filter(|it| is_open(it));
    let open = open.map(|it| Setting::written(it, |_| None::<()>));
    if let Some(Err(silence)) = open.as_ref().map(|it| it.decided("part of its `spec`")) {
        return silence;
    }
    if installed.successor.is_some() {
        let words = "the release installed no longer serves it, and what is wrong goes with the version of the API";
        return Silence::sound(words);
    }
    let by_newest = faults_of_newest(&own.value, &own.kind, &own.api_version);
    match by_newest.first().filter(|_| installed.versions.is_empty()) {
        Some(fault) => {
            let words = "whether the release installed refuses part of it hangs on its version";
            Silence::undecided(Cause::Version, words).at(fault.span, "the newest one refuses this")
        }
        None => Silence::sound("nothing in it that is known is refused"),
    }
}

/// Fields that hold others: where one is not known as a whole, what it holds may be refused.
const BLOCKS: [&str; 5] = ["disruption", "budgets", "template", "requirements", "nodeClassRef"];

/// Whether fields may be in it that are not seen.
fn is_open(value: &Value) -> bool {
    let is_hidden = |it: &Entry| it.value.is_unknown() && BLOCKS.contains(&&*it.key);
    match &value.kind {
        Kind::Map(map) => {
            let mut entries = map.entries.iter();
            map.rest.is_some() || entries.any(|it| is_hidden(it) || is_open(&it.value))
        }
        Kind::List(list) => list.rest.is_some() || list.items.iter().any(is_open),
        _ => false,
    }
}

fn this_is(release: &Installation) -> Note {
    let version = release.exact_version().map_or((0, 0), |it| it.line());
    let message = format!("this is Karpenter {}.{}", version.0, version.1);
    Note { span: release.version.span(), message }
}

/// What all of these versions refuse; without any, what every release does.
fn of_all(object: &KarpenterObject, value: &Value, installed: &Installed) -> Vec<Fault> {
    let own = &object.object;
    let is_made = |it: &Fault| installed.has_webhook || !it.by_webhook;
    let of = |it| {
        let mut found = faults(value, &own.kind, &own.api_version, it);
        found.retain(is_made);
        found
    };
    let found: Vec<Vec<Fault>> = installed.versions.iter().map(|it| of(Some(it))).collect();
    // It is meant for those that serve it, if any do.
    let served = found.iter().filter(|it| !it.iter().any(is_unserved));
    let mut all = served.chain(found.iter().filter(|it| it.iter().any(is_unserved)));
    let Some(first) = all.next() else {
        let found = match object.served_beside {
            Some(ranges) => {
                let mut found = faults_within(value, &own.kind, &own.api_version, ranges);
                found.retain(is_made);
                found
            }
            None => of(None),
        };
        return match &installed.successor {
            _ if installed.is_deleted => Vec::new(),
            _ if installed.is_replaced => carried::that_stay(own, found),
            Some(api) => retired::that_stay(&found, faults(value, &own.kind, api, None)),
            None => found,
        };
    };
    let others: Vec<_> =
        all.filter(|it| it.iter().any(is_unserved) == first.iter().any(is_unserved)).collect();
    let common =
        |fault: &&Fault| others.iter().all(|there| there.iter().any(|it| is_same(it, fault)));
    first.iter().filter(common).cloned().collect()
}

fn is_unserved(fault: &Fault) -> bool {
    matches!(fault.kind, FaultKind::Unserved)
}

/// The change that surely corrects a fault, if its text is written in the resource itself, or in the values of
/// the chart that makes it.
fn correction(
    object: &KarpenterObject,
    fault: &Fault,
    words: &FaultWording,
) -> Option<(String, Change)> {
    let whole = object.object.value.span;
    let of_chart = object.subject.as_ref().is_some_and(|it| it.rendered.is_some());
    let is_filled_in = of_chart && fault.span.file != whole.file;
    let inside = (whole.contains(fault.span) || is_filled_in) && !object.is_rendered();
    let value = fault.value.as_ref().filter(|_| inside);
    let is_key = matches!(
        &fault.kind,
        FaultKind::Unknown { .. } | FaultKind::Check { check: Check::KnownKey(_), .. }
    );
    if let Some(meant) = &words.meant {
        let written = match fault.path.parts().last()? {
            PathStep::Name(name) if is_key => &**name,
            PathStep::Item(_) if is_key => return None,
            _ => value?.as_str()?,
        };
        let change = Change::reword(fault.span, written, meant);
        let is_clear = inside && !has_sibling(object, fault, meant);
        return is_clear.then(|| (format!("Write `{meant}`"), change));
    }
    let wants_text =
        matches!(fault.kind, FaultKind::Type(FieldType::Text | FieldType::IntegerOrText))
            || matches!(&fault.kind, FaultKind::Check { check: Check::NegativeAmount, .. });
    let value = value.filter(|_| wants_text)?;
    let text = match &value.kind {
        Kind::Bool(it) => it.to_string(),
        Kind::Number(it) => it.to_string(),
        _ => return None,
    };
    let own = &object.object;
    let is_taken = takes_text(&own.kind, &own.api_version, &fault.field, &text);
    is_taken.then(|| ("Put it in quotes".to_owned(), Change::Quote(value.clone())))
}

/// The changes that bring a field of an older version of the API to where it is now.
fn moved(model: &Model, object: &KarpenterObject, fault: &Fault) -> Option<(String, Vec<Change>)> {
    let is_unknown = matches!(fault.kind, FaultKind::Unknown { .. });
    let field = Some(&fault.field).filter(|_| is_unknown)?;
    let changes = move_of(object, field, &model.karpenter_objects)?;
    let name = field.rsplit('.').next().unwrap_or(field);
    if superseded(object, field).is_some() {
        return Some((format!("Remove `{name}`"), changes));
    }
    let title = match schema::moved(&object.object.kind, field).and_then(|it| it.to.as_ref()) {
        Some(to) if to.kind == *object.object.kind => format!("Write it as `{}`", to.path),
        Some(to) => format!("Move `{name}` to `{}` of the {}", to.path, to.kind),
        None => format!("Remove `{name}`"),
    };
    Some((title, changes))
}
