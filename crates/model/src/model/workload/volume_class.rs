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
}

/// A template of claims.
#[derive(Clone, Debug)]
pub struct ClaimTemplate {
    /// Its name, with which those of its claims begin.
    name: String,
    /// The class that it names.
    class: Option<String>,
}

/// A volume on the disk of certain nodes.
#[derive(Debug)]
struct NodeVolume {
    /// The claim that it is for.
    claim: Option<String>,
    /// Its class, by which other claims find it.
    class: Option<String>,
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
    on_nodes: Vec<NodeVolume>,
}

impl VolumeClasses {
    /// Those among some objects, which are given with the kustomizations that build them.
    pub(crate) fn of<'a>(objects: impl Iterator<Item = (&'a Located, Option<usize>)>) -> Self {
        let mut found = Self::default();
        for (located, build) in objects {
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
                    found.on_nodes.extend(node_volume(&object.value, folder));
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
        let is_own = |claim: &str| {
            let is_of = |it: &ClaimTemplate| claim.starts_with(&format!("{}-{name}-", it.name));
            templates.iter().any(is_of) || claim_names(pod_spec).any(|it| it == claim)
        };
        let is_meant = |it: &&NodeVolume| match (&it.claim, &it.class) {
            (Some(claim), _) => is_own(claim) && is_of_one_tree(folder, &it.folder),
            (None, Some(class)) => {
                let is_near = is_below(folder, &it.folder) || is_below(&it.folder, folder);
                is_near && classes.contains(&class.as_str()) && !self.classes.contains_key(class)
            }
            (None, None) => false,
        };
        let volume = self.on_nodes.iter().find(is_meant)?;
        Some(VolumeSite::Nodes(volume.label.clone()))
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
fn is_of_one_tree(one: &str, other: &str) -> bool {
    let top = |it: &str| it.split('/').next().map(str::to_owned);
    is_below(one, other) || is_below(other, one) || top(one) == top(other)
}

/// The provisioner of classes whose volumes somebody makes by hand.
const BY_HAND: &str = "kubernetes.io/no-provisioner";
/// Labels that say in which zone a node is, and not which one it is.
const OF_ZONES: [&str; 2] = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

/// The volume that an object describes, if it is on the disk of nodes with a label.
fn node_volume(volume: &Value, folder: String) -> Option<NodeVolume> {
    let spec = volume.get("spec").present()?;
    let is_on_disk = ["hostPath", "local"].iter().any(|it| spec.get(it).present().is_some());
    let terms =
        spec.at("nodeAffinity.required.nodeSelectorTerms").present().filter(|_| is_on_disk)?;
    let asked = terms.items().iter().flat_map(|it| items(it.get("matchExpressions")));
    let mut labels = asked.filter_map(|it| it.get("key").present()?.as_str());
    let text = |path: &str| Some(spec.at(path).present()?.as_str()?.to_owned());
    let label = labels.find(|it| !OF_ZONES.contains(it))?.to_owned();
    let class = text("storageClassName").filter(|it| !it.is_empty());
    Some(NodeVolume { claim: text("claimRef.name"), class, folder, label })
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
fn class_of(claim: &Value) -> Option<&str> {
    claim.get("spec").get("storageClassName").present()?.as_str()
}
