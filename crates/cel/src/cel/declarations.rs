//! Every function and operator with its types: what Kubernetes 1.34 declares.
//!
//! Sources: cel-go's standard library and its extensions (strings version 2, lists version 3, sets, optional types,
//! two-variable comprehensions), and `pkg/cel/environment/base.go` and `pkg/cel/library` of k8s.io/apiserver 0.34.

use std::{collections::BTreeMap, sync::OnceLock};

use crate::cel::types::Type;

/// One way to call a function.
#[derive(Clone, Debug)]
pub struct Overload {
    /// Whether it is called like a method of its first parameter.
    pub is_method: bool,
    /// The types of its parameters.
    pub parameters: Vec<Type>,
    /// The type of its result.
    pub result: Type,
}

/// `A.name(B) -> C` is a method; `name(A, B) -> C` is not. `|` separates ways to call it.
const TABLE: &[(&str, &str)] = &[
    ("!_", "(bool) -> bool"),
    ("-_", "(int) -> int | (double) -> double"),
    ("_==_", "(A, A) -> bool"),
    ("_!=_", "(A, A) -> bool"),
    ("_<_", COMPARISON),
    ("_<=_", COMPARISON),
    ("_>_", COMPARISON),
    ("_>=_", COMPARISON),
    (
        "_+_",
        "(int, int) -> int | (uint, uint) -> uint | (double, double) -> double | (string, string) -> string | (bytes, bytes) -> bytes | (list(A), list(A)) -> list(A) | (duration, duration) -> duration | (timestamp, duration) -> timestamp | (duration, timestamp) -> timestamp",
    ),
    (
        "_-_",
        "(int, int) -> int | (uint, uint) -> uint | (double, double) -> double | (duration, duration) -> duration | (timestamp, timestamp) -> duration | (timestamp, duration) -> timestamp",
    ),
    ("_*_", "(int, int) -> int | (uint, uint) -> uint | (double, double) -> double"),
    ("_/_", "(int, int) -> int | (uint, uint) -> uint | (double, double) -> double"),
    ("_%_", "(int, int) -> int | (uint, uint) -> uint"),
    ("_in_", "(A, list(A)) -> bool | (A, map(A, B)) -> bool"),
    (
        "_[_]",
        "(list(A), int) -> A | (map(A, B), A) -> B | (optional(list(A)), int) -> optional(A) | (optional(map(A, B)), A) -> optional(B)",
    ),
    (
        "_[?_]",
        "(list(A), int) -> optional(A) | (map(A, B), A) -> optional(B) | (optional(list(A)), int) -> optional(A) | (optional(map(A, B)), A) -> optional(B)",
    ),
    (
        "size",
        "(string) -> int | (bytes) -> int | (list(A)) -> int | (map(A, B)) -> int | string.() -> int | bytes.() -> int | list(A).() -> int | map(A, B).() -> int",
    ),
    ("type", "(A) -> type(A)"),
    ("dyn", "(A) -> dyn"),
    ("bool", "(bool) -> bool | (string) -> bool"),
    ("bytes", "(bytes) -> bytes | (string) -> bytes"),
    ("double", "(double) -> double | (int) -> double | (string) -> double | (uint) -> double"),
    ("duration", "(duration) -> duration | (string) -> duration | (int) -> duration"),
    (
        "int",
        "(int) -> int | (double) -> int | (duration) -> int | (string) -> int | (timestamp) -> int | (uint) -> int",
    ),
    (
        "string",
        "(string) -> string | (bool) -> string | (bytes) -> string | (double) -> string | (duration) -> string | (int) -> string | (timestamp) -> string | (uint) -> string | (net.IP) -> string | (net.CIDR) -> string",
    ),
    ("timestamp", "(timestamp) -> timestamp | (int) -> timestamp | (string) -> timestamp"),
    ("uint", "(uint) -> uint | (double) -> uint | (int) -> uint | (string) -> uint"),
    ("matches", "(string, string) -> bool | string.(string) -> bool"),
    ("contains", "string.(string) -> bool"),
    ("endsWith", "string.(string) -> bool"),
    ("startsWith", "string.(string) -> bool"),
    ("getDate", TIMESTAMP),
    ("getDayOfMonth", TIMESTAMP),
    ("getDayOfWeek", TIMESTAMP),
    ("getDayOfYear", TIMESTAMP),
    ("getFullYear", TIMESTAMP),
    ("getMonth", TIMESTAMP),
    ("getHours", CLOCK),
    ("getMinutes", CLOCK),
    ("getSeconds", CLOCK),
    ("getMilliseconds", CLOCK),
    // Strings, version 2.
    ("charAt", "string.(int) -> string"),
    ("indexOf", "string.(string) -> int | string.(string, int) -> int | list(A).(A) -> int"),
    ("lastIndexOf", "string.(string) -> int | string.(string, int) -> int | list(A).(A) -> int"),
    ("lowerAscii", "string.() -> string"),
    ("upperAscii", "string.() -> string"),
    ("trim", "string.() -> string"),
    ("replace", "string.(string, string) -> string | string.(string, string, int) -> string"),
    ("split", "string.(string) -> list(string) | string.(string, int) -> list(string)"),
    ("substring", "string.(int) -> string | string.(int, int) -> string"),
    ("join", "list(string).() -> string | list(string).(string) -> string"),
    ("format", "string.(list(dyn)) -> string"),
    ("strings.quote", "(string) -> string"),
    // Sets.
    ("sets.contains", "(list(A), list(A)) -> bool"),
    ("sets.equivalent", "(list(A), list(A)) -> bool"),
    ("sets.intersects", "(list(A), list(A)) -> bool"),
    // Lists: Kubernetes', then version 3 of cel-go's.
    ("isSorted", "list(S).() -> bool"),
    ("sum", "list(N).() -> N"),
    ("max", "list(S).() -> S"),
    ("min", "list(S).() -> S"),
    ("slice", "list(A).(int, int) -> list(A)"),
    ("flatten", "list(list(A)).() -> list(A) | list(dyn).(int) -> list(dyn)"),
    ("sort", "list(S).() -> list(S)"),
    ("distinct", "list(A).() -> list(A)"),
    ("reverse", "list(A).() -> list(A)"),
    ("lists.range", "(int) -> list(int)"),
    // Optional types.
    ("optional.of", "(A) -> optional(A)"),
    ("optional.ofNonZeroValue", "(A) -> optional(A)"),
    ("optional.none", "() -> optional(A)"),
    ("optional.unwrap", "(list(optional(A))) -> list(A)"),
    ("unwrapOpt", "list(optional(A)).() -> list(A)"),
    ("value", "optional(A).() -> A"),
    ("hasValue", "optional(A).() -> bool"),
    ("or", "optional(A).(optional(A)) -> optional(A)"),
    ("orValue", "optional(A).(A) -> A"),
    ("first", "list(A).() -> optional(A)"),
    ("last", "list(A).() -> optional(A)"),
    // Regular expressions.
    ("find", "string.(string) -> string"),
    ("findAll", "string.(string) -> list(string) | string.(string, int) -> list(string)"),
    // URLs.
    ("url", "(string) -> kubernetes.URL"),
    ("isURL", "(string) -> bool"),
    ("getScheme", "kubernetes.URL.() -> string"),
    ("getHost", "kubernetes.URL.() -> string"),
    ("getHostname", "kubernetes.URL.() -> string"),
    ("getPort", "kubernetes.URL.() -> string"),
    ("getEscapedPath", "kubernetes.URL.() -> string"),
    ("getQuery", "kubernetes.URL.() -> map(string, list(string))"),
    // Addresses and networks.
    ("ip", "(string) -> net.IP | net.CIDR.() -> net.IP"),
    ("isIP", "(string) -> bool"),
    ("ip.isCanonical", "(string) -> bool"),
    ("family", "net.IP.() -> int"),
    ("isUnspecified", "net.IP.() -> bool"),
    ("isLoopback", "net.IP.() -> bool"),
    ("isLinkLocalMulticast", "net.IP.() -> bool"),
    ("isLinkLocalUnicast", "net.IP.() -> bool"),
    ("isGlobalUnicast", "net.IP.() -> bool"),
    ("cidr", "(string) -> net.CIDR"),
    ("isCIDR", "(string) -> bool"),
    ("containsIP", "net.CIDR.(string) -> bool | net.CIDR.(net.IP) -> bool"),
    ("containsCIDR", "net.CIDR.(string) -> bool | net.CIDR.(net.CIDR) -> bool"),
    ("prefixLength", "net.CIDR.() -> int"),
    ("masked", "net.CIDR.() -> net.CIDR"),
    // Quantities and versions.
    ("quantity", "(string) -> kubernetes.Quantity"),
    ("isQuantity", "(string) -> bool"),
    ("sign", "(kubernetes.Quantity) -> int"),
    ("asInteger", "kubernetes.Quantity.() -> int"),
    ("isInteger", "kubernetes.Quantity.() -> bool"),
    ("asApproximateFloat", "kubernetes.Quantity.() -> double"),
    ("add", ARITHMETIC),
    ("sub", ARITHMETIC),
    ("isGreaterThan", ORDER),
    ("isLessThan", ORDER),
    (
        "compareTo",
        "kubernetes.Quantity.(kubernetes.Quantity) -> int | kubernetes.Semver.(kubernetes.Semver) -> int",
    ),
    ("semver", "(string) -> kubernetes.Semver | (string, bool) -> kubernetes.Semver"),
    ("isSemver", "(string) -> bool | (string, bool) -> bool"),
    ("major", "kubernetes.Semver.() -> int"),
    ("minor", "kubernetes.Semver.() -> int"),
    ("patch", "kubernetes.Semver.() -> int"),
    // Formats.
    ("format.named", "(string) -> optional(kubernetes.NamedFormat)"),
    ("validate", "kubernetes.NamedFormat.(string) -> optional(list(string))"),
    ("format.dns1123Label", FORMAT),
    ("format.dns1123Subdomain", FORMAT),
    ("format.dns1035Label", FORMAT),
    ("format.qualifiedName", FORMAT),
    ("format.dns1123LabelPrefix", FORMAT),
    ("format.dns1123SubdomainPrefix", FORMAT),
    ("format.dns1035LabelPrefix", FORMAT),
    ("format.labelValue", FORMAT),
    ("format.uri", FORMAT),
    ("format.uuid", FORMAT),
    ("format.byte", FORMAT),
    ("format.date", FORMAT),
    ("format.datetime", FORMAT),
    // The authorizer of admission policies: what it says hangs on the user, so no call of it is ever evaluated.
    ("path", "kubernetes.authorization.Authorizer.(string) -> kubernetes.authorization.PathCheck"),
    (
        "group",
        "kubernetes.authorization.Authorizer.(string) -> kubernetes.authorization.GroupCheck",
    ),
    (
        "serviceAccount",
        "kubernetes.authorization.Authorizer.(string, string) -> kubernetes.authorization.Authorizer",
    ),
    (
        "resource",
        "kubernetes.authorization.GroupCheck.(string) -> kubernetes.authorization.ResourceCheck",
    ),
    ("subresource", RESOURCE_CHECK),
    ("namespace", RESOURCE_CHECK),
    ("name", RESOURCE_CHECK),
    ("fieldSelector", RESOURCE_CHECK),
    ("labelSelector", RESOURCE_CHECK),
    (
        "check",
        "kubernetes.authorization.PathCheck.(string) -> kubernetes.authorization.Decision | kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.Decision",
    ),
    ("allowed", "kubernetes.authorization.Decision.() -> bool"),
    ("errored", "kubernetes.authorization.Decision.() -> bool"),
    ("reason", "kubernetes.authorization.Decision.() -> string"),
    ("error", "kubernetes.authorization.Decision.() -> string"),
    // karplint's own.
    ("tolerates", "(list(dyn), dyn) -> bool"),
    ("selects", "(dyn, map(string, string)) -> bool"),
];

