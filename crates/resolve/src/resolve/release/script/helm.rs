//! What a script installs with `helm`.

use std::{collections::HashMap, mem, sync::Arc};

use crate::{
    findings::subject::Subject,
    resolve::{
        gitops::repository::{Gathered, Repository, anything, last_part, part},
        helm::{
            self, Values,
            set::{Set, SetKind},
        },
        release::{
            Means, Release, address,
            chart_address::ChartAddress,
            chart_archive,
            chart_version::{ChartVersion, Pin},
            crd_switch::CrdSwitch,
            script::{
                arguments::{Arguments, CD, Flag, HELM, POPD, PUSHD},
                kubectl::Kubectl,
                path,
                variables::Script,
            },
        },
        scope::Scope,
        setting::Setting,
    },
    source::{FileId, Span, join, outward},
    syntax::{json, shell::word::Command},
    value::{HOLE_START, Kind, Symbol, Text, Value},
};

/// Flags that keep values of an earlier release, or change what the chart makes of its values.
const EXTERNAL: &[&str] = &["--reuse-values", "--reset-then-reuse-values", "--post-renderer"];

/// Reads the commands of a script.
pub(super) struct Helm<'a> {
    repository: &'a Repository<'a>,
    script: &'a Script,
    scope: &'a Scope,
    means: &'a Means,
    /// The folder that paths are relative to.
    folder: Arc<str>,
    /// The folders that `popd` goes back to, the last one first.
    left: Vec<Arc<str>>,
    /// The addresses that `helm repo add` gave names.
    repositories: HashMap<String, Value>,
}

impl<'a> Helm<'a> {
    pub(super) fn new(
        repository: &'a Repository<'a>,
        script: &'a Script,
        scope: &'a Scope,
        means: &'a Means,
    ) -> Self {
        let folder = Arc::clone(&script.folder);
        let (left, repositories) = (Vec::new(), HashMap::new());
        Self { repository, script, scope, means, folder, left, repositories }
    }

    /// What its commands install, one after the other.
    pub(super) fn releases(mut self) -> Vec<Release> {
        let mut found = Vec::new();
        let kubectl = Kubectl::new(self.script);
        for (index, snippet) in self.script.snippets.iter().enumerate() {
            self.folder = Arc::clone(&self.script.folder);
            self.left.clear();
            if let Some(within) = &snippet.within {
                self.folder = self.around(within);
            }
            for (at, command) in snippet.commands.iter().enumerate() {
                self.follow(index, command);
                let Some(arguments) = Arguments::of(self.script, index, command, &HELM) else {
                    continue;
                };
                self.add_repository(&arguments);
                let applied = kubectl.applies_output((index, at));
                found.extend(self.release(&arguments, applied));
            }
        }
        found
    }

    /// The folder that a step names: it is there below that of the script, or below one around it.
    fn around(&self, path: &str) -> Arc<str> {
        let own = &self.script.folder;
        let mut folders = outward(own).filter_map(|it| join(it, path));
        let found = folders.find(|it| self.repository.holds_folder(it));
        found.map_or_else(|| Arc::clone(own), Into::into)
    }

    /// Changes the folder as `cd`, `pushd` and `popd` do.
    fn follow(&mut self, snippet: usize, command: &Command) {
        let run = |program| Arguments::of(self.script, snippet, command, program);
        if let Some(to) = run(&CD) {
            self.folder = self.changed(&to);
        } else if let Some(to) = run(&PUSHD) {
            let to = self.changed(&to);
            self.left.push(mem::replace(&mut self.folder, to));
        } else if run(&POPD).is_some()
            && let Some(before) = self.left.pop()
        {
            self.folder = before;
        }
    }

    /// The folder that `cd` leads to, from the folder before or, in another recipe, from that of the script; the
    /// latter where it is not known or not in the repository.
    fn changed(&self, to: &Arguments) -> Arc<str> {
        let path = to.positional.first().and_then(Value::as_str);
        let is_there = |it: &String| self.repository.holds_folder(it);
        let folder = path.and_then(|path| {
            let from = [&self.folder, &self.script.folder];
            from.into_iter().filter_map(|it| join(it, path)).find(is_there)
        });
        folder.map_or_else(|| Arc::clone(&self.script.folder), Into::into)
    }

