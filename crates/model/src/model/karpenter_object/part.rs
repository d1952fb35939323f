//! Objects that are only parts of a resource, and kinds that are none of Karpenter's.

use crate::{
    resolve::{kubernetes::Object, scope::Scope},
    value::{Field, Value},
};

/// The kinds of Karpenter's resources.
pub(super) const KINDS: &[&str] = &[
    "NodePool",
    "NodeClaim",
    "EC2NodeClass",
    "NodeOverlay",
    "Provisioner",
    "AWSNodeTemplate",
    "Machine",
];

/// Mappings are searched so deep.
const DEEPEST: usize = 5;

/// Whether an object of Karpenter's groups is of a kind that is not one of them, in a version of the API.
pub(super) fn names_no_kind(object: &Object) -> bool {
    let kind = &*object.kind;
    let is_word = kind.starts_with(|it: char| it.is_ascii_uppercase())
        && kind.bytes().all(|it| it.is_ascii_alphanumeric());
    let version = object.api_version.rsplit('/').next().and_then(|it| it.strip_prefix('v'));
    is_word
        && !kind.ends_with("List")
        && version.is_some_and(|it| it.starts_with(|it: char| it.is_ascii_digit()))
        && !KINDS.contains(&kind)
}

/// What is at the top of a Provisioner's `spec` and in no `NodePool`'s: who writes it there writes no patch.
const OF_PROVISIONERS: &[&str] = &[
    "requirements",
    "nodeClassRef",
    "provider",
    "providerRef",
    "consolidation",
    "ttlSecondsAfterEmpty",
    "ttlSecondsUntilExpired",
];

/// Whether an object is only a part of a resource: it tells a patch tool what to do, or it has some fields, but
/// none of what every resource of its kind has. What Terraform applies or a kustomization builds is whole,
/// whatever it lacks.
pub(super) fn is_part(object: &Object, scope: &Scope) -> bool {
    if has_directive(&object.value, 0) {
        return true;
    }
    if scope.root.is_some() || scope.build.is_some() || names_no_kind(object) {
        return false;
    }
    let spec = object.value.get("spec");
    if &*object.kind == "NodePool" && OF_PROVISIONERS.iter().any(|it| is_there(spec.get(it))) {
        return false;
    }
    let spec = match &*object.kind {
        "NodePool" => spec.get("template").get("spec"),
        _ => spec,
    };
    if object.value.get("spec").present().is_some_and(|it| has_nothing(it, 0)) {
        return false;
    }
    let has = |keys: &&[&str]| keys.iter().any(|key| !spec.get(key).is_missing());
    let (least, groups): (usize, &[&[&str]]) = match &*object.kind {
        "NodePool" | "NodeClaim" => (1, &[&["nodeClassRef", "requirements"]]),
        "EC2NodeClass" => (2, CLASS),
        "AWSNodeTemplate" => (1, &[&["subnetSelector", "securityGroupSelector", "launchTemplate"]]),
        "NodeOverlay" => (1, &[&["requirements", "price", "priceAdjustment", "capacity"]]),
        _ => (1, &[&["requirements", "provider", "providerRef", "machineTemplateRef"]]),
    };
    groups.iter().filter(|it| has(it)).count() < least
}

fn is_there(field: Field<'_>) -> bool {
    field.present().is_some()
}

/// Whether nothing at all is written in a mapping: `spec: {}`, `spec: {template: {}}`. A patch has something.
fn has_nothing(value: &Value, depth: usize) -> bool {
    let map = value.as_map().filter(|it| it.rest.is_none() && depth < DEEPEST);
    map.is_some_and(|it| it.entries.iter().all(|it| has_nothing(&it.value, depth + 1)))
}

/// What tells a whole class from a patch of one.
const CLASS: &[&[&str]] = &[
    &["amiFamily", "amiSelectorTerms"],
    &["role", "instanceProfile"],
    &["subnetSelectorTerms", "subnetSelector"],
    &["securityGroupSelectorTerms", "securityGroupSelector"],
];

/// Whether some mapping holds a directive of a strategic merge.
fn has_directive(value: &Value, depth: usize) -> bool {
    depth < 6
        && (value.entries().iter().any(|it| it.key.starts_with('$') || inside(&it.value, depth))
            || value.items().iter().any(|it| inside(it, depth)))
}

fn inside(value: &Value, depth: usize) -> bool {
    has_directive(value, depth + 1)
}
