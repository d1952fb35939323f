//! A chart at several versions, rendered: the workloads that it makes and their PDBs.

use std::{fs, io, path::Path, sync::Arc};

use karplint_core::{
    source::{FileId, Span},
    syntax::yaml,
    value::Value,
    version::Version,
};
use karplint_helm::helm::{
    chart::{Chart, ChartFile, Content, Place, archives::Archives},
    cluster::Assumptions,
    release::Release,
    render::render,
};

/// The release's name, by which labels with it are told from others.
pub(crate) const RELEASE: &str = "karplint-release";

/// A version of a chart.
pub(crate) struct ChartVersion {
    /// The version.
    pub version: Version,
    /// The chart with its dependencies.
    pub chart: Chart,
}

/// What a rendering makes.
#[derive(Default)]
pub(crate) struct Made {
    /// The Deployments, StatefulSets and DaemonSets, in the order of their kinds and names.
    pub workloads: Vec<Workload>,
    /// The PDBs.
    pdbs: Vec<Value>,
    /// How many objects scale workloads.
    pub scalers: usize,
    /// Why files could not be rendered.
    pub errors: Vec<String>,
}

/// A workload.
pub(crate) struct Workload {
    /// `DaemonSet`, `Deployment` or `StatefulSet`.
    pub kind: String,
    /// Its name without the release's.
    pub name: String,
    /// All of it.
    pub object: Value,
}

fn has_ending(path: &str, ending: &str) -> bool {
    Path::new(path).extension().is_some_and(|it| it == ending)
}

/// The versions of a chart in a folder, at any depth, the oldest first: folders with a `Chart.yaml`, and
/// archives. Archives of other charts are where dependencies are looked for.
///
/// # Errors
/// When a folder cannot be read.
pub(crate) fn versions(name: &str, folder: &Path) -> io::Result<Vec<ChartVersion>> {
    let mut found = Found::default();
    found.search(folder)?;
    let archives = Archives::new(found.archives.iter().cloned());
    let place = Span::new(FileId(0), 0, 0);
    let packed = found.archives.iter().filter(|(file, _)| file.starts_with(name));
    let packed = packed.filter_map(|(_, bytes)| Chart::from_archive(bytes, place).ok());
    let mut all: Vec<ChartVersion> = packed
        .chain(found.charts)
        .filter(|it| it.metadata.name == name)
        .filter_map(|mut chart| {
            let version = Version::parse(chart.metadata.version.trim_start_matches('v'))?;
            chart.complete(&archives);
            Some(ChartVersion { version, chart })
        })
        .collect();
    all.sort_by(|a, b| a.version.cmp(&b.version));
    all.dedup_by(|a, b| a.version == b.version);
    Ok(all)
}

/// Charts and archives in a folder.
#[derive(Default)]
struct Found {
    charts: Vec<Chart>,
    archives: Vec<(String, Arc<[u8]>)>,
}

#[expect(clippy::disallowed_methods, reason = "this is where upstream charts are read")]
impl Found {
    fn search(&mut self, folder: &Path) -> io::Result<()> {
        if folder.join("Chart.yaml").is_file() {
            self.charts.extend(Chart::load(files_of(folder)?).ok());
            return Ok(());
        }
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && !name.starts_with('.') {
                self.search(&path)?;
            } else if has_ending(&name, "tgz") {
                self.archives.push((name, fs::read(&path)?.into()));
            }
        }
        Ok(())
    }
}

/// The files of a chart in a folder.
///
/// # Errors
/// When one cannot be read.
pub(crate) fn files_of(folder: &Path) -> io::Result<Vec<ChartFile>> {
    let mut files = Vec::new();
    list(folder, folder, &mut files)?;
    Ok(files)
}

/// The files of a chart.
#[expect(clippy::disallowed_methods, reason = "this is where upstream charts are read")]
fn list(root: &Path, folder: &Path, files: &mut Vec<ChartFile>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(root, &path, files)?;
            continue;
        }
        let inside = path.strip_prefix(root).unwrap_or(&path);
        let inside = inside.to_string_lossy().replace('\\', "/");
        let bytes = fs::read(&path)?;
        let content = Content::of(bytes);
        let number = u32::try_from(files.len()).unwrap_or(u32::MAX);
        files.push(ChartFile { path: inside, content, place: Place::File(FileId(number)) });
    }
    Ok(())
}

