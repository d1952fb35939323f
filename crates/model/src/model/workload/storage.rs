//! Where pods keep data.

use std::collections::HashMap;

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
            let namesakes = name.and_then(|it| self.named.get(it)).map_or(&[][..], Vec::as_slice);
            let mut near = namesakes.iter().filter(|it| may_be(&it.0)).peekable();
            near.peek().is_some() && near.all(|it| it.1)
        };
        !self.named.is_empty() && claims.peek().is_some() && claims.all(shared)
    }
}
