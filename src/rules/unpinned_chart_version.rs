use crate::{
    checks::varying::is_version_varying,
    findings::Findings,
    model::Model,
    resolve::release::{Release, chart_source::OpenConstraint},
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/unpinned-chart-version.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    let ours = |it: &&Release| it.is_of_karpenter() && !is_version_varying(model, it);
    for release in model.releases.iter().filter(ours) {
        // A repository without new releases is as good as a pin, and has its own rule.
        let Some(opening) = release.opening().filter(|_| !release.is_from_retired_repository())
        else {
            continue;
        };
        let message = match opening {
            OpenConstraint::Absent => {
                "No version: whatever release is the newest gets installed".to_owned()
            }
            OpenConstraint::Newest(text) => {
                format!("`{text}` installs whatever release is the newest")
            }
            OpenConstraint::Range(text) => {
                format!("`{text}` also installs the next minor release")
            }
        };
        findings
            .report(release.version.span(), message)
            .notes(release.version.steps())
            .about(release.subject.as_ref())
            .help("Name one release, and raise it after reading what changes");
    }
}
