//! Where an order is written: Terraform's dependencies, and what other tools are told.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{
    checks::{class_order::ClassOrder, cleanup, crd_order, destroy_order},
    model::{Model, role_maker::RoleMakers},
    project::Project,
    resolve::{
        gitops::order::Layer,
        release::{
            Means, Release,
            surface::Surface,
            unit::{Parent, Unit, Wait},
        },
        scope::Scope,
        terraform::{graph::WaitForm, object::GraphNode},
    },
    show::order::{Missing, Need, Node, Order, Why},
    source::{FileId, Span},
    value::Value,
};

/// Gathers the order of several projects.
#[derive(Default)]
pub(super) struct Gathering<'p> {
    order: Order<'p>,
}

/// What is asked for of a project.
struct Asked<'p, 'h> {
    project: &'p Project,
    /// Whether a scope belongs to a cluster that is asked for.
    holds: &'h dyn Fn(&Scope) -> bool,
}

impl Asked<'_, '_> {
    /// Whether a file outside of Terraform is.
    fn has(&self, file: FileId) -> bool {
        let file = self.project.files.get(file);
        let scope = Scope::new(None, &file.folder().into());
        self.project.is_asked_for(file.path()) && (self.holds)(&scope)
    }
}

/// Where the nodes of one project are in the list.
#[derive(Default)]
struct Places {
    /// By root.
    terraform: HashMap<(usize, GraphNode), usize>,
    /// By what tells a unit from others.
    units: HashMap<(Span, usize), usize>,
}

impl<'p> Gathering<'p> {
    /// Adds a project.
    pub(super) fn project(
        &mut self,
        project: &'p Project,
        model: &Model,
        holds: &dyn Fn(&Scope) -> bool,
    ) {
        let mut places = Places::default();
        let asked = Asked { project, holds };
        self.terraform(&asked, model, &mut places);
        self.units(&asked, model, &mut places);
        self.layers(&asked, model.gitops.layers());
        self.clusters(&asked, model, &places);
        self.missing(model, &places);
    }

