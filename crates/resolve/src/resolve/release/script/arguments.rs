//! The arguments of a command.

use crate::{
    resolve::release::script::variables::{Script, Snippet},
    source::Span,
    syntax::shell::word::{Command, Part, Word},
    value::{Kind, Value},
};

/// Words that may come before a command.
const LEADERS: &[&str] = &[
    "if", "then", "else", "elif", "do", "while", "until", "!", "{", "time", "exec", "sudo", "env",
];

/// Whether a word is the name of a function that runs what follows, perhaps again: `with_retry helm upgrade …`.
fn is_wrapper(word: &str) -> bool {
    let mut words = word.split(['_', '-']);
    words.any(|it| matches!(it, "retry" | "retries" | "run" | "try" | "attempt"))
}

/// A program whose flags are known.
pub(super) struct Program {
    name: &'static str,
    /// Its flags that take no value.
    switches: &'static [&'static str],
}

/// What installs charts.
pub(super) const HELM: Program = Program { name: "helm", switches: HELM_SWITCHES };

/// What changes the folder that paths are relative to.
pub(super) const CD: Program = Program { name: "cd", switches: &["-L", "-P"] };

/// What changes the folder until [`POPD`].
pub(super) const PUSHD: Program = Program { name: "pushd", switches: &["-n"] };

/// What goes back to the folder before [`PUSHD`].
pub(super) const POPD: Program = Program { name: "popd", switches: &["-n"] };

/// What applies objects.
pub(super) const KUBECTL: Program = Program { name: "kubectl", switches: KUBECTL_SWITCHES };

/// What makes clusters.
pub(super) const EKSCTL: Program = Program { name: "eksctl", switches: EKSCTL_SWITCHES };
/// The flags by which eksctl gets a `ClusterConfig`.
pub(super) const CONFIGURATION: [&str; 2] = ["-f", "--config-file"];

const EKSCTL_SWITCHES: &[&str] = &[
    "--auto-kubeconfig",
    "--dry-run",
    "--install-neuron-plugin",
    "--managed",
    "--set-kubeconfig-context",
    "--ssh-access",
    "--with-oidc",
    "--without-nodegroup",
    "--write-kubeconfig",
];

const KUBECTL_SWITCHES: &[&str] = &[
    "--all",
    "--cascade",
    "--disable-compression",
    "--dry-run",
    "--force",
    "--force-conflicts",
    "--insecure-skip-tls-verify",
    "--match-server-version",
    "--openapi-patch",
    "--overwrite",
    "--prune",
    "--record",
    "--recursive",
    "--save-config",
    "--server-side",
    "--show-managed-fields",
    "--validate",
    "--wait",
    "--warnings-as-errors",
    "--windows-line-endings",
    "-R",
    "-h",
];

const HELM_SWITCHES: &[&str] = &[
    "--atomic",
    "--cleanup-on-fail",
    "--create-namespace",
    "--debug",
    "--dependency-update",
    "--devel",
    "--disable-openapi-validation",
    "--dry-run",
    "--enable-dns",
    "--force",
    "--force-conflicts",
    "--force-replace",
    "--force-update",
    "--generate-name",
    "--hide-notes",
    "--hide-secret",
    "--include-crds",
    "--insecure-skip-tls-verify",
    "--install",
    "--is-upgrade",
    "--no-hooks",
    "--pass-credentials",
    "--plain-http",
    "--render-subchart-notes",
    "--replace",
    "--reset-then-reuse-values",
    "--reset-values",
    "--reuse-values",
    "--rollback-on-failure",
    "--skip-crds",
    "--skip-schema-validation",
    "--skip-tests",
    "--take-ownership",
    "--validate",
    "--verify",
    "--wait",
    "--wait-for-jobs",
    "-g",
    "-h",
    "-i",
];

/// The arguments of a command.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    /// Those that are not flags, the subcommand first.
    pub positional: Vec<Value>,
    /// The flags in their order.
    pub flags: Vec<Flag>,
    /// Whether a variable may hold more flags.
    pub is_open: bool,
}

/// A flag.
#[derive(Debug)]
pub(super) struct Flag {
    /// With its dashes.
    pub name: String,
    /// The snippet it is in.
    pub snippet: usize,
    /// The flag itself, for switches; else the word that is its value, as it is written.
    pub word: Word,
    /// What that means.
    pub value: Value,
}

impl Snippet {
    /// A flag with its value and the blank before it, or with its line where it has one of its own.
    pub(super) fn with_blank(&self, flag: &Flag) -> Option<Span> {
        let text = &*self.text.text;
        let before = text.get(..flag.word.range.start)?;
        let start = before.rfind(&*flag.name)?;
        let between = before.get(start + flag.name.len()..)?;
        let after = text.get(flag.word.range.end..)?;
        let (line, rest) = (before.get(..start)?, after.lines().next().unwrap_or_default());
        let head = line.trim_end_matches([' ', '\t']);
        let (from, to) = match rest.trim_start() {
            _ if !between.trim_start_matches('=').trim().is_empty() || head.len() == line.len() => {
                return None;
            }
            _ if !head.ends_with('\n') => (head.len(), flag.word.range.end),
            "\\" => (head.len(), flag.word.range.end + rest.len() + 1),
            _ => return None,
        };
        Some(self.text.locate(from, to, self.place))
    }
}

