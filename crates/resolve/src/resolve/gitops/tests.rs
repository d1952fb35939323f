//! Small repositories in memory, and what is read of them.

mod argo;
mod chart;
mod flux;
mod helmfile;

use crate::{
    resolve::{
        gitops::{self, GitOps},
        kubernetes,
        release::{Release, unit::Unit},
        setting::Setting,
    },
    source::{FileId, Files, SourceFile, Span},
    value::{Kind, Value},
};

/// A repository and what was read of it.
struct Repo {
    files: Files,
    releases: Vec<Release>,
    all: GitOps,
}

impl Repo {
    fn new(files: &[(&str, &str)]) -> Self {
        let list = files.iter().map(|(path, text)| SourceFile::new(*path, *text)).collect();
        let files = Files::new(list);
        let yaml = |(id, file): (FileId, &SourceFile)| {
            [".yaml", ".json"].iter().any(|it| file.path().ends_with(it)).then_some(id)
        };
        let ids: Vec<FileId> = files.iter().filter_map(yaml).collect();
        let manifests = kubernetes::manifests::read(&files, &ids, gitops::TOOLS);
        let (releases, mut all) = gitops::from_objects(&files, &ids, &manifests.of_tools);
        all.parse_errors.extend(manifests.parse_errors);
        Self { files, releases, all }
    }

    /// The first release of the unit with a name.
    fn release(&self, name: &str) -> &Release {
        let names: Vec<&str> = self.releases.iter().map(called).collect();
        let at = names.iter().position(|it| *it == name);
        &self.releases[at.unwrap_or_else(|| panic!("{name} in {names:?}"))]
    }

    /// Whether the release of one unit waits for that of another.
    fn waits(&self, from: &str, to: &str) -> Option<bool> {
        self.all.waits_for(self.release(from), self.release(to))
    }

    /// A place as `path:line`.
    fn place(&self, span: Span) -> String {
        let file = self.files.get(span.file);
        format!("{}:{}", file.path(), file.line_of(span.start as usize) + 1)
    }

    /// A value as `text at path:line`; unknown ones as `?symbol`.
    fn shown(&self, value: Option<&Value>) -> String {
        let Some(value) = value else { return "nothing".to_owned() };
        let text = match &value.kind {
            Kind::Unknown(symbol) => return format!("?{}", symbol.text),
            Kind::String(text) => text.text.to_string(),
            Kind::Bool(flag) => flag.to_string(),
            Kind::Number(number) => number.to_string(),
            Kind::Null => "null".to_owned(),
            Kind::List(list) => format!("{} items", list.items.len()),
            Kind::Map(map) => format!("{} entries", map.entries.len()),
        };
        format!("{text} at {}", self.place(value.span))
    }

    /// The value at a path of a release's values.
    fn value(&self, release: &Release, path: &str) -> String {
        match release.values.at(path) {
            crate::value::Field::Unknown => "unknown".to_owned(),
            field => self.shown(field.present()),
        }
    }

    fn switch(&self, switch: &Setting<bool>) -> String {
        let on = switch.known().map_or("unknown".to_owned(), ToString::to_string);
        let how = if switch.is_written() { "written" } else { "default" };
        format!("{on}, {how} at {}", self.place(switch.span()))
    }
}

/// The name of what installs a release.
fn called(release: &Release) -> &str {
    release.unit().and_then(|it| it.name.as_deref()).unwrap_or_default()
}

fn unit(release: &Release) -> &Unit {
    release.unit().unwrap_or_else(|| panic!("a unit installs {}", release.title()))
}

/// The texts of the tests, cut and spliced: nothing of it may panic, whatever it means.
#[test]
fn broken_files_are_survived() {
    let texts = [
        argo::SET,
        argo::APPLICATION,
        flux::RELEASE,
        helmfile::HELMFILE,
        chart::CLUSTER,
        chart::CHART,
    ];
    for (index, text) in texts.iter().enumerate() {
        let other = texts[(index + 1) % texts.len()];
        for at in (0..text.len()).step_by(5).filter(|it| text.is_char_boundary(*it)) {
            let spliced = format!("{}{}", &text[..at], &other[other.len() / 2..]);
            let without = format!("{}{}", &text[..at], text.get(at + 9..).unwrap_or_default());
            let repo = Repo::new(&[
                ("helmfile.yaml", &text[..at]),
                ("a/Chart.yaml", &spliced),
                ("a/values.yaml", &without),
                ("a/templates/x.yaml", &without),
                ("b.yaml", &spliced),
            ]);
            for release in &repo.releases {
                let _ = repo.all.waits_for(&repo.releases[0], release);
            }
        }
    }
}
