//! Faults that are one mistake, and are reported together.

use crate::checks::admission::{
    fault::{Fault, FaultKind},
    words::case::FaultWording,
};

/// Faults with what is said of them, where all that one reference to a class lacks is said of the first.
pub(super) fn by_reference<'f>(
    faults: impl Iterator<Item = &'f (Fault, FaultWording)>,
) -> Vec<(&'f Fault, FaultWording)> {
    let mut all: Vec<(&Fault, FaultWording)> = Vec::new();
    for (fault, words) in faults {
        let lacks = lacks_in_reference(fault);
        let is_same = |it: &&mut (&Fault, FaultWording)| {
            it.0.span == fault.span && lacks_in_reference(it.0).is_some()
        };
        // Few faults are of that kind, and only for these the others are looked through.
        match lacks.and_then(|name| Some((all.iter_mut().find(is_same)?, name))) {
            Some(((_, first), name)) => add(first, name, words),
            None => all.push((fault, words.clone())),
        }
    }
    all
}

/// What a reference to a class lacks of what says which kind of object it is.
fn lacks_in_reference(fault: &Fault) -> Option<&'static str> {
    let FaultKind::Missing { name } = fault.kind else { return None };
    let is_it = matches!(name, "group" | "kind");
    (is_it && fault.field.ends_with(&format!("nodeClassRef.{name}"))).then_some(name)
}

fn add(first: &mut FaultWording, name: &str, other: &FaultWording) {
    first.message = format!("{} and `{name}`", first.message);
    if let (Some(help), Some(more)) = (&first.help, &other.help) {
        first.help = Some(format!("{help} and {}", more.strip_prefix("Write ").unwrap_or(more)));
    }
}
