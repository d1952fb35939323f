//! Changes at random.

use crate::{
    corpus::{Corpus, Texts},
    random::Random,
};

/// What stands where something else is expected.
const EXTREMES: &[&str] = &[
    "",
    "null",
    "~",
    "true",
    "-1",
    "0",
    "1e999",
    "9223372036854775808",
    "-9223372036854775809",
    "340282366920938463463374607431768211456",
    "0x7fffffffffffffff",
    "1_000",
    "0.1e-400",
    "NaN",
    "\"\"",
    "[]",
    "{}",
    "[[[]]]",
    "{{ }}",
    "{{ .Values.a.b | toYaml | nindent 4 }}",
    "${var.x}",
    "${\"${var.x}\"}",
    "%{ if true }",
    "<<-EOT",
    "*a",
    "&a",
    "!!binary",
    "!Ref x",
    "---",
    "...",
    "|2-",
    ">+",
    "? ",
    "<<: *a",
    "9999999999999999999h",
    "1h1h1h",
    "-5%",
    "101%",
    "0 0 31 2 *",
    "v1.2.3.4.5",
    "1.99999999999",
    "999999999999999999999.1",
    ">= 1, < 0",
    "\u{feff}",
    "\0",
    "é",
    "🎉",
    "\u{202e}",
    "\u{2028}",
    "\r",
    "\t",
    "'",
    "\"",
    "`",
    "\\",
    "\\u{0}",
    "#",
    "# karplint: allow all because x",
    "count = -1",
    "for_each = each.value",
    "local.a",
    "module.x[*].y",
    "kind: NodePool",
    "apiVersion: karpenter.sh/v1",
    "karpenter.sh/do-not-disrupt",
];

const OPENING: &[(&str, &str)] = &[
    ("[", "]"),
    ("{", "}"),
    ("(", ")"),
    ("{a: ", "}"),
    ("{\"a\": ", "}"),
    ("${", "}"),
    ("{{", "}}"),
    ("merge(", ")"),
    ("!", ""),
    ("-", ""),
    ("- ", ""),
    ("a ? b : ", ""),
    ("\"${", "}\""),
    ("f(", ", 1)"),
];

/// The largest text in bytes: what is repeated twice would be a hundred megabytes.
const LARGEST: usize = 1 << 20;

/// The repository of a number: one of the corpus after one to eight changes.
pub(crate) fn repository(corpus: &Corpus, number: u64) -> Texts {
    let random = &mut Random::of(number);
    let mut files = random.one_of(&corpus.repositories).clone();
    for _ in 0..=random.below(8) {
        if files.is_empty() {
            break;
        }
        let at = random.below(files.len());
        if random.below(20) == 0 {
            rearrange(&mut files, at, random);
            continue;
        }
        let (path, text) = &mut files[at];
        let other = corpus.text_like(path, random.below(usize::MAX));
        let new = changed(text, other, random);
        if new.len() <= LARGEST {
            *text = new;
        }
    }
    files
}

/// A file is gone, goes by another name, or is there twice.
fn rearrange(files: &mut Texts, at: usize, random: &mut Random) {
    match random.below(4) {
        0 => drop(files.remove(at)),
        1 => {
            let other = random.below(files.len());
            let (a, b) = (files[at].0.clone(), files[other].0.clone());
            files[at].0 = b;
            files[other].0 = a;
        }
        2 => {
            let (path, text) = files[at].clone();
            let folder = random.one_of(&["modules/x/", "charts/x/templates/", "a/b/c/", "é ü/"]);
            files.push((format!("{folder}{}", path.rsplit('/').next().unwrap_or("x")), text));
        }
        _ => {
            let name = random.one_of(&[
                "main.tf",
                "values.yaml",
                "Chart.yaml",
                "kustomization.yaml",
                "x.sh",
            ]);
            let folder =
                files[at].0.rsplit_once('/').map_or(String::new(), |it| format!("{}/", it.0));
            files[at].0 = folder + name;
        }
    }
    let mut seen = std::collections::HashSet::new();
    files.retain(|it| seen.insert(it.0.clone()));
}

/// A text with one change or a few.
pub(crate) fn any(text: &str, other: &str, random: &mut Random) -> String {
    (0..random.below(4)).fold(text.to_owned(), |text, _| changed(&text, other, random))
}

fn changed(text: &str, other: &str, random: &mut Random) -> String {
    match random.below(12) {
        0 => characters(text, random),
        1 | 2 => lines(text, other, random),
        3 | 4 => tokens(text, other, random),
        5 => text[..boundary(text, random)].to_owned(),
        6 => text[boundary(text, random)..].to_owned(),
        7 | 8 => replaced(text, random, random_extreme),
        9 => replaced(text, random, |it, random| {
            let (open, close) = random.one_of(OPENING);
            let depth = 1 << random.below(11);
            format!("{}{it}{}", open.repeat(depth), close.repeat(depth))
        }),
        10 => indentation(text, random),
        _ => repeated(text, random),
    }
}

