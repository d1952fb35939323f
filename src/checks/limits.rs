//! Pools that nothing limits.

use crate::{
    checks::{retirement::retirement, settled},
    findings::{note::Note, silence::Silence},
    knowledge::{karpenter::counts_nodes, schema},
    model::{
        Model, installation::Installation, karpenter_object::KarpenterObject, node_pool::NodePool,
        provisioner::Provisioner,
    },
    resolve::{scope::Scope, setting},
    source::Span,
    value::{Entry, Field, Map, Value, cause::Cause},
    version::Version,
};

/// The taint of nodes for what a cluster cannot do without.
const CRITICAL: &str = "CriticalAddonsOnly";

/// A pool that nothing limits.
#[derive(Debug)]
pub(crate) struct Unbounded<'a> {
    /// Where a limit is missing.
    pub span: Span,
    /// How what is written there came there.
    pub steps: Vec<Note>,
    /// The version that does not count the only limit there is, and the place that says so.
    pub uncounted: Option<(Version, Option<&'a Installation>)>,
}

/// What is written of limits where none applies.
enum MissingLimits {
    All(Span, Vec<Note>),
    /// There is one for the number of nodes.
    AllButNodes(Span),
}

/// Whether a pool launches nodes until AWS has no more.
pub(crate) fn unbounded<'a>(
    model: &'a Model,
    pool: &'a NodePool,
) -> Result<Unbounded<'a>, Silence> {
    let missing = missing_limits(pool)?;
    settled::pool(model, pool)?;
    not_refused(&pool.object, "spec.template.spec.requirements")?;
    not_set_elsewhere(model, &pool.scope, pool.entry("limits"))?;
    match missing {
        MissingLimits::All(span, steps) => Ok(Unbounded { span, steps, uncounted: None }),
        MissingLimits::AllButNodes(span) => {
            // EKS keeps the Karpenter of Auto Mode up to date.
            if pool.is_of_auto_mode() != Some(false) {
                return Err(Silence::sound("EKS Auto Mode counts `limits.nodes`"));
            }
            let (version, release) = model.karpenter_near(&pool.scope);
            let unknown = || {
                let words = "whether `limits.nodes` counts hangs on the version of Karpenter";
                Silence::undecided(Cause::Version, words).at(span, "counts from 1.11 on")
            };
            let version = version.ok_or_else(unknown)?;
            if counts_nodes(Some(&version)).ok_or_else(unknown)? {
                return Err(Silence::sound("`limits.nodes` limits it"));
            }
            let uncounted = Some((version, release));
            Ok(Unbounded { span, steps: Vec::new(), uncounted })
        }
    }
}

/// Whether only what belongs to the cluster runs on the nodes of a pool, by the taint that is made for that: nobody's Job
/// tolerates it.
pub(crate) fn is_for_system(pool: &NodePool) -> bool {
    let mut hard = pool.taints.list.iter().map(|it| &it.0).filter(|it| it.keeps_pods_away());
    hard.any(|it| it.key == CRITICAL)
}

/// Whether a Provisioner launches nodes until AWS has no more.
pub(crate) fn unbounded_provisioner<'a>(
    model: &'a Model,
    provisioner: &Provisioner<'_>,
) -> Result<Unbounded<'a>, Silence> {
    let resource = provisioner.resource;
    let object = &resource.object.value;
    let missing = match object.at("spec.limits.resources") {
        Field::Present(it) if it.is_null() => Some(it.name),
        Field::Present(it) => it.as_map().and_then(|map| is_empty(map).then_some(it.name)),
        Field::Missing => Some(provisioner.spec()),
        Field::Unknown => {
            return Err(setting::unknown_at("`limits`", object, "spec.limits.resources"));
        }
    };
    let span = missing.ok_or_else(|| Silence::sound("`limits.resources` are written"))?;
    not_of_other_fault(resource, span)?;
    settled::resource(model, resource)?;
    not_refused(object, "spec.requirements")?;
    if is_of_no_release(model, resource) {
        return Err(Silence::sound("no release in use has Provisioners, which is another fault"));
    }
    let spec = object.get("spec").present().and_then(Value::as_map);
    not_set_elsewhere(model, &resource.scope, spec.and_then(|it| it.entry("limits")))?;
    Ok(Unbounded { span, steps: Vec::new(), uncounted: None })
}

/// Whether a Provisioner is in an API that never had it, or has its limits where the API server refuses them.
fn not_of_other_fault(resource: &KarpenterObject, spec: Span) -> Result<(), Silence> {
    let own = &resource.object;
    if schema::of_any(&own.api_version, &own.kind).is_none() {
        let words = "no release has Provisioners in this API, which is another fault";
        return Err(Silence::sound(words).at(spec, "what is refused"));
    }
    let limits = own.value.at("spec.limits").present().map_or(&[][..], Value::entries);
    let mut others = limits.iter().filter(|it| &*it.key != "resources" && !it.value.is_null());
    others.next().map_or(Ok(()), |it| {
        let words = "its `limits` are in a wrong place, which is another fault";
        Err(Silence::sound(words).at(it.key_span, "the limits"))
    })
}

