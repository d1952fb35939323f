//! The lines of commands and of code in which paths are named.

/// Commands that apply objects, and what leads to them.
const COMMANDS: &[&str] = &["kubectl", "kustomize", "flux ", "argocd ", "helm ", "oc apply", "cd "];
/// What ends a word of a line.
const ENDS: [char; 17] =
    [' ', '\t', '"', '\'', '`', '(', ')', ',', '=', ':', ';', '[', ']', '<', '>', '|', '&'];
/// What follows `-f` and its like in them.
pub(super) const PATH_FLAGS: &[&str] = &["-k", "-f", "--kustomize", "--filename", "cd"];

/// The words of a line.
pub(super) fn tokens(line: &str) -> impl Iterator<Item = &str> {
    line.split(ENDS).filter(|it| !it.is_empty())
}

/// Whether a line has a command that applies objects, or leads to one.
pub(super) fn is_command(line: &str) -> bool {
    has_any(line, COMMANDS)
}

/// Whether a line has one of some words.
pub(super) fn has_any(line: &str, words: &[&str]) -> bool {
    words.iter().any(|it| line.contains(it))
}
