//! The way of a resource from `v1beta1` to `v1`, as edits of its text.
//!
//! <https://karpenter.sh/v1.0/upgrading/v1-migration/> says what changed.

use crate::{
    edits::{edit::are_apart, entry::Entries},
    findings::{change::NewValue, edit::Edit},
    model::{karpenter_object::KarpenterObject, node_pool::EC2},
    source::Files,
    value::{Entry, Kind, Value},
};

/// What keeps a resource from being rewritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// It is written in a way that cannot be edited for sure.
    Form,
    /// Its `kubelet` belongs to a class that it shares or that stands elsewhere.
    Kubelet,
    /// Its `resources` have no place in `v1`.
    Resources,
    /// No alias stands for the images of that family.
    Family(String),
}

/// The edits, or what is in their way.
pub type Way = Result<Vec<Edit>, Obstacle>;

/// How a resource becomes one of `v1`; `None` if it is none of `v1beta1`.
#[must_use]
pub fn way(files: &Files, object: &KarpenterObject, all: &[KarpenterObject]) -> Option<Way> {
    (object.api() == "v1beta1").then(|| to_v1(files, object, all))
}

/// The edits that make a resource of `v1beta1` one of `v1`. A pool brings its `kubelet` to the class that
/// only it uses, together with what makes that class one of `v1`.
fn to_v1(files: &Files, object: &KarpenterObject, all: &[KarpenterObject]) -> Way {
    if object.is_rendered() || is_patched(object, all) {
        return Err(Obstacle::Form);
    }
    let mut edits = Vec::new();
    let value = &object.object.value;
    match &*object.object.kind {
        "NodePool" => {
            pool(files, value, &mut edits)?;
            let spec = value.at("spec.template.spec").present().ok_or(Obstacle::Form)?;
            if let Some(kubelet) = written(spec, "kubelet") {
                let class = own_class(object, all).ok_or(Obstacle::Kubelet)?;
                edits.extend(take_over(files, spec, kubelet, class)?);
            }
        }
        "NodeClaim" => {
            let spec = api(files, value, &mut edits)?.inner("spec").ok_or(Obstacle::Form)?;
            class_ref(&spec, &mut edits)?;
            if spec.entry("kubelet").is_some() {
                return Err(Obstacle::Kubelet);
            }
        }
        "EC2NodeClass" => class(files, value, &mut edits)?,
        _ => return Err(Obstacle::Form),
    }
    if are_apart(&edits) { Ok(edits) } else { Err(Obstacle::Form) }
}

/// Whether a patch changes a resource in one of the builds it is part of: the patch names its version too.
fn is_patched(object: &KarpenterObject, all: &[KarpenterObject]) -> bool {
    object.is_patched()
        || all.iter().any(|it| it.report_span == object.report_span && it.is_patched())
}

/// Writes the new version of the API.
fn api<'a>(
    files: &'a Files,
    value: &'a Value,
    edits: &mut Vec<Edit>,
) -> Result<Entries<'a>, Obstacle> {
    let top = Entries::of(files, value).ok_or(Obstacle::Form)?;
    let entry = top.entry("apiVersion").ok_or(Obstacle::Form)?;
    let (group, _) =
        entry.value.as_str().and_then(|it| it.split_once('/')).ok_or(Obstacle::Form)?;
    let set = top.set_literal(entry, &NewValue::text(format!("{group}/v1")));
    edits.push(set.ok_or(Obstacle::Form)?);
    Ok(top)
}

fn pool(files: &Files, value: &Value, edits: &mut Vec<Edit>) -> Result<(), Obstacle> {
    let top = api(files, value, edits)?;
    let spec = top.inner("spec").ok_or(Obstacle::Form)?;
    let template = spec.inner("template").ok_or(Obstacle::Form)?;
    let nodes = template.inner("spec").ok_or(Obstacle::Form)?;
    class_ref(&nodes, edits)?;
    if let Some(resources) = nodes.entry("resources") {
        let empty = resources.value.is_null()
            || resources
                .value
                .as_map()
                .is_some_and(|it| it.entries.is_empty() && it.rest.is_none());
        let cut = nodes.remove(resources).filter(|_| empty);
        edits.push(cut.ok_or(Obstacle::Resources)?);
    }
    if spec.entry("disruption").is_none_or(|it| it.value.is_null()) {
        return Ok(());
    }
    let disruption = spec.inner("disruption").ok_or(Obstacle::Form)?;
    let keeps_remark = nodes.takes_remarks() && nodes.entry("expireAfter").is_none();
    let moved = disrupt(files, (&disruption, keeps_remark), edits)?;
    if let Some(source) = moved.filter(|_| nodes.entry("expireAfter").is_none()) {
        let added = nodes.add_first(&[("expireAfter", NewValue::plain(&source))]);
        edits.push(added.ok_or(Obstacle::Form)?);
    }
    Ok(())
}

