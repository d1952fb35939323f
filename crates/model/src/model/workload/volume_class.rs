//! The classes of the volumes that pods mount: which of them are in another cloud.

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

/// The classes of volumes of a project, and those that its claims name.
#[derive(Debug, Default)]
pub(crate) struct VolumeClasses {
    /// By name: the folder that each lies in, and whether its volumes are in another cloud.
    classes: HashMap<String, Vec<(String, bool)>>,
    /// The names of classes by that of the claim, with its namespace.
    claims: HashMap<String, Vec<(Setting<String>, String)>>,
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
                    let foreign = provisioner.and_then(Value::as_str).is_some_and(is_foreign);
                    let folder = located.scope(build).folder;
                    let class = (folder.to_string(), foreign);
                    found.classes.entry(name.to_owned()).or_default().push(class);
                }
                "PersistentVolumeClaim" => {
                    let Some(class) = class_of(&object.value) else { continue };
                    let claim = (namespace(object), class.to_owned());
                    found.claims.entry(name.to_owned()).or_default().push(claim);
                }
                _ => {}
            }
        }
        found
    }

    /// Whether pods mount volumes of a class in another cloud: by the class of that name that is near their folder, else by
    /// the name alone. Given are the classes of templates of claims, and the specification of the pods.
    pub(crate) fn are_foreign(
        &self,
        folder: &str,
        templates: &[String],
        (namespace, pod_spec): (&Setting<String>, &Value),
    ) -> bool {
        let may_be = |other: &Setting<String>| match (namespace.known(), other.known()) {
            (Some(own), Some(other)) => own == other,
            _ => true,
        };
        let of_claims = claim_names(pod_spec).filter_map(|it| self.claims.get(it));
        let of_claims = of_claims.flatten().filter(|it| may_be(&it.0)).map(|it| &it.1);
        templates.iter().chain(of_claims).any(|it| self.is_foreign(folder, it))
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

/// The classes that the templates of claims of an object name.
pub(super) fn template_classes(object: &Object) -> Vec<String> {
    let templates = items(object.value.at("spec.volumeClaimTemplates"));
    templates.iter().filter_map(class_of).map(str::to_owned).collect()
}

/// The class that a claim, or a template of claims, names.
fn class_of(claim: &Value) -> Option<&str> {
    claim.get("spec").get("storageClassName").present()?.as_str()
}
