//! Who else is served by the text that a fix would change.
//!
//! A fix changes what a finding is about. Where the same text makes something else too (an anchor with other
//! aliases, a patch for many objects, a base that other overlays build, a values file of another chart, a
//! local that is read elsewhere, a block that several calls share), it is left to a person.

use std::{
    cell::{OnceCell, RefCell},
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use crate::{
    findings::{Finding, edit::Edit},
    lint::overridden,
    model::Model,
    project::Project,
    resolve::{kustomize::Kustomize, release::surface::Surface, terraform::references::References},
    source::{FileId, Files, Span},
    syntax::aliased,
    value::Value,
};

/// What is made of the files of a project, as far as several things are made of one.
#[derive(Debug, Default)]
pub(super) struct FixGuard {
    /// How many different objects the patches of a file change.
    patched: HashMap<FileId, HashSet<String>>,
    /// The builds that an object's file is part of.
    builds: HashMap<FileId, HashSet<usize>>,
    /// What Terraform and releases make of files; looked for when the first fix asks.
    made: OnceCell<MadeFrom>,
    /// The nodes of YAML that aliases repeat, of each file that a fix would change.
    aliased: RefCell<HashMap<FileId, Vec<Span>>>,
    /// Who reads what in Terraform code.
    references: References,
}

/// What is made of files, by file.
#[derive(Debug, Default)]
struct MadeFrom {
    /// How many objects each block of Terraform makes.
    blocks: HashMap<FileId, HashMap<Span, usize>>,
    /// The calls of the modules in each folder; looked for when a fix outside of blocks asks.
    calls: OnceCell<HashMap<Arc<str>, HashSet<String>>>,
    /// The places from which charts take values, or which bring charts.
    charts: HashMap<FileId, Vec<(Span, Arc<str>)>>,
    /// The values files of each release that has several.
    values_files: Vec<BTreeSet<FileId>>,
}

impl FixGuard {
    /// Those of a project.
    pub(super) fn of(kustomize: &Kustomize, references: &References) -> Self {
        let mut found = Self { references: references.clone(), ..Self::default() };
        for (index, build) in kustomize.builds.iter().enumerate() {
            for chart in &build.charts {
                found.builds.entry(chart.value.span.file).or_default().insert(index);
            }
            for built in &build.objects {
                let Some((own, patches)) = built.source.split_first() else { continue };
                found.builds.entry(*own).or_default().insert(index);
                let name = built.object.anchor_text().unwrap_or_default();
                for patch in patches {
                    let identity = format!("{}/{name}", built.object.kind);
                    found.patched.entry(*patch).or_default().insert(identity);
                }
            }
        }
        found
    }

    /// Whether a fix changes nothing but what its finding is about. The same was found so many times.
    pub(super) fn are_spared(
        &self,
        project: &Project,
        model: &Model,
        (finding, times): (&Finding, usize),
    ) -> bool {
        let Some(fix) = &finding.fix else { return true };
        let made = self.made.get_or_init(|| MadeFrom::of(model));
        let is_patch = |file: FileId| self.patched.get(&file).is_some_and(|it| it.len() > 1);
        let is_base = |file: FileId| self.builds.get(&file).is_some_and(|it| it.len() > times);
        fix.edits.iter().filter(|it| !is_blank(project, it)).all(|edit| {
            let file = edit.span.file;
            !(is_patch(file)
                || is_base(file)
                || made.is_in_shared_block((project, model), edit, times)
                || self.is_aliased(&project.files, edit.span)
                || self.serves_others(&project.files, edit, times)
                || made.is_of_several_charts(edit)
                || made.is_set_beside(&project.files, edit))
        })
    }

    /// Whether an edit touches a node that an alias repeats elsewhere.
    fn is_aliased(&self, files: &Files, place: Span) -> bool {
        let mut known = self.aliased.borrow_mut();
        let nodes = known.entry(place.file).or_insert_with(|| {
            let file = files.get(place.file);
            match file.ending() {
                "tf" | "tofu" | "tfvars" | "hcl" => aliased::in_hcl(place.file, file.text()),
                _ => aliased::in_yaml(place.file, file.text()),
            }
        });
        nodes.iter().any(|it| place.start <= it.end && it.start < place.end.max(place.start + 1))
    }

    /// Whether more places read what an edit changes than the finding was made at.
    fn serves_others(&self, files: &Files, edit: &Edit, times: usize) -> bool {
        let file = files.get(edit.span.file);
        let uses = match file.ending() {
            "tf" | "tofu" => {
                let declared = self.references.declaration_at(edit.span);
                // What could not be read may read it too.
                if declared.is_some_and(|(it, _)| self.references.is_incomplete(&it.folder)) {
                    return true;
                }
                self.references.readers(edit.span).count()
            }
            "yaml" | "yml" | "json" | "tpl" | "tftpl" => {
                let name = file.name();
                self.references.naming(name).len()
            }
            _ => 0,
        };
        uses > times.max(1)
    }
}

impl MadeFrom {
    fn of(model: &Model) -> Self {
        let mut found = Self::default();
        for object in model.terraform_objects() {
            let blocks = found.blocks.entry(object.span.file).or_default();
            *blocks.entry(object.span).or_default() += 1;
        }
        for (place, chart) in &model.gitops.generated {
            found.charts.entry(place.file).or_default().push((*place, Arc::clone(chart)));
        }
        // A chart of this repository hands its values on to those it depends on.
        for release in model.releases.iter().filter(|it| !it.chart.is_empty()) {
            // Of Terraform's values in one file, some may be in locals on both sides of others.
            let apart = |it: &Span| {
                it.file != release.report_span.file || release.surface() != Surface::Terraform
            };
            let mut places = HashMap::new();
            places_of(&release.values, 0, &mut places);
            let own = places.keys().copied().filter(|it| *it != release.report_span.file);
            let own: BTreeSet<FileId> = own.collect();
            found.values_files.extend(Some(own).filter(|it| it.len() > 1));
            for place in places.into_values().filter(apart) {
                found.charts.entry(place.file).or_default().push((place, release.chart.clone()));
            }
        }
        found
    }

    /// Whether another values file of a release sets what an edit renames or removes in one.
    fn is_set_beside(&self, files: &Files, edit: &Edit) -> bool {
        let file = edit.span.file;
        let with_it = self.values_files.iter().filter(|it| it.contains(&file));
        let is_yaml = |it: &FileId| matches!(files.get(*it).ending(), "yaml" | "yml");
        let others: BTreeSet<FileId> =
            with_it.flatten().copied().filter(|it| *it != file && is_yaml(it)).collect();
        !others.is_empty()
            && is_yaml(&file)
            && overridden::is_set_in(files, edit, &others.into_iter().collect::<Vec<_>>())
    }

    /// Whether releases of different charts take values from there, or are made of it.
    fn is_of_several_charts(&self, edit: &Edit) -> bool {
        let beside = self.charts.get(&edit.span.file).into_iter().flatten();
        let at = edit.span.start;
        let around = beside.filter(|(place, _)| place.start <= at && at <= place.end);
        around.map(|(_, chart)| chart).collect::<HashSet<_>>().len() > 1
    }

    /// Whether the edit is in a block, or elsewhere in a module, that makes more than the finding reports
    /// of.
    fn is_in_shared_block(
        &self,
        (project, model): (&Project, &Model),
        edit: &Edit,
        times: usize,
    ) -> bool {
        let file = project.files.get(edit.span.file);
        let beside = self.blocks.get(&edit.span.file).into_iter().flatten();
        let around = beside.filter(|(span, _)| span.contains(edit.span));
        let made = around.map(|(_, count)| *count).max();
        let in_code = || matches!(file.ending(), "tf" | "tofu");
        let calls = || {
            let calls = self.calls.get_or_init(|| calls(model));
            calls.get(file.folder()).map(HashSet::len)
        };
        made.or_else(|| in_code().then(calls).flatten()).is_some_and(|it| it > times)
    }
}

/// The calls of the modules in each folder.
fn calls(model: &Model) -> HashMap<Arc<str>, HashSet<String>> {
    let mut found: HashMap<Arc<str>, HashSet<String>> = HashMap::new();
    for object in model.terraform_objects() {
        let own = format!("{}.{}", object.kind, object.name);
        let call = object.address.rfind(&own).map_or("", |at| &object.address[..at]);
        found.entry(object.folder.clone()).or_default().insert(call.to_owned());
    }
    found
}

/// Values come from other files near the top.
const DEEPEST: usize = 4;

/// Whether an edit only moves a `=`.
fn is_blank(project: &Project, edit: &Edit) -> bool {
    let old = project.files.get(edit.span.file).text().get(edit.span.range()).unwrap_or_default();
    !old.is_empty() && old.trim().is_empty() && edit.text.trim().is_empty()
}

/// The stretch of each file on which entries of values are, also of mappings in them.
fn places_of(values: &Value, depth: usize, found: &mut HashMap<FileId, Span>) {
    for entry in values.entries() {
        let (key, value) = (entry.key_span, entry.value.span);
        let end = if value.file == key.file { value.end.max(key.end) } else { key.end };
        let place = found.entry(key.file).or_insert(key);
        *place = Span { start: place.start.min(key.start), end: place.end.max(end), ..key };
        if depth < DEEPEST {
            places_of(&entry.value, depth + 1, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{config::Config, lint, project::Project};

    /// Whether the annotation of a deployment, written so, can be moved to its pods.
    fn is_fixed(annotations: &str, more: &str) -> bool {
        let text = format!(
            "apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  annotations:{annotations}
spec:
  selector: {{ matchLabels: {{ app: web }} }}
  template:
    metadata:
      labels: {{ app: web }}
    spec:
      containers: [{{ name: web, image: 'registry.example.com/web:1' }}]
{more}"
        );
        let project = Project::from_memory(vec![("web.yaml".to_owned(), text)]);
        let outcome = lint::run(&project, &Config::default());
        let mut found = outcome.findings.iter().filter(|it| it.rule == "do-not-disrupt-misplaced");
        found.next().is_some_and(|it| it.fix.is_some())
    }

    #[test]
    fn only_what_an_alias_repeats_is_shared() {
        let entry = "\n    karpenter.sh/do-not-disrupt: \"true\"\n    team: \"shop\"";
        for (before, more, wanted) in [
            ("", "", true),
            (" # R&D, all of *them*", "", true),
            (" &all", "", true),
            (" &all", "x-others: *all\n", false),
            (" &all", "x-others: { <<: *all }\n", false),
        ] {
            assert_eq!(is_fixed(&format!("{before}{entry}"), more), wanted, "{before} {more}");
        }
    }

    #[test]
    fn what_two_values_files_set_is_not_renamed_in_one() {
        let script = "helm upgrade --install karpenter oci://public.ecr.aws/karpenter/karpenter --version 1.8.2 \\\n  \
                      -n kube-system -f base.yaml -f live.yaml\n";
        let dead = "replicaCount: 1\nsettings: { clusterName: shop, interruptionQueue: shop }\n";
        for (base, wanted) in
            [("logLevel: info\n", true), ("replicaCount: 2\nlogLevel: info\n", false)]
        {
            let files = [("install.sh", script), ("base.yaml", base), ("live.yaml", dead)];
            let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
            let outcome = lint::run(&Project::from_memory(files.to_vec()), &Config::default());
            let mut found = outcome.findings.iter().filter(|it| it.rule == "dead-chart-value");
            assert_eq!(found.next().map(|it| it.fix.is_some()), Some(wanted), "{base}");
        }
    }
}
