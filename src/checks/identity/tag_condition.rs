//! Statements that allow an action only on what has a certain tag.

use crate::{
    checks::identity::{
        never_met::{never_met, tag_of},
        statements::Policy,
    },
    knowledge::identity::need::Need,
    source::Span,
    value::{Entry, HOLE_START, Kind, Value},
};

/// The operators that only a tag meets which is there.
const OPERATORS: [&str; 3] = ["StringEquals", "StringLike", "StringEqualsIgnoreCase"];

/// Where policies ask for a tag that what Karpenter makes has no longer, in all statements that allow the action for
/// it.
pub(super) fn asks_for_wrong_tag(policies: &[Policy<'_>], need: &Need) -> Option<Span> {
    let (tag, resource) = (need.wrong_tag.as_deref()?, need.resource.as_deref()?);
    let mut first = None;
    for policy in policies {
        if !policy.may_allow(&need.action) {
            continue;
        }
        let written = policy.written?;
        for statement in written.list() {
            if !written.may_allow(statement, &need.action)
                || !may_be_for(statement.get(written.keys.resource).present(), resource)
            {
                continue;
            }
            let place = demand(statement.get(written.keys.condition).present()?, tag)?;
            first = first.or(Some(place));
        }
    }
    first
}

/// Where the statements of policies that name an action ask for what nothing has.
pub(super) fn asks_for_nothing(policies: &[Policy<'_>], action: &str) -> Option<Span> {
    let mut written = policies.iter().filter_map(|it| it.written);
    written.find_map(|all| {
        let own = all.list().iter().filter(|it| all.may_allow(it, action));
        let mut unmet = own.filter_map(|it| never_met(it.get(all.keys.condition).present()?));
        unmet.next()
    })
}

/// Whether a statement may be for resources of a kind: an ARN has the kind behind its last colon.
fn may_be_for(resources: Option<&Value>, kind: &str) -> bool {
    let may = |it: &Value| {
        let Kind::String(text) = &it.kind else { return true };
        let last = text.text.rsplit(':').next().unwrap_or_default();
        last.starts_with(['*', HOLE_START]) || last.split('/').next() == Some(kind)
    };
    match resources.map(|it| (it, it.as_list())) {
        Some((_, Some(list))) => list.rest.is_some() || list.items.iter().any(may),
        Some((one, None)) => may(one),
        None => true,
    }
}

/// Where a condition asks for a tag: `StringLike: {"ec2:ResourceTag/…": "*"}`, or a block with `test` and `variable`.
fn demand(condition: &Value, tag: &str) -> Option<Span> {
    let is_key = |key: &str| tag_of(key) == Some(tag);
    if let Some(operators) = condition.as_map() {
        let demands = |it: &&Entry| OPERATORS.contains(&&*it.key);
        let keys = operators.entries.iter().filter(demands).flat_map(|it| it.value.entries());
        return keys.into_iter().find(|it| is_key(&it.key)).map(|it| it.key_span);
    }
    condition.items().iter().find_map(|block| {
        let text = |key: &str| block.get(key).present().and_then(Value::as_str);
        let demands = text("test").is_some_and(|it| OPERATORS.contains(&it));
        let variable = block.get("variable").present()?;
        (demands && text("variable").is_some_and(is_key)).then_some(variable.span)
    })
}
