//! Documents that matter only where there are PDBs: what a PDB may select or count on.

use crate::{
    resolve::kubernetes::Located,
    source::words::{WholeWords, Words},
    value::{Field, Value},
};

/// Finds the documents that are needed because of a PDB.
pub(super) struct PdbNeeds {
    controllers: Words,
    scalers: Words,
    /// Words in the pods of a PDB; `None` where a PDB may select any.
    named: Option<WholeWords>,
}

/// Words of manifests of what a PDB may select.
const CONTROLLERS: &[&str] = &["kind: Deployment", "\"Deployment\"", "kind: Rollout"];

/// What changes the number of pods.
const SCALERS: &[&str] = &["HorizontalPodAutoscaler", "ScaledObject"];

/// Words without which no PDB needs a text.
pub(super) fn words() -> Words {
    Words::new(CONTROLLERS.iter().chain(SCALERS))
}

impl PdbNeeds {
    /// What the PDBs among the objects need; `None` when there are none.
    pub(super) fn new(objects: &[Located]) -> Option<Self> {
        let pdbs = objects.iter().filter(|it| &*it.object.kind == "PodDisruptionBudget");
        let mut words = Vec::new();
        let mut any = false;
        for pdb in pdbs.clone() {
            let before = words.len();
            values(pdb.object.value.at("spec.selector"), &mut words);
            any |= words.len() == before;
            // A selector with a mistake in it is explained by the workload it was meant for.
            words.extend(pdb.object.anchor_text().map(str::to_owned));
        }
        words.sort_unstable();
        words.dedup();
        pdbs.clone().next()?;
        Some(Self {
            controllers: Words::new(CONTROLLERS),
            scalers: Words::new(SCALERS),
            named: (!any).then(|| WholeWords::new(words)),
        })
    }

    /// Whether a text is worth parsing.
    pub(super) fn wants(&self, text: &str) -> bool {
        let named = |text: &str| self.named.as_ref().is_none_or(|it| it.any_in(text));
        (self.controllers.any_in(text) && named(text)) || self.scalers.any_in(text)
    }
}

/// The values of labels a selector asks for.
fn values(selector: Field<'_>, words: &mut Vec<String>) {
    let text = |it: &Value| it.as_str().map(str::to_owned);
    let labels = selector.get("matchLabels").present().map_or(&[][..], Value::entries);
    words.extend(labels.iter().filter_map(|it| text(&it.value)));
    let expressions = selector.get("matchExpressions").present().map_or(&[][..], Value::items);
    for expression in expressions {
        let is_in = expression.get("operator").present().and_then(Value::as_str) == Some("In");
        let values = expression.get("values").present().map_or(&[][..], Value::items);
        words.extend(values.iter().filter(|_| is_in).filter_map(text));
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        resolve::kubernetes::manifests::{Tools, read},
        source::{FileId, Files, SourceFile},
    };

    /// The names of the workloads that are read beside a PDB with this selector.
    fn read_beside(selector: &str) -> Vec<String> {
        let workload = |kind: &str, name: &str| {
            format!(
                "---\nkind: {kind}\nmetadata: {{name: {name}}}\nspec: {{x: {{labels: {{app: {name}}}}}}}\n"
            )
        };
        let pdb = format!(
            "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {{name: front}}\nspec: {selector}\n"
        );
        let beside = workload("StatefulSet", "store") + &workload("Deployment", "web");
        let files = Files::new(vec![
            SourceFile::new("a.yaml", &(pdb + &beside)),
            SourceFile::new("b.yaml", workload("Deployment", "shop")),
            SourceFile::new(
                "c.yaml",
                workload("Deployment", "front") + &workload("Deployment", "shop-web"),
            ),
            SourceFile::new("d.yaml", workload("HorizontalPodAutoscaler", "any")),
        ]);
        let ids: Vec<FileId> = (0..4).map(FileId).collect();
        let read = read(&files, &ids, Tools { words: &[], own: |_| false, all_workloads: false });
        let names = read.objects.iter().filter_map(|it| it.object.anchor_text());
        names.map(str::to_owned).collect()
    }

    /// What is read where a PDB may select any pods.
    const ANY: &[&str] = &["front", "store", "web", "shop", "front", "shop-web", "any"];

    #[test]
    fn what_a_pdb_cannot_select_is_not_read() {
        for (selector, expected) in [
            (
                "{selector: {matchLabels: {app: web}}}",
                &["front", "store", "web", "front", "any"][..],
            ),
            (
                "{selector: {matchExpressions: [{key: app, operator: In, values: [shop]}]}}",
                &["front", "store", "shop", "front", "any"],
            ),
            ("{selector: {}}", ANY),
            ("{selector: {matchExpressions: [{key: app, operator: Exists}]}}", ANY),
        ] {
            assert_eq!(read_beside(selector), expected, "{selector}");
        }
    }

    #[test]
    fn without_pdb_deployments_are_not_read() {
        let text = "kind: Deployment\nmetadata: {name: web}\n";
        let files = Files::new(vec![SourceFile::new("a.yaml", text)]);
        let read =
            read(&files, &[FileId(0)], Tools { words: &[], own: |_| false, all_workloads: false });
        assert!(read.objects.is_empty());
    }
}