impl Made {
    /// What a chart makes with values that are given besides its own.
    pub(crate) fn of(chart: &Chart, given: &Value) -> Self {
        let nowhere = Span::new(FileId(u32::MAX), 0, 0);
        let release = Release {
            name: Value::computed(RELEASE, nowhere),
            namespace: Value::computed("karplint-namespace", nowhere),
        };
        let assumptions = Assumptions {
            renderings: 1,
            kubernetes: Some("1.34.0".to_owned()),
            without_cluster: true,
            is_helm_4: false,
            others_give_values: false,
        };
        let mut made = Self::default();
        for file in render(chart, given, &release, &assumptions).files {
            match file.text {
                Ok(_) if has_ending(&file.name, "txt") => {}
                Ok(text) => {
                    yaml::parse_literal(&text, nowhere)
                        .values
                        .into_iter()
                        .for_each(|it| made.add(it));
                }
                Err(error) => made.errors.push(format!("{}: {}", file.name, error.message)),
            }
        }
        made.workloads.sort_by(|a, b| (&a.kind, &a.name).cmp(&(&b.kind, &b.name)));
        made
    }

    fn add(&mut self, object: Value) {
        let word = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let kind = word(object.get("kind").present()).unwrap_or_default();
        match &*kind {
            "Deployment" | "StatefulSet" | "DaemonSet" => {
                let name = word(object.at("metadata.name").present()).unwrap_or_default();
                let name = name.replace(RELEASE, "").trim_matches('-').to_owned();
                self.workloads.push(Workload { kind, name, object });
            }
            "PodDisruptionBudget" => self.pdbs.push(object),
            "HorizontalPodAutoscaler" | "ScaledObject" => self.scalers += 1,
            _ => {}
        }
    }

    /// The workload of that kind and name.
    pub(crate) fn workload(&self, kind: &str, name: &str) -> Option<&Workload> {
        self.workloads.iter().find(|it| it.kind == kind && it.name == name)
    }

    /// The PDB whose selector covers the pods of a workload.
    pub(crate) fn pdb_of(&self, workload: &Workload) -> Option<&Value> {
        let labels = workload.pods("metadata.labels")?;
        self.pdbs.iter().find(|it| {
            let wanted = it.at("spec.selector.matchLabels").present();
            wanted.is_some_and(|it| {
                let is_met = |key: &str, value: &Value| {
                    labels.get(key).present().is_some_and(|it| it.same_as(value) == Some(true))
                };
                !it.entries().is_empty() && it.entries().iter().all(|it| is_met(&it.key, &it.value))
            })
        })
    }
}

impl Workload {
    /// A field of the pod template.
    pub(crate) fn pods(&self, path: &str) -> Option<&Value> {
        self.object.at("spec.template").present()?.at(path).present()
    }

    /// Whether the pods are for nodes with Windows, which the data leaves out.
    pub(crate) fn is_for_windows(&self) -> bool {
        let selector = self.pods("spec.nodeSelector");
        let os = selector.and_then(|it| it.get("kubernetes.io/os").present());
        os.and_then(Value::as_str) == Some("windows")
    }

    /// Whether the pods have claims, their own or shared ones.
    pub(crate) fn has_claims(&self) -> bool {
        let templates = self.object.at("spec.volumeClaimTemplates").present();
        let own = templates.is_some_and(|it| !it.items().is_empty());
        let volumes = self.pods("spec.volumes").map(Value::items).unwrap_or_default();
        own || volumes.iter().any(|it| it.get("persistentVolumeClaim").present().is_some())
    }
}

/// Values of a release that gives none.
pub(crate) fn no_values() -> Value {
    Value::map(Vec::new(), Span::new(FileId(u32::MAX), 0, 0))
}
