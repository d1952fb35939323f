use crate::{
    checks::{
        cleanup::{Early, EarlyPart, destroyed_early, hosts::is_of_fargate},
        crd_order::calls,
        dependency::{call, depend_on, is_needed, untangle, waiting_for},
        scripted_teardown, teardown,
    },
    findings::{Findings, Severity, silence::Silence},
    knowledge::module_output::ModulePart,
    model::{Model, role_maker::RoleMakers, teardown_script::KeptOrder},
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/identity-destroyed-early.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    let makers = RoleMakers::of(model);
    for release in model.controllers() {
        let diagnosis = destroyed_early(model, &makers, release);
        let Some(early) = findings.fault(release.report_span, diagnosis) else { continue };
        let kept = release.scope.root;
        let kept = kept.and_then(|it| scripted_teardown::before_identity(model, it, &early));
        if let Some(silence) = kept_otherwise(&early, kept) {
            findings.silent(release.report_span, silence);
            continue;
        }
        let is_association = |it: &EarlyPart<'_>| it.part == ModulePart::Association;
        let has_association = early.parts.iter().any(is_association);
        // Without pools a destroy has little to lose, but each install may come too early.
        let has_no_nodes = !early.has_pools || kept.is_some();
        let comes_first =
            has_association && (has_no_nodes || early.parts.iter().all(is_association));
        let message = if comes_first {
            "Nothing makes the controller wait for its pod identity association".to_owned()
        } else {
            format!("Destroy may remove the controller's {} before it", parts(&early))
        };
        let finding = findings.report(release.report_span, message);
        for it in &early.parts {
            let what = match comes_first && is_association(it) {
                true if early.may_start_first => {
                    "pods that start before its association get no credentials"
                }
                true => "it is made before the nodes are, only as they take longer",
                false => noun(it),
            };
            finding.note_elsewhere(it.block.header, what);
        }
        finding.about(release.subject.as_ref()).help(help(&early));
        if !early.has_pools && !early.may_start_first {
            let (place, why) = early.without_pools(model, release.report_span);
            finding.at_most(Severity::Note).note(place, why);
        }
        if let Some(kept) = kept.filter(|_| !early.may_start_first) {
            finding.at_most(Severity::Note).note(kept.span, "a document keeps the order");
        }
    }
}

/// Why nothing is said where a script or a provisioner removes the nodes before. An association has to be there first,
/// too, whatever a destroy does.
fn kept_otherwise(early: &Early<'_>, kept: Option<KeptOrder>) -> Option<Silence> {
    if early.may_start_first {
        return None;
    }
    let by_provisioner = || {
        let script = teardown::removal_without(early)?;
        Some(Silence::sound("a provisioner removes its nodes").at(script, "the provisioner"))
    };
    scripted_teardown::answered(kept).or_else(by_provisioner)
}

fn noun(it: &EarlyPart<'_>) -> &'static str {
    match it.part {
        ModulePart::Policy => "IAM policy",
        ModulePart::Association => "pod identity",
        ModulePart::Queue => "queue",
        ModulePart::Nodes if is_of_fargate(it.block) => "Fargate profiles",
        ModulePart::Nodes => "nodes",
    }
}

/// "IAM policy, pod identity and nodes".
fn parts(early: &Early<'_>) -> String {
    let mut nouns: Vec<&str> = early.parts.iter().map(noun).collect();
    nouns.dedup();
    match nouns.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => nouns.concat(),
    }
}

/// What has to wait, beside the call of its module.
const RELEASE: &str = "the controller's release";

fn help(early: &Early<'_>) -> String {
    let (mut beside, mut around): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for it in &early.parts {
        let (name, is_beside) = name_for(early, &it.block.address);
        let list = if is_beside { &mut beside } else { &mut around };
        if !list.contains(&name) {
            list.push(name);
        }
    }
    let own = Some(&early.code.object);
    let untangled = untangle(&waiting_for(early.root, &early.code.object, &beside));
    if around.is_empty() {
        return format!("{untangled}{}", depend_on(&beside, own, ""));
    }
    let first = if beside.is_empty() {
        String::new()
    } else {
        format!("{untangled}{}. ", depend_on(&beside, own, RELEASE))
    };
    if let Some(call) = early.parts.iter().find_map(|it| call_that_is_needed(early, it)) {
        let around = around.join("`, `");
        return format!(
            "{first}`{around}` needs `{call}`, which therefore cannot wait for all of it: give it an output of what is \
             listed, pass that to `{call}` as a variable, and name the variable in `depends_on` of the release"
        );
    }
    let mut waiting = early.parts.iter().filter_map(|it| waiting_call(early, &it.block.address));
    let configured = waiting.find(|it| early.root.configures_providers(it));
    if let Some(call) = configured {
        let around = around.join(", ");
        let call = call.rsplit_once("module.").map_or(&*call, |it| it.1);
        return format!(
            "{first}Terraform takes no `depends_on` on `module.{call}`, which has `provider` blocks of its own: move the \
             blocks to the root module and add `[{around}]` to the call, or give the module an output of what is \
             listed and name the variable in `depends_on` of the release"
        );
    }
    let mut calls = early.parts.iter().filter_map(|it| waiting_call(early, &it.block.address));
    let call = calls.find_map(|it| call(early.root, &it));
    let around = depend_on(&around, call, "the call of its module");
    format!("{first}{around}")
}

/// The call that would have to wait for what makes a part, where that needs something of the call.
fn call_that_is_needed(early: &Early<'_>, part: &EarlyPart<'_>) -> Option<String> {
    let address = &part.block.address;
    let call = waiting_call(early, address)?;
    let (around, name) = call.rsplit_once("module.")?;
    let first = format!("{around}{}", name_for(early, address).0);
    is_needed(early.root, &call, &first).then(|| format!("module.{name}"))
}

/// The call, without keys, that leads to the controller from the module that also leads to a block; `None` where the
/// block is in the module of the controller, or in one that is called there.
fn waiting_call(early: &Early<'_>, address: &str) -> Option<String> {
    let (own, others) = (calls(&early.code.module), calls(address));
    let common = own.iter().zip(&others).take_while(|(a, b)| a == b).count();
    let path = own.get(..=common)?.iter().map(|it| it.split('[').next().unwrap_or(it));
    Some(path.collect::<Vec<_>>().join("."))
}

/// What a block is called where the module of the controller and its own meet: its address, or the call that
/// leads to it. Also whether it is in the module of the controller, or in one that is called there.
fn name_for(early: &Early<'_>, address: &str) -> (String, bool) {
    let beside = address.strip_prefix(&*early.code.module);
    let mut rest = beside.unwrap_or(address);
    // Without what both have in common.
    if beside.is_none() {
        let own = early.code.module.split_inclusive('.').collect::<Vec<_>>();
        for call in own.chunks(2) {
            rest = rest.strip_prefix(&*call.concat()).unwrap_or(rest);
        }
    }
    let words = rest.split('.').take(2).collect::<Vec<_>>().join(".");
    (words.split('[').next().unwrap_or_default().to_owned(), beside.is_some())
}
