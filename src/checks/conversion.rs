//! Whom Karpenter's CRDs call to convert objects from one version of their API to another.

use crate::{
    checks::{
        serving::{controllers_of, is_release},
        varying::{is_namespace_varying, versions},
    },
    findings::{Finding, Severity, mention::Claim, note::Note, silence::Silence},
    knowledge::conversion::{self, Service},
    model::{Model, karpenter_object::KarpenterObject},
    resolve::{
        release::{Release, surface::Surface},
        setting::Setting,
    },
    source::Span,
    value::{Field, Value, cause::Cause},
};

/// A controller whose version converts objects, with the CRDs that ask for it.
#[derive(Clone, Debug)]
pub(crate) struct CrdConversion<'a> {
    /// The controller.
    pub controller: &'a Release,
    /// The release that installs the CRDs: `karpenter-crd`, or the controller's own.
    pub crds: &'a Release,
    /// An object near the controller that has to be converted, because it is stored in another API version.
    pub converted: Option<&'a KarpenterObject>,
    /// An object near the controller, where there are such, all are written in `v1` as they are stored, and the
    /// repository has none of an older version: nothing in it makes the API server convert one.
    pub as_stored: Option<&'a KarpenterObject>,
    /// The service they call.
    service: Setting<String>,
    /// Its namespace.
    namespace: Setting<String>,
    /// What may install other CRDs than these.
    pub unless_mentioned: Option<Claim>,
}

/// A call that does not reach the controller.
#[derive(Clone, Debug)]
pub(crate) struct Miss<'a> {
    /// Whose call.
    pub conversion: CrdConversion<'a>,
    /// What of the address is wrong.
    pub part: AddressPart,
    /// What to point at.
    pub span: Span,
    /// What is called.
    pub called: String,
    /// Where the controller is.
    pub controller: String,
    /// The place that says so.
    pub at: Span,
}

/// A part of the address of a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddressPart {
    /// The namespace of its service.
    Namespace,
    /// The service.
    Service,
}

/// A webhook that is called and switched off.
#[derive(Clone, Debug)]
pub(crate) struct TurnedOff<'a> {
    /// Whose call.
    pub conversion: CrdConversion<'a>,
    /// The setting that switches it off.
    pub span: Span,
    /// The steps by which its value comes there.
    pub steps: Vec<Note>,
    /// Whether the CRDs would call it in another place than where the controller is.
    pub is_elsewhere: bool,
}

/// The webhook of a controller that its CRDs call and its values switch off.
pub(crate) fn turned_off<'a>(
    model: &'a Model,
    controller: &'a Release,
) -> Result<TurnedOff<'a>, Silence> {
    let conversion = conversion(model, controller)?;
    let on = switch(controller);
    match on.written_value() {
        Some(false) => Ok(TurnedOff {
            is_elsewhere: conversion.misses(model).is_ok(),
            conversion,
            span: on.span(),
            steps: on.steps(),
        }),
        None if on.is_written() => {
            Err(Silence::undecided(Cause::Value, "`webhook.enabled` is not known"))
        }
        _ => Err(Silence::sound("the webhook is on")),
    }
}

/// The webhook that the CRDs of a controller call in another place than where the controller is. One that
/// is off is called nowhere.
pub(crate) fn misplaced<'a>(
    model: &'a Model,
    controller: &'a Release,
) -> Result<Miss<'a>, Silence> {
    let conversion = conversion(model, controller)?;
    if switch(controller).written_value() == Some(&false) {
        return Err(Silence::sound("the webhook is switched off, which is another fault"));
    }
    conversion.misses(model)
}

/// What a release says of its webhook.
fn switch(controller: &Release) -> Setting<bool> {
    let field = controller.values.get("webhook").get("enabled");
    Setting::of(field, None, controller.report_span, Value::as_bool)
}

