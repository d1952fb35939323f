//! Zones that the region of the cluster has not.

use crate::{
    checks::unsatisfiable::{
        fault::RequirementFault,
        value::{ZONE, is_zone},
    },
    findings::silence::Silence,
    model::{
        Model,
        cluster::Cluster,
        discovery::{DISCOVERY, Role, scripts::is_example},
        node_pool::NodePool,
    },
    resolve::terraform::inputs::is_of_variable,
    source::Span,
    value::{HOLE_START, Value, cause::Cause},
};

/// The zones of a pool that lie in another region than its cluster, where it requires some.
///
/// # Errors
/// Undecided where all of them do, and the region is the default of a variable of Terraform that does not make the
/// pool: the pool may be another cluster's.
pub(super) fn elsewhere(
    model: &Model,
    pool: &NodePool,
) -> Result<Option<RequirementFault>, Silence> {
    let Some(cluster) = model.cluster_near(&pool.scope) else { return Ok(None) };
    let Some(setting) = cluster.region.as_ref() else { return Ok(None) };
    // A text that another tool replaces is none.
    let is_region = |it: &&String| is_zone(&format!("{it}a"));
    let Some(region) = setting.known().filter(is_region) else { return Ok(None) };
    let is_other = |zone: &str| is_zone(zone) && !zone.starts_with(region.as_str());
    let listed = pool.offerings.listed(ZONE);
    let (other, own): (Vec<(&str, Span)>, Vec<_>) = listed.partition(|it| is_other(it.0));
    let Some((zone, place)) = other.first() else { return Ok(None) };
    let may_differ = setting.value().is_some_and(is_of_variable);
    let own_name = cluster.own_name().and_then(Value::as_str);
    let other_named =
        || named_by(model, pool).into_iter().find(|it| own_name.is_some_and(|own| own != *it));
    let is_open = match other_named() {
        Some(_) => !is_named_by(model, pool, cluster),
        None => may_differ && !is_of(model, pool, cluster),
    };
    if own.is_empty() && is_open {
        let why = match other_named() {
            Some(name) => format!("the pool names the cluster `{name}`"),
            None => {
                "that is given by a variable, and the pool may be for another cluster".to_owned()
            }
        };
        let words = format!(
            "its zones, such as `{zone}`, are not in `{region}`, the region of the cluster near: {why}"
        );
        let undecided = Silence::undecided(Cause::Ambiguous, words).at(*place, "this zone");
        return Err(undecided.at(setting.span(), format!("the cluster near is in `{region}`")));
    }
    Ok(Some(RequirementFault::Zones {
        zones: other.into_iter().map(|(zone, place)| (zone.to_owned(), place)).collect(),
        has_others: !own.is_empty(),
        region: region.clone(),
        region_place: setting.span(),
    }))
}

/// Whether a pool is surely for a cluster: it is applied with it, or its class names that cluster.
fn is_of(model: &Model, pool: &NodePool, cluster: &Cluster) -> bool {
    pool.scope.deploy_unit() == cluster.scope.deploy_unit() || is_named_by(model, pool, cluster)
}

/// Whether the class of a pool names a cluster.
fn is_named_by(model: &Model, pool: &NodePool, cluster: &Cluster) -> bool {
    let names = [cluster.resource_name.as_ref(), cluster.name.as_ref()];
    let mut names = names.into_iter().flatten().filter_map(Value::as_str);
    let Some(class) = model.class_of(pool) else { return false };
    let selects = |name: &str| {
        let terms = [Role::Subnets, Role::SecurityGroups];
        let terms = terms.iter().filter_map(|it| class.terms(*it)).flatten();
        let tags = terms.filter_map(|it| it.get("tags").present()).flat_map(Value::entries);
        let is_name = |it: &Value| it.as_str() == Some(name);
        tags.into_iter().any(|it| is_name(&it.value) || it.key.ends_with(&format!("/{name}")))
    };
    let role = class.object.at("spec.role").present().and_then(Value::as_str);
    names.any(|name| {
        let has_role = role.is_some_and(|it| it.strip_suffix(name).is_some_and(ends_a_word));
        !is_example(name) && (selects(name) || has_role)
    })
}

/// What upstream's guide begins the names of instance profiles and roles with, before the name of the cluster.
const BEFORE_NAME: &[&str] = &["KarpenterNodeInstanceProfile-", "KarpenterNodeRole-"];

/// The clusters that a pool or its class names: by the tag for discovery, or in the name that upstream's guide gives to
/// the instance profile and the role.
fn named_by<'m>(model: &'m Model, pool: &'m NodePool) -> Vec<&'m str> {
    let provider = pool.object.at("spec.provider").present();
    let selectors = ["subnetSelector", "securityGroupSelector"].into_iter();
    let of_selectors =
        selectors.filter_map(|it| provider?.get(it).present()?.get(DISCOVERY).present()?.as_str());
    let class = model.class_of(pool);
    let spec = class.and_then(|it| it.object.at("spec").present());
    let identities = [(provider, "instanceProfile"), (spec, "instanceProfile"), (spec, "role")];
    let of_identities = identities.into_iter().filter_map(|(it, key)| {
        let name = it?.get(key).present()?.as_str()?;
        BEFORE_NAME.iter().find_map(|it| name.strip_prefix(it)).filter(|it| !it.is_empty())
    });
    let of_class = class.into_iter().flat_map(|class| {
        let terms = [Role::Subnets, Role::SecurityGroups].into_iter();
        let terms = terms.filter_map(|it| class.terms(it)).flatten();
        terms.filter_map(|it| it.get("tags").get(DISCOVERY).present()?.as_str())
    });
    let named = of_selectors.chain(of_identities).chain(of_class);
    named.filter(|it| !is_example(it) && !it.contains(HOLE_START)).collect()
}

/// Whether what follows a text begins a word.
fn ends_a_word(text: &str) -> bool {
    text.ends_with(['-', '_', '/'])
}
