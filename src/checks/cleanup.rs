//! What a controller needs to clean up after itself, and may be destroyed before it.

pub(crate) mod hosts;
mod pools;

use crate::{
    checks::{
        cleanup::{
            hosts::{hosts, made_elsewhere, makes_cluster},
            pools::{pool_of_a_file, pools},
        },
        identity::{
            account::{role_by_split_key, role_of_release},
            association::{
                Association, are_of_one_role, call_behind, role_behind, role_of_own_account,
            },
            own_policy::allows_cleanup,
            trust::{expression, is_for_instances},
        },
        orphans::orphans_nodes,
    },
    findings::silence::Silence,
    knowledge::{identity::Ability, module_output::ModulePart},
    model::{
        Model,
        controller::ControllerPods,
        role_maker::{RoleMaker, RoleMakers, truth},
    },
    resolve::{
        release::{Release, ReleaseCode},
        terraform::{
            graph::Reach,
            module_source::ModuleSource,
            object::{BlockInstance, GraphNode, Mode},
            root::Root,
        },
    },
    source::Span,
    value::{Value, cause::Cause},
};

/// The input of the EKS module's `karpenter` by which it makes a pod identity association.
const ASSOCIATION: &str = "create_pod_identity_association";

/// A part of what lets a controller clean up, in the code that makes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EarlyPart<'m> {
    /// Which part.
    pub part: ModulePart,
    /// The block that makes it.
    pub block: &'m BlockInstance,
}

/// What may be destroyed before a controller that needs it.
#[derive(Debug)]
pub(crate) struct Early<'m> {
    /// The code of the controller.
    pub code: &'m ReleaseCode,
    /// The root module of both.
    pub root: &'m Root,
    /// The parts, each of them once for a block.
    pub parts: Vec<EarlyPart<'m>>,
    /// Whether its first pods may start before an association that it needs.
    pub may_start_first: bool,
    /// Whether the same run destroys pools, so that nodes are there to be cleaned up.
    pub has_pools: bool,
    /// Whether the release in use keeps the nodes of the pools that are destroyed.
    pub orphans_nodes: bool,
    /// Where there are none to be seen: a manifest that is not here, and may be one.
    pub unseen: Option<Span>,
    order: DestroyOrder<'m>,
}

impl Early<'_> {
    /// Whether something waits for the controller and for every part of what that needs.
    #[must_use]
    pub(crate) fn outlasts(&self, node: GraphNode) -> bool {
        let keeps = |it: &EarlyPart<'_>| self.order.waits(node, it.part, it.block);
        self.root.waits_for(node, self.code.node) && self.parts.iter().all(keeps)
    }

    /// Why little is lost where no pools are destroyed, and where; `release` is the place of the controller.
    #[must_use]
    pub(crate) fn without_pools(&self, model: &Model, release: Span) -> (Span, &'static str) {
        if let Some(unseen) = self.unseen {
            let open =
                "whether a NodePool is in this, whose nodes would be left behind, is not known";
            return (unseen, open);
        }
        if let Some(pool) = pool_of_a_file(model).filter(|_| !self.orphans_nodes) {
            return (pool, "Terraform leaves it: delete it first, or its nodes are left behind");
        }
        let kept = "before 0.12 Karpenter keeps the nodes of a Provisioner that is deleted";
        let few = "no NodePool here is destroyed with it, so that few nodes can be left behind";
        (release, if self.orphans_nodes { kept } else { few })
    }
}

