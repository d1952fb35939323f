//! The changes that make a resource of a retired API one of the next.
//!
//! <https://karpenter.sh/v1.0/upgrading/v1-migration/> says what changed.

mod alpha;
#[cfg(test)]
mod tests;

use crate::{
    checks::migration::alpha::Gap,
    findings::change::{Change, NewValue},
    knowledge::schema,
    model::{karpenter_object::KarpenterObject, node_pool::EC2},
    value::{Entry, Kind, Value},
};

/// What keeps a resource from being rewritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// It is not written in a form that can be edited for sure.
    Form,
    /// Its `kubelet` belongs to a class that it shares or that is written elsewhere.
    Kubelet,
    /// Its `resources` have no place in `v1`.
    Resources,
    /// There is no alias for the images of that family.
    Family(String),
    /// What its nodes run as is written elsewhere.
    Role,
    /// Its launch template has no successor.
    Launch,
    /// The provider's part inside it belongs to a class of its own.
    Provider,
}

/// The changes, or what is in their way.
pub(crate) type Migration = Result<Vec<Change>, Obstacle>;

/// How a resource becomes one of the next API; `None` if it is of the last one, or nobody writes its kind.
#[must_use]
pub(crate) fn migration(object: &KarpenterObject, all: &[KarpenterObject]) -> Option<Migration> {
    if object.api() == "v1beta1" {
        return Some(to_v1(object, all));
    }
    let changes = match &*object.object.kind {
        "Provisioner" => alpha::pool(&object.object.value),
        "AWSNodeTemplate" => alpha::class(&object.object.value),
        _ => return None,
    };
    if object.is_rendered() || is_patched(object, all) {
        return Some(Err(Obstacle::Form));
    }
    Some(changes.map_err(|it| match it {
        Gap::Form => Obstacle::Form,
        Gap::Role => Obstacle::Role,
        Gap::Launch => Obstacle::Launch,
        Gap::Provider => Obstacle::Provider,
    }))
}

/// The changes that make a resource of `v1beta1` one of `v1`. A pool brings its `kubelet` to the class that
/// only it uses, together with what makes that class one of `v1`.
fn to_v1(object: &KarpenterObject, all: &[KarpenterObject]) -> Migration {
    if object.is_rendered() || is_patched(object, all) {
        return Err(Obstacle::Form);
    }
    let value = &object.object.value;
    let mut changes = vec![api(value)?];
    match &*object.object.kind {
        "NodePool" => {
            let nodes = value.at("spec.template.spec").present().ok_or(Obstacle::Form)?;
            changes.extend(pool(value, nodes)?);
            if written(nodes, "kubelet").is_some() {
                let class = own_class(object, all).ok_or(Obstacle::Kubelet)?;
                changes.extend(move_kubelet(nodes, class)?);
            }
        }
        "NodeClaim" => {
            let spec = value.get("spec").present().ok_or(Obstacle::Form)?;
            changes.push(Change::if_written(value, &["spec", "nodeClassRef"]));
            changes.extend(class_ref(spec)?);
            if entry(spec, "kubelet").is_some() {
                return Err(Obstacle::Kubelet);
            }
        }
        "EC2NodeClass" => changes.extend(class(value)?),
        _ => return Err(Obstacle::Form),
    }
    Ok(changes)
}

/// The changes that bring a field of `v1beta1` in a resource of `v1` to its new place; `None` where `field`
/// is none that has one, or where that cannot be written for sure.
#[must_use]
pub(crate) fn move_of(
    object: &KarpenterObject,
    field: &str,
    all: &[KarpenterObject],
) -> Option<Vec<Change>> {
    if object.api() != "v1" || object.is_rendered() || is_patched(object, all) {
        return None;
    }
    let value = &object.object.value;
    if superseded(object, field).is_some() {
        let path: Vec<&str> = field.split('.').collect();
        return Some(vec![Change::remove(value, &path)]);
    }
    let nodes = value.at("spec.template.spec").present()?;
    let changes = match field {
        "spec.disruption.expireAfter" => {
            disrupt(value.at("spec.disruption").present()?, nodes).ok()?
        }
        "spec.template.spec.nodeClassRef.apiVersion" => class_ref(nodes).ok()?,
        "spec.template.spec.kubelet" => move_kubelet(nodes, own_class(object, all)?).ok()?,
        "spec.template.spec.resources" => {
            let resources = entry(nodes, "resources")?;
            is_empty_map(&resources.value).then(|| vec![Change::remove(nodes, &["resources"])])?
        }
        _ => return None,
    };
    Some(changes).filter(|it| !it.is_empty())
}

