//! Where pods keep data.

mod socket;

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
    /// In persistent volumes of their own, which one node mounts at a time.
    OwnClaims,
    /// In persistent volumes that one node mounts at a time.
    Claims,
    /// In persistent volumes that many nodes mount at a time.
    SharedClaims,
    /// Nowhere: of persistent volumes they read only.
    ReadOnlyClaims,
    /// Nowhere: in persistent volumes they have what is elsewhere, too, and is fetched again.
    Caches,
    /// Nowhere: the only thing in their volumes is a socket, by which containers reach each other or the node.
    Sockets,
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
        let mut mounted = mounted_claims(volumes).peekable();
        let may_have_more = is_open(templates) || is_open(volumes);
        let is_mounted = |volume: &str, at: fn(&str) -> bool| is_mounted_only(spec, volume, at);
        match items(templates) {
            [] if mounted.peek().is_none() => match () {
                () if !may_have_more && socket::is_all(items(volumes), &is_mounted) => {
                    Self::Sockets
                }
                () if has("hostPath") => Self::HostPath,
                () if may_have_more => Self::Unknown,
                () => Self::Nothing,
            },
            own => match together(own.iter().map(of_claim)) {
                Some(Self::SharedClaims) => Self::SharedClaims,
                None | Some(Self::ReadOnlyClaims) => {
                    let reads = mounted.all(is_mounted_to_read);
                    let may_write = has("hostPath") || may_have_more;
                    if reads && !may_write { Self::ReadOnlyClaims } else { Self::Claims }
                }
                Some(_) => Self::OwnClaims,
            },
        }
    }
}

/// Where pods keep data that have several claims: in those that keep more. `None` without any.
fn together(claims: impl Iterator<Item = Storage>) -> Option<Storage> {
    let rank = |it: &Storage| match it {
        Storage::ReadOnlyClaims | Storage::Caches => 0,
        Storage::SharedClaims => 1,
        _ => 2,
    };
    claims.max_by_key(rank)
}

pub(super) fn items(list: Field<'_>) -> &[Value] {
    list.present().map_or(&[][..], Value::items)
}

/// Whether a list may have items that are not known.
fn is_open(list: Field<'_>) -> bool {
    let open = |it: &Value| it.as_list().is_some_and(|it| it.rest.is_some());
    list.is_unknown()
        || list.present().is_some_and(open)
        || items(list).iter().any(Value::is_unknown)
}

/// The sources of volumes that only give pods what the cluster knows.
const OF_CLUSTER: &[&str] = &["configMap", "downwardAPI", "projected", "secret"];

/// Whether pods have volumes, and all of them only hold what the cluster gives: configuration, secrets, tokens.
pub(super) fn holds_only_configuration(pod_spec: &Value) -> bool {
    let volumes = pod_spec.get("volumes");
    let is_given = |it: &Value| OF_CLUSTER.iter().any(|key| it.get(key).present().is_some());
    !is_open(volumes) && !items(volumes).is_empty() && items(volumes).iter().all(is_given)
}

/// Parts of the names of storage classes whose volumes many nodes mount at a time.
const SHARED_CLASSES: &[&str] = &["efs", "nfs", "fsx"];

/// How deep a claim lies in the values of a chart.
pub(super) const DEEPEST_CLAIM: usize = 6;

/// Whether values of a chart ask for volumes that many nodes may mount, so many levels down. Asked about claims that are
/// made beside the chart is `is_known`.
pub(super) fn asks_for_shared(
    values: &Value,
    levels: usize,
    is_known: &dyn Fn(&str) -> bool,
) -> bool {
    let is_many = |it: &Value| it.as_str() == Some("ReadWriteMany");
    values.entries().iter().any(|it| match &*it.key {
        "accessMode" => is_many(&it.value),
        "accessModes" => it.value.items().iter().any(is_many),
        "storageClass" | "storageClassName" => it.value.as_str().is_some_and(is_named_shared),
        "existingClaim" => {
            let claim = it.value.as_str();
            claim.is_some_and(|claim| is_named_shared(claim) || is_known(claim))
        }
        _ => levels > 0 && asks_for_shared(&it.value, levels - 1, is_known),
    })
}

/// Whether the name of a class or a claim tells that many nodes may mount its volumes.
pub(super) fn is_named_shared(name: &str) -> bool {
    SHARED_CLASSES.iter().any(|it| name.contains(it))
}

/// Whether many nodes may mount the volumes of a claim, or of a template of claims.
fn is_shared(claim: &Value) -> bool {
    let spec = claim.get("spec");
    let modes = items(spec.get("accessModes"));
    let class = spec.get("storageClassName").present().and_then(Value::as_str);
    modes.iter().any(|it| it.as_str() == Some("ReadWriteMany"))
        || class.is_some_and(is_named_shared)
}

