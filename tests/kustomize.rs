//! Kustomizations are built as `kubectl kustomize` builds them, object by object.
//!
//! Each file in `tests/kustomize/cases` holds a small repository, file after file. Where kubectl is
//! installed its answers are compared with ours; elsewhere those recorded in `golden` are. `BLESS=1`
//! records kubectl's answers anew.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a test may stop at what it did not expect, say what it skips, and read its own files"
)]

use karplint::{
    project::Project,
    resolve::kustomize::{self, Build, Kustomize, edit},
    source::{FileId, Files, SourceFile, Span},
    syntax::yaml,
    value::{Kind, Text, Value},
};
use karplint_test_tools::found;
use rayon::prelude::*;
use serde_json::{Map, Value as Json};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// A repository in one text: `-- path --` opens each file.
fn unpack(text: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        let path = line.strip_prefix("-- ").and_then(|it| it.strip_suffix(" --"));
        match (path, files.last_mut()) {
            (Some(path), _) => files.push((path.to_owned(), String::new())),
            (None, Some((_, content))) => {
                content.push_str(line);
                content.push('\n');
            }
            (None, None) => {}
        }
    }
    files
}

fn files_of(list: &[(String, String)]) -> Files {
    Files::new(list.iter().map(|(path, text)| SourceFile::new(path, text)).collect())
}

/// A value as JSON; nulls are left out, as they say nothing to Kubernetes.
fn json(value: &Value) -> Json {
    match &value.kind {
        Kind::Null => Json::Null,
        Kind::Bool(it) => Json::Bool(*it),
        Kind::Number(it) => serde_json::Number::from_f64(*it).map_or(Json::Null, Json::Number),
        Kind::List(list) => Json::Array(list.items.iter().map(json).collect()),
        Kind::Map(map) => {
            let known = map.entries.iter().filter(|it| !it.value.is_null());
            Json::Object(known.map(|it| (it.key.to_string(), json(&it.value))).collect())
        }
        Kind::String(_) | Kind::Unknown(_) => {
            Json::String(edit::text(value).unwrap_or_default().to_string())
        }
    }
}

fn sorted(mut objects: Vec<Json>) -> Vec<Json> {
    objects.sort_by_key(Json::to_string);
    objects
}

fn ours(build: &Build) -> Vec<Json> {
    sorted(build.objects.iter().map(|it| json(&it.object.value)).collect())
}

