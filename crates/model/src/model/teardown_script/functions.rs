//! The functions of shell scripts, whose commands run where they are called.

use std::ops::Range;

use crate::model::command_files;

/// Functions call one another at most this deep.
const DEEPEST: usize = 4;
/// More commands than these are not followed: functions that call each other twice make 2ⁿ of them.
const MOST: usize = 2_000;

/// A function that a script defines.
#[derive(Debug)]
pub(super) struct Function<'t> {
    /// Its name.
    pub name: &'t str,
    /// Its commands.
    pub body: Range<usize>,
}

/// The functions of a script.
pub(super) fn of(text: &str) -> Vec<Function<'_>> {
    let mut found: Vec<Function<'_>> = Vec::new();
    // The name, the indentation and the end of the header of the one that is open.
    let mut open: Option<(&str, usize, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let code = line.trim_start();
        let depth = line.len() - code.len();
        match open {
            Some((name, outer, body)) if depth == outer && code.starts_with('}') => {
                found.push(Function { name, body: body..start });
                open = None;
            }
            Some(_) => {}
            None => {
                let Some((name, rest)) = header(code) else { continue };
                let begin = start + line.len() - rest.len();
                match rest.trim_end().strip_suffix('}') {
                    Some(inner) => {
                        let body = begin..begin + inner.len();
                        found.push(Function { name, body });
                    }
                    None => open = Some((name, depth, begin)),
                }
            }
        }
    }
    found
}

/// The name of a function that a line begins, and what follows its brace: `down() {`, `function down {`.
fn header(code: &str) -> Option<(&str, &str)> {
    let named = code.strip_prefix("function ").map(str::trim_start);
    let rest = named.unwrap_or(code);
    let end = rest.find(|it: char| !(it.is_alphanumeric() || matches!(it, '_' | '-')))?;
    let (name, rest) = rest.split_at(end);
    let rest = rest.trim_start();
    let brackets = rest.strip_prefix("()").map(str::trim_start);
    let body = brackets.or(named.map(|_| rest))?.strip_prefix('{')?;
    (!name.is_empty()).then_some((name, body))
}

/// The commands of a script in the order in which they run: those of a function where it is called. One that nothing is
/// seen to call stays where it is written.
pub(super) fn commands(text: &str) -> Vec<Range<usize>> {
    let all = command_files::commands(text);
    let functions = of(text);
    if functions.is_empty() {
        return all;
    }
    let named: Vec<Option<usize>> =
        all.iter().map(|it| called(text.get(it.clone())?, &functions)).collect();
    let is_inside = |at: usize| {
        let place = all.get(at).map_or(0, |it| it.start);
        functions.iter().position(|it| it.body.contains(&place))
    };
    let flow = Flow { inside: (0..all.len()).map(is_inside).collect(), all, named };
    let mut found = Vec::new();
    flow.add(None, 0, &mut found);
    found
}

/// The commands of a script, and how they belong together.
struct Flow {
    all: Vec<Range<usize>>,
    /// The function that each command is in.
    inside: Vec<Option<usize>>,
    /// The function that each command calls.
    named: Vec<Option<usize>>,
}

impl Flow {
    /// Adds what a function runs, or else the script.
    fn add(&self, function: Option<usize>, depth: usize, found: &mut Vec<Range<usize>>) {
        for (at, command) in self.all.iter().enumerate() {
            let own = self.inside[at];
            let is_uncalled = own.is_some_and(|it| !self.named.contains(&Some(it)));
            let is_here = own == function || (function.is_none() && is_uncalled);
            if !is_here || found.len() >= MOST {
                continue;
            }
            // It may do more than call: `helm uninstall shop || warn`.
            found.push(command.clone());
            if let Some(called) = self.named[at].filter(|_| depth < DEEPEST) {
                self.add(Some(called), depth + 1, found);
            }
        }
    }
}

/// The function that a command calls.
fn called(command: &str, functions: &[Function<'_>]) -> Option<usize> {
    const BEFORE: [&str; 6] = ["if", "then", "else", "do", "!", "time"];
    let parts = command.split([';', '&', '|', '(', ')', '{', '}', '\n']);
    let mut verbs = parts.filter_map(|it| it.split_whitespace().find(|it| !BEFORE.contains(it)));
    verbs
        .find_map(|verb| functions.iter().position(|it| it.name == verb))
        // The line that defines it names it, too.
        .filter(|_| header(command).is_none())
}

#[cfg(test)]
mod tests {
    use super::commands;

    #[test]
    fn commands_of_functions_run_where_they_are_called() {
        for (text, wanted) in [
            ("a() {\n  one\n}\ntwo\na\nthree\n", "a() { } two a one three"),
            ("function a {\n  one\n}\ntwo\nif a; then\n", "function a { } two if a; then one"),
            (
                "case $1 in\n  up) up ;;\nesac\nup() {\n  one\n}\n",
                "case $1 in up) up ;; one esac up() { }",
            ),
            ("main() {\n  a\n  b\n}\na() {\n  one\n}\nmain\n", "main() { } a() { } main a one b"),
            // Something else may call it: a trap.
            ("a() {\n  one\n}\ntrap a EXIT\n", "a() { one } trap a EXIT"),
            ("a() {\n  a\n  one\n}\ntwo\n", "a() { } two"),
        ] {
            let found: Vec<&str> =
                commands(text).into_iter().filter_map(|it| text.get(it)).collect();
            assert_eq!(found.join(" "), wanted, "{text}");
        }
    }
}
