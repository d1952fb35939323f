//! What to do about what the API server refuses.

use crate::{
    checks::{
        admission::{
            fault::{Fault, FaultKind},
            takes_text,
            words::case::FaultWording,
        },
        migration::{newest_alias, superseded},
        refusal::{certain::has_sibling, left_out},
        unsatisfiable::other_label::label_of,
    },
    knowledge::schema::{self, checks::Check, fields::FieldType},
    model::karpenter_object::KarpenterObject,
    resolve::charts::LeftOutKey,
    value::{Field, Value},
};

/// What to do about a fault, which a value of a chart may make.
pub(super) fn help(
    object: &KarpenterObject,
    (fault, words): (&Fault, &FaultWording),
    by_value: Option<&LeftOutKey>,
) -> Option<String> {
    let help = leftover(object, fault, words)
        .or_else(|| printed_text(object, fault))
        .or_else(|| group_alone(fault))
        .or_else(|| images(object, fault))
        .or_else(|| successor(object, fault))
        .or_else(|| set_beside(object, words))
        .or_else(|| key_of_values(object, (fault, words)))
        .or_else(|| words.help.clone())?;
    Some(by_value.map_or_else(|| help.clone(), |it| left_out::help(it, &help)))
}

/// What to do where the template of a chart prints a text of its values without quotes, whatever quotes it has there.
fn printed_text(object: &KarpenterObject, fault: &Fault) -> Option<String> {
    let is_of_chart = object.subject.as_ref().is_some_and(|it| it.rendered.is_some());
    let is_from_values = fault.span.file != object.object.value.span.file;
    let is_text = matches!(fault.kind, FaultKind::Type(FieldType::Text));
    (is_of_chart && is_from_values && is_text)
        .then(|| "Print it in quotes in the template: `{{ … | quote }}`".to_owned())
}

/// What to do with a reserved key where a requirement already says it by the right one.
fn set_beside(object: &KarpenterObject, words: &FaultWording) -> Option<String> {
    let known = words.known_key?;
    let lists = ["spec.template.spec.requirements", "spec.requirements"];
    let lists = lists.iter().filter_map(|it| object.object.value.at(it).present());
    let mut keys = lists.flat_map(Value::items).filter_map(|it| it.get("key").present()?.as_str());
    keys.any(|it| it == known)
        .then(|| format!("Leave it out: a requirement already says `{known}`"))
}

/// The key whose values those of a requirement with a reserved key are.
fn key_of_values(
    object: &KarpenterObject,
    (fault, words): (&Fault, &FaultWording),
) -> Option<String> {
    let FaultKind::Check { check: Check::ReservedDomain(_), .. } = fault.kind else { return None };
    if words.known_key.is_some() {
        return None;
    }
    let lists = ["spec.template.spec.requirements", "spec.requirements"];
    let lists = lists.iter().filter_map(|it| object.object.value.at(it).present());
    let is_its = |it: &&Value| it.get("key").present().is_some_and(|it| it.span == fault.span);
    let requirement = lists.flat_map(Value::items).find(is_its)?;
    let values = requirement.get("values").present()?.items();
    let values: Option<Vec<&str>> = values.iter().map(Value::as_str).collect();
    let key = label_of(&values?.into_iter())?;
    Some(format!("Use `{key}`: these are values of that key"))
}

/// What takes a value that a resource of a former kind may not have.
fn successor(object: &KarpenterObject, fault: &Fault) -> Option<String> {
    let own = &object.object;
    let written = fault.value.as_ref().filter(|_| matches!(fault.kind, FaultKind::Enum(_)))?;
    let written = written.as_str()?;
    let kind = &schema::retired_kind(own.group(), &own.kind)?.successor;
    let next = schema::kind(own.group(), kind)?.schemas.last()?;
    let is_taken = next.field(&fault.field).is_some()
        && takes_text(kind, &next.api_version(), &fault.field, written);
    let article = if kind.starts_with('E') { "an" } else { "a" };
    is_taken.then(|| {
        format!(
            "Write {article} {kind} of `{}` in its place, which takes `{written}`",
            next.api_version()
        )
    })
}

/// What to do with a field of an older version of the API, or with a misspelt one, beside the right one.
fn leftover(object: &KarpenterObject, fault: &Fault, words: &FaultWording) -> Option<String> {
    let to = right_one(object, fault, words)?;
    Some(format!("Remove it: `{to}` is written as well"))
}

/// The field that is written beside one that there is none of, and is what was meant.
pub(super) fn right_one<'w>(
    object: &KarpenterObject,
    fault: &Fault,
    words: &'w FaultWording,
) -> Option<&'w str> {
    let beside = |it: &&str| has_sibling(object, fault, it);
    let meant = words.meant.as_deref().filter(beside);
    let group = Some("group").filter(|it| is_of_reference(fault) && beside(it));
    superseded(object, &fault.field).or(meant).or(group).filter(|_| fault.is_unknown())
}

/// Whether a fault is the version of the API in the reference to a class.
fn is_of_reference(fault: &Fault) -> bool {
    fault.field.ends_with("nodeClassRef.apiVersion")
}

/// What to write where the reference to a class has the version of the API with its group.
fn group_alone(fault: &Fault) -> Option<String> {
    let (group, _) = fault.value.as_ref()?.as_str()?.split_once('/')?;
    is_of_reference(fault).then(|| format!("Write `group: {group}`, without the version"))
}

/// What to write where a class does not say which images its nodes have.
fn images(object: &KarpenterObject, fault: &Fault) -> Option<String> {
    let is_absent = matches!(fault.kind, FaultKind::Missing { name: "amiSelectorTerms" });
    let family = match object.object.value.at("spec.amiFamily") {
        _ if !is_absent => return None,
        Field::Missing => None,
        Field::Unknown => return None,
        Field::Present(family) => Some(family.as_str()?),
    };
    Some(match newest_alias(family) {
        Some("al2@latest") => {
            "Write `amiSelectorTerms: [{alias: al2@latest}]`; for Kubernetes 1.33 and newer, which \
                               have no such images, `al2023@latest` without `amiFamily`"
                .to_owned()
        }
        Some(alias) => format!(
            "Write `amiSelectorTerms: [{{alias: {alias}}}]`, or a version in place of `latest`"
        ),
        None => {
            "Write terms that find an image: its `id`, `name`, `tags` or `ssmParameter`".to_owned()
        }
    })
}
