//! Whether the API server surely refuses something: not where a patch, other values or a provider may make it right.

use crate::{
    checks::admission::{
        fault::{Fault, FaultKind},
        path::PathStep,
        takes_text,
    },
    findings::subject::Subject,
    knowledge::schema::{checks::Check, fields::FieldType},
    model::karpenter_object::KarpenterObject,
    value::{Kind, TextSource, Value, stand_in::has_blank},
};

/// Whether a fault is there for sure: not where a patch may correct it, or where other values may.
pub(super) fn is_certain(object: &KarpenterObject, fault: &Fault) -> bool {
    if is_choice(object, fault) {
        return false;
    }
    let is_name = matches!(fault.kind, FaultKind::Unknown { .. } | FaultKind::Unserved);
    if object.is_rendered() || (object.is_optional && may_vary(object, fault)) {
        return is_name || (!object.is_rendered() && is_written(object, fault));
    }
    if is_converted(object, fault) || is_to_be_replaced(object, fault) {
        return false;
    }
    let is_open = object.subject.as_ref().is_some_and(Subject::has_values_of_others);
    if is_open && waits_for_value(object, fault) {
        return false;
    }
    let is_absence = match &fault.kind {
        FaultKind::Missing { .. } | FaultKind::TooFew(_) => true,
        FaultKind::Check { check, .. } => {
            fault.value.is_none() || matches!(check, Check::OneNeeded(_) | Check::EmptyList)
        }
        _ => false,
    };
    object.is_whole || !is_absence
}

/// Whether a fault is of the form of a text that is to be replaced, as its own blank or the comment on its line says.
pub(super) fn is_to_be_replaced(object: &KarpenterObject, fault: &Fault) -> bool {
    let is_of_form = matches!(
        fault.kind,
        FaultKind::Pattern(_)
            | FaultKind::Unparsed(_)
            | FaultKind::TooShort(_)
            | FaultKind::TooLong(_)
            | FaultKind::Format(_)
            | FaultKind::Check { check: Check::AliasForm(_), .. }
    );
    let is_to_be =
        |it: &Value| object.to_replace.contains(&it.span) || it.as_str().is_some_and(has_blank);
    is_choice(object, fault) || is_of_form && fault.value.as_ref().is_some_and(is_to_be)
}

/// Whether a text lists what may be written in its place, as documents do: `720h | Never`.
fn is_choice(object: &KarpenterObject, fault: &Fault) -> bool {
    let own = &object.object;
    let takes = |it: &str| {
        !it.trim().is_empty() && takes_text(&own.kind, &own.api_version, &fault.field, it.trim())
    };
    let text = fault.value.as_ref().and_then(Value::as_str);
    text.is_some_and(|it| it.contains(" | ") && it.split('|').all(takes))
}

/// Whether Terraform's `kubernetes_manifest` turns a scalar into the type that is wanted: truth values and numbers
/// into text, and text into those that it spells (hashicorp/terraform-provider-kubernetes
/// `manifest/morph/morph.go`).
fn is_converted(object: &KarpenterObject, fault: &Fault) -> bool {
    const TRUTHS: [&str; 12] =
        ["1", "t", "T", "TRUE", "true", "True", "0", "f", "F", "FALSE", "false", "False"];
    let block = object.subject.as_ref().and_then(|it| it.block.as_ref());
    let FaultKind::Type(wanted) = fault.kind else { return false };
    let fits = |it: &Value| match (&it.kind, wanted) {
        (Kind::Bool(_) | Kind::Number(_), FieldType::Text) => true,
        (Kind::String(text), FieldType::Integer) => text.text.parse::<f64>().is_ok(),
        (Kind::String(text), FieldType::Boolean) => TRUTHS.contains(&&*text.text),
        _ => false,
    };
    block.is_some_and(|it| it.local.starts_with("kubernetes_manifest."))
        && fault.value.as_ref().is_some_and(fits)
}

