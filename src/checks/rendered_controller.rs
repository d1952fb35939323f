//! Controllers whose chart something else rendered: what their containers are given.

use crate::{
    checks::{
        chart_value::unset::{Needed, Unset},
        compatibility::Supported,
        unread::other_cluster,
    },
    findings::silence::Silence,
    knowledge::{
        publication::{self, KnownFault},
        upgrade,
    },
    model::{
        Model,
        cluster::Cluster,
        environment::are_apart,
        installation::{Installation, RenderedController},
        scope::Scoped,
    },
    resolve::{answers::any, release::Release},
    source::Span,
    value::{Field, Value, cause::Cause},
    version::{Version, constraint::Constraint},
};

/// The controllers that no release here installs.
pub(crate) fn rendered(
    model: &Model,
) -> impl Iterator<Item = (&Installation, &RenderedController)> {
    model.installations.iter().filter_map(|it| Some((it, it.rendered.as_ref()?)))
}

/// The first version that reads its settings from its environment alone.
const ENVIRONMENT_SINCE: Version = Version::new(0, 33, 0);

/// That a controller is not given what it needs, neither by its environment nor by an argument.
pub(crate) fn unset(
    model: &Model,
    (installation, controller): (&Installation, &RenderedController),
    needed: Needed,
) -> Result<Unset, Silence> {
    is_told_here(model, installation)?;
    installation.version.decided("the version")?;
    if installation.exact_version().is_none_or(|it| it < ENVIRONMENT_SINCE) {
        let words = "before 0.33, a ConfigMap may set it";
        return Err(Silence::undecided(Cause::Value, words));
    }
    let span = unset_in(controller, needed)?;
    if installation.is_for_anybody {
        let words = "who installs the chart around it may set it";
        return Err(Silence::undecided(Cause::Value, words));
    }
    let beside = |it: &(&Installation, &RenderedController)| {
        it.0.scope().folder == installation.scope().folder
    };
    if rendered(model).filter(beside).any(|(_, it)| unset_in(it, needed).is_err()) {
        let words = "another manifest of its folder sets it: which one is applied is not known";
        return Err(Silence::undecided(Cause::Ambiguous, words));
    }
    Ok(Unset {
        span,
        path: needed.variable().to_owned(),
        missing_key: None,
        to_indent: false,
        refused: false,
        version: None,
        former: None,
        subject: controller.subject.clone(),
    })
}

/// That no release is what a manifest was rendered from, where the same is reported, nor beside it.
fn is_told_here(model: &Model, installation: &Installation) -> Result<(), Silence> {
    let own = installation.exact_version();
    let is_source = |it: &&Release| it.exact_version().is_none_or(|it| Some(it) == own);
    if let Some(release) = model.controllers().find(is_source) {
        let silence = if release.exact_version().is_some() {
            Silence::sound("a release is what it was rendered from")
        } else {
            let words = "a release may be what it was rendered from";
            Silence::undecided(Cause::Version, words)
        };
        return Err(silence.at(release.report_span, "the release"));
    }
    let is_beside = |it: &&Release| it.scope.folder == installation.scope().folder;
    match model.controllers().find(is_beside) {
        Some(release) => {
            let words = "a release is beside it: which of both is installed is not known";
            let silence = Silence::undecided(Cause::Ambiguous, words);
            Err(silence.at(release.report_span, "the release"))
        }
        None => Ok(()),
    }
}

/// What a setting is missing from, or its empty value.
fn unset_in(controller: &RenderedController, needed: Needed) -> Result<Span, Silence> {
    let container = &controller.container;
    let undecided = || {
        let words = "whether the container is given it is not known";
        Silence::undecided(Cause::Value, words)
    };
    match any([is_elsewhere(container.get("envFrom")), is_argument(container, needed)]) {
        None => return Err(undecided()),
        Some(true) => return Err(Silence::sound("an argument sets it")),
        Some(false) => {}
    }
    let env = match container.get("env") {
        Field::Missing => return Ok(controller.report_span),
        Field::Unknown => return Err(undecided()),
        Field::Present(list) => list,
    };
    let is_open = env.as_list().is_none_or(|it| it.rest.is_some());
    let mut variables = env.items().iter();
    let is_known = |it: &Value| it.get("name").present().and_then(Value::as_str).is_some();
    if is_open || !variables.all(is_known) {
        return Err(undecided());
    }
    let Some(variable) = variable(env, needed.variable()) else { return Ok(env.name) };
    match variable.get("value") {
        Field::Present(value) if value.as_str() == Some("") => Ok(value.span),
        Field::Missing if variable.get("valueFrom").is_missing() => Ok(variable.span),
        Field::Unknown => Err(undecided()),
        Field::Present(_) | Field::Missing => {
            let silence = Silence::sound(format!("`{}` is set", needed.variable()));
            Err(silence.at(variable.span, "the variable"))
        }
    }
}

