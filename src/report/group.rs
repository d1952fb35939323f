//! Findings that say the same of several places.

use crate::{
    findings::{Finding, Severity},
    report::shown::Shown,
};

/// What findings of one rule share that say the same and advise the same: the rule, the message without the
/// names in it, and the help.
#[must_use]
pub(crate) fn of(finding: &Finding) -> String {
    let said = format!("{}: {}", finding.rule, shape(&finding.message));
    finding.help.iter().fold(said, |said, help| format!("{said}: {help}"))
}

/// A message with `…` for each name in backticks.
fn shape(message: &str) -> String {
    let parts = message.split('`').enumerate();
    parts.map(|(index, it)| if index % 2 == 1 { "`…`" } else { it }).collect()
}

/// The findings from a severity upwards as people read them: errors first, those of one group together, the
/// groups in the order of their first places.
#[must_use]
pub(crate) fn by_severity<'r, 'a>(
    shown: &'r [Shown<'a>],
    lowest: Severity,
) -> Vec<Vec<&'r Shown<'a>>> {
    let mut groups: Vec<(Severity, String, Vec<&Shown>)> = Vec::new();
    for it in shown.iter().filter(|it| it.finding.severity >= lowest) {
        let (severity, group) = (it.finding.severity, of(it.finding));
        match groups.iter_mut().find(|(s, g, _)| *s == severity && *g == group) {
            Some((.., members)) => members.push(it),
            None => groups.push((severity, group, vec![it])),
        }
    }
    groups.sort_by_key(|(severity, ..)| std::cmp::Reverse(*severity));
    groups.into_iter().map(|(.., members)| members).collect()
}

#[cfg(test)]
mod tests {
    use super::shape;

    #[test]
    fn names_do_not_tell_messages_apart() {
        for (message, same) in [
            ("Nothing protects `db`", "Nothing protects `…`"),
            ("`a` selects `b` too", "`…` selects `…` too"),
            ("no name", "no name"),
            ("an open `quote", "an open `…`"),
        ] {
            assert_eq!(shape(message), same);
        }
    }
}
