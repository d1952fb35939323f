use crate::{
    checks::discovery::shared::{SharedTag, discovery_tags},
    findings::{Findings, Severity},
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/shared-discovery-tag.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (place, diagnosis) in discovery_tags(model) {
        let Some(tag) = findings.fault(place, diagnosis) else { continue };
        let message = if tag.selected.is_some() {
            "Nodes get every security group of the cluster by this tag"
        } else {
            "Several security groups of the cluster have this tag"
        };
        let finding = findings.report(tag.span, message);
        finding.about(&tag.subject).help(help(&tag));
        finding.notes(tag.steps);
        let (header, module) = tag.module;
        let groups = tag.groups.join(" and ");
        finding.note_elsewhere(header, format!("`{module}` puts it on {groups}"));
        if let Some((header, _, group)) = tag.tagged_alone {
            finding.note_elsewhere(header, format!("puts it on {group}, too"));
        }
        if let Some(header) = tag.subnets {
            finding.note_elsewhere(header, "gives it to subnets");
        }
        let class = |title: &str| match title {
            "" => "the class".to_owned(),
            title => format!("`{title}`"),
        };
        // The group of the control plane has no tag of the cluster, and adds little to what nodes may do.
        if !tag.are_of_cluster {
            finding.at_most(Severity::Note);
        }
        if let Some((title, span)) = tag.selected {
            finding.note(span, format!("{} selects security groups by it", class(&title)));
            continue;
        }
        // A class elsewhere may select in another way.
        finding.at_most(Severity::Note);
        if let Some((title, span)) = tag.left_out {
            let class = class(&title);
            finding.note(span, format!("{class} would select by it, but nothing here applies it"));
        } else {
            finding.note(tag.span, "no EC2NodeClass here selects security groups by it");
        }
    }
}

fn help(tag: &SharedTag) -> String {
    let module = tag.module.1.rsplit_once("module.").map_or("", |it| it.1);
    let alone = tag.tagged_alone.as_ref();
    let also = alone.map_or_else(String::new, |it| format!(", and remove `{}`", it.1));
    match tag.input {
        None => format!(
            "Take this tag away{also}, and select one of them by its ID: `module.{module}.{}`",
            tag.output
        ),
        Some(input) if tag.is_in_input => {
            format!("Take this tag away{also}: `{input}` puts it on one of them already")
        }
        Some(input) if tag.subnets.is_some() => format!(
            "Tag one of them alone: write this tag in `{input}`, and give `module.{module}` tags without it{also}; subnets \
             get it from the same place, and keep it"
        ),
        Some(input) => format!("Tag one of them alone: move this tag to `{input}`{also}"),
    }
}