/// A variable of an environment.
fn variable<'a>(env: &'a Value, name: &str) -> Option<&'a Value> {
    let is_it = |it: &&Value| it.get("name").present().and_then(Value::as_str) == Some(name);
    // The last of a name counts.
    env.items().iter().rfind(is_it)
}

/// Whether variables come from something else; `None` where they may.
fn is_elsewhere(sources: Field<'_>) -> Option<bool> {
    let is_empty = match sources {
        Field::Missing => true,
        Field::Present(list) => list.as_list().is_some_and(|it| it.items.is_empty()),
        Field::Unknown => false,
    };
    is_empty.then_some(false)
}

/// Whether an argument says the same as the variable (`--cluster-name`).
fn is_argument(container: &Value, needed: Needed) -> Option<bool> {
    let flag = format!("-{}", needed.variable().to_lowercase().replace('_', "-"));
    let in_list = |key: &str| match container.get(key) {
        Field::Missing => Some(false),
        Field::Unknown => None,
        Field::Present(list) => {
            let is_open = list.as_list().is_none_or(|it| it.rest.is_some());
            let is_it = |it: &Value| Some(it.as_str()?.contains(&flag));
            let rest = if is_open { None } else { Some(false) };
            any(list.items().iter().map(is_it).chain([rest]))
        }
    };
    any(["command", "args"].map(in_list))
}

/// What is broken in the version of a controller, and in use.
pub(crate) fn known_fault(
    model: &Model,
    (installation, controller): (&Installation, &RenderedController),
) -> Result<KnownFault, Silence> {
    is_told_here(model, installation)?;
    let fault = publication::fault(&version_of(installation)?)
        .ok_or_else(|| Silence::sound("no fault of this version is known"))?;
    if fault.gates.is_empty() {
        return Ok(fault);
    }
    let env = controller.container.get("env").present();
    let gates = env.and_then(|it| variable(it, "FEATURE_GATES")?.get("value").present()?.as_str());
    match gates.map(|it| it.split(',').any(|it| it.trim() == "Drift=true")) {
        Some(true) => Ok(fault),
        Some(false) => Err(Silence::sound("the feature gate that its fault needs is off")),
        None => {
            let words = "the feature gate that its fault needs is not known";
            Err(Silence::undecided(Cause::Value, words))
        }
    }
}

fn version_of(installation: &Installation) -> Result<Constraint, Silence> {
    let version = installation.version.decided("the version")?;
    let unread = || Silence::undecided(Cause::Version, format!("`{version}` is no version"));
    Constraint::parse(version).ok_or_else(unread)
}

/// A Kubernetes version that a controller does not work with, where it is written, and those it works with.
#[derive(Clone, Debug)]
pub(crate) struct Unsupported {
    /// The version of the cluster.
    pub kubernetes: Version,
    /// Where it is written.
    pub place: Option<Span>,
    /// The versions the controller works with.
    pub supported: Supported,
}

/// That a controller does not work with the Kubernetes version of its cluster.
pub(crate) fn unsupported(
    model: &Model,
    installation: &Installation,
) -> Result<Unsupported, Silence> {
    is_told_here(model, installation)?;
    if let Some(silence) = other_cluster(model, installation.scope()) {
        return Err(silence);
    }
    let unlisted = || {
        Silence::undecided(Cause::Version, "which Kubernetes versions it works with is not known")
    };
    let supported = Supported::by(&version_of(installation)?).ok_or_else(unlisted)?;
    let scope = installation.scope();
    let is_elsewhere = |it: &&Cluster| are_apart(&it.scope.folder, &scope.folder);
    let near = model.kubernetes_near(scope);
    let near = near.filter(|_| !model.clusters_near(scope).iter().any(is_elsewhere));
    let (kubernetes, place) = near.ok_or_else(|| {
        Silence::undecided(Cause::Value, "the Kubernetes version of the cluster is not known")
    })?;
    if supported.holds(&kubernetes).ok_or_else(unlisted)? {
        return Err(Silence::sound("it works with the Kubernetes version of the cluster"));
    }
    Ok(Unsupported { kubernetes, place, supported })
}

/// The releases of Karpenter to stop at, up to one that works with a Kubernetes version.
pub(crate) fn path_to(karpenter: &Version, kubernetes: &Version) -> Vec<Version> {
    let stops = upgrade::path_to_kubernetes(karpenter, kubernetes);
    stops.into_iter().map(|it| it.version).collect()
}
