//! Sources of Argo CD Applications that are charts: which chart, and with which values.

use std::{collections::HashMap, sync::Arc};

use globset::{GlobBuilder, GlobSet};

use crate::{
    glob,
    resolve::{
        gitops::{
            argo::own_address,
            repository::{Gathered, Repository, entry, last_part, version, written},
            unknown::unknown,
        },
        helm::{
            self, Values,
            set::{Set, SetKind},
        },
        release::{
            Release, address,
            chart_version::ChartVersion,
            crd_switch::CrdSwitch,
            first_values::{FirstValues, ValuesForm},
            upstream,
        },
        setting::Setting,
    },
    source::{FileId, Span, is_below, join, parent},
    value::{Entry, Field, HOLE_START, Kind, Text, Value},
};

/// A source of an Application.
pub(super) struct ApplicationSource<'a> {
    /// Where its files are looked for.
    pub repository: &'a Repository<'a>,
    /// Its mapping.
    pub body: &'a Value,
    /// What to point at when something is missing.
    pub report_span: Span,
}

/// A folder of this repository that a source applies.
#[derive(Debug)]
pub(crate) struct SourceFolder {
    /// Its path.
    pub path: String,
    /// Whether what lies in folders below counts, too.
    below: bool,
    /// The only files that are applied, if not all are.
    include: Option<GlobSet>,
    /// Those that are not.
    exclude: Option<GlobSet>,
    /// Where the Application is written.
    pub place: Span,
    /// The namespace that objects without one get; `None` where that is not known.
    pub namespace: Option<Value>,
    /// The address of the repository that holds it, which may be another one.
    pub repository: Option<Arc<str>>,
}

impl SourceFolder {
    /// Whether the source applies what lies in a folder, or some of it.
    pub(crate) fn holds(&self, folder: &str) -> bool {
        *folder == *self.path || self.below && is_below(folder, &self.path)
    }

    /// Whether the source applies only some of the files.
    pub(crate) fn is_in_part(&self) -> bool {
        self.include.is_some() || self.exclude.is_some()
    }

    /// Whether the source applies a file.
    pub(crate) fn holds_file(&self, path: &str) -> bool {
        let below = path.strip_prefix(&*self.path).unwrap_or(path).trim_start_matches('/');
        self.holds(parent(path))
            && self.include.as_ref().is_none_or(|it| it.is_match(below))
            && !self.exclude.as_ref().is_some_and(|it| it.is_match(below))
    }
}

/// `directory.include` or `directory.exclude`: a pattern in which `*` stands for slashes, too.
fn file_pattern(source: &Value, key: &str) -> Option<GlobSet> {
    let pattern = source.at(key).present()?.as_str()?;
    glob::matcher(GlobBuilder::new(pattern).literal_separator(false))
}

