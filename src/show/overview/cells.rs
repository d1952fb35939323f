//! Values in a few words, for tables.

use crate::{
    report::markup::visible,
    show::unknown::{filled, words},
    value::{Field, Kind, Symbol, Value},
};

/// A value in a few words; what is not known begins with `?`.
pub(crate) fn cell(value: &Value) -> String {
    match &value.kind {
        Kind::Null => String::new(),
        Kind::Bool(value) => if *value { "yes" } else { "no" }.to_owned(),
        Kind::Number(value) => value.to_string(),
        Kind::String(text) => match (text.known(), text.only_hole()) {
            (Some(known), _) => visible(known),
            (None, Some(symbol)) => unknown(symbol),
            (None, None) => format!("? {}", visible(&filled(text))),
        },
        Kind::Unknown(symbol) => unknown(symbol),
        Kind::List(list) => {
            joined(list.items.iter().map(cell).chain(list.rest.iter().map(unknown)))
        }
        Kind::Map(map) => {
            let entries = map.entries.iter().map(|it| pair(&it.key, &it.value));
            joined(entries.chain(map.rest.iter().map(unknown)))
        }
    }
}

fn unknown(symbol: &Symbol) -> String {
    match &*words(symbol) {
        "?" => "?".to_owned(),
        words => format!("? {}", visible(words)),
    }
}

fn pair(key: &str, value: &Value) -> String {
    match cell(value) {
        value if value.is_empty() => visible(key),
        value => format!("{}={value}", visible(key)),
    }
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.filter(|it| !it.is_empty()).collect::<Vec<_>>().join(", ")
}

/// The items of a list, each in words of its own.
pub(super) fn each(value: &Value, one: impl Fn(&Value) -> String) -> String {
    let Kind::List(list) = &value.kind else { return cell(value) };
    joined(list.items.iter().map(one).chain(list.rest.iter().map(unknown)))
}

/// `key=value:NoSchedule`.
pub(super) fn taint(value: &Value) -> String {
    if value.as_map().is_none() {
        return cell(value);
    }
    let part = |key: &str| part(value, key);
    let value = match part("value") {
        value if value.is_empty() => value,
        value => format!("={value}"),
    };
    format!("{}{value}:{}", part("key"), part("effect"))
}

fn part(value: &Value, key: &str) -> String {
    match value.get(key) {
        Field::Present(value) => cell(value),
        Field::Missing => String::new(),
        Field::Unknown => "?".to_owned(),
    }
}

/// Groups of labels that every reader knows.
const WELL_KNOWN: &[&str] = &[
    "karpenter.sh/",
    "karpenter.k8s.aws/",
    "node.kubernetes.io/",
    "kubernetes.io/",
    "topology.kubernetes.io/",
    "eks.amazonaws.com/",
];

/// `capacity-type in (spot, on-demand)`.
pub(super) fn requirement(value: &Value) -> String {
    if value.as_map().is_none() {
        return cell(value);
    }
    let key = part(value, "key");
    let key = WELL_KNOWN.iter().find_map(|it| key.strip_prefix(it)).unwrap_or(&key);
    let values = part(value, "values");
    match &*part(value, "operator") {
        "In" => format!("{key} in ({values})"),
        "NotIn" => format!("{key} not in ({values})"),
        "Exists" => format!("{key} exists"),
        "DoesNotExist" => format!("no {key}"),
        "Gt" => format!("{key} > {values}"),
        "Lt" => format!("{key} < {values}"),
        "Gte" => format!("{key} >= {values}"),
        "Lte" => format!("{key} <= {values}"),
        other => format!("{key} {other} {values}"),
    }
}

/// A term of a selector: `karpenter.sh/discovery=shop`, `alias=al2023@latest`.
pub(super) fn selector(value: &Value) -> String {
    let Kind::Map(map) = &value.kind else { return cell(value) };
    let entries = map.entries.iter().map(|it| match &*it.key {
        "tags" if it.value.as_map().is_some() => cell(&it.value),
        key => pair(key, &it.value),
    });
    let words: Vec<String> = entries.chain(map.rest.iter().map(unknown)).collect();
    words.join(" and ")
}

/// `10% (Drifted) from 0 9 * * 1-5 for 8h`.
pub(super) fn budget(value: &Value) -> String {
    if value.as_map().is_none() {
        return cell(value);
    }
    let mut words = part(value, "nodes");
    for (key, before, after) in
        [("reasons", " (", ")"), ("schedule", " from ", ""), ("duration", " for ", "")]
    {
        let part = part(value, key);
        if !part.is_empty() {
            words += &[before, &part, after].concat();
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::{budget, cell, each, requirement, taint};
    use crate::{source::FileId, syntax::yaml, value::Value};

    fn value(text: &str) -> Value {
        yaml::parse_file(FileId(0), text).values.remove(0)
    }

    #[test]
    fn values_take_few_words() {
        for (text, wanted) in [
            ("[a, 1, true]", "a, 1, yes"),
            ("{cpu: 10, memory: 1Gi, x: }", "cpu=10, memory=1Gi, x"),
            ("'{{ x }}'", "? {{ x }}"),
            ("[a, 'b-{{ x }}']", "a, ? b-${{{ x }}}"),
        ] {
            assert_eq!(cell(&value(text)), wanted, "{text}");
        }
        let taints = value("[{key: a, effect: NoSchedule}, {key: b, value: c, effect: '{{ x }}'}]");
        assert_eq!(each(&taints, taint), "a:NoSchedule, b=c:? {{ x }}");
        let requirements = value(
            "[{key: karpenter.sh/capacity-type, operator: In, values: [spot, on-demand]}, \
             {key: shop.example/team, operator: Exists}, \
             {key: karpenter.k8s.aws/instance-generation, operator: Gt, values: ['4']}]",
        );
        let wanted =
            "capacity-type in (spot, on-demand), shop.example/team exists, instance-generation > 4";
        assert_eq!(each(&requirements, requirement), wanted);
        let budgets = value(
            "[{nodes: 10%}, {nodes: '0', reasons: [Drifted], schedule: 0 9 * * *, duration: 8h}]",
        );
        assert_eq!(each(&budgets, budget), "10%, 0 (Drifted) from 0 9 * * * for 8h");
    }
}
