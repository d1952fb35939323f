//! The interruption queue that is configured.

use crate::{
    checks::chart_value::{KarpenterChart, is_nothing},
    findings::{note::Note, silence::Silence, subject::Subject},
    knowledge::chart_values::Reading,
    model::Model,
    resolve::{
        answers::agreed,
        setting::{Setting, steps},
        terraform::{module_source::ModuleSource, object::BlockInstance},
    },
    source::Span,
    value::{HOLE_START, Kind, Symbol, Value, alternatives::alternatives},
};

/// The key of the queue in the values of Karpenter's chart.
pub(super) const QUEUE: &str = "settings.interruptionQueue";

/// A queue that is named by something else than its name.
#[derive(Clone, Debug)]
pub(crate) struct NotAName {
    /// The value.
    pub span: Span,
    /// What it is.
    pub form: QueueForm,
    /// The name inside it, where it is written out.
    pub name: Option<String>,
    /// The steps by which the value comes here.
    pub steps: Vec<Note>,
    /// Which of several instances of its release.
    pub subject: Option<Subject>,
}

/// What is given in the place of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueueForm {
    /// Its ARN.
    Arn,
    /// Its URL.
    Url,
}

/// The queues that Karpenter's controllers are given, and which of them are named by something else than their
/// name.
#[must_use]
pub(crate) fn values(model: &Model) -> Vec<(Span, Result<NotAName, Silence>)> {
    let by_hand = model.values_files.iter().filter(|it| it.is_controller());
    let charts = model.controllers().chain(by_hand).filter_map(KarpenterChart::of);
    let queues = names_of_queues(model);
    charts.flat_map(|it| of_chart(&it, &queues)).collect()
}

/// Where the queues of the code are given their names: what comes from there is a name, whatever it is.
fn names_of_queues(model: &Model) -> Vec<Span> {
    let queues = model.terraform_objects().filter(|it| &*it.kind == "aws_sqs_queue");
    queues.filter_map(|it| it.body.get("name").present().map(|it| it.span)).collect()
}

fn of_chart(chart: &KarpenterChart<'_>, queues: &[Span]) -> Vec<(Span, Result<NotAName, Silence>)> {
    let names = chart.values.names_of(QUEUE).iter();
    let is_read = |name: &&String| {
        chart.versions.iter().any(|it| chart.values.reading(name, it) == Reading::Whole)
    };
    let written = names.filter(is_read).filter_map(|it| chart.release.values.at(it).present());
    written.map(|it| (it.span, not_a_name(chart, it, queues))).collect()
}

fn not_a_name(
    chart: &KarpenterChart<'_>,
    value: &Value,
    queues: &[Span],
) -> Result<NotAName, Silence> {
    if queues.contains(&value.span) {
        return Err(Silence::sound("it is the name of a queue"));
    }
    let Some(form) = form(value) else {
        let text = Setting::written(value, |it| it.as_str().map(str::to_owned));
        let of_few = value.cases().is_some_and(|it| it.iter().all(is_name));
        if !of_few && !is_name_of_one(value) && !begins_as_name(value) {
            text.decided("the queue")?;
        }
        return Err(Silence::sound("the queue is given by its name"));
    };
    Ok(NotAName {
        span: value.span,
        form,
        name: value.as_str().and_then(|it| it.rsplit([':', '/']).next()).map(str::to_owned),
        steps: steps(value),
        subject: chart.release.subject.clone(),
    })
}

/// Whether one of few values is surely a name, or nothing.
fn is_name(value: &Value) -> bool {
    let is_text = matches!(&value.kind, Kind::String(text) if text.holes.is_empty());
    is_nothing(value) || (is_text && form_of_one(value).is_none()) || is_name_of_one(value)
}

/// Whether a text begins with letters that neither an ARN nor a URL begins with.
fn begins_as_name(value: &Value) -> bool {
    let Kind::String(text) = &value.kind else { return false };
    let known = text.text.split(HOLE_START).next().unwrap_or_default();
    let may_be = |it: &&str| it.starts_with(known) || known.starts_with(it);
    !["arn:", "http"].iter().any(may_be)
}

fn is_name_of_one(value: &Value) -> bool {
    reference(value).is_some_and(|it| it.ends_with("name"))
}

/// Whether something is seen that makes a queue.
pub(crate) fn has_queue(model: &Model) -> bool {
    let makes = |it: &BlockInstance| {
        &*it.kind == "aws_sqs_queue" || ModuleSource::of(it).is(ModuleSource::EKS_KARPENTER)
    };
    model.terraform_objects().any(makes)
        || !model.gitops.queues.is_empty()
        || model.gitops.unread.iter().any(|(_, kind, _)| kind.contains("sqs/queue:Queue"))
}

