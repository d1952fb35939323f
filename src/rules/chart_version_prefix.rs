use crate::{
    checks::varying::is_version_varying,
    findings::{Findings, Safety, Severity, change::Change},
    knowledge::publication,
    model::Model,
    resolve::release::Release,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/chart-version-prefix.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    let ours = |it: &&Release| it.is_of_karpenter() && !is_version_varying(model, it);
    for release in model.releases.iter().filter(ours) {
        let Some((written, version)) = release.tag() else { continue };
        let Some(wants) = publication::has_prefix(&version) else { continue };
        let has = written.starts_with(['v', 'V']);
        if has == wants {
            continue;
        }
        let tag = if wants { format!("v{version}") } else { version.to_string() };
        let literal = release.version.literal.filter(|_| !release.version.shared);
        let change = literal.map(|it| Change::replace(it, tag.as_str()));
        let finding = findings.report(
            release.version.span(),
            format!("There is no chart `{written}`: it is published as `{tag}`"),
        );
        finding
            .notes(release.version.steps())
            .about(release.subject.as_ref())
            .help(format!("Write `{tag}`"))
            .offer(format!("Write `{tag}`"), Safety::Safe, change);
        if has {
            finding.at_most(Severity::Warning);
        }
    }
}
