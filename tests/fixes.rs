//! Every fix of every fixture and page, one by one: its finding goes, none comes, and nothing else
//! changes.

#![expect(clippy::disallowed_methods, reason = "fixtures are read from the disk")]
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
};

use karplint::{
    config::Config,
    findings::{Edit, Finding, Safety},
    fix, lint,
    project::Project,
    resolve::terraform::{self, Options},
    rules,
    source::{FileId, Files, Span},
    syntax::{json, yaml},
    value::{Kind, Text, Value},
};
use rayon::prelude::*;

use crate::pages::examples::examples;

/// A small repository.
struct Case {
    name: String,
    files: Vec<(String, String)>,
    /// Only this rule runs.
    rule: Option<&'static str>,
}

impl Case {
    fn lint(&self, files: Vec<(String, String)>) -> (Project, Vec<Finding>) {
        let project = Project::from_memory(files);
        let found = lint::run(&project, &Config::default()).findings;
        let wanted = |it: &Finding| self.rule.is_none_or(|rule| it.rule == rule);
        (project, found.into_iter().filter(wanted).collect())
    }
}

/// All files below a folder, with their paths inside it.
fn read(folder: &Path, inside: &str, found: &mut Vec<(String, String)>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|it| it.unwrap()).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().into_string().unwrap();
        let path = if inside.is_empty() { name } else { format!("{inside}/{name}") };
        if entry.path().is_dir() {
            read(&entry.path(), &path, found);
        } else if path != "marks" {
            found.push((path, fs::read_to_string(entry.path()).unwrap()));
        }
    }
}

fn cases() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let fixtures = fs::read_dir(root).unwrap().map(|it| it.unwrap()).map(|entry| {
        let mut files = Vec::new();
        read(&entry.path(), "", &mut files);
        Case { name: entry.file_name().into_string().unwrap(), files, rule: None }
    });
    let pages = rules::pages().flat_map(|page| {
        examples(page.body, "Bad").into_iter().map(|it| Case {
            name: format!("{}/{}", page.name, it.title),
            files: it.files(),
            rule: Some(page.name),
        })
    });
    let mut all: Vec<_> = fixtures.chain(pages).collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

/// What is true once a fix is made, and was not before.
const CONSEQUENCES: &[(&str, &str, &str)] = &[
    ("do-not-disrupt-misplaced", "endless-drain", "now the pods are protected"),
    ("chart-version-prefix", "known-bad-release", "now the release is one that exists"),
    ("retired-karpenter-api", "latest-ami-alias", "what a family meant is written now"),
    ("retired-karpenter-api", "consolidate-after-too-short", "what a policy meant is written now"),
];

/// What a finding says, without its place.
fn said(project: &Project, finding: &Finding) -> (String, String) {
    let path = project.files.get(finding.span.file).path().to_owned();
    (path, format!("{}: {}", finding.rule, finding.message))
}

