//! What a cluster answered to `kubectl get -o yaml`.

use crate::value::Value;

/// Whether documents are what a cluster has: a list of its objects, or nothing but such objects. No author writes
/// `resourceVersion`, with which none can be created, nor `generation`, which the cluster counts.
pub(super) fn is_answer(documents: &[Value]) -> bool {
    let has = |it: &Value, key: &str| {
        it.get("metadata").get(key).present().is_some_and(|it| !it.is_null())
    };
    let is_counted = |it: &Value| has(it, "uid") || has(it, "generation");
    let is_live = |it: &Value| has(it, "resourceVersion") && is_counted(it);
    let is_list = |it: &Value| {
        let items = it.get("items").present().map_or(&[][..], Value::items);
        it.get("kind").present().and_then(Value::as_str) == Some("List")
            && items.first().is_some_and(is_live)
    };
    documents.iter().any(is_list)
        || documents.iter().any(is_live) && documents.iter().all(is_counted)
}
