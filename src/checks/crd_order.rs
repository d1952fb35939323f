//! What makes a controller wait for the release of its CRDs.

use crate::{
    checks::dependency::depend_on,
    findings::{
        change::{Change, NewValue},
        silence::Silence,
    },
    model::{Model, pairing::CrdPair},
    resolve::{
        gitops::argo::WAVE,
        release::{Release, ReleaseCode, applied_crds::AppliedCrds, surface::Surface},
        terraform::{
            object::{BlockInstance, Mode},
            root::Root,
        },
    },
    value::cause::Cause,
};

/// Where an order between two releases is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OrderSite {
    /// At the one that comes first.
    AtTheFirst,
    /// At the one that waits.
    AtTheSecond,
}

impl OrderSite {
    /// Where the surface of a release writes what comes first.
    #[must_use]
    pub(crate) fn of(release: &Release) -> Self {
        match release.surface() {
            Surface::ArgoCd => Self::AtTheFirst,
            _ => Self::AtTheSecond,
        }
    }
}

/// Why a controller may be installed before its CRDs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Disorder<'m> {
    /// One Terraform block installs both.
    OneBlock(&'m BlockInstance),
    /// Nothing makes it wait: in Terraform, between these blocks.
    Undeclared(Option<OrderedBlocks<'m>>),
}

/// What lets a controller be installed before its CRDs.
pub(crate) fn disorder<'m>(model: &'m Model, pair: &CrdPair) -> Result<Disorder<'m>, Silence> {
    let (controller, crds) = (pair.controller(&model.releases), pair.crds(&model.releases));
    let blocks = OrderedBlocks::of(model, pair);
    let both_wrapped = controller.is_wrapped() && crds.is_wrapped();
    if let Some(one) = blocks.as_ref().filter(|it| it.is_one() && !both_wrapped) {
        return Ok(Disorder::OneBlock(one.controller));
    }
    match model.waits_for(controller, crds) {
        Some(false) => Ok(Disorder::Undeclared(blocks)),
        Some(true) => Err(Silence::sound("the controller waits for the CRDs")),
        None => Err(Silence::sound("one unit installs both, or two that no one tool orders")),
    }
}

/// A controller that does not wait for all manifests of the CRDs in its root module.
pub(crate) struct UnawaitedManifests<'m> {
    /// The blocks between which an order has to be declared: one for each block of manifests, or call that leads there.
    pub blocks: Vec<OrderedBlocks<'m>>,
    /// The manifests.
    pub manifests: Vec<&'m BlockInstance>,
    /// Whether they wait for the controller.
    pub is_reversed: bool,
}

/// The manifests of the CRDs that a controller does not wait for.
pub(crate) fn unawaited<'m>(
    model: &'m Model,
    controller: &'m Release,
    crds: &'m AppliedCrds,
) -> Result<UnawaitedManifests<'m>, Silence> {
    let elsewhere = || Silence::sound("the CRDs are not applied by its root module");
    let (own, root) = controller.code().zip(controller.scope.root).ok_or_else(elsewhere)?;
    if crds.manifests.is_empty() || crds.scope.root != Some(root) {
        return Err(elsewhere());
    }
    if let Some(undeclared) = model.undeclared_wait(root, own.node) {
        let words = "its `depends_on` names what its module does not declare";
        return Err(Silence::undecided(Cause::Value, words).at(undeclared, "not declared"));
    }
    let waits = |it: &&BlockInstance| model.root_waits_for(root, own.node, it.node);
    let mut manifests: Vec<&BlockInstance> =
        crds.manifests.iter().filter(|it| !waits(it)).collect();
    manifests.dedup_by_key(|it| it.node);
    let terraform = model.terraform.roots.get(root);
    let between =
        |it: &&'m BlockInstance| OrderedBlocks::between(terraform?, own, (module_of(it), it));
    let mut blocks: Vec<OrderedBlocks<'_>> = manifests.iter().filter_map(between).collect();
    blocks.dedup_by_key(|it| it.crds.header);
    if manifests.is_empty() {
        return Err(Silence::sound("the controller waits for the CRDs"));
    }
    let is_reversed = manifests.iter().any(|it| model.root_waits_for(root, it.node, own.node));
    Ok(UnawaitedManifests { blocks, manifests, is_reversed })
}

