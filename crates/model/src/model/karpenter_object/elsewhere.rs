//! Resources that may be for another cluster than the controllers near them, by the tags they select.

use std::collections::{BTreeSet, HashMap};

use crate::{
    model::{
        Model,
        cluster::Cluster,
        discovery::{DISCOVERY, scripts::is_example, tags},
        scope::Scoped,
    },
    resolve::scope::DeployUnit,
    value::Value,
};

impl Model {
    /// Marks the resources that may be for another cluster than one of the installations near them: they are applied
    /// apart from that, or one by one, beside a rendering that names its cluster, and the tags by which they, or what is
    /// applied with them, select subnets and security groups have a value that shares nothing with the name of the
    /// cluster, and that nothing of its root module writes. A tag need not have that name, so that this only leaves it
    /// open. What is applied together is asked about once.
    pub(crate) fn mark_objects_of_others(&mut self) {
        if self.installations.is_empty() {
            return;
        }
        let mut stated: HashMap<DeployUnit<'_>, BTreeSet<&str>> = HashMap::new();
        for it in &self.karpenter_objects {
            stated.entry(it.scope.deploy_unit()).or_default().extend(discovered(&it.object.value));
        }
        let mut known: HashMap<(DeployUnit<'_>, &[usize]), bool> = HashMap::new();
        let marks = self.karpenter_objects.iter().map(|it| {
            let (unit, near) = (it.scope.deploy_unit(), it.controllers.as_slice());
            *known.entry((unit, near)).or_insert_with(|| {
                let tags = stated.get(&unit).filter(|it| !it.is_empty());
                let mut near = near.iter();
                tags.is_some_and(|tags| near.any(|it| self.is_other(*it, unit, tags)))
            })
        });
        let marks: Vec<bool> = marks.collect();
        for (object, mark) in self.karpenter_objects.iter_mut().zip(marks) {
            object.may_be_elsewhere = mark;
        }
    }

    /// Whether an installation, by its index, may be for another cluster than what is applied with these tags.
    fn is_other(&self, installation: usize, unit: DeployUnit<'_>, stated: &BTreeSet<&str>) -> bool {
        let Some(installation) = self.installations.get(installation) else { return false };
        let scope = installation.scope();
        // The files of a folder are applied one by one, and a rendering says itself which cluster it is for.
        let is_rendered = installation.rendered.is_some() && installation.cluster.is_some();
        let is_apart = is_rendered && matches!(unit, DeployUnit::Folder(..));
        if scope.deploy_unit() == unit && !is_apart {
            return false;
        }
        let clusters = self.clusters_near(scope);
        let of_cluster = match clusters.as_slice() {
            [only] => Cluster::own_name(only),
            _ => None,
        };
        let name = installation.cluster.as_ref().or(of_cluster).and_then(Value::as_str);
        let Some(name) = name.filter(|it| !is_example(it)) else { return false };
        let shares = |tag: &&str| name.contains(*tag) || tag.contains(name);
        !stated.iter().any(shares) && !self.writes_one(scope.root, stated)
    }

    /// Whether a root module gives its subnets or security groups one of these values of the tag.
    fn writes_one(&self, root: Option<usize>, values: &BTreeSet<&str>) -> bool {
        let of_root = root.and_then(|it| Some((it, self.terraform.roots.get(it)?)));
        let keys = BTreeSet::from([DISCOVERY]);
        of_root.is_some_and(|(index, root)| {
            let written = tags::of_root(index, root, &keys).into_iter().filter_map(|it| it.written);
            written.into_iter().any(|it| it.value.as_str().is_some_and(|it| values.contains(it)))
        })
    }
}

/// The values of the tag by which a class, or its predecessor, selects.
fn discovered(class: &Value) -> impl Iterator<Item = &str> {
    const PATHS: [&str; 4] = [
        "spec.subnetSelector",
        "spec.securityGroupSelector",
        "spec.subnetSelectorTerms",
        "spec.securityGroupSelectorTerms",
    ];
    let selectors = PATHS.iter().filter_map(|it| class.at(it).present());
    let tags = selectors.flat_map(|it| {
        let own = it.get(DISCOVERY).present();
        let terms = it.items().iter().filter_map(|it| it.get("tags").get(DISCOVERY).present());
        own.into_iter().chain(terms)
    });
    tags.filter_map(Value::as_str).filter(|it| !is_example(it))
}
