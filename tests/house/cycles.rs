//! No file uses another that uses it, directly or through more files.

use std::collections::{BTreeMap, BTreeSet};

use super::sources;

/// Modules whose files still use each other, and how many files at most. It can only shrink.
const KNOWN: &[(&str, usize)] = &[];

/// Files that list their own modules, each of which uses a type of the list: it is no use of what they do.
const LISTS: &[&str] = &["rules"];

/// What each module uses, by the names of the files' modules: `resolve::kustomize::layout`.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// A text without comments, and without what is only compiled for tests.
fn without_tests(text: &str) -> String {
    let code = |line: &str| line.split("//").next().unwrap_or_default().to_owned() + "\n";
    let mut rest: &str = &text.lines().map(code).collect::<String>();
    let mut kept = String::new();
    while let Some((before, after)) = rest.split_once("#[cfg(test)]") {
        kept.push_str(before);
        let mut depth = 0;
        let end = after.char_indices().find(|(_, letter)| {
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            depth == 0 && matches!(letter, ';' | '}')
        });
        rest = end.map_or("", |(at, _)| &after[at + 1..]);
    }
    kept + rest
}

/// The paths of a `use` tree, each with the name it has here.
fn flatten(tree: &str, prefix: &str, found: &mut Vec<(String, String)>) {
    let mut depth = 0;
    let parts = tree.split(|letter: char| {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        letter == ',' && depth == 0
    });
    for part in parts.map(str::trim).filter(|it| !it.is_empty()) {
        if let Some((outer, inner)) = part.split_once('{') {
            let inner = inner.strip_suffix('}').unwrap_or(inner);
            flatten(inner, &format!("{prefix}{}", outer.trim()), found);
            continue;
        }
        let (path, name) = part.split_once(" as ").unwrap_or((part, ""));
        let path = format!("{prefix}{path}");
        let path = path.trim_end_matches("::self").to_owned();
        let last = path.rsplit("::").next().unwrap_or_default();
        let name = if name.is_empty() { last.to_owned() } else { name.to_owned() };
        found.push((path, name));
    }
}

/// Every path of two names or more, such as `crate::value::Value` and `layout::read`.
fn paths(code: &str) -> BTreeSet<&str> {
    let part = |it: char| it.is_alphanumeric() || it == '_' || it == ':';
    let words = code.split(|it| !part(it)).map(|it| it.trim_matches(':'));
    words.filter(|it| it.contains("::")).collect()
}

/// The module a path leads to: the longest beginning that is one.
fn module<'a>(path: &str, own: &str, names: &BTreeSet<&'a str>) -> Option<&'a str> {
    let mut parts: Vec<&str> = path.split("::").collect();
    let mut base: Vec<&str> = own.split("::").collect();
    match parts.first().copied() {
        Some("crate") => base.clear(),
        Some("self") => {}
        Some("super") => {
            base.pop();
            while parts.get(1) == Some(&"super") {
                parts.remove(0);
                base.pop();
            }
        }
        _ => return None,
    }
    base.extend(parts.into_iter().skip(1));
    (1..=base.len()).rev().find_map(|length| names.get(&*base[..length].join("::")).copied())
}

fn graph(files: &[(String, String)]) -> Graph {
    let inside = |path: &str| {
        let (_, inside) = path.split_once("src/")?;
        let name = inside.strip_suffix(".rs")?.replace('/', "::");
        let is_test = name.split("::").any(|it| matches!(it, "lib" | "main" | "tests"));
        (!is_test).then_some(name)
    };
    let files = files.iter().filter_map(|(path, text)| Some((inside(path)?, without_tests(text))));
    let files: BTreeMap<String, String> = files.collect();
    let names: BTreeSet<&str> = files.keys().map(String::as_str).collect();
    let uses = |(own, code): (&String, &String)| (own.clone(), used(own, code, &names));
    files.iter().map(uses).collect()
}

