//! The functions of shell scripts, whose commands run where they are called.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use crate::model::command_files;

/// Functions call one another at most this deep.
const DEEPEST: usize = 4;
/// Of functions that are called again so many more commands are followed: those that call each other twice make 2ⁿ.
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
/// seen to call stays where it is written, and so do all where they call one another too often.
pub(super) fn commands(text: &str) -> Vec<Range<usize>> {
    let all = command_files::commands(text);
    let functions = of(text);
    if functions.is_empty() {
        return all;
    }
    let mut by_name: HashMap<&str, usize> = HashMap::new();
    for (index, function) in functions.iter().enumerate() {
        by_name.entry(function.name).or_insert(index);
    }
    let calls: Vec<Option<usize>> =
        all.iter().map(|it| called(text.get(it.clone())?, &by_name)).collect();
    let is_called: HashSet<usize> = calls.iter().copied().flatten().collect();
    // They are in the order of their places, and none is in another.
    let around = |place: usize| {
        let at = functions.partition_point(|it| it.body.end <= place);
        functions.get(at).filter(|it| it.body.contains(&place)).map(|_| at)
    };
    let (mut own, mut bodies): (Vec<usize>, HashMap<usize, Vec<usize>>) = Default::default();
    for (index, command) in all.iter().enumerate() {
        match around(command.start).filter(|it| is_called.contains(it)) {
            Some(function) => bodies.entry(function).or_default().push(index),
            None => own.push(index),
        }
    }
    let flow = Flow { calls, bodies, most: all.len() + MOST };
    let mut found = Vec::new();
    match flow.add(&own, 0, &mut found) {
        Some(()) => found.into_iter().filter_map(|it| all.get(it).cloned()).collect(),
        None => all,
    }
}

/// How the commands of a script, by their indexes, belong together.
struct Flow {
    /// The function that each of them calls.
    calls: Vec<Option<usize>>,
    /// Those of each function.
    bodies: HashMap<usize, Vec<usize>>,
    /// How many are followed.
    most: usize,
}

impl Flow {
    /// Adds some commands and what they call; `None` where they become too many.
    fn add(&self, commands: &[usize], depth: usize, found: &mut Vec<usize>) -> Option<()> {
        for command in commands {
            // It may do more than call: `helm uninstall shop || warn`.
            found.push(*command);
            if found.len() > self.most {
                return None;
            }
            let called = self.calls[*command].filter(|_| depth < DEEPEST);
            if let Some(body) = called.and_then(|it| self.bodies.get(&it)) {
                self.add(body, depth + 1, found)?;
            }
        }
        Some(())
    }
}

/// The function that a command calls, of those by name.
fn called(command: &str, functions: &HashMap<&str, usize>) -> Option<usize> {
    const BEFORE: [&str; 6] = ["if", "then", "else", "do", "!", "time"];
    let parts = command.split([';', '&', '|', '(', ')', '{', '}', '\n']);
    let mut verbs = parts.filter_map(|it| it.split_whitespace().find(|it| !BEFORE.contains(it)));
    verbs
        .find_map(|verb| functions.get(verb).copied())
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
