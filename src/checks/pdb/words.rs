//! What a selector asks for, in words.

use crate::resolve::pod::selector::{LabelOperator, Requirement, Selector};

/// What a selector asks for: "`app: web`, `tier`: one of `a`, `b`".
#[must_use]
pub(crate) fn of_selector(selector: &Selector) -> String {
    let word = |it: &Requirement| match &it.operator {
        LabelOperator::In(values) if values.len() == 1 => {
            format!("`{}: {}`", it.key, of_requirement(it).trim_matches('`'))
        }
        _ => format!("`{}`: {}", it.key, of_requirement(it)),
    };
    let words: Vec<String> = selector.requirements().iter().map(word).collect();
    if words.is_empty() { "every pod".to_owned() } else { words.join(", ") }
}

/// What is asked of one label: "`web`", "one of `a`, `b`", "no such label".
#[must_use]
pub(crate) fn of_requirement(requirement: &Requirement) -> String {
    let quote = |it: &Option<String>| {
        it.as_ref().map_or_else(|| "something unknown".to_owned(), |it| format!("`{it}`"))
    };
    let quoted = |it: &[Option<String>]| it.iter().map(quote).collect::<Vec<_>>().join(", ");
    match &requirement.operator {
        LabelOperator::In(values) if values.len() == 1 => quoted(values),
        LabelOperator::In(values) => format!("one of {}", quoted(values)),
        LabelOperator::NotIn(values) if values.len() == 1 => format!("not {}", quoted(values)),
        LabelOperator::NotIn(values) => format!("none of {}", quoted(values)),
        LabelOperator::Exists => "any value".to_owned(),
        LabelOperator::DoesNotExist => "no such label".to_owned(),
        LabelOperator::Above(bound) => format!("more than {bound}"),
        LabelOperator::Below(bound) => format!("less than {bound}"),
    }
}

#[cfg(test)]
mod tests {
    use super::of_selector;
    use crate::{resolve::pod::selector::Selector, source::FileId, syntax::yaml, value::Field};

    #[test]
    fn selectors_are_said_in_words() {
        for (text, wanted) in [
            ("{}", "every pod"),
            ("{matchLabels: {app: web, tier: back}}", "`app: web`, `tier: back`"),
            (
                "{matchExpressions: [{key: a, operator: In, values: [b, c]}]}",
                "`a`: one of `b`, `c`",
            ),
            ("{matchExpressions: [{key: a, operator: NotIn, values: [b]}]}", "`a`: not `b`"),
            ("{matchExpressions: [{key: a, operator: DoesNotExist}]}", "`a`: no such label"),
        ] {
            let values = yaml::parse_file(FileId(0), text).values;
            let selector = Selector::read(Field::Present(&values[0]), "policy/v1");
            assert_eq!(of_selector(&selector), wanted, "{text}");
        }
    }
}
