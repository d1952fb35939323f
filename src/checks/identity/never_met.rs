//! Conditions of statements that nothing meets: `StringEquals` takes a `*` for that very letter, and no tag of Karpenter's
//! has it.

use crate::{
    source::Span,
    value::{Entry, Value},
};

/// What is in front of the tag in the key of a condition.
const KEYS: [&str; 3] = ["aws:ResourceTag/", "aws:RequestTag/", "ec2:ResourceTag/"];
/// The operators that compare whole texts, and do not pass what has no such tag.
const EXACT: [&str; 2] = ["StringEquals", "StringEqualsIgnoreCase"];
/// Tags whose texts are names of Kubernetes, or fixed words.
const NAMED: [&str; 4] = [
    "karpenter.sh/nodepool",
    "karpenter.sh/nodeclaim",
    "karpenter.k8s.aws/ec2nodeclass",
    "kubernetes.io/cluster/",
];

/// Where a condition asks for a text that no tag has: `StringEquals: {"aws:ResourceTag/karpenter.sh/nodepool": "*"}`, or
/// a block with `test`, `variable` and `values`.
pub(super) fn never_met(condition: &Value) -> Option<Span> {
    if let Some(operators) = condition.as_map() {
        let exact = operators.entries.iter().filter(|it| EXACT.contains(&&*it.key));
        let is_unmet = |it: &&Entry| is_named(&it.key) && are_literal_stars(&it.value);
        return exact.flat_map(|it| it.value.entries()).find(is_unmet).map(|it| it.key_span);
    }
    condition.items().iter().find_map(|block| {
        let field = |key: &str| block.get(key).present();
        let text = |key: &str| field(key).and_then(Value::as_str);
        let is_exact = text("test").is_some_and(|it| EXACT.contains(&it));
        let is_unmet =
            text("variable").is_some_and(is_named) && are_literal_stars(field("values")?);
        (is_exact && is_unmet).then_some(field("variable")?.span)
    })
}

/// The tag in the key of a condition.
pub(super) fn tag_of(key: &str) -> Option<&str> {
    let is = |it: &&str| key.get(..it.len()).is_some_and(|start| start.eq_ignore_ascii_case(it));
    Some(&key[KEYS.iter().find(|it| is(it))?.len()..])
}

fn is_named(key: &str) -> bool {
    let is =
        |tag: &str, known: &str| tag == known || known.ends_with('/') && tag.starts_with(known);
    tag_of(key).is_some_and(|tag| NAMED.iter().any(|it| is(tag, it)))
}

/// Whether each text of a value is known and has a `*` in it.
fn are_literal_stars(texts: &Value) -> bool {
    let has_star = |it: &Value| it.as_str().is_some_and(|it| it.contains('*'));
    match texts.as_list() {
        Some(list) => {
            list.rest.is_none() && !list.items.is_empty() && list.items.iter().all(has_star)
        }
        None => has_star(texts),
    }
}
