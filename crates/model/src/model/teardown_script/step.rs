//! What single commands do that destroys, or that prepares it.

use crate::model::first_target;

/// What one command does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Deletes pools with their nodes, and returns when they are gone.
    DeletesNodes,
    /// The same of nodes alone: their pods get others where the pools are still there.
    DeletesClaims,
    /// Deletes node classes, which are gone after the nodes.
    DeletesClasses,
    /// Deletes pools, whose nodes are deleted in the background.
    DeletesPools,
    /// Deletes what nodes are there for.
    DeletesLoad,
    /// Uninstalls the controller, or leaves it without pods.
    StopsController,
    /// Makes Terraform forget addresses, none for those of a variable.
    Forgets(Vec<String>),
    /// Waits.
    Waits,
    /// Destroys single addresses, none for those of a variable.
    Targets(Vec<String>),
    /// Destroys what is left.
    Destroys,
}

impl Step {
    /// Whether Terraform destroys something.
    pub(super) fn is_destroy(&self) -> bool {
        matches!(self, Self::Targets(_) | Self::Destroys)
    }
}

/// What makes Terraform forget.
pub(super) const FORGETS: &str = "state rm";

/// What gives nodes the time to go, or ends their instances.
const WAITS: [&str; 5] = ["kubectl wait", "sleep ", "until ", "while ", "terminate-instances"];

/// Programs that destroy, and variables for them.
pub(super) const PROGRAMS: &[&str] = &["terraform", "tofu", "terragrunt", "(tf)", "{tf}", "$tf"];

/// What a command does, which is also given in small letters.
pub(super) fn step((command, code): (&str, &str)) -> Option<Step> {
    let of_terraform = destroy(command, code).or_else(|| forgets(command, code));
    if let Some(step) = of_terraform.or_else(|| deletion(code)).or_else(|| stop(code)) {
        return Some(step);
    }
    if code.contains("kubectl delete") && deletes_load(code) {
        return Some(Step::DeletesLoad);
    }
    WAITS.iter().any(|it| code.contains(it)).then_some(Step::Waits)
}

pub(super) fn destroy(command: &str, code: &str) -> Option<Step> {
    let program = PROGRAMS.iter().filter_map(|it| Some(code.find(it)? + it.len())).min()?;
    // A variable may be called after it, too: `destroy_output=$(terraform destroy)`.
    let is_it = |(at, word): (usize, &str)| {
        let (before, after) = (&code[..at], &code[at + word.len()..]);
        at >= program
            && before.ends_with([' ', '-'])
            && !after.starts_with(|it: char| it.is_alphanumeric())
    };
    if !code.match_indices("destroy").any(is_it) {
        return None;
    }
    if !code.contains(first_target::FLAG) {
        return Some(Step::Destroys);
    }
    let named = command.split(first_target::FLAG).skip(1);
    Some(Step::Targets(named.filter_map(first_target::address).collect()))
}

/// What a command makes Terraform forget: `terraform state rm 'module.pools'`.
fn forgets(command: &str, code: &str) -> Option<Step> {
    let (before, _) = code.split_once(FORGETS)?;
    if !PROGRAMS.iter().any(|it| before.contains(it)) {
        return None;
    }
    let named = command.get(before.len() + FORGETS.len()..)?;
    let named = named.split(['|', '&', ';']).next().unwrap_or_default();
    let words = named.split_whitespace().filter(|it| !it.starts_with('-'));
    let addresses: Vec<String> =
        words.clone().filter_map(|it| first_target::address(&format!("={it}"))).collect();
    let is_of_variable = words.clone().count() == 1 && named.contains('$') && addresses.is_empty();
    (is_of_variable || !addresses.is_empty()).then_some(Step::Forgets(addresses))
}

/// Whether a command leaves no controller: it uninstalls the release, or scales all to nothing.
fn stop(code: &str) -> Option<Step> {
    let uninstalls = |it: &str| {
        let rest = code.split_once(it).map_or("", |it| it.1);
        rest.split_whitespace().any(|it| it.trim_matches(['"', '\'']) == "karpenter")
    };
    let is_helm = ["helm uninstall ", "helm delete ", "helm del "].into_iter().any(uninstalls);
    let words = || code.split([' ', '/', '{', '}', '"', '\'']);
    let is_meant = || words().any(|it| matches!(it, "karpenter" | "-a" | "--all-namespaces"));
    let scales =
        code.contains("kubectl scale") || code.contains("kubectl") && code.contains(" scale ");
    let to_nothing = ["--replicas=0", "--replicas 0"].iter().any(|it| {
        code.split_once(it)
            .is_some_and(|(_, rest)| !rest.starts_with(|it: char| it.is_ascii_digit()))
    });
    (is_helm || scales && to_nothing && code.contains("deploy") && is_meant())
        .then_some(Step::StopsController)
}

/// Whether a command deletes what nodes are there for: pods, or the nodes themselves.
pub(super) fn deletes_load(command: &str) -> bool {
    const LOAD: [&str; 5] = [" deploy", " nodepool", " nodeclaim", " provisioner", " -f"];
    LOAD.iter().any(|it| command.contains(it)) && !command.contains("--dry-run")
}

fn deletion(code: &str) -> Option<Step> {
    let (_, deleted) = code.split_once("kubectl").filter(|it| it.1.contains(" delete"))?;
    let has = |words: &[&str]| words.iter().any(|it| deleted.contains(it));
    if has(&["--dry-run", "--cascade=orphan"]) {
        return None;
    }
    let waits = !has(&["--wait=false"]);
    if has(&["nodeclass"]) {
        return waits.then_some(Step::DeletesClasses);
    }
    // A node that Karpenter made takes its instance along.
    let is_node = has(&[" node ", " nodes "]) && has(&["karpenter.sh/"]);
    let pools = !is_node && has(&["nodepool", "provisioner"]);
    let claims = is_node || has(&["nodeclaim", " machine"]);
    let is_awaited = claims || has(&["--cascade=foreground", "--cascade foreground"]);
    match (pools, claims) {
        (true, _) if is_awaited && waits => Some(Step::DeletesNodes),
        (true, _) => Some(Step::DeletesPools),
        (false, true) => waits.then_some(Step::DeletesClaims),
        (false, false) => None,
    }
}
