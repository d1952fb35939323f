//! Pods that do nothing but wait until somebody opens a shell in them, or write a line or the time as samples of volumes do.

use crate::{
    model::workload::{Workload, WorkloadKind},
    value::{Field, Value},
};

/// How a shell is told its script.
const SHELLS: &[&str] = &["sh", "bash", "ash", "dash"];
/// What a script may say beside waiting.
const ASIDE: &[&str] =
    &["trap", "wait", "echo", "printf", "date", "hostname", "mkdir", "done", "true", ":", "set"];
/// By what a script shows what is mounted, as long as it writes it nowhere.
const LOOKS: &[&str] = &["cat", "df", "head", "ls", "mount", "stat"];
/// How a script asks for the time, and for the name of its pod.
const ASKED: &[(&str, char)] = &[
    ("$(date", ')'),
    ("`date", '`'),
    ("$(hostname", ')'),
    ("`hostname", '`'),
    ("${HOSTNAME", '}'),
];
/// The variable with the name of the pod.
const NAME: &str = "$HOSTNAME";

impl Workload {
    /// Whether it is a pod, or makes pods, whose containers all only wait, or write a line or the time: it is there for a look at
    /// what they mount.
    #[must_use]
    pub fn only_waits(&self) -> bool {
        use WorkloadKind::{Deployment, Pod, StatefulSet};
        let containers = self.pod_spec.as_ref().and_then(|it| it.get("containers").present());
        let containers = containers.map_or(&[][..], Value::items);
        matches!(self.kind, Pod | Deployment | StatefulSet)
            && !containers.is_empty()
            && containers.iter().all(|it| words(it).is_some_and(|it| is_waiting(&it)))
    }
}

/// The command of a container with its arguments; `None` where they are not known, or the image has its own.
fn words(container: &Value) -> Option<Vec<&str>> {
    let command = container.get("command").present()?.as_list()?;
    let arguments = match container.get("args") {
        Field::Missing => None,
        field => Some(field.present()?.as_list()?),
    };
    let lists = [Some(command), arguments].into_iter().flatten();
    let known = lists.clone().all(|it| it.rest.is_none());
    lists.filter(|_| known).flat_map(|it| &it.items).map(Value::as_str).collect()
}

fn is_waiting(words: &[&str]) -> bool {
    let name = |it: &&str| it.rsplit('/').next().map(str::to_owned);
    let first = words.first().and_then(name).unwrap_or_default();
    match words {
        [_, flags, script] if SHELLS.contains(&&*first) && flags.starts_with('-') => {
            flags.ends_with('c') && is_waiting_script(script)
        }
        _ => is_wait(&first, words.get(1..).unwrap_or_default()),
    }
}

fn is_wait(command: &str, arguments: &[&str]) -> bool {
    match command {
        "sleep" => !arguments.is_empty(),
        "tail" => arguments.last() == Some(&"/dev/null"),
        _ => false,
    }
}

/// A script without what asks for the time and the name of the pod.
fn without_asking(script: &str) -> String {
    let mut left = script.replace(NAME, "");
    for (open, close) in ASKED {
        while let Some(start) = left.find(open) {
            let Some(length) = left[start + open.len()..].find(*close) else { break };
            left.replace_range(start..=start + open.len() + length, "");
        }
    }
    left
}

/// Whether a script waits, alone or in a loop, and does nothing beside but write a line or the time.
fn is_waiting_script(script: &str) -> bool {
    let script = without_asking(script);
    if script.contains(['|', '<', '$', '`', '(']) {
        return false;
    }
    let mut waits = false;
    let mut statements = script.split([';', '&', '\n']).filter(|it| !it.trim().is_empty());
    statements.all(|statement| {
        let words = statement.split_whitespace();
        let words: Vec<&str> =
            words.skip_while(|it| ["while", "until", "do", "exec"].contains(it)).collect();
        let Some((command, arguments)) = words.split_first() else { return true };
        let is_wait = is_wait(command, arguments);
        waits |= is_wait;
        let looks = LOOKS.contains(command) && !statement.contains('>');
        is_wait || looks || ASIDE.contains(command)
    }) && waits
}

#[cfg(test)]
mod tests {
    use super::is_waiting;

    #[test]
    fn what_only_waits_is_told_from_what_works() {
        for (words, wanted) in [
            (&["sleep", "infinity"][..], true),
            (&["/bin/sleep", "3600"], true),
            (&["tail", "-f", "/dev/null"], true),
            (&["sh", "-c", "while true; do sleep 30; done"], true),
            (&["/bin/bash", "-ec", "trap : TERM INT; sleep infinity & wait"], true),
            (&["sh", "-c", "echo ready\nexec tail -f /dev/null"], true),
            (&["sh", "-c", "sleep 5; ./serve"], false),
            (&["sh", "-c", "while true; do date > /data/now; sleep 5; done"], true),
            (&["sh", "-c", "while true; do echo $(date -u) >> /data/out; sleep 5; done"], true),
            (&["sh", "-c", "while true; do echo `date` >> /data/out; sleep 5; done"], true),
            (&["sh", "-c", "echo $(hostname) >> /data/out; sleep 5"], true),
            (&["sh", "-c", "echo \"$HOSTNAME at `date`\" >> /data/out; sleep 5"], true),
            (&["sh", "-c", "echo $(serve) > /data/out; sleep 5"], false),
            (&["sh", "-c", "echo $ORDER > /data/out; sleep 5"], false),
            (&["sh", "-c", "cat /data/a > /data/b; sleep 5"], false),
            (&["sh", "-c", "cat /data/a && ls -l /data && sleep infinity"], true),
            (&["sh", "-c", "echo $(date; sleep 5"], false),
            (&["sh", "-c", "echo done"], false),
            (&["tail", "-f", "/var/log/app.log"], false),
            (&["serve"], false),
            (&[], false),
        ] {
            assert_eq!(is_waiting(words), wanted, "{words:?}");
        }
    }
}