fn random_extreme(_: &str, random: &mut Random) -> String {
    let it = random.one_of(EXTREMES);
    if random.below(30) == 0 { it.repeat(1_000) } else { (*it).to_owned() }
}

fn boundary(text: &str, random: &mut Random) -> usize {
    text.floor_char_boundary(random.below(text.len() + 1))
}

fn characters(text: &str, random: &mut Random) -> String {
    let mut all: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(6) {
        let at = random.below(all.len());
        let code = if random.below(3) == 0 { random.below(0x11_0000) } else { random.below(128) };
        let it = u32::try_from(code).ok().and_then(char::from_u32).unwrap_or('\u{fffd}');
        match random.below(3) {
            0 if !all.is_empty() => drop(all.remove(at)),
            1 if !all.is_empty() => all[at] = it,
            _ => all.insert(at, it),
        }
    }
    all.into_iter().collect()
}

fn lines(text: &str, other: &str, random: &mut Random) -> String {
    let mut all: Vec<&str> = text.split_inclusive('\n').collect();
    let others: Vec<&str> = other.split_inclusive('\n').collect();
    for _ in 0..=random.below(3) {
        if all.is_empty() {
            break;
        }
        let (at, to) = (random.below(all.len()), random.below(all.len()));
        match random.below(5) {
            0 => drop(all.remove(at)),
            1 => all.swap(at, to),
            2 => all.insert(to, all[at]),
            3 => drop(all.drain(at.min(to)..at.max(to))),
            _ if !others.is_empty() => {
                let start = random.below(others.len());
                let end = (start + 1 + random.below(12)).min(others.len());
                all.splice(at..at, others[start..end].iter().copied());
            }
            _ => {}
        }
    }
    all.concat()
}

/// Where words, numbers and signs begin and end.
fn spans(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut found: Vec<std::ops::Range<usize>> = Vec::new();
    let mut word = false;
    for (at, it) in text.char_indices().filter(|it| !it.1.is_whitespace()) {
        let joins = it.is_alphanumeric() || "_-./".contains(it);
        let end = at + it.len_utf8();
        match found.last_mut() {
            Some(last) if word && joins && last.end == at => last.end = end,
            _ => found.push(at..end),
        }
        word = joins;
    }
    found
}

fn tokens(text: &str, other: &str, random: &mut Random) -> String {
    let theirs = spans(other);
    replaced(text, random, |it, random| {
        if theirs.is_empty() {
            return it.to_owned();
        }
        let start = random.below(theirs.len());
        let end = (start + 1 + random.below(4)).min(theirs.len());
        other[theirs[start].start..theirs[end - 1].end].to_owned()
    })
}

/// The text with a token replaced, or a token and what it is written with.
fn replaced(text: &str, random: &mut Random, by: impl Fn(&str, &mut Random) -> String) -> String {
    let own = spans(text);
    if own.is_empty() {
        return by("", random);
    }
    let start = random.below(own.len());
    let end = (start + random.below(2)).min(own.len() - 1);
    let range = own[start].start..own[end].end;
    let new = by(&text[range.clone()], random);
    format!("{}{new}{}", &text[..range.start], &text[range.end..])
}

fn indentation(text: &str, random: &mut Random) -> String {
    let odds = 1 + random.below(8);
    let line = |line: &str| {
        if random.below(odds) > 0 {
            return line.to_owned();
        }
        match random.below(4) {
            0 => line.trim_start_matches(' ').to_owned(),
            1 => format!("\t{line}"),
            2 => format!("{}{line}", " ".repeat(random.below(6))),
            _ => line.strip_prefix("  ").unwrap_or(line).to_owned(),
        }
    };
    text.split_inclusive('\n').map(line).collect()
}

/// A run of lines many times, each time deeper or not.
fn repeated(text: &str, random: &mut Random) -> String {
    let all: Vec<&str> = text.split_inclusive('\n').collect();
    let start = random.below(all.len());
    let end = (start + 1 + random.below(6)).min(all.len());
    let times = 1 << random.below(8);
    let deeper = random.below(2) * 2;
    let mut new = all[..start.min(all.len())].concat();
    for round in 0..times {
        for line in &all[start.min(end)..end] {
            new += &" ".repeat(round * deeper);
            new += line;
        }
    }
    new + &all[end..].concat()
}