/// What Terraform may destroy before a controller, of what the controller needs to clean up.
pub(crate) fn destroyed_early<'m>(
    model: &'m Model,
    makers: &RoleMakers<'m>,
    release: &'m Release,
) -> Result<Early<'m>, Silence> {
    let elsewhere = || made_elsewhere(release);
    let (index, code) = release.scope.root.zip(release.code()).ok_or_else(elsewhere)?;
    let root = model.terraform.roots.get(index).ok_or_else(elsewhere)?;
    declared_wait(model, index, code)?;
    let (pools, unseen) = pools(model, index);
    let orphans_nodes = !pools.is_empty() && orphans_nodes(model, &release.scope) == Some(true);
    let has_pools = !pools.is_empty() && unseen.is_none() && !orphans_nodes;
    let order = DestroyOrder { root, controller: code.node, pools };
    let mut parts = Vec::new();
    let role = annotated_role(root, index, release);
    let on_fargate = runs_on_fargate(model, index, release);
    for maker in makers.list.iter().filter(|it| it.scope.root == Some(index)) {
        if maker.controllers.iter().any(|it| std::ptr::eq(*it, release)) {
            let own = parts_of(maker, release).into_iter();
            let is_its = !is_of_another(root, role, maker) && may_give_role(role, maker);
            let is_given = |it: ModulePart| !on_fargate || is_given_on_fargate(it, role);
            let own = own.filter(|it| !is_permission(*it) || is_its && is_given(*it));
            parts.extend(own.map(|it| (it, maker.object)));
        }
    }
    parts.extend(own_parts(root, index, release, on_fargate));
    if model.count_controllers(index) == 1 && !on_fargate {
        parts.extend(copies(root).map(|it| (ModulePart::Association, it)));
    }
    // What is off as far as one sees is not there to be lost, unless the controller is off as well.
    let is_there = |it: &BlockInstance| !root.is_off(it) && it.absent_by.is_empty();
    parts.retain(|(_, block)| release.is_optional || is_there(block));
    let is_unclear =
        !parts.iter().any(|it| is_permission(it.0)) && gives_permissions(root, release);
    let is_clear = |it: &Value| is_of_nodes(root, it) || carries_policies(root, it);
    let is_unclear = is_unclear && !role.is_some_and(is_clear);
    let seen = hosts(model, (index, root), release);
    let hosts = seen.clone().unwrap_or_default();
    if parts.is_empty() && hosts.is_empty() {
        return Err(if is_unclear { unclear_identity() } else { elsewhere() });
    }
    let mut early: Vec<EarlyPart<'m>> = parts
        .into_iter()
        .filter(|(part, block)| order.is_early(*part, block))
        .map(|(part, block)| EarlyPart { part, block })
        .collect();
    let may_start_first = order.may_start_first(&early, &hosts);
    // One host that stays is enough.
    let lose_hosts = hosts.iter().all(|it| order.is_early(ModulePart::Nodes, it));
    if lose_hosts {
        early.extend(hosts.iter().map(|block| EarlyPart { part: ModulePart::Nodes, block }));
    }
    early.sort_by_key(|it| it.part);
    // That its nodes may go first says nothing of its permissions, and little where no pools are here.
    if early.is_empty() || is_unclear && !has_pools {
        return Err(if is_unclear { unclear_identity() } else { outlives(seen.is_some()) });
    }
    Ok(Early { code, root, order, parts: early, may_start_first, has_pools, orphans_nodes, unseen })
}

/// Whether all is declared that the controller names to wait for: else Terraform refuses its module.
fn declared_wait(model: &Model, root: usize, code: &ReleaseCode) -> Result<(), Silence> {
    let Some(place) = model.undeclared_wait(root, code.node) else { return Ok(()) };
    let words = "its `depends_on` names what its module does not declare";
    Err(Silence::undecided(Cause::Value, words).at(place, "not declared"))
}

/// Whether the pods of a controller certainly run on Fargate, by a profile of the cluster in their root module: EKS Pod
/// Identity does not work there.
fn runs_on_fargate(model: &Model, index: usize, release: &Release) -> bool {
    let mut clusters = model.clusters.iter().filter(|it| it.scope.root == Some(index));
    let only = clusters.next().filter(|_| clusters.next().is_none());
    let pods = ControllerPods::of(release);
    only.zip(pods).and_then(|(cluster, pods)| pods.run_on_fargate(cluster)) == Some(true)
}

/// Whether a permission that a module makes comes to pods on Fargate: by the role of their service account, not by an
/// association.
fn is_given_on_fargate(part: ModulePart, role: Option<&Value>) -> bool {
    part != ModulePart::Association && role.is_some()
}

fn is_permission(part: ModulePart) -> bool {
    matches!(part, ModulePart::Policy | ModulePart::Association)
}

/// Whether the role of a controller's service account is made by something else than a module: its pods take their
/// credentials from that role before they ask for those of an association.
fn is_of_another(root: &Root, role: Option<&Value>, maker: &RoleMaker<'_>) -> bool {
    let role = role.filter(|it| !is_of_nodes(root, it));
    let made_by = role.and_then(|it| call_behind(root, it).or_else(|| role_behind(root, it)));
    made_by.is_some_and(|it| it.node != maker.object.node)
}

/// Whether a controller may get the role that a module makes for it: by an association, or by the annotation of its
/// service account. That of the nodes, which the module makes as well, is another one.
fn may_give_role(role: Option<&Value>, maker: &RoleMaker<'_>) -> bool {
    let is_of_controller = |it: &Value| expression(it).is_none_or(|it| !it.contains(".node_iam_"));
    maker.makes(Ability::Association) != Some(false) || role.is_some_and(is_of_controller)
}

