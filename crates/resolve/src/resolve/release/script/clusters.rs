//! The clusters that scripts make with eksctl: of a `ClusterConfig` inside of them, or by flags.

use std::{ops::Range, sync::Arc};

use memchr::memmem;

use crate::{
    resolve::{
        gitops::unknown::unknown,
        kubernetes::{Object, objects},
        release::{
            installed::Installed,
            script::{
                arguments::{Arguments, CONFIGURATION, EKSCTL},
                kubectl::Kubectl,
                objects::{Applied, located, texts},
                variables::Script,
            },
        },
    },
    source::{FileId, Files, Span},
    syntax::{
        shell::word::{Command, Word},
        yaml,
    },
    value::{Entry, Kind, Map, Value},
};

const API: &str = "eksctl.io/v1alpha5";
const KIND: &str = "ClusterConfig";

/// Words that change the Kubernetes version of a cluster.
const UPGRADES: &[&[&str]] =
    &[&["upgrade", "cluster"], &["update", "cluster"], &["update-cluster-version"]];
/// Words that change which static nodes a cluster has, or their labels and taints.
const CHANGES_OF_NODES: &[&[&str]] = &[
    &["create", "nodegroup"],
    &["create", "nodegroups"],
    &["create", "ng"],
    &["delete", "nodegroup"],
    &["scale", "nodegroup"],
    &["update", "nodegroup"],
    &["create-nodegroup"],
    &["delete-nodegroup"],
    &["update-nodegroup-config"],
    &["label", "node"],
    &["label", "nodes"],
    &["label", "no"],
    &["taint", "node"],
    &["taint", "nodes"],
    &["taint", "no"],
];
/// Words that add Fargate profiles.
const PROFILES: &[&[&str]] = &[&["create", "fargateprofile"], &["create-fargate-profile"]];
/// Programs that leave the file alone that they are given.
const READERS: &[&str] =
    &["[", "[[", "cat", "chmod", "echo", "eksctl", "if", "less", "ls", "rm", "test"];
/// Switches of eksctl that change no node. Without a group, something else makes the nodes.
const SWITCHES: &[&str] = &[
    "--auto-kubeconfig",
    "--managed",
    "--set-kubeconfig-context",
    "--with-oidc",
    "--write-kubeconfig",
];
/// Other flags of which the same is true.
const OTHER_FLAGS: &[&str] = &[
    "--node-zones",
    "--profile",
    "--tags",
    "--timeout",
    "--verbose",
    "--vpc-cidr",
    "--zones",
    "-p",
    "-v",
];

/// What scripts do to clusters once they are made.
#[derive(Clone, Copy, Debug, Default)]
struct Later {
    upgrades: bool,
    changes_nodes: bool,
    adds_profiles: bool,
}

impl Later {
    /// Whatever there is.
    const ANYTHING: Self = Self { upgrades: true, changes_nodes: true, adds_profiles: true };

    /// What the commands of scripts do.
    fn of(scripts: &[Script]) -> Self {
        let mut found = Self::default();
        for snippet in scripts.iter().flat_map(|it| &it.snippets) {
            for command in &snippet.commands {
                let word = |it: &Word| it.plain(&snippet.text.text).unwrap_or_default();
                let words: Vec<String> = command.words.iter().map(word).collect();
                found.upgrades |= holds(&words, UPGRADES);
                found.changes_nodes |= holds(&words, CHANGES_OF_NODES);
                found.adds_profiles |= holds(&words, PROFILES);
            }
        }
        found
    }

    /// A `ClusterConfig` in which is unknown what changes.
    fn applied_to(self, config: &Value) -> Value {
        let Kind::Map(map) = &config.kind else { return config.clone() };
        let mut entries = map.entries.clone();
        if self.upgrades && !config.at("metadata.version").is_missing() {
            let metadata = entries.iter_mut().filter(|it| &*it.key == "metadata");
            metadata.for_each(|it| it.value = with_unknown(&it.value, "version"));
        }
        let all = Value {
            kind: Kind::Map(Arc::new(Map { entries, rest: map.rest.clone() })),
            ..config.clone()
        };
        let groups = ["managedNodeGroups", "nodeGroups"].into_iter().filter(|_| self.changes_nodes);
        let profiles = ["fargateProfiles"].into_iter().filter(|_| self.adds_profiles);
        groups.chain(profiles).fold(all, |it, key| with_unknown(&it, key))
    }
}

