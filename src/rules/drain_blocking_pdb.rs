use crate::{
    findings::{Findings, note::Note},
    model::{
        Model,
        pdb::blocking::{Blocker, Blocking, judged_pdbs},
        workload::Workload,
    },
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/drain-blocking-pdb.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (pdb, blocking) in judged_pdbs(model) {
        let Some(blocking) = findings.fault(pdb, blocking) else { continue };
        let scaled = blocking.workloads.iter().any(|it| !model.scalers.of(it).is_empty());
        let finding = findings.report(blocking.span, message(&blocking, scaled));
        finding.about(blocking.subject).help(help(&blocking, scaled));
        for workload in &blocking.workloads {
            let Note { span, message } = match blocking.pods {
                Some(_) => number_of_pods(model, workload),
                None => selected(workload),
            };
            finding.note_elsewhere(span, message);
        }
    }
}

fn message(blocking: &Blocking<'_>, scaled: bool) -> String {
    let Blocking { pdb, name, bound, pods, .. } = blocking;
    let (title, bound) = (pdb.title(), bound.word());
    match pods {
        None => format!("{title} never allows an eviction: `{name}: {bound}`"),
        Some(1) if scaled => format!("{title} allows no eviction at 1 replica: `{name}: {bound}`"),
        Some(pods) if scaled => {
            format!("{title} allows no eviction at {pods} replicas: `{name}: {bound}`")
        }
        Some(1) => format!("{title} never allows an eviction: `{name}: {bound}` of 1 pod"),
        Some(pods) => {
            format!("{title} never allows an eviction: `{name}: {bound}` of {pods} pods")
        }
    }
}

fn help(blocking: &Blocking<'_>, scaled: bool) -> String {
    match (blocking.pdb, blocking.pods) {
        (Blocker::Created { without: Some(text), .. }, _) => {
            let is_alone = |it: &&Workload| it.replicas.known().is_none_or(|it| *it <= 1.0);
            let pods = if blocking.workloads.iter().all(is_alone) {
                "the only one"
            } else {
                "one of them"
            };
            format!("Run more pods, or set `{text}`, so that {pods} may be evicted")
        }
        (_, Some(_)) if scaled => {
            "Set `maxUnavailable: 1` instead, or raise the autoscaler's minimum".to_owned()
        }
        (_, Some(_)) => {
            "Set `maxUnavailable: 1` instead, or run more pods than have to stay".to_owned()
        }
        (_, None) => "Allow one eviction at a time: `maxUnavailable: 1`".to_owned(),
    }
}

fn selected(workload: &Workload) -> Note {
    Note { span: workload.report_span, message: "it selects these pods".to_owned() }
}

/// What decides how many pods a workload has.
fn number_of_pods(model: &Model, workload: &Workload) -> Note {
    if let Some(scaler) = model.scalers.of(workload).first() {
        let message = "the autoscaler's minimum".to_owned();
        return Note { span: scaler.fewest.span(), message };
    }
    let replicas = &workload.replicas;
    let count = match replicas.known() {
        Some(1.0) => "there is one pod".to_owned(),
        Some(count) => format!("there are {count} pods"),
        None => "these are the pods".to_owned(),
    };
    if replicas.is_written() {
        return Note { span: replicas.span(), message: count };
    }
    let message = format!("{count}, because nothing else is written");
    Note { span: workload.report_span, message }
}