#[test]
fn a_fix_mends_its_finding_and_nothing_else() {
    let wrong: Vec<String> = cases().par_iter().flat_map_iter(wrongs).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What the fixes of a case do wrong.
fn wrongs(case: &Case) -> Vec<String> {
    let (project, before) = case.lint(case.files.clone());
    let mut wrong = Vec::new();
    let mut tried: Vec<&[Edit]> = Vec::new();
    for finding in &before {
        let Some(fix) = &finding.fix else { continue };
        // The instances of a block share a fix.
        if tried.contains(&&*fix.edits) {
            continue;
        }
        tried.push(&fix.edits);
        let what = said(&project, finding);
        let mut say = |text: String| {
            wrong.push(format!("{}/{}: {} ({}) {text}", case.name, what.0, what.1, fix.title));
        };
        let files = applied(&project, &case.files, finding);
        if files == case.files {
            say("changes nothing".to_owned());
            continue;
        }
        let (fixed, after) = case.lint(files.clone());
        let count = |project: &Project, found: &[Finding], it: &(String, String)| {
            found.iter().filter(|other| said(project, other) == *it).count()
        };
        if count(&fixed, &after, &what) >= count(&project, &before, &what) {
            say("leaves its finding".to_owned());
        }
        for other in &after {
            let follows = |it: &&(&str, &str, &str)| (it.0, it.1) == (finding.rule, other.rule);
            if CONSEQUENCES.iter().any(|it| follows(&it)) {
                continue;
            }
            let other = said(&fixed, other);
            if count(&fixed, &after, &other) > count(&project, &before, &other) {
                say(format!("brings {}: {}", other.0, other.1));
            }
        }
        for change in unwanted(&case.files, &files, &project, &fix.edits) {
            say(change);
        }
    }
    wrong
}

/// The files after the fix of one finding.
fn applied(
    project: &Project,
    files: &[(String, String)],
    finding: &Finding,
) -> Vec<(String, String)> {
    let changed = fix::apply(&project.files, [finding], Safety::Unsafe);
    let mut files = files.to_vec();
    for (id, text) in changed {
        let path = project.files.get(id).path();
        files.iter_mut().find(|(it, _)| it == path).unwrap().1 = text;
    }
    files
}

/// A value that holds no other, and all the text that says where and what it is.
struct Leaf {
    /// By the keys that lead to it.
    path: String,
    text: String,
    spans: Vec<Span>,
}

/// What changed although no edit touches it.
fn unwanted(
    before: &[(String, String)],
    after: &[(String, String)],
    project: &Project,
    edits: &[Edit],
) -> Vec<String> {
    let mut wrong = Vec::new();
    for ((path, old), (_, new)) in before.iter().zip(after).filter(|(a, b)| a != b) {
        let mut edits: Vec<&Edit> =
            edits.iter().filter(|it| project.files.get(it.span.file).path() == path).collect();
        edits.sort_by_key(|it| (it.span.start, it.span.end));
        let cut: Vec<(usize, usize)> =
            edits.iter().map(|it| (it.span.start as usize, it.span.end as usize)).collect();
        let (mut added, mut removed) = (0, 0);
        let mut written = Vec::new();
        for edit in &edits {
            let start = edit.span.start as usize + added - removed;
            written.push((start, start + edit.text.len()));
            added += edit.text.len();
            removed += edit.span.range().len();
        }
        let (old, new) = (leaves(path, old), leaves(path, new));
        for (from, into, touched, verb) in
            [(&old, &new, &cut, "loses"), (&new, &old, &written, "brings")]
        {
            for (key, leaf) in from {
                let same = into.get(key).is_some_and(|it| it.text == leaf.text);
                let inside = |span: &Span| {
                    let (start, end) = (span.start as usize, span.end as usize);
                    touched.iter().any(|it| it.0 < end.max(start + 1) && start < it.1.max(it.0 + 1))
                };
                if !same && !leaf.spans.iter().any(inside) {
                    wrong.push(format!("{verb} {} = {}", leaf.path, leaf.text));
                }
            }
        }
    }
    wrong
}

/// The leaves of a file by their paths.
fn leaves(path: &str, text: &str) -> BTreeMap<String, Leaf> {
    let file = karplint::source::SourceFile::new(path, text);
    let files = Files::new(vec![file]);
    let whole = Span::new(FileId(0), 0, text.len());
    let written = Text::verbatim(text, whole);
    let mut found = Vec::new();
    match path.rsplit('.').next() {
        Some("yaml" | "yml") => {
            for (index, value) in yaml::parse(&written, whole).values.iter().enumerate() {
                flatten(value, &format!("{index}"), &[], &mut found);
            }
        }
        Some("json") if !path.ends_with(".tf.json") => {
            for value in &json::parse(&written, whole).values {
                flatten(value, "", &[], &mut found);
            }
        }
        _ => {
            let terraform = terraform::resolve(&files, &Options::default());
            for object in terraform.roots.iter().flat_map(|it| &it.objects) {
                flatten(&object.body, &object.address, &[], &mut found);
            }
        }
    }
    found.into_iter().map(|it| (it.path.clone(), it)).collect()
}

fn flatten(value: &Value, path: &str, outer: &[Span], found: &mut Vec<Leaf>) {
    let spans: Vec<Span> = outer.iter().copied().chain([value.span]).collect();
    let leaf = |text: String| Leaf { path: path.to_owned(), text, spans: spans.clone() };
    match &value.kind {
        Kind::Map(map) if !map.entries.is_empty() => {
            for entry in &map.entries {
                let outer: Vec<Span> = outer.iter().copied().chain([entry.key_span]).collect();
                flatten(&entry.value, &format!("{path}.{}", entry.key), &outer, found);
            }
        }
        Kind::List(list) if !list.items.is_empty() => {
            for (index, item) in list.items.iter().enumerate() {
                flatten(item, &format!("{path}[{index}]"), outer, found);
            }
        }
        // A document inside a text.
        Kind::String(text) if text.text.contains(['\n', '{']) => match &text.encodes {
            Some(value) => flatten(value, path, outer, found),
            None => {
                for (index, inner) in yaml::parse(text, value.span).values.iter().enumerate() {
                    match &inner.kind {
                        Kind::Map(_) => flatten(inner, &format!("{path}<{index}>"), outer, found),
                        _ => found.push(leaf(text.text.to_string())),
                    }
                }
            }
        },
        Kind::String(text) => found.push(leaf(text.text.to_string())),
        Kind::Null => {}
        kind => found.push(leaf(format!("{kind:?}"))),
    }
}

/// Rules with a fix wherever the place can be written, and where it cannot: why.
const EVERYWHERE: &[(&str, &[(&str, &str)])] = &[
    (
        "chart-version-prefix",
        &[("chart-versions-bad/terraform/main.tf:11", "an alarm reads it, too")],
    ),
    (
        "controller-taint-untolerated",
        &[
            ("text-that-serves-others/argo/charts.yaml:9", "the set makes other charts, too"),
            ("text-that-serves-others/argo/charts.yaml:11", "the set makes other charts, too"),
            ("text-that-serves-others/terraform/main.tf:42", "it is a taint, too"),
            ("text-that-serves-others/terraform/main.tf:46", "its values are merged"),
            (
                "three-environments-one-base/base/karpenter.yaml:32",
                "another overlay builds it, too",
            ),
        ],
    ),
    (
        "crd-order-undeclared",
        &[
            ("argo-overlays/apps/base/karpenter-crd.yaml:4", "another overlay builds it, too"),
            ("both-charts-in-one-loop/main.tf:18", "one block makes both"),
            ("flux-overlays/infrastructure/base/karpenter.yaml:25", "a patch takes the order away"),
        ],
    ),
    (
        "crd-version-mismatch",
        &[
            ("argo-applicationset/literal/karpenter.yaml:24", "clusters differ in what they want"),
            (
                "flux-overlays/infrastructure/base/karpenter.yaml:19",
                "another overlay builds it, too",
            ),
        ],
    ),
    (
        "crds-not-skipped",
        &[
            ("gitops-forms/anchors/applications.yaml:14", "an alias repeats it"),
            ("one-module-for-charts/modules/chart/main.tf:21", "the module installs other charts"),
            ("text-that-serves-others/flux/kustomization.yaml:13", "the patch is for all releases"),
        ],
    ),
    (
        "disruption-taint-untolerated",
        &[
            ("article-5-disruption-taint-bad/charts.tf:41", "set item by item"),
            ("text-that-serves-others/argo/agents.yaml:31", "an alias repeats it"),
            ("text-that-serves-others/argo/set.yaml:22", "the set makes another chart, too"),
            ("text-that-serves-others/helmfile/agents.yaml:1", "another chart reads it, too"),
            ("text-that-serves-others/terraform/agent/main.tf:12", "another call has that default"),
            ("gitops-forms/anchors/cilium.yaml:16", "stale-disruption-toleration mends it"),
            (
                "karpenter-before-v1/agents/ebs-csi-node.yaml:16",
                "stale-disruption-toleration mends it",
            ),
            (
                "three-environments-two-surfaces/environments/prod/flux/cilium.yaml:16",
                "stale-disruption-toleration mends it",
            ),
            ("gitops-corners/old-charts/drivers.yaml:26", "a parameter changes the list"),
        ],
    ),
    (
        "do-not-disrupt-misplaced",
        &[
            ("annotations-not-to-be-moved/base/encoder.yaml:12", "the selector asks for it"),
            ("annotations-not-to-be-moved/base/encoder.yaml:21", "an alias shares it"),
            ("annotations-not-to-be-moved/prod/player.yaml:7", "a patch brings it"),
        ],
    ),
    (
        "endless-drain",
        &[
            ("drains-bad/stages/base/pool.yaml:4", "another overlay builds it, too"),
            ("drains-of-v1beta1/on-1-0/pool.yaml:4", "v1beta1 has no such field"),
        ],
    ),
    (
        "retired-karpenter-api",
        &[
            ("migration-to-v1/apps/base/pools.yaml:4", "Ubuntu has no alias"),
            ("migration-to-v1/apps/base/pools.yaml:18", "a patch names its version"),
            ("migration-to-v1/apps/overlays/west/pool.yaml:1", "patches name its version"),
            ("migration-to-v1/infra/pools.tf:84", "its kubelet would go to a shared class"),
            ("migration-to-v1/json/provisioner.yaml:2", "another kind takes its place"),
            ("migration-to-v1/json/provisioner.yaml:11", "another kind takes its place"),
        ],
    ),
    ("retired-pod-annotation", &[]),
    (
        "stale-disruption-toleration",
        &[
            ("tolerations-after-upgrade/clusters/report.yaml:15", "these pods should be drained"),
            ("tolerations-after-upgrade/flux/cilium.yaml:18", "these pods should be drained"),
        ],
    ),
];

#[test]
fn what_names_a_fix_offers_one() {
    let mut wrong = Vec::new();
    let mut unmet: Vec<&str> =
        EVERYWHERE.iter().flat_map(|(_, but)| but.iter().map(|it| it.0)).collect();
    for case in cases() {
        let (project, found) = case.lint(case.files.clone());
        for finding in found.iter().filter(|it| it.fix.is_none()) {
            let Some((_, but)) = EVERYWHERE.iter().find(|it| it.0 == finding.rule) else {
                continue;
            };
            let (path, what) = said(&project, finding);
            let line = project.files.get(finding.span.file).line_of(finding.span.start as usize);
            let place = format!("{}/{path}:{}", case.name, line + 1);
            unmet.retain(|it| *it != place);
            if !but.iter().any(|it| it.0 == place) {
                wrong.push(format!("{place}: {what}"));
            }
        }
    }
    assert!(wrong.is_empty(), "without a fix:\n{}", wrong.join("\n"));
    assert!(unmet.is_empty(), "these have a fix now:\n{}", unmet.join("\n"));
}

/// The files after all fixes, round after round.
fn mended(case: &Case, mut files: Vec<(String, String)>) -> Vec<(String, String)> {
    for _ in 0..10 {
        let (project, found) = case.lint(files.clone());
        let changed = fix::apply(&project.files, &found, Safety::Unsafe);
        if changed.is_empty() {
            break;
        }
        for (id, text) in changed {
            let path = project.files.get(id).path();
            files.iter_mut().find(|(it, _)| it == path).unwrap().1 = text;
        }
    }
    files
}

/// The files that `terraform fmt` would change; `None` where there is no terraform.
fn ill_formatted(files: &[(String, String)]) -> Option<BTreeSet<String>> {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        fs::write(folder.path().join(path), text).unwrap();
    }
    let mut terraform = Command::new("terraform");
    let output = terraform.args(["fmt", "-check", "-list=true"]).current_dir(&folder).output();
    let said = String::from_utf8(output.ok()?.stdout).unwrap();
    Some(said.lines().map(str::to_owned).collect())
}

