//! What an evaluation costs, counted as Kubernetes counts it (`interpreter/runtimecost.go` of cel-go and
//! `pkg/cel/library/cost.go` of k8s.io/apiserver).

use crate::cel::{
    data::{Data, Operand},
    fault::Fault,
    library::formats,
    tree::{Call, ExprKind},
};

/// The cost of one expression that Kubernetes allows.
pub const LIMIT: u64 = 1_000_000;
/// Making a list.
pub(crate) const LIST: u64 = 10;
/// Making a mapping.
pub(crate) const MAP: u64 = 30;

/// A budget and what was spent of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// What was spent.
    pub(crate) spent: u64,
    /// How much may be spent.
    pub(crate) limit: u64,
}

impl Cost {
    /// Spends.
    ///
    /// # Errors
    /// When the budget is used up.
    pub(crate) fn charge(&mut self, amount: u64) -> Result<(), Fault> {
        self.spent = self.spent.saturating_add(amount);
        if self.spent > self.limit { Err(Fault::TooCostly) } else { Ok(()) }
    }

    /// Takes back what Kubernetes does not count.
    pub(crate) fn refund(&mut self, amount: u64) {
        self.spent = self.spent.saturating_sub(amount);
    }
}

/// The size that a value counts with.
fn size(data: &Data) -> u64 {
    let size = match data {
        Data::String(it) if it.is_ascii() => it.len(),
        Data::String(it) => it.chars().count(),
        Data::Bytes(it) => it.len(),
        Data::List(it) => it.known(),
        Data::Map(it) => it.known(),
        Data::Optional(Some(it)) => return size(&it.data),
        _ => 1,
    };
    u64::try_from(size).unwrap_or(u64::MAX)
}

/// A tenth, rounded up: what going through a text costs.
fn tenth(size: u64) -> u64 {
    size.div_ceil(10)
}

/// The cost of matching a text with a regular expression.
fn matching(text: u64, pattern: u64) -> u64 {
    tenth(text.saturating_add(1)).saturating_mul(pattern.div_ceil(4))
}

/// The cost of going through a value down to its leaves.
fn traversal(data: &Data) -> u64 {
    match data {
        Data::String(it) => u64::try_from(it.len()).unwrap_or(u64::MAX) / 10,
        Data::Bytes(it) => u64::try_from(it.len()).unwrap_or(u64::MAX) / 10,
        Data::List(list) => list.each().flatten().map(|it| traversal(&it.data)).sum(),
        Data::Map(map) => {
            let entry = |(key, value): (Operand, Result<Operand, Fault>)| {
                traversal(&key.data) + value.map_or(1, |it| traversal(&it.data))
            };
            map.each().map(entry).sum()
        }
        _ => 1,
    }
}

/// What a call costs beside its arguments: by them, and by its result.
type Charge = fn(&[Operand], Option<&Operand>) -> u64;

/// The value of an argument.
fn argument(arguments: &[Operand], at: usize) -> Option<&Data> {
    arguments.get(at).map(|it| &it.data)
}

/// The size of an argument.
fn size_of(arguments: &[Operand], at: usize) -> u64 {
    argument(arguments, at).map_or(1, size)
}

/// The size of a result.
fn size_of_result(result: Option<&Operand>) -> u64 {
    result.map_or(1, |it| size(&it.data))
}