/// Why nothing is said of what the controller needs, where nothing that is seen may be destroyed before it.
fn outlives(are_hosts_seen: bool) -> Silence {
    if are_hosts_seen {
        return Silence::sound("what it needs to clean up outlives it");
    }
    Silence::undecided(Cause::Value, "which nodes it runs on is not wholly known")
}

/// Whether something of a root gives permissions, to whomever; what is off counts where the controller is off, too.
fn gives_permissions(root: &Root, release: &Release) -> bool {
    let kinds = [
        "aws_iam_role_policy",
        "aws_iam_role_policy_attachment",
        "aws_eks_pod_identity_association",
    ];
    let mut resources = kinds.iter().flat_map(|it| root.of(Mode::Resource, it));
    resources.any(|it| release.is_optional || !root.is_off(it))
}

fn unclear_identity() -> Silence {
    let words = "which of the roles and policies of its root module it uses is not known";
    Silence::undecided(Cause::Value, words)
}

/// What waits for what in the root of a controller.
#[derive(Debug)]
struct DestroyOrder<'m> {
    root: &'m Root,
    controller: GraphNode,
    pools: Vec<GraphNode>,
}

impl DestroyOrder<'_> {
    /// Whether a part may be destroyed while the controller has something to do: neither the controller nor
    /// all pools wait for it. A pod gets the credentials of an association only if it starts after it.
    fn is_early(&self, part: ModulePart, block: &BlockInstance) -> bool {
        let waits = |from: &GraphNode| self.waits(*from, part, block);
        let pools_wait = !self.pools.is_empty() && self.pools.iter().all(waits);
        !waits(&self.controller) && (part == ModulePart::Association || !pools_wait)
    }

    /// Whether pods of the controller may start before an association. A cluster that the root makes has no nodes before
    /// its groups, which take minutes: an association that does not wait for them is there before.
    fn may_start_first(&self, early: &[EarlyPart<'_>], hosts: &[&BlockInstance]) -> bool {
        let is_late = |it: &EarlyPart<'_>| {
            hosts.iter().any(|host| self.waits(it.block.node, ModulePart::Nodes, host))
        };
        let may_be_late = hosts.is_empty() || !makes_cluster(self.root);
        let mut own = early.iter().filter(|it| it.part == ModulePart::Association);
        own.any(|it| may_be_late || is_late(it))
    }

    fn waits(&self, from: GraphNode, part: ModulePart, block: &BlockInstance) -> bool {
        if from == block.node {
            return true;
        }
        if block.mode != Mode::Module || block.entered {
            return self.root.waits_for(from, block.node);
        }
        let source = ModuleSource::of(block);
        let module = if source.is(ModuleSource::EKS_KARPENTER) || is_copy(block) {
            "karpenter"
        } else if source.is(ModuleSource::EKS) {
            "eks"
        } else if is_irsa(block) {
            "irsa"
        } else {
            ""
        };
        match self.root.reach(from, block.node) {
            Reach::Nothing => false,
            Reach::Whole => true,
            Reach::Outputs(names) => names.iter().any(|it| part.may_be_behind(module, it)),
        }
    }
}

/// What the call of a module makes for the controller.
fn parts_of(maker: &RoleMaker<'_>, release: &Release) -> Vec<ModulePart> {
    let does = |ability| maker.makes(ability) == Some(true);
    let is_ours = ModuleSource::of(maker.object).is(ModuleSource::EKS_KARPENTER);
    if maker.object.entered || !is_ours {
        return Vec::new();
    }
    let mut parts = Vec::new();
    if does(Ability::ControllerRole) {
        parts.push(ModulePart::Policy);
        if does(Ability::Association) {
            parts.push(ModulePart::Association);
        }
    }
    if truth(maker.input("enable_spot_termination"), true) == Some(true) && reads_queue(release) {
        parts.push(ModulePart::Queue);
    }
    parts
}

/// The calls of other modules named after Karpenter that are told to make an association: copies of the known
/// one, with the same inputs and outputs.
fn copies(root: &Root) -> impl Iterator<Item = &BlockInstance> {
    root.of(Mode::Module, "module").filter(|it| {
        let source = ModuleSource::of(it);
        let is_told = truth(it.body.get(ASSOCIATION), false) == Some(true);
        is_told && !it.entered && is_copy(it) && !source.is_local()
    })
}

