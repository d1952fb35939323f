//! Volumes that somebody makes by hand, and classes of shared ones, with the claims that get them.

use std::collections::HashMap;

use crate::{
    model::{
        namespace::namespace,
        workload::{
            storage::{claim_names, is_named_shared},
            volume_class::{BY_HAND, ClaimTemplate, class_of, is_of_one_tree},
        },
    },
    resolve::{
        kubernetes::{Located, Object},
        setting::Setting,
    },
    source::is_below,
    value::Value,
};

/// What is behind a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backing {
    /// A server: any node mounts it.
    Server,
    /// A folder or a disk of one node.
    OneNode,
}

/// A volume that somebody makes.
#[derive(Debug)]
struct MadeVolume {
    folder: String,
    name: String,
    class: Option<String>,
    /// The claim that it is for, with its namespace.
    claim: Option<(String, Option<String>)>,
    backing: Backing,
}

/// What a claim asks for.
#[derive(Debug)]
struct Claim {
    folder: String,
    namespace: Setting<String>,
    class: Option<String>,
    /// The volume that it names.
    volume: Option<String>,
}

/// The volumes that somebody makes, and all claims.
#[derive(Debug, Default)]
pub(crate) struct MadeVolumes {
    volumes: Vec<MadeVolume>,
    claims: HashMap<String, Vec<Claim>>,
    /// The classes whose volumes a driver makes, and whether it shares them.
    classes: HashMap<String, bool>,
}

impl MadeVolumes {
    /// Those among some objects, which are given with the kustomizations that build them.
    pub(crate) fn of<'a>(objects: impl Iterator<Item = (&'a Located, Option<usize>)>) -> Self {
        let mut found = Self::default();
        for (located, build) in objects {
            let object = &located.object;
            let folder = || located.scope(build).folder.to_string();
            match &*object.kind {
                "PersistentVolume" => found.volumes.extend(MadeVolume::read(object, folder)),
                "PersistentVolumeClaim" => {
                    let Some(name) = object.anchor_text() else { continue };
                    let claim = Claim::read(object, folder());
                    found.claims.entry(name.to_owned()).or_default().push(claim);
                }
                "StorageClass" => {
                    let driver = text(&object.value, "provisioner").filter(|it| it != BY_HAND);
                    let class = object.anchor_text().map(str::to_owned).zip(driver);
                    found.classes.extend(class.map(|(it, driver)| (it, is_named_shared(&driver))));
                }
                _ => {}
            }
        }
        found
    }

    /// What is behind the volumes of a workload: one node, if it is behind one of them, or servers behind all. Given are
    /// its folder and its name, its templates of claims, and the namespace and the specification of its pods.
    pub(crate) fn behind(
        &self,
        (folder, name): (&str, &str),
        templates: &[ClaimTemplate],
        (namespace, pod_spec): (&Setting<String>, &Value),
    ) -> Option<Backing> {
        let of_templates = templates.iter().map(|it| {
            let prefix = format!("{}-{name}-", it.name);
            let is_own = |claim: &str| {
                let ordinal = claim.strip_prefix(&prefix);
                ordinal.is_some_and(|it| it.bytes().all(|it| it.is_ascii_digit()))
            };
            let claim = Claim {
                folder: folder.to_owned(),
                namespace: namespace.clone(),
                class: it.class.clone().filter(|it| !it.is_empty()),
                volume: None,
            };
            self.behind_claim(&claim, &is_own)
        });
        let of_claims = claim_names(pod_spec).flat_map(|name| {
            let near = self.near(name, folder, namespace);
            let each = near.iter().map(|it| self.behind_claim(it, &|claim| claim == name));
            let each: Vec<Option<Backing>> = each.collect();
            if each.is_empty() { vec![None] } else { each }
        });
        let all: Vec<Option<Backing>> = of_templates.chain(of_claims).collect();
        let one = all.contains(&Some(Backing::OneNode)).then_some(Backing::OneNode);
        let is_served = !all.is_empty() && all.iter().all(|it| *it == Some(Backing::Server));
        one.or(is_served.then_some(Backing::Server))
    }

    /// The claims of a name near a folder, else those of the same tree.
    fn near(&self, name: &str, folder: &str, namespace: &Setting<String>) -> Vec<&Claim> {
        let may_be = |it: &&Claim| match (namespace.known(), it.namespace.known()) {
            (Some(own), Some(other)) => own == other,
            _ => true,
        };
        let all = self.claims.get(name).map_or(&[][..], Vec::as_slice).iter().filter(may_be);
        let is_near = |it: &&Claim| is_below(&it.folder, folder) || is_below(folder, &it.folder);
        let near: Vec<&Claim> = all.clone().filter(is_near).collect();
        let of_tree = || all.filter(|it| is_of_one_tree(folder, &it.folder)).collect();
        if near.is_empty() { of_tree() } else { near }
    }

    /// What is behind the volume of a claim: the one that either of both names, else those of its class beside it.
    fn behind_claim(&self, claim: &Claim, is_called: &dyn Fn(&str) -> bool) -> Option<Backing> {
        let is_for = |it: &&MadeVolume| {
            let by_volume = it.claim.as_ref().is_some_and(|(name, namespace)| {
                let own = claim.namespace.known();
                is_called(name)
                    && (own.is_none() || namespace.is_none() || own == namespace.as_ref())
            });
            let is_named = claim.volume.as_ref() == Some(&it.name);
            (by_volume || is_named) && is_of_one_tree(&it.folder, &claim.folder)
        };
        if let Some(volume) = self.volumes.iter().find(is_for) {
            return Some(volume.backing);
        }
        let is_made = claim.class.as_ref().and_then(|it| self.classes.get(it));
        if let Some(is_shared) = is_made {
            return is_shared.then_some(Backing::Server);
        }
        let is_beside = |it: &&MadeVolume| {
            it.folder == claim.folder && it.claim.is_none() && it.class == claim.class
        };
        let mut beside = self.volumes.iter().filter(is_beside).map(|it| it.backing);
        let first = beside.next().filter(|_| claim.volume.is_none())?;
        beside.all(|it| it == first).then_some(first)
    }
}

impl MadeVolume {
    fn read(object: &Object, folder: impl Fn() -> String) -> Option<Self> {
        let spec = object.value.get("spec").present()?;
        let has = |key: &&str| spec.get(key).present().is_some();
        let driver = text(spec, "csi.driver");
        let backing = if ["nfs", "cephfs", "glusterfs"].iter().any(has) {
            Backing::Server
        } else if ["hostPath", "local"].iter().any(has) {
            Backing::OneNode
        } else {
            driver.filter(|it| is_named_shared(it)).map(|_| Backing::Server)?
        };
        let claim = text(spec, "claimRef.name").map(|it| (it, text(spec, "claimRef.namespace")));
        Some(Self {
            folder: folder(),
            name: object.anchor_text()?.to_owned(),
            class: text(spec, "storageClassName").filter(|it| !it.is_empty()),
            claim,
            backing,
        })
    }
}

impl Claim {
    fn read(object: &Object, folder: String) -> Self {
        let class = class_of(&object.value).filter(|it| !it.is_empty());
        Self {
            folder,
            namespace: namespace(object),
            class: class.map(str::to_owned),
            volume: text(&object.value, "spec.volumeName"),
        }
    }
}

fn text(value: &Value, path: &str) -> Option<String> {
    Some(value.at(path).present()?.as_str()?.to_owned())
}