/// Whether words hold one of several sequences, with flags or others between them.
fn holds(words: &[String], sequences: &[&[&str]]) -> bool {
    let is_held = |sequence: &&&[&str]| {
        let mut rest = words.iter();
        sequence.iter().all(|wanted| rest.any(|it| it == wanted))
    };
    sequences.iter().find(is_held).is_some()
}

/// A mapping in which the value of a key is not known.
fn with_unknown(mapping: &Value, key: &str) -> Value {
    let Kind::Map(map) = &mapping.kind else { return mapping.clone() };
    let place = mapping.get(key).present().map_or(mapping.name, |it| it.span);
    let mut entries = map.entries.clone();
    entries.retain(|it| &*it.key != key);
    entries.push(entry(key, place, unknown(place)));
    Value { kind: Kind::Map(Arc::new(Map { entries, rest: map.rest.clone() })), ..mapping.clone() }
}

fn entry(key: &str, place: Span, value: Value) -> Entry {
    Entry { key: key.into(), key_span: place, value }
}

/// Adds the clusters that the commands of scripts make, where they are in no manifest.
pub(super) fn add(files: &Files, scripts: &[Script], root: Option<usize>, found: &mut Installed) {
    let has = |text: &str| memmem::find(text.as_bytes(), b"eksctl").is_some();
    let makes = |it: &&Script| it.snippets.iter().any(|it| has(&it.text.text));
    let making: Vec<&Script> = scripts.iter().filter(makes).collect();
    if making.is_empty() {
        return;
    }
    let later = Later::of(scripts);
    for script in making {
        for config in script.without_defaults(|| configs(files, script)) {
            let is_edited = config.at.is_some_and(|it| is_edited(script, it));
            let later = if is_edited { Later::ANYTHING } else { later };
            let value = with_name(script, &later.applied_to(&config.value));
            let (api_version, kind) = (API.into(), KIND.into());
            found.templates.extend(config.template);
            let object = Object { api_version, kind, value };
            found.held.objects.push(located(script, root, object));
        }
    }
}

/// What eksctl makes a cluster of.
struct Config {
    value: Value,
    /// The snippet and the command that hold its text, where it is in one.
    at: Option<(usize, usize)>,
    /// The template that it is made of.
    template: Option<FileId>,
}

fn configs(files: &Files, script: &Script) -> Vec<Config> {
    let mut found = Vec::new();
    for Applied { at, text, place, template } in texts(files, script, &Kubectl::of_eksctl(script)) {
        let documents = yaml::parse(&text, place);
        let own = documents.values.iter().flat_map(objects);
        let own = own.filter(|it| it.group() == "eksctl.io" && &*it.kind == KIND);
        found.extend(own.map(|it| Config { value: it.value, at: Some(at), template }));
    }
    for (index, snippet) in script.snippets.iter().enumerate() {
        let by_flags = snippet.commands.iter().filter_map(|it| by_flags(script, index, it));
        found.extend(by_flags.map(|value| Config { value, at: None, template: None }));
    }
    found
}

/// A `ClusterConfig` with the name that a variable has by default: whatever it is, the script has the same elsewhere.
fn with_name(script: &Script, config: &Value) -> Value {
    let name = config.at("metadata.name").present();
    let Some(Value { kind: Kind::Unknown(symbol), span, .. }) = name else { return config.clone() };
    let given = symbol.text.strip_prefix('$').and_then(|it| script.given(it));
    let (Some(given), Kind::Map(map)) = (given, &config.kind) else { return config.clone() };
    let mut map = Map::clone(map);
    for metadata in map.entries.iter_mut().filter(|it| &*it.key == "metadata") {
        let Kind::Map(inner) = &metadata.value.kind else { continue };
        let mut inner = Map::clone(inner);
        for it in inner.entries.iter_mut().filter(|it| &*it.key == "name") {
            it.value = Value { span: *span, ..given.clone() };
        }
        metadata.value.kind = Kind::Map(Arc::new(inner));
    }
    Value { kind: Kind::Map(Arc::new(map)), ..config.clone() }
}