/// Whether a word runs a program: by its name or path, or by a variable that holds it, or is called as it is and
/// not known: `$(HELM)`.
fn runs(script: &Script, snippet: usize, word: &Word, program: &Program) -> bool {
    let text = &*script.snippets[snippet].text.text;
    if let Some(plain) = word.plain(text) {
        return plain.trim_start_matches(['@', '-', '+']) == program.name;
    }
    let value = script.value(snippet, word);
    let known = match &value.kind {
        Kind::String(text) => text.text.split_whitespace().next().map(str::to_owned),
        _ => None,
    };
    match (known, word.parts.as_slice()) {
        (Some(path), _) => path.rsplit('/').next() == Some(program.name),
        (None, [Part::Variable { name, .. }]) => name.eq_ignore_ascii_case(program.name),
        (None, _) => false,
    }
}

impl Arguments {
    /// The arguments of a command of a snippet; `None` where it does not run that program.
    pub(super) fn of(
        script: &Script,
        snippet: usize,
        command: &Command,
        program: &Program,
    ) -> Option<Self> {
        let Snippet { text, .. } = &script.snippets[snippet];
        let plain = |it: &Word| it.plain(&text.text);
        let leads = |it: &&Word| {
            it.assignment(&text.text).is_some()
                || plain(it).is_some_and(|it| LEADERS.contains(&&*it))
        };
        let mut words = command.words.iter().skip_while(leads).peekable();
        if words.peek().is_some_and(|it| plain(it).is_some_and(|it| is_wrapper(&it))) {
            words.next();
        }
        if !runs(script, snippet, words.next()?, program) {
            return None;
        }
        let mut found = Self::default();
        while let Some(word) = words.next() {
            found.add((script, snippet), program, word, &mut words);
        }
        if found.positional.len() > 3 {
            found.is_open = true;
            found.positional.retain(|it| it.as_str().is_some());
        }
        Some(found)
    }

    fn add<'a>(
        &mut self,
        (script, snippet): (&Script, usize),
        program: &Program,
        word: &'a Word,
        rest: &mut impl Iterator<Item = &'a Word>,
    ) {
        let text = &*script.snippets[snippet].text.text;
        let value = |it: &Word| script.value(snippet, it);
        let head = match word.parts.first() {
            Some(Part::Plain(range)) => text.get(range.clone()).unwrap_or_default(),
            _ => "",
        };
        if head.starts_with('-') {
            let (name, own) = match head.split_once('=') {
                Some((name, _)) if name.starts_with("--") => {
                    (name, Some(word.after(name.len() + 1)))
                }
                _ => (head, None),
            };
            let is_switch = program.switches.contains(&name) && own.is_none();
            let argument = own.or_else(|| if is_switch { None } else { rest.next().cloned() });
            let word = argument.unwrap_or_else(|| word.clone());
            self.flags.push(Flag { name: name.to_owned(), snippet, value: value(&word), word });
            return;
        }
        let found = value(word);
        // What a person adds on the command line of Task is nothing in general.
        let written = text.get(word.range.clone()).unwrap_or_default();
        if written.trim_matches(['"', '\'']) == "{{.CLI_ARGS}}" {
            return;
        }
        let is_list = written.contains("[@]");
        let may_be_flags = match found.as_str() {
            Some(known) => !word.is_quoted && (known.starts_with('-') || known.contains(' ')),
            None => is_list || (self.positional.len() >= 3 && head.is_empty()),
        };
        if may_be_flags {
            self.is_open = true;
        } else if found.as_str() != Some("") || word.is_quoted {
            self.positional.push(found);
        }
    }

    /// Whether eksctl makes a cluster by them.
    pub(super) fn makes_cluster(&self) -> bool {
        let mut words = self.positional.iter().map(Value::as_str);
        let is =
            words.next().flatten() == Some("create") && words.next().flatten() == Some("cluster");
        is && self.last(&["--dry-run"]).is_none()
    }

    /// The last of the flags of these names.
    pub(super) fn last(&self, names: &[&str]) -> Option<&Flag> {
        self.flags.iter().rev().find(|it| names.contains(&&*it.name))
    }

    /// Whether a switch is on; `None` where that is not known.
    pub(super) fn is_on(&self, name: &str) -> Option<bool> {
        match self.last(&[name]) {
            Some(flag) => match flag.value.as_str() {
                Some(text) if text == name => Some(true),
                Some(text) => text.parse().ok(),
                None => None,
            },
            None => (!self.is_open).then_some(false),
        }
    }
}