    fn add_repository(&mut self, arguments: &Arguments) {
        if let [repo, add, name, rest @ ..] = &*arguments.positional
            && (repo.as_str(), add.as_str()) == (Some("repo"), Some("add"))
            && let (Some(name), Some(url)) = (name.as_str(), rest.first())
        {
            self.repositories.insert(name.to_owned(), url.clone());
        }
    }

    /// The release that a command installs; `None` where it installs none, or it is not known of which chart.
    fn release(&self, arguments: &Arguments, applied: bool) -> Option<Release> {
        let (verb, named) = arguments.positional.split_first()?;
        let renders = verb.as_str() == Some("template");
        let installs = matches!(verb.as_str(), Some("install" | "upgrade"));
        if !(installs || renders && applied) || arguments.last(&["--dry-run"]).is_some() {
            return None;
        }
        let (name, written) = match named {
            [chart] => (None, chart),
            [name, chart, ..] => (Some(name), chart),
            [] => return None,
        };
        let report_span = self.place(name.unwrap_or(written));
        let (at, file) = (written.span.end as usize, written.span.file);
        let (written, tag) = &split_tag(written);
        let (chart, local) = self.chart(written)?;
        let repository = self.repository_of(arguments, written);
        let values = self.values(arguments, report_span);
        let namespace = arguments.last(&["-n", "--namespace"]).map(|it| &it.value);
        let (skip, upgrade) = Self::crds(arguments, renders, report_span);
        let is_literal = arguments.last(&["--skip-crds"]).is_none() && !renders;
        let end = Span::new(file, at, at);
        Some(Release {
            name: name.and_then(Value::as_str).map(Into::into),
            chart: if local.is_some() { "".into() } else { chart.as_str()?.into() },
            repository: address(repository, Some(written)),
            repository_span: Some(repository.unwrap_or(written).span),
            chart_address: self.address(arguments, repository, written),
            version: version(arguments, (written, tag.as_ref()), local.is_some(), report_span),
            local_chart: local,
            namespace: Setting::text(namespace, report_span),
            crd_switch: (is_literal && written.steps().next().is_none())
                .then_some(CrdSwitch::Flag { end, text: " --skip-crds" }),
            skip_crds: skip,
            upgrade_crds: upgrade,
            values: values.value,
            parse_errors: values.parse_errors,
            has_external_values: arguments.last(EXTERNAL).is_some(),
            subject: Some(Subject::default()),
            ..Release::new(self.means.clone(), self.scope.clone(), report_span)
        })
    }

    /// Where a word of a command is: the text that it has, unless that comes from a file that the script reads.
    fn place(&self, word: &Value) -> Span {
        let own = self.script.place().file;
        let mut places = std::iter::once(word.span).chain(word.steps().map(|it| it.span));
        places.find(|it| it.file == own).unwrap_or(word.span)
    }

    /// The chart's name, and its folder if it lies in this repository.
    fn chart(&self, written: &Value) -> Option<(Value, Option<String>)> {
        let Kind::String(path) = &written.kind else { return None };
        if let Some(local) = path::chart(self.repository, &self.folder, path) {
            return Some((last_part(written), Some(local)));
        }
        let text = written.as_str()?;
        if let Some((chart, _)) = chart_archive::named(text).filter(|_| !text.contains("://")) {
            let chart = Value { kind: Kind::String(Text::computed(chart)), ..written.clone() };
            return Some((chart, None));
        }
        let is_path = text.starts_with(['.', '/']) || text.strip_suffix(".tgz").is_some();
        let is_address = text.contains("://");
        let is_named = is_address || text.matches('/').count() < 2;
        (!is_path && is_named).then(|| (last_part(written), None))
    }

