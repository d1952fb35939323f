//! Resources of Terraform that are there for the commands they run (`null_resource`, `terraform_data`), where these apply
//! Karpenter's pools or CRDs.

use std::{
    borrow::Cow,
    cell::OnceCell,
    collections::{HashMap, HashSet},
};

use crate::{
    findings::subject::Subject,
    model::{command_files, crds},
    resolve::terraform::{
        Terraform,
        object::{BlockInstance, GraphNode, Mode},
        root::Root,
    },
    source::{FileId, Files, Span, file_name, is_below, join, parent},
    value::{Field, HOLE_END, Kind, Value},
};

/// A resource that runs commands when it is made, which apply pools or CRDs.
#[derive(Clone, Debug)]
pub struct LocalRun {
    /// Its root module.
    pub root: usize,
    /// Its node in the root's graph.
    pub node: GraphNode,
    /// The resource's header.
    pub header: Span,
    /// What a finding about it is about.
    pub subject: Subject,
    /// Its type: `null_resource`.
    pub kind: Box<str>,
    /// What its commands apply: `NodePool`, or their predecessor.
    pub pools: Option<&'static str>,
    /// Whether its commands wait until the CRDs are there.
    pub waits_for_crds: bool,
    /// Whether it is there only where a variable is set.
    pub is_optional: bool,
    /// The files with its commands: its own, and those of scripts that it runs.
    files: Vec<FileId>,
    /// How often its commands apply Karpenter's CRDs, if they do.
    crds: Option<Frequency>,
}

/// How often commands run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frequency {
    /// When their resource is made: nothing makes them run again.
    Once,
    /// Again when something changes.
    Again,
}

/// The types of such resources.
pub const RUNNERS: [&str; 2] = ["null_resource", "terraform_data"];
/// What makes them run again.
const TRIGGERS: [&str; 3] = ["triggers", "triggers_replace", "lifecycle"];
/// The pools, as their manifests write them.
const POOLS: [(&str, &str); 2] =
    [("kind: NodePool", "NodePool"), ("kind: Provisioner", "Provisioner")];

/// The resources of all roots whose commands apply pools or CRDs.
#[must_use]
pub(super) fn all(files: &Files, terraform: &Terraform) -> Vec<LocalRun> {
    let files = &Named { files, by_name: OnceCell::new() };
    let mut known: HashSet<(usize, Span)> = HashSet::new();
    let mut found: Vec<LocalRun> = Vec::new();
    for (index, root) in terraform.roots.iter().enumerate() {
        for block in RUNNERS.into_iter().flat_map(|it| root.of(Mode::Resource, it)) {
            let place = (index, block.header);
            if let Some(run) =
                (!known.contains(&place)).then(|| read(files, (index, root), block)).flatten()
            {
                known.insert(place);
                found.push(run);
            }
        }
    }
    found
}

/// Files, which are found by their names, too.
struct Named<'f> {
    files: &'f Files,
    by_name: OnceCell<HashMap<&'f str, Vec<FileId>>>,
}

impl Named<'_> {
    /// The files of a name, in the order of their paths.
    fn called(&self, name: &str) -> &[FileId] {
        let by_name = self.by_name.get_or_init(|| {
            let mut by_name: HashMap<&str, Vec<FileId>> = HashMap::new();
            for (id, file) in self.files.iter() {
                by_name.entry(file.name()).or_default().push(id);
            }
            by_name
        });
        by_name.get(name).map_or(&[], Vec::as_slice)
    }
}