const COMPARISON: &str = "(bool, bool) -> bool | (int, int) -> bool | (int, uint) -> bool | (int, double) -> bool | (uint, uint) -> bool | (uint, int) -> bool | (uint, double) -> bool | (double, double) -> bool | (double, int) -> bool | (double, uint) -> bool | (string, string) -> bool | (bytes, bytes) -> bool | (timestamp, timestamp) -> bool | (duration, duration) -> bool";
const TIMESTAMP: &str = "timestamp.() -> int | timestamp.(string) -> int";
const CLOCK: &str = "timestamp.() -> int | timestamp.(string) -> int | duration.() -> int";
const ARITHMETIC: &str = "kubernetes.Quantity.(kubernetes.Quantity) -> kubernetes.Quantity | kubernetes.Quantity.(int) -> kubernetes.Quantity";
const ORDER: &str = "kubernetes.Quantity.(kubernetes.Quantity) -> bool | kubernetes.Semver.(kubernetes.Semver) -> bool";
const RESOURCE_CHECK: &str =
    "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck";
const FORMAT: &str = "() -> kubernetes.NamedFormat";

/// What `S` stands for in the table: types whose values have an order.
const SORTABLE: &[Type] = &[
    Type::Int,
    Type::Uint,
    Type::Double,
    Type::Bool,
    Type::Duration,
    Type::Timestamp,
    Type::String,
    Type::Bytes,
];
/// What `N` stands for in the table: types whose values have a sum.
const SUMMABLE: &[Type] = &[Type::Int, Type::Uint, Type::Double, Type::Duration];

