//! What the API server refuses of a resource where it stands.

use crate::{
    edits::line::{quoted, unquoted},
    findings::{Note, edit::Edit},
    knowledge::schema::{self, checks::Check, fields::Type},
    model::{
        admission::{
            Fault, FaultKind, faults,
            path::{Part, Path},
            takes_text,
            words::{Words, words},
        },
        karpenter_object::{GROUPS, KarpenterObject},
    },
    resolve::release::Release,
    source::{Files, Span},
    value::{Kind, Layout, Value},
    version::Version,
};

/// One thing the API server refuses of a resource.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// Where it is.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// What surely mends it.
    pub mending: Option<(String, Edit)>,
    /// What makes it wrong: the release of Karpenter.
    pub notes: Vec<Note>,
}

/// What is refused of a resource beside these releases, or with the version given where there is none.
pub fn refusals(
    files: &Files,
    object: &KarpenterObject,
    releases: &[&Release],
    given: Option<&Version>,
) -> Vec<Refusal> {
    let own = &object.object;
    if schema::kind(own.group(), &own.kind).is_none() {
        return in_wrong_group(object).into_iter().collect();
    }
    let known: Option<Vec<Version>> = releases.iter().map(|it| it.exact_version()).collect();
    let given = given.filter(|_| releases.is_empty()).cloned();
    // Dozens of controllers near may have one version.
    let mut versions: Vec<Version> = Vec::new();
    for version in known.into_iter().flatten().chain(given) {
        if !versions.contains(&version) {
            versions.push(version);
        }
    }
    // What those refuse who no longer serve the version at all, another rule says.
    let until = schema::of(&own.api_version, &own.kind).and_then(schema::Schema::until);
    if until.is_some_and(|until| versions.iter().any(|it| it >= until)) {
        versions.clear();
    }
    let schema = schema::of(&own.api_version, &own.kind);
    let serves = |it: &&Version| schema.is_some_and(|schema| schema.is_served_by(it));
    let release = versions.iter().find(serves).or(versions.first());
    let found = of_all(object, &versions);
    let found: Vec<(Fault, Words)> = found
        .into_iter()
        .map(|it| {
            let words = words(&it, &own.kind, &own.api_version, release);
            (it, words)
        })
        .collect();
    let always = if versions.is_empty() || found.is_empty() {
        Vec::new()
    } else {
        faults(&own.value, &own.kind, &own.api_version, None)
    };
    let told =
        found.iter().filter(|(it, _)| object.shows(files, it) && !is_explained(it, &found, object));
    told.map(|(fault, words)| {
        let by_version = !versions.is_empty() && !always.iter().any(|it| is_same(it, fault));
        let notes = releases.iter().filter(|_| by_version).map(|it| this_is(it));
        let mut notes: Vec<Note> = notes.collect();
        if let FaultKind::Duplicate { first } = fault.kind {
            notes.push(Note { span: first, message: "the first one".to_owned() });
        }
        Refusal {
            span: fault.span,
            message: words.message.clone(),
            help: words.help.clone(),
            mending: mending(files, object, fault, words),
            notes,
        }
    })
    .collect()
}

fn this_is(release: &Release) -> Note {
    let version = release.exact_version().map_or((0, 0), |it| it.line());
    let message = format!("this is Karpenter {}.{}", version.0, version.1);
    Note { span: release.version.span(), message }
}

/// What all of these versions refuse; without any, what every release does.
fn of_all(object: &KarpenterObject, versions: &[Version]) -> Vec<Fault> {
    let own = &object.object;
    let of = |it| faults(&own.value, &own.kind, &own.api_version, it);
    let found: Vec<Vec<Fault>> = versions.iter().map(|it| of(Some(it))).collect();
    // It is meant for those that serve it, if any do.
    let served = found.iter().filter(|it| !it.iter().any(is_unserved));
    let mut all = served.chain(found.iter().filter(|it| it.iter().any(is_unserved)));
    let Some(first) = all.next() else { return of(None) };
    let others: Vec<_> =
        all.filter(|it| it.iter().any(is_unserved) == first.iter().any(is_unserved)).collect();
    let common =
        |fault: &&Fault| others.iter().all(|there| there.iter().any(|it| is_same(it, fault)));
    first.iter().filter(common).cloned().collect()
}

fn is_unserved(fault: &Fault) -> bool {
    matches!(fault.kind, FaultKind::Unserved)
}

fn is_same(a: &Fault, b: &Fault) -> bool {
    a.path == b.path && a.kind.name() == b.kind.name()
}

impl KarpenterObject {
    /// Whether a fault is there for sure: not where a patch may mend it, or where other values may.
    fn shows(&self, files: &Files, fault: &Fault) -> bool {
        let is_name = matches!(fault.kind, FaultKind::Unknown { .. } | FaultKind::Unserved);
        if self.is_rendered() || (self.is_optional && self.may_vary(files, fault)) {
            return is_name;
        }
        let is_absence = match &fault.kind {
            FaultKind::Missing { .. } | FaultKind::TooFew(_) => true,
            FaultKind::Check { check, .. } => {
                fault.value.is_none() || matches!(check, Check::OneNeeded(_) | Check::EmptyList)
            }
            _ => false,
        };
        self.is_whole || !is_absence
    }
}

