//! Where the volumes are that pods mount: in another cloud, or on certain nodes.

use std::collections::HashMap;

use crate::{
    knowledge::storage_provisioner::is_foreign,
    model::{
        named_for::{FOR_ANOTHER_CLOUD, named_for},
        namespace::namespace,
        workload::storage::{claim_names, items},
    },
    resolve::{
        kubernetes::{Located, Object},
        setting::Setting,
    },
    source::is_below,
    value::Value,
};

/// Where Karpenter's nodes cannot mount a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VolumeSite {
    /// In another cloud.
    AnotherCloud,
    /// On the disk of nodes with this label.
    Nodes(String),
    /// In a folder of one node, which is not named.
    OneNode,
}

/// A template of claims.
#[derive(Clone, Debug)]
pub struct ClaimTemplate {
    /// Its name, with which those of its claims begin.
    pub(super) name: String,
    /// The class that it names.
    pub(super) class: Option<String>,
}

/// A volume on the disk of certain nodes.
#[derive(Clone, Debug)]
struct NodeVolume {
    /// The folder that it lies in.
    folder: String,
    /// The label of the nodes.
    label: String,
}

/// The classes of volumes of a project, those that its claims name, and the volumes on certain nodes.
#[derive(Debug, Default)]
pub(crate) struct VolumeClasses {
    /// By name: the folder that each lies in, and whether its volumes are in another cloud.
    classes: HashMap<String, Vec<(String, bool)>>,
    /// The names of classes by that of the claim, with its namespace.
    claims: HashMap<String, Vec<(Setting<String>, String)>>,
    /// The volumes on certain nodes, by the claim that each is for, and by what such names of a template begin with.
    for_claims: HashMap<String, Vec<NodeVolume>>,
    /// The others on certain nodes, by their class.
    of_classes: HashMap<String, Vec<NodeVolume>>,
}

/// The kinds of objects that say where volumes are.
const KINDS: &[&str] = &["StorageClass", "PersistentVolumeClaim", "PersistentVolume"];

