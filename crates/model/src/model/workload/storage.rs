//! Where pods keep data.

use std::collections::{HashMap, HashSet};

use crate::{
    model::namespace::namespace,
    resolve::{
        kubernetes::{Located, Object},
        setting::Setting,
    },
    value::{Field, Value},
};

/// Where the pods of a workload keep data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In persistent volumes that one node mounts at a time.
    Claims,
    /// In persistent volumes that many nodes mount at a time.
    SharedClaims,
    /// In a folder of the node.
    HostPath,
    /// Nowhere that outlives them.
    Nothing,
    /// Not known.
    Unknown,
}

impl Storage {
    /// That of the pods of an object, whose specification is given.
    pub(super) fn read(object: &Object, spec: Field<'_>) -> Self {
        let templates = object.value.at("spec.volumeClaimTemplates");
        let volumes = spec.get("volumes");
        let has = |key: &str| items(volumes).iter().any(|it| it.get(key).present().is_some());
        match templates {
            Field::Present(list) if !list.items().is_empty() => {
                let shared = list.items().iter().all(is_shared);
                if shared { Self::SharedClaims } else { Self::Claims }
            }
            _ if has("persistentVolumeClaim") => Self::Claims,
            _ if has("hostPath") => Self::HostPath,
            _ if is_open(templates) || is_open(volumes) => Self::Unknown,
            _ => Self::Nothing,
        }
    }
}

fn items(list: Field<'_>) -> &[Value] {
    list.present().map_or(&[][..], Value::items)
}

/// Whether a list may have items that are not known.
fn is_open(list: Field<'_>) -> bool {
    let open = |it: &Value| it.as_list().is_some_and(|it| it.rest.is_some());
    list.is_unknown()
        || list.present().is_some_and(open)
        || items(list).iter().any(Value::is_unknown)
}

/// Parts of the names of storage classes whose volumes many nodes mount at a time.
const SHARED_CLASSES: &[&str] = &["efs", "nfs", "fsx"];

/// Whether many nodes may mount the volumes of a claim, or of a template of claims.
fn is_shared(claim: &Value) -> bool {
    let spec = claim.get("spec");
    let modes = items(spec.get("accessModes"));
    let class = spec.get("storageClassName").present().and_then(Value::as_str);
    modes.iter().any(|it| it.as_str() == Some("ReadWriteMany"))
        || class.is_some_and(|class| SHARED_CLASSES.iter().any(|it| class.contains(it)))
}

/// The claims of a project, by name: the namespace of each, and whether many nodes mount its volume at a time.
#[derive(Debug, Default)]
pub(crate) struct SharedClaims {
    named: HashMap<String, Vec<(Setting<String>, bool)>>,
    /// Those that workloads of several names mount, by name and namespace.
    mounted_by_several: HashSet<(String, Option<String>)>,
}

impl SharedClaims {
    /// Those among some objects.
    pub(crate) fn of<'a>(objects: impl Iterator<Item = &'a Located>) -> Self {
        let mut claims = Self::default();
        for object in objects.map(|it| &it.object).filter(|it| &*it.kind == "PersistentVolumeClaim")
        {
            let Some(name) = object.anchor_text() else { continue };
            let claim = (namespace(object), is_shared(&object.value));
            claims.named.entry(name.to_owned()).or_default().push(claim);
        }
        claims
    }

    /// The same with those that workloads of several names mount: what one of them leaves there the others have. Given
    /// are the names of workloads, their namespaces and the specifications of their pods.
    pub(crate) fn and_mounted<'a>(
        mut self,
        pods: impl Iterator<Item = (&'a str, &'a Setting<String>, &'a Value)>,
    ) -> Self {
        let mut mounts: HashMap<(String, Option<String>), HashSet<&str>> = HashMap::new();
        for (name, namespace, spec) in pods.filter(|it| !it.0.is_empty()) {
            for claim in claim_names(spec) {
                let claim = (claim.to_owned(), namespace.known().cloned());
                mounts.entry(claim).or_default().insert(name);
            }
        }
        let several = mounts.into_iter().filter(|(_, by)| by.len() > 1);
        self.mounted_by_several = several.map(|(claim, _)| claim).collect();
        self
    }

    /// Whether pods in a namespace have claims, and none but shared ones. A namespace that is not written on one
    /// side matches; of several claims all have to be shared.
    pub(crate) fn are_all(&self, namespace: &Setting<String>, pod_spec: &Value) -> bool {
        let volumes = items(pod_spec.get("volumes")).iter();
        let mut claims =
            volumes.filter_map(|it| it.get("persistentVolumeClaim").present()).peekable();
        let may_be = |other: &Setting<String>| match (namespace.known(), other.known()) {
            (Some(own), Some(other)) => own == other,
            _ => true,
        };
        let shared = |claim: &Value| {
            let name = claim.get("claimName").present().and_then(Value::as_str);
            let own = name.map(|it| (it.to_owned(), namespace.known().cloned()));
            if own.is_some_and(|it| self.mounted_by_several.contains(&it)) {
                return true;
            }
            let namesakes = name.and_then(|it| self.named.get(it)).map_or(&[][..], Vec::as_slice);
            let mut near = namesakes.iter().filter(|it| may_be(&it.0)).peekable();
            near.peek().is_some() && near.all(|it| it.1)
        };
        let is_known = !self.named.is_empty() || !self.mounted_by_several.is_empty();
        is_known && claims.peek().is_some() && claims.all(shared)
    }
}

/// The names of the claims that a pod mounts.
fn claim_names(pod_spec: &Value) -> impl Iterator<Item = &str> {
    let volumes = items(pod_spec.get("volumes")).iter();
    let claims = volumes.filter_map(|it| it.get("persistentVolumeClaim").present());
    claims.filter_map(|it| it.get("claimName").present()?.as_str())
}
