//! Loops that uninstall every Helm release of a cluster, and so the controller as well.

use std::ops::Range;

/// The commands among some that uninstall each release that another one lists.
pub(super) fn uninstalled(text: &str, commands: &[Range<usize>]) -> Vec<Range<usize>> {
    // What holds the names of all releases, and the names of one of them in a loop.
    let (mut lists, mut each): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let mut found = Vec::new();
    for place in commands {
        let Some(command) = text.get(place.clone()) else { continue };
        let lists_all = lists_all(command) || lists.iter().any(|it| names(command, it));
        // What is done with this one release is not known.
        if command == "done" || command.starts_with("done ") || command.contains("karpenter") {
            each.clear();
        } else if lists_all {
            lists.extend(assigned(command));
            each.extend(variables(command));
            if command.contains("xargs") && uninstalls(command) {
                found.push(place.clone());
            }
        }
        if uninstalls(command) && each.iter().any(|it| names(command, it)) {
            found.push(place.clone());
        }
    }
    found
}

/// Whether a command lists the releases of all namespaces, and leaves none out.
fn lists_all(command: &str) -> bool {
    const SOME: [&str; 6] = ["grep", "--filter", " -f ", "select(", " -l ", "--selector"];
    let listed = ["helm list", "helm ls"].iter().find_map(|it| command.split_once(it));
    let is_of_all = |(_, it): (&str, &str)| {
        it.split([' ', '\t', '|', ')']).any(|it| {
            let short = it.strip_prefix('-').filter(|it| !it.starts_with('-'));
            it == "--all-namespaces" || short.is_some_and(|it| it.contains('A'))
        })
    };
    listed.is_some_and(is_of_all) && !SOME.iter().any(|it| command.contains(it))
}

fn uninstalls(command: &str) -> bool {
    ["helm uninstall", "helm delete", "helm del "].iter().any(|it| command.contains(it))
        && !command.contains("--dry-run")
}

/// The variables that a loop gives what it goes through: `while read -r name space`, `for name in …`.
fn variables(command: &str) -> Vec<&str> {
    if let Some((_, rest)) = command.split_once(" read ") {
        let rest = rest.split([';', '\n']).next().unwrap_or_default();
        return rest.split_whitespace().filter(|it| !it.starts_with('-')).collect();
    }
    let of_for = command.strip_prefix("for ").and_then(|it| it.split_whitespace().next());
    of_for.into_iter().collect()
}

/// The variable that a command gives what another one prints.
fn assigned(command: &str) -> Option<&str> {
    let words = ["export ", "local ", "readonly "];
    let bare = words.iter().find_map(|it| command.strip_prefix(it)).unwrap_or(command);
    let (name, value) = bare.split_once('=')?;
    let is_name = name.chars().all(|it| it.is_alphanumeric() || it == '_');
    (is_name && value.trim_start_matches(['"', '(']).starts_with(['$', '`'])).then_some(name)
}

/// Whether a command has a variable of that name.
fn names(command: &str, variable: &str) -> bool {
    command.split('$').skip(1).any(|it| {
        let rest = it.trim_start_matches('{').strip_prefix(variable);
        rest.is_some_and(|it| !it.starts_with(|it: char| it.is_alphanumeric() || it == '_'))
    })
}

#[cfg(test)]
mod tests {
    use super::uninstalled;
    use crate::model::command_files;

    #[test]
    fn loops_over_all_releases_are_found() {
        for (text, found) in [
            ("helm list -A --short | while read -r it; do\n  helm uninstall \"$it\"\ndone\n", true),
            (
                "helm ls --all-namespaces | while read name space; do\n  helm delete ${name} -n $space\ndone\n",
                true,
            ),
            ("for it in $(helm list -Aq); do\n  helm uninstall $it\ndone\n", true),
            ("all=$(helm list -A -q)\nfor it in $all; do\n  helm uninstall $it\ndone\n", true),
            ("helm list -A -q | xargs -L1 helm uninstall\n", true),
            // These are not all.
            ("helm list -n web -q | while read it; do\n  helm uninstall $it\ndone\n", false),
            ("helm list -A | grep web | while read it; do\n  helm uninstall $it\ndone\n", false),
            (
                "for it in $(helm list -Aq); do\n  [ $it = karpenter ] && continue\n  helm uninstall $it\ndone\n",
                false,
            ),
            ("helm list -A -q | while read it; do\n  echo $it\ndone\nhelm uninstall $it\n", false),
        ] {
            let commands = command_files::commands(text);
            assert_eq!(!uninstalled(text, &commands).is_empty(), found, "{text}");
        }
    }
}