/// How the cost of a function or operator is counted.
#[must_use]
pub(crate) fn of_call(name: &str) -> Charge {
    match name {
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => {
            |it, _| argument(it, 0).map_or(0, traversal)
        }
        "ip" => |it, _| match argument(it, 0) {
            Some(Data::Cidr(_)) => 1,
            _ => tenth(size_of(it, 0)),
        },
        "url" | "lowerAscii" | "upperAscii" | "substring" | "trim" | "cidr" | "isIP" | "isCIDR"
        | "quantity" | "isQuantity" | "semver" | "isSemver" | "startsWith" | "endsWith"
        | "strings.quote" | "format" => |it, _| tenth(size_of(it, 0)),
        "ip.isCanonical" | "replace" | "split" => |it, _| tenth(size_of(it, 0).saturating_mul(2)),
        "join" => |_, result| tenth(size_of_result(result).saturating_mul(2)),
        "find" | "findAll" | "matches" => |it, _| matching(size_of(it, 0), size_of(it, 1)),
        "contains" => |it, _| tenth(size_of(it, 0)).saturating_mul(tenth(size_of(it, 1))),
        "containsIP" => |it, _| tenth(size_of(it, 0) * 2) + second_text(it),
        "containsCIDR" => {
            |it, _| tenth(size_of(it, 0) * 2) + tenth(size_of(it, 0)) + 1 + second_text(it)
        }
        "validate" => |it, _| match argument(it, 0) {
            Some(Data::Format(name)) => {
                let length = u64::try_from(formats::length(name)).unwrap_or(1);
                matching(size_of(it, 1), length)
            }
            _ => 1,
        },
        "string" => |it, _| match argument(it, 0) {
            Some(Data::Bytes(_)) => tenth(size_of(it, 0)),
            _ => 1,
        },
        "bytes" => |it, _| match argument(it, 0) {
            Some(Data::String(_)) => tenth(size_of(it, 0)),
            _ => 1,
        },
        "_in_" => |it, _| match argument(it, 1) {
            Some(Data::List(_)) => size_of(it, 1),
            _ => 1,
        },
        "_==_" | "_!=_" | "_<_" | "_<=_" | "_>_" | "_>=_" => {
            |it, _| tenth(size_of(it, 0).min(size_of(it, 1)))
        }
        "_+_" => |it, _| match argument(it, 0) {
            Some(Data::String(_) | Data::Bytes(_)) => {
                tenth(size_of(it, 0).saturating_add(size_of(it, 1)))
            }
            _ => 1,
        },
        "sets.contains" | "sets.intersects" => |it, _| pairs(it).saturating_add(1),
        "sets.equivalent" => |it, _| pairs(it).saturating_mul(2).saturating_add(1),
        "slice" | "lists.range" | "reverse" => {
            |_, result| size_of_result(result).saturating_add(LIST + 1)
        }
        "flatten" => |it, _| size_of(it, 0).saturating_mul(depth(it)).saturating_add(LIST + 1),
        "distinct" | "sort" => |it, _| with_each_other(argument(it, 0)),
        _ => |_, _| 1,
    }
}

/// How many pairs the elements of two lists make.
fn pairs(arguments: &[Operand]) -> u64 {
    size_of(arguments, 0).saturating_mul(size_of(arguments, 1))
}

/// Whether Kubernetes computes a call before it evaluates: a conversion of a literal, or looking into a literal list.
#[must_use]
pub(crate) fn is_folded(call: &Call) -> bool {
    match (&*call.name, &*call.arguments) {
        ("_in_", [_, list]) => matches!(list.kind, ExprKind::List(_)) && list.is_constant(),
        (name, [argument]) => {
            let is_conversion = matches!(
                name,
                "bool"
                    | "bytes"
                    | "double"
                    | "duration"
                    | "dyn"
                    | "int"
                    | "string"
                    | "timestamp"
                    | "type"
                    | "uint"
            );
            is_conversion && matches!(argument.kind, ExprKind::Literal(_))
        }
        _ => false,
    }
}

/// What reading the second argument costs, if it is a text.
fn second_text(arguments: &[Operand]) -> u64 {
    match argument(arguments, 1) {
        Some(Data::String(_)) => tenth(size_of(arguments, 1)),
        _ => 0,
    }
}

/// How deep `flatten` goes.
fn depth(arguments: &[Operand]) -> u64 {
    match arguments.get(1).map(|it| &it.data) {
        Some(Data::Int(depth)) => u64::try_from(*depth).unwrap_or(0),
        _ => 1,
    }
}

/// The cost of comparing the elements of a list with each other.
#[must_use]
pub(crate) fn with_each_other(list: Option<&Data>) -> u64 {
    let Some(Data::List(list)) = list else { return 1 };
    let count = u64::try_from(list.known()).unwrap_or(u64::MAX);
    let pairs = count.saturating_mul(count);
    let is_text = |it: Operand| matches!(it.data, Data::String(_) | Data::Bytes(_));
    let of_texts = if list.get(0).is_some_and(|it| it.is_ok_and(is_text)) { pairs / 10 } else { 0 };
    pairs.saturating_mul(2).saturating_add(of_texts).saturating_add(LIST + 1)
}