fn conversion<'a>(model: &'a Model, controller: &'a Release) -> Result<CrdConversion<'a>, Silence> {
    if controller.surface() == Surface::Eksctl || controller.is_third_party() {
        return Err(Silence::sound("eksctl, or a chart of others, installs these CRDs"));
    }
    let allowed = versions(model, controller)?;
    let Some(Service { name, namespace }) = conversion::bundled(&allowed) else {
        return Err(if conversion::may_ask(&allowed) {
            let words = "the CRDs of some of the allowed versions call a webhook";
            Silence::undecided(Cause::Version, words)
        } else {
            Silence::sound("the CRDs of this version call no webhook")
        });
    };
    if conversion::is_patched_by_hook(&allowed) {
        return Err(Silence::sound("a hook of this chart makes its CRDs call the right webhook"));
    }
    let mut pairs = model.crd_pairs.iter();
    let pair = pairs.find(|it| std::ptr::eq(it.controller(&model.releases), controller));
    let stored = conversion::stored(&allowed);
    let converted = converted_object(model, controller, stored);
    let as_stored = (stored == Some("v1")).then(|| written_as_stored(model, controller)).flatten();
    if let Some(pair) = pair {
        let found = of_crd_chart(controller, pair.crds(&model.releases), converted);
        return found.map(|it| CrdConversion { as_stored, ..it });
    }
    if *controller.skip_crds.decided("the switch that skips CRDs")? {
        return Err(Silence::undecided(Cause::Value, "the CRDs come from elsewhere"));
    }
    if has_crds_beside_pairs(model) {
        let words = "which of several installs the CRDs is not clear";
        return Err(Silence::undecided(Cause::Ambiguous, words));
    }
    let default = |it: &str| Setting::default(it.to_owned(), controller.report_span);
    Ok(CrdConversion {
        controller,
        crds: controller,
        converted,
        as_stored,
        service: default(name),
        namespace: default(namespace),
        unless_mentioned: (!model.releases.iter().any(Release::is_crds))
            .then_some(Claim::CrdConversion),
    })
}

/// An object near a controller in an API version that Karpenter had before 1.0.
pub(crate) fn written_before_1_0<'m>(
    model: &'m Model,
    controller: &Release,
) -> Option<&'m KarpenterObject> {
    objects_near(model, controller).find(|it| is_older(it))
}

/// Whether an object is in an API version that Karpenter had before 1.0.
fn is_older(object: &KarpenterObject) -> bool {
    let version = object.object.api_version.rsplit('/').next();
    matches!(version, Some("v1beta1" | "v1alpha5"))
}

/// The objects near a controller.
fn objects_near<'m>(
    model: &'m Model,
    controller: &Release,
) -> impl Iterator<Item = &'m KarpenterObject> {
    let is_near = move |it: &&KarpenterObject| {
        controllers_of(model, it).iter().any(|it| is_release(model, it, controller))
    };
    model.karpenter_objects.iter().filter(is_near)
}

/// An object near a controller in `v1`, where the whole repository has none in an older version.
fn written_as_stored<'m>(model: &'m Model, controller: &Release) -> Option<&'m KarpenterObject> {
    let first =
        objects_near(model, controller).find(|it| it.object.api_version.ends_with("/v1"))?;
    (!model.karpenter_objects.iter().any(is_older)).then_some(first)
}

/// An object near a controller that is not written in the API version in which it is stored, or that may not be.
fn converted_object<'a>(
    model: &'a Model,
    controller: &Release,
    stored: Option<&str>,
) -> Option<&'a KarpenterObject> {
    let is_converted = |it: &&KarpenterObject| {
        let version = it.object.api_version.rsplit('/').next().unwrap_or_default();
        matches!(version, "v1" | "v1beta1" | "v1alpha5") && version != stored.unwrap_or("v1")
    };
    objects_near(model, controller).find(is_converted)
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
fn of_crd_chart<'a>(
    controller: &'a Release,
    crds: &'a Release,
    converted: Option<&'a KarpenterObject>,
) -> Result<CrdConversion<'a>, Silence> {
    let called_by = crds.allowed().and_then(|it| conversion::crd_chart(&it));
    let Some(chart) = called_by else {
        return Err(Silence::sound("the chart `karpenter-crd` of this version names no webhook"));
    };
    let webhook = |key: &str| crds.values.get("webhook").get(key);
    let on = Setting::of(webhook("enabled"), Some(chart.enabled), crds.report_span, Value::as_bool);
    if !*on.decided("`webhook.enabled` of the chart `karpenter-crd`")? {
        return Err(Silence::sound("the chart `karpenter-crd` makes CRDs without a webhook"));
    }
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
    Ok(CrdConversion {
        controller,
        crds,
        converted,
        as_stored: None,
        service: Setting::of(webhook("serviceName"), service, crds.report_span, text),
        namespace,
        unless_mentioned: None,
    })
}

