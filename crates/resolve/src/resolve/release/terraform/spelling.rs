//! How a block of Terraform spells a release.

use crate::{
    knowledge::release_module::{self, ReleaseModule},
    resolve::terraform::{module_source::ModuleSource, object::BlockInstance},
    value::{Field, Value},
    version::constraint::Constraint,
};

/// The names of a block's arguments, with dots for keys inside them; of several the first that is written counts.
pub(super) struct Spelling {
    pub chart: Vec<&'static str>,
    pub version: Vec<&'static str>,
    pub name: Vec<&'static str>,
    pub namespace: &'static str,
    pub skip: Vec<&'static str>,
    pub force: Vec<&'static str>,
    /// What switches the release off.
    pub made: Vec<&'static str>,
    /// Whether what is not written is as in a `helm_release`.
    pub closed: bool,
    /// The switches for which that is not so.
    pub open: Vec<&'static str>,
    /// The paths of values that are set besides.
    pub adds: Vec<&'static str>,
}

impl Spelling {
    /// That of the provider's resource.
    pub(super) fn helm_release() -> Self {
        Self {
            chart: vec!["chart"],
            version: vec!["version"],
            name: vec!["name"],
            namespace: "namespace",
            skip: vec!["skip_crds"],
            force: vec!["force_update"],
            made: vec!["create", "create_release"],
            closed: true,
            open: Vec::new(),
            adds: Vec::new(),
        }
    }

    /// That of the maps of eks-blueprints-addons and the inputs of eks-blueprints-addon.
    pub(super) fn blueprint() -> Self {
        Self { version: vec!["chart_version"], ..Self::helm_release() }
    }

    /// That of modules of which only the names of inputs are known.
    pub(super) fn wrapper() -> Self {
        Self {
            chart: vec!["chart", "helm_chart_name"],
            version: vec!["chart_version", "helm_chart_version"],
            skip: vec!["skip_crds", "helm_skip_crds"],
            force: vec!["force_update", "helm_force_update"],
            closed: false,
            ..Self::helm_release()
        }
    }

    /// That of a module that is known.
    pub(super) fn of_module(call: &BlockInstance, source: ModuleSource<'_>) -> Option<Self> {
        let mut all = release_module::modules().iter();
        let module = all.find(|it| source.leads_to(&it.registry, &it.repository, ""))?;
        let texts = |list: &'static [String]| list.iter().map(String::as_str).collect();
        Some(Self {
            chart: vec![&module.chart],
            version: vec![&module.version],
            name: texts(&module.name),
            namespace: &module.namespace,
            skip: vec![&module.skip_crds],
            force: vec![&module.force_update],
            made: vec![&module.enabled],
            closed: is_verified(module, call),
            open: texts(&module.open),
            adds: if adds(module, call) { texts(&module.adds) } else { Vec::new() },
        })
    }
}

/// Whether what is known of a module holds for the version that is called, as far as that is known.
fn is_verified(module: &ReleaseModule, call: &BlockInstance) -> bool {
    let written = call.body.get("version").present().and_then(Value::as_str);
    let exact = written.and_then(|it| Constraint::parse(it)?.is_exact());
    exact.is_none_or(|it| module.is_verified(&it))
}

/// Whether a module may set values of its own.
fn adds(module: &ReleaseModule, call: &BlockInstance) -> bool {
    let Some(switch) = &module.adds_when else { return true };
    match call.body.at(switch) {
        Field::Missing => false,
        field => field.present().and_then(Value::as_bool) != Some(false),
    }
}
