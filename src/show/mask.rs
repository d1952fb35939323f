//! What Secrets keep is never printed.

use std::sync::Arc;

use crate::{
    resolve::kubernetes::Object,
    value::{Entry, Kind, Map, Text, Value},
};

/// What is printed in place of it.
const MASK: &str = "(masked)";
/// What `kubectl apply` keeps of the whole object.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The object without what a Secret keeps.
#[must_use]
pub(super) fn masked(object: Object) -> Object {
    if &*object.kind != "Secret" || !object.group().is_empty() {
        return object;
    }
    let value = changed(&object.value, |key, value| match key {
        "apiVersion" | "kind" | "type" | "immutable" => None,
        "metadata" => Some(changed(value, |key, value| {
            let inside = |key: &str, it: &Value| (key == LAST_APPLIED).then(|| hidden(it));
            (key == "annotations").then(|| changed(value, inside))
        })),
        _ => Some(hidden(value)),
    });
    Object { value, ..object }
}

/// A mapping with some of its values changed.
fn changed(value: &Value, change: impl Fn(&str, &Value) -> Option<Value>) -> Value {
    let Kind::Map(map) = &value.kind else { return value.clone() };
    let entry = |it: &Entry| match change(&it.key, &it.value) {
        Some(value) => Entry { value, ..it.clone() },
        None => it.clone(),
    };
    let map = Map { entries: map.entries.iter().map(entry).collect(), rest: map.rest.clone() };
    Value { kind: Kind::Map(Arc::new(map)), ..value.clone() }
}

/// The keys of a mapping without their values; anything else is hidden as a whole.
fn hidden(value: &Value) -> Value {
    match &value.kind {
        Kind::Map(_) => changed(value, |_, it| Some(hidden(it))),
        Kind::Null | Kind::Unknown(_) => value.clone(),
        _ => Value { kind: Kind::String(Text::computed(MASK)), ..value.clone() },
    }
}

#[cfg(test)]
mod tests {
    use super::masked;
    use crate::{resolve::kubernetes::objects, show::yaml::document, source::FileId, syntax::yaml};

    fn shown(text: &str) -> String {
        let values = yaml::parse_file(FileId(0), text).values;
        document(&masked(objects(&values[0]).remove(0)).value)
    }

    #[test]
    fn the_keys_of_a_secret_are_shown_and_not_what_they_keep() {
        let head = "apiVersion: v1
kind: Secret
type: Opaque
metadata:
  name: database
";
        let kept = "  annotations:
    kubectl.kubernetes.io/last-applied-configuration: '{\"data\": {\"password\": \"aHVudGVyMg==\"}}'
    team: shop
data:
  password: aHVudGVyMg==
stringData:
  token: hunter2
";
        let text = shown(&format!("{head}{kept}"));
        assert!(!text.contains("hunter2") && !text.contains("aHVudGVyMg"), "{text}");
        assert!(text.contains("password: \"(masked)\"") && text.contains("team: shop"), "{text}");
        assert!(text.starts_with(head), "{text}");
    }

    #[test]
    fn other_objects_are_shown_whole() {
        let text = "apiVersion: v1\nkind: ConfigMap\ndata:\n  password: hunter2\n";
        assert_eq!(shown(text), text);
    }
}
