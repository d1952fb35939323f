//! The calls of Terraform modules that create the IAM roles of Karpenter's controller and of its nodes, and
//! the releases and classes they are for.

use std::collections::{BTreeSet, HashMap};

use crate::{
    findings::subject::Subject,
    knowledge::identity::{Ability, need::Maker, switch::ModuleSwitch},
    model::{
        Model,
        environment::are_apart,
        module_call::{pinned_source, version_of, version_place},
        node_pool::class::NodeClass,
        scope::{ScopeIndex, Scoped},
    },
    resolve::{
        release::Release,
        scope::Scope,
        terraform::{
            module_source::ModuleSource,
            object::{BlockInstance, GraphNode, Mode},
            root::Root,
        },
    },
    source::Span,
    value::{Field, Kind, Value},
    version::constraint::Constraint,
};

/// A call of a module that makes the roles.
#[derive(Clone, Debug)]
pub struct RoleMaker<'m> {
    /// Which module.
    pub maker: Maker,
    /// The versions it may have; `None` where that is not known.
    pub version: Option<Constraint>,
    /// Where the call belongs.
    pub scope: Scope,
    /// The root that the call is in.
    pub root: &'m Root,
    /// The call, with its inputs.
    pub object: &'m BlockInstance,
    /// The releases of the controller whose role it makes, where that is clear: those installed by the same call;
    /// those of the same root, that refer to no other call; those near that have no other near.
    pub controllers: Vec<&'m Release>,
}

/// All such calls, with what is near them.
#[derive(Debug)]
pub struct RoleMakers<'m> {
    /// The calls.
    pub list: Vec<RoleMaker<'m>>,
    model: &'m Model,
    makers_near: ScopeIndex<Vec<usize>>,
    controllers_near: ScopeIndex<Vec<usize>>,
}

impl Scoped for RoleMaker<'_> {
    fn scope(&self) -> &Scope {
        &self.scope
    }
}

impl<'m> RoleMaker<'m> {
    fn of(scope: &Scope, root: &'m Root, object: &'m BlockInstance) -> Option<Self> {
        let source = ModuleSource::of(object);
        let (maker, switch) = if source.is(ModuleSource::EKS_KARPENTER) {
            (Maker::EksModule, "create")
        } else if source.is(ModuleSource::BLUEPRINTS_ADDONS) {
            (Maker::Blueprints, "enable_karpenter")
        } else {
            return None;
        };
        let otherwise = maker == Maker::EksModule;
        // A switch that hangs on a variable hides nothing, whatever the default is.
        let variable = object.variable_arguments.iter().any(|it| &**it == switch);
        let made = variable || truth(object.body.get(switch), otherwise) == Some(true);
        let version = version_of(object);
        let controllers = Vec::new();
        made.then(|| Self { maker, version, scope: scope.clone(), root, object, controllers })
    }

    /// What a finding about it is about.
    #[must_use]
    pub fn subject(&self) -> Subject {
        self.scope.root.map(|it| self.object.subject(it)).unwrap_or_default()
    }

    /// The header of the call.
    #[must_use]
    pub fn report_span(&self) -> Span {
        self.object.header
    }

    /// Where its version is written, or what it is missing from.
    #[must_use]
    pub fn version_place(&self) -> Span {
        version_place(self.object)
    }

    /// Whether its version is written: else it may be any, and what it does by default is not known.
    #[must_use]
    pub fn is_pinned(&self) -> bool {
        !self.object.body.get("version").is_missing() || pinned_source(self.object).is_some()
    }

    /// What it is called: `module.karpenter`.
    #[must_use]
    pub fn title(&self) -> String {
        format!("module.{}", self.object.name)
    }