fn is_copy(call: &BlockInstance) -> bool {
    let source = call.body.get("source").present().and_then(Value::as_str).unwrap_or_default();
    let known = ModuleSource::of(call);
    source.contains("karpenter")
        && !known.is(ModuleSource::EKS_KARPENTER)
        && !known.is(ModuleSource::BLUEPRINTS_ADDONS)
}

/// Whether a controller reads an interruption queue.
fn reads_queue(release: &Release) -> bool {
    release.values.at("settings.interruptionQueue").present().is_some()
}

/// The resources of a root that give a controller its permissions.
fn own_parts<'m>(
    root: &'m Root,
    index: usize,
    release: &Release,
    on_fargate: bool,
) -> Vec<(ModulePart, &'m BlockInstance)> {
    let associations = Association::of_release(root, index, release).filter(|_| !on_fargate);
    let associations: Vec<&BlockInstance> = associations.map(|it| it.object).collect();
    let written = associations.iter().filter_map(|it| it.body.get("role_arn").present());
    let annotated = annotated_role(root, index, release).filter(|it| !is_of_nodes(root, it));
    let roles: Vec<&Value> = written.chain(annotated).collect();
    let kinds =
        ["aws_iam_role_policy_attachment", "aws_iam_role_policy", "aws_iam_policy_attachment"];
    let policies = kinds.iter().flat_map(|it| root.of(Mode::Resource, it));
    let policies = policies.filter(|it| {
        let several = it.body.get("roles").present().map_or(&[][..], Value::items);
        let mut named = it.body.get("role").present().into_iter().chain(several);
        let own = named.find_map(|it| {
            let is_one = |own: &&&Value| are_of_one_role(root, own, it);
            roles.iter().find(is_one).copied()
        });
        own.is_some_and(|own| allows_cleanup(root, it).unwrap_or(!has_policies(root, own)))
    });
    let policies = policies.map(|it| (ModulePart::Policy, it));
    let calls = annotated.and_then(|it| call_behind(root, it)).filter(|it| attaches_policies(it));
    let policies = policies.chain(calls.map(|it| (ModulePart::Policy, it)));
    associations.into_iter().map(|it| (ModulePart::Association, it)).chain(policies).collect()
}

/// The role that the service account of a release is annotated with, or should be: the permissions are those that the
/// author means it to have.
fn annotated_role<'m>(root: &'m Root, index: usize, release: &'m Release) -> Option<&'m Value> {
    let annotated = role_of_release(release).present().or_else(|| role_by_split_key(release));
    annotated.or_else(|| role_of_own_account(root, index, release))
}

/// Whether a role is one that instances alone may take on: it gives the controller nothing.
fn is_of_nodes(root: &Root, role: &Value) -> bool {
    role_behind(root, role).is_some_and(|it| is_for_instances(root, it))
}

/// Whether a role has its policies in its own block: it has them for as long as it is there.
fn carries_policies(root: &Root, role: &Value) -> bool {
    let inside = ["inline_policy", "managed_policy_arns"];
    let has = |it: &BlockInstance| inside.iter().any(|key| it.body.get(key).present().is_some());
    role_behind(root, role).is_some_and(has)
}

/// Whether a role is that of a module that gives it policies itself.
fn has_policies(root: &Root, role: &Value) -> bool {
    let inputs = ["role_policy_arns", "inline_policy_statements"];
    let is_bare = |it: &BlockInstance| {
        let is_assumable = ModuleSource::of(it).is(ModuleSource::ASSUMABLE_ROLE);
        is_assumable && inputs.iter().all(|input| it.body.get(input).is_missing())
    };
    call_behind(root, role).is_some_and(|it| attaches_policies(it) || !(is_irsa(it) || is_bare(it)))
}

/// Whether a call is one of a module that makes the role of a service account.
fn is_irsa(call: &BlockInstance) -> bool {
    ModuleSource::IRSA.into_iter().any(|it| ModuleSource::of(call).is(it))
}

/// Whether such a call is there, and attaches policies to its role.
fn attaches_policies(call: &BlockInstance) -> bool {
    let is_set = |name: &str, otherwise| truth(call.body.get(name), otherwise) == Some(true);
    let lists =
        |name: &str| call.body.get(name).present().is_some_and(|it| !it.entries().is_empty());
    let attaches = is_set("attach_karpenter_controller_policy", false)
        || is_set("create_inline_policy", false)
        || lists("role_policy_arns")
        || lists("policies");
    is_irsa(call) && is_set("create_role", true) && is_set("create", true) && attaches
}
