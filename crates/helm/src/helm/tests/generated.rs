//! Calls of every function with arguments that are made up, answered here and by the real Helm.
//!
//! `KARPLINT_CALLS=200 cargo test -p karplint-helm generated` makes so many of each function, and
//! `KARPLINT_SEED=7` others.

use std::{collections::BTreeMap, env, fs, path::Path, process::Command, thread};

use karplint_test_tools::can_run;

use super::template;
use crate::helm::functions::parameters::{Parameter, all};

/// What `.Values` has for the calls.
const VALUES: &str = "\
zero: 0
one: 1
three: 3
minus: -2
half: 1.5
large: 1000000
truth: true
lie: false
nothing: null
empty: ''
word: hello
words: 'Hello big-World, foo_bar'
lines: \"a\\nb: 1\\n  c\\n\"
letters: Äpfel é ñ
number: '12'
version: 1.2.3
none: {}
map: {b: 2, a: x, c: [1, 2], d: {e: f}, nul: null}
other: {a: y, z: true, d: {g: 1}}
items: [c, a, b, a]
mixed: [1, two, null, 2.5, true, [x], {k: v}]
numbers: [3, 1, 2]
nil: [null]
";

const TEXTS: &[&str] = &[
    "\"\"",
    "\"a\"",
    "\"Hello World\"",
    "\"foo-bar_baz.qux\"",
    "\"  pad \"",
    "\"Äé\"",
    "\"a-b-\"",
    "\"12\"",
    "\"1.5\"",
    "\"a\\nb\\n c\"",
    "\"a,b,,c\"",
    "\"/etc/conf.d/x.tar.gz\"",
    "\"https://u:p@host.example:8080/a/b?q=1#frag\"",
    "\"1.2.3\"",
    "\">=1.2\"",
    "\"a: 1\\nb: [x]\"",
    "\"- 1\\n- a\"",
    "\"{\\\"a\\\":1}\"",
    "\"[a-c]+\"",
    "\"(b)|(\"",
    "\"%d-%s\"",
    "\"%v\"",
    "\"% d|%+.2f|%6.2f|%-5s|%05d\"",
    "\"%x|%X|%q|%U|%G\"",
    "\"%[2]v %[1]v\"",
    "\"%t|%c|%e|%3v|%.2s\"",
    "\"2006-01-02\"",
    "\"Monday, 02-Jan-06 15:04:05.000 -0700\"",
    "\"January 2 3:04:05 PM 06\"",
    "\"2024-02-30\"",
    "\"2021-07-04\"",
    "\"UTC\"",
    "\"36h1m\"",
    "\"%5d|%.3d|%+d|%o|%b\"",
    "\"YQ==\"",
    "\"true\"",
    "\"string\"",
    "\",\"",
    "\"$1\"",
    ".Values.word",
    ".Values.words",
    ".Values.lines",
    ".Values.letters",
    ".Values.version",
    ".Values.empty",
    "(printf \"%s\" .Values.word)",
];

const INTS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "5",
    "7",
    "-1",
    "-3",
    "12",
    "2.0",
    "(len \"abc\")",
    "(int 4)",
    "(int .Values.three)",
];

const FLOATS: &[&str] =
    &["0.5", "1.5", "-2.25", "3", ".Values.half", ".Values.large", "(float64 \"1.25\")"];

const BOOLS: &[&str] = &["true", "false", ".Values.truth", ".Values.lie", "(eq 1 1)"];

const MAPS: &[&str] = &[
    "(dict)",
    "(dict \"a\" 1 \"b\" \"x\")",
    "(deepCopy .Values.map)",
    "(deepCopy .Values.other)",
    "(deepCopy .Values.none)",
    "(dict \"d\" (dict \"e\" 2 \"n\" nil))",
    "nil",
];

const LISTS: &[&str] = &[
    "(list)",
    "(list 1 2 3)",
    "(list \"b\" \"a\" \"b\" \"\")",
    "(list 1 \"a\" nil true 2.5)",
    ".Values.items",
    ".Values.mixed",
    ".Values.numbers",
    ".Values.nil",
    "(until 3)",
    "(list (list 1) (dict \"a\" 1))",
];

const TIMES: &[&str] = &[
    "(toDate \"2006-01-02\" \"2024-02-29\")",
    "(toDate \"2006-01-02T15:04:05Z07:00\" \"2024-02-29T13:14:15.5Z\")",
    "(toDate \"2006-01-02T15:04:05Z07:00\" \"1999-12-31T23:59:59+05:30\")",
    "(toDate \"Jan _2 2006 3:04PM\" \"Mar  7 2025 9:08PM\")",
    "(toDate \"2006\" \"x\")",
];

