//! EKS add-ons with their configuration, wherever they are written.

use crate::{
    findings::subject::Subject,
    model::scope::Scoped,
    resolve::{
        gitops::{GitOps, eksctl},
        helm,
        release::first_values::{FirstValues, ValuesForm},
        scope::Scope,
        terraform::{
            Terraform,
            module_source::ModuleSource,
            object::{BlockInstance, GraphNode, Mode},
            root::Root,
        },
    },
    source::Span,
    value::{Entry, Field, Symbol, Value},
    version::constraint::Constraint,
};

/// An EKS add-on.
#[derive(Clone, Debug)]
pub struct Addon {
    /// Its name: `coredns`.
    pub name: String,
    /// Its version as it is written.
    pub version: Option<Value>,
    /// The versions that may be installed; any without it.
    pub allowed: Option<Constraint>,
    /// Its `configuration_values`.
    pub values: Value,
    /// Where to point when something is missing.
    pub report_span: Span,
    /// What to point at when nothing of the values is written.
    pub root: Span,
    /// Where its configuration goes if it has none.
    pub first_values: FirstValues,
    /// Where it belongs.
    pub scope: Scope,
    /// The module call whose map of add-ons brings it.
    pub module: Option<GraphNode>,
    /// The block that brings it, if that is Terraform code.
    pub node: Option<GraphNode>,
    /// Whether it is there only when variables have other values than those known.
    pub is_optional: bool,
    /// What a finding about it is about.
    pub subject: Subject,
}

impl Scoped for Addon {
    fn scope(&self) -> &Scope {
        &self.scope
    }
}

/// All of them: resources, the maps of well-known modules, eksctl.
#[must_use]
pub(super) fn addons(terraform: &Terraform, gitops: &GitOps) -> Vec<Addon> {
    let roots = terraform.roots.iter().enumerate();
    let mut found: Vec<Addon> = roots.flat_map(|(index, root)| of_root(index, root)).collect();
    for cluster in &gitops.clusters {
        let scope = Scope::new(cluster.root.map(|it| it.0), &cluster.folder);
        let subject = &cluster.subject;
        let about = |it| Addon { subject: subject.clone(), ..it };
        found.extend(cluster.addons.iter().filter_map(|it| of_eksctl(it, &scope)).map(about));
    }
    found
}

fn of_root(index: usize, root: &Root) -> Vec<Addon> {
    let scope = Scope::new(Some(index), &root.folder);
    let mut found = Vec::new();
    for addon in root.of(Mode::Resource, "aws_eks_addon") {
        let name = addon.body.get("addon_name").present().and_then(Value::as_str);
        let home = FirstValues::new(&addon.body, &["configuration_values"], ValuesForm::Json);
        let subject = addon.subject(index);
        let cluster = root.cluster_of(addon.body.get("cluster_name").present());
        let scope = scope.clone().in_cluster(cluster);
        found.extend(name.map(|name| {
            let read = of_body((name, &addon.body), addon.header, &scope, home);
            Addon { subject, node: Some(addon.node), is_optional: root.is_off(addon), ..read }
        }));
    }
    for module in root.of(Mode::Module, "module") {
        let subject = module.subject(index);
        let (node, is_optional) = (Some(module.node), root.is_off(module));
        let about = |it| Addon { subject: subject.clone(), node, is_optional, ..it };
        let source = ModuleSource::of(module);
        let cluster = if source.is(ModuleSource::EKS) {
            root.cluster_made_by(module)
        } else {
            root.cluster_of(module.body.get("cluster_name").present())
        };
        let scope = scope.clone().in_cluster(cluster);
        found.extend(of_map(module, &scope).into_iter().map(about));
    }
    found
}

/// The add-ons of a module's map: key by key.
fn of_map(module: &BlockInstance, scope: &Scope) -> Vec<Addon> {
    let source = ModuleSource::of(module);
    let inputs: &[&str] = if source.is(ModuleSource::EKS) {
        &["cluster_addons", "addons"]
    } else if source.is(ModuleSource::BLUEPRINTS_ADDONS) {
        &["eks_addons"]
    } else {
        &[]
    };
    let node = source.is(ModuleSource::EKS).then_some(module.node);
    let maps = inputs.iter().filter_map(|it| module.body.get(it).present());
    let of_entry = |map: &Value, entry: &Entry| {
        let name = entry.value.get("name").present().and_then(Value::as_str).unwrap_or(&entry.key);
        let home = FirstValues::new(map, &[&entry.key, "configuration_values"], ValuesForm::Json);
        let addon = of_body((name, &entry.value), entry.key_span, scope, home);
        Addon { module: node, ..addon }
    };
    maps.flat_map(|map| map.entries().iter().map(move |it| of_entry(map, it))).collect()
}

fn of_body(
    (name, body): (&str, &Value),
    report_span: Span,
    scope: &Scope,
    first_values: FirstValues,
) -> Addon {
    let configuration = body.get("configuration_values");
    let values = match configuration {
        Field::Present(value) => helm::values(std::slice::from_ref(value), &[], report_span).value,
        Field::Missing => Value::map(Vec::new(), report_span),
        Field::Unknown => Value::unknown(Symbol::new("", "configuration"), report_span),
    };
    Addon {
        name: name.to_owned(),
        version: body.get("addon_version").present().cloned(),
        allowed: allowed(body.get("addon_version").present()),
        values,
        report_span,
        root: configuration.present().map_or(report_span, |it| it.name),
        first_values,
        scope: scope.clone(),
        module: None,
        node: None,
        is_optional: false,
        subject: Subject::default(),
    }
}

fn of_eksctl(addon: &eksctl::EksctlAddon, scope: &Scope) -> Option<Addon> {
    Some(Addon {
        name: addon.name.as_str()?.to_owned(),
        version: addon.version.clone(),
        allowed: allowed(addon.version.as_ref()),
        values: addon.values.clone(),
        report_span: addon.name.span,
        root: addon.place,
        first_values: FirstValues::new(&addon.entry, &["configurationValues"], ValuesForm::Json),
        scope: scope.clone(),
        module: None,
        node: None,
        is_optional: false,
        subject: Subject::default(),
    })
}

/// The versions a written version lets in.
fn allowed(version: Option<&Value>) -> Option<Constraint> {
    version.and_then(Value::as_str).and_then(Constraint::parse)
}
