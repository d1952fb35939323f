//! Pools whose requirements nothing meets.

pub(crate) mod fault;
pub(crate) mod other_label;
mod region;
mod value;

use std::{borrow::Cow, collections::BTreeSet};

use crate::{
    checks::{
        settled,
        unsatisfiable::{
            fault::{OtherLabel, RequirementFault},
            region::elsewhere,
            value::{is_whole, nobody_has},
        },
    },
    findings::silence::Silence,
    knowledge::instances::{InstanceType, LabelValue, instances},
    model::{
        Model,
        node_pool::{
            EC2, NodePool,
            offerings::{Offerings, Place},
        },
        provisioner::Provisioner,
        requirement::{
            Requirements,
            instance_type::{is_of_type, value_of},
            value_set::ValueSet,
        },
    },
    resolve::setting,
    source::Span,
    value::cause::Cause,
};

/// The labels whose values, listed, leave no type that is newer than those that are known.
const FAMILIES: [&str; 2] =
    ["node.kubernetes.io/instance-type", "karpenter.k8s.aws/instance-family"];

/// Why no node meets what a pool requires.
#[derive(Debug)]
pub(crate) struct Unsatisfiable<'a> {
    /// The pool, or what a Provisioner is as one.
    pub pool: Cow<'a, NodePool>,
    /// What is wrong.
    pub fault: RequirementFault,
}

/// All pools and Provisioners, each with its faults or why it has none.
pub(crate) fn unsatisfiable(
    model: &Model,
) -> impl Iterator<Item = (Span, Result<Vec<Unsatisfiable<'_>>, Silence>)> {
    let former = Provisioner::all(model).map(|it| Cow::Owned(it.as_pool()));
    settled::pools(model).map(Cow::Borrowed).chain(former).map(|pool| {
        let own = |fault| Unsatisfiable { pool: pool.clone(), fault };
        let found = judged(model, &pool).map(|it| it.into_iter().map(own).collect());
        (pool.report_span, found)
    })
}

fn judged(model: &Model, pool: &NodePool) -> Result<Vec<RequirementFault>, Silence> {
    settled::pool(model, pool)?;
    let offerings = &pool.offerings;
    let all = offerings.requirements();
    if !pool.class_group.known_to_be(EC2) {
        return of_auto_mode(pool);
    }
    if let Some(fault) = contradiction(offerings) {
        return Ok(vec![fault]);
    }
    let (mut faults, mut doubt) = match elsewhere(model, pool) {
        Ok(found) => (found.into_iter().collect::<Vec<_>>(), None),
        Err(silence) => (Vec::new(), Some(silence)),
    };
    for (key, set) in all.iter().filter(|(_, it)| !it.is_open()) {
        match nobody_has(key, set, offerings) {
            Ok(found) => faults.extend(found),
            Err(silence) => doubt = doubt.or(Some(silence)),
        }
    }
    match doubt {
        _ if !faults.is_empty() => {
            still_empty(offerings, &mut faults);
            return Ok(faults);
        }
        Some(silence) => return Err(silence),
        None => {}
    }
    let demands = all.of_types();
    if instances().types.iter().any(|it| demands.take(it) != Some(false)) {
        return too_few(model, pool);
    }
    Ok(vec![pair(offerings, all).unwrap_or(RequirementFault::Together)])
}

/// What nobody has in EKS Auto Mode either, which has types and labels of its own.
fn of_auto_mode(pool: &NodePool) -> Result<Vec<RequirementFault>, Silence> {
    let offerings = &pool.offerings;
    let known = offerings.requirements().iter().filter(|(key, it)| is_whole(key) && !it.is_open());
    let known = known.filter(|_| pool.is_of_auto_mode() == Some(true));
    let found = known.filter_map(|(key, set)| nobody_has(key, set, offerings).ok()?);
    let faults: Vec<RequirementFault> = found.collect();
    if faults.is_empty() {
        let words = "EKS Auto Mode has types and labels of its own";
        return Err(Silence::undecided(Cause::Value, words));
    }
    Ok(faults)
}

/// Notes the requirement that leaves nothing where the only fault is mended.
fn still_empty(offerings: &Offerings, faults: &mut [RequirementFault]) {
    let [RequirementFault::Values { key, wrong, has_others: false, instead, beside }] = faults
    else {
        return;
    };
    let set = |values: &[String]| ValueSet::one_of(values.iter().map(|it| Some(it.as_str())));
    let mut meant = Requirements::default();
    match instead {
        Some(OtherLabel::Generations { categories, generations }) => {
            meant.add("karpenter.k8s.aws/instance-category", set(categories));
            meant.add("karpenter.k8s.aws/instance-generation", set(generations));
        }
        Some(OtherLabel::Same(_) | OtherLabel::Families) => return,
        None => {
            let values: Vec<String> = wrong.iter().filter_map(|it| it.meant.clone()).collect();
            if values.len() < wrong.len() {
                return;
            }
            meant.add(key, set(&values));
        }
    }
    let others = offerings.requirements().iter().filter(|(it, set)| it != key && !set.is_open());
    let mut others = others.filter(|(it, other)| {
        let mut both = meant.clone();
        both.add(it, (*other).clone());
        let demands = both.of_types();
        instances().types.iter().all(|it| demands.take(it) == Some(false))
    });
    *beside = others.find_map(|(it, _)| Some((it.to_owned(), *offerings.places(it).first()?)));
}

