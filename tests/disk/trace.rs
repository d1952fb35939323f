//! What the kernel is asked for, where `strace` can be run.

use std::{fs, path::Path, process::Command};

use karplint_test_tools::found;

use super::{place, write};

/// What every program opens before it does its own work, and how many cores there are.
const OF_SYSTEM: &[&str] = &["/etc/ld.so", "/lib", "/usr/lib", "/proc", "/sys/", "/dev/null"];

/// The calls of a run; `None` where they cannot be seen.
fn traced(root: &Path, arguments: &[&str]) -> Option<Vec<String>> {
    let log = root.parent()?.join("log");
    let wanted = "trace=open,openat,openat2,creat,socket,connect,bind,execve,fork,vfork,unlink,unlinkat,rename,renameat,renameat2,link,linkat,truncate";
    let status = Command::new("strace")
        .args(["-f", "-qq", "-y", "-s", "4096", "-e", wanted, "-e", "signal=none", "-o"])
        .arg(&log)
        .arg(env!("CARGO_BIN_EXE_karplint"))
        .args(arguments)
        .current_dir(root)
        .env_remove("LD_LIBRARY_PATH")
        .output();
    let status = match status {
        Ok(output) if output.status.code().is_some_and(|it| it < 2) => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        Err(error) => Err(error.to_string()),
    };
    found("strace", status)?;
    let text = fs::read_to_string(log).unwrap();
    Some(text.lines().map(str::to_owned).collect())
}

/// The path that a call opens, whole.
fn opened(call: &str) -> Option<String> {
    let (_, arguments) = call.split_once('(')?;
    let path = arguments.split('"').nth(1)?;
    let folder = arguments.split_once('<').and_then(|(_, it)| it.split_once('>'));
    let relative = !path.starts_with('/');
    let folder = folder.filter(|_| relative && !arguments.starts_with('"'));
    Some(folder.map_or_else(|| path.to_owned(), |(it, _)| format!("{it}/{path}")))
}

#[test]
fn nothing_outside_of_the_root_is_opened() {
    let (_folder, root) = place();
    write(&root.join(".gitignore"), "*.gen.yaml\n");
    write(&root.join(".karplint.yaml"), "rules: {}\n");
    let top = root.to_string_lossy().into_owned();
    let ways: [&[&str]; 8] = [
        &["check", "--format", "sarif"],
        &["check", "--why", "do-not-disrupt-misplaced"],
        &["show", "objects"],
        &["show", "order"],
        &["show", "disruption"],
        &["check", "web.yaml", "--unsafe-fixes"],
        &["check", "--format", "html", "--output", "report.html"],
        &["baseline"],
    ];
    for arguments in ways {
        let Some(calls) = traced(&root, arguments) else { return };
        // What moves or removes something is of interest if it does.
        let failed = |it: &str| {
            it.contains(") = -1 ") && ["rename", "link"].iter().any(|name| it.contains(name))
        };
        let call =
            |it: &&String| !it.contains("<... ") && !it.contains("+++") && !failed(it.as_str());
        let mut own = 0;
        for line in calls.iter().filter(call) {
            let name = line.split_whitespace().nth(1).unwrap().split('(').next().unwrap();
            match name {
                // The program itself, once.
                "execve" => assert!(
                    line.contains("debug/karplint") || line.contains("karplint\""),
                    "{line}"
                ),
                "open" | "openat" | "openat2" | "creat" => {
                    let path = opened(line).unwrap();
                    let inside = path == top || path.starts_with(&format!("{top}/"));
                    own += usize::from(inside);
                    let system = OF_SYSTEM.iter().any(|it| path.starts_with(it));
                    assert!(inside || system, "{arguments:?}: {line}");
                }
                "rename" | "renameat" | "renameat2" | "link" | "linkat" | "unlink" | "unlinkat" => {
                    assert!(line.contains(&top), "{arguments:?}: {line}");
                }
                // A thread that ended with the process, of which no call was seen.
                "???" if line.contains("<detached") => {}
                _ => panic!("{arguments:?}: {line}"),
            }
        }
        assert_eq!(calls.iter().filter(|it| it.contains(" execve(")).count(), 1);
        assert!(own > 3, "{calls:?}");
        fs::remove_file(root.parent().unwrap().join("log")).unwrap();
    }
}