/// Whether a fault is only that a chart's own values leave a field empty, which who installs it fills in.
fn waits_for_value(object: &KarpenterObject, fault: &Fault) -> bool {
    let is_empty = |it: &Check| {
        use Check::{EmptyList, EmptyPair, EmptyText, ValuesNeeded};
        matches!(it, EmptyList | EmptyPair | EmptyText | ValuesNeeded(_))
    };
    let is_left_empty = |name: &str| {
        let whole = &object.object.value;
        let around = [holder_of(whole, fault), inside(whole, fault.path.parts())];
        let entries = around.into_iter().flatten().filter_map(Value::as_map);
        entries.filter_map(|it| it.entry(name)).any(|it| {
            matches!(it.value.kind, Kind::Null) || it.value.as_str().is_some_and(str::is_empty)
        })
    };
    // What is left of `{{ .Values.name }}-nodes` where nothing is before the dash.
    let lacks_part =
        |it: &str| it.is_empty() || it.starts_with(['-', '.']) || it.ends_with(['-', '.']);
    match &fault.kind {
        FaultKind::Check { check, .. } if is_empty(check) => true,
        // Of no terms all have a field.
        FaultKind::Check { check: Check::CombinedEverywhere(_), .. } => {
            let list = inside(&object.object.value, fault.path.parts()).and_then(Value::as_list);
            list.is_some_and(|it| it.items.is_empty())
        }
        FaultKind::Check { check: Check::RoleOrProfile, .. } => {
            ["role", "instanceProfile"].into_iter().any(is_left_empty)
        }
        FaultKind::Check { check: Check::OneNeeded(fields), .. } => {
            fields.iter().any(|it| is_left_empty(it))
        }
        FaultKind::Missing { name } => is_left_empty(name),
        FaultKind::TooShort(_) | FaultKind::Pattern(_) | FaultKind::Unparsed(_) => {
            fault.value.as_ref().and_then(Value::as_str).is_some_and(lacks_part)
        }
        _ => false,
    }
}

/// The mapping or list that what is at fault is in.
fn holder_of<'v>(object: &'v Value, fault: &Fault) -> Option<&'v Value> {
    let (_, outer) = fault.path.parts().split_last()?;
    inside(object, outer)
}

/// Whether the mapping around a misspelt key has the right one too.
pub(super) fn has_sibling(object: &KarpenterObject, fault: &Fault, name: &str) -> bool {
    let holder = holder_of(&object.object.value, fault);
    let is_key = fault.span != fault.value.as_ref().map_or(fault.span, |it| it.span);
    is_key && holder.is_none_or(|it| !it.get(name).is_missing())
}

/// What a path leads to.
fn inside<'v>(object: &'v Value, path: &[PathStep]) -> Option<&'v Value> {
    path.iter().try_fold(object, |holder, part| match part {
        PathStep::Name(name) => holder.get(name).present(),
        PathStep::Item(at) => holder.items().get(*at),
    })
}

/// Whether the text itself is at fault, whatever its variables are: it has a mapping in place of a list, or a word that
/// is written there.
fn is_written(object: &KarpenterObject, fault: &Fault) -> bool {
    let is_own = |it: &Value| it.steps().next().is_none();
    let is_at_fault = |it: &Value| match &it.kind {
        Kind::Map(_) | Kind::List(_) => matches!(fault.kind, FaultKind::Type(_)),
        Kind::String(text) => matches!(text.layout, TextSource::Verbatim(_)),
        _ => false,
    };
    fault.value.as_ref().is_some_and(|it| is_at_fault(it) && is_own(it))
        && object.object.value.span.contains(fault.span)
}

/// Whether what is at fault may be something else when variables have other values.
fn may_vary(object: &KarpenterObject, fault: &Fault) -> bool {
    let is_computed = fault.value.as_ref().is_some_and(|it| match &it.kind {
        Kind::String(text) => !matches!(text.layout, TextSource::Verbatim(_)),
        _ => false,
    });
    object.is_terraform || is_computed
}