/// A label of which the instance types have fewer values than `minValues` asks for.
fn too_few(model: &Model, pool: &NodePool) -> Result<Vec<RequirementFault>, Silence> {
    let all = pool.offerings.requirements();
    let demands = all.of_types();
    let sound = || {
        let unknown = unknown_requirement(pool);
        unknown.unwrap_or_else(|| Silence::sound("an instance type meets its requirements"))
    };
    let closed = FAMILIES.iter().any(|it| all.get(it).is_some_and(|it| it.listed().is_some()));
    for (key, set) in all.iter().filter(|(key, _)| is_of_type(key)) {
        let (Some(wanted), Some(place)) = (set.min_values(), pool.offerings.places(key).first())
        else {
            continue;
        };
        let left = instances().types.iter().filter(|it| demands.take(it) != Some(false));
        let values: BTreeSet<&str> = left.filter_map(|it| value(key, it)).collect();
        if usize::try_from(wanted).is_ok_and(|it| values.len() >= it) {
            continue;
        }
        if !closed {
            let words = "an instance type newer than those that are known may add to its values";
            return Err(
                Silence::undecided(Cause::Version, words).at(place.span, "this requirement")
            );
        }
        return match model.insists_on_min_values(&pool.scope) {
            Some(true) => Ok(vec![RequirementFault::Few {
                key: key.to_owned(),
                found: values.len(),
                wanted,
                place: *place,
            }]),
            Some(false) => {
                Err(Silence::sound("`minValuesPolicy` lets Karpenter do with fewer values"))
            }
            None => Err(Silence::undecided(
                Cause::Value,
                "whether Karpenter insists on `minValues` is not known",
            )
            .missing("settings.minValuesPolicy")),
        };
    }
    Err(sound())
}

/// That a part of what a pool requires is not known, which may be what nobody has.
fn unknown_requirement(pool: &NodePool) -> Option<Silence> {
    const PATHS: [&str; 2] = ["spec.template.spec.requirements", "spec.requirements"];
    let all = pool.offerings.requirements();
    if !all.is_open() && !all.iter().any(|(_, it)| it.is_open()) {
        return None;
    }
    let written = PATHS.iter().find_map(|it| pool.object.at(it).present());
    let unnamed = || setting::unknown_at("what it requires", &pool.object, PATHS[0]);
    let written = written.and_then(setting::unknown_in);
    Some(written.map_or_else(unnamed, |it| setting::not_known("a part of what it requires", it)))
}

/// What nodes of a type have for a label.
fn value<'t>(key: &str, instance: &'t InstanceType) -> Option<&'t str> {
    match value_of(key, instance)? {
        LabelValue::Is(value) => Some(value),
        LabelValue::Absent | LabelValue::Unknown => None,
    }
}

/// A label of which several requirements leave nothing.
fn contradiction(offerings: &Offerings) -> Option<RequirementFault> {
    let empty = offerings.requirements().iter().filter(|(_, it)| it.is_nothing());
    let mut several = empty.map(|(key, _)| (key, offerings.places(key)));
    // Alone, or with others of its kind, `DoesNotExist` asks for nothing and gets it.
    several.find_map(|(key, places)| {
        let asks = places.iter().any(|it| it.values != it.span);
        (asks && places.len() > 1).then(|| RequirementFault::Contradiction {
            key: key.to_owned(),
            places: places.to_vec(),
        })
    })
}

/// Two labels that no instance type has together as it is required.
fn pair(offerings: &Offerings, all: &Requirements) -> Option<RequirementFault> {
    let known: Vec<(&str, &ValueSet, &Place)> = all
        .iter()
        .filter(|(_, it)| !it.is_open())
        .filter_map(|(key, set)| Some((key, set, offerings.places(key).first()?)))
        .collect();
    for (at, one) in known.iter().enumerate() {
        for other in &known[at + 1..] {
            let both: Requirements =
                [one, other].into_iter().map(|it| (it.0.to_owned(), it.1.clone())).collect();
            let demands = both.of_types();
            if instances().types.iter().all(|it| demands.take(it) == Some(false)) {
                return Some(RequirementFault::Pair {
                    keys: [one.0.to_owned(), other.0.to_owned()],
                    places: [*one.2, *other.2],
                });
            }
        }
    }
    None
}