impl VolumeClasses {
    /// Those among some objects, which are given with the kustomizations that build them.
    pub(crate) fn of<'a>(objects: impl Iterator<Item = (&'a Located, Option<usize>)>) -> Self {
        let mut found = Self::default();
        for (located, build) in objects.filter(|it| KINDS.contains(&&*it.0.object.kind)) {
            let object = &located.object;
            let Some(name) = object.anchor_text() else { continue };
            match &*object.kind {
                "StorageClass" => {
                    let provisioner = object.value.get("provisioner").present();
                    let provisioner = provisioner.and_then(Value::as_str);
                    if provisioner == Some(BY_HAND) {
                        continue;
                    }
                    let folder = located.scope(build).folder;
                    let class = (folder.to_string(), provisioner.is_some_and(is_foreign));
                    found.classes.entry(name.to_owned()).or_default().push(class);
                }
                "PersistentVolumeClaim" => {
                    let Some(class) = class_of(&object.value) else { continue };
                    let claim = (namespace(object), class.to_owned());
                    found.claims.entry(name.to_owned()).or_default().push(claim);
                }
                "PersistentVolume" => {
                    let folder = located.scope(build).folder.to_string();
                    found.add_volume(&object.value, folder);
                }
                _ => {}
            }
        }
        found
    }

    /// Where volumes of a workload are that Karpenter's nodes cannot mount: by the class of that name that is near its
    /// folder, else by the name alone; or by a volume that is made for its claims. Given are its folder and its name, its
    /// templates of claims, and the namespace and the specification of its pods.
    pub(crate) fn site(
        &self,
        (folder, name): (&str, &str),
        templates: &[ClaimTemplate],
        (namespace, pod_spec): (&Setting<String>, &Value),
    ) -> Option<VolumeSite> {
        let may_be = |other: &Setting<String>| match (namespace.known(), other.known()) {
            (Some(own), Some(other)) => own == other,
            _ => true,
        };
        let of_claims = claim_names(pod_spec).filter_map(|it| self.claims.get(it));
        let of_claims = of_claims.flatten().filter(|it| may_be(&it.0)).map(|it| it.1.as_str());
        let of_templates = templates.iter().filter_map(|it| it.class.as_deref());
        let classes: Vec<&str> = of_templates.chain(of_claims).collect();
        if classes.iter().any(|it| self.is_foreign(folder, it)) {
            return Some(VolumeSite::AnotherCloud);
        }
        let of_templates = templates.iter().map(|it| format!("{}-{name}-", it.name));
        let mut claims = of_templates.chain(claim_names(pod_spec).map(str::to_owned));
        let mut of_classes = classes.into_iter().filter(|it| !self.classes.contains_key(*it));
        let is_near =
            |it: &&NodeVolume| is_below(folder, &it.folder) || is_below(&it.folder, folder);
        let volume = claims
            .find_map(|it| {
                self.for_claims.get(&it)?.iter().find(|it| is_of_one_tree(folder, &it.folder))
            })
            .or_else(|| of_classes.find_map(|it| self.of_classes.get(it)?.iter().find(is_near)))?;
        Some(VolumeSite::Nodes(volume.label.clone()))
    }

    /// Adds a volume that an object describes, if it is on the disk of nodes with a label.
    fn add_volume(&mut self, volume: &Value, folder: String) {
        let Some(label) = label_of_nodes(volume) else { return };
        let text = |path: &str| Some(volume.at(path).present()?.as_str()?.to_owned());
        let found = NodeVolume { folder, label };
        if let Some(claim) = text("spec.claimRef.name") {
            let ordinal = claim.bytes().rev().take_while(u8::is_ascii_digit).count();
            let beginning = claim.get(..claim.len() - ordinal).unwrap_or_default().to_owned();
            if ordinal > 0 && beginning.ends_with('-') {
                self.for_claims.entry(beginning).or_default().push(found.clone());
            }
            self.for_claims.entry(claim).or_default().push(found);
        } else if let Some(class) = text("spec.storageClassName").filter(|it| !it.is_empty()) {
            self.of_classes.entry(class).or_default().push(found);
        }
    }

    fn is_foreign(&self, folder: &str, class: &str) -> bool {
        let namesakes = self.classes.get(class).map_or(&[][..], Vec::as_slice);
        let is_near = |it: &&(String, bool)| is_below(folder, &it.0) || is_below(&it.0, folder);
        let mut near = namesakes.iter().filter(is_near).peekable();
        match near.peek() {
            Some(_) => near.all(|it| it.1),
            None => namesakes.is_empty() && named_for(class) == Some(FOR_ANOTHER_CLOUD),
        }
    }
}

/// Whether two folders are below one folder at the top of the project, or one is below the other: another tree is
/// another way to deploy the same.
pub(super) fn is_of_one_tree(one: &str, other: &str) -> bool {
    let top = |it: &str| it.split('/').next().map(str::to_owned);
    is_below(one, other) || is_below(other, one) || top(one) == top(other)
}

/// The provisioner of classes whose volumes somebody makes by hand.
pub(super) const BY_HAND: &str = "kubernetes.io/no-provisioner";
/// Labels that say in which zone a node is, and not which one it is.
const OF_ZONES: [&str; 2] = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

/// The label of the nodes on whose disk a volume is.
fn label_of_nodes(volume: &Value) -> Option<String> {
    let spec = volume.get("spec").present()?;
    let is_on_disk = ["hostPath", "local"].iter().any(|it| spec.get(it).present().is_some());
    let terms = spec.at("nodeAffinity.required.nodeSelectorTerms").present();
    let asked = terms.filter(|_| is_on_disk)?.items().iter();
    let asked = asked.flat_map(|it| items(it.get("matchExpressions")));
    let mut labels = asked.filter_map(|it| it.get("key").present()?.as_str());
    labels.find(|it| !OF_ZONES.contains(it)).map(str::to_owned)
}

/// The templates of claims of an object.
pub(super) fn claim_templates(object: &Object) -> Vec<ClaimTemplate> {
    let templates = items(object.value.at("spec.volumeClaimTemplates")).iter();
    let read = |it: &Value| {
        let name = it.at("metadata.name").present().and_then(Value::as_str);
        let name = name.unwrap_or_default().to_owned();
        ClaimTemplate { name, class: class_of(it).map(str::to_owned) }
    };
    templates.map(read).collect()
}

/// The class that a claim, or a template of claims, names.
pub(super) fn class_of(claim: &Value) -> Option<&str> {
    claim.get("spec").get("storageClassName").present()?.as_str()
}
