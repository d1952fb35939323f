//! Which release or resource waits for which.

use std::collections::BTreeSet;

use crate::{
    model::{
        Model, first_apply,
        first_target::{self, FirstTarget},
        karpenter::KarpenterResource,
        local_run::{self, LocalRun},
        teardown_script::{
            self, KeptOrder, TargetedDestroy, TeardownScript,
            early_stop::{AfterStop, EarlyStop},
        },
    },
    resolve::{
        release::{Means, Release},
        terraform::{
            Terraform,
            object::{BlockInstance, GraphNode, without_keys},
        },
    },
    source::{FileId, Files, Span},
};

impl Model {
    /// Whether one release waits for another; `None` when that is not known, or when nothing that one
    /// sees orders the two: two root modules, two tools, one unit that installs both.
    #[must_use]
    pub fn waits_for(&self, from: &Release, to: &Release) -> Option<bool> {
        match (&from.means, &to.means) {
            (Means::Terraform(own), Means::Terraform(other)) => {
                let root = from.scope.root.filter(|it| to.scope.root == Some(*it))?;
                if own.node == other.node {
                    return None;
                }
                let waits = self.root_waits_for(root, own.node, other.node);
                (waits || self.undeclared_wait(root, own.node).is_none()).then_some(waits)
            }
            (Means::Tool(_), Means::Tool(_)) => self.gitops.waits_for(from, to),
            _ => None,
        }
    }

    /// Whether one node of a root waits for another.
    #[must_use]
    pub fn root_waits_for(&self, root: usize, from: GraphNode, to: GraphNode) -> bool {
        self.terraform.roots.get(root).is_some_and(|it| it.waits_for(from, to))
    }

    /// What a node of a root is to wait for that would order others, and that its module does not declare.
    #[must_use]
    pub fn undeclared_wait(&self, root: usize, node: GraphNode) -> Option<Span> {
        let root = self.terraform.roots.get(root)?;
        root.instances(node).find_map(|it| root.undeclared_wait(it))
    }

    /// The blocks of a resource: several where `count` or `for_each` makes instances of one.
    pub fn blocks_of(&self, resource: &KarpenterResource) -> impl Iterator<Item = &BlockInstance> {
        let root = self.terraform.roots.get(resource.root);
        let (node, header) = (resource.node, resource.report_span);
        let instances = root.into_iter().flat_map(move |it| it.instances(node));
        instances.filter(move |it| it.header == header)
    }

    /// Finds what commands apply first, and which comments speak of that, where something asks for it.
    pub(super) fn find_first_targets(&mut self, files: &Files) {
        let unseen = self.unseen_manifests.iter().map(|it| &it.resource);
        let mut all = self.karpenter_resources.iter().chain(unseen).peekable();
        if all.peek().is_none() {
            return;
        }
        let roots = all.clone().filter_map(|it| self.terraform.roots.get(it.root));
        let of_blocks = all.flat_map(|it| self.blocks_of(it)).map(|it| &*it.folder);
        let of_releases = self.releases.iter().filter_map(Release::code);
        let folders = roots.map(|it| &*it.folder).chain(of_blocks);
        let folders = folders.chain(of_releases.map(|it| &*it.object.folder)).collect();
        (self.first_targets, self.first_applies) =
            (first_target::all(files, &folders), first_apply::all(files, &folders));
    }

    /// Finds the resources of Terraform whose commands apply pools or CRDs; `manifests` of CRDs may be elsewhere.
    pub(super) fn find_local_runs(
        &mut self,
        files: &Files,
        terraform: &Terraform,
        manifests: bool,
    ) {
        self.local_runs = local_run::all(files, terraform);
        if manifests || self.releases.iter().any(Release::is_crds) {
            return;
        }
        let applied: Vec<FileId> = self.applied_crds.iter().map(|it| it.unit.file).collect();
        let once = local_run::applies_crds_once(&self.local_runs, &applied);
        let is_all = |it: &usize| !local_run::are_named_elsewhere(files, &self.local_runs[*it]);
        self.crds_applied_once = once.filter(is_all);
    }

    /// The resource that is all that applies Karpenter's CRDs, and does so once.
    #[must_use]
    pub fn crds_applied_once(&self) -> Option<&LocalRun> {
        self.local_runs.get(self.crds_applied_once?)
    }

    /// Finds what scripts remove before the rest, where something is destroyed.
    pub(super) fn find_teardown_scripts(&mut self, files: &Files) {
        let is_of_terraform = self.controllers().any(|it| it.code().is_some());
        if is_of_terraform || !self.karpenter_resources.is_empty() || !self.node_pools.is_empty() {
            self.teardown_scripts = teardown_script::all(files);
        }
    }

    /// The command of a script after which the nodes of Karpenter are gone, before a root module is destroyed; with
    /// `classes`, also the node classes.
    #[must_use]
    pub fn removes_nodes_first(&self, root: usize, classes: bool) -> Option<KeptOrder> {
        let of = |it: &TeardownScript| if classes { it.classes } else { it.nodes };
        self.teardown_scripts_of(root).find_map(|it| Some(it.keeps(of(it)?)))
    }

    /// The command of a script after which the controller is gone, before a root module is destroyed.
    #[must_use]
    pub fn stops_controller_first(&self, root: usize) -> Option<KeptOrder> {
        self.teardown_scripts_of(root).find_map(|it| Some(it.keeps(it.controller?)))
    }