/// The modules that a file uses: those it imports, those it names, and those it names from an import or from a
/// module of its own on.
fn used(own: &str, code: &str, names: &BTreeSet<&str>) -> BTreeSet<String> {
    let mut imports = Vec::new();
    let mut rest = String::new();
    for statement in code.split_inclusive(';') {
        let start = statement.rfind("use ").filter(|at| {
            statement[..*at].chars().next_back().is_none_or(|it| it.is_whitespace() || it == '(')
        });
        match start {
            Some(at) => {
                flatten(statement[at + 4..].trim_end_matches(';'), "", &mut imports);
                rest.push_str(&statement[..at]);
            }
            None => rest.push_str(statement),
        }
    }
    let children = names.iter().filter_map(|it| it.strip_prefix(own)?.strip_prefix("::"));
    let children = children.filter(|it| !it.contains("::"));
    let mut local: BTreeMap<String, String> =
        children.map(|it| (it.to_owned(), format!("crate::{own}::{it}"))).collect();
    let mut found: Vec<String> = imports.iter().map(|(path, _)| path.clone()).collect();
    local.extend(imports.into_iter().map(|(path, name)| (name, path)));
    for path in paths(&rest) {
        let (first, inner) = path.split_once("::").unwrap_or((path, ""));
        found.push(local.get(first).map_or(path.to_owned(), |it| format!("{it}::{inner}")));
    }
    let modules = found.iter().filter_map(|it| module(it, own, names));
    modules.filter(|it| *it != own).map(str::to_owned).collect()
}

/// All modules that one leads to.
fn reached<'a>(from: &'a str, graph: &'a Graph) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut left = vec![from];
    while let Some(next) = left.pop() {
        let new = graph.get(next).into_iter().flatten().filter(|it| found.insert(it.as_str()));
        left.extend(new.map(String::as_str));
    }
    found
}

/// The groups of modules that lead to each other.
fn cycles(graph: &Graph) -> BTreeSet<Vec<&str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        graph.keys().map(|it| (it.as_str(), reached(it, graph))).collect();
    let group = |it: &&str| -> Vec<&str> {
        let both = reached[it].iter().filter(|other| reached[*other].contains(it));
        both.copied().collect()
    };
    reached.keys().map(group).filter(|it| it.len() > 1).collect()
}

#[test]
fn no_file_uses_one_that_uses_it() {
    let mut graph = graph(&sources());
    assert!(graph.len() > 400, "{} files", graph.len());
    for list in LISTS {
        let used = graph.get_mut(*list).expect("the list is a file");
        used.retain(|it| !it.starts_with(&format!("{list}::")));
    }
    let found = cycles(&graph);
    let is_inside = |cycle: &[&str], known: &str| {
        let inner = format!("{known}::");
        cycle.iter().all(|it| *it == known || it.starts_with(&inner))
    };
    let is_known = |cycle: &&Vec<&str>| KNOWN.iter().any(|(known, _)| is_inside(cycle, known));
    let new = found.iter().filter(|it| !is_known(it));
    let edges = |cycle: &Vec<&str>, from: &str| {
        let to = graph[from].iter().filter(|it| cycle.contains(&it.as_str())).cloned();
        format!("  {from} uses {}\n", to.collect::<Vec<_>>().join(", "))
    };
    let show = |cycle: &Vec<&str>| -> String {
        let lines: String = cycle.iter().map(|from| edges(cycle, from)).collect();
        format!("a cycle of {} files:\n{lines}", cycle.len())
    };
    let new: String = new.map(show).collect();
    let mut wrong = Vec::new();
    for (known, most) in KNOWN {
        let inside = found.iter().filter(|it| is_inside(it, known));
        match inside.map(Vec::len).sum() {
            0 => wrong.push(format!("{known} is without cycles and need not be listed")),
            count if count > *most => {
                wrong.push(format!("{count} files of {known} are in cycles, {most} were"));
            }
            _ => {}
        }
    }
    assert!(new.is_empty(), "{new}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn uses_are_found_however_they_are_written() {
    let files = [
        ("crates/a/src/a.rs", "mod leaf;\nfn f() { leaf::f() }"),
        (
            "crates/a/src/a/leaf.rs",
            "// use crate::b;\n#[cfg(test)]\nmod t { use crate::b; }\nfn f() {}",
        ),
        ("crates/a/src/b.rs", "use crate::{\n    a::{self, leaf::Leaf as It},\n    c::C,\n};\n"),
        ("src/c.rs", "use crate::d as e;\nfn f() { e::deep::g(); super::a::h(); }"),
        ("src/d.rs", "fn f() -> crate::b::B {}"),
        ("src/d/deep.rs", "use super::{f, super::c};"),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
    let graph = graph(&files);
    let shown: Vec<String> = graph.iter().map(|(from, to)| format!("{from}: {to:?}")).collect();
    let wanted = [
        r#"a: {"a::leaf"}"#,
        "a::leaf: {}",
        r#"b: {"a", "a::leaf", "c"}"#,
        r#"c: {"a", "d", "d::deep"}"#,
        r#"d: {"b"}"#,
        r#"d::deep: {"c", "d"}"#,
    ];
    assert_eq!(shown, wanted);
    assert_eq!(cycles(&graph), BTreeSet::from([vec!["b", "c", "d", "d::deep"]]));
}
