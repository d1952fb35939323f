use crate::{
    checks::reach,
    findings::{Findings, note::Note},
    model::{
        Model,
        pdb::blocking::{Blocker, Blocking, judged_pdbs},
        workload::Workload,
    },
    resolve::pod::pdb::Bound,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/drain-blocking-pdb.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (pdb, blocking) in judged_pdbs(model) {
        let blocking = blocking.and_then(|it| reach::on_drained_nodes(model, it));
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
    if let Some(text) = by_value(blocking) {
        return text;
    }
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
        _ if guards_data(blocking) => {
            "Run more replicas, allow the eviction with `maxUnavailable: 1`, or keep the guard and lift it by hand \
             whenever the node must go"
                .to_owned()
        }
        (_, Some(_)) => {
            "Set `maxUnavailable: 1` instead, or run more pods than have to stay".to_owned()
        }
        (_, None) => "Allow one eviction at a time: `maxUnavailable: 1`".to_owned(),
    }
}

/// Whether the PDB keeps the only pod of something that keeps data, and may do so on purpose.
fn guards_data(blocking: &Blocking<'_>) -> bool {
    let is_lone = |it: &&Workload| it.replicas.known_to_be(&1.0) && it.is_stateful();
    !blocking.workloads.is_empty() && blocking.workloads.iter().all(is_lone)
}

/// What to do where the template of a chart makes the bound of a value, which is pointed at: it may know no other bound.
fn by_value(blocking: &Blocking<'_>) -> Option<String> {
    let Blocker::Written(pdb) = blocking.pdb else { return None };
    let of_value = pdb.subject.rendered.is_some() && pdb.report_span.file != blocking.span.file;
    let fewer = match (blocking.name, blocking.bound, blocking.pods) {
        _ if !of_value => return None,
        ("maxUnavailable", ..) => "1".to_owned(),
        (_, Bound::Count(_), Some(pods)) => pods.saturating_sub(1).to_string(),
        (_, Bound::Percent(_), Some(1)) => "0".to_owned(),
        (_, Bound::Percent(_), _) => "50%".to_owned(),
        _ => return None,
    };
    Some(format!("Set this value, of which the chart makes `{}`, to `{fewer}`", blocking.name))
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