    /// What is written for an input; blueprints take those about Karpenter in maps.
    #[must_use]
    pub fn input(&self, name: &str) -> Field<'_> {
        self.object.body.at(name)
    }

    /// Whether it does something, as its inputs say.
    #[must_use]
    pub fn decides(&self, switch: Option<ModuleSwitch<'_>>, map: &str) -> Option<bool> {
        match switch? {
            ModuleSwitch::Fixed(fixed) => Some(fixed),
            ModuleSwitch::Unless(name) => truth(self.input(name), false).map(|it| !it),
            ModuleSwitch::Input { name, otherwise } if map.is_empty() => {
                truth(self.input(name), otherwise)
            }
            ModuleSwitch::Input { name, otherwise } => truth(self.input(map).get(name), otherwise),
        }
    }

    /// Whether it makes something, as its inputs say: with the newest version that it may have, or where its version is
    /// not known, with each.
    #[must_use]
    pub fn makes(&self, ability: Ability) -> Option<bool> {
        match &self.version {
            Some(version) => {
                self.decides(self.maker.makes(ability, Some(version)), self.map_of(ability))
            }
            None => self.surely_makes(ability),
        }
    }

    /// The same with each version that it may have: of those with an input that is written, if there are such.
    #[must_use]
    pub fn surely_makes(&self, ability: Ability) -> Option<bool> {
        let map = self.map_of(ability);
        let inputs =
            if map.is_empty() { Field::Present(&self.object.body) } else { self.input(map) };
        let each = self.maker.each(ability, self.version.as_ref());
        let has = |it: &&ModuleSwitch<'_>| match it {
            ModuleSwitch::Input { name, .. } | ModuleSwitch::Unless(name) => {
                !inputs.get(name).is_missing()
            }
            ModuleSwitch::Fixed(_) => false,
        };
        let written: Vec<ModuleSwitch<'_>> = each.iter().filter(has).copied().collect();
        let mut answers = if written.is_empty() { each } else { written }
            .into_iter()
            .map(|it| self.decides(Some(it), map));
        let first = answers.next()??;
        answers.all(|it| it == Some(first)).then_some(first)
    }

    /// The input that holds the inputs about something.
    fn map_of(&self, ability: Ability) -> &'static str {
        let of_nodes = matches!(ability, Ability::NodeRole | Ability::NodeRolePrefix);
        if of_nodes && self.maker == Maker::Blueprints { "karpenter_node" } else { "" }
    }

    /// The name of the cluster it is for, if it is known.
    #[must_use]
    pub fn cluster(&self, model: &Model) -> Option<String> {
        cluster_name(model, (&self.scope, self.root), self.input("cluster_name"))
    }

    /// Whether an expression names one of its outputs that is called so: `module.karpenter.iam_role_arn`.
    #[must_use]
    pub fn gives(&self, text: &str, outputs: &[&str]) -> bool {
        let rest = text.strip_prefix(&*self.title()).unwrap_or_default();
        let output = rest.rsplit(['.', '"', '[']).find(|it| !matches!(*it, "" | "]"));
        rest.starts_with(['.', '[']) && output.is_some_and(|it| outputs.contains(&it))
    }
}

impl<'m> RoleMakers<'m> {
    /// All calls of the repository.
    #[must_use]
    pub fn of(model: &'m Model) -> Self {
        let mut list = Vec::new();
        for (index, root) in model.terraform.roots.iter().enumerate() {
            let scope = Scope::new(Some(index), &root.folder);
            let calls = root.of(Mode::Module, "module");
            list.extend(calls.filter_map(|it| RoleMaker::of(&scope, root, it)));
        }
        let makers_near = ScopeIndex::new(&list, |_| true, <[usize]>::to_vec);
        // Most repositories have no such call: then the index is not needed.
        let near_a_call = |it: &Release| !list.is_empty() && it.is_controller();
        let controllers_near = ScopeIndex::new(&model.releases, near_a_call, <[usize]>::to_vec);
        let mut all = Self { list, model, makers_near, controllers_near };
        // The calls of one root are side by side.
        let of_roots = all.list.chunk_by(|it, next| it.scope == next.scope);
        let controllers: Vec<_> = of_roots.flat_map(|it| all.controllers_of(it)).collect();
        for (maker, own) in all.list.iter_mut().zip(controllers) {
            maker.controllers = own;
        }
        all
    }