impl KarpenterObject {
    /// Whether what is at fault may be something else when variables have other values.
    fn may_vary(&self, files: &Files, fault: &Fault) -> bool {
        let is_code = files.get(self.object.value.span.file).ending() == "tf";
        let is_computed = fault.value.as_ref().is_some_and(|it| match &it.kind {
            Kind::String(text) => !matches!(text.layout, Layout::Verbatim(_)),
            _ => false,
        });
        is_code || is_computed
    }
}

/// Whether a field is missing only because its name is misspelt, or because it stands where it once did.
fn is_explained(fault: &Fault, all: &[(Fault, Words)], object: &KarpenterObject) -> bool {
    let moved = |it: &Fault| {
        let moved = schema::moved(&object.object.kind, &it.field)?;
        Some(moved.to.as_ref()?.path == fault.field)
    };
    let misspelt = |it: &Fault, words: &Words| {
        let (_, outer) = it.path.parts().split_last()?;
        let meant = outer.iter().fold(Path::default(), |path, part| match part {
            Part::Name(name) => path.name(name),
            Part::Item(at) => path.item(*at),
        });
        Some(meant.name(words.meant.as_ref()?) == fault.path)
    };
    let unknown = all.iter().filter(|(it, _)| matches!(it.kind, FaultKind::Unknown { .. }));
    let is_choice = matches!(&fault.kind, FaultKind::Check { check: Check::OneNeeded(_), .. });
    if is_choice && unknown.clone().any(|(it, _)| fault.path.leads_to(&it.path)) {
        return true;
    }
    let explains =
        |it: &Fault, words: &Words| moved(it) == Some(true) || misspelt(it, words) == Some(true);
    fault.value.is_none() && unknown.into_iter().any(|(it, words)| explains(it, words))
}

/// The edit that surely mends a fault, if its text is written in the resource itself.
fn mending(
    files: &Files,
    object: &KarpenterObject,
    fault: &Fault,
    words: &Words,
) -> Option<(String, Edit)> {
    let inside = object.object.value.span.contains(fault.span) && !object.is_rendered();
    let value = fault.value.as_ref().filter(|_| inside);
    let source = unquoted(files, quoted(files, fault.span));
    let is_key = matches!(
        &fault.kind,
        FaultKind::Unknown { .. } | FaultKind::Check { check: Check::KnownKey(_), .. }
    );
    if let Some(meant) = &words.meant {
        let written = if is_key {
            match fault.path.parts().last()? {
                Part::Name(name) => &**name,
                Part::Item(_) => return None,
            }
        } else {
            value?.as_str()?
        };
        let stands = inside && files.text(source) == written && !has_sibling(object, fault, meant);
        return stands
            .then(|| (format!("Write `{meant}`"), Edit { span: source, text: meant.clone() }));
    }
    let text = matches!(fault.kind, FaultKind::Type(Type::Text | Type::IntegerOrText))
        || matches!(&fault.kind, FaultKind::Check { check: Check::NegativeAmount, .. });
    let plain = value.filter(|it| text && matches!(it.kind, Kind::Bool(_) | Kind::Number(_)))?;
    let written = files.text(plain.span);
    let is_number = !written.is_empty()
        && written.bytes().all(|it| it.is_ascii_digit() || it == b'.' || it == b'-');
    let is_bare = quoted(files, plain.span) == plain.span && !is_escaped(files, plain.span);
    let clear = (is_number || matches!(written, "true" | "false")) && is_bare;
    let its = &object.object;
    let mends = takes_text(&its.kind, &its.api_version, &fault.field, written);
    (clear && mends).then(|| {
        let edit = Edit { span: plain.span, text: format!("\"{written}\"") };
        ("Put it in quotes".to_owned(), edit)
    })
}

/// Whether the mapping around a misspelt key has the right one too.
fn has_sibling(object: &KarpenterObject, fault: &Fault, name: &str) -> bool {
    let Some((_, outer)) = fault.path.parts().split_last() else { return true };
    let mut holder: Option<&Value> = Some(&object.object.value);
    for part in outer {
        holder = holder.and_then(|it| match part {
            Part::Name(name) => it.get(name).present(),
            Part::Item(at) => it.items().get(*at),
        });
    }
    let is_key = fault.span != fault.value.as_ref().map_or(fault.span, |it| it.span);
    is_key && holder.is_none_or(|it| !it.get(name).is_missing())
}

/// Whether the line holds JSON inside a string, where quotes have to be escaped.
fn is_escaped(files: &Files, span: Span) -> bool {
    let file = files.get(span.file);
    file.slice(file.line_range(file.line_of(span.start as usize))).contains("\\\"")
}

/// A kind under the group of another.
fn in_wrong_group(object: &KarpenterObject) -> Option<Refusal> {
    let own = &object.object;
    let is_retired = schema::retired_kind(own.group(), &own.kind).is_some();
    let home = GROUPS.iter().find(|group| {
        schema::kind(group, &own.kind).is_some() || schema::retired_kind(group, &own.kind).is_some()
    })?;
    (!is_retired).then(|| Refusal {
        span: own.value.get("apiVersion").present().map_or(object.report_span, |it| it.span),
        message: format!("`{}` has no {}: it belongs to `{home}`", own.group(), own.kind),
        help: None,
        mending: None,
        notes: Vec::new(),
    })
}