impl UnawaitedManifests<'_> {
    /// How to make the controller wait for them.
    #[must_use]
    pub(crate) fn help(&self) -> String {
        if self.is_reversed {
            return "Turn the order round: the manifests of the CRDs wait for this release"
                .to_owned();
        }
        let addresses: Vec<String> = self.blocks.iter().map(OrderedBlocks::address).collect();
        depend_on(&addresses, self.blocks.first().map(|it| it.controller), "")
    }

    /// What makes it wait, where one entry does.
    #[must_use]
    pub(crate) fn wait(&self) -> Option<Change> {
        match self.blocks.as_slice() {
            [only] if !self.is_reversed => Some(only.depend_on()),
            _ => None,
        }
    }
}

/// What the address of a block begins with: `module.addons["a"].`.
fn module_of(block: &BlockInstance) -> &str {
    let local = format!("{}.{}", block.kind, block.name);
    let at = block.address.rfind(&*local);
    at.and_then(|it| block.address.get(..it)).unwrap_or_default()
}

/// The Terraform blocks between which an order is declared, in the innermost module that holds a pair: the
/// blocks of its releases, or the calls that lead to them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OrderedBlocks<'m> {
    /// The one that leads to the CRDs.
    pub crds: &'m BlockInstance,
    /// The one that leads to the controller.
    pub controller: &'m BlockInstance,
}

impl<'m> OrderedBlocks<'m> {
    /// `None` where the two are in different roots, or in none.
    pub(crate) fn of(model: &'m Model, pair: &CrdPair) -> Option<Self> {
        let (controller, crds) = (pair.controller(&model.releases), pair.crds(&model.releases));
        let (own, others) = (controller.code()?, crds.code()?);
        let root = controller.scope.root.filter(|it| crds.scope.root == Some(*it))?;
        let root = model.terraform.roots.get(root)?;
        Self::between(root, own, (&others.module, &others.object))
    }