    /// The command of a script that terminates the instances of Karpenter where a root module is destroyed.
    #[must_use]
    pub fn terminates_instances(&self, root: usize) -> Option<KeptOrder> {
        self.teardown_scripts_of(root).find_map(|it| Some(it.keeps(it.terminates?)))
    }

    /// The commands of scripts that uninstall the controller while its nodes are there: where nothing of the script deletes
    /// pools, those beside pools, and no other script near deletes their nodes.
    pub fn early_stops(&self) -> impl Iterator<Item = EarlyStop> {
        let has_pools = |it: &TeardownScript| {
            self.node_pools.iter().any(|pool| it.is_around(&pool.scope.folder))
        };
        let are_removed = |it: &TeardownScript| {
            self.teardown_scripts.iter().any(|other| other.nodes.is_some() && other.is_beside(it))
        };
        self.teardown_scripts.iter().filter_map(move |script| {
            let stop = script.early_stop?;
            let is_sure = match stop.then {
                AfterStop::Deletion(_) => true,
                AfterStop::Removal(_) => has_pools(script) && !are_removed(script),
            };
            is_sure.then_some(stop)
        })
    }

    /// The command of a script that destroys the root module with the pools before another one, which has none.
    #[must_use]
    pub fn destroys_pools_first(&self, root: usize) -> Option<KeptOrder> {
        let own = self.terraform.roots.get(root)?;
        let others = self.karpenter_resources.iter();
        let others = others.filter(|it| it.root != root && it.pools().is_some());
        let folders: BTreeSet<&str> =
            others.filter_map(|it| Some(&*self.terraform.roots.get(it.root)?.folder)).collect();
        self.teardown_scripts_of(root).find_map(|script| {
            let first = folders.iter().find_map(|it| script.destroys_first(it, &own.folder))?;
            Some(script.keeps(first))
        })
    }

    /// The command of a script by which Terraform forgets an address of a root module and does not destroy it.
    #[must_use]
    pub fn forgotten_first(&self, root: usize, address: &str) -> Option<KeptOrder> {
        let folder = &self.terraform.roots.get(root)?.folder;
        let address = without_keys(address);
        self.teardown_scripts_of(root).find_map(|script| {
            let found = script.forgotten.iter().find(|it| it.holds(folder, &address))?;
            Some(script.keeps(found.span))
        })
    }

    /// The scripts that may destroy a root module; what documents say comes last.
    fn teardown_scripts_of(&self, root: usize) -> impl Iterator<Item = &TeardownScript> {
        let root = self.terraform.roots.get(root);
        let is_its = move |it: &&TeardownScript| root.is_some_and(|root| it.is_for(&root.folder));
        self.teardown_scripts.iter().filter(is_its)
    }

    /// The destroy of a script that removes one address of a root module before another one.
    #[must_use]
    pub fn destroyed_first(
        &self,
        root: usize,
        first: &str,
        other: &str,
    ) -> Option<(&TargetedDestroy, KeptOrder)> {
        let (first, other) = (without_keys(first), without_keys(other));
        let mut touching = self.teardown_scripts_of(root).filter_map(|script| {
            let it = script.targeted.iter().find(|it| it.holds(&first) || it.holds(&other))?;
            Some((it, script.keeps(it.span)))
        });
        touching.find(|(it, _)| it.holds(&first) && !it.holds(&other))
    }

    /// The command that applies a release of Terraform before a resource, if there is one, else the comment in their
    /// modules, or in the root module, that gives it.
    #[must_use]
    pub fn applied_first(
        &self,
        release: &Release,
        resource: &KarpenterResource,
    ) -> Option<&FirstTarget> {
        let code = release.code()?;
        let release = without_keys(&format!("{}{}", code.module, code.address));
        let block = self.blocks_of(resource).next()?;
        let address = without_keys(&block.address);
        let root = self.terraform.roots.get(resource.root)?;
        let folders = [&*root.folder, &*block.folder, &*code.object.folder];
        let is_here = |it: &FirstTarget| {
            it.comment_in.as_deref().is_none_or(|folder| folders.contains(&folder))
        };
        // What a target depends on is applied with it.
        let needs_release = |it: &FirstTarget| {
            let own = root.made().filter(|(_, made)| it.applies(&made.address, &address));
            let own: Vec<GraphNode> = own.map(|it| it.0).collect();
            let needs = |node: GraphNode| own.iter().any(|it| root.waits_for(*it, node));
            needs(code.node) && !needs(block.node)
        };
        let applies = |it: &FirstTarget| it.applies(&release, &address) || needs_release(it);
        self.first_targets.iter().find(|it| is_here(it) && applies(it))
    }

    /// The comment in a resource, in a call that leads to it, or above these, that speaks of a first apply.
    #[must_use]
    pub fn first_apply_of(&self, resource: &KarpenterResource) -> Option<Span> {
        let root = self.terraform.roots.get(resource.root)?;
        let block = self.blocks_of(resource).next()?;
        let blocks: Vec<&BlockInstance> = root.calls_around(block).chain([block]).collect();
        let mut comments = self.first_applies.iter();
        comments.find(|it| blocks.iter().any(|block| it.is_about(block))).map(|it| it.span)
    }
}