    /// The releases of the controller whose role each call of one root makes.
    fn controllers_of(&self, calls: &[RoleMaker<'m>]) -> Vec<Vec<&'m Release>> {
        let Some((scope, root)) = calls.first().map(|it| (&it.scope, it.root)) else {
            return Vec::new();
        };
        let nodes: BTreeSet<GraphNode> = calls.iter().map(|it| it.object.node).collect();
        let own = scope.root.map(|it| self.model.controllers_of_root(it)).unwrap_or_default();
        let mut of_call: HashMap<GraphNode, Vec<&'m Release>> = HashMap::new();
        let mut others = Vec::new();
        for release in &own {
            match release.code().map(|it| it.node).filter(|it| nodes.contains(it)) {
                Some(call) => of_call.entry(call).or_default().push(release),
                None => others.push(*release),
            }
        }
        let mut referring: HashMap<GraphNode, Vec<&'m Release>> = HashMap::new();
        for release in others.iter().filter(|_| nodes.len() > 1 || others.len() > 1) {
            let awaited = release.code().map(|it| root.awaited(it.node, &nodes));
            if let Some([only]) = awaited.as_deref() {
                referring.entry(*only).or_default().push(release);
            }
        }
        let makes_role = |it: &&RoleMaker<'m>| it.makes(Ability::ControllerRole) != Some(false);
        let roles: BTreeSet<GraphNode> =
            calls.iter().filter(makes_role).map(|it| it.object.node).collect();
        // A second call may be for the nodes of another system alone.
        let is_only = |it: &RoleMaker<'_>| roles.len() == 1 && roles.contains(&it.object.node);
        let of = |maker: &RoleMaker<'m>| match (of_call.get(&maker.object.node), &*others) {
            (Some(own), _) => own.clone(),
            (None, []) if own.is_empty() && nodes.len() == 1 => self.around(maker),
            (None, [only]) if nodes.len() == 1 || is_only(maker) => vec![*only],
            _ => referring.get(&maker.object.node).cloned().unwrap_or_default(),
        };
        calls.iter().map(of).collect()
    }

    /// The call of the EKS module that makes the role for a release.
    #[must_use]
    pub fn of_release(&self, release: &Release) -> Option<&RoleMaker<'m>> {
        let its = |it: &&RoleMaker<'_>| {
            it.controllers.iter().any(|own| std::ptr::eq(*own, release))
                && it.maker == Maker::EksModule
        };
        self.list.iter().find(its)
    }

    /// The call that makes the role for the nodes of a class: the only one of its root, else of the
    /// nearest scope.
    #[must_use]
    pub fn of_class(&self, class: &NodeClass) -> Option<&RoleMaker<'m>> {
        let near = self.makers_near.nearest(&class.scope)?;
        let first = self.list.get(*near.first()?)?;
        let versions = &self.model.versioned_folders;
        let mut near = near.iter().filter_map(|it| self.list.get(*it));
        let clear = near.all(|it| {
            it.report_span() == first.report_span()
                && !are_apart(&it.scope.folder, &class.scope.folder)
                && !versions.are_apart(&it.scope.folder, &class.scope.folder)
        });
        clear.then_some(first)
    }

    /// The releases near a call, if each of them has only this call near, and none is in another environment.
    fn around(&self, maker: &RoleMaker<'_>) -> Vec<&'m Release> {
        let near = self.controllers_near.nearest(&maker.scope).map_or(&[][..], Vec::as_slice);
        let releases: Vec<&Release> =
            near.iter().filter_map(|it| self.model.releases.get(*it)).collect();
        let its = |release: &&Release| {
            let makers = self.makers_near.nearest(&release.scope).map_or(&[][..], Vec::as_slice);
            let mut makers = makers.iter().filter_map(|it| self.list.get(*it));
            makers.all(|it| it.report_span() == maker.report_span())
                && !are_apart(&release.scope.folder, &maker.scope.folder)
                && !names_other(release, maker.cluster(self.model))
        };
        if releases.iter().all(its) { releases } else { Vec::new() }
    }
}

/// The name of a cluster that code refers to, if it is known: also through the call that makes the cluster.
#[must_use]
pub fn cluster_name(
    model: &Model,
    (scope, root): (&Scope, &Root),
    written: Field<'_>,
) -> Option<String> {
    let written = written.present()?;
    if let Some(name) = written.as_str() {
        return Some(name.to_owned());
    }
    let Kind::Unknown(symbol) = &written.kind else { return None };
    let call = symbol.text.strip_prefix("module.")?.split(['.', '[']).next()?;
    let node = root.of(Mode::Module, "module").find(|it| &*it.name == call)?.node;
    let mut clusters = model.clusters.iter();
    let its = clusters.find(|it| it.module == Some(node) && it.scope == *scope)?;
    its.name.as_ref()?.as_str().map(str::to_owned)
}

/// Whether a release certainly names another cluster.
#[must_use]
pub fn names_other(release: &Release, cluster: Option<String>) -> bool {
    let written = release.cluster().and_then(Value::as_str);
    written.zip(cluster).is_some_and(|(it, cluster)| *it != cluster)
}

/// A truth value as Terraform converts it.
#[must_use]
pub fn truth(field: Field<'_>, otherwise: bool) -> Option<bool> {
    match field {
        Field::Missing => Some(otherwise),
        Field::Present(value) => value.as_flag(),
        Field::Unknown => None,
    }
}