    /// Where the chart comes from, beside what its name says.
    fn repository_of<'v>(&'v self, arguments: &'v Arguments, chart: &Value) -> Option<&'v Value> {
        if let Some(flag) = arguments.last(&["--repo"]) {
            return Some(&flag.value);
        }
        let (alias, _) = chart.as_str()?.split_once('/')?;
        self.repositories.get(alias)
    }

    /// The words that name the repository; `None` where a flag does whose value comes from elsewhere.
    fn address(
        &self,
        arguments: &Arguments,
        repository: Option<&Value>,
        chart: &Value,
    ) -> Option<ChartAddress> {
        let repo = match arguments.last(&["--repo"]) {
            None => None,
            Some(flag) => Some(self.script.snippets.get(flag.snippet)?.with_blank(flag)?),
        };
        repository.map(|_| ChartAddress::Command { chart: chart.clone(), repo })
    }

    /// Whether the chart's CRDs are left alone, and whether they are brought up to date.
    fn crds(arguments: &Arguments, renders: bool, place: Span) -> (Setting<bool>, Setting<bool>) {
        let flag = if renders { "--include-crds" } else { "--skip-crds" };
        let setting = match (arguments.last(&[flag]), arguments.is_on(flag)) {
            (Some(it), on) => Setting::written(&it.value, |_| on),
            (None, Some(on)) => Setting::default(on, place),
            (None, None) => Setting::unknown(place),
        };
        if renders {
            (setting.turned(), setting)
        } else {
            (setting, Setting::default(false, place))
        }
    }

    fn values(&self, arguments: &Arguments, place: Span) -> Values {
        let mut gathered = Gathered::default();
        let mut sets = Vec::new();
        for flag in &arguments.flags {
            match &*flag.name {
                "-f" | "--values" => self.value_files(flag, &mut gathered),
                "--set" => self.add_sets(flag, SetKind::Auto, &mut sets),
                "--set-string" | "--set-literal" => self.add_sets(flag, SetKind::Text, &mut sets),
                "--set-json" | "--set-file" => self.add_sets(flag, SetKind::List, &mut sets),
                _ => {}
            }
        }
        if arguments.is_open {
            gathered.documents.insert(0, anything(place));
        }
        let mut merged = helm::values(&gathered.documents, &sets, place);
        merged.parse_errors.extend(gathered.parse_errors);
        merged
    }

    fn value_files(&self, flag: &Flag, gathered: &mut Gathered) {
        let Kind::String(text) = &flag.value.kind else {
            return gathered.unknown(flag.value.span);
        };
        let found = path::find(self.repository.files, &self.folder, text);
        let possible = || self.possible_files(text).filter(|it| !it.is_empty());
        let written = self.script.text_written(flag.snippet, flag.word.range.start, &flag.value);
        if let Some(written) = written {
            return gathered.text(&written);
        }
        match (found, text.known()) {
            (Some(id), _) => gathered.file(self.repository, id, false),
            (None, Some(path)) => gathered.absent(Some(path), flag.value.span),
            // Which of several files it is does not matter for what all of them hold.
            (None, None) => match possible() {
                Some(files) if path::is_inside(text) => {
                    gathered.surely_one_of(self.repository, &files);
                }
                Some(files) => gathered.one_of(self.repository, &files),
                None => gathered.unknown(flag.value.span),
            },
        }
    }

    /// The files that a path with unknown parts may mean: of the folder that the command runs in, else of the root.
    fn possible_files(&self, path: &Text) -> Option<Vec<FileId>> {
        let straight = join("", &path.text).filter(|_| path.text.starts_with("./"));
        let path =
            &Text { text: straight.map_or_else(|| path.text.clone(), Into::into), ..path.clone() };
        let below = |it: &Text| self.repository.possible_files(it);
        let plain = path.text.trim_start_matches("./");
        if !self.folder.is_empty() && !plain.starts_with([HOLE_START, '/', '~', '.']) {
            let text = format!("{}/{plain}", self.folder).into();
            let found = below(&Text { text, ..path.clone() });
            if found.as_ref().is_none_or(|it| !it.is_empty()) {
                return found;
            }
        }
        below(path)
    }