#[test]
fn what_is_well_formatted_stays_so() {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for case in cases().into_iter().filter(|it| it.rule.is_none() && it.name != "broken-files") {
        // Marks are comments, and comments are aligned, too.
        let plain = |text: &str| {
            let line = |it: &str| it.split(" #~").next().unwrap_or(it).trim_end().to_owned();
            text.lines().map(line).collect::<Vec<_>>().join("\n") + "\n"
        };
        let files: Vec<_> =
            case.files.iter().map(|(path, text)| (path.clone(), plain(text))).collect();
        let mended = mended(&case, files.clone());
        for ((path, old), (_, new)) in files.iter().zip(&mended).filter(|(old, new)| old != new) {
            if path.rsplit('.').next() == Some("tf") {
                let name = format!("{}-{}", case.name, path.replace('/', "-"));
                before.push((name.clone(), old.clone()));
                after.push((name, new.clone()));
            }
        }
    }
    let Some(ill) = ill_formatted(&before) else {
        println!("skipped: `terraform fmt` has no say, for want of terraform");
        return;
    };
    assert!(before.len() > 20 && ill.len() < before.len() / 2, "{} of {}", ill.len(), before.len());
    let worse: Vec<_> = ill_formatted(&after).unwrap().difference(&ill).cloned().collect();
    // What was inside another mapping there comes among attributes it was not aligned with.
    assert_eq!(
        worse,
        ["values-without-effect-renamed-main.tf"],
        "terraform fmt would change these"
    );
}