/// Whether other commands change the file that a text is written to before eksctl reads it.
fn is_edited(script: &Script, (index, own): (usize, usize)) -> bool {
    let snippet = &script.snippets[index];
    let pipe: Range<usize> = snippet.pipe(own);
    let written: Vec<Value> = pipe.clone().flat_map(|it| script.files_written(index, it)).collect();
    let is_file = |it: &Word| {
        let value = script.value(index, it);
        written.iter().any(|file| file.same_as(&value) == Some(true))
    };
    let edits = |command: &Command| {
        let verb = command.words.first().and_then(|it| it.plain(&snippet.text.text));
        let reads = verb.is_some_and(|it| READERS.contains(&&*it));
        command.output.as_ref().is_some_and(is_file) || !reads && command.words.iter().any(is_file)
    };
    let others = snippet.commands.iter().enumerate().filter(|(at, _)| !pipe.contains(at));
    !written.is_empty() && others.into_iter().any(|(_, it)| edits(it))
}

/// The cluster that a command of eksctl makes by its flags alone, as a `ClusterConfig`: two nodes in a group that EKS
/// manages, unless they say otherwise.
fn by_flags(script: &Script, index: usize, command: &Command) -> Option<Value> {
    let arguments = Arguments::of(script, index, command, &EKSCTL)?;
    let is_by_file = arguments.last(&CONFIGURATION).is_some();
    if is_by_file || arguments.is_open || !arguments.makes_cluster() {
        return None;
    }
    let place = arguments.positional.get(1)?.span;
    let more = arguments.positional.get(2..)?;
    let mut metadata = given(&arguments, METADATA, place);
    if let ([name], None) = (more, arguments.last(NAME)) {
        metadata.push(entry("name", place, name.clone()));
    }
    let mut group = given(&arguments, GROUP, place);
    let labels = arguments.last(LABELS).map(|it| unknown(it.value.span));
    group.extend(labels.map(|it| entry("labels", place, it)));
    let group = Value::list(vec![Value::map(group, place)], place);
    let is_managed =
        arguments.last(&["--managed"]).is_none() || arguments.is_on("--managed") != Some(false);
    let key = if is_managed { "managedNodeGroups" } else { "nodeGroups" };
    let config = Value::map(
        vec![
            entry("apiVersion", place, Value::computed(API, place)),
            entry("kind", place, Value::computed(KIND, place)),
            entry("metadata", place, Value::map(metadata, place)),
            entry(key, place, group),
        ],
        place,
    );
    let is_plain = arguments.flags.iter().all(|it| is_known(&it.name))
        && (more.is_empty() || more.len() == 1 && arguments.last(NAME).is_none());
    let unseen = Later { upgrades: false, ..Later::ANYTHING };
    Some(if is_plain { config } else { unseen.applied_to(&config) })
}

/// The fields that flags give.
fn given(arguments: &Arguments, fields: Fields, place: Span) -> Vec<Entry> {
    let field = |(key, names): &(&str, &[&str])| {
        Some(entry(key, place, arguments.last(names)?.value.clone()))
    };
    fields.iter().filter_map(field).collect()
}

/// Whether a flag says nothing of nodes that is not read.
fn is_known(flag: &str) -> bool {
    let read = METADATA.iter().chain(GROUP).map(|it| it.1);
    read.chain([LABELS, SWITCHES, OTHER_FLAGS]).any(|it| it.contains(&flag))
}

/// Keys, with the flags that give them.
type Fields = &'static [(&'static str, &'static [&'static str])];

const METADATA: Fields =
    &[("name", NAME), ("region", &["--region", "-r"]), ("version", &["--version"])];
const NAME: &[&str] = &["--name", "-n"];
/// Those of a group of nodes.
const GROUP: Fields = &[
    ("name", &["--nodegroup-name"]),
    ("instanceType", &["--node-type", "-t"]),
    ("desiredCapacity", &["--nodes", "-N"]),
    ("minSize", &["--nodes-min", "-m"]),
    ("maxSize", &["--nodes-max", "-M"]),
];
const LABELS: &[&str] = &["--node-labels"];

#[cfg(test)]
mod tests;