impl<'a> CrdConversion<'a> {
    /// The controller's address, if the CRDs call another one.
    fn misses(&self, model: &Model) -> Result<Miss<'a>, Silence> {
        let by_namespace = match self.misses_namespace(model) {
            Err(silence) => silence,
            found => return found,
        };
        self.misses_service().map_err(|by_service| match by_namespace {
            Silence::Undecided(..) => by_namespace,
            Silence::Sound(_) => by_service,
        })
    }

    /// The controller's namespace, if the CRDs call another one.
    fn misses_namespace(&self, model: &Model) -> Result<Miss<'a>, Silence> {
        if [self.controller, self.crds].into_iter().any(|it| is_namespace_varying(model, it)) {
            let words = "files of variables set other namespaces";
            return Err(Silence::undecided(Cause::Value, words));
        }
        let called = self.namespace.decided("the namespace that the CRDs call")?;
        let controller = self.controller.namespace.decided("the namespace of the controller")?;
        if called == controller || called.is_empty() {
            return Err(Silence::sound("the CRDs call the namespace of the controller"));
        }
        let own = std::ptr::eq(self.crds, self.controller);
        let at = self.controller.namespace.span();
        Ok(Miss {
            conversion: self.clone(),
            part: AddressPart::Namespace,
            span: if own { at } else { self.namespace.span() },
            called: called.clone(),
            controller: controller.clone(),
            at,
        })
    }

    /// The controller's service, if the CRDs call another one.
    fn misses_service(&self) -> Result<Miss<'a>, Silence> {
        let called = self.service.decided("the service that the CRDs call")?;
        let Some(controller) = service(self.controller) else {
            let words = "the name of the controller's service is not known";
            return Err(Silence::undecided(Cause::Value, words));
        };
        if *called == controller {
            return Err(Silence::sound("the CRDs call the service of the controller"));
        }
        Ok(Miss {
            conversion: self.clone(),
            part: AddressPart::Service,
            span: self.service.span(),
            called: called.clone(),
            controller,
            at: self.controller.report_span,
        })
    }
}

impl CrdConversion<'_> {
    /// Whether the controller's own chart brings the CRDs.
    pub(crate) fn is_of_one_chart(&self) -> bool {
        std::ptr::eq(self.controller, self.crds)
    }

    /// What conversions do: they fail where an object here is converted, and would for one in the cluster.
    pub(crate) fn fails(&self) -> &'static str {
        if self.converted.is_some() { "fail" } else { "would fail" }
    }

    /// Tells an object that cannot be converted, which makes the fault an error, or that none here has to be, which makes it
    /// a note.
    pub(crate) fn qualify(&self, finding: &mut Finding) {
        match (self.converted, self.as_stored) {
            (Some(it), _) => {
                let version = &it.object.api_version;
                finding.note(it.report_span, format!("this object of `{version}` is converted"));
            }
            (None, Some(it)) => {
                let words = "all objects here are of `v1`, which is stored: it matters for what the cluster stored before, \
                             and once one, or a client, asks for `v1beta1`";
                finding.at_most(Severity::Note).note(it.report_span, words);
            }
            (None, None) => {
                finding.at_most(Severity::Warning);
            }
        }
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