fn read(
    files: &Named<'_>,
    (index, root): (usize, &Root),
    block: &BlockInstance,
) -> Option<LocalRun> {
    let made = provisioners(block).iter().filter(|it| !runs_on_destroy(it));
    let commands: Vec<&str> = made.filter_map(command).collect();
    if !commands.iter().any(|it| it.contains("kubectl") || it.contains(".sh")) {
        return None;
    }
    let folders = [&*block.folder, &*root.folder];
    let mut texts: Vec<(Option<FileId>, Cow<'_, str>)> = Vec::new();
    for text in commands {
        texts.push((None, text.into()));
        let scripts =
            text.split_whitespace().filter(|it| trimmed(it).strip_suffix(".sh").is_some());
        for id in scripts.filter_map(|it| file_of(files, &folders, it)) {
            let text = files.files.get(id).skim(|it| it.to_owned().replace('\r', ""));
            texts.push((Some(id), text.into()));
        }
    }
    let pools = texts.iter().find_map(|(id, text)| {
        let own = id.map(|it| files.files.get(it).folder());
        let folders: Vec<&str> = own.into_iter().chain(folders).collect();
        applied_pools(files, &folders, text)
    });
    let applies_crds = texts.iter().any(|(_, it)| applies(it) && crds::are_named_in(it));
    let is_once = TRIGGERS.iter().all(|it| block.body.get(it).is_missing());
    let frequency = if is_once { Frequency::Once } else { Frequency::Again };
    (pools.is_some() || applies_crds).then(|| LocalRun {
        root: index,
        node: block.node,
        header: block.header,
        subject: block.subject(index),
        kind: (*block.kind).into(),
        pools,
        waits_for_crds: texts.iter().any(|(_, it)| waits_for_crds(it)),
        is_optional: root.is_off(block),
        files: texts.iter().map(|(id, _)| id.unwrap_or(block.header.file)).collect(),
        crds: applies_crds.then_some(frequency),
    })
}

/// The provisioners of a resource.
#[must_use]
pub fn provisioners(block: &BlockInstance) -> &[Value] {
    match block.body.get("provisioner") {
        Field::Present(list) => list.items(),
        _ => &[],
    }
}

/// Whether a provisioner runs before its resource is destroyed, or may: `when = create` is what it does without.
#[must_use]
pub fn runs_on_destroy(provisioner: &Value) -> bool {
    let when = match provisioner.get("when") {
        Field::Missing => return false,
        Field::Unknown => return true,
        Field::Present(value) => value,
    };
    match &when.kind {
        Kind::Unknown(symbol) => &*symbol.text != "create",
        _ => when.as_str() != Some("create"),
    }
}

fn command(provisioner: &Value) -> Option<&str> {
    match &provisioner.get("command").present()?.kind {
        Kind::String(text) => Some(&text.text),
        _ => None,
    }
}

fn applies(text: &str) -> bool {
    text.contains("kubectl") && (text.contains(" apply") || text.contains(" create "))
}

/// The pools that commands apply: those of a text among them, or of files that they name.
fn applied_pools(files: &Named<'_>, folders: &[&str], text: &str) -> Option<&'static str> {
    if !applies(text) {
        return None;
    }
    let of_file = |word: &str| {
        let named = file_of(files, folders, word)?;
        files.files.get(named).skim(pools_of)
    };
    pools_of(text).or_else(|| {
        let commands = command_files::commands(text).into_iter();
        let commands = commands.filter_map(|it| text.get(it)).filter(|it| applies(it));
        let words = commands.flat_map(str::split_whitespace);
        words.filter(|it| is_manifest(it)).find_map(of_file)
    })
}

/// The pools of Karpenter's own that a text holds; those of EKS Auto Mode are AWS's to remove.
fn pools_of(text: &str) -> Option<&'static str> {
    if !text.contains("karpenter.sh/") || text.contains("eks.amazonaws.com") {
        return None;
    }
    let has = |line: &str| text.lines().any(|it| it.trim_end().trim_start_matches("- ") == line);
    POOLS.into_iter().find(|(line, _)| has(line)).map(|it| it.1)
}

fn is_manifest(word: &str) -> bool {
    let word = trimmed(word);
    [".yaml", ".yml", ".tpl", ".tmpl", ".tftpl"].iter().any(|it| word.ends_with(it))
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(['"', '\'', ';', ')', '(', '`', ','])
}

/// The file that a word of a command names: by its path from some folders, or where the folder is a variable's, by its
/// name, which no other file below these folders has.
fn file_of(files: &Named<'_>, folders: &[&str], word: &str) -> Option<FileId> {
    let word = trimmed(word);
    let after_hole = word.rsplit(HOLE_END).next().unwrap_or(word);
    let by_path = folders.iter().filter_map(|it| join(it, after_hole.trim_start_matches('/')));
    if !after_hole.contains('$') {
        let paths = by_path.chain(join("", word));
        return paths.filter_map(|it| files.files.find(&it)).min();
    }
    let name = file_name(after_hole);
    let near = |folder: &str| {
        folders.iter().any(|it| is_below(folder, it) || is_below(folder, parent(it)))
    };
    let named = files.called(name).iter().copied();
    let mut named = named.filter(|it| near(files.files.get(*it).folder()));
    let only = named.next()?;
    named.next().is_none().then_some(only)
}

/// Whether commands go on only when the CRDs are there.
fn waits_for_crds(text: &str) -> bool {
    let asks = |it: &str| {
        let is_of_crds = it.contains(" crd") || it.contains("customresourcedefinition");
        it.contains("kubectl") && is_of_crds && (it.contains(" wait") || it.contains(" get"))
    };
    text.lines().any(asks)
}

/// The one resource by which CRDs are applied once, where all that applies CRDs is in its commands.
#[must_use]
pub(super) fn applies_crds_once(runs: &[LocalRun], applied_in: &[FileId]) -> Option<usize> {
    let mut own = runs.iter().enumerate().filter(|(_, it)| it.crds.is_some());
    let (index, only) = own.next()?;
    let holds_all = !applied_in.is_empty() && applied_in.iter().all(|it| only.files.contains(it));
    (own.next().is_none() && only.crds == Some(Frequency::Once) && !only.is_optional && holds_all)
        .then_some(index)
}

/// Whether a file beside the commands of a resource names Karpenter's CRDs, or one of its scripts: somebody may apply
/// them by that.
#[must_use]
pub(super) fn are_named_elsewhere(files: &Files, run: &LocalRun) -> bool {
    let own = &run.files;
    let scripts: Vec<&str> =
        own.iter().filter(|it| **it != run.header.file).map(|it| files.get(*it).name()).collect();
    let names = |text: &str| crds::are_named_in(text) || scripts.iter().any(|it| text.contains(it));
    let others = files.iter().filter(|(id, it)| {
        !own.contains(id) && *id != run.header.file && command_files::may_hold_commands(it)
    });
    others.into_iter().any(|(_, it)| it.skim(names))
}
