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

/// Programs that destroy, and variables for them.
const PROGRAMS: &[&str] = &["terraform", "tofu", "terragrunt", "(tf)", "{tf}", "$tf"];

/// What makes Terragrunt run a command in all folders below.
const RUNS_ALL: [&str; 3] = ["run-all", "run --all", "destroy-all"];

/// What a command does, which is also given in small letters.
pub(super) fn step((command, code): (&str, &str)) -> Option<Step> {
    let of_terraform = destroy(command, code).or_else(|| forgets(command, code));
    if let Some(step) = of_terraform.or_else(|| deletion(code)).or_else(|| stop(code)) {
        return Some(step);
    }
    if code.contains("kubectl delete") && deletes_load(code) {
        return Some(Step::DeletesLoad);
    }
    let waits = ["kubectl wait", "sleep ", "until ", "while "].iter().any(|it| code.contains(it));
    waits.then_some(Step::Waits)
}

pub(super) fn destroy(command: &str, code: &str) -> Option<Step> {
    let (before, after) = code.split_once("destroy")?;
    let is_word =
        before.ends_with([' ', '-']) && !after.starts_with(|it: char| it.is_alphanumeric());
    if !is_word || !PROGRAMS.iter().any(|it| before.contains(it)) {
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

/// The folder in which a command runs Terraform: `-chdir=layers/addons`.
pub(super) fn chdir(command: &str) -> &str {
    let named = command.split_once("-chdir=").map_or("", |it| it.1);
    let folder = named.split_whitespace().next().unwrap_or_default().trim_matches(['"', '\'']);
    // What a variable names is not known.
    if folder.contains('$') { "" } else { folder.trim_start_matches("./").trim_end_matches('/') }
}

/// The names of the folders in which commands destroy, where each was entered by name before: `cd ../cluster`. None
/// where one of them is not known.
pub(super) fn destroyed_in<'t>(commands: impl Iterator<Item = &'t str>) -> Vec<String> {
    let mut current = None;
    let mut found = Vec::new();
    for command in commands {
        let entered = ["cd ", "pushd "].iter().find_map(|it| command.strip_prefix(it));
        if let Some(rest) = entered {
            current = entered_folder(rest);
        } else if ["cd ", "pushd", "popd"].iter().any(|it| command.contains(it)) {
            current = None;
        }
        if destroy(command, &command.to_ascii_lowercase()).is_some() {
            let is_one =
                chdir(command).is_empty() && !RUNS_ALL.iter().any(|it| command.contains(it));
            let Some(name) = current.filter(|_| is_one) else {
                return Vec::new();
            };
            found.push(name.to_owned());
        }
    }
    found
}

/// The last name of a path that a command enters; `None` where it is not known, or others are entered after it.
fn entered_folder(rest: &str) -> Option<&str> {
    let path = rest.split([' ', ';', '&', '|', ')']).next()?.trim_matches(['"', '\'']);
    let name = path.trim_end_matches('/').rsplit('/').next()?;
    let is_name = !name.is_empty() && !name.starts_with(['.', '-', '~']) && !path.contains('$');
    (is_name && !rest.contains("cd ")).then_some(name)
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
