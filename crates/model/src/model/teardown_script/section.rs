//! Sections of documents that tell how to destroy: what to delete first, so that Karpenter removes its nodes, and to watch
//! until they are gone.

use std::ops::Range;

use crate::model::teardown_script::step;

/// What is read of one section.
#[derive(Default)]
struct Section {
    /// How deep its heading is.
    level: usize,
    /// Whether a command deletes what the nodes are there for.
    deletes: bool,
    /// The command after it that watches the nodes go.
    watches: Option<Range<usize>>,
    /// Whether Terraform destroys.
    destroys: bool,
    /// Whether it destroys after that, by the order of the commands or by what the text says.
    is_in_order: bool,
}

impl Section {
    fn kept(self) -> Option<Range<usize>> {
        self.watches.filter(|_| self.destroys && self.is_in_order)
    }

    fn read(&mut self, line: &str, place: Range<usize>) {
        let lower = line.to_ascii_lowercase();
        if step::destroy(line, &lower).is_some() {
            self.destroys = true;
            self.is_in_order |= self.watches.is_some();
        } else if watches_nodes(&lower) {
            if self.deletes && self.watches.is_none() {
                self.watches = Some(place);
            }
        } else if lower.contains("kubectl delete") {
            self.deletes |= step::deletes_load(&lower);
        } else {
            self.is_in_order |= ["node", "before", "destroy"].iter().all(|it| lower.contains(it));
        }
    }
}

/// The command of a document after which the nodes are gone, in a section that also destroys: before it, or as the text
/// says (`ensure that all nodes are terminated before destroying`).
pub(super) fn that_waits(text: &str) -> Option<Range<usize>> {
    let (mut section, mut in_code) = (Section::default(), false);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        // Notes are often quoted, with their commands.
        let code = line.trim_start_matches(['>', ' ', '\t']);
        let place = start + line.len() - code.len();
        let code = code.trim_end();
        if code.starts_with("```") || code.starts_with("~~~") {
            in_code = !in_code;
            continue;
        }
        let level = code.bytes().take_while(|it| *it == b'#').count();
        if in_code || level == 0 {
            section.read(code, place..place + code.len());
        } else if section.level < 2 || level <= section.level {
            // The title is over all; what is below another heading belongs to it.
            let last = std::mem::replace(&mut section, Section { level, ..Section::default() });
            if let Some(kept) = last.kept() {
                return Some(kept);
            }
        }
    }
    section.kept()
}

/// Whether a line tells a reader to wait until nodes are gone: `# wait for the nodes to terminate`.
pub(super) fn tells_to_wait(line: &str) -> bool {
    // What waits for a node or an instance to be there has no such word.
    const GONE: [&str; 5] = ["terminat", "gone", "drain", "removed", "deleted"];
    const NOT: [&str; 4] = ["not wait", "n't wait", "without wait", "-wait"];
    let lower = line.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|it| lower.contains(it));
    lower.contains("wait") && has(&["node", "instance"]) && has(&GONE) && !has(&NOT)
}

/// Whether a command shows the nodes until they are gone.
fn watches_nodes(command: &str) -> bool {
    let Some((before, kubectl)) = command.split_once("kubectl ") else { return false };
    let is_watched = before.trim_end().ends_with("watch")
        || kubectl.split_whitespace().any(|it| it == "-w" || it.starts_with("--watch"));
    let shows = kubectl.starts_with("get ") && is_watched;
    let waits = kubectl.starts_with("wait ") && kubectl.contains("--for=delete");
    kubectl.contains("node") && (shows || waits)
}

#[cfg(test)]
mod tests {
    use super::that_waits;

    #[test]
    fn sections_that_wait_for_nodes_are_found() {
        const FIRST: &str =
            "kubectl delete deployments --all\nkubectl get nodes -w # until all are gone\n";
        const DESTROY: &str = "```\n# all of it\nterragrunt run-all destroy\n```\n";
        const BEFORE: &str = "> Ensure that the nodes are gone before destroying:\n";
        let quoted = FIRST.replace("kubectl", "> kubectl");
        let second = "> kubectl get nodes -w # until all are gone";
        for (text, wanted) in [
            (format!("# A\n## Destroy\n{FIRST}{DESTROY}"), Some(&second[2..])),
            (format!("# A\n## Destroy\n{DESTROY}{BEFORE}{quoted}## Then\n"), Some(&second[2..])),
            (format!("## Destroy\n### First\n{FIRST}### Then\n{DESTROY}"), Some(&second[2..])),
            // Nothing says that it is first.
            (format!("## Destroy\n{DESTROY}{FIRST}"), None),
            // That is a demonstration.
            (format!("# A\n## Try\n{FIRST}## Destroy\n{DESTROY}"), None),
            (format!("## Destroy\nkubectl get nodes -w\n{DESTROY}"), None),
            (format!("## Destroy\nkubectl delete deployments --all\n{DESTROY}"), None),
        ] {
            let found = that_waits(&text).and_then(|it| text.get(it));
            assert_eq!(found, wanted, "{text}");
        }
    }
}