const OTHERS: &[&str] = &[
    ".Values.nothing",
    "(.Values.nothing)",
    ".Values.absent",
    "nil",
    ".Values.zero",
    ".Values.one",
    ".Values.three",
    ".Values.minus",
    "(int64 5)",
    "(add 1 2)",
    "(semver \"1.2.3-rc.1+b\")",
    "(deepCopy .Values)",
    ".Chart",
    ".Files",
    ".Capabilities.APIVersions",
    ".Capabilities.KubeVersion",
];

/// Not asked: random, of the clock, of the machine, or told by no text.
const LEFT_OUT: &[&str] = &[
    "ago",
    "bcrypt",
    "buildCustomCert",
    "call",
    "decryptAES",
    "encryptAES",
    "fail",
    "fromTomlArray",
    "genCA",
    "genCAWithKey",
    "genPrivateKey",
    "genSelfSignedCert",
    "genSelfSignedCertWithKey",
    "genSignedCert",
    "genSignedCertWithKey",
    "getHostByName",
    "htpasswd",
    "include",
    "lookup",
    "mustFromYaml",
    "mustToToml",
    "mustToYaml",
    "now",
    "randAlpha",
    "randAlphaNum",
    "randAscii",
    "randBytes",
    "randInt",
    "randNumeric",
    "shuffle",
    "uuidv4",
];

/// What Helm 4 has otherwise: its own objects, what is null in the values, and the words about JSON.
const OTHERWISE_IN_HELM_4: &[&str] =
    &[".Capabilities", ".Chart", ".Values.map", ".Values)", "fromJson"];

/// Calls of each function if nothing else is said, and the refused ones among them that Helm is asked for.
const EACH: u64 = 4;
const REFUSALS: usize = 80;

/// Numbers that are always the same.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % count as u64).unwrap()
    }

    fn of<'a>(&mut self, pool: &[&'a str]) -> &'a str {
        pool[self.below(pool.len())]
    }

    /// An argument for a parameter; one in eight is of any type.
    fn argument(&mut self, parameter: Parameter) -> &'static str {
        let pools = [TEXTS, INTS, FLOATS, BOOLS, MAPS, LISTS, TIMES, OTHERS];
        let pool = match parameter {
            _ if self.below(8) == 0 => pools[self.below(pools.len())],
            Parameter::Any => pools[self.below(pools.len())],
            Parameter::Text => TEXTS,
            Parameter::Int => INTS,
            Parameter::Float => FLOATS,
            Parameter::Bool => BOOLS,
            Parameter::Map => MAPS,
            Parameter::List => LISTS,
            Parameter::Time => TIMES,
        };
        self.of(pool)
    }
}

/// Calls of all functions.
fn calls(each: usize, seed: u64) -> Vec<String> {
    let mut dice = Dice(seed);
    let mut found = Vec::new();
    let mut all: Vec<_> = all().filter(|(name, _)| !LEFT_OUT.contains(name)).collect();
    all.sort_by_key(|(name, _)| *name);
    for (name, parameters) in all {
        for _ in 0..each {
            let further = if parameters.further.is_some() { dice.below(4) } else { 0 };
            let count = parameters.fixed.len() + further;
            let wanted = (0..count).filter_map(|at| parameters.at(at));
            let mut words: Vec<&str> = wanted.map(|it| dice.argument(it)).collect();
            if dice.below(25) == 0 {
                words.pop();
            }
            // The last may come through a pipe.
            let is_piped =
                dice.below(6) == 0 && words.last().is_some_and(|it| it.starts_with(['.', '(']));
            let call = match words.pop() {
                Some(last) if is_piped => format!("{last} | {name} {}", words.join(" ")),
                Some(last) => format!("{name} {} {last}", words.join(" ")),
                None => name.to_owned(),
            };
            found.push(call.replace("  ", " ").trim().to_owned());
        }
    }
    // A map that is nil and yet a map is not told from an empty one.
    let nil_map =
        ["merge nil", "mergeOverwrite nil", "mustMerge nil", "mustMergeOverwrite nil", "unset nil"];
    found.retain(|it: &String| !nil_map.iter().any(|start| it.starts_with(start)));
    found.sort();
    found.dedup();
    found
}

/// A template that shows what a call answers.
fn shown(call: &str) -> String {
    // The order of keys is another each time.
    let call = if call.contains("keys") || call.contains("values") {
        format!("{call} | len")
    } else {
        call.to_owned()
    };
    format!(
        "{{{{ $x := {call} }}}}{{{{ kindOf $x }}}}|{{{{ printf \"%v\" $x }}}}|{{{{ toJson $x }}}}"
    )
}

fn is_helm_4() -> bool {
    let version = Command::new("helm").args(["version", "--short"]).output().unwrap();
    version.stdout.starts_with(b"v4.")
}