/// Rewrites `disruption`; gives what `expireAfter` was, with its comment. What consolidates at once says
/// so from now on: `consolidateAfter` has to be there. A comment stays where it is if it cannot go along.
fn disrupt(
    files: &Files,
    (disruption, takes_remark): (&Entries<'_>, bool),
    edits: &mut Vec<Edit>,
) -> Result<Option<String>, Obstacle> {
    let policy = disruption.entry("consolidationPolicy").filter(|it| !it.value.is_null());
    if let Some(policy) = policy
        && policy.value.as_str().ok_or(Obstacle::Form)? == "WhenUnderutilized"
    {
        let set = disruption.set_literal(policy, &NewValue::text("WhenEmptyOrUnderutilized"));
        edits.push(set.ok_or(Obstacle::Form)?);
    }
    let at_once = ("consolidateAfter", NewValue::text("0s"));
    let after = disruption.entry("consolidateAfter");
    let Some(expire) = disruption.entry("expireAfter") else {
        match (after, policy) {
            (Some(_), _) => {}
            (None, Some(policy)) => {
                edits.push(disruption.add_after(policy, &[at_once]).ok_or(Obstacle::Form)?);
            }
            (None, None) => edits.push(disruption.add_first(&[at_once]).ok_or(Obstacle::Form)?),
        }
        return Ok(None);
    };
    let written = disruption.remark(expire);
    let remark = written.filter(|_| takes_remark);
    let source = format!(
        "{}{}",
        disruption.source(expire).ok_or(Obstacle::Form)?,
        remark.map_or("", |it| files.text(it))
    );
    if after.is_some() {
        if written != remark {
            return Err(Obstacle::Form);
        }
        edits.push(disruption.remove(expire).ok_or(Obstacle::Form)?);
    } else {
        edits.extend(disruption.replace(expire, at_once.0, &at_once.1).ok_or(Obstacle::Form)?);
        edits.extend(remark.map(|span| Edit { span, text: String::new() }));
    }
    Ok(Some(source).filter(|_| !expire.value.is_null()))
}

/// Rewrites the reference to the class: a group in place of an API version, and the kind.
fn class_ref(nodes: &Entries<'_>, edits: &mut Vec<Edit>) -> Result<(), Obstacle> {
    let class = nodes.inner("nodeClassRef").ok_or(Obstacle::Form)?;
    edits.extend(rewritten(&class).ok_or(Obstacle::Form)?);
    Ok(())
}

fn rewritten(class: &Entries<'_>) -> Option<Vec<Edit>> {
    let kind = ("kind", NewValue::text("EC2NodeClass"));
    let written = |key: &str| class.entry(key).filter(|it| !it.value.is_null());
    let has_kind = written("kind").is_some();
    let Some(version) = written("apiVersion") else {
        let group = ("group", NewValue::text(EC2));
        return Some(match (written("group").is_some(), has_kind) {
            (true, true) => Vec::new(),
            (true, false) => vec![class.add_after(class.entry("group")?, &[kind])?],
            (false, true) => vec![class.add_first(&[group])?],
            (false, false) => vec![class.add_first(&[group, kind])?],
        });
    };
    let (group, _) = version.value.as_str()?.split_once('/')?;
    if written("group").is_some() || !(has_kind || group == EC2) {
        return None;
    }
    let mut edits = class.replace(version, "group", &NewValue::text(group))?;
    if !has_kind {
        edits.push(class.add_after(version, &[kind])?);
    }
    Some(edits)
}

/// Families with the aliases that stand for their newest images.
const ALIASES: &[(&str, &str)] = &[
    ("AL2", "al2@latest"),
    ("AL2023", "al2023@latest"),
    ("Bottlerocket", "bottlerocket@latest"),
    ("Windows2019", "windows2019@latest"),
    ("Windows2022", "windows2022@latest"),
];

fn class(files: &Files, value: &Value, edits: &mut Vec<Edit>) -> Result<(), Obstacle> {
    let spec = api(files, value, edits)?.inner("spec").ok_or(Obstacle::Form)?;
    let family = spec.entry("amiFamily").filter(|it| !it.value.is_null()).ok_or(Obstacle::Form)?;
    let name = family.value.as_str();
    let terms = spec.entry("amiSelectorTerms").map(|it| &it.value.kind);
    match terms {
        _ if name == Some("Ubuntu") => Err(Obstacle::Family("Ubuntu".to_owned())),
        Some(Kind::List(list)) if !list.items.is_empty() || list.rest.is_some() => Ok(()),
        Some(Kind::Unknown(_)) => Ok(()),
        Some(_) => Err(Obstacle::Form),
        None => {
            let name = name.ok_or(Obstacle::Form)?;
            let alias = ALIASES.iter().find(|(family, _)| *family == name);
            let (_, alias) = alias.ok_or_else(|| Obstacle::Family(name.to_owned()))?;
            let terms =
                ("amiSelectorTerms", NewValue::List(vec![NewValue::texts([("alias", *alias)])]));
            edits.push(spec.add_after(family, &[terms]).ok_or(Obstacle::Form)?);
            Ok(())
        }
    }
}

/// The class of a pool, if it stands in the same file and no other pool uses it: none beside it, and none
/// elsewhere that has no class of that name at hand.
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

/// Brings `kubelet` to a class, and that class to `v1`.
fn take_over(files: &Files, spec: &Value, kubelet: &Entry, to: &KarpenterObject) -> Way {
    let class_value = &to.object.value;
    let mut edits = Vec::new();
    if to.api() == "v1beta1" {
        class(files, class_value, &mut edits)?;
    }
    let inside = Entries::of(files, class_value).and_then(|it| it.inner("spec"));
    let inside = inside.filter(|it| it.entry("kubelet").is_none()).ok_or(Obstacle::Kubelet)?;
    let from = Entries::of(files, spec).ok_or(Obstacle::Form)?;
    edits.push(inside.adopt(&from, kubelet).ok_or(Obstacle::Kubelet)?);
    edits.push(from.remove(kubelet).ok_or(Obstacle::Kubelet)?);
    Ok(edits)
}

/// The entry of a key that is not null.
fn written<'a>(mapping: &'a Value, key: &str) -> Option<&'a Entry> {
    mapping.as_map()?.entry(key).filter(|it| !it.value.is_null())
}

#[cfg(test)]
mod tests;
