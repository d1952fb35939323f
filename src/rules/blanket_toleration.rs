use crate::{
    checks::blanket_toleration::{Blanket, TolerationSource, blankets},
    findings::{Findings, Severity},
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/blanket-toleration.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (place, judged) in blankets(model) {
        let Some(blanket) = findings.fault(place, judged) else { continue };
        let finding = findings.report(blanket.report_span, message(&blanket));
        finding.about(blanket.subject).notes(blanket.steps).help(help(&blanket.source));
        for pdb in blanket.pdbs {
            finding.note(pdb.report_span, "this PDB is not consulted");
        }
        if blanket.source != TolerationSource::Written {
            finding.at_most(Severity::Note);
        }
    }
}

fn message(blanket: &Blanket) -> String {
    let title = &blanket.title;
    match blanket.source {
        TolerationSource::Default { .. } | TolerationSource::Template { .. } => {
            format!("{title} tolerates every taint by default and is never drained")
        }
        TolerationSource::Written if blanket.mounts_claim => {
            format!(
                "{title} is never drained: killed with its instance, its volumes not waited for"
            )
        }
        TolerationSource::Written => {
            format!("{title} is never drained: it is killed with its instance")
        }
    }
}

fn help(source: &TolerationSource) -> String {
    match source {
        TolerationSource::Written => {
            "Tolerate only the taints these pods have to, each by its key".to_owned()
        }
        TolerationSource::Default { path, fixed_in } => {
            const NARROW: &str = "to the taints that have to be tolerated";
            match (fixed_in, path.as_deref()) {
                (Some(version), Some(path)) => {
                    format!("Install {version} or later, or set `{path}` {NARROW}")
                }
                (Some(version), None) => format!("Install {version} or later"),
                (None, path) => format!("Set `{}` {NARROW}", path.unwrap_or("tolerations")),
            }
        }
        TolerationSource::Template { chart, values: None } => {
            format!("{chart} has no value for it: take a version that has one, where there is one")
        }
        TolerationSource::Template { chart, values: Some(values) } => {
            format!("See whether {chart} has a value for it, and set that below `{values}`")
        }
    }
}