    /// What a file of the repository holds.
    fn text_of(&self, path: &Value) -> Option<Value> {
        let Kind::String(text) = &path.kind else { return None };
        let id = path::find(self.repository.files, &self.folder, text)?;
        Some(self.repository.text_of(id))
    }

    fn add_sets(&self, flag: &Flag, kind: SetKind, sets: &mut Vec<Set>) {
        let is_in_file = flag.name == "--set-file";
        let snippet = flag.snippet;
        let text = &*self.script.snippets[snippet].text.text;
        let mut depth = 0_i32;
        let mut between = |before: char, letter: char| {
            depth +=
                i32::from(matches!(letter, '{' | '[')) - i32::from(matches!(letter, '}' | ']'));
            letter == ',' && depth == 0 && before != '\\'
        };
        for word in flag.word.split(text, &mut between) {
            let mut seen = false;
            let parts =
                word.split(text, &mut |_, it| it == '=' && !std::mem::replace(&mut seen, true));
            let name = parts.first().map(|it| self.script.value(snippet, it));
            let value = parts.get(1).map(|it| self.script.value(snippet, it));
            // `CLUSTER=""` at the top of a script is for people to fill in.
            let is_form = |it: &Value| it.as_str() == Some("") && it.origin.is_some();
            let value = value.filter(|it| !is_form(it));
            let value = if is_in_file { value.and_then(|it| self.text_of(&it)) } else { value };
            let value = value.unwrap_or_else(|| {
                Value::unknown(Symbol::new("script", "--set"), word_span(name.as_ref(), flag))
            });
            let value = if flag.name == "--set-json" { of_json(value) } else { value };
            sets.extend(name.map(|name| Set { name, value, kind }));
        }
    }
}

/// The address of a chart in a registry, and the tag behind it: `oci://…/karpenter:1.8.2`. A digest says nothing of
/// the version.
fn split_tag(written: &Value) -> (Value, Option<Value>) {
    let whole = || (written.clone(), None);
    let Kind::String(text) = &written.kind else { return whole() };
    let (address, digest) = match text.text.split_once('@') {
        Some((address, _)) => (address, true),
        None => (&*text.text, false),
    };
    let name = address.rfind('/').unwrap_or_default();
    let colon = address[name..].find(':').map(|it| name + it);
    if !address.starts_with("oci://") || (colon.is_none() && !digest) {
        return whole();
    }
    let end = colon.unwrap_or(address.len());
    let tag = match colon {
        Some(at) => part(written, text, at + 1..address.len()),
        None => Value::unknown(Symbol::new("place", "digest"), written.span),
    };
    (part(written, text, 0..end), Some(tag))
}

fn word_span(name: Option<&Value>, flag: &Flag) -> Span {
    name.map_or(flag.value.span, |it| it.span)
}

/// The value a text of JSON holds.
fn of_json(value: Value) -> Value {
    match &value.kind {
        Kind::String(text) => {
            let read = json::parse(text, value.span).values.into_iter().next();
            read.unwrap_or_else(|| Value::unknown(Symbol::new("place", "--set-json"), value.span))
        }
        _ => value,
    }
}

/// The version of a chart, and what fixes it.
fn version(
    arguments: &Arguments,
    (chart, tag): (&Value, Option<&Value>),
    is_local: bool,
    place: Span,
) -> ChartVersion {
    if let Some((_, version)) = chart.as_str().and_then(chart_archive::named) {
        return ChartVersion::of_archive(chart, version);
    }
    let written = arguments.last(&["--version"]).map(|it| &it.value).or(tag);
    let pin = match written {
        _ if is_local => Pin::Elsewhere,
        Some(_) => Pin::Written,
        None if arguments.is_open => Pin::Elsewhere,
        None => Pin::Newest,
    };
    let mut version = ChartVersion::new(written, pin, place);
    // What else reads the variable is not known.
    if written.is_some_and(|it| it.steps().next().is_some()) {
        version.literal = None;
    }
    version
}