/// Where pods keep data that have a claim, or a template of claims.
fn of_claim(claim: &Value) -> Storage {
    let modes = claim.get("spec").get("accessModes");
    let is_to_read = |it: &Value| it.as_str() == Some("ReadOnlyMany");
    match items(modes) {
        [_, ..] if items(modes).iter().all(is_to_read) && !is_open(modes) => {
            Storage::ReadOnlyClaims
        }
        _ if is_shared(claim) => Storage::SharedClaims,
        _ => Storage::Claims,
    }
}

/// Whether a volume with a claim is mounted to read only.
fn is_mounted_to_read(volume: &Value) -> bool {
    volume.get("readOnly").present().and_then(Value::as_bool) == Some(true)
}

/// The folder in which programs keep what they can fetch again, wherever it is: models, packages, images.
/// <https://specifications.freedesktop.org/basedir-spec/latest/>
const CACHE: &str = ".cache";

/// Whether the containers of a pod mount a volume, and only below a folder of caches.
fn is_cache(pod_spec: Field<'_>, volume: &str) -> bool {
    is_mounted_only(pod_spec, volume, |path| path.split('/').any(|it| it == CACHE))
}

/// Whether the containers of a pod mount a volume, and only in such folders.
fn is_mounted_only(pod_spec: Field<'_>, volume: &str, is_such: fn(&str) -> bool) -> bool {
    let containers = ["containers", "initContainers"].map(|it| items(pod_spec.get(it)));
    let mounts = containers.into_iter().flatten().flat_map(|it| items(it.get("volumeMounts")));
    let named = |it: &&Value| it.get("name").present().and_then(Value::as_str) == Some(volume);
    let path = |it: &Value| it.get("mountPath").present().and_then(Value::as_str).map(is_such);
    let mut own = mounts.filter(named).peekable();
    own.peek().is_some() && own.all(|it| path(it) == Some(true))
}

/// The volumes with claims among some volumes.
fn mounted_claims(volumes: Field<'_>) -> impl Iterator<Item = &Value> {
    items(volumes).iter().filter_map(|it| it.get("persistentVolumeClaim").present())
}

/// The claims of a project, by name: the namespace of each, and where pods that mount it keep data.
#[derive(Debug, Default)]
pub(crate) struct MountedClaims {
    named: HashMap<String, Vec<(Setting<String>, Storage)>>,
    /// Those that workloads of several names mount, by name and namespace.
    mounted_by_several: HashSet<(String, Option<String>)>,
}

impl MountedClaims {
    /// Those among some objects.
    pub(crate) fn of<'a>(objects: impl Iterator<Item = &'a Located>) -> Self {
        let mut claims = Self::default();
        for object in objects.map(|it| &it.object).filter(|it| &*it.kind == "PersistentVolumeClaim")
        {
            let Some(name) = object.anchor_text() else { continue };
            let claim = (namespace(object), of_claim(&object.value));
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

    /// Where pods in a namespace keep data that mount a claim of a name, if it is seen.
    pub(super) fn of_name(&self, name: &str, namespace: &Setting<String>) -> Option<Storage> {
        let may_be = |other: &Setting<String>| match (namespace.known(), other.known()) {
            (Some(own), Some(other)) => own == other,
            _ => true,
        };
        together(self.named.get(name)?.iter().filter(|it| may_be(&it.0)).map(|it| it.1))
    }

    /// Where pods in a namespace keep data, as far as their claims are seen. A namespace that is not written on one
    /// side matches; of several claims of a name the one counts that keeps more.
    pub(crate) fn storage(&self, namespace: &Setting<String>, pod_spec: &Value) -> Option<Storage> {
        let of_one = |(as_volume, volume): (&str, &Value)| {
            if is_mounted_to_read(volume) {
                return Storage::ReadOnlyClaims;
            }
            if is_cache(Field::Present(pod_spec), as_volume) {
                return Storage::Caches;
            }
            let name = volume.get("claimName").present().and_then(Value::as_str);
            let seen = name.and_then(|it| self.of_name(it, namespace));
            let storage = seen.unwrap_or(Storage::Claims);
            let own = name.map(|it| (it.to_owned(), namespace.known().cloned()));
            let by_several = own.is_some_and(|it| self.mounted_by_several.contains(&it));
            if storage == Storage::Claims && by_several { Storage::SharedClaims } else { storage }
        };
        let volumes = pod_spec.get("volumes");
        let named = items(volumes).iter().filter_map(|it| {
            let name = it.get("name").present().and_then(Value::as_str).unwrap_or_default();
            Some((name, it.get("persistentVolumeClaim").present()?))
        });
        let all = together(named.map(of_one))?;
        let has_folder = |it: &Value| it.get("hostPath").present().is_some();
        let may_write = is_open(volumes) || items(volumes).iter().any(has_folder);
        let keeps_nothing = matches!(all, Storage::ReadOnlyClaims | Storage::Caches);
        Some(if keeps_nothing && may_write { Storage::Claims } else { all })
    }
}

/// The names of the claims that a pod mounts.
pub(super) fn claim_names(pod_spec: &Value) -> impl Iterator<Item = &str> {
    let claims = mounted_claims(pod_spec.get("volumes"));
    claims.filter_map(|it| it.get("claimName").present()?.as_str())
}