/// The expression that a value is, or that its text wholly consists of.
pub(super) fn reference(value: &Value) -> Option<&str> {
    match &value.kind {
        Kind::Unknown(symbol) => Some(&symbol.text),
        Kind::String(text) => text.only_hole().map(|it| &*it.text),
        _ => None,
    }
}

/// What a value is, if it is surely no name; of few that it may be, whichever it is.
fn form(value: &Value) -> Option<QueueForm> {
    match value.cases() {
        Some(cases) => agreed(cases.iter().filter(|it| !is_nothing(it)).map(form_of_one)),
        None => form_of_one(value),
    }
}

fn form_of_one(value: &Value) -> Option<QueueForm> {
    match &value.kind {
        Kind::Unknown(symbol) => of_symbol(symbol),
        Kind::String(text) => {
            let known = text.text.split(HOLE_START).next().unwrap_or_default();
            match &*text.holes {
                [symbol] if text.text.starts_with(HOLE_START) => {
                    // Something behind the hole makes another text of it.
                    let whole = text.text.chars().filter(|it| *it == HOLE_START).count() == 1
                        && text.text.ends_with(crate::value::HOLE_END);
                    whole.then(|| of_symbol(symbol))?
                }
                _ if known.starts_with("arn:") => Some(QueueForm::Arn),
                _ if known.starts_with("https://") => Some(QueueForm::Url),
                _ => None,
            }
        }
        _ => None,
    }
}

/// What an expression yields, whichever of its alternatives it is.
fn of_symbol(symbol: &Symbol) -> Option<QueueForm> {
    agreed(alternatives(&symbol.text).into_iter().map(of_reference))
}

/// What a reference yields: an attribute of a queue, or the output of a module that is named after it.
fn of_reference(reference: &str) -> Option<QueueForm> {
    let parts = parts(reference)?;
    let parts = parts.strip_prefix(&["data"]).unwrap_or(&parts);
    match parts {
        ["aws_sqs_queue", _, "arn"] => Some(QueueForm::Arn),
        ["aws_sqs_queue", _, "url" | "id"] => Some(QueueForm::Url),
        ["module", _, output] if output.ends_with("queue_arn") => Some(QueueForm::Arn),
        ["module", _, output] if output.ends_with("queue_url") => Some(QueueForm::Url),
        _ => None,
    }
}

/// The names of a plain reference without its indexes; `None` for any other expression.
fn parts(reference: &str) -> Option<Vec<&str>> {
    let mut rest = reference;
    let mut parts = Vec::new();
    loop {
        let end = rest.find(|it: char| !(it.is_alphanumeric() || matches!(it, '_' | '-')));
        let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
        if name.is_empty() {
            return None;
        }
        parts.push(name);
        let after = match after.strip_prefix('[') {
            Some(index) => index.split_once(']')?.1,
            None => after,
        };
        if after.is_empty() {
            return Some(parts);
        }
        rest = after.strip_prefix('.')?;
    }
}

#[cfg(test)]
mod tests {
    use super::{QueueForm, of_symbol};
    use crate::value::Symbol;

    #[test]
    fn a_reference_says_what_it_yields() {
        for (text, wanted) in [
            ("aws_sqs_queue.karpenter.arn", Some(QueueForm::Arn)),
            ("aws_sqs_queue.karpenter[0].url", Some(QueueForm::Url)),
            ("data.aws_sqs_queue.karpenter.id", Some(QueueForm::Url)),
            ("module.karpenter[0].queue_arn", Some(QueueForm::Arn)),
            ("module.karpenter[\"a\"].interruption_queue_url", Some(QueueForm::Url)),
            ("try(module.karpenter[0].queue_arn, \"\")", Some(QueueForm::Arn)),
            ("var.own ? module.karpenter.queue_arn : aws_sqs_queue.a.arn", Some(QueueForm::Arn)),
            ("coalesce(var.queue, module.karpenter.queue_arn)", None),
            ("aws_sqs_queue.karpenter.name", None),
            ("module.karpenter.queue_name", None),
            ("module.karpenter.queue", None),
            ("var.queue_arn", None),
            ("basename(aws_sqs_queue.karpenter.arn)", None),
            ("aws_sqs_queue.karpenter.arn == \"\"", None),
        ] {
            assert_eq!(of_symbol(&Symbol::new("", text)), wanted, "{text}");
        }
    }
}
