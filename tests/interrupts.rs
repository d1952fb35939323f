//! A run that writes and is asked to end: no file is half written, and nothing is left over beside them.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "a test writes its own files")]

use std::{
    collections::BTreeSet,
    fs,
    os::unix::process::ExitStatusExt,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

const OLD: &str = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata:\n  name: a\nspec:\n  disruption:\n    consolidationPolicy: WhenUnderutilized\n";
const FILES: usize = 60;

#[test]
fn a_signal_leaves_whole_files_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    let mut ends = BTreeSet::new();
    for attempt in 0..12_u64 {
        for at in 0..FILES {
            fs::write(
                folder.path().join(format!("f{at}.yaml")),
                OLD.replace("name: a", &format!("name: a{at}")),
            )
            .unwrap();
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_karplint"));
        command
            .args(["check", "--fix", "--only", "invalid-karpenter-resource", "."])
            .current_dir(folder.path());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // When the first is written, or somewhat before.
        let old = fs::read(folder.path().join("f0.yaml")).unwrap();
        for _ in 0..3000 {
            let is_old = fs::read(folder.path().join("f0.yaml")).unwrap() == old;
            if !is_old || child.try_wait().unwrap().is_some() || attempt % 4 == 3 {
                break;
            }
            thread::sleep(Duration::from_millis(1));
        }
        let signal = if attempt % 2 == 0 { "-INT" } else { "-TERM" };
        let _ = Command::new("kill").args([signal, &child.id().to_string()]).status();
        let status = child.wait().unwrap();
        ends.insert(status.signal().map_or_else(|| status.code().unwrap(), |it| 128 + it));
        let names: BTreeSet<String> = fs::read_dir(folder.path())
            .unwrap()
            .map(|it| it.unwrap().file_name().into_string().unwrap())
            .collect();
        let expected: BTreeSet<String> =
            (0..FILES).map(|it| format!("f{it}.yaml")).chain([".git".to_owned()]).collect();
        assert_eq!(names, expected);
        for at in 0..FILES {
            let text = fs::read_to_string(folder.path().join(format!("f{at}.yaml"))).unwrap();
            assert!(text.contains(&format!("name: a{at}\n")) && text.ends_with('\n'), "{text}");
        }
    }
    // As the shell sees it: done, or ended by the signal.
    assert!(ends.iter().all(|it| [0, 1, 130, 143].contains(it)), "{ends:?}");
}
