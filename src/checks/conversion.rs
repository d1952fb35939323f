//! Whom Karpenter's CRDs call to convert objects from one version of their API to another.

use crate::{
    checks::varying::is_version_varying,
    findings::{mention::Claim, note::Note},
    knowledge::conversion::{self, Service},
    model::Model,
    resolve::{
        release::{Release, surface::Surface},
        setting::Setting,
    },
    source::Span,
    value::{Field, Value},
};

/// A controller whose version converts objects, with the CRDs that ask for it.
#[derive(Clone, Debug)]
pub(crate) struct CrdConversion<'a> {
    /// The controller.
    pub controller: &'a Release,
    /// The release that installs the CRDs: `karpenter-crd`, or the controller's own.
    pub crds: &'a Release,
    /// The service they call.
    service: Setting<String>,
    /// Its namespace.
    namespace: Setting<String>,
    /// What may install other CRDs than these.
    pub unless_mentioned: Option<Claim>,
}

/// A call that does not reach the controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Miss {
    /// What to point at.
    pub span: Span,
    /// What is called.
    pub called: String,
    /// Where the controller is.
    pub controller: String,
    /// The place that says so.
    pub at: Span,
}

/// The controllers whose CRDs are known to ask for conversions.
pub(crate) fn conversions(model: &Model) -> impl Iterator<Item = CrdConversion<'_>> {
    let controllers = model.controllers().filter(|it| !is_version_varying(model, it));
    controllers.filter_map(|it| conversion(model, it))
}

fn conversion<'a>(model: &'a Model, controller: &'a Release) -> Option<CrdConversion<'a>> {
    let bundled = conversion::bundled(&controller.allowed()?)?;
    if controller.surface() == Surface::Eksctl || controller.is_third_party() {
        return None;
    }
    let mut pairs = model.crd_pairs.iter();
    let pair = pairs.find(|it| std::ptr::eq(it.controller(&model.releases), controller));
    if let Some(pair) = pair {
        return of_crd_chart(controller, pair.crds(&model.releases));
    }
    let own = controller.skip_crds.known_to_be(&false) && !has_crds_beside_pairs(model);
    let Service { name, namespace } = bundled;
    let default = |it: &str| Setting::default(it.to_owned(), controller.report_span);
    own.then(|| CrdConversion {
        controller,
        crds: controller,
        service: default(name),
        namespace: default(namespace),
        unless_mentioned: (!model.releases.iter().any(Release::is_crds)).then_some(Claim::Crds),
    })
}

/// Whether something may install CRDs for controllers of which it is not known.
fn has_crds_beside_pairs(model: &Model) -> bool {
    let mut crds = model.releases.iter().filter(|it| it.is_crds()).peekable();
    let paired = |crds: &Release| {
        model.crd_pairs.iter().any(|it| std::ptr::eq(it.crds(&model.releases), crds))
    };
    match crds.peek() {
        Some(_) => !crds.all(paired),
        None => model.crds_are_seen,
    }
}

/// What the chart `karpenter-crd` makes of its values.
fn of_crd_chart<'a>(controller: &'a Release, crds: &'a Release) -> Option<CrdConversion<'a>> {
    let chart = conversion::crd_chart(&crds.allowed()?)?;
    let webhook = |key: &str| crds.values.get("webhook").get(key);
    let on = Setting::of(webhook("enabled"), Some(chart.enabled), crds.report_span, Value::as_bool);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let service = Some(chart.service.name.to_owned());
    let namespace = match webhook("serviceNamespace") {
        // The template takes the release's, except where the default is another.
        Field::Present(it) if it.as_str() == Some("") && chart.service.namespace.is_empty() => {
            crds.namespace.clone()
        }
        Field::Missing if chart.service.namespace.is_empty() => crds.namespace.clone(),
        field => {
            Setting::of(field, Some(chart.service.namespace.to_owned()), crds.report_span, text)
        }
    };
    on.known_to_be(&true).then(|| CrdConversion {
        controller,
        crds,
        service: Setting::of(webhook("serviceName"), service, crds.report_span, text),
        namespace,
        unless_mentioned: None,
    })
}

impl CrdConversion<'_> {
    /// The controller's namespace, if the CRDs call another one.
    #[must_use]
    pub(crate) fn misses_namespace(&self) -> Option<Miss> {
        let (called, controller) = (self.namespace.known()?, self.controller.namespace.known()?);
        let own = std::ptr::eq(self.crds, self.controller);
        let at = self.controller.namespace.span();
        (called != controller && !called.is_empty()).then(|| Miss {
            span: if own { at } else { self.namespace.span() },
            called: called.clone(),
            controller: controller.clone(),
            at,
        })
    }

    /// The controller's service, if the CRDs call another one.
    #[must_use]
    pub(crate) fn misses_service(&self) -> Option<Miss> {
        let (called, controller) = (self.service.known()?, service(self.controller)?);
        let at = self.controller.report_span;
        (*called != controller).then(|| Miss {
            span: self.service.span(),
            called: called.clone(),
            controller,
            at,
        })
    }

    /// The setting that turns the webhook off, if it is written.
    #[must_use]
    pub(crate) fn is_turned_off(&self) -> Option<(Span, Vec<Note>)> {
        let field = self.controller.values.get("webhook").get("enabled");
        let on = Setting::of(field, None, self.controller.report_span, Value::as_bool);
        (on.written_value() == Some(&false)).then(|| (on.span(), on.steps()))
    }
}

/// The name the chart gives its service: that of the release, if the chart's name is in it
/// (`karpenter.fullname` in `templates/_helpers.tpl`).
fn service(release: &Release) -> Option<String> {
    let text = |key: &str| match release.values.get(key) {
        Field::Present(value) => value.as_str(),
        Field::Missing => Some(""),
        Field::Unknown => None,
    };
    let whole = text("fullnameOverride")?;
    let part = text("nameOverride")?;
    if !whole.is_empty() {
        return Some(whole.to_owned());
    }
    let part = if part.is_empty() { "karpenter" } else { part };
    let name = release.name.as_deref()?;
    Some(if name.contains(part) { name.to_owned() } else { format!("{name}-{part}") })
}