/// Where the successor of a field of an older version of the API is, if it is written as well.
pub(crate) fn superseded(object: &KarpenterObject, field: &str) -> Option<&'static str> {
    let to = schema::moved(&object.object.kind, field)?.to.as_ref()?;
    let is_written = object.object.value.at(&to.path).present().is_some_and(|it| !it.is_null());
    // A field with the same place came with a later release than this one.
    let is_moved = to.kind == *object.object.kind && *to.path != *field;
    (is_moved && is_written).then_some(&*to.path)
}

/// Whether a patch changes a resource in one of the builds it is part of: the patch names its version too.
fn is_patched(object: &KarpenterObject, all: &[KarpenterObject]) -> bool {
    object.is_patched()
        || all.iter().any(|it| it.report_span == object.report_span && it.is_patched())
}

/// Writes the new version of the API.
fn api(value: &Value) -> Result<Change, Obstacle> {
    let version = entry(value, "apiVersion").and_then(|it| it.value.as_str());
    let (group, _) = version.and_then(|it| it.split_once('/')).ok_or(Obstacle::Form)?;
    Ok(Change::set(value, "apiVersion", NewValue::text(format!("{group}/v1"))).in_place())
}

fn pool(value: &Value, nodes: &Value) -> Migration {
    let mut changes =
        vec![Change::if_written(value, &["spec", "template", "spec", "nodeClassRef"])];
    changes.extend(class_ref(nodes)?);
    if let Some(resources) = entry(nodes, "resources") {
        if !(resources.value.is_null() || is_empty_map(&resources.value)) {
            return Err(Obstacle::Resources);
        }
        changes.push(Change::remove(nodes, &["resources"]));
    }
    let spec = value.get("spec").present().ok_or(Obstacle::Form)?;
    if let Some(disruption) = written(spec, "disruption") {
        changes.push(Change::if_written(value, &["spec", "disruption"]));
        changes.extend(disrupt(&disruption.value, nodes)?);
    }
    Ok(changes)
}

fn is_empty_map(value: &Value) -> bool {
    value.as_map().is_some_and(|it| it.entries.is_empty() && it.rest.is_none())
}

/// Rewrites `disruption`. What consolidates at once says so from now on: `consolidateAfter` is required.
/// `expireAfter` goes to the specification of the nodes.
fn disrupt(disruption: &Value, nodes: &Value) -> Migration {
    let mut changes = Vec::new();
    let policy = written(disruption, "consolidationPolicy");
    if let Some(policy) = policy
        && policy.value.as_str().ok_or(Obstacle::Form)? == "WhenUnderutilized"
    {
        let name = NewValue::text("WhenEmptyOrUnderutilized");
        changes.push(Change::set(disruption, "consolidationPolicy", name).in_place());
    }
    let has_after = entry(disruption, "consolidateAfter").is_some();
    let (after, at_once) = ("consolidateAfter", NewValue::text("0s"));
    let add = |value| Change::set(disruption, after, value);
    changes.extend(match entry(disruption, "expireAfter") {
        None if has_after => None,
        None if policy.is_some() => Some(add(at_once).behind(&["consolidationPolicy"])),
        None => Some(add(at_once).ahead()),
        Some(lifetime) if lifetime.value.is_null() => Some(if has_after {
            Change::remove(disruption, &["expireAfter"])
        } else {
            Change::replace_entry(disruption, "expireAfter", after, at_once)
        }),
        Some(_) => Some(Change::Move {
            from: disruption.clone(),
            key: "expireAfter".into(),
            to: nodes.clone(),
            replacement: (!has_after).then(|| (after.into(), at_once)),
        }),
    });
    Ok(changes)
}

/// Rewrites the reference of a specification to the class: a group in place of an API version, and the kind.
fn class_ref(spec: &Value) -> Migration {
    let class = spec.get("nodeClassRef").present().ok_or(Obstacle::Form)?;
    rewritten(class).ok_or(Obstacle::Form)
}

fn rewritten(class: &Value) -> Option<Vec<Change>> {
    let kind = Change::set(class, "kind", NewValue::text("EC2NodeClass"));
    let has = |key: &str| written(class, key).is_some();
    let Some(version) = written(class, "apiVersion") else {
        let group = Change::set(class, "group", NewValue::text(EC2)).ahead();
        return Some(match (has("group"), has("kind")) {
            (true, true) => Vec::new(),
            (true, false) => vec![kind.behind(&["group"])],
            (false, true) => vec![group],
            (false, false) => vec![group, kind.ahead()],
        });
    };
    let (group, _) = version.value.as_str()?.split_once('/')?;
    if has("group") || !(has("kind") || group == EC2) {
        return None;
    }
    let mut changes =
        vec![Change::replace_entry(class, "apiVersion", "group", NewValue::text(group))];
    if !has("kind") {
        changes.push(kind.behind(&["apiVersion"]));
    }
    Some(changes)
}

