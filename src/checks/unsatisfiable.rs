//! Pools whose requirements nothing meets.

pub(crate) mod fault;
mod value;

use crate::{
    checks::{
        settled,
        unsatisfiable::{fault::RequirementFault, value::nobody_has},
    },
    findings::silence::Silence,
    knowledge::instances::instances,
    model::{
        Model,
        node_pool::{
            EC2, NodePool,
            offerings::{Offerings, Place},
        },
        requirement::{Requirements, value_set::ValueSet},
    },
    value::cause::Cause,
};

/// Why no node meets the requirements of a pool.
#[derive(Debug)]
pub(crate) struct Unsatisfiable<'a> {
    /// The pool.
    pub pool: &'a NodePool,
    /// What is wrong.
    pub fault: RequirementFault,
}

/// All pools, each with its fault or why it has none.
pub(crate) fn unsatisfiable(
    model: &Model,
) -> impl Iterator<Item = (&NodePool, Result<Unsatisfiable<'_>, Silence>)> {
    settled::pools(model).map(|pool| (pool, judged(model, pool)))
}

fn judged<'a>(model: &Model, pool: &'a NodePool) -> Result<Unsatisfiable<'a>, Silence> {
    settled::pool(model, pool)?;
    if !pool.class_group.known_to_be(EC2) {
        return Err(Silence::undecided(
            Cause::Value,
            "EKS Auto Mode has types and labels of its own",
        ));
    }
    let offerings = &pool.offerings;
    let all = offerings.requirements();
    if let Some(fault) = contradiction(offerings) {
        return Ok(Unsatisfiable { pool, fault });
    }
    for (key, set) in all.iter().filter(|(_, it)| !it.is_open()) {
        let Some(place) = offerings.places(key).first() else { continue };
        if let Some(fault) = nobody_has(key, set, *place)? {
            return Ok(Unsatisfiable { pool, fault });
        }
    }
    let demands = all.of_types();
    if instances().types.iter().any(|it| demands.take(it) != Some(false)) {
        let words = "an instance type meets its requirements, as far as they are known";
        return Err(Silence::sound(words));
    }
    let fault = pair(offerings, all).unwrap_or(RequirementFault::Together);
    Ok(Unsatisfiable { pool, fault })
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