    /// The order; where several roots have a resource of one address, each has its root before it.
    pub(super) fn into_order(mut self) -> Order<'p> {
        let mut owners: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for node in &self.order.nodes {
            owners.entry(node.id.clone()).or_default().insert(node.by.clone());
        }
        for node in &mut self.order.nodes {
            if owners.get(&node.id).is_some_and(|it| it.len() > 1) {
                node.id = format!("{}:{}", node.by, node.id);
            }
        }
        self.order
    }

    fn add(&mut self, node: Node<'p>) -> usize {
        self.order.nodes.push(node);
        self.order.nodes.len() - 1
    }

    fn need(&mut self, from: usize, to: usize, why: Why, span: Span) {
        if from != to {
            self.order.edges.push(Need { from, to, why, span });
        }
    }

    fn terraform(&mut self, asked: &Asked<'p, '_>, model: &Model, places: &mut Places) {
        let project = asked.project;
        for (index, root) in model.terraform.roots.iter().enumerate() {
            let is_named = |span: Span| project.is_asked_for(project.files.get(span.file).path());
            let is_held = (asked.holds)(&Scope::new(Some(index), &root.folder));
            if !is_held || !root.made().any(|(_, it)| is_named(it.header)) {
                continue;
            }
            let by = if root.folder.is_empty() { "." } else { &*root.folder };
            for (node, made) in root.made() {
                let (id, kind, by) =
                    (made.address.to_string(), made.kind.to_string(), by.to_owned());
                let at = self.add(Node { id, kind, by, span: made.header, project });
                places.terraform.insert((index, node), at);
            }
            for (node, made) in root.made() {
                let Some(from) = places.terraform.get(&(index, node)).copied() else { continue };
                for (other, wait) in root.needs(node) {
                    let Some(to) = places.terraform.get(&(index, other)) else { continue };
                    let why = match wait.map(|it| it.form) {
                        Some(WaitForm::DependsOn) => Why::DependsOn,
                        _ => Why::Reference,
                    };
                    self.need(from, *to, why, wait.map_or(made.header, |it| it.span));
                }
            }
        }
    }

    fn units(&mut self, asked: &Asked<'p, '_>, model: &Model, places: &mut Places) {
        let project = asked.project;
        let mut waves: BTreeMap<Span, Vec<(i64, usize, Span)>> = BTreeMap::new();
        let units: Vec<&Unit> = model.gitops.units().collect();
        for unit in &units {
            let span = unit.body.at("metadata.name").present().map_or(unit.body.name, |it| it.span);
            let Some((kind, by)) = kind_of(unit.surface) else { continue };
            if places.units.contains_key(&unit.id()) || !asked.has(span.file) {
                continue;
            }
            let written = unit.body.at("metadata.namespace").present().and_then(Value::as_str);
            let parts = [Some(kind), unit.namespace.as_deref().or(written), unit.name.as_deref()];
            let id = parts.into_iter().flatten().collect::<Vec<_>>().join("/");
            let (kind, by) = (kind.to_owned(), by.to_owned());
            let at = self.add(Node { id, kind, by, span, project });
            places.units.insert(unit.id(), at);
            if let (Some(Parent::Application(parent)), Some(wave)) = (unit.parent, unit.wave()) {
                waves.entry(parent).or_default().push((wave, at, span));
            }
        }
        for unit in &units {
            let Some(from) = places.units.get(&unit.id()).copied() else { continue };
            for wait in &unit.waits_for {
                for to in named(&units, unit, wait).filter_map(|it| places.units.get(&it.id())) {
                    let is_flux = unit.surface == Surface::Flux;
                    let why = if is_flux { Why::FluxDependsOn } else { Why::Needs };
                    let key = if is_flux { "spec.dependsOn" } else { "needs" };
                    let place = unit.body.at(key).present();
                    self.need(from, *to, why, place.map_or(unit.body.name, |it| it.span));
                }
            }
        }
        for children in waves.values() {
            for (wave, from, span) in children {
                // The wave before: what is in earlier ones follows.
                let before = children.iter().map(|it| it.0).filter(|it| it < wave).max();
                for (_, to, _) in children.iter().filter(|it| Some(it.0) == before) {
                    self.need(*from, *to, Why::SyncWave, *span);
                }
            }
        }
    }

    /// The Kustomizations of Flux.
    fn layers(&mut self, asked: &Asked<'p, '_>, layers: &[Layer]) {
        let project = asked.project;
        let mut places = Vec::new();
        for layer in layers {
            let parts = [Some("Kustomization"), layer.namespace.as_deref(), layer.name.as_deref()];
            let id = parts.into_iter().flatten().collect::<Vec<_>>().join("/");
            let (kind, by) = ("Kustomization".to_owned(), "Flux".to_owned());
            let span = layer.report_span;
            let asked = asked.has(span.file);
            places.push(asked.then(|| self.add(Node { id, kind, by, span, project })));
        }
        for (layer, from) in layers.iter().zip(&places) {
            for (name, namespace) in &layer.waits_for {
                let is_meant = |it: &Layer| {
                    let same = namespace.is_none() || *namespace == it.namespace;
                    name.is_some() && *name == it.name && same
                };
                for (_, to) in layers.iter().zip(&places).filter(|it| is_meant(it.0)) {
                    if let (Some(from), Some(to)) = (from, to) {
                        self.need(*from, *to, Why::FluxDependsOn, layer.report_span);
                    }
                }
            }
        }
    }

    /// What eksctl creates: the cluster, its node groups, and then Karpenter.
    fn clusters(&mut self, asked: &Asked<'p, '_>, model: &Model, places: &Places) {
        let project = asked.project;
        for cluster in &model.gitops.clusters {
            if !asked.has(cluster.file) {
                continue;
            }
            let by = "eksctl";
            let name = cluster.name.as_ref().and_then(|it| it.as_str()).unwrap_or("cluster");
            let node = |kind: &str, id: String, span: Span| {
                let (kind, by) = (kind.to_owned(), by.to_owned());
                Node { id, kind, by, span, project }
            };
            let span = cluster.report_span;
            let own = self.add(node("ClusterConfig", format!("ClusterConfig/{name}"), span));
            let mut last = vec![own];
            for group in &cluster.node_groups {
                let title = group.body.get("name").present().and_then(|it| it.as_str());
                let id = format!("NodeGroup/{name}/{}", title.unwrap_or_default());
                let at = self.add(node("NodeGroup", id, group.report_span));
                self.need(at, own, Why::Needs, group.report_span);
                last.push(at);
            }
            let releases = model.releases.iter().filter(|it| it.surface() == Surface::Eksctl);
            for release in releases.filter(|it| it.report_span.file == cluster.file) {
                let at = match place_of(release, places) {
                    Some(at) => at,
                    None => self.add(node(
                        "Karpenter",
                        format!("Karpenter/{name}"),
                        release.report_span,
                    )),
                };
                for to in &last {
                    self.need(at, *to, Why::Needs, release.report_span);
                }
            }
        }
    }

    /// What rules miss.
    fn missing(&mut self, model: &Model, places: &Places) {
        let mut missing = Vec::new();
        let node = |root: usize, node: GraphNode| places.terraform.get(&(root, node)).copied();
        let order = ClassOrder::of(model);
        for resource in &model.karpenter_resources {
            let own = node(resource.root, resource.node);
            if let Ok((_, code)) = destroy_order::unordered(model, resource) {
                let to = node(resource.root, code.node);
                missing.push((own, to, "nodepool-outlives-controller"));
            }
            if let Some(Ok(class)) = order.destroyed_early(resource) {
                let to = node(class.root, class.node);
                missing.push((own, to, "nodeclass-destroyed-early"));
            }
        }
        let makers = RoleMakers::of(model);
        for release in model.controllers() {
            let Some(root) = release.scope.root else { continue };
            let Ok(early) = cleanup::destroyed_early(model, &makers, release) else { continue };
            for it in &early.parts {
                let (from, to) = (node(root, early.code.node), node(root, it.block.node));
                missing.push((from, to, "identity-destroyed-early"));
            }
        }
        for pair in &model.crd_pairs {
            if let Ok(crd_order::Disorder::Undeclared(_)) = crd_order::disorder(model, pair) {
                let (controller, crds) =
                    (pair.controller(&model.releases), pair.crds(&model.releases));
                let (from, to) = (place_of(controller, places), place_of(crds, places));
                missing.push((from, to, "crd-order-undeclared"));
            }
        }
        for pair in &model.applied_pairs {
            let (controller, crds) =
                (pair.controller(&model.releases), pair.crds(&model.applied_crds));
            let (Some(root), Ok(unawaited)) =
                (controller.scope.root, crd_order::unawaited(model, controller, crds))
            else {
                continue;
            };
            for it in &unawaited.manifests {
                let (from, to) = (place_of(controller, places), node(root, it.node));
                missing.push((from, to, "crd-order-undeclared"));
            }
        }
        let known = missing.into_iter().filter_map(|(from, to, rule)| {
            Some((from?, to?, rule)).filter(|(from, to, _)| from != to)
        });
        let known: BTreeSet<(usize, usize, &'static str)> = known.collect();
        self.order.missing.extend(known.into_iter().map(|(from, to, rule)| Missing {
            from,
            to,
            rule,
        }));
    }
}