/// Families with the aliases of their newest images.
const ALIASES: &[(&str, &str)] = &[
    ("AL2", "al2@latest"),
    ("AL2023", "al2023@latest"),
    ("Bottlerocket", "bottlerocket@latest"),
    ("Windows2019", "windows2019@latest"),
    ("Windows2022", "windows2022@latest"),
    ("Windows2025", "windows2025@latest"),
];

/// The alias of the newest images of a family, of that of new clusters where none is written.
pub(super) fn newest_alias(family: Option<&str>) -> Option<&'static str> {
    let family = family.unwrap_or("AL2023");
    ALIASES.iter().find(|(it, _)| *it == family).map(|it| it.1)
}

fn class(value: &Value) -> Migration {
    let spec = value.get("spec").present().ok_or(Obstacle::Form)?;
    let mut changes = vec![Change::if_written(value, &["spec"])];
    let family = written(spec, "amiFamily").ok_or(Obstacle::Form)?;
    let name = family.value.as_str();
    match entry(spec, "amiSelectorTerms").map(|it| &it.value.kind) {
        _ if name == Some("Ubuntu") => return Err(Obstacle::Family("Ubuntu".to_owned())),
        Some(Kind::List(list)) if !list.items.is_empty() || list.rest.is_some() => {}
        Some(Kind::Unknown(_)) => {}
        Some(_) => return Err(Obstacle::Form),
        None => {
            let name = name.ok_or(Obstacle::Form)?;
            let alias = newest_alias(Some(name));
            let alias = alias.ok_or_else(|| Obstacle::Family(name.to_owned()))?;
            let terms = NewValue::List(vec![NewValue::texts([("alias", alias)])]);
            changes.push(Change::set(spec, "amiSelectorTerms", terms).behind(&["amiFamily"]));
        }
    }
    Ok(changes)
}

/// The class of a pool, if it is written in the same file and no other pool uses it: none beside it, and
/// none elsewhere that has no class of that name at hand.
fn own_class<'a>(
    pool: &KarpenterObject,
    all: &'a [KarpenterObject],
) -> Option<&'a KarpenterObject> {
    let name = class_name(pool)?;
    let file = pool.report_span.file;
    let is_pool = |it: &&KarpenterObject| {
        &*it.object.kind == "NodePool" && it.report_span != pool.report_span
    };
    let is_beside = |it: &KarpenterObject| it.scope.deploy_unit() == pool.scope.deploy_unit();
    let of_name = |it: &&KarpenterObject| {
        &*it.object.kind == "EC2NodeClass" && it.object.anchor_text() == Some(name)
    };
    let has_own = |other: &KarpenterObject| {
        all.iter().filter(of_name).any(|it| it.scope.deploy_unit() == other.scope.deploy_unit())
    };
    // A pool whose class is not known may use it too.
    let uses_it = |it: &&KarpenterObject| match class_name(it) {
        Some(other) => other == name && (is_beside(it) || !has_own(it)),
        None => is_beside(it),
    };
    if all.iter().filter(is_pool).any(|it| uses_it(&it)) {
        return None;
    }
    let mut classes = all.iter().filter(of_name).filter(|it| it.report_span.file == file);
    let class = classes.next()?;
    let is_one = classes.all(|it| it.report_span == class.report_span);
    (is_one && !is_patched(class, all)).then_some(class)
}

fn class_name(pool: &KarpenterObject) -> Option<&str> {
    pool.object.value.at("spec.template.spec.nodeClassRef.name").present()?.as_str()
}

/// Brings the `kubelet` of a pool's nodes to a class, and that class to `v1`.
fn move_kubelet(nodes: &Value, to: &KarpenterObject) -> Migration {
    let value = &to.object.value;
    let spec = value.get("spec").present().ok_or(Obstacle::Kubelet)?;
    if entry(spec, "kubelet").is_some() {
        return Err(Obstacle::Kubelet);
    }
    let mut changes = vec![Change::if_written(value, &["spec"])];
    if to.api() == "v1beta1" {
        changes.push(api(value)?);
        changes.extend(class(value)?);
    }
    let (from, to) = (nodes.clone(), spec.clone());
    changes.push(Change::Move { from, key: "kubelet".into(), to, replacement: None });
    Ok(changes)
}

fn entry<'a>(mapping: &'a Value, key: &str) -> Option<&'a Entry> {
    mapping.as_map()?.entry(key)
}

/// The entry of a key that is not null.
fn written<'a>(mapping: &'a Value, key: &str) -> Option<&'a Entry> {
    entry(mapping, key).filter(|it| !it.value.is_null())
}
