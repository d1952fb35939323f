//! What a script applies with `kubectl`, and what it gives eksctl.

use std::{collections::BTreeMap, ops::Range};

use crate::{
    resolve::{
        gitops::repository::part,
        release::{
            applied_crds::AppliedCrds,
            chart_version::{ChartVersion, Pin},
            crd_address::{Tag, tag},
            script::{
                arguments::{Arguments, CONFIGURATION, EKSCTL, Flag, KUBECTL},
                variables::{Script, Snippet},
            },
        },
        scope::Scope,
    },
    source::Span,
    syntax::shell::word::{Command, Part, Word},
    value::{Kind, Text, Value},
};

/// What the commands of a script apply.
pub(super) struct Kubectl<'a> {
    script: &'a Script,
    /// By snippet and command: what follows `-f` and `-k`.
    applied: Vec<BTreeMap<usize, Vec<Operand>>>,
}

/// A word that names what is applied, and what it means.
struct Operand {
    word: Word,
    value: Value,
}

impl<'a> Kubectl<'a> {
    pub(super) fn new(script: &'a Script) -> Self {
        Self::of(script, operands)
    }

    /// The same of the clusters that eksctl makes.
    pub(super) fn of_eksctl(script: &'a Script) -> Self {
        Self::of(script, configurations)
    }

    fn of(
        script: &'a Script,
        operands: fn(&Script, usize, &Command) -> Option<Vec<Operand>>,
    ) -> Self {
        let of_snippet = |(index, snippet): (usize, &Snippet)| {
            let commands = snippet.commands.iter().enumerate();
            commands.filter_map(|(at, it)| Some((at, operands(script, index, it)?))).collect()
        };
        Self { script, applied: script.snippets.iter().enumerate().map(of_snippet).collect() }
    }

    /// The Karpenter CRDs that a script applies from where upstream publishes them. Of several versions the
    /// last one counts.
    pub(super) fn crds(&self, scope: &Scope) -> Option<AppliedCrds> {
        let mut found: Vec<AppliedCrds> = Vec::new();
        for (index, snippet) in self.script.snippets.iter().enumerate() {
            for (at, command) in snippet.commands.iter().enumerate() {
                let words: Vec<&Word> = match self.applied[index].get(&at) {
                    Some(operands) => operands.iter().map(|it| &it.word).collect(),
                    None if self.applies_output((index, at)) => command.words.iter().collect(),
                    None => continue,
                };
                let published = words.iter().filter_map(|it| published(self.script, index, it));
                found.extend(published.map(|(place, version)| AppliedCrds {
                    version,
                    scope: scope.clone(),
                    report_span: place,
                    unit: self.script.place(),
                    manifests: Vec::new(),
                    is_optional: false,
                    reusable: false,
                }));
            }
        }
        let is_alone = found.len() == 1;
        let last = found.pop()?;
        let same = |it: &AppliedCrds| it.version.same_as(&last.version) == Some(true);
        let mut first = found.into_iter().find(same).unwrap_or(last);
        // One literal of several is no fix.
        first.version.literal = first.version.literal.filter(|_| is_alone);
        Some(first)
    }

    /// Whether the input of a command is applied, by itself or through what it writes.
    pub(super) fn applies_input(&self, (index, at): (usize, usize)) -> bool {
        let own = self.applied.get(index).and_then(|it| it.get(&at));
        let is_input = |it: &Operand| it.value.as_str() == Some("-");
        match own {
            Some(operands) => operands.iter().any(is_input),
            None => self.applies_output((index, at)),
        }
    }

    /// Whether the output of a command is applied: by the pipe it begins, or by a later command as the file it
    /// goes to.
    pub(super) fn applies_output(&self, (index, at): (usize, usize)) -> bool {
        let snippet = self.script.snippets.get(index);
        let (Some(snippet), Some(applied)) = (snippet, self.applied.get(index)) else {
            return false;
        };
        // Filters may come between.
        let pipe = snippet.pipe(at);
        if applied.range(at + 1..pipe.end).next().is_some() {
            return true;
        }
        let written = pipe.flat_map(|it| self.script.files_written(index, it));
        let written: Vec<Value> = written.collect();
        let mut later = applied.range(at + 1..).flat_map(|it| it.1);
        later.any(|it| written.iter().any(|file| it.value.same_as(file) == Some(true)))
    }
}

/// What a command applies. `None` where it applies nothing.
fn operands(script: &Script, index: usize, command: &Command) -> Option<Vec<Operand>> {
    const NAMES: [&str; 4] = ["-f", "--filename", "-k", "--kustomize"];
    let arguments = Arguments::of(script, index, command, &KUBECTL)?;
    let verb = arguments.positional.first()?.as_str()?;
    let applies = matches!(verb, "apply" | "create" | "replace");
    let is_dry = arguments.last(&["--dry-run"]).is_some_and(|it| it.value.as_str() != Some("none"));
    (applies && !is_dry).then(|| named(arguments, &NAMES))
}

/// What eksctl makes a cluster of. `None` where it makes none.
fn configurations(script: &Script, index: usize, command: &Command) -> Option<Vec<Operand>> {
    let arguments = Arguments::of(script, index, command, &EKSCTL)?;
    arguments.makes_cluster().then(|| named(arguments, &CONFIGURATION))
}

fn named(arguments: Arguments, names: &[&str]) -> Vec<Operand> {
    let flags = arguments.flags.into_iter().filter(|it| names.contains(&&*it.name));
    flags.map(|it: Flag| Operand { value: it.value, word: it.word }).collect()
}

/// The place of an address of Karpenter's CRDs, with the version in it.
fn published(script: &Script, index: usize, word: &Word) -> Option<(Span, ChartVersion)> {
    let value = script.value(index, word);
    let Kind::String(text) = &value.kind else { return None };
    let version = match tag(&text.text)? {
        Tag::Version(it) => Some(version(script, (index, word), &value, (text, it))),
        Tag::Other => None,
    };
    let pin = if version.is_some() { Pin::Written } else { Pin::Elsewhere };
    let mut pinned = ChartVersion::new(version.as_ref(), pin, value.span);
    // What else reads the variable is not known.
    if version.is_some_and(|it| it.steps().next().is_some()) {
        pinned.literal = None;
    }
    Some((value.span, pinned))
}

/// The version that a tag in an address names: without its `v`, and where it is a variable, that.
fn version(
    script: &Script,
    (index, word): (usize, &Word),
    address: &Value,
    (text, tag): (&Text, Range<usize>),
) -> Value {
    let code = &*script.snippets[index].text.text;
    let cuts = |it: char| matches!(it, '/' | '=');
    let before = |end: usize| text.text[..end].matches(cuts).count();
    let parts = word.split(code, &mut |_, it| cuts(it));
    if let Some(own) =
        parts.get(before(tag.start)).filter(|_| parts.len() == before(text.text.len()) + 1)
    {
        let has_prefix = match own.parts.first() {
            Some(Part::Plain(range)) => {
                code.get(range.clone()).is_some_and(|it| it.starts_with('v'))
            }
            _ => false,
        };
        let own = if has_prefix { own.after(1) } else { own.clone() };
        return script.value(index, &own.without_quotes());
    }
    let prefix = usize::from(text.text[tag.clone()].starts_with('v'));
    part(address, text, tag.start + prefix..tag.end)
}
