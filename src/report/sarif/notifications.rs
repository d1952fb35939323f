//! What a log says besides its results.

use crate::report::{
    Report, plural,
    sarif::{
        place::file_location,
        schema::{Notification, text},
        words::plain,
    },
    summary,
    undecided::in_words,
};

/// What is left out, not read or not decided, where a log has that many results.
pub(super) fn execution(report: &Report, results: usize) -> Vec<Notification> {
    let more = report.shown.len() - results;
    let cut = (more > 0).then(|| Notification {
        message: text(format!("{}, the least severe, are left out.", plural(more, "finding"))),
        level: "warning",
        locations: Vec::new(),
    });
    let skipped = report.skipped.iter().map(|it| Notification {
        message: text(plain(&format!("Not read: {}", it.reason))),
        level: "note",
        locations: vec![file_location(&it.address, None)],
    });
    let undecided = report.undecided().map(|it| Notification {
        message: text(plain(&format!(
            "{} is not decided: {}",
            it.rule,
            in_words(it.silence.reason())
        ))),
        level: "note",
        locations: Vec::new(),
    });
    let without = summary::without_karpenter(report).map(|it| Notification {
        message: text(plain(&format!("{it}."))),
        level: "note",
        locations: Vec::new(),
    });
    cut.into_iter().chain(without).chain(skipped).chain(undecided).collect()
}

/// What configs say and the repository contradicts.
pub(super) fn configuration(report: &Report) -> Vec<Notification> {
    let warnings = report.config_warnings().map(|(path, it)| Notification {
        message: text(plain(&it.message)),
        level: "warning",
        locations: path
            .map(|path| file_location(&path, Some(it.at.position.line)))
            .into_iter()
            .collect(),
    });
    warnings.collect()
}
