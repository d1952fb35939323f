//! Lists.

use crate::cel::{
    compare,
    data::{Data, ListData, Operand, Outcome, take},
    fault::Fault,
    library::numbers,
    native::{MOST_ITEMS, Native},
};

/// Functions of lists.
pub(super) const FUNCTIONS: &[(&str, Native)] = &[
    ("isSorted", is_sorted),
    ("sum", sum),
    ("max", |it| extreme(it, true)),
    ("min", |it| extreme(it, false)),
    ("indexOf", |it| index_of(it, false)),
    ("lastIndexOf", |it| index_of(it, true)),
    ("slice", slice),
    ("flatten", flatten),
    ("sort", |it| {
        let mut items = items(it)?;
        compare::sort(&mut items, |it| it)?;
        Ok(Data::list(items).into())
    }),
    ("distinct", distinct),
    ("reverse", |it| {
        let mut items = items(it)?;
        items.reverse();
        Ok(Data::list(items).into())
    }),
    ("lists.range", range),
];

/// The elements of the only argument.
fn items(arguments: &[Operand]) -> Result<Vec<Operand>, Fault> {
    let [Data::List(list)] = take(arguments)? else { return Err(Fault::NoOverload) };
    list.all()
}

fn is_sorted(arguments: &[Operand]) -> Outcome {
    let items = items(arguments)?;
    for pair in items.windows(2) {
        if !compare::has_order(&pair[0].data, &pair[1].data) {
            return Err(Fault::NoOverload);
        }
    }
    let is_sorted = |a: &Operand, b: &Operand| {
        compare::order(&a.data, &b.data).is_none_or(std::cmp::Ordering::is_le)
    };
    let wrong = items.windows(2).find(|it| !is_sorted(&it[0], &it[1]));
    let place = wrong.and_then(|it| it[1].place.clone());
    Ok(Operand { data: Data::Bool(wrong.is_none()), place })
}

fn sum(arguments: &[Operand]) -> Outcome {
    let mut items = items(arguments)?.into_iter();
    let Some(first) = items.next() else { return Ok(Data::Int(0).into()) };
    items.try_fold(first, |sum, it| numbers::add(&[sum, it])).map(|it| it.data.into())
}

fn extreme(arguments: &[Operand], is_max: bool) -> Outcome {
    let mut items = items(arguments)?.into_iter();
    let name = if is_max { "max" } else { "min" };
    let first = items.next();
    let mut found = first.ok_or_else(|| Fault::error(format!("{name} called on empty list")))?;
    for item in items {
        if !compare::has_order(&found.data, &item.data) {
            return Err(Fault::NoOverload);
        }
        let order = compare::order(&found.data, &item.data);
        if order.is_some_and(|it| if is_max { it.is_lt() } else { it.is_gt() }) {
            found = item;
        }
    }
    Ok(found)
}

fn index_of(arguments: &[Operand], from_end: bool) -> Outcome {
    let [Data::List(list), wanted] = take(arguments)? else { return Err(Fault::NoOverload) };
    let items = list.all()?;
    let mut found = None;
    for (index, item) in items.iter().enumerate() {
        if compare::equal(&item.data, wanted)? {
            found = Some(index);
            if !from_end {
                break;
            }
        }
    }
    let index = found.and_then(|it| i64::try_from(it).ok()).unwrap_or(-1);
    Ok(Data::Int(index).into())
}

fn slice(arguments: &[Operand]) -> Outcome {
    let [Data::List(list), Data::Int(from), Data::Int(to)] = take(arguments)? else {
        return Err(Fault::NoOverload);
    };
    let (from, to) = (*from, *to);
    if from < 0 || to < 0 {
        let message = format!("cannot slice({from}, {to}), negative indexes not supported");
        return Err(Fault::error(message));
    }
    if from > to {
        let message = format!(
            "cannot slice({from}, {to}), start index must be less than or equal to end index"
        );
        return Err(Fault::error(message));
    }
    let items = list.all()?;
    let range =
        usize::try_from(from).unwrap_or(usize::MAX)..usize::try_from(to).unwrap_or(usize::MAX);
    if let Some(items) = items.get(range) {
        Ok(Data::list(items.to_vec()).into())
    } else {
        let length = items.len();
        Err(Fault::error(format!("cannot slice({from}, {to}), list is length {length}")))
    }
}

fn flatten(arguments: &[Operand]) -> Outcome {
    let (list, depth) = match arguments.iter().map(|it| &it.data).collect::<Vec<_>>()[..] {
        [Data::List(list)] => (list, 1),
        [Data::List(list), Data::Int(depth)] => (list, *depth),
        _ => return Err(Fault::NoOverload),
    };
    if depth < 0 {
        return Err(Fault::error("level must be non-negative"));
    }
    let mut items = Vec::new();
    add_flat(list, depth, &mut items)?;
    Ok(Data::list(items).into())
}

fn add_flat(list: &ListData, depth: i64, to: &mut Vec<Operand>) -> Result<(), Fault> {
    for item in list.all()? {
        match &item.data {
            Data::List(inner) if depth > 0 => add_flat(inner, depth - 1, to)?,
            _ => to.push(item),
        }
        if to.len() > MOST_ITEMS {
            return Err(Fault::TooCostly);
        }
    }
    Ok(())
}

fn distinct(arguments: &[Operand]) -> Outcome {
    let mut found: Vec<Operand> = Vec::new();
    for item in items(arguments)? {
        let mut is_new = true;
        for other in &found {
            is_new &= !compare::equal(&item.data, &other.data)?;
        }
        if is_new {
            found.push(item);
        }
    }
    Ok(Data::list(found).into())
}

fn range(arguments: &[Operand]) -> Outcome {
    let [Data::Int(count)] = take(arguments)? else { return Err(Fault::NoOverload) };
    if usize::try_from(*count).is_ok_and(|it| it > MOST_ITEMS) {
        return Err(Fault::TooCostly);
    }
    Ok(Data::list((0..*count).map(|it| Data::Int(it).into()).collect()).into())
}
