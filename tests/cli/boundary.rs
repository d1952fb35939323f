//! How far a project reaches: one for each repository, and no more of the disk than that.

use std::{fs, path::Path};

use tempfile::TempDir;

use super::{PLACE, TWICE, err, json, out, paths, run, write};

/// A folder in no repository, with these files; a path that ends with a slash is a folder.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        if path.ends_with('/') {
            fs::create_dir_all(folder.path().join(path)).unwrap();
        } else {
            write(folder.path(), path, text);
        }
    }
    folder
}

/// How many files each project has and how many of them were opened, as `-v` says.
fn counts(folder: &Path, arguments: &[&str]) -> Vec<String> {
    let output = run(folder, &[&["check", "-v"], arguments].concat());
    let text = err(&output);
    let counts = text.lines().filter(|it| it.ends_with(" read"));
    let top = folder.canonicalize().unwrap();
    counts.map(|it| it.replace(&*top.to_string_lossy(), "TOP")).collect()
}

/// Two repositories side by side, and a lot beside them.
fn neighbours() -> TempDir {
    folder(&[
        ("a/.git/", ""),
        ("a/main.tf", TWICE),
        ("b/.git/", ""),
        ("b/deploy/main.tf", TWICE),
        ("cache/one/main.tf", TWICE),
        ("cache/two/main.tf", TWICE),
        ("main.tf", TWICE),
    ])
}

#[test]
fn each_repository_is_a_project_and_nothing_between_them_is_opened() {
    let folder = neighbours();
    let root = folder.path();
    let expected = ["a/main.tf", "b/deploy/main.tf"];
    assert_eq!(paths(&json(root, &["a", "b"])), expected);
    assert_eq!(paths(&json(root, &["b/deploy/main.tf", "a/main.tf"])), expected);
    assert_eq!(paths(&json(&root.join("a"), &[".", "../b"])), ["main.tf", "../b/deploy/main.tf"]);
    let read = ["1 file below TOP/a, 1 read", "1 file below TOP/b, 1 read"];
    assert_eq!(counts(root, &["b", "a"]), read);
    let text = out(&run(root, &["check", "a", "b"]));
    assert!(text.contains(&format!("a/{PLACE}")), "{text}");
    assert!(text.ends_with("2 warnings in 2 files\n"), "{text}");
}

#[test]
fn a_lone_file_brings_its_own_folder_only() {
    let folder = neighbours();
    let root = folder.path();
    assert_eq!(counts(root, &["main.tf"]), ["1 file in TOP, 1 read"]);
    assert_eq!(paths(&json(root, &["main.tf"])), ["main.tf"]);
    assert_eq!(
        paths(&json(root, &["main.tf", "cache/two/main.tf"])),
        ["main.tf", "cache/two/main.tf"]
    );
    assert_eq!(counts(root, &["cache"]), ["2 files below TOP/cache, 2 read"]);
}

#[test]
fn standard_input_is_a_lone_file_too() {
    let folder = neighbours();
    let output = run(folder.path(), &["check", "-v", "-", "--stdin-path", "new.tf"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(err(&output).starts_with("2 files in "), "{}", err(&output));
}

#[test]
fn several_projects_are_one_document() {
    let folder = neighbours();
    let root = folder.path();
    let form = |format: &str, more: &[&str]| {
        out(&run(root, &[&["check", "--format", format], more].concat()))
    };
    for format in ["json", "sarif", "gitlab", "junit", "html", "text"] {
        assert_eq!(form(format, &["a", "b"]), form(format, &["b", "a"]), "{format}");
    }
    let sarif: serde_json::Value = serde_json::from_str(&form("sarif", &["a", "b"])).unwrap();
    assert_eq!(sarif["runs"].as_array().unwrap().len(), 1);
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let place = |it: &serde_json::Value| {
        let place = &it["locations"][0]["physicalLocation"]["artifactLocation"];
        place["uri"].as_str().unwrap().to_owned()
    };
    let places: Vec<String> = results.iter().map(place).collect();
    assert_eq!(places, ["a/main.tf", "b/deploy/main.tf"]);
    let github = form("github", &["a", "b"]);
    assert!(github.contains("file=b/deploy/main.tf,line=12"), "{github}");
}

#[test]
fn fixes_reach_every_project() {
    let folder = neighbours();
    let root = folder.path();
    let diff = out(&run(root, &["check", "--diff", "a", "b"]));
    assert!(diff.contains("+++ b/a/main.tf") && diff.contains("+++ b/b/deploy/main.tf"), "{diff}");
    let fixed = run(root, &["check", "--fix", "a", "b"]);
    assert_eq!(err(&fixed), "fixed 2 files: a/main.tf, b/deploy/main.tf\n");
    assert_eq!(run(root, &["check", "a", "b"]).status.code(), Some(0));
    assert_eq!(run(root, &["check", "cache"]).status.code(), Some(1));
}

#[test]
fn a_list_of_files_with_test_data_is_judged_as_the_whole() {
    let folder = folder(&[(".git/", ""), ("main.tf", TWICE), ("testdata/main.tf", TWICE)]);
    let root = folder.path();
    assert_eq!(paths(&json(root, &[])), ["main.tf"]);
    assert_eq!(paths(&json(root, &["main.tf", "testdata/main.tf"])), ["main.tf"]);
    assert_eq!(paths(&json(root, &["testdata/main.tf"])), ["testdata/main.tf"]);
}

#[test]
fn a_repository_inside_another_is_left_to_itself() {
    let folder = folder(&[
        (".git/", ""),
        ("main.tf", TWICE),
        ("vendored/.git", "gitdir: ../.git/modules/vendored"),
        ("vendored/main.tf", TWICE),
        ("vendored/deep/main.tf", TWICE),
        ("clone/.git/", ""),
        ("clone/main.tf", TWICE),
    ]);
    let root = folder.path();
    let said = json(root, &[]);
    assert_eq!(paths(&said), ["main.tf"]);
    let reason = "a repository of its own: name it to check it";
    let expected = serde_json::json!([
        {"path": "clone", "reason": reason},
        {"path": "vendored", "reason": reason},
    ]);
    assert_eq!(said["skipped"], expected);
    assert_eq!(counts(root, &[]), ["1 file below TOP, 1 read"]);
    let read = ["1 file below TOP, 1 read", "2 files below TOP/vendored, 2 read"];
    assert_eq!(counts(root, &[".", "vendored/deep"]), read);
    assert_eq!(counts(root, &["clone/main.tf"]), ["1 file below TOP/clone, 1 read"]);
}
