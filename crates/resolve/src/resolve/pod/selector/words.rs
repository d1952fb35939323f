//! What a selector asks for, in words.

use crate::resolve::pod::selector::{Operator, Requirement, Selector};

impl Selector {
    /// What it asks for, in words: "`app: web`, `tier`: one of `a`, `b`".
    #[must_use]
    pub fn words(&self) -> String {
        let word = |it: &Requirement| match &it.operator {
            Operator::In(values) if values.len() == 1 => {
                format!("`{}: {}`", it.key, it.wanted().trim_matches('`'))
            }
            _ => format!("`{}`: {}", it.key, it.wanted()),
        };
        let words: Vec<String> = self.requirements.iter().map(word).collect();
        if words.is_empty() { "every pod".to_owned() } else { words.join(", ") }
    }
}

impl Requirement {
    /// What it wants of its label: "`web`", "one of `a`, `b`", "no such label".
    #[must_use]
    pub fn wanted(&self) -> String {
        let quote = |it: &Option<String>| {
            it.as_ref().map_or_else(|| "something unknown".to_owned(), |it| format!("`{it}`"))
        };
        let quoted = |it: &[Option<String>]| it.iter().map(quote).collect::<Vec<_>>().join(", ");
        match &self.operator {
            Operator::In(values) if values.len() == 1 => quoted(values),
            Operator::In(values) => format!("one of {}", quoted(values)),
            Operator::NotIn(values) if values.len() == 1 => format!("not {}", quoted(values)),
            Operator::NotIn(values) => format!("none of {}", quoted(values)),
            Operator::Exists => "any value".to_owned(),
            Operator::DoesNotExist => "no such label".to_owned(),
        }
    }
}