impl ApplicationSource<'_> {
    /// The path of the source. Where a part of it is not known, it is that of the one chart it can mean.
    fn path(&self) -> Option<String> {
        let Kind::String(path) = &self.body.get("path").present()?.kind else { return None };
        path.known().map(str::to_owned).or_else(|| self.repository.only_chart(path))
    }

    /// The folder of this repository that the source applies.
    pub(super) fn folder(&self) -> Option<SourceFolder> {
        if self.upstream_chart().is_some() {
            return None;
        }
        let path = join("", &self.path()?)?;
        let recurse = self.body.at("directory.recurse").present().and_then(Value::as_bool);
        let builds = ["Chart.yaml", "kustomization.yaml", "kustomization.yml"]
            .iter()
            .any(|it| self.repository.file(&path, it).is_some());
        Some(SourceFolder {
            path,
            below: recurse == Some(true) || builds,
            include: file_pattern(self.body, "directory.include"),
            exclude: file_pattern(self.body, "directory.exclude"),
            place: self.body.span,
            namespace: None,
            repository: self.body.get("repoURL").present().and_then(Value::as_str).map(Arc::from),
        })
    }

    /// Karpenter's own chart, where the source is the chart's folder in upstream's Git repository.
    fn upstream_chart(&self) -> Option<&'static str> {
        let is_of_registry = !self.body.get("chart").is_missing();
        let [address, path] = ["repoURL", "path"].map(|it| self.body.get(it));
        upstream::chart_of(address, path).filter(|_| !is_of_registry)
    }

    /// The version of the chart; of one in a repository of Git, what its revision says.
    fn version(&self, is_published: bool) -> ChartVersion {
        let place = self.report_span;
        let revision = self.body.get("targetRevision");
        if self.upstream_chart().is_some() {
            let revision = version(self.repository.files, revision, place);
            return upstream::version_at(revision.as_ref(), place);
        }
        let revision = if is_published { revision } else { Field::Missing };
        ChartVersion::or_newest(version(self.repository.files, revision, place).as_ref(), place)
    }

    /// The chart's name, or the folder of a local one.
    fn chart(&self) -> Option<(Option<Value>, Option<String>)> {
        match self.body.get("chart") {
            Field::Present(chart) => return Some((Some(last_part(chart)), None)),
            Field::Unknown => return None,
            Field::Missing => {}
        }
        if let Some(name) = self.upstream_chart() {
            return Some((Some(Value::computed(name, self.report_span)), None));
        }
        let address = self.body.get("repoURL").present();
        let path = self.path();
        match address.filter(|it| it.as_str().is_some_and(|it| it.starts_with("oci://"))) {
            Some(address) if path.as_ref().is_none_or(|it| it == "." || it.is_empty()) => {
                Some((Some(last_part(address)), None))
            }
            Some(_) => None,
            None => {
                let plugin = !self.body.get("plugin").is_missing();
                let folder = self.repository.chart("", &path.filter(|_| !plugin)?)?;
                Some((None, Some(folder)))
            }
        }
    }

    /// A release with the chart that the source is, and its values; `None` if it is no chart.
    pub(super) fn install(&self, release: Release) -> Option<Release> {
        let (chart, local_chart) = self.chart()?;
        let helm = entry(self.body, "helm");
        let place = helm.map_or(self.report_span, |it| it.key_span);
        let version = self.version(chart.is_some());
        let repository = written(self.body.get("repoURL"), self.report_span);
        let values = self.values(helm);
        let helm = self.body.get("helm");
        let is_free = helm.get("values").is_missing() && !helm.is_unknown();
        Some(Release {
            name: match helm.get("releaseName") {
                Field::Missing => release.name,
                field => field.present().and_then(Value::as_str).map(Arc::from),
            },
            chart: chart.as_ref().and_then(Value::as_str).unwrap_or_default().into(),
            local_chart,
            repository: address(repository.as_ref(), self.body.get("chart").present()),
            repository_span: repository.map(|it| it.span),
            version,
            skip_crds: Setting::of(helm.get("skipCrds"), Some(false), place, Value::as_bool),
            // Argo CD renders the CRDs with the rest and applies them at each sync.
            upgrade_crds: Setting::default(true, place),
            values: values.value,
            parse_errors: values.parse_errors,
            // An object of values hides a text of them.
            first_values: is_free.then(|| {
                FirstValues::new(self.body, &["helm", "valuesObject"], ValuesForm::Mapping)
            }),
            crd_switch: Some(CrdSwitch::key(self.body, "helm.skipCrds")),
            ..release
        })
    }

    /// Files, then the values in place (an object hides a text), then the parameters.
    fn values(&self, helm: Option<&Entry>) -> Values {
        let place = helm.map_or(self.report_span, |it| it.key_span);
        let helm = self.body.get("helm");
        let mut gathered = Gathered::default();
        if helm.is_unknown() {
            gathered.unknown(place);
        }
        let files = helm.get("valueFiles");
        let lenient = helm.get("ignoreMissingValueFiles").present().and_then(Value::as_bool);
        if let Field::Present(list) = files {
            // One path below two references is in two repositories, of which this is one at most.
            let mut first = HashMap::new();
            for item in list.items() {
                let named = behind_reference(item);
                if named.is_some_and(|(name, path)| *first.entry(path).or_insert(name) != name) {
                    gathered.absent(item.as_str(), item.span);
                    continue;
                }
                self.value_file(item, list.items(), lenient == Some(true), &mut gathered);
            }
        }
        if files.is_unknown()
            || files.present().and_then(Value::as_list).is_some_and(|it| it.rest.is_some())
        {
            gathered.unknown(place);
        }
        let object = helm.get("valuesObject");
        let values = if object.is_missing() { helm.get("values") } else { object };
        gathered.documents.extend(written(values, place));
        let mut merged = helm::values(&gathered.documents, &self.sets(helm), place);
        merged.parse_errors.extend(gathered.parse_errors);
        merged
    }

    fn value_file(&self, item: &Value, all: &[Value], lenient: bool, gathered: &mut Gathered) {
        // They are the chart's own, which are known.
        if self.upstream_chart().is_some() && item.as_str() == Some("values.yaml") {
            return;
        }
        if let Some(id) = self.find(item) {
            gathered.file(self.repository, id, false);
            return;
        }
        // Others of the same place are here, so this one would be.
        let reference = |it: &Value| match &it.kind {
            Kind::String(text) => Some(text.text.strip_prefix('$')?.split('/').next()?.to_owned()),
            _ => None,
        };
        let beside = |it: &Value| reference(it) == reference(item) && self.find(it).is_some();
        let here = all.iter().any(beside);
        match self.possible(item).as_deref() {
            // Only where the repository's files begin is not known.
            Some([only]) if is_known_below_root(item) => {
                gathered.file(self.repository, *only, false);
            }
            Some(possible) if !possible.is_empty() => {
                gathered.one_of(self.repository, possible);
            }
            Some(_) if here && lenient => {}
            _ => gathered.absent(item.as_str(), item.span),
        }
    }

    /// The files of this repository that a path may mean; `None` when it may mean another place.
    fn possible(&self, item: &Value) -> Option<Vec<FileId>> {
        let Kind::String(text) = &item.kind else { return None };
        if text.text.contains("://") {
            return None;
        }
        if let Some(known) = text.known() {
            let local = self.body.get("chart").is_missing() || known.starts_with('$');
            return local.then(Vec::new);
        }
        let start = text.text.strip_prefix('$')?.find('/')? + 2;
        // The name of the reference has to be known.
        let name = text.text.get(..start).filter(|it| !it.contains(HOLE_START))?;
        let rest = Text { text: text.text.get(name.len()..)?.into(), ..text.clone() };
        self.repository.possible_files(&rest)
    }

    /// The value file in this repository.
    fn find(&self, item: &Value) -> Option<FileId> {
        let text = item.as_str()?;
        if let Some(reference) = text.strip_prefix('$') {
            return self.repository.file("", reference.split_once('/')?.1);
        }
        if text.contains("://") {
            return own_address::file(self.repository, text);
        }
        if !self.body.get("chart").is_missing() || self.upstream_chart().is_some() {
            return None;
        }
        let folder = if text.starts_with('/') { String::new() } else { self.path()? };
        self.repository.file(&join("", &folder)?, text)
    }

    /// What the parameters set.
    fn sets(&self, helm: Field<'_>) -> Vec<Set> {
        let mut found = Vec::new();
        for key in ["parameters", "fileParameters"] {
            let field = helm.get(key);
            let list = field.present();
            for item in list.map_or(&[][..], Value::items) {
                let Field::Present(name) = item.get("name") else { continue };
                let forced = item.get("forceString").present().and_then(Value::as_bool);
                let value = match item.get("value") {
                    Field::Present(value) => value.clone(),
                    _ => self.text_of(item.get("path")).unwrap_or_else(|| unknown(item.span)),
                };
                let kind = if forced == Some(true) || key == "fileParameters" {
                    SetKind::Text
                } else {
                    SetKind::Auto
                };
                found.push(Set { name: name.clone(), value, kind });
            }
            let open = list.and_then(Value::as_list).is_some_and(|it| it.rest.is_some());
            if let (true, Some(list)) = (field.is_unknown() || open, list) {
                let anything = unknown(list.span);
                found.push(Set { name: anything.clone(), value: anything, kind: SetKind::Auto });
            }
        }
        found
    }

    /// What a file of this repository holds.
    fn text_of(&self, path: Field<'_>) -> Option<Value> {
        Some(self.repository.text_of(self.find(path.present()?)?))
    }
}

/// The reference of a value file and its path: `$platform/values.yaml`.
fn behind_reference(item: &Value) -> Option<(&str, &str)> {
    item.as_str()?.strip_prefix('$')?.split_once('/')
}

/// Whether of the path of a value file, behind the reference to its source, only the beginning is not known.
fn is_known_below_root(item: &Value) -> bool {
    let Kind::String(text) = &item.kind else { return false };
    let path = text.text.split_once('/').map_or("", |(_, path)| path);
    path.starts_with(HOLE_START) && path.matches(HOLE_START).count() == 1
}
