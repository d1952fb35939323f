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

/// The cost of a call beside that of its arguments.
#[must_use]
pub(crate) fn of_call(name: &str, arguments: &[Operand], result: Option<&Operand>) -> u64 {
    let first = arguments.first().map(|it| &it.data);
    let size_of = |at: usize| arguments.get(at).map_or(1, |it| size(&it.data));
    let (a, b) = (size_of(0), size_of(1));
    match name {
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => {
            first.map_or(0, traversal)
        }
        "ip" if matches!(first, Some(Data::Cidr(_))) => 1,
        "ip" | "url" | "lowerAscii" | "upperAscii" | "substring" | "trim" | "cidr" | "isIP"
        | "isCIDR" | "quantity" | "isQuantity" | "semver" | "isSemver" | "startsWith"
        | "endsWith" | "strings.quote" | "format" => tenth(a),
        "ip.isCanonical" | "replace" | "split" => tenth(a.saturating_mul(2)),
        "join" => tenth(result.map_or(1, |it| size(&it.data)).saturating_mul(2)),
        "find" | "findAll" | "matches" => matching(a, b),
        "contains" => tenth(a).saturating_mul(tenth(b)),
        "containsIP" => tenth(a * 2) + second_text(arguments, b),
        "containsCIDR" => tenth(a * 2) + tenth(a) + 1 + second_text(arguments, b),
        "validate" => match first {
            Some(Data::Format(name)) => {
                matching(b, u64::try_from(formats::length(name)).unwrap_or(1))
            }
            _ => 1,
        },
        "string" if matches!(first, Some(Data::Bytes(_))) => tenth(a),
        "bytes" if matches!(first, Some(Data::String(_))) => tenth(a),
        "_in_" if matches!(arguments.get(1), Some(Operand { data: Data::List(_), .. })) => b,
        "_==_" | "_!=_" | "_<_" | "_<=_" | "_>_" | "_>=_" => tenth(a.min(b)),
        "_+_" if matches!(first, Some(Data::String(_) | Data::Bytes(_))) => {
            tenth(a.saturating_add(b))
        }
        "sets.contains" | "sets.intersects" => a.saturating_mul(b).saturating_add(1),
        "sets.equivalent" => a.saturating_mul(b).saturating_mul(2).saturating_add(1),
        "slice" | "lists.range" | "reverse" => {
            result.map_or(1, |it| size(&it.data)).saturating_add(LIST + 1)
        }
        "flatten" => a.saturating_mul(depth(arguments)).saturating_add(LIST + 1),
        "distinct" | "sort" => with_each_other(first),
        _ => 1,
    }
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
fn second_text(arguments: &[Operand], size: u64) -> u64 {
    match arguments.get(1).map(|it| &it.data) {
        Some(Data::String(_)) => tenth(size),
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
