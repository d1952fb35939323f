//! What the post-renderers of a Flux release change of what its chart makes.

use crate::{
    syntax::yaml,
    value::{Field, Kind, Value},
};

/// Kinds of objects that say nothing of pods, nodes or what protects them.
const APART: &[&str] = &[
    "ClusterRole",
    "ClusterRoleBinding",
    "ConfigMap",
    "Ingress",
    "NetworkPolicy",
    "Role",
    "RoleBinding",
    "Secret",
    "Service",
    "ServiceAccount",
    "ServiceMonitor",
];

/// Fields of an object that say how it is rolled out, not what its pods are.
const OF_ROLLOUT: &[&str] = &[
    "/spec/strategy",
    "/spec/updateStrategy",
    "/spec/revisionHistoryLimit",
    "/spec/minReadySeconds",
    "/spec/progressDeadlineSeconds",
];

/// Whether post-renderers change, or may change, the pods that a chart makes or what protects them.
pub(super) fn may_change_pods(renderers: Field<'_>) -> bool {
    let Field::Present(Value { kind: Kind::List(list), .. }) = renderers else {
        return !renderers.is_missing();
    };
    list.rest.is_some() || list.items.iter().any(may_change)
}

fn may_change(renderer: &Value) -> bool {
    let [only] = renderer.entries() else { return true };
    if &*only.key != "kustomize" {
        return true;
    }
    let changes = |field: &str, value: &Value| match (field, &value.kind) {
        ("images", _) => false,
        ("patches", Kind::List(list)) => list.rest.is_some() || list.items.iter().any(changes_pods),
        _ => true,
    };
    only.value.as_map().is_none_or(|map| {
        map.rest.is_some() || map.entries.iter().any(|it| changes(&it.key, &it.value))
    })
}

/// Whether a patch is for pods, or for what protects them, or may be.
fn changes_pods(patch: &Value) -> bool {
    let kind = |of: &Value| of.get("kind").present().and_then(Value::as_str).map(str::to_owned);
    let stays_apart = |it: Option<String>| it.is_some_and(|it| APART.contains(&&*it));
    let target = patch.get("target").present();
    if stays_apart(target.and_then(kind)) {
        return false;
    }
    let Some(Value { kind: Kind::String(text), span, .. }) = patch.get("patch").present() else {
        return true;
    };
    let documents = yaml::parse(text, *span).values;
    let is_of_rollout = |it: &Value| {
        let place = it.get("path").present().and_then(Value::as_str).unwrap_or_default();
        let whole = |field: &&&str| place.strip_prefix(**field).is_some_and(is_end);
        OF_ROLLOUT.iter().any(|it| whole(&it))
    };
    let harmless = |document: &Value| match &document.kind {
        Kind::List(list) => list.rest.is_none() && list.items.iter().all(is_of_rollout),
        Kind::Map(_) => stays_apart(kind(document)),
        _ => false,
    };
    !text.holes.is_empty() || documents.is_empty() || !documents.iter().all(harmless)
}

fn is_end(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with('/')
}

#[cfg(test)]
mod tests {
    use super::may_change_pods;
    use crate::resolve::samples::read;

    #[test]
    fn only_patches_of_pods_open_the_values() {
        let patch = |kind: &str, path: &str| {
            format!(
                "[{{kustomize: {{patches: [{{target: {{kind: {kind}}}, patch: '[{{op: replace, path: {path}}}]'}}]}}}}]"
            )
        };
        for (renderers, changes) in [
            ("[]".to_owned(), false),
            ("[{kustomize: {images: [{name: a}]}}]".to_owned(), false),
            ("[{kustomize: {patches: [{patch: '{kind: Service}'}]}}]".to_owned(), false),
            ("[{kustomize: {patches: [{patch: '{kind: Deployment}'}]}}]".to_owned(), true),
            ("[{kustomize: {patchesJson6902: []}}]".to_owned(), true),
            ("[{other: {}}]".to_owned(), true),
            (patch("Deployment", "/spec/strategy"), false),
            (patch("Deployment", "/spec/strategy/type"), false),
            (patch("Deployment", "/spec/strategies"), true),
            (patch("Deployment", "/spec/template/metadata"), true),
            (patch("Service", "/spec/type"), false),
        ] {
            let value = read(&format!("it: {renderers}"));
            assert_eq!(may_change_pods(value.get("it")), changes, "{renderers}");
        }
    }
}
