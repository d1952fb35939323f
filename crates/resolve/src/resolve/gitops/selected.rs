//! Which clusters an `ApplicationSet` makes its Applications for.

use std::collections::BTreeSet;

use crate::value::{Field, Kind, Value};

/// Generators nest once in Argo CD.
const MAX_DEPTH: usize = 3;

/// What the cluster generators of a set ask of clusters, as a text that is the same for the same demands; `None` where
/// one of them takes all clusters, or there is none.
#[must_use]
pub(super) fn clusters(set: &Value) -> Option<String> {
    let mut found = BTreeSet::new();
    let generators = set.at("spec.generators").present().map_or(&[][..], Value::items);
    generators.iter().for_each(|it| demands(it, 0, &mut found));
    let takes_all = found.is_empty() || found.contains("");
    (!takes_all).then(|| found.into_iter().collect::<Vec<_>>().join(" or "))
}

fn demands(generator: &Value, depth: usize, found: &mut BTreeSet<String>) {
    if let Some(clusters) = generator.get("clusters").present() {
        let of_both = [clusters.get("selector"), generator.get("selector")];
        let all: BTreeSet<String> = of_both.into_iter().flat_map(of_selector).collect();
        found.insert(all.into_iter().collect::<Vec<_>>().join(","));
    }
    if depth < MAX_DEPTH {
        for name in ["matrix", "merge"] {
            let inner = generator.get(name).get("generators").present();
            let inner = inner.map_or(&[][..], Value::items);
            inner.iter().for_each(|it| demands(it, depth + 1, found));
        }
    }
}

fn of_selector(selector: Field<'_>) -> Vec<String> {
    let labels = selector.get("matchLabels").present().map_or(&[][..], Value::entries);
    let labels = labels.iter().map(|it| format!("{}={}", it.key, text(&it.value)));
    let expressions = selector.get("matchExpressions").present().map_or(&[][..], Value::items);
    labels.chain(expressions.iter().map(text)).collect()
}

/// A value without the order of its parts.
fn text(value: &Value) -> String {
    let parts: BTreeSet<String> = match &value.kind {
        Kind::Map(map) => {
            map.entries.iter().map(|it| format!("{}:{}", it.key, text(&it.value))).collect()
        }
        Kind::List(list) => list.items.iter().map(text).collect(),
        Kind::String(it) => return it.text.to_string(),
        other => return format!("{other:?}"),
    };
    format!("({})", parts.into_iter().collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::clusters;
    use crate::{source::FileId, syntax::yaml};

    fn asked(generators: &str) -> Option<String> {
        let text = format!("spec: {{generators: [{generators}]}}\n");
        let set = yaml::parse_file(FileId(0), &text);
        clusters(set.values.first()?)
    }

    #[test]
    fn demands_are_the_same_in_any_order() {
        let both = "clusters: {selector: {matchLabels: {a: '1', b: '2'}}}";
        let turned = "clusters: {selector: {matchLabels: {b: '2', a: '1'}}}";
        assert_eq!(asked(both), Some("a=1,b=2".to_owned()));
        assert_eq!(asked(both), asked(turned));
        let expression =
            "clusters: {selector: {matchExpressions: [{key: a, operator: DoesNotExist}]}}";
        assert_eq!(asked(expression), Some("(key:a,operator:DoesNotExist)".to_owned()));
        let matrix = format!("matrix: {{generators: [{{{both}}}, {{list: {{elements: []}}}}]}}");
        assert_eq!(asked(&matrix), asked(both));
        for all in ["clusters: {}", "list: {elements: []}", &format!("{both}, clusters: {{}}")] {
            assert_eq!(asked(all), None, "{all}");
        }
    }
}