/// The node of a release.
fn place_of(release: &Release, places: &Places) -> Option<usize> {
    match &release.means {
        Means::Terraform(code) => places.terraform.get(&(release.scope.root?, code.node)).copied(),
        Means::Tool(unit) => places.units.get(&unit.id()).copied(),
    }
}

/// What a unit of a surface is called, and what applies it.
fn kind_of(surface: Surface) -> Option<(&'static str, &'static str)> {
    Some(match surface {
        Surface::ArgoCd => ("Application", "Argo CD"),
        Surface::Flux => ("HelmRelease", "Flux"),
        Surface::Helmfile => ("Release", "helmfile"),
        _ => return None,
    })
}

/// The units that a unit is told to wait for.
fn named<'u>(
    units: &'u [&'u Unit],
    from: &'u Unit,
    wait: &'u Wait,
) -> impl Iterator<Item = &'u Unit> {
    let wanted = match wait {
        Wait::Unit { name: Some(name), namespace } => Some((name, namespace.as_ref())),
        _ => None,
    };
    units.iter().copied().filter(move |it| {
        let Some((name, namespace)) = wanted else { return false };
        let helmfile = from.surface == Surface::Helmfile;
        let namespace = namespace.or(from.namespace.as_ref().filter(|_| !helmfile));
        let same =
            namespace.is_none() || it.namespace.is_none() || namespace == it.namespace.as_ref();
        it.surface == from.surface
            && it.name.as_ref() == Some(name)
            && same
            && (!helmfile || it.parent == from.parent)
    })
}
