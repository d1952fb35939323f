//! Objects without what no rule asks about, because a repository may hold tens of thousands of them.

use std::sync::{Arc, LazyLock};

use memchr::memmem;

use crate::{
    resolve::kubernetes::{Object, template_path},
    source::words::Words,
    syntax::yaml::Kept,
    value::{Entry, Kind, Map, Value},
};

/// Lists of a pod whose items are long, and what is kept of each item.
const ITEMS: &[(&str, &[&str])] = &[
    (
        "containers",
        &["name", "image", "command", "args", "envFrom", "resources", "volumeMounts", "env"],
    ),
    INIT_CONTAINERS,
    EPHEMERAL_CONTAINERS,
    VOLUMES,
];
/// The same where no variable is kept.
const WITHOUT_VARIABLES: &[(&str, &[&str])] = &[
    // Which component it is, what it runs and needs, and where. Environment and probes are most of a manifest.
    ("containers", &["name", "image", "command", "args", "envFrom", "resources", "volumeMounts"]),
    INIT_CONTAINERS,
    EPHEMERAL_CONTAINERS,
    VOLUMES,
];
const INIT_CONTAINERS: (&str, &[&str]) =
    ("initContainers", &["name", "image", "resources", "restartPolicy", "volumeMounts"]);
const EPHEMERAL_CONTAINERS: (&str, &[&str]) = ("ephemeralContainers", &["name", "image"]);
/// Whether data is lost with the node.
const VOLUMES: (&str, &[&str]) = (
    "volumes",
    &[
        "name",
        "persistentVolumeClaim",
        "ephemeral",
        "emptyDir",
        "hostPath",
        "configMap",
        "secret",
        "projected",
        "downwardAPI",
    ],
);

/// The variables that are kept of a container's environment: what Karpenter is given, and one that each of its
/// controllers has.
const VARIABLES: &[&str] =
    &["CLUSTER_NAME", "INTERRUPTION_QUEUE", "FEATURE_GATES", "KARPENTER_SERVICE"];

/// What is kept of a resource definition: who it is and which versions it has, not their schemas.
const DEFINITION: &[&str] = &["apiVersion", "kind", "metadata", "spec"];
/// What is kept of its `spec`.
const DEFINED: &[&str] = &["group", "names", "versions"];
/// What is kept of a version in it.
const VERSION: &[&str] = &["name", "served"];

/// What is kept of an object by its text, before it is known where in a document it is: of one that is a document,
/// the most of what [`prune`] drops need not become values.
pub(super) fn kept(document: &str) -> Option<Kept> {
    static WORDS: LazyLock<Words> = LazyLock::new(|| Words::new(VARIABLES));
    let kinds = memmem::find_iter(document.as_bytes(), b"kind:");
    let first = kinds.into_iter().find(|at| document[..*at].ends_with('\n') || *at == 0)?;
    let kind = document.get(first..)?.lines().next()?.strip_prefix("kind:")?.trim();
    let path = match template_path(kind)? {
        "" => "spec",
        "spec.template" => "spec.template.spec",
        "spec.jobTemplate.spec.template" => "spec.jobTemplate.spec.template.spec",
        _ => return None,
    };
    let lists = if WORDS.any_in(document) { ITEMS } else { WITHOUT_VARIABLES };
    Some(Kept { path, lists })
}

/// Drops the parts of an object that are not read. Parts that an alias shares stay.
pub(super) fn prune(object: &mut Object) {
    if &*object.kind == "CustomResourceDefinition" {
        return keep_definition(&mut object.value);
    }
    let Some(template) = object.template_path() else { return };
    let mut keys = template.split('.').filter(|it| !it.is_empty()).chain(["spec"]);
    let Some(pod) = keys.try_fold(&mut object.value, inside) else { return };
    for (list, kept) in ITEMS {
        if let Some(Value { kind: Kind::List(list), .. }) = inside(pod, list)
            && let Some(list) = Arc::get_mut(list)
        {
            list.items.iter_mut().for_each(|it| {
                keep(it, kept);
                keep_variables(it);
            });
        }
    }
}