    /// The same of a controller and a block in this module that brings its CRDs.
    fn between(
        root: &'m Root,
        own: &'m ReleaseCode,
        (module, brings): (&str, &'m BlockInstance),
    ) -> Option<Self> {
        let (calls, other_calls) = (calls(&own.module), calls(module));
        let common = calls.iter().zip(&other_calls).take_while(|(a, b)| a == b).count();
        let call = |calls: &[&str]| {
            let address = calls.get(..=common)?.join(".");
            root.of(Mode::Module, "module").find(|it| *it.address == *address)
        };
        Some(Self {
            crds: if other_calls.len() == common { brings } else { call(&other_calls)? },
            controller: if calls.len() == common { &own.object } else { call(&calls)? },
        })
    }

    /// Whether one block leads to both: its instances are made in no order.
    #[must_use]
    pub(crate) fn is_one(&self) -> bool {
        self.crds.header == self.controller.header
    }

    /// Whether a call of a module leads to the controller: all that the module holds waits then.
    #[must_use]
    pub(crate) fn is_controlled_by_call(&self) -> bool {
        self.controller.mode == Mode::Module
    }

    /// What the block of the CRDs is called beside it.
    fn address(&self) -> String {
        let BlockInstance { kind, name, .. } = self.crds;
        format!("{kind}.{name}")
    }

    /// What makes the block of the controller wait for the other.
    fn depend_on(&self) -> Change {
        let list = self.controller.depends_on.as_ref();
        Change::DependOn {
            block: self.controller.span,
            list: list.map(|it| (it.list, it.elements.last().copied())),
            address: self.address(),
        }
    }
}

/// The calls in the address of a module instance: `module.a["x"].module.b.`.
pub(crate) fn calls(module: &str) -> Vec<&str> {
    let mut within_key = false;
    let mut last = ' ';
    let mut is_end = |letter: char| {
        within_key ^= letter == '"' && last != '\\';
        last = letter;
        letter == '.' && !within_key
    };
    let names: Vec<usize> =
        module.char_indices().filter(|it| is_end(it.1)).map(|it| it.0).collect();
    // Each call has two parts: `module`, and its name.
    let ends = names.iter().skip(1).step_by(2);
    let mut start = 0;
    ends.map(|end| {
        let call = &module[start..*end];
        start = end + 1;
        call
    })
    .collect()
}

/// How to make the controller wait for a release of its CRDs.
#[must_use]
pub(crate) fn help(crds: &Release, blocks: Option<&OrderedBlocks<'_>>) -> String {
    match crds.surface() {
        Surface::ArgoCd => {
            "Give it a lower `argocd.argoproj.io/sync-wave` than the controller's".to_owned()
        }
        Surface::Flux => "Name the CRD release under `dependsOn`".to_owned(),
        Surface::Helmfile => "Name the CRD release under `needs`".to_owned(),
        _ => {
            let address = blocks.map_or_else(|| crds.title().to_owned(), OrderedBlocks::address);
            let controller = blocks.map(|it| it.controller);
            depend_on(&[address], controller, "")
        }
    }
}

/// What makes the controller wait for the CRDs; `None` where that is not known.
#[must_use]
pub(crate) fn wait(
    model: &Model,
    pair: &CrdPair,
    blocks: Option<&OrderedBlocks<'_>>,
) -> Option<Change> {
    let (controller, crds) = (pair.controller(&model.releases), pair.crds(&model.releases));
    if let Some(blocks) = blocks {
        return Some(blocks.depend_on());
    }
    wait_in_unit(controller, crds)
}

/// What makes the unit of a release wait for that of another.
fn wait_in_unit(controller: &Release, crds: &Release) -> Option<Change> {
    let (own, first) = (controller.unit()?, crds.unit()?);
    let name = first.name.as_deref()?;
    match own.surface {
        Surface::ArgoCd => {
            let wave = own.wave()?.checked_sub(1)?.to_string();
            let path = ["metadata", "annotations", WAVE];
            Some(Change::set_key(&first.body, &path, NewValue::text(wave)))
        }
        Surface::Flux => {
            let beside = own.namespace == first.namespace;
            let namespace = first.namespace.iter().filter(|_| !beside);
            let namespace = namespace.map(|it| ("namespace", &**it));
            let item = NewValue::texts([("name", name)].into_iter().chain(namespace));
            let known = beside || (own.namespace.is_some() && first.namespace.is_some());
            known.then(|| Change::add(&own.body, "spec.dependsOn", Vec::new(), item))
        }
        Surface::Helmfile => {
            let item = match &first.namespace {
                _ if !crds.namespace.is_written() => name.to_owned(),
                Some(namespace) => format!("{namespace}/{name}"),
                None => return None,
            };
            // A template that several releases inherit may hold the list.
            let list = own.body.get("needs").present();
            let is_own = list.is_none_or(|it| own.body.span.contains(it.span));
            is_own.then(|| Change::add(&own.body, "needs", Vec::new(), NewValue::text(item)))
        }
        Surface::Terraform
        | Surface::Kustomize
        | Surface::ChartDependency
        | Surface::Eksctl
        | Surface::CloudFormation
        | Surface::Pulumi
        | Surface::Script => None,
    }
}

#[cfg(test)]
mod tests {
    use super::calls;

    #[test]
    fn a_module_instance_is_reached_by_calls() {
        for (module, wanted) in [
            ("", vec![]),
            ("module.a.", vec!["module.a"]),
            ("module.a[\"x.y\"].module.b.", vec!["module.a[\"x.y\"]", "module.b"]),
            ("module.a[0].", vec!["module.a[0]"]),
        ] {
            assert_eq!(calls(module), wanted, "{module}");
        }
    }
}