/// The ways to call a function; none if there is no such function.
#[must_use]
pub fn overloads(name: &str) -> &'static [Overload] {
    static ALL: OnceLock<BTreeMap<&str, Vec<Overload>>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let read =
            |(name, text): &(&'static str, &str)| (*name, text.split('|').flat_map(read).collect());
        TABLE.iter().map(read).collect()
    });
    all.get(name).map_or(&[], Vec::as_slice)
}

/// The functions, operators left out.
pub fn names() -> impl Iterator<Item = &'static str> {
    let letter = |it: &&str| it.starts_with(|it: char| it.is_ascii_alphabetic());
    TABLE.iter().map(|(name, _)| *name).filter(letter)
}

/// Whether there is a function of that name.
#[must_use]
pub(crate) fn is_function(name: &str) -> bool {
    !overloads(name).is_empty()
}

/// The ways to call a function that one entry of the table means.
fn read(text: &str) -> Vec<Overload> {
    let Some(overload) = read_one(text) else { return Vec::new() };
    let each = |letter: &str, types: &[Type]| {
        let with = |it: &Type| Overload {
            parameters: overload.parameters.iter().map(|p| replace(p, letter, it)).collect(),
            result: replace(&overload.result, letter, it),
            ..overload.clone()
        };
        types.iter().map(with).collect()
    };
    if text.contains("list(S)") {
        each("S", SORTABLE)
    } else if text.contains("list(N)") {
        each("N", SUMMABLE)
    } else {
        vec![overload]
    }
}