fn keep_definition(definition: &mut Value) {
    keep(definition, DEFINITION);
    let Some(spec) = inside(definition, "spec") else { return };
    keep(spec, DEFINED);
    if let Some(Value { kind: Kind::List(list), .. }) = inside(spec, "versions")
        && let Some(list) = Arc::get_mut(list)
    {
        list.items.iter_mut().for_each(|it| keep(it, VERSION));
    }
}

fn keep_variables(container: &mut Value) {
    let Some(all) = entries(container) else { return };
    all.retain_mut(|it| {
        let Kind::List(list) = &mut it.value.kind else { return true };
        let Some(list) = Arc::get_mut(list).filter(|_| &*it.key == "env") else { return true };
        list.items.retain(|it| {
            let name = it.get("name");
            let is_kept = |it: &Value| it.as_str().is_some_and(|it| VARIABLES.contains(&it));
            name.is_unknown() || name.present().is_some_and(is_kept)
        });
        list.items.shrink_to_fit();
        !list.items.is_empty()
    });
}

/// The value of a key, if nothing else shares the mapping.
fn inside<'a>(value: &'a mut Value, key: &str) -> Option<&'a mut Value> {
    entries(value)?.iter_mut().find(|it| &*it.key == key).map(|it| &mut it.value)
}

fn keep(value: &mut Value, keys: &[&str]) {
    if let Some(entries) = entries(value) {
        entries.retain(|it| keys.contains(&&*it.key));
        entries.shrink_to_fit();
    }
}

fn entries(value: &mut Value) -> Option<&mut Vec<Entry>> {
    let Kind::Map(map) = &mut value.kind else { return None };
    Arc::get_mut(map).map(|map: &mut Map| &mut map.entries)
}

#[cfg(test)]
mod tests {
    use super::prune;
    use crate::{
        resolve::kubernetes::{Object, objects},
        source::FileId,
        syntax::yaml,
        value::Value,
    };

    fn pruned(text: &str) -> Object {
        let mut document = yaml::parse_file(FileId(0), text).values;
        let mut object = objects(&document.remove(0)).remove(0);
        prune(&mut object);
        object
    }

    #[test]
    fn what_rules_ask_about_is_left() {
        let object = pruned(
            "kind: StatefulSet\nspec:\n  serviceName: a\n  template:\n    metadata: {labels: {a: b}}\n    \
             spec:\n      tolerations: [{key: a, effect: b}]\n      containers: [{name: a, image: b, env: \
             [{name: c}], ports: []}]\n      volumes: [{name: a, persistentVolumeClaim: {claimName: a}, nfs: {}}]\n",
        );
        let cases = [
            ("spec.serviceName", true),
            ("spec.template.metadata.labels.a", true),
            ("spec.template.spec.tolerations", true),
        ];
        for (path, expected) in cases {
            assert_eq!(object.value.at(path).present().is_some(), expected, "{path}");
        }
        let keys = |list: &str| {
            let list = object.value.at("spec.template.spec").get(list);
            let first = list.present().and_then(|it| it.items().first());
            let entries = first.map_or(&[][..], Value::entries);
            entries.iter().map(|it| it.key.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(keys("containers"), ["name", "image"]);
        assert_eq!(keys("volumes"), ["name", "persistentVolumeClaim"]);
    }

    #[test]
    fn a_definition_is_its_name_and_its_versions() {
        let text = "kind: CustomResourceDefinition\nmetadata: {name: a}\nspec: {scope: Cluster, versions: \
                    [{name: v1, schema: {}}]}\n";
        let object = pruned(text);
        assert_eq!(object.anchor_text(), Some("a"));
        assert!(object.value.at("spec.scope").is_missing());
        let versions = object.value.at("spec.versions").present().map_or(&[][..], Value::items);
        let keys = versions.iter().flat_map(Value::entries).map(|it| &*it.key);
        assert_eq!(keys.collect::<Vec<_>>(), ["name"]);
    }
}