/// What Helm answers to calls, by their numbers; those that it refuses have none.
#[expect(clippy::disallowed_methods, reason = "helm reads its chart from the disk")]
fn answers_of_helm(calls: &[(usize, &str)]) -> BTreeMap<usize, String> {
    let folder = tempfile::tempdir().unwrap();
    let file = |path: &str, text: &str| fs::write(folder.path().join(path), text).unwrap();
    fs::create_dir(folder.path().join("templates")).unwrap();
    file("Chart.yaml", super::CHART);
    file("values.yaml", VALUES);
    let mut left: Vec<(usize, &str)> = calls.to_vec();
    loop {
        let lines = left.iter().map(|(number, it)| format!("#@{number}@{}\n", shown(it)));
        file("templates/a.yaml", &(lines.collect::<String>() + "#@end@"));
        match of_helm(folder.path()) {
            Ok(text) => {
                let answer = |it: &str| -> Option<(usize, String)> {
                    let (number, answer) = it.split_once('@')?;
                    Some((number.parse().ok()?, answer.to_owned()))
                };
                return text.split("\n#@").filter_map(answer).collect();
            }
            Err(line) => drop(left.remove(line - 1)),
        }
        if left.is_empty() {
            return BTreeMap::new();
        }
    }
}

/// What Helm prints for the chart in a folder, or the line of its template that it refuses.
fn of_helm(folder: &Path) -> Result<String, usize> {
    let output = Command::new("helm")
        .args(["template", "release-name", ".", "--debug", "--kube-version", "1.32.0"])
        .current_dir(folder)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if text.contains("#@end@") {
        return Ok(text);
    }
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let (_, rest) = errors.split_once("templates/a.yaml:").unwrap_or_else(|| panic!("{errors}"));
    let end = rest.find(|it: char| !it.is_ascii_digit()).unwrap_or(rest.len());
    Err(rest[..end].parse().unwrap_or_else(|_| panic!("{errors}")))
}

/// What is answered here; `Err` for a refusal.
fn here(call: &str) -> Result<String, String> {
    template(&shown(call), VALUES).map_err(|it| it.message)
}

#[test]
#[expect(clippy::disallowed_methods, reason = "how much is asked is given in the environment")]
fn generated_calls_are_answered_as_helm_answers_them() {
    if !can_run("helm") {
        return;
    }
    let number = |name: &str, other: u64| {
        env::var(name).ok().map_or(other, |it| it.parse().expect("a number"))
    };
    let (each, seed) = (number("KARPLINT_CALLS", EACH), number("KARPLINT_SEED", 1));
    let mut calls = calls(usize::try_from(each).unwrap(), seed);
    if is_helm_4() {
        calls.retain(|it| !OTHERWISE_IN_HELM_4.iter().any(|part| it.contains(part)));
    }
    let ours: Vec<Result<String, String>> = calls.iter().map(|it| here(it)).collect();
    let numbered = |accepted: bool| -> Vec<(usize, &str)> {
        let all = calls.iter().enumerate().filter(|(at, _)| ours[*at].is_ok() == accepted);
        all.map(|(at, it)| (at, &**it)).collect()
    };
    let mut theirs = answers_of_helm(&numbered(true));
    // A refusal takes a run of Helm for itself: not all are asked, and these side by side.
    let mut refused = numbered(false);
    let one_of = if each > EACH { 1 } else { refused.len().div_ceil(REFUSALS).max(1) };
    refused = refused.into_iter().step_by(one_of).collect();
    thread::scope(|scope| {
        let parts: Vec<_> = refused
            .chunks(refused.len().div_ceil(4).max(1))
            .map(|part| scope.spawn(move || answers_of_helm(part)))
            .collect();
        for part in parts {
            theirs.extend(part.join().unwrap());
        }
    });
    let mut wrong = Vec::new();
    let mut holes = BTreeMap::<&str, usize>::new();
    for (at, call) in calls.iter().enumerate() {
        match (&ours[at], theirs.get(&at)) {
            // Letters that are cut are told from no others here.
            (Ok(ours), Some(theirs)) if *ours == theirs.replace("\\ufffd", "\u{fffd}") => {}
            (Err(_), None) => {}
            (Ok(ours), _)
                if ours.contains('\u{f8f0}') || ours.contains(crate::value::HOLE_START) =>
            {
                let name = call.rsplit("| ").next().unwrap().split(' ').next().unwrap();
                *holes.entry(name).or_default() += 1;
            }
            (ours, theirs) => wrong.push(format!("{call}\n  helm {theirs:?}\n  here {ours:?}")),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} ({} refused, unknown {holes:?}):\n{}",
        wrong.len(),
        calls.len(),
        refused.len(),
        wrong.join("\n")
    );
}