/// What kubectl builds; the error's text when it refuses.
fn theirs(folder: &Path) -> Option<Result<Vec<Json>, String>> {
    let output = Command::new("kubectl")
        .args(["kustomize", "--load-restrictor=LoadRestrictionsNone"])
        .arg(folder)
        .output()
        .ok()?;
    if !output.status.success() {
        return Some(Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    let text = String::from_utf8(output.stdout).expect("kubectl writes UTF-8");
    let whole = Span::new(FileId(0), 0, text.len());
    let documents = yaml::parse(&Text::verbatim(&*text, whole), whole);
    Some(Ok(sorted(documents.values.iter().map(json).collect())))
}

/// What differs between two lists of objects, in a few lines.
fn difference(ours: &[Json], theirs: &[Json]) -> String {
    let show = |all: &[Json]| -> String {
        all.iter().map(|it| serde_json::to_string_pretty(it).unwrap() + "\n").collect()
    };
    let (a, b) = (show(theirs), show(ours));
    let diff = similar::TextDiff::from_lines(&a, &b);
    diff.unified_diff().context_radius(6).header("kubectl", "karplint").to_string()
}

fn cases() -> Vec<(String, Vec<(String, String)>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kustomize/cases");
    let mut found: Vec<_> = fs::read_dir(folder)
        .expect("the cases are there")
        .map(|it| it.expect("readable").path())
        .map(|it| {
            let name = it.file_stem().unwrap().to_string_lossy().into_owned();
            (name, unpack(&fs::read_to_string(it).expect("UTF-8")))
        })
        .collect();
    found.sort();
    found
}

fn golden_path(case: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/kustomize/golden/{case}.json"))
}

fn write_to_disk(list: &[(String, String)], folder: &Path) {
    for (path, text) in list {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// kubectl's answers to a case by folder; null where it refuses.
fn ask_kubectl(list: &[(String, String)], built: &Kustomize) -> Option<BTreeMap<String, Json>> {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    write_to_disk(list, scratch.path());
    let answer = |build: &Build| {
        let answer = theirs(&scratch.path().join(&*build.folder))?;
        let answer = answer.map_or_else(
            |error| {
                eprintln!("kubectl refuses {}: {error}", build.folder);
                Json::Null
            },
            Json::Array,
        );
        Some((build.folder.to_string(), answer))
    };
    built.builds.par_iter().map(answer).collect()
}

/// What is wrong with a build, given what an oracle answered.
fn compare(build: &Build, answer: Option<&Json>) -> Option<String> {
    match answer {
        None => Some("no answer recorded; run with BLESS=1 where kubectl is".to_owned()),
        Some(Json::Array(expected)) => {
            let found = ours(build);
            if found != *expected {
                return Some(difference(&found, expected));
            }
            let refused = &build.refused;
            (!refused.is_empty()).then(|| format!("builds what we refuse: {refused:?}"))
        }
        Some(_) => build.refused.is_empty().then(|| "refuses what we build".to_owned()),
    }
}

/// The kustomize whose answers are recorded. Others differ in what they get wrong.
const ORACLE: &str = "v5.5.0";

fn has_oracle() -> bool {
    let output = Command::new("kubectl").args(["version", "--client"]).output();
    let is_it = output.is_ok_and(|it| String::from_utf8_lossy(&it.stdout).contains(ORACLE));
    let why = || format!("no kubectl with kustomize {ORACLE}: compared with the record only");
    found(&format!("kustomize-{ORACLE}"), is_it.then_some(()).ok_or_else(why)).is_some()
}

#[test]
fn every_overlay_is_built_as_kubectl_builds_it() {
    let bless = std::env::var_os("BLESS").is_some();
    let oracle = has_oracle();
    let (mut count, mut wrong) = (0, Vec::new());
    for (case, list) in cases() {
        let files = files_of(&list);
        let built = kustomize::build(&files);
        let asked = if oracle { ask_kubectl(&list, &built) } else { None };
        if let Some(asked) = &asked
            && bless
        {
            fs::create_dir_all(golden_path(&case).parent().unwrap()).unwrap();
            fs::write(golden_path(&case), serde_json::to_string_pretty(asked).unwrap() + "\n")
                .unwrap();
        }
        let recorded = fs::read_to_string(golden_path(&case)).unwrap_or_default();
        let recorded: Option<Map<String, Json>> = serde_json::from_str(&recorded).ok();
        for build in &built.builds {
            count += 1;
            let answers = [
                ("kubectl", asked.as_ref().map(|it| it.get(&*build.folder))),
                ("the record", Some(recorded.as_ref().and_then(|it| it.get(&*build.folder)))),
            ];
            for (oracle, answer) in answers {
                let complaint = answer.and_then(|answer| compare(build, answer));
                wrong
                    .extend(complaint.map(|it| format!("{case} {}, {oracle}: {it}", build.folder)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(count >= 60, "only {count} overlays");
}

/// Builds every kustomization below the folders named in `KUSTOMIZE_CORPUS` and says how many agree.
#[test]
#[ignore = "needs a corpus that is not part of this repository"]
fn a_corpus_agrees() {
    let corpus = std::env::var("KUSTOMIZE_CORPUS").expect("KUSTOMIZE_CORPUS names folders");
    let mut tally: BTreeMap<&str, usize> = BTreeMap::new();
    for root in corpus.split(':') {
        let project = Project::around(Path::new(root), &|_| false).expect("a folder");
        let built = kustomize::build(&project.files);
        for build in &built.builds {
            let folder = project.root.join(&*build.folder);
            let verdict = match theirs(&folder).expect("kubectl") {
                Ok(expected) if ours(build) == expected => {
                    if build.complete {
                        "same"
                    } else {
                        "same, though held incomplete"
                    }
                }
                Ok(expected) => {
                    println!(
                        "DIFFERENT {} complete={} {:?}\n{}",
                        folder.display(),
                        build.complete,
                        build.refused,
                        difference(&ours(build), &expected)
                    );
                    if build.complete { "different" } else { "different, known incomplete" }
                }
                Err(error) if build.complete => {
                    println!("REFUSED {} {error}", folder.display());
                    "refused by kubectl only"
                }
                Err(_) => "refused by kubectl, incomplete here",
            };
            *tally.entry(verdict).or_default() += 1;
        }
    }
    println!("{tally:#?}");
}
