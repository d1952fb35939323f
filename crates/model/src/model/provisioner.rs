//! Provisioners: the pools of Karpenter before its `NodePools`.

use std::sync::Arc;

use crate::{
    model::{
        Model,
        cluster::Taints,
        environment::Environments,
        installation::Installation,
        karpenter_object::KarpenterObject,
        node_pool::{EC2, NodePool, PoolVersion, offerings::Offerings, user_data::UserData},
        scope::Scoped,
    },
    resolve::{scope::Scope, setting::Setting},
    source::Span,
    value::{Field, Value},
    version::{Range, Version},
};

/// A Provisioner of nodes of AWS.
#[derive(Clone, Debug)]
pub struct Provisioner<'a> {
    /// The resource.
    pub resource: &'a KarpenterObject,
}

impl Scoped for Provisioner<'_> {
    fn scope(&self) -> &Scope {
        &self.resource.scope
    }
}

/// The release that no longer reads Provisioners.
const LAST: Version = Version::new(0, 33, 0);

impl<'a> Provisioner<'a> {
    /// The Provisioners that Karpenter may read: all but those with a version near that no longer does.
    pub fn all(model: &'a Model) -> impl Iterator<Item = Self> {
        Self::written(model).filter(|it| !is_retired(model, it.resource))
    }

    /// All of them, also those that Karpenter no longer reads.
    pub fn written(model: &'a Model) -> impl Iterator<Item = Self> {
        let is_one = |it: &&KarpenterObject| {
            let spec = it.object.value.get("spec");
            let of_aws = ["provider", "providerRef"].iter().any(|key| !spec.get(key).is_missing());
            &*it.object.kind == "Provisioner" && of_aws
        };
        model.karpenter_objects.iter().filter(is_one).map(|resource| Self { resource })
    }

    /// What a Provisioner is in terms of a pool, as far as it says which nodes it launches. When they are replaced, and
    /// by what, is not read.
    #[must_use]
    pub fn as_pool(&self) -> NodePool {
        let resource = self.resource;
        let object = &resource.object;
        let spec = object.value.get("spec");
        let place = spec.present().map_or(resource.report_span, |it| it.name);
        let text = |it: &Value| it.as_str().map(str::to_owned);
        let name = Setting::of(object.value.at("metadata.name"), None, resource.report_span, text);
        let offerings = Offerings::of(spec.get("labels"), spec.get("requirements"), &name);
        let pool = NodePool {
            api: PoolVersion::V1Beta1,
            name,
            title: Arc::clone(&resource.title),
            report_span: resource.report_span,
            spec: place,
            scope: resource.scope.clone(),
            node: resource.node,
            object: object.value.clone(),
            is_optional: resource.is_optional,
            growing: None,
            is_in_doubt: false,
            taints: Taints::read(spec.get("taints")),
            startup_taints: Taints::read(spec.get("startupTaints")),
            offerings,
            class_group: Setting::of(Field::Missing, Some(EC2.to_owned()), place, text),
            class: Setting::unknown(place),
            expire_after: Setting::unknown(place),
            grace: Setting::unknown(place),
            subject: resource.subject.clone(),
            of_file: Environments::default(),
            has_variants: false,
        };
        if resource.is_whole { pool } else { pool.in_doubt() }
    }

    /// Where its specification is.
    #[must_use]
    pub fn spec(&self) -> Span {
        let spec = self.resource.object.value.get("spec").present();
        spec.map_or(self.resource.report_span, |it| it.name)
    }

    /// The taints of its nodes.
    #[must_use]
    pub fn taints(&self) -> Taints {
        self.listed("taints")
    }

    /// The taints its nodes start with, which an agent on the node removes.
    #[must_use]
    pub fn startup_taints(&self) -> Taints {
        self.listed("startupTaints")
    }

    /// What its nodes run when they start, where one template near has the name that it asks for.
    #[must_use]
    pub fn user_data(&self, model: &Model) -> Option<UserData> {
        let name = |it: &Value, path: &str| it.at(path).present()?.as_str().map(str::to_owned);
        let wanted = name(&self.resource.object.value, "spec.providerRef.name")?;
        let mut templates = model.karpenter_objects.iter().filter(|it| {
            &*it.object.kind == "AWSNodeTemplate"
                && name(&it.object.value, "metadata.name").as_ref() == Some(&wanted)
                && model.may_meet(&it.scope, &self.resource.scope)
        });
        let only = templates.next().filter(|_| templates.next().is_none())?;
        Some(UserData::read(&only.object.value))
    }

    fn listed(&self, key: &str) -> Taints {
        let mut taints = Taints::read(self.resource.object.value.get("spec").get(key));
        taints.may_have_others |= !self.resource.is_whole;
        taints
    }
}

/// Whether the versions of Karpenter near a Provisioner no longer read it. They need not be one.
pub(super) fn is_retired(model: &Model, provisioner: &KarpenterObject) -> bool {
    let (version, _) = model.karpenter_near(&provisioner.scope);
    if let Some(version) = version {
        return version >= LAST;
    }
    let since = Range { since: Some(LAST), until: None };
    let near = provisioner.controllers.iter().filter_map(|it| model.installations.get(*it));
    let is_later = |it: &Installation| Some(it.allowed()?.within(&since));
    let mut later = near.map(|it| is_later(it).flatten() == Some(true)).peekable();
    later.peek().is_some() && later.all(|it| it)
}