fn read_one(text: &str) -> Option<Overload> {
    let (call, result) = text.trim().split_once("->")?;
    let call = call.trim().strip_suffix(')')?;
    let (receiver, arguments) = match call.split_once(".(") {
        Some((receiver, arguments)) => (Some(receiver), arguments),
        None => (None, call.strip_prefix('(')?),
    };
    let mut depth = 0;
    let arguments = arguments.split(|it| {
        depth += i32::from(it == '(') - i32::from(it == ')');
        it == ',' && depth == 0
    });
    let texts = receiver.into_iter().chain(arguments.filter(|it| !it.trim().is_empty()));
    let parameters = texts.map(Type::read).collect::<Option<_>>()?;
    Some(Overload { is_method: receiver.is_some(), parameters, result: Type::read(result)? })
}

/// A type with another in place of a parameter, which stands alone or in a list.
fn replace(of: &Type, letter: &str, with: &Type) -> Type {
    match of {
        Type::Parameter(it) if **it == *letter => with.clone(),
        Type::List(item) => Type::list(replace(item, letter, with)),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::{TABLE, read_one};

    #[test]
    fn every_entry_of_the_table_can_be_read() {
        for (name, text) in TABLE {
            for one in text.split('|') {
                assert!(read_one(one).is_some(), "{name}: {one}");
            }
        }
    }
}