/// No release takes a pool without a name, or with a requirement that does not say how its values count: it launches
/// nothing.
fn not_refused(pool: &Value, requirements: &str) -> Result<(), Silence> {
    let refused = |place: Span| {
        let words = "the API server refuses it as it is, which is another fault";
        Err(Silence::sound(words).at(place, "what it refuses"))
    };
    let names = ["metadata.name", "metadata.generateName"];
    if names.iter().all(|it| pool.at(it).is_missing()) {
        return refused(pool.get("metadata").present().map_or(pool.span, |it| it.name));
    }
    let all = pool.at(requirements).present().map_or(&[][..], Value::items);
    let incomplete = all.iter().find(|it| it.as_map().is_some() && it.get("operator").is_missing());
    incomplete.map_or(Ok(()), |it| refused(it.span))
}

/// Whether no release that is installed near it, or that works with the Kubernetes of its cluster, serves a resource:
/// `retired-karpenter-api` says so.
fn is_of_no_release(model: &Model, resource: &KarpenterObject) -> bool {
    let retired = retirement(model, resource).and_then(Result::ok);
    retired.is_some_and(|it| it.is_gone || it.kubernetes.is_some())
}

/// No caller and no file of variables sets limits that are not there.
fn not_set_elsewhere(model: &Model, scope: &Scope, limits: Option<&Entry>) -> Result<(), Silence> {
    if settled::is_for_callers(model, scope) {
        return Err(Silence::undecided(Cause::Value, "callers of the module may set the limits"));
    }
    match limits.filter(|it| model.inputs.may_replace(&it.value)) {
        Some(limits) => Err(Silence::undecided(Cause::Value, "var files may set the limits")
            .at(limits.key_span, "the limits")),
        None => Ok(()),
    }
}

/// The pools of which nothing is known but their names.
pub(crate) fn of_unknown_spec(model: &Model) -> impl Iterator<Item = (&NodePool, Silence)> {
    let unknown = model.node_pools.iter().filter(|it| it.object.get("spec").is_unknown());
    unknown.map(|it| (it, setting::unknown_at("its `spec`", &it.object, "spec")))
}

fn is_empty(map: &Map) -> bool {
    map.rest.is_none() && map.entries.iter().all(|it| it.value.is_null())
}

/// Where limits are written that the API server then refuses.
const MISPLACED: [&str; 4] =
    ["limits", "spec.template.limits", "spec.template.spec.limits", "spec.disruption.limits"];

/// The entry at a path, also one with nothing below it: its body may be at a wrong depth.
fn entry_at<'a>(object: &'a Value, path: &str) -> Option<&'a Entry> {
    let (outer, key) = path.rsplit_once('.').unwrap_or(("", path));
    let outer = if outer.is_empty() { Some(object) } else { object.at(outer).present() };
    outer?.as_map()?.entry(key)
}

fn missing_limits(pool: &NodePool) -> Result<MissingLimits, Silence> {
    if *pool.is_static().decided("`replicas`")? {
        return Err(Silence::sound("a static NodePool has as many nodes as `replicas` says"));
    }
    let unknown = || setting::unknown_at("`limits`", &pool.object, "spec.limits");
    let spec = pool.object.get("spec").present().ok_or_else(unknown)?;
    let limits = match spec.get("limits") {
        Field::Missing => {
            if let Some(limits) = MISPLACED.iter().find_map(|it| entry_at(&pool.object, it)) {
                let words = "its `limits` are in a wrong place, which is another fault";
                return Err(Silence::sound(words).at(limits.key_span, "the limits"));
            }
            let empty = pool.entry("limits").map(|it| it.key_span);
            return Ok(MissingLimits::All(empty.unwrap_or(spec.name), Vec::new()));
        }
        Field::Unknown => return Err(unknown()),
        Field::Present(limits) => limits,
    };
    let map = limits.as_map().filter(|it| it.rest.is_none()).ok_or_else(unknown)?;
    let mut set = map.entries.iter().filter(|it| !it.value.is_null());
    match (set.next(), set.next()) {
        (None, _) => Ok(MissingLimits::All(limits.span, setting::steps(limits))),
        (Some(only), None) if &*only.key == "nodes" => {
            Ok(MissingLimits::AllButNodes(only.key_span))
        }
        _ => Err(Silence::sound("`limits` are written").at(limits.name, "the limits")),
    }
}
